"""What plugins show of themselves: the functions `visualize` of those that a model uses."""

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvOption
from conjoint.lang import Kernel
from conjoint.lang.calls.entry import Entry
from conjoint.physics.forces.cable import color_cable
from conjoint.physics.plugins import PLUGINS
from conjoint.physics.sensor.touch_grid import TOUCH_GRID
from conjoint.runtime.entry import entry
from conjoint.viz.touch_grid import draw_touch_grid


def _entry_of(function: Kernel) -> Entry:
    return entry(function, "int", "out float[]")


ENTRIES = {color_cable: _entry_of(color_cable)}
"""Kernels of plugins that show something."""

OURS = {TOUCH_GRID: draw_touch_grid}
"""Plugins that come with the engine and add to scenes, which their kernels do not know."""


def visualize_plugins(m: MjModel, d: MjData, opt: MjvOption, scn: MjvScene) -> int:
    """Let all instances of plugins show themselves in a scene without geoms; how many geoms it has then."""
    scn.ngeom = 0
    for instance, slot in enumerate(m.plugin):
        function = OURS.get(PLUGINS[slot], PLUGINS[slot].visualize)
        if isinstance(function, Kernel):
            if function not in ENTRIES:
                ENTRIES[function] = _entry_of(function)
            ENTRIES[function](m.plans.current, d.world, instance, m.geom_rgba.reshape(-1))
        elif function is not None:
            function(m, d, opt, scn, instance)
    return int(scn.ngeom)
