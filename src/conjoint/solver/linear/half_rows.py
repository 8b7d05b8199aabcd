"""Half-solved constraint rows: Z = J L^-1 D^-1/2, so that J M^-1 J' = Z Z', with M = L' D L.

Dual methods use these rows if J M^-1 J' would be larger. A residual is a row of Z times Z' f. A change in a force adds
a multiple of a row to Z' f. A row of Z has the dofs of its row of J and the dofs above them (Featherstone 2008, ch. 6).
Element 1 + i of a vector belongs to dof i, as in `hessian`.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, kernel, put, sqrt, tile, total, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.arrays.sorting import sort_numbers
from conjoint.physics.constraint.jacobian import COMPRESSED, DENSE, Jacobian
from conjoint.physics.row_storage import fullest
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import block_count, pack_row

LARGEST_CONE = 6
"""Number of rows of a contact with all types of friction."""


@dataclass(frozen=True)
class HalfRows(Group):
    """Rows of Z in one storage format.

    Attributes:
        J: storage of the rows of the Jacobian.
        begin: kernel (m, d) that prepares for the first row.
        load: kernel (m, d, r, taken, paired) that computes row r of Z, after the rows before it. In worlds where
            `taken` is True, it starts from row r of J, minus row r + 1 of J if `paired`. In others, row r is zero.
        times: kernel (m, d, r, x) that returns row r times the vector x.
        add: kernel (m, d, r, weight, x) that adds `weight` times row r to the vector x.
    """

    J: Jacobian
    begin: Kernel
    load: Kernel
    times: Kernel
    add: Kernel


@kernel
def multiply_blocks(m, d, n, rows):
    """Compute dual.product[6 r + j], the product of rows r and r + j, for j = 0 and later rows of row r's contact."""
    clear(d.dual.row, 0, padded(m.nv + 1))
    for r in range(n):
        left = fullest(d.dual.left[r])
        if left > 0:
            rows.add(m, d, r, 1.0, d.dual.row)
            for j in range(left):
                d.dual.product[LARGEST_CONE * r + j] = rows.times(m, d, r + j, d.dual.row)
            rows.add(m, d, r, -1.0, d.dual.row)


@kernel
def half_column(m, d, x):
    """Compute x := D^-1/2 L'^-1 x for a vector x, proceeding from the leaves to the roots."""
    for i in range(m.nv - 1, -1, -1):
        eliminate_dof(m, d, x, i)


@kernel
def eliminate_dof(m, d, x, i):
    """Eliminate dof i of a vector: subtract its contribution from the dofs above it, and scale its element."""
    s = x[1 + i]
    row = m.M_rowadr[i]
    for a in range(row, row + m.M_rownnz[i] - 1):
        j = 1 + m.M_colind[a]
        x[j] = x[j] - d.qLD[a] * s
    x[1 + i] = s * sqrt(d.qLDiagInv[i])


# dense rows: blocks of columns that are not zero in some world, stored in place of the blocks of J


@kernel
def begin_packed(m, d):
    """Do nothing, because dense rows need no preparation; see `HalfRows`."""


@kernel
def spread_row(m, d, r, taken, paired):
    """Set packed.column := row r of J, or row r minus row r + 1 if `paired`."""
    clear(d.packed.column, 0, padded(m.nv + 1))
    for i in range(m.nv):
        d.packed.column[1 + i] = where(taken, d.efc_J[r, i], 0.0)
    if paired:
        for i in range(m.nv):
            d.packed.column[1 + i] = d.packed.column[1 + i] - d.efc_J[r + 1, i]


@kernel
def load_packed(m, d, r, taken, paired):
    """Compute row r of Z, only in the blocks of columns in which it is not zero; see `HalfRows`."""
    spread_row(m, d, r, taken, paired)
    for i in range(m.nv - 1, -1, -1):
        if d.packed.column[1 + i] != 0.0:
            eliminate_dof(m, d, d.packed.column, i)
    pack_row(m, d, r)


@kernel
def load_whole(m, d, r, taken, paired):
    """Compute row r of Z in all blocks of columns, because zeros may have nonzero derivatives; see `HalfRows`."""
    spread_row(m, d, r, taken, paired)
    half_column(m, d, d.packed.column)
    blocks = block_count(m)
    d.packed.start[r] = r * blocks * TILE
    d.packed.count[r] = blocks
    for block in range(blocks):
        d.packed.block[r * blocks + block] = block
        put(d.packed.value, (r * blocks + block) * TILE, tile(d.packed.column, TILE * block))


@kernel
def times_packed(m, d, r, x):
    """Return row r times the vector x; see `HalfRows`."""
    blocks = r * block_count(m)
    s = tile(0.0)
    for p in range(d.packed.count[r]):
        column = TILE * d.packed.block[blocks + p]
        s += tile(d.packed.value, d.packed.start[r] + TILE * p) * tile(x, column)
    return total(s)


@kernel
def add_packed(m, d, r, weight, x):
    """Add `weight` times row r to x; see `HalfRows`."""
    blocks = r * block_count(m)
    for p in range(d.packed.count[r]):
        column = TILE * d.packed.block[blocks + p]
        put(x, column, weight * tile(d.packed.value, d.packed.start[r] + TILE * p) + tile(x, column))


# compressed rows: `dual.value` at the dofs that `dual.dof` lists in descending order


@kernel
def begin_listed(m, d):
    """Clear the marks of all dofs; see `HalfRows`."""
    clear(d.dual.row, 0, padded(m.nv + 1))
    for i in range(m.nv):
        d.dual.mark[i] = -1


@kernel
def load_listed(m, d, r, taken, paired):
    """Compute row r of Z at the dofs of its row of J and the dofs above them; see `HalfRows`."""
    start = 0
    if r > 0:
        start = d.dual.adr[r - 1] + d.dual.num[r - 1]
    d.dual.adr[r] = start
    d.dual.num[r] = 0
    if taken:
        list_dofs(m, d, r, start)
        half_row(m, d, r, paired)


@kernel
def list_dofs(m, d, r, start):
    """List the dofs of row r and the dofs above them in dual.dof, in descending order, and store their number."""
    end = start
    if r > 0 and d.efc_J_rowsuper[r - 1] > 0 and d.dual.num[r - 1] > 0:
        # the previous row has the same dofs
        end = start + d.dual.num[r - 1]
        for k in range(start, end):
            d.dual.dof[k] = d.dual.dof[d.dual.adr[r - 1] + k - start]
    else:
        for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
            end = list_above(m, d, r, d.efc_J_colind[a], end)
        sort_numbers(m, d, d.dual.dof, start, end)
        # from leaves to roots
        for k in range((end - start) // 2):
            i = d.dual.dof[start + k]
            d.dual.dof[start + k] = d.dual.dof[end - 1 - k]
            d.dual.dof[end - 1 - k] = i
    d.dual.num[r] = end - start


@kernel
def list_above(m, d, r, i, end):
    """Append dof i and the dofs above it, unless already listed, at index `end` of row r's dofs; return the new end."""
    for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
        j = m.M_colind[k]
        if d.dual.mark[j] != r:
            d.dual.mark[j] = r
            d.dual.dof[end] = j
            end += 1
    return end


@kernel
def half_row(m, d, r, paired):
    """Compute dual.value, the elements of row r of Z, from row r of J; the dofs of the row are already listed."""
    length = d.efc_J_rownnz[r]
    for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + length):
        x = d.efc_J[a]
        if paired:
            x = x - d.efc_J[a + length]
        d.dual.row[1 + d.efc_J_colind[a]] = x
    for k in range(d.dual.adr[r], d.dual.adr[r] + d.dual.num[r]):
        i = d.dual.dof[k]
        eliminate_dof(m, d, d.dual.row, i)
        d.dual.value[k] = d.dual.row[1 + i]
        d.dual.row[1 + i] = 0.0


@kernel
def times_listed(m, d, r, x):
    """Return row r times the vector x; see `HalfRows`."""
    s = 0.0
    for k in range(d.dual.adr[r], d.dual.adr[r] + d.dual.num[r]):
        s = s + d.dual.value[k] * x[1 + d.dual.dof[k]]
    return s


@kernel
def add_listed(m, d, r, weight, x):
    """Add `weight` times row r to x; see `HalfRows`."""
    for k in range(d.dual.adr[r], d.dual.adr[r] + d.dual.num[r]):
        i = 1 + d.dual.dof[k]
        x[i] = x[i] + weight * d.dual.value[k]


@kernel
def count_listed(m, d):
    """Set dual_needed to the number of stored elements of all rows of Z."""
    count = 0
    for i in range(m.nv):
        d.dual.mark[i] = -1
    alike = 0
    for r in range(d.nefc):
        # number of consecutive rows with the same columns
        alike += 1
        if d.efc_J_rowsuper[r] == 0:
            for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
                i = d.efc_J_colind[a]
                for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                    if d.dual.mark[m.M_colind[k]] != r:
                        d.dual.mark[m.M_colind[k]] = r
                        count += alike
            alike = 0
    d.dual_needed = count


PACKED = HalfRows(DENSE, begin_packed, load_packed, times_packed, add_packed)
WHOLE = HalfRows(DENSE, begin_packed, load_whole, times_packed, add_packed)
LISTED = HalfRows(COMPRESSED, begin_listed, load_listed, times_listed, add_listed)
HALF_ROWS = PACKED, LISTED
"""Storage formats of Z for dense and for compressed rows of J, as an argument of `runtime.stage.by_storage`."""
