"""Table of plugins: built-in plugins, and plugins registered by user programs."""

from collections.abc import Iterator
from typing import Any

from conjoint.lang import FatalError
from conjoint.lang.language.name import Name, value_of
from conjoint.once import MAKING
from conjoint.physics.plugin.plugin import mjpPlugin

physics = Name("conjoint.physics")
PID, TOUCH_GRID = "mujoco.pid", "mujoco.sensor.touch_grid"
"""Names of the actuator plugin for PID controllers and of the sensor plugin for touch grids."""

SHAPES, ELASTIC = ("bolt", "bowl", "gear", "nut", "torus"), ("shell", "membrane", "solid")
"""Names of the built-in SDF plugins and elasticity plugins, without prefixes."""

OURS = {
    PID: physics.actuation.pid.PID,
    "mujoco.elasticity.cable": physics.forces.cable.CABLE,
    TOUCH_GRID: physics.sensor.touch_grid.TOUCH_GRID,
    **{f"mujoco.sdf.{name}": physics.plugin.shapes.SHAPES[i] for i, name in enumerate(SHAPES)},
    **{f"mujoco.elasticity.{name}": physics.plugin.elasticity.ELASTIC[i] for i, name in enumerate(ELASTIC)},
}
"""Built-in plugins by name, in the order of their slots."""


NAMES = {plugin: name for name, plugin in OURS.items()}


class Plugins(list[Any]):
    """List of plugins by slot, the number by which models refer to them. Built-in plugins are imported on demand."""

    def __getitem__(self, slot: Any) -> Any:
        return value_of(super().__getitem__(slot))

    def __iter__(self) -> Iterator[mjpPlugin]:
        return map(value_of, super().__iter__())

    @property
    def names(self) -> list[str]:
        """Names of all plugins, by slot."""
        return [NAMES[item] if isinstance(item, Name) else item.name for item in super().__iter__()]


PLUGINS = Plugins(OURS.values())


def slot_of(name: str) -> int:
    """Return the slot of the plugin with the given name, or -1 if there is none."""
    names = PLUGINS.names
    return names.index(name) if name in names else -1


def register(plugin: mjpPlugin) -> int:
    """Add a plugin, and return its slot. A plugin that is registered again has the same slot.

    Raises:
        FatalError: another plugin has its name.
    """
    with MAKING.held:
        slot = slot_of(plugin.name)
        if slot < 0:
            PLUGINS.append(plugin)
            return len(PLUGINS) - 1
    if PLUGINS[slot] is not plugin:
        raise FatalError(f"another plugin '{plugin.name}' is registered already: give the new plugin another name")
    return slot
