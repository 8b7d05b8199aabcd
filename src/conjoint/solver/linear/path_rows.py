"""Rows of the constraint Jacobian in lanes, each along a path of the elimination tree (see `paths` and `Rows`).

The rows of a unit have the same panels of columns: the panels that contain the unit's dofs. Column 1 + k of a row
belongs to the dof of depth k on the path. Panel p of unit u begins at column unit.column[unit.panel[u] + p]. The index
of a dof in the panels of a row is unit.at; the unit's first dof in a panel is unit.place.
"""

from conjoint.lang import PANEL, abs, jam, kernel, local, maximum, real, unique, where
from conjoint.physics.row_storage import is_nonzero
from conjoint.solver.linear.alignment import GAP, find_keys, merge_rows
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.half_rows import LARGEST_CONE
from conjoint.solver.linear.hessian import Rows, same_row
from conjoint.solver.linear.paths import find_paths, mark_dofs


@kernel
def load_units(m, d, n, count):
    """Merge the first `count` rows of each world into units and load them.

    Returns:
        The sum of the absolute values of all elements.
    """
    size = mark_dofs(m, d, n, count)
    find_keys(m, d, n, count)
    merge_rows(m, d, n, count)
    find_paths(m, d)
    d.unit.panel[0] = 0
    adr = 0
    for u in range(d.unit.count):
        d.unit.panel[u + 1] = place_panels(d, u, d.unit.panel[u])
        d.unit.adr[u] = adr
        adr = load_unit(m, d, u, adr)
    return size


@kernel
def place_panels(d, u, first):
    """List the panels of a unit, starting at index `first`; return the first free index."""
    end = first
    for q in range(d.unit.begin[u], d.unit.begin[u + 1]):
        column = 1 + d.path.depth[d.unit.dof[q]]
        begin = column // PANEL * PANEL
        if end == first or d.unit.column[end - 1] != begin:
            d.unit.column[end] = begin
            d.unit.place[end] = q
            end += 1
        d.unit.at[q] = PANEL * (end - 1 - first) + column - begin
    return end


@kernel
def load_unit(m, d, u, adr):
    """Load the values of a unit, starting at address `adr`; return the first free address."""
    size = row_length(d, u)
    for k in range(d.unit.first[u], d.unit.first[u + 1]):
        clear(d.unit.value, adr, size)
        if d.unit.row[k] != GAP:
            for r in unique(d.unit.row[k]):
                for q in range(d.unit.begin[u], d.unit.begin[u + 1]):
                    d.unit.value[adr + d.unit.at[q]] = d.efc_J[r, d.unit.dof[q]]
        adr += size
    return adr


@kernel
def row_length(d, u):
    """Return the number of values that a row of unit u stores."""
    return PANEL * (d.unit.panel[u + 1] - d.unit.panel[u])


@kernel
def row_at(d, k):
    """Return the row in slot k; in worlds with a gap there, return an arbitrary row."""
    return maximum(d.unit.row[k], 0)


@kernel
def value_at(d, field, k):
    """Return the element of a row field for the row in slot k; 0 in worlds with a gap there."""
    return where(d.unit.row[k] != GAP, field[row_at(d, k)], 0.0)


@kernel
def times_units(m, d, n, x, result):
    """Compute result := J x; see `Rows`."""
    clear(result, 0, padded(n))
    for u in range(d.unit.count):
        first = d.unit.first[u]
        for k in jam(range(first, d.unit.first[u + 1])):
            adr = d.unit.adr[u] + (k - first) * row_length(d, u)
            sum = 0.0
            for q in range(d.unit.begin[u], d.unit.begin[u + 1]):
                sum = sum + d.unit.value[adr + d.unit.at[q]] * x[d.unit.dof[q]]
            r = d.unit.row[k]
            if r != GAP:
                result[r] = sum


@kernel
def gather_units(m, d, n, plus):
    """Compute packed.column := J' times `cost.force`, starting at column 1; see `Rows`."""
    force = local(real, LARGEST_CONE)
    clear(d.packed.column, 0, padded(m.nv + 1))
    for u in range(d.unit.count):
        first = d.unit.first[u]
        rows = d.unit.first[u + 1] - first
        size = 0.0
        for k in range(rows):
            force[k] = value_at(d, d.cost.force, first + k)
            size = size + abs(force[k])
        if is_nonzero(size):
            stride = row_length(d, u)
            for q in range(d.unit.begin[u], d.unit.begin[u + 1]):
                i = 1 + d.unit.dof[q]
                adr = d.unit.adr[u] + d.unit.at[q]
                sum = d.packed.column[i]
                for k in range(rows):
                    sum = plus(sum, d.unit.value[adr + k * stride], force[k])
                d.packed.column[i] = sum


UNITS = Rows(load_units, times_units, gather_units, same_row)
