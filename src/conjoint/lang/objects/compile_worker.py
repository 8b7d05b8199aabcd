"""Compilation of LLVM IR to object files, in this process or in a helper process.

A helper process receives text and returns an object file. Each message consists of its length, a checksum, and its
bytes.

This module imports only llvmlite, so that a helper starts in a tenth of a second. A helper cannot be a thread, because
llvmlite serializes all calls to LLVM with one lock.

There are two pipelines: with and without optimization passes. Without passes, compilation takes a sixth of the time,
but the code runs 50% longer. This is best for programs that take only a few steps. The code of both pipelines computes
the same bits, because kernels determine themselves what is rounded (`frontend.number.Product`) and set none of LLVM's
fast-math flags.
"""

import functools
import io
import json
import re
import struct
import sys
import zlib
from typing import Any, BinaryIO, NamedTuple

SETTINGS = {
    "speed_level": 1, "loop_vectorization": True, "slp_vectorization": True, "loop_interleaving": False,
    "loop_unrolling": False,
}  # fmt: skip
"""Options of LLVM's pipeline.

Unrolling and interleaving would only cost time and cache space, because kernels already contain vector arithmetic as
tiles.
"""

LEAN = ("sroa", "simplify_cfg")
"""Passes that run instead of the full pipeline: they move variables into registers."""

PIPELINE = SETTINGS, LEAN
"""Settings that affect object files, and that are therefore a part of their cache keys."""

WIDE_REGISTERS = re.compile(r"\+(avx512\w*|evex512|vaes|gfni|vpclmulqdq)")
"""Pattern of CPU features that are disabled in the pipeline without passes.

Otherwise, LLVM 22 would abort when it selects their instructions.
"""


class Target(NamedTuple):
    """Target machine for LLVM: triple, processor, and features separated by commas."""

    triple: str
    cpu: str
    features: str


@functools.cache
def target_machine(target: Target, passes: bool = True) -> Any:
    """Return the cached LLVM target machine that compiles all modules for `target`."""
    return new_target_machine(target, passes)


def new_target_machine(target: Target, passes: bool = True) -> Any:
    """Create an LLVM target machine. It generates code at optimization level 3 with passes, at level 0 without."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    if target.triple != binding.get_default_triple():
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    features = target.features if passes else WIDE_REGISTERS.sub(r"-\1", target.features)
    found = binding.Target.from_triple(target.triple)
    return found.create_target_machine(cpu=target.cpu, features=features, opt=3 if passes else 0, jit=True)


def optimised(text: str, target: Target, passes: bool = True) -> Any:
    """Parse LLVM IR, and return the module optimized for `target`."""
    from llvmlite import binding

    module = binding.parse_assembly(text)
    options = binding.create_pipeline_tuning_options()
    for name, value in SETTINGS.items():
        setattr(options, name, value)
    builder = binding.create_pass_builder(target_machine(target, passes), options)
    if passes:
        builder.getModulePassManager().run(module, builder)
        return module
    manager = binding.create_new_module_pass_manager()
    for name in LEAN:
        getattr(manager, f"add_{name}_pass")()
    manager.run(module, builder)
    return module


def object_file(text: str, target: Target, passes: bool = True) -> bytes:
    """Compile LLVM IR to an object file; for devices, to a module in SPIR-V or PTX."""
    if target.triple.startswith("spirv"):
        # LLVM 22's SPIR-V back end generates wrong loops from code that LLVM's own passes have optimized; drivers
        # optimize anyway
        passes = False
        if __name__ != ALONE:
            return compiled_alone(text, target)
    module = optimised(text, target, passes)
    if target.triple.startswith("nvptx"):
        return target_machine(target, passes).emit_assembly(module).encode()
    return target_machine(target, passes).emit_object(module)


ALONE = "__alone__"
"""Name of this module in a process that compiles a single module."""


def compiled_alone(text: str, target: Target) -> bytes:
    """Return the result of `object_file`, computed in a new process.

    If a process compiles a second module to SPIR-V, LLVM 22 generates code that drivers cannot read.

    Raises:
        RuntimeError: the process failed.
    """
    import subprocess

    program = f"import sys; sys.path[:] = {sys.path!r}; import runpy; runpy.run_path({__file__!r}, run_name={ALONE!r})"
    message = io.BytesIO()
    send(message, packed(text, target, False))
    done = subprocess.run([sys.executable, "-S", "-c", program], input=message.getvalue(), capture_output=True)
    code = receive(io.BytesIO(done.stdout))
    if code is None:
        raise RuntimeError(f"LLVM cannot compile this module for {target.triple}: {done.stderr.decode()[-2000:]}")
    return code


HEAD = struct.Struct("<QI")
"""Message header: length and checksum."""

MOST_BYTES = 1 << 30
"""Maximum message size in bytes."""


def send(sink: BinaryIO, message: bytes) -> None:
    """Write a message."""
    sink.write(HEAD.pack(len(message), zlib.crc32(message)) + message)
    sink.flush()


def receive(source: BinaryIO) -> bytes | None:
    """Read the next message; return None if there is none, or if it is incomplete or invalid."""
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length, check = HEAD.unpack(head)
    if length > MOST_BYTES:
        return None
    message = source.read(length)
    return message if len(message) == length and zlib.crc32(message) == check else None


def packed(text: str, target: Target, passes: bool = True) -> bytes:
    """Return the message that asks a helper to compile `text` for `target`, with or without passes."""
    return json.dumps([*target, passes]).encode() + b"\n" + text.encode()


def serve() -> None:
    """Compile the texts in messages from standard input until it ends or an empty message arrives.

    Interrupts from the terminal are ignored, because the parent process handles them and ends its helpers.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while message := receive(source):
        head, _, text = message.partition(b"\n")
        *target, passes = json.loads(head)
        send(sink, object_file(text.decode(), Target(*target), passes))


if __name__ in ("__main__", ALONE):
    serve()
