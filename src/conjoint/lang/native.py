"""LLVM for this machine."""

from __future__ import annotations

import functools
from typing import Any

from .worker import Target, target_machine


@functools.cache
def host() -> Target:
    """This machine."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    if "+avx2" in features:
        # side by side sums become vectors as they are written, not outer loops with gathers
        features += ",+prefer-no-gather"
    return Target(binding.get_default_triple(), binding.get_host_cpu_name(), features)


def load_object(code: bytes) -> Any:
    """The engine that owns the memory of an object file, once it is loaded."""
    from llvmlite import binding

    engine = binding.create_mcjit_compiler(_empty_module(), target_machine(host()))
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def load_text(text: str) -> Any:
    """The engine that owns the machine code of LLVM IR."""
    from llvmlite import binding

    machine = target_machine(host())
    engine = binding.create_mcjit_compiler(binding.parse_assembly(text), machine)
    engine.finalize_object()
    return engine


def _empty_module() -> Any:
    from llvmlite import binding

    return binding.parse_assembly("")
