"""Keys of units, kept for later processes: as long as no source file has changed, none has to be read.

Of stages in dual numbers also what becomes of tangents is kept, by their keys: which stages a pass needs is known
before any of them is compiled.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conjoint.once import MAKING, made_once

from ..language.formula import Formula
from ..language.group import Group
from ..language.kernel import Kernel
from . import disk_cache
from .unit import Tangents, Unit, rows_of

FOLDER = str(Path(__file__).parents[2])
"""The source of this package."""


def keys_of(units: Sequence[Unit]) -> list[str]:
    """Key of every unit; what was not known is kept."""
    files: dict[str, _File] = {}
    found = []
    for unit in units:
        place = _place(unit)
        if place is None:
            found.append(unit.key)
        else:
            file = _file_of("keys", unit)
            files[file.name] = file
            found.append(file.get(place, functools.partial(getattr, unit, "key")))
    for file in files.values():
        file.write()
    return found


def tangents_kept(key: str, unit: Unit, find: Callable[[], Tangents]) -> Tangents:
    """What becomes of tangents in a unit with this key; `find` finds it if that is not known.

    It is kept for later processes by `write_tangents`.
    """
    return Tangents(*_file_of("tangents", unit).get(key, lambda: list(vars(find()).values())))


def write_tangents(units: Sequence[Unit]) -> None:
    """Keep what has been found out of units of the same fields."""
    if units:
        _file_of("tangents", units[0]).write()


class _File:
    """What is known of the kernels of one state of this package, for one set of fields."""

    def __init__(self, name: str):
        self.name = name
        self.known = self._kept()
        self.written = len(self.known)

    def _kept(self) -> dict[str, Any]:
        """What this and other processes have written."""
        data = disk_cache.load(self.name)
        return {} if data is None else json.loads(bytes(data))

    def get(self, place: str, find: Callable[[], Any]) -> Any:
        """What is known by this name; `find` finds it the first time."""
        if place not in self.known:
            self.known[place] = find()
        return self.known[place]

    def write(self) -> None:
        """Keep what came since, beside what other processes have written meanwhile."""
        if len(self.known) > self.written:
            self.known.update(self._kept())
            self.written = len(self.known)
            disk_cache.store(self.name, json.dumps(self.known).encode())


def _file_of(what: str, unit: Unit) -> _File:
    """The file in which something is kept of units with the fields of this one."""
    name = _name(rows_of(unit.model).digest, rows_of(unit.data).digest)
    return _file(str(disk_cache.cache_folder()), f"{what}-{name}")


@made_once
def _file(folder: str, name: str) -> _File:
    return _File(name)


@functools.cache
def _name(model: str, data: str) -> str:
    """What files for these fields are called: by all that keys depend on, but the kernel and its realisation."""
    with MAKING.held:
        import llvmlite

    parts = (disk_cache.SOURCE_STATE, sys.version, llvmlite.__version__, model, data)
    return f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.json"


def _place(unit: Unit) -> str | None:
    """Where in this package the unit comes from; None if its key must be computed."""
    kernel = _origin(unit.kernel)
    # names of active fields would make the file many times as large
    how = unit.realisation.name if unit.realisation.tangents else unit.realisation
    return kernel and f"{unit.kernel.__name__} {kernel} {how} {unit.parameters}"


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
