"""Cost of elliptic cones, from a list of the cones of each world.

A contact with an elliptic cone costs a function of all its rows together (Computation chapter, elliptic cones).
`cone_scale` scales their residuals y to coordinates (N, U) in which the cone is circular: the normal row by mu, the
tangential rows by their friction. With T = |U|, a contact exerts no force if N >= mu T. All its rows are active if
mu N + T <= 0. Between these two zones, it costs 1/2 Dm (N - mu T)^2, with Dm = D / (mu^2 (1 + mu^2)), where D is the
stiffness of the normal row.

A contact begins at different rows in different worlds, so cones are listed. Element k of a field belongs to cone k of
its world, element j * stride + k to row j of that cone. Elements beyond the last cone, or beyond its last row, are
zero. So one loop over cones processes eight cones of one world, or one cone of each lane.

Quantities that are constant along a search direction are computed once per line search.
"""

from conjoint.lang import STRIP, group, kernel, maximum, put, sqrt, strip, total, unique, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtCone, mjtConstraint, mjtConstraintState
from conjoint.solver.linear.dense import clear, padded

ELLIPTIC = mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC.value
SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED.value
QUADRATIC = mjtConstraintState.mjCNSTRSTATE_QUADRATIC.value
CONE = mjtConstraintState.mjCNSTRSTATE_CONE.value

NOTHING = 0
FIRST = 1
INNER = 2
LAST = 3
"""Value of `cone.place` for the last row of a cone; its other values are `FIRST`, `INNER` and `NOTHING`."""


@kernel
def elliptic(m):
    """Return True if contacts have elliptic cones."""
    return m.opt.cone == mjtCone.mjCONE_ELLIPTIC


@group
def Sizes(plain, cones, width):
    """Loop bounds for rows and cones: maxima over the worlds.

    Attributes:
        plain: number of rows up to the last row outside all cones.
        cones: number of cones.
        width: number of rows of the largest cone.
    """


@kernel
def sizes_of(m, d, n):
    """Return the `Sizes` of worlds with up to n rows."""
    plain = n
    cones = 0
    width = 0
    if elliptic(m):
        plain = fullest(d.cone.plain)
        cones = fullest(d.cone.count)
        width = fullest(d.cone.width)
    return Sizes(plain, cones, width)


@kernel
def leave_cones_out(d, n):
    """Set the cone fields of worlds without elliptic contacts among their n rows: no cones, and no row in a cone."""
    d.cone.count = 0
    d.cone.plain = n
    for r in range(n):
        d.cone.place[r] = NOTHING


@kernel
def find_cones(d, n, count):
    """Set `cone.place`, the position of a row in its cone, for the first `count` rows of each world."""
    for r in range(n):
        inside = (r < count) & (d.efc_type[r] == ELLIPTIC)
        place = where(inside, INNER, NOTHING)
        if r == 0:
            place = where(inside, FIRST, place)
        else:
            same = (d.efc_type[r - 1] == ELLIPTIC) & (d.efc_id[r - 1] == d.efc_id[r])
            place = where(inside & (not same), FIRST, place)
        if r == n - 1:
            place = where(inside, LAST, place)
        else:
            same = (r + 1 < count) & (d.efc_type[r + 1] == ELLIPTIC) & (d.efc_id[r + 1] == d.efc_id[r])
            place = where(inside & (not same), LAST, place)
        d.cone.place[r] = place


@kernel
def prepare_cones(d, n, count):
    """List the cones among the first `count` rows of each world, with the parameters of their costs."""
    find_cones(d, n, count)
    cones = 0
    plain = 0
    largest = 0
    for r in range(n):
        place = d.cone.place[r]
        if place == FIRST:
            d.cone.row[cones] = r
        if place == LAST:
            size = r + 1 - d.cone.row[cones]
            d.cone.size[cones] = size
            largest = where(size > largest, size, largest)
            cones += 1
        if place != NOTHING:
            d.cost.lower[r] = 0.0
        plain = where((place == NOTHING) & (r < count), r + 1, plain)
    d.cone.count = fullest(cones)
    d.cone.plain = fullest(plain)
    d.cone.width = fullest(largest)
    weigh_cones(d, cones)


@kernel
def weigh_cones(d, cones):
    """Compute scales and stiffnesses of the cone rows, for `cones` cones in each world."""
    stride = padded(fullest(d.cone.count))
    for k in range(stride):
        if k >= cones:
            d.cone.row[k] = 0
            d.cone.size[k] = 0
    spread(d, d.cone_scale, d.cone.scale)
    spread(d, d.cost.D, d.cone.D)
    for k in range(0, stride, STRIP):
        mu = strip(d.cone.scale, k)
        put(d.cone.Dm, k, strip(d.cone.D, k) / maximum(mu * mu * (1.0 + mu * mu), mjMINVAL))


@kernel
def spread(d, rows, places):
    """Copy a field's values at cone rows to the layout of the cone list; set unused elements to zero."""
    cones, width = fullest(d.cone.count), fullest(d.cone.width)
    stride = padded(cones)
    clear(places, 0, width * stride)
    for k in range(cones):
        for r in unique(d.cone.row[k]):
            for j in range(width):
                if j < d.cone.size[k]:
                    places[j * stride + k] = rows[r + j]


@kernel
def cones_at(d, y):
    """Find the zone and cost of every cone for the residuals in field y; return the total cost of the cones."""
    stride, width = padded(fullest(d.cone.count)), fullest(d.cone.width)
    spread(d, y, d.cone.y)
    costs = strip(0.0)
    for k in range(0, stride, STRIP):
        mu = strip(d.cone.scale, k)
        normal = strip(d.cone.y, k)
        N = mu * normal
        UU = strip(0.0)
        yy = strip(d.cone.D, k) * normal * normal
        for j in range(1, width):
            tangential = strip(d.cone.y, j * stride + k)
            scaled = strip(d.cone.scale, j * stride + k) * tangential
            UU = UU + scaled * scaled
            yy = yy + strip(d.cone.D, j * stride + k) * tangential * tangential
        T = sqrt(UU)
        G = N - mu * T
        pressed = mu * N + T <= 0.0
        sliding = (mu * N + T > 0.0) & (G < 0.0)
        Dm = strip(d.cone.Dm, k)
        cost = where(pressed, 0.5 * yy, where(sliding, 0.5 * Dm * G * G, 0.0))
        put(d.cone.yy, k, yy)
        put(d.cone.cost, k, cost)
        put(d.cone.pressed, k, where(pressed, 1.0, 0.0))
        put(d.cone.sliding, k, where(sliding, Dm, 0.0))
        put(d.cone.normal, k, where(sliding, -Dm * G * mu, 0.0))
        put(d.cone.short, k, where(sliding, 1.0 / maximum(T, mjMINVAL), 0.0))
        costs = costs + cost
    return total(costs)


@kernel
def update_cones(d):
    """Compute forces and stiffnesses of the cone rows at `cost.residual`, and the terms that they add to the Hessian.

    In scaled rows z, the Hessian of a contact on the cone's surface is Dm g g' + k (sum over tangential z z' - t t').
    The factor k is -Dm mu (N - mu T) / T. Here t is the sum of the tangential rows in the direction of U, and g is the
    z of the normal row minus mu t.
    """
    cones_at(d, d.cost.residual)
    cones, width = fullest(d.cone.count), fullest(d.cone.width)
    stride = padded(cones)
    for k in range(cones):
        pressed = d.cone.pressed[k] != 0.0
        normal = d.cone.normal[k]
        short = d.cone.short[k]
        for r in unique(d.cone.row[k]):
            for j in range(width):
                scale = d.cone.scale[j * stride + k]
                D = d.cone.D[j * stride + k]
                y = d.cone.y[j * stride + k]
                # direction of U, scaled; mu for the normal row
                axis = scale if j == 0 else scale * scale * y * short
                surface = normal if j == 0 else -normal * axis
                tangential = 0.0 if j == 0 else normal * short * scale * scale
                if j < d.cone.size[k]:
                    d.cost.force[r + j] = where(pressed, -D * y, surface)
                    d.cost.stiffness[r + j] = where(pressed, D, tangential)
                    d.cone.axis[r + j] = where(short != 0.0, axis, 0.0)
                if j + 1 == d.cone.size[k]:
                    d.cone.weight[r + j] = d.cone.sliding[k]
                    d.cone.along[r + j] = -normal * short


@kernel
def find_cone_states(d):
    """Set cone.state of each cone row to the row's constraint state at the last update."""
    for k in range(fullest(d.cone.count)):
        slides = where(d.cone.short[k] != 0.0, CONE, SATISFIED)
        state = where(d.cone.pressed[k] != 0.0, QUADRATIC, slides)
        for j in range(fullest(d.cone.width)):
            if j < d.cone.size[k]:
                d.cone.state[d.cone.row[k] + j] = state


@kernel
def begin_cones_line(d):
    """Prepare the costs of cones along `cost.change`, starting at the residuals of the last update."""
    stride, width = padded(fullest(d.cone.count)), fullest(d.cone.width)
    spread(d, d.cost.change, d.cone.v)
    for k in range(0, stride, STRIP):
        VV = strip(0.0)
        yv = strip(0.0)
        vv = strip(0.0)
        for j in range(width):
            at = j * stride + k
            v = strip(d.cone.v, at)
            y = strip(d.cone.y, at)
            scale = strip(d.cone.scale, at)
            D = strip(d.cone.D, at)
            yv = yv + D * y * v
            vv = vv + D * v * v
            put(d.cone.u, at, scale * y)
            put(d.cone.v, at, scale * v)
            if j > 0:
                VV = VV + scale * v * (scale * v)
        put(d.cone.VV, k, VV)
        put(d.cone.yv, k, yv)
        put(d.cone.vv, k, vv)


@kernel
def cones_line(d, sizes, alpha):
    """Return a linear model of the derivative of the cost of all cones near step alpha.

    Returns:
        The value of the model at step 0, and its slope.
    """
    stride = padded(sizes.cones)
    firsts = strip(0.0)
    seconds = strip(0.0)
    for k in range(0, stride, STRIP):
        mu = strip(d.cone.scale, k)
        dN = strip(d.cone.v, k)
        N = strip(d.cone.u, k) + alpha * dN
        UU = strip(0.0)
        UV = strip(0.0)
        for j in range(1, sizes.width):
            v = strip(d.cone.v, j * stride + k)
            u = strip(d.cone.u, j * stride + k) + alpha * v
            UU = UU + u * u
            UV = UV + u * v
        T = sqrt(UU)
        short = 1.0 / maximum(T, mjMINVAL)
        dT = UV * short
        G = N - mu * T
        dG = dN - mu * dT
        Dm = strip(d.cone.Dm, k)
        bend = Dm * (dG * dG - mu * G * (strip(d.cone.VV, k) - dT * dT) * short)
        slope = Dm * G * dG - alpha * bend
        pressed = mu * N + T <= 0.0
        sliding = (mu * N + T > 0.0) & (G < 0.0)
        firsts = firsts + where(pressed, strip(d.cone.yv, k), where(sliding, slope, 0.0))
        seconds = seconds + where(pressed, strip(d.cone.vv, k), where(sliding, bend, 0.0))
    return total(firsts), total(seconds)


@kernel
def cones_drop(d, sizes, alpha):
    """Return the cost of all cones at the last update minus their cost at step alpha."""
    stride = padded(sizes.cones)
    drops = strip(0.0)
    for k in range(0, stride, STRIP):
        mu = strip(d.cone.scale, k)
        N = strip(d.cone.u, k) + alpha * strip(d.cone.v, k)
        UU = strip(0.0)
        for j in range(1, sizes.width):
            u = strip(d.cone.u, j * stride + k) + alpha * strip(d.cone.v, j * stride + k)
            UU = UU + u * u
        T = sqrt(UU)
        G = N - mu * T
        pressed = mu * N + T <= 0.0
        sliding = (mu * N + T > 0.0) & (G < 0.0)
        parabola = 0.5 * strip(d.cone.yy, k) + alpha * (strip(d.cone.yv, k) + 0.5 * alpha * strip(d.cone.vv, k))
        cost = where(pressed, parabola, where(sliding, 0.5 * strip(d.cone.Dm, k) * G * G, 0.0))
        drops = drops + (strip(d.cone.cost, k) - cost)
    return total(drops)
