"""DC motors (XML Reference, actuator/dcmotor; parameters: `mjcf.dcmotor`).

The voltage drives a current against the resistance of the winding and the back-EMF. The current produces a torque,
which is clamped to the force limits. Cogging and friction torques are added.
"""

from conjoint.lang import clip, kernel, sin, where
from conjoint.physics.actuation.controller import bounded_rate
from conjoint.physics.actuation.forces import actuator_disabled, has_input, input_of, within
from conjoint.physics.actuation.motor_states import (
    bristle_decay,
    bristle_place,
    current_place,
    current_span,
    has_bristles,
    has_current,
    has_heat,
    has_integral,
    has_slew,
    heat_place,
    integral_place,
)
from conjoint.schema.enums import mjtDisableBit, mjtGain
from conjoint.schema.enums_newer import mjtCtrlInput

POS, VEL, FF = mjtCtrlInput.mjINPUT_POS, mjtCtrlInput.mjINPUT_VEL, mjtCtrlInput.mjINPUT_FF
VOLTAGE = mjtCtrlInput.mjINPUT_VOLTAGE
CONTROLLED = POS | VEL | FF


@kernel
def dcmotor_actuation(m, d):
    """Compute act_dot and actuator_force of DC motors, before force limits (stage of mj_fwdActuation)."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION:
        return
    for u in range(m.nactuator):
        if m.actuator_gaintype[u] == mjtGain.mjGAIN_DCMOTOR:
            drive_motor(m, d, u)


@kernel
def drive_motor(m, d, u):
    """Compute act_dot and actuator_force of motor u."""
    velocity = d.actuator_velocity[m.actuator_outadr[u]]
    voltage, _ = terminal_voltage(m, d, u, True)
    constant = m.actuator_gainprm[u, 1]
    resistance = warm_resistance(m, d, u)
    steady = (voltage - constant * velocity) / resistance
    current = steady
    if m.actuator_actadr[u] >= 0:
        change_setpoint(m, d, u)
        flow = current_rate(m, d, u, steady)
        now = state_of(m, d, u, current_place(m, u))
        set_rate(m, d, u, has_current(m, u), current_place(m, u), flow)
        heating = where(has_current(m, u), now, steady)
        set_rate(m, d, u, has_heat(m, u), heat_place(m, u), warming(m, d, u, heating * heating * resistance))
        set_rate(m, d, u, has_bristles(m, u), bristle_place(m, u), bristle_rate(m, d, u))
        current = where(has_current(m, u), now + flow * current_span(m, u), steady)
    if not actuator_disabled(m, u):
        d.actuator_force[m.actuator_outadr[u]] = electric_torque(m, u, constant * current) + other_torques(m, d, u)


@kernel
def electric_torque(m, u, torque):
    """Return the torque that the current of motor u produces, clamped to the force limits."""
    if m.actuator_forcelimited[u]:
        return within(torque, m.actuator_forcerange[u, 0], m.actuator_forcerange[u, 1])
    return torque


@kernel
def other_torques(m, d, u):
    """Return the sum of the cogging and friction torques of motor u."""
    angle = m.actuator_biasprm[u, 1] * d.actuator_length[m.actuator_outadr[u]] + m.actuator_biasprm[u, 2]
    cogging = m.actuator_biasprm[u, 0] * sin(angle)
    if m.actuator_actadr[u] < 0:
        return cogging
    bent = state_of(m, d, u, bristle_place(m, u))
    friction = m.actuator_dynprm[u, 5] * bent + m.actuator_dynprm[u, 6] * bristle_rate(m, d, u)
    return cogging - where(has_bristles(m, u), friction, 0.0)


@kernel
def state_of(m, d, u, place):
    """Return activation number `place` of motor u, or 0 if the motor has fewer activations."""
    if place < m.actuator_actnum[u]:
        return d.act[m.actuator_actadr[u] + place]
    return 0.0


@kernel
def set_rate(m, d, u, there, place, rate):
    """Set the rate of activation number `place` of motor u, if `there` is true and the motor has this activation."""
    if there and place < m.actuator_actnum[u]:
        d.act_dot[m.actuator_actadr[u] + place] = rate


@kernel
def warm_resistance(m, d, u):
    """Return the winding resistance of motor u at its present temperature."""
    cold = m.actuator_gainprm[u, 0]
    if m.actuator_actadr[u] < 0:
        return cold
    temperature = state_of(m, d, u, heat_place(m, u)) + m.actuator_dynprm[u, 4]
    warmer = cold * (1.0 + m.actuator_gainprm[u, 2] * (temperature - m.actuator_gainprm[u, 3]))
    return where(has_heat(m, u), warmer, cold)


@kernel
def warming(m, d, u, power):
    """Return the rate of change in the winding temperature of motor u for a given heating power."""
    resistance, capacitance = m.actuator_dynprm[u, 2], m.actuator_dynprm[u, 3]
    lost = state_of(m, d, u, heat_place(m, u)) / where(resistance > 0.0, resistance, 1.0)
    return (power - lost) / where(capacitance > 0.0, capacitance, 1.0)


@kernel
def bristle_rate(m, d, u):
    """Return the rate of change in the bristle deflection of motor u."""
    velocity = d.actuator_velocity[m.actuator_outadr[u]]
    return velocity - bristle_decay(m, u, velocity) * state_of(m, d, u, bristle_place(m, u))


@kernel
def current_rate(m, d, u, steady):
    """Return the rate at which the current of motor u approaches its steady value, clamped to the maximum rate."""
    timeconst, most = m.actuator_dynprm[u, 0], m.actuator_dynprm[u, 1]
    rate = (steady - state_of(m, d, u, current_place(m, u))) / where(timeconst > 0.0, timeconst, 1.0)
    return where(most > 0.0, clip(rate, -most, most), rate)


@kernel
def setpoint(m, d, u, bit, checked):
    """Return the value of input `bit` as a setpoint for the controller of motor u.

    The slew rate limits the value of the first input of the motor.
    """
    wanted = input_of(m, d, u, bit, checked)
    if (m.actuator_ctrlspec[u] & (bit - 1)) == 0 and has_input(m, u, bit) and m.actuator_actadr[u] >= 0:
        before = d.act[m.actuator_actadr[u]]
        step = m.actuator_dynprm[u, 7] * m.opt.timestep
        wanted = where(has_slew(m, u), clip(wanted, before - step, before + step), wanted)
    return wanted


@kernel
def change_setpoint(m, d, u):
    """Set the rates of the setpoint and of the error integral of the controller of motor u."""
    position = setpoint(m, d, u, POS, True)
    first = position
    if not has_input(m, u, POS):
        first = setpoint(m, d, u, VEL, True)
        if not has_input(m, u, VEL):
            first = setpoint(m, d, u, FF, True)
    before = d.act[m.actuator_actadr[u]]
    set_rate(m, d, u, has_slew(m, u), 0, (first - before) / m.opt.timestep)
    integral = state_of(m, d, u, integral_place(m, u))
    rate = bounded_rate(integral, position - d.actuator_length[m.actuator_outadr[u]], m.actuator_dynprm[u, 8])
    set_rate(m, d, u, has_integral(m, u), integral_place(m, u), rate)


@kernel
def terminal_voltage(m, d, u, checked):
    """Return the terminal voltage of motor u (controller plus voltage input) and its slope with respect to velocity."""
    added = input_of(m, d, u, VOLTAGE, checked)
    voltage = 0.0
    slope = 0.0
    if (m.actuator_ctrlspec[u] & CONTROLLED) != 0:
        constant = m.actuator_gainprm[u, 1]
        per_torque = m.actuator_gainprm[u, 0] / where(constant > 0.0, constant, 1.0)
        damping = m.actuator_gainprm[u, 6]
        velocity = d.actuator_velocity[m.actuator_outadr[u]]
        stretch = m.actuator_gainprm[u, 4] * (setpoint(m, d, u, POS, checked) - d.actuator_length[m.actuator_outadr[u]])
        torque = stretch + damping * (setpoint(m, d, u, VEL, checked) - velocity) + setpoint(m, d, u, FF, checked)
        if m.actuator_actadr[u] >= 0:
            integral = m.actuator_gainprm[u, 5] * state_of(m, d, u, integral_place(m, u))
            torque = torque + where(has_integral(m, u), integral, 0.0)
        # a current driver compensates the back-EMF
        wanted = per_torque * torque + constant * velocity
        most = m.actuator_gainprm[u, 7]
        clipped = (most > 0.0) & ((wanted >= most) | (wanted <= -most))
        voltage = where(most > 0.0, clip(wanted, -most, most), wanted)
        slope = where(clipped, 0.0, constant - per_torque * damping)
    return voltage + added, slope


@kernel
def dcmotor_slope(m, d, u):
    """Return the derivative of the force of motor u with respect to velocity.

    Friction contributes only its bristle damping.
    """
    voltage, of_voltage = terminal_voltage(m, d, u, False)
    constant = m.actuator_gainprm[u, 1]
    resistance = warm_resistance(m, d, u)
    current = (voltage - constant * d.actuator_velocity[m.actuator_outadr[u]]) / resistance
    slope = constant * (of_voltage - constant) / resistance
    if m.actuator_actadr[u] >= 0:
        now = state_of(m, d, u, current_place(m, u))
        rate = current_rate(m, d, u, current)
        soon = now + rate * current_span(m, u)
        timeconst, most = m.actuator_dynprm[u, 0], m.actuator_dynprm[u, 1]
        # at its maximum rate the current does not depend on the velocity
        follows = (most <= 0.0) | ((rate > -most) & (rate < most))
        share = where(follows, current_span(m, u) / where(timeconst > 0.0, timeconst, 1.0), 0.0)
        slope = slope * where(has_current(m, u), share, 1.0)
        current = where(has_current(m, u), soon, current)
    if m.actuator_forcelimited[u]:
        torque = constant * current
        outside = (torque <= m.actuator_forcerange[u, 0]) | (torque >= m.actuator_forcerange[u, 1])
        slope = where(outside, 0.0, slope)
    return slope - where(has_bristles(m, u), m.actuator_dynprm[u, 6], 0.0)
