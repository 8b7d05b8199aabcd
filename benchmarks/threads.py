"""Large scenes of one world, stepped on one and on several threads, measured alternately with MuJoCo.

python -m benchmarks.threads [--threads 2 3] [--segments 9] [--json out/threads.jsonl]

Times are wall-clock times, so the processors should be idle. If they are not, and the system permits it, `--realtime`
prevents other programs from interrupting a timed segment.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report
from benchmarks.scale import SCENES, Engine

COUNTS = {"humanoids": (1, 10, 22, 100), "bodies": (10, 200, 2000)}
"""Numbers of humanoids or bodies, by scene."""


def measure(scene: str, count: int, threads: list[int], segments: int, realtime: bool) -> list[dict[str, Any]]:
    """Return a row of the report for each engine and number of threads."""
    xml = SCENES[scene][0](count)
    clock = time.perf_counter
    engines = {("mujoco", 1): Engine(mujoco, xml, clock)}
    for nthread in (1, *threads):
        engine = engines["conjoint", nthread] = Engine(conjoint, xml, clock)
        engine.data.nthread = nthread
    model = engines["mujoco", 1].model
    start, generator = mujoco.MjData(model), np.random.default_rng(0)
    for _ in range(150):
        start.ctrl[:] = generator.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, start)
    controls = generator.uniform(-1, 1, (max(20, 1000 // count), model.nu))
    for segment in range(segments + 1):
        order = list(engines.values())
        for engine in order if segment % 2 else reversed(order):
            if realtime:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            engine.run(start, controls)
            if realtime:
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            if segment == 0:
                engine.seconds.clear()
    last = engines["conjoint", 1].data.qpos
    assert all(np.array_equal(e.data.qpos, last) for (name, _), e in engines.items() if name == "conjoint")
    alone, official = engines["conjoint", 1].seconds, engines["mujoco", 1].seconds
    return [
        {
            "benchmark": "threads", "scene": scene, "count": count, "engine": name, "threads": nthread,
            "us/step": 1e6 * min(engine.seconds),
            "to one thread": median(a / b for a, b in zip(alone, engine.seconds, strict=True)),
            "to official": median(a / b for a, b in zip(official, engine.seconds, strict=True)),
            "ncon": engine.data.ncon, "nefc": engine.data.nefc,
        }
        for (name, nthread), engine in engines.items()
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--scene", choices=COUNTS, action="append")
    parser.add_argument("--counts", type=int, nargs="+")
    parser.add_argument("--segments", type=int, default=9)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [
        row
        for scene in options.scene or COUNTS
        for count in options.counts or COUNTS[scene]
        for row in measure(scene, count, options.threads, options.segments, options.realtime)
    ]
    columns = ["scene", "count", "engine", "threads", "us/step", "to one thread", "to official", "ncon", "nefc"]
    write_report("threads in one world (time: best segment; ratios: median)", rows, columns, options.json)


if __name__ == "__main__":
    main()
