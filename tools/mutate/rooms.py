"""Which tests are those of a room of the package: the only place that knows."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

HOST = ("envs", "render", "api", "compiler", "batch", "derivative")
"""Rooms of ordinary Python that are tried one by one."""

KERNELS = ("solver", "physics")
"""Rooms of kernels."""

NOT_FOR_KERNELS = (
    "assets*", "binary", "cli", "composite", "envs*", "files*", "frontend*", "fuzz*", "hostile", "lang*", "mjcf*",
    "page*", "saving*", "*spec*", "urdf", "viewer*", "wheels",
)  # fmt: skip
"""Tests that reach kernels, if at all, only to make or show something else."""

NAMES = {
    "envs": ("envs*", "examples"),
    "render": ("envs_render", "films", "mjr", "pictures_by_rays", "principal_point", "ray_renderer", "render", "viz_*"),
    "api": ("api_*", "binary", "edited_models", "recompile", "reset_places", "saving", "saving_again", "system",
            "wrong_arguments"),
    "compiler": ("assets_*", "compiler_*", "fused_inertia", "fuzz_findings", "models_oracle", "scaled_frames",
                 "static_tree"),
    "batch": ("batch*", "cluster", "determinism", "rollout", "vary"),
    "derivative": ("api_derivative", "derivative*", "dual_*", "minimize"),
}  # fmt: skip
"""Patterns of names of test files (without `test_` and `.py`) of rooms whose tests do not have a folder."""


ALSO = {"solver": ("physics", "whole"), "physics": ("solver", "whole"), "compiler": ("whole",), "render": ("viz",)}
"""Folders of further tests of a room: those of `whole` step models."""


def files_of(tests: Path, room: str) -> list[str]:
    """Test files of a room, relative to `tests`: those in the folder of its name, else those with such names."""
    package = room.split("/")[0]
    if (tests / package).is_dir():
        found = [path for name in (package, *ALSO.get(package, ())) for path in (tests / name).rglob("test_*.py")]
    else:
        found = [path for path in tests.glob("test_*.py") if _is_of(path.stem.removeprefix("test_"), package)]
    return sorted(path.relative_to(tests).as_posix() for path in found)


def _is_of(name: str, package: str) -> bool:
    """Whether a test file of this name is one of a package: of kernels, all that may reach them."""
    if package in NAMES:
        return any(fnmatch(name, pattern) for pattern in NAMES[package])
    return not any(fnmatch(name, pattern) for pattern in NOT_FOR_KERNELS)
