"""Implicit integration in velocity: solves with M - h D, where D is the derivative of smooth forces.

With D = qDeriv, the acceleration of a step satisfies (M - h D) acc = forces (Computation chapter, Numerical
Integration). The matrix has an element for every dof and each of its ancestors. Elimination from the leaves has no
fill-in, because it changes only elements that exist in the rows of ancestors. `implicitfast` uses only the lower
triangle, in the order of M, and factors it like M. Standalone free bodies have their own rows, as with `implicit` (see
`derivative.standalone`).
"""

from conjoint.lang import kernel
from conjoint.physics.derivative.standalone import SIZE, element, is_standalone, solve_standalone, times_standalone
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.physics.inertia_matrix.factors import factor_LTDL, solve_factors, solve_M
from conjoint.physics.integration.integrate import advance_state, implicit_damping, sum_forces
from conjoint.schema.enums import mjtIntegrator


@kernel
def factor_implicit(m, d):
    """Compute qLU, the factors of M - h qDeriv."""
    for a in range(m.nD):
        d.qLU[a] = element(m, d, a)
    factor_LU(m, d.qLU)


@kernel
def factor_implicitfast(m, d):
    """Compute qH and qHDiagInv, the factors of the lower triangle of M - h qDeriv, with the sparsity of M."""
    for a in range(m.nC):
        d.qH[a] = d.M[a] - m.opt.timestep * d.qDeriv[m.mapD2M[m.mapM2M[a]]]
    for j in range(m.njnt):
        if is_standalone(m, j):
            symmetrize(m, d, m.jnt_dofadr[j])
    factor_LTDL(m, d, d.qH, d.qHDiagInv)


@kernel
def symmetrize(m, d, first):
    """Compute the rows of qH of a standalone body, which start at dof `first`, from the symmetric part of qDeriv."""
    for i in range(first, first + SIZE):
        for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            lower = m.mapD2M[m.mapM2M[a]]
            upper = m.D_rowadr[m.M_colind[a]] + i - first
            d.qH[a] = d.M[a] - m.opt.timestep * (0.5 * (d.qDeriv[lower] + d.qDeriv[upper]))


@kernel
def implicit(m, d):
    """Advance one step with the factors of `factor_implicit` (mj_implicit)."""
    sum_forces(m, d, 0, m.nv)
    solve_LU(m, d.qLU, d.advance_acc)
    advance_state(m, d)


@kernel
def implicitfast(m, d):
    """Advance one step with the factors of `factor_implicitfast` (mj_implicit)."""
    sum_forces(m, d, 0, m.nv)
    solve_factors(m, d, d.qH, d.qHDiagInv, d.advance_acc)
    for j in range(m.njnt):
        if is_standalone(m, j):
            first = m.jnt_dofadr[j]
            sum_forces(m, d, first, first + SIZE)
            solve_standalone(m, d, j, d.advance_acc)
    advance_state(m, d)


@kernel
def factor_LU(m, factor):
    """Factorize a matrix with the sparsity of D in place: A = (1 + U) L, U above the diagonal and L on and below it."""
    for k in range(m.nv - 1, -1, -1):
        row = m.D_rowadr[k]
        diagonal = row + m.D_diag[k]
        inverse = 1.0 / factor[diagonal]
        # rows of the ancestors of dof k, nearest first; they contain all columns that remain in row k
        for a in range(diagonal - 1, row - 1, -1):
            i = m.D_colind[a]
            target = m.D_rowadr[i]
            place = target + m.D_diag[i] + k - i
            scale = factor[place] * inverse
            factor[place] = scale
            # both rows begin with dof i and its ancestors; row k continues with the dofs between i and k
            common = m.D_diag[i] + 1
            for c in range(common):
                factor[target + c] = factor[target + c] - scale * factor[row + c]
            for c in range(common, m.D_diag[k]):
                at = target + m.D_diag[i] + m.D_colind[row + c] - i
                factor[at] = factor[at] - scale * factor[row + c]


@kernel
def solve_LU(m, factor, x):
    """Replace x, a field of nv elements, by A^-1 x, with the factors of `factor_LU`."""
    # from the leaves: U, above the diagonal
    for k in range(m.nv - 1, -1, -1):
        row = m.D_rowadr[k]
        for a in range(row, row + m.D_diag[k]):
            i = m.D_colind[a]
            x[i] = x[i] - factor[m.D_rowadr[i] + m.D_diag[i] + k - i] * x[k]
    # from the roots: L, on and below the diagonal
    for k in range(m.nv):
        row = m.D_rowadr[k]
        s = x[k]
        for a in range(row, row + m.D_diag[k]):
            s = s - factor[a] * x[m.D_colind[a]]
        x[k] = s / factor[row + m.D_diag[k]]


@kernel
def discrete_acceleration(m, d, dampers):
    """Convert the discrete-time acceleration in qacc to the continuous-time one from which the integrator would start.

    The two satisfy M continuous = (M - h D) discrete. For Euler, -D has the slopes of joint dampers.
    """
    if m.opt.integrator == mjtIntegrator.mjINT_EULER and not implicit_damping(m, d, dampers):
        return
    mul_M(m, d, d.qacc, d.inverse_acc)
    if m.opt.integrator == mjtIntegrator.mjINT_EULER:
        for i in range(m.nv):
            d.qacc[i] = d.qacc[i] + m.opt.timestep * dampers.slope(m, d, i) * d.inverse_acc[i]
    elif m.opt.integrator == mjtIntegrator.mjINT_IMPLICIT:
        subtract_slopes(m, d, d.inverse_acc, d.qacc)
    else:
        subtract_triangle_of_slopes(m, d, d.inverse_acc, d.qacc)
        for j in range(m.njnt):
            if is_standalone(m, j):
                times_standalone(m, d, j, d.inverse_acc, d.qacc, element)
    solve_M(m, d, d.qacc)


@kernel
def subtract_slopes(m, d, x, result):
    """Compute result := result - h qDeriv x."""
    for i in range(m.nv):
        for a in range(m.D_rowadr[i], m.D_rowadr[i] + m.D_rownnz[i]):
            result[i] = result[i] - m.opt.timestep * d.qDeriv[a] * x[m.D_colind[a]]


@kernel
def subtract_triangle_of_slopes(m, d, x, result):
    """Compute result := result - h S x, where the symmetric matrix S has the lower triangle of qDeriv."""
    for i in range(m.nv):
        last = m.M_rowadr[i] + m.M_rownnz[i] - 1
        for a in range(m.M_rowadr[i], last + 1):
            j = m.M_colind[a]
            change = m.opt.timestep * d.qDeriv[m.mapD2M[m.mapM2M[a]]]
            result[i] = result[i] - change * x[j]
            if a < last:
                result[j] = result[j] - change * x[i]
