"""The state as one vector: the components that a sum of mjtState bits names, one after another (mj_getState)."""

from conjoint.lang import integer, kernel, load, put, quat, spatial, vec3
from conjoint.schema.enums import mjtState


@kernel
def state_size(m, spec):
    """Number of reals in the state that `spec` describes (mj_stateSize)."""
    size = 0
    if spec & mjtState.mjSTATE_TIME:
        size += 1
    if spec & mjtState.mjSTATE_QPOS:
        size += m.nq
    if spec & mjtState.mjSTATE_QVEL:
        size += m.nv
    if spec & mjtState.mjSTATE_ACT:
        size += m.na
    if spec & mjtState.mjSTATE_WARMSTART:
        size += m.nv
    if spec & mjtState.mjSTATE_CTRL:
        size += m.nu
    if spec & mjtState.mjSTATE_QFRC_APPLIED:
        size += m.nv
    if spec & mjtState.mjSTATE_XFRC_APPLIED:
        size += 6 * m.nbody
    if spec & mjtState.mjSTATE_EQ_ACTIVE:
        size += m.neq
    if spec & mjtState.mjSTATE_MOCAP_POS:
        size += 3 * m.nmocap
    if spec & mjtState.mjSTATE_MOCAP_QUAT:
        size += 4 * m.nmocap
    if spec & mjtState.mjSTATE_USERDATA:
        size += m.nuserdata
    if spec & mjtState.mjSTATE_PLUGIN:
        size += m.npluginstate
    return size


@kernel
def read_state(m, d, state, spec):
    """Write the components that `spec` names to `state` (mj_getState)."""
    at = 0
    if spec & mjtState.mjSTATE_TIME:
        state[0] = d.time
        at = 1
    at = read_reals(state, at, d.qpos, m.nq, spec & mjtState.mjSTATE_QPOS)
    at = read_reals(state, at, d.qvel, m.nv, spec & mjtState.mjSTATE_QVEL)
    at = read_reals(state, at, d.act, m.na, spec & mjtState.mjSTATE_ACT)
    at = read_reals(state, at, d.qacc_warmstart, m.nv, spec & mjtState.mjSTATE_WARMSTART)
    at = read_reals(state, at, d.ctrl, m.nu, spec & mjtState.mjSTATE_CTRL)
    at = read_reals(state, at, d.qfrc_applied, m.nv, spec & mjtState.mjSTATE_QFRC_APPLIED)
    at = read_values(state, at, d.xfrc_applied, m.nbody, 6, spec & mjtState.mjSTATE_XFRC_APPLIED)
    at = read_reals(state, at, d.eq_active, m.neq, spec & mjtState.mjSTATE_EQ_ACTIVE)
    at = read_values(state, at, d.mocap_pos, m.nmocap, 3, spec & mjtState.mjSTATE_MOCAP_POS)
    at = read_values(state, at, d.mocap_quat, m.nmocap, 4, spec & mjtState.mjSTATE_MOCAP_QUAT)
    at = read_reals(state, at, d.userdata, m.nuserdata, spec & mjtState.mjSTATE_USERDATA)
    read_reals(state, at, d.plugin_state, m.npluginstate, spec & mjtState.mjSTATE_PLUGIN)


@kernel
def read_reals(state, at, field, count, wanted):
    """Copy the numbers of a field to `state` if they are wanted; where the next component begins."""
    if wanted == 0:
        return at
    for i in range(count):
        state[at + i] = field[i]
    return at + count


@kernel
def read_values(state, at, field, count, size, wanted):
    """The same of values of `size` numbers each."""
    if wanted == 0:
        return at
    for i in range(count):
        put(state, at + size * i, field[i])
    return at + size * count


@kernel
def write_state(m, d, state, spec):
    """Set the components that `spec` names from `state` (mj_setState)."""
    at = 0
    if spec & mjtState.mjSTATE_TIME:
        d.time = state[0]
        at = 1
    at = write_reals(state, at, d.qpos, m.nq, spec & mjtState.mjSTATE_QPOS)
    at = write_reals(state, at, d.qvel, m.nv, spec & mjtState.mjSTATE_QVEL)
    at = write_reals(state, at, d.act, m.na, spec & mjtState.mjSTATE_ACT)
    at = write_reals(state, at, d.qacc_warmstart, m.nv, spec & mjtState.mjSTATE_WARMSTART)
    at = write_reals(state, at, d.ctrl, m.nu, spec & mjtState.mjSTATE_CTRL)
    at = write_reals(state, at, d.qfrc_applied, m.nv, spec & mjtState.mjSTATE_QFRC_APPLIED)
    if spec & mjtState.mjSTATE_XFRC_APPLIED:
        for b in range(m.nbody):
            d.xfrc_applied[b] = load(spatial, state, at + 6 * b)
        at += 6 * m.nbody
    if spec & mjtState.mjSTATE_EQ_ACTIVE:
        for e in range(m.neq):
            # a byte, as officially
            d.eq_active[e] = integer(state[at + e]) & 255
        at += m.neq
    if spec & mjtState.mjSTATE_MOCAP_POS:
        for b in range(m.nmocap):
            d.mocap_pos[b] = load(vec3, state, at + 3 * b)
        at += 3 * m.nmocap
    if spec & mjtState.mjSTATE_MOCAP_QUAT:
        for b in range(m.nmocap):
            d.mocap_quat[b] = load(quat, state, at + 4 * b)
        at += 4 * m.nmocap
    at = write_reals(state, at, d.userdata, m.nuserdata, spec & mjtState.mjSTATE_USERDATA)
    write_reals(state, at, d.plugin_state, m.npluginstate, spec & mjtState.mjSTATE_PLUGIN)


@kernel
def write_reals(state, at, field, count, wanted):
    """Copy numbers of `state` to a field if they are wanted; where the next component begins."""
    if wanted == 0:
        return at
    for i in range(count):
        field[i] = state[at + i]
    return at + count
