"""Scenes: what there is to see of a world, as abstract geoms, lights and cameras (API reference, Visualization)."""

from conjoint.api.arguments import checked
from conjoint.api.functions.visual import mjv_updateSkin
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvCamera, MjvOption, MjvPerturb
from conjoint.lang import FatalError
from conjoint.runtime.pipeline import report_warnings
from conjoint.schema.enums import mjtWarning
from conjoint.schema.enums_visual import mjtCamera, mjtVisFlag
from conjoint.viz.flexes import update_flexes
from conjoint.viz.kernels.camera import make_lights, update_camera
from conjoint.viz.kernels.scene import add_all, update_scene
from conjoint.viz.labels import write_labels
from conjoint.viz.view import View, entry

_update_scene = entry(update_scene, "int")
_add_all = entry(add_all, "int")
_make_lights = entry(make_lights)
_update_camera = entry(update_camera)


@checked
def mjv_updateScene(
    m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb | None, cam: MjvCamera, catmask: int, scn: MjvScene
) -> None:
    """Make all of a scene: cameras, geoms, lights, flexes and skins.

    Args:
        d: the world, after `mj_forward`.
        opt: what is shown.
        pert: what a user does to a body; None for nothing.
        cam: the camera, whose `lookat` moves if it tracks a body.
        catmask: categories of geoms that are shown (bits of mjtCatBit).
        scn: the scene, made for the model.

    Raises:
        FatalError: the camera follows a body or is one of the model that does not exist, or the scene was made for
            another model.
    """
    if m.nflex or m.nskin:
        _check_scene(m, scn)
    _check_camera(m, cam)
    view = View.of(d._world, scn, opt, pert, cam)
    _update_scene(m._plan, view, catmask)
    _finish(m, d, opt, scn, view)
    if m.nflex:
        update_flexes(m, d, opt, scn)
    if m.nskin and opt.flags[mjtVisFlag.mjVIS_SKIN]:
        mjv_updateSkin(m, d, scn)


def _check_camera(m: MjModel, cam: MjvCamera) -> None:
    """Refuse a camera that has no body or place."""
    kind = cam.type
    if kind == mjtCamera.mjCAMERA_TRACKING and not 0 <= cam.trackbodyid < m.nbody:
        raise FatalError(
            f"mjv_updateCamera: track body id {cam.trackbodyid} is outside valid range, 0 to {m.nbody - 1}"
        )
    if kind == mjtCamera.mjCAMERA_FIXED and not 0 <= cam.fixedcamid < m.ncam:
        raise FatalError(
            f"mjv_updateCamera: fixed camera id {cam.fixedcamid} is outside valid range: the model has {m.ncam} cameras"
        )


def _check_scene(m: MjModel, scn: MjvScene) -> None:
    """Refuse a scene that has other flexes or skins than the model."""
    mine, its = scn._buffer.layout.sizes, m._sizes
    if any(mine[name] != its[name] for name in ("nflex", "nflexvert", "nskin", "nskinvert")):
        raise FatalError(
            "the scene was made for another model, of other flexes or skins: make it with MjvScene(m, maxgeom)"
        )


def _finish(m: MjModel, d: MjData, opt: MjvOption, scn: MjvScene, view: View, first: int = 0) -> None:
    """What is no matter of numbers: texts of the geoms from `first` on, and a warning if there were too many."""
    if opt.label:
        write_labels(m, d, opt, scn, first)
    if view.takes_missing():
        d.warning[mjtWarning.mjWARN_VGEOMFULL].number += 1
        d.warning[mjtWarning.mjWARN_VGEOMFULL].lastinfo = scn.maxgeom
        report_warnings(d._world)


@checked
def mjv_addGeoms(m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb, catmask: int, scn: MjvScene) -> None:
    """Add the geoms of a world to those that a scene has; see `mjv_updateScene`."""
    view = View.of(d._world, scn, opt, pert, None)
    first = scn.ngeom
    _add_all(m._plan, view, catmask)
    _finish(m, d, opt, scn, view, first)


@checked
def mjv_makeLights(m: MjModel, d: MjData, scn: MjvScene) -> None:
    """Let a scene have the lights of a world that are on, and before them the headlight at its cameras."""
    _make_lights(m._plan, View.of(d._world, scn, None, None, None))


@checked
def mjv_updateCamera(m: MjModel, d: MjData, cam: MjvCamera, scn: MjvScene) -> None:
    """Let both cameras of a scene be those of an abstract camera; those of a user's camera stay.

    Raises:
        FatalError: the camera follows a body or is one of the model that does not exist.
    """
    _check_camera(m, cam)
    _update_camera(m._plan, View.of(d._world, scn, None, None, cam))
