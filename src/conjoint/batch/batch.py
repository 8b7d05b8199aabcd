"""`Batch`: many worlds of one model, stepped together."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.model import MjModel
from conjoint.batch.block import KEPT_ROWS, SHARED_ROWS, Block, Blocks, Workspace, kept_layout
from conjoint.batch.pipeline import BatchPipeline
from conjoint.lang import FatalError
from conjoint.lang.layout import Buffer, Layout, Role
from conjoint.lang.realisation import default_width, lanes, world_view
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import keyframe, reset, write
from conjoint.runtime.stages import stages_of
from conjoint.runtime.unsupported import unsupported
from conjoint.runtime.world import is_dual
from conjoint.schema.arena import ARENA_ROWS
from conjoint.spec.problems import suggestion

LIVE = frozenset(field.name for field in KEPT_ROWS if field.role in (Role.STATE, Role.INPUT))
"""State and inputs: arrays that a user may write to."""

WIDTHS = (2, 4, 8, 16, 32, 64)
"""Worlds in a block: what vector registers can be asked for."""

STEP_ONLY = frozenset(field.name for field in (*SHARED_ROWS, *ARENA_ROWS) if field.public)
"""Fields that blocks share, so that they hold those of some world only."""

INITIAL_CONTACTS = 12
"""Contacts in each world that a new batch makes room for; blocks grow on their own."""


class Batch:
    """Many worlds of one model, in blocks as wide as the CPU's vector registers, spread over threads.

    State and inputs (`LIVE`: qpos, qvel, act, ctrl, ...) are arrays of shape `(nworld, n)` that may be read and
    written in place between calls. Every other field of `MjData` of fixed size is read as an attribute, a fresh copy of
    shape `(nworld, ...)`: `batch.xpos`, `batch.sensordata`, `batch.ncon`. A world is alone: no bit of its results
    depends on the other worlds, on their number or on that of threads.

    Args:
        model: the model; the batch works on a copy of it as it is now.
        nworld: number of worlds, at least 1.
        precision: "float64" or "float32".
        nthread: threads, all processors by default.
        width: worlds in a block; by default what fills a vector register.

    Raises:
        FatalError: an argument is out of range, or the model cannot be simulated yet.
    """

    @checked
    def __init__(
        self,
        model: MjModel,
        nworld: int,
        precision: str = "float64",
        nthread: int | None = None,
        width: int | None = None,
    ):
        if precision not in ("float64", "float32"):
            raise FatalError(f"precision must be 'float64' or 'float32', not {precision!r}")
        if nworld < 1:
            raise FatalError(f"a batch has at least one world, not {nworld}")
        if nthread is not None and nthread < 1:
            raise FatalError(f"a batch runs on at least one thread, not {nthread}")
        if width is not None and width not in WIDTHS:
            raise FatalError(f"the width of a block is a power of two from 2 to 64, not {width}")
        self.model, self.nworld, self.precision = model, nworld, precision
        self.nthread = nthread or os.cpu_count() or 1
        self.width = width or default_width(precision)
        self.dtype = np.dtype(precision)
        self._plan = Plan(_in_precision(model._buffer, self.dtype), nsolverstat=0)
        lines = unsupported(self._plan)
        if lines:
            raise FatalError("this model cannot be simulated yet: " + "; ".join(lines))
        self._allocate()
        self._pipelines: dict[str, BatchPipeline] = {}
        self._arrays: dict[str, np.ndarray] = {}
        # for every thread, views of the same numbers in its blocks and in the user's arrays
        self._pairs: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in self._bounds[1:]]
        self._pool = ThreadPoolExecutor(self.nthread) if self.nthread > 1 else None
        self.reset()

    def _allocate(self) -> None:
        nblock = -(-self.nworld // self.width)
        real, plan = self.dtype.type, self._plan
        layout = self._layout = kept_layout(plan, real, self.width)
        memory = self._memory = Blocks(layout, nblock)
        # one workspace for each thread
        nefc, dual = 4 * INITIAL_CONTACTS + 16, is_dual(plan.model)
        self._bounds = np.linspace(0, nblock, min(self.nthread, nblock) + 1).astype(int)
        self._blocks: list[Block] = []
        for first, last in itertools.pairwise(self._bounds):
            workspace = Workspace(plan, real, self.width, INITIAL_CONTACTS, nefc, dual)
            for i in range(first, last):
                self._blocks.append(Block(Buffer(layout, memory.bytes[i]), workspace))

    # ---- running

    @checked
    def step(self, nstep: int = 1) -> None:
        """Advance every world by `nstep` timesteps, with the controls as they are."""
        self._run("mj_step", nstep)

    def forward(self) -> None:
        """Forward dynamics of every world, without integration."""
        self._run("mj_forward", 1)

    def rollout(self, ctrl: np.ndarray, state: str | None = "qpos") -> np.ndarray | None:
        """Advance through a sequence of controls.

        Args:
            ctrl: controls, shape (nstep, nworld, nu).
            state: field to record after every step, None for nothing.

        Returns:
            The field after every step, shape (nstep, nworld, ...), or None.
        """
        recorded = []
        shape = (self.nworld, int(self._plan.view("nu")))
        if np.ndim(ctrl) != 3 or np.shape(ctrl)[1:] != shape:
            raise FatalError(f"controls must have shape (nstep, {shape[0]}, {shape[1]}), not {np.shape(ctrl)}")
        for controls in np.asarray(ctrl):
            self.ctrl[...] = controls
            self.step()
            if state is not None:
                recorded.append(np.array(getattr(self, state)))
        return np.array(recorded) if state is not None else None

    def _run(self, name: str, nstep: int) -> None:
        if nstep < 0:
            raise FatalError(f"the number of steps is at least 0, not {nstep}")
        self._pipeline(name).go(nstep, self._pool, self._bounds, self._scatter, self._gather)

    def _pipeline(self, name: str) -> BatchPipeline:
        if name not in self._pipelines:
            forward = self._pipeline("mj_forward") if name != "mj_forward" else None
            # the plan is the batch's own: nobody changes it between steps
            wanted = tuple(stage for stage in stages_of(name, self._plan) if stage.name != "check")
            block, world = lanes(self.precision, self.width), world_view(self.precision, self.width)
            self._pipelines[name] = BatchPipeline(wanted, self._plan, self._blocks, block, world, forward)
        return self._pipelines[name]

    # ---- state

    def reset(self, mask: np.ndarray | None = None, key: int | None = None) -> None:
        """Put worlds into the reference configuration, or into a keyframe.

        Args:
            mask: which worlds, booleans of shape (nworld,); all if None.
            key: index of the keyframe; None for qpos0 at rest.

        Raises:
            FatalError: the mask has another shape, or there is no such keyframe.
        """
        chosen = np.ones(self.nworld, bool) if mask is None else np.asarray(mask)
        if chosen.dtype != bool:
            raise FatalError(f"the mask must be booleans, not {chosen.dtype}")
        if chosen.shape != (self.nworld,):
            raise FatalError(f"the mask must have shape ({self.nworld},), not {chosen.shape}")
        nkey = self._plan.model.layout.sizes["nkey"]
        if key is not None and not 0 <= key < nkey:
            raise FatalError(f"there is no keyframe {key}: the model has {nkey}")
        for part in range(len(self._pairs)):
            self._scatter(part)
        # the places behind the last world follow it
        padded = np.full((len(self._blocks), self.width), mask is None)
        padded.reshape(-1)[: self.nworld] = chosen
        reset(self._memory, self._plan, padded)
        if key is not None:
            write(self._memory, keyframe(self._plan, key), padded)
        for part in range(len(self._pairs)):
            self._gather(part)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.__dict__.get("_layout", _NOTHING).index:
            raise AttributeError(f"a batch has no field {name!r}{self._hint(name)}")
        if name in LIVE:
            if name not in self._arrays:
                self._arrays[name] = self._copy(name)
                self._pair(name)
            return self._arrays[name]
        return self._copy(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in LIVE:
            getattr(self, name)[...] = value
        elif name in self.__dict__.get("_layout", _NOTHING).index:
            raise FatalError(f"{name!r} of a batch cannot be set: the next step computes it")
        elif name.startswith("_") or "_layout" not in self.__dict__:
            object.__setattr__(self, name, value)
        elif hasattr(self, name):
            raise AttributeError(f"{name!r} of a batch cannot be set: make another batch")
        else:
            raise AttributeError(f"a batch has no field {name!r}{self._hint(name)}")

    def _hint(self, name: str) -> str:
        """What may be meant by the name of something that a batch does not have."""
        if name in STEP_ONLY:
            return "; only MjData keeps it after a step"
        return suggestion(name, self.__dict__.get("_layout", _NOTHING).index)

    def _copy(self, name: str) -> np.ndarray:
        view = self._memory.view(name)
        worlds = np.moveaxis(view, -1, 1).reshape(len(view) * self.width, *view.shape[1:-1])
        return np.ascontiguousarray(worlds[: self.nworld])

    def _pair(self, name: str) -> None:
        """Pair the numbers of a field in the blocks with those in the user's array: views of equal shapes."""
        view, array, width = self._memory.view(name), self._arrays[name], self.width
        for pairs, (first, last) in zip(self._pairs, itertools.pairwise(self._bounds), strict=True):
            start, stop = first * width, min(last * width, self.nworld)
            full, rest = divmod(stop - start, width)
            worlds = array[start : start + full * width].reshape(full, width, *array.shape[1:])
            pairs.append((view[first : first + full], np.moveaxis(worlds, 1, -1)))
            if rest:
                pairs.append((view[first + full, ..., :rest], np.moveaxis(array[start + full * width : stop], 0, -1)))

    def _scatter(self, part: int) -> None:
        """Put the arrays that the user holds into the blocks of a thread."""
        for blocks, worlds in self._pairs[part]:
            blocks[...] = worlds

    def _gather(self, part: int) -> None:
        """Bring the arrays that the user holds up to date for the blocks of a thread."""
        for blocks, worlds in self._pairs[part]:
            worlds[...] = blocks

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    @property
    def nbytes_per_world(self) -> float:
        """Bytes of memory that each world takes, on average."""
        spaces = {id(block.workspace): block.workspace for block in self._blocks}.values()
        shared = sum(space.rows.layout.nbytes + space.arena.layout.nbytes for space in spaces)
        return (self._memory.bytes.nbytes + shared) / (len(self._blocks) * self.width)


class _Nothing:
    index: ClassVar[dict[str, int]] = {}


_NOTHING = _Nothing()


def _in_precision(model: Buffer, dtype: np.dtype) -> Buffer:
    """A copy of the model with its reals in `dtype`."""
    copied = Buffer(Layout(model.layout.fields, model.layout.sizes, dtype.type))
    for field in model.layout.fields:
        copied.view(field.name)[...] = model.view(field.name)
    return copied
