"""Definition of plugins (XML Reference, extension/plugin); `physics/plugins.py` lists the registered ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.lang import Kernel, kernel, mul_quat, rotate
from conjoint.schema.enums import mjtPluginCapabilityBit, mjtStage

Config = Mapping[str, str]
"""Settings of an instance by name, as in the model; settings that it omits are empty."""

Visualize = Kernel | Callable[[Any, Any, Any, Any, int], None]
"""A kernel of `(m, d, instance, geom_rgba)`, or a Python function of an `MjModel`, an `MjData`, an `MjvOption`, an
`MjvScene` and the number of the instance."""

Compute = Kernel | Callable[[Any, Any, int], None]
"""A kernel of `(m, d, instance)`, or a Python function of an `MjModel`, an `MjData` and the number of the instance."""


@dataclass(frozen=True, eq=False)
class mjpPlugin:
    """A force, an actuator, a sensor or a shape that models use by name.

    Kernels run at full speed in one world and in batches. Python functions run in single worlds only. Both read and
    write `d`. Kernels read the numbers that `init` returns with `plugin_number(m, instance, k)`; Python functions read
    settings with `mj_getPluginConfig`.

    Attributes:
        name: name in models; it begins with a name of its author ("mine.spring").
        capabilityflags: capabilities, which determine the elements that may use it: passive forces of bodies,
            actuators, sensors (mjtPluginCapabilityBit).
        attributes: names of its settings.
        needstage: stage of its sensors: position, velocity or acceleration.
        nstate: number of reals of an instance in `d.plugin_state`, from `m.plugin_stateadr[instance]` on. They are zero
            after a reset.
        nsensordata: number of readings of a sensor.
        actuator_actdim: number of activations of an actuator, before that of its dyntype.
        init: returns the parameters of an instance as numbers; called with the model, the instance and its settings
            when a model is first used. Raises ValueError if the settings are invalid.
        compute: adds to `qfrc_passive`, sets `actuator_force` or writes `sensordata`.
        actuator_act_dot: sets `act_dot` of the activations that `actuator_actdim` counts.
        advance: called at the end of a step: may change `plugin_state`.
        visualize: called by `mjv_updateScene` before it makes geoms: a kernel may set their colors in `geom_rgba`,
            four numbers each; a Python function may also add to the scene.
        sdf_attribute: returns the numbers of a shape for its settings; `init` returns them, too.
        sdf_staticdistance: signed distance from a shape at x, y, z for its numbers, negative inside: a formula, or a
            function of arrays that broadcast. The mesh of the shape is computed from it.
        sdf_aabb: half sizes of a box around the origin that contains the surface, for the numbers.
        sdf_distance: a kernel of `(m, instance, p)`: the distance of a point in the frame of the shape. Without it the
            shape has no contacts.
        sdf_gradient: a kernel of `(m, instance, p)`; by default it uses finite differences.
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
        """Elements that may use the plugin."""
        return tuple(e for bit, elements in OWNERS.items() if self.capabilityflags & bit for e in elements)


FUNCTIONS = ("compute", "actuator_act_dot", "advance", "sdf_distance")
"""Attributes of a plugin that are kernels or Python functions, and run in a step."""

OWNERS = {
    mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR: ("actuator",),
    mjtPluginCapabilityBit.mjPLUGIN_SENSOR: ("sensor",),
    mjtPluginCapabilityBit.mjPLUGIN_PASSIVE: ("body",),
    mjtPluginCapabilityBit.mjPLUGIN_SDF: ("geom", "mesh"),
}
"""Elements that use plugins, by capability."""


@kernel
def plugin_number(m, instance, k):
    """Return number k of those that `init` returned for an instance."""
    return m.plugin_number[m.plugin_numberadr[instance] + k]


@kernel
def plugin_integer(m, instance, k):
    """Return number k, a count or an index, as an integer."""
    return m.plugin_integer[m.plugin_numberadr[instance] + k]


def settings(plugin: mjpPlugin, given: Config) -> dict[str, str]:
    """Return all settings of an instance; omitted ones are empty."""
    return {key: given.get(key, "") for key in plugin.attributes}


def number(config: Config, key: str, default: float = 0.0) -> float:
    """Return a setting as a number, or the default if it is omitted."""
    try:
        return float(config[key]) if config[key] else default
    except ValueError:
        raise ValueError(f"the setting '{key}' is '{config[key]}', expected a number") from None


def reference_poses(m: Any) -> tuple[list[np.ndarray], list[Any]]:
    """Return positions and orientations of all bodies in the reference configuration, with all joints at zero."""
    place, turn = [np.zeros(3)], [(1.0, 0.0, 0.0, 0.0)]
    for b in range(1, len(m.body_parentid)):
        p = m.body_parentid[b]
        place.append(place[p] + np.array(rotate(turn[p], m.body_pos[b].tolist()).parts))
        turn.append(mul_quat(turn[p], m.body_quat[b].tolist()).parts)
    return place, turn
