"""The stages of sensors: those of positions, velocities, and forces and accelerations."""

from __future__ import annotations

from conjoint.physics import history
from conjoint.physics.constraint import reactions
from conjoint.physics.constraint.tendon_reactions import tendon_forces
from conjoint.physics.dynamics import bias
from conjoint.physics.sensor import distance, tactile
from conjoint.physics.sensor.acceleration import sensor_acc
from conjoint.physics.sensor.contact import (
    sensor_contact,
    sensor_contact_positions,
    sensor_contact_velocities,
    sensor_touch,
)
from conjoint.physics.sensor.enclosure import sensor_enclosed
from conjoint.physics.sensor.position import sensor_pos
from conjoint.physics.sensor.range import sensor_range
from conjoint.physics.sensor.store import cut_off_plugins
from conjoint.physics.sensor.velocity import sensor_vel
from conjoint.physics.sleep.readings import keep_readings
from conjoint.runtime import capabilities as lack
from conjoint.runtime.pair_kernels import DISTANCE_SENSORS
from conjoint.runtime.smooth_stages import SPATIAL
from conjoint.runtime.stage import ENCLOSED, SLEEP, Only, Stage, Stages, callback
from conjoint.runtime.user.plugin_stages import place
from conjoint.schema.enums import mjtPluginCapabilityBit, mjtSensor, mjtStage
from conjoint.schema.semantics import on

HISTORY = ("nhistory",)
"""What a model with delays has."""


def sensors_of_programs(name: str, stage: mjtStage) -> tuple[Stage, ...]:
    """The end of a function that reads sensors: those of the user and of plugins."""
    return (
        *callback("mjcb_sensor", stage, stage=stage),
        *place(name, "compute", mjtPluginCapabilityBit.mjPLUGIN_SENSOR, stage),
        Stage(name, cut_off_plugins, (mjtSensor.mjSENS_PLUGIN,)),
    )


EARLY_CONTACTS = ((mjtSensor.mjSENS_CONTACT, on("readings")),)
"""Contact sensors that are read as soon as they can be."""

SENSOR_POS = (
    Stage("mj_sensorPos", sensor_pos, ("nsensor",), lacks=(lack.DISTANCES,)),
    Stage("mj_sensorPos", sensor_range, (mjtSensor.mjSENS_RANGEFINDER,)),
    Stage("mj_sensorPos", sensor_enclosed, (ENCLOSED,)),
    Stage("mj_sensorPos", distance.begin_distances, DISTANCE_SENSORS),
    *(Stage("mj_sensorPos", measure, (need,)) for need, measure in distance.MEASURES.items()),
    Stage("mj_sensorPos", distance.sensor_distance, DISTANCE_SENSORS),
    *sensors_of_programs("mj_sensorPos", mjtStage.mjSTAGE_POS),
    Stage("mj_sensorPos", sensor_contact_positions, EARLY_CONTACTS),
    Stage("mj_sensorPos", history.delay_positions, HISTORY),
)
SENSOR_VEL = (
    Stage("mj_sensorVel", sensor_vel, ("nsensor",)),
    *sensors_of_programs("mj_sensorVel", mjtStage.mjSTAGE_VEL),
    Stage("mj_sensorVel", sensor_contact_velocities, EARLY_CONTACTS),
    Stage("mj_sensorVel", history.delay_velocities, HISTORY),
)
FORCE_SENSORS = (
    mjtSensor.mjSENS_ACCELEROMETER, mjtSensor.mjSENS_FORCE, mjtSensor.mjSENS_TORQUE, mjtSensor.mjSENS_FRAMELINACC,
    mjtSensor.mjSENS_FRAMEANGACC, mjtSensor.mjSENS_PLUGIN, mjtStage.mjSTAGE_ACC,
)  # fmt: skip
"""Sensors that read forces or accelerations of bodies, or may: those of the user and of plugins."""

POST_CONSTRAINT = (
    Stage("mj_rnePostConstraint", bias.external_forces),
    Stage("mj_rnePostConstraint", reactions.contact_forces),
    Stage("mj_rnePostConstraint", reactions.equality_forces, ("neq",)),
    Stage("mj_rnePostConstraint", tendon_forces, SPATIAL),
    Stage("mj_rnePostConstraint", bias.rne_post),
)
SENSOR_ACC: Stages = (
    Only(FORCE_SENSORS, POST_CONSTRAINT),
    Stage("mj_sensorAcc", sensor_acc, ("nsensor",)),
    Stage("mj_sensorAcc", sensor_touch, (mjtSensor.mjSENS_TOUCH,)),
    Stage("mj_sensorAcc", sensor_contact, (mjtSensor.mjSENS_CONTACT,)),
    Stage("mj_sensorAcc", tactile.clear_tactile, (mjtSensor.mjSENS_TACTILE,)),
    Stage("mj_sensorAcc", tactile.sensor_tactile, (mjtSensor.mjSENS_TACTILE,), lacks=(lack.TACTILE,)),
    *sensors_of_programs("mj_sensorAcc", mjtStage.mjSTAGE_ACC),
    Stage("mj_sensorAcc", keep_readings, (("nsensor", SLEEP),)),
    Stage("mj_sensorAcc", history.delay_accelerations, HISTORY),
)
