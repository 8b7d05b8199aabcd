"""Optional packages, grouped in extras, and the commands that install them."""

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
    """Return True if all modules of an extra are installed. No module is imported."""
    try:
        return all(find_spec(name) for name in EXTRAS[extra])
    except ModuleNotFoundError:
        # the package that contains the module is not installed
        return False


def packages(extra: str) -> list[str]:
    """Return the names of the packages that contain the modules of an extra."""
    return [name.replace("_", "-").replace(".", "-") for name in EXTRAS[extra]]


def need(extra: str, what: str) -> Any:
    """Import all modules of an extra, and return the first one.

    Args:
        extra: name of the extra, a key of `EXTRAS`.
        what: part of Conjoint that needs the modules, for the error message.

    Raises:
        MissingExtraError: one of the modules cannot be imported.
    """
    try:
        first, *_ = [import_module(name) for name in EXTRAS[extra]]
    except ImportError as error:
        raise missing(extra, what, error) from None
    return first


def missing(extra: str, what: str, error: ImportError) -> MissingExtraError:
    """Return an error that says that `what` needs an extra, and how to install it.

    Args:
        extra: name of the extra, a key of `EXTRAS`.
        what: part of Conjoint that needs the extra.
        error: exception of the failed import.
    """
    names = " and ".join(packages(extra))
    return MissingExtraError(f"{what} needs {names} ({error}): pip install 'conjoint[{extra}]'")
