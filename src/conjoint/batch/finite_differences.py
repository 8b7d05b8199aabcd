"""Derivatives of a step by finite differences, from many perturbed worlds at once (API reference, Derivatives).

Derivatives with respect to qpos are computed in the tangent space, of nv dimensions. Stages that a perturbation does
not affect are not recomputed: controls and activations do not change velocities, and velocities do not change
positions. For small models, one call handles all perturbations, because recomputing stages costs less than extra calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.arguments import OutMatrix, checked
from conjoint.api.functions.derivative import TRANSITION
from conjoint.api.functions.functions import run
from conjoint.api.functions.state import STATE_FIELDS
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.arrays import LIVE
from conjoint.batch.block_work import in_blocks
from conjoint.batch.pipeline import BlockPipeline, Workspace
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.memory.realisation import default_width, lanes, world_view
from conjoint.physics.integration import step_differences
from conjoint.runtime.entry import entry
from conjoint.runtime.functions import IMPLICIT_AGAIN, skipping, stages_of
from conjoint.runtime.plan import Plan
from conjoint.runtime.sleep import check_awake
from conjoint.runtime.stages import IMPLICIT
from conjoint.runtime.user import installed
from conjoint.runtime.world import World
from conjoint.schema.enums import mjtIntegrator, mjtStage, mjtState

RESTORED = (
    mjtState.mjSTATE_FULLPHYSICS | mjtState.mjSTATE_HISTORY | mjtState.mjSTATE_PLASTIC | mjtState.mjSTATE_CTRL
    | mjtState.mjSTATE_WARMSTART
)  # fmt: skip
"""Bit mask (mjtState) of the state components that a step changes, or that are perturbed."""

RESTORED_FIELDS = tuple(field.name for bit, field in STATE_FIELDS.items() if bit & RESTORED)

INPUTS, OUTCOMES = ("qpos", "qvel", "act", "ctrl"), ("qpos", "qvel", "act", "sensordata")
"""Names of the fields that are concatenated in a row of inputs, and in a row of outcomes.

The kernels are in `physics.derivative.step_differences`.
"""


class Group:
    """Inputs that are perturbed in one call, each in a separate world.

    Args:
        m: the model.
        first, count: range of the inputs, in the order of `physics.derivative.step_differences`; empty for the
            unperturbed world.
        centered: True to perturb each input in both directions.
        skipstage: last stage that the perturbations do not affect.
        skipsensor: True if sensors may be skipped.

    Attributes:
        inputs: inputs, one row for each world.
        outcome: fields after a step, one row for each world.
        change: size of the perturbation in each world.
    """

    def __init__(self, m: MjModel, first: int, count: int, centered: bool, skipstage: int, skipsensor: bool):
        self.first, self.count, self.centered = first, count, int(centered and count > 0)
        self.skipstage, self.skipsensor = skipstage, skipsensor
        nworld = 2 * count if self.centered else count + 1
        self.inputs = np.zeros((nworld, m.nq + m.nv + m.na + m.nu))
        self.outcome = np.zeros((nworld, m.nq + m.nv + m.na + m.nsensordata))
        self.change = np.zeros(nworld)


def parts(rows: np.ndarray, names: tuple[str, ...], data: Buffer) -> dict[str, np.ndarray]:
    """Split packed rows into one array per field, in the order of `names`."""
    found, start = {}, 0
    for name in names:
        size = data.view(name).size
        found[name] = rows[..., start : start + size]
        start += size
    return found


class SingleWorld:
    """Serial stepping of a single world from one row after another, for models that lanes do not support."""

    def __init__(self, data: Buffer):
        self.data = data
        self.fields = {name: data.view(name).reshape(-1) for name in RESTORED_FIELDS}
        self._saved = [(part, part.copy()) for part in self.fields.values()]

    def save(self) -> None:
        """Save the current state."""
        for part, value in self._saved:
            value[...] = part

    def restore(self) -> None:
        """Restore the saved state."""
        for part, value in self._saved:
            part[...] = value

    def steps_of(self, group: Group) -> Callable[[MjModel, MjData], None]:
        """Return a function that steps the world from the inputs in each row of a group, one after another."""
        inputs, outcome = parts(group.inputs, INPUTS, self.data), parts(group.outcome, OUTCOMES, self.data)

        def steps(m: MjModel, d: MjData) -> None:
            for r in range(len(group.inputs)):
                self.restore()
                for name, rows in inputs.items():
                    self.fields[name][...] = rows[r]
                step(m, d, group.skipstage, group.skipsensor)
                for name, rows in outcome.items():
                    rows[r] = self.data.view(name)

        return steps


class LaneWorlds:
    """Copies of a world in the lanes of a block.

    Args:
        m, plan: the model, and the plan that kernels read.
        data: memory of the world.
    """

    def __init__(self, m: MjModel, plan: Plan, data: Buffer):
        self.m, self.plan, self.data, self.width = m, plan, data, plan.lanes
        self.space = Workspace(plan, np.float64, self.width)
        self._pipelines: dict[tuple[int, bool], BlockPipeline] = {}

    def steps_of(self, group: Group) -> Callable[[MjModel, MjData], None]:
        """Return a function that steps one world from the inputs in each row of a group, side by side in lanes."""
        nworld, view = len(group.inputs), self.space.data.view
        rows = parts(group.inputs, INPUTS, self.data)
        # unperturbed fields come from the world itself
        for name in sorted({*LIVE, *RESTORED_FIELDS} - rows.keys()):
            own = self.data.view(name).reshape(1, -1)
            rows[name] = np.broadcast_to(own, (nworld, own.size))
        fields = [FieldTransfer(array, view(name), INTO) for name, array in rows.items()]
        outcome = parts(group.outcome, OUTCOMES, self.data)
        if group.skipsensor:
            del outcome["sensordata"]
        fields += [FieldTransfer(array, view(name), OUT_OF) for name, array in outcome.items()]
        pipeline, due = self._pipeline(group.skipstage, group.skipsensor), np.zeros((1, 1), np.int64)
        blocks = in_blocks(np.arange(nworld), self.width)
        share = pipeline.share([field for field in fields if field.array.size], blocks, due)

        def steps(m: MjModel, d: MjData) -> None:
            due.fill(0)
            share.transfer.begin(1)
            while answer := share.transfer.go_on():
                share.attend(answer)
            # the caller may step the world itself, which issues the warnings
            share.pipeline.warned.clear()

        return steps

    def _pipeline(self, skipstage: int, skipsensor: bool) -> BlockPipeline:
        """Return the pipeline that computes a step after the skipped stages."""
        found = self._pipelines.get((skipstage, skipsensor))
        if found is None:
            names = step_functions(self.m, skipstage, skipsensor)
            stages = [stage for name in names for stage in stages_of(name, self.plan)]
            # the plan was checked before, and nothing reads the results of optional stages
            wanted = [stage for stage in stages if stage.name != "check" and not stage.only_for]
            block, world = lanes("float64", self.width), world_view("float64", self.width)
            found = self._pipelines[skipstage, skipsensor] = BlockPipeline(wanted, self.space, block, world, None)
        return found


def step(m: MjModel, d: MjData, skipstage: int, skipsensor: bool) -> None:
    """Step the world itself, without the stages up to and including `skipstage`."""
    for name in step_functions(m, skipstage, skipsensor):
        run(m, d, name)


def step_functions(m: Any, skipstage: int, skipsensor: bool) -> tuple[str, str]:
    """Return the names of the two documented functions that complete a step after the skipped stages."""
    if m.opt.integrator not in IMPLICIT:
        ending = "mj_Euler"
    else:
        # as in MuJoCo, use force derivatives at the initial controls and activations
        ending = "mj_implicit" if skipstage < mjtStage.mjSTAGE_VEL else IMPLICIT_AGAIN
    return skipping("mj_forwardSkip", int(skipstage), skipsensor), ending


MOST_AT_ONCE = 32
"""Maximum number of inputs for which all differences are computed at once."""

_change_inputs = entry(
    step_differences.change_inputs, "real[]", "out real[]", "out real[]", "out real[]", "int", "int", "real", "int"
)
_write_slopes = entry(
    step_differences.write_slopes,
    "real[]", "real[]", "out real[]", "int[]",
    "out real[]", "out real[]", "out real[]", "out real[]",
)  # fmt: skip


@checked(**TRANSITION)
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
    """Compute finite differences of the next state x' and sensors s with respect to the state x and controls u.

    The state consists of position in the tangent space, velocity and activation: 2 nv + na numbers. Controls are
    perturbed towards the inside of their range.

    Args:
        d: the world. Its state is restored; all other fields have the values that a step computes.
        eps: size of the perturbation.
        flg_centered: whether to perturb inputs in both directions.
        A: output: dx'/dx, 2 nv + na rows and columns; None to skip it.
        B: output: dx'/du, nu columns; None to skip it.
        C: output: ds/dx, nsensordata rows; None to skip it.
        D: output: ds/du, nsensordata rows, nu columns; None to skip it. As in MuJoCo 3.3.5, the sign is wrong for
            controls perturbed in both directions.

    Raises:
        TypeError: a matrix has the wrong shape.
        FatalError: the integrator is Runge-Kutta.
    """
    if m.opt.integrator == mjtIntegrator.mjINT_RK4:
        raise FatalError("mjd_transitionFD: the RK4 integrator is not supported")
    check_awake(m.memory, "mjd_transitionFD: ")
    _differences(m, d).write(d, eps, bool(flg_centered), (A, B, C, D))


class Differences:
    """Finite differences of a step in one world.

    Args:
        m: the model.
        world: memory of the world.
    """

    def __init__(self, m: MjModel, world: World):
        self.m, self.data = m, world.data
        self.single = SingleWorld(world.data)
        self.plan = Plan(m.plans.holding().structure, nsolverstat=0, lanes=default_width("float64"))
        self._replaced = installed.active
        alone = self.plan.single or m.nplugin or installed.active or not jit_enabled()
        self.lanes = None if alone else LaneWorlds(m, self.plan, world.data)
        self.start = np.zeros(m.nq + m.nv + m.na + m.nu)
        self._start = [(part, self.single.fields[name]) for name, part in parts(self.start, INPUTS, self.data).items()]
        self._direction, self._motion = np.zeros(m.nv), np.zeros(m.nv)
        self._groups: dict[tuple[bool, ...], list] = {}

    def hold(self, m: MjModel) -> bool:
        """Return True if the model, its plan and the replaced stages are unchanged."""
        installed.follow()
        return m is self.m and self._replaced == installed.active and self.plan.holds()

    def write(self, d: MjData, eps: float, centered: bool, given: Sequence[np.ndarray | None]) -> None:
        """Fill in the matrices A, B, C and D that are not None (see `mjd_transitionFD`)."""
        m, plan, single = self.m, self.m.plans.current, self.single
        requested = [matrix is not None for matrix in given]
        skipsensor = not any(requested[2:])
        key = requested[1] or requested[3], requested[0] or requested[2], centered, skipsensor
        groups = self._groups.get(key)
        if groups is None:
            worlds = self.lanes or single
            groups = self._groups[key] = [(group, worlds.steps_of(group)) for group in self._made_groups(*key)]
        matrices = [NOTHING if matrix is None else matrix for matrix in given]
        wanted = sum(1 << k for k in range(len(given)) if requested[k])
        single.save()
        for part, value in self._start:
            part[...] = value
        for group, steps in groups:
            what = group.first, group.count
            _change_inputs(plan, self.start, group.inputs, group.change, self._direction, *what, eps, group.centered)
            steps(m, d)
            how = np.array([*what, group.centered, wanted], np.int32)
            _write_slopes(plan, group.outcome, group.change, self._motion, how, *matrices)
        # as in MuJoCo, everything except the state stays as a step computes it
        single.restore()
        step(m, d, mjtStage.mjSTAGE_NONE, skipsensor)
        single.restore()

    def _made_groups(self, of_control: bool, of_state: bool, centered: bool, skipsensor: bool) -> list[Group]:
        """Return groups of perturbed controls, states, or both, ordered so that most stage results stay valid."""
        m = self.m
        nx = 2 * m.nv + m.na
        first, count = (0 if of_control else m.nu), of_control * m.nu + of_state * nx
        # implicit integrators use force derivatives at the initial state
        if self.lanes and count <= MOST_AT_ONCE and m.opt.integrator not in IMPLICIT:
            return [Group(m, first, count, centered, mjtStage.mjSTAGE_NONE, skipsensor)]
        numbers = [
            (0, of_control * m.nu, mjtStage.mjSTAGE_VEL),
            (m.nu + 2 * m.nv, of_state * m.na, mjtStage.mjSTAGE_VEL),
            (m.nu + m.nv, of_state * m.nv, mjtStage.mjSTAGE_POS),
            (m.nu, of_state * m.nv, mjtStage.mjSTAGE_NONE),
        ]
        as_it_is = Group(m, 0, 0, False, mjtStage.mjSTAGE_NONE, skipsensor)
        changed = [Group(m, first, count, centered, skip, skipsensor) for first, count, skip in numbers if count]
        return [as_it_is, *changed]


NOTHING = np.zeros(0)
"""Empty array that replaces a matrix that is not requested."""

_kept: WeakKeyDictionary[World, Differences] = WeakKeyDictionary()
"""Cache of `Differences` by world."""


def _differences(m: MjModel, d: MjData) -> Differences:
    """Return the cached `Differences` of the world of `d`."""
    found = _kept.get(d.world)
    if found is None or not found.hold(m):
        found = _kept[d.world] = Differences(m, d.world)
    return found
