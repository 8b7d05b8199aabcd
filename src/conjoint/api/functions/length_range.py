"""Ranges of actuator lengths, found by simulation (API reference, Main simulation)."""

from typing import Any

from conjoint.api.arguments import checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.option import last_part
from conjoint.api.objects.struct import record_class
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.length_range import unknown_ranges
from conjoint.lang.errors import ArgumentError
from conjoint.runtime.length_range import length_range
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.option import LENGTH_RANGE_FIELDS

MjLROpt: Any = record_class("MjLROpt", "How to find a range of lengths.", LENGTH_RANGE_FIELDS, last_part)
MjLROpt.__module__ = __name__


@checked
def mj_defaultLROpt(opt: MjLROpt) -> None:
    """Set `opt` (`MjLROpt`) to what the compiler uses unless a model says otherwise.

    Args:
        opt: receives them.
    """
    for name, value in defaults("lengthrange").items():
        setattr(opt, name, value)


@checked
def mj_setLengthRange(m: MjModel, d: MjData, index: int, opt: MjLROpt) -> None:
    """Find the range of an actuator's lengths and write it to `m.actuator_lengthrange`.

    The options of `m` decide what takes part: the compiler disables gravity, contacts, dry friction, passive and
    actuator forces, and sets the time step.

    Args:
        d: a world to simulate in; its state is lost.
        index: the actuator.
        opt: which actuators have a range, and how it is found (`MjLROpt`).

    Raises:
        FatalError: there is no such actuator, or its length does not settle.
    """
    if not 0 <= index < m.nactuator:
        raise ArgumentError("mj_setLengthRange: invalid actuator index")
    arrays = Arrays(m.memory)
    if unknown_ranges(arrays, [index], opt.mode, opt.useexisting, opt.uselimit):
        arrays.actuator_lengthrange[arrays.actuator_outadr[index]] = length_range(d.world, m.plans, index, opt)
