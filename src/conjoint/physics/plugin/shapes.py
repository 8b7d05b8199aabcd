"""Built-in shape plugins: settings, signed distances and bounding boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from conjoint.lang import Formula, Kernel, kernel, maximum, sqrt, vec3
from conjoint.physics.plugin.plugin import Config, mjpPlugin, number, plugin_number
from conjoint.physics.sdf.gear import gear_distance
from conjoint.physics.sdf.round import bowl_distance, torus_distance
from conjoint.physics.sdf.screw import bolt_distance, nut_distance
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtPluginCapabilityBit


def shape(
    name: str,
    settings: Mapping[str, float],
    formula: Formula,
    half: Callable[..., Sequence[float]],
    distance: Kernel,
    gradient: Kernel | None = None,
) -> mjpPlugin:
    """Return the plugin of a shape.

    Args:
        name: name of the plugin.
        settings: default values of the settings, in order.
        formula: signed distance from the shape, with arguments x, y, z and the settings.
        half: function of the settings that returns half sizes of a box around the origin that contains the surface.
        distance, gradient: kernels; see `mjpPlugin`.
    """

    def numbers(config: Config) -> list[float]:
        return [number(config, key, default) for key, default in settings.items()]

    return mjpPlugin(
        name,
        mjtPluginCapabilityBit.mjPLUGIN_SDF,
        tuple(settings),
        init=lambda m, instance, config: numbers(config),
        sdf_attribute=numbers,
        sdf_staticdistance=formula,
        sdf_aabb=half,
        sdf_distance=distance,
        sdf_gradient=gradient,
    )


@kernel(exact=True)
def bolt(m, i, p):
    """Return the signed distance of point p from bolt i."""
    return bolt_distance(p.x, p.y, p.z, plugin_number(m, i, 0))


@kernel(exact=True)
def nut(m, i, p):
    """Return the signed distance of point p from nut i."""
    return nut_distance(p.x, p.y, p.z, plugin_number(m, i, 0))


@kernel(exact=True)
def bowl(m, i, p):
    """Return the signed distance of point p from bowl i."""
    return bowl_distance(p.x, p.y, p.z, plugin_number(m, i, 0), plugin_number(m, i, 1), plugin_number(m, i, 2))


@kernel(exact=True)
def gear(m, i, p):
    """Return the signed distance of point p from gear i."""
    a = m.plugin_numberadr[i]
    n = m.plugin_number
    return gear_distance(p.x, p.y, p.z, n[a], n[a + 1], n[a + 2], n[a + 3], n[a + 4])


@kernel(exact=True)
def torus(m, i, p):
    """Return the signed distance of point p from torus i."""
    return torus_distance(p.x, p.y, p.z, plugin_number(m, i, 0), plugin_number(m, i, 1))


@kernel(exact=True)
def torus_gradient(m, i, p):
    """Return the gradient of the distance from torus i, which points away from the nearest point of its ring."""
    across = sqrt(p.x * p.x + p.y * p.y)
    beyond = across - plugin_number(m, i, 0)
    distance = maximum(sqrt(beyond * beyond + p.z * p.z), mjMINVAL)
    return vec3(beyond * (p.x / across) / distance, beyond * (p.y / across) / distance, p.z / distance)


def _around_gear(alpha: float, diameter: float, teeth: float, thickness: float, inner: float) -> Sequence[float]:
    return diameter / 2 * 1.25, diameter / 2 * 1.25, thickness / 2 * 1.1


GEAR = {"alpha": 0.0, "diameter": 2.8, "teeth": 25.0, "thickness": 0.2, "innerdiameter": -1.0}
BOWL = {"height": 0.4, "radius": 1.0, "thickness": 0.02}
TORUS = {"radius1": 0.35, "radius2": 0.15}
SCREW = {"radius": 0.26}

SHAPES = (
    shape("mujoco.sdf.bolt", SCREW, bolt_distance, lambda radius: (0.6, 0.6, 1.0), bolt),
    shape("mujoco.sdf.bowl", BOWL, bowl_distance, lambda height, radius, thickness: (radius + thickness,) * 3, bowl),
    shape("mujoco.sdf.gear", GEAR, gear_distance, _around_gear, gear),
    shape("mujoco.sdf.nut", SCREW, nut_distance, lambda radius: (0.6, 0.6, 1.0), nut),
    shape(
        "mujoco.sdf.torus",
        TORUS,
        torus_distance,
        lambda ring, tube: (ring + tube, ring + tube, tube),
        torus,
        torus_gradient,
    ),
)
"""Shape plugins, in the order of their slots."""

SLOTS = dict(enumerate(SHAPES, 3))
"""Shape plugins by slot; their slots follow those of PID, cable and touch grid plugins, as in MuJoCo."""
