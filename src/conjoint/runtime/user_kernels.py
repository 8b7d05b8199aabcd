"""Kernels of programs in the pipeline: as callbacks, and in place of kernels of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from conjoint.lang import Kernel, kernel, where
from conjoint.once import made_once
from conjoint.physics.actuation.forces import actuator_bias, actuator_disabled, actuator_gain, actuator_input
from conjoint.physics.sensor.store import cut_off
from conjoint.runtime.stage import Stage
from conjoint.runtime.user_stages import FILTER, Replaced
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtDyn, mjtGain, mjtSensor, mjtStage

ACTUATION = int(mjtDisableBit.mjDSBL_ACTUATION)
PASSIVE = int(mjtDisableBit.mjDSBL_PASSIVE)
SENSOR = int(mjtDisableBit.mjDSBL_SENSOR)
NO_CONTACTS = int(mjtDisableBit.mjDSBL_CONTACT | mjtDisableBit.mjDSBL_CONSTRAINT)
USER_SENSOR = int(mjtSensor.mjSENS_USER)

SENSORS = {
    mjtStage.mjSTAGE_POS: "mj_sensorPos", mjtStage.mjSTAGE_VEL: "mj_sensorVel", mjtStage.mjSTAGE_ACC: "mj_sensorAcc",
}  # fmt: skip
"""Function that reads the sensors of a stage."""


def with_callbacks(stages: Sequence[Stage], replaced: Replaced) -> tuple[Stage, ...]:
    """The stages with kernels where callbacks that are kernels have their places."""
    mine = dict(replaced.callbacks)
    return tuple(_callback(stage, mine) or stage for stage in stages) if mine else tuple(stages)


def _callback(stage: Stage, mine: Mapping[str, Kernel]) -> Stage | None:
    """What runs at the place of a callback; None if that is no kernel."""
    if stage.name == "mjcb_control" and stage.name in mine:
        # the first half of a step that is taken in two calls it even if actuators are disabled
        flag = 0 if stage.stage == mjtStage.mjSTAGE_NONE else ACTUATION
        return Stage("mj_fwdActuation", _guarded(mine[stage.name], flag), stage.needs)
    if stage.name == "mjcb_passive" and stage.name in mine:
        return Stage("mj_passive", _guarded(mine[stage.name], PASSIVE), stage.needs)
    if stage.name == "mjcb_sensor" and stage.name in mine:
        reads = _reader(mine[stage.name], int(stage.stage))
        return Stage(SENSORS[mjtStage(stage.stage)], reads, stage.needs)
    if stage.name == FILTER and stage.name in mine:
        return Stage("mj_collision", _filter(mine[stage.name]), stage.needs)
    own = [mine.get(f"mjcb_act_{part}") for part in ("dyn", "gain", "bias")]
    if stage.name == "mjcb_act" and any(own):
        return Stage("mj_fwdActuation", _actuator(*own), stage.needs)
    return None


def with_replaced(stages: Sequence[Stage], replaced: Replaced) -> tuple[Stage, ...]:
    """The stages with the kernels of programs in place of those of the engine that have these names."""
    mine = dict(replaced.stages)
    if not mine:
        return tuple(stages)
    return tuple(
        replace(stage, kernel=mine[stage.kernel.__name__], engine=stage.kernel, only_for=())
        if stage.kernel.__name__ in mine
        else stage
        for stage in stages
    )


@made_once
def _guarded(function: Kernel, flag: int) -> Kernel:
    """The kernel that runs one of a program, unless a flag of the model disables it."""

    @kernel(per_world=function.per_world)
    def own_stage(m, d):
        """Run a kernel of a program."""
        if (m.opt.disableflags & flag) == 0:
            function(m, d)

    own_stage.__name__ = f"own_{function.__name__}"
    return own_stage


@made_once
def _reader(function: Kernel, stage: int) -> Kernel:
    """The kernel that lets one of a program read the user's sensors of a stage, and limits the readings."""

    @kernel(per_world=function.per_world)
    def own_sensors(m, d):
        """Read the sensors of a program."""
        if (m.opt.disableflags & SENSOR) == 0:
            function(m, d, stage)
            for s in range(m.nsensor):
                if m.sensor_type[s] == USER_SENSOR and m.sensor_needstage[s] == stage:
                    cut_off(m, d, s)

    own_sensors.__name__ = f"own_{function.__name__}"
    return own_sensors


@made_once
def _filter(function: Kernel) -> Kernel:
    """The kernel that leaves out the pairs near each other for which one of a program says 1."""

    @kernel(per_world=function.per_world)
    def own_filter(m, d):
        """Filter pairs of geoms as a program says."""
        if (m.opt.disableflags & NO_CONTACTS) == 0:
            for k in range(d.nnear):
                if d.near_pair[k] < 0:
                    unwanted = function(m, d, d.near_geom1[k], d.near_geom2[k])
                    d.near_hit[k] = where(unwanted != 0, 0, d.near_hit[k])

    own_filter.__name__ = f"own_{function.__name__}"
    return own_filter


@kernel
def at_rest(m, d, u):
    """The rate of activations that nobody computes."""
    return 0.0


@made_once
def _actuator(dyn: Kernel | None, gain: Kernel | None, bias: Kernel | None) -> Kernel:
    """The kernel that computes activation dynamics, gains and biases of the user's actuators by those of a program."""
    rate_of, gain_of, bias_of = dyn or at_rest, gain or actuator_gain, bias or actuator_bias

    @kernel(per_world=rate_of.per_world or gain_of.per_world or bias_of.per_world)
    def own_actuators(m, d):
        """Drive the actuators of a program."""
        if (m.opt.disableflags & ACTUATION) == 0:
            for u in range(m.nu):
                dynamic = m.actuator_dyntype[u] == mjtDyn.mjDYN_USER
                strong = m.actuator_gaintype[u] == mjtGain.mjGAIN_USER
                biased = m.actuator_biastype[u] == mjtBias.mjBIAS_USER
                first = m.actuator_actadr[u]
                if dynamic and first >= 0:
                    rate = rate_of(m, d, u)
                    # of several activations the kernel writes the rates itself
                    if m.actuator_actnum[u] == 1:
                        d.act_dot[first] = rate
                if (dynamic or strong or biased) and not actuator_disabled(m, u):
                    factor = actuator_gain(m, d, u)
                    force = actuator_bias(m, d, u)
                    if strong:
                        factor = gain_of(m, d, u)
                    if biased:
                        force = bias_of(m, d, u)
                    d.actuator_force[u] = factor * actuator_input(m, d, u) + force

    own_actuators.__name__ = "own_" + "_".join(k.__name__ for k in (dyn, gain, bias) if k is not None)
    return own_actuators
