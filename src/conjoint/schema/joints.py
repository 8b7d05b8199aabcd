"""Types of joints, and how many numbers a joint of each has in the state."""

from conjoint.schema.enums import mjtJoint

FREE, BALL, SLIDE, HINGE = map(int, mjtJoint)
NQ = (7, 4, 1, 1)
"""Positions in `qpos`."""
NV = (6, 3, 1, 1)
"""Velocities in `qvel`: degrees of freedom."""
