"""Objects that are part of the package: one archive for each processor type, written when a wheel is built.

An archive is a line of JSON with the offset and length of each object, followed by the compressed objects. Compression
saves two thirds of the space and takes a few milliseconds per model. A source checkout has no archive. The last part is
a table of the objects' keys for the package's source, so that the first process needs no front end.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conjoint.once import made_once

from ..system import processor_features, system_name
from .compile_worker import Target
from .source_state import source_digest, source_state

FOLDER = Path(__file__).parents[2] / "objects"
"""Folder in an installed package that contains the archives of objects."""


@dataclass(frozen=True)
class Kind:
    """A processor type on one operating system.

    Attributes:
        system: name of the system and the processor (`lang.system.system_name`).
        target: LLVM's target; its triple selects the format of objects: ELF, Mach-O or COFF.
        widths: number of worlds in a block, by real type.
        needs: LLVM names of the features that distinguish this type from other processors of the system.
    """

    system: str
    target: Target
    widths: Mapping[str, int]
    needs: tuple[str, ...] = ()


NARROW, WIDE = {"float64": 4, "float32": 8}, {"float64": 8, "float32": 16}
V3 = ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe")
V4 = (*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
"""CPU features of x86-64-v4, including those of x86-64-v3 (System V ABI, AMD64 supplement, table 3.1)."""

LINUX, WINDOWS = "x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"
KINDS: dict[str, Kind] = {
    "linux-x86-64-v4": Kind("linux-x86_64", Target(LINUX, "x86-64-v4", "+prefer-no-gather"), WIDE, V4),
    "linux-x86-64-v3": Kind("linux-x86_64", Target(LINUX, "x86-64-v3", "+prefer-no-gather"), NARROW, V3),
    "linux-aarch64": Kind("linux-aarch64", Target("aarch64-unknown-linux-gnu", "generic", "+neon"), NARROW),
    "macos-arm64": Kind("macos-aarch64", Target("arm64-apple-macosx11.0.0", "apple-m1", ""), NARROW),
    "windows-x86-64-v4": Kind("windows-x86_64", Target(WINDOWS, "x86-64-v4", "+prefer-no-gather"), WIDE, V4),
    "windows-x86-64-v3": Kind("windows-x86_64", Target(WINDOWS, "x86-64-v3", "+prefer-no-gather"), NARROW, V3),
}
"""Processor types, by archive name; for each system, the most capable type comes first."""


def kind_here() -> str | None:
    """Return the type of this machine's processor; None if the package has no precompiled objects for it."""
    here, features = system_name(), processor_features()
    for name, candidate in KINDS.items():
        if candidate.system == here and all(features.get(feature) for feature in candidate.needs):
            return name
    return None


@made_once
def kind() -> str | None:
    """Return the type of this machine's processor if its archive is installed; None otherwise."""
    if not FOLDER.exists():
        return None
    name = kind_here()
    return name if name and _path(name).exists() else None


KEYS = "keys"
"""Name of the table of keys in an archive."""


def key_of(fields: str, place: str) -> str | None:
    """Return the key of a unit from the archive's table; None if the table lacks it, or the source has changed.

    Args:
        fields: hash of the unit's fields.
        place: identifier of the unit among units with these fields (`Unit.place`).
    """
    return _keys().get(f"{fields} {place}") if kind() else None


@made_once
def _keys() -> dict[str, str]:
    """Return the table of keys; empty if the package's source has changed since the table was written."""
    data = load(KEYS)
    source, found = json.loads(data) if data else ("", {})
    return found if source == source_state() else {}


def load(key: str) -> bytes | None:
    """Return the object `key` for this machine's processor; None if the package does not contain it intact."""
    name = kind()
    if name is None:
        return None
    places, start = _index(name)
    place = places.get(key)
    if place is None:
        return None
    with _path(name).open("rb") as file:
        file.seek(start + place[0])
        packed = file.read(place[1])
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return None


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return all objects of an archive."""
    line, _, data = archive.partition(b"\n")
    places = {key: place for key, place in json.loads(line).items() if key != KEYS}
    return {key: zlib.decompress(data[at : at + size]) for key, (at, size) in places.items()}


def store(path: Path, objects: Mapping[str, bytes], keys: Mapping[str, str]) -> None:
    """Write an archive of objects, with the table of their keys."""
    places, at = {}, 0
    objects = {**objects, KEYS: json.dumps([source_digest(), dict(keys)]).encode()}
    packed = {key: zlib.compress(code, 9) for key, code in objects.items()}
    for key, code in packed.items():
        places[key] = at, len(code)
        at += len(code)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(json.dumps(places).encode() + b"\n")
        for code in packed.values():
            file.write(code)


def archive_name(kind: str) -> str:
    """Return the file name of the archive for a processor type."""
    return f"{kind}.objects"


def _path(kind: str) -> Path:
    return FOLDER / archive_name(kind)


@made_once
def _index(kind: str) -> tuple[dict[str, tuple[int, int]], int]:
    """Return the offset and length of every object, and the file position of the first object."""
    with _path(kind).open("rb") as file:
        line = file.readline()
    return json.loads(line), len(line)
