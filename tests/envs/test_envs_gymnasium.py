"""Gymnasium's eleven MuJoCo tasks (v5) have the same observations, rewards, ends and initial states."""

from __future__ import annotations

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from conjoint.envs import TASKS, BatchEnv
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = [
    pytest.mark.skipif(not jit_enabled(), reason="hundreds of steps: compiled only"),
    # Gymnasium's environments warn about steps after the end of an episode
    pytest.mark.filterwarnings("ignore"),
]
NAMES = [name for name in TASKS if name.endswith("-v5")]
TOLERANCE = 1e-10
"""Maximum difference from Gymnasium's results, relative to the largest number, or to 1 if that is larger."""


CHAOTIC = ("Ant-v5", "HalfCheetah-v5")
"""Tasks whose motion under random actions is chaotic.

If MuJoCo's own state is changed by 1e-16, MuJoCo's results diverge as far and as early as Conjoint's. So every step
starts from MuJoCo's state.
"""


SEED = 5


def beside(name: str, mode: AutoresetMode, worlds: int = 2) -> tuple[SyncVectorEnv, BatchEnv]:
    """Return a task as Gymnasium's environments on MuJoCo, and as a Conjoint batch."""
    official = SyncVectorEnv([functools.partial(gymnasium.make, name)] * worlds, autoreset_mode=mode)
    return official, BatchEnv(name, worlds, autoreset_mode=mode)


def take_state(ours: BatchEnv, official: SyncVectorEnv) -> None:
    """Copy the states of Gymnasium's environments to the Conjoint batch."""
    for k, env in enumerate(official.envs):
        data = env.unwrapped.data
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(ours.batch, name)[k] = getattr(data, name)


def same(found, expected, what: str) -> None:
    expected = np.asarray(expected, float)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale, err_msg=what)


def test_there_are_eleven() -> None:
    assert len(NAMES) == 11


@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_steps_are_those_of_gymnasium(name: str) -> None:
    """Seeded episodes have Gymnasium's observations, rewards, reward terms, ends and restarts."""
    official, ours = beside(name, AutoresetMode.NEXT_STEP)
    assert ours.single_observation_space == official.single_observation_space
    assert ours.single_action_space == official.single_action_space
    # with this seed, the pusher's arm does not touch the cylinder; that contact is iterative, exact only to 1e-7
    same(ours.reset(seed=SEED)[0], official.reset(seed=SEED)[0], "reset")
    official.action_space.seed(1)
    compared: set[str] = set()
    for i in range(100):
        actions = official.action_space.sample()
        if name in CHAOTIC:
            take_state(ours, official)
        theirs, mine = official.step(actions), ours.step(actions)
        for k, what in enumerate(("observations", "rewards", "terminated", "truncated")):
            same(mine[k], theirs[k], f"{what} of step {i}")
        reported = [term for term in mine[4].keys() & theirs[4].keys() if not term.startswith("_")]
        compared |= {*reported}
        for term in reported:
            same(mine[4][term], theirs[4][term], f"{term} of step {i}")
    assert any(term.startswith("reward") for term in compared)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_episodes_begin_again_as_those_of_gymnasium(mode: AutoresetMode) -> None:
    """Both autoreset modes return the same observations, rewards, flags and infos as Gymnasium's environments."""
    official, ours = beside("Hopper-v5", mode, 3)
    assert ours.metadata["autoreset_mode"] is mode
    same(ours.reset(seed=3)[0], official.reset(seed=3)[0], "reset")
    official.action_space.seed(2)
    ended = 0
    for i in range(60):
        actions = official.action_space.sample()
        theirs, mine = official.step(actions), ours.step(actions)
        for k in range(4):
            same(mine[k], theirs[k], f"step {i}")
        over = theirs[2] | theirs[3]
        ended += over.sum()
        if over.any() and mode is AutoresetMode.SAME_STEP:
            assert (mine[4]["_final_obs"] == over).all() and (mine[4]["_final_info"] == over).all()
            for k in np.flatnonzero(over):
                same(mine[4]["final_obs"][k], theirs[4]["final_obs"][k], f"last observation of step {i}")
            term = "reward_forward"
            assert (mine[4]["final_info"][f"_{term}"] == over).all()
            same(mine[4]["final_info"][term][over], theirs[4]["final_info"][term][over], f"last {term} of step {i}")
        elif over.any():
            options = [{"reset_mask": over.copy()} for _ in range(2)]
            same(ours.reset(options=options[0])[0], official.reset(options=options[1])[0], f"reset after step {i}")
    assert ended > 3


def test_attributes_have_the_names_of_gymnasiums_arguments() -> None:
    options = {"ctrl_cost_weight": 0.3, "reset_noise_scale": 0.0, "exclude_current_positions_from_observation": False}
    official, ours = gymnasium.make("Walker2d-v5", **options), BatchEnv("Walker2d-v5", **options)
    same(ours.reset(seed=0)[0][0], official.reset(seed=0)[0], "reset")
    action = np.full(6, 0.5)
    assert ours.step(action[None])[1][0] == pytest.approx(official.step(action)[1], abs=1e-12)
    with pytest.raises(TypeError, match="no argument 'ctrl_cost': the task 'Walker2d-v5' has no such attribute"):
        BatchEnv("Walker2d-v5", ctrl_cost=0.3)
