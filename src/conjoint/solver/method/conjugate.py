"""Nonlinear conjugate gradients with the Polak-Ribiere-plus formula (Computation chapter, CG), preconditioned by M.

See Nocedal and Wright, Numerical Optimization (2006), section 5.2.
"""

from conjoint.lang import kernel, maximum, where
from conjoint.physics.factors import solve_LTDL
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.linear.compressed import (
    gather_compressed,
    gather_compressed_sizes,
    list_compressed,
    times_compressed,
)
from conjoint.solver.linear.rows import gather_forces, gather_sizes, load_rows, times_rows
from conjoint.solver.method.primal import descend, start_cheaper


@kernel
def conjugate_gradient(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds where `count`, their number of rows, is not zero."""
    descend(m, d, count, conjugate_direction, load_rows, times_rows, gather_forces, gather_sizes, start_cheaper)


@kernel(per_world=True)
def conjugate_compressed(m, d, count):
    """The same for compressed rows."""
    descend(
        m, d, count, conjugate_direction, list_compressed, times_compressed, gather_compressed, gather_compressed_sizes,
        start_cheaper,
    )  # fmt: skip


@kernel
def conjugate_direction(m, d, n, iteration, memory):
    """solver_search := minus M^-1 gradient, plus a share of the direction before.

    `memory` is the gradient times M^-1 gradient of the iteration before, `solver_Mgrad` that M^-1 gradient.
    """
    for i in range(m.nv):
        d.solver_column[i] = d.solver_grad[i] + 0.0
    solve_LTDL(m, d.qLD, d.qLDiagInv, d.solver_column, 0)
    product = 0.0
    change = 0.0
    for i in range(m.nv):
        new = d.solver_column[i]
        product = product + d.solver_grad[i] * new
        if iteration > 0:
            change = change + d.solver_grad[i] * (new - d.solver_Mgrad[i])
    share = where(change > 0.0, change / maximum(memory, mjMINVAL), 0.0)
    for i in range(m.nv):
        new = d.solver_column[i]
        d.solver_Mgrad[i] = new
        if iteration > 0:
            d.solver_search[i] = share * d.solver_search[i] - new
        else:
            d.solver_search[i] = -new
    return product
