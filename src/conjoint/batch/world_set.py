"""Memory of the worlds of a batch, and the functions that run on them."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.batch.arrays import READABLE, Arrays
from conjoint.batch.block_work import BlockWork, Constants, Way, in_blocks
from conjoint.batch.pipeline import BlockPipeline, Share, Workspace, in_precision, report
from conjoint.batch.varied_models import Varied
from conjoint.batch.world_order import assign_worlds
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.transfer import INTO, OUT_OF, WorldTransfer, ranges_of
from conjoint.lang.errors import SimulationWarning
from conjoint.lang.memory.layout import Buffer
from conjoint.once import ForkLock
from conjoint.runtime.functions import stages_of, with_forces
from conjoint.runtime.pipeline import AT_ONCE, in_parts
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import with_poison
from conjoint.runtime.stage import Stage
from conjoint.runtime.stages import FORECAST
from conjoint.runtime.structure import ExposedRows, Structure
from conjoint.runtime.user import installed
from conjoint.runtime.user.installed import COLLISION_FUNCTION
from conjoint.runtime.user.plugins import PREFIX

if TYPE_CHECKING:
    from conjoint.runtime.profile import Profile

EFFORT = ("nefc_forecast", "solver_niter")
"""Fields whose first component predicts the work of the next step: forecast rows, and iterations of the last step."""

POST_CONSTRAINT = "mj_rnePostConstraint"
FORCES = ("cacc", "cfrc_int", "cfrc_ext")
"""Fields that only `mj_rnePostConstraint` writes; other calls do not change them."""

PYTHON = ("mjcb_", COLLISION_FUNCTION, PREFIX)
"""Prefixes of the names of stages that call Python functions."""


class WorldSet:
    """The worlds of a batch.

    Args:
        model: memory of the model; the worlds use a copy of it.
        nworld: number of worlds.
        precision: "float64" or "float32".
        nthread: number of threads.
        width: number of worlds in a block.
        vary: names of model fields that vary between worlds.

    Attributes:
        turn: lock that serializes access by the program's threads; it must be held to call methods.
        plan: the model in the form that kernels use.
        varied: model fields that vary between worlds.
        groups: names of fields with members, such as "warning" ("number") and, if it varies, "opt" ("gravity").
        arrays: arrays by field, with one row for each world.
        work: runner of stages on blocks.
        constants: derived constants of varying fields.
        functions: pipelines of the functions that ran, by name.
        effort: fields that predict the work of each world's next step, by name (`EFFORT`).
        shares: each thread's share of a function, by name; cleared when the set of transferred fields changes.
        last: name of the last function that ran, or None.
        fresh: mask of worlds that were reset after the last function ran.
        forwarded: mask of worlds for which only forward dynamics ran after the last function ran.
    """

    device: Any = None
    """Device that stores and steps the worlds; None for the CPU."""

    ARRAYS: type[Arrays] = Arrays
    """Class of the container of the worlds' arrays."""

    def __init__(self, model: Buffer, nworld: int, precision: str, nthread: int, width: int, vary: Sequence[str]):
        self.turn = ForkLock()
        self.nworld, dtype = nworld, np.dtype(precision)
        structure = Structure(in_precision(model, dtype))
        # the batch has its own model, because programs write to varying rows
        exposed = ExposedRows(structure.model)
        # `Varied` rejects other names
        for name in vary:
            if name in structure.model.layout.index:
                exposed.expose(name)
        self.plan = Plan(structure, nsolverstat=0, lanes=width, exposed=exposed)
        # plain Python runs world by world: scalars exist only once per block, so lanes would overwrite them
        if self.plan.single or not jit_enabled():
            width, self.plan = 1, Plan(structure, nsolverstat=0, exposed=exposed)
        self.varied = Varied(self.plan, vary, nworld)
        self.groups: dict[str, list[str]] = {}
        for name in (*READABLE, *self.varied.all):
            group, _, member = name.rpartition(".")
            if group:
                self.groups.setdefault(group, []).append(member)
        # a free thread processes the next block in its own workspace
        nblock = -(-nworld // width)
        rows = self.varied.all
        spaces = [Workspace(self.plan, dtype.type, width, rows) for _ in range(min(nthread, nblock))]
        self.work = BlockWork(spaces, precision, self.varied)
        self.arrays = self.ARRAYS(self.plan, spaces[0].data.layout, nworld, self.varied)
        self.constants = Constants(self.varied, self.work)
        self._blocks = np.zeros((nblock, width), np.int64)
        # for each thread: first world, end world, and number of slots in its blocks
        ranges = ranges_of(nblock, len(spaces))
        homes = [(a * width, min(b * width, nworld), (b - a) * width) for a, b in ranges]
        self._homes = np.array(homes, np.int32)
        self.functions: dict[str, list[BlockPipeline]] = {}
        self.shares: dict[str, list[Share]] = {}
        self.last: str | None = None
        # number of steps of the last call since inputs were stored, steps per call, and number of transferred fields
        self._last_nstep, self._at_once, self._moving = 0, AT_ONCE, 0
        self._marks = np.zeros((2, nworld), bool)
        self.fresh, self.forwarded = self._marks
        self.fresh.fill(True)
        self.effort = {name: np.zeros((nworld, 1), np.int32) for name in EFFORT}
        self._assign()

    # ---- running

    def run(self, name: str, nstep: int = 1) -> None:
        """Run the documented function `name` on all worlds, `nstep` times.

        Raises:
            FatalError: the function would call Python functions, or the model cannot be simulated.
        """
        self.check_callbacks(name)
        self.follow_model()
        if len(self._blocks) > 1:
            self._assign()
        shares = self.shares.get(name)
        if shares is None:
            self._moving = len(self.arrays.lasting)
            shares = self.shares[name] = self.work.shares(self.pipelines(name), self._ways(name), self._blocks)
        self.last = name
        self._marks.fill(False)
        try:
            if nstep > self._at_once:
                self._at_once = in_parts(nstep, lambda steps: self._go(shares, steps), self._at_once)
            else:
                self._go(shares, nstep)
        finally:
            report([share.pipeline for share in shares])

    def run_some(self, name: str, chosen: np.ndarray) -> None:
        """Run the documented function `name` only on the chosen worlds, which were reset.

        Raises:
            FatalError: the function would call Python functions, or the model cannot be simulated.
        """
        self.check_callbacks(name)
        self.follow_model()
        blocks = in_blocks(np.unique(chosen), self.work.width)
        shares = self.work.shares(self.pipelines(name), self._ways(name), blocks)[: len(blocks)]
        try:
            self.work.go(shares)
        finally:
            report([share.pipeline for share in shares])
        self.forwarded[chosen] = True

    def _ways(self, name: str) -> list[Way]:
        """Return the fields that are transferred when function `name` runs."""
        arrays = self.arrays
        written = any(stage.name == POST_CONSTRAINT for stage in self.pipelines(name)[0].stages)
        results = [(n, a) for n, a in arrays.results.items() if written or n not in FORCES]
        ways: list[Way] = [(n, array, INTO | OUT_OF, arrays.before[n]) for n, array in arrays.lasting.items()]
        return ways + [(n, a, OUT_OF, None) for n, a in (*results, *self.effort.items())]

    def _go(self, shares: Sequence[Share], nstep: int) -> None:
        """Run a function in one call of machine code for each share."""
        self._last_nstep = nstep
        self.work.go(shares, nstep)

    def follow_model(self) -> list[str]:
        """Update the varying model fields to the values that programs have set; return those that may have changed."""
        if not self.varied.names:
            return []
        self.constants.follow()
        touched = self.varied.touched()
        if touched:
            self.varied.pack(touched)
            self.shares.clear()
            for space in self.work.spaces:
                self.varied.fill(space.model.own)
        return touched

    def check_callbacks(self, name: str) -> None:
        """Raise FatalError if a function would call a callback, because callbacks need a single world."""
        made = self.plan.replaced
        if made is installed.current and not installed.active:
            return
        installed.follow()
        if installed.active:
            stages = stages_of(name, self.plan, installed.active)
            requested = sorted({stage.name for stage in stages if stage.name.startswith(PYTHON)})
            if requested:
                raise FatalError(
                    f"a batch cannot call {', '.join(requested)}, as an MjData does: remove it "
                    "(mj_resetCallbacks), or make it a kernel"
                )
        if made != installed.current:
            raise FatalError(
                "callbacks, mjCOLLISIONFUNC or mjSTAGEFUNC, or numbers that their kernels use, changed after the batch "
                "was made: make a new batch; put numbers that change into userdata"
            )

    def pipelines(self, name: str) -> list[BlockPipeline]:
        """Return the pipelines of the documented function `name`, one for each workspace.

        Raises:
            FatalError: the model cannot be simulated.
        """
        if name not in self.functions:
            # the plan belongs to the batch and does not change between steps, so it needs no check
            stages = [stage for stage in stages_of(name, self.plan) if stage.name != "check" and self._is_needed(stage)]
            if name.startswith("mj_step"):
                stages += FORECAST
            # weak reference: unused worlds are freed at once
            again = functools.partial(WorldSet._forward, weakref.proxy(self))
            self.functions[name] = self.work.pipelines(
                with_poison(name, stages),
                forward=lambda i: None if name.startswith("mj_forward") else functools.partial(again, i),
            )
        return self.functions[name]

    def profile(self, name: str) -> Profile:
        """Return a context manager that times function `name`, which must have run before, on one thread."""
        (pipeline,) = self.pipelines(name)
        transfers = [share.transfer for share in self.shares.get(name, ())]
        return pipeline.profile([transfer for transfer in transfers if isinstance(transfer, WorldTransfer)])

    def _forward(self, i: int) -> BlockPipeline:
        """Return the pipeline of forward dynamics on one workspace.

        It is created on demand, because few batches need it.
        """
        return self.pipelines("mj_forward")[i]

    def _is_needed(self, stage: Stage) -> bool:
        """Return True if the results of a stage may be read by other stages, custom kernels or users of the batch."""
        others = self.plan.sizes["nplugin"] > 0 or self.plan.replaced.colliders
        return bool(others) or not stage.only_for or not self.arrays.results.keys().isdisjoint(stage.only_for)

    def _assign(self) -> None:
        """Distribute each thread's worlds over its blocks, so that worlds with about equal work share a block."""
        assign_worlds(*self.effort.values(), self._homes, len(self._homes), self._blocks)

    # ---- fields

    def keep(self, name: str) -> None:
        """Record the field `name` in every call from now on."""
        if name in self.arrays.results:
            return
        self.arrays.add_result(name)
        # stages that were skipped may be needed now
        self.functions.clear()
        self.shares.clear()

    def find(self, name: str) -> None:
        """Record the field `name` from now on, and repeat the last call to compute it."""
        self.keep(name)
        if self.last is not None:
            self._repeat([(name, self.arrays.results[name], OUT_OF, None)], self._blocks)
            self.arrays.results[name][self.fresh] = 0
            if self.forwarded.any():
                forces = self.last.endswith(POST_CONSTRAINT)
                self.run_some(with_forces("mj_forward") if forces else "mj_forward", np.flatnonzero(self.forwarded))

    def live(self, name: str) -> np.ndarray:
        """Return the array of a state or input that a user may write to."""
        if name not in self.arrays.lasting:
            self.arrays.add_lasting(name)
            self.shares.clear()
        return self.arrays.lasting[name]

    def shared(self, name: str) -> Any:
        """Return the memory of a field on a device.

        Raises:
            FatalError: the worlds are on the CPU.
        """
        raise FatalError(f"{name} is in the memory of the CPU: use the NumPy array batch.{name}")

    def begun(self, chosen: np.ndarray) -> None:
        """Prepare the chosen worlds to continue from the values in the arrays."""
        self.fresh[chosen] = True
        self.forwarded[chosen] = False
        if len(self.arrays.lasting) > self._moving:
            self.shares.clear()

    def repeated(self, world: int) -> Workspace:
        """Repeat the last call for world `world`, and return a workspace whose first world contains the results."""
        self._repeat([], np.full((1, self.work.width), world, np.int64), 1)
        return self.work.spaces[0]

    def _repeat(self, wanted: Iterable[Way], blocks: np.ndarray, nshare: int | None = None) -> None:
        """Repeat the last call from its inputs, and store the fields in `wanted`."""
        assert self.last is not None
        ways: list[Way] = [(field, array, INTO, None) for field, array in self.arrays.before.items()]
        shares = self.work.shares(self.pipelines(self.last), [*ways, *wanted], blocks)[:nshare]
        with warnings.catch_warnings():
            # the last call has already reported these warnings
            warnings.simplefilter("ignore", SimulationWarning)
            self._go(shares, self._last_nstep)
            report([share.pipeline for share in shares])

    @property
    def nbytes(self) -> int:
        """Number of bytes of memory."""
        return self.arrays.nbytes + sum(space.nbytes for space in self.work.spaces)

    def model_of(self, world: int | None = None) -> Buffer:
        """Return a copy of the model in double precision, with the varying rows of one world if `world` is given."""
        buffer = in_precision(self.plan.model, np.dtype(np.float64))
        if world is not None:
            self.constants.follow()
            for name in self.varied.all:
                buffer.view(name)[...] = self.varied.arrays[name][world]
        return buffer
