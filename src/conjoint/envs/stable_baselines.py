"""`StableBaselinesEnv`: the worlds of a `Batch` for stable-baselines3 (needs the extra `sb3`).

For example, train a policy for the task hopper in 64 worlds:

    from stable_baselines3 import PPO
    from conjoint.envs.stable_baselines import StableBaselinesEnv

    PPO("MlpPolicy", StableBaselinesEnv("hopper", 64)).learn(100_000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from conjoint.envs.observations import infos_of_world, of_world
from conjoint.envs.task import Task
from conjoint.envs.vector import BatchEnv
from conjoint.lang.optional_packages import missing

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise missing("sb3", "conjoint.envs.stable_baselines", error) from None

WHOLE = "worlds of a batch are not separate environments: "


class StableBaselinesEnv(VecEnv):
    """A `BatchEnv` with the methods that stable-baselines3 calls.

    Worlds whose episode is over begin a new one in the same step. `infos[k]["terminal_observation"]` is then the last
    observation, and `infos[k]["TimeLimit.truncated"]` says whether the episode was truncated. `VecMonitor`,
    `VecNormalize` and other wrappers work. The attribute `envs` is the `BatchEnv`.

    Args:
        task: the task, its class, or its name.
        num_envs: number of worlds.
        options: other arguments of `BatchEnv`, except `autoreset_mode`.
    """

    def __init__(self, task: Task | type[Task] | str, num_envs: int = 1, **options: Any):
        self.envs = BatchEnv(task, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self._actions: Any = None
        self.render_mode = self.envs.render_mode
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self.metadata = self.envs.metadata

    def reset(self) -> Any:
        """Begin new episodes in all worlds, and return their observations."""
        # a seed that the method `seed` sets is used for one reset only
        seed = self._seeds[0]
        options = self._options[0] or None
        observations, infos = self.envs.reset(seed=seed, options=options)
        self.reset_infos = [infos_of_world(infos, k) for k in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Set the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Advance all worlds by one step; return observations, rewards, flags of finished episodes, and infos."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        over = terminated | truncated
        final, last = infos.pop("final_info", {}), infos.pop("final_obs", None)
        each = [infos_of_world(infos, k) for k in range(self.num_envs)]
        for k in np.flatnonzero(over).tolist():
            each[k] |= infos_of_world(final, k)
            each[k]["terminal_observation"] = of_world(last, k)
            each[k]["TimeLimit.truncated"] = bool(truncated[k])
        return observations, rewards.astype(np.float32), over, each

    def close(self) -> None:
        """Stop the threads and close the window."""
        self.envs.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return a picture of every world, if `render_mode` is "rgb_array"."""
        return list(self.envs.render() or [None] * self.num_envs)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return a list that repeats an attribute of the `BatchEnv` for each selected world."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the `BatchEnv`.

        Raises:
            ValueError: `indices` selects only some of the worlds.
        """
        if len(list(self._get_indices(indices))) < self.num_envs:
            raise ValueError(f"{WHOLE}set {attr_name!r} for all of them (indices=None)")
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the `BatchEnv` once, and return a list that repeats its result for each selected world."""
        found = getattr(self.envs, method_name)(*args, **kwargs)
        return [found] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each selected world, because worlds are never wrapped."""
        return [False] * len(list(self._get_indices(indices)))
