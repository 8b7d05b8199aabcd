"""The arrays of a compiled model as attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.layout import Buffer


class Arrays:
    """Views of a model's fields, by name (`m.body_pos`), and its sizes (`m.nv`)."""

    def __init__(self, buffer: Buffer):
        self.buffer = buffer
        self._lists: dict[str, list[Any]] = {}
        self.__dict__.update(buffer.layout.sizes)

    def __getattr__(self, name: str) -> Any:
        """The view, made when first asked for."""
        view = self.__dict__[name] = self.buffer.view(name)
        return view

    def listed(self, name: str) -> list[Any]:
        """The numbers of a field when first asked for, in a list, of which single ones are picked faster."""
        known = self._lists.get(name)
        if known is None:
            known = self._lists[name] = getattr(self, name).tolist()
        return known


def rows(view: np.ndarray) -> list[Any]:
    """Rows of an array as tuples, which small formulas are fastest with."""
    return [tuple(row) for row in view.tolist()]
