"""What programs call at places of the pipeline, and put in place of parts of collision detection.

It is global, as in the official package. Plans are made for what is replaced at the time (`current`), and hold no
longer once that is something else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from conjoint.lang import Kernel
from conjoint.physics.collision.table import COLLIDER_NUMBERS

Collider = Kernel | Callable[..., Any]
"""What finds contacts: a kernel as in the table of pairs, or a Python function."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Parts of collision detection that are not the engine's.

    Attributes:
        filtered: whether a callback filters pairs of geoms, in place of their contact bits.
        colliders: number of a pair of types, and what finds its contacts.
    """

    filtered: bool = False
    colliders: tuple[tuple[int, Collider], ...] = ()

    def numbers(self) -> dict[int, int]:
        """Numbers by which plans know these colliders, by types: they follow those of the engine."""
        return {types: len(COLLIDER_NUMBERS) + i for i, (types, _) in enumerate(self.colliders)}

    def functions(self) -> dict[int, Collider]:
        """The colliders by these numbers."""
        numbers = self.numbers()
        return {numbers[types]: collider for types, collider in self.colliders}


COLLISION_FUNCTION = "mjCOLLISIONFUNC"
"""Name of the stage where Python functions find contacts."""

current = Replaced()
"""What is replaced now."""

active: tuple[str, ...] = ()
"""Names of the stages at which programs are asked, and one for what is replaced: pipelines are kept by them."""

_changes = itertools.count(1)
_callbacks: tuple[str, ...] = ()
_plugins: tuple[str, ...] = ()


def set_callbacks(names: Iterable[str]) -> None:
    """Stop at the stages of these names."""
    global _callbacks
    _callbacks = tuple(sorted(names))
    _renew(current.colliders)


def set_colliders(colliders: Iterable[tuple[int, Collider]]) -> None:
    """Find contacts of some pairs of types by other colliders than the engine's."""
    _renew(tuple(sorted(colliders, key=lambda item: item[0])))


def set_plugins() -> None:
    """Stop where plugins have Python functions."""
    global _plugins
    _plugins = ("plugins",)
    _renew(current.colliders)


def _renew(colliders: tuple[tuple[int, Collider], ...]) -> None:
    global current, active
    current = Replaced("mjcb_contactfilter" in _callbacks, colliders)
    active = _callbacks + _plugins
    if colliders:
        functions = any(not isinstance(collider, Kernel) for _, collider in colliders)
        active += ((COLLISION_FUNCTION,) if functions else ()) + (f"colliders {next(_changes)}",)
