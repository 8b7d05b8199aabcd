"""Distance between two geoms, by the collision functions of the engine."""

import numpy as np

from conjoint.api.arguments import OutVector, checked, require
from conjoint.api.functions.collider import measured
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.physics.collision.collider_table import types_name, types_number
from conjoint.physics.collision.distance import DISTANCE_NUMBERS, UNSORTED_POINTS, written
from conjoint.runtime.entry import entry
from conjoint.schema.enums import mjtGeom

_MEASURES = {
    number: entry(written(measure), "int", "int", "real", "int", "out real[]")
    for measure, number in DISTANCE_NUMBERS.items()
}
_KINDS = int(mjtGeom.mjNGEOMTYPES)
_UNSORTED = [DISTANCE_NUMBERS[measure] for measure in UNSORTED_POINTS]


@checked
def mj_geomDistance(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: OutVector | None) -> float:
    """Smallest signed distance (m) of two geoms.

    Args:
        d: the world, after `mj_kinematics`.
        geom1: id of a geom.
        geom2: id of another.
        distmax: distances beyond this need not be found.
        fromto: receives the points on geom1 and geom2 between which the distance is, zeros if none is found; None to
            leave it out.

    Returns:
        The distance, negative where the geoms overlap; distmax if it is larger.

    Raises:
        FatalError: there is no such geom, or no stage computes collisions of these types yet.
    """
    require(fromto is None or len(fromto) == 6, "fromto should be of size 6")
    if not (0 <= geom1 < m.ngeom and 0 <= geom2 < m.ngeom):
        raise FatalError(f"mj_geomDistance: invalid geom {geom2 if 0 <= geom1 < m.ngeom else geom1}")
    plan = m.plans.holding()
    kinds = plan.kinds
    kind1, kind2 = kinds[geom1], kinds[geom2]
    # the smaller type is the first
    swapped = kind1 > kind2
    if swapped:
        geom1, geom2, kind1, kind2 = geom2, geom1, kind2, kind1
    # programs may have colliders of their own
    own = measured(m, d, geom1, geom2, distmax) if plan.replaced.colliders else None
    number = plan.measures[kind1 * _KINDS + kind2]
    if own is not None:
        distance, *ends = own
    elif number >= 0:
        points = np.empty(6) if fromto is None else fromto
        turned = int(swapped and number not in _UNSORTED)
        return _MEASURES[number](plan, d.world, geom1, geom2, distmax, turned, points)
    elif kind2 == mjtGeom.mjGEOM_PLANE:
        # planes have no distance from each other
        distance, ends = distmax, [(0.0, 0.0, 0.0)] * 2
    else:
        raise FatalError(f"mj_geomDistance: {types_name(types_number(kind1, kind2))}: not built yet")
    if fromto is not None:
        fromto[:3], fromto[3:] = reversed(ends) if swapped else ends
    return distance
