"""Argument `d` of the visualizer's kernels: a world together with a scene, options, a perturbation and a camera."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.records import check_contacts
from conjoint.api.objects.visual import ALL_FIELDS, MjvCamera, MjvOption, MjvPerturb, MjvScene
from conjoint.lang import Kernel, PlainStruct
from conjoint.lang.calls.entry import Entry
from conjoint.lang.memory.layout import Buffer, Field, Layout
from conjoint.runtime.world import World
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from conjoint.schema.scene import CAMERA_FIELDS, PERTURB_FIELDS, TALLY_FIELDS, VISUAL_OPTION_FIELDS

GROUPS: dict[str, tuple[Field, ...]] = {
    "scn": ALL_FIELDS, "opt": VISUAL_OPTION_FIELDS, "pert": PERTURB_FIELDS, "cam": CAMERA_FIELDS,
    "tally": TALLY_FIELDS,
}  # fmt: skip
"""Fields of the records that supplement the world, by the attribute of `d` through which kernels access them."""

VIEW_ROWS: tuple[Field, ...] = (
    *DATA_STRUCT,
    *(replace(field, name=f"{group}.{field.name}") for group, fields in GROUPS.items() for field in fields),
)
"""Fields of a view, in the order of its table of addresses."""


def entry(kernel: Kernel, *kinds: str) -> Entry:
    """Return `kernel` as a Python function of a `Plan`, a `View` and its other arguments (`lang.calls.entry`)."""
    return Entry(kernel, kinds, MODEL_ROWS, VIEW_ROWS)


class PlainView:
    """A view as an object with attributes, for uncompiled kernels."""

    def __init__(self, world: PlainStruct, groups: Mapping[str, PlainStruct]):
        self.__dict__.update(groups, _world=world)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._world, name, value)


class View:
    """A world and its supplementary records, as kernels access them.

    Attributes:
        m, d, opt, pert, cam: objects that the view shows; None for default records.
        own: default options, perturbation and camera.
        plan: compiled plan of the model.
        world: the world.
        arena: memory arena of the world.
        plugged: whether the model has plugins, which draw themselves before a scene is updated.
        table: addresses of the fields of the world, followed by those of each group.
        address: address of `table`, which kernels receive as `d`.
        tally: record in which kernels report missing geoms.
        groups: memory of the records, by group.
        flex_room: scratch arrays for the flexes of the model; None until they are needed.
    """

    def __init__(self) -> None:
        """Create an empty view."""
        self.m: Any = None
        self.d: Any = None
        self.opt: MjvOption | None = None
        self.pert: MjvPerturb | None = None
        self.cam: MjvCamera | None = None
        self.own = MjvOption(), MjvPerturb(), MjvCamera()
        self.plan: Any = None
        self.plugged = False
        self.world: Any = None
        self.arena: Any = None
        self.table = np.zeros(len(VIEW_ROWS), np.int64)
        self.address = int(self.table.ctypes.data)
        self.tally = Buffer(Layout(TALLY_FIELDS, {}))
        self.groups: dict[str, Buffer] = {}
        self.flex_room: tuple[np.ndarray, np.ndarray] | None = None
        self._own = self.table[: len(DATA_STRUCT)]
        self._show("tally", self.tally)

    @classmethod
    def of(
        cls, m: MjModel, d: MjData, scn: MjvScene, opt: MjvOption | None, pert: MjvPerturb | None, cam: MjvCamera | None
    ) -> View:
        """Return the view of a scene, updated to show these objects; None stands for default records."""
        check_contacts(d.world)
        view: View | None = scn.view
        if view is None:
            view = scn.__dict__["view"] = cls()
        if not view.shows(m, d, opt, pert, cam):
            own = view.own
            view._look_at(d.world, scn, opt or own[0], pert or own[1], cam or own[2])
            view.m, view.d, view.opt, view.pert, view.cam = m, d, opt, pert, cam
            view.plan, view.plugged, view.flex_room = m.plans.current, m.nplugin > 0, None
        return view

    def shows(self, m: Any, d: Any, opt: Any, pert: Any, cam: Any) -> bool:
        """Return True if the view shows these objects, and the world's arena has not been replaced since."""
        return (
            d is self.d
            and m is self.m
            and m.plans.current is self.plan
            and opt is self.opt
            and cam is self.cam
            and pert is self.pert
            and d.world.arena is self.arena
        )

    def _look_at(self, world: World, scn: MjvScene, opt: MjvOption, pert: MjvPerturb, cam: MjvCamera) -> None:
        """Set the addresses of the view's table to those of a world, a scene and the other records."""
        for group, record in (("scn", scn), ("opt", opt), ("pert", pert), ("cam", cam)):
            if self.groups.get(group) is not record.memory:
                self._show(group, record.memory)
        self._own[:] = world.table
        self.world, self.arena = world, world.arena

    def _show(self, group: str, buffer: Buffer) -> None:
        """Set the addresses of a group's fields to those of a buffer."""
        first = len(DATA_STRUCT)
        for name, fields in GROUPS.items():
            if name == group:
                self.table[first : first + len(fields)] = buffer.table
            first += len(fields)
        self.groups[group] = buffer

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model by name."""
        return self.world.sizes

    def plain(self) -> PlainView:
        """Return the view for uncompiled kernels."""
        return PlainView(self.world.plain(), {name: PlainStruct([buffer]) for name, buffer in self.groups.items()})
