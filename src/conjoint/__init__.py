"""Conjoint: rigid-body dynamics with contact, MuJoCo-compatible, in pure Python.

    import conjoint as cj

    model = cj.MjModel.from_xml_path(cj.sample_model("humanoid"))
    data = cj.MjData(model)
    cj.mj_step(model, data)

    batch = cj.Batch(model, nworld=256)
    batch.step()

Names that begin with `mj` or `Mj` are those of the official package, version 3.3.5. Conjoint's own are `Batch`,
`Renderer`, `RayRenderer`, `Recorder`, `Film`, `show`, `sample_model`, `semantics`, and the modules `derivative`,
`doctor`, `envs`, `viewer`, `rollout` and `minimize` (docs/api-in-ten-minutes.md). Nothing is imported or compiled
before it is used.
"""

import sys
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from conjoint.lazy import First, unknown_name
from conjoint.once import MAKING

__version__ = "0.1.0"

_MODULES = (
    # searched in this order: what most programs need comes first
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
"""Modules whose names with the prefixes mj, Mj, set_mj and get_mj, and whose errors, are public here."""

MODULES = ("derivative", "doctor", "envs", "viewer", "rollout", "minimize")
"""Modules that are attributes of this package without an import of their own."""

HINTED = ("lang", *MODULES)
"""Modules whose names are hints for wrong names of this package."""

FAMILY = {
    "Batch": "batch",
    **dict.fromkeys(("Renderer", "RayRenderer", "Recorder", "Film", "show"), "render"),
    "sample_model": "sample_models",
    **dict.fromkeys(MODULES, ""),
}
"""Conjoint's own names, and the modules that have them; `dir` lists them first."""

BESIDE = {"GLContext": "render"}
"""Official names outside `_MODULES`, and the modules that have them."""


def semantics(edition: str) -> Any:
    """Choose the edition of the physics for models that are loaded or made from now on in this process.

    With `with`, until its block ends: `with conjoint.semantics("4.0"): ...`. A model keeps its edition; `m.semantics`
    and `spec.semantics` name it. Files and an `MjSpec` may choose for themselves (docs/semantics.md).

    Args:
        edition: `"3.3.5"`, the default, which the documents describe, or `"4.0"`, as the newest official version
            computes. Another version stands for the edition that it belongs to: up to 3.3.5 the first.

    Returns:
        The choice, which is a context manager and whose `str` is the edition.

    Raises:
        TypeError: it is not text.
        ValueError: the edition does not exist.
    """
    from conjoint.schema.semantics import Choice, read

    return Choice(read(edition, "semantics: edition"))


def install_as_mujoco(version: str | None = None, semantics: str | None = None) -> None:
    """Make `import mujoco` import this package and its submodules, in this process and all its libraries.

    Call it before anything imports the official package.

    Args:
        version: the version that `mujoco.__version__`, `mj_versionString()` and the metadata report, from 3.3.0 to
            4.0.0; 3.3.5 by default. From 3.3.6 on, numbers of flags and components of the state are those of 4.0.0.
        semantics: edition of the physics, as `conjoint.semantics` takes it; by default that of the version.

    Raises:
        ImportError: the official package is imported already, or another version is installed as `mujoco`.
        ValueError: the version or edition does not exist.
        TypeError: a version or an edition is not text.
    """
    from conjoint.compat.substitute import install

    install(sys.modules[__name__], version, semantics)


OWN = (*FAMILY, "semantics", "install_as_mujoco")
"""Names that `dir` lists first."""


def _is_public(name: str) -> bool:
    prefixes = ("mj", "Mj", "MJTNUM_", "set_mj", "get_mj", "trajectory_")
    return name.startswith(prefixes) or name.endswith(("Error", "Warning", "_zip"))


def _imported(name: str) -> ModuleType:
    """Import a module of this package."""
    # whole before any module of it (CONTRIBUTING.md, Threads and imports)
    with MAKING.held:
        import_module("conjoint.lang")
        return import_module(f"conjoint.{name}")


def __getattr__(name: str) -> Any:
    """Import the module that has `name`, on first use."""
    if name == "__all__":
        # a module of the family may need an extra
        return [each for each in __dir__() if each not in MODULES]
    if name in MODULES:
        return _family_module(name)
    found = None
    if module := FAMILY.get(name) or BESIDE.get(name):
        found = getattr(_imported(module), name)
    elif _is_public(name) and name != "MjEnum":
        found = _official(name)
    elif name.startswith("_") and name in import_module("conjoint.compat.substitute").PRIVATE:
        # modules of the official package in annotations of clients
        return sys.modules[__name__]
    if found is None:
        raise unknown_name(__name__, name)
    globals()[name] = found
    return found


def _family_module(name: str) -> ModuleType:
    """Import one of `MODULES`. Raises AttributeError: a package that it needs is not installed."""
    try:
        return _imported(name)
    except ImportError as error:
        # `hasattr` answers False
        raise AttributeError(str(error), name=name) from error


def _official(name: str) -> Any:
    """Find an official name; None if there is none."""
    for module in _MODULES:
        found = vars(_imported(module)).get(name)
        if found is not None:
            return _imported("api.signature").public(found, __name__) if isinstance(found, FunctionType) else found
    return None


def __dir__() -> list[str]:
    """List all public names, Conjoint's own first; imports the modules that have them."""
    names = {name for module in _MODULES for name in vars(_imported(module)) if _is_public(name)}
    return [*map(First, OWN), *sorted(names - {"MjEnum"}), *BESIDE, "__version__"]
