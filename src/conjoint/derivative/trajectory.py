"""Derivatives of a rollout (many steps under given controls): forward mode, and reverse mode with checkpoints.

The gradient of a function of the states is computed backward through the steps (Griewank and Walther, Evaluating
Derivatives, 2008, chapters 3 and 12). Every k-th state is stored; other states are recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from conjoint.api.arguments import Positive, as_array, given
from conjoint.api.functions.functions import mj_step
from conjoint.api.functions.state import mj_getState, mj_setState, mj_stateSize, whole_state
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.derivatives import pulled_back, pushed_forward
from conjoint.derivative.inputs_check import check_names, check_world
from conjoint.derivative.pipeline import DualPipeline
from conjoint.derivative.worlds import pipeline_of
from conjoint.lang import ArgumentError

SMALL = 32
"""Maximum number of components of a state for which all directions of the state are propagated at once."""

BY_STEP = "ctrl"
"""Name of the input that differs between steps."""


class Trajectory:
    """A rollout of nstep steps from the state of a world under given controls, and its derivatives.

    The steps are those of `mj_step`. The world does not change; its other inputs (applied forces, mocap poses) act in
    every step. Derivatives are in the tangent coordinates of `jacobian`.

    It stores nstep/k + k states (`mjSTATE_INTEGRATION`) and the recorded fields. To compute a gradient, it runs each
    step two more times, and calls `jacobian` once for each step.

    Args:
        model: the model.
        data: the world at the start.
        ctrl: controls, shape (nstep, nu).
        outputs: fields to record after each step: the next state (`qpos`, `qvel`, `act`), or results computed from the
            state before the step (`sensordata`, `xpos`).
        every: number k of steps from one checkpoint to the next; by default the square root of nstep.

    Attributes:
        values: the recorded fields by name, shape (nstep, ...).
        nstep: number of steps.

    Raises:
        ValueError: the controls have the wrong shape, or the field does not exist.
        FatalError: the state is not finite, or the model cannot be differentiated.
    """

    def __init__(
        self,
        model: MjModel,
        data: MjData,
        ctrl: np.ndarray,
        outputs: Sequence[str] = ("qpos", "qvel"),
        every: int | None = None,
    ):
        check_world(model, data)
        names = check_names("outputs", outputs)
        self._ctrl = np.array(as_array("controls", ctrl), float)
        if self._ctrl.ndim != 2 or self._ctrl.shape[1] != model.nu or not len(self._ctrl):
            raise ArgumentError(f"controls must have shape (nstep, {model.nu}), not {self._ctrl.shape}")
        if not np.isfinite(self._ctrl).all():
            raise ArgumentError("controls must be finite numbers")
        every = given("Trajectory: every", every, Positive | None)
        self.model, self.nstep = model, len(self._ctrl)
        self.every = every or math.isqrt(self.nstep - 1) + 1
        pipeline = pipeline_of(model, "mj_step")
        if wrong := [name for name in names if pipeline.field(name)[0] != "d"]:
            raise ArgumentError(f"outputs must be fields of MjData, but {wrong[0]!r} is a field of MjModel")
        self._world = MjData(model)
        self._state = np.zeros(mj_stateSize(model, whole_state()))
        mj_getState(model, data, self._state, whole_state())
        mj_setState(model, self._world, self._state, whole_state())
        self.values: dict[str, np.ndarray] = {}
        self._checkpoints: list[np.ndarray] = []
        self._run(names)

    def _run(self, names: tuple[str, ...]) -> None:
        """Run all steps, and record checkpoints and the fields with the given names."""
        views = {name: self._world.world.data.view(name) for name in names}
        self.values = {name: np.zeros((self.nstep, *view.shape)) for name, view in views.items()}
        for t in range(self.nstep):
            if t % self.every == 0:
                self._checkpoints.append(self._whole())
            self._step(t)
            for name, view in views.items():
                self.values[name][t] = view

    def _whole(self) -> np.ndarray:
        """Return all components of the world's current state."""
        mj_getState(self.model, self._world, self._state, whole_state())
        return self._state.copy()

    def _step(self, t: int) -> None:
        """Run step t."""
        self._world.ctrl[:] = self._ctrl[t]
        mj_step(self.model, self._world)

    def _backward(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each step and the state before it, from the last step to the first."""
        for k in reversed(range(len(self._checkpoints))):
            first = k * self.every
            count = min(self.every, self.nstep - first)
            states = [self._checkpoints[k]]
            mj_setState(self.model, self._world, states[0], whole_state())
            for t in range(first, first + count - 1):
                self._step(t)
                states.append(self._whole())
            yield from ((first + i, states[i]) for i in reversed(range(count)))

    def _at(self, pipeline: DualPipeline, t: int, state: np.ndarray) -> None:
        """Compute all values of step t in a pipeline, given the state before the step."""
        mj_setState(self.model, self._world, state, whole_state())
        self._world.ctrl[:] = self._ctrl[t]
        pipeline.at(self._world)

    def vjp(self, cotangents: Mapping[str, np.ndarray], inputs: Sequence[str]) -> dict[str, np.ndarray]:
        """Return gradients with respect to inputs, given gradients with respect to the outputs of each step.

        Args:
            cotangents: for each output, a vector in its tangent coordinates for each step, shape (nstep, size).
            inputs: `qpos`, `qvel`, `act` of the start; `ctrl` of each step; other inputs of the world, and fields of
                the model, which are the same in all steps.

        Returns:
            For each input, by name, a vector in its tangent coordinates; for `ctrl`, shape (nstep, nu).

        Raises:
            ValueError: the field does not exist, or cotangents have the wrong shape.
        """
        names = check_names("inputs", inputs)
        carried = self._carried
        pipeline = pipeline_of(self.model, "mj_step")
        given = self._checked(pipeline, cotangents, "cotangents", cotangents)
        outputs = tuple(dict.fromkeys((*carried, *given)))
        requested = tuple(dict.fromkeys((*carried, *names)))
        nothing = np.zeros((self.nstep, 1))
        adjoint = {name: np.zeros((1, pipeline.coordinates(name).size)) for name in carried}
        found = {name: self._zeros(pipeline, name) for name in names}
        for t, state in self._backward():
            self._at(pipeline, t, state)
            rows = {name: adjoint.get(name, 0.0) + given.get(name, nothing)[t : t + 1] for name in outputs}
            back = pulled_back(pipeline, requested, rows)
            for name in names:
                if name == BY_STEP:
                    found[name][t] = back[name][0]
                elif name not in carried:
                    found[name] += back[name][0]
            adjoint = {name: back[name] for name in carried}
        return found | {name: adjoint[name][0] for name in names if name in carried}

    def jvp(self, directions: Mapping[str, np.ndarray], outputs: Sequence[str]) -> dict[str, np.ndarray]:
        """Return changes in the outputs of each step when inputs change along a direction.

        Args:
            directions: for each input, a vector in its tangent coordinates; for `ctrl`, shape (nstep, nu).
            outputs: names of fields.

        Returns:
            For each output, by name, a vector in its tangent coordinates for each step, shape (nstep, size).

        Raises:
            ValueError: the field does not exist, or directions have the wrong shape.
        """
        names = check_names("outputs", outputs)
        pipeline = pipeline_of(self.model, "mj_step")
        given = self._checked(pipeline, directions, "directions", (BY_STEP,))
        ctrl = given.pop(BY_STEP, None)
        found = self._pushed(pipeline, {name: value[None] for name, value in given.items()}, ctrl, names)
        return {name: changes[:, 0] for name, changes in found.items()}

    def jacobian(self, outputs: Sequence[str], inputs: Sequence[str]) -> dict[str, dict[str, np.ndarray]]:
        """Return derivatives of the outputs of each step with respect to a few inputs, as needed for parameter fitting.

        The inputs are the same in all steps.

        Args:
            outputs: names of fields.
            inputs: `qpos`, `qvel`, `act` of the start, other inputs of the world except `ctrl`, and fields of the
                model.

        Returns:
            Arrays in tangent coordinates for each output and input, (nstep, size of the output, size of the input).

        Raises:
            ValueError: the field does not exist.
        """
        names, by = check_names("outputs", outputs), check_names("inputs", inputs)
        if BY_STEP in by:
            raise ArgumentError("controls differ between steps: use vjp for derivatives with respect to them")
        pipeline = pipeline_of(self.model, "mj_step")
        ends = np.cumsum([pipeline.coordinates(name).size for name in by])
        unit = np.eye(ends[-1])
        given = dict(zip(by, np.split(unit, ends[:-1], axis=1), strict=True))
        found = self._pushed(pipeline, given, None, names)
        return {
            output: dict(zip(by, np.split(changes.transpose(0, 2, 1), ends[:-1], axis=2), strict=True))
            for output, changes in found.items()
        }

    def _pushed(
        self, pipeline: DualPipeline, given: Mapping[str, np.ndarray], ctrl: np.ndarray | None, names: tuple[str, ...]
    ) -> dict[str, np.ndarray]:
        """Return changes in fields along n directions of inputs, or along one direction of the controls.

        Returns:
            An array of shape (nstep, n, size) for each field, by name.
        """
        carried = self._carried
        requested = tuple(dict.fromkeys((*carried, *names)))
        count = len(next(iter(given.values()))) if given else 1
        found = {name: np.zeros((self.nstep, count, pipeline.coordinates(name).size)) for name in names}
        changes = {name: np.zeros((count, pipeline.coordinates(name).size)) for name in carried} | dict(given)
        # for a small state, matrices cost no more than products, which need extra kernels
        whole = sum(changes[name].shape[1] for name in carried) <= SMALL
        mj_setState(self.model, self._world, self._checkpoints[0], whole_state())
        for t in range(self.nstep):
            if ctrl is not None:
                changes[BY_STEP] = ctrl[t : t + 1]
            self._at(pipeline, t, self._whole())
            after = pushed_forward(pipeline, requested, changes) if whole else pipeline.products(requested, changes)
            for name in names:
                found[name][t] = after[name]
            changes |= {name: after[name] for name in carried}
            self._step(t)
        return found

    @property
    def _carried(self) -> tuple[str, ...]:
        """Names of the fields that a step passes to the next step, except time, which does not affect motion."""
        sizes = {"qpos": self.model.nv, "qvel": self.model.nv, "act": self.model.na, "plastic": self.model.nplastic}
        return tuple(name for name, size in sizes.items() if size)

    def _checked(
        self, pipeline: DualPipeline, given: Mapping[str, np.ndarray], what: str, by_step: Collection[str]
    ) -> dict[str, np.ndarray]:
        """Check vectors in the coordinates of fields, and return them as arrays.

        For the fields in `by_step`, there is one vector per step.
        """
        check_names(what, given)
        found = {}
        for name, value in given.items():
            size = pipeline.coordinates(name).size
            shape = (self.nstep, size) if name in by_step else (size,)
            found[name] = np.asarray(as_array(what, value), float)
            if found[name].shape != shape:
                raise ArgumentError(f"{what}[{name!r}] must have shape {shape}, not {found[name].shape}")
        return found

    def _zeros(self, pipeline: DualPipeline, name: str) -> np.ndarray:
        """Return zeros with the shape of the gradient with respect to an input."""
        size = pipeline.coordinates(name).size
        return np.zeros((self.nstep, size) if name == BY_STEP else size)
