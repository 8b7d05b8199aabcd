"""Time of `mj_step` in one world: both engines run alternately, from the same states under the same random controls.

python -m benchmarks.step [--model models/humanoid.xml] [--segments 60] [--steps 100] [--clock cpu]
    [--json out/step.jsonl]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report
from benchmarks.scale import CLOCKS
from benchmarks.workload import Workload, make_workload


class Engine:
    """An engine with a model and one world."""

    def __init__(self, package: ModuleType, path: str, clock: Callable[[], float]):
        self.package, self.clock = package, clock
        self.model = package.MjModel.from_xml_path(path)
        self.data = package.MjData(self.model)
        self.seconds: list[float] = []
        self.counts: list[tuple[int, int, int]] = []

    def run(self, work: Workload, segment: int) -> float:
        """Return the duration of a segment in seconds, without the time to set its start state."""
        model, data, step = self.model, self.data, self.package.mj_step
        self.package.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = work.qpos[segment], work.qvel[segment]
        if model.na:
            data.act[:] = work.act[segment]
        ctrl = data.ctrl
        start = self.clock()
        for row in work.ctrl[segment]:
            ctrl[:] = row
            step(model, data)
        seconds = self.clock() - start
        self.counts.append((int(data.ncon), int(data.nefc), int(data.solver_niter[0])))
        return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--segments", type=int, default=60)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    work = make_workload(options.model, options.segments, options.steps, options.seed)
    clock = CLOCKS[options.clock]
    engines = {"mujoco": Engine(mujoco, options.model, clock), "conjoint": Engine(conjoint, options.model, clock)}
    for engine in engines.values():
        # the first run compiles and lets the processor reach full speed
        engine.run(work, 0)
        engine.counts.clear()
    for segment in range(options.segments):
        # the order of the engines alternates, so that both run under the same conditions
        order = list(engines.values())
        for engine in order if segment % 2 else reversed(order):
            engine.seconds.append(engine.run(work, segment))

    official = engines["mujoco"].seconds
    rows = []
    for name, engine in engines.items():
        ncon, nefc, iterations = np.mean(engine.counts, axis=0).tolist()
        rows.append({
            "benchmark": "step", "model": options.model, "controls": "random, new at every step", "seed": options.seed,
            "engine": name, "precision": "float64", "threads": 1, "worlds": 1,
            "steps": options.segments * options.steps,
            "us/step": 1e6 * sum(engine.seconds) / (options.segments * options.steps),
            "us/step best": 1e6 * min(engine.seconds) / options.steps,
            "ratio": median(a / b for a, b in zip(official, engine.seconds, strict=True)),
            "ncon": ncon, "nefc": nefc, "iterations": iterations,
        })  # fmt: skip
    columns = ["engine", "us/step", "us/step best", "ratio", "ncon", "nefc", "iterations"]
    write_report(
        f"mj_step of one world, {Path(options.model).name} (ratio: times as fast as the official engine)",
        rows,
        columns,
        options.json,
    )


if __name__ == "__main__":
    main()
