"""Checks of the timestep: its ratio to time constants of contacts, gains and springs, and a second of simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from conjoint.api.functions.functions import mj_step
from conjoint.api.functions.inertia import mj_mulM
from conjoint.api.objects.data import MjData
from conjoint.doctor.finding import Finding, finding, worst_first
from conjoint.doctor.subject import Subject
from conjoint.schema.enums import mjtDisableBit, mjtIntegrator, mjtWarning

STIFF = 1.0
"""Product of timestep and natural frequency above which a servo or spring is flagged: six steps per period.

At a product of two, integration is unstable.
"""
DAMPED = 1.0
"""Product of timestep and rate of explicit damping above which a servo is flagged; integration is unstable at two."""
SECONDS = 1.0
"""Duration of the trial simulation (s)."""
MOST_STEPS = 1000
"""Maximum number of steps of the trial simulation."""
ENERGY = 20.0
"""Kinetic energy above which a simulation is flagged, relative to the energy of a fall (`fall_energy`)."""
IMPLICIT = (mjtIntegrator.mjINT_IMPLICIT, mjtIntegrator.mjINT_IMPLICITFAST)
BAD = (mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC, mjtWarning.mjWARN_BADCTRL)


def check_time_step(subject: Subject) -> Iterator[Finding]:
    """Find springs, servos and contacts that are too stiff for the timestep."""
    odd = [*stiff_contacts(subject), *stiff_servos(subject), *stiff_springs(subject)]
    if odd:
        yield finding(
            "time-step",
            "The time step is too long for stiff parts of the model.",
            worst_first(odd),
            "Lower <option timestep=.../>, lower the gain or stiffness, or add armature to the joint.",
            "time-step",
        )


def stiff_contacts(subject: Subject) -> Iterator[tuple[float, str]]:
    """Yield a severity and a description for geoms whose contacts have a time constant of less than two steps."""
    model = subject.model
    step = float(model.opt.timestep)
    times: dict[float, list[int]] = {}
    for g in np.flatnonzero(subject.collides):
        first, second = (float(value) for value in model.geom_solref[g, :2])
        # two positive numbers are time constant and damping ratio, two negative ones are stiffness and damping
        time = first if first > 0 else 1 / math.sqrt(-first) if first < 0 and second <= 0 else math.inf
        if time < 2 * step * (1 - 1e-9):
            times.setdefault(time, []).append(int(g))
    for time, geoms in times.items():
        more = f" and {len(geoms) - 1} more" if len(geoms) > 1 else ""
        yield (
            2 * step / time,
            (
                f"{subject.label('geom', geoms[0])}{more}: contacts have a time constant of {time:.3g} s, two steps "
                f"are {2 * step:.3g} s" + ("" if _unguarded(subject) else ", which replaces it")
            ),
        )


def _unguarded(subject: Subject) -> bool:
    """Return True if contacts use time constants below two steps as given, because the flag `refsafe` is disabled."""
    return bool(subject.model.opt.disableflags & mjtDisableBit.mjDSBL_REFSAFE)


def stiff_servos(subject: Subject) -> Iterator[tuple[float, str]]:
    """Yield a severity and a description for each servo whose gains are too high for the inertia and the timestep."""
    model = subject.model
    step = float(model.opt.timestep)
    for servo in subject.servos:
        mobility = float(model.dof_invweight0[servo.dof])
        pace = step * math.sqrt(max(servo.kp, 0.0) * mobility)
        label = f"{subject.label('actuator', servo.actuator)}: "
        if pace > STIFF:
            yield (
                pace,
                f"{label}kp {servo.kp:.4g} on {1 / mobility:.3g} kg m^2, {2 * math.pi / pace:.2g} steps a period",
            )
        rate = step * servo.kv * mobility
        if rate > DAMPED and model.opt.integrator not in IMPLICIT:
            yield rate, f"{label}kv {servo.kv:.4g} on {1 / mobility:.3g} kg m^2, slowed in {1 / rate:.2g} steps"


def stiff_springs(subject: Subject) -> Iterator[tuple[float, str]]:
    """Yield a severity and a description for each spring of a joint or tendon that is too stiff for the timestep."""
    model = subject.model
    step = float(model.opt.timestep)
    springs = [
        ("joint", j, float(model.jnt_stiffness[j]), float(model.dof_invweight0[model.jnt_dofadr[j]]))
        for j in subject.hinges
    ]
    springs += [
        ("tendon", t, float(model.tendon_stiffness[t]), float(model.tendon_invweight0[t])) for t in range(model.ntendon)
    ]
    for kind, index, stiffness, mobility in springs:
        pace = step * math.sqrt(max(stiffness * mobility, 0.0))
        if pace > STIFF:
            text = f"{subject.label(kind, index)}: stiffness {stiffness:.4g}, {2 * math.pi / pace:.2g} steps a period"
            yield pace, text


def check_simulation(subject: Subject) -> Iterator[Finding]:
    """Simulate a second from the initial state, and find invalid states and unexplained increases of energy."""
    model = subject.model
    data = subject.begin(0 if model.nkey else None)
    if not model.nkey:
        hold(subject, data)
    most = ENERGY * fall_energy(subject) + kinetic_energy(subject, data)
    before = counts(data)
    text = ""
    for _ in range(min(MOST_STEPS, math.ceil(SECONDS / model.opt.timestep))):
        time = float(data.time)
        mj_step(model, data)
        if counts(data) != before:
            text = f"invalid numbers after {time:.3g} s: the state was reset"
            break
        energy = kinetic_energy(subject, data)
        if energy > most:
            dof = int(np.argmax(np.abs(data.qvel)))
            joint = subject.label("joint", int(model.dof_jntid[dof]))
            text = f"{energy:.3g} J after {time:.3g} s, gravity gives {most / ENERGY:.3g} J; fastest is {joint}"
            break
    if text:
        yield finding(
            "unstable",
            "The simulation gains energy without a cause.",
            [text],
            "First fix the findings about penetrations, time step and inertia.",
            "time-step",
        )


def hold(subject: Subject, data: MjData) -> None:
    """Set the controls of position servos so that they hold the current pose."""
    model = subject.model
    for servo in subject.servos:
        if servo.kp > 0:
            gear = float(model.actuator_gear[servo.actuator, 0])
            data.ctrl[servo.actuator] = gear * float(data.qpos[model.jnt_qposadr[servo.joint]])


def counts(data: MjData) -> list[int]:
    """Return the counts of the warnings about invalid states."""
    return [int(data.warning[kind].number) for kind in BAD]


def kinetic_energy(subject: Subject, data: MjData) -> float:
    """Return the kinetic energy (J)."""
    momentum = np.zeros(subject.model.nv)
    if subject.model.nv:
        mj_mulM(subject.model, data, momentum, data.qvel)
    return 0.5 * float(momentum @ data.qvel)


def fall_energy(subject: Subject) -> float:
    """Return the energy that all moving masses gain by falling for a second or by twice the model's size (J)."""
    model = subject.model
    gravity = float(np.linalg.norm(model.opt.gravity)) or 9.81
    mass = float(model.body_mass[subject.moves].sum())
    return mass * gravity * max(2 * float(model.stat.extent), gravity / 2 * SECONDS**2)
