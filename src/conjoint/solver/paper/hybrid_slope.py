"""Derivative of the hybrid equation (see `complementarity`), an asymmetric matrix, and Newton steps with this matrix.

The column of a variable within its limits is a column of A. The column of a clipped variable is the derivative of a
velocity, with a diagonal element only. The columns of a contact that slips combine both.
"""

from conjoint.lang import abs, kernel, local, real, sqrt, where
from conjoint.lang.language.tile import TILE
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.cones import FIRST
from conjoint.solver.linear.dense import add_block, clear, padded
from conjoint.solver.method.dual import LARGEST_CONE, limited, size_of_cone


@kernel
def fill_slope(d, n, stiffness):
    """Set hybrid.slope to the derivative of the residual with respect to the variable, and stiffen its diagonal.

    The diagonal is increased by `stiffness` times the ratios.
    """
    stride = d.nefc_hybrid
    r = 0
    while r < n:
        size = 1
        if d.cone.place[r] == FIRST:
            size = size_of_cone(d, r)
            fill_contact(d, r, size, n)
        else:
            fill_columns(d, r, 1, n, limited(d, r, d.hybrid.variable[r]) == d.hybrid.variable[r])
        r += size
    for i in range(n):
        diagonal = i * (stride + 1)
        d.hybrid.slope[diagonal] = d.hybrid.slope[diagonal] + stiffness * d.hybrid.ratio[i]
        clear(d.hybrid.slope, i * stride + n, padded(n) - n)


@kernel
def fill_contact(d, r, size, n):
    """Fill the columns of the slope matrix for the contact whose rows start at r."""
    normal = d.hybrid.variable[r]
    square = 0.0
    for k in range(r + 1, r + size):
        square = square + d.hybrid.variable[k] * d.hybrid.variable[k]
    if normal <= 0.0 or square <= normal * normal:
        fill_columns(d, r, size, n, normal > 0.0)
    else:
        fill_slipping(d, r, size, n, 1.0 / sqrt(square))


@kernel
def fill_columns(d, r, size, n, acts):
    """Fill `size` columns, starting at column r, whose variables are forces if `acts`, and velocities otherwise."""
    for k in range(r, r + size):
        for i in range(n):
            d.hybrid.slope[i * d.nefc_hybrid + k] = scaled_element(d, i, k) if acts else 0.0
        if not acts:
            d.hybrid.slope[k * (d.nefc_hybrid + 1)] = d.hybrid.ratio[k]


@kernel
def fill_slipping(d, r, size, n, short):
    """Fill the columns of a contact whose friction is at its limit, the normal force.

    `short` is the inverse length of its tangential variable.
    """
    along = local(real, LARGEST_CONE)
    column = local(real, LARGEST_CONE)
    share = d.hybrid.variable[r] * short
    for j in range(1, size):
        along[j] = d.hybrid.variable[r + j] * short
    for i in range(n):
        at = i * d.nefc_hybrid + r
        slipping = 0.0
        for j in range(1, size):
            column[j] = scaled_element(d, i, r + j) - where(i == r + j, d.hybrid.ratio[i], 0.0)
            slipping = slipping + column[j] * along[j]
        d.hybrid.slope[at] = scaled_element(d, i, r) + slipping
        for j in range(1, size):
            velocity = where(i == r + j, d.hybrid.ratio[i], 0.0)
            d.hybrid.slope[at + j] = share * (column[j] - slipping * along[j]) + velocity


@kernel
def scaled_element(d, i, k):
    """Return element (i, k) of A = J M^-1 J', with scaled rows and columns."""
    element = d.efc_AR[k * d.nefc_dual + i] - where(i == k, d.efc_R[k], 0.0)
    return d.hybrid.scale[i] * element * d.hybrid.scale[k]


@kernel
def solve_slope(d, n):
    """Compute hybrid.step := minus the inverse derivative times the residual.

    The derivative is factorized in place, with row exchanges.
    """
    stride = d.nefc_hybrid
    for i in range(n):
        d.hybrid.step[i] = -d.hybrid.residual[i]
    for k in range(n):
        exchange(d, k, largest_below(d, n, k))
        pivot = d.hybrid.slope[k * (stride + 1)]
        if abs(pivot) < mjMINVAL:
            pivot = mjMINVAL
            d.hybrid.slope[k * (stride + 1)] = pivot
        for i in range(k + 1, n):
            weight = d.hybrid.slope[i * stride + k] / pivot
            if weight != 0.0:
                for block in range(k // TILE * TILE, n, TILE):
                    add_block(-weight, d.hybrid.slope, k * stride + block, d.hybrid.slope, i * stride + block)
                d.hybrid.step[i] = d.hybrid.step[i] - weight * d.hybrid.step[k]
    for i in range(n - 1, -1, -1):
        s = d.hybrid.step[i]
        for k in range(i + 1, n):
            s = s - d.hybrid.slope[i * stride + k] * d.hybrid.step[k]
        d.hybrid.step[i] = s / d.hybrid.slope[i * (stride + 1)]


@kernel
def largest_below(d, n, k):
    """Return the row with the largest absolute element in column k, among rows k and later."""
    found = k
    largest = abs(d.hybrid.slope[k * (d.nefc_hybrid + 1)])
    for i in range(k + 1, n):
        size = abs(d.hybrid.slope[i * d.nefc_hybrid + k])
        if size > largest:
            largest = size
            found = i
    return found


@kernel
def exchange(d, k, i):
    """Exchange rows i and k of the derivative and of the right-hand side."""
    if i != k:
        for c in range(d.nefc_hybrid):
            x = d.hybrid.slope[k * d.nefc_hybrid + c]
            d.hybrid.slope[k * d.nefc_hybrid + c] = d.hybrid.slope[i * d.nefc_hybrid + c]
            d.hybrid.slope[i * d.nefc_hybrid + c] = x
        y = d.hybrid.step[k]
        d.hybrid.step[k] = d.hybrid.step[i]
        d.hybrid.step[i] = y
