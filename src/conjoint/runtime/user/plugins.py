"""Plugins: the stages that run them, the numeric parameters of their instances, and their registration."""

from __future__ import annotations

import functools
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.lang import FatalError, Kernel, kernel
from conjoint.lang.errors import ModelError
from conjoint.lang.language.captured import Captured
from conjoint.once import made_alike, made_once
from conjoint.physics import plugins as table
from conjoint.physics import status
from conjoint.physics.passive_flags import together
from conjoint.physics.plugin.plugin import FUNCTIONS, mjpPlugin, settings
from conjoint.physics.plugins import PLUGINS
from conjoint.runtime.stage import Stage
from conjoint.runtime.user import installed
from conjoint.schema.enums import mjtDisableBit, mjtPluginCapabilityBit, mjtStage

PREFIX = "mjpPlugin "
"""Prefix of the names of stages that call Python functions of plugins."""

DISABLED_BY = {
    mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR: mjtDisableBit.mjDSBL_ACTUATION,
    mjtPluginCapabilityBit.mjPLUGIN_SENSOR: mjtDisableBit.mjDSBL_SENSOR,
    mjtPluginCapabilityBit.mjPLUGIN_PASSIVE: mjtDisableBit.mjDSBL_PASSIVE,
}
"""Model flags that disable plugins, by plugin capability."""

ANY = functools.reduce(int.__or__, DISABLED_BY, 0)
"""Bit mask of all capabilities for which plugins can have stages."""


@dataclass(frozen=True, slots=True)
class PluginStage(Stage):
    """Placeholder for plugins in a pipeline. It is replaced by one stage for each plugin that the model uses.

    Attributes:
        function: function of the plugin to run here: a field of `mjpPlugin`.
        capability: capabilities of the plugins to run here, as bits of mjtPluginCapabilityBit.
    """

    function: str = ""
    capability: int = 0

    @property
    def flag(self) -> int:
        """Model flag that disables the stage; 0 if there is no such flag."""
        return 0 if self.capability == ANY else int(DISABLED_BY[mjtPluginCapabilityBit(self.capability)])

    def of(self, slot: int) -> tuple[Stage, ...]:
        """Return the stage of the plugin in `slot`, if the plugin has the function and the capability; otherwise ()."""
        plugin = PLUGINS[slot]
        function = getattr(plugin, self.function)
        wrong_stage = self.stage != mjtStage.mjSTAGE_NONE and plugin.needstage != self.stage
        if function is None or not plugin.capabilityflags & self.capability or wrong_stage:
            return ()
        if isinstance(function, Kernel):
            return (Stage(self.name, for_instances(slot, function, self.flag)),)
        return (Stage(f"{PREFIX}{plugin.name}.{self.function}", status.callback_requested, stage=self.flag),)


def place(name: str, function: str, capability: int, stage: int = mjtStage.mjSTAGE_NONE) -> tuple[PluginStage]:
    """Return a placeholder for plugins in the documented function `name`."""
    return (PluginStage(name, status.not_built, ("nplugin",), stage, function=function, capability=capability),)


@made_alike
def for_instances(slot: int, function: Kernel, flag: int) -> Kernel:
    """Return a kernel that runs a plugin's function for all its instances unless a flag of the model disables it."""

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


def config_of(m: Any, instance: int) -> dict[str, str]:
    """Return the settings of an instance of a known plugin."""
    plugin = PLUGINS[m.plugin[instance]]
    texts = bytes(m.plugin_attr[m.plugin_attradr[instance] :]).split(b"\0")
    return settings(plugin, dict(zip(plugin.attributes, (text.decode() for text in texts), strict=False)))


def plugin_numbers(m: Any) -> dict[str, np.ndarray]:
    """Return the numeric parameters of plugin instances, as rows of a plan by row name.

    Unknown plugins have no parameters.

    Raises:
        ModelError: the settings of an instance are invalid for its plugin.
    """
    found: list[float] = []
    first = []
    for instance, slot in enumerate(m.plugin.tolist()):
        first.append(len(found))
        if slot in range(len(PLUGINS)):
            try:
                found += map(float, PLUGINS[slot].init(m, instance, config_of(m, instance)))
            except ValueError as error:
                raise ModelError(f"instance {instance}, plugin '{PLUGINS[slot].name}': {error}") from error
    integers = np.clip(np.nan_to_num(np.array(found)), -(2**31), 2**31 - 1)
    return {
        "plugin_numberadr": np.array(first, np.int32),
        "plugin_number": np.array(found),
        "plugin_integer": integers.astype(np.int32),
    }


def unknown_plugins(m: Any) -> list[str]:
    """Return descriptions of those plugins of a model that are not registered, or that do nothing."""
    words = []
    for slot in sorted(set(m.plugin.tolist())):
        if slot not in range(len(PLUGINS)):
            words.append(f"in slot {slot} is not registered (mjp_registerPlugin)")
        elif all(getattr(PLUGINS[slot], function) is None for function in (*FUNCTIONS, "visualize")):
            words.append(f"'{PLUGINS[slot].name}' is not implemented: only its name is registered")
    return words


GROUP = "conjoint.plugins"
"""Name of the entry point group of packages with plugins; each entry point is an `mjpPlugin`."""


def register(plugin: mjpPlugin) -> int:
    """Register a plugin and return its slot.

    Raises:
        FatalError: another plugin has its name, or one of its kernels uses a variable that may change.
    """
    functions = [getattr(plugin, name) for name in FUNCTIONS]
    for function in functions:
        if isinstance(function, Kernel) and (loose := Captured(function).loose):
            raise FatalError(
                f"plugin {plugin.name!r}: the kernel {function.__name__} uses the variable {loose[0]}, and is compiled "
                f"once: call it {loose[0].upper()} if it never changes, or make it an attribute of the plugin"
            )
    slot = table.register(plugin)
    if any(function is not None and not isinstance(function, Kernel) for function in functions):
        installed.set_plugins()
    return slot


@made_once
def load_installed() -> None:
    """Register the plugins of installed packages, once.

    No lock is used, because modules of other packages are imported. If two threads call it at the same time, both
    register the same plugins.
    """
    # this import takes a third as long as importing NumPy
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        register(point.load())


def load_file(path: Path) -> list[mjpPlugin]:
    """Run a Python file and register the plugins in its variables.

    Raises:
        FatalError: the file cannot be read, or contains no plugin.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path) if path.suffix == ".py" and path.is_file() else None
    if spec is None or spec.loader is None:
        raise FatalError(f"'{path}' is not a Python file; a plugin file defines instances of mjpPlugin as variables")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, mjpPlugin)]
    if not found:
        raise FatalError(f"'{path}' defines no plugin: none of its variables is an mjpPlugin")
    for plugin in found:
        register(plugin)
    return found
