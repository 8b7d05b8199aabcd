"""Compare the speed of `Batch` on a device with `Batch` on the CPU and with `mujoco.rollout`, interleaved in one run.

python -m benchmarks.devices [--device auto] [--model models/humanoid.xml ...] [--worlds 1024] [--json FILE]

All engines step the same worlds under the same controls, which change at every step. So on a device, controls are sent
and states are read back at every step. The engine "device, one call" takes all steps in a single call, under the
controls of the first step. Times are microseconds per world and step; ratios are relative to MuJoCo on all processors.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.batch import ConjointBatch, Contender, OfficialRollout
from benchmarks.report import write_report
from benchmarks.workload import Workload, make_workload
from conjoint.device import automatic_device, open_device

MODELS = ["cartpole", "quadruped", "humanoid", "hand", "boxes", "hammock"]
"""Models that are measured by default."""


class OneCall(ConjointBatch):
    """`Batch` that takes all steps in one call, under the controls of the first step."""

    def run(self, work: Workload) -> float:
        batch: Any = self.batch
        batch.reset()
        batch.qpos, batch.qvel, batch.ctrl = work.qpos, work.qvel, self.ctrl[0]
        if self.model.na:
            batch.act = work.act
        start = self.clock()
        batch.step(len(self.ctrl))
        return self.clock() - start


def contenders_of(path: str, work: Workload, device: Any, precision: str) -> dict[str, Contender]:
    """Return the engines to compare, by name."""
    threads = os.cpu_count() or 1
    return {
        f"mujoco, {threads} threads": OfficialRollout(path, work, threads),
        f"lanes, {threads} threads": ConjointBatch(path, work, threads, precision),
        "device": ConjointBatch(path, work, 1, precision, device=device),
        "device, one call": OneCall(path, work, 1, precision, device=device),
    }


def measure(path: str, device: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the rows of the report for one model."""
    work = make_workload(path, options.worlds, options.steps, options.seed, apart=2)
    contenders = contenders_of(path, work, device, options.precision)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        # the first run compiles the kernels
        contender.run(work)
    for _ in range(options.rounds):
        for name, contender in contenders.items():
            seconds[name].append(contender.run(work))
    official = next(iter(seconds.values()))
    each = 1e6 / (options.worlds * options.steps)
    return [
        {
            "benchmark": "devices", "model": Path(path).stem, "engine": name, "device": device.name,
            "driver": device.driver, "precision": contender.precision, "worlds": options.worlds,
            "steps": options.steps, "us/step": each * median(seconds[name]),
            "ratio": median(a / b for a, b in zip(official, seconds[name], strict=True)), **contender.counts(),
        }
        for name, contender in contenders.items()
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto", help="as in Batch; without a GPU, OpenCL on the CPU")
    parser.add_argument("--model", nargs="+", default=[f"models/{name}.xml" for name in MODELS])
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    found = automatic_device() if options.device == "auto" else options.device
    device = open_device("opencl" if found == "cpu" else found)
    columns = ["engine", "us/step", "ratio", "ncon", "nefc", "iterations"]
    for path in options.model:
        rows = measure(path, device, options)
        title = f"{Path(path).stem}, {options.worlds} worlds, {options.precision}; {device.name} ({device.driver})"
        write_report(title, rows, columns, options.json)


if __name__ == "__main__":
    main()
