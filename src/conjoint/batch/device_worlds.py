"""Worlds of a batch whose memory stays on a device between calls; fields are copied to the host when they are read.

A program may keep a reference to a host array of the state or inputs. Such fields, called live, are copied to the host
after each call, and back to the device before the next call if the program has changed them. Other fields from which a
step continues are copied only when an operation needs all of them, such as a snapshot.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from conjoint.batch.arrays import LIVE, RemoteArrays
from conjoint.batch.pipeline import Warnings, Workspace, report_of
from conjoint.batch.varied_models import BlockModel
from conjoint.batch.world_set import FORCES, POST_CONSTRAINT, WorldSet
from conjoint.device import open_device
from conjoint.device.memory import SIDE_BY_SIDE, GroupMemory, SimulatedMemory
from conjoint.device.steps import DeviceFunction
from conjoint.lang import FatalError
from conjoint.lang.memory.layout import Buffer
from conjoint.physics import status
from conjoint.runtime.functions import advances, stages_of
from conjoint.runtime.pipeline import attended
from conjoint.runtime.plan import MOST_IN_LANES
from conjoint.runtime.stage import Stage
from conjoint.runtime.warning_report import fresh_warnings
from conjoint.schema.memory import GROWING


class DeviceWorlds(WorldSet):
    """Worlds of a batch on a device, which steps each world in a thread of its own.

    Args:
        device: the device.
        given: arguments of `WorldSet`.
    """

    ARRAYS = RemoteArrays
    arrays: RemoteArrays

    def __init__(self, device: Any, *given: Any):
        super().__init__(*given)
        self.width = self.work.width
        if self.varied.names and self.width == 1:
            raise FatalError(
                f"models with constraint islands or over {MOST_IN_LANES} degrees of freedom cannot vary between worlds "
                f"on {device.name}: leave out vary, or use device='cpu'"
            )
        self.device = device
        own = BlockModel(self.plan, self.varied.all, self.width).own
        self.group = GroupMemory(self.plan, self.arrays.layout.real.type, self.width, own)
        self.there = SimulatedMemory(device, self.group, self.nworld)
        self.programs: dict[str, DeviceFunction] = {}
        # times at which the worlds of each group diverged, by group number
        self._diverged: dict[int, dict[tuple[int, int], float]] = {}
        # fields whose host arrays the program may hold
        self._live: set[str] = set()
        # values of fields on the device, as far as the host knows them
        self._known: dict[str, np.ndarray] = {}
        # fields whose values on the device are newer than those of the host arrays
        self._stale: set[str] = set()
        # fields whose memory on the device other libraries may use
        self._shared: set[str] = set()
        self._warned: Warnings = set()
        self.arrays.worlds = weakref.ref(self)

    # ---- running

    def run(self, name: str, nstep: int = 1) -> None:
        """Run the documented function `name` on all worlds, `nstep` times."""
        self._run(name, nstep, None)
        self.last, self._last_nstep = name, nstep
        self._marks.fill(False)

    def run_some(self, name: str, chosen: np.ndarray) -> None:
        """Run the documented function `name` once on the chosen worlds; the other worlds do not change."""
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
        """Return a documented function compiled for the device; it is compiled on first use."""
        if name not in self.programs:
            stages = [stage for stage in stages_of(name, self.plan) if stage.name != "check"]
            rows = self.work.spaces[0].model.rows
            precision = self.arrays.layout.real.name
            self.programs[name] = DeviceFunction(self.device, stages, precision, rows, self.width)
        return self.programs[name]

    def _attend(self, stages: Sequence[Stage], answer: int, stage: int, worlds: np.ndarray) -> int:
        """Handle the status of a stopped stage in worlds of a group; return the stage at which these worlds resume.

        Args:
            stages: stages of the function that runs.
            answer: status of the stage (`physics.status`).
            stage: index of the stage.
            worlds: numbers of the worlds.

        Raises:
            FatalError: no handler exists for the status, or there is not enough memory for more contacts.
        """
        number = int(worlds[0]) // self.width
        group = self.group
        self.there.read_group(number)
        group.diverged = self._diverged.setdefault(number, {})
        goes_on = stage
        if answer == status.WARNED:
            elapsed = float(self.plan.view("opt.timestep")) if advances(stages) else 0.0
            first = number * self.width
            for lane, kind, info, time in fresh_warnings(group, elapsed):
                if first + lane < self.nworld:
                    self._warned.add((first + lane, kind, info, time))
        elif answer == status.WAS_RESET:
            group.data.view("was_reset").reshape(-1)[worlds % self.width] = 0
            self.there.write_group(number)
            forward = self.program("mj_forward")
            forward.go(self.there, 1, worlds, functools.partial(self._attend, forward.stages))
            return stage
        elif (found := attended(group, stages, answer, (0, stage, 0), group.own)) is not None:
            goes_on = found[1]
        else:
            raise FatalError(
                f"stage {stages[stage].name} returned status {answer} in worlds {worlds} on {self.device.name}"
            )
        self.there.write_group(number)
        return goes_on

    # ---- fields

    def _send(self) -> None:
        """Copy fields to the device that have changed on the host since the last copy."""
        self.follow_model()
        for name, array in self.arrays.here.items():
            if name in self._stale - self._shared:
                continue
            known = self._known.get(name)
            if known is None or not np.array_equal(known, array, equal_nan=True):
                self.there.write(name, array)
            # the program has no references to the other arrays, so they cannot change unnoticed
            self._known[name] = array.copy() if name in self._live | self._shared else array

    def follow_model(self) -> list[str]:
        """Update the varying model fields on the host and on the device; return the fields that may have changed."""
        touched = super().follow_model()
        for name in touched:
            self.there.write(name, self.varied.arrays[name])
        return touched

    def _fetch(self, names: set[str]) -> None:
        """Copy fields from the device to their host arrays, unless these are up to date."""
        for name in sorted(names & self._stale & self.arrays.here.keys()):
            array = self.arrays.here[name]
            array[...] = self.there.read(name).reshape(array.shape)
            self._known[name] = array.copy()
        # other libraries may write to shared fields at any time, so these remain stale
        self._stale -= names - self._shared

    def bring_home(self) -> None:
        """Update the host copies of all fields from which a step continues. The caller may change these copies."""
        self._fetch(set(self._stale))
        for name, array in self.arrays.here.items():
            if self._known.get(name) is array:
                self._known[name] = array.copy()

    def live(self, name: str) -> np.ndarray:
        """Return the host array of a state or input, which is up to date after every call. Users may write to it."""
        if name not in self.arrays.here:
            self.arrays.add_lasting(name)
        self._fetch({name})
        self._live.add(name)
        return self.arrays.here[name]

    def find(self, name: str) -> None:
        """Record field `name` from now on; its values after the last call are read from the device."""
        self.arrays.add_result(name)
        if self.last is not None:
            array = self.arrays.results[name]
            array[...] = self.there.read(name).reshape(array.shape)
            array[self.fresh] = 0

    def shared(self, name: str) -> Any:
        """Return the memory of a field on the device, for other libraries.

        Other libraries may read the memory. They may also write to the memory of a state or input field.

        Raises:
            FatalError: other libraries cannot read device memory.
        """
        self._send()
        # a stale field is copied to the host when it is read there, with the values that the user wrote on the device
        if name in LIVE:
            held = name in self._live
            self.live(name)
            # a host array that the program may hold stays current
            if not held:
                self._live.discard(name)
            self._shared.add(name)
            self._stale.add(name)
        return self.there.array(name)

    def repeated(self, world: int) -> Workspace:
        """Return a workspace whose first world is a copy of the given world after the last call."""
        self.there.read_group(world // self.width)
        space, lane = self.work.spaces[0], world % self.width
        needed = {name: int(self.group.arena.layout.sizes[size]) for name, size in GROWING.items()}
        space.grow(**needed)
        pairs = [(space.data, self.group.data), (space.arena, self.group.arena), (space.model.own, self.group.own)]
        for part, found in pairs:
            copy_lane(found, lane, part)
        return space

    @property
    def nbytes(self) -> int:
        """Memory of the worlds on the device, in bytes."""
        return self.there.ngroup * self.there.nbytes


def copy_lane(found: Buffer, lane: int, to: Buffer) -> None:
    """Copy a world of a group to the first lane of a block.

    Arrays whose lengths differ are copied up to the shorter length.

    Args:
        found: memory of the group.
        lane: index of the world in the group.
        to: memory of the block.
    """
    for field in to.layout.fields:
        values, target = found.view(field.name), to.view(field.name)
        if found.layout.lanes > 1:
            values = values[..., lane]
        if field.lanes(to.layout.lanes) > 1:
            target = target[..., 0]
        both = tuple(slice(min(n, k)) for n, k in zip(values.shape, target.shape, strict=True))
        target[both] = values[both]


def worlds_on(device: Any, model: Buffer, nworld: int, precision: str, vary: Sequence[str]) -> DeviceWorlds:
    """Create the worlds of a batch on a device, which is given by its name or as an object.

    Raises:
        FatalError: the device does not exist, or it cannot step this model.
        TypeError: `device` is neither a name nor a device.
    """
    found = open_device(device) if isinstance(device, str) else device
    if not hasattr(found, "sequence"):
        raise TypeError(f"device must be 'cpu', the name of a device or a device, not {device!r}")
    if precision == "float64" and not found.has_float64:
        raise FatalError(f"{found.name} does not support double precision: create the batch with precision='float32'")
    return DeviceWorlds(found, model, nworld, precision, 1, SIDE_BY_SIDE, vary)
