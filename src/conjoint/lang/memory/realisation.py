"""Variants in which a kernel can be compiled: precision, lanes, dual numbers, and clock readings for profiles."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..system import processor_features

TANGENTS = 8
"""Number of tangents of a dual number, equal to the number of elements in a tile."""


@dataclass(frozen=True, slots=True)
class Realisation:
    """Compiled variant of a kernel: floating-point type, and memory layout of the worlds of a block.

    Attributes:
        name: name that identifies the variant in the cache.
        base: "float64" or "float32".
        lanes: number of worlds computed at once.
        stride: number of worlds side by side in memory; larger than `lanes` for a view of one world inside a block.
        threads: True if every world is computed by its own GPU thread.
        exact: True if all kernels round every product, whatever they declare.
        together: True if all kernels run in lanes, even those declared to run one world at a time.
        tangents: number of tangents of a dual number; 0 if reals are not dual numbers.
        active: for dual numbers, names of the fields that may have nonzero tangents (`d.qpos`), in order.
        profiled: True if stages and labeled kernels read the clock before and after they run.
    """

    name: str
    base: str
    lanes: int
    stride: int
    threads: bool = False
    exact: bool = False
    together: bool = False
    tangents: int = 0
    active: tuple[str, ...] = ()
    profiled: bool = False

    @property
    def dtype(self) -> np.dtype:
        """NumPy type of the stored reals."""
        return np.dtype(self.base)


WORLD = Realisation("world", "float64", 1, 1)


EXACT_WORLD = Realisation("world-exact", "float64", 1, 1, exact=True)


def dual_world(active: Iterable[str]) -> Realisation:
    """Return the compiled variant for one world in dual numbers.

    Args:
        active: names of the fields that may have nonzero tangents.
    """
    names = tuple(sorted(active))
    digest = hashlib.sha256(repr(names).encode()).hexdigest()[:12]
    return Realisation(f"dual-{digest}", "float64", 1, 1, tangents=TANGENTS, active=names)


FLOAT32_WORLD = Realisation("world-float32", "float32", 1, 1)


def lanes(base: str, width: int) -> Realisation:
    """Return the compiled variant for `width` worlds at once."""
    if width == 1:
        return WORLD if base == "float64" else FLOAT32_WORLD
    return Realisation(f"lanes-{base}-{width}", base, width, width)


def together(base: str, width: int) -> Realisation:
    """Return the compiled variant in which all kernels compute `width` worlds at once, even those declared otherwise.

    It is used in tests and measurements.
    """
    return replace(lanes(base, width), name=f"together-{base}-{width}", together=True)


def world_view(base: str, width: int) -> Realisation:
    """Return the compiled variant for one world inside a block of `width` worlds."""
    if width == 1:
        return lanes(base, 1)
    return Realisation(f"view-{base}-{width}", base, 1, width)


def profiled(realisation: Realisation) -> Realisation:
    """Return a variant of `realisation` in which stages and labeled kernels read the clock."""
    return replace(realisation, name=f"{realisation.name}-profiled", profiled=True)


def threads(base: str, count: int) -> Realisation:
    """Return the compiled variant for `count` worlds side by side, each computed by its own GPU thread."""
    return Realisation(f"threads-{base}-{count}", base, 1, count, threads=True)


def default_width(base: str) -> int:
    """Return the number of lanes of the CPU's vector registers.

    With AVX-512, it is 8 for float64 and 16 for float32; otherwise, half as many.
    """
    return (8 if processor_features().get("avx512f") else 4) * (1 if base == "float64" else 2)
