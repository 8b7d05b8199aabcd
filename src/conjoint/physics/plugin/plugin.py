"""Definition of plugins (XML Reference, extension/plugin); `physics/plugins.py` lists the registered plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.lang import Kernel, kernel, mul_quat, rotate
from conjoint.schema.enums import mjtPluginCapabilityBit, mjtStage

Config = Mapping[str, str]
"""Settings of a plugin instance by name, as in the model; omitted settings are empty."""

Visualize = Kernel | Callable[[Any, Any, Any, Any, int], None]
"""Kernel of `(m, d, instance, geom_rgba)`, or Python function for visualization.

The function's arguments are an `MjModel`, an `MjData`, an `MjvOption`, an `MjvScene` and the index of the instance.
"""

Compute = Kernel | Callable[[Any, Any, int], None]
"""Kernel of `(m, d, instance)`, or Python function of an `MjModel`, an `MjData` and the index of the instance."""


@dataclass(frozen=True, eq=False)
class mjpPlugin:
    """Definition of a force, an actuator, a sensor or a shape that models use by name.

    Kernels run at full speed in one world and in batches. Python functions run in single worlds only. Both read and
    write `d`. Kernels read the numbers that `init` returns with `plugin_number(m, instance, k)`; Python functions read
    settings with `mj_getPluginConfig`.

    Attributes:
        name: name in models, which begins with a name of its author ("mine.spring").
        capabilityflags: sum of mjtPluginCapabilityBit, which determines the elements that may use the plugin: bodies
            (for passive forces), actuators, sensors, shapes.
        attributes: names of its settings.
        needstage: stage of its sensors: position, velocity or acceleration (mjtStage).
        nstate: function of the settings that returns the number of reals of an instance in `d.plugin_state`, which
            start at `m.plugin_stateadr[instance]`. They are zero after a reset.
        nsensordata: function of the settings that returns the number of readings of a sensor.
        actuator_actdim: function of the settings that returns the number of activations of an actuator, not counting
            the activation of its dyntype, which follows them.
        init: function that returns the parameters of an instance as numbers. It is called with the model, the instance
            and its settings when a model is first used, and raises ValueError if the settings are invalid.
        compute: kernel or function that adds to `qfrc_passive`, sets `actuator_force` or writes `sensordata`.
        actuator_act_dot: kernel or function that sets `act_dot` of the activations that `actuator_actdim` counts.
        advance: kernel or function that is called at the end of a step, and may change `plugin_state`.
        visualize: kernel or function that `mjv_updateScene` calls before it adds geoms. A kernel may set their colors
            in `geom_rgba`, with four numbers each. A Python function may also add to the scene.
        sdf_attribute: function of the settings that returns the parameters of a shape, as `init` does.
        sdf_staticdistance: signed distance of a point from the shape, negative inside. It is a formula, or a function
            of arrays that broadcast, with arguments x, y, z and the parameters. The shape's mesh is computed from it.
        sdf_aabb: function of the parameters that returns the half sizes of a box around the origin that contains the
            surface.
        sdf_distance: kernel of `(m, instance, p)` that returns the signed distance of a point in the frame of the
            shape. Without it, the shape has no contacts.
        sdf_gradient: kernel of `(m, instance, p)` that returns the gradient of the distance; by default, finite
            differences are used.
    """

    name: str
    capabilityflags: int
    attributes: tuple[str, ...] = ()
    needstage: int = mjtStage.mjSTAGE_ACC
    nstate: Callable[[Config], int] = lambda config: 0
    nsensordata: Callable[[Config], int] = lambda config: 0
    actuator_actdim: Callable[[Config], int] = lambda config: 0
    init: Callable[[Any, int, Config], Sequence[float]] = lambda m, instance, config: ()
    compute: Compute | None = None
    actuator_act_dot: Compute | None = None
    advance: Compute | None = None
    visualize: Visualize | None = None
    sdf_attribute: Callable[[Config], Sequence[float]] = lambda config: ()
    sdf_staticdistance: Callable[..., Any] | None = None
    sdf_aabb: Callable[..., Sequence[float]] | None = None
    sdf_distance: Kernel | None = None
    sdf_gradient: Kernel | None = None

    @property
    def owners(self) -> tuple[str, ...]:
        """Types of elements that may use the plugin."""
        return tuple(e for bit, elements in OWNERS.items() if self.capabilityflags & bit for e in elements)


FUNCTIONS = ("compute", "actuator_act_dot", "advance", "sdf_distance")
"""Attributes of a plugin that are kernels or Python functions and are called in a step."""

OWNERS = {
    mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR: ("actuator",),
    mjtPluginCapabilityBit.mjPLUGIN_SENSOR: ("sensor",),
    mjtPluginCapabilityBit.mjPLUGIN_PASSIVE: ("body",),
    mjtPluginCapabilityBit.mjPLUGIN_SDF: ("geom", "mesh"),
}
"""Types of elements that may use a plugin, by capability."""


@kernel
def plugin_number(m, instance, k):
    """Return the k-th parameter of an instance, as returned by its `init`."""
    return m.plugin_number[m.plugin_numberadr[instance] + k]


@kernel
def plugin_integer(m, instance, k):
    """Return the k-th parameter of an instance, which is a count or an index, as an integer."""
    return m.plugin_integer[m.plugin_numberadr[instance] + k]


def settings(plugin: mjpPlugin, given: Config) -> dict[str, str]:
    """Return all settings of an instance, with empty strings for omitted settings."""
    return {key: given.get(key, "") for key in plugin.attributes}


def number(config: Config, key: str, default: float = 0.0) -> float:
    """Return the value of a setting as a number, or the default if it is omitted."""
    try:
        return float(config[key]) if config[key] else default
    except ValueError:
        raise ValueError(f"the setting '{key}' is '{config[key]}', expected a number") from None


def reference_poses(m: Any) -> tuple[list[np.ndarray], list[Any]]:
    """Return the positions and orientations of all bodies in the reference configuration, with all joints at zero."""
    place, turn = [np.zeros(3)], [(1.0, 0.0, 0.0, 0.0)]
    for b in range(1, len(m.body_parentid)):
        p = m.body_parentid[b]
        place.append(place[p] + np.array(rotate(turn[p], m.body_pos[b].tolist()).parts))
        turn.append(mul_quat(turn[p], m.body_quat[b].tolist()).parts)
    return place, turn
