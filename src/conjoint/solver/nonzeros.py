"""solver_nnz of Newton's method with compressed rows: elements of the Hessian M + J' D J and of its Cholesky factor.

The solver has blocks of dofs (`linear.sparsity`), in which some numbers are always zero; what is counted here are the
numbers that follow from the structure of M and J alone. Elimination goes from the last dof to the first. Column c of
the factor has those rows that are reached from the rows of column c of the Hessian on the way to the root of the
elimination tree (Davis, Direct Methods for Sparse Linear Systems, 2006, ch. 4). Nothing in a step depends on it: it is
counted when somebody reads it, and from then on with each solution, since whoever asked holds the array.
"""

from conjoint.lang import kernel
from conjoint.physics.status import NONZEROS_ASKED
from conjoint.schema.constants import mjNISLAND
from conjoint.solver.cost.total import elliptic

NOBODY, ALWAYS = range(2)
"""Who asks for it (`nonzeros_asked`): nobody; somebody who holds the array."""


@kernel(per_world=True)
def nonzeros_wanted(m, d):
    """Stop if solver_nnz shall be counted here."""
    if d.nonzeros_asked == ALWAYS and d.nonzeros_due != 0:
        return NONZEROS_ASKED
    return 0


@kernel(per_world=True)
def count_nonzeros(m, d, work):
    """Count what is due: solver_nnz, of the whole world or of each island.

    Args:
        m: model.
        d: data.
        work: room for 5 nv + 2 + nJ + nC integers.
    """
    if d.nonzeros_due != 0:
        d.nonzeros_due = 0
        list_columns(m, d, work)
        by_island = d.nisland > 0 and m.opt.noslip_iterations == 0
        for k in range(mjNISLAND):
            d.solver_nnz[k] = 0
        for c in range(m.nv):
            work[parents(m) + c] = -1
            work[marks(m) + c] = -1
            work[marks(m) + m.nv + c] = -1
        for c in range(m.nv - 1, -1, -1):
            k = d.dof_island[c] if by_island else 0
            if k >= 0 and k < mjNISLAND:
                d.solver_nnz[k] = d.solver_nnz[k] + count_column(m, d, work, c)
        if by_island:
            for k in range(d.nisland):
                if k < mjNISLAND:
                    # where the elements of M end: officially those of the islands before it count as well
                    last = d.island_idofadr[k] + d.island_nv[k] - 1
                    d.solver_nnz[k] = d.solver_nnz[k] + d.iM_rowadr[last] + d.iM_rownnz[last]
        else:
            d.solver_nnz[0] = d.solver_nnz[0] + m.nC


@kernel(per_world=True)
def count_column(m, d, work, c):
    """Elements of column c of J' D J, not above the diagonal, and of the factor; of two factors if there are cones."""
    coupled = 0
    reached = 1
    seen = marks(m)
    passed = marks(m) + m.nv
    work[passed + c] = c
    for a in range(work[c], work[c + 1]):
        r = work[lists(m) + a]
        k = d.efc_J_rowadr[r] + d.efc_J_rownnz[r] - 1
        while k >= d.efc_J_rowadr[r] and d.efc_J_colind[k] >= c:
            s = d.efc_J_colind[k]
            if work[seen + s] != c:
                work[seen + s] = c
                coupled += 1
                reached += pass_ancestors(m, work, passed, s, c)
            k -= 1
    below = m.nv + 1
    for a in range(work[below + c], work[below + c + 1]):
        reached += pass_ancestors(m, work, passed, work[lists(m) + d.nJ + a], c)
    return coupled + (2 if elliptic(m) else 1) * reached


@kernel(per_world=True)
def pass_ancestors(m, work, passed, s, c):
    """Dofs from s on towards the root of the elimination tree that column c has not passed; c ends its way."""
    count = 0
    i = s
    while work[passed + i] != c:
        work[passed + i] = c
        count += 1
        if work[parents(m) + i] < 0:
            work[parents(m) + i] = c
        i = work[parents(m) + i]
    return count


@kernel
def parents(m):
    """Where the elimination tree begins in the room for work."""
    return 2 * (m.nv + 1)


@kernel
def marks(m):
    """Where marks begin: of each dof the last column that it was seen in, then the last one that has passed it."""
    return 3 * m.nv + 2


@kernel
def lists(m):
    """Where the rows by column begin: those of J, then those of M below its diagonal."""
    return 5 * m.nv + 2


@kernel(per_world=True)
def list_columns(m, d, work):
    """The rows of J, one of neighbours that have the same columns, and those of M, by column.

    At the beginning of the room for work stands where the rows of J of each column begin, then where those of M do.
    """
    below = m.nv + 1
    for k in range(2 * below):
        work[k] = 0
    for r in range(d.nefc):
        if d.efc_J_rowsuper[r] == 0:
            for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
                c = d.efc_J_colind[a]
                work[c] = work[c] + 1
    for i in range(m.nv):
        for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
            c = m.M_colind[a]
            work[below + c] = work[below + c] + 1
    # where each column ends; filling them from behind leaves where they begin
    for c in range(1, below):
        work[c] = work[c] + work[c - 1]
        work[below + c] = work[below + c] + work[below + c - 1]
    for r in range(d.nefc):
        if d.efc_J_rowsuper[r] == 0:
            for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
                c = d.efc_J_colind[a]
                work[c] = work[c] - 1
                work[lists(m) + work[c]] = r
    for i in range(m.nv):
        for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
            c = m.M_colind[a]
            work[below + c] = work[below + c] - 1
            work[lists(m) + d.nJ + work[below + c]] = i
