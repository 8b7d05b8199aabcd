"""Coordinates in which derivatives are taken: of each number of a field, and of rotations in the tangent space.

A unit quaternion q has three directions: along the axis e_i of its own frame it changes by q * (0, e_i) / 2, and a
change dq is the rotation vector 2 Im(conj(q) * dq) (as `mj_integratePos` and `mj_differentiatePos`, to first order).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from conjoint.schema.enums import mjtJoint


class Coordinates(Protocol):
    """Directions of a field.

    Attributes:
        size: how many there are.
        numbers: places of the numbers that are directions of their own, and these.
        quaternions: first places of the quaternions, and their first directions, of three.
    """

    size: int
    numbers: tuple[np.ndarray, np.ndarray]
    quaternions: tuple[np.ndarray, np.ndarray]

    def directions(self, value: np.ndarray) -> np.ndarray:
        """How the numbers of the field change along each direction: a matrix (numbers, size)."""
        ...

    def components(self, value: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Changes (numbers, n) of the field in these coordinates: (size, n)."""
        ...


class Numbers:
    """Each number of a field is a direction of its own."""

    def __init__(self, size: int):
        self.size = size
        every = np.arange(size)
        self.numbers, self.quaternions = (every, every), (every[:0], every[:0])

    def directions(self, value: np.ndarray) -> np.ndarray:
        """The unit matrix."""
        return np.eye(self.size)

    def components(self, value: np.ndarray, change: np.ndarray) -> np.ndarray:
        """The changes themselves."""
        return change


class Rotations:
    """Numbers, among which there are quaternions with three directions each.

    Args:
        numbers: places of the numbers that are no parts of quaternions, and their directions.
        quaternions: first places of the quaternions, and their first directions.
    """

    def __init__(self, numbers: tuple[np.ndarray, np.ndarray], quaternions: tuple[np.ndarray, np.ndarray]):
        self.numbers, self.quaternions = numbers, quaternions
        (self._place, self._direction), (first, axis) = numbers, quaternions
        self._parts = first[:, None] + np.arange(4)
        self._axes = axis[:, None] + np.arange(3)
        self.size = len(self._place) + 3 * len(first)
        self.count = len(self._place) + 4 * len(first)

    def directions(self, value: np.ndarray) -> np.ndarray:
        """How numbers and quaternions change along each direction."""
        found = np.zeros((self.count, self.size))
        found[self._place, self._direction] = 1.0
        found[self._parts[:, :, None], self._axes[:, None, :]] = 0.5 * turns(value[self._parts])
        return found

    def components(self, value: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Changes of numbers, and rotation vectors of changes of quaternions."""
        found = np.empty((self.size, change.shape[1]))
        found[self._direction] = change[self._place]
        if len(self._parts):
            found[self._axes] = 2.0 * np.einsum("kpi,kpn->kin", turns(value[self._parts]), change[self._parts])
        return found


def turns(q: np.ndarray) -> np.ndarray:
    """Products of quaternions (n, 4) and the three axes of their frames: matrices (n, 4, 3)."""
    w, x, y, z = q.T
    rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    return np.moveaxis(np.array(rows), 2, 0)


def of_positions(m: Any) -> Rotations:
    """Coordinates of qpos: the degrees of freedom."""
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
    return Rotations((integers[0], integers[1]), (integers[2], integers[3]))


def of_quaternions(count: int) -> Rotations:
    """Coordinates of quaternions one behind another: three for each."""
    nothing = np.zeros(0, int)
    return Rotations((nothing, nothing), (4 * np.arange(count), 3 * np.arange(count)))


POSITIONS = ("qpos", "qpos0", "qpos_spring")
"""Fields of positions of joints."""

QUATERNIONS = ("mocap_quat", "body_quat", "geom_quat", "site_quat", "cam_quat", "body_iquat")
"""Fields of quaternions."""


def coordinates(m: Any, name: str, size: int) -> Coordinates:
    """Coordinates of a field of `size` numbers."""
    if name in POSITIONS:
        return of_positions(m)
    return of_quaternions(size // 4) if name in QUATERNIONS else Numbers(size)
