"""Rendering of environments: arrays with and without OpenGL, a window, and Gymnasium's recording wrappers."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RenderCollection
from gymnasium.wrappers import vector as wrappers

import conjoint
from conjoint import viewer
from conjoint.envs import BatchEnv, Task
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="pictures are made by many kernels: compiled only")


@pytest.fixture
def without_opengl(monkeypatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disable")


def test_every_world_has_its_picture(without_opengl) -> None:
    """Images have the requested size and show the state; without OpenGL, they are ray-traced."""
    envs = gymnasium.make_vec("conjoint/CartPole-v0", num_envs=2, render_mode="rgb_array", width=64, height=48)
    envs.reset(seed=0)
    assert envs.metadata["render_fps"] == round(1 / envs.unwrapped.duration)
    first = envs.render()
    assert [(picture.shape, picture.dtype) for picture in first] == [((48, 64, 3), np.uint8)] * 2
    envs.unwrapped.batch.qpos[1, 0] += 0.5
    again = envs.render()
    assert np.array_equal(first[0], again[0]) and not np.array_equal(first[1], again[1])
    envs.close()


def watched(cameras: str) -> type[Task]:
    """Return a task class with the given cameras, a sliding ball and a mocap ball."""
    xml = f"""
    <mujoco><worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 .1" rgba=".2 .4 .2 1"/>{cameras}
      <body pos="0 0 .3"><joint type="slide" axis="1 0 0"/><geom size=".1" rgba="1 0 0 1"/></body>
      <body name="hand" mocap="true" pos="0.4 0 .3"><geom size=".05" rgba="0 0 1 1" contype="0"/></body>
    </worldbody></mujoco>"""

    class Watched(Task):
        def model(self):
            return conjoint.MjModel.from_xml_string(xml)

        def reward(self, worlds):
            return worlds.qpos[:, 0]

    return Watched


FIXED = '<camera pos="0 -2 .5" xyaxes="1 0 0 0 .2 1"/><camera pos="2 0 .5" xyaxes="0 1 0 -.2 0 1"/>'
FOLLOWING = '<camera mode="targetbody" target="hand" pos="0 0 2"/>'


@pytest.mark.parametrize(("cameras", "camera"), [("", -1), (FIXED, 0), (FIXED + FOLLOWING, 2)])
def test_a_camera_that_follows_is_chosen_or_the_first_or_a_free_one(cameras: str, camera: int, without_opengl) -> None:
    pictures = []
    for given in ({}, {"camera": camera}):
        envs = BatchEnv(watched(cameras), 1, render_mode="rgb_array", width=32, height=24, **given)
        envs.reset(seed=0)
        pictures.append(envs.render()[0])
        envs.close()
    assert np.array_equal(*pictures) and pictures[0].std() > 1


def test_bodies_that_are_moved_by_hand_are_seen_where_they_are(without_opengl) -> None:
    envs = BatchEnv(watched(FIXED), 1, render_mode="rgb_array", width=32, height=24)
    envs.reset(seed=0)
    first = envs.render()[0].astype(int)
    envs.batch.mocap_pos[0, 0] = [-0.4, 0, 0.3]
    second = envs.render()[0].astype(int)
    blue = [picture[..., 2] - picture[..., 0] for picture in (first, second)]
    columns = [np.argmax(part.max(axis=0)) for part in blue]
    assert columns[0] > 16 > columns[1]
    envs.close()


def test_what_varies_is_seen(without_opengl) -> None:
    size = {"geom_rgba": ([1, 0, 0, 1], [1, 0, 0, 1])}
    options = {"render_mode": "rgb_array", "width": 32, "height": 24}
    plain, red = (BatchEnv("hopper", 1, randomize=ranges, **options) for ranges in (None, size))
    pictures = []
    for envs in (plain, red):
        envs.reset(seed=0)
        pictures.append(envs.render()[0].astype(int))
    varied = (pictures[0] != pictures[1]).any(axis=2)
    assert varied.sum() > 20
    assert pictures[0][varied][:, 1].sum() > 2 * pictures[1][varied][:, 1].sum()


def test_pictures_are_collected(without_opengl) -> None:
    """Gymnasium's collection wrapper gets one image after the reset and one after every step."""
    env = gymnasium.make("conjoint/CartPole-v0", render_mode="rgb_array", width=32, height=24)
    env = RenderCollection(env)
    env.reset(seed=0)
    for _ in range(3):
        env.step(env.action_space.sample())
    frames = env.render()
    assert len(frames) == 4 and frames[0].shape == (24, 32, 3)
    env.close()


class Window:
    """Stub of a viewer window that records the states shown."""

    def __init__(self, model, data):
        self.model, self.data, self.seen = model, data, []

    def is_running(self) -> bool:
        return True

    def sync(self) -> None:
        self.seen.append(self.data.qpos.copy())

    def close(self) -> None:
        self.seen.append(None)


def test_a_window_shows_the_first_world(monkeypatch) -> None:
    windows: list[Window] = []
    monkeypatch.setattr(viewer, "launch_passive", lambda *world: windows.append(Window(*world)) or windows[-1])
    env = gymnasium.make("conjoint/CartPole-v0", render_mode="human")
    env.reset(seed=0)
    states = [env.unwrapped.worlds.batch.qpos[0].copy()]
    for _ in range(2):
        env.step(env.action_space.sample())
        states.append(env.unwrapped.worlds.batch.qpos[0].copy())
    assert env.render() is None
    env.close()
    (window,) = windows
    assert np.array_equal(window.seen[:3], states) and window.seen[-1] is None


def test_without_a_mode_nothing_is_drawn() -> None:
    envs = BatchEnv("cartpole", 1)
    envs.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert envs.render() is None


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_wrappers_of_vector_environments(mode: AutoresetMode) -> None:
    """Gymnasium's wrappers count episodes and clip rewards in every autoreset mode that they support."""
    envs = BatchEnv("hopper", 3, autoreset_mode=mode, max_episode_steps=5)
    counted = wrappers.RecordEpisodeStatistics(envs)
    scaled = wrappers.NormalizeObservation(counted) if mode is AutoresetMode.NEXT_STEP else counted
    wrapped = wrappers.ClipReward(scaled, -1, 1)
    wrapped.reset(seed=0)
    total, lengths = np.zeros(3), []
    for _ in range(12):
        _, rewards, terminated, truncated, infos = wrapped.step(wrapped.action_space.sample())
        assert (np.abs(rewards) <= 1).all()
        over = terminated | truncated
        total += over
        if over.any():
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
            if mode is AutoresetMode.DISABLED:
                wrapped.reset(options={"reset_mask": over})
    assert set(lengths) == {5} and (total == 2).all() and counted.episode_count == 6
