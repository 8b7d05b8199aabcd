"""Connects and welds in MuJoCo 4.0, whose reference acceleration accounts for Jdot qvel.

The acceleration along a row is J qacc + Jdot qvel (Computation chapter, "Dual problem"). Since version 3.7, MuJoCo
drives this sum to the reference acceleration. Earlier versions drove J qacc to it.
"""

from conjoint.lang import conj_quat, kernel, mul_quat, quat
from conjoint.physics.constraint.equality import TORQUE_SCALE, held, held_turn, imaginary
from conjoint.physics.motion.jacobian import bias_at, motion_rate
from conjoint.schema.enums import mjtEq


@kernel(one_by_one="worlds together run at 0.81 of the speed (a weld and a connect)")
def subtract_rates_4(m, d):
    """Subtract Jdot qvel from `efc_aref` in the rows of connects and welds."""
    r = 0
    while r < d.ne:
        e = d.efc_id[r]
        kind = m.eq_type[e]
        count = 1
        if kind == mjtEq.mjEQ_CONNECT or kind == mjtEq.mjEQ_WELD:
            count = 3
            body, point = held(m, d, e, 0)
            other, goal = held(m, d, e, 1)
            first = bias_at(m, d, body, point, motion_rate)
            second = bias_at(m, d, other, goal, motion_rate)
            change = first.linear - second.linear
            for k in range(3):
                d.efc_aref[r + k] = d.efc_aref[r + k] - change[k]
            if kind == mjtEq.mjEQ_WELD:
                count = 6
                turn = turn_rate(m, d, e, body, other, first.angular - second.angular)
                for k in range(3):
                    d.efc_aref[r + 3 + k] = d.efc_aref[r + 3 + k] - turn[k]
        r += count


@kernel
def turn_rate(m, d, e, body, other, acceleration):
    """Return Jdot qvel of the angular rows of weld e.

    The relative angular acceleration of its bodies at zero qacc is `acceleration`. The rows are s/2 Im(b* w a), where a
    and b are the orientations to align and w is the difference in angular velocity. The rate of change of a is half its
    angular velocity times a.
    """
    a = held_turn(m, d, e, 0)
    base = conj_quat(held_turn(m, d, e, 1))
    spin, other_spin = d.cvel[body].angular, d.cvel[other].angular
    w = pure(spin - other_spin)
    inner = mul_quat(w, pure(spin)) - mul_quat(pure(other_spin), w)
    rate = mul_quat(mul_quat(base, pure(acceleration)), a) + mul_quat(mul_quat(base, inner), a) * 0.5
    return imaginary(rate) * (0.5 * m.eq_data[e, TORQUE_SCALE])


@kernel
def pure(v):
    """Return the pure quaternion with imaginary part v."""
    return quat(0.0, v.x, v.y, v.z)
