"""Tangent coordinates of derivatives: the components of a field, with three directions for each quaternion.

A unit quaternion q has three directions, the axes e_i of its own frame; its derivative along e_i is q * (0, e_i) / 2. A
change dq corresponds to the rotation vector 2 Im(conj(q) * dq). To first order, this is what `mj_integratePos` and
`mj_differentiatePos` compute.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.schema.enums import mjtJoint


class Coordinates:
    """Tangent coordinates of a field.

    Args:
        numbers: indices of the scalars, which have one direction each, and indices of their directions.
        quaternions: index of the first number of each quaternion, and index of its first direction.

    Attributes:
        size: number of directions.
    """

    def __init__(self, numbers: tuple[np.ndarray, np.ndarray], quaternions: tuple[np.ndarray, np.ndarray]):
        self.numbers, self.quaternions = numbers, quaternions
        (self._place, self._direction), (first, axis) = numbers, quaternions
        self._parts = first[:, None] + np.arange(4)
        self._axes = axis[:, None] + np.arange(3)
        self.size = len(self._place) + 3 * len(first)
        self._count = len(self._place) + 4 * len(first)

    def directions(self, value: np.ndarray) -> np.ndarray:
        """Return the derivatives of the field's components along each direction, shape (components, size)."""
        if not len(self._parts):
            return np.eye(self.size)
        found = np.zeros((self._count, self.size))
        found[self._place, self._direction] = 1.0
        found[self._parts[:, :, None], self._axes[:, None, :]] = 0.5 * turns(value[self._parts])
        return found

    def components(self, value: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Convert n changes in the field, shape (components, n), to tangent coordinates, shape (size, n)."""
        if not len(self._parts):
            return change
        found = np.empty((self.size, change.shape[1]))
        found[self._direction] = change[self._place]
        found[self._axes] = 2.0 * np.einsum("kpi,kpn->kin", turns(value[self._parts]), change[self._parts])
        return found


def turns(q: np.ndarray) -> np.ndarray:
    """Return the derivatives of quaternions (n, 4) along the three axes of their frames, as matrices (n, 4, 3)."""
    w, x, y, z = q.T
    rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    return np.moveaxis(np.array(rows), 2, 0)


def of_positions(m: Any) -> Coordinates:
    """Return the tangent coordinates of qpos, one for each degree of freedom."""
    places: list[int] = []
    dofs: list[int] = []
    quaternions: list[int] = []
    axes: list[int] = []
    for kind, q, v in zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), m.jnt_dofadr.tolist(), strict=True):
        count = {mjtJoint.mjJNT_FREE: 3, mjtJoint.mjJNT_BALL: 0}.get(kind, 1)
        places += range(q, q + count)
        dofs += range(v, v + count)
        if kind in (mjtJoint.mjJNT_FREE, mjtJoint.mjJNT_BALL):
            quaternions.append(q + count)
            axes.append(v + count)
    integers = [np.array(one, int) for one in (places, dofs, quaternions, axes)]
    return Coordinates((integers[0], integers[1]), (integers[2], integers[3]))


POSITIONS = ("qpos", "qpos0", "qpos_spring")
"""Fields that contain joint positions."""

QUATERNIONS = ("mocap_quat", "body_quat", "geom_quat", "site_quat", "cam_quat", "body_iquat")
"""Fields that contain quaternions."""


def coordinates(m: Any, name: str, size: int) -> Coordinates:
    """Return the tangent coordinates of a field with `size` components."""
    if name in POSITIONS:
        return of_positions(m)
    nothing, every = np.zeros(0, int), np.arange(size)
    if name in QUATERNIONS:
        return Coordinates((nothing, nothing), (every[::4], 3 * np.arange(size // 4)))
    return Coordinates((every, every), (nothing, nothing))
