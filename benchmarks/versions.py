"""Conjoint and several versions of MuJoCo, each in a separate environment, run alternately.

python -m benchmarks.versions --python 4.0.0=/path/to/an/environment/bin/python [--model models/humanoid.xml ...]
    [--worlds 256] [--segments 12] [--steps 50] [--json out/versions.jsonl]

The environment that runs this program has MuJoCo 3.3.5. All engines use one thread, float64 unless stated otherwise,
the same start states, and the same controls, new at every step. A ratio is the median over the segments. For one world
it compares with `mj_step` of 3.3.5, for many worlds with its `rollout`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import write_report
from benchmarks.workload import make_workload

PROGRAM = Path(__file__).with_name("engine_process.py")
REFERENCE = "3.3.5"


class EngineProcess:
    """An engine that runs in another process.

    Attributes:
        ways: names of the methods that it can run (`mj_step`, a batch, or `rollout`).
        seconds: durations of the segments so far (s), by method.
        counts: contacts, constraint rows and iterations after each segment of one world.
    """

    def __init__(self, python: str, package: str, model: str, work: Path):
        self.process = subprocess.Popen(
            [python, str(PROGRAM), package, model, str(work)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.python = python
        reported = self.answer()
        self.ways, self.version = list(reported["ways"]), str(reported["version"])
        self.seconds: dict[str, list[float]] = {way: [] for way in self.ways}
        self.counts: list[list[int]] = []

    def answer(self) -> Any:
        """Return the next line that the process prints, parsed as JSON.

        Raises:
            SystemExit: the process ended.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.python} ended with {self.process.wait()}")
        return json.loads(line)

    def run(self, way: str, segment: int, counted: bool = True) -> None:
        """Run a segment, and record its duration if it is `counted`."""
        assert self.process.stdin is not None
        print(way, segment, file=self.process.stdin, flush=True)
        reported = self.answer()
        if counted:
            self.seconds[way].append(reported["seconds"])
            if way == "mj_step":
                self.counts.append(reported["counts"])


def measured(model: str, pythons: dict[str, str], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the rows of the report for one model."""
    work = make_workload(model, options.segments, options.steps)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "work.npz"
        np.savez(file, qpos=work.qpos, qvel=work.qvel, act=work.act, ctrl=work.ctrl, nworld=options.worlds)
        ours = EngineProcess(sys.executable, "conjoint", model, file)
        engines = [ours, *(EngineProcess(python, "mujoco", model, file) for python in pythons.values())]
        turns = [(engine, way) for engine in engines for way in engine.ways]
        for engine, way in turns:
            # the first segment compiles and lets the processor reach full speed
            engine.run(way, 0, counted=False)
        for segment in range(options.segments):
            for engine, way in turns if segment % 2 else reversed(turns):
                engine.run(way, segment)
        for engine in engines:
            engine.process.communicate()
    reference = engines[1]
    rows = []
    for engine, way in turns:
        worlds = 1 if way == "mj_step" else options.worlds
        base = reference.seconds["mj_step" if worlds == 1 else "rollout"]
        ncon, nefc, iterations = np.mean(engine.counts, axis=0).tolist()
        rows.append({
            "benchmark": "versions", "model": Path(model).name, "controls": "random, new at every step",
            "engine": "conjoint" if engine is ours else f"mujoco {engine.version}",
            "way": f"Batch {way}" if way.startswith("float") else way,
            "precision": way if way.startswith("float") else "float64", "threads": 1, "worlds": worlds,
            "steps": options.segments * options.steps,
            "us/step": 1e6 * sum(engine.seconds[way]) / (options.segments * options.steps * worlds),
            "ratio": median(a / b for a, b in zip(base, engine.seconds[way], strict=True)),
            "ncon": ncon, "nefc": nefc, "iterations": iterations,
        })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], metavar="VERSION=PATH")
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--segments", type=int, default=12)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    pythons = {REFERENCE: sys.executable} | dict(pair.split("=", 1) for pair in options.python)
    columns = ["engine", "way", "worlds", "us/step", "ratio", "ncon", "nefc", "iterations"]
    for model in options.model or ["models/humanoid.xml"]:
        title = f"one thread, {Path(model).name} (ratio: times as fast as mujoco {REFERENCE})"
        write_report(title, measured(model, pythons, options), columns, options.json)


if __name__ == "__main__":
    main()
