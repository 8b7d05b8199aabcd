"""Memory of one world: fields of fixed size, an arena that grows, and the addresses that kernels receive as `d`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.lang.calls.call_cache import CallCache
from conjoint.lang.calls.driver import Run
from conjoint.lang.language.name import Name
from conjoint.lang.language.shared_work import TEAM
from conjoint.lang.memory.layout import Buffer, Role
from conjoint.lang.threads.thread_team import Team
from conjoint.once import Turn, derived
from conjoint.physics.status import LATER
from conjoint.runtime.block_memory import BlockMemory
from conjoint.runtime.entry import entry
from conjoint.runtime.functions import NUMBERS
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import (
    NO_KEY,
    Initial,
    initial_controls,
    initial_history,
    initial_rests,
    initial_values,
    is_open,
    keyframes,
    write,
)
from conjoint.runtime.sleep import may_sleep
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import data_layout, layout_of
from conjoint.schema.model import MODEL_ROWS

_begin_anew = entry(
    Name("conjoint.physics").integration.state.begin_anew,
    "out long[]",
    "long[]",
    "int[]",
    "int",
    "int[]",
    "int",
    "int",
)

_NAMES = {row.name for row in MODEL_ROWS}
SHARED = tuple(field.name for field in DATA_ROWS if field.role is Role.STRUCTURE and field.name in _NAMES)
"""Names of the fields that a world copies from the model and the plan, where they have the same names."""


class World(BlockMemory):
    """Memory of one simulation.

    Attributes:
        model: memory of the model, which is shared.
        turn: lock that serializes access by the program's threads.
        team: threads that share its work; None if only the caller's thread works.
        shares: True if there is a team, and work to share.
        calls: cache of the last calls, which machine code repeats.
        pipelines: pipelines that have run on the world, ready to run again (`pipeline.pipeline`).
        latest: the pipeline that ran last, by function name.
        contacts_written: True if a program has set integers of contacts since the contacts were found. Stages use these
            integers as addresses.
    """

    def __init__(self, plan: Plan):
        """Allocate a world for the model of `plan`, in its reference configuration."""
        self.model = model = plan.model
        # few worlds ever need more, and then the arena grows
        sizes = model.layout.sizes
        ncon = max(32, sizes["ngeom"])
        limits = sizes["njnt"] + 2 * sizes["ntendon"] + sizes["nv"] + 6 * sizes["neq"]
        super().__init__(plan, Buffer(data_layout(model)), ncon, 4 * ncon + limits)
        self.pipelines: dict[Any, Any] = {}
        self.latest: dict[str, Any] = {}
        self.contacts_written = False
        self.turn = Turn()
        self.calls = CallCache(len(NUMBERS), self.turn)
        self.team: Team | None = None
        self.shares = False
        self._write_structure()
        self.data.view("volumes_requested")[...] = LATER
        # all other fields are zero, in memory that the system does not allocate before it is written
        write(self.data, initial_values(plan))

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model, by name."""
        return self.model.layout.sizes

    def share_with(self, team: Team | None) -> None:
        """Let the threads of a team share the work. A small world has only one share, for the caller's thread."""
        self.team = team
        self.shares = team is not None and int(self.plan.view("nshare")) > 1
        self.calls.invalidate()

    def go(self, run: Run, nstep: int) -> int:
        """Run stages that are bound to this memory `nstep` times, with all threads; return the status."""
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

    def adopt(self, plan: Plan) -> None:
        """Switch to `plan`: resize the arena for its candidate pairs and dual matrix, and expose its structure."""
        self.plan = plan
        # the ids of the elements that a reset initializes may have changed
        self.__dict__.pop("_initial", None)
        self._write_structure()
        self.grow()
        if not may_sleep(self.model):
            # no tree sleeps in a model without the sleep flag
            self.data.view("tree_rest")[...] = 0
        # stages write these fields only if the model has such surfaces
        self.arena.view("contact_adhesion")[...] = 0
        self.arena.view("contact_surfacevel")[...] = 0

    def _write_structure(self) -> None:
        """Write derived fields that users may read: the structure of the plan, and sizes of memory."""
        for name in SHARED:
            self.data.view(name)[...] = self.plan.view(name)
        self.data.view("nbuffer")[...] = self.data.layout.nbytes

    def reset(self, plan: Plan | None = None, fill: int = 0, key: int = NO_KEY) -> None:
        """Set the world to the reference configuration of a model, by default its own model.

        The arena is unchanged: it contains no contacts or rows, and new ones are written before they are read.

        Args:
            plan: the model.
            fill: value of the bytes of all numbers that are computed before they are read. Integers become zero,
                because stages use some of them as addresses.
            key: id of the keyframe whose state the world gets.
        """
        plan = self.plan if plan is None else plan
        initial = self._initial if plan.structure is self.plan.structure else Initial(self.data, plan)
        copied = initial.initial_rows if key == NO_KEY else initial.all_rows
        _begin_anew(*initial.memory, initial.cleared, len(initial.cleared) // 2, initial.rows, copied, key)
        for numbers, source, ids in initial.chosen:
            numbers[...] = source[ids]
        if plan.model.layout.sizes["nhistory"]:
            self.data.view("history")[...] = initial_history(plan)
        if key == NO_KEY:
            if plan.model.layout.sizes["nplastic"]:
                self.data.view("plastic")[...] = initial_rests(plan)
            controls = self._initial_controls if plan.structure is self.plan.structure else initial_controls(plan)
            if controls is not None:
                self.data.view("ctrl")[...] = controls
        if fill:
            for buffer in self.buffers:
                for start, end, stored in buffer.layout.spans(is_open):
                    buffer.bytes[start:end] = fill if stored.kind == "f" else 0

    @derived
    def _initial(self) -> Initial:
        """Ranges of memory that a reset clears, and the sources from which it copies."""
        return Initial(self.data, self.plan)

    @derived
    def _initial_controls(self) -> np.ndarray | None:
        """Initial controls, or None if all are zero."""
        return initial_controls(self.plan)

    @derived
    def keyframes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Keyframes of the model; see `reset.keyframes`."""
        return keyframes(self.data, self.plan)

    def copy(self) -> "World":
        """Return a separate copy of the world in the same state."""
        copied = World(self.plan)
        copied.restore(*self.contents())
        return copied

    def contents(self) -> tuple[bytes, dict[str, int], bytes]:
        """Return all memory as bytes, and the sizes of the arena, for `restore`."""
        return self.data.bytes.tobytes(), self.arena.layout.sizes, self.arena.bytes.tobytes()

    def restore(self, data: bytes, sizes: dict[str, int], arena: bytes) -> None:
        """Restore the contents of a world whose model has the same sizes."""
        requested = self.data.view("static_exposed").copy()
        self.data.bytes[...] = np.frombuffer(data, np.uint8)
        self.replace_arena(Buffer(layout_of(ARENA_ROWS, sizes)))
        self.arena.bytes[...] = np.frombuffer(arena, np.uint8)
        self.forget_plan(requested)

    def take_over(self, other: "World") -> None:
        """Copy the contents of another world, whose model has the same sizes."""
        if self.arena.layout.sizes != other.arena.layout.sizes:
            self.restore(*other.contents())
            return
        requested = self.data.view("static_exposed").copy()
        self.data.bytes[...] = other.data.bytes
        self.arena.bytes[...] = other.arena.bytes
        self.forget_plan(requested)

    def forget_plan(self, requested: np.ndarray) -> None:
        """Make the next step prepare the world for its plan again.

        Args:
            asked: True if programs refer to arrays of static poses.
        """
        # no plan has version 0
        self.data.view("plan_version")[...] = 0
        self.data.view("static_version")[...] = 0
        self.data.view("sleep_known")[...] = 0
        self.data.view("static_exposed")[...] = requested
        # contacts may come from a file, or from a world whose contacts a program has set
        self.note_contacts_written()

    def note_contacts_written(self) -> None:
        """Make the next call check the contacts before stages use their integers as addresses."""
        self.contacts_written = True
        self.calls.invalidate()
