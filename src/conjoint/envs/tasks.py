"""Built-in tasks: balance a pole, move forward, follow walking commands.

Rewards have the usual form: speed, plus a bonus for not falling, minus the squared actions (Gymnasium's MuJoCo tasks;
Schulman et al., High-dimensional continuous control using generalized advantage estimation, 2016).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.envs.gymnasium_tasks import GYMNASIUM_TASKS
from conjoint.envs.task import SPEED_LIMIT, Named, Task
from conjoint.spec.problems import choices


class Balance(Task):
    """Task of keeping the pole of a cart upright; the reward is one per step.

    Attributes:
        tilt: largest permitted angle of the pole (rad).
    """

    tilt: float = 0.2

    def reward(self, worlds: Any) -> np.ndarray:
        return 1.0 - self.terminated(worlds)

    def terminated(self, worlds: Any) -> np.ndarray:
        return np.abs(worlds.qpos[:, 1]) > self.tilt


class Run(Task):
    """Task of moving forward, along x, without falling.

    Attributes:
        alive: reward per step without a fall.
        forward: reward per m/s of forward speed.
        effort: cost of the sum of squared actions.
        place: number of coordinates of the position on the floor, which are not observed. The next coordinate is the
            height.
        low, high: range of the height (m) of a body that has not fallen.
        lean: largest permitted angle from upright (rad). For planar bodies, this is the coordinate after the height,
            for others the angle of the body's z axis.
    """

    alive: float = 1.0
    forward: float = 1.0
    effort: float = 1e-3
    place: int = 1
    low: float = -np.inf
    high: float = np.inf
    lean: float = np.inf

    def observe(self, worlds: Any) -> np.ndarray:
        velocities = np.clip(worlds.qvel, -SPEED_LIMIT, SPEED_LIMIT)
        return np.concatenate([worlds.qpos[:, self.place :], velocities], axis=1)

    def reward(self, worlds: Any) -> Named:
        speed = (worlds.qpos[:, 0] - worlds.last_qpos[:, 0]) / worlds.duration
        effort = np.sum(worlds.action**2, axis=1)
        return {
            "forward": self.forward * speed,
            "alive": self.alive * ~self.terminated(worlds),
            "effort": -self.effort * effort,
        }

    def terminated(self, worlds: Any) -> np.ndarray:
        height = worlds.qpos[:, self.place]
        return (height < self.low) | (height > self.high) | (self.leaning(worlds) > self.lean)

    def leaning(self, worlds: Any) -> np.ndarray:
        """Return the angle from upright (rad), shape (nworld,)."""
        if self.place == 1:
            return np.abs(worlds.qpos[:, 2])
        x, y = worlds.qpos[:, 4], worlds.qpos[:, 5]
        return np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1))


FEET = ("foot_fr", "foot_fl", "foot_br", "foot_bl")
PAIRS = np.array([1.0, -1.0, -1.0, 1.0])
"""Signs of the feet; diagonally opposite feet have equal signs and are lifted together."""

RADIUS = 0.022
"""Height of a foot's center above the floor during contact (m)."""


class Walk(Task):
    """Task of walking at a trot, with a random speed and turning rate in every episode.

    Rewards have the usual form for legged robots: tracking of the command, minus penalties for shaking. See Rudin et
    al., Learning to walk in minutes using massively parallel deep reinforcement learning, 2022. The feet should swing
    in time with an observed clock (Siekmann et al., Sim-to-real learning of all common bipedal gaits via periodic
    reward composition, 2021).

    Attributes:
        speeds: range of the commanded forward speed (m/s).
        turns: range of the commanded turning rate (rad/s).
        period: period of the gait (s).
        lift: height to which the feet are lifted (m).
    """

    speeds: tuple[float, float] = (0.3, 0.9)
    turns: tuple[float, float] = (-0.5, 0.5)
    period: float = 0.5
    lift: float = 0.07

    def model(self) -> MjModel:
        model = super().model()
        # halves the number of engine steps
        model.opt.timestep = 0.004
        return model

    def begin(self, worlds: Any, rng: np.random.Generator) -> None:
        super().begin(worlds, rng)
        worlds.command = np.stack([rng.uniform(*self.speeds, len(worlds)), rng.uniform(*self.turns, len(worlds))], 1)
        worlds.start = rng.uniform(0, 2 * np.pi, len(worlds))

    def clock(self, worlds: Any) -> np.ndarray:
        """Return the phase of the gait (rad), shape (nworld,)."""
        return worlds.start + 2 * np.pi * worlds.steps * worlds.duration / self.period

    def observe(self, worlds: Any) -> Named:
        turn = rotations(worlds.qpos[:, 3:7])
        clock = self.clock(worlds)
        return {
            "down": -turn[:, 2],
            "velocity": np.einsum("wji,wj->wi", turn, worlds.qvel[:, :3]),
            "rotation": worlds.qvel[:, 3:6],
            "angles": worlds.qpos[:, 7:] - worlds.model.key_qpos[0, 7:],
            "speeds": 0.1 * np.clip(worlds.qvel[:, 6:], -30, 30),
            "last_action": worlds.action,
            "command": worlds.command,
            "clock": np.stack([np.sin(clock), np.cos(clock)], axis=1),
        }

    def reward(self, worlds: Any) -> Named:
        turn = rotations(worlds.qpos[:, 3:7])
        velocity = np.einsum("wji,wj->wi", turn, worlds.qvel[:, :3])
        rotation = worlds.qvel[:, 3:6]
        off = (velocity[:, 0] - worlds.command[:, 0]) ** 2 + velocity[:, 1] ** 2
        wanted = RADIUS + self.lift * np.maximum(0, PAIRS * np.sin(self.clock(worlds))[:, None])
        feet = worlds.geom_xpos[:, [worlds.model.geom(name).id for name in FEET], 2]
        return {
            "speed": 1.5 * np.exp(-off / 0.1),
            "turn": 0.5 * np.exp(-((rotation[:, 2] - worlds.command[:, 1]) ** 2) / 0.1),
            "gait": np.exp(-np.sum((feet - wanted) ** 2, axis=1) / 0.04**2),
            "upright": -2.0 * np.sum(turn[:, 2, :2] ** 2, axis=1),
            "bounce": -0.5 * velocity[:, 2] ** 2 - 0.02 * np.sum(rotation[:, :2] ** 2, axis=1),
            "smooth": -0.02 * np.sum((worlds.action - worlds.last_action) ** 2, axis=1),
            "effort": -0.01 * np.sum(worlds.action**2, axis=1),
        }

    def terminated(self, worlds: Any) -> np.ndarray:
        return (worlds.qpos[:, 2] < 0.2) | (rotations(worlds.qpos[:, 3:7])[:, 2, 2] < 0.7)

    def metrics(self, worlds: Any) -> Named:
        return {"command": worlds.command, "x_position": worlds.qpos[:, 0]}


def rotations(quat: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of quaternions, shape (nworld, 3, 3)."""
    w, x, y, z = (quat / np.linalg.norm(quat, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Balance(id="conjoint/CartPole-v0", name="cartpole", frame_skip=2, max_steps=500),
        Run(id="conjoint/Hopper-v0", name="hopper", frame_skip=4, low=0.75, lean=0.25, noise=0.005),
        Run(id="conjoint/HalfCheetah-v0", name="half_cheetah", frame_skip=5, alive=0.0, effort=0.1),
        Run(id="conjoint/Ant-v0", name="ant", frame_skip=5, place=2, low=0.25, high=1.1, effort=0.3),
        Run(id="conjoint/Humanoid-v0", name="humanoid", frame_skip=3, place=2, low=0.95, high=1.8,
            alive=5.0, forward=1.25, effort=0.1, noise=0.01),
        Run(id="conjoint/Quadruped-v0", name="quadruped", frame_skip=10, place=2, low=0.18, high=0.6, lean=0.8,
            effort=0.02, stroke=0.4),
        Walk(id="conjoint/QuadrupedWalk-v0", name="quadruped_walk", frame_skip=5, max_steps=500, stroke=0.4,
            model_path="quadruped.xml"),
        *GYMNASIUM_TASKS,
    )
}  # fmt: skip
"""Built-in tasks by name."""


def find_task(task: Task | type[Task] | str, settings: Mapping[str, Any] | None = None) -> Task:
    """Return a copy of a task, given as an object, a class or a name, with changed attributes.

    Raises:
        TypeError: `task` is not a task, or does not have an attribute in `settings`.
        ValueError: there is no task of that name.
    """
    if isinstance(task, str):
        if task not in TASKS:
            raise ValueError(f"there is no task {task!r}{choices(task, TASKS)}")
        task = TASKS[task]
    if isinstance(task, type) and issubclass(task, Task):
        task = task()
    if not isinstance(task, Task):
        raise TypeError(f"a task must be a Task or its name, not {task!r}")
    found = copy.copy(task)
    found.set(**settings or {})
    return found
