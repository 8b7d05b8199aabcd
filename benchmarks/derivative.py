"""Exact derivatives of a step (`mjd_transition`), compared with centered differences of both engines.

python -m benchmarks.derivative [--models models/humanoid.xml ...] [--list FILE --root FOLDER] [--steps 100]
    [--most-nv 100] [--sensors] [--stages] [--json FILE]

Derivatives are taken with respect to state and controls: matrices A and B, and with `--sensors` also C and D. They are
computed in float64, for one world on one thread, from the state after some steps. The three methods run alternately in
one process. The time of a method is that of its fastest call, and ratios are ratios of these times. A step called from
Python is timed, too. Models with the Runge-Kutta integrator, which `mjd_transitionFD` does not support, use Euler's.
With `--stages`, the time of each kernel in each derivative pass is shown instead.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.derivative import mjd_transition
from conjoint.derivative.worlds import pipeline_of
from conjoint.lang.calls.driver import Run, table_of

CALLS, ROUNDS = 10, 25
"""Number of calls per round (the fastest one counts), and number of rounds."""

REPEATED = 2000
"""Number of passes in which each kernel is timed."""


def at_work(package: ModuleType, path: str, steps: int) -> tuple[Any, Any]:
    """Return a model and its data after some steps."""
    m = package.MjModel.from_xml_path(path)
    if m.opt.integrator == package.mjtIntegrator.mjINT_RK4:
        m.opt.integrator = package.mjtIntegrator.mjINT_EULER
    d = package.MjData(m)
    for _ in range(steps):
        package.mj_step(m, d)
    return m, d


def matrices(m: Any, sensors: bool) -> list[np.ndarray | None]:
    """Return A, B, C and D; C and D are None without sensors."""
    nx, ns = 2 * m.nv + m.na, m.nsensordata if sensors else -1
    shapes = (nx, nx), (nx, m.nu), (ns, nx), (ns, m.nu)
    return [np.zeros(shape) if shape[0] >= 0 else None for shape in shapes]


def differences(package: ModuleType, path: str, steps: int, sensors: bool) -> Callable[[], Any]:
    """Return a function that computes the derivatives of a model's step by finite differences."""
    m, d = at_work(package, path, steps)
    found = matrices(m, sensors)
    return lambda: package.mjd_transitionFD(m, d, 1e-6, 1, *found)


def quickest(call: Callable[[], Any]) -> float:
    """Return the time in microseconds of the fastest of several calls."""
    times = []
    for _ in range(CALLS):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return min(times) / 1000


def compared(path: str, steps: int, sensors: bool) -> dict[str, Any]:
    """Return a row of the report for one model: exact derivatives, and differences of both engines."""
    m, d = at_work(conjoint, path, steps)
    found = matrices(m, sensors)
    other, world = at_work(conjoint, path, steps)
    qpos, qvel, act, warmstart = (getattr(world, x).copy() for x in ("qpos", "qvel", "act", "qacc_warmstart"))

    def step() -> None:
        world.qpos[:], world.qvel[:], world.act[:], world.qacc_warmstart[:] = qpos, qvel, act, warmstart
        conjoint.mj_step(other, world)

    calls = (
        lambda: mjd_transition(m, d, *found),
        differences(conjoint, path, steps, sensors),
        differences(mujoco, path, steps, sensors),
        step,
    )
    for call in calls:
        # the first call compiles
        call()
    times = [[quickest(call) for call in calls] for _ in range(ROUNDS)]
    exact, ours, official, one = (min(column) for column in zip(*times, strict=True))
    return {
        "benchmark": "derivative", "model": Path(path).stem, "nv": m.nv, "na": m.na, "nu": m.nu,
        "ncon": d.ncon, "nefc": d.nefc, "steps before": steps, "sensors": sensors, "precision": "float64",
        "threads": 1, "worlds": 1, "clock": "wall, quickest call", "exact us": exact,
        "differences us": ours, "official us": official, "step us": one,
        "ratio": ours / exact, "official ratio": official / exact, "steps": exact / one,
    }  # fmt: skip


def stages(path: str, steps: int, sensors: bool) -> list[dict[str, Any]]:
    """Return report rows with the shortest time of each kernel in each derivative pass, without the call overhead."""
    m, d = at_work(conjoint, path, steps)
    mjd_transition(m, d, *matrices(m, sensors))
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    memory = pipeline.model.address, pipeline.world.address
    nothing = Run(table_of([], []), *memory)
    least = min(nanoseconds(nothing) for _ in range(1000))
    rows = []
    outputs = ("qpos", "qvel", "act", "sensordata")[: 4 if sensors else 3]
    for group in pipeline.groups(outputs, ("qpos", "qvel", "act", "ctrl")):
        addresses = group.run.table[: len(group.kernels), 0].tolist()
        runs = [Run(table_of([address], [1]), *memory) for address in addresses]
        times = []
        for _ in range(REPEATED):
            pipeline.restore()
            times.append([nanoseconds(run) for run in runs])
        columns = [(min(column) - least) / 1000 for column in zip(*times, strict=True)]
        names = [*(kernel.__name__ for kernel in group.kernels), "the whole pass"]
        rows += [
            {"benchmark": "derivative stages", "model": Path(path).stem, "kernel": name, "us": us,
             "inputs": " ".join(place.name for place in group.inputs)}
            for name, us in zip(names, [*columns, sum(columns)], strict=True)
        ]  # fmt: skip
    return rows


def nanoseconds(run: Run) -> int:
    """Return the duration of a run in nanoseconds."""
    start = time.perf_counter_ns()
    answer = run.go(1)
    end = time.perf_counter_ns()
    if answer:
        raise RuntimeError(f"a stage answered {answer}")
    return end - start


def mean(ratios: list[float]) -> float:
    """Return the geometric mean of ratios."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=[])
    parser.add_argument("--list", type=Path, help="a file of paths, one a line, relative to --root")
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--most-nv", type=int, default=100, help="larger models are left out")
    parser.add_argument("--sensors", action="store_true")
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    paths = list(options.models)
    if options.list:
        lines = [line.strip() for line in options.list.read_text().splitlines()]
        paths += [str(options.root / line) for line in lines if line and line[0] != "#"]
    paths = paths or sorted(map(str, Path("models").glob("*.xml")))
    rows: list[dict[str, Any]] = []
    for path in paths:
        if mujoco.MjModel.from_xml_path(path).nv > options.most_nv:
            continue
        if options.stages:
            rows += stages(path, options.steps, options.sensors)
        else:
            rows.append(compared(path, options.steps, options.sensors))
    title = "mjd_transition, microseconds"
    if not options.stages:
        ratios = [mean([row[name] for row in rows]) for name in ("ratio", "official ratio")]
        title += f" (geometric means: {ratios[0]:.2f} times ours, {ratios[1]:.2f} times the official differences)"
    shown = [
        "model",
        "nv",
        "nu",
        "nefc",
        "exact us",
        "differences us",
        "official us",
        "ratio",
        "official ratio",
        "steps",
    ]
    write_report(title, rows, ["inputs", "kernel", "us"] if options.stages else shown, options.json)


if __name__ == "__main__":
    main()
