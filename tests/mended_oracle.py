"""MuJoCo's steps, derivatives and contacts, with corrections of errors in version 3.3.5.

The errors, with the versions that corrected them in parentheses: MuJoCo differentiates actuator forces at a
limit (3.5 and 4.0). It omits gyroscopic derivatives of standalone free bodies under `implicitfast` (3.11). It reverses the
sign of D in centered differences (by 4.0). For boxes separated along a face normal it reports half the distance (4.0).
"""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np

JOINTS = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
IMPLICIT = (mujoco.mjtIntegrator.mjINT_IMPLICIT, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)


def mended_step(model: Any, data: Any) -> None:
    """Run `mj_step`, and correct implicit integration for saturated actuators and for standalone free bodies.

    Saturated actuators apply a constant force. Standalone free bodies are integrated by `implicit`, even under `implicitfast`.
    """
    if model.opt.integrator not in IMPLICIT:
        mujoco.mj_step(model, data)
        return
    frozen = with_saturated_constant(model, data)
    twin = copy.copy(data)
    mujoco.mj_step(frozen, data)
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST:
        frozen.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICIT
        mujoco.mj_step(frozen, twin)
        for j in standalone_joints(model):
            q, i = model.jnt_qposadr[j], model.jnt_dofadr[j]
            data.qpos[q : q + 7], data.qvel[i : i + 6] = twin.qpos[q : q + 7], twin.qvel[i : i + 6]


def mended_inverse(model: Any, data: Any) -> None:
    """Run `mj_inverse`; under `implicitfast`, use the forces of `implicit` for standalone free bodies."""
    mujoco.mj_inverse(model, data)
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST:
        twin, other = copy.copy(data), copy.copy(model)
        other.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICIT
        mujoco.mj_inverse(other, twin)
        for j in standalone_joints(model):
            i = model.jnt_dofadr[j]
            data.qfrc_inverse[i : i + 6] = twin.qfrc_inverse[i : i + 6]


def standalone_joints(model: Any) -> list[int]:
    """Return the free joints whose trees have no other joints."""
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return [int(j) for j in free if np.sum(model.dof_treeid == model.dof_treeid[model.jnt_dofadr[j]]) == 6]


def with_saturated_constant(model: Any, data: Any) -> Any:
    """Return a copy of a model in which saturated actuators have constant force, independent of velocity."""
    probe, frozen = copy.copy(data), copy.copy(model)
    mujoco.mj_forward(model, probe)
    force = probe.actuator_force
    of_tendon = np.zeros(max(model.ntendon, 1))
    unclamped = copy.copy(model)
    unclamped.tendon_actfrclimited[:] = 0
    unclamped.actuator_forcelimited[:] = 0
    before = copy.copy(data)
    mujoco.mj_forward(unclamped, before)
    for u in range(model.nu):
        if model.actuator_trntype[u] == mujoco.mjtTrn.mjTRN_TENDON:
            of_tendon[model.actuator_trnid[u, 0]] += before.actuator_force[u]
    for u in range(model.nu):
        kind, target = model.actuator_trntype[u], model.actuator_trnid[u, 0]
        saturated = bool(model.actuator_forcelimited[u]) and at_end(force[u], model.actuator_forcerange[u])
        if kind == mujoco.mjtTrn.mjTRN_TENDON and model.tendon_actfrclimited[target]:
            saturated |= at_end(of_tendon[target], model.tendon_actfrcrange[target])
        if kind in JOINTS and model.jnt_actfrclimited[target]:
            saturated |= at_end(probe.qfrc_actuator[model.jnt_dofadr[target]], model.jnt_actfrcrange[target])
        if saturated:
            frozen.actuator_gaintype[u] = mujoco.mjtGain.mjGAIN_FIXED
            frozen.actuator_biastype[u] = mujoco.mjtBias.mjBIAS_AFFINE
            frozen.actuator_gainprm[u], frozen.actuator_biasprm[u] = 0, 0
            frozen.actuator_biasprm[u, 0] = force[u]
    frozen.tendon_actfrclimited[:] = 0
    return frozen


def at_end(x: float, span: np.ndarray) -> bool:
    """Return True if x is at or beyond an end of a range."""
    return bool(x <= span[0] or x >= span[1])


def mended_slopes(model: Any, data: Any, matrices: list[np.ndarray], centered: int, eps: float = 1e-6) -> None:
    """Correct the matrices of `mjd_transitionFD`: the sign of D, and rows of standalone free bodies under `implicitfast`."""
    low, high = model.actuator_ctrlrange.T
    both = (low <= data.ctrl - eps) & (data.ctrl + eps <= high) | (model.actuator_ctrllimited == 0)
    if centered:
        matrices[3][:, both] *= -1
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST:
        twin = copy.copy(model)
        twin.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICIT
        A, B = (np.zeros_like(matrix) for matrix in matrices[:2])
        mujoco.mjd_transitionFD(twin, copy.copy(data), eps, centered, A, B, None, None)
        for j in standalone_joints(model):
            dofs = model.jnt_dofadr[j] + np.arange(6)
            rows = np.concatenate([dofs, model.nv + dofs])
            matrices[0][rows], matrices[1][rows] = A[rows], B[rows]


def mended_contacts(model: Any, data: Any) -> None:
    """Correct contact distances of boxes that are separated along a face normal, and compute the constraint rows again."""
    if mend_contact_distances(model, data):
        for contact in data.contact:
            contact.efc_address = -1
        mujoco.mj_makeConstraint(model, data)


def mend_contact_distances(model: Any, data: Any) -> bool:
    """Correct contact distances of boxes that are separated along a face normal; return True if there are any."""
    changed = False
    for contact in data.contact:
        if contact.geom[0] >= 0 and is_half(model, data, contact.geom, contact.dist, contact.pos, contact.frame[:3]):
            contact.dist *= 2
            contact.exclude = max(contact.exclude, int(contact.dist >= contact.includemargin))
            changed = True
    return changed


def mended_distance(model: Any, data: Any, geom1: int, geom2: int, most: float, fromto: np.ndarray) -> float:
    """Return `mj_geomDistance` of MuJoCo, with the legacy collider's distance corrected for separated boxes.

    Along a face normal, the result is the whole distance. If the legacy collider finds a penetration but the native one finds
    a distance, the result is that of the native collider.
    """
    dist = float(mujoco.mj_geomDistance(model, data, geom1, geom2, most, fromto))
    boxes = all(model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX for g in (geom1, geom2))
    if not boxes or not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_NATIVECCD:
        return dist
    way = fromto[3:] - fromto[:3]
    middle = 0.5 * (fromto[:3] + fromto[3:])
    if 0 < dist < most and is_half(model, data, (geom1, geom2), dist, middle, way / np.linalg.norm(way)):
        fromto += 0.5 * np.concatenate([-way, way])
        return 2 * dist
    native, points = copy.copy(model), np.zeros(6)
    native.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    apart = float(mujoco.mj_geomDistance(native, data, geom1, geom2, most, points))
    if dist < 0 < apart:
        fromto[:] = points
        return apart
    return dist


def is_half(model: Any, data: Any, geoms: Any, dist: float, pos: np.ndarray, normal: np.ndarray) -> bool:
    """Return True if the distance between two boxes is only the distance between a face and the midpoint of the boxes."""
    if dist <= 0 or any(model.geom_type[g] != mujoco.mjtGeom.mjGEOM_BOX for g in geoms):
        return False
    for g in geoms:
        frame = data.geom_xmat[g].reshape(3, 3)
        heights = np.abs((pos - data.geom_xpos[g]) @ frame) - model.geom_size[g]
        along = np.abs(normal @ frame) > 1 - 1e-12
        if np.any(np.abs(heights[along] - dist) < 1e-6 * dist):
            return True
    return False
