"""Derivatives of a step by finite differences, of many changed worlds at once (API reference, Derivatives).

A derivative with respect to qpos is along the tangent space: there are nv of them. What a change does not influence is
not computed again: controls and activations leave velocities, velocities leave positions as they are.
"""

from __future__ import annotations

from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.arguments import OutMatrix, checked, require
from conjoint.api.functions.functions import run
from conjoint.api.functions.state import STATE_FIELDS, state_parts
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.arrays import LIVE
from conjoint.batch.at_once import (
    MOST_INPUTS,
    AtOnce,
    control_ways,
    differentiate_rows,
    integrate_rows,
    worlds_of,
)
from conjoint.batch.pipeline import BlockPipeline
from conjoint.batch.workspace import Workspace
from conjoint.lang import FatalError
from conjoint.lang.compiled import jit_enabled
from conjoint.lang.realisation import default_width, lanes, world_view
from conjoint.runtime import replaced
from conjoint.runtime.functions import IMPLICIT_AGAIN, skipping, stages_of
from conjoint.runtime.plan import Plan
from conjoint.runtime.stages import IMPLICIT
from conjoint.runtime.world import World
from conjoint.schema.enums import mjtIntegrator, mjtStage, mjtState

RESTORED = mjtState.mjSTATE_FULLPHYSICS | mjtState.mjSTATE_CTRL | mjtState.mjSTATE_WARMSTART
"""Components of the state that a step changes, or a difference is taken of."""

INPUTS = ("ctrl", "act", "qvel", "qpos")
"""What differences are taken of, in the order that leaves most stages valid."""

SKIPPED = {
    "ctrl": mjtStage.mjSTAGE_VEL,
    "act": mjtStage.mjSTAGE_VEL,
    "qvel": mjtStage.mjSTAGE_POS,
    "qpos": mjtStage.mjSTAGE_NONE,
}
"""The last stage that a change of each leaves valid."""

RESULTS = ("qvel", "act", "sensordata")
"""What a step gives beside qpos."""


@checked
def mjd_transitionFD(
    m: MjModel,
    d: MjData,
    eps: float,
    flg_centered: int,
    A: OutMatrix | None,
    B: OutMatrix | None,
    C: OutMatrix | None,
    D: OutMatrix | None,
) -> None:
    """Derivatives of one step: of the next state x' and of sensors s with respect to the state x and the controls u.

    The state is position in the tangent space, velocity, activation: 2 nv + na numbers. A control is changed towards
    the inside of its range.

    Args:
        d: the world; its state is left as it was, all else as a step computes it.
        eps: size of the change.
        flg_centered: whether to change inputs in both directions.
        A: dx'/dx, 2 nv + na rows and columns; None to leave it out.
        B: dx'/du, nu columns; None to leave it out.
        C: ds/dx, nsensordata rows; None to leave it out.
        D: ds/du, nsensordata rows, nu columns; None to leave it out. As in version 3.3.5 of the official package, the
            sign is wrong where a control was changed in both directions.

    Raises:
        TypeError: a matrix has another shape.
        FatalError: the integrator is Runge-Kutta.
    """
    nx = 2 * m.nv + m.na
    shapes = {"A": (nx, nx), "B": (nx, m.nu), "C": (m.nsensordata, nx), "D": (m.nsensordata, m.nu)}
    for (name, shape), matrix in zip(shapes.items(), (A, B, C, D), strict=True):
        require(matrix is None or matrix.shape == shape, f"{name} should be of shape {shape}")
    if m.opt.integrator == mjtIntegrator.mjINT_RK4:
        raise FatalError("mjd_transitionFD: the RK4 integrator is not supported")
    of_control, of_state = (any(matrix is not None for matrix in pair) for pair in ((B, D), (A, C)))
    worlds, skipsensor = _worlds(m, d, of_control * m.nu + of_state * nx), C is None and D is None
    if isinstance(worlds, LaneWorlds) and worlds.small:
        worlds.at_once(skipsensor).write(d, eps, bool(flg_centered), A, B, C, D)
    else:
        differences = Differences(worlds, m, eps, bool(flg_centered), skipsensor)
        if of_control:
            differences.write_control(B, D)
        if of_state:
            differences.write_state(A, C)
    if not isinstance(worlds, SingleWorld):
        # as officially, all but the state is left as a step computes it
        world = SingleWorld(m, d)
        world.step(mjtStage.mjSTAGE_NONE, skipsensor)
        world.restore()


class Worlds(Protocol):
    """Worlds side by side, which are alike but for what is changed in each.

    Attributes:
        width: their number.
    """

    width: int

    def view(self, name: str) -> np.ndarray:
        """Memory of a field, numbers by worlds."""
        ...

    def step(self, skipstage: int, skipsensor: bool) -> None:
        """One step, without the stages up to `skipstage`."""
        ...

    def restore(self) -> None:
        """Put all back into the state of the beginning."""
        ...


class Differences:
    """Differences of the outcomes of a step.

    Args:
        worlds: in the state that derivatives are taken at.
        eps: size of a change.
        centered: whether to change inputs in both directions.
        skipsensor: whether sensors need not be read.
    """

    def __init__(self, worlds: Worlds, m: MjModel, eps: float, centered: bool, skipsensor: bool):
        self.worlds, self.m, self.eps, self.centered, self.skipsensor = worlds, m, eps, centered, skipsensor
        self.inputs = {name: worlds.view(name) for name in INPUTS}
        self.results = [worlds.view(name) for name in RESULTS]
        qpos, others = self._outcome(mjtStage.mjSTAGE_NONE)
        self.base = qpos[0], others[0]

    def _outcome(self, skipstage: int) -> tuple[np.ndarray, np.ndarray]:
        """One step from the worlds as they are; they are then put back.

        Returns qpos, and velocities, activations and sensors one after the other, a row for each world.
        """
        self.worlds.step(skipstage, self.skipsensor)
        found = self.inputs["qpos"].T.copy(), np.concatenate(self.results).T
        self.worlds.restore()
        return found

    def write_control(self, B: np.ndarray | None, D: np.ndarray | None) -> None:
        """Fill in derivatives by controls."""
        ways = control_ways(self.m, self.inputs["ctrl"][:, 0], self.eps, self.centered)
        moved, slopes = self._slopes("ctrl", ways)
        self._write(B, D, slice(None), moved, slopes)
        if D is not None:
            # version 3.3.5 takes this difference the other way round
            D[:, ways.all(axis=0)] *= -1.0

    def write_state(self, A: np.ndarray | None, C: np.ndarray | None) -> None:
        """Fill in derivatives by the state."""
        nv, na = self.m.nv, self.m.na
        for name, first, count in (("act", 2 * nv, na), ("qvel", nv, nv), ("qpos", 0, nv)):
            if count:
                ways = np.array([[True] * count, [self.centered] * count])
                self._write(A, C, slice(first, first + count), *self._slopes(name, ways))

    def _write(
        self, of_state: np.ndarray | None, of_sensors: np.ndarray | None, columns: slice, moved: np.ndarray,
        slopes: np.ndarray,
    ) -> None:  # fmt: skip
        """Write columns of both matrices."""
        nv, na = self.m.nv, self.m.na
        if of_state is not None:
            of_state[:nv, columns] = moved.T
            of_state[nv:, columns] = slopes[:, : nv + na].T
        if of_sensors is not None:
            of_sensors[:, columns] = slopes[:, nv + na :].T

    def _slopes(self, name: str, ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Differences of the outcomes over the size of the changes, a row for each number of an input.

        Args:
            name: the input.
            ways: whether each of its numbers is changed up, and down: (2, count) truth values.

        Returns:
            those of qpos, along the tangent space, and those of the other results.
        """
        count, (qpos, others) = ways.shape[1], self.base
        qpos_ends, ends = np.empty((2, count, len(qpos))), np.empty((2, count, len(others)))
        qpos_ends[...], ends[...] = qpos, others
        changed = self._moved_positions(count) if name == "qpos" else None
        changes, width = np.argwhere(ways), self.worlds.width
        for first in range(0, len(changes), width):
            way, number = changes[first : first + width].T
            self._change(name, way, number, changed)
            found_qpos, found = self._outcome(SKIPPED[name])
            qpos_ends[way, number], ends[way, number] = found_qpos[: len(way)], found[: len(way)]
        # nothing was changed where no way is open
        h = np.maximum(ways.sum(axis=0), 1)[:, np.newaxis] * self.eps
        moved = np.zeros((count, self.m.nv))
        differentiate_rows(self.m._plan, count, moved, 1.0, qpos_ends[1], qpos_ends[0])
        return moved / h, (ends[0] - ends[1]) / h

    def _change(self, name: str, way: np.ndarray, number: np.ndarray, changed: np.ndarray | None) -> None:
        """Change one number of an input in each world, up where `way` is 0."""
        field = self.inputs[name]
        if changed is not None:
            field[:, : len(way)] = changed[way, number].T
        else:
            field[number, np.arange(len(way))] += np.where(way == 0, self.eps, -self.eps)

    def _moved_positions(self, count: int) -> np.ndarray:
        """qpos moved along each dof, up and down."""
        m, moved = self.m, np.empty((2, count, self.m.nq))
        moved[...] = self.inputs["qpos"][:, 0]
        for end, sign in zip(moved, (1.0, -1.0), strict=True):
            integrate_rows(m._plan, count, end, np.eye(count), sign * self.eps)
        return moved


class SingleWorld:
    """A world of its own as the only one: for what lanes cannot do, and few changes."""

    width = 1

    def __init__(self, m: MjModel, d: MjData):
        self.m, self.d = m, d
        self.start = [(part, part.copy()) for part in state_parts(d, RESTORED, "mjd_transitionFD")]

    def view(self, name: str) -> np.ndarray:
        """Memory of a field, numbers by worlds."""
        return self.d._world.data.view(name)[:, np.newaxis]

    def step(self, skipstage: int, skipsensor: bool) -> None:
        """One step, without the stages up to `skipstage`."""
        for name in _pipelines(self.m, skipstage, skipsensor):
            run(self.m, self.d, name)

    def restore(self) -> None:
        """Put it back into the state of the beginning."""
        for part, value in self.start:
            part[...] = value


class LaneWorlds:
    """Copies of a world in the lanes of a block."""

    def __init__(self, m: MjModel):
        self.m, self.width = m, default_width("float64")
        self.plan = Plan(m._structure, nsolverstat=0, lanes=self.width)
        self.space = Workspace(self.plan, np.float64, self.width)
        self.pipelines: dict[tuple[int, bool], BlockPipeline] = {}
        self._restored = [field.name for bit, field in STATE_FIELDS.items() if bit & RESTORED]
        self.start = [(self.view(name), np.empty_like(self.view(name))) for name in self._restored]
        self._at_once: dict[bool, AtOnce] = {}
        self.filled = [(name, self.view(name)) for name in sorted(LIVE) if self.view(name).size]

    @property
    def small(self) -> bool:
        """Whether all differences are taken at once; implicit integrators take forces of the start."""
        inputs = self.m.nu + 2 * self.m.nv + self.m.na
        return inputs <= MOST_INPUTS and self.m.opt.integrator not in IMPLICIT

    def at_once(self, skipsensor: bool) -> AtOnce:
        """The worlds of all changes."""
        found = self._at_once.get(skipsensor)
        if found is None:
            pipeline = self._pipeline(mjtStage.mjSTAGE_NONE, skipsensor)
            found = self._at_once[skipsensor] = worlds_of(self.m, pipeline, self.view, self._restored, self.width)
        return found

    def begin(self, d: MjData) -> None:
        """Make all worlds copies of `d`."""
        data = d._world.data
        for name, view in self.filled:
            view[...] = data.view(name)[..., np.newaxis]
        for view, value in self.start:
            value[...] = view

    def view(self, name: str) -> np.ndarray:
        """Memory of a field, numbers by worlds."""
        return self.space.data.view(name)

    def step(self, skipstage: int, skipsensor: bool) -> None:
        """One step, without the stages up to `skipstage`."""
        pipeline = self.pipelines.get((skipstage, skipsensor))
        if pipeline is None:
            pipeline = self.pipelines[skipstage, skipsensor] = self._pipeline(skipstage, skipsensor)
        while answer := pipeline.run.go(1):
            pipeline.attend(answer, np.arange(self.width))
        # who steps the world itself is told
        pipeline.warned.clear()

    def _pipeline(self, skipstage: int, skipsensor: bool) -> BlockPipeline:
        """A step as one list of stages."""
        names = _pipelines(self.m, skipstage, skipsensor)
        stages = [stage for name in names for stage in stages_of(name, self.plan)]
        # the plan is looked at before, and nobody reads what stages tell
        wanted = [stage for stage in stages if stage.name != "check" and not stage.told]
        block, world = lanes("float64", self.width), world_view("float64", self.width)
        return BlockPipeline(wanted, self.space, block, world, None)

    def restore(self) -> None:
        """Put all worlds back into the state of the beginning."""
        for view, value in self.start:
            view[...] = value


def _pipelines(m: MjModel, skipstage: int, skipsensor: bool) -> tuple[str, str]:
    """Names of the documented functions that make a step of what is not skipped."""
    if m.opt.integrator not in IMPLICIT:
        ending = "mj_Euler"
    else:
        # as in the official package, derivatives of forces are those at the controls and activations of the start
        ending = "mj_implicit" if skipstage < mjtStage.mjSTAGE_VEL else IMPLICIT_AGAIN
    return skipping("mj_forwardSkip", int(skipstage), skipsensor), ending


_kept: WeakKeyDictionary[World, LaneWorlds] = WeakKeyDictionary()
"""Lanes beside each world that differences were taken of."""


def _worlds(m: MjModel, d: MjData, count: int) -> Worlds:
    """Worlds like `d`, for `count` changes: in lanes where a block of them is full."""
    # most numbers are changed in both directions
    few = 2 * count < default_width("float64")
    if few or m.nplugin or replaced.active or not jit_enabled():
        return SingleWorld(m, d)
    found = _kept.get(d._world)
    if found is None or found.m is not m or not found.plan.holds():
        found = _kept[d._world] = LaneWorlds(m)
    if found.plan.single:
        return SingleWorld(m, d)
    found.begin(d)
    return found
