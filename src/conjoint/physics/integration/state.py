"""State vectors, whose components are selected by a sum of mjtState bits (mj_getState), and resets of a world."""

from conjoint.lang import integer, kernel, load, put, quat, spatial, vec3
from conjoint.schema.constants import SLEEP_STATE
from conjoint.schema.enums import mjtState


@kernel
def state_size(m, spec):
    """Return the number of elements of the state vector that `spec` selects (mj_stateSize)."""
    size = size_if(spec & mjtState.mjSTATE_TIME, 1)
    size += size_if(spec & mjtState.mjSTATE_QPOS, m.nq)
    size += size_if(spec & mjtState.mjSTATE_QVEL, m.nv)
    size += size_if(spec & mjtState.mjSTATE_ACT, m.na)
    size += size_if(spec & mjtState.mjSTATE_HISTORY, m.nhistory)
    size += size_if(spec & mjtState.mjSTATE_WARMSTART, m.nv)
    size += size_if(spec & mjtState.mjSTATE_CTRL, m.nu)
    size += size_if(spec & mjtState.mjSTATE_QFRC_APPLIED, m.nv)
    size += size_if(spec & mjtState.mjSTATE_XFRC_APPLIED, 6 * m.nbody)
    size += size_if(spec & mjtState.mjSTATE_EQ_ACTIVE, m.neq)
    size += size_if(spec & mjtState.mjSTATE_MOCAP_POS, 3 * m.nmocap)
    size += size_if(spec & mjtState.mjSTATE_MOCAP_QUAT, 4 * m.nmocap)
    size += size_if(spec & mjtState.mjSTATE_USERDATA, m.nuserdata)
    size += size_if(spec & mjtState.mjSTATE_PLUGIN, m.npluginstate)
    size += size_if(spec & mjtState.mjSTATE_PLASTIC, m.nplastic)
    size += size_if(sleeping(m, spec), m.ntree + m.nq + m.na + m.nsensordata)
    return size


@kernel
def sleeping(m, spec):
    """Return a positive number if `spec` includes the sleep state and the model has trees that may sleep, else 0."""
    return (spec & SLEEP_STATE) if m.nsleep_tree > 0 else 0


@kernel
def size_if(wanted, size):
    """Return the size of a component if `wanted` is not 0, else 0."""
    return 0 if wanted == 0 else size


@kernel
def read_state(m, d, state, spec):
    """Write the components that `spec` selects to `state` (mj_getState)."""
    at = 0
    if spec & mjtState.mjSTATE_TIME:
        state[0] = d.time
        at = 1
    at = read_reals(state, at, d.qpos, m.nq, spec & mjtState.mjSTATE_QPOS)
    at = read_reals(state, at, d.qvel, m.nv, spec & mjtState.mjSTATE_QVEL)
    at = read_reals(state, at, d.act, m.na, spec & mjtState.mjSTATE_ACT)
    at = read_reals(state, at, d.history, m.nhistory, spec & mjtState.mjSTATE_HISTORY)
    at = read_reals(state, at, d.qacc_warmstart, m.nv, spec & mjtState.mjSTATE_WARMSTART)
    at = read_reals(state, at, d.ctrl, m.nu, spec & mjtState.mjSTATE_CTRL)
    at = read_reals(state, at, d.qfrc_applied, m.nv, spec & mjtState.mjSTATE_QFRC_APPLIED)
    at = read_values(state, at, d.xfrc_applied, m.nbody, 6, spec & mjtState.mjSTATE_XFRC_APPLIED)
    at = read_reals(state, at, d.eq_active, m.neq, spec & mjtState.mjSTATE_EQ_ACTIVE)
    at = read_values(state, at, d.mocap_pos, m.nmocap, 3, spec & mjtState.mjSTATE_MOCAP_POS)
    at = read_values(state, at, d.mocap_quat, m.nmocap, 4, spec & mjtState.mjSTATE_MOCAP_QUAT)
    at = read_reals(state, at, d.userdata, m.nuserdata, spec & mjtState.mjSTATE_USERDATA)
    at = read_reals(state, at, d.plugin_state, m.npluginstate, spec & mjtState.mjSTATE_PLUGIN)
    at = read_reals(state, at, d.plastic, m.nplastic, spec & mjtState.mjSTATE_PLASTIC)
    at = read_reals(state, at, d.tree_rest, m.ntree, sleeping(m, spec))
    at = read_reals(state, at, d.rest_qpos, m.nq, sleeping(m, spec))
    at = read_reals(state, at, d.rest_act_dot, m.na, sleeping(m, spec))
    read_reals(state, at, d.rest_reading, m.nsensordata, sleeping(m, spec))


@kernel
def read_reals(state, at, field, count, wanted):
    """Copy the numbers of a field to `state` if `wanted` is not 0; return the address of the next component."""
    if wanted == 0:
        return at
    for i in range(count):
        state[at + i] = field[i]
    return at + count


@kernel
def read_values(state, at, field, count, size, wanted):
    """Copy the values of a field, with `size` numbers each, to `state`, in the same way as `read_reals`."""
    if wanted == 0:
        return at
    for i in range(count):
        put(state, at + size * i, field[i])
    return at + size * count


@kernel
def write_state(m, d, state, spec):
    """Set the components that `spec` selects from `state` (mj_setState)."""
    at = 0
    if spec & mjtState.mjSTATE_TIME:
        d.time = state[0]
        at = 1
    at = write_reals(state, at, d.qpos, m.nq, spec & mjtState.mjSTATE_QPOS)
    at = write_reals(state, at, d.qvel, m.nv, spec & mjtState.mjSTATE_QVEL)
    at = write_reals(state, at, d.act, m.na, spec & mjtState.mjSTATE_ACT)
    at = write_reals(state, at, d.history, m.nhistory, spec & mjtState.mjSTATE_HISTORY)
    at = write_reals(state, at, d.qacc_warmstart, m.nv, spec & mjtState.mjSTATE_WARMSTART)
    at = write_reals(state, at, d.ctrl, m.nu, spec & mjtState.mjSTATE_CTRL)
    at = write_reals(state, at, d.qfrc_applied, m.nv, spec & mjtState.mjSTATE_QFRC_APPLIED)
    at = write_values(state, at, d.xfrc_applied, m.nbody, spatial, 6, spec & mjtState.mjSTATE_XFRC_APPLIED)
    if spec & mjtState.mjSTATE_EQ_ACTIVE:
        for e in range(m.neq):
            # stored as a byte, as in MuJoCo
            d.eq_active[e] = integer(state[at + e]) & 255
        at += m.neq
    at = write_values(state, at, d.mocap_pos, m.nmocap, vec3, 3, spec & mjtState.mjSTATE_MOCAP_POS)
    at = write_values(state, at, d.mocap_quat, m.nmocap, quat, 4, spec & mjtState.mjSTATE_MOCAP_QUAT)
    at = write_reals(state, at, d.userdata, m.nuserdata, spec & mjtState.mjSTATE_USERDATA)
    at = write_reals(state, at, d.plugin_state, m.npluginstate, spec & mjtState.mjSTATE_PLUGIN)
    at = write_reals(state, at, d.plastic, m.nplastic, spec & mjtState.mjSTATE_PLASTIC)
    if sleeping(m, spec) != 0:
        for t in range(m.ntree):
            d.tree_rest[t] = integer(state[at + t])
        at += m.ntree
        # results of sleeping trees must be recomputed
        d.sleep_known = 0
    at = write_reals(state, at, d.rest_qpos, m.nq, sleeping(m, spec))
    at = write_reals(state, at, d.rest_act_dot, m.na, sleeping(m, spec))
    write_reals(state, at, d.rest_reading, m.nsensordata, sleeping(m, spec))


@kernel
def write_reals(state, at, field, count, wanted):
    """Copy numbers of `state` to a field if `wanted` is not 0; return the address of the next component."""
    if wanted == 0:
        return at
    for i in range(count):
        field[i] = state[at + i]
    return at + count


@kernel
def write_values(state, at, field, count, kind, size, wanted):
    """Copy `count` values of type `kind`, with `size` numbers each, from `state` to a field (see `write_reals`)."""
    if wanted == 0:
        return at
    for i in range(count):
        field[i] = load(kind, state, at + size * i)
    return at + size * count


@kernel
def begin_anew(numbers, source, cleared, ncleared, rows, nrows, key):
    """Reset a world: set some of its numbers to zero and copy others from its model.

    Args:
        numbers: memory of the world, as numbers of eight bytes.
        source: memory of the model.
        cleared: start and end of each range of numbers to set to zero.
        ncleared: number of such ranges.
        rows: for each range to copy: destination, source, number of numbers, and offset between keyframes.
        nrows: number of ranges to copy.
        key: index of the keyframe.
    """
    for k in range(ncleared):
        for i in range(cleared[2 * k], cleared[2 * k + 1]):
            numbers[i] = 0
    for k in range(nrows):
        to = rows[4 * k]
        first = rows[4 * k + 1] + rows[4 * k + 3] * key
        for i in range(rows[4 * k + 2]):
            numbers[to + i] = source[first + i]
