"""What a batch keeps of its worlds: an array for each field, with a row for each world; rows taken out and put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.records import ContactCopies, MjContact
from conjoint.api.objects.struct import fields_of
from conjoint.batch.pipeline import Workspace
from conjoint.batch.varied_models import Varied
from conjoint.lang import FatalError
from conjoint.lang.memory.layout import Buffer, Field, Layout, Lifetime, Role
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import initial_values
from conjoint.runtime.sleep import check_rests, may_sleep
from conjoint.runtime.sleep_start import resting_start
from conjoint.schema.data import DATA_ROWS, SLEEP_ROWS

NOT_RUN = frozenset({"mj_setLengthRange"})
"""Functions that go from step to step, and that batches do not have."""

LASTING = {
    field.name: field
    for field in DATA_ROWS
    if field.role in (Role.STATE, Role.INPUT)
    or (
        (field.role is not Role.STRUCTURE and field.lifetime is Lifetime.KEPT and not field.uniform)
        and not NOT_RUN.issuperset(field.stages)
    )
}
"""Fields that a step goes on from: state, inputs, and what stages keep for later steps."""

OF_SLEEP = frozenset(field.name for field in SLEEP_ROWS) & LASTING.keys()
"""Those of them that worlds have whose trees may sleep."""

LIVE = frozenset(field.name for field in LASTING.values() if field.role in (Role.STATE, Role.INPUT))
"""State and inputs: arrays that a user may write to."""

READABLE = {
    field.name: field
    for field in DATA_ROWS
    # which boxes a step looked at is found when an `MjData` is asked
    if field.public and field.role is not Role.STRUCTURE and field.name != "bvh_active"
}
"""Fields that a batch shows: those of contacts and constraints, and what follows from the model, are `MjData`'s."""

LASTING_OR_READ = READABLE | LASTING
"""Fields that have an array, or may have one."""


class Arrays:
    """Arrays by name of field.

    Inputs have an array once somebody asks for it; until then they are what they begin with, in every world.

    Args:
        plan: the model.
        layout: of a block, which says how the numbers of a field are stored.
        nworld: number of worlds.
        varied: numbers of the model of which worlds have their own.

    Attributes:
        lasting: what a step goes on from.
        before: what of it came into the last call: with it the call can be repeated.
        results: what was asked for beside it.
    """

    def __init__(self, plan: Plan, layout: Layout, nworld: int, varied: Varied):
        self.layout, self.nworld, self.varied = layout, nworld, varied
        self.initial = dict(initial_values(plan)) | resting_start(plan)
        self.lasting: dict[str, np.ndarray] = {}
        self.before: dict[str, np.ndarray] = {}
        self.results: dict[str, np.ndarray] = {}
        for field in LASTING.values():
            if field.role is not Role.INPUT and (field.name not in OF_SLEEP or may_sleep(plan.model)):
                self.add_lasting(field.name)
        # what worlds begin with each its own no longer is what it is in the workspace
        for name, _ in varied.initial_values():
            self.add_lasting(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a field of one world."""
        shape: tuple[int, ...] = self.layout.place(name)[0]
        return shape[:-1] if LASTING_OR_READ[name].lanes(self.layout.lanes) > 1 else shape

    def new(self, field: Field) -> np.ndarray:
        """Zeros for a field: a row for each world."""
        return np.zeros((self.nworld, *self.shape(field.name)), self.layout.place(field.name)[1])

    def add_lasting(self, name: str) -> None:
        """Have arrays for a field that lasts, in which all worlds are as they begin."""
        self.lasting[name], self.before[name] = self.new(LASTING[name]), self.new(LASTING[name])
        initial = self.initial | dict(self.varied.initial_values())
        if name in initial:
            self.lasting[name][...] = self.before[name][...] = initial[name]

    def add_result(self, name: str) -> None:
        """Keep field `name` from now on."""
        self.results[name] = self.new(READABLE[name])

    def reset(self, chosen: np.ndarray) -> None:
        """Put the worlds of these numbers into the initial state: zero, but for what starts from the model."""
        for array in (*self.lasting.values(), *self.results.values()):
            array[chosen] = 0
        self.write({name: value for name, value in self.initial.items() if name in self.lasting}, chosen)
        self.write({name: values[chosen] for name, values in self.varied.initial_values()}, chosen)

    def write(self, values: Mapping[str, np.ndarray], chosen: np.ndarray) -> None:
        """Write numbers, of one world or of as many, into the worlds of these numbers."""
        for name, value in values.items():
            if name not in self.lasting:
                self.add_lasting(name)
            self.lasting[name][chosen] = value

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        own = sum(array.nbytes for group in (self.lasting, self.before, self.results) for array in group.values())
        return own + self.varied.nbytes


Snapshot = dict[str, np.ndarray]
"""Numbers of some worlds by name of field; of rows of the model that vary, `model.` stands before the name."""

MODEL = "model."

SHARED = tuple(name for name, field in LASTING.items() if field.public or name in OF_SLEEP)
"""What a world goes on from, and an `MjData` has."""


def chosen_worlds(worlds: Any, nworld: int, twice: bool = False) -> np.ndarray:
    """Numbers of the worlds that are chosen as rows of an array are: by a mask, a slice, a number or numbers.

    Args:
        worlds: the choice; all worlds if None. Negative numbers count from the end.
        nworld: number of worlds.
        twice: whether a world may be named more than once.

    Raises:
        FatalError: a mask of another shape, or the number of a world that there is not, or twice.
    """
    every = np.arange(nworld)
    if worlds is None:
        return every
    try:
        given = np.atleast_1d(every[worlds] if isinstance(worlds, slice) else np.asarray(worlds))
    except (TypeError, ValueError, OverflowError):
        raise FatalError(
            f"worlds are chosen by a mask of booleans, a slice or their numbers, not by {worlds!r:.60}"
        ) from None
    if given.dtype == bool:
        if given.shape != (nworld,):
            raise FatalError(f"the mask must have shape ({nworld},), not {given.shape}")
        return every[given]
    if not np.issubdtype(given.dtype, np.integer) and given.size:
        raise FatalError(f"worlds are chosen by a mask of booleans, a slice or their numbers, not by {given.dtype}")
    numbers = given.ravel().astype(np.int64)
    missing = numbers[(numbers < -nworld) | (numbers >= nworld)]
    if missing.size:
        raise FatalError(f"there is no world {missing[0]}: the batch has {nworld}")
    chosen = every[numbers]
    repeated = len(np.unique(chosen)) < chosen.size
    if repeated and (not twice or (chosen.size == nworld and chosen.max() == 1)):
        raise FatalError("a world is named twice; a mask must be of booleans, not of integers")
    return chosen


def take(arrays: Arrays, varied: Varied, chosen: np.ndarray) -> Snapshot:
    """All that some worlds go on from, in the order in which they are chosen."""
    taken = {name: array[chosen] for name, array in arrays.lasting.items()}
    return taken | {MODEL + name: varied.arrays[name][chosen] for name in varied.names}


def put(arrays: Arrays, varied: Varied, chosen: np.ndarray, snapshot: Mapping[str, np.ndarray]) -> None:
    """Put a snapshot, of one world or of as many, into some worlds; what it lacks is as at the beginning.

    Raises:
        FatalError: it has other fields, fields of another shape, or another number of worlds.
    """
    rows = {name.removeprefix(MODEL): array for name, array in snapshot.items() if name.startswith(MODEL)}
    fields = {name: array for name, array in snapshot.items() if not name.startswith(MODEL)}
    unknown = sorted(({*fields} - {*LASTING}) | ({*rows} - {*varied.names}))
    if unknown or {*varied.names} - {*rows}:
        raise FatalError(f"the snapshot is of another batch: it has {unknown or 'not all rows that vary here'}")
    shapes = {name: arrays.shape(name) for name in fields} | {name: varied.arrays[name].shape[1:] for name in rows}
    for name, array in (fields | rows).items():
        if np.shape(array)[1:] != shapes[name]:
            raise FatalError(f"the snapshot is of another model: {name} has {np.shape(array)[1:]}, not {shapes[name]}")
    wrong = [len(array) for array in snapshot.values() if len(array) not in (1, chosen.size)]
    if wrong:
        raise FatalError(f"the snapshot has {wrong[0]} worlds, but {chosen.size} are chosen; one may go into many")
    if "tree_rest" in fields:
        check_rests(fields["tree_rest"], "the snapshot")
    for name, array in rows.items():
        varied.lend(name)[chosen] = array
    arrays.reset(chosen)
    arrays.write(fields, chosen)


def fill_data(data: MjData, arrays: Arrays, world: int) -> None:
    """Give an `MjData` what a world goes on from."""
    for name in SHARED:
        if name in arrays.lasting:
            data.world.data.view(name)[...] = arrays.lasting[name][world]
    # of trees that sleep no more is known
    data.world.data.view("sleep_known")[...] = 0


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


def from_data(data: MjData, arrays: Arrays, chosen: np.ndarray) -> None:
    """Let some worlds go on from what an `MjData` has."""
    names = [name for name in SHARED if name in arrays.lasting or name not in OF_SLEEP]
    arrays.write({name: data.world.data.view(name) for name in names}, chosen)
