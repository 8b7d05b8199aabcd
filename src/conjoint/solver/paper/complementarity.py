"""The implicit complementarity solver: contacts that neither penetrate nor slip without Coulomb's law, exactly.

E. Todorov, T. Erez, Y. Tassa, "MuJoCo: A physics engine for model-based control", IROS 2012, section II.C. Force f and
velocity v of a contact are both functions of one hybrid variable x, so that the conditions of complementarity and
friction (4, 5) hold whatever x is, and A f(x) + v0 = v(x) (3) remains. With forces and velocities scaled so that cones
are circular, f is x cut off: the normal part at zero, the tangential part at the normal force, other rows at what they
may be; v is `hybrid.ratio` times what was cut off, backwards. That equation is solved by Newton's method on functions
with kinks, which also goes where the residual does not fall as expected: the step is shortened, then the derivative
made stiffer (K. Levenberg 1944), and at last sweeps of projected Gauss-Seidel over the same conditions lead elsewhere
(M. Jean 1999). Not every problem has a solution (V. Acary, F. Cadoux, C. Lemarechal, J. Malick 2011).
"""

from conjoint.lang import kernel, maximum, sqrt
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.cones import FIRST
from conjoint.solver.linear.dense import clear
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.linear.project import dof_dot
from conjoint.solver.method.dual import Places, dual_states, limited, size_of_cone
from conjoint.solver.paper.hybrid_slope import fill_slope, solve_slope
from conjoint.solver.statistics import store, store_counts

SWEEPS_BEFORE = 5
"""Sweeps of Gauss-Seidel from which Newton's method starts."""

SWEEPS_ELSEWHERE = 50
"""Sweeps where it does not go on."""

SHORTENED = 3
"""Lengths of a step that are tried, each a third of the one before."""

STIFFENED = 4
"""Derivatives that are tried, each stiffer by the factor `STIFFER` than the one before, but the first."""

AGAIN, SWEEPS_AGAIN = 1, 4000
"""Times that a search begins again from where it was nearest, and sweeps that it begins with: they converge slowly, but
also where contacts are redundant, and Newton's method has no direction to go on."""

STIFFER = 20.0
SOFTEST, FIRST_STIFFNESS = 1e-9, 2e-5
"""What is added to the diagonal of the derivative, over `hybrid.ratio`: at first, and where that does not help."""

DROP = 0.02
"""Drop of the squared residual, over the length of the step, with which it is taken."""

RECENT = 0.7
"""A step is taken if the residual drops below a mean in which each of those before counts so much less than the next:
it may rise for a while (H. Zhang and W. Hager 2004), since the pieces between kinks lead each other astray."""

ROUNDINGS = 100.0
"""Relative residual, in units of rounding, that counts as none."""


@kernel(one_by_one="together 0.21 (pile), 0.24 (humanoid), 2.13 (quadruped) of the speed")
def solve_complementarity(m, d):
    """Forces that complement the velocities at the end of the step (mj_fwdConstraint).

    Where there are none that also let overlaps decay, since bodies are jammed, overlaps stay as they are.
    """
    n = d.nefc
    # worlds without a solution have a force that is not a number
    if n == 0 or d.efc_force[0] != 0.0:
        return
    begin_hybrid(d, n)
    d.solver_niter[0] = 0
    if not find_forces(m, d, n):
        for r in range(n):
            d.hybrid.free[r] = d.hybrid.free[r] + d.hybrid.push[r]
        find_forces(m, d, n)
    dual_states(m, d, Places(0, n, same_row))


@kernel
def begin_hybrid(d, n):
    """Scales of the rows, and what a unit of the hybrid variable is worth: of all tangents of a contact the same."""
    r = 0
    while r < n:
        size = 1
        d.hybrid.scale[r] = 1.0
        d.hybrid.ratio[r] = maximum(diagonal(d, r), mjMINVAL)
        if d.cone.place[r] == FIRST:
            size = size_of_cone(d, r)
            ratio = 0.0
            for k in range(r + 1, r + size):
                scale = d.cone_scale[k]
                d.hybrid.scale[k] = scale
                d.hybrid.free[k] = scale * d.hybrid.free[k]
                ratio = ratio + scale * scale * diagonal(d, k)
            for k in range(r + 1, r + size):
                d.hybrid.ratio[k] = maximum(ratio, mjMINVAL)
        r += size


@kernel
def diagonal(d, r):
    """Diagonal of A = J M^-1 J' at row r."""
    return d.efc_AR[r * (d.nefc_dual + 1)] - d.efc_R[r]


@kernel
def find_forces(m, d, n):
    """efc_force; whether the residual is zero to rounding, or as small as the tolerance asks."""
    clear(d.efc_force, 0, n)
    whole = 0.0
    for r in range(n):
        whole = whole + d.hybrid.free[r] * d.hybrid.free[r] / d.hybrid.ratio[r]
    part = maximum(m.opt.tolerance, ROUNDINGS * m.epsilon)
    enough = part * part * whole
    for _ in range(SWEEPS_BEFORE):
        sweep(d, n)
    least = search(m, d, n, whole, enough)
    for _ in range(AGAIN):
        if least > enough:
            for _ in range(SWEEPS_AGAIN):
                sweep(d, n)
            least = search(m, d, n, whole, enough)
    return least <= enough


@kernel
def search(m, d, n, whole, enough):
    """Newton's iterations from efc_force to a squared residual of `enough`, or as many as are allowed.

    Returns:
        the least squared residual met, which is that of the forces found; its value without forces is `whole`.
    """
    encode(d, n)
    square = evaluate(d, n)
    least = square
    keep(d, n, d.hybrid.variable, d.hybrid.best)
    reference = square
    stiffness = SOFTEST
    iterations = d.solver_niter[0]
    most = iterations + m.opt.iterations
    while iterations < most and square > enough:
        before = square
        square, stiffness = take_step(d, n, reference, stiffness)
        reference = RECENT * reference + (1.0 - RECENT) * square
        relative = sqrt(square / whole)
        if iterations < m.nsolverstat:
            store_counts(d, iterations, 0, 0, 0)
            store(d, iterations, sqrt(before / whole) - relative, relative, 0.0, 0)
        iterations += 1
        if square < least:
            least = square
            keep(d, n, d.hybrid.variable, d.hybrid.best)
    d.solver_niter[0] = iterations
    keep(d, n, d.hybrid.best, d.hybrid.variable)
    decode(d, n)
    return least


@kernel
def keep(d, n, source, target):
    """target := source."""
    for r in range(n):
        target[r] = source[r]


@kernel
def take_step(d, n, reference, stiffness):
    """Newton's step from `hybrid.variable` to a squared residual below `reference`, or sweeps that lead elsewhere.

    Returns:
        the squared residual after it; the stiffness to begin the next step with.
    """
    keep(d, n, d.hybrid.variable, d.hybrid.before)
    for _ in range(STIFFENED):
        fill_slope(d, n, stiffness)
        solve_slope(d, n)
        length = 1.0
        for _ in range(SHORTENED):
            for r in range(n):
                d.hybrid.variable[r] = d.hybrid.before[r] + length * d.hybrid.step[r]
            reached = evaluate(d, n)
            if reached <= reference * (1.0 - DROP * length):
                if length == 1.0:
                    stiffness = maximum(0.1 * stiffness, SOFTEST)
                return reached, stiffness
            length = length / 3.0
        stiffness = maximum(STIFFER * stiffness, FIRST_STIFFNESS)
        keep(d, n, d.hybrid.before, d.hybrid.variable)
        evaluate(d, n)
    for _ in range(SWEEPS_ELSEWHERE):
        sweep(d, n)
    encode(d, n)
    return evaluate(d, n), SOFTEST


@kernel
def velocity(d, r, n):
    """Velocity of row r at efc_force, scaled: over the timestep, less what the row asks for."""
    moved = dof_dot(n, d.efc_AR, r * d.nefc_dual, d.efc_force) - d.efc_R[r] * d.efc_force[r]
    return d.hybrid.scale[r] * moved + d.hybrid.free[r]


@kernel
def evaluate(d, n):
    """hybrid.residual and efc_force at `hybrid.variable`; the square of the residual, each row over its ratio."""
    decode(d, n)
    square = 0.0
    for r in range(n):
        cut = d.efc_force[r] / d.hybrid.scale[r] - d.hybrid.variable[r]
        residual = velocity(d, r, n) - d.hybrid.ratio[r] * cut
        d.hybrid.residual[r] = residual
        square = square + residual * residual / d.hybrid.ratio[r]
    return square


@kernel
def decode(d, n):
    """efc_force := the forces that `hybrid.variable` encodes."""
    r = 0
    while r < n:
        size = 1
        if d.cone.place[r] == FIRST:
            size = size_of_cone(d, r)
            decode_contact(d, r, size)
        else:
            d.efc_force[r] = limited(d, r, d.hybrid.variable[r])
        r += size


@kernel
def decode_contact(d, r, size):
    """The same for the contact whose rows begin at r."""
    normal = maximum(d.hybrid.variable[r], 0.0)
    share = share_within(d, r, size, normal)
    d.efc_force[r] = normal
    for k in range(r + 1, r + size):
        d.efc_force[k] = d.hybrid.scale[k] * share * d.hybrid.variable[k]


@kernel
def share_within(d, r, size, normal):
    """Share of the tangential part of `hybrid.variable` that is within the cone."""
    square = 0.0
    for k in range(r + 1, r + size):
        square = square + d.hybrid.variable[k] * d.hybrid.variable[k]
    if square <= normal * normal:
        return 1.0
    return normal / sqrt(square)


@kernel
def encode(d, n):
    """hybrid.variable := what efc_force and its velocities are encoded by."""
    for r in range(n):
        d.hybrid.variable[r] = d.efc_force[r] / d.hybrid.scale[r] - velocity(d, r, n) / d.hybrid.ratio[r]


@kernel
def sweep(d, n):
    """Meet the conditions of each row or contact in turn, as if all others stayed."""
    r = 0
    while r < n:
        size = 1
        d.hybrid.variable[r] = d.efc_force[r] - velocity(d, r, n) / d.hybrid.ratio[r]
        d.efc_force[r] = limited(d, r, d.hybrid.variable[r])
        if d.cone.place[r] == FIRST:
            size = size_of_cone(d, r)
            for k in range(r + 1, r + size):
                d.hybrid.variable[k] = d.efc_force[k] / d.hybrid.scale[k] - velocity(d, k, n) / d.hybrid.ratio[k]
            decode_contact(d, r, size)
        r += size
