"""States of the worlds of a batch: resets, snapshots, and exchange with `MjData`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from conjoint.api.argument_kinds import Real
from conjoint.api.arguments import Seed, checked
from conjoint.api.functions.support import mj_integratePos
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel, model_in
from conjoint.api.objects.records import ContactCopies, MjContact
from conjoint.api.objects.struct import fields_of
from conjoint.batch.arrays import LASTING, OF_SLEEP, Arrays
from conjoint.batch.fields import WorldFields
from conjoint.batch.pipeline import Workspace
from conjoint.batch.varied_models import Varied
from conjoint.batch.world_set import WorldSet
from conjoint.lang.errors import ArgumentError
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.runtime.reset import keyframe
from conjoint.runtime.sleep import check_rests

NOISE = 0.01
"""Standard deviation of the random changes in initial states, in the units of tangent coordinates and velocities."""

Noise = Annotated[float, Real(0)]

Snapshot = dict[str, np.ndarray]
"""Values of some worlds by field; varying model rows have the prefix `model.`."""

MODEL = "model."

SHARED = tuple(name for name, field in LASTING.items() if field.public or name in OF_SLEEP)
"""Names of fields that the next step depends on and that `MjData` also has."""


class WorldExchange(WorldFields):
    """Methods of `Batch` that set and return the state of worlds."""

    model: MjModel

    @checked
    def reset(
        self, *, key: int | None = None, seed: Seed | None = None, noise: Noise = NOISE, worlds: object = None
    ) -> None:
        """Set worlds to the reference configuration or a keyframe, or to a random state near it.

        Args:
            key: index of the keyframe; None for qpos0 at rest.
            seed: seed of a random state. A world's state depends only on the seed and the world's id, not on the number
                of worlds. None for no randomness.
            noise: standard deviation of the random changes in positions, in tangent coordinates, and in velocities.
            worlds: selection of worlds, like an index of array rows: a mask, a slice, or one or several ids; None: all.

        Raises:
            ValueError: the mask has the wrong shape, or the world or keyframe does not exist.
        """
        with self._worlds.turn.held:
            chosen = chosen_worlds(worlds, self.nworld)
            plan, arrays = self._worlds.plan, self._worlds.arrays
            if key is not None and not 0 <= key < plan.sizes["nkey"]:
                raise ArgumentError(f"there is no keyframe {key}: the model has {plan.sizes['nkey']}")
            arrays.reset(chosen)
            if key is not None:
                arrays.write(dict(keyframe(plan, key)), chosen)
            if seed is not None:
                self._disturb(chosen, seed, noise)
            self._worlds.begun(chosen)

    def _disturb(self, chosen: np.ndarray, seed: int, noise: float) -> None:
        """Add random changes to the positions and velocities of some worlds."""
        for number in chosen.tolist():
            world = self[number]
            motion, velocity = noise * np.random.default_rng([seed, number]).standard_normal((2, world.qvel.size))
            position = world.qpos.astype(float)
            mj_integratePos(self.model, position, motion, 1.0)
            world.qpos, world.qvel = position, world.qvel + velocity

    def snapshot(self, worlds: Any = None) -> Snapshot:
        """Return copies of all fields from which worlds continue.

        These are the state, inputs, values of earlier steps, and varying model rows.

        Args:
            worlds: selection of worlds, as in `reset`; None: all. Rows are in the order of the selection.

        Raises:
            ValueError: the mask has the wrong shape, or the world does not exist.
        """
        with self._worlds.turn.held:
            return take(self._worlds.arrays, self._worlds.varied, chosen_worlds(worlds, self.nworld, twice=True))

    def restore(self, snapshot: Mapping[str, np.ndarray], *, worlds: Any = None) -> None:
        """Restore worlds from a snapshot of this batch, or of another batch of the same model.

        Args:
            snapshot: result of `snapshot`. It contains one world, which is copied to all selected worlds, or one world
                for each selected world.
            worlds: selection of worlds to restore, as in `reset`; None: all.

        Raises:
            ValueError: the snapshot has a different model or number of worlds.
        """
        if not isinstance(snapshot, Mapping):
            hint = ": set_data takes that" if isinstance(snapshot, MjData) else f": {snapshot!r:.60}"
            raise TypeError(f"a snapshot must come from `snapshot`, not be a {type(snapshot).__name__}{hint}")
        with self._worlds.turn.held:
            chosen = chosen_worlds(worlds, self.nworld)
            put(self._worlds.arrays, self._worlds.varied, chosen, snapshot)
            self._worlds.begun(chosen)

    @checked
    def set_data(self, data: MjData, *, worlds: object = None) -> None:
        """Set worlds to the state and inputs of an `MjData`.

        Args:
            data: data of a model with the same sizes.
            worlds: selection of worlds, as in `reset`; None: all.

        Raises:
            ValueError: the world does not exist, or the data belongs to a model with other sizes.
        """
        with self._worlds.turn.held:
            chosen = chosen_worlds(worlds, self.nworld)
            if data.sizes != self._worlds.plan.sizes:
                raise ArgumentError("the data belongs to another model: its sizes differ from those of the batch")
            from_data(data, self._worlds.arrays, chosen)
            self._worlds.begun(chosen)

    @checked
    def get_data(self, world: int) -> MjData:
        """Copy one world to a new `MjData`, with its model (`get_model`).

        The copy has the state and inputs of the world; `mj_forward` computes everything else, including contacts.

        Args:
            world: id of the world; negative ids count from the end.

        Raises:
            ValueError: the world does not exist.
        """
        with self._worlds.turn.held:
            data = MjData(self.get_model(world))
            fill_data(data, self._worlds.arrays, self._number(world))
            return data

    @checked
    def contact(self, world: int) -> ContactCopies:
        """Return copies of the contacts of one world in its last step, in the format of `MjData.contact`.

        They belong to the configuration at the start of the last step (or `forward`), like `ncon`. Contacts are
        computed on demand, by repeating the last call for this world alone.

        Args:
            world: id of the world; negative ids count from the end.

        Raises:
            ValueError: the world does not exist.
        """
        with self._worlds.turn.held:
            number = self._number(world)
            if self._worlds.last is None or self._worlds.fresh[number]:
                return contacts_of(None)
            return contacts_of(self._worlds.repeated(number))

    @checked
    def get_model(self, world: int) -> MjModel:
        """Return a copy of the model with the varying fields of one world, and the constants that depend on them.

        Args:
            world: id of the world; negative ids count from the end.

        Raises:
            ValueError: the world does not exist.
        """
        with self._worlds.turn.held:
            return model_in(self._worlds.model_of(self._number(world)))

    def _number(self, world: int) -> int:
        """Return the id of a world; negative ids count from the end."""
        return int(chosen_worlds(world, self.nworld)[0])


def chosen_worlds(worlds: Any, nworld: int, twice: bool = False) -> np.ndarray:
    """Convert a selection of worlds to their ids.

    Args:
        worlds: selection like an index of array rows: a mask, a slice, or one or several ids; None: all worlds.
            Negative ids count from the end.
        nworld: number of worlds.
        twice: True if a world may be selected more than once.

    Raises:
        TypeError: the selection is neither a mask, nor a slice, nor ids.
        ValueError: a mask has the wrong shape, a world does not exist, or it is selected twice.
    """
    every = np.arange(nworld)
    if worlds is None:
        return every
    try:
        given = np.atleast_1d(every[worlds] if isinstance(worlds, slice) else np.asarray(worlds))
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"select worlds by a mask of booleans, a slice or their numbers, not by {worlds!r:.60}"
        ) from None
    if given.dtype == bool:
        if given.shape != (nworld,):
            raise ArgumentError(f"the mask must have shape ({nworld},), not {given.shape}")
        return every[given]
    if not np.issubdtype(given.dtype, np.integer) and given.size:
        raise TypeError(f"select worlds by a mask of booleans, a slice or their numbers, not by {given.dtype}")
    numbers = given.ravel().astype(np.int64)
    missing = numbers[(numbers < -nworld) | (numbers >= nworld)]
    if missing.size:
        raise ArgumentError(f"there is no world {missing[0]}: the batch has {nworld}")
    chosen = every[numbers]
    repeated = len(np.unique(chosen)) < chosen.size
    if repeated and (not twice or (chosen.size == nworld and chosen.max() == 1)):
        raise ArgumentError("a world is repeated; for a mask, use booleans instead of integers")
    return chosen


def take(arrays: Arrays, varied: Varied, chosen: np.ndarray) -> Snapshot:
    """Return all fields from which the chosen worlds continue, with rows in the order of `chosen`."""
    taken = {name: array[chosen] for name, array in arrays.lasting.items()}
    return taken | {MODEL + name: varied.arrays[name][chosen] for name in varied.names}


def put(arrays: Arrays, varied: Varied, chosen: np.ndarray, snapshot: Mapping[str, np.ndarray]) -> None:
    """Write a snapshot to the chosen worlds; fields that it lacks get initial values.

    The snapshot contains one world, or one world for each chosen world.

    Raises:
        ValueError: the snapshot has unknown fields, fields of another shape, or another number of worlds.
    """
    rows = {name.removeprefix(MODEL): array for name, array in snapshot.items() if name.startswith(MODEL)}
    fields = {name: array for name, array in snapshot.items() if not name.startswith(MODEL)}
    unknown = sorted(({*fields} - {*LASTING}) | ({*rows} - {*varied.names}))
    if unknown or {*varied.names} - {*rows}:
        raise ArgumentError(f"the snapshot belongs to another batch: it has {unknown or 'not all rows that vary here'}")
    shapes = {name: arrays.shape(name) for name in fields} | {name: varied.arrays[name].shape[1:] for name in rows}
    for name, array in (fields | rows).items():
        if np.shape(array)[1:] != shapes[name]:
            raise ArgumentError(
                f"the snapshot belongs to another model: {name} has {np.shape(array)[1:]}, not {shapes[name]}"
            )
    wrong = [len(array) for array in snapshot.values() if len(array) not in (1, chosen.size)]
    if wrong:
        raise ArgumentError(
            f"the snapshot has {wrong[0]} worlds, but {chosen.size} are selected; only a single world can be copied to "
            "several worlds"
        )
    if "tree_rest" in fields:
        check_rests(fields["tree_rest"], "the snapshot")
    for name, array in rows.items():
        varied.expose(name)[chosen] = array
    arrays.reset(chosen)
    arrays.write(fields, chosen)


def fill_data(data: MjData, arrays: Arrays, world: int) -> None:
    """Fill an `MjData` with the fields from which a world continues."""
    for name in SHARED:
        if name in arrays.lasting:
            data.world.data.view(name)[...] = arrays.lasting[name][world]
    # everything else about sleeping trees is out of date
    data.world.data.view("sleep_known")[...] = 0


def fill_world(model: MjModel, data: MjData, worlds: WorldSet, world: int) -> None:
    """Copy a world's varying model fields to `model`, which is writable, and its state and inputs to `data`."""
    for name in worlds.varied.all:
        model.memory.view(name)[...] = worlds.varied.arrays[name][world]
    fill_data(data, worlds.arrays, world)


def contacts_of(space: Workspace | None) -> ContactCopies:
    """Return copies of the contacts of the first world of a block; no contacts if there is no block."""
    count = 0 if space is None else int(space.data.view("ncon").reshape(-1)[0])
    fields = tuple(fields_of(MjContact).values())
    buffer = Buffer(Layout(fields, {str(field.shape[0]): count for field in fields}))
    if space is not None:
        for field in fields:
            view, lanes = space.arena.view(field.name), field.lanes(space.arena.layout.lanes)
            buffer.view(field.name)[...] = view.reshape(*view.shape[: view.ndim - (lanes > 1)], lanes)[:count, ..., 0]
    return ContactCopies(buffer, 0, count)


def from_data(data: MjData, arrays: Arrays, chosen: np.ndarray) -> None:
    """Copy the state and inputs of an `MjData` to the chosen worlds."""
    names = [name for name in SHARED if name in arrays.lasting or name not in OF_SLEEP]
    arrays.write({name: data.world.data.view(name) for name in names}, chosen)
