"""Keys of units, kept for later processes: as long as no source file has changed, none has to be read."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conjoint.once import MAKING, made_once

from ..language.formula import Formula
from ..language.group import Group
from ..language.kernel import Kernel
from . import disk_cache
from .unit import Unit, rows_of

FOLDER = str(Path(__file__).parents[2])
"""The source of this package."""


def keys_of(units: Sequence[Unit]) -> list[str]:
    """Key of every unit; what was not known is kept."""
    files: dict[str, _File] = {}
    found, folder = [], str(disk_cache.cache_folder())
    for unit in units:
        place = _place(unit)
        if place is None:
            found.append(unit.key)
        else:
            name = _name(rows_of(unit.model).digest, rows_of(unit.data).digest)
            file = files[name] = _file(folder, name)
            found.append(file.key(place, unit))
    for file in files.values():
        file.write()
    return found


class _File:
    """Keys of the kernels of one state of this package, for one set of fields, by their places."""

    def __init__(self, name: str):
        self.name = name
        data = disk_cache.load(name)
        self.keys: dict[str, str] = {} if data is None else json.loads(bytes(data))
        self.written = len(self.keys)

    def key(self, place: str, unit: Unit) -> str:
        """Key of the unit in this place."""
        if place not in self.keys:
            self.keys[place] = unit.key
        return self.keys[place]

    def write(self) -> None:
        """Keep what came since."""
        if len(self.keys) > self.written:
            self.written = len(self.keys)
            disk_cache.store(self.name, json.dumps(self.keys).encode())


@made_once
def _file(folder: str, name: str) -> _File:
    return _File(name)


@functools.cache
def _name(model: str, data: str) -> str:
    """File of keys for these fields: all that keys depend on, but the kernel and its realisation."""
    with MAKING.held:
        import llvmlite

    parts = (disk_cache.SOURCE_STATE, sys.version, llvmlite.__version__, model, data)
    return f"keys-{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.json"


def _place(unit: Unit) -> str | None:
    """Where in this package the unit comes from; None if its key must be computed."""
    kernel = _origin(unit.kernel)
    return kernel and f"{unit.kernel.__name__} {kernel} {unit.realisation} {unit.parameters}"


def _origin(value: Any) -> str | None:
    """Where a kernel stands in the source of this package, and the values that it was made with.

    None if it stands elsewhere, where source changes without notice, or if a value is not the same in all processes.
    """
    if isinstance(value, Kernel | Formula):
        code, cells = value.function.__code__, value.function.__closure__ or ()
        captured = [_origin(cell.cell_contents) for cell in cells]
        if not code.co_filename.startswith(FOLDER) or None in captured:
            return None
        return f"{code.co_filename.removeprefix(FOLDER)}:{code.co_firstlineno} {captured}"
    if isinstance(value, Group):
        members = [_origin(member) for member in value.members.values()]
        return None if None in members else f"{type(value).__qualname__} {members}"
    return repr(value) if isinstance(value, int | float | str) else None
