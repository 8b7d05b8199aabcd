"""Bases that give `MjModel` and `MjData` their attributes in the eyes of a type checker; see `attributes.pyi`."""


class ModelAttributes:
    """Attributes of `MjModel`."""


class DataAttributes:
    """Attributes of `MjData`."""
