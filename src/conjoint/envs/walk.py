"""A quadruped that walks as it is commanded, at a trot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.envs.task import Named, Task

FEET = ("foot_fr", "foot_fl", "foot_br", "foot_bl")
PAIRS = np.array([1.0, -1.0, -1.0, 1.0])
"""Feet of the same sign are lifted together: those across from each other."""

RADIUS = 0.022
"""Height of the centre of a foot on the floor (m)."""


@dataclass(frozen=True)
class Walk(Task):
    """Walk with a commanded speed and turn, which every episode draws anew.

    Rewards are of the usual form for legged robots (Rudin et al., Learning to walk in minutes using massively parallel
    deep reinforcement learning, 2022): how well the command is followed, less what shakes the body; and the feet shall
    swing in time with a clock that is observed (Siekmann et al., Sim-to-real learning of all common bipedal gaits via
    periodic reward composition, 2021).

    Attributes:
        speeds: from where the speed forward is drawn (m/s).
        turns: from where the speed of turning is drawn (rad/s).
        period: of the gait (s).
        lift: how high the feet shall swing (m).
    """

    speeds: tuple[float, float] = (0.3, 0.9)
    turns: tuple[float, float] = (-0.5, 0.5)
    period: float = 0.5
    lift: float = 0.07

    def model(self) -> MjModel:
        model = super().model()
        # half as many steps of the engine
        model.opt.timestep = 0.004
        return model

    def begin(self, worlds: Any, rng: np.random.Generator) -> None:
        super().begin(worlds, rng)
        worlds.command = np.stack([rng.uniform(*self.speeds, len(worlds)), rng.uniform(*self.turns, len(worlds))], 1)
        worlds.start = rng.uniform(0, 2 * np.pi, len(worlds))

    def clock(self, worlds: Any) -> np.ndarray:
        """Phase of the gait (rad)."""
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

    def failed(self, worlds: Any) -> np.ndarray:
        return (worlds.qpos[:, 2] < 0.2) | (rotations(worlds.qpos[:, 3:7])[:, 2, 2] < 0.7)

    def metrics(self, worlds: Any) -> Named:
        return {"command": worlds.command, "x_position": worlds.qpos[:, 0]}


def rotations(quat: np.ndarray) -> np.ndarray:
    """Matrices of unit quaternions, shape (nworld, 3, 3)."""
    w, x, y, z = (quat / np.linalg.norm(quat, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
