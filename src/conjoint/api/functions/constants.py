"""Constants of a model that follow from its other fields (API reference, Main simulation)."""

from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.errors import FatalError
from conjoint.runtime.constants import Constants

SLIDES_ONLY = 2
"""`body_simple` of bodies that only slide along axes of the world: their mass is their inertia."""


@checked
def mj_setConst(m: MjModel, d: MjData) -> None:
    """Set again the fields of `m` that were derived when it was compiled, after others were changed.

    These are the fields whose names end in 0, evaluated in `qpos0`; `body_subtreemass`, `m.stat`, resting lengths of
    tendons and dampings that are given as negative lengths and positive ratios, and what connect and weld constraints
    keep. Masses and inertias do not follow from geoms any more: they are what they were set to. `d` is left as it is,
    but trees that sleep wake up.

    Args:
        m: the model.
        d: a world of the model.

    Raises:
        FatalError: a body that only slides has no mass.
    """
    empty = np.flatnonzero((m.body_simple == SLIDES_ONLY) & (m.body_mass == 0))
    if len(empty):
        raise FatalError(f"mj_setConst: moving body {empty[0]} has 0 mass: give it one (body_mass)")
    plan = m.plans.holding()
    version, constants = _kept.get(m, (0, None))
    if constants is None or version != plan.version:
        constants = Constants(plan.structure)
        _kept[m] = plan.version, constants
    constants.find()
    # what is known of trees that sleep may no longer be so
    d.world.data.view("tree_rest")[...] = 0


_kept: WeakKeyDictionary[MjModel, tuple[int, Constants]] = WeakKeyDictionary()
"""What found the constants of each model the last time, for a version of its plan."""
