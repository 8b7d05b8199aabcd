"""The stages of a step, in the order in which they run (Computation chapter, "The simulation pipeline").

A stage has the name of its documented function; a function with several kernels has several stages of the same name.
Each kernel is followed by the features that a model must have. `runtime.functions` composes documented functions from
these parts, and `conjoint stages mj_step` prints them.
"""

from __future__ import annotations

from conjoint.lang.language.name import Name
from conjoint.physics import status
from conjoint.physics.collision.distance_table import MEASURES
from conjoint.runtime import capabilities as lack
from conjoint.runtime.pair_kernels import DISTANCE_SENSORS
from conjoint.runtime.position_stages import COLLISION, SPATIAL, TENDON, TRANSMISSION
from conjoint.runtime.stage import (
    ADHESION,
    COMPRESSED_ROWS,
    DENSE_ROWS,
    EDITION_3,
    EDITION_4,
    ENCLOSED,
    LINEAR,
    MOVING_SURFACES,
    NO_ACTUATORS,
    NO_ENERGY,
    NO_SLEEP,
    NO_STATIC_TREE,
    NONLINEAR,
    SLEEP,
    WITH_GROUP,
    Only,
    Stage,
    Stages,
    by_islands,
    by_storage,
    by_storage_and_edition,
    callback,
    for_rows,
    sparing,
    with_dampers,
)
from conjoint.runtime.user.plugins import place
from conjoint.schema import enums
from conjoint.schema.enums import mjtImpulse, mjtIntegrator, mjtPluginCapabilityBit, mjtSensor, mjtSolver, mjtStage

physics = Name("conjoint.physics")
solver = Name("conjoint.solver")
history = physics.history
actuation = physics.actuation.forces
assemble = physics.constraint.assemble
contacts = physics.constraint.contacts
surface_rows = physics.constraint.surface
exact_diagonal = physics.constraint.exact_diagonal.exact_diagonal
JACOBIANS = physics.constraint.jacobian.JACOBIANS
bodies = physics.derivative.bodies
joints = physics.derivative.joints
energy = physics.dynamics.energy
inverse = physics.dynamics.inverse
velocity = physics.dynamics.velocity
edges = physics.flex.edges
flex_vertices = physics.flex.kinematics.flex_vertices
passive = physics.forces.passive
factor_M = physics.inertia_matrix.factors.factor_M
checks = physics.integration.checks
implicit = physics.integration.implicit
kinematics = physics.motion.kinematics
resting = physics.sleep.actuators
fall = physics.sleep.fall
wake = physics.sleep.wake
sleep = physics.sleep.stages
body_transmission = physics.transmission.bodies.body_transmission
bias = physics.dynamics.bias
reactions = physics.constraint.reactions
contact = physics.sensor.contact
distance = physics.sensor.distance
tactile = physics.sensor.tactile
projection = solver.method.projection
editions = solver.method.editions
impulse = solver.paper.impulse


def settled(name: str) -> tuple[Stage]:
    """Return the stage that completes `bvh_active` for the last collision detection before positions change."""
    return (Stage(name, physics.official.bounding_volumes.visits_are_known, ("nbvh",), only_for=("bvh_active",)),)


HISTORY = ("nhistory",)
"""Requirement for running a stage: the model has actuators or sensors with delays."""

PLAN_CHECK = (Stage("check", status.plan_holds),)
RESET = (Stage("mj_resetData", status.reset_requested),)
CHECK_STATE = (Stage("mj_checkPos", checks.check_state), *RESET)


KINEMATICS: Stages = (
    Stage("mj_kinematics", wake.wake_disturbed, (SLEEP,)),
    Only((NO_STATIC_TREE,), sparing("mj_kinematics", kinematics.kinematics)),
    Only(("nstatic",), (
        *sparing("mj_kinematics", kinematics.kinematics_but_static),
        Stage("mj_kinematics", physics.collision.static_tree.place_static),
    )),
)  # fmt: skip
COM_POS = (
    Stage("mj_comPos", physics.motion.com.com_pos, (NO_SLEEP,)),
    Stage("mj_comPos", sleep.com_pos_awake, (SLEEP,)),
)
MAKE_M = sparing("mj_makeM", physics.inertia_matrix.composite.make_M, whole=sleep.has_tendons)
FACTOR_M = sparing("mj_factorM", factor_M)
REFERENCE = (
    *by_storage("mj_referenceConstraint", assemble.reference_constraint, JACOBIANS),
    Stage("mj_referenceConstraint", physics.constraint.editions.subtract_rates_4, ((EDITION_4, "neq"),)),
    Stage("mj_referenceConstraint", surface_rows.move_with_surfaces, (MOVING_SURFACES,)),
    Stage("mj_referenceConstraint", surface_rows.let_pull, (ADHESION,)),
)
INV_CONSTRAINT = by_storage("mj_invConstraint", solver.inverse.inv_constraint, JACOBIANS)
MAKE_CONSTRAINT = (
    Stage("mj_makeConstraint", physics.constraint.count.count_rows),
    Stage("mj_makeConstraint", physics.constraint.count.count_elements, (COMPRESSED_ROWS,)),
    Stage("mj_makeConstraint", status.rows_fit),
    Stage("mj_makeConstraint", contacts.contact_parameters, ("ngeom", "nflex")),
    Stage("mj_makeConstraint", assemble.begin_rows, (DENSE_ROWS,)),
    *by_storage("mj_makeConstraint", assemble.fill_rows, JACOBIANS),
    Stage("mj_makeConstraint", assemble.finish_rows),
    *by_storage("mj_makeConstraint", exact_diagonal, JACOBIANS, enums.mjtEnableBit.mjENBL_DIAGEXACT),
)
ISLANDS = by_storage("mj_island", physics.constraint.islands.find_islands, JACOBIANS, enums.mjtEnableBit.mjENBL_ISLAND)
ALL_TRANSMISSION = (*TRANSMISSION, Stage("mj_transmission", body_transmission, (enums.mjtTrn.mjTRN_BODY,)))
"""Transmission stages, including the stage for actuators that act through contacts.

The computation of a model's constants does not need that stage.
"""

CAMLIGHT = (Stage("mj_camlight", kinematics.camlight, ("ncam", "nlight")),)
FLEX = (Stage("mj_flex", flex_vertices, ("nflex",)), Stage("mj_flex", edges.flex_edges, ("nflexedge",)))
POSITION = (
    *KINEMATICS,
    *COM_POS,
    *CAMLIGHT,
    *FLEX,
    *TENDON,
    Stage("mj_tendon", wake.wake_by_tendons, (("ntendon", SLEEP),)),
    *MAKE_M,
    *FACTOR_M,
    Stage("mj_collision", physics.sleep.awake.contacts_begin, (SLEEP,)),
    *COLLISION,
    Stage("mj_collision", wake.wake_by_contacts, (SLEEP,)),
    Stage("mj_makeConstraint", wake.wake_by_equalities, (("neq", SLEEP),)),
    *MAKE_CONSTRAINT,
    *ISLANDS,
    *ALL_TRANSMISSION,
)
PLASTIC = ("nplastic",)
MEDIUM = ("opt.density", "opt.viscosity")
PASSIVE = (
    *sparing("mj_passive", passive.spring_dampers, whole=sleep.adds_forces, lacks=(lack.UNKNOWN_PLUGINS,)),
    Stage("mj_passive", physics.flex.forces.flex_forces, ("nflexedge",)),
    Stage("mj_passive", physics.flex.trilinear.trilinear_forces, ("nflexnode",)),
    *sparing("mj_passive", passive.sum_passive, whole=sleep.adds_forces),
    Stage("mj_passive", physics.fluid.forces.fluid_forces, MEDIUM),
    *by_storage("mj_passive", surface_rows.adhesive_forces, JACOBIANS, ADHESION),
    *callback("mjcb_passive"),
    *place("mj_passive", "compute", mjtPluginCapabilityBit.mjPLUGIN_PASSIVE),
)
VELOCITY = (
    Stage("mj_fwdVelocity", physics.sleep.awake.velocities_begin, (SLEEP,)),
    Stage("mj_fwdVelocity", velocity.transmission_velocity, ("nactuator", "ntendon")),
    Stage("mj_fwdVelocity", edges.edge_velocity, ("nflexedge",)),
    *sparing("mj_comVel", velocity.com_vel),
    *PASSIVE,
    *REFERENCE,
    *sparing("mj_rne", physics.dynamics.bias.rne, whole=sleep.has_tendons),
    Stage("mj_fwdVelocity", physics.tendon.paths.tendon_bias, SPATIAL),
)


def sensors_of_programs(name: str, stage: mjtStage) -> tuple[Stage, ...]:
    """Return the last sensor stages of a function: the stages for user sensors and for plugin sensors."""
    return (
        *callback("mjcb_sensor", stage, stage=stage),
        *place(name, "compute", mjtPluginCapabilityBit.mjPLUGIN_SENSOR, stage),
        Stage(name, physics.sensor.store.cut_off_plugins, (mjtSensor.mjSENS_PLUGIN,)),
    )


CONTACTS_3, CONTACTS_4 = (((mjtSensor.mjSENS_CONTACT, edition),) for edition in (EDITION_3, EDITION_4))
"""Requirements for running a contact sensor stage: the model has contact sensors, and the edition is 3.3.5, or 4.0."""

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
"""Sensors that read forces or accelerations of bodies, including user and plugin sensors, which may read them."""

POST_CONSTRAINT = (
    Stage("mj_rnePostConstraint", bias.external_forces),
    Stage("mj_rnePostConstraint", reactions.contact_forces),
    Stage("mj_rnePostConstraint", reactions.equality_forces, ("neq",)),
    Stage("mj_rnePostConstraint", reactions.tendon_forces, SPATIAL),
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
ENERGY = enums.mjtEnableBit.mjENBL_ENERGY
ENERGY_POS = (
    Stage("mj_energyPos", energy.energy_pos_enabled, (ENERGY,)),
    Stage("mj_energyPos", energy.no_energy, (NO_ENERGY,)),
)
ENERGY_INNER = (
    Stage("mj_energyPos", energy.energy_pos_unsensed, (ENERGY,)),
    Stage("mj_energyPos", energy.clear_energy, (NO_ENERGY,)),
)
"""Stages that compute the energy if no sensor reads it."""

ENERGY_VEL = (Stage("mj_energyVel", energy.energy_vel_enabled, (ENERGY,)),)
CONTROL = callback("mjcb_control", stage=mjtStage.mjSTAGE_ACC)
MUSCLE = (enums.mjtDyn.mjDYN_MUSCLE, enums.mjtGain.mjGAIN_MUSCLE, enums.mjtBias.mjBIAS_MUSCLE)
ACTUATION = (
    Stage("mj_fwdActuation", history.delay_controls, HISTORY),
    Stage("mj_fwdActuation", actuation.fwd_actuation, ("nactuator",)),
    Stage("mj_fwdActuation", physics.actuation.editions.nearest_setpoints_4, ((EDITION_4, "nactuator"),)),
    *place("mj_fwdActuation", "actuator_act_dot", mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR),
    Stage("mj_fwdActuation", physics.actuation.muscle.muscle_actuation, MUSCLE),
    Stage("mj_fwdActuation", physics.actuation.orientation.orientation_actuation, (enums.mjtGain.mjGAIN_SO3,)),
    Stage("mj_fwdActuation", physics.actuation.controller.pid_actuation, (enums.mjtGain.mjGAIN_PID,)),
    Stage("mj_fwdActuation", physics.actuation.dcmotor.dcmotor_actuation, (enums.mjtGain.mjGAIN_DCMOTOR,)),
    *callback("mjcb_act", enums.mjtDyn.mjDYN_USER, enums.mjtGain.mjGAIN_USER, enums.mjtBias.mjBIAS_USER),
    *place("mj_fwdActuation", "compute", mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR),
    Stage("mj_fwdActuation", resting.rest_actuators, (("nactuator", SLEEP),)),
    Stage("mj_fwdActuation", actuation.transmit_forces, ("nactuator",)),
    Stage("mj_fwdActuation", actuation.no_actuation, (NO_ACTUATORS,)),
)
ACCELERATION = sparing("mj_fwdAcceleration", actuation.fwd_acceleration)

NEWTON, CG, PGS = mjtSolver.mjSOL_NEWTON, mjtSolver.mjSOL_CG, mjtSolver.mjSOL_PGS
COMPLEMENTARITY, DIAGONAL = mjtImpulse.mjIMP_COMPLEMENTARITY, mjtImpulse.mjIMP_DIAGONAL
DUAL = (PGS, COMPLEMENTARITY, DIAGONAL)
"""Solvers whose unknowns are forces."""

NOSLIP = "opt.noslip_iterations"
COUNTS = projection.count_dense, projection.count_sparse
NOSLIP_STAGES = by_storage_and_edition(
    "mj_fwdConstraint", solver.method.noslip.solve_noslip, solver.method.noslip.NOSLIP, NOSLIP
)
NONZEROS = (
    (NEWTON, COMPRESSED_ROWS), (by_islands(NEWTON), COMPRESSED_ROWS), (PGS, COMPRESSED_ROWS),
)  # fmt: skip
CONSTRAINT = (
    Stage("mj_fwdConstraint", editions.note_warmstart_4, (EDITION_4,)),
    Stage("mj_fwdConstraint", editions.note_scale_4, (EDITION_4,)),
    Stage("mj_fwdConstraint", physics.sleep.fall.only_awake, (SLEEP,)),
    *for_rows("mj_fwdConstraint", (projection.project_dense, projection.project_sparse), PGS, COMPLEMENTARITY),
    *for_rows("mj_fwdConstraint", COUNTS, NOSLIP),
    *for_rows("mj_fwdConstraint", (projection.diagonal_dense, projection.diagonal_sparse), DIAGONAL),
    Stage("mj_fwdConstraint", solver.linear.sparsity.find_sparsity, NONZEROS[:1]),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.forward.solve_newton, solver.forward.NEWTONS, NEWTON, branched=True
    ),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.forward.solve_conjugate, solver.forward.CONJUGATES, CG, branched=True
    ),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.islands.solve_newton_islands, solver.islands.NEWTON_ISLANDS, by_islands(NEWTON)
    ),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.islands.solve_conjugate_islands, solver.islands.CONJUGATE_ISLANDS, by_islands(CG)
    ),
    *by_storage_and_edition("mj_fwdConstraint", solver.forward.solve_pgs, solver.method.pgs.PGS, PGS),
    Stage("mj_fwdConstraint", status.nonzeros_wanted, NONZEROS, only_for=("solver_nnz",)),
    *by_storage("mj_fwdConstraint", impulse.begin_complementarity, JACOBIANS, COMPLEMENTARITY, lacks=(lack.PYRAMIDS,)),
    Stage("mj_fwdConstraint", solver.paper.complementarity.solve_complementarity, (COMPLEMENTARITY,)),
    *by_storage("mj_fwdConstraint", impulse.begin_impulses, JACOBIANS, DIAGONAL),
    Stage("mj_fwdConstraint", impulse.solve_diagonal, (DIAGONAL,)),
    *by_storage("mj_fwdConstraint", solver.forward.finish_dual, JACOBIANS, *DUAL),
    *NOSLIP_STAGES,
    Stage("mj_fwdConstraint", editions.restore_warmstart_4, (EDITION_4,)),
)
PROJECT = for_rows("mj_projectConstraint", COUNTS, *DUAL, NOSLIP)

DISCRETE = (enums.mjtEnableBit.mjENBL_INVDISCRETE,)
IMPLICIT = (mjtIntegrator.mjINT_IMPLICIT, mjtIntegrator.mjINT_IMPLICITFAST)


def derivative(name: str) -> Stages:
    """Return the stages of a function that compute qDeriv for the implicit integrators."""
    or_bias = (*MEDIUM, mjtIntegrator.mjINT_IMPLICIT)
    stages = (
        Stage(name, joints.damper_derivative),
        Stage(name, edges.edge_slopes, ("nflexedge",)),
        Stage(name, history.delay_controls, HISTORY),
        Stage(name, joints.actuator_derivative, ("nactuator",)),
        Stage(name, bodies.clear_slopes, or_bias),
        Stage(name, bodies.fluid_slopes, MEDIUM),
        Stage(name, bodies.bias_slopes, IMPLICIT[:1]),
        Stage(name, bodies.project_slopes, or_bias),
    )
    return (Only(IMPLICIT, stages),)


INVERSE_FORCES: Stages = (
    Stage("mj_inverse", inverse.inverse_begin),
    Only(DISCRETE, derivative("mj_inverse")),
    *(
        Stage("mj_inverse", discrete, ((*DISCRETE, kind),), lacks=(lack.DISCRETE_RUNGE_KUTTA,))
        for kind in (LINEAR, NONLINEAR)
        for discrete in (with_dampers(implicit.discrete_acceleration, kind),)
    ),
    *INV_CONSTRAINT,
)
INVERSE_END = (Stage("mj_inverse", inverse.inverse_end),)
COMPARE: Stages = (
    Stage("mj_compareFwdInv", inverse.compare_begin),
    *INVERSE_FORCES,
    *INVERSE_END,
    Stage("mj_compareFwdInv", inverse.compare_end),
)
POSTHOC_FORCES = (
    Stage("mj_forwardPosthoc", solver.paper.posthoc.split_forces),
    *CONSTRAINT,
    *by_storage("mj_forwardPosthoc", solver.paper.posthoc.add_forces, JACOBIANS),
)
INVERSE_POSTHOC = (
    Stage("mj_inversePosthoc", solver.paper.posthoc.keep_acceleration),
    *CONSTRAINT,
    *by_storage("mj_inversePosthoc", solver.paper.posthoc.find_posthoc, JACOBIANS),
)
CHECK_ACCELERATION = (Stage("mj_checkAcc", checks.check_acc), *RESET, Stage("mj_checkAcc", status.forward_if_reset))
FALL_ASLEEP = (Stage("mj_sleep", fall.fall_asleep, (SLEEP,)),)
HOLD_ACTIVATIONS = (Stage("mj_sleep", resting.hold_activations, (("na", SLEEP),)),)
HOLD_STILL = (Stage("mj_sleep", fall.hold_still, (SLEEP,)),)
WARNINGS = (Stage("warnings", status.warnings_reported),)
FORECAST = (Stage("forecast", physics.constraint.forecast.forecast_rows),)
"""Stages that a batch runs after a step in order to sort its worlds."""
