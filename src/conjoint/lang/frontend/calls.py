"""Calls to kernels (separate functions), to formulas (expanded inline), and to words of the kernel language."""

from __future__ import annotations

import functools
import operator
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..language.arguments import NOTHING, in_order, parameters_of, required
from ..language.captured import is_of_a_program
from ..language.formula import Formula, Primitive
from ..language.functions import OF_VALUES
from ..language.group import Group
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from ..language.shared_work import Pieces, shared
from ..language.tile import Tile, columns
from ..language.values import Value
from ..language.vocabulary import Word
from ..language.world_part import Part, within
from ..memory.layout import COMPONENTS
from ..routines.addresses import CFunction, MachineWord, by_threads
from .addresses import call_function
from .arrays import shown
from .kernel_calls import call_kernel, refuse_call
from .library import Library
from .number import Number, kind_of, lifted
from .primitives import REDUCTIONS
from .shares import call_by_threads, call_shared
from .structs import Struct
from .vocabulary import WRITERS
from .writer import Writer


def call(
    library: Library, caller: Kernel, out: Writer, called: Any, args: list[Any], keywords: Mapping[str, Any] = NOTHING
) -> Any:
    """Emit a call, and return its result."""
    args = arguments(called, args, keywords)
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
        if called.__name__ not in WRITERS:
            raise KernelError(f"{called.__name__} can only be the range of a loop")
        return WRITERS[called.__name__](out, *args)
    if isinstance(called, Formula):
        return call_formula(out, called, args)
    if isinstance(called, type) and issubclass(called, Group):
        return called(*args)
    if called is int and len(args) == 1 and isinstance(args[0], (Number, int)) and kind_of(args[0]) == "int":
        return args[0]
    raise KernelError(f"kernels do not call {'int() of a real' if called is int else shown(called)}")


def arguments(called: Any, args: list[Any], keywords: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of a call by position.

    Raises:
        KernelError: the arguments do not match the parameters.
    """
    if isinstance(called, Formula):
        return list(called.arguments(args, keywords))
    if isinstance(called, Kernel):
        if not keywords and len(args) == len(called.parameters):
            return args
        parameters = required(called.parameters)
    elif isinstance(called, Word) and not isinstance(called, MachineWord):
        parameters = parameters_of(called.plain)
    elif isinstance(called, type) and issubclass(called, Group):
        parameters = parameters_of(called)
    elif keywords:
        raise KernelError(f"{shown(called)} takes no arguments by keyword")
    else:
        return args
    return list(in_order(called.__name__, parameters, args, keywords))


def call_within(library: Library, caller: Kernel, out: Writer, part: Part, kernel: Kernel, *args: Any) -> Any:
    """Emit a call to a kernel for a part of the world, and return its result."""
    if out.machine.stride > 1:
        raise KernelError("processes a part of a world, in blocks of one world only: its stage needs single=True")
    if not (isinstance(part, Part) and isinstance(kernel, Kernel)):
        raise KernelError(f"within takes a part and a kernel, not {shown(part)} and {shown(kernel)}")
    schema = library.schema
    return call_kernel(library, out, kernel, [Struct(schema, role, "", part) for role in ("m", "d")] + list(args[2:]))


def call_formula(out: Writer, item: Formula, args: list[Any]) -> Any:
    """Expand a formula inline, and return its result."""
    if any(isinstance(a, Tile) for a in args):
        return on_tiles(out, item, args)
    if isinstance(item, Primitive):
        refuse_operands(item, args)
        return item(*args) if isinstance(item, OF_VALUES) else item.function(*args)
    for kind, x in zip(item.kinds, args, strict=True):
        if not (
            isinstance(x, (Number, bool, int, float)) if kind == "real" else isinstance(x, Value) and x.kind == kind
        ):
            raise KernelError(f"{item.__name__} needs a {kind}, not {shown(x)}")
    if not any(isinstance(a, (Number, Value)) for a in args):
        # if all arguments are constants, compute the result now
        return wrapped(out, item.result, body_of(item, item.function, args))
    for k, kind in enumerate(item.kinds):
        if kind == "real":
            number = lifted(out, args[k])
            args[k] = number.to("real", number.extent)
    if item.exact:
        args = [a.exactly() if isinstance(a, Number) else Value(a.kind, [p.exactly() for p in a]) for a in args]
    return wrapped(out, item.result, body_of(item, item.computed, args))


def refuse_operands(item: Formula, args: list[Any]) -> None:
    """Raise an error for operands that a primitive does not accept.

    Raises:
        KernelError: an argument is neither a number nor of another type that the primitive accepts.
    """
    chosen = args[-2:] if item.__name__ == "where" else args
    numbers = args
    if isinstance(item, OF_VALUES) and all(isinstance(a, (Value, tuple)) for a in chosen):
        kinds = {a.kind if isinstance(a, Value) else len(a) for a in chosen}
        if len(kinds) > 1:
            raise KernelError(f"where needs two values of the same kind, not {' and '.join(map(shown, chosen))}")
        numbers = args[: -len(chosen)]
    for x in numbers:
        if not isinstance(x, (Number, bool, int, float)):
            raise KernelError(f"{item.__name__} needs a number, not {shown(x)}")


def body_of(item: Formula, compute: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Run the body of a formula.

    Raises:
        KernelError: the formula is from a user's program, and its body raises an error outside the compiler.
    """
    try:
        return compute(*args)
    except KernelError:
        raise
    except Exception as error:
        last = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
        if is_of_a_program(item) and not last.f_globals.get("__name__", "").startswith(PACKAGE):
            raise KernelError(f"the formula {item.__name__} fails: {type(error).__name__}: {error}") from error
        raise


def wrapped(out: Writer, kind: str | tuple[str, ...], result: Any) -> Any:
    """Convert the result of a formula to the type that kernels use."""
    if isinstance(kind, tuple):
        if not isinstance(result, tuple) or len(result) != len(kind):
            raise KernelError(f"a formula of {len(kind)} results returns {shown(result)}")
        return tuple(wrapped(out, k, part) for k, part in zip(kind, result, strict=True))
    if kind in ("real", "bool"):
        if not isinstance(result, (Number, bool, int, float)):
            raise KernelError(f"a formula of {kind} returns {shown(result)}")
        return result.freely() if isinstance(result, Number) else result
    given = result.parts if isinstance(result, Value) else result
    if not isinstance(given, (tuple, list)) or len(given) != COMPONENTS[kind]:
        raise KernelError(f"a formula of {kind} returns {COMPONENTS[kind]} components, not {shown(result)}")
    parts = [lifted(out, part) for part in given]
    return Value(kind, [part.to("real", part.extent).freely() for part in parts])


PACKAGE = __name__.rpartition(".")[0]
"""Name of the front end's package."""

JOINED = {"any": operator.or_, "all": operator.and_}
"""Operators that combine the conditions in the columns of a mask, by name of the formula."""


def on_tiles(out: Writer, item: Formula, args: list[Any]) -> Any:
    """Apply a floating-point formula to every column of tiles; `any` and `all` of a mask return one condition."""
    if item.__name__ in JOINED and args[0].kind == "mask":
        return call_formula(out, item, [functools.reduce(JOINED[item.__name__], args[0].parts)])
    if item.__name__ in REDUCTIONS:
        raise KernelError(f"{item.__name__} needs a condition, not a tile: write total() first")
    if any(isinstance(a, Value) for a in args):
        raise KernelError(f"{item.__name__} takes no tile together with a value")
    results = item.result if isinstance(item.result, tuple) else (item.result,)
    if not {*item.kinds, *results} <= {"real", "bool"}:
        raise KernelError(f"{item.__name__} is of values, and takes no tile")
    return columns(lambda *column: call_formula(out, item, list(column)), *args)
