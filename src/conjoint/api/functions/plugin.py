"""Extensions of the engine: plugins (XML Reference, extension/plugin) and kernels that replace pipeline stages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conjoint.api.arguments import checked
from conjoint.api.objects.model import MjModel
from conjoint.lang import ArgumentError, Kernel
from conjoint.once import made_once
from conjoint.physics import status
from conjoint.physics.plugin.plugin import mjpPlugin
from conjoint.physics.plugins import PLUGINS
from conjoint.runtime.functions import every_stage
from conjoint.runtime.user import installed, plugins
from conjoint.runtime.user.plugins import PluginStage, config_of
from conjoint.spec.problems import suggestion


@checked
def mjp_registerPlugin(plugin: mjpPlugin) -> int:
    """Register a plugin under its name. Call this before loading models that use the plugin.

    Args:
        plugin: the plugin, with its name and functions.

    Returns:
        The slot: the number by which models refer to the plugin.

    Raises:
        FatalError: another plugin has the same name.
    """
    return plugins.register(plugin)


@checked
def mjp_pluginCount() -> int:
    """Return the number of registered plugins."""
    return len(PLUGINS)


@checked
def mj_loadPluginLibrary(path: str) -> None:
    """Run a Python file, and register the plugins (`mjpPlugin`) among its global variables.

    Args:
        path: path of the file.

    Raises:
        FatalError: the file is not a Python file, or defines no plugin.
    """
    plugins.load_file(Path(path))


@checked
def mj_loadAllPluginLibraries(directory: str) -> None:
    """Load all plugin libraries (Python files) in a folder, and register the plugins of installed packages.

    Packages declare plugins as entry points of the group `conjoint.plugins`. Models that use such plugins load without
    this call.

    Args:
        directory: path of the folder.
    """
    plugins.load_installed()
    for path in sorted(Path(directory).glob("*.py")):
        plugins.load_file(path)


@checked
def mj_getPluginConfig(m: MjModel, plugin_id: int, attrib: str) -> str:
    """Return a setting of a plugin instance, or "" if the model does not set it.

    Args:
        plugin_id: id of the plugin instance.
        attrib: name of the setting.

    Raises:
        FatalError: the instance or setting does not exist.
    """
    if not 0 <= plugin_id < m.nplugin or m.plugin[plugin_id] not in range(len(PLUGINS)):
        raise ArgumentError(f"there is no instance {plugin_id} of a known plugin")
    found = config_of(m, plugin_id)
    if attrib not in found:
        raise ArgumentError(
            f"the plugin '{PLUGINS[m.plugin[plugin_id]].name}' has no setting '{attrib}': {', '.join(found)}"
        )
    return found[attrib]


class StageTable:
    """Table of the kernels that run as pipeline stages, by name, as in `mjSTAGEFUNC["euler"]`.

    The table is global: it applies to all models, and to batches created afterwards. docs/reference/pipeline.md lists
    the names. A replacement has the parameters `(m, d)` of the engine's kernel and may call the engine's kernel, which
    must be read from the table beforehand. `del mjSTAGEFUNC["euler"]` restores the engine's kernel.
    """

    def __getitem__(self, name: str) -> Kernel:
        """Return the kernel that runs as the stage `name`.

        Raises:
            FatalError: the stage does not exist.
        """
        engine = _known(name)
        return dict(installed.current.stages).get(name, engine)

    def __setitem__(self, name: str, function: Kernel) -> None:
        """Replace the engine's kernel of a stage.

        Raises:
            FatalError: the stage does not exist, or the value is not a kernel with the parameters `(m, d)`.
        """
        _known(name)
        if not isinstance(function, Kernel):
            raise ArgumentError(f"mjSTAGEFUNC: {function!r} is not a kernel: declare it with @conjoint.lang.kernel")
        if function.parameters != ("m", "d"):
            code = function.function.__code__
            place = f"{code.co_filename}:{code.co_firstlineno}: kernel {function.__name__}"
            raise ArgumentError(f"{place}: a stage has the parameters (m, d), not ({', '.join(function.parameters)})")
        installed.set_stages(dict(installed.current.stages) | {name: function})

    def __delitem__(self, name: str) -> None:
        """Restore the engine's kernel of a stage."""
        _known(name)
        installed.set_stages({other: mine for other, mine in installed.current.stages if other != name})

    def __iter__(self) -> Iterator[str]:
        return iter(_kernels())

    def __len__(self) -> int:
        return len(_kernels())


mjSTAGEFUNC = StageTable()
"""The table of stages."""


@made_once
def _kernels() -> dict[str, Kernel]:
    """Return the engine's kernels of all pipeline stages, by name, except stages that only communicate with Python."""
    stages = [stage for stage in every_stage() if not isinstance(stage, PluginStage)]
    found = {stage.kernel.__name__: stage.kernel for stage in stages if stage.kernel.__module__ != status.__name__}
    return dict(sorted(found.items()))


def _known(name: str) -> Kernel:
    """Return the engine's kernel of a stage.

    Raises:
        FatalError: the stage does not exist.
    """
    if name not in _kernels():
        raise ArgumentError(f"mjSTAGEFUNC: the pipeline has no stage {name!r}{suggestion(name, _kernels())}")
    return _kernels()[name]
