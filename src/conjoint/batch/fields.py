"""Attributes of a batch: which there are, what they read, and which can be set."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.arguments import store
from conjoint.batch.arrays import LIVE, READABLE
from conjoint.batch.elements import ACCESSORS, accessor
from conjoint.batch.varied_models import MODEL, VARIABLE, Group, grouped
from conjoint.batch.world_set import WorldSet
from conjoint.lang import FatalError
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.spec.problems import suggestion

STEP_ONLY = frozenset(field.name for field in (*DATA_ROWS, *ARENA_ROWS) if field.public) - READABLE.keys()
"""Fields that only the workspace holds, and for some world only."""

GROUPS = {group: grouped(READABLE, group) for group in {name.partition(".")[0] for name in READABLE if "." in name}}
"""Names of fields in groups, by group: "number" of "warning"."""


def check_field(name: str) -> None:
    """Raise AttributeError unless a batch has field `name`."""
    if name not in READABLE:
        hint = "; only MjData keeps it after a step" if name in STEP_ONLY else suggestion(name, READABLE)
        if name in VARIABLE:
            hint = f"; worlds share that of the model, unless the batch is made with vary=[{name!r}]"
        if members := grouped((row for row in MODEL if row in VARIABLE), name):
            hint = f"; worlds share those of the model, unless the batch is made with vary=['{name}.{members[0]}']"
        raise AttributeError(f"a batch has no field {name!r}{hint}")


def attribute_names(worlds: WorldSet) -> list[str]:
    """Names of the fields of the worlds, of rows that vary and their groups, and of what finds elements."""
    rows = {name.partition(".")[0] for name in (*READABLE, *worlds.varied.all)}
    return sorted(rows | {*ACCESSORS})


def read(batch: Any, worlds: WorldSet, name: str) -> Any:
    """What an attribute of a batch is that is no attribute of the object itself.

    Raises:
        AttributeError: there is none.
    """
    varied, arrays = worlds.varied, worlds.arrays
    if name in varied.names:
        return varied.lend(name)
    if name in varied.derived:
        worlds.constants.follow()
        return varied.arrays[name].copy()
    if members := GROUPS.get(name) or grouped(varied.all, name):
        return Group(batch, name, members)
    if name in ACCESSORS:
        return accessor(batch, name, LIVE.union(varied.names))
    check_field(name)
    if name in LIVE:
        return worlds.live(name)
    if name not in arrays.results:
        if name in arrays.lasting:
            return arrays.lasting[name].copy()
        worlds.find(name)
    return arrays.results[name].copy()


def assign(worlds: WorldSet, name: str, value: Any) -> bool:
    """Set a field of a batch, or a row that varies; False if the name is of neither.

    Raises:
        FatalError: it can only be read.
    """
    array: np.ndarray
    if name in LIVE:
        array = worlds.live(name)
    elif name in worlds.varied.names:
        array = worlds.varied.lend(name)
    elif name in worlds.varied.derived:
        raise FatalError(f"{name!r} of a batch cannot be set: it follows from {', '.join(worlds.varied.sources)}")
    elif name in READABLE:
        raise FatalError(f"{name!r} of a batch cannot be set: the next step computes it")
    else:
        return False
    store(name, array, value)
    return True
