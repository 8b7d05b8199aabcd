"""Calls to kernels, which are compiled to separate functions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from .lane_calls import call_each, write_instruction
from .library import Function, Library
from .signature import Signature, in_lanes, merged, parts_of, passed, rebuilt, signature
from .writer import Writer


def refuse_call(caller: Kernel, out: Writer, called: Kernel) -> None:
    """Raise an error if the options of two kernels do not allow `caller` to call `called`.

    Raises:
        KernelError: `called` works on single worlds only, or writes to the model and `caller` does not.
    """
    if called.single and out.machine.stride > 1:
        raise KernelError(f"calls {called.__name__}, which works on blocks of one world only")
    if called.writes_model and not caller.writes_model:
        raise KernelError(f"calls {called.__name__}, which writes to the model; only @kernel(writes_model=True) may")


def call_kernel(library: Library, out: Writer, kernel: Kernel, args: Sequence[Any]) -> Any:
    """Emit a call to a kernel's function for these argument types, and return its result."""
    if kernel.per_world and out.machine.lanes > 1 and not out.machine.together:
        return call_each(library, out, kernel, args)
    if kernel.few and out.mask.partial and not out.machine.together:
        return call_by_number(library, out, kernel, args)
    kinds = [signature(a) for a in args]
    function = library.function(kernel, kinds, out.mask.partial)
    if out.machine.lanes == 1:
        announce(out, function)
    return write_call(out, function, kinds, args)


def call_by_number(library: Library, out: Writer, kernel: Kernel, args: Sequence[Any]) -> Any:
    """Emit code that calls a kernel lane by lane if at most half of the lanes are active, else once for all lanes."""
    word = out.mask.word_type
    count = out.call(f"llvm.ctpop.{word}", word, [(word, out.mask.word())])
    few, many, end = out.label("few"), out.label("many"), out.label("end")
    out.fork(out.value(f"icmp ule {word} {count}, {out.machine.lanes // 2}"), few, many)
    out.open(few)
    alone = results_of(call_each(library, out, kernel, args))
    kinds = [in_lanes(signature(x)) for x in alone]
    ways = [([part for x, kind in zip(alone, kinds, strict=True) for part in parts_of(out, x, kind)], out.block)]
    out.jump(end)
    out.open(many)
    given = [signature(a) for a in args]
    function = library.function(kernel, given, masked=True)
    both = results_of(write_call(out, function, given, args))
    ways.append(([part for x, kind in zip(both, kinds, strict=True) for part in parts_of(out, x, kind)], out.block))
    out.jump(end)
    out.open(end)
    values = merged(out, kinds, ways)
    return tuple(values) if function.several else values[0] if values else None


def results_of(answer: Any) -> tuple[Any, ...]:
    """Return the results of a kernel as a tuple."""
    return answer if isinstance(answer, tuple) else () if answer is None else (answer,)


def write_call(out: Writer, function: Function, kinds: Sequence[Signature], args: Sequence[Any]) -> Any:
    """Emit a call to a function with arguments of these signatures, and return its result."""
    out.callees[function.name] = function
    out.outgrown |= function.outgrown
    mask = [f"{out.mask.word_type} {out.mask.word()}"] if function.masked else []
    given = [out.world, *mask, *(part for x, kind in zip(args, kinds, strict=True) for part in passed(out, x, kind))]
    if function.writes_results(out.machine):
        types = function.result_types(out.machine)
        slots = [out.first(f"alloca {t}") for t in types]
        write_instruction(
            out, function, "void", f"@{function.name}({', '.join([*given, *(f'ptr {s}' for s in slots)])})"
        )
        parts = iter([out.value(f"load {t}, ptr {slot}") for t, slot in zip(types, slots, strict=True)])
        values = [rebuilt(out, kind, parts) for kind in function.results]
        return tuple(values) if function.several else values[0]
    returned, text = function.returned(out.machine), f"@{function.name}({', '.join(given)})"
    answer = write_instruction(out, function, returned, text)
    if not answer:
        return None
    several = (out.value(f"extractvalue {returned} {answer}, {k}") for k in itertools.count())
    parts = several if returned[0] == "{" else iter([answer])
    values = [rebuilt(out, kind, parts) for kind in function.results]
    return tuple(values) if function.several else values[0]


def announce(out: Writer, function: Function) -> None:
    """Load in advance, at the start of the caller, the addresses that a called function needs.

    Without this, a call that is inlined in a branch of a loop would read them again in every iteration: LLVM does not
    know that reading them earlier is safe. In lanes this is not done, because registers are scarce.
    """
    for place in sorted(function.fields, key=repr):
        if place not in out.addresses:
            # an assumption, because LLVM drops unused loads before it inlines calls
            out.intrinsics["llvm.assume"] = "declare void @llvm.assume(i1)"
            out.prologue.append(f'  call void @llvm.assume(i1 true) ["nonnull"(ptr {place.address(out)})]')
