"""Many simulations of one model under the interface of the official module `mujoco.batch`, which came with 3.17.

`mujoco.batch` is this module in programs that asked for a version from 3.17 on (`install_as_mujoco`). Numbers are those
of this engine. Few simulations, and those that need a world of their own, have the results of `mj_step`, bit for bit.
Many run side by side in the lanes of a `conjoint.Batch`, and agree with `mj_step` to rounding.
"""

from conjoint.compat.batch.batch import Batch
from conjoint.compat.batch.fields import DATA_FIELDS, MODEL_FIELDS
from conjoint.compat.batch.results import SimulationError

__all__ = ["DATA_FIELDS", "MODEL_FIELDS", "Batch", "SimulationError"]
