"""The table of plugins: those that come with the engine, and those that programs register."""

from conjoint.lang import FatalError
from conjoint.once import MAKING
from conjoint.physics.actuation.pid import PID
from conjoint.physics.forces.cable import CABLE
from conjoint.physics.plugin.elasticity import ELASTIC
from conjoint.physics.plugin.plugin import mjpPlugin
from conjoint.physics.plugin.shapes import SHAPES
from conjoint.physics.sensor.touch_grid import TOUCH_GRID

PLUGINS = [PID, CABLE, TOUCH_GRID, *SHAPES, *ELASTIC]
"""Plugins by their slot, the number by which models know them."""

OURS = frozenset(plugin.name for plugin in PLUGINS)
"""Names of those that come with the engine."""


def slot_of(name: str) -> int:
    """Slot of a plugin; -1 if there is none of this name."""
    return next((slot for slot, plugin in enumerate(PLUGINS) if plugin.name == name), -1)


def register(plugin: mjpPlugin) -> int:
    """Add a plugin; its slot. One that is registered again stays where it is.

    Raises:
        FatalError: another plugin has its name.
    """
    with MAKING.held:
        slot = slot_of(plugin.name)
        if slot < 0:
            PLUGINS.append(plugin)
            return len(PLUGINS) - 1
    if PLUGINS[slot] is not plugin:
        raise FatalError(f"there is another plugin '{plugin.name}': give yours a name of its own")
    return slot
