"""Optional packages, and the command that installs a missing one."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from conjoint.lang.errors import MissingExtraError

EXTRAS: dict[str, tuple[str, ...]] = {
    "cuda": ("cuda.core", "cuda.bindings"),
    "envs": ("gymnasium",),
    "jax": ("jax",),
    "opencl": ("pyopencl",),
    "plot": ("matplotlib",),
    "ray": ("ray",),
    "render": ("moderngl",),
    "robots": ("robot_descriptions",),
    "sb3": ("stable_baselines3",),
    "torch": ("torch",),
    "video": ("imageio_ffmpeg",),
    "viewer": ("moderngl", "glfw", "imgui_bundle"),
    "web": ("viser", "trimesh"),
}
"""Modules that optional parts of Conjoint import, by the package extra that installs them."""


def is_installed(extra: str) -> bool:
    """Return True if all modules of an extra are installed, without importing them."""
    try:
        return all(find_spec(name) for name in EXTRAS[extra])
    except ModuleNotFoundError:
        # the package that contains a module is missing
        return False


def packages(extra: str) -> list[str]:
    """Return the names under which the modules of an extra are installed."""
    return [name.replace("_", "-").replace(".", "-") for name in EXTRAS[extra]]


def need(extra: str, what: str) -> Any:
    """Import all modules of an extra, and return the first.

    Args:
        extra: key of `EXTRAS`.
        what: name of the part that needs the modules, for the error message.

    Raises:
        MissingExtraError: one of the modules cannot be imported.
    """
    try:
        first, *_ = [import_module(name) for name in EXTRAS[extra]]
    except ImportError as error:
        raise missing(extra, what, error) from None
    return first


def missing(extra: str, what: str, error: ImportError) -> MissingExtraError:
    """Return the error saying that `what` needs an extra; `error` is the exception of the failed import."""
    names = " and ".join(packages(extra))
    return MissingExtraError(f"{what} needs {names} ({error}): pip install 'conjoint[{extra}]'")
