"""From a kernel to machine code: text of LLVM IR, one pipeline, an object file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import FatalError
from ..kernel import Kernel
from ..layout import Field
from ..native import host
from ..realisation import Realisation
from ..rules import broken_rules
from ..unit import Description, entry_name, slots_name
from ..worker import optimised, target_machine
from .places import Schema, metadata, slot_name
from .reader import Function, Library
from .signature import Signature
from .writer import Machine

_libraries: dict[Any, tuple[Library, Any]] = {}
"""Libraries with the fields that they were made for, whose identity is part of the key."""

_judged: dict[Any, list[str]] = {}


def library(realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...], constant: bool) -> Library:
    """What is compiled for a realisation and a schema; `constant` if the model does not change meanwhile."""
    key = (realisation, id(model), id(data), constant)
    if key not in _libraries:
        machine = Machine(realisation.base, realisation.lanes, realisation.stride)
        _libraries[key] = Library(machine, Schema(machine, model, data, constant)), (model, data)
    return _libraries[key][0]


def broken_rules_of_all(kernel: Kernel, model: tuple[Field, ...], data: tuple[Field, ...]) -> list[str]:
    """Broken rules of a kernel and of all it calls; every kernel is read once."""
    seen, waiting, lines = {id(kernel)}, [kernel], []
    while waiting:
        item = waiting.pop()
        key = (item, id(model), id(data))
        if key not in _judged:
            _judged[key] = broken_rules(item, model, data)
        lines += _judged[key]
        called = [k for k in item.names.values() if isinstance(k, Kernel) and id(k) not in seen]
        seen.update(id(k) for k in called)
        waiting += called
    return lines


def stage_module(
    name: str, kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]
) -> tuple[str, Description]:
    """LLVM IR of the unit `name`, whose entry runs a stage on one world or block.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    found = library(realisation, model, data, not kernel.writes_model)
    stage = compiled_function(kernel, found, [found.schema.model, found.schema.data], realisation.name)
    return module_text(name, stage, found.schema, entry_text(name, stage))


def compiled_function(kernel: Kernel, found: Library, arguments: Sequence[Signature], title: str) -> Function:
    """A kernel for these kinds of arguments.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    broken = broken_rules_of_all(kernel, *found.schema.fields)
    if broken:
        raise FatalError(f"{kernel} breaks rules of the kernel language:\n" + "\n".join(broken))
    try:
        return found.function(kernel, arguments)
    except TypeError as error:
        raise FatalError(f"{kernel} does not compile as {title}: {error}") from error
    except FatalError as error:
        raise FatalError(f"{kernel} does not compile as {title}:\n{error}") from None


def module_text(name: str, function: Function, schema: Schema, entry: str) -> tuple[str, Description]:
    """A compiled kernel with all that it calls."""
    functions: dict[str, Function] = {}
    waiting = [function]
    while waiting:
        item = waiting.pop()
        if item.name not in functions:
            functions[item.name] = item
            waiting += item.callees.values()
    intrinsics = {text for f in functions.values() for text in f.intrinsics.values()}
    tags = set().union(*[f.tags for f in functions.values()])
    names = {place.tag: f"{role}.{field}" for (role, field), place in schema.places.items()}
    fields = sorted(set().union(*[f.fields for f in functions.values()]))
    texts = [f.text for f in functions.values()]
    parts = [entry, *texts, *slots(name, fields), *sorted(intrinsics), *metadata(tags, names)]
    results = [] if function.result is None else function.result
    kinds = [a[0] for a in (results if isinstance(results, list) else [results])]
    return "\n".join(parts) + "\n", Description(fields, kinds)


def slots(name: str, fields: Sequence[str]) -> list[str]:
    """The list of places of fields in the tables of addresses, which is filled in when the object is loaded."""
    if not fields:
        return []
    kind = f"[{len(fields)} x i64]"
    lines = [f'@"{slots_name(name)}" = global {kind} zeroinitializer']
    for k, field in enumerate(fields):
        place = f'getelementptr inbounds ({kind}, ptr @"{slots_name(name)}", i64 0, i64 {k})'
        lines.append(f"@{slot_name(field)} = internal alias i64, ptr {place}")
    return lines


def entry_text(name: str, stage: Function) -> str:
    """The C-callable entry of a stage."""
    lines = [
        f'define i32 @"{entry_name(name)}"(i64 %m, i64 %d, i64 %lane) nounwind {{',
        "  %model = inttoptr i64 %m to ptr",
        "  %data = inttoptr i64 %d to ptr",
    ]
    if stage.result == ("int", 1):
        lines += [
            f"  %status = call i64 @{stage.name}(ptr %model, ptr %data, i64 %lane)",
            "  %short = trunc i64 %status to i32",
            "  ret i32 %short",
            "}",
        ]
    else:
        if stage.result is not None:
            raise TypeError("a stage returns an integer or nothing")
        lines += [f"  call void @{stage.name}(ptr %model, ptr %data, i64 %lane)", "  ret i32 0", "}"]
    return "\n".join(lines)


def stage_assembly(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """Assembly text of a stage on this machine."""
    text, _ = stage_module(kernel.__name__, kernel, realisation, model, data)
    return target_machine(host()).emit_assembly(optimised(text, host()))
