"""Kinematics and inertia of a model in one configuration, in NumPy.

The pipeline could compute them, but its stages would have to be compiled to machine code before a model is loaded;
one configuration needs a pass over the bodies and a handful of products, which take a millisecond.
Notation: the center is the center of mass of a tree, which spatial quantities refer to; M the inertia matrix.
Nothing here is a matrix of all dofs or of all bodies by all dofs, except `M`, which few models need.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from conjoint.compiler.arrays import Arrays, rows
from conjoint.compiler.joint import BALL, FREE, SLIDE
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.rotation import Quaternion, cross, minus, mul_quat, place, quat_about, quat_to_mat, rotate, unit_quat

TRANSLATIONS = ((0.0, 0.0, 0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
"""Motion of the first three dofs of a free joint."""


def crosses(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of rows, a tenth of the time of the general function for few."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)).T


class Configuration:
    """Kinematics and inertia of the model `m` in `qpos`.

    Attributes:
        xpos, xquat, xipos, com: of bodies, in the world; com is that of the subtree.
        anchor: of joints.
        center: (nbody, 3) center of mass of the tree of each body.
        last_dof: (nbody,) the dof nearest to a body of those that move it; -1 if none does.
        axes: (nv, 6) motion of every dof, rotation first, referring to the center of its tree.
    """

    def __init__(self, m: Arrays, qpos: np.ndarray):
        self.m = m
        self.xpos: list[Any] = [(0.0, 0.0, 0.0)]
        self.xquat: list[Quaternion] = [(1.0, 0.0, 0.0, 0.0)]
        self.anchor: list[Any] = []
        self._axis: list[Any] = []
        self._kinematics(qpos.tolist())
        self.xipos = [place(*pose) for pose in zip(self.xpos, self.xquat, m.body_ipos.tolist(), strict=True)]
        self.com = self._subtree_com()
        self._center = [self.com[root] for root in m.body_rootid.tolist()]
        self.center = np.array(self._center)
        ends = [adr + num - 1 for adr, num in zip(m.body_dofadr.tolist(), m.body_dofnum.tolist(), strict=True)]
        self.last_dof = np.array([ends[weld] if weld else -1 for weld in m.body_weldid.tolist()])
        self.axes = self._axes()
        self._chains: dict[int, np.ndarray] = {-1: np.zeros(0, int)}

    # --- kinematics ---

    def _kinematics(self, qpos: list[float]) -> None:
        """Poses of bodies, anchors and axes of joints (Computation chapter, "Forward kinematics")."""
        m = self.m
        poses = zip(m.listed("body_parentid"), m.body_pos.tolist(), rows(m.body_quat), strict=True)
        adr, num = m.body_jntadr.tolist(), m.body_jntnum.tolist()
        kinds, addresses = m.listed("jnt_type"), m.jnt_qposadr.tolist()
        points, axes, reference = m.jnt_pos.tolist(), m.jnt_axis.tolist(), m.qpos0.tolist()
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
        mass, parent = self.m.body_mass.tolist(), self.m.listed("body_parentid")
        moment = [[own * x, own * y, own * z] for own, (x, y, z) in zip(mass, self.xipos, strict=True)]
        for body in range(len(mass) - 1, 0, -1):
            above, (x, y, z) = moment[parent[body]], moment[body]
            above[0] += x
            above[1] += y
            above[2] += z
            mass[parent[body]] += mass[body]
        return [
            (x / total, y / total, z / total) if total > mjMINVAL else own
            for (x, y, z), total, own in zip(moment, mass, self.xipos, strict=True)
        ]

    def _axes(self) -> np.ndarray:
        """Motion of every dof."""
        found: list[tuple[float, ...]] = []
        joints = zip(self.m.listed("jnt_type"), self.m.listed("jnt_bodyid"), self.anchor, self._axis, strict=True)
        for kind, body, anchor, axis in joints:
            if kind == FREE:
                found += TRANSLATIONS
            if kind == SLIDE:
                found.append((0.0, 0.0, 0.0, *axis))
                continue
            arm = minus(self._center[body], anchor)
            if kind in (FREE, BALL):
                matrix = quat_to_mat(self.xquat[body])
                turns: Any = [matrix[i::3] for i in range(3)]
            else:
                turns = [axis]
            found += [(*turn, *cross(turn, arm)) for turn in turns]
        return np.array(found, float).reshape(-1, 6)

    # --- inertia ---

    @cached_property
    def inertia(self) -> np.ndarray:
        """(nbody, 6, 6) spatial inertia of every body."""
        m = self.m
        turns = [mul_quat(*pair) for pair in zip(self.xquat, rows(m.body_iquat), strict=True)]
        frames = np.array([quat_to_mat(turn) for turn in turns]).reshape(-1, 3, 3)
        mass = m.body_mass[:, None, None]
        offset = np.array(self.xipos) - self.center
        skew = np.zeros((m.nbody, 3, 3))
        skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -offset[:, 2], offset[:, 1], -offset[:, 0]
        skew -= skew.transpose(0, 2, 1)
        inertia = np.zeros((m.nbody, 6, 6))
        inertia[:, :3, :3] = (frames * m.body_inertia[:, None, :]) @ frames.transpose(0, 2, 1)
        inertia[:, :3, :3] += mass * (skew @ skew.transpose(0, 2, 1))
        inertia[:, :3, 3:] = mass * skew
        inertia[:, 3:, :3] = -inertia[:, :3, 3:]
        inertia[:, (3, 4, 5), (3, 4, 5)] = m.body_mass[:, None]
        return inertia

    @cached_property
    def _force(self) -> np.ndarray:
        """(nv, 6) spatial force that accelerates what a dof moves (composite rigid bodies, Featherstone 2008, 6.2)."""
        composite = self.inertia.copy()
        parents = self.m.listed("body_parentid")
        for body in range(self.m.nbody - 1, 0, -1):
            if parents[body]:
                composite[parents[body]] += composite[body]
        force: np.ndarray = (composite[self.m.dof_bodyid] @ self.axes[:, :, None])[:, :, 0]
        return force

    def diagonal(self) -> np.ndarray:
        """(nv,) diagonal of the inertia matrix with the armature of joints."""
        result: np.ndarray = (self._force * self.axes).sum(axis=1) + self.m.dof_armature
        return result

    def M(self) -> np.ndarray:
        """(nv, nv) inertia matrix with the armature of joints."""
        if not self.m.nv:
            return np.zeros((0, 0))
        # ancestors come first, so that this is a lower triangle
        lower = np.where(self.ancestors, self._force @ self.axes.T, 0.0)
        inertia: np.ndarray = lower + lower.T
        np.fill_diagonal(inertia, lower.diagonal() + self.m.dof_armature)
        return inertia

    # --- the tree of dofs ---

    @cached_property
    def levels(self) -> list[np.ndarray]:
        """Dofs by their depth in the tree, those of the same depth ascending."""
        depth: list[int] = []
        for parent in self.m.dof_parentid.tolist():
            depth.append(depth[parent] + 1 if parent >= 0 else 0)
        order = np.argsort(depth, kind="stable")
        return np.split(order, np.cumsum(np.bincount(depth))[:-1]) if depth else []

    def chain(self, dof: int) -> np.ndarray:
        """A dof and those above it, ascending; none for -1."""
        known = self._chains.get(dof)
        if known is None:
            above, parents = [dof], self.m.dof_parentid
            while (dof := int(parents[dof])) >= 0:
                above.append(dof)
            known = self._chains[above[0]] = np.array(above[::-1])
        return known

    @cached_property
    def ancestors(self) -> np.ndarray:
        """(nv, nv) True where the column is the row's dof or an ancestor of it."""
        ancestors = np.eye(self.m.nv, dtype=bool)
        for i, parent in enumerate(self.m.listed("dof_parentid")):
            if parent >= 0:
                ancestors[i] |= ancestors[parent]
        return ancestors

    def trees(self) -> list[slice]:
        """Dofs that are connected by inertia: those of a tree."""
        nv, ids = self.m.nv, self.m.dof_treeid.tolist()
        starts = [i for i in range(nv) if i == 0 or ids[i] != ids[i - 1]]
        return [slice(a, b) for a, b in pairwise([*starts, nv])]

    # --- forces on points ---

    def generalized(self, bodies: Any, points: Any, forces: Any, torques: Any = 0.0) -> tuple[np.ndarray, ...]:
        """Generalized forces of forces, and torques, on `bodies` at `points`, all in the world's frame.

        Returns:
            Which force, which dof, and the number, for every dof that moves its body.
        """
        bodies, forces = np.asarray(bodies, int), np.asarray(forces, float)
        torque = crosses(np.asarray(points, float) - self.center[bodies], forces) + torques
        wrench = np.concatenate((torque, forces), axis=1)
        chains = [self.chain(dof) for dof in self.last_dof[bodies].tolist()]
        force, dof = np.repeat(np.arange(len(bodies)), [len(chain) for chain in chains]), np.concatenate(chains)
        return force, dof, (wrench[force] * self.axes[dof]).sum(axis=1)

    # --- what is attached to bodies ---

    def pose(self, prefix: str, element: int) -> tuple[Any, Quaternion]:
        """Position and orientation of a geom, site or camera in the world; `prefix` is the first word of its fields."""
        m = self.m
        body = m.listed(prefix + "_bodyid")[element]
        pos, quat = m.listed(prefix + "_pos")[element], m.listed(prefix + "_quat")[element]
        turn = unit_quat(mul_quat(self.xquat[body], quat))
        return place(self.xpos[body], self.xquat[body], pos), turn

    @cached_property
    def site_xpos(self) -> list[Any]:
        """Positions of all sites in the world."""
        sites = zip(self.m.listed("site_bodyid"), self.m.site_pos.tolist(), strict=True)
        return [place(self.xpos[body], self.xquat[body], pos) for body, pos in sites]
