"""Kernels for GPUs: every thread runs one world, with memory interleaved with that of the other worlds.

The functions of kernels are those of any other machine; only the entry differs, and fields have their places in the
tables of addresses while compiling. Nothing loads or launches this code yet: it shows that the language reaches there
(tests/lang/test_lang_targets.py).
"""

from __future__ import annotations

from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.realisation import Realisation
from ..objects.compile_worker import Target
from ..objects.unit import rows_of
from .machine import Machine
from .module import call_in_entry, library, linked_text
from .places import slot_offset

HOPPER = Target("nvptx64-nvidia-cuda", "sm_90", "+ptx80")
"""NVIDIA GPUs of compute capability 9.0 (PTX ISA 8.0)."""

REGISTERS = "llvm.nvvm.read.ptx.sreg"
"""Prefix of the intrinsics that read a thread's number (LLVM, User Guide for NVPTX Back-end)."""


def thread_module(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """Return LLVM IR of a stage as a GPU kernel; its arguments: address tables, number of worlds, and status words.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    found = library(Machine.of(realisation), model, data, not kernel.writes_model)
    # PTX allows no dots
    entry, out = found.opened(kernel.__name__, kernel)
    thread, block, threads = (out.call(f"{REGISTERS}.{word}.x", "i32", []) for word in ("tid", "ctaid", "ntid"))
    before = out.value(f"mul i32 {block}, {threads}")
    out.do(f"%lane = zext i32 {out.value(f'add i32 {before}, {thread}')} to i64")
    out.fork(out.value("icmp ult i64 %lane, %count"), "run", "end")
    out.open("run")
    status = call_in_entry(found, entry, out, kernel, [found.schema.model, found.schema.data], realisation.name)
    if status is not None:
        short = out.value(f"trunc i64 {status.text} to i32")
        place = out.value("getelementptr i32, ptr %status, i64 %lane")
        out.do(f"store i32 {short}, ptr {place}")
    out.jump("end")
    out.open("end")
    out.do("ret void")
    entry.close(out, "ptx_kernel void", "ptr %m, ptr %d, i64 %count, ptr %status")
    places = {"m": rows_of(model).places, "d": rows_of(data).places}
    text, description = linked_text(entry, lambda fields: [])
    for name in description.fields:
        text = text.replace(slot_offset(name), str(8 * places[name[0]][name[2:]]))
    # lines alone: NVIDIA's assembler does not optimize what has more for debuggers
    return text.replace("LineTablesOnly", "DebugDirectivesOnly")
