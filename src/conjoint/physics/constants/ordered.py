"""Products and solves for model constants, with sums in MuJoCo's order.

Constraints are scaled by these constants. The force of an extreme constraint, such as 1e10, depends on the last bit of
these constants. Therefore their stages are compiled without reordering (`EXACT_WORLD`), and sums follow MuJoCo: four
interleaved partial sums, combined as (0 + 2) + (1 + 3).
"""

from conjoint.lang import kernel, maximum, minimum, put, tile
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import solve_transposed


@kernel
def product_in_order(m, a, b, first, end):
    """Return the scalar product of two fields of nv reals, one of which is zero outside the dofs [first, end)."""
    whole = m.nv - m.nv % 4
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(first, minimum(end, whole)):
        s0, s1, s2, s3 = add_to_fourth(i, a[i] * b[i], s0, s1, s2, s3)
    rest = 0.0
    for i in range(maximum(first, whole), end):
        rest = rest + a[i] * b[i]
    return ((s0 + s2) + (s1 + s3)) + rest


@kernel
def add_to_fourth(i, term, s0, s1, s2, s3):
    """Add the term with index i to one of four partial sums, chosen by i modulo 4, and return the sums."""
    if i % 4 == 0:
        return s0 + term, s1, s2, s3
    if i % 4 == 1:
        return s0, s1 + term, s2, s3
    if i % 4 == 2:
        return s0, s1, s2 + term, s3
    return s0, s1, s2, s3 + term


@kernel
def solve_in_order(m, d, x, first, end):
    """Replace x by inv(M) x for the dofs [first, end), which are those of whole trees, after mj_factorM."""
    solve_transposed(m, d.qLD, x, 0, first, end)
    for i in range(first, end):
        x[i] = x[i] * d.qLDiagInv[i]
    for i in range(first, end):
        row = m.M_rowadr[i]
        above = m.M_rownnz[i] - 1
        whole = above - above % 4
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for k in range(row, row + whole, 4):
            s0 = s0 + d.qLD[k] * x[m.M_colind[k]]
            s1 = s1 + d.qLD[k + 1] * x[m.M_colind[k + 1]]
            s2 = s2 + d.qLD[k + 2] * x[m.M_colind[k + 2]]
            s3 = s3 + d.qLD[k + 3] * x[m.M_colind[k + 3]]
        known = (s0 + s2) + (s1 + s3)
        for k in range(row + whole, row + above):
            known = known + d.qLD[k] * x[m.M_colind[k]]
        x[i] = x[i] - known


@kernel
def list_chain(m, d, i):
    """Set chain.dof to dof i and its ancestors in ascending order, and return their number."""
    count = 0
    j = i
    while j >= 0:
        count += 1
        j = m.dof_parentid[j]
    k = count - 1
    j = i
    while j >= 0:
        d.chain.dof[k] = j
        k -= 1
        j = m.dof_parentid[j]
    return count


@kernel
def solve_chain(m, d, count):
    """Set chain.response to inv(M) chain.force for eight forces side by side, on the dofs of a chain.

    The forces act on the chain only, and only its accelerations are computed, which do not depend on other dofs.
    """
    for t in range(count):
        put(d.chain.response, TILE * t, tile(d.chain.force, TILE * t))
    # the row of an ancestor contains the chain up to that ancestor, or only its diagonal
    for t in range(count - 1, -1, -1):
        row = m.M_rowadr[d.chain.dof[t]]
        x = tile(d.chain.response, TILE * t)
        for c in range(m.M_rownnz[d.chain.dof[t]] - 1):
            put(d.chain.response, TILE * c, tile(d.chain.response, TILE * c) - d.qLD[row + c] * x)
    for t in range(count):
        put(d.chain.response, TILE * t, tile(d.chain.response, TILE * t) * d.qLDiagInv[d.chain.dof[t]])
    for t in range(count):
        row = m.M_rowadr[d.chain.dof[t]]
        above = m.M_rownnz[d.chain.dof[t]] - 1
        whole = above - above % 4
        s0, s1, s2, s3 = tile(0.0), tile(0.0), tile(0.0), tile(0.0)
        for c in range(0, whole, 4):
            s0 = s0 + d.qLD[row + c] * tile(d.chain.response, TILE * c)
            s1 = s1 + d.qLD[row + c + 1] * tile(d.chain.response, TILE * (c + 1))
            s2 = s2 + d.qLD[row + c + 2] * tile(d.chain.response, TILE * (c + 2))
            s3 = s3 + d.qLD[row + c + 3] * tile(d.chain.response, TILE * (c + 3))
        known = (s0 + s2) + (s1 + s3)
        for c in range(whole, above):
            known = known + d.qLD[row + c] * tile(d.chain.response, TILE * c)
        put(d.chain.response, TILE * t, tile(d.chain.response, TILE * t) - known)


@kernel
def chain_products(m, d, count):
    """Return a tile with the scalar products of eight forces and their accelerations."""
    whole = m.nv - m.nv % 4
    s0, s1, s2, s3, rest = tile(0.0), tile(0.0), tile(0.0), tile(0.0), tile(0.0)
    for t in range(count):
        term = tile(d.chain.force, TILE * t) * tile(d.chain.response, TILE * t)
        if d.chain.dof[t] < whole:
            s0, s1, s2, s3 = add_to_fourth(d.chain.dof[t], term, s0, s1, s2, s3)
        else:
            rest = rest + term
    return ((s0 + s2) + (s1 + s3)) + rest
