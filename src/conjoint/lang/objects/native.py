"""Compiling and loading machine code with LLVM for this machine."""

from __future__ import annotations

import ctypes
import hashlib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from conjoint.once import MAKING, made_once

from ..language.kernel_error import note_fault
from ..system import library_symbols, processor_features
from . import compile_worker, disk_cache, shipped_objects
from .compile_worker import Target

ENTRY = re.compile(r"^define i(?:32|64) @(\S+)\.entry\(", re.MULTILINE)
"""Pattern of the definition of the function that Python calls, in LLVM IR."""


@made_once
def host() -> Target:
    """Return the LLVM target for this machine."""
    with MAKING.held:
        from llvmlite import binding

        known = processor_features()
        features = ",".join(f"{'+' if known[name] else '-'}{name}" for name in sorted(known))
        if known.get("avx2"):
            # vectorize adjacent sums as they are written, instead of outer loops with gathers
            features += ",+prefer-no-gather"
        return Target(binding.get_default_triple(), binding.get_host_cpu_name(), features)


def compiled_here(text: str, target: Target, passes: bool = True) -> bytes:
    """Compile LLVM IR in this process, and return the object file.

    Raises:
        RuntimeError: LLVM rejects the text because of a fault of the front end.
    """
    try:
        with MAKING.held:
            return compile_worker.object_file(text, target, passes)
    except RuntimeError as error:
        entry = ENTRY.search(text)
        note_fault(error, f"compiling the LLVM IR of {entry[1] if entry else 'a kernel'}")
        raise


def load_objects(
    codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int] = MappingProxyType({})
) -> dict[str, int]:
    """Load object files, link them with `symbols`, and return the addresses of the functions in `names`.

    The code is never freed before the process ends, because no owner can know whether it is still in use.
    """
    # symbols belong to the process: other threads must not change them before these objects are linked
    with MAKING.held:
        from llvmlite import binding

        for name, address in {**library_symbols(), **symbols}.items():
            binding.add_symbol(name, address)
        # an engine frees its target machine: if an interrupt ends this call, no other object may own that machine
        machine = compile_worker.new_target_machine(host())
        # llvmlite's memory manager for AArch64 accepts only one object file, and kernels reach any distance without it
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=False)
        for code in codes:
            engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        addresses = {name: int(engine.get_function_address(name)) for name in names}
        # an engine that is freed would free its code
        engine.detach()
        return addresses


def python_function(name: str) -> int:
    """Return the address of a function of Python's C API."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def lean_name(key: str) -> str:
    """Return the name in the cache of the unoptimized version of object `key`."""
    return f"{key}-lean"


def found_object(key: str) -> tuple[bytes | memoryview | None, str]:
    """Return the stored object `key` for this processor (None if it must be compiled), and the name of its origin."""
    came = shipped_objects.load(key)
    if came is not None:
        return came, f"the package ({shipped_objects.kind()})"
    code = disk_cache.load(_file_name(key))
    return code, "the compiler" if code is None else "the cache"


def is_kept(key: str) -> bool:
    """Return True if the cache has a file for object `key`. The content is not checked."""
    return disk_cache.holds(_file_name(key))


def keep_object(key: str, code: bytes) -> None:
    """Store an object, compiled for this processor, for later processes."""
    disk_cache.store(_file_name(key), code)


def _file_name(key: str) -> str:
    return f"{key}-{_machine_digest()}.o"


@made_once
def _machine_digest() -> str:
    """Return a hash of the compiler version and the processor, on which an object depends besides its IR."""
    return hashlib.sha256(repr((compiler_version(), host())).encode()).hexdigest()[:16]


def compiler_version() -> str:
    """Return the version of llvmlite, a package that includes LLVM."""
    with MAKING.held:
        import llvmlite

    return llvmlite.__version__
