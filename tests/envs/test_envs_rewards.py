"""Observations, rewards and episode ends of the package's tasks, for states set directly."""

from __future__ import annotations

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

import conjoint
from conjoint.envs import TASKS, BatchEnv, Policy, Task
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="batches of many steps: compiled only")


class Still(Task):
    """Task with three servos: two with different control ranges and one without a range."""

    name = "still"
    keyframe = False

    def model(self):
        joints = "".join(
            f'<body><joint name="j{k}" type="slide" axis="1 0 0"/><geom size=".1" contype="0"/></body>'
            for k in range(3)
        )
        servos = '<position joint="j0" ctrlrange="-2 4"/><position joint="j1" ctrlrange="0 1"/><position joint="j2"/>'
        key = '<keyframe><key ctrl="3 0.5 0.25"/></keyframe>' if self.keyframe else ""
        return conjoint.MjModel.from_xml_string(
            f"<mujoco><worldbody>{joints}</worldbody><actuator>{servos}</actuator>{key}</mujoco>"
        )

    def reward(self, worlds):
        return worlds.qpos[:, 0]


def test_actions_are_shares_of_the_range_of_controls() -> None:
    """Actions -1 and 1 map to the ends of the control range, scaled by `stroke`; larger actions are clipped."""
    task = Still()
    model = task.model()
    assert task.controls(model, np.array([[-1.0] * 3, [0.0] * 3, [1.0] * 3])).tolist() == [
        [-2, 0, -1],
        [1, 0.5, 0],
        [4, 1, 1],
    ]
    assert task.controls(model, np.full(3, 1.5)).tolist() == [4, 1, 1]
    half = Still(stroke=0.5)
    assert half.controls(model, np.array([-1.0, 0.5, 1.0])).tolist() == [-0.5, 0.625, 0.5]


def test_actions_begin_at_the_controls_of_the_first_keyframe() -> None:
    task = Still(keyframe=True)
    model = task.model()
    assert task.controls(model, np.zeros(3)).tolist() == [3, 0.5, 0.25]
    # the stroke around these controls is the same, limited to the range
    assert task.controls(model, np.array([0.1, 0.5, -0.5])).tolist() == [3.3, 0.75, -0.25]
    assert task.controls(model, np.ones(3)).tolist() == [4, 1, 1]


@pytest.mark.parametrize(
    ("name", "coordinate", "inside", "outside"),
    [
        ("cartpole", 1, [-0.199, 0.199], [-0.201, 0.201]),
        ("hopper", 1, [0.751, 5.0], [0.749, 0.1]),
        ("hopper", 2, [-0.249, 0.249], [-0.251, 0.251]),
    ],
)
def test_what_has_fallen(name: str, coordinate: int, inside: list[float], outside: list[float]) -> None:
    """An episode ends, without the alive reward, if a body leans too far in either direction or sinks too low."""
    envs = BatchEnv(name, 4, noise=0.0)
    envs.reset(seed=0)
    envs.batch.qpos[:, coordinate] = inside + outside
    fallen = [False, False, True, True]
    assert envs.task.terminated(envs.worlds).tolist() == fallen
    reward = envs.task.reward(envs.worlds)
    alive = reward if name == "cartpole" else reward["alive"]
    assert alive.tolist() == [1, 1, 0, 0]


def test_bodies_in_space_lean_by_the_angle_of_their_axis() -> None:
    """The lean angle of a free body does not depend on its rotation about its own axis."""
    envs = BatchEnv("quadruped", 6, noise=0.0)
    envs.reset(seed=0)
    angles = np.array([0.0, 0.3, 0.79, 0.81, -0.81, 2.0])
    for world, angle in enumerate(angles):
        turn, lean, quat = np.zeros(4), np.zeros(4), np.zeros(4)
        conjoint.mju_axisAngle2Quat(lean, np.array([0.6, 0.8, 0.0]), angle)
        conjoint.mju_axisAngle2Quat(turn, np.array([0.0, 0.0, 1.0]), 1.3)
        conjoint.mju_mulQuat(quat, turn, lean)
        envs.batch.qpos[world, 3:7] = quat
    assert np.allclose(envs.task.leaning(envs.worlds), np.abs(angles), atol=1e-12)
    assert envs.task.terminated(envs.worlds).tolist() == [False] * 3 + [True] * 3


def walking(count: int) -> BatchEnv:
    """Return a batch of quadrupeds in the initial state, with random walking commands."""
    envs = BatchEnv("quadruped_walk", count, noise=0.0)
    envs.reset(seed=0)
    return envs


def test_commands_of_the_walk_lie_within_their_ranges() -> None:
    envs = BatchEnv("quadruped_walk", 300, speeds=(0.2, 0.4), turns=(-0.3, 0.1))
    envs.reset(seed=0)
    speeds, turns = envs.worlds.command.T
    for drawn, (low, high) in ((speeds, (0.2, 0.4)), (turns, (-0.3, 0.1)), (envs.worlds.start, (0, 2 * np.pi))):
        assert low <= drawn.min() < low + 0.05 * (high - low) and high - 0.05 * (high - low) < drawn.max() <= high
    assert envs.model.opt.timestep == 0.004


def test_the_walk_is_observed_in_the_frame_of_the_trunk() -> None:
    envs = walking(1)
    quat = np.array([0.8, 0.2, -0.4, 0.4])
    envs.batch.qpos[0, 3:7] = quat / np.linalg.norm(quat)
    envs.batch.qvel[0] = np.arange(18) - 9.0
    envs.batch.qvel[0, 7] = 50.0
    seen = {name: np.asarray(part)[0] for name, part in envs.task.observe(envs.worlds).items()}
    turn = np.zeros(9)
    conjoint.mju_quat2Mat(turn, envs.batch.qpos[0, 3:7])
    turn = turn.reshape(3, 3)
    assert np.allclose(seen["down"], turn.T @ [0, 0, -1], atol=1e-12)
    assert np.allclose(seen["velocity"], turn.T @ envs.batch.qvel[0, :3], atol=1e-12)
    assert np.array_equal(seen["rotation"], envs.batch.qvel[0, 3:6])
    assert np.allclose(seen["angles"], 0) and seen["speeds"][1] == 3 and seen["speeds"][0] == pytest.approx(-0.3)
    phase = envs.worlds.start[0]
    assert np.allclose(seen["clock"], [np.sin(phase), np.cos(phase)])
    # observe again half a period later
    envs.worlds.steps[0] = round(0.25 / envs.duration)
    later = np.asarray(envs.task.observe(envs.worlds)["clock"])[0]
    turned = 2 * np.pi * envs.worlds.steps[0] * envs.duration / 0.5
    assert np.allclose(later, [np.sin(phase + turned), np.cos(phase + turned)])


def test_the_walk_rewards_what_follows_the_command() -> None:
    """The walk's reward is maximal at the commanded velocity, decreases with the error and penalizes shaking."""
    envs = walking(5)
    qvel = envs.batch.qvel
    envs.worlds.command = np.tile([0.5, 0.2], (5, 1))
    qvel[:] = 0
    qvel[:, 0], qvel[:, 5] = 0.5, 0.2
    qvel[1, 0] = 0.7
    qvel[2, 1] = 0.3
    qvel[3, 5] = 0.5
    qvel[4, 2], qvel[4, 3] = 0.4, 0.5
    envs.worlds.numbers["action"][1], envs.worlds.numbers["last_action"][1] = 0.5, -0.5
    reward = envs.task.reward(envs.worlds)
    assert np.allclose(reward["speed"], 1.5 * np.exp([0, -0.4, -0.9, 0, 0]))
    assert np.allclose(reward["turn"], 0.5 * np.exp([0, 0, 0, -0.9, 0]))
    assert np.allclose(reward["bounce"], [0, 0, 0, 0, -0.5 * 0.16 - 0.02 * 0.25])
    assert np.allclose(reward["smooth"], [0, -0.02 * 12, 0, 0, 0]) and np.allclose(reward["upright"], 0)
    assert np.allclose(reward["effort"], [0, -0.01 * 12 * 0.25, 0, 0, 0])


def test_the_gait_is_rewarded_where_feet_are_as_high_as_the_clock_says() -> None:
    """The gait reward requires diagonally opposite feet to rise together; the sign of the clock's sine selects the pair."""
    envs = walking(2)
    model, places = envs.model, envs.worlds.geom_xpos.copy()
    names = ("qpos", "qvel", "command", "action", "last_action", "steps", "duration", "model")
    worlds = SimpleNamespace(**{name: getattr(envs.worlds, name) for name in names}, geom_xpos=places)
    worlds.start = np.array([0.5 * np.pi, 1.5 * np.pi])
    for world, lifted in enumerate((("foot_fr", "foot_bl"), ("foot_fl", "foot_br"))):
        for foot in ("foot_fr", "foot_fl", "foot_br", "foot_bl"):
            places[world, model.geom(foot).id, 2] = 0.022 + (0.07 if foot in lifted else 0)
    assert np.allclose(envs.task.reward(worlds)["gait"], 1)
    places[0, model.geom("foot_fl").id, 2] += 0.04
    assert np.allclose(envs.task.reward(worlds)["gait"], [np.exp(-1), 1])


@pytest.mark.parametrize(("height", "lean", "fallen"), [(0.21, 0.7, False), (0.19, 0.0, True), (0.3, 0.8, True)])
def test_a_walk_ends_with_a_fall(height: float, lean: float, fallen: bool) -> None:
    """An episode ends if the trunk is below 0.2 m or leans by more than acos(0.7), 0.795 rad."""
    envs = walking(1)
    envs.batch.qpos[0, 2:7] = [height, np.cos(lean / 2), 0, np.sin(lean / 2), 0]
    assert envs.task.terminated(envs.worlds).tolist() == [fallen]


def test_a_policy_limits_what_it_is_given_and_what_it_says() -> None:
    policy = Policy(
        "none", [np.array([[0.3], [0.2]]), np.array([[2.0]])], [np.array([0.1]), np.array([-0.5])], [1, 2], [2, 4]
    )
    expected = 2 * np.tanh(0.3 * 0.5 + 0.2 * -0.25 + 0.1) - 0.5
    assert policy(np.array([2.0, 1.0])) == pytest.approx(expected, abs=1e-15)
    assert (
        policy(np.array([[1e9, 2.0], [-1e9, 2.0]])).tolist() == policy(np.array([[21.0, 2.0], [-19.0, 2.0]])).tolist()
    )
    loud = Policy("none", [np.eye(2)], [np.zeros(2)], np.zeros(2), np.ones(2))
    assert loud(np.array([3.0, -0.5])).tolist() == [1, -0.5]


FAST = ("HalfCheetah-v5", "Hopper-v5", "InvertedPendulum-v5", "Swimmer-v5", "Walker2d-v5")
"""Tasks whose observations and episode ends depend only on positions and velocities."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FAST)
def test_states_far_from_the_first_one_are_those_of_gymnasium(name: str) -> None:
    """Observations and episode ends agree with Gymnasium's beyond the limits of velocity, height and angle.

    Random actions rarely reach these limits.
    """
    official, ours = gymnasium.make(name).unwrapped, BatchEnv(name, 200)
    official.reset(seed=0)
    ours.reset(seed=0)
    generator = np.random.default_rng(2)
    size = generator.choice([0.1, 0.5, 3.0, 200.0], (200, 1))
    qpos = ours.model.qpos0 + size * generator.uniform(-1, 1, (200, ours.model.nq))
    qvel = 5 * size * generator.uniform(-1, 1, (200, ours.model.nv))
    ours.batch.qpos[:], ours.batch.qvel[:] = qpos, qvel
    seen, over = ours.task.observe(ours.worlds), ours.task.terminated(ours.worlds)
    for world in range(200):
        official.set_state(qpos[world], qvel[world])
        assert np.array_equal(seen[world], official._get_obs())
        if name == "InvertedPendulum-v5":
            assert over[world] == (abs(qpos[world, 1]) > 0.2)
        elif name in ("Hopper-v5", "Walker2d-v5"):
            assert over[world] == (not official.is_healthy)
    assert set(over) == ({False} if name in ("HalfCheetah-v5", "Swimmer-v5") else {False, True})


def test_every_registered_task_says_what_it_is_called() -> None:
    assert all(TASKS[name].name == name and TASKS[name].id for name in TASKS)
