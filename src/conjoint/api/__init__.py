"""The public names: MjModel, MjData, their parts, and the functions of the official package."""
