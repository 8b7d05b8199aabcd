"""Nonlinear conjugate gradients with the Polak-Ribiere-plus formula (Computation chapter, CG), preconditioned by M.

See Nocedal and Wright, Numerical Optimization (2006), section 5.2.
"""

from conjoint.lang import kernel, maximum, where
from conjoint.physics.inertia_matrix.factors import solve_LTDL
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.linear.compressed import COMPRESSED
from conjoint.solver.linear.rows import DENSE
from conjoint.solver.method.dofs import space_of_dofs


@kernel
def conjugate_direction(m, d, n, iteration, active):
    """solver_search := minus M^-1 gradient, plus a share of the direction before; see `Space`.

    `solver_product` is the gradient times M^-1 gradient of the iteration before, `solver_Mgrad` that M^-1 gradient.
    """
    for i in range(m.nv):
        d.solver_column[i] = d.solver_grad[i]
    solve_LTDL(m, d.qLD, d.qLDiagInv, d.solver_column, 0, 0, m.nv)
    product = 0.0
    change = 0.0
    for i in range(m.nv):
        new = d.solver_column[i]
        product = product + d.solver_grad[i] * new
        if iteration > 0:
            change = change + d.solver_grad[i] * (new - d.solver_Mgrad[i])
    share = 0.0
    if iteration > 0:
        share = where(change > 0.0, change / maximum(d.solver_product, mjMINVAL), 0.0)
    d.solver_product = product
    for i in range(m.nv):
        new = d.solver_column[i]
        d.solver_Mgrad[i] = new
        if iteration > 0:
            d.solver_search[i] = share * d.solver_search[i] - new
        else:
            d.solver_search[i] = -new


CONJUGATE = space_of_dofs(conjugate_direction, DENSE)
CONJUGATE_COMPRESSED = space_of_dofs(conjugate_direction, COMPRESSED)
