"""The arrays of a compiled model as attributes."""

from typing import Any

from conjoint.lang.memory.layout import Buffer


class Arrays:
    """Views of a model's fields, by name (`m.body_pos`), and its sizes (`m.nv`)."""

    def __init__(self, buffer: Buffer):
        self.buffer = buffer
        self.__dict__.update(buffer.layout.sizes)

    def __getattr__(self, name: str) -> Any:
        """The view, made when first asked for."""
        view = self.__dict__[name] = self.buffer.view(name)
        return view
