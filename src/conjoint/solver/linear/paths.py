"""The elimination tree of the Hessian M + J' D J of a block of worlds, and the paths in it.

Kinematic trees are eliminated from the leaves without fill-in (Featherstone, Rigid Body Dynamics Algorithms, 2008,
sections 6.4 and 6.5). A row of J that acts on the dofs of one branch preserves this. A row that acts on several
branches couples them, and they are merged into one path. So dofs that couple are always on one path to the root of the
elimination tree (Liu, "The role of elimination trees in sparse factorization", 1990). The factor's row of a dof has the
dofs of its path, in ascending order, as its columns.

A row of H, L or U begins with the right-hand side. The dofs of the path follow, ending with the dof itself, padded to
whole tiles. So the element of dof j in the row of any dof below it has the index 1 + depth of j. All integers are the
same in all lanes.
"""

from conjoint.lang import abs, any, kernel, where
from conjoint.solver.linear.alignment import GAP
from conjoint.solver.linear.dense import padded

BITS = 30
"""Number of dofs that one integer of `unit.bits` represents."""


@kernel
def find_paths(m, d):
    """Find the elimination tree for the units of rows, whose dofs are marked already."""
    for i in range(m.nv):
        d.path.parent[i] = m.dof_parentid[i]
    end = 0
    for u in range(d.unit.count):
        d.unit.begin[u] = end
        end = couple_unit(m, d, u, end)
    d.unit.begin[d.unit.count] = end
    list_paths(m, d)
    list_below(m, d)


@kernel
def mark_dofs(m, d, n, count):
    """Mark the dofs on which each row acts, one bit per dof, in unit.bits.

    Returns:
        The sum of the absolute values of the elements of the first `count` rows of each world; `count` is at most n.
    """
    size = 0.0
    words = (m.nv + BITS - 1) // BITS
    for r in range(n):
        for w in range(words):
            bits = 0
            bit = 1
            for i in range(BITS * w, min(m.nv, BITS * (w + 1))):
                x = d.efc_J[r, i]
                size = size + where(r < count, abs(x), 0.0)
                bits = where(x != 0.0, bits + bit, bits)
                bit = 2 * bit
            d.unit.bits[r * words + w] = bits
    return size


@kernel
def couple_unit(m, d, u, at):
    """List the dofs on which a unit acts in unit.dof, starting at index `at`, and merge their paths into one.

    Returns:
        The first free index.
    """
    words = (m.nv + BITS - 1) // BITS
    end = at
    for w in range(words):
        bits = 0
        for k in range(d.unit.first[u], d.unit.first[u + 1]):
            r = d.unit.row[k]
            if r != GAP:
                bits = bits | d.unit.bits[r * words + w]
        if any(bits != 0):
            bit = 1
            for i in range(BITS * w, min(m.nv, BITS * (w + 1))):
                if any((bits & bit) != 0):
                    if end > at:
                        join(d, i, d.unit.dof[end - 1])
                    d.unit.dof[end] = i
                    end += 1
                bit = 2 * bit
    return end


@kernel
def join(d, i, j):
    """Merge the path of dof j into the path of dof i; j precedes i."""
    while j >= 0 and d.path.parent[i] != j:
        parent = d.path.parent[i]
        if parent < j:
            d.path.parent[i] = j
            i = j
            j = parent
        else:
            i = parent


@kernel
def list_paths(m, d):
    """Compute path.depth, path.adr and path.dof for each dof.

    They contain the number of dofs above the dof, the address of the dof's row, and the dofs of the dof's path.
    """
    adr = 0
    for i in range(m.nv):
        parent = d.path.parent[i]
        depth = 0
        d.path.adr[i] = adr
        if parent >= 0:
            depth = d.path.depth[parent] + 1
            for k in range(depth):
                d.path.dof[adr + 1 + k] = d.path.dof[d.path.adr[parent] + 1 + k]
        d.path.depth[i] = depth
        d.path.dof[adr + 1 + depth] = i
        adr += row_size(depth)


@kernel
def row_size(depth):
    """Return the size of the row of a dof of this depth.

    The row contains the right-hand side, the path and one more element, padded to whole tiles.
    """
    return padded(depth + 3)


@kernel
def list_below(m, d):
    """List the dofs below each dof in path.below, in descending order; the list of dof i starts at path.begin[i]."""
    for i in range(m.nv + 1):
        d.path.begin[i] = 0
    for i in range(m.nv):
        for k in range(d.path.depth[i]):
            j = d.path.dof[d.path.adr[i] + 1 + k] + 1
            d.path.begin[j] = d.path.begin[j] + 1
    for i in range(m.nv):
        d.path.begin[i + 1] = d.path.begin[i + 1] + d.path.begin[i]
        d.path.end[i] = d.path.begin[i]
    for i in range(m.nv - 1, -1, -1):
        for k in range(d.path.depth[i]):
            j = d.path.dof[d.path.adr[i] + 1 + k]
            d.path.below[d.path.end[j]] = i
            d.path.end[j] = d.path.end[j] + 1
