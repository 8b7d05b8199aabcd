"""Machine code of kernels: loaded from the cache, or compiled on a cache miss."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conjoint.once import MAKING, made_once

from ..errors import FatalError
from ..language.kernel import Kernel
from ..language.name import Work
from ..memory.layout import Field
from ..memory.realisation import WORLD, Realisation
from ..objects.cache_keys import known_key, remember, tangents_kept, write_keys
from ..objects.native import (
    compiled_here,
    found_object,
    host,
    is_kept,
    keep_object,
    lean_name,
    load_objects,
    python_function,
)  # fmt: skip
from ..objects.progress import report
from ..objects.unit import Description, Tangents, Unit, entry_name, object_key, slot_symbol, without_line_table
from ..routines.addresses import python

progress: Callable[[Sequence[str]], Callable[[str], None]] | None = None
"""Progress callback: receives the names of stages about to be compiled, and returns a function to call after each."""


VARIED = "for worlds with numbers of the model of their own (vary)"
"""Reason given in reports for compiling kernels that read different model values for each world."""


@dataclass(frozen=True)
class Loaded:
    """A compiled kernel in memory.

    Attributes:
        address: address of its function.
        fields: names of the fields that it uses (such as `m.nv`).
        results: types of the results, if it is an entry.
        tangents: fields with tangents, if it is a stage compiled for dual numbers; else None.
        lean: True if it was compiled without optimization passes.
        owners: objects that must stay alive while the code is in use, such as the unit, whose fields are looked up by
            identity.
    """

    address: int
    fields: list[str]
    results: list[str]
    tangents: Tangents | None
    lean: bool
    owners: Any


origins: dict[str, str] = {}
"""Origin of each object file that this process uses (package, cache or compiler), by the key of its unit."""

_loaded: dict[Any, Loaded] = {}


def jit_enabled() -> bool:
    """Return True unless CONJOINT_JIT=0, which makes kernels run as plain Python."""
    return os.environ.get("CONJOINT_JIT", "1") != "0"


def optimizes() -> str:
    """Return when to run LLVM's optimization passes (`CONJOINT_OPTIMIZE`), which never change results.

    Returns:
        "first" (at once), "late" (stages are optimized after a number of steps, other kernels at once) or "never".

    Raises:
        FatalError: the variable has another value.
    """
    chosen = os.environ.get("CONJOINT_OPTIMIZE") or "late"
    if chosen not in ("late", "first", "never"):
        raise FatalError(f"CONJOINT_OPTIMIZE={chosen}: set it to late, first or never")
    return chosen


def is_lean(addresses: Collection[int]) -> bool:
    """Return True if code at one of these addresses was compiled without optimization and can still be optimized."""
    return optimizes() != "never" and not _lean.keys().isdisjoint(addresses)


def optimized(addresses: Sequence[int]) -> list[int]:
    """Recompile the unoptimized functions among those at `addresses` with optimization passes.

    Return one address for each function: the address of the new code, or the old address if nothing was recompiled.
    """
    with MAKING.held:
        lean = [address for address in addresses if address in _lean]
        better = dict(zip(lean, load([_lean[address] for address in lean], lean=False), strict=True))
    return [better[address].address if address in better else address for address in addresses]


def stage_addresses(
    kernels: Sequence[tuple[Work, Realisation]], model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> list[int]:
    """Return the addresses of stages, which are compiled to C functions `int32 (int64 m, int64 d, int64 lane)`.

    Stages that are not in the cache are compiled, with progress reports.

    Raises:
        FatalError: a kernel breaks a rule of the kernel language.
    """
    return [item.address for item in load([Unit(k, r, model_fields, data_fields) for k, r in kernels])]


def entry_address(unit: Unit) -> tuple[int, list[str]]:
    """Return the address of an entry, and the types of its results.

    The entry is a C function `int32 (int64 m, int64 d, int64 frame)`.
    """
    (found,) = load([unit])
    return found.address, found.results


@made_once
def routine(kernel: Kernel, realisation: Realisation = WORLD) -> int:
    """Compile a kernel of integers to a C function `int64 (int64, ...)`, and return the address of the function."""
    (found,) = load([Unit(kernel, realisation, (), ())])
    return found.address


def load(units: Sequence[Unit], lean: bool = True) -> list[Loaded]:
    """Return the machine code of units; compile units that are not in the cache.

    Args:
        units: the units to load.
        lean: True if stages may be compiled without optimization passes.

    Raises:
        FatalError: a kernel breaks a rule of the kernel language.
    """
    with MAKING.held:
        packed: dict[str, Packed] = {}
        policy = optimizes()

        def may_be_lean(unit: Unit) -> bool:
            return lean and (policy == "never" or (policy == "late" and unit.may_be_lean))

        def is_there(key: str, unit: Unit) -> bool:
            loaded = _loaded.get((key, id(unit.model), id(unit.data)))
            if key in packed or (loaded is not None and (may_be_lean(unit) or not loaded.lean)):
                return True
            found = _found(key, may_be_lean(unit))
            if found is not None:
                packed[key] = found
            return found is not None

        missing = [u for u in units if (key := known_key(u)) is None or not is_there(key, u)]
        packed.update(_compiled(missing, is_there, may_be_lean))
        write_keys(units)
        # object files do not contain field indices, so one object file serves several address tables
        places = [(str(known_key(unit)), id(unit.model), id(unit.data)) for unit in units]
        wanted = {
            place: unit
            for place, unit in zip(places, units, strict=True)
            if place not in _loaded or (_loaded[place].lean and not may_be_lean(unit))
        }
        fields = dict.fromkeys((model, data) for _, model, data in wanted)
        for model, data in fields:
            _load({key: unit for (key, *rest), unit in wanted.items() if rest == [model, data]}, packed)
        return [_loaded[place] for place in places]


Packed = tuple[bytes | memoryview, bool]
"""Contents of an object file, and True if it was compiled without optimization passes."""


def _found(key: str, lean: bool) -> Packed | None:
    """Return the cached object file for a key: the optimized one if available, else the unoptimized one if `lean`.

    Return None if there is no such file.
    """
    for name in (key, lean_name(key)) if lean else (key,):
        code, origins[key] = found_object(name)
        if code is not None:
            return code, name != key
    return None


_lean: dict[int, Unit] = {}
"""Units that were compiled without optimization passes, by the address of their function."""


def _load(units: Mapping[str, Unit], packed: Mapping[str, Packed]) -> None:
    """Load object files into one LLVM engine, and link the field addresses.

    Creating an engine takes a millisecond, so one engine serves all units.
    """
    opened = {key: Description.unpacked(bytes(packed[key][0])) for key in units}
    symbols = {name: python_function(name) for name in python.members}
    for key, unit in units.items():
        if unit.realisation.profiled:
            from ..objects.profile_counters import clock_symbols

            symbols.update(clock_symbols(unit.kernel))
        fields = opened[key][0].fields
        symbols.update(zip(map(slot_symbol, fields), unit.slots(fields), strict=True))
    addresses = load_objects([code for _, code in opened.values()], [entry_name(key) for key in units], symbols)
    for key, unit in units.items():
        made, address, lean = opened[key][0], addresses[entry_name(key)], packed[key][1]
        _loaded[key, id(unit.model), id(unit.data)] = Loaded(
            address, made.fields, made.results, made.tangents, lean, unit
        )
        if lean:
            _lean[address] = unit


def tangents_of(unit: Unit) -> Tangents:
    """Return the fields with tangents in a stage compiled for dual numbers.

    They are read from the cached object file if there is one; otherwise, the kernel is translated. `write_keys` stores
    the result.

    Raises:
        FatalError: the kernel cannot be differentiated.
    """
    key = known_key(unit)
    if key is None:
        with MAKING.held:
            key, *_texts[key] = unit_text(unit)
            remember(unit, key)

    def find() -> Tangents:
        if key in _texts:
            _, description = _texts[key]
        elif (kept := _found(key, lean=True)) is not None:
            description, _ = Description.unpacked(bytes(kept[0]))
        else:
            with MAKING.held:
                _, *_texts[key] = unit_text(unit)
                _, description = _texts[key]
        assert description.tangents is not None
        return description.tangents

    return tangents_kept(key, unit, find)


_texts: dict[str, Any] = {}
"""LLVM IR and object descriptions, by unit key, generated by `tangents_of` and not yet compiled."""


def unit_text(unit: Unit) -> tuple[str, str, Description]:
    """Return the key of a unit, its LLVM IR, and the description of the object file compiled from it.

    Raises:
        FatalError: the unit's kernel breaks a rule of the kernel language.
    """
    # if all objects are in the cache, the front end is not needed
    with MAKING.held:
        from ..frontend.entry import entry_module
        from ..frontend.module import routine_module, stage_module

    label = f"{unit.kernel.__name__}-{unit.realisation.name}"
    if unit.parameters is None and not unit.kernel.structs:
        text, description = routine_module(label, unit.kernel, unit.realisation)
    elif unit.parameters is None:
        text, description = stage_module(label, unit.kernel, unit.realisation, unit.model, unit.data)
    else:
        text, description = entry_module(label, unit.kernel, unit.parameters, unit.model, unit.data)
    key = object_key(label, text, description)
    return key, text.replace(f"@{entry_name(label)}(", f"@{entry_name(key)}(", 1), description


def _occasion(units: Collection[Unit]) -> str:
    """Return the reason why the user's program requires these units to be compiled.

    The result is "" if only Conjoint's own kernels are compiled.
    """
    foreign = sorted({name for unit in units for name in unit.kernel.foreign})
    if foreign:
        return f"kernels of this program ({', '.join(foreign)})"
    rows = {tuple(row.name.split(".")) for unit in units for row in unit.model if row.varied}
    varied = any(unit.kernel.attributes.issuperset(row) for unit in units for row in rows)
    return VARIED if varied else ""


def _compiled(
    units: Sequence[Unit], is_there: Callable[[str, Unit], bool], may_be_lean: Callable[[Unit], bool]
) -> Iterator[tuple[str, Packed]]:
    """Compile units into the cache, and yield their keys and object files.

    Object files that another process is compiling are awaited.

    Args:
        units: units whose keys are unknown, or whose object files are missing.
        is_there: function that returns True if the object file for a key has become available.
        may_be_lean: function that returns True if a unit is compiled without optimization passes.
    """
    # stages that use most fields take longest to compile
    order = sorted(units, key=lambda unit: -len(unit.kernel.attributes))
    requested: dict[str, tuple[Unit, Description]] = {}
    # keys whose cached object cannot be used; they are compiled again
    useless: set[str] = set()
    advance: Callable[[str], None] | None = None

    def is_lean(i: int) -> bool:
        unit, _ = requested[[*requested][i]]
        return may_be_lean(unit)

    def is_made(i: int) -> bool:
        key = [*requested][i]
        return key not in useless and is_kept(lean_name(key) if is_lean(i) else key)

    def texts() -> Iterator[str]:
        nonlocal advance
        for i, unit in enumerate(order):
            known = known_key(unit)
            if known is None or not (known in requested or is_there(known, unit)):
                key, text, description = (known, *_texts.pop(known)) if known in _texts else unit_text(unit)
                remember(unit, key)
                if key not in requested and not is_there(key, unit):
                    if not requested:
                        names = [one.title for one in order[i:]]
                        advance = progress(names) if progress else report(names, _occasion(order[i:]))
                    if is_kept(lean_name(key) if may_be_lean(unit) else key):
                        useless.add(key)
                    requested[key] = unit, description
                    yield without_line_table(text) if may_be_lean(unit) else text
                    continue
            if advance is not None:
                advance(unit.title)

    waiting = texts()
    first = next(waiting, None)
    if first is None or advance is None:
        return
    with MAKING.held:
        from ..objects.compile_pool import object_files

    for i, code in object_files(len(order), itertools.chain([first], waiting), host(), is_made, is_lean):
        key = [*requested][i]
        unit, description = requested[key]
        if code:
            made = description.packed(code)
            keep_object(lean_name(key) if is_lean(i) else key, made)
        advance(unit.title)
        yield key, (made, is_lean(i)) if code else _made_elsewhere(key, unit, is_lean(i))


def _made_elsewhere(key: str, unit: Unit, lean: bool) -> Packed:
    """Return the object file that another process has just stored; compile it if it has disappeared."""
    found = _found(key, lean)
    if found is None:
        _, text, description = unit_text(unit)
        found = description.packed(compiled_here(text, host(), not lean)), lean
    return found
