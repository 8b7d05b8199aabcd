"""Calls to kernels whose work is divided among threads by a thread team, or else done in a plain loop.

Thread teams are in `threads/thread_team.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from ..language.shared_work import TEAM, Pieces
from ..routines.thread_team_code import one_by_one, side_by_side, together
from .arrays import shown
from .kernel_calls import call_kernel, refuse_call, write_call
from .library import Function, Library
from .machine import Extent
from .number import Number
from .signature import passed, signature
from .structs import Struct
from .writer import WORLD, Writer

INTEGER = "int", Extent.ONE
"""Signature of an integer that has the same value in all worlds."""

SHARING = one_by_one.__name__ + ".", side_by_side.__name__ + "."
"""Name prefixes of the functions that divide work among threads."""


def call_shared(library: Library, caller: Kernel, out: Writer, args: Sequence[Any]) -> None:
    """Emit a call to `shared` with these arguments."""
    if len(args) < 4 or not isinstance(args[0], Kernel) or not all(isinstance(a, Struct) for a in args[1:3]):
        raise KernelError("shared takes a kernel, m, d, a count, and the other arguments of the kernel")
    kernel, m, d, count, *rest = args
    refuse_call(caller, out, kernel)
    if signature(count)[0] != "int":
        raise KernelError(f"the count of shared calls must be an integer, not {shown(count)}")
    piece = library.function(kernel, [m, d, INTEGER, *map(signature, rest)], out.mask.partial)
    if piece.results:
        raise KernelError(f"{kernel.__name__} returns a value, but shared kernels must write to fields")
    if any(name.startswith(SHARING) for name in _reached(piece)):
        raise KernelError(f"{kernel.__name__} shares work itself, so it cannot be shared")
    # worlds side by side run in one thread together, so threads share blocks instead
    if out.machine.stride == 1 and not out.machine.threads:
        team = library.schema.data.member(out, TEAM)
        call_kernel(library, out, side_by_side, [m, d, team, count, Pieces(kernel, *rest)])
    else:
        call_kernel(library, out, one_by_one, [m, d, count, Pieces(kernel, *rest)])


def _reached(function: Function) -> Iterator[str]:
    """Yield the names of all functions that a function calls, directly or indirectly."""
    for name, callee in function.callees.items():
        yield name
        yield from _reached(callee)


def call_by_threads(library: Library, out: Writer, m: Struct, d: Struct, team: Any, count: Any, work: Pieces) -> None:
    """Emit code that passes work to a thread team.

    It consists of a C function that runs one piece, and of a frame with its arguments on the caller's stack.
    """
    kinds = [m, d, INTEGER, *map(signature, work.arguments)]
    piece = library.function(work.kernel, kinds)
    # arguments have the same LLVM names as the parameters, also in the C function
    given = zip(work.arguments, kinds[3:], strict=True)
    values = [*WORLD.split(", "), *(part for a, kind in given for part in passed(out, a, kind))]
    frame = "{ " + ", ".join(value.rpartition(" ")[0] for value in values) + " }"
    memory = out.first(f"alloca {frame}")
    function, inner = library.opened(f"{piece.name}.piece", work.kernel)
    for k, value in enumerate(values):
        kind, _, name = value.rpartition(" ")
        place = out.value(f"getelementptr inbounds {frame}, ptr {memory}, i64 0, i32 {k}")
        out.do(f"store {value}, ptr {place}")
        place = inner.value(f"getelementptr inbounds {frame}, ptr %frame, i64 0, i32 {k}")
        inner.do(f"{name} = load {kind}, ptr {place}")
    write_call(inner, piece, kinds, [m, d, Number(inner, "%k", "int"), *work.arguments])
    inner.do("ret void")
    function.close(inner, "internal void", "ptr %frame, i64 %k")
    out.callees[function.name] = function
    out.outgrown |= function.outgrown
    addresses = [Number(out, out.value(f"ptrtoint ptr {p} to i64"), "int") for p in (f"@{function.name}", memory)]
    call_kernel(library, out, together, [team, *addresses, count])
