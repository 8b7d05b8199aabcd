"""Perturbations: a user pulls and turns the selected body by springs, or moves it (Programming, Perturbations)."""

import numpy as np

from conjoint.api.arguments import checked, without_warnings
from conjoint.api.functions.inertia import mj_solveM
from conjoint.api.functions.jacobian import mj_jac
from conjoint.api.functions.support import mj_objectVelocity
from conjoint.api.mju.quaternions import mju_mulPose, mju_mulQuat, mju_negPose, mju_negQuat, mju_quat2Vel
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvPerturb
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtJoint, mjtObj
from conjoint.schema.enums_visual import mjtPertBit
from conjoint.viz.space import mjv_cameraInModel, mjv_frustumHeight


def _selected_point(d: MjData, pert: MjvPerturb) -> np.ndarray:
    """Where the selected point is (m)."""
    return d.xpos[pert.select] + d.xmat[pert.select].reshape(3, 3) @ pert.localpos


def _inertial_quat(m: MjModel, d: MjData, body: int) -> np.ndarray:
    """Orientation of the inertial frame of a body."""
    quat = np.zeros(4)
    mju_mulQuat(quat, d.xquat[body], m.body_iquat[body])
    return quat


@checked
@without_warnings
def mjv_initPerturb(m: MjModel, d: MjData, scn: MjvScene, pert: MjvPerturb) -> None:
    """Let the wanted pose be that which the selected body has, and the mouse move it as fast as it is seen to move.

    Args:
        m: the model.
        d: the world.
        scn: the scene that shows the body.
        pert: the perturbation, which is changed.
    """
    body = pert.select
    if not 0 < body < m.nbody:
        return
    point = _selected_point(d, pert)
    pert.refpos, pert.refselpos, pert.refquat = d.xipos[body], point, _inertial_quat(m, d, body)
    pert.localmass = _felt_mass(m, d, body, point)
    head, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
    mjv_cameraInModel(head, forward, up, scn)
    pert.scale = mjv_frustumHeight(scn) * float(forward @ (point - head))


def _felt_mass(m: MjModel, d: MjData, body: int, point: np.ndarray) -> float:
    """Mass (kg) that a force on the point of a body meets, the mean of all directions; 1 where nothing moves."""
    if m.nv == 0:
        return 1.0
    jacobian, solved = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    mj_jac(m, d, jacobian, None, point, body)
    mj_solveM(m, d, solved, jacobian)
    inverse = float(np.sum(jacobian * solved))
    return 3.0 / inverse if inverse > mjMINVAL else 1.0


@checked
@without_warnings
def mjv_applyPerturbForce(m: MjModel, d: MjData, pert: MjvPerturb) -> None:
    """Write to `d.xfrc_applied` the force (N) and torque (N m) by which a user pulls and turns the selected body.

    They are critically damped springs between selected point and orientation and those that the user wants, as stiff as
    `m.vis.map.stiffness` and `stiffnessrot` say, relative to the mass and inertia that are felt.

    Args:
        m: the model.
        d: the world.
        pert: the perturbation.
    """
    body, active = pert.select, pert.active | pert.active2
    if not 0 <= body < m.nbody or not active:
        return
    velocity = np.zeros(6)
    mj_objectVelocity(m, d, mjtObj.mjOBJ_XBODY, body, velocity, 0)
    weight = float(m.body_invweight0[body, 1])
    inertia = 1.0 / weight if weight > mjMINVAL else 1.0
    stiffness = float(m.vis.map.stiffnessrot)
    force, torque = np.zeros(3), np.zeros(3)
    if active & mjtPertBit.mjPERT_TRANSLATE:
        force, torque = _pull(m, d, pert, velocity, inertia * np.sqrt(stiffness))
    if active & mjtPertBit.mjPERT_ROTATE:
        back, error, turn = np.zeros(4), np.zeros(4), np.zeros(3)
        mju_negQuat(back, _inertial_quat(m, d, body))
        mju_mulQuat(error, pert.refquat, back)
        mju_quat2Vel(turn, error, 1.0)
        # officially this torque takes the place of that of the force
        torque = inertia * (stiffness * turn - np.sqrt(stiffness) * velocity[:3])
    d.xfrc_applied[body] = np.concatenate([force, torque])


def _pull(
    m: MjModel, d: MjData, pert: MjvPerturb, velocity: np.ndarray, damping: float
) -> tuple[np.ndarray, np.ndarray]:
    """Force towards the wanted point, and its torque; `damping` (N m s) slows rotation about its direction."""
    body, stiffness = pert.select, float(m.vis.map.stiffness)
    point = _selected_point(d, pert)
    away = pert.refselpos - point
    moving = velocity[3:] + np.cross(velocity[:3], point - d.xpos[body])
    force = pert.localmass * (stiffness * away - np.sqrt(stiffness) * moving)
    torque = np.cross(point - d.xipos[body], force)
    length = np.linalg.norm(away)
    # officially the x axis where there is no direction
    axis = away / length if length > mjMINVAL else np.array([1.0, 0.0, 0.0])
    return force, torque - damping * (velocity[:3] @ axis) * axis


@checked
@without_warnings
def mjv_applyPerturbPose(m: MjModel, d: MjData, pert: MjvPerturb, flg_paused: int) -> None:
    """Move the selected body to the wanted pose: a mocap body at once, another by the free joint of its tree.

    Args:
        flg_paused: whether the simulation is paused: only then `d.qpos` is written.
    """
    body = pert.select
    if not 0 < body < m.nbody or not pert.active | pert.active2:
        return
    # the frame of the body whose inertial frame is where the user wants it
    pos, quat, inverse_pos, inverse_quat = np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(4)
    mju_negPose(inverse_pos, inverse_quat, m.body_ipos[body], m.body_iquat[body])
    mju_mulPose(pos, quat, pert.refpos, pert.refquat, inverse_pos, inverse_quat)
    mocap = m.body_mocapid[body]
    if mocap >= 0:
        d.mocap_pos[mocap], d.mocap_quat[mocap] = pos, quat
        return
    root = m.body_rootid[body]
    first = m.body_jntadr[root]
    if flg_paused and m.body_jntnum[root] == 1 and m.jnt_type[first] == mjtJoint.mjJNT_FREE:
        # the root as it stands to the body now
        between_pos, between_quat, root_pos, root_quat = np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(4)
        mju_negPose(inverse_pos, inverse_quat, d.xpos[body], d.xquat[body])
        mju_mulPose(between_pos, between_quat, inverse_pos, inverse_quat, d.xpos[root], d.xquat[root])
        mju_mulPose(root_pos, root_quat, pos, quat, between_pos, between_quat)
        start = m.jnt_qposadr[first]
        d.qpos[start : start + 3], d.qpos[start + 3 : start + 7] = root_pos, root_quat
