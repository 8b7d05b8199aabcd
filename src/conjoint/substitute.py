"""Programs that import `mujoco` get this package, with its submodules, under the version that it stands in for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

OFFICIAL = "mujoco"

PRIVATE = frozenset({"_structs", "_functions", "_enums", "_specs", "_constants", "_errors", "_callbacks", "_render"})
"""Modules of the official package that clients name in annotations; their public names are those of the package."""


class StandIn(ModuleType):
    """The module that `import mujoco` gives: another package, but for what it tells about itself."""

    def __init__(self, package: ModuleType, version: str, loader: Loader):
        super().__init__(OFFICIAL, package.__doc__)
        spec = ModuleSpec(OFFICIAL, loader, origin=package.__file__, is_package=True)
        spec.submodule_search_locations = list(package.__path__)
        self.__dict__.update(
            __version__=version, __file__=package.__file__, __path__=package.__path__, __package__=OFFICIAL,
            __spec__=spec, __loader__=loader, _package=package,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """What the package has under this name, on first use."""
        found = getattr(self.__dict__["_package"], name)
        self.__dict__.setdefault(name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_package"])


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

    def find_distributions(self, context: Any) -> Iterable[Any]:
        """What `importlib.metadata` tells about the official package."""
        from conjoint.distribution import found

        return found(OFFICIAL, context)

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the package in place of the empty one: none is loaded twice."""
        name = module.__name__.partition(".")[2]
        found = sys.modules[OFFICIAL] if name in PRIVATE else import_module(f"{self.package.__name__}.{name}")
        sys.modules[module.__name__] = found


def install(package: ModuleType) -> None:
    """Let `import mujoco` and imports of its submodules give `package`.

    Raises:
        ImportError: the official package has been imported.
    """
    found = sys.modules.get(OFFICIAL)
    if isinstance(found, StandIn):
        return
    if found is not None:
        raise ImportError("the official package has been imported already: call install_as_mujoco() before")
    # loads nothing else of weight
    from conjoint.schema.constants import VERSION_STRING

    finder = Substitutes(package)
    sys.modules[OFFICIAL] = StandIn(package, VERSION_STRING, finder)
    sys.meta_path.insert(0, finder)
