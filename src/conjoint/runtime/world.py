"""One world in memory: fields of fixed size, an arena that grows, and the addresses that kernels get as `d`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.driver import Run
from conjoint.lang.errors import FatalError
from conjoint.lang.layout import Buffer, Layout, Role
from conjoint.lang.shared_work import TEAM
from conjoint.lang.thread_team import Team
from conjoint.once import ForkLock, derived
from conjoint.physics.collision.visited_boxes import LATER
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import KEPT_IN_KEYS, initial_sources, initial_values, is_open, is_reset, reset, write
from conjoint.schema.arena import ARENA_ROWS, CAPACITIES
from conjoint.schema.constants import mjNWARNING
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import GROWING, allocate_arena, allocate_data
from conjoint.schema.model import MODEL_ROWS

SHARED = tuple(
    field.name
    for field in DATA_ROWS
    if field.role is Role.STRUCTURE and any(field.name == row.name for row in MODEL_ROWS)
)
"""Fields that follow from the model and the plan, which have them under the same names."""


TOLD = tuple(field.name for field in DATA_ROWS if field.role is Role.STRUCTURE and field.name in CAPACITIES)
"""Sizes of an arena that kernels are told."""


def kinds_counted(numbers: np.ndarray) -> np.ndarray:
    """Kinds of warnings (mjtWarning) that were counted, a bit each.

    Args:
        numbers: how often each was, shape (mjNWARNING, ...).
    """
    return np.tensordot(1 << np.arange(len(numbers)), numbers > 0, 1)


def kinds_of(bits: int) -> list[int]:
    """The kinds of warnings whose bits are set, in order."""
    return [kind for kind in range(mjNWARNING) if bits >> kind & 1]


def enlarged(plan: Plan, sizes: Mapping[str, int], least: Mapping[str, int]) -> dict[str, int]:
    """Capacities of an arena: at least those of one with `sizes`, `least`, and what the plan begins with."""
    wanted = {name: max(sizes[size], least.get(name, 0)) for name, size in GROWING.items()}
    first = plan.capacities(wanted["nefc"])
    planned = ("nefc_dual", "nefc_hybrid", "nnear")
    return {name: max(count, first[name] if name in planned else 0) for name, count in wanted.items()}


def no_room(wanted: Mapping[str, int]) -> FatalError:
    """The error of an arena with capacities by name of `schema.memory.GROWING` that memory has no room for."""
    rooms = f"{wanted['ncon']} contacts, {wanted['nefc']} constraint rows and {wanted['nnear']} pairs of near geoms"
    return FatalError(
        f"no memory for an arena of {rooms}: too many geoms overlap; keep those apart that need not touch "
        "(contype and conaffinity, contact exclude), or place them elsewhere"
    )


class World:
    """Memory of one simulation.

    Attributes:
        plan: the model as kernels see it, shared.
        model: memory of the model, shared.
        data: fields of fixed size.
        arena: contacts and constraint rows; replaced when it grows.
        table: addresses of the rows of `data`, then of `arena`; stays in place when the arena is replaced.
        address: address of `table`, what kernels receive as `d`.
        turn: of the threads of the program that work on it.
        team: threads that share its work; None if it has only that of the caller.
        shares: whether there is a team, and work to share.
        pipelines: functions that ran on it, ready to run again (`pipeline.pipeline`).
        latest: of each function by name, the pipeline that ran last.
        diverged: times of resets that are yet to be told, by the kind of warning, s.
    """

    def __init__(self, plan: Plan):
        """Allocate a world for the model of `plan`, in its reference configuration."""
        self.plan = plan
        self.model = model = plan.model
        self.data = allocate_data(model)
        ncon, nefc = initial_capacities(model)
        first = {"ncon": ncon, "nefc": nefc, **plan.capacities(nefc)}
        self.arena = allocate_arena(model, first, plan.room)
        # what the table may show
        self._arenas: tuple[Buffer, ...] = ()
        self.pipelines: dict[Any, Any] = {}
        self.latest: dict[str, Any] = {}
        self.diverged: dict[int, float] = {}
        self.turn = ForkLock()
        self.team: Team | None = None
        self.shares = False
        self.table = np.concatenate([self.data.table, self.arena.table])
        self.address = int(self.table.ctypes.data)
        self._write_capacities()
        self._write_structure()
        self.data.view("volumes_asked")[...] = LATER
        # all else is zero, in memory that does not exist before it is written
        write(self.data, initial_values(plan))

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model by name."""
        return self.model.layout.sizes

    def plain(self) -> PlainStruct:
        """The world for uncompiled kernels."""
        return PlainStruct([self.data, self.arena])

    def share_with(self, team: Team | None) -> None:
        """Let the threads of a team share the work; a small world has only one share, which is the caller's."""
        self.team = team
        self.shares = team is not None and int(self.plan.view("nshare")) > 1

    def go(self, run: Run, nstep: int) -> int:
        """Run stages that are bound to this memory `nstep` times, with all threads; what they answer."""
        team = self.team
        if team is None or not team.begin():
            return run.go(nstep)
        here = self.data.view(TEAM)
        here[...] = team.address
        try:
            return run.go(nstep)
        finally:
            here[...] = 0
            team.end()

    def note_divergence(self) -> None:
        """Keep the time at which the world that is about to be reset was found bad, if that will be told."""
        kind = int(self.data.view("was_reset")) - 1
        if kind not in kinds_of(int(self.data.view("warning_reported"))):
            self.diverged[kind] = float(self.data.view("time"))

    def grow(self, **least: int) -> None:
        """Replace the arena by one with at least these capacities, keeping its contents and the place of the table.

        Args:
            least: by name of `schema.memory.GROWING`.

        Raises:
            FatalError: when there is no memory for it.
        """
        old = self.arena
        wanted = enlarged(self.plan, old.layout.sizes, least)
        try:
            arena = allocate_arena(self.model, wanted, self.plan.room)
        except MemoryError as error:
            raise no_room(wanted) from error
        for field in old.layout.fields:
            kept = old.view(field.name)
            grown = arena.view(field.name)
            both = tuple(slice(min(n, k)) for n, k in zip(kept.shape, grown.shape, strict=True))
            grown[both] = kept[both]
        # whatever interrupts this, the table shows memory that is held
        self._arenas = old, arena
        self.table[len(self.data.table) :] = arena.table
        self.arena = arena
        self._arenas = (arena,)
        self._write_capacities()

    def adopt(self, plan: Plan) -> None:
        """Make room for what `plan` needs, its candidate pairs, and the dual solver's matrix; show its structure."""
        self.plan = plan
        # ids of the elements that a reset takes over may be others now
        self.__dict__.pop("_initial", None)
        self._write_structure()
        self.grow()

    def _write_structure(self) -> None:
        """Write what follows from the model, the plan and the memory, and that users may read everything."""
        for name in SHARED:
            self.data.view(name)[...] = self.plan.view(name)
        self.data.view("nbuffer")[...] = self.data.layout.nbytes

    def reset(self, plan: Plan | None = None, fill: int = 0) -> None:
        """Put the world into the reference configuration of a model, its own if None.

        Args:
            plan: the model.
            fill: what the bytes of all that is computed before it is read become.
        """
        if plan is not None and plan.structure is not self.plan.structure:
            reset(self.data, plan)
        else:
            cleared, taken_over = self._initial
            for numbers in cleared:
                numbers.fill(0)
            for numbers, source, ids in taken_over:
                numbers[...] = source[ids]
        self.arena.bytes.fill(fill)
        for start, end, _ in self.data.layout.spans(is_open) if fill else ():
            self.data.bytes[start:end] = fill

    @derived
    def _initial(self) -> tuple[list[np.ndarray], list[tuple[np.ndarray, np.ndarray, Any]]]:
        """What a reset clears, and what it takes over: memory, the row of the model, and which of its elements."""
        data, plan = self.data, self.plan
        cleared = [data.bytes[start:end] for start, end, _ in data.layout.spans(is_reset)]
        rows = [(data.view(name), plan.view(source), ids) for name, source, ids in initial_sources(plan)]
        return cleared, [(target.reshape(source[ids].shape), source, ids) for target, source, ids in rows]

    @derived
    def keyframes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Memory of the fields that keyframes keep, and that of all keyframes of the model, a row for each."""
        return [(self.data.view(field.name), self.plan.view(str(field.key))) for field in KEPT_IN_KEYS]

    def copy(self) -> "World":
        """A world of its own in the same state."""
        copied = World(self.plan)
        copied.restore(*self.contents())
        return copied

    def capacity(self, name: str) -> int:
        """One of `TOLD` as it is."""
        return int(self.arena.layout.sizes[name])

    def contents(self) -> tuple[bytes, dict[str, int], bytes]:
        """All memory as bytes, with the sizes of the arena: what `restore` needs to make an equal world."""
        return self.data.bytes.tobytes(), self.arena.layout.sizes, self.arena.bytes.tobytes()

    def restore(self, data: bytes, sizes: dict[str, int], arena: bytes) -> None:
        """Take over the contents of a world whose model has the same sizes."""
        self.data.bytes[...] = np.frombuffer(data, np.uint8)
        self.arena = Buffer(Layout(ARENA_ROWS, sizes))
        self.arena.bytes[...] = np.frombuffer(arena, np.uint8)
        self.table[len(self.data.table) :] = self.arena.table
        self.forget_plan()

    def take_over(self, other: "World") -> None:
        """Be as another world is, whose model has the same sizes."""
        if self.arena.layout.sizes != other.arena.layout.sizes:
            self.restore(*other.contents())
            return
        self.data.bytes[...] = other.data.bytes
        self.arena.bytes[...] = other.arena.bytes
        self.forget_plan()

    def forget_plan(self) -> None:
        """Let the next step prepare the world for its plan."""
        # no plan has version 0
        self.data.view("plan_version")[...] = 0

    def _write_capacities(self) -> None:
        """Tell the kernels what the arena holds."""
        for name in TOLD:
            self.data.view(name)[...] = self.capacity(name)
        self.data.view("plan_version")[...] = self.plan.version


def initial_capacities(model: Buffer) -> tuple[int, int]:
    """Contacts and constraint rows to make room for at first: few worlds ever need more, and the arena grows."""
    sizes = model.layout.sizes
    ncon = max(32, sizes["ngeom"])
    limits = sizes["njnt"] + 2 * sizes["ntendon"] + sizes["nv"] + 6 * sizes["neq"]
    return ncon, 4 * ncon + limits
