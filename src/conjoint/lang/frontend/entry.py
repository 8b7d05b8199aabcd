"""The C-callable entry of a kernel that Python calls with arguments: they lie in a frame of 8-byte slots."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.parameters import Parameter
from ..memory.realisation import WORLD
from ..objects.unit import Description
from .addresses import array_place
from .library import Function
from .machine import Extent, Machine
from .module import compiled_function, entry_of, library, module_text
from .signature import Signature, llvm_types

OBJECT_HEADER = object.__basicsize__
"""Bytes of Python's object header. In a NumPy array the address of its data follows (NumPy C API, PyArrayObject)."""


def entry_module(
    name: str, kernel: Kernel, parameters: Sequence[Parameter], model: tuple[Field, ...], data: tuple[Field, ...]
) -> tuple[str, Description]:
    """LLVM IR of the unit `name`, whose entry finds the arguments of `kernel` in a frame and puts results behind."""
    found = library(Machine.of(WORLD, alone=True), model, data, not kernel.writes_model)
    structs = {"m": found.schema.model, "d": found.schema.data}
    signatures: list[Signature] = [structs[struct] for struct in kernel.structs]
    for p in parameters:
        signatures.append(array_place(found.machine, p.kind, p.shape) if p.is_array else (p.kind, Extent.ONE))
    function = compiled_function(kernel, found, signatures, "entry")
    entry = entry_of(name, kernel, found, function)
    entry.text = entry_text(found.machine, entry, function, signatures)
    return module_text(name, entry)


def entry_text(machine: Machine, entry: Function, function: Function, signatures: Sequence[Signature]) -> str:
    """The entry itself: reads the frame, calls, writes the results."""
    lines = [
        f'define i32 @"{entry.name}"(i64 %m, i64 %d, i64 %frame) nounwind {entry.origin.subprogram} {{',
        "  %model = inttoptr i64 %m to ptr", "  %data = inttoptr i64 %d to ptr", "  %at = inttoptr i64 %frame to ptr",
    ]  # fmt: skip
    arguments, slot = ["ptr %model", "ptr %data", "i64 0"], 0
    for a in signatures:
        for t in llvm_types(machine, a):
            lines += [f"  %p{slot} = getelementptr i64, ptr %at, i64 {slot}", *_read(slot, t)]
            arguments.append(f"{t} %a{slot}")
            slot += 1
    types, whole = [t for a in function.results for t in llvm_types(machine, a)], function.returned(machine)
    call = f"call {whole} @{function.name}({', '.join(arguments)}){entry.origin.mark(entry.origin.line)}"
    lines.append(f"  {'%r = ' if types else ''}{call}")
    for k, t in enumerate(types):
        value = "%r" if len(types) == 1 else f"%r{k}"
        if len(types) > 1:
            lines.append(f"  {value} = extractvalue {whole} %r, {k}")
        if t == "i1":
            lines.append(f"  %w{k} = zext i1 {value} to i64")
            t, value = "i64", f"%w{k}"
        lines += [f"  %q{k} = getelementptr i64, ptr %at, i64 {slot + k}", f"  store {t} {value}, ptr %q{k}"]
    return "\n".join([*lines, "  ret i32 0", "}"])


def _read(slot: int, t: str) -> list[str]:
    """Instructions that read an argument: a number, or the array whose object the slot holds."""
    if t == "ptr":
        return [
            f"  %o{slot} = load ptr, ptr %p{slot}",
            f"  %d{slot} = getelementptr i8, ptr %o{slot}, i64 {OBJECT_HEADER}",
            f"  %a{slot} = load ptr, ptr %d{slot}",
        ]
    if t == "i1":
        return [f"  %b{slot} = load i64, ptr %p{slot}", f"  %a{slot} = icmp ne i64 %b{slot}, 0"]
    return [f"  %a{slot} = load {t}, ptr %p{slot}"]
