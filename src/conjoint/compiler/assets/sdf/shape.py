"""What a shape given by its signed distance consists of, and the shapes by the name of their plugin."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conjoint.compiler.assets.sdf.gear import gear_distance
from conjoint.compiler.assets.sdf.round import bowl_distance, torus_distance
from conjoint.compiler.assets.sdf.screw import bolt_distance, nut_distance
from conjoint.spec.meshes.triangles import Reals


@dataclass(frozen=True, slots=True)
class SignedDistance:
    """A shape given by its signed distance.

    Attributes:
        settings: names of its settings, in the order of the plugin, and their values where the model gives none.
        distance: distance of points from the surface, negative inside; called as `distance(x, y, z, **settings)` with
            coordinates that broadcast. Only its zeros and signs decide about the mesh.
        half: half sizes of a box around the origin that holds the surface, by the settings.
    """

    settings: Mapping[str, float]
    distance: Callable[..., Reals]
    half: Callable[[Mapping[str, float]], tuple[float, float, float]]


def _torus_half(at: Mapping[str, float]) -> tuple[float, float, float]:
    reach = at["radius1"] + at["radius2"]
    return reach, reach, at["radius2"]


def _bowl_half(at: Mapping[str, float]) -> tuple[float, float, float]:
    reach = at["radius"] + at["thickness"]
    return reach, reach, reach


def _gear_half(at: Mapping[str, float]) -> tuple[float, float, float]:
    reach = at["diameter"] / 2 * 1.25
    return reach, reach, at["thickness"] / 2 * 1.1


SHAPES: dict[str, SignedDistance] = {
    "mujoco.sdf.bolt": SignedDistance({"radius": 0.26}, bolt_distance, lambda at: (0.6, 0.6, 1.0)),
    "mujoco.sdf.bowl": SignedDistance({"height": 0.4, "radius": 1.0, "thickness": 0.02}, bowl_distance, _bowl_half),
    "mujoco.sdf.gear": SignedDistance(
        {"alpha": 0.0, "diameter": 2.8, "teeth": 25.0, "thickness": 0.2, "innerdiameter": -1.0},
        gear_distance,
        _gear_half,
    ),
    "mujoco.sdf.nut": SignedDistance({"radius": 0.26}, nut_distance, lambda at: (0.6, 0.6, 1.0)),
    "mujoco.sdf.torus": SignedDistance({"radius1": 0.35, "radius2": 0.15}, torus_distance, _torus_half),
}
"""Shapes by the name of their plugin: those of the official package, and what programs add."""


def is_ours(name: str) -> bool:
    """True for a shape of this package: what a program adds may be another shape in the next process."""
    return name in SHAPES and SHAPES[name].distance.__module__.startswith(__package__)
