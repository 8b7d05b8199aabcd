"""Stages that reproduce MuJoCo's results (3.3.5) where rounding, order or history decides.

They cover contacts of geoms that just touch (`sweep_misses`, `midphase`), the order of tree traversal (`midphase`),
the boxes that viewers color (`bounding_volumes`), and corner cases of box colliders (`box_corners`). Where editions
differ, kernels take the `Edition` of `physics.collision.editions`. Nothing here is physics: docs/imitation.md explains
why MuJoCo is imitated, and at what cost.
"""

EXACT_KERNELS = True
