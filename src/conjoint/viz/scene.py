"""Scenes: the visible content of a world, as abstract geoms, lights and cameras (API reference, Visualization)."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from conjoint.api.arguments import checked, without_warnings
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvOption, MjvPerturb, MjvScene, room_for_faces
from conjoint.lang import ArgumentError
from conjoint.runtime.on_demand import find_boxes
from conjoint.schema.enums_visual import mjtCamera, mjtLabel, mjtVisFlag
from conjoint.viz.flexes import show_skins, update_flexes
from conjoint.viz.geom import warn_full
from conjoint.viz.kernels.camera import make_lights
from conjoint.viz.kernels.geom import MARKED
from conjoint.viz.kernels.labels import write_labels
from conjoint.viz.kernels.scene import FLEXIBLE, LABELLED, MISSING, NO_CAMERA, VOLUMES_DUE, add_all, look, update_scene
from conjoint.viz.plugins import visualize_plugins
from conjoint.viz.view import View, entry

_write_labels = entry(write_labels, "int")


def labels_of(scn: MjvScene) -> Iterator[tuple[np.ndarray, str]]:
    """Yield the positions (m) and texts of the labeled geoms of a scene."""
    texts, places = (scn.memory.view(f"geoms.{name}")[: int(scn.ngeom)] for name in ("label", "pos"))
    for g in np.flatnonzero(texts[:, 0]):
        yield places[g].astype(float), bytes(texts[g]).split(b"\0")[0].decode(errors="replace")


def write_texts(scn: MjvScene, label: int, first: int = 0) -> None:
    """Write the label texts of the marked geoms of a scene, starting at geom `first`."""
    if label != mjtLabel.mjLABEL_SELPNT:
        _write_labels(scn.view.plan, scn.view, first)
        return
    texts = scn.memory.view("geoms.label")[first : scn.ngeom]
    a, b, c = scn.view.groups["pert"].view("localpos")
    for g in first + np.flatnonzero(texts[:, 0] == MARKED):
        geom = scn.geoms[int(g)]
        x, y, z = geom.pos
        geom.label = f"{x:.3f} {y:.3f} {z:.3f} (local {a:.3f} {b:.3f} {c:.3f})"


Update = TypeVar("Update", bound=Callable[..., None])

_update_scene = entry(update_scene, "int", "int")
_add_all = entry(add_all, "int")
_make_lights = entry(make_lights)
_look = entry(look)


def _quick_again(update: Update) -> Update:
    """Return `mjv_updateScene` with a fast path that skips checks if the arguments are those of the last update."""

    @functools.wraps(update)
    def again(m: MjModel, d: MjData, opt: MjvOption, pert: Any, cam: MjvCamera, catmask: int, scn: MjvScene) -> None:
        view = scn.view if scn.__class__ is MjvScene else None
        # inlined `View.shows`, because the call would take a tenth of the time
        if (
            view is not None and d is view.d and m is view.m and opt is view.opt and cam is view.cam
            and pert is view.pert and d.world.arena is view.arena and catmask.__class__ is int and not view.plugged
        ):  # fmt: skip
            left = _update_scene(view.plan, view, catmask, 0)
            if left & VOLUMES_DUE:
                find_boxes(view.plan, d.world)
                left = _update_scene(view.plan, view, catmask, 0)
            return _finish(m, d, opt, cam, scn, left) if left else None
        return update(m, d, opt, pert, cam, catmask, scn)

    return again  # type: ignore[return-value]


@_quick_again
@checked
@without_warnings
def mjv_updateScene(
    m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb | None, cam: MjvCamera, catmask: int, scn: MjvScene
) -> None:
    """Update a whole scene: cameras, geoms, lights, flexes and skins.

    Args:
        m: the model.
        d: the world, after `mj_forward`.
        opt: visualization options.
        pert: the user's perturbation; None for none.
        cam: the camera; if it tracks a body, its `lookat` is changed.
        catmask: categories of geoms to add (bits of mjtCatBit).
        scn: the scene, created for the model.

    Raises:
        FatalError: the camera or the body that it tracks does not exist, or the scene was created for another model.
    """
    if m.nflex or m.nskin:
        _check_scene(m, scn)
    first = visualize_plugins(m, d, opt, scn) if m.nplugin else 0
    view = View.of(m, d, scn, opt, pert, cam)
    left = _update_scene(m.plans.current, view, catmask, first)
    if left & VOLUMES_DUE:
        find_boxes(m.plans.current, d.world)
        left = _update_scene(m.plans.current, view, catmask, first)
    _finish(m, d, opt, cam, scn, left, first)


def _finish(m: MjModel, d: MjData, opt: MjvOption, cam: MjvCamera, scn: MjvScene, left: int, first: int = 0) -> None:
    """Do the work that a kernel left to Python (`left`): camera errors, flexes and skins, label texts, and warnings."""
    if left & NO_CAMERA:
        _refuse_camera(m, cam)
    if left & FLEXIBLE:
        if m.nflex:
            update_flexes(scn.view.plan, scn.view)
        if m.nskin and opt.flags[mjtVisFlag.mjVIS_SKIN]:
            show_skins(scn.view.plan, scn.view)
    _tell(d, opt, scn, left, first)


def _refuse_camera(m: MjModel, cam: MjvCamera) -> None:
    """Raise the error for a camera whose id or tracked body does not exist."""
    if cam.type == mjtCamera.mjCAMERA_TRACKING:
        raise ArgumentError(
            f"mjv_updateCamera: track body id {cam.trackbodyid} is outside valid range, 0 to {m.nbody - 1}"
        )
    raise ArgumentError(
        f"mjv_updateCamera: fixed camera id {cam.fixedcamid} is outside valid range: the model has {m.ncam} cameras"
    )


def _check_scene(m: MjModel, scn: MjvScene) -> None:
    """Raise an error if the flexes or skins of a scene differ from the model's."""
    mine, its = scn.memory.layout.sizes, m.sizes
    same = all(mine[name] == its[name] for name in ("nflex", "nflexvert", "nskin", "nskinvert"))
    if not same or not np.array_equal(scn.flexfacenum, room_for_faces(m)):
        raise ArgumentError(
            "the scene was created for another model, with other flexes or skins: create it with MjvScene(m, maxgeom)"
        )


def _tell(d: MjData, opt: MjvOption, scn: MjvScene, left: int, first: int = 0) -> None:
    """Write the label texts of the geoms starting at `first`, and warn if geoms did not fit."""
    if left & LABELLED:
        write_texts(scn, opt.label, first)
    if left & MISSING:
        warn_full(d, scn)


@checked
@without_warnings
def mjv_addGeoms(m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb, catmask: int, scn: MjvScene) -> None:
    """Add the geoms of a world to a scene, and keep its cameras and lights.

    Args:
        m: the model.
        d: the world, after `mj_forward` or a step.
        opt: visualization options.
        pert: the user's perturbation of the selected body.
        catmask: categories of geoms to add (bits of mjtCatBit): static, dynamic, decorative.
        scn: the scene, created for the model. Geoms that do not fit are omitted.
    """
    view = View.of(m, d, scn, opt, pert, None)
    first = scn.ngeom
    left = _add_all(m.plans.current, view, catmask)
    if left & VOLUMES_DUE:
        find_boxes(m.plans.current, d.world)
        left = _add_all(m.plans.current, view, catmask)
    _tell(d, opt, scn, left, first)


@checked
@without_warnings
def mjv_makeLights(m: MjModel, d: MjData, scn: MjvScene) -> None:
    """Set the lights of a scene: the headlight at its cameras, followed by the active lights of the model.

    Args:
        m: the model.
        d: the world, after `mj_camlight`.
        scn: the scene, created for the model.
    """
    _make_lights(m.plans.current, View.of(m, d, scn, None, None, None))


@checked
@without_warnings
def mjv_updateCamera(m: MjModel, d: MjData, cam: MjvCamera, scn: MjvScene) -> None:
    """Set both cameras of a scene from an abstract camera; a camera of type `mjCAMERA_USER` changes nothing.

    Args:
        m: the model.
        d: the world, after `mj_camlight`.
        cam: the abstract camera.
        scn: the scene, created for the model.

    Raises:
        FatalError: the camera or the body that it tracks does not exist.
    """
    if _look(m.plans.current, View.of(m, d, scn, None, None, cam)):
        _refuse_camera(m, cam)
