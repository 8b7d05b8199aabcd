"""Base class that declares the fields of `Batch` for type checkers and editors; see `attributes.pyi`."""


class WorldsAttributes:
    """Fields of the worlds of a `Batch`, as declared attributes."""
