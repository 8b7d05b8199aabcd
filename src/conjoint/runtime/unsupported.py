"""What the schema knows but no stage computes yet: refused, so that no result is wrong in silence."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from conjoint.runtime.pairs import unsupported_pairs
from conjoint.runtime.plan import ModelArrays, Plan
from conjoint.schema.enums import (
    mjtCone,
    mjtDisableBit,
    mjtSensor,
    mjtTrn,
)

SENSORS = {
    mjtSensor.mjSENS_RANGEFINDER: "rangefinder", mjtSensor.mjSENS_CAMPROJECTION: "camprojection",
    mjtSensor.mjSENS_INSIDESITE: "insidesite", mjtSensor.mjSENS_GEOMDIST: "distance",
    mjtSensor.mjSENS_GEOMNORMAL: "normal", mjtSensor.mjSENS_GEOMFROMTO: "fromto",
    mjtSensor.mjSENS_CONTACT: "contact", mjtSensor.mjSENS_TACTILE: "tactile",
}  # fmt: skip
"""Sensors that no stage computes."""

NO_EQUALITY = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_EQUALITY)
NO_CONTACT = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_CONTACT)


INDEPENDENT = frozenset({
    "mj_kinematics", "mj_comPos", "mj_camlight", "mj_comVel", "mj_factorM", "mj_rne", "mj_solveM", "mj_solveM2",
    "mj_mulM", "mj_mulM2", "mj_subtreeVel", "mj_energyVel",
})  # fmt: skip
"""Functions that only bodies and joints matter to: they are right for every model."""


SOLVING = frozenset({"mj_fwdConstraint", "mj_invConstraint"})
"""Functions that look for constraint forces; rows of the Jacobian are right without them."""


def unsupported(plan: Plan, functions: Collection[str] = ()) -> list[str]:
    """One line for each feature of the model that is not built yet; empty if the model can be simulated.

    Args:
        plan: the model.
        functions: names of the stages to run, if not all.
    """
    if functions and INDEPENDENT.issuperset(functions):
        return []
    m = plan.arrays()
    pairs = () if int(m.opt.disableflags) & NO_CONTACT else unsupported_pairs(m)
    return [*pairs, *_elements(m), *_options(m, not functions or not SOLVING.isdisjoint(functions))]


def _elements(m: ModelArrays) -> Iterator[str]:
    """Elements whose effect no stage computes, if it is not disabled."""
    disabled = int(m.opt.disableflags)
    if len(m.eq_type) and not disabled & NO_EQUALITY:
        yield "equality constraints are not built yet: remove them, or set option flag equality to disable"
    if mjtTrn.mjTRN_BODY in m.actuator_trntype:
        yield "actuators with body transmission are not built yet"
    for sensor, name in SENSORS.items():
        if sensor in m.sensor_type and not disabled & mjtDisableBit.mjDSBL_SENSOR:
            yield f"{name} sensors are not built yet"
    if len(m.plugin):
        yield "plugins are not built yet"
    if len(m.flex_dim):
        yield "flexes are not built yet"


def _options(m: ModelArrays, solving: bool) -> Iterator[str]:
    """Options that ask for something no stage computes; integrators are refused where the stages are chosen."""
    dims = np.concatenate([m.geom_condim, m.pair_dim])
    contacts = not int(m.opt.disableflags) & NO_CONTACT and dims.size and dims.max() > 1
    if solving and contacts and int(m.opt.cone) == mjtCone.mjCONE_ELLIPTIC:
        yield "elliptic friction cones are not built yet: set option cone to pyramidal"
    if int(m.opt.noslip_iterations) > 0:
        yield "the noslip solver is not built yet: set option noslip_iterations to 0"
    fluid = float(m.opt.density) > 0 or float(m.opt.viscosity) > 0
    if fluid and not int(m.opt.disableflags) & mjtDisableBit.mjDSBL_PASSIVE:
        yield "fluid forces are not built yet: set options density and viscosity to 0"
