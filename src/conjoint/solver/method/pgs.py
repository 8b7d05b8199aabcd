"""Projected Gauss-Seidel: the dual problem, one row or elliptic contact after another (Computation chapter, PGS).

If all rows act alone, worlds are swept in lanes. Elliptic contacts begin at different rows in different worlds; if
there are any, each world is swept separately.
"""

from dataclasses import dataclass, replace

from conjoint.lang import Group, kernel, local, real, where
from conjoint.physics.constraint.jacobian import Jacobian
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjNISLAND
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.cones import FIRST, NOTHING, elliptic
from conjoint.solver.cost import NO_SOLUTION, is_sound, prepare, store_forces
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.half_rows import HALF_ROWS, LARGEST_CONE, HalfRows
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.method.cone_forces import update_across, update_along_ray
from conjoint.solver.method.dual import (
    ROUNDING,
    Places,
    change_force,
    compute_residuals,
    element_of,
    limited,
    replace_if_cheaper,
    residual_of,
    size_of_cone,
)
from conjoint.solver.method.editions import EDITIONS, Edition
from conjoint.solver.method.sweeps import Sweeps, sweep_islands, sweep_world


@dataclass(frozen=True)
class Pgs(Group):
    """Options of the projected Gauss-Seidel method.

    Attributes:
        J: storage of the rows of the Jacobian.
        stored, in_rows: sweeps for worlds that store the matrix, and for worlds that represent it by half-solved rows.
    """

    J: Jacobian
    stored: Sweeps
    in_rows: Sweeps


@kernel
def find_forces(m, d, pgs):
    """Find efc_force, both in worlds that store the matrix and in worlds that represent it by half-solved rows."""
    begin_dual(m, d, pgs.J, d.nefc)
    stored = where(d.dual.stored != 0, d.nefc, 0)
    others = d.nefc - stored
    begin_sweeps(m, d, stored, pgs.stored)
    begin_sweeps(m, d, others, pgs.in_rows)
    if elliptic(m) or pgs.stored.edition.by_islands:
        sweep_alone(m, d, pgs)
    else:
        sweep_world(m, d, stored, update_row, pgs.stored)
        sweep_world(m, d, others, update_row, pgs.in_rows)


@kernel(one_by_one="worlds together run at 0.39 (humanoid), 1.09 (pile), 1.26 (quadruped) of the speed")
def sweep_alone(m, d, pgs):
    """Sweep over rows and elliptic contacts, one world at a time instead of in lanes."""
    if d.nefc > 0:
        if d.dual.stored != 0:
            sweep_islands(m, d, update_block, pgs.stored)
        else:
            sweep_islands(m, d, update_block, pgs.in_rows)
        if pgs.stored.edition.by_islands and d.nisland > 0:
            d.nonzeros_pending = 0
            for k in range(d.nisland):
                if k < mjNISLAND:
                    d.solver_nnz[k] = d.island_nefc[k] * d.island_nefc[k]


@kernel(label="loading rows")
def begin_dual(m, d, J, count):
    """Compute efc_b, and the forces at qacc_warmstart."""
    n = fullest(count)
    prepare(m, d, n, count, same_row)
    residuals(m, d, J, n, d.qacc_smooth, d.cost.change)
    for r in range(n):
        d.efc_b[r] = d.cost.change[r]
    residuals(m, d, J, n, d.qacc_warmstart, d.cost.residual)
    store_forces(m, d, n, count, same_row)
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) != 0:
        clear(d.efc_force, 0, n)
    for r in range(n):
        if r >= count:
            d.efc_force[r] = 0.0
    clear(d.efc_force, n, padded(n) - n)


@kernel(label="residuals")
def begin_sweeps(m, d, count, matrix):
    """Start from the forces at qacc_warmstart if they cost less than zero forces; each world has `count` rows.

    Forces become NaN in worlds whose problem is not finite.
    """
    n = fullest(count)
    sound = is_sound(m, d, d.dual.size)
    compute_residuals(m, d, n, Places(0, count, same_row), matrix)
    cost = 0.0
    for r in range(n):
        product = 0.5 * d.efc_force[r] * (d.efc_b[r] + residual_of(m, d, r, matrix))
        cost = cost + where(r < count, product, 0.0)
    if not sound or cost > 0.0:
        for r in range(count):
            d.efc_force[r] = where(sound, 0.0, NO_SOLUTION)


@kernel
def update_row(m, d, r, n, live, matrix):
    """Minimize the dual cost over the force of row r; see `sweep_world`."""
    residual = residual_of(m, d, r, matrix)
    pivot = element_of(d, r, 0, matrix)
    old = d.efc_force[r]
    force = limited(d, r, old - residual / pivot)
    change = force - old
    cost = change * (0.5 * change * pivot + residual)
    better = live & (cost <= ROUNDING)
    if better:
        d.efc_force[r] = force
    change_force(m, d, r, n, where(better, change, 0.0), matrix)
    return where(better, -cost, 0.0)


@kernel
def update_block(m, d, r, n, live, matrix):
    """Minimize the dual cost over the force of row r, or of the elliptic contact that begins there, in one world.

    See `sweep_world`.
    """
    if not elliptic(m) or d.cone.place[r] == NOTHING:
        return update_row(m, d, r, n, live, matrix)
    if d.cone.place[r] != FIRST or not live:
        return 0.0
    A = local(real, LARGEST_CONE * LARGEST_CONE)
    residual = local(real, LARGEST_CONE)
    old = local(real, LARGEST_CONE)
    size = size_of_cone(d, r)
    for i in range(size):
        old[i] = d.efc_force[r + i]
        residual[i] = residual_of(m, d, r + i, matrix)
        for j in range(size - i):
            element = element_of(d, r + i, j, matrix)
            A[i * LARGEST_CONE + i + j] = element
            A[(i + j) * LARGEST_CONE + i] = element
    update_along_ray(d, r, size, A, residual, old)
    update_across(d, r, size, size, live, 0, A, residual, old)
    drop = replace_if_cheaper(d, r, size, size, live, A, residual, old)
    for i in range(size):
        change_force(m, d, r + i, n, d.efc_force[r + i] - old[i], matrix)
    return drop


@kernel
def limits(m):
    """Return the maximum number of sweeps, and the improvement of the cost below which sweeping ends."""
    return m.opt.iterations, m.opt.tolerance


def pgs_in(edition: Edition, rows: HalfRows) -> Pgs:
    """Return the options of the method for an edition and a storage format of rows."""
    stored = Sweeps(edition, limits, pace=edition.pace, refreshes=True)
    return Pgs(rows.J, stored, replace(stored, rows=rows))


PGS = tuple(tuple(pgs_in(edition, rows) for rows in HALF_ROWS) for edition in EDITIONS)
"""Options of the method by edition, each with dense rows and with compressed rows (`runtime.stage.by_storage`)."""
