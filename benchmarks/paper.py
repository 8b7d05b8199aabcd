"""Figures of the 2012 paper and ours: iterations (Figure 1), smooth dynamics (Table 1), state clouds (Tables 2 and 3).

E. Todorov, T. Erez, Y. Tassa, "MuJoCo: A physics engine for model-based control", IROS 2012. The models of the paper
were not published: ours are of the same kind, with as many dofs and contacts (`paper_models`). The paper used other
processors (two Intel X5860 with 3.33 GHz and six cores each), so figures are compared as evaluations per second of one
thread.

python -m benchmarks.paper [--threads 1 2] [--turns 10] [--json FILE]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import conjoint
from benchmarks import paper_models
from benchmarks.report import write_report
from conjoint.batch.batch import Batch, worlds_of
from conjoint.physics.dynamics.bias import rne
from conjoint.physics.dynamics.velocity import com_vel
from conjoint.runtime.position_stages import COM_POS, FACTOR_M, KINEMATICS, MAKE_M
from conjoint.runtime.stage import Stage, needed, present
from conjoint.runtime.stages import ACCELERATION
from conjoint.solver.paper.complementarity import AGAIN

FIGURE_1 = {0.1: (3.8, 4.8, 6.5), 0.5: (2.6, 5.3, 7.5), 1.0: (2.8, 4.9, 10.2), 2.0: (2.9, 4.6, 16.2)}
"""Mean iterations in the paper with 7, 16 and 27 contacts, by friction coefficient."""

CONTACTS = ((7, 6, 8), (16, 14, 18), (27, 24, 30))
"""Contact counts in the paper, each with the smallest and the largest of our contact counts compared with it."""

TABLE_1 = {"isolated": (151, 133), "chain": (103, 41), "hand": (101, 76), "humanoid": (123, 75)}
"""Thousand evaluations per second in the paper, by model.

The first number is for inertia, bias forces, kinematics and Jacobians; the second one adds a factorization and a
solution.
"""

TABLE_3 = {6: (42, 32.5), 4: (63, 45.75), 0: (200, 110)}
"""Thousand evaluations per second in the paper, by number of contacts.

The first number is for a single thread, the second one for each of twelve cores.
"""

STEPS = 30
CLOUDS = {"linear": 3150, "quadratic": 42930}
"""Numbers of states in the clouds of Table 2, which surround the 30 states of a trajectory."""

SMOOTH = (*KINEMATICS, *COM_POS, *MAKE_M, Stage("mj_comVel", com_vel), Stage("mj_rne", rne))
"""Stages for forward kinematics, motion axes of all dofs (the Jacobians), inertia matrix and bias forces."""

SOLVED = (*SMOOTH, *FACTOR_M, *ACCELERATION)
"""Stages of `SMOOTH`, followed by those for the sparse factorization and the accelerations due to smooth forces."""


def fastest(
    run: Callable[[], Any], turns: int, clock: Callable[[], float], prepare: Callable[[], Any] = lambda: None
) -> float:
    """Return the time in seconds of the fastest of `turns` runs; a first run and the preparations do not count."""
    prepare()
    run()
    best = float("inf")
    for _ in range(turns):
        prepare()
        start = clock()
        run()
        best = min(best, clock() - start)
    return best


def only(batch: Batch, name: str, stages: tuple[Stage, ...]) -> Callable[[], None]:
    """Return a function that runs only these stages, on all worlds of a batch."""
    worlds = worlds_of(batch)
    worlds.functions[name] = worlds.work.pipelines(needed(stages, present(worlds.plan.model)))
    return lambda: worlds.run(name)


def clock_of(threads: int) -> Callable[[], float]:
    """Return the clock for a number of threads: CPU time for one thread, wall-clock time for several."""
    return time.process_time if threads == 1 else time.perf_counter


def table_1(turns: int, threads: list[int]) -> list[dict[str, Any]]:
    """Measure the smooth dynamics of 512 worlds in different states; return the rows of Table 1."""
    rows = []
    for name, (plain, solved) in TABLE_1.items():
        model = conjoint.MjModel.from_xml_string(getattr(paper_models, name)())
        for precision in ("float64", "float32"):
            for count in threads:
                batch: Any = Batch(model, 512, precision=precision, nthread=count)
                batch.qvel = np.random.default_rng(0).normal(size=(512, model.nv))
                row = {"model": f"{name} ({model.nv})", "precision": precision, "threads": count}
                for column, stages, theirs in (("smooth", SMOOTH, plain), ("with M\\tau", SOLVED, solved)):
                    rate = 512 / fastest(only(batch, column, stages), turns, clock_of(count)) / 1e3
                    row |= {column: rate, f"{column}, paper": theirs, f"{column}, times": rate / theirs}
                rows.append(row)
    return rows


def stance(model: Any, contacts: int) -> np.ndarray:
    """Return a configuration of the walker by its number of contacts: on its feet, on its toes, or in the air."""
    data = conjoint.MjData(model)
    if contacts == 0:
        data.qpos[2] += 0.5
    elif contacts == 4:
        # keep the toes in place, and lift the heels
        pitches = [i for i in range(model.njnt) if model.jnt_axis[i, 1] == 1.0 and model.jnt_type[i] == 3]
        data.qpos[model.jnt_qposadr[pitches[2::3]]] += 0.05
        data.qpos[2] += 0.12 * np.sin(0.05) + 0.02 * (np.cos(0.05) - 1.0)
    conjoint.mj_forward(model, data)
    assert data.ncon == contacts, (data.ncon, contacts)
    return data.qpos.copy()


def nominal(model: Any, qpos: np.ndarray) -> np.ndarray:
    """Return the acceleration at the center of a cloud, which is the solver's initial guess in the whole cloud."""
    data = conjoint.MjData(model)
    data.qpos[:] = qpos
    conjoint.mj_forward(model, data)
    return data.qacc.copy()


def cloud(model: Any, qpos: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the positions, velocities and accelerations of a cloud, which varies the states of a 30-state trajectory.

    A state has 54 numbers. A state of the cloud changes one of them (linear) or two of them (quadratic).
    """
    nv, around = model.nv, CLOUDS[kind] // STEPS
    pairs = [(i, i) for i in range(3 * nv) for _ in (0, 1)] if kind == "linear" else []
    pairs = pairs or [(i, j) for i in range(3 * nv) for j in range(i)]
    positions, others = np.zeros((around, model.nq)), np.zeros((around, 2 * nv))
    for k, (i, j) in enumerate(pairs[:around]):
        change = np.zeros(3 * nv)
        change[[i, j]] = 1e-5 * (-1.0 if kind == "linear" and k % 2 else 1.0)
        positions[k] = qpos
        conjoint.mj_integratePos(model, positions[k], np.ascontiguousarray(change[:nv]), 1.0)
        others[k] = change[nv:]
    whole = np.tile(others, (STEPS, 1))
    return np.tile(positions, (STEPS, 1)), whole[:, :nv], whole[:, nv:]


def tables_2_and_3(turns: int, threads: list[int]) -> list[dict[str, Any]]:
    """Measure inverse and forward dynamics of whole clouds; return the rows of Tables 2 and 3."""
    rows = []
    model = conjoint.MjModel.from_xml_string(paper_models.walker())
    for contacts, (alone, core) in TABLE_3.items():
        qpos = stance(model, contacts)
        for kind, states in CLOUDS.items():
            positions, velocities, accelerations = cloud(model, qpos, kind)
            for precision in ("float64", "float32"):
                for count in threads:
                    batch: Any = Batch(model, states, precision=precision, nthread=count, keep=["ncon"])
                    batch.qpos, batch.qvel = positions, velocities
                    start = nominal(model, qpos)

                    def begin(batch: Any = batch, start: np.ndarray = start) -> None:
                        batch.qacc_warmstart = start

                    row = {"contacts": contacts, "cloud": kind, "states": states, "precision": precision}
                    row |= {"threads": count, "paper": alone}
                    for column, run in (
                        ("inverse", lambda batch=batch, qacc=accelerations: batch.inverse(qacc)),
                        ("forward", batch.forward),
                    ):
                        seconds = fastest(run, turns if kind == "linear" else 5, clock_of(count), begin)
                        row |= {f"{column} s": seconds, column: states / seconds / 1e3}
                        row[f"{column}, times"] = row[column] / alone
                        row[f"{column}, times per core"] = row[column] / count / core
                    row["ncon"] = float(np.mean(batch.ncon))
                    rows.append(row)
    return rows


def single_worlds(turns: int) -> list[dict[str, Any]]:
    """Measure inverse and forward dynamics of one world, called from Python for each state; return the rows."""
    rows = []
    model = conjoint.MjModel.from_xml_string(paper_models.walker())
    for contacts, (alone, _) in TABLE_3.items():
        positions, velocities, accelerations = cloud(model, stance(model, contacts), "linear")
        data = conjoint.MjData(model)

        def run(function: Any, data: Any = data, states: Any = (positions, velocities, accelerations)) -> None:
            for data.qpos[:], data.qvel[:], data.qacc[:] in zip(*states, strict=True):
                function(model, data)

        row = {"contacts": contacts, "paper": alone}
        for function in (conjoint.mj_inverse, conjoint.mj_forward):
            seconds = fastest(lambda f=function: run(f), min(turns, 3), time.process_time)
            row |= {function.__name__: len(positions) / seconds / 1e3}
            row[f"{function.__name__}, times"] = row[function.__name__] / alone
        rows.append(row)
    return rows


def figure_1(steps: int = 400) -> list[dict[str, Any]]:
    """Return rows with the mean iterations of the complementarity solver, by friction and number of contacts.

    The solver first searches for forces that let penetrations decay. If it finds none, it searches for forces that
    leave penetrations unchanged. The rows also count how often only the second search succeeded, and how often both
    failed.
    """
    rows = []
    for friction, paper in FIGURE_1.items():
        met = []
        for count in (4, 6, 8, 10, 12):
            model = conjoint.MjModel.from_xml_string(paper_models.balls(count, friction))
            data = conjoint.MjData(model)
            data.qvel[:] = 2.0 * np.random.default_rng(count).normal(size=model.nv)
            for _ in range(steps):
                conjoint.mj_step(model, data)
                met.append((data.ncon, int(data.solver_niter[0])))
        contacts, iterations = np.array(met).T
        row: dict[str, Any] = {"friction": friction}
        for (named, low, high), theirs in zip(CONTACTS, paper, strict=True):
            chosen = iterations[(contacts >= low) & (contacts <= high)]
            allowed = (AGAIN + 1) * model.opt.iterations
            found, nothing = chosen < allowed, chosen >= 2 * allowed
            row |= {f"{named} contacts": float(chosen[found].mean()), f"paper {named}": theirs}
            row |= {f"problems {named}": len(chosen), f"overlaps left {named}": int(np.sum(~found & ~nothing))}
            row |= {f"nothing found {named}": int(nothing.sum())}
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    for title, rows in (
        ("Figure 1: iterations of the complementarity solver", figure_1()),
        ("Table 1: thousand evaluations per second", table_1(arguments.turns, arguments.threads)),
        ("Tables 2 and 3: thousand evaluations per second", tables_2_and_3(arguments.turns, arguments.threads)),
        ("Tables 2 and 3, one world from Python", single_worlds(arguments.turns)),
    ):
        write_report(title, rows, list(rows[0]), arguments.json)


if __name__ == "__main__":
    main()
