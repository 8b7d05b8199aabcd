"""The stages of sensors: those of positions, velocities, and forces and accelerations."""

from __future__ import annotations

from conjoint.lang.language.name import Name
from conjoint.physics.collision.distance_table import MEASURES
from conjoint.runtime import capabilities as lack
from conjoint.runtime.pair_kernels import DISTANCE_SENSORS
from conjoint.runtime.smooth_stages import SPATIAL
from conjoint.runtime.stage import EDITION_3, EDITION_4, ENCLOSED, SLEEP, WITH_GROUP, Only, Stage, Stages, callback
from conjoint.runtime.user.plugin_stages import place
from conjoint.schema.enums import mjtPluginCapabilityBit, mjtSensor, mjtStage

physics = Name("conjoint.physics")
history = physics.history
reactions = physics.constraint.reactions
bias = physics.dynamics.bias
contact = physics.sensor.contact
distance = physics.sensor.distance
tactile = physics.sensor.tactile

HISTORY = ("nhistory",)
"""What a model with delays has."""


def sensors_of_programs(name: str, stage: mjtStage) -> tuple[Stage, ...]:
    """The end of a function that reads sensors: those of the user and of plugins."""
    return (
        *callback("mjcb_sensor", stage, stage=stage),
        *place(name, "compute", mjtPluginCapabilityBit.mjPLUGIN_SENSOR, stage),
        Stage(name, physics.sensor.store.cut_off_plugins, (mjtSensor.mjSENS_PLUGIN,)),
    )


CONTACTS_3, CONTACTS_4 = (((mjtSensor.mjSENS_CONTACT, edition),) for edition in (EDITION_3, EDITION_4))
"""Contact sensors of an edition."""

SENSOR_POS = (
    Stage("mj_sensorPos", physics.sensor.position.sensor_pos, ("nsensor",), lacks=(lack.DISTANCES,)),
    Stage("mj_sensorPos", physics.sensor.range.sensor_range, (mjtSensor.mjSENS_RANGEFINDER,)),
    Stage("mj_sensorPos", physics.sensor.enclosure.sensor_enclosed, (ENCLOSED,)),
    Stage("mj_sensorPos", distance.begin_distances, DISTANCE_SENSORS),
    *(Stage("mj_sensorPos", measure, (need,)) for need, measure in MEASURES.items()),
    Stage("mj_sensorPos", distance.sensor_distance, DISTANCE_SENSORS),
    *sensors_of_programs("mj_sensorPos", mjtStage.mjSTAGE_POS),
    Stage("mj_sensorPos", WITH_GROUP(contact.sensor_contact, contact.POSITIONS_4, "_positions_4"), CONTACTS_4),
    Stage("mj_sensorPos", history.delay_positions, HISTORY),
)
SENSOR_VEL = (
    Stage("mj_sensorVel", physics.sensor.velocity.sensor_vel, ("nsensor",)),
    *sensors_of_programs("mj_sensorVel", mjtStage.mjSTAGE_VEL),
    Stage("mj_sensorVel", WITH_GROUP(contact.sensor_contact, contact.VELOCITIES_4, "_velocities_4"), CONTACTS_4),
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
    Stage("mj_rnePostConstraint", physics.constraint.reactions.tendon_forces, SPATIAL),
    Stage("mj_rnePostConstraint", bias.rne_post),
)
SENSOR_ACC: Stages = (
    Only(FORCE_SENSORS, POST_CONSTRAINT),
    Stage("mj_sensorAcc", physics.sensor.acceleration.sensor_acc, ("nsensor",)),
    Stage("mj_sensorAcc", contact.sensor_touch, (mjtSensor.mjSENS_TOUCH,)),
    Stage("mj_sensorAcc", WITH_GROUP(contact.sensor_contact, contact.ALL_3, "_3"), CONTACTS_3),
    Stage("mj_sensorAcc", WITH_GROUP(contact.sensor_contact, contact.FORCES_4, "_4"), CONTACTS_4),
    Stage("mj_sensorAcc", tactile.clear_tactile, (mjtSensor.mjSENS_TACTILE,)),
    Stage("mj_sensorAcc", tactile.sensor_tactile, (mjtSensor.mjSENS_TACTILE,), lacks=(lack.TACTILE,)),
    *sensors_of_programs("mj_sensorAcc", mjtStage.mjSTAGE_ACC),
    Stage("mj_sensorAcc", physics.sleep.readings.keep_readings, (("nsensor", SLEEP),)),
    Stage("mj_sensorAcc", history.delay_accelerations, HISTORY),
)
