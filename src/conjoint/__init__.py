"""Conjoint: rigid-body dynamics with contact, MuJoCo-compatible, in pure Python.

    import conjoint

    m = conjoint.MjModel.from_xml_path("models/humanoid.xml")
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)

Names, fields and semantics are those of the official package, version 3.3.5. Nothing is imported or compiled
before it is used.
"""

import sys
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from conjoint.once import MAKING

__version__ = "0.1.0"

_MODULES = (
    # what most programs need comes first: a name is looked for in one after the other
    "schema.enums", "schema.constants", "lang.errors", "api.objects.vfs", "api.objects.model", "api.objects.data",
    "api.functions.functions", "api.functions.saving", "schema.enums_newer", "schema.enums_visual",
    *("api.objects." + name for name in ("option", "records", "visual", "scene")),
    *("api.functions." + name for name in (
        "state", "constants", "callback", "collider", "stages", "inertia", "jacobian", "support",
        "constraint", "derivative", "posthoc", "length_range", "ray", "distance", "schema", "names", "printing",
        "visual", "plugin", "threads", "newer", "textures", "history",
    )),
    "batch.finite_differences", "batch.determinism", "derivative.transition", "derivative.inverse",
    *("api.spec." + name for name in (
        "model", "settings", "handle", "base", "body", "elements", "assets",
    )),
    *("viz." + name for name in ("scene", "flexes", "space", "mouse", "camera", "perturb", "select", "geom")),
    *("render." + name for name in ("mjr_context", "commands", "writing", "figure")),
    *("api.mju." + name for name in ("vectors", "quaternions", "matrices", "numbers", "factors")),
)  # fmt: skip
"""Modules whose names with the prefixes mj, Mj, set_mj and get_mj, and whose errors, are public here."""


ROOMS = {
    "Batch": "batch",
    **dict.fromkeys(("GLContext", "RayRenderer", "Recorder", "Renderer", "show"), "render"),
}
"""Other public names, and the modules that have them: many worlds at once, and what draws scenes."""


def semantics(chosen: str) -> Any:
    """Choose the edition of the physics for models that are read or made from now on in this process.

    With `with`, until its block ends: `with conjoint.semantics("4.0"): ...`. A model keeps its edition; `m.semantics`
    and `spec.semantics` name it. Files and an `MjSpec` may choose for themselves (docs/semantics.md).

    Args:
        chosen: `"3.3.5"`, what the documents describe, which is the default, or `"4.0"`, as the newest official version
            computes. Another version stands for the edition that it belongs to: up to 3.3.5 the first.

    Returns:
        What was chosen, as an object that `with` and `str` take.

    Raises:
        TypeError: it is no text.
        ValueError: there is no such edition.
    """
    from conjoint.schema.semantics import Choice, read

    return Choice(read(chosen, "semantics: chosen"))


def install_as_mujoco(version: str | None = None, semantics: str | None = None) -> None:
    """Let `import mujoco` in this process, also by other libraries, give this package, with its submodules.

    Call it before anything imports the official package.

    Args:
        version: the version that `mujoco.__version__`, `mj_versionString()` and the metadata tell, from 3.3.0 to 4.0.0;
            3.3.5 if none is given. From 3.3.6 on, numbers of flags and components of the state are those of 4.0.0.
        semantics: edition of the physics, as `conjoint.semantics` takes it; that of the version if none is given.

    Raises:
        ImportError: that has happened, or another version has been asked for before.
        ValueError: there is no such version or edition.
    """
    from conjoint.compat.substitute import install

    install(sys.modules[__name__], version, semantics)


def _is_public(name: str) -> bool:
    prefixes = ("mj", "Mj", "MJTNUM_", "set_mj", "get_mj", "trajectory_")
    return name.startswith(prefixes) or name.endswith(("Error", "_zip"))


def _imported(name: str) -> ModuleType:
    """A module of this package."""
    # whole before any module of it (CONTRIBUTING.md, Threads and imports)
    with MAKING.held:
        import_module("conjoint.lang")
        return import_module(f"conjoint.{name}")


def __getattr__(name: str) -> Any:
    """Import the module that has `name`, on first use."""
    if name == "__all__":
        return __dir__()
    if name in ROOMS:
        globals()[name] = getattr(_imported(ROOMS[name]), name)
        return globals()[name]
    if _is_public(name) and name != "MjEnum":
        for module in _MODULES:
            found = vars(_imported(module)).get(name)
            if found is not None:
                if isinstance(found, FunctionType):
                    found = _imported("api.signature").public(found, __name__)
                globals()[name] = found
                return found
    elif name.startswith("_") and name in import_module("conjoint.compat.substitute").PRIVATE:
        # modules of the official package in annotations of clients
        return sys.modules[__name__]
    raise AttributeError(f"module 'conjoint' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    """All public names; imports the modules that have them."""
    names = {name for module in _MODULES for name in vars(_imported(module)) if _is_public(name)}
    return sorted(names - {"MjEnum"}) + [*ROOMS, "__version__", "install_as_mujoco", "semantics"]
