"""Argument `d` of the kernels of the visualizer: a world, and a scene, options, a perturbation, a camera."""

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
"""Records beside the world, by the group of `d` in which kernels find their fields."""

VIEW_ROWS: tuple[Field, ...] = (
    *DATA_STRUCT,
    *(replace(field, name=f"{group}.{field.name}") for group, fields in GROUPS.items() for field in fields),
)
"""Fields of a view, in the order of its table of addresses."""


def entry(kernel: Kernel, *kinds: str) -> Entry:
    """Return `kernel` as a Python function of a `Plan`, a `View` and its other arguments (`lang.calls.entry.Entry`)."""
    return Entry(kernel, kinds, MODEL_ROWS, VIEW_ROWS)


class PlainView:
    """A view for uncompiled kernels."""

    def __init__(self, world: PlainStruct, groups: Mapping[str, PlainStruct]):
        self.__dict__.update(groups, _world=world)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._world, name, value)


class View:
    """A world and the records beside it, as kernels see them.

    Attributes:
        m, d, opt, pert, cam: what it was made of; None for records of its own.
        own: these, as by default.
        plan, world, arena: of the model and of the world.
        plugged: whether the model has plugins, which show themselves before a scene is made.
        table: addresses of the rows of the world, then of each group.
        address: of `table`, what kernels receive as `d`.
        tally: what they tell.
        groups: memory of the records that are shown, by group.
        flex_room: scratch for the flexes of the model; None until they are shown.
    """

    def __init__(self) -> None:
        """Make an empty view."""
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
        """Return the view that a scene keeps, of these; what is None is as by default."""
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
        """Return True if the view is of these, as in a loop of pictures; a world may have got another arena."""
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
        """Show these."""
        for group, record in (("scn", scn), ("opt", opt), ("pert", pert), ("cam", cam)):
            if self.groups.get(group) is not record.memory:
                self._show(group, record.memory)
        self._own[:] = world.table
        self.world, self.arena = world, world.arena

    def _show(self, group: str, buffer: Buffer) -> None:
        """Let a group of the fields be those of a buffer."""
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
