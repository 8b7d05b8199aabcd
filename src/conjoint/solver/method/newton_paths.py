"""Newton's method in the space of dofs in lanes, with the Hessian on the paths of an elimination tree.

The rows J of a unit add J' B J to the Hessian. B has the stiffnesses of the rows on its diagonal. If a contact slides
on the surface of its elliptic cone, B also couples its rows along two directions (see `cost`). One is normal to the
cone. The other is the direction of sliding, along which the cone is not round.
"""

from conjoint.lang import PANEL, abs, kernel, local, panel, put, real, where
from conjoint.physics.row_storage import is_nonzero
from conjoint.solver.cones import elliptic
from conjoint.solver.cost import has_hard_rows
from conjoint.solver.linear.alignment import GAP, is_of_cone
from conjoint.solver.linear.dense import clear, stride_of
from conjoint.solver.linear.half_rows import LARGEST_CONE
from conjoint.solver.linear.path_hessian import add_unit, begin_hessian, factorize_hessian, substitute_hessian
from conjoint.solver.linear.path_rows import UNITS, row_at, row_length, value_at
from conjoint.solver.method.acceleration_space import is_balanced, space_of_dofs


@kernel(label="Hessian")
def direction(m, d, n, iteration, active, space):
    """Compute dofs.search := minus the inverse Hessian of the active rows times the gradient; see `Space`."""
    # removing hard rows would leave rounding errors
    if iteration == 0 or elliptic(m) or has_hard_rows(m, d, n):
        begin_hessian(m, d)
        clear(d.tree.included, 0, d.unit.first[d.unit.count])
    for u in range(d.unit.count):
        add_change(m, d, u)
    factorize_hessian(m, d)
    substitute_hessian(m, d)


@kernel
def add_change(m, d, u):
    """Add the stiffness changes of the rows of a unit to tree.H."""
    weights = local(real, LARGEST_CONE)
    first = d.unit.first[u]
    rows = d.unit.first[u + 1] - first
    size = 0.0
    for k in range(rows):
        stiffness = value_at(d, d.cost.stiffness, first + k)
        weights[k] = stiffness - d.tree.included[first + k]
        d.tree.included[first + k] = stiffness
        size = size + abs(weights[k])
    across = 0.0
    if elliptic(m) and rows > 1:
        of_cone = (d.unit.row[first] != GAP) & is_of_cone(d, row_at(d, first))
        across = where(of_cone, d.cone.weight[last_row(d, first)], 0.0)
    if is_nonzero(size + abs(across)):
        stride = stride_of(m.nv + 1)
        for k in range(rows):
            adr = d.unit.adr[u] + k * row_length(d, u)
            for p in range(0, row_length(d, u), PANEL):
                put(d.tree.scaled, k * stride + p, weights[k] * panel(d.unit.value, adr + p))
        if is_nonzero(across):
            add_directions(m, d, u, across)
        add_unit(m, d, u)


@kernel
def last_row(d, k):
    """Return the last row of the cone whose first row is in slot k; any row in worlds that have no cone there."""
    r = row_at(d, k)
    return r + d.unit.left[r] - 1


@kernel
def add_directions(m, d, u, across):
    """Add the coupling of the rows of sliding contacts, multiplied by the rows of unit u, to tree.scaled."""
    to_normal = local(real, LARGEST_CONE)
    to_slide = local(real, LARGEST_CONE)
    first = d.unit.first[u]
    rows = d.unit.first[u + 1] - first
    size = row_length(d, u)
    stride = stride_of(m.nv + 1)
    slides = across != 0.0
    mu = where(slides, value_at(d, d.cone.axis, first), 0.0)
    to_normal[0] = mu
    to_slide[0] = 0.0
    for k in range(1, rows):
        axis = where(slides, value_at(d, d.cone.axis, first + k), 0.0)
        to_normal[k] = -mu * axis
        to_slide[k] = axis
    along = where(slides, d.cone.along[last_row(d, first)], 0.0)
    for p in range(0, size, PANEL):
        normal = panel(0.0)
        slide = panel(0.0)
        for k in range(rows):
            row = panel(d.unit.value, d.unit.adr[u] + k * size + p)
            normal += to_normal[k] * row
            slide += to_slide[k] * row
        for k in range(rows):
            sums = panel(d.tree.scaled, k * stride + p)
            sums += across * to_normal[k] * normal
            put(d.tree.scaled, k * stride + p, sums + along * to_slide[k] * slide)


PATHS = space_of_dofs(direction, UNITS, is_balanced)
