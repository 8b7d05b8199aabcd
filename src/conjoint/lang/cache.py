"""Names of compiled stages in the cache: hashes of source, compiler, CPU and fields."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from .kernel import Kernel
from .layout import Field
from .realisation import Realisation


@functools.cache
def compiler_digest() -> str:
    """Hash of the language's own source, the versions of what compiles it, and the CPU."""
    import llvmlite
    from llvmlite import binding

    sha = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        sha.update(path.read_bytes())
    sha.update(llvmlite.__version__.encode())
    sha.update(binding.get_host_cpu_name().encode())
    sha.update(binding.get_host_cpu_features().flatten().encode())
    return sha.hexdigest()


@functools.cache
def layout_digest(model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]) -> str:
    """Hash of what compiled code knows of the structs."""
    fields = (*model_fields, *data_fields)
    rows = [(f.name, f.kind, bool(f.shape), f.shape[1:], f.uniform) for f in fields]
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def stage_key(
    kernel: Kernel, realisation: Realisation, model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> str:
    """File name of a compiled stage."""
    sha = hashlib.sha256()
    for part in (compiler_digest(), layout_digest(model_fields, data_fields), kernel.digest, repr(realisation)):
        sha.update(part.encode())
    return f"{kernel.__name__}-{realisation.name}-{sha.hexdigest()[:24]}.o"
