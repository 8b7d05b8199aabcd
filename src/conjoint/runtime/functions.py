"""The documented functions as pipelines: their stages, and which of them a model needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conjoint.lang import FatalError, Kernel
from conjoint.physics import status
from conjoint.physics.checks import check_pos, check_vel
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS
from conjoint.physics.collision.narrowphase import (
    NARROWPHASE,
    begin_contacts,
    contacts_name,
    narrowphase_of,
    select_touching,
)
from conjoint.physics.collision.sdf import collider_of, sdf_contacts, sdf_mesh_contacts
from conjoint.physics.constraint.count import count_rows
from conjoint.physics.energy import energy_pos, energy_vel
from conjoint.physics.kinematics import camlight
from conjoint.physics.plugin.shapes import SLOTS
from conjoint.physics.plugins import PLUGINS
from conjoint.physics.sensor.distance import distance_name
from conjoint.physics.velocity import com_vel, subtree_vel
from conjoint.runtime.capabilities import Lack, check_dimensions
from conjoint.runtime.pairs import measured_types
from conjoint.runtime.plan import Plan
from conjoint.runtime.plugins import PluginStage
from conjoint.runtime.smooth_stages import COM_POS, FACTOR_M, KINEMATICS, MAKE_M, TENDON
from conjoint.runtime.stage import Stage, needed, present
from conjoint.runtime.stages import (
    ACCELERATION,
    ACTUATION,
    ADVANCE_IMPLICIT,
    ALL_TRANSMISSION,
    CHECK_ACCELERATION,
    CHECK_STATE,
    COLLISION,
    COMPARE,
    COMPRESSED,
    CONSTRAINT,
    CONTROL,
    DENSE,
    DRIVE,
    ENERGY_INNER,
    ENERGY_POS,
    ENERGY_VEL,
    EULER,
    FIRST_HALF,
    FLEX,
    FORWARD,
    FORWARD_POSTHOC,
    IMPLICIT_STEP,
    INTEGRATORS,
    INV_CONSTRAINT,
    INVERSE,
    INVERSE_END,
    INVERSE_FORCES,
    INVERSE_POSTHOC,
    ISLANDS,
    MAKE_CONSTRAINT,
    PASSIVE,
    PLAN_CHECK,
    POSITION,
    POST_CONSTRAINT,
    PROJECT,
    REFERENCE,
    RESET,
    RUNGE_KUTTA,
    SECOND_HALF,
    SENSOR_ACC,
    SENSOR_POS,
    SENSOR_VEL,
    SLOW_DOWN,
    VELOCITY,
    WARNINGS,
    WATCH,
    callback,
    settled,
)
from conjoint.runtime.timing import timed
from conjoint.runtime.user_kernels import with_callbacks, with_replaced
from conjoint.runtime.user_stages import COLLISION_FUNCTION, Replaced
from conjoint.schema.enums import (
    MjEnum,
    mjtEnableBit,
    mjtImpulse,
    mjtIntegrator,
    mjtSolver,
)

CALLBACKS = ("mjcb_control", "mjcb_passive", "mjcb_sensor", "mjcb_contactfilter", "mjcb_act", COLLISION_FUNCTION)
"""Stages at which a Python function of the user is called, if it is installed."""


SINGLE: dict[str, tuple[Stage, ...]] = {
    "mj_kinematics": settled("mj_kinematics") + KINEMATICS,
    "mj_comPos": COM_POS,
    "mj_camlight": (Stage("mj_camlight", camlight, ("ncam", "nlight")),),
    "mj_tendon": TENDON,
    "mj_flex": settled("mj_flex") + FLEX,
    "mj_makeM": MAKE_M,
    "mj_crb": MAKE_M,
    "mj_factorM": FACTOR_M,
    "mj_collision": COLLISION,
    "mj_makeConstraint": MAKE_CONSTRAINT,
    "mj_island": ISLANDS,
    "mj_transmission": ALL_TRANSMISSION,
    "mj_comVel": (Stage("mj_comVel", com_vel),),
    "mj_passive": PASSIVE,
    "mj_referenceConstraint": REFERENCE,
    "mj_projectConstraint": PROJECT,
    "mj_subtreeVel": (Stage("mj_subtreeVel", subtree_vel),),
    "mj_rnePostConstraint": POST_CONSTRAINT,
    "mj_fwdPosition": POSITION,
    "mj_fwdVelocity": VELOCITY,
    "mj_fwdActuation": ACTUATION,
    "mj_fwdAcceleration": ACCELERATION,
    "mj_fwdConstraint": CONSTRAINT,
    "mj_invPosition": POSITION,
    "mj_invVelocity": VELOCITY,
    "mj_invConstraint": INV_CONSTRAINT,
    "mj_sensorPos": SENSOR_POS,
    "mj_sensorVel": SENSOR_VEL,
    "mj_sensorAcc": SENSOR_ACC,
    "mj_energyPos": (Stage("mj_energyPos", energy_pos),),
    "mj_energyVel": (Stage("mj_energyVel", energy_vel),),
    "mj_checkPos": (Stage("mj_checkPos", check_pos), *RESET, *WARNINGS),
    "mj_checkVel": (Stage("mj_checkVel", check_vel), *RESET, *WARNINGS),
    "mj_checkAcc": CHECK_ACCELERATION + WARNINGS,
    "mj_compareFwdInv": COMPARE,
    "mj_Euler": EULER,
    "mj_implicit": IMPLICIT_STEP,
    "mj_forward": FORWARD + WARNINGS,
    "mj_inverse": INVERSE + WARNINGS,
    # the second half is yet to come: the controller runs even if actuators are disabled
    "mj_step1": CHECK_STATE + FIRST_HALF + callback("mjcb_control"),
}
"""Pipelines that are the same for every option."""


ADVANCING = frozenset({"mj_Euler", "mj_RungeKutta", "mj_implicit"})
"""Names of the stages that move on in time."""


def advances(stages: Sequence[Stage]) -> bool:
    """Whether a pipeline moves on in time."""
    return any(stage.name in ADVANCING for stage in stages)


POSTHOC = {"mj_forwardPosthoc": FORWARD_POSTHOC + WARNINGS, "mj_inversePosthoc": INVERSE_POSTHOC + WARNINGS}
"""Pipelines of functions with weights."""


def skipping(name: str, skipstage: int, skipsensor: bool) -> str:
    """Name of the pipeline of `mj_forwardSkip` or `mj_inverseSkip` for these arguments."""
    return f"{name} from {min(max(skipstage, 0), 2)}{' without sensors' if skipsensor else ''}"


IMPLICIT_AGAIN = "mj_implicit with the last factors"
"""Pipeline of a step of the implicit integrators where velocities and positions are those of the last one."""


def _skip_pipelines() -> dict[str, tuple[Stage, ...]]:
    """The pipelines of `mj_forwardSkip` and `mj_inverseSkip` for all their arguments, and `IMPLICIT_AGAIN`."""
    pipelines: dict[str, tuple[Stage, ...]] = {IMPLICIT_AGAIN: ADVANCE_IMPLICIT}
    for skipsensor in (False, True):
        position, velocity, acceleration = [() if skipsensor else s for s in (SENSOR_POS, SENSOR_VEL, SENSOR_ACC)]
        halves = [POSITION + position + (ENERGY_INNER if skipsensor else ENERGY_POS), VELOCITY + velocity + ENERGY_VEL]
        forward = CONTROL + ACTUATION + ACCELERATION + CONSTRAINT + acceleration + WARNINGS
        inverse = INVERSE_FORCES + acceleration + INVERSE_END + WARNINGS
        for skipstage in range(3):
            first: tuple[Stage, ...] = sum(halves[skipstage:], ())
            pipelines[skipping("mj_forwardSkip", skipstage, skipsensor)] = first + forward
            pipelines[skipping("mj_inverseSkip", skipstage, skipsensor)] = first + inverse
    return pipelines


SKIPS = _skip_pipelines()
"""Pipelines without what is already computed, by their names."""


SIGHT = "poses of what is seen"
"""Pipeline of the fields that pictures are made from (`schema.ray_picture.POSES`), for a state as it is."""

PICTURES = {SIGHT: KINEMATICS + COM_POS + SINGLE["mj_camlight"] + FLEX + TENDON}


def stages_of(name: str, plan: Plan, callbacks: tuple[str, ...] = ()) -> tuple[Stage, ...]:
    """The stages of the documented function `name` for a model, but those that it has no elements for.

    Args:
        name: the function.
        plan: the model.
        callbacks: names of the callbacks that are installed.

    Raises:
        FatalError: the model asks for something that one of them lacks.
    """
    found = present(plan.model)
    colliders, measures = plan.view("types_collider"), plan.view("types_distance")
    found |= {contacts_name(number) for number in set(colliders[list(plan.types)].tolist())}
    found |= {distance_name(number) for number in set(measures[list(measured_types(plan.arrays()))].tolist())}
    found |= {"nsweep"} if int(plan.view("nsweep")) else set()
    found |= set(COMPRESSED if plan.compressed else DENSE)
    left_out = set(CALLBACKS) - set(callbacks)
    arrays = plan.arrays()
    used = sorted(set(arrays.plugin.tolist()) & set(range(len(PLUGINS))))
    stages = _with_shapes(_with_colliders(PLAN_CHECK + _all_stages(name, plan), plan.replaced), used)
    stages = with_callbacks(stages, plan.replaced)
    solver = int(plan.view("opt.solver"))
    if solver not in (*mjtSolver, *mjtImpulse) and any(stage.name == "mj_fwdConstraint" for stage in stages):
        raise FatalError(f"mj_fwdConstraint: unknown solver type {solver}")
    stages = needed([stage for stage in stages if stage.name not in left_out], found)
    if any(stage.name == "mj_makeConstraint" for stage in stages):
        check_dimensions(arrays)
    lacks = dict.fromkeys(lack for stage in stages for lack in stage.lacks)
    lines = [line for lack in lacks for line in lack.lines(arrays)]
    if lines:
        raise FatalError("this model cannot be simulated yet: " + "; ".join(dict.fromkeys(lines)))
    stages = with_replaced([s for stage in stages for s in _with_plugins(stage, used)], plan.replaced)
    return timed(name, stages) if "mjcb_time" in callbacks else stages


def _with_plugins(stage: Stage, used: Sequence[int]) -> tuple[Stage, ...]:
    """A stage, or in place of one of plugins those of the plugins that a model uses, by slot."""
    if not isinstance(stage, PluginStage):
        return (stage,)
    return tuple(s for slot in used for s in stage.of(slot))


def _with_colliders(stages: tuple[Stage, ...], replaced: Replaced) -> tuple[Stage, ...]:
    """The stages with those of colliders that are kernels of the user."""
    kernels = [(number, kernel) for number, kernel in replaced.functions().items() if isinstance(kernel, Kernel)]
    mine = [Stage("mj_collision", narrowphase_of(*item), (contacts_name(item[0]),)) for item in kernels]
    return tuple(s for stage in stages for s in ((*mine, stage) if stage.kernel is select_touching else (stage,)))


def _with_shapes(stages: tuple[Stage, ...], used: Sequence[int]) -> tuple[Stage, ...]:
    """The stages with the colliders of the shapes that a model uses, if programs have added one."""
    shapes = {slot: PLUGINS[slot] for slot in used if PLUGINS[slot].sdf_distance is not None}
    if shapes.keys() <= SLOTS.keys():
        return stages
    mine = {}
    for collider, with_mesh in ((sdf_contacts, False), (sdf_mesh_contacts, True)):
        number = COLLIDER_NUMBERS[collider]
        mine[NARROWPHASE[contacts_name(number)]] = narrowphase_of(number, collider_of(shapes, with_mesh))
    return tuple(replace(stage, kernel=mine.get(stage.kernel, stage.kernel)) for stage in stages)


def unbuilt(name: str, text: str, *needs: str | MjEnum) -> tuple[Stage]:
    """The place of a function that is still to be built: models that need it are refused."""
    return (Stage(name, status.not_built, needs, lacks=(Lack(text),)),)


def beginning(stages: Sequence[Stage], stage: int) -> int:
    """Where to go on once there is room for what did not fit: at the stage before `stage` that begins the list."""
    while (stages[stage].engine or stages[stage].kernel) not in (begin_contacts, count_rows):
        stage -= 1
    return stage


def _all_stages(name: str, plan: Plan) -> tuple[Stage, ...]:
    """The stages of a function for the options of a model."""
    for pipelines in (SINGLE, SKIPS, POSTHOC, PICTURES):
        if name in pipelines:
            return pipelines[name]
    if name == "mj_RungeKutta":
        return RUNGE_KUTTA
    integrator = int(plan.view("opt.integrator"))
    if name != "mj_step" and integrator == mjtIntegrator.mjINT_RK4:
        # the second half cannot repeat the first
        integrator = mjtIntegrator.mjINT_EULER
    unknown = unbuilt("mj_step", f"there is no integrator {integrator}: set option integrator to one of mjtIntegrator")
    compare = COMPARE if int(plan.view("opt.enableflags")) & mjtEnableBit.mjENBL_FWDINV else ()
    ending = CHECK_ACCELERATION + compare + INTEGRATORS.get(integrator, unknown) + WARNINGS
    if name == "mj_step":
        return CHECK_STATE + FORWARD + ending
    if name == "mj_step2":
        return SECOND_HALF + ending
    # mj_setLengthRange: one step in which an actuator is driven
    return SLOW_DOWN + SINGLE["mj_step1"] + DRIVE + SECOND_HALF + ending + WATCH
