"""Jacobians of points, bodies and axes (API reference, Support functions).

A Jacobian has one column per dof: the velocity that a unit velocity of the dof causes. Columns are computed from the
com-based motion axes `cdof` of the last `mj_comPos`.
"""

import numpy as np

from conjoint.api.arguments import OutMatrix, OutVector, Vector, Vector3, checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.physics.constraint.jacobian import mul_J, mul_JT
from conjoint.physics.motion import jacobian
from conjoint.runtime.entry import entry
from conjoint.schema.enums import mjtObj

XBODY, BODY, GEOM, SITE = (
    int(kind) for kind in (mjtObj.mjOBJ_XBODY, mjtObj.mjOBJ_BODY, mjtObj.mjOBJ_GEOM, mjtObj.mjOBJ_SITE)
)
"""Object types as plain ints, which are faster to look up and pass than enumeration members."""

COLUMNS = "3, m.nv"
"""Shape of a Jacobian."""

_point = entry(jacobian.point_jacobian, "out real[3, nv]", "vec3", "int")
_point_rate = entry(jacobian.point_jacobian_rate, "out real[3, nv]", "vec3", "int")
_object = entry(jacobian.object_jacobian, "out real[3, nv]", "int", "int")
_rotation = entry(jacobian.rotation_jacobian, "out real[3, nv]", "int")
_rotation_rate = entry(jacobian.rotation_jacobian_rate, "out real[3, nv]", "int")
_axis = entry(jacobian.axis_jacobian, "out real[3, nv]", "vec3", "int")
_subtree = entry(jacobian.subtree_jacobian, "out real[3, nv]", "int")
_momentum = entry(jacobian.momentum_jacobian, "out real[3, nv]", "int")
_mul_J = entry(mul_J, "out real[]", "real[nv]")
_mul_JT = entry(mul_JT, "out real[nv]", "real[]")


@checked(jacp=COLUMNS, jacr=COLUMNS, body="m.nbody")
def mj_jac(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, point: Vector3, body: int) -> None:
    """Compute the Jacobian of the body-fixed point that is currently at `point`.

    Args:
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the translational part; None to skip it.
        jacr: 3 x nv, receives the rotational part; None to skip it.
        point: the point, in global coordinates.
        body: id of the body.

    Raises:
        TypeError: an array has a different shape.
        FatalError: the body does not exist.
    """
    if jacp is not None:
        _point(m.plans.current, d.world, jacp, point, body)
    if jacr is not None:
        _rotation(m.plans.current, d.world, jacr, body)


@checked(jacp=COLUMNS, jacr=COLUMNS, body="m.nbody")
def mj_jacBody(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, body: int) -> None:
    """Compute the Jacobian of the origin of a body's frame.

    Args:
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the translational part; None to skip it.
        jacr: 3 x nv, receives the rotational part; None to skip it.
        body: id of the body.
    """
    _write(m, d, jacp, jacr, XBODY, body, body)


@checked(jacp=COLUMNS, jacr=COLUMNS, body="m.nbody")
def mj_jacBodyCom(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, body: int) -> None:
    """Compute the Jacobian of a body's center of mass.

    Args:
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the translational part; None to skip it.
        jacr: 3 x nv, receives the rotational part; None to skip it.
        body: id of the body.
    """
    _write(m, d, jacp, jacr, BODY, body, body)


@checked(jacp=COLUMNS, jacr=COLUMNS, geom="m.ngeom")
def mj_jacGeom(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, geom: int) -> None:
    """Compute the Jacobian of the center of a geom.

    Args:
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the translational part; None to skip it.
        jacr: 3 x nv, receives the rotational part; None to skip it.
        geom: id of the geom.
    """
    _write(m, d, jacp, jacr, GEOM, geom, int(m.geom_bodyid[geom]))


@checked(jacp=COLUMNS, jacr=COLUMNS, site="m.nsite")
def mj_jacSite(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, site: int) -> None:
    """Compute the Jacobian of a site.

    Args:
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the translational part; None to skip it.
        jacr: 3 x nv, receives the rotational part; None to skip it.
        site: id of the site.
    """
    _write(m, d, jacp, jacr, SITE, site, int(m.site_bodyid[site]))


@checked(jacp=COLUMNS, body="m.nbody")
def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: OutMatrix | None, body: int) -> None:
    """Compute the Jacobian of a subtree's center of mass: the mass-weighted mean of the Jacobians of its bodies.

    Args:
        d: the world, after `mj_comPos`.
        jacp: 3 x nv, receives the Jacobian.
        body: id of the root body of the subtree.
    """
    if jacp is not None:
        _subtree(m.plans.current, d.world, jacp, body)


@checked(jacPoint=COLUMNS, jacAxis=COLUMNS, body="m.nbody")
def mj_jacPointAxis(
    m: MjModel,
    d: MjData,
    jacPoint: OutMatrix | None,
    jacAxis: OutMatrix | None,
    point: Vector3,
    axis: Vector3,
    body: int,
) -> None:
    """Compute the Jacobian of a point of a body, and of the direction of an axis fixed to the body.

    Args:
        d: the world, after `mj_comPos`.
        jacPoint: 3 x nv, receives the Jacobian of the point; None to skip it.
        jacAxis: 3 x nv, receives the Jacobian of the axis direction; None to skip it.
        point: the point, in global coordinates.
        axis: direction of the axis, in global coordinates.
        body: id of the body.
    """
    if jacPoint is not None:
        _point(m.plans.current, d.world, jacPoint, point, body)
    if jacAxis is not None:
        _axis(m.plans.current, d.world, jacAxis, axis, body)


@checked(jacp=COLUMNS, jacr=COLUMNS, body="m.nbody")
def mj_jacDot(m: MjModel, d: MjData, jacp: OutMatrix | None, jacr: OutMatrix | None, point: Vector3, body: int) -> None:
    """Compute the rate of change of the Jacobian of the body-fixed point that is currently at `point`.

    Args:
        d: the world, after `mj_comVel`.
        jacp: 3 x nv, receives the translational part; None to skip it.
        jacr: 3 x nv, receives the rotational part; None to skip it.
        point: the point, in global coordinates.
        body: id of the body.
    """
    if jacp is not None:
        _point_rate(m.plans.current, d.world, jacp, point, body)
    if jacr is not None:
        _rotation_rate(m.plans.current, d.world, jacr, body)


@checked(mat=COLUMNS, body="m.nbody")
def mj_angmomMat(m: MjModel, d: MjData, mat: OutMatrix, body: int) -> None:
    """Compute the matrix that maps `qvel` to the angular momentum of a subtree about its center of mass.

    Args:
        d: the world, after `mj_comPos`.
        mat: 3 x nv, receives the matrix.
        body: id of the root body of the subtree.
    """
    _momentum(m.plans.current, d.world, mat, body)


@checked(res="d.nefc", vec="m.nv")
def mj_mulJacVec(m: MjModel, d: MjData, res: OutVector, vec: Vector) -> None:
    """Multiply the constraint Jacobian by a vector.

    Args:
        d: the world, after `mj_makeConstraint`.
        res: nefc numbers, receives J vec.
        vec: nv elements.
    """
    _mul_J(m.plans.current, d.world, res, vec)


@checked(res="m.nv", vec="d.nefc")
def mj_mulJacTVec(m: MjModel, d: MjData, res: OutVector, vec: Vector) -> None:
    """Multiply the transposed constraint Jacobian by a vector.

    Args:
        d: the world, after `mj_makeConstraint`.
        res: nv elements, receives J' vec.
        vec: nefc numbers.
    """
    _mul_JT(m.plans.current, d.world, res, vec)


def _write(
    m: MjModel, d: MjData, jacp: np.ndarray | None, jacr: np.ndarray | None, kind: int, i: int, body: int
) -> None:
    """Write the Jacobian parts that are not None, for object `i` of type `kind`, which is fixed to `body`."""
    if jacp is not None:
        _object(m.plans.current, d.world, jacp, kind, i)
    if jacr is not None:
        _rotation(m.plans.current, d.world, jacr, body)
