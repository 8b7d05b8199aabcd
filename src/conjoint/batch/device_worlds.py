"""The worlds of a batch on a device: they stay there between calls, and fields are copied to the host when read.

What a program may hold, its `live` fields, comes home after every call, and goes out before one if it has changed.
Other fields that worlds go on from are read only when something asks for all of them, as a snapshot does.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from conjoint.batch.arrays import RemoteArrays
from conjoint.batch.pipeline import Warnings, Workspace, report_of
from conjoint.batch.world_set import FORCES, POST_CONSTRAINT, WorldSet
from conjoint.device import open_device
from conjoint.device.memory import SIDE_BY_SIDE, DeviceWorldsMemory, GroupMemory
from conjoint.device.steps import DeviceFunction
from conjoint.lang import FatalError
from conjoint.lang.memory.layout import Buffer
from conjoint.physics import status
from conjoint.runtime.functions import advances, stages_of
from conjoint.runtime.pipeline import attended
from conjoint.runtime.stage import Stage
from conjoint.runtime.warning_report import fresh_warnings
from conjoint.schema.memory import GROWING


class DeviceWorlds(WorldSet):
    """The worlds of a batch; one device thread steps each world.

    Args:
        device: the device.
        given: the arguments of `WorldSet`.
    """

    ARRAYS = RemoteArrays
    arrays: RemoteArrays

    def __init__(self, device: Any, *given: Any):
        super().__init__(*given)
        if self.varied.names:
            raise FatalError(f"a batch on {device.name} has one model for all worlds: omit vary, or use the CPU")
        if self.work.width != SIDE_BY_SIDE:
            raise FatalError(
                f"worlds of this model must be stepped one by one (islands, or over 200 dofs), which {device.name} "
                "cannot do"
            )
        self.device = device
        self.group = GroupMemory(self.plan, self.arrays.layout.real.type)
        self.there = DeviceWorldsMemory(device, self.group, self.nworld)
        self.programs: dict[str, DeviceFunction] = {}
        # times of divergence by group, fields that programs may hold, and what the device has of them
        self._diverged: dict[int, dict[tuple[int, int], float]] = {}
        self._live: set[str] = set()
        self._known: dict[str, np.ndarray] = {}
        self._stale: set[str] = set()
        self._warned: Warnings = set()
        self.arrays.worlds = weakref.ref(self)

    # ---- running

    def run(self, name: str, nstep: int = 1) -> None:
        """Run the documented function `name` on all worlds, `nstep` times."""
        self._run(name, nstep, None)
        self.last, self._last_nstep = name, nstep
        self._marks.fill(False)

    def run_some(self, name: str, chosen: np.ndarray) -> None:
        """Run the documented function `name` once on the chosen worlds; the others do not change."""
        self._run(name, 1, np.unique(chosen))
        self.forwarded[chosen] = True

    def _run(self, name: str, nstep: int, chosen: np.ndarray | None) -> None:
        self.check_callbacks(name)
        program = self.program(name)
        self._send()
        try:
            program.go(self.there, nstep, chosen, functools.partial(self._attend, program.stages))
        finally:
            self._stale = set(self.arrays.here)
            self._fetch(self._live)
            written = any(stage.name == POST_CONSTRAINT for stage in program.stages)
            for result, array in self.arrays.results.items():
                if written or result not in FORCES:
                    array[...] = self.there.read(result).reshape(array.shape)
            warned, self._warned = self._warned, set()
            report_of(warned)

    def program(self, name: str) -> DeviceFunction:
        """Return a documented function compiled for the device."""
        if name not in self.programs:
            stages = [stage for stage in stages_of(name, self.plan) if stage.name != "check"]
            rows = self.work.spaces[0].model.rows
            self.programs[name] = DeviceFunction(self.device, stages, self.arrays.layout.real.name, rows)
        return self.programs[name]

    def _attend(self, stages: Sequence[Stage], answer: int, stage: int, worlds: np.ndarray) -> int:
        """Handle the status of a stage in some worlds of a group; return the stage at which they resume."""
        number = int(worlds[0]) // SIDE_BY_SIDE
        group = self.group
        self.there.read_group(number)
        group.diverged = self._diverged.setdefault(number, {})
        goes_on = stage
        if answer == status.WARNED:
            elapsed = float(self.plan.view("opt.timestep")) if advances(stages) else 0.0
            first = number * SIDE_BY_SIDE
            for lane, kind, info, time in fresh_warnings(group, elapsed):
                if first + lane < self.nworld:
                    self._warned.add((first + lane, kind, info, time))
        elif answer == status.WAS_RESET:
            group.data.view("was_reset")[..., worlds % SIDE_BY_SIDE] = 0
            self.there.write_group(number)
            forward = self.program("mj_forward")
            forward.go(self.there, 1, worlds, functools.partial(self._attend, forward.stages))
            return stage
        elif (found := attended(group, stages, answer, (0, stage, 0))) is not None:
            goes_on = found[1]
        else:
            raise FatalError(f"stage {stages[stage].name} answered {answer} in worlds {worlds} on {self.device.name}")
        self.there.write_group(number)
        return goes_on

    # ---- fields

    def _send(self) -> None:
        """Send rows that have changed on the host since the last transfer to the device."""
        for name, array in self.arrays.here.items():
            if name in self._stale:
                continue
            known = self._known.get(name)
            if known is None or not np.array_equal(known, array, equal_nan=True):
                self.there.write(name, array)
            # what is not live cannot change behind our back
            self._known[name] = array.copy() if name in self._live else array

    def _fetch(self, names: set[str]) -> None:
        """Copy fields from the device to the host."""
        for name in sorted(names & self._stale & self.arrays.here.keys()):
            array = self.arrays.here[name]
            array[...] = self.there.read(name).reshape(array.shape)
            self._known[name] = array.copy()
            self._stale.discard(name)

    def bring_home(self) -> None:
        """Copy all fields from which the worlds continue to the host, where the user may change them."""
        self._fetch(set(self._stale))
        self._live.update(self.arrays.here)

    def live(self, name: str) -> np.ndarray:
        """Return the array of a state or input, which the user may write to, and which is current after every call."""
        if name not in self.arrays.here:
            self.arrays.add_lasting(name)
        self._fetch({name})
        self._live.add(name)
        return self.arrays.here[name]

    def find(self, name: str) -> None:
        """Record field `name` from now on; the device has the values of the last call."""
        self.arrays.add_result(name)
        if self.last is not None:
            array = self.arrays.results[name]
            array[...] = self.there.read(name).reshape(array.shape)
            array[self.fresh] = 0

    def repeated(self, world: int) -> Workspace:
        """Return a block whose first world is a copy of the given one after the last call."""
        self.there.read_group(world // SIDE_BY_SIDE)
        space, lane = self.work.spaces[0], world % SIDE_BY_SIDE
        needed = {name: int(self.group.arena.layout.sizes[size]) for name, size in GROWING.items()}
        space.grow(**needed)
        for part, found in ((space.data, self.group.data), (space.arena, self.group.arena)):
            copy_lane(found, lane, part)
        return space

    @property
    def nbytes(self) -> int:
        """Bytes of memory, on the device."""
        return self.there.ngroup * self.there.nbytes


def copy_lane(found: Buffer, lane: int, to: Buffer) -> None:
    """Copy a world of a group into the first lane of a block, up to the smaller capacity."""
    for field in to.layout.fields:
        values, target = found.view(field.name)[..., lane], to.view(field.name)
        if field.lanes(to.layout.lanes) > 1:
            target = target[..., 0]
        both = tuple(slice(min(n, k)) for n, k in zip(values.shape, target.shape, strict=True))
        target[both] = values[both]


def worlds_on(device: Any, model: Buffer, nworld: int, precision: str, vary: Sequence[str]) -> DeviceWorlds:
    """Return worlds on a device, given by its name or as an object.

    Raises:
        FatalError: the device does not exist, or it cannot step this model.
        TypeError: `device` is something else.
    """
    found = open_device(device) if isinstance(device, str) else device
    if not hasattr(found, "launch"):
        raise TypeError(f"device must be 'cpu', the name of a device or a device, not {device!r}")
    if precision == "float64" and not found.has_float64:
        raise FatalError(f"{found.name} has no double precision: create the batch with precision='float32'")
    return DeviceWorlds(found, model, nworld, precision, 1, SIDE_BY_SIDE, vary)
