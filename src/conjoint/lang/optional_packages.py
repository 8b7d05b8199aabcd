"""Optional packages, and the command that installs a missing one."""

from importlib import import_module
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
"""Modules that the parts of this package import, by the extra that installs them."""


def need(extra: str, what: str) -> Any:
    """Return the first module of an extra, after all of them have been imported.

    Args:
        extra: of `EXTRAS`.
        what: the part that needs them, in the words of the message.

    Raises:
        MissingExtraError: one of them cannot be imported.
    """
    try:
        first, *_ = [import_module(name) for name in EXTRAS[extra]]
    except ImportError as error:
        raise missing(extra, what, error) from None
    return first


def missing(extra: str, what: str, error: ImportError) -> MissingExtraError:
    """Return the error that `what` needs an extra, where an import ended in `error`."""
    packages = " and ".join(name.replace("_", "-") for name in EXTRAS[extra])
    return MissingExtraError(f"{what} needs {packages} ({error}): pip install 'conjoint[{extra}]'")
