"""A quadruped crosses loose rubble with the gait that it has learned on flat ground (docs/learning.md).

    python examples/rubble.py out/rubble.mp4

The policy `quadruped_walk.npz` observes the robot's joints, velocities and tilt, and a clock. It does not observe the
ground.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from film.look import MATERIALS, Move, Shot, View, coat, dress, paint, renderer_of, shoot

import conjoint
from conjoint.envs import Policy

SECONDS = 6.0
"""Duration of the scene (s)."""

SETTLE = 1.0
"""Simulated time (s) before the scene, in which the stones come to rest."""

STONES, FIELD = 230, (0.0, 3.3, 0.55)
"""Number of stones, and the area that they cover: first x, last x, and half width (m)."""

COMMAND = np.array([0.75, 0.0])
"""Forward speed (m/s) and yaw rate (rad/s) that the policy is commanded to keep."""

CONTROL, PERIOD, STROKE = 0.02, 0.5, 0.4
"""Control interval (s), period of the gait (s), and fraction of the control ranges that actions span.

They are equal to those in training.
"""

START, SPEED = -1.1, 0.69
"""Initial x of the robot (m), and its mean speed on the rubble (m/s)."""

COATS = {"trunk": "shell", "hip": "graphite", "thigh": "shell", "shin": "graphite", "foot": "orange"}

MOVE = Move(View((0.2, 0.0, 0.2), 2.3, 132, -13), View((0.2, 0.0, 0.18), 1.8, 98, -9))


def model() -> conjoint.MjModel:
    """Return the model of the quadruped and the stones."""
    spec = conjoint.MjSpec.from_file(conjoint.sample_model("quadruped"))
    spec.option.timestep = 0.002
    dress(spec, radius=1.6, follow="trunk")
    paint(spec, COATS)
    trunk, box = spec.body("trunk"), conjoint.mjtGeom.mjGEOM_BOX
    # a visor and a stripe, which do not collide
    for place, size, material in (((0.215, 0, 0.012), (0.022, 0.06, 0.022), "graphite"),
                                  ((-0.03, 0, 0.049), (0.13, 0.02, 0.004), "orange")):  # fmt: skip
        coat(trunk.add_geom(type=box, pos=place, size=size, mass=0, contype=0, conaffinity=0), material)
    for geom in spec.geoms:
        if geom.name.startswith("foot"):
            # feet of hard rubber
            geom.solref, geom.solimp = [0.008, 1], [0.95, 0.99, 0.001, 0.5, 2]
    add_stones(spec, np.random.default_rng(7))
    return spec.compile()


def add_stones(spec: conjoint.MjSpec, rng: np.random.Generator) -> None:
    """Add loose stones above the course: boxes of several sizes and colors, most of them gray."""
    first, last, side = FIELD
    colors = [(0.66, 0.64, 0.61), (0.55, 0.54, 0.53), (0.74, 0.72, 0.68), (0.47, 0.50, 0.56)] * 3
    colors += [MATERIALS[name][0] for name in ("orange", "teal", "yellow")]
    for k in range(STONES):
        size = rng.uniform([0.025, 0.02, 0.01], [0.06, 0.045, 0.022])
        turn = rng.normal(size=4)
        place = [rng.uniform(first, last), rng.uniform(-side, side), rng.uniform(0.05, 0.3)]
        stone = spec.worldbody.add_body(pos=place, quat=turn / np.linalg.norm(turn))
        stone.add_freejoint()
        geom = stone.add_geom(type=conjoint.mjtGeom.mjGEOM_BOX, size=size, density=1500)
        geom.material, geom.rgba = "sand", [*colors[k % len(colors)], 1]


class Walker:
    """The learned gait, which maps what the quadruped observes to controls."""

    def __init__(self, model: conjoint.MjModel):
        self.policy = Policy.load(Path(__file__).with_name("quadruped_walk.npz"))
        self.home, self.range = model.key_ctrl[0].copy(), model.actuator_ctrlrange.copy()
        self.stand, self.action = model.key_qpos[0, 7:19].copy(), np.zeros(12)

    def control(self, data: conjoint.MjData) -> np.ndarray:
        """Return the target angles (rad) of the twelve servos."""
        matrix = np.zeros(9)
        conjoint.mju_quat2Mat(matrix, data.qpos[3:7])
        turn = matrix.reshape(3, 3)
        clock = 2 * np.pi * data.time / PERIOD
        joints = data.qpos[7:19] - self.stand, 0.1 * np.clip(data.qvel[6:18], -30, 30)
        trunk = -turn[2], turn.T @ data.qvel[:3], data.qvel[3:6]
        self.action = self.policy(
            np.concatenate([*trunk, *joints, self.action, COMMAND, [np.sin(clock), np.cos(clock)]])
        )
        low, high = self.range.T
        return np.clip(self.home + STROKE * (high - low) / 2 * self.action, low, high)


def pictures(shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of the scene."""
    made = model()
    data, renderer, walker = conjoint.MjData(made), renderer_of(made, shot), Walker(made)
    data.qpos[:19] = made.key_qpos[0, :19]
    data.qpos[0] = START
    steps = round(CONTROL / made.opt.timestep)
    for now in shot.times:
        while data.time < now + SETTLE:
            data.ctrl[:] = walker.control(data)
            conjoint.mj_step(made, data, steps)
        conjoint.mj_forward(made, data)
        # the camera moves at constant speed, because the robot's speed varies with each step
        ahead = START + SPEED * (now + SETTLE)
        yield renderer.picture(data, MOVE.camera(now / SECONDS, (ahead, 0.0, 0.0)))
    renderer.close()


if __name__ == "__main__":
    shoot(pictures, SECONDS, __doc__)
