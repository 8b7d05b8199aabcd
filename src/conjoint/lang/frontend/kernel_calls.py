"""Calls of kernels, which are functions of their own."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from .lane_calls import call_each
from .library import Function, Library
from .signature import Signature, passed, rebuilt, signature
from .writer import Writer


def refuse_call(caller: Kernel, out: Writer, called: Kernel) -> None:
    """Some kernels may call no others than those of their kind.

    Raises:
        KernelError: this one may not call that one.
    """
    if called.single and out.machine.stride > 1:
        raise KernelError(f"calls {called.__name__}, which works on blocks of one world only")
    if called.writes_model and not caller.writes_model:
        raise KernelError(f"calls {called.__name__}, which writes to the model; only @kernel(writes_model=True) may")


def call_kernel(library: Library, out: Writer, kernel: Kernel, args: Sequence[Any]) -> Any:
    """Call the function of a kernel for the kinds of `args`."""
    if kernel.per_world and out.machine.lanes > 1 and not out.machine.together:
        return call_each(library, out, kernel, args)
    kinds = [signature(a) for a in args]
    function = library.function(kernel, kinds, out.mask.partial)
    if out.machine.lanes == 1:
        announce(out, function)
    return write_call(out, function, kinds, args)


def write_call(out: Writer, function: Function, kinds: Sequence[Signature], args: Sequence[Any]) -> Any:
    """Write the call of a function with arguments of these kinds; what it returns."""
    out.callees[function.name] = function
    out.outgrown |= function.outgrown
    mask = [f"{out.mask.word_type} {out.mask.word()}"] if function.masked else []
    given = [out.world, *mask, *(part for x, kind in zip(args, kinds, strict=True) for part in passed(out, x, kind))]
    returned, text = function.returned(out.machine), f"@{function.name}({', '.join(given)})"
    if returned == "void":
        out.do(f"call void {text}")
        return None
    answer = out.value(f"call {returned} {text}")
    several = (out.value(f"extractvalue {returned} {answer}, {k}") for k in itertools.count())
    parts = several if returned[0] == "{" else iter([answer])
    values = [rebuilt(out, kind, parts) for kind in function.results]
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
