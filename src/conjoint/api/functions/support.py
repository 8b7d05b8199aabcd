"""Support functions for objects, positions, model properties and names (API reference, Support functions)."""

from typing import Annotated

from conjoint.api.arguments import (
    OutVector,
    OutVector3,
    OutVector6,
    OutVector9,
    Vector,
    Vector3,
    Vector4,
    checked,
)
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import NAME_ADDRESSES
from conjoint.api.objects.option import MjOption, MjVisual
from conjoint.api.objects.records import check_contacts
from conjoint.api.objects.struct import set_defaults
from conjoint.lang import ArgumentError
from conjoint.physics.integration import integrate
from conjoint.physics.motion import kinematics, support
from conjoint.runtime.blocks import is_dual
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtCone, mjtObj
from conjoint.schema.version import STANDS_FOR

OBJECTS: dict[int, str] = {
    mjtObj.mjOBJ_BODY: "nbody", mjtObj.mjOBJ_XBODY: "nbody", mjtObj.mjOBJ_GEOM: "ngeom", mjtObj.mjOBJ_SITE: "nsite",
    mjtObj.mjOBJ_CAMERA: "ncam",
}  # fmt: skip
"""Types of objects that have a pose, with the name of the model size that counts them."""

_object_velocity = entry(support.object_velocity, "out spatial[]", "int", "int", "bool")
_object_acceleration = entry(support.object_acceleration, "out spatial[]", "int", "int", "bool")
_contact_force = entry(support.contact_force, "out spatial[]", "int")
_apply_force = entry(support.apply_force, "out real[nv]", "vec3", "vec3", "vec3", "int")
_attached = entry(kinematics.write_attached, "out vec3[]", "out mat3[]", "int", "int", "vec3", "quat")
_total_mass = entry(support.total_mass)
_is_sparse = entry(support.is_sparse)
_differentiate_pos = entry(integrate.differentiate_pos, "out real[nv]", "real", "real[nq]", "real[nq]")
_integrate_pos = entry(integrate.integrate_pos, "out real[nq]", "real[nv]", "real")
_normalize_qpos = entry(integrate.normalize_qpos, "out real[nq]")


# objects


@checked
def mj_objectVelocity(
    m: MjModel, d: MjData, objtype: Annotated[int, mjtObj], objid: int, res: OutVector6, flg_local: int
) -> None:
    """Compute res := the velocity of an object, rotation (rad/s) before translation (m/s).

    Args:
        d: the world, after `mj_comVel`.
        objtype: type of the object (mjtObj): body (at its center of mass), xbody, geom, site or camera.
        objid: id of the object.
        res: receives the velocity, six elements.
        flg_local: whether to express the result in the axes of the object instead of the world.

    Raises:
        FatalError: objects of this type have no velocity, or the object does not exist.
    """
    _check_object(m, "mj_objectVelocity", objtype, objid)
    _object_velocity(m.plans.current, d.world, res, objtype, objid, flg_local)


@checked
def mj_objectAcceleration(
    m: MjModel, d: MjData, objtype: Annotated[int, mjtObj], objid: int, res: OutVector6, flg_local: int
) -> None:
    """Compute res := the acceleration of an object, as an accelerometer would read it.

    Args:
        d: the world, after `mj_rnePostConstraint`.
        objtype: type of the object (mjtObj): body (at its center of mass), xbody, geom, site or camera.
        objid: id of the object.
        res: receives the acceleration, rotation (rad/s^2) before translation (m/s^2).
        flg_local: whether to express the result in the axes of the object instead of the world.

    Raises:
        FatalError: objects of this type have no acceleration, or the object does not exist.
    """
    _check_object(m, "mj_objectAcceleration", objtype, objid)
    _object_acceleration(m.plans.current, d.world, res, objtype, objid, flg_local)


@checked
def mj_contactForce(m: MjModel, d: MjData, id: int, result: OutVector6) -> None:
    """Compute the force and torque that a contact exerts on its second geom, in the contact frame.

    Args:
        d: the world, after a step or `mj_forward`.
        id: index of the contact in `d.contact`.
        result: 6 elements, receives the normal force and two friction forces (N), then three torques (N m). Zeros if
            the contact exerts no force.
    """
    if not 0 <= id < d.ncon:
        result[:] = 0.0
        return
    check_contacts(d.world)
    _contact_force(m.plans.current, d.world, result, id)


@checked(body="m.nbody", qfrc_target="m.nv")
def mj_applyFT(
    m: MjModel, d: MjData, force: Vector3, torque: Vector3, point: Vector3, body: int, qfrc_target: OutVector
) -> None:
    """Add to `qfrc_target` the generalized force of a force and a torque that act on a body at a point.

    Args:
        d: the world, after `mj_comPos`.
        force: the force in global coordinates (N).
        torque: the torque in global coordinates (N m).
        point: the point at which the force acts, in global coordinates.
        body: id of the body.
        qfrc_target: nv elements, to which the force is added; often `d.qfrc_applied`.
    """
    _apply_force(m.plans.current, d.world, qfrc_target, force, torque, point, body)


@checked(body="d.model.nbody")
def mj_local2Global(
    d: MjData, xpos: OutVector3, xmat: OutVector9, pos: Vector3, quat: Vector4, body: int, sameframe: int
) -> None:
    """Transform a body-fixed pose to global coordinates.

    Args:
        d: the world, after `mj_kinematics`.
        xpos: receives the position.
        xmat: receives the rotation matrix, nine elements in row-major order.
        pos: position in the frame of the body.
        quat: orientation in the frame of the body.
        body: id of the body.
        sameframe: coincidence of the pose, or its rotation, with the body frame or the inertial frame (mjtSameFrame).
    """
    _attached(d.model.plans.current, d.world, xpos, xmat, body, sameframe, pos, quat)


# positions


@checked
def mj_differentiatePos(m: MjModel, qvel: OutVector, dt: float, qpos1: Vector, qpos2: Vector) -> None:
    """Compute the constant velocity that moves the model from one position to another.

    Args:
        m: the model.
        qvel: nv elements, receives the velocity. With `dt` = 1 this is the difference of the positions in tangent
            space.
        dt: duration of the movement (s).
        qpos1: position at the start, nq elements.
        qpos2: position at the end, nq elements.
    """
    _differentiate_pos(m.plans.current, qvel, dt, qpos1, qpos2)


@checked
def mj_integratePos(m: MjModel, qpos: OutVector, qvel: Vector, dt: float) -> None:
    """Move a position at a constant velocity for a duration. Quaternions are rotated.

    Args:
        m: the model.
        qpos: the position, nq elements, which is changed in place.
        qvel: the velocity, nv elements.
        dt: duration of the movement (s).
    """
    _integrate_pos(m.plans.current, qpos, qvel, dt)


@checked
def mj_normalizeQuat(m: MjModel, qpos: OutVector) -> None:
    """Scale the quaternions in qpos to unit length.

    Args:
        qpos: the position, shape (nq,), which is changed in place.
    """
    _normalize_qpos(m.plans.current, qpos)


# the model


@checked
def mj_getTotalmass(m: MjModel) -> float:
    """Return the total mass of all bodies except the world.

    Args:
        m: the model.

    Returns:
        The mass, kg.
    """
    return _total_mass(m.plans.current)


@checked
def mj_setTotalmass(m: MjModel, newmass: float) -> None:
    """Scale the masses and inertias of all bodies so that the total mass is `newmass`.

    Args:
        m: the model, which is changed.
        newmass: the new total mass, kg.
    """
    scale = max(mjMINVAL, newmass / max(mjMINVAL, mj_getTotalmass(m)))
    m.body_mass[1:] *= scale
    m.body_inertia[1:] *= scale


@checked
def mj_isPyramidal(m: MjModel) -> int:
    """Return 1 if friction cones are pyramids, 0 if they are elliptic.

    Args:
        m: the model, whose `opt.cone` is read.
    """
    return int(m.opt.cone == mjtCone.mjCONE_PYRAMIDAL)


@checked
def mj_isSparse(m: MjModel) -> int:
    """Return 1 if rows of the constraint Jacobian are compressed, 0 if they are dense.

    Args:
        m: the model, whose `opt.jacobian` is read. `auto` means compressed if there are at least 60 dofs.
    """
    return int(_is_sparse(m.plans.current))


@checked
def mj_isDual(m: MjModel) -> int:
    """Return 1 if the solver optimizes constraint forces, 0 if it optimizes accelerations.

    Args:
        m: the model. PGS, noslip iterations and complementarity solvers optimize forces.
    """
    return int(is_dual(m))


@checked
def mj_defaultOption(opt: MjOption) -> None:
    """Set all options to their defaults.

    Args:
        opt: the options, often `m.opt`.
    """
    set_defaults(opt)


@checked
def mj_defaultVisual(vis: MjVisual) -> None:
    """Set all settings of the visualizer to their defaults.

    Args:
        vis: the settings, often `m.vis`.
    """
    for group in vis.groups:
        set_defaults(getattr(vis, group))


@checked(solref="2", solimp="5")
def mj_defaultSolRefImp(solref: OutVector | None, solimp: OutVector | None) -> None:
    """Write the default solver parameters of constraints.

    Args:
        solref: receives the two parameters of the reference acceleration; None to skip them.
        solimp: receives the five parameters of the impedance; None to skip them.
    """
    for vector, values in ((solref, (0.02, 1.0)), (solimp, (0.9, 0.95, 0.001, 0.5, 2.0))):
        if vector is not None:
            vector[:] = values


def mj_version() -> int:
    """Return the MuJoCo version that is emulated: 335 for 3.3.5, 4000000 for 4.0.0."""
    return STANDS_FOR.number


def mj_versionString() -> str:
    """Return the current version of MuJoCo as a null-terminated string."""
    return STANDS_FOR.text


def _check_object(m: MjModel, function: str, kind: int, i: int) -> None:
    """Raise FatalError if objects of the type have no pose, or the object does not exist."""
    count = OBJECTS.get(kind)
    if count is None:
        raise ArgumentError(f"{function}: invalid object type {kind}")
    if not 0 <= i < m.sizes[count]:
        raise ArgumentError(f"{function}: invalid object id {i}")


@checked
def mj_name2id(m: MjModel, type: Annotated[int, mjtObj], name: str) -> int:
    """Return the id of an element.

    Args:
        m: the model.
        type: type of the element (mjtObj).
        name: name of the element.

    Returns:
        The id; -1 if the element does not exist.
    """
    field = NAME_ADDRESSES.get(type)
    return m.name_table.ids(field).get(name, -1) if field else -1


@checked
def mj_id2name(m: MjModel, type: Annotated[int, mjtObj], id: int) -> str | None:
    """Return the name of an element.

    Args:
        m: the model.
        type: type of the element (mjtObj).
        id: id of the element.

    Returns:
        The name; None if it has none or does not exist.
    """
    field = NAME_ADDRESSES.get(type)
    names = m.name_table.names(field) if field else []
    return (names[id] or None) if 0 <= id < len(names) else None
