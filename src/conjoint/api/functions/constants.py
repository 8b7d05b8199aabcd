"""Functions that compute a model's derived constants and the length ranges of actuators (API reference)."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.option import last_part
from conjoint.api.objects.struct import record_class
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.length_range import unknown_ranges
from conjoint.lang.errors import ArgumentError, FatalError
from conjoint.runtime.constants import Constants
from conjoint.runtime.length_range import length_range
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.option import LENGTH_RANGE_FIELDS

SLIDES_ONLY = 2
"""Value of `body_simple` for bodies that only slide along world axes, so that the diagonal of M is their mass."""


@checked
def mj_setConst(m: MjModel, d: MjData) -> None:
    """Recompute the derived fields of `m` after other fields were changed.

    Derived fields are the fields whose names end in 0 (evaluated at `qpos0`), `body_subtreemass`, `m.stat`, and the
    relative poses that connect and weld constraints enforce. Tendon rest lengths given as negative numbers and dampings
    given as positive damping ratios are derived, too. Masses and inertias are not recomputed from geoms. `d` does not
    change, except that sleeping trees wake up.

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
    # the cached results of sleeping trees may be out of date
    d.world.data.view("tree_rest")[...] = 0


_kept: WeakKeyDictionary[MjModel, tuple[int, Constants]] = WeakKeyDictionary()
"""Cache that maps a model to the version of its plan and the object that computes its constants."""


MjLROpt: Any = record_class(
    "MjLROpt", "Options of the search for length ranges of actuators.", LENGTH_RANGE_FIELDS, last_part
)
MjLROpt.__module__ = __name__


@checked
def mj_defaultLROpt(opt: MjLROpt) -> None:
    """Set `opt` (`MjLROpt`) to the compiler's defaults.

    Args:
        opt: options, which receive the defaults.
    """
    for name, value in defaults("lengthrange").items():
        setattr(opt, name, value)


@checked
def mj_setLengthRange(m: MjModel, d: MjData, index: int, opt: MjLROpt) -> None:
    """Find the length range of an actuator and write it to `m.actuator_lengthrange`.

    The search is a simulation under the current options of `m`. The compiler, in contrast, disables gravity, contacts,
    dry friction, passive forces and actuator forces, and sets the time step.

    Args:
        d: a world in which the search simulates; its state is overwritten.
        index: id of the actuator.
        opt: selection of the actuators that have a range, and search parameters (`MjLROpt`).

    Raises:
        FatalError: the actuator does not exist, or its length does not converge.
    """
    if not 0 <= index < m.nactuator:
        # MuJoCo's message
        raise ArgumentError("mj_setLengthRange: invalid actuator index")
    arrays = Arrays(m.memory)
    if unknown_ranges(arrays, [index], opt.mode, opt.useexisting, opt.uselimit):
        arrays.actuator_lengthrange[arrays.actuator_outadr[index]] = length_range(d.world, m.plans, index, opt)
