"""Compiled stages on disk: found by a key of source, compiler, CPU and fields; safe under concurrent processes."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import tempfile
import warnings
from pathlib import Path

from .kernel import Kernel
from .layout import Field
from .realisation import Realisation

DIGEST_BYTES = hashlib.sha256().digest_size
"""Length of the hash in front of every object file."""

_refused: set[Path] = set()


def cache_folder() -> Path:
    """Where object files are kept: CONJOINT_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("CONJOINT_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "conjoint"


@functools.cache
def compiler_digest() -> str:
    """Hash of the language's own source, the versions of what compiles it, and the CPU."""
    from importlib.metadata import version

    from llvmlite import binding

    sha = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        sha.update(path.read_bytes())
    sha.update(version("llvmlite").encode())
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


def load(key: str) -> bytes | None:
    """The object file under `key`, None if there is none or if it is damaged: LLVM would crash on half of one."""
    try:
        kept = (cache_folder() / key).read_bytes()
    except OSError:
        return None
    digest, code = kept[:DIGEST_BYTES], kept[DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == digest else None


def store(key: str, code: bytes) -> None:
    """Keep an object file behind its hash. Written aside and renamed, so that no process ever reads half of one."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=key + ".")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(name, folder / key)
    except OSError as error:
        _warn_of(folder, error)


def _warn_of(folder: Path, error: OSError) -> None:
    """Say once in a process that nothing can be kept in `folder`."""
    if folder not in _refused:
        _refused.add(folder)
        text = f"cannot write the cache of compiled stages in {folder}, so every process compiles them again: {error}; "
        warnings.warn(text + "set CONJOINT_CACHE_DIR to a folder that can be written", stacklevel=4)
