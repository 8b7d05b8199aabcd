"""Comparison of `Batch` with `mujoco.rollout` for many models, each on one thread, with geometric means of the ratios.

Worlds start from the initial state, with random controls that are the same for both. Rollouts and batches run
alternately, and times are CPU times.

python -m benchmarks.fleet MODEL.xml ... [--list FILE --folder FOLDER] [--worlds 256] [--steps 50]
    [--json FILE]
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from statistics import median
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.batch import Batch

BIG = 60
"""Smallest number of dofs for which a model gets only a quarter of the worlds and two fifths of the steps."""


class Model:
    """A model with worlds in its initial state, and their controls."""

    def __init__(self, path: Path, nworld: int, nstep: int):
        self.official = mujoco.MjModel.from_xml_path(str(path))
        self.model = conjoint.MjModel.from_xml_path(str(path))
        if self.official.nv >= BIG:
            nworld, nstep = max(1, nworld // 4), max(1, 2 * nstep // 5)
        self.nworld, self.nstep = nworld, nstep
        self.data = mujoco.MjData(self.official)
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.state = np.zeros((nworld, mujoco.mj_stateSize(self.official, kind)))
        mujoco.mj_getState(self.official, self.data, self.state[0], kind)
        self.state[1:] = self.state[0]
        # steps are the first dimension, so that each step reads contiguous rows
        self.ctrl = np.random.default_rng(0).uniform(-1, 1, (nstep, nworld, self.official.nu))
        self.by_world = np.ascontiguousarray(self.ctrl.transpose(1, 0, 2))
        self.rollout = mujoco.rollout.Rollout(nthread=0)
        self.states = np.zeros((nworld, nstep, self.state.shape[1]))
        self.sensordata = np.zeros((nworld, nstep, self.official.nsensordata))

    def roll_out(self) -> float:
        """Return the CPU time in seconds that MuJoCo's rollout takes for all steps of all worlds."""
        start = time.process_time()
        self.rollout.rollout(
            self.official, [self.data], self.state, self.by_world, state=self.states, sensordata=self.sensordata
        )
        return time.process_time() - start

    def step(self, batch: Any) -> float:
        """Return the CPU time in seconds that a batch takes for all steps of all worlds."""
        batch.reset()
        start = time.process_time()
        for ctrl in self.ctrl:
            batch.ctrl = ctrl
            batch.step(1)
        return time.process_time() - start

    def counts(self, batch: Any) -> dict[str, float]:
        """Return the mean numbers of contacts, constraint rows and solver iterations over all worlds and steps."""
        batch.reset()
        found = []
        for ctrl in self.ctrl:
            batch.ctrl = ctrl
            batch.step(1)
            iterations = batch.solver_niter[:, 0]
            found.append([np.mean(batch.ncon), np.mean(batch.nefc), np.mean(iterations)])
        return dict(zip(("ncon", "nefc", "iterations"), np.mean(found, axis=0).tolist(), strict=True))


def measure(path: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return a row of the report for each precision."""
    model = Model(path, options.worlds, options.steps)
    batches = {name: Batch(model.model, model.nworld, precision=name, nthread=1) for name in options.precision}
    # the first round, which compiles, is not counted
    turns = [(model.roll_out(), *(model.step(batch) for batch in batches.values())) for _ in range(options.rounds + 1)][
        1:
    ]
    counts = model.counts(Batch(model.model, model.nworld, nthread=1, keep=("ncon", "nefc", "solver_niter")))
    rows = []
    for k, (precision, batch) in enumerate(batches.items()):
        # the shortest time counts, because other programs only add time
        mine, theirs = min(turn[k + 1] for turn in turns), min(turn[0] for turn in turns)
        rows.append({
            "benchmark": "fleet", "model": path.stem, "nv": model.official.nv, "precision": precision,
            "controls": "random, new at every step, from the initial state", "threads": 1, "clock": "cpu",
            "worlds": model.nworld, "steps": model.nstep, "rounds": options.rounds, "width": batch.lanes,
            "us/step": 1e6 * mine / model.nworld / model.nstep,
            "official": 1e6 * theirs / model.nworld / model.nstep,
            "ratio": median(turn[0] / turn[k + 1] for turn in turns), **counts,
        })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--list", type=Path, help="a file that names a model on each line")
    parser.add_argument("--folder", type=Path, default=Path(), help="where the models of the list are")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most-dofs", type=int, default=150, help="larger models are left out")
    parser.add_argument("--precision", nargs="+", default=["float64", "float32"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    listed = options.list.read_text().splitlines() if options.list else []
    paths = [options.folder / line for line in listed if line.strip() and not line.startswith("#")]
    rows = []
    for path in [*options.models, *paths]:
        if mujoco.MjModel.from_xml_path(str(path)).nv <= options.most_dofs:
            rows += measure(path, options)
    columns = ["model", "nv", "precision", "width", "us/step", "official", "ratio", "ncon", "nefc", "iterations"]
    write_report("batches of one thread beside one thread of the official rollout", rows, columns, options.json)
    for precision in options.precision:
        ratios = [row["ratio"] for row in rows if row["precision"] == precision]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{precision}: geometric mean of {len(ratios)} ratios {mean:.2f}")


if __name__ == "__main__":
    main()
