"""Conjoint as the module `mujoco`, with its submodules, for programs that import the official package."""

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
"""Modules of the official package that clients name in annotations; all of them are the package itself here."""

SINGLE_NAMES = {
    "egl": ("GLContext", "compat.gl_context", "EglContext"),
    "gl_context": ("GLContext", "render.context", "GLContext"),
    "glfw": ("GLContext", "compat.gl_context", "GlfwContext"),
    "osmesa": ("GLContext", "compat.gl_context", "EglContext"),
    "renderer": ("Renderer", "render.renderer", "Renderer"),
}
"""Official modules with a single public name: this name, its module in this package, and its name there.

EGL draws in software, too, so `osmesa` needs no library of its own.
"""

IN_COMPAT = ("batch", "msh2obj")
"""Other official modules that are modules of `compat`; the rest have the same names in this package."""


class StandIn(ModuleType):
    """The module `mujoco`: Conjoint under this name, with the names of the emulated version."""

    def __init__(self, package: ModuleType, version: str, number: int, loader: Loader):
        super().__init__(OFFICIAL, package.__doc__)
        spec = ModuleSpec(OFFICIAL, loader, origin=package.__file__, is_package=True)
        spec.submodule_search_locations = list(package.__path__)
        self.__dict__.update(
            __version__=version, mjVERSION_HEADER=number, __file__=package.__file__, __path__=package.__path__,
            __package__=OFFICIAL, __spec__=spec, __loader__=loader, _package=package,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """Look up a name in the emulated version, then in the package, and cache it."""
        found = _of_version(name) or getattr(self.__dict__["_package"], name)
        self.__dict__.setdefault(name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_package"])


def _of_version(name: str) -> Any:
    """Return a module, class or enumeration specific to the version; None if there is none."""
    from conjoint.schema.version import STANDS_FOR

    if own_module(name) != name:
        return import_module(f"conjoint.{own_module(name)}")
    if not STANDS_FOR.moved:
        return None
    if name in ("MjModel", "MjData"):
        # programs may look for fields of newer versions in the class
        cls = getattr(import_module("conjoint"), name)
        import_module("conjoint.compat.fields").complete(cls)
        return cls
    if name.startswith(("mjt", "mjDIS", "mjEN")):
        from conjoint.compat import enums

        return getattr(enums, name) if name in enums.NAMES else None
    return None


def own_module(name: str) -> str:
    """Return the name of an official module within this package."""
    from conjoint.schema.version import STANDS_FOR

    hidden = name == "batch" and not STANDS_FOR.has("mujoco.batch")
    return f"compat.{name}" if name in IN_COMPAT and not hidden else name


class Substitutes(MetaPathFinder, Loader):
    """Finder and loader of the submodules of `mujoco`, which are modules of another package."""

    def __init__(self, package: ModuleType):
        self.package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a submodule of `mujoco`; None if the package has no such module."""
        parent, _, name = fullname.partition(".")
        if parent != OFFICIAL or not name:
            return None
        known = name in PRIVATE or name in SINGLE_NAMES or self._own_spec(name) is not None
        return ModuleSpec(fullname, self) if known else None

    def _own_spec(self, name: str) -> ModuleSpec | None:
        """Return the spec of the module that replaces an official one, or None."""
        return find_spec(f"{self.package.__name__}.{own_module(name)}")

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module, for `python -m mujoco.msh2obj`."""
        spec = self._own_spec(fullname.partition(".")[2])
        return spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None

    def find_distributions(self, context: Any) -> Iterable[Any]:
        """Return the metadata of the official package, for `importlib.metadata`."""
        from conjoint.compat.distribution import found

        return found(OFFICIAL, context)

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module by the package's own, so that no module is loaded twice; or set its single name."""
        name = module.__name__.partition(".")[2]
        if name in SINGLE_NAMES:
            public, own, own_name = SINGLE_NAMES[name]
            setattr(module, public, getattr(import_module(f"{self.package.__name__}.{own}"), own_name))
        elif name in PRIVATE:
            sys.modules[module.__name__] = sys.modules[OFFICIAL]
        else:
            sys.modules[module.__name__] = import_module(f"{self.package.__name__}.{own_module(name)}")


def install(package: ModuleType, version: str | None, semantics: str | None = None) -> None:
    """Make `import mujoco`, and imports of its submodules, import a package.

    Args:
        package: the package.
        version: the version to emulate; None for the current one, initially 3.3.5.
        semantics: edition of the physics; None for that of the version.

    Raises:
        ImportError: the official package is imported already, or another version is installed.
        ValueError: the version or edition does not exist.
        TypeError: a version or an edition is not text.
    """
    # both import little
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
