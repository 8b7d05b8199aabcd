"""Hessian M + J' D J in lanes, its factor and its solutions, along the paths of an elimination tree (see `paths`)."""

from conjoint.lang import PANEL, jam, kernel, maximum, panel, put
from conjoint.physics.inertia_matrix.factors import pivot_of_M
from conjoint.solver.linear.dense import stride_of
from conjoint.solver.linear.path_rows import row_length
from conjoint.solver.linear.paths import row_size


@kernel
def begin_hessian(m, d):
    """Set tree.H := M."""
    for i in range(m.nv):
        adr = d.path.adr[i]
        for c in range(0, row_size(d.path.depth[i]), PANEL):
            put(d.tree.H, adr + c, panel(0.0))
        row = m.M_rowadr[i]
        for a in range(row, row + m.M_rownnz[i]):
            d.tree.H[adr + 1 + d.path.depth[m.M_colind[a]]] = d.M[a]


@kernel
def add_unit(m, d, u):
    """Add J' B J for the rows of a unit to tree.H; `tree.scaled` contains B J.

    The sum over a unit is computed first, because large products of rows on opposite sides of a pyramid cancel.
    """
    rows = d.unit.first[u + 1] - d.unit.first[u]
    size = row_length(d, u)
    stride = stride_of(m.nv + 1)
    first = d.unit.panel[u]
    for p in range(first, d.unit.panel[u + 1]):
        for q in jam(range(d.unit.place[p], d.unit.begin[u + 1])):
            target = d.path.adr[d.unit.dof[q]] + d.unit.column[p]
            adr = d.unit.adr[u] + d.unit.at[q]
            sums = panel(0.0)
            for k in range(rows):
                sums += d.unit.value[adr + k * size] * panel(d.tree.scaled, k * stride + PANEL * (p - first))
            put(d.tree.H, target, panel(d.tree.H, target) + sums)


@kernel(label="factor")
def factorize_hessian(m, d):
    """Eliminate tree.H with the right-hand side -dofs.gradient.

    The eliminated rows are stored in tree.U, and the same rows divided by their pivots in tree.L.
    """
    for i in range(m.nv):
        d.tree.H[d.path.adr[i]] = -d.dofs.gradient[i]
        d.tree.done[i] = 0
    for i in range(m.nv - 1, -1, -1):
        if d.tree.done[i] == 0:
            above = d.path.parent[i]
            # if i is the only dof immediately below another dof, the dofs below i contribute to both
            both = above >= 0 and below_of(d, above) == below_of(d, i) + 1
            if both:
                subtract_below_both(m, d, i, above)
            else:
                subtract_below(m, d, i)
            finish_row(m, d, i)
            if both:
                subtract_row(m, d, i, above)
                finish_row(m, d, above)
                d.tree.done[above] = 1


@kernel
def below_of(d, i):
    """Return the number of dofs below dof i in the elimination tree."""
    return d.path.begin[i + 1] - d.path.begin[i]


@kernel
def subtract_below(m, d, i):
    """Compute tree.U := row i of tree.H minus the contributions of the rows of the dofs below it, which are final."""
    adr = d.path.adr[i]
    place = 1 + d.path.depth[i]
    for c in jam(range(0, d.path.depth[i] + 2, PANEL)):
        sums = panel(d.tree.H, adr + c)
        for q in range(d.path.begin[i], d.path.begin[i + 1]):
            row = d.path.adr[d.path.below[q]]
            sums += d.tree.L[row + place] * panel(d.tree.U, row + c)
        put(d.tree.U, adr + c, sums)


@kernel
def subtract_below_both(m, d, i, above):
    """Do the work of `subtract_below` for dof i and the dof above it at once, for the rows below both dofs."""
    for c in range(0, d.path.depth[i] + 2, PANEL):
        for r in jam(range(2)):
            adr = d.path.adr[i] if r == 0 else d.path.adr[above]
            place = 1 + d.path.depth[i] - r
            sums = panel(d.tree.H, adr + c)
            for q in range(d.path.begin[i], d.path.begin[i + 1]):
                row = d.path.adr[d.path.below[q]]
                sums += d.tree.L[row + place] * panel(d.tree.U, row + c)
            put(d.tree.U, adr + c, sums)


@kernel
def subtract_row(m, d, i, above):
    """Subtract the contribution of the row of dof i, which is final, from the row of the dof above it."""
    row = d.path.adr[i]
    weight = d.tree.L[row + 1 + d.path.depth[above]]
    for c in range(0, d.path.depth[above] + 2, PANEL):
        to = d.path.adr[above] + c
        put(d.tree.U, to, weight * panel(d.tree.U, row + c) + panel(d.tree.U, to))


@kernel
def finish_row(m, d, i):
    """Compute tree.L := the row of dof i divided by minus its pivot."""
    adr = d.path.adr[i]
    # J' D J adds to the pivots of M, which is eliminated in the same order: a smaller pivot is due to rounding
    pivot = -1.0 / maximum(d.tree.U[adr + 1 + d.path.depth[i]], pivot_of_M(m, d, i))
    for c in range(0, d.path.depth[i] + 1, PANEL):
        put(d.tree.L, adr + c, pivot * panel(d.tree.U, adr + c))


@kernel(label="substitution")
def substitute_hessian(m, d):
    """Compute dofs.search by substitution, from the factor and the right-hand side that `factorize_hessian` stored."""
    for i in jam(range(m.nv)):
        adr = d.path.adr[i]
        sum = -d.tree.L[adr]
        for c in range(1, 1 + d.path.depth[i]):
            sum = sum + d.tree.L[adr + c] * d.dofs.search[d.path.dof[adr + c]]
        d.dofs.search[i] = sum
