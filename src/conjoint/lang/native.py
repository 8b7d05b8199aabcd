"""LLVM for this machine."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from . import kept, shipped
from .worker import Target, object_file, target_machine


@functools.cache
def host() -> Target:
    """This machine."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    if "+avx2" in features:
        # side by side sums become vectors as they are written, not outer loops with gathers
        features += ",+prefer-no-gather"
    return Target(binding.get_default_triple(), binding.get_host_cpu_name(), features)


def load_objects(codes: Sequence[bytes], symbols: Mapping[str, int] = MappingProxyType({})) -> Any:
    """The engine that owns the memory of object files, once they are loaded and linked with addresses of symbols."""
    from llvmlite import binding

    for name, address in symbols.items():
        binding.add_symbol(name, address)
    # the memory manager that LLVM's binding has for AArch64 takes one object at most, and kernels reach any distance
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine(host()), use_lmm=False)
    for code in codes:
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def provide(function: Any) -> None:
    """Make a C function of this process, as ctypes has it, known to the objects that are loaded later."""
    from llvmlite import binding

    binding.add_symbol(function.__name__, ctypes.cast(function, ctypes.c_void_p).value)


def found_object(key: str) -> tuple[bytes | memoryview | None, str]:
    """The object `key`, compiled for this processor before, and where it comes from; None if it must be made."""
    came = shipped.load(key)
    if came is not None:
        return came, f"the package ({shipped.kind()})"
    code = kept.load(_file_name(key))
    return code, "the compiler" if code is None else "the cache"


def keep_object(key: str, code: bytes) -> None:
    """Keep an object, compiled for this processor, for later processes."""
    kept.store(_file_name(key), code)


def _file_name(key: str) -> str:
    return f"{key}-{_machine_digest()}.o"


@functools.cache
def _machine_digest() -> str:
    """Hash of what else an object depends on: LLVM and the processor."""
    import llvmlite

    return hashlib.sha256(repr((llvmlite.__version__, host())).encode()).hexdigest()[:16]


def text_key(text: str) -> str:
    """Name of the object file of LLVM IR."""
    return f"text-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def load_text(text: str) -> Any:
    """The engine that owns the machine code of LLVM IR, which is kept for later processes."""
    key = text_key(text)
    code, _ = found_object(key)
    if code is None:
        code = object_file(text, host())
        keep_object(key, code)
    return load_objects([bytes(code)])
