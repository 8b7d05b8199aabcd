"""`Batch`: many worlds of one model, stepped together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from conjoint.api.arguments import (
    FieldNames,
    Precision,
    StepCount,
    ThreadCount,
    WorldCount,
    as_array,
    checked,
    given,
    store,
)
from conjoint.api.objects.binary_check import first_wrong_id
from conjoint.api.objects.model import MjModel, model_in
from conjoint.api.objects.summary import model_name, table
from conjoint.batch.arrays import LIVE, READABLE
from conjoint.batch.exchange import Snapshot, WorldExchange, chosen_worlds
from conjoint.batch.fields import check_field
from conjoint.batch.rendering import WorldRendering
from conjoint.batch.world_set import WorldSet
from conjoint.lang import FatalError
from conjoint.lang.errors import ArgumentError
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.memory.realisation import default_width
from conjoint.lang.system import processors
from conjoint.runtime.functions import with_forces

LANES = (1, 2, 4, 8, 16, 32, 64)
"""Allowed numbers of worlds in a block: one, or as many as fill vector registers."""

derivative = Name("conjoint.derivative")


class Batch(WorldExchange, WorldRendering):
    """Many worlds of one model, in blocks as wide as the CPU's vector registers, stepped by several threads.

    State and inputs (qpos, qvel, act, ctrl, ...) are arrays of shape `(nworld, n)` that may be read and written in
    place between calls. Every other fixed-size field of `MjData` is an attribute that returns a new read-only copy of
    shape `(nworld, ...)`: `batch.xpos`, `batch.sensordata`, `batch.ncon`. A field is recorded once it has been read, or
    from the start if `keep` names it; the first read repeats the last call to compute it. Elements are accessed by name
    or number, as in `MjData`: `batch.joint("knee").qpos` has a row for each world.

    `len(batch)` is the number of worlds; `batch[3]` is one of them, with the attributes of `MjData`. A `with` statement
    stops the threads when it ends. Several threads of a program may use a batch: its calls run one after another.

    Worlds are independent: no bit of a world's results depends on other worlds, on their number, or on the number of
    threads. Worlds with about equal work share a block, according to a forecast of their constraint rows.

    Args:
        model: the model; the batch works on a copy of its current state.
        nworld: number of worlds, at least 1.
        precision: "float64" or "float32".
        nthread: number of threads; by default the number of processors that the process may use.
        lanes: number of worlds in a block, a power of two up to 64; by default as many as fill a vector register. With
            1, worlds step one by one, bit for bit as with `mj_step`, as large scenes and uncompiled code always do.
        keep: names of fields to record after every step.
        vary: names of model fields that vary between worlds, such as "body_mass", "geom_friction" or "opt.gravity".
            They are arrays of shape `(nworld, ...)` that may be written in place: `batch.body_mass`,
            `batch.opt.gravity`. Constants that depend on them are recomputed after changes (mj_setConst).
        device: "cpu"; or a device that steps each world in a thread of its own: "cuda", "opencl", or "opencl:1" for the
            second one. "auto" selects a GPU if there is one, else the CPU. On a device, `nthread` and `lanes` have no
            effect.

    Raises:
        ValueError: an argument is out of range, or a field of `vary` cannot differ between worlds.
        FatalError: the model cannot be simulated, there is not enough memory, or the device does not exist.
        AttributeError: `keep` names a field that a batch does not have.
    """

    @checked
    def __init__(
        self,
        model: MjModel,
        nworld: WorldCount,
        precision: Precision = "float64",
        nthread: ThreadCount | None = None,
        lanes: int | None = None,
        keep: FieldNames = (),
        vary: FieldNames = (),
        device: object = "cpu",
    ):
        if lanes is not None and lanes not in LANES:
            raise ArgumentError(f"Batch: lanes must be a power of two from 1 to 64, not {lanes}")
        if wrong := first_wrong_id(model.memory):
            raise FatalError(f"the model was changed so that it cannot be simulated: {wrong}; undo the change")
        nthread, lanes = nthread or processors(), lanes or default_width(precision)
        self.model, self.nworld, self.precision, self.nthread = model, nworld, precision, nthread
        self.dtype, self.device = np.dtype(precision), device
        try:
            worlds = self._made_worlds(lanes, vary)
            for name in keep:
                check_field(name)
                worlds.keep(name)
            # the recorded fields determine which stages run
            worlds.pipelines("mj_step")
        except MemoryError as error:
            raise FatalError(f"no memory for {nworld} worlds of this model ({error}): use fewer worlds") from None
        self.lanes = worlds.work.width
        self._worlds = worlds
        self.reset()

    def _made_worlds(self, lanes: int, vary: Sequence[str]) -> WorldSet:
        """Create the memory of all worlds, with the functions that run on it."""
        if self.device == "auto":
            from conjoint.device import automatic_device

            self.device = automatic_device()
        if self.device == "cpu":
            return WorldSet(self.model.memory, self.nworld, self.precision, self.nthread, lanes, vary)
        # import these modules only if the program uses a device
        from conjoint.batch.device_worlds import worlds_on

        return worlds_on(self.device, self.model.memory, self.nworld, self.precision, vary)

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the threads; a later call starts them again."""
        with self._worlds.turn.held:
            self._worlds.work.close()

    # ---- running

    @checked
    def step(self, nstep: StepCount = 1, ctrl: object = None, forces: bool = False) -> None:
        """Advance every world by `nstep` timesteps.

        Args:
            nstep: number of timesteps.
            ctrl: controls, shape (nworld, nu) or broadcastable to it; they remain in effect until controls are set
                again. By default, the current `batch.ctrl`.
            forces: True to run mj_rnePostConstraint too, which computes `cfrc_ext`, `cfrc_int` and `cacc`.

        Raises:
            ValueError: controls have a different shape, or the number of steps is negative.
        """
        with self._worlds.turn.held:
            if ctrl is not None:
                store("ctrl", self._worlds.live("ctrl"), ctrl)
            if nstep:
                self._worlds.run(with_forces("mj_step") if forces else "mj_step", nstep)

    def forward(self, *, forces: bool = False, worlds: Any = None) -> None:
        """Compute forward dynamics, without integration.

        Args:
            forces: True to run mj_rnePostConstraint too, which computes `cfrc_ext`, `cfrc_int` and `cacc`.
            worlds: worlds to compute, given as in `reset`; None for all. The other worlds do not change.

        Raises:
            ValueError: the mask has a different shape, or the world does not exist.
        """
        with self._worlds.turn.held:
            name, chosen = with_forces("mj_forward") if forces else "mj_forward", chosen_worlds(worlds, self.nworld)
            if len(np.unique(chosen)) == self.nworld:
                self._worlds.run(name)
            elif len(chosen):
                self._worlds.run_some(name, chosen)

    def inverse(self, qacc: np.ndarray) -> np.ndarray:
        """Compute inverse dynamics of every world: the forces that cause the given accelerations.

        Args:
            qacc: accelerations, shape (nworld, nv) or broadcastable to it.

        Returns:
            `qfrc_inverse`, shape (nworld, nv).

        Raises:
            ValueError: `qacc` has a different shape.
        """
        worlds, arrays = self._worlds, self._worlds.arrays
        with worlds.turn.held:
            given = arrays.lasting["qacc"]
            try:
                given[...] = as_array("accelerations", qacc)
            except ValueError:
                raise ArgumentError(f"accelerations must have shape {given.shape}, not {np.shape(qacc)}") from None
            if "qfrc_inverse" not in arrays.results:
                worlds.keep("qfrc_inverse")
            worlds.run("mj_inverse")
            return arrays.results["qfrc_inverse"].copy()

    @overload
    def rollout(
        self, ctrl: np.ndarray, record: str = "qpos", progress: Callable[[int], None] | None = None
    ) -> np.ndarray: ...
    @overload
    def rollout(
        self, ctrl: np.ndarray, record: list[str] | tuple[str, ...], progress: Callable[[int], None] | None = None
    ) -> dict[str, np.ndarray]: ...
    @overload
    def rollout(self, ctrl: np.ndarray, record: None, progress: Callable[[int], None] | None = None) -> None: ...
    def rollout(
        self,
        ctrl: np.ndarray,
        record: str | Sequence[str] | None = "qpos",
        progress: Callable[[int], None] | None = None,
    ) -> np.ndarray | dict[str, np.ndarray] | None:
        """Advance every world through a sequence of controls, one timestep for each.

        Args:
            ctrl: controls, shape (nworld, nstep, nu).
            record: name of the field to record after every step, a list of several names, or None to record nothing.
            progress: called after every step with the number of completed steps.

        Returns:
            The field after every step, shape (nworld, nstep, ...); for several fields, a dictionary by name.

        Raises:
            ValueError: controls have a different shape.
            AttributeError: the field does not exist.
        """
        names = [record] if isinstance(record, str) else given("rollout: record", record or (), FieldNames)
        shape = (self.nworld, int(self._worlds.plan.view("nu")))
        controls = as_array("controls", ctrl)
        if controls.ndim != 3 or (len(controls), controls.shape[2]) != shape:
            raise ArgumentError(f"controls must have shape ({shape[0]}, nstep, {shape[1]}), not {controls.shape}")
        with self._worlds.turn.held:
            found = self._recorded(controls, names, progress)
        return found[record] if isinstance(record, str) else None if record is None else found

    def _recorded(
        self, ctrl: np.ndarray, names: Sequence[str], progress: Callable[[int], None] | None
    ) -> dict[str, np.ndarray]:
        """Implement `rollout`, for controls whose shape has been checked."""
        for name in names:
            # record from the start, because recording a field later would repeat a step
            if name in READABLE and name not in LIVE:
                self._worlds.keep(name)
        nstep = ctrl.shape[1]
        found = {}
        for name in names:
            now = getattr(self, name)
            if not isinstance(now, np.ndarray):
                raise ArgumentError(f"rollout: record must name numeric fields, such as 'qpos', not {name!r}")
            found[name] = np.zeros((self.nworld, nstep, *now.shape[1:]), now.dtype)
        for step in range(nstep):
            self.step(1, ctrl[:, step])
            for name, rows in found.items():
                rows[:, step] = getattr(self, name)
            if progress is not None:
                progress(step + 1)
        return found

    def on_device(self, name: str) -> Any:
        """Return the memory of a field on the device, for libraries that read it without a copy (DLPack).

        `torch.from_dlpack(batch.on_device("qpos"))` is a tensor of shape (ngroup, 64, nq). World w is
        `tensor[w // 64, w % 64]`; elements after the last world are padding. For models with constraint islands or over
        200 degrees of freedom, the shape is (nworld, 1, nq). State and inputs may be written before the next call. The
        memory is valid until a call of the batch enlarges it, so call this method again after each call.

        Args:
            name: name of a field of `MjData` with a fixed size.

        Raises:
            AttributeError: the field does not exist.
            FatalError: the batch is on the CPU, or other libraries cannot read memory of its device.
        """
        check_field(name)
        with self._worlds.turn.held:
            return self._worlds.shared(name)

    # ---- derivatives

    def jacobian(
        self, outputs: Sequence[str], inputs: Sequence[str], function: str = "mj_step"
    ) -> dict[str, dict[str, np.ndarray]]:
        """Return derivatives of outputs with respect to inputs in every world: see `conjoint.derivative.jacobian`.

        Args:
            outputs: names of fields that the function computes.
            inputs: names of fields of the world, or of the model.
            function: `mj_step`, `mj_forward` or `mj_inverse`.

        Returns:
            Matrices in tangent coordinates, by output and input name, shape (nworld, rows, columns).

        Raises:
            ValueError: the field does not exist.
            FatalError: a state is not finite, or the model cannot be differentiated.
        """
        return value_of(derivative).jacobian(self, outputs=outputs, inputs=inputs, function=function)

    def jvp(
        self, directions: Mapping[str, np.ndarray], outputs: Sequence[str], function: str = "mj_step"
    ) -> dict[str, np.ndarray]:
        """Return the changes in outputs along directions of inputs in every world: see `conjoint.derivative.jvp`.

        Args:
            directions: for each input name, a tangent vector for each world, shape (nworld, size).
            outputs: names of fields that the function computes.
            function: `mj_step`, `mj_forward` or `mj_inverse`.

        Returns:
            For each output name, a tangent vector for each world, shape (nworld, size).

        Raises:
            ValueError: the field does not exist, or directions have a different shape.
            FatalError: as for `jacobian`.
        """
        return value_of(derivative).jvp(self, directions=directions, outputs=outputs, function=function)

    def vjp(
        self, cotangents: Mapping[str, np.ndarray], inputs: Sequence[str], function: str = "mj_step"
    ) -> dict[str, np.ndarray]:
        """Convert gradients with respect to outputs to gradients with respect to inputs: see `conjoint.derivative.vjp`.

        Args:
            cotangents: gradients by output name, a tangent vector for each world, shape (nworld, size).
            inputs: names of fields of the world, or of the model.
            function: `mj_step`, `mj_forward` or `mj_inverse`.

        Returns:
            Gradients by input name, a tangent vector for each world, shape (nworld, size).

        Raises:
            ValueError: the field does not exist, or cotangents have a different shape.
            FatalError: as for `jacobian`.
        """
        return value_of(derivative).vjp(self, cotangents=cotangents, inputs=inputs, function=function)

    # ---- representation

    def __repr__(self) -> str:
        name = model_name(self.model.memory)
        return f"<conjoint.{type(self).__name__} of {name!r}: {self.nworld} worlds, {self.precision}>"

    def _repr_html_(self) -> str:
        """Return the HTML table that notebooks display."""
        arrays, varied = self._worlds.arrays, self._worlds.varied
        times = arrays.lasting["time"]
        span = f"{times.min():g} s" if times.min() == times.max() else f"{times.min():g} to {times.max():g} s"
        size = f"{self.lanes} worlds in a block, {self.nthread} threads, {self._worlds.nbytes / 2**20:.1f} MB"
        rows = [("worlds", f"{self.nworld}, {self.precision}"), ("memory", size), ("time", span)]
        rows += [("varied", ", ".join(varied.names) or "nothing"), ("kept", ", ".join(arrays.results) or "the state")]
        return table(f"{type(self).__name__} of {model_name(self.model.memory)!r}", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return a function and its arguments, with which pickling and copying create the batch again."""
        with self._worlds.turn.held:
            model = model_in(self._worlds.model_of())
            kept, varied = [*self._worlds.arrays.results], self._worlds.varied.names
            made = model, self.nworld, self.precision, self.nthread, self.lanes, kept, varied, self.device
            return _restored, (made, self.snapshot())

    @property
    def nbytes_per_world(self) -> float:
        """Average memory per world in bytes."""
        return self._worlds.nbytes / self.nworld


def worlds_of(batch: Batch) -> WorldSet:
    """Return the memory of a batch's worlds, with the functions that run on it."""
    return batch._worlds


def _restored(arguments: tuple[Any, ...], snapshot: Snapshot) -> Batch:
    """Create a batch from the arguments of `Batch` and a snapshot of its worlds, for unpickling."""
    batch = Batch(*arguments)
    batch.restore(snapshot)
    return batch
