"""Columns of compressed rows of the constraint Jacobian: the dofs that a constraint may depend on.

Rows of a constraint share their columns, ascending: the dofs above the bodies or in the tendons that it is about
(`efc_J_rownnz`, `efc_J_rowadr`, `efc_J_colind`). Rows follow each other without gaps. Dense rows have all dofs.
"""

from conjoint.lang import kernel, maximum, minimum
from conjoint.physics.collision.flex.bodies import depth_of_contact
from conjoint.physics.motion.support import last_dof, next_of_two
from conjoint.physics.structure import chain_length, depth_of
from conjoint.schema.enums import mjtEq


@kernel
def columns_of_bodies(m, d, J, r, count, body, other):
    """Let rows r .. r + count - 1 depend on the dofs that move two bodies."""
    if J.compressed:
        i = last_dof(m, body)
        j = last_dof(m, other)
        begin_rows(d, r, count, chain_length(m, i, j))
        list_chains(m, d, r, count, i, j)


@kernel
def list_chains(m, d, r, count, i, j):
    """Let rows r .. r + count - 1, for which there is room, depend on the dofs that are i or j or above one of them."""
    for place in range(d.efc_J_rownnz[r] - 1, -1, -1):
        put_column(d, r, count, place, maximum(i, j))
        i, j = next_of_two(m, i, j)


@kernel
def columns_of_dofs(m, d, J, r, first, count):
    """Let row r depend on neighbouring dofs."""
    if J.compressed:
        begin_rows(d, r, 1, count)
        for k in range(count):
            put_column(d, r, 1, k, first + k)


@kernel
def columns_of_two(m, d, J, r, i, j):
    """Let row r depend on two dofs."""
    if J.compressed:
        begin_rows(d, r, 1, 2)
        put_column(d, r, 1, 0, minimum(i, j))
        put_column(d, r, 1, 1, maximum(i, j))


@kernel
def columns_of_tendons(m, d, J, r, t, other):
    """Let row r depend on the dofs of tendon t, and of another one unless it is -1."""
    if J.compressed:
        begin_rows(d, r, 1, 0)
        n = 0
        a = 0
        b = 0
        more = m.ten_J_rownnz[t]
        others = m.ten_J_rownnz[other] if other >= 0 else 0
        while a < more or b < others:
            i = m.ten_J_colind[t, a] if a < more else m.nv
            j = m.ten_J_colind[other, b] if b < others else m.nv
            put_column(d, r, 1, n, minimum(i, j))
            a += 1 if i <= j else 0
            b += 1 if j <= i else 0
            n += 1
        d.efc_J_rownnz[r] = n


@kernel
def begin_rows(d, r, count, n):
    """Rows r .. r + count - 1 have n columns."""
    start = 0
    if r > 0:
        start = d.efc_J_rowadr[r - 1] + d.efc_J_rownnz[r - 1]
    for k in range(count):
        d.efc_J_rownnz[r + k] = n
        d.efc_J_rowadr[r + k] = start + k * n
        d.efc_J_rowsuper[r + k] = count - 1 - k


@kernel
def put_column(d, r, count, place, i):
    """Dof i is at this place in rows r .. r + count - 1; its elements are zero."""
    for k in range(count):
        a = d.efc_J_rowadr[r + k] + place
        d.efc_J_colind[a] = i
        d.efc_J[a] = 0.0


@kernel
def count_elements(m, d):
    """`d.nJ_needed`: elements of all rows that were counted, or more (mj_makeConstraint)."""
    n = d.nf + 3 * d.nl
    if m.neq > 0 or m.ntendon > 0:
        # equalities and tendons: all that any of them may depend on
        most = 2
        for b in range(m.nbody):
            most = maximum(most, 2 * depth_of(m, last_dof(m, b)))
        for t in range(m.ntendon):
            most = maximum(most, 2 * m.ten_J_rownnz[t])
        for e in range(m.neq):
            if m.eq_type[e] == mjtEq.mjEQ_FLEXSTRAIN:
                # a row depends on all nodes
                first = m.flex_nodeadr[m.eq_obj1id[e]]
                depths = 0
                for k in range(first, first + m.flex_nodenum[m.eq_obj1id[e]]):
                    depths += depth_of(m, last_dof(m, m.flex_nodebodyid[k]))
                most = maximum(most, depths)
        n = (d.ne + d.nf + d.nl) * most
    for c in range(d.ncon):
        if d.contact_efc_address[c] >= 0:
            rows = 2 * d.contact_dim[c]
            if m.nflex > 0 and (d.contact_geom[c, 0] < 0 or d.contact_geom[c, 1] < 0):
                n += rows * depth_of_contact(m, d, c)
            else:
                body = m.geom_bodyid[d.contact_geom[c, 0]]
                other = m.geom_bodyid[d.contact_geom[c, 1]]
                n += rows * (depth_of(m, last_dof(m, body)) + depth_of(m, last_dof(m, other)))
    d.nJ_needed = n


@kernel
def finish_columns(m, d):
    """`d.nJ`; `efc_J_rowsuper`, how many of the next rows have the same columns, beyond single constraints."""
    n = d.nefc
    d.nJ = 0
    if n > 0:
        d.nJ = d.efc_J_rowadr[n - 1] + d.efc_J_rownnz[n - 1]
        d.efc_J_rowsuper[n - 1] = 0
    for r in range(n - 2, -1, -1):
        if d.efc_J_rowsuper[r] > 0 or same_columns(d, r):
            d.efc_J_rowsuper[r] = d.efc_J_rowsuper[r + 1] + 1


@kernel
def same_columns(d, r):
    """Whether rows r and r + 1 have the same columns."""
    if d.efc_J_rownnz[r] != d.efc_J_rownnz[r + 1]:
        return False
    for k in range(d.efc_J_rownnz[r]):
        if d.efc_J_colind[d.efc_J_rowadr[r] + k] != d.efc_J_colind[d.efc_J_rowadr[r + 1] + k]:
            return False
    return True
