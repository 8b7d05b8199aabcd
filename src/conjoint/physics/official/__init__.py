"""Stages that reproduce MuJoCo's results (3.3.5) in cases that depend on rounding, order or implementation history.

They cover contacts of geoms that just touch (`sweep_misses`, `midphase`), the order of tree traversal (`midphase`),
the boxes that viewers color (`bounding_volumes`), and corner cases of box colliders (`box_corners`). If MuJoCo versions
differ, kernels have an `Edition` argument (see `physics.collision.editions`). Nothing here is physics:
docs/imitation.md explains why MuJoCo is imitated, and at what cost.
"""

EXACT_KERNELS = True
