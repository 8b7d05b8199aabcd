"""Jacobians of points, bodies and axes (API reference, Support functions).

A Jacobian has a column per dof: the velocity that a unit velocity of the dof gives. Only the dofs between a body and
the world move it; their columns follow from the com-based motion axes `cdof` of the last `mj_comPos`.
"""

import numpy as np

from conjoint.api.arguments import OutMatrix, OutVector, Vector3, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.schema.enums import mjtJoint


@checked
def mj_jac(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, point: Vector3, body: int) -> None:
    """Jacobian of the point of a body that is now at `point`.

    Args:
        m: the model.
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the translational part; None to leave it out.
        jacr: 3 x nv, receives the rotational part; None to leave it out.
        point: in global coordinates.
        body: id of the body.

    Raises:
        TypeError: an array has another shape.
        FatalError: there is no such body.
    """
    _write(m, d, "mj_jac", jacp, jacr, point, body)


@checked
def mj_jacBody(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, body: int) -> None:
    """Jacobian of the origin of a body's frame; see `mj_jac`."""
    _check_id("mj_jacBody", "body", body, m.nbody)
    _write(m, d, "mj_jacBody", jacp, jacr, d.xpos[body], body)


@checked
def mj_jacBodyCom(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, body: int) -> None:
    """Jacobian of a body's centre of mass; see `mj_jac`."""
    _check_id("mj_jacBodyCom", "body", body, m.nbody)
    _write(m, d, "mj_jacBodyCom", jacp, jacr, d.xipos[body], body)


@checked
def mj_jacGeom(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, geom: int) -> None:
    """Jacobian of the centre of a geom; see `mj_jac`."""
    _check_id("mj_jacGeom", "geom", geom, m.ngeom)
    _write(m, d, "mj_jacGeom", jacp, jacr, d.geom_xpos[geom], int(m.geom_bodyid[geom]))


@checked
def mj_jacSite(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, site: int) -> None:
    """Jacobian of a site; see `mj_jac`."""
    _check_id("mj_jacSite", "site", site, m.nsite)
    _write(m, d, "mj_jacSite", jacp, jacr, d.site_xpos[site], int(m.site_bodyid[site]))


@checked
def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: OutMatrix | None, body: int) -> None:
    """Jacobian of the centre of mass of a subtree: the mean over its bodies, weighted by mass; see `mj_jac`."""
    _check_shape(m, "jacp", jacp)
    _check_id("mj_jacSubtreeCom", "body", body, m.nbody)
    if jacp is not None:
        jacp[:] = 0.0
        for b in subtree(m, body):
            dofs = moving_dofs(m, b)
            jacp[:, dofs] += m.body_mass[b] * point_columns(m, d, b, d.xipos[b], dofs)
        jacp /= m.body_subtreemass[body]


@checked
def mj_jacPointAxis(
    m: MjModel,
    d: MjData,
    jacPoint: OutMatrix | None,
    jacAxis: OutMatrix | None,
    point: Vector3,
    axis: Vector3,
    body: int,
) -> None:
    """Jacobian of a point of a body, and of the direction of an axis fixed to it, both in global coordinates."""
    _check_shape(m, "jacPoint", jacPoint)
    _check_shape(m, "jacAxis", jacAxis)
    turning = np.zeros((3, m.nv))
    _write(m, d, "mj_jacPointAxis", jacPoint, turning, point, body)
    if jacAxis is not None:
        jacAxis[:] = np.cross(turning.T, axis).T


@checked
def mj_jacDot(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, point: Vector3, body: int) -> None:
    """Rate of change of the Jacobian of the point of a body that is now at `point`, after `mj_comVel`; see `mj_jac`."""
    _check_shape(m, "jacp", jacp)
    _check_shape(m, "jacr", jacr)
    _check_id("mj_jacDot", "body", body, m.nbody)
    dofs = moving_dofs(m, body)
    offset = point - d.subtree_com[m.body_rootid[body]]
    velocity = d.cvel[body, 3:] + np.cross(d.cvel[body, :3], offset)
    axes, rates = d.cdof[dofs], _axis_rates(m, d, dofs)
    if jacr is not None:
        jacr[:] = 0.0
        jacr[:, dofs] = rates[:, :3].T
    if jacp is not None:
        jacp[:] = 0.0
        jacp[:, dofs] = (rates[:, 3:] + np.cross(rates[:, :3], offset) + np.cross(axes[:, :3], velocity)).T


@checked
def mj_angmomMat(m: MjModel, d: MjData, mat: OutMatrix, body: int) -> None:
    """mat := the 3 x nv matrix that maps qvel to the angular momentum of a subtree about its centre of mass."""
    require(mat.shape == (3, m.nv), "mat should be of shape (3, nv)")
    _check_id("mj_angmomMat", "body", body, m.nbody)
    mat[:] = 0.0
    for b in subtree(m, body):
        dofs = moving_dofs(m, b)
        frame = d.ximat[b].reshape(3, 3)
        inertia = (frame * m.body_inertia[b]) @ frame.T
        momentum = m.body_mass[b] * point_columns(m, d, b, d.xipos[b], dofs)
        arm = d.xipos[b] - d.subtree_com[body]
        mat[:, dofs] += inertia @ d.cdof[dofs, :3].T + np.cross(arm, momentum.T).T


@checked
def mj_mulJacVec(m: MjModel, d: MjData, res: OutVector, vec: OutVector) -> None:
    """res := J vec, for the Jacobian of the constraints."""
    require(len(res) == d.nefc, "res should be of length nefc")
    require(len(vec) == m.nv, "vec should be of length nv")
    res[:] = d.efc_J.reshape(d.nefc, m.nv) @ vec


@checked
def mj_mulJacTVec(m: MjModel, d: MjData, res: OutVector, vec: OutVector) -> None:
    """res := J' vec, for the Jacobian of the constraints."""
    require(len(res) == m.nv, "res should be of length nv")
    require(len(vec) == d.nefc, "vec should be of length nefc")
    res[:] = d.efc_J.reshape(d.nefc, m.nv).T @ vec


def moving_dofs(m: MjModel, body: int) -> list[int]:
    """The dofs that move a body: its own and its ancestors', ascending."""
    while body > 0 and m.body_dofnum[body] == 0:
        body = int(m.body_parentid[body])
    dof = int(m.body_dofadr[body] + m.body_dofnum[body]) - 1 if body > 0 else -1
    dofs = []
    while dof >= 0:
        dofs.append(dof)
        dof = int(m.dof_parentid[dof])
    return dofs[::-1]


def point_columns(m: MjModel, d: MjData, body: int, point: np.ndarray, dofs: list[int]) -> np.ndarray:
    """Velocity of the point of a body at `point` per unit velocity of each of `dofs`, as columns."""
    axes = d.cdof[dofs]
    offset = point - d.subtree_com[m.body_rootid[body]]
    return (axes[:, 3:] + np.cross(axes[:, :3], offset)).T


def subtree(m: MjModel, body: int) -> list[int]:
    """A body and its descendants."""
    parents, inside = m.body_parentid.tolist(), {body}
    for b in range(body + 1, m.nbody):
        if parents[b] in inside:
            inside.add(b)
    return sorted(inside)


def _write(
    m: MjModel,
    d: MjData,
    function: str,
    jacp: np.ndarray | None,
    jacr: np.ndarray | None,
    point: np.ndarray,
    body: int,
) -> None:
    """Write the parts of a point's Jacobian that are asked for."""
    _check_shape(m, "jacp", jacp)
    _check_shape(m, "jacr", jacr)
    _check_id(function, "body", body, m.nbody)
    dofs = moving_dofs(m, body)
    if jacp is not None:
        jacp[:] = 0.0
        jacp[:, dofs] = point_columns(m, d, body, point, dofs)
    if jacr is not None:
        jacr[:] = 0.0
        jacr[:, dofs] = d.cdof[dofs, :3].T


def _axis_rates(m: MjModel, d: MjData, dofs: list[int]) -> np.ndarray:
    """Rates of change of motion axes; those of quaternions turn with the body that they move."""
    rates = d.cdof_dot[dofs]
    for row, i in enumerate(dofs):
        joint = m.dof_jntid[i]
        free = m.jnt_type[joint] == mjtJoint.mjJNT_FREE and i >= m.jnt_dofadr[joint] + 3
        if free or m.jnt_type[joint] == mjtJoint.mjJNT_BALL:
            velocity, axis = d.cvel[m.dof_bodyid[i]], d.cdof[i]
            rates[row, :3] = np.cross(velocity[:3], axis[:3])
            rates[row, 3:] = np.cross(velocity[:3], axis[3:]) + np.cross(velocity[3:], axis[:3])
    return rates


def _check_shape(m: MjModel, name: str, jacobian: np.ndarray | None) -> None:
    require(jacobian is None or jacobian.shape == (3, m.nv), f"{name} should be of shape (3, nv)")


def _check_id(function: str, kind: str, i: int, count: int) -> None:
    if not 0 <= i < count:
        raise FatalError(f"{function}: invalid {kind} {i}")
