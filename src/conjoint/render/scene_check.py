"""Whether a scene, which programs may change as they like, shows nothing that its model does not have."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.lang.errors import FatalError
from conjoint.schema.enums import mjtGeom

HALVED = (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF)
"""Types of geoms whose `dataid` is twice the number of a mesh, or one more for its hull."""

SPANS = (
    ("flexfaceadr", "flexfaceused", "flexface"),
    ("flexvertadr", "flexvertnum", "flexvert"),
    ("flexedgeadr", "flexedgenum", "flexedge"),
)
"""Fields of a scene that say where the parts of each flex are: first, number, and the array they are in."""


def check_scene(m: MjModel, scene: MjvScene) -> None:
    """Refuse a scene that cannot be drawn with a model.

    Raises:
        FatalError: a number is out of range; the text names the field, and what there is.
    """
    for name, most in (("ngeom", len(scene.geoms)), ("nlight", len(scene.lights))):
        if not 0 <= getattr(scene, name) <= most:
            raise FatalError(f"scene.{name} is {getattr(scene, name)}: the scene has room for 0 to {most}")
    view = scene.memory.view
    row = {name: view(f"geoms.{name}")[: int(scene.ngeom)] for name in ("type", "matid", "dataid", "objid")}
    _below("matid", row["matid"], m.nmat, "materials")
    kind, data = row["type"], row["dataid"]
    _below("dataid", np.where(np.isin(kind, HALVED), data // 2, -1), m.nmesh, "meshes", data)
    _below("dataid", np.where(kind == mjtGeom.mjGEOM_HFIELD, data, -1), m.nhfield, "height fields")
    for each, count, what in ((mjtGeom.mjGEOM_FLEX, m.nflex, "flexes"), (mjtGeom.mjGEOM_SKIN, m.nskin, "skins")):
        shown = kind == each
        if shown.any():
            number = row["objid"]
            # here a negative number is none, too
            _below("objid", np.where(shown & (number < 0), count, np.where(shown, number, -1)), count, what, number)
            _check_points(m, scene)


def _below(name: str, value: np.ndarray, count: int, what: str, shown: np.ndarray | None = None) -> None:
    """Refuse geoms of which `value` is not below `count`; `shown` is what the field `name` has."""
    wrong = np.flatnonzero(value >= count)
    if len(wrong):
        number = int((value if shown is None else shown)[wrong[0]])
        raise FatalError(f"scene.geoms[{wrong[0]}].{name} is {number}, but the model has {count} {what}")


def _check_points(m: MjModel, scene: MjvScene) -> None:
    """Refuse a scene that has other flexes and skins than the model, or whose parts are not where it says."""
    view = scene.memory.view
    for name, count in (("flexvert", m.nflexvert), ("flexvertadr", m.nflex), ("skinvert", m.nskinvert)):
        if len(view(name)) != count:
            raise FatalError(f"the scene was made for another model: {name} has {len(view(name))} rows, not {count}")
    for first, number, name in SPANS:
        start, count = view(first).astype(np.int64), view(number).astype(np.int64)
        wrong = np.flatnonzero((start < 0) | (count < 0) | (start + count > len(view(name))))
        if len(wrong):
            i = wrong[0]
            raise FatalError(
                f"scene.{first}[{i}] is {start[i]} and {number}[{i}] is {count[i]}, "
                f"but the scene has {len(view(name))} rows of {name}"
            )
    for i, (start, count) in enumerate(zip(view("flexedgeadr"), view("flexedgenum"), strict=True)):
        ends = view("flexedge")[start : start + count]
        if ((ends < 0) | (ends >= view("flexvertnum")[i])).any():
            raise FatalError(f"scene.flexedge of flex {i} names vertices that the flex does not have")
