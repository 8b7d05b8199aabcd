"""Reinforcement learning: `BatchEnv`, and Gymnasium's `AsyncVectorEnv` on MuJoCo, run alternately on the same task.

python -m benchmarks.vector_env [--task humanoid] [--worlds 64] [--steps 200] [--rounds 5] [--json FILE]

Both run the task with random actions of the same seed, and start a new episode with the step after the end of one. Both
use all cores: the batch with threads, `AsyncVectorEnv` with a process for each world.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.vector import AsyncVectorEnv, VectorEnv

from benchmarks.report import write_report
from conjoint.envs import TASKS, BatchEnv
from conjoint.envs.observations import joined
from conjoint.envs.worlds import BeginningWorlds, Worlds
from conjoint.sample_models import FOLDERS


class OneWorld:
    """View of MuJoCo's `MjData` that a task reads like a batch: arrays have a row for the only world."""

    nworld = 1

    def __init__(self, model: mujoco.MjModel):
        self.model, self.data = model, mujoco.MjData(model)

    def __getattr__(self, name: str) -> np.ndarray:
        return np.asarray(getattr(self.data, name))[None]


class OfficialEnv(gymnasium.Env):
    """A task of `conjoint.envs` that runs on MuJoCo."""

    def __init__(self, name: str):
        self.task = TASKS[name]
        file = self.task.model_path or f"{name}.xml"
        path = next(folder / file for folder in FOLDERS if (folder / file).exists())
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.timestep = self.task.model().opt.timestep
        world = OneWorld(self.model)
        self.data = world.data
        self.worlds = Worlds(world, self.model.opt.timestep * self.task.frame_skip)
        self.reset()
        shape = self._observed().shape
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.model.nu,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        else:
            mujoco.mj_resetData(self.model, self.data)
        for name in ("action", "last_action", "steps"):
            self.worlds.numbers[name] = np.zeros_like(self.worlds.numbers[name])
        beginning = BeginningWorlds(self.worlds, np.ones(1, bool))
        self.task.begin(beginning, self.np_random)
        beginning.write_back(fields=False)
        self.data.qpos[:], self.data.qvel[:] = beginning.qpos[0], beginning.qvel[0]
        return self._observed(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        worlds = self.worlds
        worlds.numbers.update(
            action=action[None].astype(float), last_action=worlds.action, last_qpos=worlds.qpos.copy()
        )
        self.data.ctrl[:] = self.task.controls(self.model, worlds.action[0])
        mujoco.mj_step(self.model, self.data, self.task.frame_skip)
        worlds.steps[...] += 1
        reward = self.task.reward(worlds)
        total = sum(reward.values()) if isinstance(reward, Mapping) else reward
        over = bool(self.task.terminated(worlds)[0])
        return self._observed(), float(total[0]), over, bool(worlds.steps[0] >= self.task.max_steps), {}

    def _observed(self) -> np.ndarray:
        return joined(self.task.observe(self.worlds))[0].astype(np.float32)


def on_official_engine(task: str) -> partial:
    """Return a factory of an environment on MuJoCo: Gymnasium's environment, if it has the task."""
    return partial(gymnasium.make, task) if task in gymnasium.registry else partial(OfficialEnv, task)


def play(envs: VectorEnv, steps: int) -> tuple[float, float]:
    """Return the time in seconds of some steps of all worlds, and the number of ended episodes per step and world.

    Actions are random.
    """
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(steps)]
    ended, start = 0, time.perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = envs.step(action)
        ended += int(np.sum(terminated | truncated))
    return time.perf_counter() - start, ended / (steps * envs.num_envs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=sorted(TASKS), default="humanoid")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    contenders: dict[str, VectorEnv] = {
        "AsyncVectorEnv": AsyncVectorEnv([on_official_engine(given.task)] * given.worlds),
        "BatchEnv float64": BatchEnv(given.task, given.worlds),
        "BatchEnv float32": BatchEnv(given.task, given.worlds, precision="float32"),
    }
    for envs in contenders.values():
        play(envs, 20)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    ended: dict[str, float] = {}
    for _ in range(given.rounds):
        for name, envs in contenders.items():
            seconds, ended[name] = play(envs, given.steps)
            times[name].append(seconds)
    official = times["AsyncVectorEnv"]
    rows = [
        {
            "environment": name,
            "task": given.task,
            "worlds": given.worlds,
            "cores": os.cpu_count(),
            "steps/s": given.worlds * given.steps / median(spent),
            "episodes ended per step": ended[name],
            "ratio": median(o / s for o, s in zip(official, spent, strict=True)),
        }
        for name, spent in times.items()
    ]
    write_report(f"{given.task}: environments", rows, list(rows[0]), given.json)
    for envs in contenders.values():
        envs.close()


if __name__ == "__main__":
    main()
