"""Machine code of kernels: loaded from the cache, or compiled now."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conjoint.once import MAKING, made_once

from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.realisation import WORLD, Realisation
from ..objects.cache_keys import keys_of, tangents_kept
from ..objects.native import (
    compiled_here,
    found_object,
    host,
    is_kept,
    keep_object,
    load_objects,
    python_function,
)  # fmt: skip
from ..objects.progress import report
from ..objects.unit import Description, Tangents, Unit, entry_name, slot_symbol
from ..routines.addresses import python

progress: Callable[[Sequence[str]], Callable[[str], None]] | None = None
"""Called with the names of stages about to be compiled; returns a function to call after each."""


VARIED = "for worlds with numbers of the model of their own (vary)"
"""What is said of kernels that see numbers of the model for each world."""


@dataclass(frozen=True)
class Loaded:
    """A compiled kernel in memory.

    Attributes:
        address: of its function.
        results: kinds of what an entry returns.
        tangents: of a stage in dual numbers, what becomes of tangents.
        owners: what must live as long: the unit, whose fields are known by their identity.
    """

    address: int
    results: list[str]
    tangents: Tangents | None
    owners: Any


origins: dict[str, str] = {}
"""Where each object of this process came from, by the name of its unit."""

_loaded: dict[Any, Loaded] = {}


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


def entry_address(unit: Unit) -> tuple[int, list[str]]:
    """Address of an entry `int32 (int64 m, int64 d, int64 frame)`, and the kinds of its results."""
    (found,) = load([unit])
    return found.address, found.results


@made_once
def routine(kernel: Kernel) -> int:
    """Address of a kernel of integers as a C function `int64 (int64, ...)`."""
    (found,) = load([Unit(kernel, WORLD, (), ())])
    return found.address


def load(units: Sequence[Unit]) -> list[Loaded]:
    """Machine code of units; what is not in the cache is compiled.

    Raises:
        FatalError: a kernel breaks a rule of the kernel language.
    """
    with MAKING.held:
        keys = keys_of(units)
        # objects do not know the places of fields: equal ones serve other tables of addresses
        places = [(key, id(unit.model), id(unit.data)) for key, unit in zip(keys, units, strict=True)]
        wanted = {place: unit for place, unit in zip(places, units, strict=True) if place not in _loaded}
        packed: dict[str, bytes | memoryview] = {}
        missing: dict[str, Unit] = {}
        for (key, *_), unit in wanted.items():
            code, origins[key] = found_object(key)
            if code is None:
                missing[key] = unit
            else:
                packed[key] = code
        packed.update(_compiled(missing))
        fields = dict.fromkeys((model, data) for _, model, data in wanted)
        for model, data in fields:
            _load({key: unit for (key, *rest), unit in wanted.items() if rest == [model, data]}, packed)
        return [_loaded[place] for place in places]


def _load(units: Mapping[str, Unit], packed: Mapping[str, bytes | memoryview]) -> None:
    """Load object files into one engine, as each takes a millisecond; link the places of the fields.

    Args:
        units: by key, of the same fields.
        packed: contents of their object files, by key.
    """
    opened = {key: Description.unpacked(bytes(packed[key])) for key in units}
    symbols = {name: python_function(name) for name in python.members}
    for key, unit in units.items():
        fields = opened[key][0].fields
        symbols.update(zip(map(slot_symbol, fields), unit.slots(fields), strict=True))
    addresses = load_objects([code for _, code in opened.values()], [entry_name(key) for key in units], symbols)
    for key, unit in units.items():
        description = opened[key][0]
        found = Loaded(addresses[entry_name(key)], description.results, description.tangents, unit)
        _loaded[key, id(unit.model), id(unit.data)] = found


def tangents_of(unit: Unit) -> Tangents:
    """What becomes of tangents in a stage in dual numbers: an object that is kept tells, else the kernel is read.

    `write_tangents` keeps what was found.

    Raises:
        FatalError: the kernel cannot be differentiated.
    """
    (key,) = keys_of([unit])

    def find() -> Tangents:
        kept, _ = found_object(key)
        if kept is not None:
            description, _ = Description.unpacked(bytes(kept))
        else:
            with MAKING.held:
                _, description = _texts[key] = unit_text(key, unit)
        assert description.tangents is not None
        return description.tangents

    return tangents_kept(key, unit, find)


_texts: dict[str, tuple[str, Description]] = {}
"""Texts that were written to find out what becomes of tangents, until they are compiled."""


def unit_text(key: str, unit: Unit) -> tuple[str, Description]:
    """LLVM IR of a unit, and what must be known of the object made of it; FatalError if its kernel breaks a rule."""
    # those who find all in the cache need no front end
    with MAKING.held:
        from ..frontend.entry import entry_module
        from ..frontend.module import routine_module, stage_module

    if unit.parameters is None and not unit.kernel.structs:
        return routine_module(key, unit.kernel)
    if unit.parameters is None:
        return stage_module(key, unit.kernel, unit.realisation, unit.model, unit.data)
    return entry_module(key, unit.kernel, unit.parameters, unit.model, unit.data)


def _occasion(units: Collection[Unit]) -> str:
    """What a program has done that units are compiled for; "" where it only uses the package."""
    foreign = sorted({name for unit in units for name in unit.kernel.foreign})
    if foreign:
        return f"kernels of this program ({', '.join(foreign)})"
    rows = {tuple(row.name.split(".")) for unit in units for row in unit.model if row.varied}
    varied = any(unit.kernel.attributes.issuperset(row) for unit in units for row in rows)
    return VARIED if varied else ""


def _compiled(missing: dict[str, Unit]) -> Iterator[tuple[str, bytes | memoryview]]:
    """Compile units, by key; they go into the cache. What another process compiles meanwhile is taken from there."""
    if not missing:
        return
    with MAKING.held:
        from ..objects.compile_pool import object_files

    names = [unit.title for unit in missing.values()]
    advance = progress(names) if progress else report(names, _occasion(missing.values()))
    # those that use most fields take longest
    order = sorted(missing, key=lambda key: -len(missing[key].kernel.attributes))
    descriptions: dict[str, Description] = {}
    # what lies there and cannot be used is made again
    useless = {key for key in missing if is_kept(key)}

    def is_made(i: int) -> bool:
        return order[i] not in useless and is_kept(order[i])

    def texts() -> Iterator[str]:
        for i, key in enumerate(order):
            text = ""
            if not is_made(i):
                text, descriptions[key] = _texts.pop(key) if key in _texts else unit_text(key, missing[key])
            yield text

    for i, code in object_files(len(order), texts(), host(), is_made):
        key = order[i]
        if code:
            made = descriptions[key].packed(code)
            keep_object(key, made)
        advance(missing[key].title)
        yield key, made if code else _made_elsewhere(key, missing[key])


def _made_elsewhere(key: str, unit: Unit) -> bytes | memoryview:
    """The object that another process has kept meanwhile; compiled here if it is gone again."""
    code, origins[key] = found_object(key)
    if code is None:
        text, description = unit_text(key, unit)
        code = description.packed(compiled_here(text, host()))
    return code
