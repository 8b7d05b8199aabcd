"""Checks of the state and acceleration for divergence (stages 1 and 23); `status.reset_requested` runs after them."""

from conjoint.lang import isbad, kernel
from conjoint.schema.enums import mjtDisableBit, mjtWarning


@kernel
def check_state(m, d):
    """Check positions, then velocities, in the first stage of a step."""
    d.was_reset = 0
    check_field(m, d, d.qpos, m.nq, mjtWarning.mjWARN_BADQPOS)
    check_field(m, d, d.qvel, m.nv, mjtWarning.mjWARN_BADQVEL)


@kernel
def check_pos(m, d):
    """Count a warning if a position is not finite or exceeds 1e10 (mj_checkPos)."""
    d.was_reset = 0
    check_field(m, d, d.qpos, m.nq, mjtWarning.mjWARN_BADQPOS)


@kernel
def check_vel(m, d):
    """Count a warning if a velocity is not finite or exceeds 1e10 (mj_checkVel)."""
    d.was_reset = 0
    check_field(m, d, d.qvel, m.nv, mjtWarning.mjWARN_BADQVEL)


@kernel
def check_acc(m, d):
    """Count a warning if an acceleration is not finite or exceeds 1e10 (mj_checkAcc).

    If `was_reset` is not zero afterward, the step continues with forward dynamics of the initial state.
    """
    d.was_reset = 0
    check_field(m, d, d.qacc, m.nv, mjtWarning.mjWARN_BADQACC)


@kernel
def check_field(m, d, field, count, kind):
    """Count a warning if a field has NaN or huge values, and record the warning type in `was_reset`."""
    bad = False
    for i in range(count):
        bad = bad | isbad(field[i])
    # no further warnings for a world that is about to be reset
    if bad and d.was_reset == 0:
        # MuJoCo counts twice
        d.warning.number[kind] += 2
        for i in range(count - 1, -1, -1):
            if isbad(field[i]):
                d.warning.lastinfo[kind] = i
        if (m.opt.disableflags & mjtDisableBit.mjDSBL_AUTORESET) == 0:
            d.was_reset = kind + 1
