"""Limits of stages. A model that exceeds a limit is rejected, so that no result is silently wrong.

A `Lack` is listed with its stage in the table (`runtime/stages.py`). It is tested when a pipeline is created, and again
whenever a watched row of the model changes. So the rows that it reads must be watched or fixed, which a test checks.
"""

from __future__ import annotations

import numpy as np

from conjoint.lang import FatalError
from conjoint.runtime.pair_kernels import undistanced_geoms, unmeasured_types, unsupported_pairs
from conjoint.runtime.pairs import have_bits
from conjoint.runtime.plan import ModelArrays
from conjoint.runtime.stage import Lack
from conjoint.runtime.user.plugins import unknown_plugins
from conjoint.schema.enums import mjtCone, mjtDisableBit, mjtIntegrator, mjtSensor

CONSTRAINT = mjtDisableBit.mjDSBL_CONSTRAINT
CONTACT = int(CONSTRAINT | mjtDisableBit.mjDSBL_CONTACT)

DIMENSIONS = range(1, 7)
"""Permitted contact dimensions; only 1, 3, 4 and 6 are documented."""


def _unfelt(m: ModelArrays) -> list[str]:
    """Return the reasons why the tactile sensors of a model are not supported."""
    meshes = sorted({int(m.sensor_objid[s]) for s in np.flatnonzero(m.sensor_type == mjtSensor.mjSENS_TACTILE)})
    known = range(len(m.mesh_vertnum))
    flat = [mesh for mesh in meshes if mesh not in known or m.mesh_normalnum[mesh] < 3 * m.mesh_vertnum[mesh]]
    words = [f"need a mesh with tangents, a builtin plate or wedge, unlike mesh {mesh}" for mesh in flat]
    return words + (["do not support meshes with signed distances yet"] if meshes and len(m.oct_depth) else [])


def check_dimensions(m: ModelArrays) -> None:
    """Check the contact dimensions, because the user may have changed them.

    Raises:
        FatalError: a contact could have less than one or more than six dimensions.
    """
    wrong = {
        "geom_condim": have_bits(m) & ~np.isin(m.geom_condim, DIMENSIONS),
        "pair_dim": ~np.isin(m.pair_dim, DIMENSIONS),
        # a flex with a smaller dimension lets its contact partner decide
        "flex_condim": m.flex_condim > DIMENSIONS[-1],
    }
    for name, found in wrong.items():
        for k in np.flatnonzero(found)[:1].tolist():
            raise FatalError(f"{name}[{k}] is {getattr(m, name)[k]}: contacts have 1, 3, 4 or 6 dimensions")


UNDISTANCED = Lack("collisions of {}", undistanced_geoms, CONTACT)
COLLISIONS = Lack("collisions of {}", unsupported_pairs, CONTACT)
DISTANCES = Lack(
    "distance, normal and fromto sensors of {} are not implemented", unmeasured_types, mjtDisableBit.mjDSBL_SENSOR
)
TACTILE = Lack("tactile sensors {}", _unfelt, mjtDisableBit.mjDSBL_SENSOR)
UNKNOWN_PLUGINS = Lack("the plugin {}", unknown_plugins)
DISCRETE_RUNGE_KUTTA = Lack(
    "discrete inverse dynamics does not support the integrator RK4: choose another integrator",
    lambda m: m.opt.integrator == mjtIntegrator.mjINT_RK4,
)
PYRAMIDS = Lack(
    "the complementarity solver with pyramidal friction cones: set option cone to elliptic",
    lambda m: m.opt.cone != mjtCone.mjCONE_ELLIPTIC,
    CONTACT,
)
