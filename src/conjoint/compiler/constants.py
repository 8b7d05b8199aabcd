"""Constants that need the dynamics of the initial configuration: inverse inertias, lengths, poses of views.

They depend on the other fields of a model alone, and are set again when a user has changed those (mj_setConst).
Computation chapter, "Constraint model", on the approximate diagonal of the inverse inertia.
"""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from conjoint.compiler.arms import Arms
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.equality import CONNECT, WELD
from conjoint.compiler.flex.constants import edge_constants
from conjoint.compiler.inverse import FEW, ArticulatedInverse, DenseInverse, Inverse, responses
from conjoint.compiler.joint import BALL, FREE
from conjoint.compiler.moment import actuator_lengths
from conjoint.compiler.path import tendon_lengths
from conjoint.compiler.statistics import statistics
from conjoint.compiler.tree import ONLY_SLIDES
from conjoint.lang.layout import Buffer
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtObj
from conjoint.spec.rotation import conj_quat, minus, mul_quat, place, quat_to_mat, rotate, unit_quat


def update_constants(buffer: Buffer) -> None:
    """Set again what follows from other fields of a compiled model: fields ending in 0, masses of subtrees, stat."""
    m = Arrays(buffer)
    subtree = m.body_mass.copy()
    for body in range(m.nbody - 1, 0, -1):
        subtree[m.body_parentid[body]] += subtree[body]
    m.body_subtreemass[:] = subtree
    for name, value in statistics(m, *set_constants(m)).items():
        buffer.view("stat." + name)[...] = value


def set_constants(m: Arrays) -> tuple[Configuration, np.ndarray]:
    """Write every field that depends on the initial configuration, except the statistics.

    Returns:
        The initial configuration, and the diagonal of its inertia matrix with the armature of joints and tendons.
    """
    at = Configuration(m, m.qpos0)
    lengths, arms = tendon_lengths(m, at, m.qpos0)
    if m.nv:
        m.dof_M0[:] = at.diagonal()
    diagonal, inverse = _inverse(m, at, arms)
    m.body_invweight0[...] = 0.0
    if m.nv:
        _dof_weights(m, inverse.diagonal)
        _body_weights(m, at, inverse)
    if m.ntendon:
        m.tendon_length0[:] = lengths
        m.tendon_invweight0[:] = responses(inverse, at, arms)[:, 0]
        _spring_lengths(m, lengths)
    if m.nu:
        m.actuator_length0[:], moments = actuator_lengths(m, at, lengths, arms)
        m.actuator_acc0[:] = responses(inverse, at, moments)[:, 1]
        _damping_ratios(m, moments)
    if m.nflex:
        edge_constants(m, at, inverse)
    if m.neq:
        _equalities(m, at)
    for prefix, count in (("cam", m.ncam), ("light", m.nlight)):
        if count:
            _views(m, at, prefix)
    return at, diagonal


def _inverse(m: Arrays, at: Configuration, arms: Arms) -> tuple[np.ndarray, Inverse]:
    """Diagonal of the inertia matrix with the armature of joints and tendons, and its inverse."""
    if m.ntendon and m.tendon_armature.any():
        inertia = _coupled(m, at, arms)
        return np.diag(inertia), DenseInverse(at, inertia)
    return m.dof_M0, DenseInverse(at, at.M()) if m.nv <= FEW else ArticulatedInverse(at)


def _coupled(m: Arrays, at: Configuration, arms: Arms) -> np.ndarray:
    """(nv, nv) inertia matrix with the armature of joints and tendons."""
    matrix = arms.dense(m.nv)
    added = matrix.T @ (m.tendon_armature[:, None] * matrix)
    # only between dofs of one branch, as in the sparse matrix of the engine
    return at.M() + np.where(at.ancestors | at.ancestors.T, added, 0.0)


def _dof_weights(m: Arrays, diagonal: np.ndarray) -> None:
    """dof_invweight0: diagonal of the inverse, equal for the dofs of a rotation or a free translation."""
    weight = diagonal.copy()
    kinds = m.listed("jnt_type")
    if FREE in kinds or BALL in kinds:
        free, ball = m.jnt_dofadr[m.jnt_type == FREE], m.jnt_dofadr[m.jnt_type == BALL]
        three = np.concatenate((free, free + 3, ball))[:, None] + np.arange(3)
        weight[three] = weight[three].mean(axis=1, keepdims=True)
    for body in _sliding(m):
        start = m.body_dofadr[body]
        weight[start : start + m.body_dofnum[body]] = 1 / m.body_mass[body]
    m.dof_invweight0[:] = weight


def _body_weights(m: Arrays, at: Configuration, inverse: Inverse) -> None:
    """body_invweight0: mean diagonal of J inv(M) J', translation and rotation; 0 for what is welded to the world."""
    result = m.body_invweight0
    moving = np.flatnonzero(m.body_weldid)
    of_body = inverse.mobility(at.last_dof[moving])
    turning, moved, both = of_body[:, :3, :3], of_body[:, 3:, 3:], of_body[:, :3, 3:]
    # the center of mass moves by v + w x r: the trace of X W X' with X = (-[r], 1), term by term
    r = np.array(at.xipos)[moving] - at.center[moving]
    trace = np.trace(turning, axis1=1, axis2=2)
    crossed = both[:, (1, 2, 0), (2, 0, 1)] - both[:, (2, 0, 1), (1, 2, 0)]
    swept = trace * (r * r).sum(axis=1) - (r * (turning @ r[:, :, None])[:, :, 0]).sum(axis=1)
    result[moving, 0] = (np.trace(moved, axis1=1, axis2=2) + swept - 2 * (crossed * r).sum(axis=1)) / 3
    result[moving, 1] = trace / 3
    for body in _sliding(m):
        result[body] = 1 / m.body_mass[body], 0.0


def _sliding(m: Arrays) -> list[int]:
    """Bodies whose inertia is their mass."""
    return [body for body, simple in enumerate(m.listed("body_simple")) if simple == ONLY_SLIDES]


def _spring_lengths(m: Arrays, lengths: np.ndarray) -> None:
    """Lengths at rest of tendons that do not give them: those in qpos_spring."""
    spring = m.tendon_lengthspring
    resting = (spring[:, 0] == -1) & (spring[:, 1] == -1)
    if resting.any():
        if not np.array_equal(m.qpos0, m.qpos_spring):
            lengths, _ = tendon_lengths(m, Configuration(m, m.qpos_spring), m.qpos_spring)
        spring[resting] = lengths[resting, None]


def _damping_ratios(m: Arrays, moments: Arms) -> None:
    """Damping of position actuators that is given as a ratio: a positive biasprm[2]."""
    gain, bias = m.actuator_gainprm, m.actuator_biasprm
    for u in np.flatnonzero((gain[:, 0] == -bias[:, 1]) & (bias[:, 2] > 0)):
        # critical damping of the inertia seen through the transmission, times the ratio
        dofs, arms = moments.of(int(u))
        seen = arms**2 > mjMINVAL
        stiffness = gain[u, 0] * (m.dof_M0[dofs[seen]] / arms[seen] ** 2).sum()
        # of a negative gain there is none, as in the official compiler
        bias[u, 2] = -bias[u, 2] * 2 * sqrt(stiffness) if stiffness >= 0 else nan


def _equalities(m: Arrays, at: Configuration) -> None:
    """What connect and weld keep is what holds in the initial configuration, except where it is given."""
    for e in np.flatnonzero(m.eq_objtype == mjtObj.mjOBJ_BODY):
        first, second, data = m.eq_obj1id[e], m.eq_obj2id[e], m.eq_data[e]
        pos, quat = at.xpos[first], at.xquat[first]
        if m.eq_type[e] == CONNECT:
            # the anchor of the first body, in the second
            anchor = place(pos, quat, data[:3].tolist())
            offset = [a - b for a, b in zip(anchor, at.xpos[second], strict=True)]
            data[3:6] = rotate(conj_quat(at.xquat[second]), offset)
        elif m.eq_type[e] == WELD and data[6:10].any():
            data[6:10] = unit_quat(data[6:10].tolist())
        elif m.eq_type[e] == WELD:
            # the anchor of the second body, in the first, and the rotation between them
            anchor = place(at.xpos[second], at.xquat[second], data[:3].tolist())
            data[3:6] = rotate(conj_quat(quat), [a - b for a, b in zip(anchor, pos, strict=True)])
            data[6:10] = mul_quat(conj_quat(quat), at.xquat[second])


def _views(m: Arrays, at: Configuration, prefix: str) -> None:
    """Cameras or lights in the initial configuration, relative to their body and to its subtree's center."""
    pos0, poscom0 = [], []
    columns = [m.listed(f"{prefix}_{name}") for name in ("bodyid", "targetbodyid", "pos")]
    for body, target, pos in zip(*columns, strict=True):
        here = place(at.xpos[body], at.xquat[body], pos)
        pos0.append(minus(here, at.xpos[body]))
        poscom0.append(minus(here, at.com[body if target < 0 else target]))
    getattr(m, prefix + "_pos0")[:], getattr(m, prefix + "_poscom0")[:] = pos0, poscom0
    if prefix == "cam":
        m.cam_mat0[:] = [quat_to_mat(at.pose("cam", i)[1]) for i in range(m.ncam)]
    else:
        directions = zip(m.listed("light_bodyid"), m.light_dir.tolist(), strict=True)
        m.light_dir0[:] = [rotate(at.xquat[body], direction) for body, direction in directions]


def set_springdampers(joints: list, m: Arrays) -> None:
    """Stiffness and damping of joints that give a time constant and a damping ratio instead."""
    for joint in joints:
        timeconst, ratio = joint.springdamper
        if timeconst > 0 and ratio > 0:
            start = m.jnt_dofadr[joint.id]
            dofs = slice(start, start + {FREE: 6, BALL: 3}.get(joint.type, 1))
            inertia = 1 / max(mjMINVAL, m.dof_invweight0[dofs].mean())
            m.jnt_stiffness[joint.id] = inertia / max(mjMINVAL, timeconst * timeconst * ratio * ratio)
            m.dof_damping[dofs] = 2 * inertia / max(mjMINVAL, timeconst)
