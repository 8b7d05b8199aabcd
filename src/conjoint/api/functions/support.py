"""Forces, velocities and poses of objects, positions, and properties of a model (API reference, Support functions)."""

from types import SimpleNamespace
from typing import Annotated

import numpy as np

from conjoint.api.arguments import (
    OutVector,
    OutVector3,
    OutVector6,
    OutVector9,
    Vector,
    Vector3,
    Vector4,
    checked,
    require,
)
from conjoint.api.functions.jacobian import moving_dofs, point_columns
from conjoint.api.mju.quaternions import shift_spatial
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.option import MjOption, MjVisual
from conjoint.api.objects.struct import set_defaults
from conjoint.lang import FatalError, PlainStruct, algebra
from conjoint.lang.plain import PlainField
from conjoint.physics.integrate import differentiate_pos, integrate_pos, normalize_qpos
from conjoint.schema.constants import mjMINVAL, mjVERSION_HEADER
from conjoint.schema.enums import mjtCone, mjtConstraint, mjtJacobian, mjtObj, mjtSameFrame, mjtSolver

SPARSE_SIZE = 60
"""Number of dofs from which the Jacobian is sparse if the option is automatic."""


# objects


@checked
def mj_objectVelocity(
    m: MjModel, d: MjData, objtype: Annotated[int, mjtObj], objid: int, res: OutVector6, flg_local: int
) -> None:
    """res := the velocity of an object, rotation (rad/s) before translation (m/s).

    Args:
        m: the model.
        d: the world, after `mj_comVel`.
        objtype: type of the object (mjtObj): body (at its centre of mass), xbody, geom, site or camera.
        objid: its id.
        res: receives the velocity.
        flg_local: whether in the axes of the object, not of the world.

    Raises:
        FatalError: objects of this type have no velocity, or there is no such object.
    """
    body, pos, frame = _object_pose(m, d, "mj_objectVelocity", objtype, objid)
    turn, move = _velocity_at(m, d, body, pos)
    res[:] = np.concatenate([frame.T @ turn, frame.T @ move] if flg_local else [turn, move])


@checked
def mj_objectAcceleration(
    m: MjModel, d: MjData, objtype: Annotated[int, mjtObj], objid: int, res: OutVector6, flg_local: int
) -> None:
    """res := the acceleration of an object, gravity as felt, after `mj_rnePostConstraint`; see `mj_objectVelocity`."""
    body, pos, frame = _object_pose(m, d, "mj_objectAcceleration", objtype, objid)
    offset = pos - d.subtree_com[m.body_rootid[body]]
    angular, linear = shift_spatial(d.cacc[body], False, offset)
    # com-based accelerations are of the point fixed in space: add the motion of the body's point through it
    linear += np.cross(*_velocity_at(m, d, body, pos))
    res[:] = np.concatenate([frame.T @ angular, frame.T @ linear] if flg_local else [angular, linear])


@checked
def mj_contactForce(m: MjModel, d: MjData, id: int, result: OutVector6) -> None:
    """result := force (N) and torque (N m) of a contact on its second geom, in its frame; zero if there is none."""
    result[:] = 0.0
    if not 0 <= id < d.ncon or d.contact[id].efc_address < 0:
        return
    contact = d.contact[id]
    row, dim = contact.efc_address, contact.dim
    if d.efc_type[row] == mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL:
        edges = d.efc_force[row : row + 2 * (dim - 1)]
        result[0] = edges.sum()
        result[1:dim] = (edges[0::2] - edges[1::2]) * contact.friction[: dim - 1]
    else:
        result[:dim] = d.efc_force[row : row + dim]


@checked
def mj_applyFT(
    m: MjModel, d: MjData, force: Vector3, torque: Vector3, point: Vector3, body: int, qfrc_target: OutVector
) -> None:
    """Add the generalized force of a force (N) and torque (N m), applied to a body at a point, to qfrc_target."""
    require(len(qfrc_target) == m.nv, "qfrc_target should be of size nv")
    if not 0 <= body < m.nbody:
        raise FatalError(f"mj_applyFT: invalid body {body}")
    dofs = moving_dofs(m, body)
    qfrc_target[dofs] += force @ point_columns(m, d, body, point, dofs) + d.cdof[dofs, :3] @ torque


@checked
def mj_local2Global(
    d: MjData, xpos: OutVector3, xmat: OutVector9, pos: Vector3, quat: Vector4, body: int, sameframe: int
) -> None:
    """Pose fixed to a body, in global coordinates.

    Args:
        d: the world, after `mj_kinematics`.
        xpos: receives the position.
        xmat: receives the rotation matrix, by rows.
        pos: in the frame of the body.
        quat: in the frame of the body.
        body: id of the body.
        sameframe: what the pose has in common with the frame of the body or of its inertia (mjtSameFrame).
    """
    if not 0 <= body < d.model.nbody:
        raise FatalError(f"mj_local2Global: invalid body {body}")
    if sameframe in (mjtSameFrame.mjSAMEFRAME_BODY, mjtSameFrame.mjSAMEFRAME_INERTIA):
        xpos[:] = (d.xpos if sameframe == mjtSameFrame.mjSAMEFRAME_BODY else d.xipos)[body]
    else:
        xpos[:] = d.xpos[body] + d.xmat[body].reshape(3, 3) @ pos
    if sameframe in (mjtSameFrame.mjSAMEFRAME_BODY, mjtSameFrame.mjSAMEFRAME_BODYROT):
        xmat[:] = d.xmat[body]
    elif sameframe in (mjtSameFrame.mjSAMEFRAME_INERTIA, mjtSameFrame.mjSAMEFRAME_INERTIAROT):
        xmat[:] = d.ximat[body]
    else:
        xmat[:] = algebra.quat_to_mat(algebra.mul_quat(d.xquat[body], quat).parts).parts


# positions


@checked
def mj_differentiatePos(m: MjModel, qvel: OutVector, dt: float, qpos1: Vector, qpos2: Vector) -> None:
    """qvel := the velocity that moves qpos1 to qpos2 in time dt (s)."""
    require(len(qvel) == m.nv, "qvel should be of size nv")
    require(len(qpos1) == m.nq, "qpos1 should be of size nq")
    require(len(qpos2) == m.nq, "qpos2 should be of size nq")
    differentiate_pos(_plain(m), None, _field(qvel), dt, _field(qpos1), _field(qpos2))


@checked
def mj_integratePos(m: MjModel, qpos: OutVector, qvel: Vector, dt: float) -> None:
    """Move qpos along the velocity qvel for time dt (s)."""
    require(len(qpos) == m.nq, "qpos should be of size nq")
    require(len(qvel) == m.nv, "qvel should be of size nv")
    integrate_pos(_plain(m), None, _field(qpos), _field(qvel), dt)


@checked
def mj_normalizeQuat(m: MjModel, qpos: OutVector) -> None:
    """Scale the quaternions in qpos to unit length."""
    require(len(qpos) == m.nq, "qpos should be of size nq")
    normalize_qpos(_plain(m), SimpleNamespace(qpos=_field(qpos)))


# the model


@checked
def mj_getTotalmass(m: MjModel) -> float:
    """Sum of the masses of all bodies but the world (kg)."""
    return float(m.body_mass[1:].sum())


@checked
def mj_setTotalmass(m: MjModel, newmass: float) -> None:
    """Scale masses and inertias of all bodies so that the masses add up to newmass (kg)."""
    scale = max(mjMINVAL, newmass / max(mjMINVAL, mj_getTotalmass(m)))
    m.body_mass[1:] *= scale
    m.body_inertia[1:] *= scale


@checked
def mj_isPyramidal(m: MjModel) -> int:
    """1 if friction cones are pyramids, 0 if they are elliptic."""
    return int(m.opt.cone == mjtCone.mjCONE_PYRAMIDAL)


@checked
def mj_isSparse(m: MjModel) -> int:
    """1 if the official engine keeps the Jacobian of the constraints sparse, else 0."""
    automatic = m.opt.jacobian == mjtJacobian.mjJAC_AUTO and m.nv >= SPARSE_SIZE
    return int(m.opt.jacobian == mjtJacobian.mjJAC_SPARSE or automatic)


@checked
def mj_isDual(m: MjModel) -> int:
    """1 if the solver works on constraint forces, 0 if on accelerations."""
    return int(m.opt.solver == mjtSolver.mjSOL_PGS or m.opt.noslip_iterations > 0)


@checked
def mj_defaultOption(opt: MjOption) -> None:
    """Set all options to their defaults."""
    set_defaults(opt)


@checked
def mj_defaultVisual(vis: MjVisual) -> None:
    """Set all settings of the visualizer to their defaults."""
    for group in vis.groups:
        set_defaults(getattr(vis, group))


def mj_version() -> int:
    """Version of the official package whose behaviour this is: 335 for 3.3.5."""
    return mjVERSION_HEADER


def mj_versionString() -> str:
    """Version of the official package whose behaviour this is."""
    return ".".join(str(mjVERSION_HEADER))


def _object_pose(m: MjModel, d: MjData, function: str, kind: int, i: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Body, position and axes of an object."""
    fields = {
        mjtObj.mjOBJ_BODY: (None, d.xipos, d.ximat),
        mjtObj.mjOBJ_XBODY: (None, d.xpos, d.xmat),
        mjtObj.mjOBJ_GEOM: (m.geom_bodyid, d.geom_xpos, d.geom_xmat),
        mjtObj.mjOBJ_SITE: (m.site_bodyid, d.site_xpos, d.site_xmat),
        mjtObj.mjOBJ_CAMERA: (m.cam_bodyid, d.cam_xpos, d.cam_xmat),
    }.get(kind)  # type: ignore[call-overload]
    if fields is None:
        raise FatalError(f"{function}: invalid object type {kind}")
    bodies, positions, frames = fields
    if not 0 <= i < len(positions):
        raise FatalError(f"{function}: invalid object id {i}")
    return i if bodies is None else int(bodies[i]), positions[i], frames[i].reshape(3, 3)


def _velocity_at(m: MjModel, d: MjData, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angular and linear velocity of the point of a body that is now at `point`."""
    return shift_spatial(d.cvel[body], False, point - d.subtree_com[m.body_rootid[body]])


def _plain(m: MjModel) -> PlainStruct:
    """The model as uncompiled kernels see it, kept with the model."""
    found = m.__dict__.get("_plain")
    if found is None:
        found = m.__dict__["_plain"] = PlainStruct([m._buffer])
    return found


def _field(vector: np.ndarray) -> PlainField:
    """A vector of the caller as uncompiled kernels see it."""
    return PlainField("real", vector)
