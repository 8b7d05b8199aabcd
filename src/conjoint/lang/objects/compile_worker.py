"""Machine code of LLVM IR, here or in a helper process: text comes in, an object file goes out.

Both travel as messages: their length, their checksum, and their bytes.

Needs nothing but llvmlite, so that a helper starts in a tenth of a second; it cannot be a thread, because llvmlite
holds one lock around all of LLVM.

There are two pipelines. Without passes an object takes a sixth of the time, and its code half as much time again: a
program that takes a few steps is served best by it. Both compute the same bits, since kernels say themselves what is
rounded (`frontend.number.Product`) and set none of LLVM's fast-math flags.
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
"""LLVM's pipeline. Kernels write wide arithmetic as tiles, so unrolling and interleaving only cost time and cache."""

LEAN = ("sroa", "simplify_cfg")
"""Passes that always run: they move variables into registers."""

PIPELINE = SETTINGS, LEAN
"""Settings of this module on which an object depends."""

WIDE_REGISTERS = re.compile(r"\+(avx512\w*|evex512|vaes|gfni|vpclmulqdq)")
"""Features that are switched off without passes: LLVM 22 ends the process where it must select them without effort."""


class Target(NamedTuple):
    """A machine that LLVM knows: triple, processor, features separated by commas."""

    triple: str
    cpu: str
    features: str


@functools.cache
def target_machine(target: Target, passes: bool = True) -> Any:
    """Return the machine that compiles all modules for `target`."""
    return new_target_machine(target, passes)


def new_target_machine(target: Target, passes: bool = True) -> Any:
    """Return LLVM's machine for `target`, which takes its time over machine code only with passes."""
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
    """Return the module of LLVM IR, optimized for `target`."""
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
    """Return the object file of LLVM IR; for devices, the module in SPIR-V or PTX."""
    if target.triple.startswith("spirv"):
        # LLVM 22 writes wrong loops of what its own passes have made; drivers optimize anyway
        passes = False
        if __name__ != ALONE:
            return compiled_alone(text, target)
    module = optimised(text, target, passes)
    if target.triple.startswith("nvptx"):
        return target_machine(target, passes).emit_assembly(module).encode()
    return target_machine(target, passes).emit_object(module)


ALONE = "__alone__"
"""Name of this module in a process that compiles one text."""


def compiled_alone(text: str, target: Target) -> bytes:
    """Return the result of `object_file` from a process of its own.

    LLVM 22 writes SPIR-V that drivers cannot read if the process has written another module before.

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
        raise RuntimeError(f"LLVM cannot compile this for {target.triple}: {done.stderr.decode()[-2000:]}")
    return code


HEAD = struct.Struct("<QI")
"""Header of a message: its length and its checksum."""

MOST_BYTES = 1 << 30
"""Maximum message size in bytes."""


def send(sink: BinaryIO, message: bytes) -> None:
    """Write a message."""
    sink.write(HEAD.pack(len(message), zlib.crc32(message)) + message)
    sink.flush()


def receive(source: BinaryIO) -> bytes | None:
    """Return the next message; None if there is none, or half of one, or something else."""
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length, check = HEAD.unpack(head)
    if length > MOST_BYTES:
        return None
    message = source.read(length)
    return message if len(message) == length and zlib.crc32(message) == check else None


def packed(text: str, target: Target, passes: bool = True) -> bytes:
    """Return the message to a helper: a text to compile, the machine, and whether to run passes."""
    return json.dumps([*target, passes]).encode() + b"\n" + text.encode()


def serve() -> None:
    """Compile messages from standard input, until it ends or an empty message arrives.

    The process that asks says when it is over. An interrupt at the terminal is its affair.
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
