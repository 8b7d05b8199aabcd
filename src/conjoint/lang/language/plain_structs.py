"""Structs for kernels that run as ordinary Python, so that breakpoints, coverage and debuggers work in them.

Reals are NumPy float64 scalars, which are Python floats with IEEE division. In an active field, whose tangents may be
nonzero, reals are dual numbers; the tangents are stored in a field of their own (`tangent.qpos`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..memory.layout import COMPONENTS, INTEGERS, TANGENT, Buffer, Field, field_name
from ..memory.realisation import TANGENTS
from .dual import Dual, value_of
from .plain_dual import NO_TANGENTS, PlainDual
from .values import Value

REALS = ("real", "float")
"""Element types that consist of a single real."""


class PlainTangents:
    """Tangents of a field, which are ignored until a dual number is stored in the field.

    Args:
        name: name of the field.
        array: the tangents.
        active: names of the fields that may have nonzero tangents; the field adds its name when it first stores a dual
            number.
    """

    __slots__ = ("active", "array", "name", "whole")

    def __init__(self, name: str, components: int, array: np.ndarray, active: set[str]):
        self.name, self.active, self.whole = name, active, array
        self.array = array.reshape(-1, components, TANGENTS)

    def read(self, place: int, numbers: Sequence[Any]) -> tuple[Any, ...]:
        """Return the numbers of an element, as dual numbers if the field is active."""
        if self.name not in self.active:
            return tuple(numbers)
        return tuple(map(PlainDual, numbers, self.array[place].copy()))

    def store(self, place: int, numbers: Sequence[Any]) -> None:
        """Store the tangents of an element's numbers."""
        if self.name not in self.active:
            if not any(isinstance(x, Dual) for x in numbers):
                return
            # the other elements contain values of an earlier pass, which are invalid
            self.whole[...] = 0.0
            self.active.add(self.name)
        self.array[place] = [x.tangent if isinstance(x, Dual) else NO_TANGENTS for x in numbers]

    def behind(self, first: int) -> PlainTangents:
        """Return a view of the tangents, starting at element `first`."""
        found = PlainTangents(self.name, self.array.shape[1], self.whole, self.active)
        found.array = self.array[first:]
        return found


class PlainField:
    """An array field, indexed by element as in kernels: by one integer, or by one integer per dimension.

    Args:
        kind: type of its elements.
        array: its numbers.
        tangents: their tangents, if reals may be dual numbers.
    """

    __slots__ = ("array", "dims", "kind", "tangents")

    def __init__(self, kind: str, array: np.ndarray, tangents: PlainTangents | None = None):
        self.kind, self.tangents = kind, tangents
        components = COMPONENTS[kind]
        self.dims = array.shape if components == 1 else array.shape[:-1]
        # this is a view even for one lane of [elements][components][lanes], whose numbers are equally far apart
        self.array = array.reshape(-1) if components == 1 else array.reshape(-1, components)

    def behind(self, first: int, dims: Sequence[int]) -> PlainField:
        """Return a view of the array, starting at element `first`; `dims` are its dimensions except the first."""
        found = object.__new__(PlainField)
        found.kind, found.array = self.kind, self.array[first:]
        found.dims = (len(found.array) // max(int(np.prod(dims)), 1), *dims)
        found.tangents = self.tangents and self.tangents.behind(first)
        return found

    def place(self, i: int | tuple[int, ...]) -> int:
        """Convert the index of an element, which has one or more dimensions, to a flat index."""
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
        place = self.place(i)
        item = self.array[place]
        if self.kind in REALS:
            number = np.float64(item) if self.kind == "float" else item
            return number if self.tangents is None else self.tangents.read(place, (number,))[0]
        if self.kind in INTEGERS:
            return int(item)
        return Value(self.kind, tuple(item) if self.tangents is None else self.tangents.read(place, item))

    def __setitem__(self, i: int | tuple[int, ...], value: Any) -> None:
        if self.kind not in ("real", *INTEGERS) and getattr(value, "kind", None) != self.kind:
            raise TypeError(f"stored {value!r} in an array of {self.kind}")
        place = self.place(i)
        numbers = value.parts if isinstance(value, Value) else value
        if self.tangents is not None:
            self.tangents.store(place, numbers if isinstance(value, Value) else (value,))
            numbers = [value_of(x) for x in value.parts] if isinstance(value, Value) else value_of(value)
        elif self.kind == "float":
            numbers = value_of(value)
        self.array[place] = numbers


class PlainStruct:
    """`m` or `d` of an uncompiled kernel.

    Args:
        buffers: buffers that contain its fields.
        lane: index of the world, if the buffers contain several.
        group: prefix of the fields' names, if this is a group of fields (`opt.`).
        active: names of the fields whose reals are dual numbers, a set that grows while kernels run. None if all reals
            are ordinary numbers.
    """

    def __init__(self, buffers: Sequence[Buffer], lane: int = 0, group: str = "", active: set[str] | None = None):
        self.__dict__.update(_buffers=tuple(buffers), _lane=lane, _group=group, _active=active, _cache={})

    def field_of(self, name: str) -> tuple[Field, np.ndarray]:
        for buffer in self._buffers:
            i = buffer.layout.index.get(self._group + name)
            if i is not None:
                field, view = buffer.layout.fields[i], buffer.view(self._group + name)
                return field, view[..., self._lane] if field.lanes(buffer.layout.lanes) > 1 else view
        raise AttributeError(f"no field {self._group + name!r} in the schema")

    def _tangents_of(self, field: Field) -> PlainTangents | None:
        """Return the tangents of a field, or None if no memory is reserved for them."""
        for buffer in self._buffers if self._active is not None else ():
            if TANGENT + field.name in buffer.layout.index:
                array = buffer.view(TANGENT + field.name)
                return PlainTangents(field.name, COMPONENTS[field.kind], array, self._active)
        return None

    def __getattr__(self, name: str) -> Any:
        cache = self.__dict__["_cache"]
        if name not in cache:
            group = f"{self._group}{field_name(name)}."
            if any(key.startswith(group) for buffer in self._buffers for key in buffer.layout.index):
                cache[name] = PlainStruct(self._buffers, self._lane, group, self._active), True
            else:
                field, view = self.field_of(name)
                cache[name] = PlainField(field.kind, view, self._tangents_of(field)), bool(field.shape)
        found, whole = cache[name]
        return found if whole else found[0]

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)
        self._cache[name][0][0] = value
