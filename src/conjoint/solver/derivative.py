"""The derivative of a solution: one more step of Newton's method from it, in dual arithmetic.

At a solution x of g(x, p) = 0 the step x - H^-1 g(x, p), with the Hessian H = dg/dx, has the derivative -H^-1 dg/dp by
what the gradient g depends on, which is that of the solution (implicit function theorem; Griewank and Walther,
Evaluating Derivatives, 2008, chapter 15). It does not depend on how the solution was found: the iterations of a method
are never differentiated. Here g is the gradient of the primal problem, M (qacc - qacc_smooth) - J' force
(`method/descent.py`).
"""

from conjoint.lang import kernel, lanes_max, minimum, stop_gradient
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.solver.cost import prepare, store_forces, update
from conjoint.solver.linear.dense import clear, padded, stride_of
from conjoint.solver.linear.hessian import DENSE, block_count, end_dof, first_dof, same_row
from conjoint.solver.method.dofs import newton_direction


@kernel
def factor_solution(m, d):
    """Factorize the Hessian at the solution qacc, into `solver_L` and `solver_pivot`."""
    n = lanes_max(d.nefc)
    if n > 0:
        DENSE.load(m, d, n, n)
        prepare(m, d, n, n, same_row)
        find_residuals(m, d, n)
        update(m, d, n)
        clear(d.solver_grad, 0, m.nv)
        newton_direction(m, d, n, 0, d.nefc > 0)


@kernel
def find_residuals(m, d, n):
    """solver_jar := J qacc - aref at the solution, which counts as a constant."""
    for r in range(n):
        s = -d.efc_aref[r]
        for i in range(m.nv):
            s = s + d.efc_J[r, i] * stop_gradient(d.qacc[i])
        d.solver_jar[r] = s
    clear(d.solver_jar, n, padded(n) - n)


@kernel(per_world=True)
def differentiate_solution(m, d):
    """Tangents of qacc, qfrc_constraint and efc_force, where `factor_solution` has factorized the Hessian."""
    n = d.nefc
    if n == 0:
        for i in range(m.nv):
            d.qacc[i] = d.qacc_smooth[i]
            d.qfrc_constraint[i] = 0.0
        return
    prepare(m, d, n, n, same_row)
    find_residuals(m, d, n)
    update(m, d, n)
    # minus the gradient, by what it depends on
    for i in range(m.nv):
        d.solver_search[i] = stop_gradient(d.qacc[i])
    mul_M(m, d, d.solver_Ma, d.solver_search)
    for i in range(m.nv):
        d.solver_grad[i] = d.qfrc_smooth[i] - d.solver_Ma[i]
    add_forces(m, d, n, d.solver_grad)
    solve_factored(m, d, d.solver_grad)
    for i in range(m.nv):
        step = d.solver_grad[i]
        d.qacc[i] = stop_gradient(d.qacc[i]) + (step - stop_gradient(step))
    # forces at the solution that moves
    for r in range(n):
        s = d.solver_jar[r]
        for i in range(m.nv):
            step = d.qacc[i]
            s = s + stop_gradient(d.efc_J[r, i]) * (step - stop_gradient(step))
        d.solver_jar[r] = s
    store_forces(m, d, n, n, same_row)
    for i in range(m.nv):
        d.qfrc_constraint[i] = 0.0
    add_forces(m, d, n, d.qfrc_constraint)


@kernel
def add_forces(m, d, n, result):
    """result += J' times the forces of the rows."""
    for r in range(n):
        force = d.solver_force[r]
        for i in range(m.nv):
            result[i] = result[i] + d.efc_J[r, i] * force


@kernel
def solve_factored(m, d, x):
    """x := the solution for the right-hand side x, with the factor of the Hessian in `solver_L`."""
    blocks = block_count(m)
    stride = stride_of(m.nv + 1)
    for row in range(blocks - 1, -1, -1):
        for k in range(end_dof(m, row) - 1, first_dof(row) - 1, -1):
            share = stop_gradient(d.solver_pivot[k]) * x[k]
            for column in range(row + 1):
                if column == row or d.solver_fill[row * blocks + column] != 0:
                    for c in range(first_dof(column), minimum(end_dof(m, column), k)):
                        x[c] = x[c] + stop_gradient(d.solver_L[k * stride + 1 + c]) * share
    for row in range(blocks):
        for k in range(first_dof(row), end_dof(m, row)):
            s = -x[k]
            for column in range(row + 1):
                if column == row or d.solver_fill[row * blocks + column] != 0:
                    for c in range(first_dof(column), minimum(end_dof(m, column), k)):
                        s = s + stop_gradient(d.solver_L[k * stride + 1 + c]) * x[c]
            x[k] = s * stop_gradient(d.solver_pivot[k])


@kernel
def find_offsets(m, d):
    """efc_b := J qacc_smooth - aref, what the dual cost has besides its matrix."""
    for r in range(d.nefc):
        s = -d.efc_aref[r]
        for i in range(m.nv):
            s = s + d.efc_J[r, i] * d.qacc_smooth[i]
        d.efc_b[r] = s
