"""Plugins of programs (XML Reference, extension/plugin)."""

from pathlib import Path

from conjoint.api.arguments import checked
from conjoint.api.objects.model import MjModel
from conjoint.lang import ArgumentError
from conjoint.physics.plugin.plugin import mjpPlugin
from conjoint.physics.plugins import PLUGINS
from conjoint.runtime.user import plugins
from conjoint.runtime.user.plugins import config_of


@checked
def mjp_registerPlugin(plugin: mjpPlugin) -> int:
    """Make a plugin known by its name, before models that use it are loaded.

    Args:
        plugin: what it is called and what it computes.

    Returns:
        Its slot: the number by which models know it.

    Raises:
        FatalError: another plugin has its name.
    """
    return plugins.register(plugin)


@checked
def mjp_pluginCount() -> int:
    """Number of plugins that are known."""
    return len(PLUGINS)


@checked
def mj_loadPluginLibrary(path: str) -> None:
    """Run a file of Python, and register the plugins (`mjpPlugin`) in its variables.

    Args:
        path: the file.

    Raises:
        FatalError: it is no file of Python, or has no plugin.
    """
    plugins.load_file(Path(path))


@checked
def mj_loadAllPluginLibraries(directory: str) -> None:
    """Do so for all files of Python in a folder, and register the plugins of installed packages.

    Packages name them as entry points of the group `conjoint.plugins`; models that use them load without this call.

    Args:
        directory: the folder.
    """
    plugins.load_installed()
    for path in sorted(Path(directory).glob("*.py")):
        plugins.load_file(path)


@checked
def mj_getPluginConfig(m: MjModel, plugin_id: int, attrib: str) -> str:
    """A setting of an instance of a plugin; empty if the model does not give it.

    Args:
        plugin_id: number of the instance.
        attrib: name of the setting.

    Raises:
        FatalError: there is no such instance or setting.
    """
    if not 0 <= plugin_id < m.nplugin or m.plugin[plugin_id] not in range(len(PLUGINS)):
        raise ArgumentError(f"there is no instance {plugin_id} of a known plugin")
    found = config_of(m, plugin_id)
    if attrib not in found:
        raise ArgumentError(
            f"the plugin '{PLUGINS[m.plugin[plugin_id]].name}' has no setting '{attrib}': {', '.join(found)}"
        )
    return found[attrib]
