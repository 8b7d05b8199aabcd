"""Gauss-Seidel methods on the dual problem: sweeps that solve one block of rows at a time.

Meanwhile, the forces of all other blocks are constant. A block is a row that acts alone, two opposite edges of a
pyramid, or an elliptic contact. One loop serves projected Gauss-Seidel and the noslip solver, for a world or for one of
its islands.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, abs, any, kernel, local, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjNISLAND
from conjoint.solver.linear.half_rows import HalfRows
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.method.dual import Places, begins_block, compute_residuals, dual_states, row_of_islands
from conjoint.solver.method.editions import STATE, Edition, Pace
from conjoint.solver.statistics import store, store_counts

REFRESHED = 32
"""Number of sweeps after which residuals are recomputed, so that rounding errors do not accumulate."""


@dataclass(frozen=True)
class Sweeps(Group):
    """Options of a Gauss-Seidel method. Fields that may be None are optional.

    Attributes:
        edition: rules of the edition of the physics.
        limits: (m) returns the maximum number of sweeps, and the improvement below which they end.
        rows: half a solve of the rows; None: the matrix is stored in `efc_AR`, and residuals are stored too.
        first_gain: (d, places) returns a decrease of the cost that counts as part of the first sweep.
        pace: order of sweeps, and the forces from which they begin; None: the order of rows.
        refreshes: True to recompute residuals every `REFRESHED` sweeps.
        follows: True to append statistics to those of the previous method.
    """

    edition: Edition
    limits: Kernel
    rows: HalfRows | None = None
    first_gain: Kernel | None = None
    pace: Pace | None = None
    refreshes: bool = False
    follows: bool = False


@kernel
def sweep_world(m, d, count, update, sweeps):
    """Sweep over the first `count` rows of each world until the cost no longer drops.

    The kernel `update(m, d, r, n, live, sweeps)` minimizes the cost over the forces of the block that begins at row r,
    if there is one, in the live worlds. It returns the decrease of the cost. The number of rows is n.
    """
    n = fullest(count)
    done = minimize(m, d, n, Places(0, count, same_row), 0, sweeps.edition.scale(m, d), update, sweeps)
    if count > 0:
        d.solver_niter[0] = done


@kernel
def sweep_islands(m, d, update, sweeps):
    """Sweep over one world, separately for each island if the edition requires it and islands exist."""
    if sweeps.edition.by_islands and d.nisland > 0:
        for k in range(d.nisland):
            places = Places(d.island_iefcadr[k], d.island_nefc[k], row_of_islands)
            # scale of the island, from the trace of its inertia
            scale = 1.0 / (d.island.meaninertia[k] * d.island_nv[k])
            done = minimize(m, d, d.nefc, places, k, scale, update, sweeps)
            if k < mjNISLAND:
                d.solver_niter[k] = done
    else:
        sweep_world(m, d, d.nefc, update, sweeps)


@kernel(label="sweeps")
def minimize(m, d, n, places, island, scale, update, sweeps):
    """Sweep over rows until the cost no longer drops; return the number of iterations.

    Args:
        m, d: model and data.
        n: number of rows of the world with most rows.
        places: the rows.
        island: index of their island, 0 for the whole world.
        scale: factor by which the decrease of the cost is multiplied for comparison with the tolerance.
        update: the kernel, as in `sweep_world`.
        sweeps: the options.
    """
    most, tolerance = sweeps.limits(m)
    done = 0
    # islands beyond the first mjNISLAND have no statistics
    if sweeps.follows and island < mjNISLAND:
        done = d.solver_niter[island]
    state = local(int, STATE)
    if sweeps.pace:
        visited = Places(0, list_blocks(m, d, places), row_of_order)
        sweeps.pace.start(state)
    else:
        visited = places
    if m.nsolverstat > 0:
        # the first sweep counts the rows that change their states
        dual_states(m, d, places)
    gain = 0.0
    if sweeps.first_gain:
        gain = sweeps.first_gain(d, places)
    active = places.count > 0
    iterations = 0
    for sweep in range(most):
        if not any(active):
            break
        if sweeps.refreshes and sweep % REFRESHED == 0:
            compute_residuals(m, d, n, places, sweeps)
        share = 0.0
        if sweeps.pace:
            # worlds that have ended keep their forces
            share = sweeps.pace.begin(m, d, where(active, visited.count, 0), state, sweeps)
        for k in range(fullest(visited.count)):
            r = visited.row(d, visited.first + k)
            gain = gain + update(m, d, r, n, active & (k < visited.count), sweeps)
        if sweeps.pace:
            sweeps.pace.end(m, d, visited.count, share, state)
        improvement = gain * scale
        if active:
            record_sweep(m, d, places, island, done + sweep, improvement)
            iterations += 1
        # the cost rises only due to rounding or the approximate search in a cone's cross section, so continue
        active = active & (abs(improvement) >= tolerance)
        gain = 0.0
    if places.count > 0:
        dual_states(m, d, places)
    return done + iterations


@kernel
def row_of_order(d, place):
    """Return the first row of the block at an index of `pace.order`."""
    return d.pace.order[place]


@kernel
def list_blocks(m, d, places):
    """List in `pace.order` the blocks that consist of the rows in `places`, in row order; return their number."""
    blocks = 0
    for place in range(places.first, places.first + places.count):
        r = places.row(d, place)
        if begins_block(m, d, r):
            d.pace.order[blocks] = r
            blocks += 1
    return blocks


@kernel
def record_sweep(m, d, places, island, iteration, improvement):
    """Store the statistics of a sweep, if there is space for them."""
    if island < mjNISLAND and iteration < m.nsolverstat:
        place = island * m.nsolverstat + iteration
        pushing, changed = dual_states(m, d, places)
        store_counts(d, place, pushing, changed, 0)
        store(d, place, improvement, 0.0, 0.0, 0)
