"""Callbacks that programs have installed, and their replacements of stages and colliders.

It is global, as in the official package. Plans are made for what is replaced at the time (`current`), and hold no
longer once that is something else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conjoint.lang import Kernel
from conjoint.lang.calls.call_cache import invalidate_all
from conjoint.lang.language.captured import Captured, Versions
from conjoint.once import MAKING
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS

Collider = Kernel | Callable[..., Any]
"""Collider: a kernel as in the table of pairs, or a Python function."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Replacements by programs.

    Attributes:
        filtered: whether a callback filters pairs of geoms, in place of their contact bits.
        colliders: number of a pair of types, and what finds its contacts.
        callbacks: names of callbacks that are kernels, and the kernels.
        stages: names of kernels of the engine, and the kernels that run in their place.
    """

    filtered: bool = False
    colliders: tuple[tuple[int, Collider], ...] = ()
    callbacks: tuple[tuple[str, Kernel], ...] = ()
    stages: tuple[tuple[str, Kernel], ...] = ()

    def numbers(self) -> dict[int, int]:
        """Return the numbers by which plans know these colliders, by types: they follow those of the engine."""
        # pairs of types that share a collider leave gaps
        first = 1 + max(COLLIDER_NUMBERS.values())
        return {types: first + i for i, (types, _) in enumerate(self.colliders)}

    def functions(self) -> dict[int, Collider]:
        """Return the colliders by these numbers."""
        numbers = self.numbers()
        return {numbers[types]: collider for types, collider in self.colliders}


KERNELS = ("colliders", "callbacks", "stages")
"""Tables of `Replaced` that have kernels."""

FILTER = "mjcb_contactfilter"
"""Name of the callback that leaves out pairs of geoms."""

COLLISION_FUNCTION = "mjCOLLISIONFUNC"
"""Name of the stage that calls Python functions for contacts."""

current = Replaced()
"""The current replacements."""

active: tuple[str, ...] = ()
"""Key of cached pipelines: names of the stages with callbacks, and one name for the replacements."""

_changes = itertools.count(1)
_versions = Versions()
_captured: list[Captured] = []
_callbacks: tuple[str, ...] = ()
_plugins: tuple[str, ...] = ()


def set_callbacks(names: Iterable[str], kernels: Mapping[str, Kernel]) -> None:
    """Stop at the stages of these names; run kernels at other stages."""
    global _callbacks
    _callbacks = tuple(sorted(names))
    _renew(filtered=FILTER in _callbacks or FILTER in kernels, callbacks=tuple(sorted(kernels.items())))


def set_stages(kernels: Mapping[str, Kernel]) -> None:
    """Run kernels instead of the engine's kernels with these names."""
    _renew(stages=tuple(sorted(kernels.items())))


def set_colliders(colliders: Iterable[tuple[int, Collider]]) -> None:
    """Find contacts of some pairs of types by other colliders than the engine's."""
    _renew(colliders=tuple(sorted(colliders, key=lambda item: item[0])))


def set_plugins() -> None:
    """Stop where plugins have Python functions."""
    global _plugins
    _plugins = ("plugins",)
    _renew()


def follow() -> None:
    """Update kernels to the present values of names that they refer to; new versions are compiled when they run."""
    if not all(captured.holds() for captured in _captured):
        with MAKING.held:
            if _with_latest(current) != current:
                _renew()


def _renew(**changed: Any) -> None:
    global current, active
    current = _with_latest(replace(current, **changed))
    active = _callbacks + _plugins
    if any(not isinstance(collider, Kernel) for _, collider in current.colliders):
        active += (COLLISION_FUNCTION,)
    if current.colliders or current.callbacks or current.stages:
        active += (f"kernels {next(_changes)}",)
    # after the change: a call that did not see it has not added to a cache yet, or the cache is invalid now
    invalidate_all()


def _with_latest(given: Replaced) -> Replaced:
    """Return a copy with the latest versions of its kernels, whose captured variables are watched from now on."""
    found: list[Captured] = []
    latest: dict[str, Any] = {name: _latest(getattr(given, name), found) for name in KERNELS}
    renewed = replace(given, **latest)
    _captured[:] = found
    return renewed


def _latest(named: tuple[tuple[Any, Any], ...], found: list[Captured]) -> tuple[tuple[Any, Any], ...]:
    """Return the latest versions of the kernels of a table, and add their captured values to a list."""
    rows = []
    for name, function in named:
        if isinstance(function, Kernel):
            captured, function = _versions.of(function)
            found.append(captured)
        rows.append((name, function))
    return tuple(rows)
