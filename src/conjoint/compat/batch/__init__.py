"""Many simulations of one model, with the interface of the module `mujoco.batch` of MuJoCo 3.17.

Programs that select version 3.17 or newer (`install_as_mujoco`) import this module as `mujoco.batch`. If there are few
simulations, or they need separate worlds, results agree with `mj_step` bit for bit. Many simulations run side by side
in the lanes of a `conjoint.Batch`, and agree with `mj_step` up to rounding.
"""

from conjoint.compat.batch.batch import Batch
from conjoint.compat.batch.fields import DATA_FIELDS, MODEL_FIELDS
from conjoint.compat.batch.results import SimulationError

__all__ = ["DATA_FIELDS", "MODEL_FIELDS", "Batch", "SimulationError"]
