"""Passes in dual numbers bound to memory, compiled or not, and derivatives of a model's constants (mj_setConst).

Masses and lengths change the forces of a step, and also results in the initial configuration: inverse weights of
bodies, lengths of tendons, anchors of constraints. Derivatives with respect to such a number begin with the stages that
compute these results. These stages run in the same form as for every world of a batch with varied models.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.driver import Run
from conjoint.lang.language.name import Name
from conjoint.lang.memory.layout import TANGENT, Buffer, Layout
from conjoint.lang.objects.unit import rows_of
from conjoint.runtime.constants import computed_rows, constants_of_worlds, following
from conjoint.runtime.dual_stages import Part, Pass, pass_of, value_table
from conjoint.runtime.dual_world import DUAL_MODEL, MODEL_TANGENTS, DualModel, DualWorld
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import initial_sources
from conjoint.runtime.run import PlainRun, bound
from conjoint.runtime.stage import Stage
from conjoint.runtime.world import World
from conjoint.schema.model import MODEL_FIELDS


class PlainPass:
    """Counterpart of `Run` for a pass with uncompiled kernels.

    Args:
        parts: kernels to run, in order.
        inputs: fields that have tangents at the start (`d.qpos`).
        model, world: memory with tangents.

    Attributes:
        position: position of the kernel that stopped the last pass: (0, its index, 0).
    """

    def __init__(self, parts: Sequence[Part], inputs: Collection[str], model: KernelMemory, world: KernelMemory):
        self.parts, self.inputs, self.model, self.world = parts, tuple(inputs), model, world
        self.position = (0, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run the pass once; return 0, or the status of the kernel that stopped it."""
        # running the kernels shows which other fields get tangents
        m, d = (
            memory.plain({name[2:] for name in self.inputs if name[0] == role})
            for role, memory in (("m", self.model), ("d", self.world))
        )
        values = self.model.plain(), self.world.plain()
        with np.errstate(all="ignore"):
            for k, part in enumerate(self.parts):
                if answer := part.kernel(*values) if part.by_values else part.kernel(m, d):
                    self.position = (0, k, 0)
                    return int(answer)
        return 0


def value_run(stages: Sequence[Stage], plan: KernelMemory, world: World) -> Run | PlainRun:
    """Bind stages that compute with ordinary numbers to a model and a world that also have memory for tangents."""
    if jit_enabled():
        return Run(value_table(stages), plan.address, world.address)
    return bound(tuple(stages), plan, world)


def dual_run(found: Pass, inputs: Collection[str], model: KernelMemory, world: KernelMemory) -> Run | PlainPass:
    """Bind a pass to a model and a world whose numbers are dual numbers."""
    if jit_enabled():
        return Run(found.table, model.address, world.address)
    return PlainPass(found.parts, inputs, model, world)


statistics = Name("conjoint.physics").constants.statistics.statistics


def stages_of_constants(plan: Plan) -> list[Stage]:
    """Return the stages that compute constants, except the stages for statistics, which only scale tolerances."""
    return [stage for stage in constants_of_worlds(plan.model) if stage.work is not statistics]


def constants_by(plan: Plan, names: Collection[str]) -> list[str]:
    """Return the floating-point model rows that are computed from the model rows `names`."""
    known = {field.name for field in MODEL_TANGENTS}
    return sorted(name for name in following(names, stages_of_constants(plan)) if TANGENT + name in known)


class ConstantsModel(KernelMemory):
    """Dual-number model whose computed rows are writable, because their values are in separate memory.

    The tangents are shared with the original model.
    """

    def __init__(self, model: DualModel, names: Collection[str]):
        self.plan = model.plan
        fields = tuple(field for field in MODEL_FIELDS if field.name in names)
        self.own = Buffer(Layout(fields, self.plan.sizes))
        places, table = rows_of(DUAL_MODEL).places, model.table.copy()
        for field, address in zip(fields, self.own.table.tolist(), strict=True):
            table[places[field.name]] = address
        self.names = [field.name for field in fields]
        self.show(self.own, *model.buffers, table=table)

    def begin(self) -> None:
        """Initialize the computed rows with the values of the model."""
        for name in self.names:
            self.own.view(name)[...] = self.plan.view(name)


class DualConstants:
    """Computation of the tangents of a model's constants.

    Args:
        model: the model in dual numbers, which receives the tangents.
        names: model rows that change.

    Attributes:
        stale: True if values of the model may have changed since the last pass.
    """

    def __init__(self, model: DualModel, names: Sequence[str]):
        plan, stages = model.plan, stages_of_constants(model.plan)
        self.world, self.stale = DualWorld(plan), True
        self.model = ConstantsModel(model, set().union(*map(computed_rows, stages)))
        self._values: Run | PlainRun = value_run(stages, self.model, self.world)
        self._placed = [(target, source, ids) for target, source, ids in initial_sources(plan) if source in names]
        inputs = [f"m.{name}" for name in names] + [f"d.{target}" for target, _, _ in self._placed]
        parts = [Part(stage.name, stage.work, False) for stage in stages]
        found = pass_of(parts, inputs, [f"m.{name}" for name in constants_by(plan, names)])
        self._run: Run | PlainPass = dual_run(found, inputs, self.model, self.world)
        self._cleared = [self._tangents(name) for name in found.cleared]

    def go(self) -> int:
        """Run one pass with the current tangents of the rows; return 0, or the status of the stage that stopped it."""
        if self.stale:
            self.model.begin()
            self.world.reset()
            if answer := self._values.go(1):
                return answer
            self.stale = False
        for target, source, ids in self._placed:
            tangents = self.model.view(TANGENT + source)[ids]
            view = self.world.tangents.view(TANGENT + target)
            view[...] = tangents.reshape(view.shape)
        for tangents in self._cleared:
            tangents[...] = 0.0
        return self._run.go(1)

    def _tangents(self, field: str) -> np.ndarray:
        memory = self.model if field[0] == "m" else self.world
        return memory.view(TANGENT + field[2:])


class WithConstants:
    """A pass that is preceded by the pass that computes the constants.

    Attributes:
        position: position at which the pass stopped.
    """

    def __init__(self, constants: DualConstants, run: Run | PlainPass):
        self.constants, self.run = constants, run
        self.position = (0, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run both passes once; return 0, or the status of the stage that stopped them."""
        return self.constants.go() or self.run.go(nstep)
