"""The list of stages of a step (Computation chapter, "The simulation pipeline").

A stage has the name of the documented function; a function of several kernels is several stages of one name.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from conjoint.physics import status
from conjoint.physics.actuation.forces import fwd_acceleration, fwd_actuation, transmit_forces
from conjoint.physics.actuation.muscle import muscle_actuation
from conjoint.physics.bias import contact_forces, equality_forces, external_forces, rne, rne_post
from conjoint.physics.checks import check_acc, check_state
from conjoint.physics.collision.broadphase import broadphase
from conjoint.physics.collision.contact import finish_contacts
from conjoint.physics.collision.flex.contacts import flex_contacts, legacy_flex_contacts
from conjoint.physics.collision.narrowphase import (
    BOXES,
    CAPSULE_BOX,
    CONVEX_NUMBERS,
    NARROWPHASE,
    begin_contacts,
    contacts_name,
    list_contacts,
    list_side_by_side,
    select_touching,
    separate_boxes,
    separate_convex,
)
from conjoint.physics.collision.sweep import sweep
from conjoint.physics.collision.sweep_misses import drop_missed_pairs
from conjoint.physics.collision.visited_boxes import note_visits_due, visits_are_known
from conjoint.physics.constraint.assemble import clear_rows, fill_rows, finish_rows
from conjoint.physics.constraint.columns import count_elements
from conjoint.physics.constraint.contacts import contact_parameters, fill_alike
from conjoint.physics.constraint.count import count_rows
from conjoint.physics.constraint.forecast import forecast_rows
from conjoint.physics.constraint.islands import find_islands
from conjoint.physics.constraint.reference import reference_compressed, reference_constraint
from conjoint.physics.derivative.bodies import bias_slopes, clear_slopes, fluid_slopes, project_slopes
from conjoint.physics.derivative.joints import actuator_derivative, damper_derivative
from conjoint.physics.energy import energy_pos_enabled, energy_pos_unsensed, energy_vel_enabled
from conjoint.physics.flex.edges import edge_slopes, edge_velocity, flex_edges
from conjoint.physics.flex.forces import flex_forces
from conjoint.physics.flex.kinematics import flex_vertices
from conjoint.physics.flex.trilinear import trilinear_forces
from conjoint.physics.fluid.forces import fluid_forces
from conjoint.physics.implicit import (
    discrete_acceleration,
    factor_implicit,
    factor_implicitfast,
    implicit,
    implicitfast,
)
from conjoint.physics.integrate import euler, rk4_begin, rk4_end, rk4_stage1, rk4_stage2, rk4_stage3
from conjoint.physics.inverse import compare_begin, compare_end, inverse_begin, inverse_end
from conjoint.physics.kinematics import camlight
from conjoint.physics.length_range_drive import drive, slow_down, watch
from conjoint.physics.passive import spring_dampers, sum_passive
from conjoint.physics.plugins import PLUGINS
from conjoint.physics.sensor.acceleration import sensor_acc
from conjoint.physics.sensor.contact import sensor_contact
from conjoint.physics.sensor.distance import MEASURES, begin_distances, sensor_distance
from conjoint.physics.sensor.position import sensor_pos
from conjoint.physics.sensor.range import sensor_range
from conjoint.physics.sensor.store import cut_off_plugins
from conjoint.physics.sensor.tactile import clear_tactile, sensor_tactile
from conjoint.physics.sensor.touch import sensor_touch
from conjoint.physics.sensor.velocity import sensor_vel
from conjoint.physics.tendon.paths import tendon_bias
from conjoint.physics.transmission.bodies import body_transmission
from conjoint.physics.velocity import com_vel, transmission_velocity
from conjoint.runtime.capabilities import (
    COLLISIONS,
    DISCRETE_RUNGE_KUTTA,
    DISTANCES,
    PYRAMIDS,
    TACTILE,
    UNDISTANCED,
    UNKNOWN_PLUGINS,
)
from conjoint.runtime.pairs import DISTANCE_SENSORS
from conjoint.runtime.plugins import ANY, PluginStage, place
from conjoint.runtime.smooth_stages import COM_POS, FACTOR_M, KINEMATICS, MAKE_M, SPATIAL, TENDON, TRANSMISSION
from conjoint.runtime.stage import Need, Stage, by_islands
from conjoint.runtime.user_stages import COLLISION_FUNCTION
from conjoint.schema.enums import (
    MjEnum,
    mjtBias,
    mjtDyn,
    mjtEnableBit,
    mjtGain,
    mjtImpulse,
    mjtIntegrator,
    mjtPluginCapabilityBit,
    mjtSensor,
    mjtSolver,
    mjtStage,
    mjtTrn,
)
from conjoint.solver import (
    add_forces,
    add_forces_compressed,
    begin_complementarity,
    begin_complementarity_compressed,
    diagonal_compressed,
    diagonal_dense,
    find_fill,
    find_posthoc,
    find_posthoc_compressed,
    finish_dual,
    finish_dual_compressed,
    inv_compressed,
    inv_constraint,
    keep_acceleration,
    nonzeros_wanted,
    project_noslip,
    project_noslip_compressed,
    project_rows,
    project_rows_compressed,
    solve_complementarity,
    solve_conjugate,
    solve_conjugate_compressed,
    solve_conjugate_compressed_islands,
    solve_conjugate_islands,
    solve_diagonal,
    solve_newton,
    solve_newton_compressed,
    solve_newton_compressed_islands,
    solve_newton_islands,
    solve_noslip,
    solve_pgs,
    solve_pgs_compressed,
    split_forces,
    sweep_cones,
)


def callback(name: str, *needs: str | MjEnum, stage: int = mjtStage.mjSTAGE_NONE) -> tuple[Stage]:
    """The place where a Python function of the user is called, if one is installed under this name."""
    return (Stage(name, status.callback_asked, needs, stage),)


def settled(name: str) -> tuple[Stage]:
    """Where a function that changes positions without a collision waits until those of the last one are not needed."""
    return (Stage(name, visits_are_known, ("nbvh",), only_for=("bvh_active",)),)


PLAN_CHECK = (Stage("check", status.plan_holds),)
RESET = (Stage("mj_resetData", status.reset_asked),)
CHECK_STATE = (Stage("mj_checkPos", check_state), *RESET)
COLLISION = (
    Stage("mj_collision", note_visits_due, ("nbvh",), only_for=("bvh_active",)),
    Stage("mj_collision", broadphase, ("ngeom",), lacks=(COLLISIONS, UNDISTANCED)),
    Stage("mj_collision", sweep, ("nsweep",)),
    Stage("mj_collision", drop_missed_pairs, ("ngeom",)),
    *callback("mjcb_contactfilter", "ngeom"),
    Stage("mj_collision", begin_contacts, ("ngeom", "nflex")),
    Stage("mj_collision", separate_boxes, (contacts_name(BOXES),)),
    Stage("mj_collision", separate_convex, tuple(map(contacts_name, (CAPSULE_BOX, *CONVEX_NUMBERS)))),
    *(Stage("mj_collision", phase, (need,)) for need, phase in NARROWPHASE.items()),
    *callback(COLLISION_FUNCTION, "ngeom"),
    Stage("mj_collision", flex_contacts, (("nflex", "native pipeline"),)),
    Stage("mj_collision", legacy_flex_contacts, (("nflex", "legacy pipeline"),)),
    Stage("mj_collision", select_touching, ("ngeom",)),
    Stage("mj_collision", list_side_by_side, ("ngeom", "nflex")),
    Stage("mj_collision", list_contacts, ("ngeom", "nflex")),
    Stage("mj_collision", status.contacts_fit, ("ngeom", "nflex")),
    Stage("mj_collision", finish_contacts, ("ngeom", "nflex")),
)
DENSE, COMPRESSED = ("dense rows",), ("compressed rows",)
"""How the rows of the constraint Jacobian are stored."""

REFERENCE = (
    Stage("mj_referenceConstraint", reference_constraint, DENSE),
    Stage("mj_referenceConstraint", reference_compressed, COMPRESSED),
)
INV_CONSTRAINT = (
    Stage("mj_invConstraint", inv_constraint, DENSE),
    Stage("mj_invConstraint", inv_compressed, COMPRESSED),
)
MAKE_CONSTRAINT = (
    Stage("mj_makeConstraint", count_rows),
    Stage("mj_makeConstraint", count_elements, COMPRESSED),
    Stage("mj_makeConstraint", status.rows_fit),
    Stage("mj_makeConstraint", contact_parameters, ("ngeom", "nflex")),
    Stage("mj_makeConstraint", clear_rows),
    Stage("mj_makeConstraint", fill_alike, ("ngeom",)),
    Stage("mj_makeConstraint", fill_rows),
    Stage("mj_makeConstraint", finish_rows),
)
ISLANDS = (Stage("mj_island", find_islands, (mjtEnableBit.mjENBL_ISLAND,)),)
ALL_TRANSMISSION = (*TRANSMISSION, Stage("mj_transmission", body_transmission, (mjtTrn.mjTRN_BODY,)))
"""With actuators that act through contacts, which constants of a model do without."""

FLEX = (Stage("mj_flex", flex_vertices, ("nflex",)), Stage("mj_flex", flex_edges, ("nflexedge",)))
POSITION = (
    *KINEMATICS,
    *COM_POS,
    Stage("mj_camlight", camlight, ("ncam", "nlight")),
    *FLEX,
    *TENDON,
    *MAKE_M,
    *FACTOR_M,
    *COLLISION,
    *MAKE_CONSTRAINT,
    *ISLANDS,
    *ALL_TRANSMISSION,
)
MEDIUM = ("opt.density", "opt.viscosity")
PASSIVE = (
    Stage("mj_passive", spring_dampers, lacks=(UNKNOWN_PLUGINS,)),
    Stage("mj_passive", flex_forces, ("nflexedge",)),
    Stage("mj_passive", trilinear_forces, ("nflexnode",)),
    Stage("mj_passive", sum_passive),
    Stage("mj_passive", fluid_forces, MEDIUM),
    *callback("mjcb_passive"),
    *place("mj_passive", "compute", mjtPluginCapabilityBit.mjPLUGIN_PASSIVE),
)
VELOCITY = (
    Stage("mj_fwdVelocity", transmission_velocity, ("nu", "ntendon")),
    Stage("mj_fwdVelocity", edge_velocity, ("nflexedge",)),
    Stage("mj_comVel", com_vel),
    *PASSIVE,
    *REFERENCE,
    Stage("mj_rne", rne),
    Stage("mj_fwdVelocity", tendon_bias, SPATIAL),
)
SENSOR_POS = (
    Stage("mj_sensorPos", sensor_pos, ("nsensor",), lacks=(DISTANCES,)),
    Stage("mj_sensorPos", sensor_range, (mjtSensor.mjSENS_RANGEFINDER,)),
    Stage("mj_sensorPos", begin_distances, DISTANCE_SENSORS),
    *(Stage("mj_sensorPos", measure, (need,)) for need, measure in MEASURES.items()),
    Stage("mj_sensorPos", sensor_distance, DISTANCE_SENSORS),
    *callback("mjcb_sensor", mjtStage.mjSTAGE_POS, stage=mjtStage.mjSTAGE_POS),
    *place("mj_sensorPos", "compute", mjtPluginCapabilityBit.mjPLUGIN_SENSOR, mjtStage.mjSTAGE_POS),
    Stage("mj_sensorPos", cut_off_plugins, (mjtSensor.mjSENS_PLUGIN,)),
)
SENSOR_VEL = (
    Stage("mj_sensorVel", sensor_vel, ("nsensor",)),
    *callback("mjcb_sensor", mjtStage.mjSTAGE_VEL, stage=mjtStage.mjSTAGE_VEL),
    *place("mj_sensorVel", "compute", mjtPluginCapabilityBit.mjPLUGIN_SENSOR, mjtStage.mjSTAGE_VEL),
    Stage("mj_sensorVel", cut_off_plugins, (mjtSensor.mjSENS_PLUGIN,)),
)
FORCE_SENSORS = (
    mjtSensor.mjSENS_ACCELEROMETER, mjtSensor.mjSENS_FORCE, mjtSensor.mjSENS_TORQUE, mjtSensor.mjSENS_FRAMELINACC,
    mjtSensor.mjSENS_FRAMEANGACC, mjtSensor.mjSENS_PLUGIN, mjtStage.mjSTAGE_ACC,
)  # fmt: skip
"""Sensors that read forces or accelerations of bodies, or may: those of the user and of plugins."""

POST_CONSTRAINT = (
    Stage("mj_rnePostConstraint", external_forces),
    Stage("mj_rnePostConstraint", contact_forces),
    Stage("mj_rnePostConstraint", equality_forces, ("neq",)),
    Stage("mj_rnePostConstraint", rne_post),
)
SENSOR_ACC = (
    *(Stage(stage.name, stage.kernel, FORCE_SENSORS) for stage in POST_CONSTRAINT),
    Stage("mj_sensorAcc", sensor_acc, ("nsensor",)),
    Stage("mj_sensorAcc", sensor_touch, (mjtSensor.mjSENS_TOUCH,)),
    Stage("mj_sensorAcc", sensor_contact, (mjtSensor.mjSENS_CONTACT,)),
    Stage("mj_sensorAcc", clear_tactile, (mjtSensor.mjSENS_TACTILE,)),
    Stage("mj_sensorAcc", sensor_tactile, (mjtSensor.mjSENS_TACTILE,), lacks=(TACTILE,)),
    *callback("mjcb_sensor", mjtStage.mjSTAGE_ACC, stage=mjtStage.mjSTAGE_ACC),
    *place("mj_sensorAcc", "compute", mjtPluginCapabilityBit.mjPLUGIN_SENSOR, mjtStage.mjSTAGE_ACC),
    Stage("mj_sensorAcc", cut_off_plugins, (mjtSensor.mjSENS_PLUGIN,)),
)
ENERGY_POS = (Stage("mj_energyPos", energy_pos_enabled),)
ENERGY_VEL = (Stage("mj_energyVel", energy_vel_enabled),)
CONTROL = callback("mjcb_control", stage=mjtStage.mjSTAGE_ACC)
MUSCLE = (mjtDyn.mjDYN_MUSCLE, mjtGain.mjGAIN_MUSCLE, mjtBias.mjBIAS_MUSCLE)
ACTUATION = (
    Stage("mj_fwdActuation", fwd_actuation),
    *place("mj_fwdActuation", "actuator_act_dot", mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR),
    Stage("mj_fwdActuation", muscle_actuation, MUSCLE),
    *callback("mjcb_act", mjtDyn.mjDYN_USER, mjtGain.mjGAIN_USER, mjtBias.mjBIAS_USER),
    *place("mj_fwdActuation", "compute", mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR),
    Stage("mj_fwdActuation", transmit_forces),
)
ACCELERATION = (Stage("mj_fwdAcceleration", fwd_acceleration),)
NEWTON_ISLANDS, CG_ISLANDS = by_islands(mjtSolver.mjSOL_NEWTON), by_islands(mjtSolver.mjSOL_CG)
NEWTON_COMPRESSED = ((mjtSolver.mjSOL_NEWTON, *COMPRESSED), (NEWTON_ISLANDS, *COMPRESSED))
COMPLEMENTARITY, DIAGONAL = mjtImpulse.mjIMP_COMPLEMENTARITY, mjtImpulse.mjIMP_DIAGONAL
DUAL = (mjtSolver.mjSOL_PGS, COMPLEMENTARITY, DIAGONAL)
"""Solvers that find forces."""

NOSLIP = ("opt.noslip_iterations",)
CONSTRAINT = (
    Stage("mj_fwdConstraint", solve_newton, ((mjtSolver.mjSOL_NEWTON, *DENSE),)),
    Stage("mj_fwdConstraint", find_fill, ((mjtSolver.mjSOL_NEWTON, *COMPRESSED),)),
    Stage("mj_fwdConstraint", solve_newton_compressed, ((mjtSolver.mjSOL_NEWTON, *COMPRESSED),)),
    Stage("mj_fwdConstraint", solve_conjugate, ((mjtSolver.mjSOL_CG, *DENSE),)),
    Stage("mj_fwdConstraint", solve_conjugate_compressed, ((mjtSolver.mjSOL_CG, *COMPRESSED),)),
    Stage("mj_fwdConstraint", solve_newton_islands, ((NEWTON_ISLANDS, *DENSE),)),
    Stage("mj_fwdConstraint", solve_newton_compressed_islands, ((NEWTON_ISLANDS, *COMPRESSED),)),
    Stage("mj_fwdConstraint", nonzeros_wanted, NEWTON_COMPRESSED, only_for=("solver_nnz",)),
    Stage("mj_fwdConstraint", solve_conjugate_islands, ((CG_ISLANDS, *DENSE),)),
    Stage("mj_fwdConstraint", solve_conjugate_compressed_islands, ((CG_ISLANDS, *COMPRESSED),)),
    Stage("mj_fwdConstraint", solve_pgs, ((mjtSolver.mjSOL_PGS, *DENSE),)),
    Stage("mj_fwdConstraint", solve_pgs_compressed, ((mjtSolver.mjSOL_PGS, *COMPRESSED),)),
    Stage("mj_fwdConstraint", sweep_cones, (mjtSolver.mjSOL_PGS,)),
    Stage("mj_fwdConstraint", begin_complementarity, ((COMPLEMENTARITY, *DENSE),), lacks=(PYRAMIDS,)),
    Stage("mj_fwdConstraint", begin_complementarity_compressed, ((COMPLEMENTARITY, *COMPRESSED),), lacks=(PYRAMIDS,)),
    Stage("mj_fwdConstraint", solve_complementarity, (COMPLEMENTARITY,)),
    Stage("mj_fwdConstraint", diagonal_dense, ((DIAGONAL, *DENSE),)),
    Stage("mj_fwdConstraint", diagonal_compressed, ((DIAGONAL, *COMPRESSED),)),
    Stage("mj_fwdConstraint", solve_diagonal, (DIAGONAL,)),
    Stage("mj_fwdConstraint", finish_dual, tuple((solver, *DENSE) for solver in DUAL)),
    Stage("mj_fwdConstraint", finish_dual_compressed, tuple((solver, *COMPRESSED) for solver in DUAL)),
    Stage("mj_fwdConstraint", project_noslip, ((*NOSLIP, *DENSE),)),
    Stage("mj_fwdConstraint", project_noslip_compressed, ((*NOSLIP, *COMPRESSED),)),
    Stage("mj_fwdConstraint", solve_noslip, NOSLIP),
)
PROJECT = (
    Stage("mj_projectConstraint", project_rows, tuple((dual, *DENSE) for dual in (*DUAL, *NOSLIP))),
    Stage("mj_projectConstraint", project_rows_compressed, tuple((dual, *COMPRESSED) for dual in (*DUAL, *NOSLIP))),
)
CHECK_ACCELERATION = (Stage("mj_checkAcc", check_acc), *RESET, Stage("mj_checkAcc", status.forward_if_reset))
WARNINGS = (Stage("warnings", status.warnings_reported),)
FORECAST = (Stage("forecast", forecast_rows),)
"""What a batch runs after a step, to put worlds side by side."""

FIRST_HALF = POSITION + SENSOR_POS + ENERGY_POS + VELOCITY + SENSOR_VEL + ENERGY_VEL
SECOND_HALF = ACTUATION + ACCELERATION + CONSTRAINT + SENSOR_ACC
FORWARD = FIRST_HALF + CONTROL + SECOND_HALF
ENERGY_INNER = (Stage("mj_energyPos", energy_pos_unsensed),)
FORWARD_SKIP = POSITION + ENERGY_INNER + VELOCITY + ENERGY_VEL + CONTROL + ACTUATION + ACCELERATION + CONSTRAINT
"""Forward dynamics without sensors: the inner stages of Runge-Kutta."""

IMPLICIT = (mjtIntegrator.mjINT_IMPLICIT, mjtIntegrator.mjINT_IMPLICITFAST)


def derivative(name: str, *also: tuple[Need, ...]) -> tuple[Stage, ...]:
    """The stages of a function that compute qDeriv for the implicit integrators, if one of each of `also` is there."""
    medium = tuple(itertools.product(IMPLICIT, MEDIUM, *also))
    bias = tuple(itertools.product(IMPLICIT[:1], *also))
    return (
        Stage(name, damper_derivative, tuple(itertools.product(IMPLICIT, *also))),
        Stage(name, edge_slopes, tuple(itertools.product(IMPLICIT, ("nflexedge",), *also))),
        Stage(name, actuator_derivative, tuple(itertools.product(IMPLICIT, ("nu",), *also))),
        Stage(name, clear_slopes, medium + bias),
        Stage(name, fluid_slopes, medium),
        Stage(name, bias_slopes, bias),
        Stage(name, project_slopes, medium + bias),
    )


DISCRETE = (mjtEnableBit.mjENBL_INVDISCRETE,)
INVERSE_FORCES = (
    Stage("mj_inverse", inverse_begin),
    *derivative("mj_inverse", DISCRETE),
    Stage("mj_inverse", discrete_acceleration, DISCRETE, lacks=(DISCRETE_RUNGE_KUTTA,)),
    *INV_CONSTRAINT,
)
INVERSE_END = (Stage("mj_inverse", inverse_end),)
FACTOR_WHEN_READ = tuple(replace(stage, only_for=("qLD", "qLDiagInv")) for stage in FACTOR_M)
"""The factor of the inertia matrix where nothing is solved with it, in inverse dynamics: batches do without."""

INVERSE = (
    tuple(told for stage in FIRST_HALF for told in (FACTOR_WHEN_READ if stage in FACTOR_M else (stage,)))
    + INVERSE_FORCES
    + SENSOR_ACC
    + INVERSE_END
)
POSTHOC_FORCES = (
    Stage("mj_forwardPosthoc", split_forces),
    *CONSTRAINT,
    Stage("mj_forwardPosthoc", add_forces, DENSE),
    Stage("mj_forwardPosthoc", add_forces_compressed, COMPRESSED),
)
FORWARD_POSTHOC = FIRST_HALF + CONTROL + ACTUATION + ACCELERATION + POSTHOC_FORCES + SENSOR_ACC
INVERSE_POSTHOC = (
    *FIRST_HALF,
    Stage("mj_inversePosthoc", keep_acceleration),
    *CONSTRAINT,
    Stage("mj_inversePosthoc", find_posthoc, DENSE),
    Stage("mj_inversePosthoc", find_posthoc_compressed, COMPRESSED),
)
COMPARE = (
    Stage("mj_compareFwdInv", compare_begin),
    *INVERSE_FORCES,
    *INVERSE_END,
    Stage("mj_compareFwdInv", compare_end),
)
RUNGE_KUTTA = (
    Stage("mj_RungeKutta", rk4_begin),
    Stage("mj_RungeKutta", rk4_stage1),
    *FORWARD_SKIP,
    Stage("mj_RungeKutta", rk4_stage2),
    *FORWARD_SKIP,
    Stage("mj_RungeKutta", rk4_stage3),
    *FORWARD_SKIP,
    Stage("mj_RungeKutta", rk4_end),
    *place("mj_RungeKutta", "advance", ANY),
)
EULER = (Stage("mj_Euler", euler), *place("mj_Euler", "advance", ANY))
ADVANCE_IMPLICIT = (
    Stage("mj_implicit", implicit, IMPLICIT[:1]),
    Stage("mj_implicit", implicitfast, IMPLICIT[1:]),
    *place("mj_implicit", "advance", ANY),
)
IMPLICIT_STEP = (
    *derivative("mj_implicit"),
    Stage("mj_implicit", factor_implicit, IMPLICIT[:1]),
    Stage("mj_implicit", factor_implicitfast, IMPLICIT[1:]),
    *ADVANCE_IMPLICIT,
)
INTEGRATORS: dict[int, tuple[Stage, ...]] = {
    mjtIntegrator.mjINT_EULER: EULER,
    mjtIntegrator.mjINT_RK4: RUNGE_KUTTA,
    mjtIntegrator.mjINT_IMPLICIT: IMPLICIT_STEP,
    mjtIntegrator.mjINT_IMPLICITFAST: IMPLICIT_STEP,
}
SLOW_DOWN, DRIVE, WATCH = ((Stage("mj_setLengthRange", one),) for one in (slow_down, drive, watch))


def _stages_of_plugins() -> tuple[Stage, ...]:
    """The stages of the plugins that come with the engine: what wheels bring."""
    places = [stage for stages in (FORWARD, IMPLICIT_STEP) for stage in stages if isinstance(stage, PluginStage)]
    return tuple(s for stage in places for slot in range(len(PLUGINS)) for s in stage.of(slot))


OF_PLUGINS = _stages_of_plugins()
"""Stages of the plugins that come with the engine: no model's list names them, but wheels bring every stage that this
module names (`cli.catalogue`)."""
