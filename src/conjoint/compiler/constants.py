"""Constants that need the dynamics of the initial configuration: inverse inertias, lengths, statistics.

The pipeline could compute them, but its stages would have to be compiled to machine code before a model is loaded;
the initial configuration needs no joint rotations and a handful of dense products, which NumPy does in a millisecond.
Notation: c is the center of mass of the tree, which spatial quantities refer to; M the inertia matrix in qpos0
(Computation chapter, "Constraint model", on the approximate diagonal of the inverse inertia).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.compiler.joint import BALL, FREE, HINGE, NV, SLIDE
from conjoint.compiler.relations import JOINT, JOINTINPARENT, TENDON
from conjoint.compiler.rotation import conj_quat, mul_quat, place, quat_to_mat, rotate, unit_quat
from conjoint.compiler.tree import Tree
from conjoint.lang.layout import Buffer

MINVAL = 1e-15
ONLY_SLIDES = 2
"""body_simple of a body whose inertia is its mass."""


class InitialPose:
    """Kinematics and inertia in qpos0.

    Attributes:
        xpos, xquat, xipos, com: of bodies, in the world; com is that of the subtree.
        anchor: of joints.
        axes: (nv, 6) motion of every dof, rotation first, referring to the center of its tree.
        moves: (nbody, nv) True where a dof moves a body.
        M: (nv, nv) inertia matrix, with armature.
    """

    def __init__(self, draft: Draft, tree: Tree):
        self.draft, self.tree = draft, tree
        self.xpos: list[Any] = []
        self.xquat: list[Any] = []
        for body in draft.bodies:
            if body.id == 0:
                self.xpos.append((0.0, 0.0, 0.0))
                self.xquat.append((1.0, 0.0, 0.0, 0.0))
                continue
            pos, quat = self.xpos[body.parentid], self.xquat[body.parentid]
            self.xpos.append(place(pos, quat, body.pos))
            self.xquat.append(unit_quat(mul_quat(quat, body.quat)))
        self.xipos = [place(self.xpos[b.id], self.xquat[b.id], b.ipos) for b in draft.bodies]
        self.anchor = [place(self.xpos[j.bodyid], self.xquat[j.bodyid], j.pos) for j in draft.joints]
        self.com = self._subtree_com()
        self.center = np.array([self.com[body.rootid] for body in draft.bodies])
        self.moves = self._moves()
        self.axes = self._axes()
        self.M = self._inertia()

    def _subtree_com(self) -> list[tuple[float, ...]]:
        """Center of mass of every subtree; the body's own where there is no mass."""
        bodies = self.draft.bodies
        moment = np.array([body.mass for body in bodies])[:, None] * np.array(self.xipos)
        for body in reversed(bodies[1:]):
            moment[body.parentid] += moment[body.id]
        coms = []
        for body in bodies:
            mass = body.subtreemass
            coms.append(tuple(moment[body.id] / mass) if mass > MINVAL else self.xipos[body.id])
        return coms

    def _moves(self) -> np.ndarray:
        """Which dofs move which bodies."""
        moves = np.zeros((len(self.draft.bodies), len(self.tree.dofs)), bool)
        for body in self.draft.bodies[1:]:
            moves[body.id] = moves[body.parentid]
            moves[body.id, body.dofadr : body.dofadr + body.dofnum] = True
        return moves

    def _axes(self) -> np.ndarray:
        """Motion of every dof."""
        rows = []
        for joint in self.draft.joints:
            anchor, quat = np.array(self.anchor[joint.id]), self.xquat[joint.bodyid]
            offset = self.center[joint.bodyid] - anchor
            if joint.type == FREE:
                rows += [(0.0, 0.0, 0.0, *row) for row in np.eye(3)]
            if joint.type in (FREE, BALL):
                columns = np.array(quat_to_mat(quat)).reshape(3, 3).T
                rows += [(*axis, *np.cross(axis, offset)) for axis in columns]
            elif joint.type == SLIDE:
                rows.append((0.0, 0.0, 0.0, *rotate(quat, joint.axis)))
            elif joint.type == HINGE:
                axis = rotate(quat, joint.axis)
                rows.append((*axis, *np.cross(axis, offset)))
        return np.array(rows, float).reshape(-1, 6)

    def _inertia(self) -> np.ndarray:
        """Composite rigid bodies (Featherstone 2008, section 6.2), all rows at once."""
        bodies = self.draft.bodies
        composite = np.zeros((len(bodies), 6, 6))
        frames = np.array([
            quat_to_mat(mul_quat(quat, body.iquat)) for quat, body in zip(self.xquat, bodies, strict=True)
        ]).reshape(-1, 3, 3)  # fmt: skip
        mass = np.array([body.mass for body in bodies])
        about_com = np.einsum("bij,bj,bkj->bik", frames, np.array([body.inertia for body in bodies]), frames)
        offset = np.array(self.xipos) - self.center
        skew = np.zeros((len(bodies), 3, 3))
        skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -offset[:, 2], offset[:, 1], -offset[:, 0]
        skew -= skew.transpose(0, 2, 1)
        composite[:, :3, :3] = about_com + mass[:, None, None] * (skew @ skew.transpose(0, 2, 1))
        composite[:, :3, 3:] = mass[:, None, None] * skew
        composite[:, 3:, :3] = -composite[:, :3, 3:]
        composite[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
        for body in reversed(bodies[1:]):
            if body.parentid:
                composite[body.parentid] += composite[body.id]
        dof_body = [bodyid for bodyid, _ in self.tree.dofs]
        force = np.einsum("iab,ib->ia", composite[dof_body], self.axes)
        lower = np.where(self._ancestors(), force @ self.axes.T, 0.0)
        inertia = np.tril(lower) + np.tril(lower, -1).T
        inertia[np.diag_indices_from(inertia)] += [self.draft.joints[j].armature for _, j in self.tree.dofs]
        return inertia

    def _ancestors(self) -> np.ndarray:
        """(nv, nv) True where the column is the row's dof or an ancestor of it."""
        nv = len(self.tree.dofs)
        ancestors = np.eye(nv, dtype=bool)
        for i, parent in enumerate(self.tree.dof_parentid):
            if parent >= 0:
                ancestors[i] |= ancestors[parent]
        return ancestors

    def blocks(self, coupled: bool) -> list[slice]:
        """Dofs that are connected by inertia: those of a tree, or all if trees are `coupled`."""
        nv = len(self.tree.dofs)
        if coupled or not nv:
            return [slice(0, nv)]
        ids = self.tree.dof_treeid
        starts = [i for i in range(nv) if i == 0 or ids[i] != ids[i - 1]]
        return [slice(a, b) for a, b in zip(starts, [*starts[1:], nv], strict=True)]

    def jacobian(self, bodies: list[int], dofs: slice) -> np.ndarray:
        """(len(bodies), 6, ndof) translation, then rotation, of the centers of mass of `bodies`."""
        axes, moves = self.axes[dofs], self.moves[bodies, dofs, None]
        offset = np.array([self.xipos[b] for b in bodies]) - self.center[bodies]
        angular = np.where(moves, axes[None, :, :3], 0.0)
        linear = np.where(moves, axes[None, :, 3:] + np.cross(axes[None, :, :3], offset[:, None, :]), 0.0)
        return np.concatenate((linear, angular), axis=2).transpose(0, 2, 1)


def set_constants(draft: Draft, tree: Tree, buffer: Buffer) -> InitialPose:
    """Write every field that depends on the initial configuration, except the statistics."""
    pose = InitialPose(draft, tree)
    tendons, moments = _tendon_jacobian(draft), None
    armature = np.array([tendon.armature for tendon in draft.tendons])
    buffer.view("dof_M0")[:] = np.diag(pose.M)
    if armature.any():
        pose.M = pose.M + tendons.T @ (armature[:, None] * tendons)
    inverse = _inverse(pose, bool(armature.any()))
    _dof_weights(draft, inverse, buffer)
    _springdampers(draft, buffer)
    _body_weights(draft, pose, inverse, buffer)
    _tendons(draft, tendons, inverse, buffer)
    moments = _moments(draft, pose, tendons)
    _actuators(draft, pose, moments, inverse, buffer)
    _views(draft, pose, buffer)
    return pose


def _inverse(pose: InitialPose, coupled: bool) -> np.ndarray:
    """Inverse of M, block by block; NaN where it does not exist (parallel joints without armature)."""
    inverse = np.zeros_like(pose.M)
    for block in pose.blocks(coupled):
        try:
            inverse[block, block] = np.linalg.inv(pose.M[block, block])
        except np.linalg.LinAlgError:
            inverse[block, block] = np.nan
    return inverse


def _springdampers(draft: Draft, buffer: Buffer) -> None:
    """Stiffness and damping of joints that give a time constant and a damping ratio instead."""
    weight = buffer.view("dof_invweight0")
    stiffness, damping = buffer.view("jnt_stiffness"), buffer.view("dof_damping")
    for joint in draft.joints:
        timeconst, ratio = joint.springdamper
        if timeconst > 0 and ratio > 0:
            dofs = slice(joint.dofadr, joint.dofadr + NV[joint.type])
            inertia = 1 / max(MINVAL, weight[dofs].mean())
            stiffness[joint.id] = inertia / max(MINVAL, timeconst**2 * ratio**2)
            damping[dofs] = 2 * inertia / max(MINVAL, timeconst)


def _dof_weights(draft: Draft, inverse: np.ndarray, buffer: Buffer) -> None:
    """dof_invweight0: diagonal of the inverse, equal for the dofs of a rotation or a free translation."""
    weight = np.diag(inverse).copy()
    for joint in draft.joints:
        start = joint.dofadr
        if joint.type == FREE:
            weight[start : start + 3] = weight[start : start + 3].mean()
            start += 3
        if joint.type in (FREE, BALL):
            weight[start : start + 3] = weight[start : start + 3].mean()
    for body in draft.bodies:
        if body.simple == ONLY_SLIDES:
            weight[body.dofadr : body.dofadr + body.dofnum] = 1 / body.mass
    buffer.view("dof_invweight0")[:] = weight


def _body_weights(draft: Draft, pose: InitialPose, inverse: np.ndarray, buffer: Buffer) -> None:
    """body_invweight0: mean diagonal of J inv(M) J', translation and rotation; 0 for what is welded to the world."""
    result = buffer.view("body_invweight0")
    trees: dict[int, list[int]] = {}
    for body in draft.bodies[1:]:
        if body.weldid:
            trees.setdefault(body.treeid, []).append(body.id)
    coupled = len(pose.blocks(False)) > 1 and any(tendon.armature for tendon in draft.tendons)
    for block in pose.blocks(coupled):
        for treeid, bodies in trees.items():
            if coupled or pose.tree.dof_treeid[block.start] == treeid:
                jacobian = pose.jacobian(bodies, block)
                diagonal = ((jacobian @ inverse[block, block]) * jacobian).sum(axis=2)
                result[bodies, 0] = diagonal[:, :3].mean(axis=1)
                result[bodies, 1] = diagonal[:, 3:].mean(axis=1)
    for body in draft.bodies:
        if body.simple == ONLY_SLIDES:
            result[body.id] = 1 / body.mass, 0.0


def _tendon_jacobian(draft: Draft) -> np.ndarray:
    """(ntendon, nv) of fixed tendons; of several terms with one joint the last counts, as in the official engine."""
    jacobian = np.zeros((len(draft.tendons), draft.nv))
    for tendon in draft.tendons:
        for wrap in tendon.wraps:
            jacobian[tendon.id, draft.joints[wrap.objid].dofadr] = wrap.coef
    return jacobian


def _tendons(draft: Draft, jacobian: np.ndarray, inverse: np.ndarray, buffer: Buffer) -> None:
    """Initial lengths and inverse inertias of tendons."""
    length = buffer.view("tendon_length0")
    at_rest = np.zeros(len(length))
    for tendon in draft.tendons:
        joints = [(wrap.coef, draft.joints[wrap.objid]) for wrap in tendon.wraps]
        length[tendon.id] = sum(coef * joint.ref for coef, joint in joints)
        at_rest[tendon.id] = sum(coef * joint.springref for coef, joint in joints)
    buffer.view("tendon_invweight0")[:] = ((jacobian @ inverse) * jacobian).sum(axis=1)
    spring = buffer.view("tendon_lengthspring")
    resting = (spring[:, 0] == -1) & (spring[:, 1] == -1)
    spring[resting] = at_rest[resting, None]


def _moments(draft: Draft, pose: InitialPose, tendons: np.ndarray) -> np.ndarray:
    """(nu, nv) moment arms of actuators."""
    moments = np.zeros((len(draft.actuators), draft.nv))
    for actuator in draft.actuators:
        gear, target = actuator.gear, actuator.trnid[0]
        if actuator.trntype == TENDON:
            moments[actuator.id] = gear[0] * tendons[target]
            continue
        joint = draft.joints[target]
        start = joint.dofadr
        if joint.type in (SLIDE, HINGE):
            moments[actuator.id, start] = gear[0]
        elif joint.type == BALL:
            moments[actuator.id, start : start + 3] = gear[:3]
        else:
            turn = gear[3:]
            if actuator.trntype == JOINTINPARENT:
                turn = rotate(conj_quat(pose.xquat[joint.bodyid]), turn)
            moments[actuator.id, start : start + 6] = (*gear[:3], *turn)
    return moments


def _actuators(draft: Draft, pose: InitialPose, moments: np.ndarray, inverse: np.ndarray, buffer: Buffer) -> None:
    """Initial lengths, accelerations by a unit force, and dampings given as ratios."""
    if not draft.actuators:
        return
    length, tendon_length = buffer.view("actuator_length0"), buffer.view("tendon_length0")
    bias = buffer.view("actuator_biasprm")
    diagonal = buffer.view("dof_M0")
    for actuator in draft.actuators:
        target = actuator.trnid[0]
        if actuator.trntype == TENDON:
            length[actuator.id] = tendon_length[target] * actuator.gear[0]
        elif actuator.trntype in (JOINT, JOINTINPARENT) and draft.joints[target].type in (SLIDE, HINGE):
            length[actuator.id] = draft.joints[target].ref * actuator.gear[0]
        kp, ratio = actuator.gainprm[0], actuator.biasprm[2]
        if kp == -actuator.biasprm[1] and ratio > 0:
            # critical damping of the inertia seen through the transmission, times the ratio
            arms = moments[actuator.id] ** 2
            seen = arms > MINVAL
            bias[actuator.id, 2] = -ratio * 2 * sqrt(kp * (diagonal[seen] / arms[seen]).sum())
    buffer.view("actuator_acc0")[:] = np.sqrt(((moments @ inverse) ** 2).sum(axis=1))


def _views(draft: Draft, pose: InitialPose, buffer: Buffer) -> None:
    """Cameras and lights in the initial configuration, relative to their body and to its subtree's center."""
    for prefix, elements in (("cam", draft.cameras), ("light", draft.lights)):
        for element in elements:
            body, target = element.bodyid, element.targetbodyid
            pos = np.array(place(pose.xpos[body], pose.xquat[body], element.pos))
            buffer.view(prefix + "_pos0")[element.id] = pos - pose.xpos[body]
            buffer.view(prefix + "_poscom0")[element.id] = pos - pose.com[body if target < 0 else target]
            if prefix == "cam":
                buffer.view("cam_mat0")[element.id] = quat_to_mat(unit_quat(mul_quat(pose.xquat[body], element.quat)))
            else:
                buffer.view("light_dir0")[element.id] = rotate(pose.xquat[body], element.dir)
