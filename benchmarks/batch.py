"""Speed of `Batch` and `mujoco.rollout` for many worlds, run alternately from the same states with the same controls.

python -m benchmarks.batch [--model models/humanoid.xml] [--worlds 256] [--steps 100] [--threads 1 2] [--json FILE]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import mujoco
import mujoco.rollout
import numpy as np

import conjoint
from benchmarks.report import write_report
from benchmarks.workload import Workload, make_workload
from conjoint.batch import Batch


class Contender(Protocol):
    """An engine in one configuration."""

    engine: str
    precision: str
    threads: int

    def run(self, work: Workload) -> float:
        """Run all steps of all worlds; return the time (s), which excludes setting the states if the engine permits."""

    def counts(self) -> dict[str, float]:
        """Return the mean numbers of contacts, constraint rows and solver iterations at the end of a run."""


class OfficialRollout:
    """MuJoCo's `mujoco.rollout`, with threads and output arrays that persist between runs."""

    engine, precision = "mujoco", "float64"

    def __init__(self, path: str, work: Workload, threads: int, clock: Callable[[], float] = time.perf_counter):
        self.threads, self.clock = threads, clock
        self.model = mujoco.MjModel.from_xml_path(path)
        self.datas = [mujoco.MjData(self.model) for _ in range(threads)]
        nworld, nstep = work.ctrl.shape[:2]
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.state = np.zeros((nworld, mujoco.mj_stateSize(self.model, kind)))
        for row, qpos, qvel, act in zip(self.state, work.qpos, work.qvel, work.act, strict=True):
            data = self.datas[0]
            mujoco.mj_resetData(self.model, data)
            data.qpos[:], data.qvel[:], data.act[:] = qpos, qvel, act
            mujoco.mj_getState(self.model, data, row, kind)
        self.outputs = np.zeros((nworld, nstep, self.state.shape[1])), np.zeros((nworld, nstep, self.model.nsensordata))
        # a count of one starts no thread: the caller does the work
        self.rollout = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)
        self.facts = work.facts

    def run(self, work: Workload) -> float:
        start = self.clock()
        self.rollout.rollout(
            self.model,
            self.datas,
            self.state,
            work.ctrl,
            state=self.outputs[0],
            sensordata=self.outputs[1],
            skip_checks=False,
        )
        return self.clock() - start

    def counts(self) -> dict[str, float]:
        return self.facts


class ConjointBatch:
    """Conjoint's `Batch`, whose controls are set before every step."""

    engine = "conjoint"

    def __init__(
        self,
        path: str,
        work: Workload,
        threads: int,
        precision: str,
        clock: Callable[[], float] = time.perf_counter,
        device: object = "cpu",
    ):
        self.threads, self.precision, self.clock = threads, precision, clock
        self.model = conjoint.MjModel.from_xml_path(path)
        self.batch = Batch(self.model, work.ctrl.shape[0], precision=precision, nthread=threads, device=device)
        # steps first, so that a step reads rows that lie together
        self.ctrl = np.ascontiguousarray(work.ctrl.transpose(1, 0, 2))

    def run(self, work: Workload) -> float:
        batch: Any = self.batch
        batch.reset()
        batch.qpos, batch.qvel = work.qpos, work.qvel
        if self.model.na:
            batch.act = work.act
        start = self.clock()
        for ctrl in self.ctrl:
            batch.ctrl = ctrl
            batch.step(1)
        return self.clock() - start

    def counts(self) -> dict[str, float]:
        batch: Any = self.batch
        # all constraints are solved as one island
        iterations = batch.solver_niter[:, 0]
        means = {"ncon": batch.ncon, "nefc": batch.nefc, "iterations": iterations}
        return {name: float(np.mean(values)) for name, values in means.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, min(2, os.cpu_count() or 1)}))
    parser.add_argument("--precision", nargs="+", default=["float64", "float32"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    work = make_workload(options.model, options.worlds, options.steps, options.seed)
    contenders: list[Contender] = []
    for threads in options.threads:
        contenders.append(OfficialRollout(options.model, work, threads))
        contenders.extend(ConjointBatch(options.model, work, threads, precision) for precision in options.precision)
    seconds: list[list[float]] = [[] for _ in contenders]
    for contender in contenders:
        # compile, and start threads
        contender.run(work)
    for _ in range(options.rounds):
        for times, contender in zip(seconds, contenders, strict=True):
            times.append(contender.run(work))

    rows = [describe(options, contenders, seconds, k) for k in range(len(contenders))]
    columns = [
        "engine",
        "precision",
        "threads",
        "us/step",
        "us/step best",
        "ratio",
        "threads gain",
        "ncon",
        "nefc",
        "iterations",
    ]
    title = f"{options.worlds} worlds x {options.steps} steps, {Path(options.model).name} (us per world and step)"
    write_report(title, rows, columns, options.json)


def describe(
    options: argparse.Namespace, contenders: list[Contender], seconds: list[list[float]], k: int
) -> dict[str, Any]:
    """Return the report row of one contender; `ratio` is its speed relative to the rollout with as many threads."""
    me = contenders[k]
    steps = options.worlds * options.steps
    rollout = next(i for i, c in enumerate(contenders) if c.engine == "mujoco" and c.threads == me.threads)
    single = next(i for i, c in enumerate(contenders) if (c.engine, c.precision) == (me.engine, me.precision))
    return {
        "benchmark": "batch", "model": options.model, "controls": "random, new at every step", "seed": options.seed,
        "engine": me.engine, "precision": me.precision, "threads": me.threads,
        "worlds": options.worlds, "steps": options.steps, "rounds": options.rounds,
        "us/step": 1e6 * median(seconds[k]) / steps,
        "us/step best": 1e6 * min(seconds[k]) / steps,
        "ratio": median(a / b for a, b in zip(seconds[rollout], seconds[k], strict=True)),
        "threads gain": median(a / b for a, b in zip(seconds[single], seconds[k], strict=True)),
        **me.counts(),
    }  # fmt: skip


if __name__ == "__main__":
    main()
