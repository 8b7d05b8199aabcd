"""Kernels for GPUs: every thread runs one world, whose numbers lie beside those of the other worlds.

The functions of kernels are those of any other machine; only the entry differs, and fields have their places in the
tables of addresses while compiling. Nothing loads or launches this code yet: it shows that the language reaches there
(tests/test_lang_targets.py).
"""

from __future__ import annotations

from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.realisation import Realisation
from ..objects.compile_worker import Target
from ..objects.unit import rows_of
from .machine import Machine
from .module import compiled_function, entry_of, library, linked_text
from .places import slot_offset

HOPPER = Target("nvptx64-nvidia-cuda", "sm_90", "+ptx80")
"""NVIDIA GPUs of compute capability 9.0 (PTX ISA 8.0)."""

REGISTERS = "llvm.nvvm.read.ptx.sreg"
"""Where a thread finds its number (LLVM, User Guide for NVPTX Back-end)."""


def thread_module(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """LLVM IR of a stage as a GPU's kernel: of the tables of addresses, the number of worlds, and their status words.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    machine = Machine.of(realisation, kernel.per_world)
    found = library(machine, model, data, not kernel.writes_model)
    stage = compiled_function(kernel, found, [found.schema.model, found.schema.data], realisation.name)
    entry = entry_of("", kernel, found, stage)
    # PTX allows no dots
    entry.name = kernel.__name__
    mark = entry.origin.mark(entry.origin.line)
    call = f"call {stage.returned(machine)} @{stage.name}(ptr %m, ptr %d, i64 %lane){mark}"
    if stage.results:
        call = "\n".join(
            [
                f"  %answer = {call}",
                "  %short = trunc i64 %answer to i32",
                "  %place = getelementptr i32, ptr %status, i64 %lane",
                "  store i32 %short, ptr %place",
            ]
        )
    entry.text = f"""
define ptx_kernel void @"{entry.name}"(ptr %m, ptr %d, i64 %count, ptr %status) {entry.origin.subprogram} {{
  %thread = call i32 @{REGISTERS}.tid.x(){mark}
  %block = call i32 @{REGISTERS}.ctaid.x(){mark}
  %threads = call i32 @{REGISTERS}.ntid.x(){mark}
  %before = mul i32 %block, %threads
  %number = add i32 %before, %thread
  %lane = zext i32 %number to i64
  %inside = icmp ult i64 %lane, %count
  br i1 %inside, label %run, label %end
run:
{call}
  br label %end
end:
  ret void
}}"""
    entry.intrinsics = {word: f"declare i32 @{REGISTERS}.{word}.x()" for word in ("tid", "ctaid", "ntid")}
    places = {"m": rows_of(model).places, "d": rows_of(data).places}
    text, description = linked_text(entry, lambda fields: [])
    for name in description.fields:
        text = text.replace(slot_offset(name), str(8 * places[name[0]][name[2:]]))
    # lines alone: NVIDIA's assembler does not optimise what has more for debuggers
    return text.replace("LineTablesOnly", "DebugDirectivesOnly")
