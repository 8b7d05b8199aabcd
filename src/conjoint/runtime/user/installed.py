"""Callbacks that user programs have installed, and replacements of stages and colliders by user programs.

Both are global, as in MuJoCo. Plans are created for the current replacements (`current`), and become invalid when
the replacements change.
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
"""Collider: a kernel, as in the table of pairs, or a Python function."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Replacements by user programs.

    Attributes:
        filtered: True if a callback filters pairs of geoms, instead of their contact bits.
        colliders: pairs of geom types, by index, and the collider that finds the contacts of each.
        callbacks: names of callbacks that are kernels, and the kernels.
        stages: names of kernels of the engine, and the kernels that replace them.
    """

    filtered: bool = False
    colliders: tuple[tuple[int, Collider], ...] = ()
    callbacks: tuple[tuple[str, Kernel], ...] = ()
    stages: tuple[tuple[str, Kernel], ...] = ()

    def numbers(self) -> dict[int, int]:
        """Return the indices of the user's colliders in plans, by pair of geom types.

        They follow the indices of the engine's colliders.
        """
        # numbers have gaps, because some pairs of types share a collider
        first = 1 + max(COLLIDER_NUMBERS.values())
        return {types: first + i for i, (types, _) in enumerate(self.colliders)}

    def functions(self) -> dict[int, Collider]:
        """Return the colliders, by the indices that `numbers` assigns to them."""
        numbers = self.numbers()
        return {numbers[types]: collider for types, collider in self.colliders}


KERNELS = ("colliders", "callbacks", "stages")
"""Attributes of `Replaced` that contain kernels."""

FILTER = "mjcb_contactfilter"
"""Name of the callback that filters pairs of geoms."""

COLLISION_FUNCTION = "mjCOLLISIONFUNC"
"""Name of the stage that calls Python functions to find contacts."""

current = Replaced()
"""Current replacements by user programs."""

active: tuple[str, ...] = ()
"""Key of cached pipelines: names of the stages that call callbacks, and a name that identifies the replacements."""

_changes = itertools.count(1)
_versions = Versions()
_captured: list[Captured] = []
_callbacks: tuple[str, ...] = ()
_plugins: tuple[str, ...] = ()


def set_callbacks(names: Iterable[str], kernels: Mapping[str, Kernel]) -> None:
    """Install callbacks: call Python at the stages in `names`, and run kernels at the stages in `kernels`."""
    global _callbacks
    _callbacks = tuple(sorted(names))
    _renew(filtered=FILTER in _callbacks or FILTER in kernels, callbacks=tuple(sorted(kernels.items())))


def set_stages(kernels: Mapping[str, Kernel]) -> None:
    """Run user kernels instead of the engine's kernels with the same names."""
    _renew(stages=tuple(sorted(kernels.items())))


def set_colliders(colliders: Iterable[tuple[int, Collider]]) -> None:
    """Use these colliders instead of the engine's to find contacts, for the given pairs of geom types."""
    _renew(colliders=tuple(sorted(colliders, key=lambda item: item[0])))


def set_plugins() -> None:
    """Make pipelines stop at the stages of plugins with Python functions, so that Python can call them."""
    global _plugins
    _plugins = ("plugins",)
    _renew()


def follow() -> None:
    """Update the installed kernels to the current values of the variables that they capture.

    New versions are compiled when they run.
    """
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
    # after the change: a call that did not see it has not been cached yet, or its cache is now invalid
    invalidate_all()


def _with_latest(given: Replaced) -> Replaced:
    """Return a copy of `given` with the latest versions of its kernels, and watch the variables that these capture."""
    found: list[Captured] = []
    latest: dict[str, Any] = {name: _latest(getattr(given, name), found) for name in KERNELS}
    renewed = replace(given, **latest)
    _captured[:] = found
    return renewed


def _latest(named: tuple[tuple[Any, Any], ...], found: list[Captured]) -> tuple[tuple[Any, Any], ...]:
    """Return a table with the latest versions of its kernels, and append their captured values to `found`."""
    rows = []
    for name, function in named:
        if isinstance(function, Kernel):
            captured, function = _versions.of(function)
            found.append(captured)
        rows.append((name, function))
    return tuple(rows)
