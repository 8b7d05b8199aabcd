"""Optional packages, and the command that installs a missing one."""

from importlib import import_module
from typing import Any

from conjoint.lang.errors import MissingExtraError

EXTRAS: dict[str, tuple[str, ...]] = {
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
    packages = " and ".join(name.replace("_", "-") for name in EXTRAS[extra])
    return MissingExtraError(f"{what} needs {packages} ({error}): pip install 'conjoint[{extra}]'")
