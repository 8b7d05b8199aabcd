"""Machine code of kernels: loaded from the cache, or compiled now."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import kept
from .kernel import Kernel
from .layout import Field
from .native import host, load_object
from .parameters import Parameter
from .progress import report
from .realisation import WORLD, Realisation
from .unit import ENTRY, SLOTS, Description, Unit

progress: Callable[[Sequence[str]], Callable[[str], None]] | None = None
"""Called with the names of stages about to be compiled; returns a function to call after each."""


@dataclass(frozen=True)
class Loaded:
    """A compiled kernel in memory.

    Attributes:
        address: of its function.
        results: kinds of what an entry returns.
        engine: owns the memory.
    """

    address: int
    results: list[str]
    engine: Any


_lock = threading.RLock()
_loaded: dict[Any, Loaded] = {}
_engines: list[Any] = []


def jit_enabled() -> bool:
    """False when CONJOINT_JIT=0: kernels run as plain Python."""
    return os.environ.get("CONJOINT_JIT", "1") != "0"


def stage_addresses(
    kernels: Sequence[tuple[Kernel, Realisation]], model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> list[int]:
    """Addresses of stages `int32 (int64 m, int64 d, int64 lane)`; what is not in the cache is compiled, with progress.

    Raises:
        FatalError: a kernel breaks a rule of the kernel language.
    """
    return [item.address for item in load([Unit(k, r, model_fields, data_fields) for k, r in kernels])]


def entry_address(
    kernel: Kernel, parameters: Sequence[Parameter], model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> tuple[int, list[str]]:
    """Address of an entry `int32 (int64 m, int64 d, int64 frame)`, and the kinds of its results."""
    (found,) = load([Unit(kernel, WORLD, model_fields, data_fields, tuple(parameters))])
    return found.address, found.results


def load(units: Sequence[Unit]) -> list[Loaded]:
    """Machine code of units; what is not in the cache is compiled.

    Raises:
        FatalError: a kernel breaks a rule of the kernel language.
    """
    with _lock:
        # objects do not know the places of fields: equal ones serve other tables of addresses
        keys = [(unit.key, id(unit.model), id(unit.data)) for unit in units]
        missing: dict[str, Unit] = {}
        packed: dict[str, bytes | memoryview] = {}
        for key, unit in zip(keys, units, strict=True):
            if key in _loaded or unit.key in packed or unit.key in missing:
                continue
            code = kept.load(_file_name(unit.key))
            if code is None:
                missing[unit.key] = unit
            else:
                packed[unit.key] = code
        packed.update(_compiled(missing))
        for key, unit in zip(keys, units, strict=True):
            if key not in _loaded:
                _loaded[key] = _load(unit, packed[unit.key])
        return [_loaded[key] for key in keys]


@functools.cache
def _machine_digest() -> str:
    return hashlib.sha256(repr(host()).encode()).hexdigest()[:16]


def _file_name(key: str) -> str:
    """Name of the object file of a unit, compiled for this processor."""
    return f"{key}-{_machine_digest()}.o"


def _load(unit: Unit, packed: bytes | memoryview) -> Loaded:
    """Load an object file and tell it where the fields stand in the tables of addresses."""
    description, code = Description.unpacked(bytes(packed))
    engine = load_object(code)
    _engines.append((engine, unit.model, unit.data))
    slots = unit.slots(description.fields)
    if slots:
        address = engine.get_global_value_address(SLOTS)
        np.ctypeslib.as_array((ctypes.c_int64 * len(slots)).from_address(address))[:] = slots
    return Loaded(int(engine.get_function_address(ENTRY)), description.results, engine)


def _text(unit: Unit) -> tuple[str, Description]:
    """LLVM IR of a unit, and what must be known of the object made of it; FatalError if its kernel breaks a rule."""
    # those who find all in the cache need no front end
    from .frontend.entry import entry_module
    from .frontend.module import stage_module

    if unit.parameters is None:
        return stage_module(unit.kernel, unit.realisation, unit.model, unit.data)
    return entry_module(unit.kernel, unit.parameters, unit.model, unit.data)


def _compiled(missing: dict[str, Unit]) -> Iterator[tuple[str, bytes]]:
    """Compile units, by key; they go into the cache."""
    if not missing:
        return
    from .workers import object_files

    advance = (progress or report)([unit.title for unit in missing.values()])
    texts = {key: _text(unit) for key, unit in missing.items()}
    order = list(missing)
    for i, code in object_files([texts[key][0] for key in order], host()):
        key = order[i]
        packed = texts[key][1].packed(code)
        kept.store(_file_name(key), packed)
        advance(missing[key].title)
        yield key, packed
