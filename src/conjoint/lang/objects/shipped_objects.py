"""Objects that travel with the package: one archive for each kind of processor, written when a wheel is built.

An archive is a line of JSON, which tells where each object lies behind it, and the objects. A checkout has none.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conjoint.once import MAKING, made_once

from .compile_worker import Target

FOLDER = Path(__file__).parents[2] / "objects"
"""Where the archives are in an installed package."""


@dataclass(frozen=True)
class Kind:
    """A kind of processor.

    Attributes:
        target: what LLVM compiles for.
        needs: features that a processor of this kind has, as LLVM names them.
        widths: worlds in a block, by type of real.
    """

    target: Target
    needs: tuple[str, ...]
    widths: Mapping[str, int]


X86 = "x86_64-unknown-linux-gnu"
KINDS: dict[str, Kind] = {
    "x86-64-v4": Kind(
        Target(X86, "x86-64-v4", "+prefer-no-gather"),
        ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt"),
        {"float64": 8, "float32": 16},
    ),
    "x86-64-v3": Kind(
        Target(X86, "x86-64-v3", "+prefer-no-gather"),
        ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"),
        {"float64": 4, "float32": 8},
    ),
    "aarch64": Kind(Target("aarch64-unknown-linux-gnu", "generic", "+neon"), ("neon",), {"float64": 4, "float32": 8}),
}
"""Kinds of processors by the names of their archives, the most capable of an architecture first."""


@made_once
def kind() -> str | None:
    """The kind of this machine's processor that there is an archive for; None if there is none."""
    if platform.system() != "Linux" or not FOLDER.exists():
        return None
    with MAKING.held:
        from llvmlite import binding

        features = binding.get_host_cpu_features()
    for name, candidate in KINDS.items():
        if candidate.target.triple.startswith(platform.machine()) and all(features.get(f) for f in candidate.needs):
            return name if _path(name).exists() else None
    return None


def load(key: str) -> bytes | None:
    """The object `key` for this machine's processor; None if none came with the package."""
    name = kind()
    if name is None:
        return None
    places, start = _index(name)
    place = places.get(key)
    if place is None:
        return None
    with _path(name).open("rb") as file:
        file.seek(start + place[0])
        return file.read(place[1])


def store(path: Path, objects: Mapping[str, bytes]) -> None:
    """Write an archive."""
    places, at = {}, 0
    for key, code in objects.items():
        places[key] = at, len(code)
        at += len(code)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(json.dumps(places).encode() + b"\n")
        for code in objects.values():
            file.write(code)


def archive_name(kind: str) -> str:
    """File of a kind of processors."""
    return f"{kind}.objects"


def _path(kind: str) -> Path:
    return FOLDER / archive_name(kind)


@made_once
def _index(kind: str) -> tuple[dict[str, tuple[int, int]], int]:
    """Place and length of every object, and where the first one begins."""
    with _path(kind).open("rb") as file:
        line = file.readline()
    return json.loads(line), len(line)
