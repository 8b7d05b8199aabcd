"""The implicit complementarity solver: contacts satisfy non-penetration and Coulomb friction exactly.

E. Todorov, T. Erez, Y. Tassa, "MuJoCo: A physics engine for model-based control", IROS 2012, section II.C. Force f and
velocity v of a contact are both functions of one hybrid variable x. The conditions of complementarity and friction (4,
5) then hold for any x, and only equation (3) remains: A f(x) + v0 = v(x). Forces and velocities are scaled so that
cones are circular. Then f is x clipped: the normal part at zero, the tangential part at the normal force, other rows at
their limits. Velocity v is minus `hybrid.ratio` times the part that was clipped off.

Equation (3) is solved by Newton's method for functions with kinks. If the residual does not decrease as expected, the
step is shortened. If this does not help, the derivative is made stiffer (K. Levenberg 1944). If this does not help
either, projected Gauss-Seidel sweeps over the same conditions change x (M. Jean 1999). Not every problem has a solution
(V. Acary, F. Cadoux, C. Lemarechal, J. Malick 2011).
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
"""Number of Gauss-Seidel sweeps before Newton's method."""

SWEEPS_ELSEWHERE = 50
"""Number of Gauss-Seidel sweeps if no Newton step reduces the residual."""

SHORTENED = 3
"""Number of step lengths to try, each a third of the previous length."""

STIFFENED = 4
"""Number of derivatives to try, each stiffer than the previous one by the factor `STIFFER`."""

AGAIN, SWEEPS_AGAIN = 1, 4000
"""Number of times that a search restarts from its best point, and number of sweeps at each restart.

Sweeps converge slowly, but they also converge if contacts are redundant and Newton's method has no direction.
"""

STIFFER = 20.0
SOFTEST, FIRST_STIFFNESS = 1e-9, 2e-5
"""Initial and next multiple of `hybrid.ratio` that is added to the diagonal of the derivative."""

DROP = 0.02
"""Relative decrease of the squared residual, per unit of step length, that suffices to accept a step."""

RECENT = 0.7
"""Decay factor of the weighted mean of earlier residuals; a step is accepted if its residual is below this mean.

The residual may rise for a while (H. Zhang and W. Hager 2004), because the derivative on one side of a kink misleads
steps that cross it.
"""

ROUNDINGS = 100.0
"""Relative residual that counts as zero, in multiples of the rounding error."""


@kernel(one_by_one="worlds together run at 0.21 (pile), 0.24 (humanoid), 2.13 (quadruped) of the speed")
def solve_complementarity(m, d):
    """Find forces that are complementary to the velocities at the end of the step (mj_fwdConstraint).

    If no such forces also let penetration depths decay, because bodies are jammed, the depths stay unchanged.
    """
    n = d.nefc
    # worlds whose problem is not finite have NaN forces
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
    """Compute scales of the rows, and `hybrid.ratio`, which is the same for all tangents of a contact."""
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
    """Return the diagonal of A = J M^-1 J' at row r."""
    return d.efc_AR[r * (d.nefc_dual + 1)] - d.efc_R[r]


@kernel
def find_forces(m, d, n):
    """Find efc_force; return True if the residual is zero up to rounding, or within the tolerance."""
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
    """Iterate Newton's method from efc_force until the squared residual is at most `enough` or no iterations are left.

    The squared residual without forces is `whole`.

    Returns:
        The smallest squared residual, which is that of the resulting forces.
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
    """Copy the first n elements of `source` to `target`."""
    for r in range(n):
        target[r] = source[r]


@kernel
def take_step(d, n, reference, stiffness):
    """Move `hybrid.variable` by a Newton step that reduces the squared residual below `reference`.

    If no step achieves this, do Gauss-Seidel sweeps instead.

    Returns:
        The new squared residual, and the initial stiffness for the next step.
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
    """Return the scaled velocity of row r at efc_force minus the row's target velocity, divided by the timestep."""
    moved = dof_dot(n, d.efc_AR, r * d.nefc_dual, d.efc_force) - d.efc_R[r] * d.efc_force[r]
    return d.hybrid.scale[r] * moved + d.hybrid.free[r]


@kernel
def evaluate(d, n):
    """Compute hybrid.residual and efc_force at `hybrid.variable`; return the squared residual, weighted by 1/ratio."""
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
    """Compute efc_force from `hybrid.variable`."""
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
    """Compute efc_force from `hybrid.variable` for the contact whose rows begin at r."""
    normal = maximum(d.hybrid.variable[r], 0.0)
    share = share_within(d, r, size, normal)
    d.efc_force[r] = normal
    for k in range(r + 1, r + size):
        d.efc_force[k] = d.hybrid.scale[k] * share * d.hybrid.variable[k]


@kernel
def share_within(d, r, size, normal):
    """Return the factor, at most 1, by which to scale the tangential part of `hybrid.variable` into the cone."""
    square = 0.0
    for k in range(r + 1, r + size):
        square = square + d.hybrid.variable[k] * d.hybrid.variable[k]
    if square <= normal * normal:
        return 1.0
    return normal / sqrt(square)


@kernel
def encode(d, n):
    """Compute hybrid.variable from efc_force and the velocities at these forces."""
    for r in range(n):
        d.hybrid.variable[r] = d.efc_force[r] / d.hybrid.scale[r] - velocity(d, r, n) / d.hybrid.ratio[r]


@kernel
def sweep(d, n):
    """Solve the conditions of each row or contact in turn, while all other forces are constant (Gauss-Seidel sweep)."""
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
