"""Machine code of LLVM IR, here or in a helper process: text comes in, an object file goes out.

Both travel as messages: their length, their checksum, and their bytes.

Needs nothing but llvmlite, so that a helper starts in a tenth of a second; it cannot be a thread, because llvmlite
holds one lock around all of LLVM.
"""

import functools
import json
import struct
import sys
import zlib
from typing import Any, BinaryIO, NamedTuple

SETTINGS = {
    "speed_level": 1, "loop_vectorization": True, "slp_vectorization": True, "loop_interleaving": False,
    "loop_unrolling": False,
}  # fmt: skip
"""LLVM's pipeline: kernels write wide arithmetic as tiles, so what unrolls and repeats it only costs time and cache."""


class Target(NamedTuple):
    """A machine that LLVM knows: triple, processor, features separated by commas."""

    triple: str
    cpu: str
    features: str


@functools.cache
def target_machine(target: Target) -> Any:
    """LLVM's machine for `target`."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    if target.triple != binding.get_default_triple():
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    found = binding.Target.from_triple(target.triple)
    return found.create_target_machine(cpu=target.cpu, features=target.features, opt=3, jit=True)


def optimised(text: str, target: Target) -> Any:
    """Module of LLVM IR, optimised for `target`."""
    from llvmlite import binding

    machine = target_machine(target)
    module = binding.parse_assembly(text)
    options = binding.create_pipeline_tuning_options()
    for name, value in SETTINGS.items():
        setattr(options, name, value)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def object_file(text: str, target: Target) -> bytes:
    """Object file of LLVM IR."""
    return target_machine(target).emit_object(optimised(text, target))


HEAD = struct.Struct("<QI")
"""What goes before a message: its length and its checksum."""

MOST_BYTES = 1 << 30
"""Length beyond which it is no message."""


def send(sink: BinaryIO, message: bytes) -> None:
    """Write a message."""
    sink.write(HEAD.pack(len(message), zlib.crc32(message)) + message)
    sink.flush()


def receive(source: BinaryIO) -> bytes | None:
    """The next message; None if there is none, or half of one, or something else."""
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length, check = HEAD.unpack(head)
    if length > MOST_BYTES:
        return None
    message = source.read(length)
    return message if len(message) == length and zlib.crc32(message) == check else None


def packed(text: str, target: Target) -> bytes:
    """What a helper is asked."""
    return json.dumps(target).encode() + b"\n" + text.encode()


def serve() -> None:
    """Compile what comes in on standard input, until it ends or an empty message comes.

    The process that asks says when it is over. An interrupt at the terminal is its affair.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while message := receive(source):
        target, _, text = message.partition(b"\n")
        send(sink, object_file(text.decode(), Target(*json.loads(target))))


if __name__ == "__main__":
    serve()
