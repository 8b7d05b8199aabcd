"""The documented functions: the stages of each function, and the selection of the stages that a model needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from conjoint.lang import FatalError
from conjoint.lang.language.name import Name, Work
from conjoint.once import made_once
from conjoint.physics.collision.collider_table import contacts_name
from conjoint.physics.collision.distance_table import distance_name
from conjoint.physics.plugins import OURS, PLUGINS
from conjoint.runtime import stages as part
from conjoint.runtime.capabilities import check_dimensions
from conjoint.runtime.pair_kernels import measured_types
from conjoint.runtime.pairs import SWEPT_PAIRS, has_swept_pairs
from conjoint.runtime.plan import Plan
from conjoint.runtime.position_stages import COM_POS, FACTOR_M, MAKE_M, TENDON, make_pairs
from conjoint.runtime.stage import (
    BRANCHES,
    COMPRESSED_ROWS,
    EDITION_4,
    LINEAR,
    NO_DIAGONAL,
    NO_SLEEP,
    NONLINEAR,
    SLEEP,
    Need,
    Only,
    Stage,
    Stages,
    callback,
    listed,
    needed,
    present,
    with_dampers,
)
from conjoint.runtime.stages import POST_CONSTRAINT, PROJECT, SENSOR_ACC, SENSOR_POS, SENSOR_VEL
from conjoint.runtime.timing import timed
from conjoint.runtime.user.insertion import with_programs
from conjoint.runtime.user.plugins import ANY, PluginStage, place
from conjoint.schema.enums import mjtEnableBit, mjtImpulse, mjtIntegrator, mjtSolver
from conjoint.schema.newer_names import NOT_BUILT, built

physics = Name("conjoint.physics")
solver = Name("conjoint.solver")
count_rows = physics.constraint.count.count_rows
yield_springs = physics.forces.plastic.yield_springs
integrate = physics.integration.integrate
keep_history = physics.history.keep_history
implicit = physics.integration.implicit.implicit
rk4_turn_half = physics.integration.editions.rk4_turn_half_4
drive = physics.integration.length_range_drive.drive
slow_down = physics.integration.length_range_drive.slow_down
watch = physics.integration.length_range_drive.watch
velocities_begin = physics.sleep.awake.velocities_begin

FIRST_HALF: Stages = part.POSITION + SENSOR_POS + part.ENERGY_POS + part.VELOCITY + SENSOR_VEL + part.ENERGY_VEL
FORCES: Stages = part.ACTUATION + part.ACCELERATION + part.CONSTRAINT
FORWARD: Stages = FIRST_HALF + part.CONTROL + FORCES + SENSOR_ACC

FORWARD_SKIP: Stages = (*part.POSITION, *part.ENERGY_INNER, *part.VELOCITY, *part.ENERGY_VEL, *part.CONTROL, *FORCES)
"""Forward dynamics without sensors, for the inner stages of Runge-Kutta."""


def keep_start(name: str) -> Stages:
    """Return the stage in which an integrator saves qacc_warmstart because the solver does not save it."""
    return (Stage(name, solver.method.editions.keep_warmstart_4, (EDITION_4,)),)


def euler_awake(dampers: Need) -> Work:
    """Return the stage of Euler's method for awake trees, for the given type of dampers."""
    sleep = physics.sleep.awake
    parts = with_dampers(integrate.euler_parts, dampers)
    work: Work = sleep.awake(parts, sleep.nothing_whole, integrate.advance_rest)
    return work


EULER: Stages = (
    Stage("mj_Euler", keep_history, part.HISTORY),
    *(Stage("mj_Euler", with_dampers(integrate.euler, kind), ((NO_SLEEP, kind),)) for kind in (LINEAR, NONLINEAR)),
    *(Stage("mj_Euler", euler_awake(kind), ((SLEEP, kind),)) for kind in (LINEAR, NONLINEAR)),
    Stage("mj_Euler", yield_springs, part.PLASTIC),
    *keep_start("mj_Euler"),
    *place("mj_Euler", "advance", ANY),
)
RUNGE_KUTTA: Stages = (
    Stage("mj_RungeKutta", physics.forces.plastic.keep_tendons, (("nplastic", "ntendon"),)),
    Stage("mj_RungeKutta", physics.integration.integrate.rk4_begin),
    Stage("mj_RungeKutta", physics.integration.integrate.rk4_stage1),
    *FORWARD_SKIP,
    Stage("mj_RungeKutta", rk4_turn_half, (EDITION_4,)),
    Stage("mj_RungeKutta", physics.integration.integrate.rk4_stage2),
    *FORWARD_SKIP,
    Stage("mj_RungeKutta", rk4_turn_half, (EDITION_4,)),
    Stage("mj_RungeKutta", physics.integration.integrate.rk4_stage3),
    *FORWARD_SKIP,
    Stage("mj_RungeKutta", physics.history.keep_history_of_start, part.HISTORY),
    Stage("mj_RungeKutta", physics.integration.editions.rk4_turn_whole_4, (EDITION_4,)),
    Stage("mj_RungeKutta", physics.integration.integrate.rk4_end),
    Stage("mj_RungeKutta", physics.forces.plastic.yield_springs_of_start, part.PLASTIC),
    *keep_start("mj_RungeKutta"),
    Stage("mj_RungeKutta", physics.integration.editions.rk4_mean_4, (EDITION_4,)),
    *place("mj_RungeKutta", "advance", ANY),
)
ADVANCE_IMPLICIT: Stages = (
    Stage("mj_implicit", keep_history, part.HISTORY),
    Stage("mj_implicit", implicit, part.IMPLICIT[:1]),
    Stage("mj_implicit", physics.integration.implicit.implicitfast, part.IMPLICIT[1:]),
    Stage("mj_implicit", yield_springs, part.PLASTIC),
    *keep_start("mj_implicit"),
    *place("mj_implicit", "advance", ANY),
)
IMPLICIT_STEP: Stages = (
    *part.derivative("mj_implicit"),
    Stage("mj_implicit", physics.integration.implicit.factor_implicit, part.IMPLICIT[:1]),
    Stage("mj_implicit", physics.integration.implicit.factor_implicitfast, part.IMPLICIT[1:]),
    *ADVANCE_IMPLICIT,
)
BEFORE_ADVANCE: Stages = (*part.CHECK_ACCELERATION, Only((mjtEnableBit.mjENBL_FWDINV,), part.COMPARE))
STEP: Stages = (
    *part.CHECK_STATE,
    *FORWARD,
    *BEFORE_ADVANCE,
    *part.FALL_ASLEEP,
    Only((mjtIntegrator.mjINT_EULER,), EULER),
    Only((mjtIntegrator.mjINT_RK4,), RUNGE_KUTTA),
    Only(part.IMPLICIT, IMPLICIT_STEP + part.HOLD_STILL),
    *part.HOLD_ACTIVATIONS,
    *part.WARNINGS,
)
STEP1: Stages = (*part.CHECK_STATE, *FIRST_HALF, *callback("mjcb_control"))
"""First half of a step. The controller runs even if actuators are disabled, because the second half follows later."""

STEP2: Stages = (
    *FORCES,
    *SENSOR_ACC,
    *BEFORE_ADVANCE,
    *part.FALL_ASLEEP,
    # the second half cannot repeat the first
    Only((mjtIntegrator.mjINT_EULER, mjtIntegrator.mjINT_RK4), EULER),
    Only(part.IMPLICIT, IMPLICIT_STEP + part.HOLD_STILL),
    *part.HOLD_ACTIVATIONS,
    *part.WARNINGS,
)


def for_inverse(factor: Stage) -> Stages:
    """Return the stage that factorizes the inertia matrix, for functions in which only constraints may need it."""
    left_out = replace(factor, only_for=("qLD", "qLDiagInv"))
    return Only((NO_DIAGONAL,), (left_out,)), Only((mjtEnableBit.mjENBL_DIAGEXACT,), (factor,))


SLOW_DOWN, DRIVE, WATCH = ((Stage("mj_setLengthRange", one),) for one in (slow_down, drive, watch))
INVERSE: Stages = (
    # batches leave out the factor of the inertia matrix, which only an exact diagonal needs
    *(one for item in FIRST_HALF for one in (for_inverse(item) if item in part.FACTOR_M else (item,))),
    *part.INVERSE_FORCES,
    *SENSOR_ACC,
    *part.INVERSE_END,
)

PARTS: dict[str, Stages] = {
    "mj_kinematics": part.settled("mj_kinematics") + part.KINEMATICS,
    "mj_comPos": COM_POS,
    "mj_camlight": part.CAMLIGHT,
    "mj_tendon": TENDON,
    "mj_flex": part.settled("mj_flex") + part.FLEX,
    "mj_makeM": MAKE_M,
    "mj_crb": MAKE_M,
    "mj_factorM": FACTOR_M,
    "mj_collision": part.COLLISION,
    "mj_makeConstraint": part.MAKE_CONSTRAINT,
    "mj_island": part.ISLANDS,
    "mj_transmission": part.ALL_TRANSMISSION,
    "mj_comVel": (Stage("mj_comVel", physics.dynamics.velocity.com_vel),),
    "mj_passive": part.PASSIVE,
    "mj_referenceConstraint": part.REFERENCE,
    "mj_projectConstraint": PROJECT,
    "mj_subtreeVel": (Stage("mj_subtreeVel", physics.dynamics.velocity.subtree_vel),),
    "mj_rnePostConstraint": POST_CONSTRAINT,
    "mj_fwdPosition": part.POSITION,
    "mj_fwdVelocity": part.VELOCITY,
    "mj_fwdActuation": part.ACTUATION,
    "mj_fwdAcceleration": part.ACCELERATION,
    "mj_fwdConstraint": part.CONSTRAINT,
    "mj_invPosition": part.POSITION,
    "mj_invVelocity": part.VELOCITY,
    "mj_invConstraint": part.INV_CONSTRAINT,
    "mj_sensorPos": SENSOR_POS,
    "mj_sensorVel": SENSOR_VEL,
    "mj_sensorAcc": SENSOR_ACC,
    "mj_energyPos": (Stage("mj_energyPos", physics.dynamics.energy.energy_pos),),
    "mj_energyVel": (Stage("mj_energyVel", physics.dynamics.energy.energy_vel),),
    "mj_checkPos": (Stage("mj_checkPos", physics.integration.checks.check_pos), *part.RESET, *part.WARNINGS),
    "mj_checkVel": (Stage("mj_checkVel", physics.integration.checks.check_vel), *part.RESET, *part.WARNINGS),
    "mj_checkAcc": part.CHECK_ACCELERATION + part.WARNINGS,
    "mj_compareFwdInv": part.COMPARE,
}
"""Functions that are part of a step and need no arguments."""

IMPLICIT_AGAIN = "mj_implicit with the last factors"
"""Name of the step of the implicit integrators that reuses velocities, positions and factors of the last step."""


def with_forces(name: str) -> str:
    """Return the name of the function that runs `mj_step` or `mj_forward` (`name`) and then `mj_rnePostConstraint`."""
    return f"{name}, mj_rnePostConstraint"


SIGHT = "poses of visible elements"
"""Function that computes the fields needed for rendering (`schema.ray_picture.POSES`) in the current state."""


def skipping(name: str, skipstage: int, skipsensor: bool) -> str:
    """Return the name under which `mj_forwardSkip` or `mj_inverseSkip` is listed for the given arguments."""
    return f"{name} from {min(max(skipstage, 0), 2)}{' without sensors' if skipsensor else ''}"


def _skipping_functions() -> dict[str, Stages]:
    """Return the stages of `mj_forwardSkip` and `mj_inverseSkip` for all combinations of their arguments, by name."""
    found: dict[str, Stages] = {}
    for skipsensor in (False, True):
        sensed = [() if skipsensor else s for s in (SENSOR_POS, SENSOR_VEL, SENSOR_ACC)]
        position: Stages = part.POSITION + sensed[0] + (part.ENERGY_INNER if skipsensor else part.ENERGY_POS)
        velocity: Stages = part.VELOCITY + sensed[1] + part.ENERGY_VEL
        forward: Stages = part.CONTROL + FORCES + sensed[2] + part.WARNINGS
        inverse: Stages = part.INVERSE_FORCES + sensed[2] + part.INVERSE_END + part.WARNINGS
        for skipstage, first in enumerate((position + velocity, velocity, ())):
            found[skipping("mj_forwardSkip", skipstage, skipsensor)] = first + forward
            found[skipping("mj_inverseSkip", skipstage, skipsensor)] = first + inverse
    return found


FUNCTIONS: dict[str, Stages] = {
    "mj_step": STEP,
    "mj_step1": STEP1,
    "mj_step2": STEP2,
    "mj_forward": FORWARD + part.WARNINGS,
    "mj_inverse": INVERSE + part.WARNINGS,
    with_forces("mj_step"): STEP + POST_CONSTRAINT,
    with_forces("mj_forward"): FORWARD + part.WARNINGS + POST_CONSTRAINT,
    "mj_Euler": EULER,
    "mj_RungeKutta": RUNGE_KUTTA,
    "mj_implicit": IMPLICIT_STEP,
    IMPLICIT_AGAIN: ADVANCE_IMPLICIT,
    **PARTS,
    **_skipping_functions(),
    "mj_forwardPosthoc": (
        FIRST_HALF + part.CONTROL + part.ACTUATION + part.ACCELERATION + part.POSTHOC_FORCES + SENSOR_ACC
        + part.WARNINGS
    ),
    "mj_inversePosthoc": FIRST_HALF + part.INVERSE_POSTHOC + part.WARNINGS,
    # one step of the simulation that drives an actuator
    "mj_setLengthRange": SLOW_DOWN + STEP1 + DRIVE + STEP2 + WATCH,
    SIGHT: part.KINEMATICS + COM_POS + part.CAMLIGHT + part.FLEX + TENDON,
}  # fmt: skip
"""Stages of each function, by function name."""

NUMBERS = {name: i for i, name in enumerate(FUNCTIONS)}
"""Indices of functions in a world's call cache, by function name."""


def every_stage() -> list[Stage]:
    """Return every stage of every function once, including the stages of built-in plugins."""
    everything = (part.PLAN_CHECK, part.FORECAST, *FUNCTIONS.values(), of_plugins())
    return list(dict.fromkeys(stage for stages in everything for stage, _ in listed(stages)))


def of_plugins() -> tuple[Stage, ...]:
    """Return the stages of the built-in plugins."""
    places = [item for item, _ in listed(STEP) if isinstance(item, PluginStage)]
    return tuple(stage for item in places for slot in range(len(OURS)) for stage in item.of(slot))


ADVANCING = frozenset({"mj_Euler", "mj_RungeKutta", "mj_implicit"})
"""Names of the stages that advance time."""


def advances(stages: Sequence[Stage]) -> bool:
    """Return True if a pipeline advances time."""
    return any(stage.name in ADVANCING for stage in stages)


def beginning(stages: Sequence[Stage], stage: int) -> int:
    """Return the stage at which to resume after the arena has grown.

    It is the last stage, up to `stage`, that starts to fill a list.
    """
    while (stages[stage].engine or stages[stage].work) not in (*make_pairs, count_rows):
        stage -= 1
    return stage


def after_waking(stages: Sequence[Stage]) -> int:
    """Return the stage at which to resume after contacts have woken up trees."""
    return [stage.work for stage in stages].index(physics.sleep.awake.contacts_begin)


def after_falling(stages: Sequence[Stage], stage: int) -> int:
    """Return the stage at which to resume after trees fell asleep: the first stage that computes velocities.

    If another function computes the velocities, this is `stage` itself.
    """
    kernels = [one.work for one in stages]
    return kernels.index(velocities_begin) if velocities_begin in kernels else stage


def stages_of(
    name: str, plan: Plan, callbacks: tuple[str, ...] = (), differentiated: Collection[str] = ()
) -> tuple[Stage, ...]:
    """Return the stages of the documented function `name` for which a model has elements.

    Args:
        name: the function.
        plan: the model.
        callbacks: names of the installed callbacks.
        differentiated: model rows with respect to which derivatives are taken (see `present`).

    Raises:
        FatalError: the model needs a feature that one of the stages lacks.
    """
    _check(name, plan)
    found, arrays = _present(plan, differentiated), plan.arrays()
    stages = needed(part.PLAN_CHECK + FUNCTIONS[name], found)
    plugins = sorted(set(arrays.plugin.tolist()) & set(range(len(PLUGINS))))
    stages = with_programs(stages, plan.replaced, callbacks, plugins, found)
    lacks = dict.fromkeys(lack for stage in stages for lack in stage.lacks)
    lines = [line for lack in lacks for line in lack.lines(arrays)]
    if lines:
        raise FatalError("this model cannot be simulated yet: " + "; ".join(dict.fromkeys(lines)))
    return timed(name, stages) if "mjcb_time" in callbacks else stages


UNBUILT_FLAGS = sum(bit for bit in mjtEnableBit if bit.name in NOT_BUILT)
"""Enable flags of newer MuJoCo versions for features that are not implemented."""


@made_once
def _functions_of(name: str) -> frozenset[str]:
    """Return the names of the documented functions that a function's stages belong to."""
    return frozenset(stage.name for stage, _ in listed(FUNCTIONS[name]))


def _present(plan: Plan, differentiated: Collection[str] = ()) -> set[str]:
    """Return the properties of a model and its plan on which the selection of stages depends."""
    found = present(plan.model, plan.lanes, differentiated)
    colliders, measures = plan.view("types_collider"), plan.view("types_distance")
    found |= {contacts_name(number) for number in set(colliders[list(plan.types)].tolist())}
    found |= {distance_name(number) for number in set(measures[list(measured_types(plan.arrays()))].tolist())}
    found |= {name for name in ("npart", "nsweep", "ncrossing", "nmover", "nstatic") if int(plan.view(name))}
    found |= {SWEPT_PAIRS} if has_swept_pairs(plan.arrays()) else set()
    found |= {BRANCHES} if int(plan.view("branched")) else set()
    return found | ({COMPRESSED_ROWS} if plan.compressed else set())


def _check(name: str, plan: Plan) -> None:
    """Check the options and dimensions that the stages of a function depend on.

    Raises:
        FatalError: an option or dimension has an invalid value.
    """
    functions = _functions_of(name)
    requested = int(plan.view("opt.enableflags")) & UNBUILT_FLAGS
    if requested:
        flags = ", ".join(bit.name for bit in mjtEnableBit if bit & requested and bit.name in NOT_BUILT)
        raise FatalError(f"this model cannot be simulated yet: {flags} of opt.enableflags: set it to zero")
    solver, integrator = int(plan.view("opt.solver")), int(plan.view("opt.integrator"))
    if "mj_fwdConstraint" in functions and solver not in (*mjtSolver, *mjtImpulse):
        raise FatalError(f"mj_fwdConstraint: unknown solver type {solver}")
    if "mj_makeConstraint" in functions:
        check_dimensions(plan.arrays())
    if name in ("mj_step", "mj_step2", "mj_setLengthRange") and integrator not in built(mjtIntegrator):
        raise FatalError(
            f"this model cannot be simulated yet: there is no integrator {integrator}: set option integrator to one of "
            "mjtIntegrator"
        )
