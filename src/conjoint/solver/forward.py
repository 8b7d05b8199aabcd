"""The constraint stage of forward dynamics: choose a solver, run it, keep its result for the next warm start."""

from conjoint.lang import any, kernel, lanes_max, minimum, where
from conjoint.schema.enums import mjtSolver
from conjoint.solver.newton_dofs import newton_dofs
from conjoint.solver.newton_rows import newton_rows
from conjoint.solver.pgs import pgs

MOST_ROWS = 48
"""Rows up to which their dense matrix is no more work than the sparse Hessian (see `schema.memory.data_layout`)."""


@kernel
def fwd_constraint(m, d):
    """Constrained acceleration and constraint forces (mj_fwdConstraint)."""
    # without constraints
    d.solver_niter[0] = where(d.nefc > 0, d.solver_niter[0], 0)
    for i in range(m.nv):
        d.qfrc_constraint[i] = 0.0
        d.qacc[i] = d.qacc_smooth[i] + 0.0
    if any(d.nefc > 0):
        d.solver_nnz[0] = where(d.nefc > 0, m.nv * m.nv, d.solver_nnz[0])
        if m.opt.solver == mjtSolver.mjSOL_PGS:
            pgs(m, d, d.nefc)
        else:
            newton(m, d)
    # the sign of a zero may come from rows that other worlds have
    for r in range(lanes_max(d.nefc)):
        d.efc_force[r] = unsigned_zero(d.efc_force[r])
    for i in range(m.nv):
        d.qfrc_constraint[i] = unsigned_zero(d.qfrc_constraint[i])
        d.qacc[i] = unsigned_zero(d.qacc[i])
        # start of the next solution
        d.qacc_warmstart[i] = d.qacc[i] + 0.0


@kernel
def unsigned_zero(x):
    """x, a zero without its sign."""
    return where(x == 0.0, 0.0, x)


@kernel
def newton(m, d):
    """Newton's iterates are the same in the space of rows and in that of dofs: each world takes the smaller."""
    few = d.nefc <= minimum(m.nv, MOST_ROWS)
    in_dofs = where(few, 0, d.nefc)
    in_rows = where(few, d.nefc, 0)
    if any(in_dofs > 0):
        newton_dofs(m, d, in_dofs)
    if any(in_rows > 0):
        newton_rows(m, d, in_rows)
