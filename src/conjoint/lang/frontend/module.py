"""From a kernel to machine code: text of LLVM IR, one pipeline, an object file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conjoint.once import MAKING

from ..errors import FatalError
from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.realisation import WORLD, Realisation
from ..objects.compile_worker import optimised, target_machine
from ..objects.native import host
from ..objects.unit import Description, entry_name
from .debug import Origin, debug_information
from .library import Function, Library
from .machine import Extent, Machine
from .places import Place, alias_information, slots
from .signature import Signature
from .source import source_of
from .statements import read_kernel
from .structs import Schema

_libraries: dict[Any, tuple[Library, Any]] = {}
"""Libraries with the fields that they were made for, whose identity is part of the key."""


def library(machine: Machine, model: tuple[Field, ...], data: tuple[Field, ...], constant: bool) -> Library:
    """What is compiled for a machine and a schema.

    Args:
        machine: what a real is, and how worlds lie in memory.
        model, data: fields of `m` and `d`.
        constant: True if the model does not change meanwhile.
    """
    key = (machine, id(model), id(data), constant)
    with MAKING.held:
        if key not in _libraries:
            _libraries[key] = Library(machine, Schema(machine, model, data, constant), read_kernel), (model, data)
        return _libraries[key][0]


def stage_module(
    name: str, kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]
) -> tuple[str, Description]:
    """LLVM IR of the unit `name`, whose entry runs a stage on one world or block.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    if kernel.single and realisation.stride > 1:
        raise FatalError(f"{kernel} works on blocks of one world, not of {realisation.stride}")
    alone = kernel.per_world or realisation.stride > realisation.lanes
    found = library(Machine.of(realisation, alone), model, data, not kernel.writes_model)
    stage = compiled_function(kernel, found, [found.schema.model, found.schema.data], realisation.name)
    if stage.results not in ([], [("int", Extent.ONE)]):
        raise FatalError(f"{kernel} is no stage: it returns something else than an integer or nothing")
    entry = entry_of(name, kernel, found, stage)
    call = f"call {stage.returned(found.machine)} @{stage.name}(ptr %model, ptr %data, i64 %lane)"
    entry.text = "\n".join([
        f'define i32 @"{entry.name}"(i64 %m, i64 %d, i64 %lane) nounwind {entry.origin.subprogram} {{',
        "  %model = inttoptr i64 %m to ptr",
        "  %data = inttoptr i64 %d to ptr",
        f"  {'%status = ' if stage.results else ''}{call}{entry.origin.mark(entry.origin.line)}",
        *(["  %short = trunc i64 %status to i32", "  ret i32 %short", "}"] if stage.results else ["  ret i32 0", "}"]),
    ])  # fmt: skip
    return module_text(name, entry)


def routine_module(name: str, kernel: Kernel) -> tuple[str, Description]:
    """LLVM IR of the unit `name`, whose entry is a C function of 64-bit integers."""
    found = library(Machine.of(WORLD, alone=True), (), (), True)
    kinds = [("int", Extent.ONE)] * len(kernel.parameters)
    function = compiled_function(kernel, found, kinds, "a C function")
    entry = entry_of(name, kernel, found, function)
    given = ", ".join(f"i64 %a{k}" for k in range(len(kinds)))
    entry.text = "\n".join([
        f'define i64 @"{entry.name}"({given}) nounwind {entry.origin.subprogram} {{',
        f"  %r = call i64 @{function.name}(ptr null, ptr null, i64 0, {given}){entry.origin.mark(entry.origin.line)}",
        "  ret i64 %r", "}",
    ])  # fmt: skip
    return module_text(name, entry)


def compiled_function(kernel: Kernel, found: Library, arguments: Sequence[Signature], title: str) -> Function:
    """A kernel for these kinds of arguments.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    try:
        # a library knows what is being read now: one thread at a time reads
        with MAKING.held:
            return found.function(kernel, arguments)
    except (FatalError, TypeError) as error:
        raise FatalError(f"{kernel} does not compile as {title}:\n{error}") from None


def entry_of(name: str, kernel: Kernel, found: Library, function: Function) -> Function:
    """The C-callable entry of the unit `name`, a compiled kernel; its text is still to be written."""
    origin = Origin(found.numbers, kernel, source_of(kernel))
    return Function(entry_name(name), origin, function.results, callees={function.name: function})


def module_text(name: str, entry: Function) -> tuple[str, Description]:
    """LLVM IR of the unit `name`."""
    return linked_text(entry, slots)


def linked_text(entry: Function, placed: Callable[[Sequence[Place]], list[str]]) -> tuple[str, Description]:
    """An entry with all that it calls; `placed` says where fields stand in the tables of addresses."""
    functions: dict[str, Function] = {}
    waiting = [entry]
    while waiting:
        item = waiting.pop()
        if item.name not in functions:
            functions[item.name] = item
            waiting += item.callees.values()
    intrinsics = {text for f in functions.values() for text in f.intrinsics.values()}
    fields = sorted({place for f in functions.values() for place in f.fields}, key=repr)
    parts = [*[f.text for f in functions.values()], *placed(fields), *sorted(intrinsics)]
    parts += alias_information(fields) + debug_information(f.origin for f in functions.values())
    description = Description([repr(place) for place in fields], [kind for kind, _ in entry.results])
    return "\n".join(parts) + "\n", description


def stage_assembly(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """Assembly text of a stage on this machine."""
    text, _ = stage_module(kernel.__name__, kernel, realisation, model, data)
    with MAKING.held:
        return target_machine(host()).emit_assembly(optimised(text, host()))
