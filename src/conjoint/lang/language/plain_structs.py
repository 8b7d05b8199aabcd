"""Structs for kernels that run as ordinary Python: breakpoints, coverage and a debugger work in them.

Reals are NumPy float64 scalars, which are Python floats with IEEE division.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..memory.layout import COMPONENTS, INTEGERS, Buffer, Field, field_name
from .values import Value

REALS = ("real", "float")
"""Kinds whose elements are one real."""


class PlainField:
    """An array field, indexed by element as kernels do: with one integer, or with one for each of its dimensions."""

    __slots__ = ("array", "dims", "kind")

    def __init__(self, kind: str, array: np.ndarray):
        self.kind = kind
        components = COMPONENTS[kind]
        self.dims = array.shape if components == 1 else array.shape[:-1]
        # also a view if it is one lane of [elements][components][lanes], which are equally far apart
        self.array = array.reshape(-1) if components == 1 else array.reshape(-1, components)

    def place(self, i: int | tuple[int, ...]) -> int:
        """Number of the element at an index."""
        indices = i if isinstance(i, tuple) else (i,)
        if min(indices) < 0:
            raise IndexError(f"negative index {min(indices)} in a kernel")
        if not isinstance(i, tuple):
            return i
        if len(i) != len(self.dims):
            raise IndexError(f"an array of {len(self.dims)} dimensions has no element {i}")
        flat = i[0]
        for n, k in zip(self.dims[1:], i[1:], strict=True):
            if k >= n:
                raise IndexError(f"index {i} is outside of {self.dims}")
            flat = flat * n + k
        return flat

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int | tuple[int, ...]) -> Any:
        item = self.array[self.place(i)]
        if self.kind in REALS:
            return np.float64(item) if self.kind == "float" else item
        return int(item) if self.kind in INTEGERS else Value(self.kind, tuple(item))

    def __setitem__(self, i: int | tuple[int, ...], value: Any) -> None:
        if self.kind not in ("real", *INTEGERS) and getattr(value, "kind", None) != self.kind:
            raise TypeError(f"stored {value!r} in an array of {self.kind}")
        self.array[self.place(i)] = value.parts if isinstance(value, Value) else value


class PlainStruct:
    """`m` or `d` of an uncompiled kernel over `buffers`; of world `lane` where they hold several."""

    def __init__(self, buffers: Sequence[Buffer], lane: int = 0, group: str = ""):
        self.__dict__.update(_buffers=tuple(buffers), _lane=lane, _group=group, _cache={})

    def field_of(self, name: str) -> tuple[Field, np.ndarray]:
        for buffer in self._buffers:
            i = buffer.layout.index.get(self._group + name)
            if i is not None:
                field, view = buffer.layout.fields[i], buffer.view(self._group + name)
                return field, view[..., self._lane] if field.lanes(buffer.layout.lanes) > 1 else view
        raise AttributeError(f"no field {self._group + name!r} in the schema")

    def __getattr__(self, name: str) -> Any:
        cache = self.__dict__["_cache"]
        if name not in cache:
            group = f"{self._group}{field_name(name)}."
            if any(key.startswith(group) for buffer in self._buffers for key in buffer.layout.index):
                cache[name] = PlainStruct(self._buffers, self._lane, group), True
            else:
                field, view = self.field_of(name)
                cache[name] = PlainField(field.kind, view), bool(field.shape)
        found, whole = cache[name]
        return found if whole else found[0]

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)
        self._cache[name][0][0] = value
