"""Actuators with a PID controller (github.com/google-deepmind/mujoco/blob/3.3.5/plugin/actuator/README.md).

The setpoint of the transmission length is the control, or the activation of the actuator's own dynamics. The
activations are, in this order: the integral of the error, if its gain is not zero; the last control, if its rate is
limited; the activation of the actuator's dynamics.
"""

from __future__ import annotations

from math import inf
from typing import Any

from conjoint.lang import clip, kernel, where
from conjoint.physics.actuation.forces import next_activation, within
from conjoint.physics.plugin.plugin import Config, mjpPlugin, number, plugin_number
from conjoint.schema.enums import mjtDyn, mjtPluginCapabilityBit

KP, KI, KD, MOST, SLEW = range(5)
"""Indices of the parameters of a plugin instance: three gains, the integral bound and the maximum control rate.

A negative maximum rate means no limit.
"""


def pid_numbers(m: Any, instance: int, config: Config) -> list[float]:
    """Return the parameters of a plugin instance: gains, integral bound and maximum control rate.

    The attribute `imax` bounds a force, so it is divided by the integral gain.

    Raises:
        ValueError: two actuators share the instance.
    """
    if sum(m.actuator_plugin == instance) != 1:
        raise ValueError("an instance of mujoco.pid belongs to one actuator")
    ki = number(config, "ki")
    most = number(config, "imax") / ki if config["imax"] and ki else inf
    return [number(config, "kp"), ki, number(config, "kd"), most, number(config, "slewmax", -1.0)]


def pid_activations(config: Config) -> int:
    """Return the number of activations of the controller, not counting the activation of the actuator's own dynamics.

    A maximum rate of zero needs an activation too.
    """
    return (number(config, "ki") != 0) + bool(config["slewmax"])


@kernel
def actuator_of(m, i):
    """Return the id of the actuator that uses plugin instance i."""
    u = 0
    while m.actuator_plugin[u] != i:
        u += 1
    return u


@kernel
def wanted_length(m, d, i, u, early):
    """Return the setpoint: the control or the activation of the dynamics, limited to the maximum rate of change.

    If `early`, use the activation at the end of the step.
    """
    last = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
    if m.actuator_dyntype[u] == mjtDyn.mjDYN_NONE:
        c = m.actuator_ctrladr[u]
        wanted = d.ctrl[c]
        if m.actuator_ctrllimited[c]:
            wanted = within(wanted, m.actuator_ctrlrange[c, 0], m.actuator_ctrlrange[c, 1])
    elif early:
        wanted = next_activation(m, d, u, last, d.act_dot[last])
    else:
        wanted = d.act[last]
    if plugin_number(m, i, SLEW) >= 0.0:
        before = d.act[last_control(m, i, u)]
        most = plugin_number(m, i, SLEW) * m.opt.timestep
        # the first control has no limit on its rate
        wanted = where(d.time > 0.0, clip(wanted, before - most, before + most), wanted)
    return wanted


@kernel
def last_control(m, i, u):
    """Return the index in `act` of the activation that stores the last control."""
    if plugin_number(m, i, KI) != 0.0:
        return m.actuator_actadr[u] + 1
    return m.actuator_actadr[u]


@kernel
def integral(m, d, i, u, error):
    """Return the integral of the error at the end of the step, clamped to its bound."""
    most = plugin_number(m, i, MOST)
    return clip(d.act[m.actuator_actadr[u]] + error * m.opt.timestep, -most, most)


@kernel
def pid_rates(m, d, i):
    """Set the rates of the activations so that they reach the new integral and control at the end of the step."""
    u = actuator_of(m, i)
    wanted = wanted_length(m, d, i, u, False)
    if plugin_number(m, i, KI) != 0.0:
        a = m.actuator_actadr[u]
        d.act_dot[a] = (
            integral(m, d, i, u, wanted - d.actuator_length[m.actuator_outadr[u]]) - d.act[a]
        ) / m.opt.timestep
    if plugin_number(m, i, SLEW) >= 0.0:
        a = last_control(m, i, u)
        d.act_dot[a] = (wanted - d.act[a]) / m.opt.timestep


@kernel
def pid_force(m, d, i):
    """Compute the actuator force from the error, its rate and its integral."""
    u = actuator_of(m, i)
    error = wanted_length(m, d, i, u, m.actuator_actearly[u]) - d.actuator_length[m.actuator_outadr[u]]
    rate = -d.actuator_velocity[m.actuator_outadr[u]]
    if m.actuator_dyntype[u] != mjtDyn.mjDYN_NONE:
        rate = rate + d.act_dot[m.actuator_actadr[u] + m.actuator_actnum[u] - 1]
    force = plugin_number(m, i, KP) * error + plugin_number(m, i, KD) * rate
    if plugin_number(m, i, KI) != 0.0:
        force = force + plugin_number(m, i, KI) * integral(m, d, i, u, error)
    d.actuator_force[m.actuator_outadr[u]] = force


PID = mjpPlugin(
    "mujoco.pid",
    mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR,
    ("kp", "ki", "kd", "imax", "slewmax"),
    actuator_actdim=pid_activations,
    init=pid_numbers,
    compute=pid_force,
    actuator_act_dot=pid_rates,
)
