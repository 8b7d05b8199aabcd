"""Numbers of a joint in the state, by type (mjtJoint: free, ball, slide, hinge)."""

NQ = (7, 4, 1, 1)
"""Positions in `qpos`."""
NV = (6, 3, 1, 1)
"""Velocities in `qvel`: degrees of freedom."""
