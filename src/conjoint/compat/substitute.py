"""Substitution of Conjoint for the module `mujoco` and its submodules, for programs that import MuJoCo's package."""

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
"""Modules of MuJoCo's package that programs name in annotations. Here, each of them is the package itself."""

SINGLE_NAMES = {
    "egl": ("GLContext", "compat.gl_context", "EglContext"),
    "gl_context": ("GLContext", "render.context", "GLContext"),
    "glfw": ("GLContext", "compat.gl_context", "GlfwContext"),
    "osmesa": ("GLContext", "compat.gl_context", "EglContext"),
    "renderer": ("Renderer", "render.renderer", "Renderer"),
}
"""MuJoCo modules with a single public name, each with this name, a module of this package, and the name in that module.

`osmesa` does not need a separate library, because EGL can draw in software, too.
"""

IN_COMPAT = ("batch", "msh2obj")
"""MuJoCo modules whose counterparts are in `compat`. Counterparts of all others have the same name in this package."""


class StandIn(ModuleType):
    """The module `mujoco`, which consists of Conjoint and the names of the emulated version."""

    def __init__(self, package: ModuleType, version: str, number: int, loader: Loader):
        super().__init__(OFFICIAL, package.__doc__)
        spec = ModuleSpec(OFFICIAL, loader, origin=package.__file__, is_package=True)
        spec.submodule_search_locations = list(package.__path__)
        self.__dict__.update(
            __version__=version, mjVERSION_HEADER=number, __file__=package.__file__, __path__=package.__path__,
            __package__=OFFICIAL, __spec__=spec, __loader__=loader, _package=package,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """Return the attribute `name` of the emulated version, or else of the package. The attribute is cached."""
        found = _of_version(name) or getattr(self.__dict__["_package"], name)
        self.__dict__.setdefault(name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_package"])


def _of_version(name: str) -> Any:
    """Return the module, class or enumeration `name` if it is specific to the emulated version, or None."""
    from conjoint.schema.version import STANDS_FOR

    if own_module(name) != name:
        return import_module(f"conjoint.{own_module(name)}")
    if not STANDS_FOR.moved:
        return None
    if name in ("MjModel", "MjData"):
        # add the fields of newer versions now, because programs may look them up in the class
        cls = getattr(import_module("conjoint"), name)
        import_module("conjoint.compat.fields").complete(cls)
        return cls
    if name.startswith(("mjt", "mjDIS", "mjEN")):
        from conjoint.compat import enums

        return getattr(enums, name) if name in enums.NAMES else None
    return None


def own_module(name: str) -> str:
    """Return the name, within this package, of the module that replaces a module of `mujoco`."""
    from conjoint.schema.version import STANDS_FOR

    hidden = name == "batch" and not STANDS_FOR.has("mujoco.batch")
    return f"compat.{name}" if name in IN_COMPAT and not hidden else name


class Substitutes(MetaPathFinder, Loader):
    """Finder and loader for submodules of `mujoco`, which are replaced by modules of another package."""

    def __init__(self, package: ModuleType):
        self.package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a submodule of `mujoco`, or None if the package does not have this module."""
        parent, _, name = fullname.partition(".")
        if parent != OFFICIAL or not name:
            return None
        known = name in PRIVATE or name in SINGLE_NAMES or self._own_spec(name) is not None
        return ModuleSpec(fullname, self) if known else None

    def _own_spec(self, name: str) -> ModuleSpec | None:
        """Return the spec of the module that replaces a module of `mujoco`, or None."""
        return find_spec(f"{self.package.__name__}.{own_module(name)}")

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module, which `python -m mujoco.msh2obj` requires."""
        spec = self._own_spec(fullname.partition(".")[2])
        return spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None

    def find_distributions(self, context: Any) -> Iterable[Any]:
        """Return the metadata of the distribution `mujoco`, for `importlib.metadata`."""
        from conjoint.compat.distribution import found

        return found(OFFICIAL, context)

    def exec_module(self, module: ModuleType) -> None:
        """Replace a new module by the package's own module, or define its single name if it has only one.

        The package's own module is thus not loaded twice.
        """
        name = module.__name__.partition(".")[2]
        if name in SINGLE_NAMES:
            public, own, own_name = SINGLE_NAMES[name]
            setattr(module, public, getattr(import_module(f"{self.package.__name__}.{own}"), own_name))
        elif name in PRIVATE:
            sys.modules[module.__name__] = sys.modules[OFFICIAL]
        else:
            sys.modules[module.__name__] = import_module(f"{self.package.__name__}.{own_module(name)}")


def install(package: ModuleType, version: str | None, semantics: str | None = None) -> None:
    """Redirect `import mujoco`, and imports of its submodules, to a package.

    Args:
        package: package to import instead.
        version: MuJoCo version to emulate; None for the current setting, which is initially 3.3.5.
        semantics: MuJoCo version whose physics is used, "3.3.5" or "4.0"; None for the semantics of `version`.

    Raises:
        ImportError: MuJoCo's package has already been imported, or another version is already emulated.
        ValueError: `version` or `semantics` does not exist.
        TypeError: `version` or `semantics` is not a string.
    """
    # these modules import little
    from conjoint.schema.semantics import DEFAULT, of_version, read
    from conjoint.schema.version import STANDS_FOR, parsed

    edition = None if semantics is None else read(semantics, "install_as_mujoco: semantics")
    wanted = None if version is None else parsed(version)
    found = sys.modules.get(OFFICIAL)
    if isinstance(found, StandIn):
        if wanted not in (None, STANDS_FOR.parts):
            raise ImportError(f"version {STANDS_FOR.text} is installed already: call install_as_mujoco() only once")
        return
    if found not in (None, package):
        raise ImportError("the official package has been imported already: call install_as_mujoco() before that")
    if version is not None:
        STANDS_FOR.become(version)
    DEFAULT.version = of_version(STANDS_FOR.parts)
    if edition is not None:
        DEFAULT.given = edition
    finder = Substitutes(package)
    sys.modules[OFFICIAL] = StandIn(package, STANDS_FOR.text, STANDS_FOR.number, finder)
    sys.meta_path.insert(0, finder)
