"""Distance between two geoms, computed by the engine's collision functions."""

import numpy as np

from conjoint.api.arguments import OutVector, checked
from conjoint.api.functions.collider import measured
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import ArgumentError, FatalError
from conjoint.physics.collision.collider_table import collision, types_name, types_number
from conjoint.physics.collision.distance_table import DISTANCE_NUMBERS, NOT_MEASURED
from conjoint.runtime.entry import entry
from conjoint.runtime.user import installed
from conjoint.schema.enums import mjtGeom

_MEASURES = {
    number: entry(collision.distance.written(measure), "int", "int", "real", "out real[]")
    for measure, number in DISTANCE_NUMBERS.items()
}
_NO_GEOM = -1
"""Value that replaces the index of a collider if a geom does not exist."""

_NOWHERE = np.zeros(6)
"""Stand-in for `fromto` when the caller does not need the nearest points."""


@checked
def mj_geomDistance(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: OutVector | None) -> float:
    """Return the smallest signed distance (m) between two geoms.

    Args:
        d: the world, after `mj_kinematics`.
        geom1: id of the first geom.
        geom2: id of the second geom.
        distmax: maximum distance to search for.
        fromto: receives the nearest points on geom1 and geom2, zeros if no distance is found; None to skip them.

    Returns:
        The distance, negative if the geoms overlap; `distmax` if the distance is larger.

    Raises:
        FatalError: a geom does not exist, or no collider supports these geom types.
    """
    points = _NOWHERE if fromto is None else fromto
    if len(points) != 6:
        raise TypeError("fromto should be of size 6")
    plan = m.plans.current
    kinds = plan.kinds
    try:
        number = plan.measures[kinds[geom1]][kinds[geom2]]
    except IndexError:
        number = _NO_GEOM
    if number >= 0 and plan.replaced is installed.current:
        distance = _MEASURES[number](plan, d.world, geom1, geom2, distmax, points)
        if distance > NOT_MEASURED:
            return distance
    return _distance_now(m, d, geom1, geom2, distmax, fromto)


def _distance_now(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: np.ndarray | None) -> float:
    """Return the result of `mj_geomDistance` in the special cases: changed models, custom colliders, and errors."""
    if not (0 <= geom1 < m.ngeom and 0 <= geom2 < m.ngeom):
        raise ArgumentError(f"mj_geomDistance: invalid geom {geom2 if 0 <= geom1 < m.ngeom else geom1}")
    plan = m.plans.holding()
    kind1, kind2 = plan.kinds[geom1], plan.kinds[geom2]
    # the smaller type comes first
    swapped = kind1 > kind2
    first, second = (geom2, geom1) if swapped else (geom1, geom2)
    number = plan.measures[kind1][kind2]
    # users may have installed their own colliders
    own = measured(m, d, first, second, distmax) if plan.replaced.colliders else None
    if own is not None:
        distance, *ends = own
    elif number >= 0:
        return _MEASURES[number](plan, d.world, geom1, geom2, distmax, _NOWHERE if fromto is None else fromto)
    elif max(kind1, kind2) == mjtGeom.mjGEOM_PLANE:
        # the distance of two planes is undefined
        distance, ends = distmax, [(0.0, 0.0, 0.0)] * 2
    else:
        types = types_name(types_number(min(kind1, kind2), max(kind1, kind2)))
        raise FatalError(f"mj_geomDistance: {types}: not implemented")
    if fromto is not None:
        fromto[:3], fromto[3:] = reversed(ends) if swapped else ends
    return distance
