"""The package's learning tasks pass Gymnasium's checks, end their episodes correctly and agree with the engine."""

from __future__ import annotations

import importlib.util
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from typer.testing import CliRunner

import conjoint
from conjoint.cli.app import app
from conjoint.envs import TASKS, BatchEnv, Policy, Range
from conjoint.envs.tasks import Balance, Run
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="batches of many steps: compiled only")


@pytest.mark.filterwarnings("ignore:.*Box observation space.*")
@pytest.mark.filterwarnings("ignore:.*Box action spaces.*")
@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_gymnasium_accepts_every_task(task) -> None:
    check_env(gymnasium.make(task.id).unwrapped, skip_render_check=True)
    envs = gymnasium.make_vec(task.id, num_envs=3)
    assert isinstance(envs.unwrapped, BatchEnv)
    observations, _ = envs.reset(seed=0)
    assert observations in envs.observation_space
    observations, rewards, *_ = envs.step(envs.action_space.sample())
    assert observations in envs.observation_space and rewards.shape == (3,)


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if isinstance(task, Balance | Run)])
def test_a_step_is_that_of_the_engine(name) -> None:
    envs = BatchEnv(name, 4)
    envs.reset(seed=1)
    model, task = envs.model, envs.task
    qpos, qvel = envs.batch.qpos.copy(), envs.batch.qvel.copy()
    actions = np.random.default_rng(2).uniform(-1, 1, (4, model.nu))
    _, rewards, *_ = envs.step(actions)
    for k in range(4):
        data = conjoint.MjData(model)
        data.qpos, data.qvel, data.ctrl = qpos[k], qvel[k], task.controls(model, actions[k])
        for _ in range(task.frame_skip):
            conjoint.mj_step(model, data)
        assert np.allclose(envs.batch.qpos[k], data.qpos, rtol=0, atol=1e-9)
        if name != "cartpole":
            speed = (data.qpos[0] - qpos[k, 0]) / envs.duration
            expected = task.forward * speed + task.alive - task.effort * np.sum(actions[k] ** 2)
            assert rewards[k] == pytest.approx(expected, abs=1e-8)


def fall(mode: AutoresetMode) -> tuple[BatchEnv, list]:
    """Push a batch of carts at full force until poles have fallen; return the batch and the results of all steps."""
    envs = BatchEnv("cartpole", 3, autoreset_mode=mode, max_episode_steps=5)
    envs.reset(seed=0)
    envs.batch.qpos[0, 1] = 0.19
    actions = np.full((3, 1), -1.0)
    return envs, [envs.step(actions) for _ in range(6)]


def test_an_episode_begins_again_with_the_next_step() -> None:
    _, results = fall(AutoresetMode.NEXT_STEP)
    ends = np.array([terminated for _, _, terminated, _, _ in results])
    first = int(np.argmax(ends[:, 0]))
    assert ends[first, 0] and not ends[first + 1, 0]
    # the step after the last one is the reset, with no reward and an upright pole
    assert results[first][0][0, 1] > 0.2 and results[first + 1][1][0] == 0
    assert abs(results[first + 1][0][0, 1]) < 0.1
    # worlds that did not fail are truncated after five steps
    assert results[4][3][1] and not results[4][2][1] and results[5][1][1] == 0


def test_an_episode_begins_again_with_the_same_step() -> None:
    _, results = fall(AutoresetMode.SAME_STEP)
    observations, rewards, terminated, _, infos = next(r for r in results if r[2][0])
    assert terminated[0] and rewards[0] == 0
    assert infos["_final_obs"][0] and infos["final_obs"][0, 1] > 0.2
    assert abs(observations[0, 1]) < 0.1
    assert not infos["_final_obs"][1] and np.array_equal(infos["final_obs"][1], observations[1])


def test_an_episode_begins_again_when_asked() -> None:
    envs, results = fall(AutoresetMode.DISABLED)
    assert results[-1][2][0] and results[-1][0][0, 1] > 0.2
    before = envs.batch.qpos[1].copy()
    observations, _ = envs.reset(options={"reset_mask": np.array([True, False, False])})
    assert abs(observations[0, 1]) < 0.1 and np.array_equal(envs.batch.qpos[1], before)


def test_a_world_that_diverges_ends_alone() -> None:
    envs = BatchEnv("ant", 3)
    envs.reset(seed=0)
    envs.batch.qvel[1] = 1e12
    _, rewards, terminated, truncated, infos = envs.step(np.zeros((3, 8)))
    assert terminated.tolist() == [False, True, False] and not truncated.any() and rewards[1] == 0
    assert infos["diverged"].tolist() == [False, True, False]
    _, _, terminated, _, infos = envs.step(np.zeros((3, 8)))
    assert not terminated.any() and "diverged" not in infos


def test_episodes_follow_from_their_seed() -> None:
    def play(seed: int) -> np.ndarray:
        envs = BatchEnv("hopper", 5)
        envs.reset(seed=seed)
        return np.array([envs.step(np.full((5, 3), 0.5))[0] for _ in range(30)])

    assert np.array_equal(play(3), play(3)) and not np.array_equal(play(3), play(4))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"task": "hoper"}, "there is no task 'hoper'.*'hopper'"),
        ({"task": "ant", "render_mode": "ansi"}, "render_mode 'ansi': choose 'rgb_array', 'human' or None"),
        ({"task": "ant", "autoreset_mode": "never"}, "'never' is not a valid AutoresetMode"),
    ],
)
def test_arguments_that_are_wrong_are_told(given, text) -> None:
    with pytest.raises(ValueError, match=text):
        BatchEnv(**given)


@pytest.mark.parametrize(("actions", "text"), [(np.zeros((2, 8)), r"shape \(3, 8\)"), (np.full((3, 8), np.nan), "NaN")])
def test_actions_that_are_wrong_are_told(actions, text) -> None:
    envs = BatchEnv("ant", 3)
    envs.reset()
    with pytest.raises(ValueError, match=text):
        envs.step(actions)


def example():
    spec = importlib.util.spec_from_file_location("learn", ROOT / "examples" / "learn.py")
    module = sys.modules["learn"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gradients_of_the_example_are_those_of_its_network() -> None:
    network = example().Network(np.random.default_rng(0), [3, 5, 4, 2], 1.0)
    x, wanted = np.random.default_rng(1).normal(size=(6, 3)), np.random.default_rng(2).normal(size=(6, 2))

    def loss() -> float:
        return 0.5 * float(np.sum((network.forward(x)[-1] - wanted) ** 2))

    values = network.forward(x)
    for parameter, gradient in zip(network.parameters, network.gradients(values, values[-1] - wanted), strict=False):
        at, was = np.unravel_index(parameter.size // 2, parameter.shape), loss()
        parameter[at] += 1e-6
        assert (loss() - was) / 1e-6 == pytest.approx(gradient[at], rel=1e-4, abs=1e-5)
        parameter[at] -= 1e-6


def test_the_example_learns_and_its_policy_is_played(tmp_path) -> None:
    """The example learner improves clearly on cartpole in 12 iterations; docs/learning.md lets it learn for a minute."""
    learn = example()
    learner = learn.Learner("cartpole", 0, learn.Settings(worlds=32, horizon=32))
    for _ in range(12):
        learner.learn(learner.play(), 1e-3)
    early, late = np.mean(list(learner.returns)[:20]), np.mean(list(learner.returns)[-20:])
    assert late > 2 * early
    path = tmp_path / "cartpole.npz"
    learner.policy().save(path)
    assert np.array_equal(Policy.load(path).weights[0], learner.actor.parameters[0])
    model = ROOT / "models" / "cartpole.xml"
    result = CliRunner().invoke(app, ["simulate", str(model), "--policy", str(path), "--seconds", "0.5"])
    assert result.exit_code == 0 and "policy cartpole.npz" in result.output
    wrong = CliRunner().invoke(app, ["simulate", str(ROOT / "models" / "ant.xml"), "--policy", str(path)])
    assert wrong.exit_code == 2 and "simulate the model of the task" in " ".join(wrong.output.split())


def test_the_kept_policy_walks(tmp_path) -> None:
    """The stored policy walks at commanded speeds without falling, even with the different timestep of the command line."""
    path = ROOT / "examples" / "quadruped_walk.npz"
    policy, envs = Policy.load(path), BatchEnv("quadruped_walk", 3)
    observations, _ = envs.reset(seed=0)
    envs.worlds.command = np.array([[0.3, 0.0], [0.6, 0.0], [0.9, 0.0]])
    for step in range(150):
        if step == 50:
            start = envs.batch.qpos[:, :2].copy()
        observations, _, terminated, *_ = envs.step(policy(observations))
        assert not terminated.any()
    speed = np.linalg.norm(envs.batch.qpos[:, :2] - start, axis=1) / (100 * envs.duration)
    assert np.abs(speed - [0.3, 0.6, 0.9]).max() < 0.15
    model = str(ROOT / "models" / "quadruped.xml")
    record = tmp_path / "walk.npz"
    given = ["simulate", model, "--policy", str(path), "--seconds", "2", "--record", str(record)]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    positions = np.load(record)["qpos"]
    assert np.linalg.norm(positions[-1, :2] - positions[0, :2]) > 0.3 and positions[:, 2].min() > 0.25


def test_a_file_that_is_no_policy_is_told(tmp_path) -> None:
    np.savez(tmp_path / "other.npz", ctrl=np.zeros(3))
    with pytest.raises(ValueError, match="not a policy file"):
        Policy.load(tmp_path / "other.npz")


RANGES = {
    "body_mass": Range(0.5, 1.5, together=True),
    "geom_friction": ([0.5, 1, 1], [1.5, 1, 1]),
    "opt.gravity": Range([0, 0, -1], [0, 0, 1], "shift"),
    "dof_damping": Range(0.1, 0.2, "value"),
}


def test_every_episode_draws_its_own_model() -> None:
    """Random model parameters are within their ranges, new for each episode, and determined by the seed."""
    envs = gymnasium.make_vec("conjoint/Hopper-v0", num_envs=6, randomize=RANGES).unwrapped
    assert isinstance(envs, BatchEnv)
    batch, model = envs.batch, envs.model
    envs.reset(seed=3)
    factors = batch.body_mass[:, 1:] / model.body_mass[1:]
    assert np.allclose(factors, factors[:, :1]) and len({*factors[:, 0].tolist()}) == 6
    assert factors.min() >= 0.5 and factors.max() <= 1.5
    friction = batch.geom_friction / model.geom_friction
    assert (friction[..., 1:] == 1).all() and friction[..., 0].min() >= 0.5 and np.ptp(friction[..., 0]) > 0.1
    gravity = batch.opt.gravity - model.opt.gravity
    assert (gravity[:, :2] == 0).all() and (np.abs(gravity[:, 2]) <= 1).all() and np.ptp(gravity[:, 2]) > 0
    assert (batch.dof_damping >= 0.1).all() and (batch.dof_damping <= 0.2).all()
    before = batch.body_mass.copy()
    mask = np.array([True, False, False, True, False, False])
    envs.reset(options={"reset_mask": mask})
    assert ((batch.body_mass != before).any(axis=1) == mask).all()
    envs.reset(seed=3)
    assert (batch.body_mass == before).all()


def test_a_randomised_world_is_the_engine_with_its_numbers() -> None:
    envs = BatchEnv("hopper", 3, randomize=RANGES)
    envs.reset(seed=4)
    data = envs.batch.get_data(1)
    actions = np.random.default_rng(5).uniform(-1, 1, (3, envs.model.nu))
    envs.step(actions)
    data.ctrl = envs.task.controls(envs.model, actions[1])
    conjoint.mj_step(data.model, data, envs.task.frame_skip)
    assert np.allclose(envs.batch.qpos[1], data.qpos, rtol=0, atol=1e-9)
    assert not np.allclose(envs.batch.body_mass[1], envs.model.body_mass)


@pytest.mark.parametrize(
    ("ranges", "text"),
    [
        ({"body_mass": 2.0}, r"body_mass needs a Range or a pair \(low, high\), not 2.0"),
        ({"body_mass": (2.0, 1.0)}, "low must not exceed high"),
        ({"body_mass": ([1, 2], [2, 3])}, "must be numbers that broadcast to"),
        ({"body_mass": Range(1, 2, "times")}, "'scale', 'shift' or 'value', not 'times'"),
    ],
)
def test_ranges_that_are_none_are_told(ranges, text) -> None:
    with pytest.raises(ValueError, match=text):
        BatchEnv("hopper", 2, randomize=ranges)
