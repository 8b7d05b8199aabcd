"""LLVM for this machine."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Sequence
from typing import Any

from . import kept
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


def load_objects(codes: Sequence[bytes]) -> Any:
    """The engine that owns the memory of object files, once they are loaded."""
    from llvmlite import binding

    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine(host()))
    for code in codes:
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def provide(function: Any) -> None:
    """Make a C function of this process, as ctypes has it, known to the objects that are loaded later."""
    from llvmlite import binding

    binding.add_symbol(function.__name__, ctypes.cast(function, ctypes.c_void_p).value)


def load_text(text: str) -> Any:
    """The engine that owns the machine code of LLVM IR, which is kept for later processes."""
    name = f"text-{hashlib.sha256(repr((text, host())).encode()).hexdigest()[:24]}.o"
    found = kept.load(name)
    code = object_file(text, host()) if found is None else bytes(found)
    if found is None:
        kept.store(name, code)
    return load_objects([code])
