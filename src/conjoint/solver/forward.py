"""Constraint stages of forward dynamics, one per method. Each saves its result for the next warm start."""

from dataclasses import dataclass, replace

from conjoint.lang import Group, kernel, minimum, shared, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import MOST_DENSE_ROWS, mjNISLAND
from conjoint.schema.enums import mjtImpulse, mjtSolver
from conjoint.solver.cones import ELLIPTIC, elliptic, leave_cones_out
from conjoint.solver.cost import UNBOUNDED
from conjoint.solver.method.descent import Space, descend
from conjoint.solver.method.dofs import CONJUGATE, CONJUGATE_BRANCHED, CONJUGATE_COMPRESSED, NEWTON
from conjoint.solver.method.dual import motion_of_forces
from conjoint.solver.method.editions import EDITIONS, Edition
from conjoint.solver.method.newton_blocks import BLOCKS
from conjoint.solver.method.newton_paths import PATHS
from conjoint.solver.method.newton_rows import ROWS
from conjoint.solver.method.pgs import find_forces

LEAST_SOFTNESS = 1e-9
"""Smallest ratio of a row's regularization to the inverse mean inertia for which A + R distinguishes similar rows."""


@dataclass(frozen=True)
class Spaces(Group):
    """Spaces in which a method iterates.

    Attributes:
        dofs: the space for most worlds.
        rows: the space for worlds with few rows and no cone; None if `dofs` serves these worlds, too.
    """

    dofs: Space
    rows: Space | None = None


@kernel
def solve_newton(m, d, spaces):
    """Compute constrained acceleration and constraint forces by Newton's method (mj_fwdConstraint)."""
    begin(m, d)
    descend_in(m, d, d.nefc, spaces)
    end(m, d)


@kernel
def solve_conjugate(m, d, spaces):
    """Compute constrained acceleration and constraint forces by conjugate gradients (mj_fwdConstraint)."""
    begin(m, d)
    descend_in(m, d, d.nefc, spaces)
    end(m, d)


@kernel
def solve_pgs(m, d, pgs):
    """Compute constraint forces by projected Gauss-Seidel (mj_fwdConstraint)."""
    begin(m, d)
    find_forces(m, d, pgs)


@kernel
def descend_in(m, d, count, spaces):
    """Minimize the primal cost in the worlds that have rows.

    Newton's iterates are the same in the space of rows and in the space of dofs, so each world uses the smaller space.
    """
    if spaces.rows:
        few = (count <= minimum(m.nv, MOST_DENSE_ROWS)) & (softness(m, d, count) > LEAST_SOFTNESS)
        if elliptic(m):
            # the rows of a cone act together
            few = few & (not has_cone(d, count))
        in_rows = where(few, count, 0)
        if elliptic(m):
            leave_cones_out(d, fullest(in_rows))
        descend(m, d, in_rows, spaces.rows)
        count = where(few & (d.rows.lost == 0), 0, count)
    descend(m, d, count, spaces.dofs)


@kernel
def finish_dual(m, d, J):
    """Compute accelerations from the forces of a dual solver (mj_fwdConstraint)."""
    motion_of_forces(m, d, J)
    end(m, d)


@kernel
def begin(m, d):
    """Initialize the solver's statistics, and set the result of worlds without constraints."""
    if d.nefc == 0:
        d.solver_niter[0] = 0
    for k in range(1, mjNISLAND):
        d.solver_niter[k] = 0
    shared(begin_share, m, d, m.nshare)
    # number of elements of the matrix that the method factorizes or sweeps over
    nnz = 0
    if m.opt.solver == mjtSolver.mjSOL_NEWTON:
        nnz = nnz + m.nv * m.nv
    elif m.opt.solver == mjtImpulse.mjIMP_DIAGONAL:
        nnz = nnz + d.nefc
    elif m.opt.solver != mjtSolver.mjSOL_CG:
        nnz = d.nefc * d.nefc
    d.solver_nnz[0] = where(d.nefc > 0, nnz, where(d.nonzeros_pending > 0, 0, d.solver_nnz[0]))
    # for compressed rows the number differs and is counted on demand
    due = 0
    if m.compressed and (m.opt.solver == mjtSolver.mjSOL_NEWTON or m.opt.solver == mjtSolver.mjSOL_PGS):
        due = 1
    d.nonzeros_pending = where(d.nefc > 0, due, 0)


@kernel
def begin_share(m, d, s):
    """Set forces and accelerations to their values without constraints, in share s of the work on a world."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qfrc_constraint[i] = 0.0
        d.qacc[i] = d.qacc_smooth[i]


@kernel
def end(m, d):
    """Replace negative zeros in the solution with zeros, and save the solution for the next warm start."""
    # the sign of a zero may be due to rows of other worlds
    for r in range(d.nefc):
        d.efc_force[r] = unsigned_zero(d.efc_force[r])
    shared(end_share, m, d, m.nshare)


@kernel
def end_share(m, d, s):
    """Replace negative zeros in the solution with zeros, and save the solution, in share s of the work on a world."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.qfrc_constraint[i] = unsigned_zero(d.qfrc_constraint[i])
        d.qacc[i] = unsigned_zero(d.qacc[i])
        d.qacc_warmstart[i] = d.qacc[i]


@kernel
def unsigned_zero(x):
    """Return x; if x is a negative zero, return zero."""
    return where(x == 0.0, 0.0, x)


@kernel
def softness(m, d, count):
    """Return the smallest regularization of the first `count` rows, relative to the inverse mean inertia.

    Conflicting rows that are far stiffer than the inertia they act on have huge forces that cancel. In sums of these
    forces, the remaining motion is lost to rounding.
    """
    least = UNBOUNDED
    for r in range(count):
        least = minimum(least, d.efc_R[r])
    return least * m.stat.meaninertia


@kernel
def has_cone(d, count):
    """Return True if some of the first `count` rows belong to an elliptic contact."""
    found = False
    for r in range(count):
        found = found | (d.efc_type[r] == ELLIPTIC)
    return found


def spaces_in(edition: Edition, dofs: Space, rows: Space | None = None) -> Spaces:
    """Return the spaces `dofs` and `rows` with the rules of the given edition."""
    return Spaces(replace(dofs, edition=edition), rows and replace(rows, edition=edition))


NEWTONS = tuple(
    (spaces_in(edition, NEWTON, ROWS), spaces_in(edition, BLOCKS), spaces_in(edition, PATHS, ROWS))
    for edition in EDITIONS
)
CONJUGATES = tuple(
    tuple(spaces_in(edition, dofs) for dofs in (CONJUGATE, CONJUGATE_COMPRESSED, CONJUGATE_BRANCHED))
    for edition in EDITIONS
)
"""Spaces of the conjugate gradient method by edition: for dense rows, compressed rows, and branches of large trees.

`NEWTONS` contains the spaces of Newton's method. Both are arguments of `runtime.stage.by_storage_and_edition`.
"""
