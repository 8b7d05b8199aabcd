"""Stored keys of units, identified by their source code, so that later processes need no front end.

A key is a hash of LLVM IR (`unit.object_key`). As long as the package's source is unchanged, the kernel, its compiled
variant and the fields determine the IR. For stages in dual numbers, the fields with tangents are also stored, by key.
With these fields, a derivative pass determines which stages it needs before any stage is compiled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conjoint.once import made_once

from ..language.name import Name, Work, kernel_of
from . import disk_cache, shipped_objects
from .source_state import source_state
from .unit import Tangents, Unit, rows_of


def known_key(unit: Unit) -> str | None:
    """Return the key of a unit; None if its LLVM IR must be generated to determine the key."""
    file, place = _file_of("keys", unit), unit.place
    found: str | None = file.known.get(place)
    if found is None and (found := shipped_objects.key_of(rows_digest(unit), place)) is not None:
        file.known[place] = found
    return found


def remember(unit: Unit, key: str) -> None:
    """Record the key of a unit in this process; `write_keys` stores it for later processes."""
    _file_of("keys", unit).known[unit.place] = key


def write_keys(units: Sequence[Unit]) -> None:
    """Store known keys of units, and fields with tangents of units in dual numbers, for later processes."""
    files = [_file_of(what, u) for u in units for what in ("keys", *(["tangents"] if u.realisation.tangents else []))]
    for file in {file.name: file for file in (*files, _file_of_facts())}.values():
        file.write()


def parameters_of(work: Work) -> tuple[str, ...]:
    """Return the names of a kernel's parameters; for a `Name`, `write_keys` stores them for later processes."""
    return tuple(_facts(work)[1:]) if isinstance(work, Name) else work.parameters


def is_per_world(work: Work) -> bool:
    """Return True if blocks run a kernel one world at a time; for a `Name`, `write_keys` stores the result."""
    return bool(_facts(work)[0]) if isinstance(work, Name) else work.per_world


def _facts(name: Name) -> list[Any]:
    known = _file_of_facts().known
    found: list[Any] | None = known.get(repr(name))
    if found is None:
        kernel = kernel_of(name)
        found = known[repr(name)] = [kernel.per_world, *kernel.parameters]
    return found


def _file_of_facts() -> _File:
    return _file(disk_cache.cache_folder(), _name("facts", ""))


def tangents_kept(key: str, unit: Unit, find: Callable[[], Tangents]) -> Tangents:
    """Return the fields with tangents of the unit with this key; call `find` to determine them if they are not stored.

    `write_keys` stores the fields for later processes.
    """
    known = _file_of("tangents", unit).known
    if key not in known:
        known[key] = list(vars(find()).values())
    return Tangents(*known[key])


class _File:
    """Stored properties of kernels, for one state of this package's source and one set of fields."""

    def __init__(self, name: str):
        self.name = name
        self.known = self._kept()
        self.written = len(self.known)

    def _kept(self) -> dict[str, Any]:
        """Read the entries that this and other processes have written."""
        data = disk_cache.load(self.name)
        return {} if data is None else json.loads(bytes(data))

    def write(self) -> None:
        """Store new entries, merged with those that other processes have written."""
        if len(self.known) > self.written:
            self.known.update(self._kept())
            self.written = len(self.known)
            disk_cache.store(self.name, json.dumps(self.known).encode())


def rows_digest(unit: Unit) -> str:
    """Return the hash of the fields of a unit."""
    return _rows_digest(rows_of(unit.model).digest, rows_of(unit.data).digest)


@made_once
def _rows_digest(model: str, data: str) -> str:
    return hashlib.sha256(f"{model} {data}".encode()).hexdigest()[:24]


def _file_of(what: str, unit: Unit) -> _File:
    """Return the file that stores properties (`what`) of all units with the same fields as this one."""
    return _file(disk_cache.cache_folder(), _name(what, rows_digest(unit)))


@made_once
def _name(what: str, fields: str) -> str:
    state = hashlib.sha256(f"{source_state()} {fields}".encode()).hexdigest()
    return f"{what}-{state[:24]}.json"


@made_once
def _file(folder: Path, name: str) -> _File:
    return _File(name)
