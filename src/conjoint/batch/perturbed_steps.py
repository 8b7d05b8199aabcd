"""Worlds that are alike but for one number of the inputs of each: what becomes of them in a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.functions.functions import run
from conjoint.api.functions.state import STATE_FIELDS
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.arrays import LIVE
from conjoint.batch.block_work import in_blocks
from conjoint.batch.pipeline import BlockPipeline
from conjoint.batch.workspace import Workspace
from conjoint.lang.calls.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.memory.realisation import lanes, world_view
from conjoint.runtime.functions import IMPLICIT_AGAIN, skipping, stages_of
from conjoint.runtime.plan import Plan
from conjoint.runtime.stages import IMPLICIT
from conjoint.schema.enums import mjtStage, mjtState

RESTORED = (
    mjtState.mjSTATE_FULLPHYSICS | mjtState.mjSTATE_HISTORY | mjtState.mjSTATE_PLASTIC | mjtState.mjSTATE_CTRL
    | mjtState.mjSTATE_WARMSTART
)  # fmt: skip
"""Components of the state that a step changes, or a difference is taken of."""

RESTORED_FIELDS = tuple(field.name for bit, field in STATE_FIELDS.items() if bit & RESTORED)

INPUTS, OUTCOMES = ("qpos", "qvel", "act", "ctrl"), ("qpos", "qvel", "act", "sensordata")
"""What lies in a row one after the other (`physics.derivative.step_differences`)."""


class Group:
    """Numbers of the inputs that are changed together, each in a world of its own.

    Args:
        m: the model.
        first, count: which numbers, in the order of `physics.derivative.step_differences`; none for the world as it is.
        centered: whether each is changed in both directions.
        skipstage: the last stage that the changes leave valid.
        skipsensor: whether sensors need not be read.

    Attributes:
        inputs: a row for each world.
        outcome: the same after a step.
        change: by how much a number was changed in each.
    """

    def __init__(self, m: MjModel, first: int, count: int, centered: bool, skipstage: int, skipsensor: bool):
        self.first, self.count, self.centered = first, count, int(centered and count > 0)
        self.skipstage, self.skipsensor = skipstage, skipsensor
        nworld = 2 * count if self.centered else count + 1
        self.inputs = np.zeros((nworld, m.nq + m.nv + m.na + m.nu))
        self.outcome = np.zeros((nworld, m.nq + m.nv + m.na + m.nsensordata))
        self.change = np.zeros(nworld)


def parts(rows: np.ndarray, names: tuple[str, ...], data: Buffer) -> dict[str, np.ndarray]:
    """Columns of the fields that lie in rows one after the other."""
    found, start = {}, 0
    for name in names:
        size = data.view(name).size
        found[name] = rows[..., start : start + size]
        start += size
    return found


class SingleWorld:
    """The world itself, which takes every row in turn: for what lanes cannot do."""

    def __init__(self, data: Buffer):
        self.data = data
        self.fields = {name: data.view(name).reshape(-1) for name in RESTORED_FIELDS}
        self._saved = [(part, part.copy()) for part in self.fields.values()]

    def save(self) -> None:
        """Remember the state as it is."""
        for part, value in self._saved:
            value[...] = part

    def restore(self) -> None:
        """Put the world back into the state that was saved."""
        for part, value in self._saved:
            part[...] = value

    def steps_of(self, group: Group) -> Callable[[MjModel, MjData], None]:
        """What lets a world take a step from each row of a group."""
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
        m, plan: the model, as it is and as kernels see it.
        data: memory of the world.
    """

    def __init__(self, m: MjModel, plan: Plan, data: Buffer):
        self.m, self.plan, self.data, self.width = m, plan, data, plan.lanes
        self.space = Workspace(plan, np.float64, self.width)
        self._pipelines: dict[tuple[int, bool], BlockPipeline] = {}

    def steps_of(self, group: Group) -> Callable[[MjModel, MjData], None]:
        """What lets worlds take a step from the rows of a group, side by side."""
        nworld, view = len(group.inputs), self.space.data.view
        rows = parts(group.inputs, INPUTS, self.data)
        # what is not changed comes from the world itself
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
            # who steps the world itself is told
            share.pipeline.warned.clear()

        return steps

    def _pipeline(self, skipstage: int, skipsensor: bool) -> BlockPipeline:
        """A step as one list of stages."""
        found = self._pipelines.get((skipstage, skipsensor))
        if found is None:
            names = step_functions(self.m, skipstage, skipsensor)
            stages = [stage for name in names for stage in stages_of(name, self.plan)]
            # the plan is looked at before, and nobody reads what stages tell
            wanted = [stage for stage in stages if stage.name != "check" and not stage.only_for]
            block, world = lanes("float64", self.width), world_view("float64", self.width)
            found = self._pipelines[skipstage, skipsensor] = BlockPipeline(wanted, self.space, block, world, None)
        return found


def step(m: MjModel, d: MjData, skipstage: int, skipsensor: bool) -> None:
    """One step of the world itself, without the stages up to `skipstage`."""
    for name in step_functions(m, skipstage, skipsensor):
        run(m, d, name)


def step_functions(m: Any, skipstage: int, skipsensor: bool) -> tuple[str, str]:
    """Names of the documented functions that make a step of what is not skipped."""
    if m.opt.integrator not in IMPLICIT:
        ending = "mj_Euler"
    else:
        # as in the official package, derivatives of forces are those at the controls and activations of the start
        ending = "mj_implicit" if skipstage < mjtStage.mjSTAGE_VEL else IMPLICIT_AGAIN
    return skipping("mj_forwardSkip", int(skipstage), skipsensor), ending
