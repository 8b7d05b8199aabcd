"""Newton's method in the space of dofs (Computation chapter, Newton)."""

from conjoint.lang import any, kernel
from conjoint.solver.cost.cone_hessian import add_cones
from conjoint.solver.cost.total import elliptic
from conjoint.solver.linear.dense import clear
from conjoint.solver.linear.hessian import add_outer_product, begin_hessian, factorize_hessian, substitute_hessian
from conjoint.solver.linear.rows import gather_forces, gather_sizes, load_rows, times_rows
from conjoint.solver.method.primal import descend, start_cheaper


@kernel
def newton_dofs(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds where `count`, their number of rows, is not zero."""
    descend(m, d, count, newton_direction, load_rows, times_rows, gather_forces, gather_sizes, start_cheaper)


@kernel
def newton_direction(m, d, n, iteration, memory):
    """solver_search := minus the gradient over the Hessian, which has the rows that are springs now."""
    if iteration == 0 or elliptic(m):
        begin_hessian(m, d)
        clear(d.solver_mask, 0, n)
    for r in range(n):
        change = d.solver_spring[r] - d.solver_mask[r]
        if any(change != 0.0):
            d.solver_mask[r] = d.solver_spring[r] + 0.0
            add_outer_product(m, d, r, change)
    if elliptic(m):
        add_cones(m, d, n)
    factorize_hessian(m, d)
    substitute_hessian(m, d)
    return memory
