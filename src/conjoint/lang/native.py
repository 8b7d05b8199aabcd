"""LLVM for this machine."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def llvm() -> Any:
    """llvmlite's binding, with the native target ready."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def target_machine() -> Any:
    """LLVM's target machine for this CPU."""
    binding = llvm()
    features = binding.get_host_cpu_features().flatten()
    if "+avx2" in features:
        # side by side sums become vectors as they are written, not outer loops with gathers
        features += ",+prefer-no-gather"
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=features, opt=3, jit=True
    )


def load_object(code: bytes | memoryview, name: str) -> tuple[Any, int]:
    """Load an object file; the engine that owns its memory, and the address of its function `name`."""
    binding = llvm()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(bytes(code)))
    engine.finalize_object()
    return engine, int(engine.get_function_address(name))
