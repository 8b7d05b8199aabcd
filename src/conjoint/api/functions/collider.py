"""Table of collision functions, in which users install their own (Programming chapter, mjCOLLISIONFUNC)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.records import MjContact
from conjoint.lang import ArgumentError, FatalError, Kernel
from conjoint.lang.calls.entry import Entry
from conjoint.lang.language.name import value_of
from conjoint.once import made_once
from conjoint.physics.collision.collider_table import colliders, collision, no_contacts, types_number
from conjoint.runtime.entry import entry
from conjoint.runtime.user import installed
from conjoint.runtime.user.installed import Collider
from conjoint.schema.constants import mjMAXCONPAIR
from conjoint.schema.enums import mjtGeom


class CollisionTable:
    """Colliders of geom pairs. `mjCOLLISIONFUNC[type1, type2]`, with type1 <= type2, is the collider of two geom types.

    The table is global: it applies to all models. A collider may be

    * a kernel with the parameters `(m, d, g1, g2, margin, dists, points)` that returns the number of contacts. For each
      contact, it writes the distance to `dists`, and the position, the normal from g1 to g2 and the tangent (or zeros)
      to `points`;
    * a Python function with the parameters `(m, d, con, g1, g2, margin)` that fills contacts of the list `con` and
      returns their number. It sets `dist`, `pos`, and the normal as the first row of `frame`. Python functions work on
      single worlds, not in batches;
    * None: geoms of these types do not collide.

    `del mjCOLLISIONFUNC[type1, type2]` restores the default collider of the pair.
    """

    def __getitem__(self, types: tuple[int, int]) -> Collider | None:
        """Return the collider of two geom types, custom or default, or None if the types do not collide."""
        number = _number(types)
        own = dict(installed.current.colliders)
        collider: Collider | None = own[number] if number in own else value_of(colliders(0, 0).get(_types(types)))
        return None if collider is no_contacts else collider

    def __setitem__(self, types: tuple[int, int], collider: Collider | None) -> None:
        """Replace the collider of a pair of geom types.

        Raises:
            TypeError: the collider is neither a kernel, nor a function, nor None.
            FatalError: the larger type comes first, or a number is not a geom type.
        """
        number = _number(types)
        if collider is not None and not callable(collider):
            raise TypeError(f"a collision function is a kernel, a Python function or None, not {collider!r}")
        mine: dict[int, Collider] = dict(installed.current.colliders)
        installed.set_colliders((mine | {number: no_contacts if collider is None else collider}).items())

    def __delitem__(self, types: tuple[int, int]) -> None:
        """Restore the default collider of a pair of geom types."""
        number = _number(types)
        installed.set_colliders(item for item in installed.current.colliders if item[0] != number)


mjCOLLISIONFUNC = CollisionTable()
"""The table of collision functions."""


def _types(types: Sequence[int]) -> tuple[mjtGeom, mjtGeom]:
    """Check a pair of geom types and return it.

    Raises:
        FatalError: the larger type comes first, or a number is not a geom type.
    """
    first, second = (int(kind) for kind in types)
    if not 0 <= first <= second < mjtGeom.mjNGEOMTYPES:
        raise ArgumentError(
            f"mjCOLLISIONFUNC: ({first}, {second}) are not two types of geoms (mjtGeom), the smaller first"
        )
    return mjtGeom(first), mjtGeom(second)


def _number(types: Sequence[int]) -> int:
    return types_number(*_types(types))


Found = list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]
"""List of contacts, each with distance, position, normal and tangent."""


def call(function: Any, m: MjModel, d: MjData, g1: int, g2: int, margin: float) -> Found:
    """Call a Python collider and return its contacts.

    Raises:
        TypeError: the collider does not return a number.
        FatalError: the collider returns more contacts than allowed.
    """
    con = [MjContact() for _ in range(mjMAXCONPAIR)]
    count = function(m, d, con, g1, g2, margin)
    if not isinstance(count, int | np.integer):
        raise TypeError("a collision function must return the number of contacts")
    if not 0 <= count <= mjMAXCONPAIR:
        raise FatalError(f"a collision function returned {count} contacts; at most {mjMAXCONPAIR} are possible")
    return [(float(c.dist), c.pos, c.frame.ravel()[:3], c.frame.ravel()[3:6]) for c in con[:count]]


def collide(m: MjModel, d: MjData) -> None:
    """Call the Python colliders for all candidate pairs of the geom types for which they are installed."""
    functions = {n: f for n, f in installed.current.functions().items() if not isinstance(f, Kernel)}
    arena, data = d.world.arena.view, d.world.data.view
    for k in np.flatnonzero(arena("near_hit")[: int(data("nnear"))]).tolist():
        function = functions.get(int(arena("near_collider")[k]))
        if function is not None:
            g1, g2 = (int(arena(name)[k]) for name in ("near_geom1", "near_geom2"))
            found = call(function, m, d, g1, g2, float(arena("near_margin")[k]))
            first = int(data("nfound_geoms"))
            arena("found_adr")[k], arena("found_num")[k] = first, len(found)
            data("nfound_geoms")[...] = first + len(found)
            # contacts that do not fit are recomputed after the arrays have grown
            if first + len(found) <= int(data("ncon_capacity")):
                for i, (dist, *vectors) in enumerate(found, first):
                    arena("found_dist")[i] = dist
                    arena("found_point")[i] = vectors


@made_once
def _measure(kernel: Kernel) -> Entry:
    return entry(value_of(collision.distance).distance_of(kernel), "int", "int", "real")


def measured(m: MjModel, d: MjData, g1: int, g2: int, most: float) -> tuple[float, Any, Any] | None:
    """Return the distance between two geoms, and its end points, as computed by the user's collider.

    Return None if the user installed no collider for these geom types.
    """
    types = types_number(int(m.geom_type[g1]), int(m.geom_type[g2]))
    collider = dict(installed.current.colliders).get(types)
    if collider is None:
        return None
    if isinstance(collider, Kernel):
        distance, first, second = _measure(collider)(m.plans.current, d.world, g1, g2, most)
        return distance, first, second
    nearest = min(call(collider, m, d, g1, g2, most), key=lambda contact: contact[0], default=None)
    if nearest is None:
        return most, np.zeros(3), np.zeros(3)
    dist, pos, normal, _ = nearest
    return dist, pos - 0.5 * dist * normal, pos + 0.5 * dist * normal
