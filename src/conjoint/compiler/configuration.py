"""Kinematics and inertia of a model in one configuration, in NumPy.

The pipeline could compute them, but its stages would have to be compiled to machine code before a model is loaded;
one configuration needs a pass over the bodies and a handful of dense products, which take a millisecond.
Notation: the center is the center of mass of a tree, which spatial quantities refer to; M the inertia matrix.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from conjoint.compiler.arrays import Arrays, rows
from conjoint.compiler.joint import BALL, FREE, SLIDE
from conjoint.spec.rotation import Quaternion, mul_quat, place, quat_about, quat_to_mat, rotate, unit_quat

MINVAL = 1e-15
"""Numbers below this count as zero."""


class Configuration:
    """Kinematics and inertia of the model `m` in `qpos`.

    Attributes:
        xpos, xquat, xipos, com: of bodies, in the world; com is that of the subtree.
        anchor: of joints.
        center: (nbody, 3) center of mass of the tree of each body.
        moves: (nbody, nv) True where a dof moves a body.
        axes: (nv, 6) motion of every dof, rotation first, referring to the center of its tree.
    """

    def __init__(self, m: Arrays, qpos: np.ndarray):
        self.m = m
        self.xpos: list[Any] = [(0.0, 0.0, 0.0)]
        self.xquat: list[Quaternion] = [(1.0, 0.0, 0.0, 0.0)]
        self.anchor: list[Any] = []
        self._axis: list[Any] = []
        self._kinematics(qpos.tolist())
        self.xipos = [place(*pose) for pose in zip(self.xpos, self.xquat, rows(m.body_ipos), strict=True)]
        self.com = self._subtree_com()
        self.center = np.array(self.com)[m.body_rootid]
        self.moves = self._moves()
        self.axes = self._axes()

    # --- kinematics ---

    def _kinematics(self, qpos: list[float]) -> None:
        """Poses of bodies, anchors and axes of joints (Computation chapter, "Forward kinematics")."""
        m = self.m
        poses = zip(m.body_parentid.tolist(), rows(m.body_pos), rows(m.body_quat), strict=True)
        adr, num = m.body_jntadr.tolist(), m.body_jntnum.tolist()
        kinds, addresses = m.jnt_type.tolist(), m.jnt_qposadr.tolist()
        points, axes, reference = rows(m.jnt_pos), rows(m.jnt_axis), m.qpos0.tolist()
        for body, (parent, pos, quat) in enumerate(poses):
            if body == 0:
                continue
            here: Any = place(self.xpos[parent], self.xquat[parent], pos)
            turn = mul_quat(self.xquat[parent], quat)
            for j in range(adr[body], adr[body] + num[body]):
                q, kind = addresses[j], kinds[j]
                if kind == FREE:
                    here, turn = tuple(qpos[q : q + 3]), unit_quat(qpos[q + 3 : q + 7])
                    self.anchor.append(here)
                    self._axis.append((0.0, 0.0, 1.0))
                    continue
                anchor = place(here, turn, points[j])
                axis = rotate(turn, axes[j])
                self.anchor.append(anchor)
                self._axis.append(axis)
                if kind == BALL:
                    turn = mul_quat(turn, unit_quat(qpos[q : q + 4]))
                elif qpos[q] == reference[q]:
                    continue
                elif kind == SLIDE:
                    here = tuple(x + (qpos[q] - reference[q]) * a for x, a in zip(here, axis, strict=True))
                    continue
                else:
                    turn = mul_quat(turn, quat_about(axes[j], qpos[q] - reference[q]))
                # rotations leave the anchor where it is
                moved = rotate(turn, points[j])
                here = tuple(a - x for a, x in zip(anchor, moved, strict=True))
            self.xpos.append(here)
            self.xquat.append(unit_quat(turn))

    def _subtree_com(self) -> list[tuple[float, ...]]:
        """Center of mass of every subtree; the body's own where there is no mass."""
        mass, parent = self.m.body_mass.tolist(), self.m.body_parentid.tolist()
        moment = np.array(mass)[:, None] * np.array(self.xipos)
        for body in range(len(mass) - 1, 0, -1):
            moment[parent[body]] += moment[body]
            mass[parent[body]] += mass[body]
        return [tuple(moment[b] / mass[b]) if mass[b] > MINVAL else self.xipos[b] for b in range(len(mass))]

    def _moves(self) -> np.ndarray:
        """Which dofs move which bodies."""
        m = self.m
        moves = np.zeros((m.nbody, m.nv), bool)
        parents, adr, num = m.body_parentid.tolist(), m.body_dofadr.tolist(), m.body_dofnum.tolist()
        for body in range(1, m.nbody):
            moves[body] = moves[parents[body]]
            moves[body, max(adr[body], 0) : max(adr[body], 0) + num[body]] = True
        return moves

    def _axes(self) -> np.ndarray:
        """Motion of every dof."""
        motions: list[Any] = []
        for j, (kind, body) in enumerate(zip(self.m.jnt_type.tolist(), self.m.jnt_bodyid.tolist(), strict=True)):
            offset = self.center[body] - np.array(self.anchor[j])
            if kind == SLIDE:
                motions.append((0.0, 0.0, 0.0, *self._axis[j]))
                continue
            if kind == FREE:
                motions += [(0.0, 0.0, 0.0, *row) for row in np.eye(3)]
            if kind in (FREE, BALL):
                turns = np.array(quat_to_mat(self.xquat[body])).reshape(3, 3).T
                motions += [(*axis, *np.cross(axis, offset)) for axis in turns]
            else:
                x, y, z = self._axis[j]
                a, b, c = offset.tolist()
                motions.append((x, y, z, y * c - z * b, z * a - x * c, x * b - y * a))
        return np.array(motions, float).reshape(-1, 6)

    # --- inertia ---

    @cached_property
    def M(self) -> np.ndarray:
        """(nv, nv) inertia matrix with the armature of joints (composite rigid bodies, Featherstone 2008, 6.2)."""
        m = self.m
        turns = [mul_quat(*pair) for pair in zip(self.xquat, rows(m.body_iquat), strict=True)]
        frames = np.array([quat_to_mat(turn) for turn in turns]).reshape(-1, 3, 3)
        mass = m.body_mass
        about_com = np.einsum("bij,bj,bkj->bik", frames, m.body_inertia, frames)
        offset = np.array(self.xipos) - self.center
        skew = np.zeros((m.nbody, 3, 3))
        skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -offset[:, 2], offset[:, 1], -offset[:, 0]
        skew -= skew.transpose(0, 2, 1)
        composite = np.zeros((m.nbody, 6, 6))
        composite[:, :3, :3] = about_com + mass[:, None, None] * (skew @ skew.transpose(0, 2, 1))
        composite[:, :3, 3:] = mass[:, None, None] * skew
        composite[:, 3:, :3] = -composite[:, :3, 3:]
        composite[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
        parents = m.body_parentid.tolist()
        for body in range(m.nbody - 1, 0, -1):
            if parents[body]:
                composite[parents[body]] += composite[body]
        force = np.einsum("iab,ib->ia", composite[m.dof_bodyid], self.axes)
        lower = np.where(self.ancestors, force @ self.axes.T, 0.0)
        inertia = np.tril(lower) + np.tril(lower, -1).T
        inertia[np.diag_indices_from(inertia)] += m.dof_armature
        return inertia

    @cached_property
    def ancestors(self) -> np.ndarray:
        """(nv, nv) True where the column is the row's dof or an ancestor of it."""
        ancestors = np.eye(self.m.nv, dtype=bool)
        for i, parent in enumerate(self.m.dof_parentid.tolist()):
            if parent >= 0:
                ancestors[i] |= ancestors[parent]
        return ancestors

    def blocks(self) -> list[slice]:
        """Dofs that are connected by inertia: those of a tree."""
        nv, ids = self.m.nv, self.m.dof_treeid.tolist()
        starts = [i for i in range(nv) if i == 0 or ids[i] != ids[i - 1]]
        return [slice(a, b) for a, b in pairwise([*starts, nv])]

    # --- velocities of points ---

    def jacobian(self, bodies: list[int], dofs: slice) -> np.ndarray:
        """(len(bodies), 6, ndof) translation, then rotation, of the centers of mass of `bodies`."""
        axes, moves = self.axes[dofs], self.moves[bodies, dofs, None]
        offset = np.array([self.xipos[b] for b in bodies]) - self.center[bodies]
        angular = np.where(moves, axes[None, :, :3], 0.0)
        linear = np.where(moves, axes[None, :, 3:] + np.cross(axes[None, :, :3], offset[:, None, :]), 0.0)
        return np.concatenate((linear, angular), axis=2).transpose(0, 2, 1)

    def generalized(self, bodies: Any, points: Any, forces: Any, torques: Any = 0.0) -> np.ndarray:
        """(n, nv) generalized forces of n forces, and torques, on `bodies` at `points`, all in the world's frame."""
        bodies, forces = np.asarray(bodies, int), np.asarray(forces, float)
        torque = np.cross(np.asarray(points, float) - self.center[bodies], forces) + torques
        wrench = np.concatenate((torque, forces), axis=1)
        return np.where(self.moves[bodies], wrench @ self.axes.T, 0.0)

    # --- what is attached to bodies ---

    def pose(self, prefix: str, element: int) -> tuple[Any, Quaternion]:
        """Position and orientation of a geom, site or camera in the world; `prefix` is the first word of its fields."""
        m = self.m
        body = int(getattr(m, prefix + "_bodyid")[element])
        pos, quat = getattr(m, prefix + "_pos")[element].tolist(), getattr(m, prefix + "_quat")[element].tolist()
        turn = unit_quat(mul_quat(self.xquat[body], tuple(quat)))
        return place(self.xpos[body], self.xquat[body], pos), turn

    @cached_property
    def site_xpos(self) -> list[Any]:
        """Positions of all sites in the world."""
        bodies = self.m.site_bodyid.tolist()
        return [place(self.xpos[b], self.xquat[b], pos) for b, pos in zip(bodies, rows(self.m.site_pos), strict=True)]
