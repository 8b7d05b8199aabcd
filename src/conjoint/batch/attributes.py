"""Base class that declares the fields of `Batch` for type checkers and editors; see `attributes.pyi`."""


class WorldsAttributes:
    """Declarations of the fields of a `Batch` as attributes."""
