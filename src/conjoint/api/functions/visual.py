"""Functions that set defaults of cameras, options, perturbations and figures (API reference, Visualization)."""

from conjoint.api.arguments import checked
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import set_defaults
from conjoint.api.objects.visual import MjvCamera, MjvFigure, MjvOption, MjvPerturb
from conjoint.schema.enums_visual import mjtCamera


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
    """Aim a camera at the center of a model, from a distance at which the whole model is visible.

    Args:
        m: the model; `stat` and `vis.global_` define the view.
        cam: the camera.
    """
    set_defaults(cam)
    cam.type = mjtCamera.mjCAMERA_FREE
    cam.lookat[:] = m.stat.center
    cam.distance = 1.5 * m.stat.extent
    cam.azimuth, cam.elevation = m.vis.global_.azimuth, m.vis.global_.elevation
    cam.orthographic = int(m.vis.global_.orthographic)
