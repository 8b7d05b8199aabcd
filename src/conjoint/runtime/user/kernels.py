"""Kernels that run user-defined kernels in place of callbacks."""

from __future__ import annotations

from conjoint.lang import Kernel, kernel
from conjoint.once import made_once
from conjoint.physics.actuation.forces import actuator_bias, actuator_disabled, actuator_gain, actuator_input
from conjoint.physics.pair_filter import NO_CONTACTS
from conjoint.physics.passive_flags import together
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtDyn, mjtGain, mjtSensor

ACTUATION = int(mjtDisableBit.mjDSBL_ACTUATION)
SENSOR = int(mjtDisableBit.mjDSBL_SENSOR)
USER_SENSOR = int(mjtSensor.mjSENS_USER)


@made_once
def guarded(function: Kernel, flag: int) -> Kernel:
    """Return a kernel that runs a user kernel unless a flag of the model disables it."""

    both = together(flag)

    @kernel
    def own_stage(m, d):
        """Run a kernel of the user program."""
        if (m.opt.disableflags & flag) == 0 and (m.opt.disableflags & both) != both:
            function(m, d)

    own_stage.__name__ = f"own_{function.__name__}"
    return own_stage


@made_once
def sensor_reader(function: Kernel, stage: int) -> Kernel:
    """Return a kernel that reads the user sensors of a stage with a user kernel, and clips the readings."""

    @kernel
    def own_sensors(m, d):
        """Read the sensors of the user program."""
        if (m.opt.disableflags & SENSOR) == 0:
            function(m, d, stage)
            for s in range(m.nsensor):
                if m.sensor_type[s] == USER_SENSOR and m.sensor_needstage[s] == stage:
                    cut_off(m, d, s)

    own_sensors.__name__ = f"own_{function.__name__}"
    return own_sensors


@made_once
def pair_filter(function: Kernel) -> Kernel:
    """Return a kernel that removes those near pairs for which a user kernel returns a nonzero number."""

    @kernel
    def own_filter(m, d):
        """Filter pairs of geoms with the kernel of the user program."""
        if (m.opt.disableflags & NO_CONTACTS) == 0:
            for k in range(d.nnear):
                if d.near_pair[k] < 0 and function(m, d, d.near_geom1[k], d.near_geom2[k]) != 0:
                    d.near_hit[k] = 0

    own_filter.__name__ = f"own_{function.__name__}"
    return own_filter


@kernel
def at_rest(m, d, u):
    """Return zero, the derivative of activations if there is no dynamics callback."""
    return 0.0


@made_once
def actuator_drive(dyn: Kernel | None, gain: Kernel | None, bias: Kernel | None) -> Kernel:
    """Return the kernel for activation dynamics, gains and biases of user actuators, composed of user kernels."""
    rate_of, gain_of, bias_of = dyn or at_rest, gain or actuator_gain, bias or actuator_bias

    @kernel
    def own_actuators(m, d):
        """Compute activation dynamics, gains and biases of the user program's actuators."""
        if (m.opt.disableflags & ACTUATION) == 0:
            for u in range(m.nactuator):
                dynamic = m.actuator_dyntype[u] == mjtDyn.mjDYN_USER
                strong = m.actuator_gaintype[u] == mjtGain.mjGAIN_USER
                biased = m.actuator_biastype[u] == mjtBias.mjBIAS_USER
                first = m.actuator_actadr[u]
                if dynamic and first >= 0:
                    rate = rate_of(m, d, u)
                    # if there are several activations, the user kernel writes their rates itself
                    if m.actuator_actnum[u] == 1:
                        d.act_dot[first] = rate
                if (dynamic or strong or biased) and not actuator_disabled(m, u):
                    factor = actuator_gain(m, d, u)
                    force = actuator_bias(m, d, u)
                    if strong:
                        factor = gain_of(m, d, u)
                    if biased:
                        force = bias_of(m, d, u)
                    d.actuator_force[m.actuator_outadr[u]] = factor * actuator_input(m, d, u) + force

    own_actuators.__name__ = "own_" + "_".join(k.__name__ for k in (dyn, gain, bias) if k is not None)
    return own_actuators
