"""Registering plugins: by programs, by files of Python, by installed packages."""

import importlib.util
from pathlib import Path

from conjoint.lang import FatalError, Kernel
from conjoint.lang.language.captured import Captured
from conjoint.once import made_once
from conjoint.physics import plugins as table
from conjoint.physics.plugin.plugin import FUNCTIONS, mjpPlugin
from conjoint.runtime.user import installed

GROUP = "conjoint.plugins"
"""Entry points of packages: each is an `mjpPlugin`."""


def register(plugin: mjpPlugin) -> int:
    """Make a plugin known; its slot.

    Raises:
        FatalError: another plugin has its name, or a kernel of it uses a variable that may change.
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

    Without a lock, as it imports modules of others: of two threads that do it at once each registers the same plugins.
    """
    # to import it takes as long as a third of NumPy
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        register(point.load())


def load_file(path: Path) -> list[mjpPlugin]:
    """Run a file of Python and register the plugins in its variables.

    Raises:
        FatalError: it cannot be read, or has no plugin.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path) if path.suffix == ".py" and path.is_file() else None
    if spec is None or spec.loader is None:
        raise FatalError(f"'{path}' is no file of Python; plugins are instances of mjpPlugin in one")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, mjpPlugin)]
    if not found:
        raise FatalError(f"'{path}' has no plugin: no variable of it is an mjpPlugin")
    for plugin in found:
        register(plugin)
    return found
