"""Learning tasks: Gymnasium environments that step the worlds of a `Batch` (needs the extra `envs`).

    import conjoint.envs
    envs = conjoint.envs.BatchEnv("hopper", num_envs=64)

Gymnasium finds the tasks by their ids, even without this import:

    envs = gymnasium.make_vec("conjoint.envs:conjoint/Hopper-v0", num_envs=64)
"""

from conjoint.lang.optional_packages import missing

try:
    import gymnasium
except ImportError as error:
    raise missing("envs", "conjoint.envs", error) from None

from conjoint.envs.policy import Policy
from conjoint.envs.randomize import Range
from conjoint.envs.task import Task
from conjoint.envs.tasks import TASKS
from conjoint.envs.vector import BatchEnv, SingleEnv

for _task in TASKS.values():
    gymnasium.register(
        id=_task.id,
        entry_point="conjoint.envs:SingleEnv",
        vector_entry_point="conjoint.envs:BatchEnv",
        max_episode_steps=_task.max_steps,
        kwargs={"task": _task.name},
    )

__all__ = ["TASKS", "BatchEnv", "Policy", "Range", "SingleEnv", "Task"]
