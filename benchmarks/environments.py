"""Gymnasium's v5 environments, unmodified, on Conjoint and on MuJoCo, run alternately.

python -m benchmarks.environments [--steps 300] [--rounds 3] [--only HalfCheetah-v5 ...] [--json FILE]

Each engine runs in a separate process, in which it has the name `mujoco`. A step of an environment consists of some
steps of the engine, and of the environment's own reads and computations. Actions are random, with the same seed. Times
are CPU times.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.report import write_report

ENGINES = ("mujoco", "conjoint")
"""Names of the engines; Conjoint runs in place of MuJoCo."""

WARM = 20
"""Number of steps at the start that are not timed, because they compile or load code."""


def environments() -> list[str]:
    """Return the ids of Gymnasium's v5 environments that use MuJoCo."""
    import gymnasium

    found = [name for name, spec in gymnasium.registry.items() if "envs.mujoco" in str(spec.entry_point)]
    return sorted(name for name in found if name.endswith("-v5"))


def played(name: str, steps: int) -> float:
    """Return the time in seconds of some steps of an environment, on the engine named `mujoco` in this process."""
    import gymnasium

    env = gymnasium.make(name)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(WARM + steps)]
    env.reset(seed=0)
    start = 0.0
    for k, action in enumerate(actions):
        if k == WARM:
            start = time.process_time()
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    spent = time.process_time() - start
    env.close()
    return spent


def in_process(engine: str, names: list[str], steps: int) -> dict[str, float]:
    """Return the result of `played` for every environment, run in a separate process with an engine."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.environments", "--engine", engine]
    command += ["--steps", str(steps), "--only", *names]
    environment = {**os.environ, "MUJOCO_GL": "disable"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine:
        if given.engine == "conjoint":
            importlib.import_module("conjoint").install_as_mujoco()
        print(json.dumps({name: played(name, given.steps) for name in given.only}))
        return
    names = given.only or environments()
    times = [{engine: in_process(engine, names, given.steps) for engine in ENGINES} for _ in range(given.rounds)]
    rows: list[dict[str, Any]] = []
    for name in names:
        official, ours = ([each[engine][name] for each in times] for engine in ENGINES)
        rows.append({
            "benchmark": "environments", "environment": name, "us per step": 1e6 * min(ours) / given.steps,
            "official us per step": 1e6 * min(official) / given.steps,
            "ratio": median(mine / theirs for mine, theirs in zip(ours, official, strict=True)),
        })  # fmt: skip
    write_report(
        "a step of Gymnasium's environments, microseconds of the processor", rows, list(rows[0])[1:], given.json
    )


if __name__ == "__main__":
    main()
