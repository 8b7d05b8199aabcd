"""Plugins that came with older versions of the official package: models that name them load, and do not step."""

FORMER = {
    "mujoco.elasticity.shell": ("face", "edge", "young", "poisson", "thickness", "damping"),
    "mujoco.elasticity.membrane": ("face", "edge", "young", "poisson", "thickness", "damping"),
    "mujoco.elasticity.solid": ("face", "edge", "young", "poisson", "damping"),
}
"""Names of their settings in order. The first two are written by flexcomp: points and edges of elements."""
