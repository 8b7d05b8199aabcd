"""Checks of the arguments of derivatives."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.arguments import FieldNames, given
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import ArgumentError, FatalError
from conjoint.runtime.sleep import check_awake
from conjoint.runtime.world import World
from conjoint.spec.problems import suggestion

FUNCTIONS = ("mj_step", "mj_forward", "mj_inverse")
"""Functions that can be differentiated."""

_views: WeakKeyDictionary[World, dict[str, np.ndarray]] = WeakKeyDictionary()
"""Views of the fields that must be finite, by world."""

FINITE = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied")
"""Names of fields that must be finite."""


def check_function(function: str) -> None:
    """Raise ArgumentError if a function cannot be differentiated."""
    if function not in FUNCTIONS:
        known = ", ".join(FUNCTIONS)
        raise ArgumentError(f"no derivatives of {function!r}{suggestion(str(function), FUNCTIONS)}; there are {known}")


def check_names(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names of fields as a tuple.

    Args:
        what: word for the names in messages, `outputs` or `inputs`.
        names: the names.

    Raises:
        TypeError: they are not a list of names.
        ArgumentError: a name occurs twice, or the list is empty.
    """
    found: tuple[str, ...] = given(what, names, FieldNames)
    if not found:
        raise ArgumentError(f"no {what}: name at least one field, such as 'qpos'")
    if len(set(found)) < len(found):
        raise ArgumentError(f"{what} name a field twice: {', '.join(found)}")
    return found


def check_world(m: MjModel, d: MjData | None) -> MjData:
    """Return the data; raise an error if it has a different model, or if its state or inputs are not finite."""
    if not isinstance(m, MjModel) or not isinstance(d, MjData):
        raise TypeError(f"derivatives need an MjModel and an MjData, not {type(m).__name__}, {type(d).__name__}")
    if d.sizes is not m.sizes and d.sizes != m.sizes:
        raise ArgumentError("the data was created for a model with other sizes: create new data with MjData(m)")
    check_awake(m.memory)
    known = _views.get(d.world)
    if known is None:
        views = {name: d.world.data.view(name).reshape(-1) for name in FINITE}
        known = _views[d.world] = {name: view for name, view in views.items() if view.size}
    for name, value in known.items():
        # a sum is faster than testing each number
        if not isfinite(np.add.reduce(value)) and not np.isfinite(value).all():
            place = int(np.flatnonzero(~np.isfinite(value))[0])
            raise FatalError(
                f"{name}[{place}] is {value[place]}: there are no derivatives there; set finite numbers, or call "
                "mj_resetData"
            )
    return d


def hint(name: str, rows: np.ndarray, size: int) -> str:
    """Return a hint about the likely cause of a vector's wrong size, or ""."""
    if name == "qpos" and rows.ndim and rows.shape[-1] > size:
        return ": directions of positions have nv numbers, like velocities"
    return ""
