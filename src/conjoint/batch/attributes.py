"""The base that gives `Batch` its fields in the eyes of a type checker and of an editor; see `attributes.pyi`."""


class WorldsAttributes:
    """Fields of the worlds of a `Batch`."""
