"""The stages of a step, in the order in which they run (Computation chapter, "The simulation pipeline").

A stage has the name of the documented function; a function of several kernels is several stages of one name. Behind its
kernel stands what a model must have for it. `runtime.functions` makes the documented functions of these parts, and
`conjoint stages mj_step` prints them.
"""

from __future__ import annotations

from conjoint.lang.language.name import Name
from conjoint.physics import status
from conjoint.runtime import capabilities as lack
from conjoint.runtime.collision_stages import COLLISION
from conjoint.runtime.sensor_stages import HISTORY
from conjoint.runtime.smooth_stages import SPATIAL, TENDON, TRANSMISSION
from conjoint.runtime.solver_stages import CONSTRAINT
from conjoint.runtime.stage import (
    ADHESION,
    COMPRESSED_ROWS,
    DENSE_ROWS,
    EDITION_4,
    LINEAR,
    MOVING_SURFACES,
    NO_ACTUATORS,
    NO_ENERGY,
    NO_SLEEP,
    NO_STATIC_TREE,
    NONLINEAR,
    SLEEP,
    Only,
    Stage,
    Stages,
    by_storage,
    callback,
    sparing,
    with_dampers,
)
from conjoint.runtime.user.plugin_stages import place
from conjoint.schema import enums
from conjoint.schema.enums import mjtIntegrator, mjtPluginCapabilityBit, mjtStage

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


def settled(name: str) -> tuple[Stage]:
    """Where a function that changes positions without a collision waits until those of the last one are not needed."""
    return (Stage(name, physics.official.bounding_volumes.visits_are_known, ("nbvh",), only_for=("bvh_active",)),)


PLAN_CHECK = (Stage("check", status.plan_holds),)
RESET = (Stage("mj_resetData", status.reset_asked),)
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
"""With actuators that act through contacts, which constants of a model do without."""

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
ENERGY = enums.mjtEnableBit.mjENBL_ENERGY
ENERGY_POS = (
    Stage("mj_energyPos", energy.energy_pos_enabled, (ENERGY,)),
    Stage("mj_energyPos", energy.no_energy, (NO_ENERGY,)),
)
ENERGY_INNER = (
    Stage("mj_energyPos", energy.energy_pos_unsensed, (ENERGY,)),
    Stage("mj_energyPos", energy.clear_energy, (NO_ENERGY,)),
)
"""Energy where no sensors are read."""

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
DISCRETE = (enums.mjtEnableBit.mjENBL_INVDISCRETE,)
IMPLICIT = (mjtIntegrator.mjINT_IMPLICIT, mjtIntegrator.mjINT_IMPLICITFAST)


def derivative(name: str) -> Stages:
    """The stages of a function that compute qDeriv for the implicit integrators."""
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
"""What a batch runs after a step, to put worlds side by side."""
