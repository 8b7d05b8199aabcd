"""Worlds of a batch taken out and put back: as snapshots, and as the `MjData` of one world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.records import ContactCopies, MjContact
from conjoint.api.objects.struct import fields_of
from conjoint.batch.arrays import LASTING, Arrays
from conjoint.batch.varied_models import Varied
from conjoint.batch.workspace import Workspace
from conjoint.lang import FatalError
from conjoint.lang.memory.layout import Buffer, Layout

Snapshot = dict[str, np.ndarray]
"""Numbers of some worlds by name of field; of rows of the model that vary, `model.` stands before the name."""

MODEL = "model."

SHARED = tuple(name for name, field in LASTING.items() if field.public)
"""What a world goes on from, and an `MjData` has."""


def chosen_worlds(worlds: Any, nworld: int) -> np.ndarray:
    """Worlds chosen by a mask, a number or numbers, as a mask of shape (nworld,); all if None.

    Raises:
        FatalError: a mask of another shape, or the number of a world that there is not, or twice.
    """
    if worlds is None:
        return np.ones(nworld, bool)
    try:
        given = np.atleast_1d(np.asarray(worlds))
    except (TypeError, ValueError, OverflowError):
        raise FatalError(
            f"worlds are chosen by a mask of booleans or by their numbers, not by {worlds!r:.60}"
        ) from None
    if given.dtype == bool:
        if given.shape != (nworld,):
            raise FatalError(f"the mask must have shape ({nworld},), not {given.shape}")
        return given
    if not np.issubdtype(given.dtype, np.integer) and given.size:
        raise FatalError(f"worlds are chosen by a mask of booleans or by their numbers, not by {given.dtype}")
    missing = [int(world) for world in given.ravel() if not 0 <= world < nworld]
    if missing:
        raise FatalError(f"there is no world {missing[0]}: the batch has {nworld}")
    if len(np.unique(given)) < given.size:
        raise FatalError("a world is named twice; a mask must be of booleans, not of integers")
    mask = np.zeros(nworld, bool)
    mask[given.ravel().astype(int)] = True
    return mask


def take(arrays: Arrays, varied: Varied, mask: np.ndarray) -> Snapshot:
    """All that the worlds of a mask go on from."""
    taken = {name: array[mask] for name, array in arrays.lasting.items()}
    return taken | {MODEL + name: varied.arrays[name][mask] for name in varied.names}


def put(arrays: Arrays, varied: Varied, mask: np.ndarray, snapshot: Mapping[str, np.ndarray]) -> None:
    """Put a snapshot of as many worlds into those of a mask; what it lacks is as at the beginning.

    Raises:
        FatalError: it has other fields, or another number of worlds.
    """
    count = int(mask.sum())
    rows = {name.removeprefix(MODEL): array for name, array in snapshot.items() if name.startswith(MODEL)}
    fields = {name: array for name, array in snapshot.items() if not name.startswith(MODEL)}
    unknown = sorted(({*fields} - {*LASTING}) | ({*rows} - {*varied.names}))
    if unknown or {*varied.names} - {*rows}:
        raise FatalError(f"the snapshot is of another batch: it has {unknown or 'not all rows that vary here'}")
    wrong = [name for name, array in snapshot.items() if len(array) != count]
    if wrong:
        raise FatalError(f"the snapshot has {len(snapshot[wrong[0]])} worlds, but {count} are chosen")
    for name, array in rows.items():
        varied.lend(name)[mask] = array
    arrays.reset(mask)
    arrays.write(fields, mask)


def fill_data(data: MjData, arrays: Arrays, world: int) -> None:
    """Give an `MjData` what a world goes on from."""
    for name in SHARED:
        if name in arrays.lasting:
            data.world.data.view(name)[...] = arrays.lasting[name][world]


def contacts_of(space: Workspace | None) -> ContactCopies:
    """Copies of the contacts that the first world of a block has; none where there is no block."""
    count = 0 if space is None else int(space.data.view("ncon").reshape(-1)[0])
    fields = tuple(fields_of(MjContact).values())
    buffer = Buffer(Layout(fields, {str(field.shape[0]): count for field in fields}))
    if space is not None:
        for field in fields:
            view, lanes = space.arena.view(field.name), field.lanes(space.arena.layout.lanes)
            buffer.view(field.name)[...] = view.reshape(*view.shape[: view.ndim - (lanes > 1)], lanes)[:count, ..., 0]
    return ContactCopies(buffer, 0, count)


def from_data(data: MjData, arrays: Arrays, world: int) -> None:
    """Let a world go on from what an `MjData` has."""
    one = np.arange(arrays.nworld) == world
    arrays.write({name: data.world.data.view(name) for name in SHARED}, one)
