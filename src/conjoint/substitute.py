"""Programs that import `mujoco` get this package, with its submodules."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

OFFICIAL = "mujoco"

PRIVATE = frozenset({"_structs", "_functions", "_enums", "_specs", "_constants", "_errors", "_callbacks", "_render"})
"""Modules of the official package that clients name in annotations; their public names are those of the package."""


class Substitutes(MetaPathFinder, Loader):
    """Finds modules of the official package among those of another."""

    def __init__(self, package: ModuleType):
        self.package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What to import for `fullname`; None where the package has no such module."""
        parent, _, name = fullname.partition(".")
        if parent != OFFICIAL or not name:
            return None
        known = name in PRIVATE or find_spec(f"{self.package.__name__}.{name}") is not None
        return ModuleSpec(fullname, self) if known else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the package in place of the empty one: none is loaded twice."""
        name = module.__name__.partition(".")[2]
        found = self.package if name in PRIVATE else import_module(f"{self.package.__name__}.{name}")
        sys.modules[module.__name__] = found


def install(package: ModuleType) -> None:
    """Let `import mujoco` and imports of its submodules give `package`.

    Raises:
        ImportError: the official package has been imported.
    """
    found = sys.modules.get(OFFICIAL)
    if found is package:
        return
    if found is not None:
        raise ImportError("the official package has been imported already: call install_as_mujoco() before")
    sys.modules[OFFICIAL] = package
    sys.meta_path.insert(0, Substitutes(package))
