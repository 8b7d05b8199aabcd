"""Functions of the pipeline, under their documented names (Programming chapter, API reference)."""

import functools
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from conjoint.api.arguments import checked
from conjoint.api.functions import callback
from conjoint.api.objects.data import MjData
from conjoint.api.objects.followed import refresh
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.records import NO_ROWS, MjContact, check_contact, check_contacts
from conjoint.api.objects.struct import fields_of
from conjoint.lang.calls.call_cache import repeated
from conjoint.lang.calls.driver import Run
from conjoint.lang.errors import ArgumentError, FatalError
from conjoint.once import FREE, made_alike
from conjoint.runtime.functions import NUMBERS, PARTS, skipping
from conjoint.runtime.pipeline import AT_ONCE, Pipeline, pipeline
from conjoint.runtime.stages import IMPLICIT
from conjoint.runtime.user import installed
from conjoint.runtime.warning_report import report_warnings
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.enums import mjtStage, mjtWarning

F = TypeVar("F", bound=Callable[..., Any])

FINDING = frozenset(
    ("mj_step", "mj_step1", "mj_forward", "mj_inverse", "mj_fwdPosition", "mj_invPosition", "mj_collision")
)
"""Names of the functions that recompute the contacts before any stage reads them."""


def run(m: MjModel, d: MjData, name: str, nstep: int = 1) -> None:
    """Run the documented function `name` on `d` with model `m`, `nstep` times.

    Raises:
        FatalError: the model cannot be simulated.
    """
    ask = None
    if installed.active:
        installed.follow()
        ask = functools.partial(callback.answer, m, d)
    plans, world, callbacks = m.plans, d.world, installed.active
    found = world.latest.get(name)
    if found is None or found.plans is not plans or found.callbacks is not callbacks:
        found = pipeline(world, plans, name, callbacks)
    # one thread at a time works on a world, but callbacks on that thread may call functions on the world, too
    slots, mine = world.turn.slots, False
    while not mine:
        try:
            del slots[FREE]
            mine = True
        except KeyError:
            if world.turn.is_of_this_thread():
                break
            world.turn.wait()
    try:
        if world.contacts_written:
            if name not in FINDING:
                check_contacts(world)
            world.contacts_written = False
        found.go(world, nstep, ask)
        _repeat_next(d, name, found)
    finally:
        if mine:
            slots[FREE] = True
    if d.followed:
        refresh(d)


def go_on(name: str, m: MjModel, d: MjData, nstep: int, answer: int) -> None:
    """Continue function `name` after a stage interrupted it.

    Machine code acquires the lock of the world (`Turn`) beforehand, and releases it afterwards. The local variables
    `slots` and `mine` indicate to `Turn.is_of_this_thread` that this thread owns the lock.
    """
    slots, mine = d.world.turn.slots, True  # noqa: F841
    found = d.world.latest[name]
    found.go(d.world, nstep, answer=answer)
    _repeat_next(d, name, found)


def _repeat_next(d: MjData, name: str, found: Pipeline) -> None:
    """Allow machine code to repeat a call without Python, if possible. The caller owns the lock of the world (`Turn`).

    Another thread may change an input of `_needs_python` and then invalidate the cache. So this thread checks again
    after it has added the call to the cache: either it sees the change, or the other thread invalidates the cache
    later.
    """
    run, calls, number = found.run, d.world.calls, NUMBERS[name]
    if not isinstance(run, Run) or found.callbacks or calls.holds(number, run):
        return
    if not _needs_python(d):
        calls.add(number, found.plans, run)
        if _needs_python(d):
            calls.invalidate()


def _needs_python(d: MjData) -> bool:
    """Return True if a call needs Python.

    This is the case for callbacks, edited contacts, shared arrays, and arrays that are updated after each call.
    """
    world = d.world
    return bool(installed.active or world.contacts_written or world.shares or d.followed)


def repeatable(function: F) -> F:
    """Decorate a function of a model and a world so that machine code can repeat its last call.

    See `lang.calls.call_cache`.
    """
    name = function.__name__
    function.repeated = functools.partial(  # type: ignore[attr-defined]
        repeated, row=NUMBERS[name], go_on=functools.partial(go_on, name), types=(MjModel, MjData),
        names=("plans", "_call_cache", "nstep"), most=AT_ONCE if name == "mj_step" else 0,
    )  # fmt: skip
    return function


@repeatable
@checked
def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    """Advance the simulation by a timestep. Optionally, repeat nstep times.

    Args:
        m: the model.
        d: the world; its controls and applied forces act in every repetition.
        nstep: number of steps.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, "mj_step", nstep)


@repeatable
@checked
def mj_step1(m: MjModel, d: MjData) -> None:
    """Compute the first half of a step, which depends on position and velocity. Set controls before `mj_step2`.

    Args:
        m: the model.
        d: the world, at the start of a step.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, "mj_step1")


@repeatable
@checked
def mj_step2(m: MjModel, d: MjData) -> None:
    """Compute the second half of a step: forces, accelerations, integration (by Euler if Runge-Kutta is selected).

    Args:
        m: the model.
        d: the world, after `mj_step1`, with the controls and applied forces of this step.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, "mj_step2")


@repeatable
@checked
def mj_forward(m: MjModel, d: MjData) -> None:
    """Compute forward dynamics: everything but integration in time.

    Args:
        m: the model.
        d: the world; all other fields, such as `qacc` and `sensordata`, are computed from `qpos`, `qvel`, `act`, `ctrl`
            and applied forces.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, "mj_forward")


@repeatable
@checked
def mj_inverse(m: MjModel, d: MjData) -> None:
    """Compute inverse dynamics: the generalized forces that an acceleration requires.

    Args:
        m: the model.
        d: the world. `qfrc_inverse`, shape (nv,), is computed from `qpos`, `qvel` and `qacc`, in N for slides and
            translations of free joints, in N m for all other dofs. It includes actuator forces, `qfrc_applied` and
            `xfrc_applied`.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, "mj_inverse")


@checked
def mj_forwardSkip(m: MjModel, d: MjData, skipstage: Annotated[int, mjtStage], skipsensor: int) -> None:
    """Compute forward dynamics, but skip the stages whose results are up to date.

    Args:
        m: the model.
        d: the world, with the results of the skipped stages.
        skipstage: last stage to skip (mjtStage): none, position or velocity.
        skipsensor: whether to skip sensors.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, skipping("mj_forwardSkip", skipstage, bool(skipsensor)))


@checked
def mj_inverseSkip(m: MjModel, d: MjData, skipstage: Annotated[int, mjtStage], skipsensor: int) -> None:
    """Compute inverse dynamics, but skip the stages whose results are up to date.

    Args:
        m, d, skipstage, skipsensor: as in `mj_forwardSkip`.

    Raises:
        FatalError: the model cannot be simulated.
    """
    run(m, d, skipping("mj_inverseSkip", skipstage, bool(skipsensor)))


@checked
def mj_RungeKutta(m: MjModel, d: MjData, N: int) -> None:
    """Advance the simulation by a Runge-Kutta step of order N = 4, from the result of `mj_forward`.

    Args:
        m: the model.
        d: the world, whose state changes.
        N: the order, 4.

    Raises:
        FatalError: N is a different number.
    """
    if N != 4:
        raise ArgumentError("mj_RungeKutta: supported RK orders: N=4")
    run(m, d, "mj_RungeKutta")


@repeatable
@checked
def mj_Euler(m: MjModel, d: MjData) -> None:
    """Euler integrator, semi-implicit in velocity."""
    # programs compare this text with MuJoCo's docstring: do not change it
    run(m, d, "mj_Euler")


@checked
def mj_implicit(m: MjModel, d: MjData) -> None:
    """Advance the simulation by a step of the implicit integrator of the model, from the result of `mj_forward`.

    Args:
        m: the model, whose integrator is `implicit` or `implicitfast`.
        d: the world, whose state changes.

    Raises:
        FatalError: the model has a different integrator.
    """
    if m.opt.integrator not in IMPLICIT:
        raise FatalError("mj_implicit: set option integrator to implicit or implicitfast")
    run(m, d, "mj_implicit")


ROW_COUNTS = ("nefc", "ne", "nf", "nl", "nJ", "nA", "nisland", "nidof")
"""`MjData` attributes that count results whose number depends on the contacts, such as constraint rows and islands."""


@checked
def mj_addContact(m: MjModel, d: MjData, con: MjContact) -> int:
    """Append a contact to `d.contact` and remove all constraint rows until the next `mj_makeConstraint`.

    Args:
        m: the model.
        d: the world, after `mj_collision`.
        con: the contact, whose fields are copied. Its position and frame are in global coordinates; the first row of
            the frame is the normal.

    Returns:
        0; or 1, with a warning, if the limit of the model (nconmax) is reached.

    Raises:
        FatalError: the contact refers to a geom, flex, element or vertex that does not exist, or has an invalid
            dimension.
    """
    values = {name: getattr(con, name) for name in fields_of(con)}
    check_contact(m.memory, values | {"efc_address": NO_ROWS}, d.ncon, 0)
    if 0 <= m.nconmax <= d.ncon:
        warning: Any = d.warning[mjtWarning.mjWARN_CONTACTFULL]
        warning.number, warning.lastinfo = warning.number + 1, d.ncon
        report_warnings(d.world)
        return 1
    if d.ncon >= d.world.arena.layout.sizes["ncon_capacity"]:
        d.world.grow(ncon=2 * d.ncon + 8)
    for count in ROW_COUNTS:
        d.world.data.view(count)[...] = 0
    ncon = d.world.data.view("ncon")
    for name, field in fields_of(con).items():
        d.world.arena.view(field.name)[ncon] = getattr(con, name)
    ncon += 1
    # contacts have no constraint rows any more
    d.world.arena.view("contact_efc_address")[: int(ncon)] = NO_ROWS
    return 0


# parts of a step

MEANINGS = {
    "mj_kinematics": "Compute the poses of bodies, joints, geoms and sites from `qpos`: forward kinematics.",
    "mj_comPos": "Compute centers of mass, and body inertias and motion axes of dofs about these centers.",
    "mj_camlight": "Compute the poses of cameras and lights, after `mj_kinematics`.",
    "mj_tendon": "Compute the paths, lengths and moment arms of tendons.",
    "mj_flex": "Compute the vertices of flexes, and the lengths and moment arms of their edges.",
    "mj_makeM": "Compute the inertia matrix by the composite rigid body algorithm, after `mj_comPos` and `mj_tendon`.",
    "mj_crb": "Compute the inertia matrix; an alias of `mj_makeM`.",
    "mj_factorM": "Factor the inertia matrix, M = L^T D L, after `mj_makeM`.",
    "mj_collision": "Detect all contacts, after `mj_kinematics`.",
    "mj_makeConstraint": "Construct the rows of all constraints, with Jacobians and impedances, after `mj_collision`.",
    "mj_island": "Find the islands, groups of trees that constraints connect, after `mj_makeConstraint`.",
    "mj_transmission": "Compute the lengths and moment arms of actuators, after `mj_tendon`.",
    "mj_comVel": "Compute com-based velocities of bodies and the rates of change of motion axes, after `mj_comPos`.",
    "mj_passive": "Compute passive forces: springs, dampers, gravity compensation, fluid, adhesion and plugins.",
    "mj_referenceConstraint": "Compute velocities and reference accelerations of constraint rows.",
    "mj_projectConstraint": "Compute the matrix A + R = J M^-1 J^T + R of the constraint rows.",
    "mj_subtreeVel": "Compute velocities and angular momenta of subtrees at their centers of mass, after `mj_comVel`.",
    "mj_rnePostConstraint": "Compute accelerations of bodies, and forces on and between them, after `mj_forward`.",
    "mj_fwdPosition": "Compute all results that depend on `qpos` only: poses, inertia, contacts, constraint rows.",
    "mj_fwdVelocity": "Compute the results that depend on `qpos` and `qvel`: velocities, passive forces, bias forces.",
    "mj_fwdActuation": "Compute actuator forces and activation rates from `ctrl` and `act`.",
    "mj_fwdAcceleration": "Add up all forces except constraint forces, and compute the acceleration that they cause.",
    "mj_fwdConstraint": "Solve for constraint forces, and compute `qacc`, after `mj_fwdAcceleration`.",
    "mj_invPosition": "Compute all results that depend on `qpos` only, like `mj_fwdPosition`.",
    "mj_invVelocity": "Compute the results that depend on `qpos` and `qvel`, like `mj_fwdVelocity`.",
    "mj_invConstraint": "Compute constraint forces for the given `qacc`, for which they have a closed form.",
    "mj_sensorPos": "Compute the readings of sensors that depend on positions, after `mj_fwdPosition`.",
    "mj_sensorVel": "Compute the readings of sensors that depend on velocities, after `mj_fwdVelocity`.",
    "mj_sensorAcc": "Compute readings of sensors that depend on accelerations and forces, after `mj_fwdConstraint`.",
    "mj_energyPos": "Compute the potential energy, `energy[0]` (J), after `mj_fwdPosition`.",
    "mj_energyVel": "Compute the kinetic energy, `energy[1]` (J), after `mj_fwdVelocity`.",
    "mj_checkPos": "Warn if a number in `qpos` is not finite or larger than 1e10, and reset the world.",
    "mj_checkVel": "Warn if a number in `qvel` is not finite or larger than 1e10, and reset the world.",
    "mj_checkAcc": "Warn if a number in `qacc` is not finite or larger than 1e10; reset the world and forward it.",
    "mj_compareFwdInv": "Compare forward with inverse dynamics, after `mj_forward`; `qacc` does not change.",
}
"""Docstrings of the stage functions: the result, and the stage that must run before.

Check stages reset a world that has become invalid, unless `autoreset` is off.
"""


def written_by(name: str) -> list[str]:
    """Return the names of the `MjData` fields that a function's stages write, in the order of the schema."""
    return _written().get(name, [])


@made_alike
def _written() -> dict[str, list[str]]:
    """Return a map from function names to the names of the fields that the functions write."""
    found: dict[str, list[str]] = {}
    for field in (*DATA_FIELDS, *ARENA_FIELDS):
        for name in field.stages:
            found.setdefault(name, []).append(field.name)
    return found


def part_doc(name: str) -> str:
    """Return the docstring of a function that runs one or several stages of a step."""
    written = ", ".join(f"`{field}`" for field in written_by(name))
    fields = f"It writes {written}." if written else "docs/reference/pipeline.md lists the fields that it writes."
    return f"""{MEANINGS[name]}

Args:
    m: the model.
    d: the world. The function reads results of previous stages.
        {fields}

Raises:
    FatalError: the model cannot be simulated.
"""


def _stage_function(name: str) -> Callable[[Any, Any], None]:
    def function(m: MjModel, d: MjData) -> None:
        run(m, d, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = part_doc(name)
    return repeatable(checked(function))


STAGE_FUNCTIONS = {name: _stage_function(name) for name in PARTS}
"""Functions that run one or several stages of a step, by name."""

globals().update(STAGE_FUNCTIONS)
