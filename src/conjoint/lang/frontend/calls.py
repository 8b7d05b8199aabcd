"""Calls: of kernels, which are functions of their own, of formulas, which are expanded in place, and of words."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from ..language.formula import Formula, Primitive
from ..language.group import Group
from ..language.kernel import Kernel
from ..language.shared_work import shared
from ..language.values import Value
from ..language.vocabulary import Word
from ..language.world_part import Part, within
from ..routines.addresses import CFunction
from .addresses import call_function
from .arrays import shown
from .library import Function, Library
from .number import Number, lifted
from .primitives import REDUCTIONS
from .shares import call_shared
from .signature import llvm_types, parts_of, rebuilt, signature
from .structs import Struct
from .tiles import Tile
from .vocabulary import WRITERS
from .writer import Writer


def call(library: Library, caller: Kernel, out: Writer, called: Any, args: list[Any]) -> Any:
    """Write a call; what it returns."""
    if isinstance(called, Kernel):
        if called.per_world and not out.machine.alone:
            raise TypeError(f"calls {called.__name__}, which runs per world: only a per-world kernel may")
        if called.single and not caller.single:
            raise TypeError(
                f"calls {called.__name__}, which works on blocks of one world; only @kernel(single=True) may"
            )
        if called.writes_model and not caller.writes_model:
            raise TypeError(f"calls {called.__name__}, which writes to the model; only @kernel(writes_model=True) may")
        return call_kernel(library, out, called, args)
    if called is within:
        return call_within(library, caller, out, *args)
    if called is shared:
        return call_shared(library, caller, out, args)
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
    if not caller.single:
        raise TypeError("solves a part of a world, which has memory for one at a time: only @kernel(single=True) may")
    if not (isinstance(part, Part) and isinstance(kernel, Kernel)):
        raise TypeError(f"within takes a part and a kernel, not {shown(part)} and {shown(kernel)}")
    schema = library.schema
    return call_kernel(library, out, kernel, [Struct(schema, role, "", part) for role in ("m", "d")] + list(args[2:]))


def call_kernel(library: Library, out: Writer, kernel: Kernel, args: Sequence[Any]) -> Any:
    """Call the function of a kernel for the kinds of `args`."""
    kinds = [signature(a) for a in args]
    function = library.function(kernel, kinds)
    out.callees[function.name] = function
    if out.machine.lanes == 1:
        announce(out, function)
    texts = ["ptr %m", "ptr %d", "i64 %lane"]
    for kind, arg in zip(kinds, args, strict=True):
        parts = parts_of(out, arg, kind)
        texts += [f"{t} {p}" for t, p in zip(llvm_types(out.machine, kind), parts, strict=True)]
    types = [llvm_types(out.machine, kind) for kind in function.results]
    flat = [t for part in types for t in part]
    if not flat:
        out.do(f"call void @{function.name}({', '.join(texts)})")
        return None
    answer = out.value(f"call {function.returned(out.machine)} @{function.name}({', '.join(texts)})")
    parts = [answer] if len(flat) == 1 else [
        out.value(f"extractvalue {function.returned(out.machine)} {answer}, {k}") for k in range(len(flat))
    ]  # fmt: skip
    values = []
    for kind, part in zip(function.results, types, strict=True):
        values.append(rebuilt(out, kind, parts[: len(part)]))
        parts = parts[len(part) :]
    return tuple(values) if function.several else values[0]


def announce(out: Writer, function: Function) -> None:
    """Read the addresses that a called function reads at the start of the caller, too.

    A call in a branch of a loop that is expanded in place would read them again and again, as nothing says that it may
    be done before. In lanes registers are rarer than time for this.
    """
    for place in sorted(function.fields, key=repr):
        if place not in out.addresses:
            # LLVM drops what nobody uses before it expands calls
            out.intrinsics["llvm.assume"] = "declare void @llvm.assume(i1)"
            out.prologue.append(f'  call void @llvm.assume(i1 true) ["nonnull"(ptr {place.address(out)})]')


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
    result = item.function(*args)
    if isinstance(item.result, tuple):
        return tuple(wrapped(out, kind, part) for kind, part in zip(item.result, result, strict=True))
    return wrapped(out, item.result, result)


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
    rows = [a.parts if isinstance(a, Tile) else None for a in args]
    count = next(len(parts) for parts in rows if parts is not None)
    columns = [[a if parts is None else parts[c] for a, parts in zip(args, rows, strict=True)] for c in range(count)]
    results = [call_formula(out, item, column) for column in columns]
    if isinstance(item.result, tuple):
        return tuple(Tile(parts) for parts in zip(*results, strict=True))
    return Tile(results)
