"""Kernels for devices such as GPUs: each thread runs one world, and the memory of neighboring worlds is interleaved.

Devices and CPUs share the functions that a kernel calls. Only the entry function differs, and field offsets are read
from tables. Worlds are stored in groups, one group after another; a kernel's `Realisation` determines the number of
worlds in a group.
"""

from __future__ import annotations

import re

from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.realisation import Realisation
from ..objects.compile_worker import Target
from ..objects.unit import Description, renumbered, rows_of, without_line_table
from .library import Library
from .module import call_in_entry, library_of_stages, linked_text, translated
from .places import slot_offset
from .writer import Writer

NEWEST = 90
"""Highest compute capability, times 10, for which programs are compiled; later NVIDIA GPUs run these programs too."""

SPIRV = Target("spirv64-unknown-unknown", "", "")
"""Target for OpenCL devices whose drivers accept SPIR-V."""

REGISTERS = "llvm.nvvm.read.ptx.sreg"
"""Prefix of the intrinsics that return the parts of a thread's index (LLVM, User Guide for NVPTX Back-end)."""

GLOBAL_ID = "_Z13get_global_idj"
"""OpenCL's function for a thread's index, under its mangled name in SPIR-V (Khronos, SPIR-V Friendly IR)."""

GENERIC = "ptr addrspace(4)"
"""Type of a pointer to any address space. In SPIR-V, a plain `ptr` can only point to local variables of a function."""

PARAMETERS = ("%m", "%worlds", "%words")
"""Pointer parameters of an entry: the model, the groups of worlds, and the three status words of each world."""


def nvidia_target(capability: int) -> Target:
    """Return the target for NVIDIA GPUs with a compute capability (times 10), in PTX ISA 7.8 for CUDA 11.8 or later."""
    return Target("nvptx64-nvidia-cuda", f"sm_{capability}", "+ptx78")


def thread_module(kernel: Kernel, realisation: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]) -> str:
    """Return LLVM IR of a stage for any device, which `for_nvidia` or `for_opencl` completes.

    The device kernel's arguments are the addresses `PARAMETERS`, the size of a group in bytes, the number of worlds,
    the index of the stage, and the index of the next stage. Each world has three status words: the stage for which it
    waits, the number of steps left, and the status of the stage that stopped it. The kernel skips worlds that wait for
    another stage.

    Args:
        kernel: kernel of the stage.
        realisation: compiled variant.
        model, data: fields that the kernel reads as `m` and `d`.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    found = library_of_stages(realisation, model, data, not kernel.writes_model)
    text, description = translated(found, realisation, lambda: _thread_text(found, kernel, realisation))
    # the table of offsets contains the fields of the model, then the fields of worlds
    places = {"m": rows_of(model).places, "d": rows_of(data).places}
    first = {"m": 0, "d": len(model)}
    for name in description.fields:
        text = text.replace(slot_offset(name), str(8 * (first[name[0]] + places[name[0]][name[2:]])))
    # back ends for devices reject line tables and assumptions
    lines = [line for line in without_line_table(text).split("\n") if "llvm.assume" not in line]
    return renumbered("\n".join(lines))


def _thread_text(found: Library, kernel: Kernel, realisation: Realisation) -> tuple[str, Description]:
    """Return LLVM IR of a stage with placeholders for field offsets, and the description of the device program."""
    # PTX does not allow dots in names
    entry, out = found.opened(kernel.__name__, kernel)
    number = out.value("call i64 @thread_number()")
    out.fork(out.value(f"icmp ult i64 {number}, %count"), "world", "end")
    out.open("world")
    waits, left, answers = (word(out, number, k) for k in range(3))
    waiting = out.value(f"load i32, ptr {waits}")
    out.fork(out.value(f"icmp eq i32 {waiting}, %stage"), "run", "end")
    out.open("run")
    group = out.value(f"udiv i64 {number}, {realisation.stride}")
    out.do(f"%lane = urem i64 {number}, {realisation.stride}")
    offset = out.value(f"mul i64 {group}, %bytes")
    out.do(f"%d = getelementptr i8, ptr %worlds, i64 {offset}")
    status = call_in_entry(found, entry, out, kernel, [found.schema.model, found.schema.data], realisation.name)
    if status is not None:
        answer = out.value(f"trunc i64 {status.text} to i32")
        out.do(f"store i32 {answer}, ptr {answers}")
        out.fork(out.value(f"icmp eq i32 {answer}, 0"), "done", "end")
        out.open("done")
    end_stage(out, waits, left)
    entry.close(out, "device_kernel", "ptr %m, ptr %worlds, i64 %bytes, i64 %count, ptr %words, i32 %stage, i32 %next")
    return linked_text(entry, lambda fields: [], dual=realisation.tangents > 0)


def word(out: Writer, world: str, k: int) -> str:
    """Generate code for the address of status word `k` of a world; return the name of the address in the code."""
    first = out.value(f"mul i64 {world}, 3")
    at = out.value(f"add i64 {first}, {k}")
    return out.value(f"getelementptr i32, ptr %words, i64 {at}")


def end_stage(out: Writer, waits: str, left: str) -> None:
    """Generate code that ends a stage: the world waits for the next stage, or for the first stage if steps are left.

    After its last step, the world waits for no stage (-1).

    Args:
        out: writer of the code.
        waits, left: addresses of the status words for the stage and for the number of steps left.
    """
    out.do(f"store i32 %next, ptr {waits}")
    out.fork(out.value("icmp eq i32 %next, 0"), "stepped", "end")
    out.open("stepped")
    before = out.value(f"load i32, ptr {left}")
    steps = out.value(f"sub i32 {before}, 1")
    out.do(f"store i32 {steps}, ptr {left}")
    ended = out.value(f"icmp eq i32 {steps}, 0")
    first = out.value(f"select i1 {ended}, i32 -1, i32 0")
    out.do(f"store i32 {first}, ptr {waits}")
    out.jump("end")
    out.open("end")
    out.do("ret void")


NVIDIA_HEAD = f"""
define internal i64 @thread_number() alwaysinline {{
  %t = call i32 @{REGISTERS}.tid.x()
  %b = call i32 @{REGISTERS}.ctaid.x()
  %n = call i32 @{REGISTERS}.ntid.x()
  %before = mul i32 %b, %n
  %number = add i32 %before, %t
  %wide = zext i32 %number to i64
  ret i64 %wide
}}
declare i32 @{REGISTERS}.tid.x()
declare i32 @{REGISTERS}.ctaid.x()
declare i32 @{REGISTERS}.ntid.x()
"""

OPENCL_HEAD = f"""
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "{SPIRV.triple}"
declare spir_func i64 @{GLOBAL_ID}(i32)
define internal i64 @thread_number() alwaysinline {{
  %number = call spir_func i64 @{GLOBAL_ID}(i32 0)
  ret i64 %number
}}
"""


def for_nvidia(text: str) -> str:
    """Complete LLVM IR of a device kernel for NVIDIA GPUs."""
    return NVIDIA_HEAD + text.replace("define device_kernel", "define ptx_kernel void")


def for_opencl(text: str) -> str:
    """Complete LLVM IR of a device kernel for SPIR-V.

    All pointers become generic: pointers to local variables are cast, and so are the kernel's arguments, which point to
    global memory. `noalias` is removed, because LLVM's SPIR-V back end rejects the code into which it is expanded.
    """
    lines = []
    for line in text.replace(" noalias", "").split("\n"):
        if found := re.match(r"\s*(%\S+) = alloca (.*)$", line):
            name, kind = found.groups()
            lines += [f"  {name}.own = alloca {kind}", f"  {name} = addrspacecast ptr {name}.own to {GENERIC}"]
            continue
        lines.append(re.sub(r"\bptr\b(?! addrspace)", GENERIC, line).replace(".p0", ".p4"))
    text = "\n".join(lines)
    names = [p[1:] for p in PARAMETERS]
    for name in names:
        text = re.sub(
            rf"(define device_kernel [^\n]*){re.escape(GENERIC)} %{name}\b", rf"\1ptr addrspace(1) %{name}.far", text
        )
    casts = "".join(f"  %{n} = addrspacecast ptr addrspace(1) %{n}.far to {GENERIC}\n" for n in names)
    text = re.sub(r"(define device_kernel [^\n]*\nentry:\n)", lambda head: head[1] + casts, text)
    return OPENCL_HEAD + text.replace("define device_kernel", "define spir_kernel void")
