"""What users ask a batch to see: cameras, directions and groups, checked, and as kernels take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conjoint.api.arguments import as_array
from conjoint.api.functions.visual import mjv_defaultFreeCamera
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera
from conjoint.batch.ray_rendering import KINDS
from conjoint.lang import FatalError
from conjoint.runtime.ray_pictures import LARGEST_SIDE
from conjoint.schema.constants import mjMINVAL, mjNGROUP
from conjoint.schema.enums_visual import mjtCamera
from conjoint.spec.problems import suggestion

ALL_GROUPS = (1,) * mjNGROUP
"""Every group counts."""


def chosen_camera(model: MjModel, camera: int | str | MjvCamera) -> tuple[int, np.ndarray]:
    """A camera of the model, -1 for none, and what kernels take for a free one.

    Raises:
        FatalError: there is no such camera, or it tracks a body.
    """
    free = MjvCamera()
    mjv_defaultFreeCamera(model, free)
    if isinstance(camera, MjvCamera):
        if camera.type == mjtCamera.mjCAMERA_FREE:
            return -1, _view_of(camera)
        if camera.type != mjtCamera.mjCAMERA_FIXED:
            raise FatalError(
                "a batch sees from free and fixed cameras only: give the model a camera with "
                'mode="track" or mode="trackcom" to follow a body'
            )
        camera = int(camera.fixedcamid)
    if not (isinstance(camera, (int, np.integer)) and camera == -1):
        camera = chosen_number(model, "cam", "camera", camera)
    return int(camera), _view_of(free)


def _view_of(camera: MjvCamera) -> np.ndarray:
    """The point that a free camera looks at, distance, azimuth, elevation, 1 if its rays are parallel."""
    return np.array([*camera.lookat, camera.distance, camera.azimuth, camera.elevation, camera.orthographic], float)


def chosen_number(model: MjModel, prefix: str, noun: str, wanted: Any) -> int:
    """Number of a camera or site of the model, by name or number.

    Raises:
        FatalError: there is none.
    """
    count = int(getattr(model, f"n{prefix}"))
    if isinstance(wanted, str):
        names = [getattr(model, noun)(i).name for i in range(count)]
        if wanted not in names:
            raise FatalError(f"there is no {noun} {wanted!r}{suggestion(wanted, names)}: the model has {names}")
        return names.index(wanted)
    if not isinstance(wanted, (int, np.integer)):
        raise FatalError(f"a {noun} is a name or a number, not {wanted!r}")
    if not 0 <= wanted < count:
        raise FatalError(f"there is no {noun} {wanted}: the model has {count}")
    return int(wanted)


def chosen_size(height: int, width: int) -> tuple[int, int]:
    """Height and width of a picture.

    Raises:
        FatalError: it would have no pixels, or too many.
    """
    for name, side in (("height", height), ("width", width)):
        if not 1 <= side <= LARGEST_SIDE:
            raise FatalError(f"the {name} of a picture is 1 to {LARGEST_SIDE} pixels, not {side}")
    return height, width


def chosen_kinds(what: str | Sequence[str]) -> tuple[str, ...]:
    """Kinds of pictures.

    Raises:
        FatalError: there is no such kind.
    """
    kinds = (what,) if isinstance(what, str) else tuple(what)
    for kind in kinds:
        if kind not in KINDS:
            raise FatalError(f"there are no pictures of {kind!r}: what is one of {', '.join(KINDS)}, or several")
    return kinds


def chosen_groups(groups: Sequence[int] | np.ndarray | None, default: Sequence[int]) -> np.ndarray:
    """For every group, whether it counts.

    Raises:
        FatalError: these are not six numbers.
    """
    made = as_array("groups", default if groups is None else groups)
    if made.shape != (mjNGROUP,):
        raise FatalError(f"groups are {mjNGROUP} numbers, 1 for those that count, not an array of shape {made.shape}")
    return (made != 0).astype(np.uint8)


def chosen_directions(directions: np.ndarray) -> np.ndarray:
    """Unit vectors along directions.

    Raises:
        FatalError: they are not of shape (nray, 3), or one has no length.
    """
    ways = as_array("directions", directions, np.float64)
    if ways.ndim != 2 or ways.shape[1] != 3:
        raise FatalError(f"directions must have shape (nray, 3), not {ways.shape}")
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    wrong = np.flatnonzero(~(lengths[:, 0] > mjMINVAL) | ~np.isfinite(lengths[:, 0]))
    if len(wrong):
        raise FatalError(f"direction {wrong[0]} is {ways[wrong[0]].tolist()}: give it a length that is not 0")
    return ways / lengths
