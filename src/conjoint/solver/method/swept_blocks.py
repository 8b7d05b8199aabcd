"""What sweeps by rules of newer versions visit: blocks, which are rows that act alone, and elliptic contacts.

`dual_order` has the first row of each, of the whole world or of one island.
"""

from conjoint.lang import kernel, maximum, sqrt
from conjoint.schema.constants import mjMINVAL, mjNISLAND
from conjoint.solver.cost import CONE, FIRST, QUADRATIC, SATISFIED
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.method.dual import change_force, limited, size_of_cone, state_of_force
from conjoint.solver.statistics import store, store_counts


@kernel
def size_of_block(d, r):
    """Number of rows of the block that begins at row r."""
    if d.solver_cone[r] == FIRST:
        return size_of_cone(d, r)
    return 1


@kernel
def row_of_islands(d, place):
    """Row at a place in the order of islands."""
    return d.map_iefc2efc[place]


@kernel
def list_blocks(d, first, count, row):
    """List the blocks of some rows, in the order of rows; their number.

    Args:
        d: data.
        first, count: the first place, and how many.
        row: a kernel that tells which row is at a place.
    """
    blocks = 0
    place = first
    while place < first + count:
        r = row(d, place)
        d.dual_order[blocks] = r
        blocks += 1
        place += size_of_block(d, r)
    return blocks


@kernel
def scale_of_island(d, k):
    """Factor that makes a drop of the cost of island k comparable with the tolerance: 1 over its trace of M."""
    return 1.0 / (d.island_meaninertia[k] * d.island_nv[k])


@kernel
def bring_inside(d, r, size):
    """Bring what `dual_point` has for the block of row r to what its kind of constraint admits: the friction of a
    contact becomes shorter."""
    if size == 1:
        d.dual_point[r] = limited(d, r, d.dual_point[r])
        return
    normal = d.dual_point[r]
    if normal < mjMINVAL:
        for i in range(r, r + size):
            d.dual_point[i] = 0.0
        return
    square = 0.0
    for i in range(r + 1, r + size):
        scaled = d.dual_point[i] / d.cone_scale[i]
        square = square + scaled * scaled
    factor = sqrt(normal * normal / maximum(square, mjMINVAL))
    if factor < 1.0:
        for i in range(r + 1, r + size):
            d.dual_point[i] = factor * d.dual_point[i]


@kernel
def state_of_block(d, r, size):
    """State of the rows of the block that begins at row r (mjtConstraintState); see `dual.dual_states`."""
    if d.solver_cone[r] != FIRST:
        return state_of_force(d, r, d.efc_force[r])
    mu = d.cone_scale[r]
    normal = d.efc_force[r] / mu
    square = 0.0
    for i in range(r + 1, r + size):
        scaled = d.efc_force[i] / d.cone_scale[i]
        square = square + scaled * scaled
    across = sqrt(square)
    if mu * normal >= across:
        return SATISFIED
    if normal + mu * across <= 0.0:
        return QUADRATIC
    return CONE


@kernel
def store_states(d, blocks):
    """Store efc_state of the blocks; the numbers of rows that push, and of rows that changed."""
    pushing = 0
    changed = 0
    for b in range(blocks):
        r = d.dual_order[b]
        size = size_of_block(d, r)
        state = state_of_block(d, r, size)
        if state != SATISFIED:
            pushing += size
        for i in range(r, r + size):
            if d.efc_state[i] != state:
                changed += 1
            d.efc_state[i] = state
    return pushing, changed


@kernel
def store_sweep(m, d, blocks, island, iteration, improvement):
    """Store the states of the blocks, and the statistics of a sweep over an island, if there is room for them."""
    pushing, changed = store_states(d, blocks)
    if island < mjNISLAND and iteration < m.nsolverstat:
        place = island * m.nsolverstat + iteration
        store_counts(d, place, pushing, changed, 0)
        store(d, place, improvement, 0.0, 0.0, 0)


@kernel
def renew_residuals(m, d, blocks, island, matrix):
    """What residuals of the blocks are known by, for the forces as they are; of other islands it stays as it is."""
    if matrix.rows:
        if d.nisland > 0:
            for place in range(d.island_idofadr[island], d.island_idofadr[island] + d.island_nv[island]):
                d.dual_motion[1 + d.map_idof2dof[place]] = 0.0
        else:
            clear(d.dual_motion, 0, padded(m.nv + 1))
    for b in range(blocks):
        r = d.dual_order[b]
        for i in range(r, r + size_of_block(d, r)):
            if matrix.rows:
                matrix.rows.add(m, d, i, d.efc_force[i], d.dual_motion)
            else:
                product = 0.0
                for c in range(d.nefc):
                    product = product + d.efc_AR[i * d.nefc_dual + c] * d.efc_force[c]
                d.dual_residual[i] = d.efc_b[i] + product


@kernel
def move_to_point(m, d, r, size, matrix):
    """Let the forces of a block be those of `dual_point`."""
    for i in range(r, r + size):
        change = d.dual_point[i] - d.efc_force[i]
        d.efc_force[i] = d.dual_point[i]
        change_force(m, d, i, d.nefc, change, matrix)
