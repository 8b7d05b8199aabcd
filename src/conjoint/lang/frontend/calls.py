"""Calls: of kernels, which are functions of their own, of formulas, which are expanded in place, and of words."""

from __future__ import annotations

import functools
import operator
from typing import Any

from ..language.formula import Formula, Primitive
from ..language.group import Group
from ..language.kernel import Kernel
from ..language.shared_work import Pieces, shared
from ..language.tile import Tile, columns
from ..language.values import Value
from ..language.vocabulary import Word
from ..language.world_part import Part, within
from ..routines.addresses import CFunction, by_threads
from .addresses import call_function
from .arrays import shown
from .kernel_calls import call_kernel, refuse_call
from .library import Library
from .number import Number, lifted
from .primitives import REDUCTIONS
from .shares import call_by_threads, call_shared
from .signature import signature
from .structs import Struct
from .vocabulary import WRITERS
from .writer import Writer


def call(library: Library, caller: Kernel, out: Writer, called: Any, args: list[Any]) -> Any:
    """Write a call; what it returns."""
    if isinstance(called, Kernel):
        refuse_call(caller, out, called)
        return call_kernel(library, out, called, args)
    if called is within:
        return call_within(library, caller, out, *args)
    if called is shared:
        return call_shared(library, caller, out, args)
    if called is by_threads:
        return call_by_threads(library, out, *args)
    if isinstance(called, Pieces):
        return call_kernel(library, out, called.kernel, [*args, *called.arguments])
    if isinstance(called, CFunction):
        return call_function(out, called, args)
    if isinstance(called, Word):
        return WRITERS[called.__name__](out, *args)
    if isinstance(called, Formula):
        return call_formula(out, called, args)
    if isinstance(called, type) and issubclass(called, Group):
        return called(*args)
    if called is int and len(args) == 1 and signature(args[0])[0] == "int":
        return args[0]
    raise TypeError(f"kernels do not call {'int() of a real' if called is int else shown(called)}")


def call_within(library: Library, caller: Kernel, out: Writer, part: Part, kernel: Kernel, *args: Any) -> Any:
    """Call a kernel for a part of the world."""
    if out.machine.stride > 1:
        raise TypeError("solves a part of a world, in blocks of one world only: their stages are @kernel(single=True)")
    if not (isinstance(part, Part) and isinstance(kernel, Kernel)):
        raise TypeError(f"within takes a part and a kernel, not {shown(part)} and {shown(kernel)}")
    schema = library.schema
    return call_kernel(library, out, kernel, [Struct(schema, role, "", part) for role in ("m", "d")] + list(args[2:]))


def call_formula(out: Writer, item: Formula, args: list[Any]) -> Any:
    """Expand a formula in place."""
    if len(args) != len(item.kinds):
        raise TypeError(f"{item.__name__} takes {len(item.kinds)} arguments, not {len(args)}")
    if any(isinstance(a, Tile) for a in args):
        return on_tiles(out, item, args)
    if isinstance(item, Primitive):
        return item.function(*args) if item.__name__ != "where" else item(*args)
    if not any(isinstance(a, (Number, Value)) for a in args):
        # of constants: computed now
        return wrapped(out, item.result, item.function(*args))
    for k, kind in enumerate(item.kinds):
        if kind == "real":
            number = lifted(out, args[k])
            args[k] = number.to("real", number.extent)
        elif not isinstance(args[k], Value) or args[k].kind != kind:
            raise TypeError(f"{item.__name__} needs a {kind}, not {shown(args[k])}")
    if item.exact:
        args = [a.exactly() if isinstance(a, Number) else Value(a.kind, [p.exactly() for p in a]) for a in args]
    return wrapped(out, item.result, item.computed(*args))


def wrapped(out: Writer, kind: str | tuple[str, ...], result: Any) -> Any:
    """The outcome of a formula as kernels see it."""
    if isinstance(kind, tuple):
        return tuple(wrapped(out, k, part) for k, part in zip(kind, result, strict=True))
    if kind in ("real", "bool"):
        return result.freely() if isinstance(result, Number) else result
    parts = [lifted(out, part) for part in (result.parts if isinstance(result, Value) else result)]
    return Value(kind, [part.to("real", part.extent).freely() for part in parts])


JOINED = {"any": operator.or_, "all": operator.and_}
"""How conditions in the columns of a mask become one."""


def on_tiles(out: Writer, item: Formula, args: list[Any]) -> Any:
    """A formula of reals, in every column; `any` and `all` of a mask are one condition."""
    if item.__name__ in JOINED and args[0].kind == "mask":
        return call_formula(out, item, [functools.reduce(JOINED[item.__name__], args[0].parts)])
    if item.__name__ in REDUCTIONS:
        raise TypeError(f"{item.__name__} needs a condition, not a tile: write total() first")
    return columns(lambda *column: call_formula(out, item, list(column)), *args)
