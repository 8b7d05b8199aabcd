"""Words of the language that are neither kernels nor formulas: tiles, strips, values in arrays, arrays on the stack.

Compiled code implements them by name (`frontend/vocabulary.py`). This module implements them in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..memory.layout import COMPONENTS
from .dual import Dual, value_of
from .formula import Formula
from .record import Members, MembersList, StructKind, Uniform
from .tile import TILE, Tile
from .values import Value

LARGEST = 2.0**31
"""Upper bound on reals that can be converted to an integer in lanes."""


class Word:
    """A word of the kernel language, which emits its own instructions when compiled, and calls `plain` in Python."""

    def __init__(self, plain: Callable[..., Any]):
        self.__name__, self.__doc__, self.__module__ = plain.__name__, plain.__doc__, plain.__module__
        self.plain = plain

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.plain(*args, **keywords)

    def __repr__(self) -> str:
        return f"<word {self.__name__}>"


class Width(int):
    """A number that depends on the compiled variant; the integer value of this object applies to plain Python."""


STRIP = Width(1)
"""Number of elements in a strip, the step of a loop over strips. Loops read and write padding up to a whole tile."""

TILES = Width(2)
"""Number of tiles of sums that fit into the registers: two, or one if a tile takes eight of the sixteen registers."""

PANEL = Width(TILE)
"""Number of reals in a panel, the step size of a loop over panels."""


@Word
def tile(field: Any, at: Any = None, apart: Any = 1) -> Any:
    """Read eight reals of `field`, starting at element `at`, with a stride of `apart` elements.

    Without `at`, repeat the real `field` eight times. Elements after the end of the field have undefined values.
    """
    if at is None:
        return Tile([field] * TILE)
    first = _number(field, at)
    return Tile([field[k] if k < len(field) else 0.0 for k in range(first, first + TILE * apart, apart)])


@Word
def panel(field: Any, at: Any = None) -> Any:
    """Read the first `PANEL` reals of `tile(field, at)`. Without `at`, repeat the real `field` that many times.

    In a single world, a panel contains all eight reals. In lanes, it is so small that the registers can hold two rows.
    """
    return tile(field, at)


@Word
def strip(field: Any, at: Any = None) -> Any:
    """Read one vector of `field`, starting at `at`: `STRIP` neighbors in a single world, one element in lanes."""
    return field if at is None else field[at]


@Word
def load(kind: Any, field: Any, at: Any) -> Value:
    """Read a value of `kind` (`quat`, `vec3`, ...) from the reals of `field` at element `at` (one index or several)."""
    first = _number(field, at)
    return Value(str(kind.result), [field[first + k] for k in range(COMPONENTS[str(kind.result)])])


def _number(field: Any, at: Any) -> int:
    return field.place(at) if isinstance(at, tuple) else at


@Word
def put(field: Any, at: Any, x: Any) -> None:
    """Store a tile, a strip or the components of a value in the reals of `field`, starting at element `at`."""
    first = _number(field, at)
    for k, part in enumerate(x.parts if isinstance(x, (Tile, Value)) else [x]):
        field[first + k] = part


@Word
def total(t: Any) -> Any:
    """Return the sum of the elements of a tile or strip."""
    return sum(t.parts) if isinstance(t, Tile) else t


@Word
def real(x: Any) -> Any:
    """Return a number as a real. As the first argument of `local`, it is the type of the elements."""
    return x if isinstance(x, Dual) else float(x)


@Word
def local(kind: Any, count: int) -> list[Any]:
    """Return an array of `count` uninitialized elements (`vec3`, ..., `real`, `int`, a struct).

    The array exists until the kernel returns.
    """
    if isinstance(kind, StructKind):
        found = MembersList(Members() for _ in range(count))
        for item in found:
            for name, (member, n) in kind.members.items():
                setattr(item, name, local(member, n) if n else local(member, 1)[0])
        return found
    if isinstance(kind, Formula):
        return [Value(str(kind.result), [0.0] * len(kind.kinds))] * count
    return [0.0 if kind is real else 0] * count


@Word
def uniform(x: Any) -> Any:
    """Declare that `x` has the same value in all lanes, and return it.

    If worlds run in lanes, the compiler rejects a number that may differ between them.

    A member of a `struct` whose default is `uniform(kind)` is equal in all worlds, and so are results computed from it.
    Such a member is set where the struct is created.
    """
    is_kind = isinstance(x, (type, Formula, Word, StructKind))
    return Uniform(x) if is_kind else x


@Word
def integer(x: Any) -> int:
    """Truncate a real to an integer. The result is 0 for NaN, and the nearest integer if the real is too large."""
    number = float(value_of(x))
    return 0 if number != number else int(max(-LARGEST, min(LARGEST, number)))


@Word
def tangent(x: Any, k: int) -> Any:
    """Return the derivative of a real along direction k (0 to 7), as a number; 0 if the real has no tangents."""
    return x.tangent[k] if isinstance(x, Dual) else 0.0


@Word
def with_tangent(x: Any, k: int, change: Any) -> Any:
    """Return a real with its derivative along direction k increased by `change`, or unchanged if it has no tangents."""
    if not isinstance(x, Dual):
        return x
    tangents = x.tangent.copy()
    tangents[k] += value_of(change)
    return x.dual(x.value, tangents)


@Word
def unique(n: int) -> range:
    """Return a range with a single iteration, in which `i` is `n`: `for i in unique(n)`.

    Worlds in lanes run an iteration together if their `n` are equal. So `i` is the same for all of them in the loop,
    and fields at index `i` are read and written without gathers, as in ISPC's `foreach_unique`.
    """
    return range(n, n + 1)


@Word
def jam(turns: range) -> range:
    """Mark a range whose iterations the compiler may run two at a time (`frontend/jam.py`), and return it."""
    return turns
