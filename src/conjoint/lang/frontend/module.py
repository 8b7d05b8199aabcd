"""Translation of kernels to LLVM IR modules: stages, routines and entries with all functions that they call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from conjoint.once import MAKING

from ..errors import FatalError
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from ..memory.layout import Field
from ..memory.realisation import Realisation
from ..objects.compile_worker import optimised, target_machine
from ..objects.native import host
from ..objects.unit import Description, Tangents, entry_name
from .debug import debug_information
from .kernel_calls import write_call
from .library import Function, Library
from .machine import Machine
from .number import PRIMITIVES, Number
from .places import Place, alias_information, slots
from .profile import enter_stage, leave_stage
from .signature import signature
from .statements import read_kernel
from .structs import Schema
from .writer import Writer

_libraries: dict[Any, tuple[Library, Any]] = {}
"""Cache of libraries. Each library is stored with its fields, because the key contains the identities of the fields."""


def library(machine: Machine, model: tuple[Field, ...], data: tuple[Field, ...], constant: bool) -> Library:
    """Return the library of functions compiled for a machine and a schema.

    Args:
        machine: representation of reals, and layout of worlds in memory.
        model, data: fields of `m` and `d`.
        constant: True if the model does not change while kernels run.
    """
    key = (machine, id(model), id(data), constant)
    with MAKING.held:
        if key not in _libraries:
            schema = Schema(machine, model, data, constant)
            found = Library(
                machine, schema, read_kernel, lambda: library(machine.for_each_world, model, data, constant)
            )
            _libraries[key] = found, (model, data)
        return _libraries[key][0]


def stage_module(
    name: str, kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]
) -> tuple[str, Description]:
    """Return LLVM IR of the unit `name`, whose entry runs a stage on one world or block.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    if kernel.single and realisation.stride > 1:
        raise FatalError(f"{kernel} works on blocks of one world, not of {realisation.stride} worlds")
    found = library_of_stages(realisation, model, data, not kernel.writes_model)
    return translated(found, realisation, lambda: stage_text(found, name, kernel, realisation))


def library_of_stages(
    realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...], constant: bool
) -> Library:
    """Return the library of functions for stages. The arguments have the same meanings as those of `library`."""
    machine = Machine.of(realisation)
    if realisation.tangents:
        # ignore which fields are active: functions that touch none of the fields that differ are the same
        machine = dataclasses.replace(machine, name="dual", active=())
    return library(machine, model, data, constant)


Translation = TypeVar("Translation")


def translated(found: Library, realisation: Realisation, translate: Callable[[], Translation]) -> Translation:
    """Call `translate` repeatedly until it adds no more fields with tangents, and return its last result."""
    # a library has the state of a translation in progress, so only one thread at a time may translate
    with MAKING.held:
        active = set(realisation.active)
        while True:
            found.schema.active = set(active)
            result = translate()
            if found.schema.active == active:
                return result
            # more fields have tangents than was known when earlier kernels were translated
            active = found.schema.active


def varying_lines(
    kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]
) -> list[tuple[str, int, str, str]]:
    """List the lines where lanes diverge in a stage and its callees: file, line, kernel, and cause.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    found = library(Machine.of(realisation), model, data, not kernel.writes_model)
    with MAKING.held:
        waiting, seen = [found.function(kernel, [found.schema.model, found.schema.data])], dict[str, Function]()
        while waiting:
            function = waiting.pop()
            if function.name not in seen:
                seen[function.name] = function
                waiting += function.callees.values()
    lines = {
        (function.origin.file, line, function.origin.kernel, what)
        for function in seen.values()
        for line, what in function.varying
    }
    return sorted(lines)


def stage_text(found: Library, name: str, kernel: Kernel, realisation: Realisation) -> tuple[str, Description]:
    """Return the LLVM IR of a stage and the description of its object file, from a single translation of its kernel."""
    entry, out = found.opened(entry_name(name), kernel)
    take_pointers(out, "m", "d")
    before = enter_stage(out, kernel.__name__) if realisation.profiled else None
    status = call_in_entry(found, entry, out, kernel, [found.schema.model, found.schema.data], realisation.name)
    if before:
        leave_stage(out, before)
    if [kind[0] if isinstance(kind, tuple) else kind for kind in entry.results] not in ([], ["int"]):
        raise FatalError(f"{kernel} is not a stage: a stage returns an integer or nothing")
    if entry.results:
        # the status of a block is the largest among its worlds
        status = PRIMITIVES["lanes_max"](status)
    out.do(f"ret i32 {out.value(f'trunc i64 {status.text} to i32') if entry.results else 0}")
    entry.close(out, "i32", "i64 %m.0, i64 %d.0, i64 %lane")
    return linked_text(entry, dual=realisation.tangents > 0)


def routine_module(name: str, kernel: Kernel, realisation: Realisation) -> tuple[str, Description]:
    """Return LLVM IR of the unit `name`, whose entry is a C function of 64-bit integers."""
    found = library(Machine.of(realisation), (), (), True)
    entry, out = found.opened(entry_name(name), kernel, "ptr null, ptr null, i64 0")
    given = [Number(out, f"%a{k}", "int") for k in range(len(kernel.parameters))]
    out.do(f"ret i64 {call_in_entry(found, entry, out, kernel, given, 'a C function').text}")
    entry.close(out, "i64", ", ".join(f"i64 {number.text}" for number in given))
    return linked_text(entry)


def take_pointers(out: Writer, *names: str) -> None:
    """Convert integer parameters of an entry to pointers.

    If the parameters were pointers, LLVM would hoist more values out of loops than fit in the registers for lanes.
    """
    for name in names:
        out.do(f"%{name} = inttoptr i64 %{name}.0 to ptr")


def call_in_entry(
    found: Library, entry: Function, out: Writer, kernel: Kernel, arguments: Sequence[Any], title: str
) -> Any:
    """Emit a call to a kernel in its entry, and return its result.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    kinds = [signature(a) for a in arguments]
    try:
        # a library has the state of a translation in progress, so only one thread at a time may translate
        with MAKING.held:
            function = found.function(kernel, kinds)
    except (FatalError, KernelError) as error:
        refused = FatalError(str(error))
        refused.add_note(f"found while compiling {kernel} as {title}")
        raise refused from None
    entry.results = function.results
    return write_call(out, function, kinds, arguments)


def linked_text(
    entry: Function, placed: Callable[[Sequence[Place]], list[str]] = slots, dual: bool = False
) -> tuple[str, Description]:
    """Return the LLVM IR of an entry and of all functions that it calls, and the description of the object file.

    Args:
        entry: the function.
        placed: function that returns declarations of the fields' slots in the address tables.
        dual: True if reals are dual numbers.
    """
    functions: dict[str, Function] = {}
    waiting = [entry]
    while waiting:
        item = waiting.pop()
        if item.name not in functions:
            functions[item.name] = item
            waiting += item.callees.values()
    intrinsics = {text for f in functions.values() for text in f.intrinsics.values()}
    # functions for one of the worlds in lanes have `Place` objects of their own for the same fields
    named = {repr(place): place for f in functions.values() for place in f.fields}
    fields = [named[name] for name in sorted(named)]
    parts = [*[f.text for f in functions.values()], *placed(fields), *sorted(intrinsics)]
    parts += alias_information(fields) + debug_information(f.origin for f in functions.values())
    tangents = None
    if dual:
        read, written = (
            set[str]().union(*(getattr(f, name) for f in functions.values())) for name in ("reads", "writes")
        )
        tangents = Tangents(sorted(entry.active), sorted(read), sorted(written))
    description = Description([repr(place) for place in fields], [kind for kind, _ in entry.results], tangents)
    return "\n".join(parts) + "\n", description


def stage_assembly(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """Return the assembly text of a stage on this machine."""
    text, _ = stage_module(kernel.__name__, kernel, realisation, model, data)
    with MAKING.held:
        return target_machine(host()).emit_assembly(optimised(text, host()))
