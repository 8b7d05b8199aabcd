"""Elliptic friction cones: the cost of a contact, a function of all its rows together (Computation chapter, Constraint
model: primal problem, elliptic cones).

`cone_scale` turns residuals y of a contact into coordinates (N, U) in which the cone is circular: mu times the normal
row, friction times the tangential ones. With T = |U| a contact does nothing where N >= mu T, all its rows are active
where mu N + T <= 0, and between the two it costs 1/2 Dm (N - mu T)^2, with Dm = D / (mu^2 (1 + mu^2)) and D that of the
normal row.

The rows of a contact follow each other; at which row a contact begins differs between worlds. Hence scans over rows:
forward sums over a contact until `solver_cone` tells its last row, backward hands results to its rows.
"""

from conjoint.lang import kernel, maximum, sqrt, where
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint, mjtConstraintState

ELLIPTIC = mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC.value
SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED.value
QUADRATIC = mjtConstraintState.mjCNSTRSTATE_QUADRATIC.value
CONE = mjtConstraintState.mjCNSTRSTATE_CONE.value

NOTHING = 0
FIRST = 1
INNER = 2
LAST = 3
"""What a row is in `solver_cone`: of no cone, or its place in one."""


@kernel
def find_cones(d, n, count):
    """solver_cone, of the first `count` rows of each world."""
    for r in range(n):
        inside = (r < count) & (d.efc_type[r] == ELLIPTIC)
        place = where(inside, INNER, NOTHING)
        if r == 0:
            place = where(inside, FIRST, place)
        else:
            same = (d.efc_type[r - 1] == ELLIPTIC) & (d.efc_id[r - 1] == d.efc_id[r])
            place = where(inside & (same ^ True), FIRST, place)
        if r == n - 1:
            place = where(inside, LAST, place)
        else:
            same = (r + 1 < count) & (d.efc_type[r + 1] == ELLIPTIC) & (d.efc_id[r + 1] == d.efc_id[r])
            place = where(inside & (same ^ True), LAST, place)
        d.solver_cone[r] = place


@kernel
def zone(place, N, UU, mu, D):
    """Where a contact is, at its last row.

    Returns:
        N - mu T; 1 / T; Dm; whether all its rows are active; whether it slides on the surface of the cone.
    """
    T = sqrt(UU)
    G = N - mu * T
    pressed = (place == LAST) & (mu * N + T <= 0.0)
    sliding = (place == LAST) & (mu * N + T > 0.0) & (G < 0.0)
    Dm = D / maximum(mu * mu * (1.0 + mu * mu), mjMINVAL)
    return G, 1.0 / maximum(T, mjMINVAL), Dm, pressed, sliding


@kernel
def cones_line(d, n, y, alpha):
    """Cost of the contacts, and its derivatives, at the residuals y + alpha `solver_Jv`.

    Returns:
        cost; first and second derivative by alpha.
    """
    cost = 0.0
    first = 0.0
    second = 0.0
    mu = 0.0
    stiffness = 0.0
    N = 0.0
    dN = 0.0
    UU = 0.0
    UV = 0.0
    VV = 0.0
    yy = 0.0
    yv = 0.0
    vv = 0.0
    for r in range(n):
        place = d.solver_cone[r]
        begins = place == FIRST
        D = d.solver_D[r]
        scale = d.cone_scale[r]
        v = d.solver_Jv[r]
        x = y[r] + alpha * v
        mu = where(begins, scale, mu)
        stiffness = where(begins, D, stiffness)
        N = where(begins, scale * x, N)
        dN = where(begins, scale * v, dN)
        # of this contact so far
        UU = where(begins, 0.0, UU + scale * x * scale * x)
        UV = where(begins, 0.0, UV + scale * x * scale * v)
        VV = where(begins, 0.0, VV + scale * v * scale * v)
        yy = where(begins, 0.0, yy) + D * x * x
        yv = where(begins, 0.0, yv) + D * x * v
        vv = where(begins, 0.0, vv) + D * v * v
        G, short, Dm, pressed, sliding = zone(place, N, UU, mu, stiffness)
        dT = UV * short
        dG = dN - mu * dT
        cost = cost + where(pressed, 0.5 * yy, where(sliding, 0.5 * Dm * G * G, 0.0))
        first = first + where(pressed, yv, where(sliding, Dm * G * dG, 0.0))
        bend = Dm * (dG * dG - mu * G * (VV - dT * dT) * short)
        second = second + where(pressed, vv, where(sliding, bend, 0.0))
    return cost, first, second


@kernel
def update_cones(d, n):
    """Forces of the contacts at `solver_jar`, stiffnesses and states of their rows, and what Hessians are made of.

    The Hessian of a contact on the surface is, in scaled rows z, Dm g g' + k (sum over tangential z z' - t t'), with t
    the tangential rows in the direction of U, g = z of the normal row less mu t, and k = -Dm mu (N - mu T) / T.
    """
    mu = 0.0
    stiffness = 0.0
    N = 0.0
    UU = 0.0
    for r in range(n):
        place = d.solver_cone[r]
        begins = place == FIRST
        u = d.cone_scale[r] * d.solver_jar[r]
        mu = where(begins, d.cone_scale[r], mu)
        stiffness = where(begins, d.solver_D[r], stiffness)
        N = where(begins, u, N)
        UU = where(begins, 0.0, UU + u * u)
        G, short, Dm, pressed, sliding = zone(place, N, UU, mu, stiffness)
        d.cone_weight[r] = where(sliding, Dm, 0.0)
        d.cone_normal[r] = where(sliding, -Dm * G * mu, 0.0)
        d.cone_short[r] = where(sliding, short, 0.0)
        d.cone_state[r] = where(pressed, QUADRATIC, where(sliding, CONE, SATISFIED))
    hand_out(d, n)


@kernel
def hand_out(d, n):
    """What `update_cones` found at the last row of each contact, to all of its rows."""
    normal = 0.0
    short = 0.0
    state = SATISFIED
    for i in range(n):
        r = n - 1 - i
        place = d.solver_cone[r]
        ends = place == LAST
        inside = place != NOTHING
        normal = where(ends, d.cone_normal[r], normal)
        short = where(ends, d.cone_short[r], short)
        state = where(ends, d.cone_state[r], state)
        scale = d.cone_scale[r]
        y = d.solver_jar[r]
        # direction of U, scaled; mu in the normal row
        axis = where(place == FIRST, scale, scale * scale * y * short)
        surface = where(place == FIRST, normal, -normal * axis)
        tangential = where(place == FIRST, 0.0, normal * short * scale * scale)
        pressed = state == QUADRATIC
        sliding = state == CONE
        D = d.solver_D[r]
        force = where(pressed, -D * y, where(sliding, surface, 0.0))
        stiffness = where(pressed, D, where(sliding, tangential, 0.0))
        d.solver_force[r] = where(inside, force, d.solver_force[r])
        d.solver_active_D[r] = where(inside, stiffness, d.solver_active_D[r])
        d.cone_axis[r] = where(inside & sliding, axis, 0.0)
        d.cone_state[r] = where(inside, state, SATISFIED)
