"""Camera images and lidar scans of the worlds of a batch by ray casting on a device, with one thread for each world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conjoint.batch.device_worlds import DeviceWorlds
from conjoint.batch.ray_rendering import SCAN, SEE, Pictures
from conjoint.batch.varied_models import BlockModel
from conjoint.device.memory import DeviceMemory, Group
from conjoint.device.steps import compiled, runner
from conjoint.lang import Kernel
from conjoint.lang.calls.entry import Entry
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.lang.memory.realisation import threads
from conjoint.ray_renderer.worlds import scan_world, see_world
from conjoint.runtime.ray_pictures import picture_sizes, shape_room
from conjoint.schema.ray_picture import DEVICE_SIGHT_FIELDS

OUTPUTS = "image_depth", "image_numbers", "image_normals", "image_colors", "ray_distances", "ray_geoms"
"""Fields to which the kernels write."""

KERNELS: dict[Entry, tuple[Kernel, tuple[str, ...]]] = {
    SEE: (see_world, ("poses", *OUTPUTS[:4])),
    SCAN: (scan_world, ("poses", "ray_directions", "geomgroup", *OUTPUTS[4:])),
}
"""Device kernel for each entry that renders on the CPU, with the fields that replace the entry's array arguments."""

ROOMS = {
    "poses": "poseroom", "image_depth": "depthroom", "image_numbers": "numberroom", "image_normals": "normalroom",
    "image_colors": "colorroom", "ray_directions": "directionroom", "ray_distances": "rayroom",
}  # fmt: skip
"""Name of the size parameter of each field that replaces an array argument."""


class PictureGroup(Group):
    """Host memory for the images of one group of worlds.

    Args:
        worlds: the worlds.
        size: height and width of an image in pixels.
        rooms: values of the size parameters in `ROOMS`.
        varied: names of the model fields that vary between worlds.
    """

    def __init__(self, worlds: DeviceWorlds, size: tuple[int, int], rooms: Mapping[str, int], varied: Sequence[str]):
        self.plan, self.width = worlds.plan, worlds.width
        self.own = BlockModel(self.plan, varied, self.width).own
        sizes = picture_sizes(self.plan.sizes, *size, shape_room(self.plan))
        sizes |= {"nnode": int(self.plan.view("nstatic_node")), **rooms}
        # every world has its own copy of all fields
        fields = [replace(field, uniform=False) for field in DEVICE_SIGHT_FIELDS]
        buffer = Buffer(Layout(fields, sizes, worlds.arrays.layout.real.type, self.width))
        buffer.set_defaults()
        buffer.view("height")[...], buffer.view("width")[...] = size
        self._parts = (buffer,)

    @property
    def parts(self) -> Sequence[Buffer]:
        return self._parts


class DevicePictures(Pictures):
    """Renderer for the worlds of a batch that casts rays on the batch's device and in its precision.

    Args:
        worlds: the worlds.
    """

    def __init__(self, worlds: DeviceWorlds):
        super().__init__(worlds.plan, worlds.varied, worlds.nworld, 1, worlds.work.pool)
        self.worlds = worlds
        # for each entry, the parameters, memory and kernel of the last call
        self._last: dict[Entry, tuple[Any, DeviceMemory, Any]] = {}

    def _run(self, entry: Entry, size: tuple[int, int], requested: Mapping[str, Any], given: Sequence) -> None:
        """Run an entry's kernel in all worlds, and copy its results to the host.

        Args:
            entry: entry that renders on the CPU; `KERNELS` contains its kernel for devices.
            size: height and width of an image in pixels.
            asked: values of fields, either one value for all worlds or one for each world.
            given: array arguments of the entry.
        """
        names = [name for name in self.varied.all if self._matters(entry, name)]
        fields = dict(zip(KERNELS[entry][1], given, strict=True))
        memory, kernel = self._made(entry, size, fields, names)
        for name in names:
            memory.write(name, self.varied.arrays[name])
        inputs = {name: array for name, array in fields.items() if name not in OUTPUTS}
        for name, value in (dict(requested) | inputs).items():
            shape = self.nworld, *memory.group.place(name).shape
            memory.write(name, np.broadcast_to(np.reshape(value, (-1, *shape[1:])), shape))
        runner(memory, [kernel])()
        for name in fields.keys() & set(OUTPUTS):
            if fields[name].size:
                fields[name][...] = memory.read(name).reshape(-1)

    def _made(
        self, entry: Entry, size: tuple[int, int], fields: Mapping[str, np.ndarray], names: Sequence[str]
    ) -> tuple[DeviceMemory, Any]:
        """Return the memory and the kernel on the device; those of the last call are reused if the parameters match."""
        counts = {
            room: fields[name].size // self._sharers(name) if name in fields else 0 for name, room in ROOMS.items()
        }
        key = size, counts, names
        known = self._last.get(entry)
        if known is None or known[0] != key:
            worlds, kernel = self.worlds, KERNELS[entry][0]
            memory = DeviceMemory(worlds.device, PictureGroup(worlds, size, counts, names), self.nworld)
            how = threads(worlds.arrays.layout.real.name, worlds.width)
            rows = BlockModel(self.plan, names, worlds.width).rows
            made = compiled(worlds.device, [kernel], how, rows, DEVICE_SIGHT_FIELDS)
            known = self._last[entry] = key, memory, made[kernel.__name__]
        return known[1:]

    def _sharers(self, name: str) -> int:
        """Return the number of worlds with separate values of an array argument: 1 for ray directions, else all."""
        return 1 if name == "ray_directions" else self.nworld
