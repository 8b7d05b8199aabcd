"""Distance between two geoms, by the collision functions of the engine."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from conjoint.api.arguments import OutVector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError, PlainStruct
from conjoint.physics.collision.narrowphase import SUPPORTED, collide_pair
from conjoint.runtime.pairs import TYPE_STRIDE
from conjoint.schema.enums import mjtGeom


class Overlay(SimpleNamespace):
    """A struct of uncompiled kernels in which some fields are others than in `base`."""

    base: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)


class ContactOverlay(Overlay):
    """A world with a contact list of its own, without limits."""

    def __init__(self, base: Any):
        super().__init__(base=base, ncon=0, ncon_needed=0, ncon_capacity=1 << 30)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("contact_"):
            # elements by index, as kernels use a field
            self.__dict__[name] = {}
            return self.__dict__[name]
        return super().__getattr__(name)


@checked
def mj_geomDistance(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: OutVector | None) -> float:
    """Smallest signed distance (m) of two geoms.

    Args:
        m: the model.
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
    for geom in (geom1, geom2):
        if not 0 <= geom < m.ngeom:
            raise FatalError(f"mj_geomDistance: invalid geom {geom}")
    if fromto is not None:
        fromto[:] = 0.0
    swapped = bool(m.geom_type[geom1] > m.geom_type[geom2])
    found = _contacts(m, d, geom2, geom1, distmax) if swapped else _contacts(m, d, geom1, geom2, distmax)
    if not found.ncon:
        return distmax
    i = min(range(found.ncon), key=lambda i: found.contact_dist[i])
    distance = float(found.contact_dist[i])
    if fromto is not None:
        middle, normal = np.array(found.contact_pos[i].parts), np.array(found.contact_frame[i].parts[:3])
        half = -0.5 * distance * normal if swapped else 0.5 * distance * normal
        fromto[:] = np.concatenate([middle - half, middle + half])
    return distance


def _contacts(m: MjModel, d: MjData, geom1: int, geom2: int, margin: float) -> ContactOverlay:
    """A world that has nothing but the contacts of two geoms, the smaller type first, up to a distance."""
    kinds = [int(m.geom_type[geom]) for geom in (geom1, geom2)]
    world = ContactOverlay(PlainStruct([d._world.data]))
    if kinds == [mjtGeom.mjGEOM_PLANE] * 2:
        return world
    types = kinds[0] * TYPE_STRIDE + kinds[1]
    if types not in SUPPORTED:
        names = " and ".join(mjtGeom(kind).name.removeprefix("mjGEOM_").lower() for kind in kinds)
        raise FatalError(f"mj_geomDistance: distances of {names} are not built yet")
    # as if the geoms were an explicit pair
    model = Overlay(
        base=PlainStruct([m._buffer]),
        candidate_geom1=[geom1],
        candidate_geom2=[geom2],
        candidate_types=[types],
        candidate_pair=[0],
        pair_margin=[margin],
        pair_gap=[0.0],
        pair_dim=[1],
        pair_friction=[1.0] * 5,
        pair_solref=[0.0] * 2,
        pair_solreffriction=[0.0] * 2,
        pair_solimp=[0.0] * 5,
        nconmax=-1,
        opt=SimpleNamespace(enableflags=0, disableflags=0),
    )
    collide_pair(model, world, 0)
    return world
