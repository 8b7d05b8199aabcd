"""From a kernel to machine code: text of LLVM IR, one pipeline, an object file."""

from __future__ import annotations

from typing import Any

from ..errors import FatalError
from ..kernel import Kernel
from ..layout import Field
from ..native import llvm, target_machine
from ..realisation import Realisation
from ..rules import broken_rules
from .places import Schema, metadata
from .reader import Function, Library
from .writer import Machine

ENTRY = "conjoint_stage"
"""Name of the compiled function in every object file: int32 (int64 m, int64 d, int64 lane)."""

SETTINGS = {
    "speed_level": 1, "loop_vectorization": True, "slp_vectorization": True, "loop_interleaving": False,
    "loop_unrolling": False,
}  # fmt: skip
"""LLVM's pipeline: kernels write wide arithmetic as tiles, so what unrolls and repeats it only costs time and cache."""

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


def stage_text(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """LLVM IR of a stage.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    broken = broken_rules_of_all(kernel, model, data)
    if broken:
        raise FatalError(f"{kernel} breaks rules of the kernel language:\n" + "\n".join(broken))
    found = library(realisation, model, data, not kernel.writes_model)
    try:
        stage = found.function(kernel, [found.schema.model, found.schema.data])
    except TypeError as error:
        raise FatalError(f"{kernel} does not compile as {realisation.name}: {error}") from error
    except FatalError as error:
        raise FatalError(f"{kernel} does not compile as {realisation.name}:\n{error}") from None
    return module_text(stage, found.schema, entry_text(stage))


def module_text(stage: Function, schema: Schema, entry: str) -> str:
    """A stage with all that it calls."""
    functions: dict[str, Function] = {}
    waiting = [stage]
    while waiting:
        item = waiting.pop()
        if item.name not in functions:
            functions[item.name] = item
            waiting += item.callees.values()
    intrinsics = {text for f in functions.values() for text in f.intrinsics.values()}
    tags = set().union(*[f.tags for f in functions.values()])
    names = {place.tag: f"{role}.{name}" for (role, name), place in schema.places.items()}
    parts = [entry, *[f.text for f in functions.values()], *sorted(intrinsics), *metadata(tags, names)]
    return "\n".join(parts) + "\n"


def entry_text(stage: Function) -> str:
    """The C-callable entry of a stage."""
    lines = [
        f"define i32 @{ENTRY}(i64 %m, i64 %d, i64 %lane) nounwind {{",
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


def optimise(module: Any, machine: Any) -> None:
    """Run LLVM's pipeline."""
    binding = llvm()
    options = binding.create_pipeline_tuning_options()
    for name, value in SETTINGS.items():
        setattr(options, name, value)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def stage_module(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> Any:
    """Optimised LLVM module whose function `ENTRY` runs `kernel` on one world or block."""
    module = llvm().parse_assembly(stage_text(kernel, realisation, model, data))
    optimise(module, target_machine())
    return module


def stage_object(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> bytes:
    """Object file of a kernel; see `stage_module`."""
    return target_machine().emit_object(stage_module(kernel, realisation, model, data))


def stage_assembly(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """Assembly text of a kernel; see `stage_module`."""
    return target_machine().emit_assembly(stage_module(kernel, realisation, model, data))
