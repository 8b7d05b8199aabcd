"""Constants that need the dynamics of the initial configuration: inverse inertias, lengths, poses of views.

They depend on the other fields of a model alone, and are set again when a user has changed those (mj_setConst).
Computation chapter, "Constraint model", on the approximate diagonal of the inverse inertia.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from conjoint.compiler.arrays import Arrays, rows
from conjoint.compiler.configuration import MINVAL, Configuration
from conjoint.compiler.equality import CONNECT, WELD
from conjoint.compiler.flex.constants import edge_constants
from conjoint.compiler.joint import BALL, FREE
from conjoint.compiler.moment import actuator_lengths
from conjoint.compiler.path import tendon_lengths
from conjoint.compiler.statistics import statistics
from conjoint.lang.layout import Buffer
from conjoint.schema.enums import mjtObj
from conjoint.spec.rotation import conj_quat, mul_quat, place, quat_to_mat, rotate, unit_quat

ONLY_SLIDES = 2
"""body_simple of a body whose inertia is its mass."""


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
        The initial configuration, and the inertia matrix in it with the armature of joints and tendons.
    """
    at = Configuration(m, m.qpos0)
    lengths, arms = tendon_lengths(m, at, m.qpos0)
    m.dof_M0[:] = np.diag(at.M)
    inertia = at.M
    if m.tendon_armature.any():
        # only between dofs of one branch, as in the sparse matrix of the engine
        added = arms.T @ (m.tendon_armature[:, None] * arms)
        inertia = inertia + np.where(at.ancestors | at.ancestors.T, added, 0.0)
    inverse = _inverse(at, inertia)
    _dof_weights(m, inverse)
    _body_weights(m, at, inverse)
    m.tendon_length0[:] = lengths
    m.tendon_invweight0[:] = (_times_inverse(at, arms, inverse) * arms).sum(axis=1)
    _spring_lengths(m, lengths)
    m.actuator_length0[:], moments = actuator_lengths(m, at, lengths, arms)
    m.actuator_acc0[:] = np.sqrt((_times_inverse(at, moments, inverse) ** 2).sum(axis=1))
    _damping_ratios(m, moments)
    edge_constants(m, at, inverse)
    _equalities(m, at)
    _views(m, at)
    return at, inertia


def _inverse(at: Configuration, inertia: np.ndarray) -> np.ndarray:
    """Inverse of the inertia matrix, block by block; NaN where it does not exist (parallel joints without armature)."""
    inverse = np.zeros_like(inertia)
    for block in at.blocks():
        try:
            inverse[block, block] = np.linalg.inv(inertia[block, block])
        except np.linalg.LinAlgError:
            inverse[block, block] = np.nan
    return inverse


def _times_inverse(at: Configuration, rows_of: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """`rows_of` times the inverse, tree by tree: most rows touch one tree of many."""
    product = np.zeros_like(rows_of)
    for block in at.blocks():
        touching = np.flatnonzero(rows_of[:, block].any(axis=1))
        if len(touching):
            product[touching, block] = rows_of[touching, block] @ inverse[block, block]
    return product


def _dof_weights(m: Arrays, inverse: np.ndarray) -> None:
    """dof_invweight0: diagonal of the inverse, equal for the dofs of a rotation or a free translation."""
    weight = np.diag(inverse).copy()
    for kind, start in zip(m.jnt_type.tolist(), m.jnt_dofadr.tolist(), strict=True):
        if kind == FREE:
            weight[start : start + 3] = weight[start : start + 3].mean()
            start += 3
        if kind in (FREE, BALL):
            weight[start : start + 3] = weight[start : start + 3].mean()
    for body in np.flatnonzero(m.body_simple == ONLY_SLIDES):
        start = m.body_dofadr[body]
        weight[start : start + m.body_dofnum[body]] = 1 / m.body_mass[body]
    m.dof_invweight0[:] = weight


def _body_weights(m: Arrays, at: Configuration, inverse: np.ndarray) -> None:
    """body_invweight0: mean diagonal of J inv(M) J', translation and rotation; 0 for what is welded to the world."""
    result = m.body_invweight0
    result[...] = 0.0
    moving = np.flatnonzero(m.body_weldid)
    for block in at.blocks():
        bodies = moving[m.body_treeid[moving] == m.dof_treeid[block.start]]
        if len(bodies):
            jacobian = at.jacobian(bodies, block)
            diagonal = ((jacobian @ inverse[block, block]) * jacobian).sum(axis=2)
            result[bodies, 0] = diagonal[:, :3].mean(axis=1)
            result[bodies, 1] = diagonal[:, 3:].mean(axis=1)
    for body in np.flatnonzero(m.body_simple == ONLY_SLIDES):
        result[body] = 1 / m.body_mass[body], 0.0


def _spring_lengths(m: Arrays, lengths: np.ndarray) -> None:
    """Lengths at rest of tendons that do not give them: those in qpos_spring."""
    spring = m.tendon_lengthspring
    resting = (spring[:, 0] == -1) & (spring[:, 1] == -1)
    if resting.any():
        if not np.array_equal(m.qpos0, m.qpos_spring):
            lengths, _ = tendon_lengths(m, Configuration(m, m.qpos_spring), m.qpos_spring)
        spring[resting] = lengths[resting, None]


def _damping_ratios(m: Arrays, moments: np.ndarray) -> None:
    """Damping of position actuators that is given as a ratio: a positive biasprm[2]."""
    gain, bias = m.actuator_gainprm, m.actuator_biasprm
    for u in np.flatnonzero((gain[:, 0] == -bias[:, 1]) & (bias[:, 2] > 0)):
        # critical damping of the inertia seen through the transmission, times the ratio
        arms = moments[u] ** 2
        seen = arms > MINVAL
        bias[u, 2] = -bias[u, 2] * 2 * sqrt(gain[u, 0] * (m.dof_M0[seen] / arms[seen]).sum())


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


def _views(m: Arrays, at: Configuration) -> None:
    """Cameras and lights in the initial configuration, relative to their body and to its subtree's center."""
    for prefix in ("cam", "light"):
        bodies, targets, points = (getattr(m, f"{prefix}_{name}") for name in ("bodyid", "targetbodyid", "pos"))
        for i, (body, target, pos) in enumerate(zip(bodies.tolist(), targets.tolist(), rows(points), strict=True)):
            here = np.array(place(at.xpos[body], at.xquat[body], pos))
            getattr(m, prefix + "_pos0")[i] = here - at.xpos[body]
            getattr(m, prefix + "_poscom0")[i] = here - at.com[body if target < 0 else target]
            if prefix == "cam":
                m.cam_mat0[i] = quat_to_mat(at.pose("cam", i)[1])
            else:
                m.light_dir0[i] = rotate(at.xquat[body], m.light_dir[i].tolist())


def set_springdampers(joints: list, m: Arrays) -> None:
    """Stiffness and damping of joints that give a time constant and a damping ratio instead."""
    for joint in joints:
        timeconst, ratio = joint.springdamper
        if timeconst > 0 and ratio > 0:
            start = m.jnt_dofadr[joint.id]
            dofs = slice(start, start + {FREE: 6, BALL: 3}.get(joint.type, 1))
            inertia = 1 / max(MINVAL, m.dof_invweight0[dofs].mean())
            m.jnt_stiffness[joint.id] = inertia / max(MINVAL, timeconst**2 * ratio**2)
            m.dof_damping[dofs] = 2 * inertia / max(MINVAL, timeconst)
