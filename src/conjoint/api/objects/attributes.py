"""Base classes that declare the attributes of `MjModel` and `MjData` for type checkers; see `attributes.pyi`."""


class ModelAttributes:
    """Attributes of `MjModel`."""


class DataAttributes:
    """Attributes of `MjData`."""
