"""`Batch`: many worlds of one model, stepped together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from conjoint.api.arguments import Long, as_array, checked
from conjoint.api.objects.binary_check import first_wrong_id
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel, model_in
from conjoint.api.objects.records import ContactCopies
from conjoint.api.objects.summary import model_name, table
from conjoint.batch.arrays import Snapshot, chosen_worlds, contacts_of, fill_data, from_data, put, take
from conjoint.batch.attributes import WorldsAttributes
from conjoint.batch.fields import assign, attribute_names, check_field, read
from conjoint.batch.rendering import WorldRendering
from conjoint.batch.world_set import WorldSet
from conjoint.lang import FatalError
from conjoint.lang.memory.realisation import default_width
from conjoint.lang.system import processors
from conjoint.runtime.functions import with_forces
from conjoint.runtime.reset import keyframe

WIDTHS = (2, 4, 8, 16, 32, 64)
"""Worlds in a block: what vector registers can be asked for."""


class Batch(WorldsAttributes, WorldRendering):
    """Many worlds of one model, in blocks as wide as the CPU's vector registers, spread over threads.

    State and inputs (qpos, qvel, act, ctrl, ...) are arrays of shape `(nworld, n)` that may be read and written in
    place between calls. Every other field of `MjData` of fixed size is read as an attribute, a fresh copy of shape
    `(nworld, ...)`: `batch.xpos`, `batch.sensordata`, `batch.ncon`. A field is kept once it has been read, or from the
    start if `keep` names it; the first reading repeats the last call to find it. Elements are found by name or number,
    as those of `MjData`: `batch.joint("knee").qpos` has a row for each world.

    Several threads of a program may use a batch: a call waits until that of another thread has ended.

    A world is alone: no bit of its results depends on the other worlds, on their number or on that of threads. Worlds
    that will need equally much work, judged by a forecast of their constraint rows, share a block.

    Args:
        model: the model; the batch works on a copy of it as it is now.
        nworld: number of worlds, at least 1.
        precision: "float64" or "float32".
        nthread: threads; by default as many as processors that the process may use.
        width: worlds in a block; by default what fills a vector register. Large scenes step one by one, and so do all
            uncompiled.
        keep: names of fields to keep after every step.
        vary: names of fields of the model of which every world has its own, such as "body_mass", "geom_friction" or
            "opt.gravity". They are arrays of shape `(nworld, ...)` that may be written in place: `batch.body_mass`,
            `batch.opt.gravity`. Constants that follow from them are found anew where they change (mj_setConst).

    Raises:
        FatalError: an argument is out of range, worlds cannot differ in a field of `vary`, or the model cannot be
            simulated yet.
        AttributeError: `keep` names a field that a batch does not have.
    """

    @checked
    def __init__(
        self,
        model: MjModel,
        nworld: Long,
        precision: str = "float64",
        nthread: int | None = None,
        width: int | None = None,
        keep: Sequence = (),
        vary: Sequence = (),
    ):
        if precision not in ("float64", "float32"):
            raise FatalError(f"precision must be 'float64' or 'float32', not {precision!r}")
        if nworld < 1:
            raise FatalError(f"a batch has at least one world, not {nworld}")
        if nthread is not None and nthread < 1:
            raise FatalError(f"a batch runs on at least one thread, not {nthread}")
        if width is not None and width not in WIDTHS:
            raise FatalError(f"the width of a block is a power of two from 2 to 64, not {width}")
        for argument, names in (("keep", keep), ("vary", vary)):
            if isinstance(names, str):
                raise TypeError(f"Batch: {argument} must be a list of names: [{names!r}]")
            if any(not isinstance(name, str) for name in names):
                raise TypeError(f"Batch: {argument} must be a list of names of fields, not {names!r}")
        if wrong := first_wrong_id(model.memory):
            raise FatalError(f"the model was changed to what cannot be simulated: {wrong}; set it back")
        nthread, width = nthread or processors(), width or default_width(precision)
        self.model, self.nworld, self.precision, self.nthread = model, nworld, precision, nthread
        self.dtype = np.dtype(precision)
        try:
            worlds = self._made_worlds(width, vary)
            for name in keep:
                check_field(name)
                worlds.keep(name)
            # what is kept decides which stages run
            worlds.pipelines("mj_step")
        except MemoryError as error:
            raise FatalError(f"no memory for {nworld} worlds of this model ({error}): make a batch of fewer") from None
        self.width = worlds.work.width
        self._worlds = worlds
        self.reset()

    def _made_worlds(self, width: int, vary: Sequence[str]) -> WorldSet:
        """Memory of all worlds, and what runs on it."""
        return WorldSet(self.model.memory, self.nworld, self.precision, self.nthread, width, vary)

    # ---- running

    @checked
    def step(self, nstep: int = 1, forces: bool = False) -> None:
        """Advance every world by `nstep` timesteps, with the controls as they are.

        Args:
            nstep: number of timesteps.
            forces: whether mj_rnePostConstraint runs too, for `cfrc_ext`, `cfrc_int` and `cacc`.
        """
        if nstep < 0:
            raise FatalError(f"the number of steps is at least 0, not {nstep}")
        if nstep:
            with self._worlds.turn.held:
                self._worlds.run(with_forces("mj_step") if forces else "mj_step", nstep)

    def forward(self, worlds: Any = None, forces: bool = False) -> None:
        """Forward dynamics, without integration.

        Args:
            worlds: which worlds, as in `reset`; all if None. No others are touched.
            forces: whether mj_rnePostConstraint runs too, for `cfrc_ext`, `cfrc_int` and `cacc`.

        Raises:
            FatalError: the mask has another shape, or there is no such world.
        """
        with self._worlds.turn.held:
            name, chosen = with_forces("mj_forward") if forces else "mj_forward", chosen_worlds(worlds, self.nworld)
            if len(np.unique(chosen)) == self.nworld:
                self._worlds.run(name)
            elif len(chosen):
                self._worlds.run_some(name, chosen)

    def inverse(self, qacc: np.ndarray) -> np.ndarray:
        """Inverse dynamics of every world: the forces that cause given accelerations.

        Args:
            qacc: accelerations, shape (nworld, nv), or what broadcasts to it.

        Returns:
            `qfrc_inverse`, shape (nworld, nv).

        Raises:
            FatalError: `qacc` has another shape.
        """
        worlds, arrays = self._worlds, self._worlds.arrays
        with worlds.turn.held:
            given = arrays.lasting["qacc"]
            try:
                given[...] = as_array("accelerations", qacc)
            except ValueError:
                raise FatalError(f"accelerations must have shape {given.shape}, not {np.shape(qacc)}") from None
            if "qfrc_inverse" not in arrays.results:
                worlds.keep("qfrc_inverse")
            worlds.run("mj_inverse")
            return arrays.results["qfrc_inverse"].copy()

    @overload
    def rollout(
        self, ctrl: np.ndarray, state: str = "qpos", progress: Callable[[int], None] | None = None
    ) -> np.ndarray: ...
    @overload
    def rollout(self, ctrl: np.ndarray, state: None, progress: Callable[[int], None] | None = None) -> None: ...
    def rollout(
        self, ctrl: np.ndarray, state: str | None = "qpos", progress: Callable[[int], None] | None = None
    ) -> np.ndarray | None:
        """Advance through a sequence of controls.

        Args:
            ctrl: controls, shape (nstep, nworld, nu).
            state: field to record after every step, None for nothing.
            progress: called after every step with the number of those done.

        Returns:
            The field after every step, shape (nstep, nworld, ...), or None.
        """
        return self._recorded(self._sequence(ctrl), state, progress)

    def _recorded(
        self, ctrl: np.ndarray, state: str | None, progress: Callable[[int], None] | None
    ) -> np.ndarray | None:
        """Do what `rollout` does, with controls of the right shape."""
        with self._worlds.turn.held:
            recorded = []
            for done, controls in enumerate(ctrl, 1):
                self.ctrl[...] = controls
                self.step()
                if state is not None:
                    recorded.append(np.array(getattr(self, state)))
                if progress is not None:
                    progress(done)
            return np.array(recorded) if state is not None else None

    def _sequence(self, ctrl: np.ndarray) -> np.ndarray:
        """Controls of all worlds, step by step, of the right shape."""
        shape = (self.nworld, int(self._worlds.plan.view("nu")))
        controls = as_array("controls", ctrl)
        if controls.ndim != 3 or controls.shape[1:] != shape:
            raise FatalError(f"controls must have shape (nstep, {shape[0]}, {shape[1]}), not {controls.shape}")
        return controls

    # ---- state

    def reset(self, worlds: Any = None, key: int | None = None) -> None:
        """Put worlds into the reference configuration, or into a keyframe.

        Args:
            worlds: which worlds: a mask, a slice, a number or numbers, as rows of an array are chosen; all if None.
            key: index of the keyframe; None for qpos0 at rest.

        Raises:
            FatalError: the mask has another shape, or there is no such world or keyframe.
        """
        with self._worlds.turn.held:
            chosen = chosen_worlds(worlds, self.nworld)
            nkey = self._worlds.plan.sizes["nkey"]
            if key is not None and not isinstance(key, int | np.integer):
                raise TypeError(f"a keyframe is chosen by its index, not by {key!r:.60}")
            if key is not None and not 0 <= key < nkey:
                raise FatalError(f"there is no keyframe {key}: the model has {nkey}")
            self._worlds.arrays.reset(chosen)
            if key is not None:
                self._worlds.arrays.write(dict(keyframe(self._worlds.plan, key)), chosen)
            self._worlds.begun(chosen)

    def snapshot(self, worlds: Any = None) -> Snapshot:
        """Copies of all that worlds go on from: state, inputs, what stages keep from step to step, and rows that vary.

        Args:
            worlds: which worlds: a mask, a slice, a number or numbers, as rows of an array are chosen; all if None.
                Rows come in the order of the numbers.

        Raises:
            FatalError: the mask has another shape, or there is no such world.
        """
        with self._worlds.turn.held:
            return take(self._worlds.arrays, self._worlds.varied, chosen_worlds(worlds, self.nworld, twice=True))

    def restore(self, snapshot: Mapping[str, np.ndarray] | MjData, worlds: Any = None) -> None:
        """Put a snapshot, of this batch or another one of the same model, into worlds: they go on from there.

        Args:
            snapshot: what `snapshot` returned: of one world, which goes into every chosen one, or of as many. Or an
                `MjData`, whose state and inputs go into every chosen world.
            worlds: which worlds: a mask, a slice, a number or numbers, as rows of an array are chosen; all if None.

        Raises:
            FatalError: the snapshot is of another batch, or of another number of worlds.
        """
        if isinstance(snapshot, MjData):
            self.set_data(worlds, snapshot)
            return
        with self._worlds.turn.held:
            if not isinstance(snapshot, Mapping):
                raise TypeError(f"a snapshot is what `snapshot` returned, or an MjData, not {snapshot!r:.60}")
            chosen = chosen_worlds(worlds, self.nworld)
            put(self._worlds.arrays, self._worlds.varied, chosen, snapshot)
            self._worlds.begun(chosen)

    @checked
    def get_data(self, world: int) -> MjData:
        """One world as an `MjData` of its own, with its model (`get_model`).

        It has the state and inputs that the batch goes on from; `mj_forward` computes all else, contacts too.

        Args:
            world: number of the world; negative numbers count from the end.

        Raises:
            FatalError: there is no such world.
        """
        with self._worlds.turn.held:
            data = MjData(self.get_model(world))
            fill_data(data, self._worlds.arrays, self._number(world))
            return data

    @checked
    def contact(self, world: int) -> ContactCopies:
        """Copies of the contacts that one world had in its last step, as `MjData.contact` lists them.

        They are those that `ncon` counts: of the configuration in which the last step (or `forward`) began. The last
        call is repeated for this world alone, so that nobody pays for contacts who does not ask.

        Args:
            world: number of the world; negative numbers count from the end.

        Raises:
            FatalError: there is no such world.
        """
        with self._worlds.turn.held:
            number = self._number(world)
            if self._worlds.last is None or self._worlds.fresh[number]:
                return contacts_of(None)
            return contacts_of(self._worlds.repeated(number))

    def _number(self, world: int) -> int:
        """The number of a world, which may be counted from the end."""
        return int(chosen_worlds(world, self.nworld)[0])

    @checked
    def set_data(self, world: object, data: MjData) -> None:
        """Let worlds go on from the state and inputs of an `MjData`.

        Args:
            world: which worlds: a mask, a slice, a number or numbers, as rows of an array are chosen; all if None.
            data: of a model of the same sizes.

        Raises:
            FatalError: there is no such world, or the data is of a model of other sizes.
        """
        with self._worlds.turn.held:
            chosen = chosen_worlds(world, self.nworld)
            if data.sizes != self._worlds.plan.sizes:
                raise FatalError("the data is of another model: its sizes are not those of the batch's")
            from_data(data, self._worlds.arrays, chosen)
            self._worlds.begun(chosen)

    @checked
    def get_model(self, world: int) -> MjModel:
        """The model of one world, as the batch simulates it: a copy with what varies, and what follows from it.

        Args:
            world: number of the world; negative numbers count from the end.

        Raises:
            FatalError: there is no such world.
        """
        with self._worlds.turn.held:
            return model_in(self._worlds.model_of(self._number(world)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"a batch has no attribute {name!r}")
        worlds = self._worlds
        with worlds.turn.held:
            return read(self, worlds, name)

    def __repr__(self) -> str:
        name = model_name(self.model.memory)
        return f"<conjoint.{type(self).__name__} of {name!r}: {self.nworld} worlds, {self.precision}>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        arrays, varied = self._worlds.arrays, self._worlds.varied
        times = arrays.lasting["time"]
        span = f"{times.min():g} s" if times.min() == times.max() else f"{times.min():g} to {times.max():g} s"
        size = f"{self.width} worlds in a block, {self.nthread} threads, {self._worlds.nbytes / 2**20:.1f} MB"
        rows = [("worlds", f"{self.nworld}, {self.precision}"), ("memory", size), ("time", span)]
        rows += [("varied", ", ".join(varied.names) or "nothing"), ("kept", ", ".join(arrays.results) or "the state")]
        return table(f"{type(self).__name__} of {model_name(self.model.memory)!r}", rows)

    def __dir__(self) -> list[str]:
        own = [name for name in super().__dir__() if not name.startswith("_") or name.startswith("__")]
        return [*own, *attribute_names(self._worlds)]

    def __setattr__(self, name: str, value: Any) -> None:
        worlds = self.__dict__.get("_worlds")
        if worlds is None or name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        with worlds.turn.held:
            if assign(worlds, name, value):
                return
        if hasattr(self, name):
            raise AttributeError(f"{name!r} of a batch cannot be set: make another batch")
        check_field(name)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the model as the batch simulates it, worlds in the same state, and keeps the same fields."""
        with self._worlds.turn.held:
            model = model_in(self._worlds.model_of())
            width = self.width if self.width > 1 else None
            kept, varied = [*self._worlds.arrays.results], self._worlds.varied.names
            made = model, self.nworld, self.precision, self.nthread, width, kept, varied
            return _restored, (made, self.snapshot())

    def close(self) -> None:
        """End the threads; a later call starts them again."""
        with self._worlds.turn.held:
            self._worlds.work.close()

    @property
    def nbytes_per_world(self) -> float:
        """Bytes of memory that each world takes, on average."""
        return self._worlds.nbytes / self.nworld


def worlds_of(batch: Batch) -> WorldSet:
    """The memory of the worlds of a batch, and what runs on it."""
    return batch._worlds


def _restored(arguments: tuple[Any, ...], snapshot: Snapshot) -> Batch:
    """Inverse of pickling a batch."""
    batch = Batch(*arguments)
    batch.restore(snapshot)
    return batch
