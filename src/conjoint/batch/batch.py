"""`Batch`: many worlds of one model, stepped together."""

from __future__ import annotations

import functools
import os
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.api.arguments import Long, as_array, checked, store
from conjoint.api.objects.binary_check import first_wrong_id
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.records import ContactCopies
from conjoint.batch.arrays import LIVE, READABLE, Arrays, room_for
from conjoint.batch.constants import Constants
from conjoint.batch.elements import ACCESSORS, accessor
from conjoint.batch.exchange import Snapshot, chosen_worlds, contacts_of, fill_data, from_data, put, take
from conjoint.batch.pipeline import BlockPipeline, Share, report
from conjoint.batch.rendering import WorldRendering
from conjoint.batch.thread_pool import Crew
from conjoint.batch.varied_models import VARIABLE, Group, Varied
from conjoint.batch.workspace import Workspace, in_precision
from conjoint.batch.world_order import assign_worlds
from conjoint.lang import FatalError
from conjoint.lang.compiled import jit_enabled
from conjoint.lang.errors import SimulationWarning
from conjoint.lang.realisation import default_width, lanes, world_view
from conjoint.lang.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.once import ForkLock
from conjoint.runtime.functions import stages_of
from conjoint.runtime.pipeline import AT_ONCE, in_parts
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import keyframe
from conjoint.runtime.stage import Stage
from conjoint.runtime.stages import FORECAST
from conjoint.runtime.structure import Structure
from conjoint.runtime.user import installed
from conjoint.runtime.user.installed import COLLISION_FUNCTION
from conjoint.runtime.user.plugin_stages import PREFIX
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.spec.problems import suggestion

WIDTHS = (2, 4, 8, 16, 32, 64)
"""Worlds in a block: what vector registers can be asked for."""

EFFORT = ("nefc_forecast", "solver_niter")
"""Fields whose first number tells how much work the next step of a world is: rows, and iterations of the last step."""

Way = tuple[str, np.ndarray, int, np.ndarray | None]
"""Name of a field, its array, which ways it moves, and the array that gets a copy of what comes in."""

STEP_ONLY = frozenset(field.name for field in (*DATA_ROWS, *ARENA_ROWS) if field.public) - READABLE.keys()
"""Fields that only the workspace holds, and for some world only."""


class Batch(WorldRendering):
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
        nthread: threads, all processors by default.
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
            if not isinstance(names, Iterable) or any(not isinstance(name, str) for name in names):
                raise TypeError(f"Batch: {argument} must be a list of names of fields, not {names!r}")
        with room_for(nworld):
            self._build(model, nworld, precision, nthread, width, keep, vary)

    def _build(
        self,
        model: MjModel,
        nworld: Long,
        precision: str,
        nthread: int | None,
        width: int | None,
        keep: Sequence,
        vary: Sequence,
    ) -> None:
        """Make the memory and the pipelines of all worlds."""
        self._turn = ForkLock()
        self.model, self.nworld, self.precision = model, nworld, precision
        self.nthread = nthread or os.cpu_count() or 1
        self.width = width or default_width(precision)
        self.dtype = np.dtype(precision)
        if wrong := first_wrong_id(model._buffer):
            raise FatalError(f"the model was changed to what cannot be simulated: {wrong}; set it back")
        structure = Structure(in_precision(model._buffer, self.dtype))
        self._plan = Plan(structure, nsolverstat=0, lanes=self.width)
        # plain Python runs world by world: lanes would take turns in what is one number for all of a block
        if self._plan.single or not jit_enabled():
            self.width, self._plan = 1, Plan(structure, nsolverstat=0)
        # threads take the blocks as they become due; each has a workspace of its own
        nblock = -(-nworld // self.width)
        nspace = min(self.nthread, nblock)
        self._varied = Varied(self._plan, vary, nworld)
        rows = self._varied.all
        self._spaces = [Workspace(self._plan, self.dtype.type, self.width, rows) for _ in range(nspace)]
        self._worlds = np.zeros((nblock, self.width), np.int64)
        self._due = np.zeros(1, np.int64)
        self._crew = Crew()
        self._arrays = Arrays(self._plan, self._spaces[0].data.layout, nworld, self._varied)
        self._constants = Constants(self._varied, self._spaces, self.precision, self._crew)
        self._functions: dict[str, list[BlockPipeline]] = {}
        self._shares: dict[str, list[Share]] = {}
        # the last call, its steps since worlds last came in, and the worlds that were reset after it
        self._last: str | None = None
        self._last_nstep, self._at_once = 0, AT_ONCE
        self._fresh = np.ones(nworld, bool)
        self._effort = {name: np.zeros((nworld, 1), np.int32) for name in EFFORT}
        self._assign()
        for name in keep:
            self._field(name)
            self._keep(name)
        # what is kept decides which stages run
        self._pipelines("mj_step")
        self.reset()

    # ---- running

    @checked
    def step(self, nstep: int = 1) -> None:
        """Advance every world by `nstep` timesteps, with the controls as they are."""
        if nstep < 0:
            raise FatalError(f"the number of steps is at least 0, not {nstep}")
        if nstep:
            with self._turn.held:
                self._run("mj_step", nstep)

    def forward(self) -> None:
        """Forward dynamics of every world, without integration."""
        with self._turn.held:
            self._run("mj_forward", 1)

    def inverse(self, qacc: np.ndarray) -> np.ndarray:
        """Inverse dynamics of every world: the forces that cause given accelerations.

        Args:
            qacc: accelerations, shape (nworld, nv), or what broadcasts to it.

        Returns:
            `qfrc_inverse`, shape (nworld, nv).

        Raises:
            FatalError: `qacc` has another shape.
        """
        with self._turn.held:
            shape = self._arrays.lasting["qacc"].shape
            try:
                self._arrays.lasting["qacc"][...] = as_array("accelerations", qacc)
            except ValueError:
                raise FatalError(f"accelerations must have shape {shape}, not {np.shape(qacc)}") from None
            if "qfrc_inverse" not in self._arrays.results:
                self._keep("qfrc_inverse")
            self._run("mj_inverse", 1)
            return self._arrays.results["qfrc_inverse"].copy()

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
        with self._turn.held:
            recorded = []
            for done, controls in enumerate(self._sequence(ctrl), 1):
                self.ctrl[...] = controls
                self.step()
                if state is not None:
                    recorded.append(np.array(getattr(self, state)))
                if progress is not None:
                    progress(done)
            return np.array(recorded) if state is not None else None

    def _sequence(self, ctrl: np.ndarray) -> np.ndarray:
        """Controls of all worlds, step by step, of the right shape."""
        shape = (self.nworld, int(self._plan.view("nu")))
        controls = as_array("controls", ctrl)
        if controls.ndim != 3 or controls.shape[1:] != shape:
            raise FatalError(f"controls must have shape (nstep, {shape[0]}, {shape[1]}), not {controls.shape}")
        return controls

    def _run(self, name: str, nstep: int) -> None:
        self._check_callbacks(name)
        self._follow_model()
        if len(self._worlds) > 1:
            self._assign()
        shares = self._shares.get(name)
        if shares is None:
            arrays = self._arrays
            ways: list[Way] = [(n, array, INTO | OUT_OF, arrays.before[n]) for n, array in arrays.lasting.items()]
            ways += [(n, a, OUT_OF, None) for n, a in (*arrays.results.items(), *self._effort.items())]
            shares = self._shares[name] = self._made_shares(name, ways)
        self._last = name
        self._fresh[...] = False
        self._go(shares, nstep)

    def _follow_model(self) -> None:
        """From now on worlds have their own rows of the model as programs have set them."""
        if not self._varied.names:
            return
        self._constants.follow()
        if self._varied.pack():
            self._shares.clear()
            for space in self._spaces:
                self._varied.fill(space.model.own)

    def _check_callbacks(self, name: str) -> None:
        """Raise FatalError if a function would call a callback, which works on the data of a single world."""
        made = self._plan.replaced
        if installed.active:
            stages = stages_of(name, self._plan, installed.active)
            python = ("mjcb_", COLLISION_FUNCTION, PREFIX)
            asked = sorted({stage.name for stage in stages if stage.name.startswith(python)})
            if asked:
                raise FatalError(
                    f"a batch cannot call {', '.join(asked)}, as an MjData does: remove it "
                    "(mj_resetCallbacks), or make it a kernel"
                )
        if made != installed.current:
            raise FatalError(
                "callbacks, mjCOLLISIONFUNC or mjSTAGEFUNC are not as when the batch was made: make another one"
            )

    def _go(self, shares: Sequence[Share], nstep: int) -> None:
        """Run a function on all worlds, each share in its thread."""
        try:
            if nstep > self._at_once:
                self._at_once = in_parts(nstep, lambda steps: self._go_at_once(shares, steps), self._at_once)
            else:
                self._go_at_once(shares, nstep)
        finally:
            report([share.pipeline for share in shares])

    def _go_at_once(self, shares: Sequence[Share], nstep: int) -> None:
        """The same in one call of machine code for each share."""
        self._last_nstep = nstep
        self._due[...] = 0
        for share in shares:
            share.transfer.begin(nstep)
        # uncompiled, threads would wait for each other: the first share takes all blocks
        self._crew.run(shares if jit_enabled() else shares[:1])

    def _pipelines(self, name: str) -> list[BlockPipeline]:
        """The documented function `name` for every workspace.

        Raises:
            FatalError: the model cannot be simulated.
        """
        if name not in self._functions:
            # the plan is the batch's own: nobody changes it between steps
            stages = stages_of(name, self._plan)
            wanted = tuple(stage for stage in stages if stage.name != "check" and self._asks(stage))
            if name == "mj_step":
                wanted += FORECAST
            block, world = lanes(self.precision, self.width), world_view(self.precision, self.width)
            made = []
            for i, space in enumerate(self._spaces):
                # weakly: a batch that nobody holds ends at once
                later = functools.partial(Batch._forward, weakref.proxy(self), i)
                forward = None if name == "mj_forward" else later
                made.append(BlockPipeline(wanted, space, block, world, forward))
            self._functions[name] = made
        return self._functions[name]

    def _forward(self, i: int) -> BlockPipeline:
        """Forward dynamics on one of the workspaces: few batches ever ask for it."""
        return self._pipelines("mj_forward")[i]

    def _asks(self, stage: Stage) -> bool:
        """Whether a stage does something that others, kernels of programs or users of the batch may read."""
        others = self._plan.sizes["nplugin"] > 0 or self._plan.replaced.colliders
        return bool(others) or not stage.only_for or not self._arrays.results.keys().isdisjoint(stage.only_for)

    def _keep(self, name: str) -> None:
        """Keep field `name` from now on."""
        self._arrays.add_result(name)
        # stages that were left out may be asked for
        self._functions.clear()
        self._shares.clear()

    def _made_shares(self, name: str, ways: Iterable[Way], blocks: np.ndarray | None = None) -> list[Share]:
        """What each thread does of a function: with the worlds of some blocks, or of all."""
        blocks = self._worlds if blocks is None else blocks
        ways = [way for way in ways if way[1].size]
        shares = []
        for part in self._pipelines(name):
            space = part.workspace
            fields = [FieldTransfer(array, space.data.view(field), w, copy) for field, array, w, copy in ways]
            fields += self._varied.transfers(part.uses(self._varied.all), space.model.own)
            shares.append(part.share(fields, blocks, self._due))
        return shares

    # ---- which world goes where

    def _assign(self) -> None:
        """Put the worlds into blocks: next to each other those that will need equally much work."""
        rows, iterations = self._effort.values()
        assign_worlds(rows, iterations, self.nworld, self._worlds.size, self._worlds)

    # ---- state

    def reset(self, worlds: Any = None, key: int | None = None) -> None:
        """Put worlds into the reference configuration, or into a keyframe.

        Args:
            worlds: which worlds: booleans of shape (nworld,), or numbers; all if None.
            key: index of the keyframe; None for qpos0 at rest.

        Raises:
            FatalError: the mask has another shape, or there is no such world or keyframe.
        """
        with self._turn.held:
            chosen = chosen_worlds(worlds, self.nworld)
            nkey = self._plan.model.layout.sizes["nkey"]
            if key is not None and not isinstance(key, int | np.integer):
                raise TypeError(f"a keyframe is chosen by its index, not by {key!r:.60}")
            if key is not None and not 0 <= key < nkey:
                raise FatalError(f"there is no keyframe {key}: the model has {nkey}")
            self._arrays.reset(chosen)
            if key is not None:
                self._arrays.write(dict(keyframe(self._plan, key)), chosen)
                self._shares.clear()
            self._fresh |= chosen

    def snapshot(self, worlds: Any = None) -> Snapshot:
        """Copies of all that worlds go on from: state, inputs, what stages keep from step to step, and rows that vary.

        Args:
            worlds: which worlds: booleans of shape (nworld,), or numbers; all if None. Rows follow their order here.

        Raises:
            FatalError: the mask has another shape, or there is no such world.
        """
        with self._turn.held:
            return take(self._arrays, self._varied, chosen_worlds(worlds, self.nworld))

    def restore(self, snapshot: Mapping[str, np.ndarray], worlds: Any = None) -> None:
        """Put a snapshot, of this batch or another one of the same model, into as many worlds: they go on from there.

        Args:
            snapshot: what `snapshot` returned.
            worlds: which worlds: booleans of shape (nworld,), or numbers; all if None.

        Raises:
            FatalError: the snapshot is of another batch, or of another number of worlds.
        """
        with self._turn.held:
            if not isinstance(snapshot, Mapping):
                raise TypeError(f"a snapshot is what `snapshot` returned, not {snapshot!r:.60}")
            chosen, count = chosen_worlds(worlds, self.nworld), len(self._arrays.lasting)
            put(self._arrays, self._varied, chosen, snapshot)
            self._fresh |= chosen
            if len(self._arrays.lasting) > count:
                self._shares.clear()

    @checked
    def get_data(self, world: int) -> MjData:
        """One world as an `MjData` of its own, with its model (`get_model`).

        It has the state and inputs that the batch goes on from; `mj_forward` computes all else, contacts too.

        Raises:
            FatalError: there is no such world.
        """
        with self._turn.held:
            data = MjData(self.get_model(world))
            fill_data(data, self._arrays, world)
            return data

    @checked
    def contact(self, world: int) -> ContactCopies:
        """Copies of the contacts that one world had in its last step, as `MjData.contact` lists them.

        They are those that `ncon` counts: of the configuration in which the last step (or `forward`) began. The last
        call is repeated for this world alone, so that nobody pays for contacts who does not ask.

        Raises:
            FatalError: there is no such world.
        """
        with self._turn.held:
            chosen_worlds(world, self.nworld)
            if self._last is None or self._fresh[world]:
                return contacts_of(None)
            alone = np.full((1, self.width), int(world), np.int64)
            self._repeat(self._made_shares(self._last, self._beginning(), alone)[:1])
            return contacts_of(self._spaces[0])

    @checked
    def set_data(self, world: int, data: MjData) -> None:
        """Let a world go on from the state and inputs of an `MjData`.

        Raises:
            FatalError: there is no such world, or the data is of a model of other sizes.
        """
        with self._turn.held:
            chosen = chosen_worlds(world, self.nworld)
            if data.model._buffer.layout.sizes != self._plan.model.layout.sizes:
                raise FatalError("the data is of another model: its sizes are not those of the batch's")
            from_data(data, self._arrays, world)
            self._fresh |= chosen
            self._shares.clear()

    @checked
    def get_model(self, world: int) -> MjModel:
        """The model of one world, as the batch simulates it: a copy with what varies, and what follows from it.

        Raises:
            FatalError: there is no such world.
        """
        with self._turn.held:
            chosen_worlds(world, self.nworld)
            self._constants.follow()
            buffer = in_precision(self._plan.model, np.dtype(np.float64))
            for name in self._varied.all:
                buffer.view(name)[...] = self._varied.arrays[name][world]
            return MjModel._wrap(buffer)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"a batch has no attribute {name!r}")
        with self._turn.held:
            return self._read(name)

    def _read(self, name: str) -> Any:
        """What an attribute is that is no attribute of the object itself."""
        if name in self._varied.names:
            return self._varied.lend(name)
        if name in self._varied.derived:
            self._constants.follow()
            return self._varied.arrays[name].copy()
        if self._varied.has_group(name):
            return Group(self, name)
        if name in ACCESSORS:
            return accessor(self, name)
        self._field(name)
        if name in LIVE:
            return self._live(name)
        if name in self._arrays.lasting:
            return self._arrays.lasting[name].copy()
        if name not in self._arrays.results:
            self._find(name)
        return self._arrays.results[name].copy()

    def _live(self, name: str) -> np.ndarray:
        """The array of a state or input that a user may write to."""
        if name not in self._arrays.lasting:
            self._arrays.add_lasting(name)
            self._shares.clear()
        return self._arrays.lasting[name]

    def _field(self, name: str) -> None:
        """Raise AttributeError unless a batch has field `name`."""
        if name not in READABLE:
            hint = "; only MjData keeps it after a step" if name in STEP_ONLY else suggestion(name, READABLE)
            if name in VARIABLE:
                hint = f"; worlds share that of the model, unless the batch is made with vary=[{name!r}]"
            raise AttributeError(f"a batch has no field {name!r}{hint}")

    def _find(self, name: str) -> None:
        """Keep field `name` from now on; what the last call computed is found by repeating it."""
        self._keep(name)
        if self._last is None:
            return
        wanted: Way = (name, self._arrays.results[name], OUT_OF, None)
        self._repeat(self._made_shares(self._last, [*self._beginning(), wanted]))
        self._arrays.results[name][self._fresh] = 0

    def _beginning(self) -> list[Way]:
        """How worlds come as they were when the last call began."""
        return [(field, array, INTO, None) for field, array in self._arrays.before.items()]

    def _repeat(self, shares: Sequence[Share]) -> None:
        """Repeat the last steps: those since worlds came in as `_beginning` has them."""
        with warnings.catch_warnings():
            # the call has told them
            warnings.simplefilter("ignore", SimulationWarning)
            self._go_at_once(shares, self._last_nstep)
            report([share.pipeline for share in shares])

    def __setattr__(self, name: str, value: Any) -> None:
        if name in LIVE:
            with self._turn.held:
                store(name, self._live(name), value)
        elif "_varied" in self.__dict__ and name in self._varied.names:
            with self._turn.held:
                store(name, self._varied.lend(name), value)
        elif "_varied" in self.__dict__ and name in self._varied.derived:
            raise FatalError(f"{name!r} of a batch cannot be set: it follows from {', '.join(self._varied.sources)}")
        elif name in READABLE:
            raise FatalError(f"{name!r} of a batch cannot be set: the next step computes it")
        elif name.startswith("_") or "_arrays" not in self.__dict__:
            object.__setattr__(self, name, value)
        elif hasattr(self, name):
            raise AttributeError(f"{name!r} of a batch cannot be set: make another batch")
        else:
            self._field(name)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the model as the batch simulates it, worlds in the same state, and keeps the same fields."""
        with self._turn.held:
            model = MjModel._wrap(in_precision(self._plan.model, np.dtype(np.float64)))
            width = self.width if self.width > 1 else None
            made = model, self.nworld, self.precision, self.nthread, width, [*self._arrays.results], self._varied.names
            return _restored, (made, self.snapshot())

    def close(self) -> None:
        """End the threads; a later call starts them again."""
        with self._turn.held:
            self._crew.close()

    @property
    def nbytes_per_world(self) -> float:
        """Bytes of memory that each world takes, on average."""
        return (self._arrays.nbytes + sum(space.nbytes for space in self._spaces)) / self.nworld


def _restored(arguments: tuple[Any, ...], snapshot: Snapshot) -> Batch:
    """Inverse of pickling a batch."""
    batch = Batch(*arguments)
    batch.restore(snapshot)
    return batch
