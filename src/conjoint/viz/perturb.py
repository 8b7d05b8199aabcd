"""The selected body: selection with the mouse, and motion by springs or directly (Programming, Perturbations)."""

import numpy as np

from conjoint.api.arguments import OutInteger, OutVector3, checked, without_warnings
from conjoint.api.functions.inertia import mj_solveM
from conjoint.api.functions.jacobian import mj_jac
from conjoint.api.functions.ray import mj_ray, mju_rayFlex, mju_raySkin
from conjoint.api.functions.support import mj_objectVelocity
from conjoint.api.mju.quaternions import mju_mulPose, mju_mulQuat, mju_negPose, mju_negQuat, mju_quat2Vel
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvOption, MjvPerturb, MjvScene
from conjoint.schema.constants import mjMINVAL, mjNGROUP
from conjoint.schema.enums import mjtJoint, mjtObj
from conjoint.schema.enums_visual import mjtPertBit, mjtVisFlag
from conjoint.viz.camera import eyes, mjv_cameraInModel, mjv_frustumHeight, unit


@checked
@without_warnings
def mjv_select(
    m: MjModel, d: MjData, vopt: MjvOption, aspectratio: float, relx: float, rely: float, scn: MjvScene,
    selpnt: OutVector3, geomid: OutInteger, flexid: OutInteger, skinid: OutInteger,
) -> int:  # fmt: skip
    """Return the body of the first geom, flex or skin that is visible at a point of the window; -1 for none.

    Args:
        m: the model.
        d: the world.
        vopt: visualization options. Hidden groups, and the world without `mjVIS_STATIC`, cannot be selected.
        aspectratio: width of the window relative to its height.
        relx, rely: the point, from the lower left corner (0, 0) to the upper right corner (1, 1).
        scn: the scene, whose skins are up to date.
        selpnt: receives the selected point (m), if there is one.
        geomid, flexid, skinid: receive the id of the selected geom, flex or skin; the others receive -1.
    """
    start, way = _ray(aspectratio, relx, rely, scn)
    found, static = np.full(1, -1, np.int32), int(vopt.flags[mjtVisFlag.mjVIS_STATIC])
    best = mj_ray(m, d, start, way, vopt.geomgroup, static, -1, found)
    geom, flex, skin = int(found[0]), -1, -1
    body = int(m.geom_bodyid[geom]) if geom >= 0 else -1
    vertex = np.zeros(1, np.int32)
    parts = [int(vopt.flags[getattr(mjtVisFlag, f"mjVIS_FLEX{part}")]) for part in ("VERT", "EDGE", "FACE", "SKIN")]
    for f in range(m.nflex):
        distance = -1.0
        if vopt.flexgroup[np.clip(m.flex_group[f], 0, mjNGROUP - 1)]:
            distance = mju_rayFlex(m, d, vopt.flex_layer, parts[0], parts[1], parts[2], parts[3], f, start, way, vertex)
        if distance >= 0.0 and (best < 0.0 or distance < best):
            best, geom, flex, body = distance, -1, f, int(m.flex_vertbodyid[m.flex_vertadr[f] + vertex[0]])
    for s in range(m.nskin if vopt.flags[mjtVisFlag.mjVIS_SKIN] else 0):
        distance = -1.0
        if vopt.skingroup[np.clip(m.skin_group[s], 0, mjNGROUP - 1)]:
            distance = _ray_skin(m, scn, s, start, way, vertex)
        if distance >= 0.0 and (best < 0.0 or distance < best):
            best, geom, flex, skin, body = distance, -1, -1, s, _nearest_bone(m, s, int(vertex[0]))
    geomid[0], flexid[0], skinid[0] = geom, flex, skin
    if body >= 0:
        selpnt[:] = start + best * way
    return body


def _ray(aspectratio: float, relx: float, rely: float, scn: MjvScene) -> tuple[np.ndarray, np.ndarray]:
    """Return the origin and unit direction of the camera ray through a point of the window."""
    head, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
    mjv_cameraInModel(head, forward, up, scn)
    right = unit(np.cross(forward, up))
    bottom, top = float(eyes(scn, "frustum_bottom")), float(eyes(scn, "frustum_top"))
    width = float(eyes(scn, "frustum_width")) or aspectratio * (top - bottom) / 2
    x = float(eyes(scn, "frustum_center")) + width * (2.0 * relx - 1.0)
    y = bottom + rely * (top - bottom)
    aside = right * x + up * y
    if scn.camera[0].orthographic:
        return head + aside, forward
    return head, unit(forward * float(eyes(scn, "frustum_near")) + aside)


def _ray_skin(m: MjModel, scn: MjvScene, s: int, start: np.ndarray, way: np.ndarray, vertex: np.ndarray) -> float:
    """Return the distance along a ray to skin s as stored in a scene; -1 if the ray misses it."""
    first, count, faces = m.skin_vertadr[s], m.skin_vertnum[s], m.skin_facenum[s]
    face = m.skin_face[m.skin_faceadr[s] : m.skin_faceadr[s] + faces].reshape(-1)
    vert = scn.skinvert[3 * first : 3 * (first + count)]
    return mju_raySkin(int(faces), int(count), face, vert, start, way, vertex)


def _nearest_bone(m: MjModel, s: int, vertex: int) -> int:
    """Return the body of the bone of skin s that has the largest weight at a vertex."""
    best, body = -1.0, -1
    for bone in range(m.skin_boneadr[s], m.skin_boneadr[s] + m.skin_bonenum[s]):
        span = slice(m.skin_bonevertadr[bone], m.skin_bonevertadr[bone] + m.skin_bonevertnum[bone])
        for weight in m.skin_bonevertweight[span][m.skin_bonevertid[span] == vertex]:
            if weight > best:
                best, body = float(weight), int(m.skin_bonebodyid[bone])
    return body


def _selected_point(d: MjData, pert: MjvPerturb) -> np.ndarray:
    """Return the global position of the selected point (m)."""
    return d.xpos[pert.select] + d.xmat[pert.select].reshape(3, 3) @ pert.localpos


def _inertial_quat(m: MjModel, d: MjData, body: int) -> np.ndarray:
    """Return the global orientation of a body's inertial frame."""
    quat = np.zeros(4)
    mju_mulQuat(quat, d.xquat[body], m.body_iquat[body])
    return quat


@checked
@without_warnings
def mjv_initPerturb(m: MjModel, d: MjData, scn: MjvScene, pert: MjvPerturb) -> None:
    """Initialize a perturbation: the target pose is the selected body's pose, and mouse motion is scaled to the view.

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
    """Return the effective mass (kg) at a point of a body, averaged over all directions; 1 if the body cannot move."""
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
    """Write to `d.xfrc_applied` the force (N) and torque (N m) with which a user pulls and turns the selected body.

    The force and torque are those of critically damped springs between the selected point and orientation and their
    targets. The stiffness is `m.vis.map.stiffness` and `stiffnessrot`, relative to the effective mass and inertia.

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
        # as in MuJoCo, this torque replaces the torque of the pulling force
        torque = inertia * (stiffness * turn - np.sqrt(stiffness) * velocity[:3])
    d.xfrc_applied[body] = np.concatenate([force, torque])


def _pull(
    m: MjModel, d: MjData, pert: MjvPerturb, velocity: np.ndarray, damping: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the force toward the target point and its torque; `damping` (N m s) damps rotation about the force."""
    body, stiffness = pert.select, float(m.vis.map.stiffness)
    point = _selected_point(d, pert)
    away = pert.refselpos - point
    moving = velocity[3:] + np.cross(velocity[:3], point - d.xpos[body])
    force = pert.localmass * (stiffness * away - np.sqrt(stiffness) * moving)
    torque = np.cross(point - d.xipos[body], force)
    length = np.linalg.norm(away)
    # as in MuJoCo, use the x axis if the direction is undefined
    axis = away / length if length > mjMINVAL else np.array([1.0, 0.0, 0.0])
    return force, torque - damping * (velocity[:3] @ axis) * axis


@checked
@without_warnings
def mjv_applyPerturbPose(m: MjModel, d: MjData, pert: MjvPerturb, flg_paused: int) -> None:
    """Move the selected body to its target pose: a mocap body directly, another body through its tree's free joint.

    Args:
        m: the model.
        d: the world.
        pert: the perturbation.
        flg_paused: whether the simulation is paused; `d.qpos` is written only then.
    """
    body = pert.select
    if not 0 < body < m.nbody or not pert.active | pert.active2:
        return
    # pose of the body that moves its inertial frame to the target
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
        # keep the current pose of the root relative to the body
        between_pos, between_quat, root_pos, root_quat = np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(4)
        mju_negPose(inverse_pos, inverse_quat, d.xpos[body], d.xquat[body])
        mju_mulPose(between_pos, between_quat, inverse_pos, inverse_quat, d.xpos[root], d.xquat[root])
        mju_mulPose(root_pos, root_quat, pos, quat, between_pos, between_quat)
        start = m.jnt_qposadr[first]
        d.qpos[start : start + 3], d.qpos[start + 3 : start + 7] = root_pos, root_quat
