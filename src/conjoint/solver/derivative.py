"""Derivative of the solver's solution: one more Newton step from the solution, in dual arithmetic.

At a solution x of g(x, p) = 0, the step x - H^-1 g(x, p), with the Hessian H = dg/dx, has the derivative -H^-1 dg/dp.
This is the derivative of the solution (implicit function theorem; Griewank and Walther, Evaluating Derivatives, 2008,
chapter 15). It does not depend on the method: iterations are never differentiated. Here g is the gradient of the primal
problem, M qacc - qfrc_smooth - J' force (`method/descent.py`), at a constant qacc; the values of g are zero.

Each part of g is computed by its own stage, so a differentiation pass skips the parts that do not change. M and J do
not depend on velocities, and rows do not depend on controls.
"""

from conjoint.lang import change, kernel, minimum, stop_gradient
from conjoint.physics.dynamics.bias import inertial_forces
from conjoint.physics.row_storage import fullest
from conjoint.solver.cost import prepare, store_forces, update
from conjoint.solver.linear.dense import clear, padded, stride_of
from conjoint.solver.linear.hessian import DENSE, block_count, end_dof, first_dof, same_row
from conjoint.solver.method.dofs import NEWTON, newton_direction


@kernel
def factor_solution(m, d):
    """Factorize the Hessian at the solution qacc, into `hessian.L` and `hessian.pivot`."""
    n = fullest(d.nefc)
    if n > 0:
        DENSE.load(m, d, n, n)
        prepare(m, d, n, n, same_row)
        find_residuals(m, d, n)
        update(m, d, n)
    clear(d.dofs.gradient, 0, m.nv)
    newton_direction(m, d, n, 0, d.nefc > 0, NEWTON)


@kernel
def find_residuals(m, d, n):
    """Compute cost.residual := J qacc - aref at the solution."""
    for r in range(n):
        s = -d.efc_aref[r]
        for i in range(m.nv):
            s = s + d.efc_J[r, i] * d.qacc[i]
        d.cost.residual[r] = s
    clear(d.cost.residual, n, padded(n) - n)


@kernel
def solved_acceleration(d, i):
    """Return qacc of dof i as a constant, without its tangents."""
    return stop_gradient(d.qacc[i])


@kernel
def differentiate_inertia(m, d):
    """Compute solution.Ma := M qacc, differentiated with respect to M."""
    inertial_forces(m, d, d.solution.Ma, solved_acceleration)


@kernel
def differentiate_jacobian(m, d):
    """Compute solution.Jacc := J qacc and solution.turned := J' force, differentiated with respect to J."""
    for i in range(m.nv):
        d.solution.turned[i] = 0.0
    for r in range(d.nefc):
        force = stop_gradient(d.cost.force[r])
        # two sums that do not depend on each other
        even = 0.0
        odd = 0.0
        for k in range(m.nv // 2):
            i = 2 * k
            a, b = d.efc_J[r, i], d.efc_J[r, i + 1]
            even = even + a * stop_gradient(d.qacc[i])
            odd = odd + b * stop_gradient(d.qacc[i + 1])
            d.solution.turned[i] = d.solution.turned[i] + a * force
            d.solution.turned[i + 1] = d.solution.turned[i + 1] + b * force
        if m.nv % 2 == 1:
            i = m.nv - 1
            even = even + d.efc_J[r, i] * stop_gradient(d.qacc[i])
            d.solution.turned[i] = d.solution.turned[i] + d.efc_J[r, i] * force
        d.solution.Jacc[r] = even + odd


@kernel
def differentiate_rows(m, d):
    """Compute solution.pushed := J' force at constant qacc, differentiated through residuals and stiffnesses."""
    n = d.nefc
    prepare(m, d, n, n, same_row)
    for r in range(n):
        d.cost.residual[r] = stop_gradient(d.cost.residual[r]) + (change(d.solution.Jacc[r]) - change(d.efc_aref[r]))
    clear(d.cost.residual, n, padded(n) - n)
    update(m, d, n)
    for i in range(m.nv):
        d.solution.pushed[i] = 0.0
    for r in range(n):
        if d.cost.force[r] != 0.0 or d.cost.stiffness[r] != 0.0:
            force = change(d.cost.force[r])
            for p in range(d.packed.count[r]):
                block = d.packed.block[r * block_count(m) + p]
                for i in range(first_dof(block), end_dof(m, block)):
                    d.solution.pushed[i] = d.solution.pushed[i] + stop_gradient(d.efc_J[r, i]) * force


@kernel
def differentiate_acceleration(m, d):
    """Compute tangents of qacc after `factor_solution` has factorized the Hessian."""
    for i in range(m.nv):
        rows = change(d.solution.turned[i]) + change(d.solution.pushed[i])
        d.solution.step[i] = change(d.qfrc_smooth[i]) - change(d.solution.Ma[i]) + rows
    solve_factored(m, d, d.solution.step)
    for i in range(m.nv):
        d.qacc[i] = stop_gradient(d.qacc[i]) + change(d.solution.step[i])


@kernel
def differentiate_forces(m, d):
    """Compute tangents of efc_force from the tangents of qacc."""
    n = d.nefc
    for r in range(n):
        s = d.cost.residual[r]
        for p in range(d.packed.count[r]):
            block = d.packed.block[r * block_count(m) + p]
            for i in range(first_dof(block), end_dof(m, block)):
                s = s + stop_gradient(d.efc_J[r, i]) * change(d.qacc[i])
        d.cost.residual[r] = s
    store_forces(m, d, n, n, same_row)


@kernel
def differentiate_joint_forces(m, d):
    """Compute tangents of qfrc_constraint."""
    for i in range(m.nv):
        d.qfrc_constraint[i] = 0.0
    for r in range(d.nefc):
        force = d.efc_force[r]
        for i in range(m.nv):
            d.qfrc_constraint[i] = d.qfrc_constraint[i] + d.efc_J[r, i] * force


@kernel
def solve_factored(m, d, x):
    """Solve a system with the factor of the Hessian in `hessian.L`; x is the right-hand side and is overwritten."""
    blocks = block_count(m)
    stride = stride_of(m.nv + 1)
    for row in range(blocks - 1, -1, -1):
        for k in range(end_dof(m, row) - 1, first_dof(row) - 1, -1):
            share = stop_gradient(d.hessian.pivot[k]) * x[k]
            for column in range(row + 1):
                if column == row or d.hessian.fill[row * blocks + column] != 0:
                    for c in range(first_dof(column), minimum(end_dof(m, column), k)):
                        x[c] = x[c] + stop_gradient(d.hessian.L[k * stride + 1 + c]) * share
    for row in range(blocks):
        for k in range(first_dof(row), end_dof(m, row)):
            s = -x[k]
            for column in range(row + 1):
                if column == row or d.hessian.fill[row * blocks + column] != 0:
                    for c in range(first_dof(column), minimum(end_dof(m, column), k)):
                        s = s + stop_gradient(d.hessian.L[k * stride + 1 + c]) * x[c]
            x[k] = s * stop_gradient(d.hessian.pivot[k])


@kernel
def find_offsets(m, d):
    """Compute efc_b := J qacc_smooth - aref, the linear term of the dual cost."""
    for r in range(d.nefc):
        s = -d.efc_aref[r]
        for i in range(m.nv):
            s = s + d.efc_J[r, i] * d.qacc_smooth[i]
        d.efc_b[r] = s


DIFFERENTIATED = (
    differentiate_inertia, differentiate_jacobian, differentiate_rows, differentiate_acceleration, differentiate_forces,
    differentiate_joint_forces,
)  # fmt: skip
"""Stages that replace the solver when a step is computed in dual numbers."""
