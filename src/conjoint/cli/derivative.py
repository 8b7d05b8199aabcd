"""`conjoint derivative`: accuracy and time of exact derivatives and finite differences of the dynamics.

Accelerations a = f(q, v, u) and forces u = g(q, v, a) are inverse functions, so their derivatives obey identities. The
residuals of these identities are the errors (Programming chapter, derivative). Actuators are disabled for derivatives,
because they affect only forward dynamics.
"""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import conjoint
from conjoint.cli.control import controls
from conjoint.cli.failure import InputError
from conjoint.cli.model_file import load_to_simulate
from conjoint.cli.options import DerivativeOptions
from conjoint.derivative import jacobian
from conjoint.lang import FatalError
from conjoint.schema.enums import mjtDisableBit, mjtStage

KINDS = ("differences", "exact")
"""Kinds of derivatives that are compared: finite differences and exact derivatives."""

STAGES = (mjtStage.mjSTAGE_NONE, mjtStage.mjSTAGE_POS, mjtStage.mjSTAGE_VEL)
"""Last pipeline stages that stay valid after changes in positions, in velocities, and in forces or accelerations."""

IDENTITIES = {
    "da/du du/da = 1": lambda f, g: (f[2] @ g[2], np.eye(len(f[2]))),
    "da/du symmetric": lambda f, g: (f[2], f[2].T),
    "du/da symmetric": lambda f, g: (g[2], g[2].T),
    "du/dv = - du/da da/dv": lambda f, g: (g[1], -g[2] @ f[1]),
    "du/dq = - du/da da/dq": lambda f, g: (g[0], -g[2] @ f[0]),
    "da/dv = - da/du du/dv": lambda f, g: (f[1], -f[2] @ g[1]),
    "da/dq = - da/du du/dq": lambda f, g: (f[0], -f[2] @ g[0]),
}
"""Functions that return both sides of an identity, by name of the identity.

The arguments are lists of the derivatives of accelerations and of forces, each with respect to q, v, and u or a.
"""


class Differences:
    """Finite differences at one state.

    Args:
        m: the model.
        d: the world; its state is restored.
        eps: step size of the differences.
    """

    def __init__(self, m: Any, d: Any, eps: float):
        self.m, self.d, self.eps = m, d, eps
        conjoint.mj_forward(m, d)
        # starting at the solution makes the solver's error equal in all differences
        for _ in range(3):
            d.qacc_warmstart[:] = d.qacc
            conjoint.mj_forwardSkip(m, d, mjtStage.mjSTAGE_VEL, 1)
        self.qpos, self.qvel, self.qacc = d.qpos.copy(), d.qvel.copy(), d.qacc.copy()
        self.applied = d.qfrc_applied.copy()

    def forward(self) -> list[np.ndarray]:
        """Compute the derivatives of accelerations with respect to positions, velocities and applied forces."""
        d = self.d

        def evaluate(stage: mjtStage) -> np.ndarray:
            d.qacc_warmstart[:] = self.qacc
            conjoint.mj_forwardSkip(self.m, d, stage, 1)
            return np.array(d.qacc)

        return [self._matrix(evaluate, stage, d.qfrc_applied) for stage in STAGES]

    def inverse(self) -> list[np.ndarray]:
        """Compute the derivatives of forces with respect to positions, velocities and accelerations."""
        d = self.d

        def evaluate(stage: mjtStage) -> np.ndarray:
            conjoint.mj_inverseSkip(self.m, d, stage, 1)
            return np.array(d.qfrc_inverse)

        d.qacc[:] = self.qacc
        return [self._matrix(evaluate, stage, d.qacc) for stage in STAGES]

    def _matrix(self, evaluate: Any, stage: mjtStage, last: np.ndarray) -> np.ndarray:
        """Return derivatives with respect to the input that follows `stage`: positions, velocities, or `last`."""
        d, kept = self.d, np.array(last)
        columns = []
        before = evaluate(mjtStage.mjSTAGE_NONE)
        for i in range(self.m.nv):
            step = np.zeros(self.m.nv)
            step[i] = self.eps
            if stage == mjtStage.mjSTAGE_NONE:
                conjoint.mj_integratePos(self.m, d.qpos, step, 1.0)
            elif stage == mjtStage.mjSTAGE_POS:
                d.qvel[:] = self.qvel + step
            else:
                last[:] = kept + step
            columns.append((evaluate(stage) - before) / self.eps)
            d.qpos[:], d.qvel[:], last[:] = self.qpos, self.qvel, kept
        evaluate(mjtStage.mjSTAGE_NONE)
        return np.stack(columns, axis=1)


class Exact:
    """Exact derivatives at one state, with the interface of `Differences`.

    Args:
        m: the model.
        d: the world, which does not change.
    """

    def __init__(self, m: Any, d: Any):
        self.m, self.d = m, d

    def forward(self) -> list[np.ndarray]:
        """Compute the derivatives of accelerations with respect to positions, velocities and applied forces."""
        found = jacobian(self.m, self.d, ["qacc"], ["qpos", "qvel", "qfrc_applied"], "mj_forward")
        return [*found["qacc"].values()]

    def inverse(self) -> list[np.ndarray]:
        """Compute the derivatives of forces with respect to positions, velocities and accelerations."""
        found = jacobian(self.m, self.d, ["qfrc_inverse"], ["qpos", "qvel", "qacc"], "mj_inverse")
        return [*found["qfrc_inverse"].values()]


class Record:
    """Measurements at some states.

    Attributes:
        seconds: durations of computing the derivatives of forward and inverse dynamics, by kind of derivative.
        errors: residuals of each identity, by kind of derivative.
        apart: largest difference between the two kinds at each state, relative to the largest element.
        refused: reason why exact derivatives are not available; "" if they are.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, dict[str, list[float]]] = {k: {"forward": [], "inverse": []} for k in KINDS}
        self.errors: dict[str, dict[str, list[float]]] = {k: {name: [] for name in IDENTITIES} for k in KINDS}
        self.apart: list[float] = []
        self.refused = ""

    def add(self, kind: str, source: Differences | Exact) -> list[np.ndarray]:
        """Compute and time derivatives of one kind, and return all matrices."""
        found = []
        for name in ("forward", "inverse"):
            begin = time.perf_counter()
            found.append(getattr(source, name)())
            self.seconds[kind][name].append(time.perf_counter() - begin)
        for name, sides in IDENTITIES.items():
            one, other = sides(*found)
            size = max(float(np.abs(one).sum() + np.abs(other).sum()), 1e-15)
            self.errors[kind][name].append(float(np.abs(one - other).sum()) / size)
        return [*found[0], *found[1]]


def measure(options: DerivativeOptions, console: Console) -> None:
    """Compute derivatives along a simulation, and print their times and errors.

    Raises:
        InputError: the model cannot be loaded, or has no degrees of freedom.
    """
    m = load_to_simulate(options.model)
    if not m.nv:
        raise InputError(
            f"{options.model}: the model has no degrees of freedom, so there is nothing to differentiate: add joints"
        )
    d, alike = conjoint.MjData(m), fixed_solver(m, options)
    source = controls("random", m, 1, options.seed, None)
    # the first call is not timed, because it may compile kernels
    at_state(alike, d, options, Record())
    record = Record()
    for epoch in range(options.epochs):
        for step in range(options.nstep):
            d.ctrl[:] = source(epoch * options.nstep + step)[0]
            conjoint.mj_step(m, d)
        at_state(alike, d, options, record)
    console.print(table_of(m, options, record))


def fixed_solver(m: Any, options: DerivativeOptions) -> Any:
    """Return a copy of the model with a fixed number of solver iterations, and without actuators."""
    found = copy.copy(m)
    found.opt.iterations, found.opt.tolerance = options.iterations, 0.0
    found.opt.disableflags |= int(mjtDisableBit.mjDSBL_ACTUATION)
    return found


def at_state(m: Any, d: Any, options: DerivativeOptions, record: Record) -> None:
    """Compute both kinds of derivatives at the state of a world, and add times and errors to `record`."""
    world = conjoint.MjData(m)
    for name in ("qpos", "qvel", "act", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied", "qacc_warmstart"):
        getattr(world, name)[...] = getattr(d, name)
    differences = record.add("differences", Differences(m, world, options.eps))
    try:
        exact = record.add("exact", Exact(m, world))
    except FatalError as error:
        record.refused = str(error)
        return
    pairs = zip(differences, exact, strict=True)
    record.apart.append(max(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-15)) for a, b in pairs))


def table_of(m: Any, options: DerivativeOptions, record: Record) -> Table:
    """Return the measurements as a table."""
    title = f"{options.model}: derivatives, means over {options.epochs} states"
    table = Table(title=title, title_justify="left", title_style="bold", caption=record.refused or None)
    table.add_column(style="cyan")
    for name in (f"differences of {options.eps:g}", "exact"):
        table.add_column(name, justify="right")
    for name in ("forward", "inverse"):
        times = [record.seconds[kind][name] for kind in KINDS]
        table.add_row(f"{name} dynamics, 3 x {m.nv} directions", *(milliseconds(taken) for taken in times))
    for name in IDENTITIES:
        table.add_row(f"error of {name}", *(power(record.errors[kind][name]) for kind in KINDS))
    table.add_row("largest difference between the methods", "", power(record.apart))
    return table


def milliseconds(taken: list[float]) -> str:
    """Return a mean time as text; a dash if the list is empty."""
    return f"{1e3 * float(np.mean(taken)):.2f} ms" if taken else "-"


def power(found: list[float]) -> str:
    """Return the geometric mean of errors as text; a dash if the list is empty."""
    return f"{float(np.exp(np.mean(np.log(np.maximum(found, 1e-15))))):.1e}" if found else "-"
