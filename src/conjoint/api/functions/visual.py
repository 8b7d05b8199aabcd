"""The abstract visualizer: defaults of its cameras, options, perturbations and figures; where skins are (API reference,
Visualization).
"""

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.struct import set_defaults
from conjoint.api.objects.visual import MjvCamera, MjvFigure, MjvOption, MjvPerturb
from conjoint.lang import FatalError
from conjoint.lang.language.name import Name
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjNGROUP
from conjoint.schema.enums_visual import mjtCamera

_update_skin = entry(Name("conjoint.physics").flex.skin.update_skin, "int", "out float[]", "out float[]")


@checked
def mjv_defaultCamera(cam: MjvCamera) -> None:
    """Set all fields of a camera to their defaults.

    Args:
        cam: the camera.
    """
    set_defaults(cam)


@checked
def mjv_defaultOption(opt: MjvOption) -> None:
    """Set all options of the visualizer to their defaults.

    Args:
        opt: the options.
    """
    set_defaults(opt)


@checked
def mjv_defaultPerturb(pert: MjvPerturb) -> None:
    """Set all fields of a perturbation to their defaults.

    Args:
        pert: the perturbation.
    """
    set_defaults(pert)


@checked
def mjv_defaultFigure(fig: MjvFigure) -> None:
    """Set all fields of a figure to their defaults.

    Args:
        fig: the figure.
    """
    set_defaults(fig)


@checked
def mjv_defaultFreeCamera(m: MjModel, cam: MjvCamera) -> None:
    """Let a camera look at the centre of a model from where all of it can be seen.

    Args:
        m: the model, whose `stat` and `vis.global_` say where that is.
        cam: the camera.
    """
    set_defaults(cam)
    cam.type = mjtCamera.mjCAMERA_FREE
    cam.lookat[:] = m.stat.center
    cam.distance = 1.5 * m.stat.extent
    cam.azimuth, cam.elevation = m.vis.global_.azimuth, m.vis.global_.elevation
    cam.orthographic = int(m.vis.global_.orthographic)


@checked
def mjv_updateSkin(m: MjModel, d: MjData, scn: MjvScene) -> None:
    """Let the vertices of skins in a scene (`skinvert`, `skinnormal`) follow their bones.

    Skins in groups that are hidden by default keep the positions that they have.

    Args:
        d: the world, after `mj_kinematics`.
        scn: a scene made for the model.

    Raises:
        FatalError: the scene was made for another model.
    """
    if scn.nskin != m.nskin or len(scn.skinvert) != 3 * m.nskinvert:
        raise FatalError("mjv_updateSkin: the scene has other skins than the model: make it with MjvScene(m, maxgeom)")
    shown = MjvOption().skingroup
    for s in range(m.nskin):
        if shown[np.clip(m.skin_group[s], 0, mjNGROUP - 1)]:
            _update_skin(m.plans.current, d.world, s, scn.skinvert, scn.skinnormal)
