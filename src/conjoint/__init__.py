"""Conjoint: rigid-body dynamics with contact, MuJoCo-compatible, in pure Python.

    import conjoint as cj

    model = cj.MjModel.from_xml_path(cj.sample_model("humanoid"))
    data = cj.MjData(model)
    cj.mj_step(model, data)

    batch = cj.Batch(model, nworld=256)
    batch.step()

Names that begin with `mj` or `Mj` are those of MuJoCo's Python package, version 3.3.5. Conjoint's own names are
`Batch`, `Renderer`, `RayRenderer`, `Recorder`, `Film`, `show`, `sample_model`, `semantics`, and the modules
`derivative`, `doctor`, `envs`, `viewer`, `rollout` and `minimize` (docs/api-in-ten-minutes.md). Modules are imported
and kernels are compiled on first use.
"""

import sys
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from conjoint.lazy import First, unknown_name
from conjoint.once import MAKING

__version__ = "0.1.0"

_MODULES = (
    # modules are searched in this order: modules that most programs need come first
    "schema.enums", "schema.constants", "lang.errors", "api.objects.vfs", "api.objects.model", "api.objects.data",
    "api.functions.functions", "api.functions.files", "schema.enums_newer", "schema.enums_visual",
    *("api.objects." + name for name in ("option", "records", "visual")),
    *("api.functions." + name for name in (
        "state", "constants", "callback", "collider", "inertia", "jacobian", "support", "constraint", "derivative",
        "ray", "distance", "visual", "plugin", "threads", "history",
    )),
    "batch.finite_differences", "batch.determinism", "derivative.matrices",
    *("api.spec." + name for name in (
        "model", "settings", "handle", "base", "body", "elements", "assets",
    )),
    *("viz." + name for name in ("scene", "flexes", "mouse", "camera", "perturb", "geom")),
    *("render." + name for name in ("mjr_context", "commands", "writing", "figure")),
    *("api.mju." + name for name in ("vectors", "quaternions", "matrices", "numbers", "factors")),
    "compat.functions",
)  # fmt: skip
"""Modules whose names with the prefixes mj, Mj, set_mj and get_mj, and whose errors, are public in this package."""

MODULES = ("derivative", "doctor", "envs", "viewer", "rollout", "minimize")
"""Modules that are attributes of this package even if programs do not import them."""

HINTED = ("lang", *MODULES)
"""Modules whose names are suggested if a program uses an unknown name of this package."""

FAMILY = {
    "Batch": "batch",
    **dict.fromkeys(("Renderer", "RayRenderer", "Recorder", "Film", "show"), "render"),
    "sample_model": "sample_models",
    **dict.fromkeys(MODULES, ""),
}
"""Modules that define Conjoint's own names, by name. `dir` lists these names first."""

BESIDE = {"GLContext": "render"}
"""Modules that are not in `_MODULES`, by the MuJoCo name that they define."""


def semantics(edition: str) -> Any:
    """Select the MuJoCo version whose physics new models use, for all models that this process creates from now on.

    In a `with` statement, `with conjoint.semantics("4.0"): ...`, the selection is valid until the end of the block. A
    model keeps its selection, which `m.semantics` and `spec.semantics` return. Files and `MjSpec` objects may select a
    version for themselves (docs/semantics.md).

    Args:
        edition: `"3.3.5"`, the default, which the documentation describes, or `"4.0"`, the physics of the newest MuJoCo
            version. Other version numbers are accepted, too; up to 3.3.5, they select `"3.3.5"`.

    Returns:
        The selection: a context manager, whose `str` is `"3.3.5"` or `"4.0"`.

    Raises:
        TypeError: `edition` is not a string.
        ValueError: the version does not exist.
    """
    from conjoint.schema.semantics import Choice, read

    return Choice(read(edition, "semantics: edition"))


def install_as_mujoco(version: str | None = None, semantics: str | None = None) -> None:
    """Redirect `import mujoco` to this package and its submodules, in the whole process including its libraries.

    Call this function before any module imports MuJoCo's package.

    Args:
        version: version that `mujoco.__version__`, `mj_versionString()` and the metadata report, from 3.3.0 to 4.0.0;
            by default 3.3.5. From 3.3.6, the bits of flags and of state components are those of 4.0.0.
        semantics: MuJoCo version whose physics is used, as for `conjoint.semantics`; by default that of `version`.

    Raises:
        ImportError: MuJoCo's package has already been imported, or another version is already emulated.
        ValueError: `version` or `semantics` does not exist.
        TypeError: `version` or `semantics` is not a string.
    """
    from conjoint.compat.substitute import install

    install(sys.modules[__name__], version, semantics)


OWN = (*FAMILY, "semantics", "install_as_mujoco")
"""Conjoint's own names, which `dir` lists first."""


def _is_public(name: str) -> bool:
    prefixes = ("mj", "Mj", "MJTNUM_", "set_mj", "get_mj", "trajectory_")
    return name.startswith(prefixes) or name.endswith(("Error", "Warning", "_zip"))


def _imported(name: str) -> ModuleType:
    """Import a module of this package."""
    # import this package completely before any of its modules (CONTRIBUTING.md, Threads and imports)
    with MAKING.held:
        import_module("conjoint.lang")
        return import_module(f"conjoint.{name}")


def __getattr__(name: str) -> Any:
    """Return the attribute `name`. The module that defines it is imported on first use."""
    if name == "__all__":
        # leave out modules that may need packages of an extra
        return [each for each in __dir__() if each not in MODULES]
    if name in MODULES:
        return _family_module(name)
    found = None
    if module := FAMILY.get(name) or BESIDE.get(name):
        found = getattr(_imported(module), name)
    elif _is_public(name) and name != "MjEnum":
        found = _official(name)
    elif name.startswith("_") and name in import_module("conjoint.compat.substitute").PRIVATE:
        # a private module of MuJoCo's package, which programs use in annotations
        return sys.modules[__name__]
    if found is None:
        raise unknown_name(__name__, name)
    globals()[name] = found
    return found


def _family_module(name: str) -> ModuleType:
    """Import one of `MODULES`. Raises AttributeError if a package that it needs is not installed."""
    try:
        return _imported(name)
    except ImportError as error:
        # with an AttributeError, `hasattr` returns False
        raise AttributeError(str(error), name=name) from error


def _official(name: str) -> Any:
    """Return the object with one of MuJoCo's names, or None if the name does not exist."""
    for module in _MODULES:
        found = vars(_imported(module)).get(name)
        if found is not None:
            return _imported("api.signature").public(found, __name__) if isinstance(found, FunctionType) else found
    return None


def __dir__() -> list[str]:
    """Return all public names, Conjoint's own names first. This imports the modules that define the names."""
    names = {name for module in _MODULES for name in vars(_imported(module)) if _is_public(name)}
    return [*map(First, OWN), *sorted(names - {"MjEnum"}), *BESIDE, "__version__"]
