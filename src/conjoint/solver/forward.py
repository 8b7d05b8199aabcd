"""The constraint stage of forward dynamics: choose a solver, run it, keep its result for the next warm start."""

from conjoint.lang import kernel, lanes_max, minimum, where
from conjoint.schema.enums import mjtSolver
from conjoint.solver.newton_dofs import newton_dofs
from conjoint.solver.newton_rows import newton_rows
from conjoint.solver.pgs import pgs

MOST_ROWS = 48
"""Rows up to which their dense matrix is no more work than the sparse Hessian (see `schema.memory.data_layout`)."""


@kernel
def fwd_constraint(m, d):
    """Constrained acceleration and constraint forces (mj_fwdConstraint)."""
    n = lanes_max(d.nefc)
    if n == 0:
        # no constraints
        d.solver_niter[0] = d.nefc
        for i in range(m.nv):
            d.qfrc_constraint[i] = 0.0
            d.qacc[i] = d.qacc_smooth[i] + 0.0
    else:
        d.solver_nnz[0] = where(d.nefc > 0, m.nv * m.nv, d.solver_nnz[0])
        # Newton's iterates are the same in the space of rows and in that of dofs: take the smaller
        if m.opt.solver == mjtSolver.mjSOL_PGS:
            pgs(m, d, n)
        elif n <= minimum(m.nv, MOST_ROWS):
            newton_rows(m, d, n)
        else:
            newton_dofs(m, d, n)
    # start of the next solution
    for i in range(m.nv):
        d.qacc_warmstart[i] = d.qacc[i] + 0.0
