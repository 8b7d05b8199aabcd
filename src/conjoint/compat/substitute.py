"""Programs that import `mujoco` get this package, with its submodules, under the version that it stands in for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any

OFFICIAL = "mujoco"

PRIVATE = frozenset({"_structs", "_functions", "_enums", "_specs", "_constants", "_errors", "_callbacks", "_render"})
"""Modules of the official package that clients name in annotations; their public names are those of the package."""


MODULES = {"batch": "official_batch", "msh2obj": "compat.msh2obj"}
"""Official modules that have another name in this package."""

SINGLE_NAMES = {
    "egl": ("GLContext", "compat.gl_context", "EglContext"),
    "gl_context": ("GLContext", "render.context", "GLContext"),
    "glfw": ("GLContext", "compat.gl_context", "GlfwContext"),
    "osmesa": ("GLContext", "compat.gl_context", "EglContext"),
    "renderer": ("Renderer", "render.renderer", "Renderer"),
}
"""Official modules with a single public name: that name, the module of this package that has it, and its name there.

EGL draws in software, too, so `osmesa` needs no library of its own.
"""


class StandIn(ModuleType):
    """The module that `import mujoco` gives: another package, but for what it tells about itself."""

    def __init__(self, package: ModuleType, version: str, number: int, loader: Loader):
        super().__init__(OFFICIAL, package.__doc__)
        spec = ModuleSpec(OFFICIAL, loader, origin=package.__file__, is_package=True)
        spec.submodule_search_locations = list(package.__path__)
        self.__dict__.update(
            __version__=version, mjVERSION_HEADER=number, __file__=package.__file__, __path__=package.__path__,
            __package__=OFFICIAL,
            __spec__=spec, __loader__=loader, _package=package,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """What the package has under this name, or what the version has instead, on first use."""
        found = _of_version(name) or getattr(self.__dict__["_package"], name)
        self.__dict__.setdefault(name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_package"])


def _of_version(name: str) -> Any:
    """What has other numbers in the version that is stood in for; None if there is nothing of this name."""
    from conjoint.schema.version import STANDS_FOR

    if own_module(name) != name:
        return import_module(f"conjoint.{own_module(name)}")
    if STANDS_FOR.moved and name in ("MjModel", "MjData"):
        # programs may look for fields of newer versions in the class
        cls = getattr(import_module("conjoint"), name)
        import_module("conjoint.compat.fields").complete(cls)
        return cls
    if not (STANDS_FOR.moved and name.startswith(("mjt", "mjDIS", "mjEN"))):
        return None
    from conjoint.compat import enums

    return getattr(enums, name) if name in enums.NAMES else None


def own_module(name: str) -> str:
    """The module of this package that is the official one of a name in the version that is stood in for."""
    from conjoint.schema.version import STANDS_FOR

    return name if name == "batch" and not STANDS_FOR.has("mujoco.batch") else MODULES.get(name, name)


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
        known = name in PRIVATE or name in SINGLE_NAMES
        return ModuleSpec(fullname, self) if known or self.spec_of(name) is not None else None

    def spec_of(self, name: str) -> ModuleSpec | None:
        """Return the spec of the module of this package that stands in for an official one, None if there is none."""
        return find_spec(f"{self.package.__name__}.{own_module(name)}")

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module, for `python -m mujoco.msh2obj`."""
        spec = self.spec_of(fullname.partition(".")[2])
        return spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None

    def find_distributions(self, context: Any) -> Iterable[Any]:
        """What `importlib.metadata` tells about the official package."""
        from conjoint.compat.distribution import found

        return found(OFFICIAL, context)

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the package in place of the empty one: none is loaded twice."""
        name = module.__name__.partition(".")[2]
        if name in SINGLE_NAMES:
            public, own, own_name = SINGLE_NAMES[name]
            setattr(module, public, getattr(import_module(f"{self.package.__name__}.{own}"), own_name))
            return
        found = (
            sys.modules[OFFICIAL] if name in PRIVATE else import_module(f"{self.package.__name__}.{own_module(name)}")
        )
        sys.modules[module.__name__] = found


def install(package: ModuleType, version: str | None, semantics: str | None = None) -> None:
    """Let `import mujoco` and imports of its submodules give `package`.

    Args:
        package: the package.
        version: the version to stand in for; None: that which is stood in for already, or 3.3.5.
        semantics: edition of the physics; None: that of the version.

    Raises:
        ImportError: the official package has been imported, or another version is stood in for.
        ValueError: there is no such version or edition.
        TypeError: a version or an edition is not text.
    """
    # loads nothing else of weight
    from conjoint.schema.semantics import DEFAULT, of_version, read
    from conjoint.schema.version import STANDS_FOR, parsed

    edition = None if semantics is None else read(semantics, "install_as_mujoco: semantics")
    wanted = None if version is None else parsed(version)
    found = sys.modules.get(OFFICIAL)
    if isinstance(found, StandIn):
        if wanted not in (None, STANDS_FOR.parts):
            raise ImportError(f"version {STANDS_FOR.text} is stood in for already: call install_as_mujoco() once")
        return
    if found not in (None, package):
        raise ImportError("the official package has been imported already: call install_as_mujoco() before")
    if version is not None:
        STANDS_FOR.become(version)
    DEFAULT.version = of_version(STANDS_FOR.parts)
    if edition is not None:
        DEFAULT.given = edition
    finder = Substitutes(package)
    sys.modules[OFFICIAL] = StandIn(package, STANDS_FOR.text, STANDS_FOR.number, finder)
    sys.meta_path.insert(0, finder)
