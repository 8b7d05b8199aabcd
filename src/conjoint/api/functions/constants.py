"""Derived constants of a model, and ranges of actuator lengths (API reference)."""

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
"""`body_simple` of bodies that only slide along axes of the world: their mass is their inertia."""


@checked
def mj_setConst(m: MjModel, d: MjData) -> None:
    """Recompute the derived fields of `m` after changes of other fields.

    Derived fields are those whose names end in 0, evaluated in `qpos0`; `body_subtreemass`; `m.stat`; and the relative
    poses that connect and weld constraints hold. Resting lengths of tendons given as negative numbers, and dampings
    given as positive ratios, are derived, too. Masses and inertias are not computed from geoms again. `d` does not
    change, but sleeping trees wake up.

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
"""Cache by model: the object that computed its constants, with the version of its plan."""


MjLROpt: Any = record_class("MjLROpt", "How to find a range of lengths.", LENGTH_RANGE_FIELDS, last_part)
MjLROpt.__module__ = __name__


@checked
def mj_defaultLROpt(opt: MjLROpt) -> None:
    """Set `opt` (`MjLROpt`) to the compiler's defaults.

    Args:
        opt: receives them.
    """
    for name, value in defaults("lengthrange").items():
        setattr(opt, name, value)


@checked
def mj_setLengthRange(m: MjModel, d: MjData, index: int, opt: MjLROpt) -> None:
    """Find the range of an actuator's lengths and write it to `m.actuator_lengthrange`.

    Which forces act is set by the options of `m`. The compiler disables gravity, contacts, dry friction, passive and
    actuator forces, and sets the time step.

    Args:
        d: a world to simulate in; its state is lost.
        index: the actuator.
        opt: which actuators have a range, and parameters of the search (`MjLROpt`).

    Raises:
        FatalError: the actuator does not exist, or its length does not converge.
    """
    if not 0 <= index < m.nactuator:
        # the official sentence
        raise ArgumentError("mj_setLengthRange: invalid actuator index")
    arrays = Arrays(m.memory)
    if unknown_ranges(arrays, [index], opt.mode, opt.useexisting, opt.uselimit):
        arrays.actuator_lengthrange[arrays.actuator_outadr[index]] = length_range(d.world, m.plans, index, opt)
