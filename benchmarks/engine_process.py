"""One engine in a separate process, which runs segments of a workload on request and reports their durations.

`benchmarks.versions` starts it with the interpreter of each environment; it needs only NumPy and the engine. Its
arguments are the package, the model, and the file of the workload. Each input line contains the name of a method and
the number of a segment; each output line is JSON.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np


class Engine:
    """A package with a model, one world, and many worlds on one thread.

    Attributes:
        ways: functions that run a segment and return its duration (s), by method (`mj_step`, a batch, or `rollout`).
    """

    def __init__(self, name: str, path: str, work: Any):
        self.package, self.work = import_module(name), work
        self.model = self.package.MjModel.from_xml_path(path)
        self.data = self.package.MjData(self.model)
        self.ways = {"mj_step": self.one_world}
        self.nworld = int(work["nworld"])
        full = self.package.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.zeros((len(work["qpos"]), self.package.mj_stateSize(self.model, full)))
        for segment, row in enumerate(self.start):
            self.set_state(segment)
            self.package.mj_getState(self.model, self.data, row, full)
        batches = import_module("conjoint.batch") if name == "conjoint" else self.official_batch()
        if name == "conjoint":
            for precision in ("float64", "float32"):
                batch = batches.Batch(self.model, self.nworld, precision=precision, nthread=1)
                self.ways[precision] = functools.partial(self.our_batch, batch)
        elif batches is not None:
            self.batch = batches.Batch(self.model, nsim=self.nworld, nthread=1)
            self.ways["batch"] = self.their_batch
        if name != "conjoint":
            self.rollout = import_module(f"{name}.rollout").Rollout(nthread=0)
            self.ways["rollout"] = self.rolled_out

    def official_batch(self) -> Any:
        """Return MuJoCo's module `batch`, or None for versions before 4.0, which lack it."""
        try:
            return import_module(f"{self.package.__name__}.batch")
        except ImportError:
            return None

    def set_state(self, segment: int) -> None:
        """Set the world to the start state of a segment."""
        self.package.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.work["qpos"][segment], self.work["qvel"][segment]
        if self.model.na:
            self.data.act[:] = self.work["act"][segment]

    def controls(self, segment: int) -> np.ndarray:
        """Return the controls of all worlds, shape (nworld, nstep, nu).

        World k has the controls of the k-th segment from this one, cyclically.
        """
        order = (segment + np.arange(self.nworld)) % len(self.work["ctrl"])
        return np.ascontiguousarray(self.work["ctrl"][order])

    def one_world(self, segment: int) -> float:
        """Return the time in seconds of a segment with `mj_step`, with new controls at every step."""
        self.set_state(segment)
        ctrl, step, model, data = self.data.ctrl, self.package.mj_step, self.model, self.data
        begin = time.perf_counter()
        for row in self.work["ctrl"][segment]:
            ctrl[:] = row
            step(model, data)
        return time.perf_counter() - begin

    def our_batch(self, batch: Any, segment: int) -> float:
        """Return the time in seconds of a segment in which `conjoint.Batch` is called once for each step."""
        batch.reset()
        batch.qpos[:], batch.qvel[:] = self.work["qpos"][segment], self.work["qvel"][segment]
        if self.model.na:
            batch.act[:] = self.work["act"][segment]
        controls = self.controls(segment)
        begin = time.perf_counter()
        for k in range(controls.shape[1]):
            batch.ctrl[:] = controls[:, k]
            batch.step()
        return time.perf_counter() - begin

    def their_batch(self, segment: int) -> float:
        """Return the time in seconds of a segment in which MuJoCo's batch is called once for each step."""
        batch = self.batch
        batch.reset(stage=self.package.mjtStage.mjSTAGE_NONE)
        batch.bind("qpos")[:], batch.bind("qvel")[:] = self.work["qpos"][segment], self.work["qvel"][segment]
        if self.model.na:
            batch.bind("act")[:] = self.work["act"][segment]
        controls, ctrl = self.controls(segment), batch.bind("ctrl")
        begin = time.perf_counter()
        for k in range(controls.shape[1]):
            ctrl[:] = controls[:, k]
            batch.step()
        return time.perf_counter() - begin

    def rolled_out(self, segment: int) -> float:
        """Return the time in seconds of a segment with a single call to MuJoCo's `rollout`."""
        states, controls = np.tile(self.start[segment], (self.nworld, 1)), self.controls(segment)
        begin = time.perf_counter()
        self.rollout.rollout([self.model] * self.nworld, [self.data], states, controls)
        return time.perf_counter() - begin

    def counts(self) -> list[int]:
        """Return the numbers of contacts, constraint rows and solver iterations of the world's last step."""
        return [int(self.data.ncon), int(self.data.nefc), int(self.data.solver_niter[0])]


def main() -> None:
    name, path, file = sys.argv[1:]
    with np.load(Path(file)) as work:
        engine = Engine(name, path, dict(work))
    if hasattr(os, "sched_setaffinity"):
        # run on a single processor
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps({"ways": list(engine.ways), "version": engine.package.__version__}), flush=True)
    for line in sys.stdin:
        way, segment = line.split()
        seconds = engine.ways[way](int(segment))
        print(json.dumps({"seconds": seconds, "counts": engine.counts()}), flush=True)


if __name__ == "__main__":
    main()
