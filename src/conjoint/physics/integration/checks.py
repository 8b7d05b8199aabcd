"""Checks of the state and acceleration for divergence (stages 1 and 23); `status.reset_asked` must follow."""

from conjoint.lang import isbad, kernel
from conjoint.schema.enums import mjtDisableBit, mjtWarning


@kernel
def check_state(m, d):
    """Check positions, then velocities: first stage of a step."""
    d.was_reset = 0
    check_field(m, d, d.qpos, m.nq, mjtWarning.mjWARN_BADQPOS)
    check_field(m, d, d.qvel, m.nv, mjtWarning.mjWARN_BADQVEL)


@kernel
def check_pos(m, d):
    """Warn of a position that is not finite or beyond 1e10 (mj_checkPos)."""
    d.was_reset = 0
    check_field(m, d, d.qpos, m.nq, mjtWarning.mjWARN_BADQPOS)


@kernel
def check_vel(m, d):
    """Warn of a velocity that is not finite or beyond 1e10 (mj_checkVel)."""
    d.was_reset = 0
    check_field(m, d, d.qvel, m.nv, mjtWarning.mjWARN_BADQVEL)


@kernel
def check_acc(m, d):
    """Warn of an acceleration that is not finite or beyond 1e10 (mj_checkAcc).

    Where `was_reset` is not zero after that, the step goes on from forward dynamics of the initial state.
    """
    d.was_reset = 0
    check_field(m, d, d.qacc, m.nv, mjtWarning.mjWARN_BADQACC)


@kernel
def check_field(m, d, field, count, kind):
    """Warn of NaN or huge values in a floating-point field; record the type of warning in `was_reset`."""
    bad = False
    for i in range(count):
        bad = bad | isbad(field[i])
    # a world that is about to be reset has nothing more to complain about
    if bad and d.was_reset == 0:
        # twice without a reset, as MuJoCo counts
        d.warning.number[kind] += 2
        for i in range(count - 1, -1, -1):
            if isbad(field[i]):
                d.warning.lastinfo[kind] = i
        if (m.opt.disableflags & mjtDisableBit.mjDSBL_AUTORESET) == 0:
            d.was_reset = kind + 1
