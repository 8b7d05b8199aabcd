"""What constraints cost: rows that have a cost of their own, and elliptic cones where the model has them.

A row with residual y = J qacc - aref costs D s (y - s / 2) and pushes with -D s, where s is y clipped to an interval:
all reals for an equality, plus and minus R times the friction loss for dry friction (a Huber function), the negative
reals for limits and contacts (Computation chapter, Constraint model: primal problem). Inside it a row is *active*: its
force follows the residual. One expression serves all kinds of rows, hence all lanes. Rows beyond those of a world have
the interval [0, 0] and do nothing.

A contact with an elliptic cone costs a function of all its rows together (ibid., elliptic cones). `cone_scale` turns
their residuals y into coordinates (N, U) in which the cone is circular: mu times the normal row, friction times the
tangential ones. With T = |U| a contact does nothing where N >= mu T, all its rows are active where mu N + T <= 0, and
between the two it costs 1/2 Dm (N - mu T)^2, with Dm = D / (mu^2 (1 + mu^2)) and D that of the normal row.

The rows of a contact follow each other; at which row a contact begins differs between worlds. Hence scans over rows:
forward sums over a contact until `cone.place` tells its last row, backward hands results to its rows.
"""

from conjoint.lang import STRIP, abs, clip, formula, kernel, maximum, put, record, sqrt, strip, total, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtCone, mjtConstraint, mjtConstraintState
from conjoint.solver.linear.dense import padded
from conjoint.solver.sums import sum_of_dofs

UNBOUNDED = float("inf")
NO_SOLUTION = float("nan")
"""Acceleration of a world whose rows are not finite: the check of accelerations reports it."""

ELLIPTIC = mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC.value
SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED.value
QUADRATIC = mjtConstraintState.mjCNSTRSTATE_QUADRATIC.value
CONE = mjtConstraintState.mjCNSTRSTATE_CONE.value
LINEARNEG = mjtConstraintState.mjCNSTRSTATE_LINEARNEG.value
LINEARPOS = mjtConstraintState.mjCNSTRSTATE_LINEARPOS.value

NOTHING = 0
FIRST = 1
INNER = 2
LAST = 3
"""What a row is in `cone.place`: of no cone, or its place in one."""


@kernel
def elliptic(m):
    """True if contacts have elliptic cones."""
    return m.opt.cone == mjtCone.mjCONE_ELLIPTIC


@kernel
def leave_cones_out(d, n):
    """cone.place of worlds that have no elliptic contacts."""
    for r in range(n):
        d.cone.place[r] = NOTHING


@kernel
def prepare(m, d, n, count, row):
    """What costs and forces of the first `count` rows of each world depend on, besides residuals; `row` is as in
    `bound_rows`."""
    bound_rows(d, n, count, row)
    if elliptic(m):
        find_cones(d, n, count)
        for r in range(n):
            if d.cone.place[r] != NOTHING:
                d.cost.lower[r] = 0.0


@kernel
def bound_rows(d, n, count, row):
    """Stiffness of the rows at the first n places, of `count` in each world, and the intervals in which they are
    active; none behind them, up to a whole tile. `row` is a kernel that tells which row is at a place."""
    for k in range(n):
        r = row(d, k)
        live = k < count
        two_sided = r < d.ne + d.nf
        limit = where(r < d.ne, UNBOUNDED, d.efc_frictionloss[r] * d.efc_R[r])
        d.cost.D[k] = where(live, d.efc_D[r], 0.0)
        d.cost.lower[k] = where(live, where(two_sided, -limit, -UNBOUNDED), 0.0)
        d.cost.upper[k] = where(live & two_sided, limit, 0.0)
    for k in range(n, padded(n)):
        d.cost.D[k] = 0.0
        d.cost.lower[k] = 0.0
        d.cost.upper[k] = 0.0


@kernel
def is_sound(m, d, size):
    """True where the sum `size` of a world's constraint rows, and qacc_smooth, are finite.

    A factor of zero only cancels finite numbers: where a method passes over what is zero, no other world must decide.
    """
    return size + sum_of_dofs(m, d, 0.0, size_of_dof) < UNBOUNDED


@kernel
def size_of_dof(d, i):
    """Size of the smooth acceleration of dof i."""
    return abs(d.qacc_smooth[i])


@kernel
def clipped_rows(d, r, y):
    """Residuals y of a strip of rows from r on, clipped to their intervals."""
    return clip(y, strip(d.cost.lower, r), strip(d.cost.upper, r))


@kernel
def cost_at(m, d, n, y):
    """Cost of the constraints at the residuals in field y."""
    costs = strip(0.0)
    for r in range(0, n, STRIP):
        x = strip(y, r)
        s = clipped_rows(d, r, x)
        costs = costs + strip(d.cost.D, r) * s * (x - 0.5 * s)
    cost = total(costs)
    if elliptic(m):
        cones, _, _ = cones_line(d, n, y, 0.0)
        cost = cost + cones
    return cost


@kernel
def line_at(m, d, n, alpha):
    """Derivative of the cost near the step alpha along `cost.change`: a line, by its value at 0 and its slope."""
    firsts = strip(0.0)
    seconds = strip(0.0)
    for r in range(0, n, STRIP):
        v = strip(d.cost.change, r)
        y = strip(d.cost.residual, r) + alpha * v
        low = strip(d.cost.lower, r)
        high = strip(d.cost.upper, r)
        stiffness = strip(d.cost.D, r)
        firsts = firsts + v * (stiffness * where((y > low) & (y < high), strip(d.cost.residual, r), clip(y, low, high)))
        seconds = seconds + v * where((y > low) & (y < high), stiffness * v, 0.0)
    first, second = total(firsts), total(seconds)
    if elliptic(m):
        _, slope, bend = cones_line(d, n, d.cost.residual, alpha)
        first = first + (slope - alpha * bend)
        second = second + bend
    return first, second


@formula("real", "real", "real", "real", "real")
def clipped_drop(y, s, z, t):
    """Cost of a row of unit stiffness at the residual y minus that at z, which are s and t when clipped."""
    return 0.5 * (s - t) * (s + t) + (s * (y - s) - t * (z - t))


@kernel
def drop_by(m, d, n, alpha):
    """Cost at `cost.residual` minus that at the step alpha along `cost.change`, of rows without cancellation."""
    drops = strip(0.0)
    for r in range(0, n, STRIP):
        y = strip(d.cost.residual, r)
        z = y + alpha * strip(d.cost.change, r)
        drops = drops + strip(d.cost.D, r) * clipped_drop(y, clipped_rows(d, r, y), z, clipped_rows(d, r, z))
    drop = total(drops)
    if elliptic(m):
        before, _, _ = cones_line(d, n, d.cost.residual, 0.0)
        after, _, _ = cones_line(d, n, d.cost.residual, alpha)
        drop = drop + (before - after)
    return drop


@kernel
def update(m, d, n):
    """Forces at the residuals in `cost.residual`, and stiffnesses of the rows."""
    update_forces(d, n)
    if elliptic(m):
        update_cones(d, n)


@kernel
def update_forces(d, n):
    """Forces of the rows at `cost.residual`, and their stiffnesses, zero where the force is constant."""
    for r in range(0, padded(n), STRIP):
        y = strip(d.cost.residual, r)
        low = strip(d.cost.lower, r)
        high = strip(d.cost.upper, r)
        stiffness = strip(d.cost.D, r)
        put(d.cost.force, r, -stiffness * clip(y, low, high))
        put(d.cost.stiffness, r, where((y > low) & (y < high), stiffness, 0.0))


@kernel
def state_of(m, d, r, k):
    """State of row r (mjtConstraintState), at place k of the solver's rows, at the last update."""
    y = d.cost.residual[k]
    above = where(r < d.ne + d.nf, LINEARPOS, SATISFIED)
    state = where(y >= d.cost.upper[k], above, where(y <= d.cost.lower[k], LINEARNEG, QUADRATIC))
    if elliptic(m):
        state = where(d.cone.place[k] != NOTHING, d.cone.state[k], state)
    return state


@kernel
def store_states(m, d, n, count, row):
    """efc_state at the last update; `row` is as in `bound_rows`."""
    for k in range(n):
        r = row(d, k)
        if k < count:
            d.efc_state[r] = state_of(m, d, r, k)


@kernel
def store_forces(m, d, n, count, row):
    """efc_force and efc_state at the residuals in `cost.residual`; `row` is as in `bound_rows`."""
    update(m, d, n)
    for k in range(n):
        r = row(d, k)
        if k < count:
            d.efc_force[r] = d.cost.force[k]
    store_states(m, d, n, count, row)


@kernel
def find_cones(d, n, count):
    """cone.place, of the first `count` rows of each world."""
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


@record
def Contact(mu, N, UU):
    """What a scan over rows knows of a contact so far: the factor of its normal row, the scaled number there, and the
    squares of the scaled numbers in its tangential rows."""


@kernel
def with_row(contact, begins, scale, u):
    """A contact with one more row, whose scaled number is u; a new one where it begins there."""
    mu = where(begins, scale, contact.mu)
    return Contact(mu, where(begins, u, contact.N), where(begins, 0.0, contact.UU + u * u))


@kernel
def hand_back(d, places, field):
    """Let all rows of each contact have in a field what its last row has, in some `dual.Places`."""
    value = field[places.row(d, places.first)]
    for k in range(fullest(places.count) - 1, -1, -1):
        r = places.row(d, places.first + k)
        value = where(d.cone.place[r] == LAST, field[r], value)
        field[r] = value


@kernel
def zone(place, contact, D):
    """Where a contact is, at its last row.

    Returns:
        N - mu T; 1 / T; Dm; whether all its rows are active; whether it slides on the surface of the cone.
    """
    mu = contact.mu
    T = sqrt(contact.UU)
    G = contact.N - mu * T
    pressed = (place == LAST) & (mu * contact.N + T <= 0.0)
    sliding = (place == LAST) & (mu * contact.N + T > 0.0) & (G < 0.0)
    Dm = D / maximum(mu * mu * (1.0 + mu * mu), mjMINVAL)
    return G, 1.0 / maximum(T, mjMINVAL), Dm, pressed, sliding


@kernel
def cones_line(d, n, y, alpha):
    """Cost of the contacts, and its derivatives, at the residuals y + alpha `cost.change`.

    Returns:
        cost; first and second derivative by alpha.
    """
    cost = 0.0
    first = 0.0
    second = 0.0
    stiffness = 0.0
    contact = Contact(0.0, 0.0, 0.0)
    dN = 0.0
    UV = 0.0
    VV = 0.0
    yy = 0.0
    yv = 0.0
    vv = 0.0
    for r in range(n):
        place = d.cone.place[r]
        begins = place == FIRST
        D = d.cost.D[r]
        scale = d.cone_scale[r]
        v = d.cost.change[r]
        x = y[r] + alpha * v
        contact = with_row(contact, begins, scale, scale * x)
        stiffness = where(begins, D, stiffness)
        dN = where(begins, scale * v, dN)
        # of this contact so far
        UV = where(begins, 0.0, UV + scale * x * scale * v)
        VV = where(begins, 0.0, VV + scale * v * scale * v)
        yy = where(begins, 0.0, yy) + D * x * x
        yv = where(begins, 0.0, yv) + D * x * v
        vv = where(begins, 0.0, vv) + D * v * v
        G, short, Dm, pressed, sliding = zone(place, contact, stiffness)
        dT = UV * short
        dG = dN - contact.mu * dT
        cost = cost + where(pressed, 0.5 * yy, where(sliding, 0.5 * Dm * G * G, 0.0))
        first = first + where(pressed, yv, where(sliding, Dm * G * dG, 0.0))
        bend = Dm * (dG * dG - contact.mu * G * (VV - dT * dT) * short)
        second = second + where(pressed, vv, where(sliding, bend, 0.0))
    return cost, first, second


@kernel
def update_cones(d, n):
    """Forces of the contacts at `cost.residual`, stiffnesses and states of their rows, and what Hessians are made of.

    The Hessian of a contact on the surface is, in scaled rows z, Dm g g' + k (sum over tangential z z' - t t'), with t
    the tangential rows in the direction of U, g = z of the normal row less mu t, and k = -Dm mu (N - mu T) / T.
    """
    stiffness = 0.0
    contact = Contact(0.0, 0.0, 0.0)
    for r in range(n):
        place = d.cone.place[r]
        begins = place == FIRST
        scale = d.cone_scale[r]
        contact = with_row(contact, begins, scale, scale * d.cost.residual[r])
        stiffness = where(begins, d.cost.D[r], stiffness)
        G, short, Dm, pressed, sliding = zone(place, contact, stiffness)
        d.cone.weight[r] = where(sliding, Dm, 0.0)
        d.cone.normal[r] = where(sliding, -Dm * G * contact.mu, 0.0)
        d.cone.short[r] = where(sliding, short, 0.0)
        d.cone.state[r] = where(pressed, QUADRATIC, where(sliding, CONE, SATISFIED))
    hand_out(d, n)


@kernel
def hand_out(d, n):
    """What `update_cones` found at the last row of each contact, to all of its rows."""
    normal = 0.0
    short = 0.0
    state = SATISFIED
    for i in range(n):
        r = n - 1 - i
        place = d.cone.place[r]
        ends = place == LAST
        inside = place != NOTHING
        normal = where(ends, d.cone.normal[r], normal)
        short = where(ends, d.cone.short[r], short)
        state = where(ends, d.cone.state[r], state)
        scale = d.cone_scale[r]
        y = d.cost.residual[r]
        # direction of U, scaled; mu in the normal row
        axis = where(place == FIRST, scale, scale * scale * y * short)
        surface = where(place == FIRST, normal, -normal * axis)
        tangential = where(place == FIRST, 0.0, normal * short * scale * scale)
        pressed = state == QUADRATIC
        sliding = state == CONE
        D = d.cost.D[r]
        force = where(pressed, -D * y, where(sliding, surface, 0.0))
        stiffness = where(pressed, D, where(sliding, tangential, 0.0))
        if inside:
            d.cost.force[r] = force
            d.cost.stiffness[r] = stiffness
        d.cone.axis[r] = where(inside & sliding, axis, 0.0)
        d.cone.state[r] = where(inside, state, SATISFIED)
