"""Plugins in the pipeline: the stages that run them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from conjoint.lang import Kernel, kernel
from conjoint.once import made_alike
from conjoint.physics import status
from conjoint.physics.passive_flags import together
from conjoint.physics.plugins import PLUGINS
from conjoint.runtime.stage import Stage
from conjoint.schema.enums import mjtDisableBit, mjtPluginCapabilityBit, mjtStage

PREFIX = "mjpPlugin "
"""What names of stages begin with that call Python functions of plugins."""

DISABLED_BY = {
    mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR: mjtDisableBit.mjDSBL_ACTUATION,
    mjtPluginCapabilityBit.mjPLUGIN_SENSOR: mjtDisableBit.mjDSBL_SENSOR,
    mjtPluginCapabilityBit.mjPLUGIN_PASSIVE: mjtDisableBit.mjDSBL_PASSIVE,
}
"""Flag of the model with which plugins of a sort do not compute."""

ANY = functools.reduce(int.__or__, DISABLED_BY, 0)
"""All that plugins of stages can do."""


@dataclass(frozen=True, slots=True)
class PluginStage(Stage):
    """The place of plugins in a pipeline: one stage for each that the model uses comes there.

    Attributes:
        function: which of their functions runs there: a field of `mjpPlugin`.
        capability: which plugins: bits of mjtPluginCapabilityBit.
    """

    function: str = ""
    capability: int = 0

    @property
    def flag(self) -> int:
        """Flag of the model that disables the stage; 0 if none does."""
        return 0 if self.capability == ANY else int(DISABLED_BY[mjtPluginCapabilityBit(self.capability)])

    def of(self, slot: int) -> tuple[Stage, ...]:
        """The stage of a plugin, if it has the function and is of this sort."""
        plugin = PLUGINS[slot]
        function = getattr(plugin, self.function)
        wrong_stage = self.stage != mjtStage.mjSTAGE_NONE and plugin.needstage != self.stage
        if function is None or not plugin.capabilityflags & self.capability or wrong_stage:
            return ()
        if isinstance(function, Kernel):
            return (Stage(self.name, for_instances(slot, function, self.flag)),)
        return (Stage(f"{PREFIX}{plugin.name}.{self.function}", status.callback_asked, stage=self.flag),)


def place(name: str, function: str, capability: int, stage: int = mjtStage.mjSTAGE_NONE) -> tuple[PluginStage]:
    """The place of plugins in the documented function `name`."""
    return (PluginStage(name, status.not_built, ("nplugin",), stage, function=function, capability=capability),)


@made_alike
def for_instances(slot: int, function: Kernel, flag: int) -> Kernel:
    """The kernel that runs a plugin's function for all its instances, unless a flag of the model disables it."""

    both = together(flag)

    @kernel
    def compute_plugins(m, d):
        """Run the function for every instance of the plugin."""
        if (m.opt.disableflags & flag) == 0 and (m.opt.disableflags & both) != both:
            for i in range(m.nplugin):
                if m.plugin[i] == slot:
                    function(m, d, i)

    compute_plugins.__name__ = f"plugin_{function.__name__}"
    return compute_plugins
