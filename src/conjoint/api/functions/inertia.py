"""Products and solves with the inertia matrix, and the recursive Newton-Euler algorithm (API reference)."""

from conjoint.api.arguments import Integers, Matrix, OutMatrix, OutVector, Vector, checked, newer_form, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.physics.dynamics import bias
from conjoint.physics.inertia_matrix import composite as inertia
from conjoint.physics.inertia_matrix import factors
from conjoint.runtime.entry import entry

_solve_M_rows = entry(factors.solve_M_rows, "out real[]", "int")
_solve_M2_rows = entry(factors.solve_M2_rows, "out real[]", "real[]", "int")
_mul_M = entry(inertia.mul_M, "out real[nv]", "real[nv]")
_mul_M2 = entry(factors.mul_M2, "out real[nv]", "real[nv]")
_full_M = entry(inertia.full_M, "out real[nv, nv]", "real[nM]")
_add_M = entry(inertia.add_M, "out real[nM]", "int[nv]", "int[nv]", "int[nM]")
_rne_bias = entry(bias.rne_bias, "out real[nv]")
_rne_acceleration = entry(bias.rne_acceleration, "out real[nv]")


@checked(x="n, m.nv", y="n, m.nv")
def mj_solveM(m: MjModel, d: MjData, x: OutMatrix, y: Matrix) -> None:
    """Solve linear systems with the inertia matrix, for one or several right-hand sides.

    Args:
        d: the world, after `mj_factorM`, a step or `mj_forward`.
        x: n x nv matrix, receives M^-1 times each row of `y`.
        y: right-hand sides, n x nv.
    """
    x[:] = y
    _solve_M_rows(m.plans.current, d.world, x, len(x))


@checked(x="n, m.nv", y="n, m.nv", sqrtInvD="size m.nv")
def mj_solveM2(m: MjModel, d: MjData, x: OutMatrix, y: Matrix, sqrtInvD: Matrix) -> None:
    """Compute half of a solve: each row of x := sqrtInvD L'^-1 times a row of y, with M = L' D L.

    Args:
        d: the world, after `mj_factorM`.
        x: n x nv matrix, receives the results.
        y: right-hand sides, n x nv.
        sqrtInvD: square roots of the inverse diagonal elements of D, `sqrt(d.qLDiagInv)`, shape (nv,).
    """
    x[:] = y
    _solve_M2_rows(m.plans.current, d.world, x, sqrtInvD, len(x))


@checked(res="m.nv", vec="m.nv")
def mj_mulM(m: MjModel, d: MjData, res: OutVector, vec: Vector) -> None:
    """Multiply the inertia matrix by a vector.

    Args:
        d: the world, after `mj_makeM`, a step or `mj_forward`.
        res: nv elements, receives M vec.
        vec: nv elements.
    """
    _mul_M(m.plans.current, d.world, res, vec)


@checked(res="m.nv", vec="m.nv")
def mj_mulM2(m: MjModel, d: MjData, res: OutVector, vec: Vector) -> None:
    """Compute res := D^1/2 L vec with M = L' D L, so that the squared length of res is vec' M vec.

    Args:
        m: the model.
        d: the world, after `mj_factorM`.
        res: nv elements, receives the product.
        vec: nv elements.
    """
    _mul_M2(m.plans.current, d.world, res, vec)


@checked
def full_M_of_world(m: MjModel, d: MjData, dst: OutMatrix) -> None:
    """Compute dst := the inertia matrix of a world, nv x nv. This is `mj_fullM` with the newer signature."""
    mj_fullM(m, dst, d.qM)


@newer_form(full_M_of_world, lambda arguments, named: "d" in named or isinstance((*arguments, None, None)[1], MjData))
@checked(dst="m.nv, m.nv", M="m.nM")
def mj_fullM(m: MjModel, dst: OutMatrix, M: Vector) -> None:
    """Expand the inertia elements M, in the order of `qM`, to the full symmetric matrix dst.

    Args:
        dst: receives the matrix, nv x nv.
        M: nM elements: for each dof the diagonal element, then the elements of its ancestors, nearest first.
    """
    _full_M(m.plans.current, dst, M)


@checked(dst="m.nM", rownnz="m.nv", rowadr="m.nv", colind="m.nM")
def mj_addM(m: MjModel, d: MjData, dst: OutVector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Add the lower triangle of the inertia matrix to a sparse matrix.

    Args:
        d: the world.
        dst: nM elements of the sparse matrix, in compressed rows.
        rownnz: number of elements in each row of dst.
        rowadr: index in dst of the first element of each row.
        colind: column index of each element.
    """
    require(_add_M(m.plans.current, d.world, dst, rownnz, rowadr, colind), "rows should lie within dst")


@checked(result="m.nv")
def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: OutVector) -> None:
    """Compute generalized forces by the recursive Newton-Euler algorithm, without constraints and armatures.

    Args:
        d: the world, after `mj_comVel`.
        flg_acc: nonzero to compute M qacc + c from `d.qacc`; zero to compute the bias force c alone.
        result: nv elements, receives the generalized forces.
    """
    if flg_acc:
        _rne_acceleration(m.plans.current, d.world, result)
    else:
        _rne_bias(m.plans.current, d.world, result)
