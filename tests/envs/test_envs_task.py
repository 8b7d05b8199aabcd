"""User-defined tasks: goals, named observations and rewards, memory, ends and levels of difficulty."""

from __future__ import annotations

from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import conjoint
from conjoint.envs import BatchEnv, SingleEnv, Task
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="batches of many steps: compiled only")

ARM = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="upper"><joint name="shoulder" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/>
      <body name="lower" pos="0.1 0 0"><joint name="elbow" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/><site name="tip" pos="0.1 0 0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="shoulder" ctrlrange="-0.1 0.1"/><motor joint="elbow" ctrlrange="-0.1 0.1"/></actuator>
</mujoco>
"""


class Reach(Task):
    """Task of bringing an arm's tip to a goal that is random in every episode."""

    frame_skip = 2
    max_steps = 20
    observations = {"angles": (-3.2, 3.2), "speeds": (-5, 5), "goal": (-0.2, 0.2)}  # noqa: RUF012

    def model(self):
        return conjoint.MjModel.from_xml_string(ARM)

    def begin(self, worlds, rng):
        super().begin(worlds, rng)
        worlds.goal = rng.uniform(-0.2, 0.2, (len(worlds), 2))

    def observe(self, worlds):
        return {"angles": worlds.qpos, "speeds": worlds.qvel, "goal": worlds.goal}

    def reward(self, worlds):
        return {"near": -self.distance(worlds), "effort": -0.1 * np.sum(worlds.action**2, axis=1)}

    def distance(self, worlds):
        return np.linalg.norm(worlds.site("tip").xpos[:, :2] - worlds.goal, axis=1)

    def terminated(self, worlds):
        return self.distance(worlds) < 0.01

    def metrics(self, worlds):
        return {"distance": self.distance(worlds)}


def test_a_task_of_ones_own() -> None:
    """Observations and infos of a user-defined task contain its goals, bounds, reward terms and metrics."""
    envs = BatchEnv(Reach, 5)
    assert envs.single_observation_space == gymnasium.spaces.Box(
        np.array([-3.2, -3.2, -5, -5, -0.2, -0.2], np.float32), np.array([3.2, 3.2, 5, 5, 0.2, 0.2], np.float32)
    )
    assert envs.observation_parts == {"angles": slice(0, 2), "speeds": slice(2, 4), "goal": slice(4, 6)}
    observations, infos = envs.reset(seed=1)
    goals = observations[:, 4:].copy()
    assert len(np.unique(goals)) == 10 and observations in envs.observation_space
    # the tips' positions are already computed when an episode starts
    angle = envs.batch.qpos[:, 0]
    tip = 0.1 * np.stack([np.cos(angle), np.sin(angle)], 1)
    angle = envs.batch.qpos.sum(axis=1)
    tip += 0.1 * np.stack([np.cos(angle), np.sin(angle)], 1)
    assert np.allclose(infos["distance"], np.linalg.norm(tip - envs.worlds.goal, axis=1), atol=1e-12)
    actions = envs.action_space.sample()
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    assert np.allclose(observations[:, 4:], goals) and infos["_reward_near"].all()
    assert np.allclose(infos["reward_effort"], -0.1 * np.sum(actions.astype(float) ** 2, axis=1))
    assert np.allclose(rewards, infos["reward_near"] + infos["reward_effort"])
    assert np.allclose(infos["reward_near"], -infos["distance"])
    assert not terminated.any() and not truncated.any()
    again, _ = envs.reset(seed=1)
    assert np.array_equal(again[:, 4:], goals)


def test_only_worlds_that_begin_get_a_new_goal() -> None:
    """A partial reset changes neither the goals nor the engine's results of other worlds."""
    envs = BatchEnv(Reach, 4)
    envs.reset(seed=2)
    for _ in range(3):
        envs.step(envs.action_space.sample())
    goals, tips, state = envs.worlds.goal.copy(), envs.worlds.site("tip").xpos.copy(), envs.batch.snapshot()
    mask = np.array([False, True, False, False])
    _, infos = envs.reset(options={"reset_mask": mask})
    assert ((envs.worlds.goal != goals).all(axis=1) == mask).all()
    assert ((envs.worlds.site("tip").xpos != tips).any(axis=1) == mask).all()
    after = envs.batch.snapshot()
    assert all(np.array_equal(after[name][~mask], array[~mask]) for name, array in state.items())
    assert (infos["_distance"] == mask).all() and (envs.worlds.steps == [3, 0, 3, 3]).all()


def test_ends_are_told_apart() -> None:
    """Reaching the goal terminates an episode and the last step truncates it; a task may also truncate it itself."""

    class Short(Reach):
        def truncated(self, worlds):
            return worlds.steps >= 1 + np.arange(len(worlds))

    envs = BatchEnv(Short(), 3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    envs.worlds.goal[1] = [0.2, 0]
    envs.batch.qpos[1], envs.batch.qvel[1] = 0, 0
    _, _, terminated, truncated, _ = envs.step(np.zeros((3, 2)))
    assert terminated.tolist() == [False, True, False] and truncated.tolist() == [True, False, False]
    envs = BatchEnv(Reach, 2, max_episode_steps=3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    ends = [envs.step(np.zeros((2, 2)))[3].any() for _ in range(3)]
    assert ends == [False, False, True]


class Remembering(Reach):
    """Task whose observations contain values that its worlds store from step to step."""

    observations = None
    flat = False
    vary = ("body_mass",)
    remember = ("site_xpos",)

    def begin(self, worlds, rng):
        super().begin(worlds, rng)
        worlds.count = 0
        worlds.body_mass[:, 2] = rng.uniform(1, 2, len(worlds))
        worlds.joint("elbow").qpos = 0.5

    def observe(self, worlds):
        return {"last": worlds.last_action, "count": worlds.count[:, None], "angles": worlds.qpos}

    def reward(self, worlds):
        worlds.count = worlds.count + 1
        return worlds.site_xpos[:, 0, 0] - worlds.last_site_xpos[:, 0, 0]


def test_worlds_remember() -> None:
    envs = BatchEnv(Remembering, 3, autoreset_mode=AutoresetMode.SAME_STEP, max_episode_steps=4)
    observations, _ = envs.reset(seed=0)
    assert isinstance(envs.single_observation_space, gymnasium.spaces.Dict)
    assert observations in envs.observation_space and (observations["angles"][:, 1] == 0.5).all()
    masses = envs.batch.body_mass.copy()
    assert len(np.unique(masses[:, 2])) == 3
    before = np.zeros((3, 2))
    for step in range(1, 6):
        actions, tips = envs.action_space.sample(), envs.worlds.site_xpos[:, 0, 0].copy()
        observations, rewards, _, truncated, infos = envs.step(actions)
        if step == 4:
            assert truncated.all() and (infos["final_obs"]["count"] == 4).all() and (observations["count"] == 0).all()
            assert (envs.batch.body_mass[:, 2] != masses[:, 2]).all()
            before = np.zeros((3, 2))
            continue
        assert np.allclose(observations["last"], before) and (observations["count"] == (step - 1) % 4 + 1).all()
        assert np.allclose(rewards, envs.worlds.site_xpos[:, 0, 0] - tips)
        before = actions


class Levels(Reach):
    """Task whose goals are farther away at higher levels."""

    levels = 3
    max_steps = 2

    def begin(self, worlds, rng):
        super().begin(worlds, rng)
        worlds.goal = np.stack([0.05 * (1.0 + worlds.level), np.zeros(len(worlds))], axis=1)

    def next_level(self, worlds):
        return worlds.level + np.where(worlds.returned > -1, 1, -1)


def test_a_curriculum() -> None:
    envs = BatchEnv(Levels, 3)
    assert (envs.reset(seed=0, options={"level": 1})[0][:, 4] == np.float32(0.1)).all()
    for _ in range(3):
        envs.step(np.zeros((3, 2)))
    # worlds with sufficient returns advance one level, up to the highest
    assert (envs.worlds.level == 2).all() and np.allclose(envs.worlds.goal[:, 0], 0.15)
    for _ in range(3):
        envs.step(np.zeros((3, 2)))
    assert (envs.worlds.level == 2).all()
    assert (envs.reset(seed=0)[0][:, 4] == np.float32(0.05)).all()
    with pytest.raises(ValueError, match="there is no level 3 of the task 'Levels': they are 0 to 2"):
        envs.reset(options={"level": 3})


def test_a_class_and_its_arguments_say_what_a_task_is() -> None:
    """Arguments of a task or its environment override class attributes for that task only."""
    task = Reach(frame_skip=1)
    assert (Reach().frame_skip, Reach().name, task.frame_skip, Reach.frame_skip) == (2, "Reach", 1, 2)
    assert BatchEnv(task, 1, frame_skip=4).duration == 0.04 and task.frame_skip == 1
    with pytest.raises(TypeError, match=r"no argument 'frameskip': the task 'Reach' has no such attribute.*frame_skip"):
        Reach(frameskip=1)
    with pytest.raises(TypeError, match="no argument 'reward'"):
        Reach(reward=1)
    env = SingleEnv(Reach, noise=0.0)
    observation, info = env.reset(seed=0)
    assert observation.shape == (6,) and (observation[:2] == 0).all() and info["distance"].shape == ()
    observation, reward, terminated, truncated, info = env.step(np.zeros(2))
    assert reward == pytest.approx(info["reward_near"]) and not terminated and not truncated


def test_a_policy_of_numpy_solves_it() -> None:
    """A NumPy policy can play the task, and equal seeds give equal returns."""

    def play() -> float:
        envs, total = BatchEnv(Reach, 4), 0.0
        observations, _ = envs.reset(seed=5)
        for _ in range(50):
            observations, rewards, *_ = envs.step(np.clip(-observations[:, :2], -1, 1))
            total += rewards.sum()
        return total

    assert play() == play()


def test_a_task_without_observe_sees_positions_and_limited_velocities() -> None:
    """By default, observed velocities are clipped to 10 and positions are not clipped."""
    envs = BatchEnv("cartpole", 3)
    envs.reset(seed=0)
    envs.batch.qpos[:] = [[1, 20], [2, 30], [3, -40]]
    envs.batch.qvel[:] = [[50, 9.5], [-50, -9.5], [10.5, -10.5]]
    seen = envs.task.observe(envs.worlds)
    assert seen.tolist() == [[1, 20, 10, 9.5], [2, 30, -10, -9.5], [3, -40, 10, -10]]


def test_a_body_that_runs_does_not_see_its_place() -> None:
    """Planar runners do not observe x, other runners observe neither x nor y, and observed velocities are clipped."""
    for name, place in (("hopper", 1), ("ant", 2)):
        envs = BatchEnv(name, 2)
        envs.reset(seed=0)
        envs.batch.qvel[:] = 20
        seen, nv = envs.task.observe(envs.worlds), envs.model.nv
        assert np.array_equal(seen[:, :-nv], envs.batch.qpos[:, place:]) and (seen[:, -nv:] == 10).all()


def test_a_task_without_begin_starts_near_its_first_state() -> None:
    """Initial positions have uniform noise of up to `noise`; velocities have normal noise of that standard deviation.

    Each reset draws new noise.
    """
    noise, count = 0.02, 2000
    envs = BatchEnv("cartpole", count, noise=noise)
    envs.reset(seed=0)
    model = envs.model
    start = model.key_qpos[0] if model.nkey else model.qpos0
    offsets, speeds = envs.batch.qpos - start, envs.batch.qvel.copy()
    assert np.abs(offsets).max() <= noise
    # the tolerances cover the sampling error of the standard deviations; a uniform distribution has noise / sqrt(3)
    assert np.allclose(offsets.std(axis=0), noise / np.sqrt(3), rtol=0.1)
    assert np.allclose(speeds.std(axis=0), noise, rtol=0.1)
    assert np.abs([offsets.mean(axis=0), speeds.mean(axis=0)]).max() < 5 * noise / np.sqrt(count)
    envs.reset()
    assert (envs.batch.qpos - start != offsets).all() and (envs.batch.qvel != speeds).all()
    still = BatchEnv("cartpole", 1, noise=0.0)
    still.reset(seed=0)
    assert np.array_equal(still.batch.qpos[0], start) and not still.batch.qvel.any()


class Wrong(Reach):
    """Base of tasks that each contain one error."""


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"observe": lambda self, w: {"angels": w.qpos, "speeds": w.qvel, "goal": w.goal}}, "'angels'.*'angles'"),
        (
            {"observe": lambda self, w: {"angles": w.qpos[:1], "speeds": w.qvel, "goal": w.goal}},
            "needs one row for each",
        ),
        ({"observations": {"angles": (1, -1), "speeds": (0, 1), "goal": (0, 1)}}, "low must not exceed high"),
        ({"observations": {"angles": 3, "speeds": (0, 1), "goal": (0, 1)}}, r"needs a pair \(low, high\)"),
        ({"begin": lambda self, w, rng: setattr(w, "goal", np.zeros((3, 2)))}, "a row for each of 2 worlds"),
    ],
)
def test_what_is_wrong_with_a_task_is_told(changes: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        BatchEnv(type("Wrong", (Wrong,), changes), 2)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"observe": lambda self, w: w.gaol}, "worlds have no 'gaol'; did you mean 'goal'"),
        ({"observe": lambda self, w: w.qposs}, "no field 'qposs'; did you mean 'qpos'"),
        ({"begin": lambda self, w, rng: w.site_xpos}, "'site_xpos' is not available before the episode begins"),
    ],
)
def test_names_that_worlds_do_not_have_are_told(changes: dict, text: str) -> None:
    with pytest.raises(AttributeError, match=text):
        BatchEnv(type("Wrong", (Wrong,), changes), 2)


def test_a_task_without_a_model_or_a_reward_is_told() -> None:
    with pytest.raises(FileNotFoundError, match="the task 'Task' has no model: define model_path"):
        BatchEnv(Task, 1)
    with pytest.raises(FileNotFoundError, match=r"none\.xml, the model of the task 'Reach', is in none of"):
        Task(name="Reach", model_path="none.xml").model()
    envs = BatchEnv(Task(name="cartpole"), 1)
    envs.reset()
    with pytest.raises(NotImplementedError, match="the task 'cartpole' has no reward"):
        envs.step([[0.0]])


class Answers(Task):
    """Cart task whose methods return values that a test sets."""

    model_path = "cartpole.xml"
    answers: ClassVar[dict] = {}

    def reward(self, worlds):
        return self.answers.get("reward", np.zeros(len(worlds)))

    def terminated(self, worlds):
        return self.answers.get("terminated", False)

    def truncated(self, worlds):
        return self.answers.get("truncated", np.zeros(len(worlds), int))

    def metrics(self, worlds):
        return self.answers.get("metrics", {})


WRONG = [
    *[{method: wrong} for method in ("reward", "terminated", "truncated") for wrong in (None, "a", np.zeros((3, 1)))],
    *[{"reward": wrong} for wrong in ([None] * 3, np.zeros(2), np.zeros(3, complex), {"near": None}, {"near": [1, 2]})],
    {"metrics": {"height": 1.0}},
    {"metrics": {"height": [1.0, 2.0]}},
]


@pytest.mark.parametrize("answers", WRONG, ids=str)
def test_what_a_method_of_a_task_returns_is_a_number_for_each_world(answers: dict) -> None:
    """A task method must return one number for each world; None and columns are rejected."""
    envs = BatchEnv(Answers, num_envs=3)
    with pytest.raises(ValueError, match=rf"the task 'Answers': {next(iter(answers))}.*of 3 worlds"):
        Answers.answers = answers
        try:
            envs.reset(seed=0)
            envs.step(envs.action_space.sample())
        finally:
            Answers.answers = {}
    rewards, terminated = envs.step(envs.action_space.sample())[1:3]
    assert rewards.tolist() == [0.0] * 3 and terminated.tolist() == [False] * 3


def test_an_environment_that_is_half_made_can_be_closed() -> None:
    """An environment whose construction failed can be closed, because Gymnasium closes it on deletion."""
    BatchEnv.__new__(BatchEnv).close()
