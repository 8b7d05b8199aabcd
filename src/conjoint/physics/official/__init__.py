"""What is done only so that results are the official engine's (3.3.5) where rounding, order or history decides.

Contacts of geoms that just touch (`sweep_misses`, `midphase`), the order in which trees are gone through (`midphase`),
the boxes that viewers color (`bounding_volumes`), and what colliders of boxes do in corner cases (`box_corners`). Where
editions differ, kernels get the `Edition` of `physics.collision.editions`. Nothing here is physics: docs/imitation.md
says why it is followed, and what that costs.
"""

EXACT_KERNELS = True
