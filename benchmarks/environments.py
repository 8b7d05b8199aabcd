"""Gymnasium's environments v5 as they are, over this engine and over the official one, in turns.

python -m benchmarks.environments [--steps 300] [--rounds 3] [--only HalfCheetah-v5 ...] [--json FILE]

Each engine runs in a process of its own, in which it answers to the name `mujoco`. A step of an environment is some
steps of the engine, and the environment's own reads and computations; actions are random, of the same seed.
Times are those of the processor.
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
"""The official package, and this one in its place."""

WARM = 20
"""Steps at the start that do not count, because they compile or load code."""


def environments() -> list[str]:
    """Ids of the newest version of every environment with this engine."""
    import gymnasium

    found = [name for name, spec in gymnasium.registry.items() if "envs.mujoco" in str(spec.entry_point)]
    return sorted(name for name in found if name.endswith("-v5"))


def played(name: str, steps: int) -> float:
    """Seconds for some steps of an environment, with the engine that is called `mujoco` in this process."""
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
    """`played` for every environment, in a separate process."""
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
