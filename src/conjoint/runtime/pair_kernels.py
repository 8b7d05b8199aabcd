"""Kernels for contacts and distances between geom types, and pairs of types without such a kernel.

Types that may touch are the types of the pairs that a plan lists, and of the geoms that a sweep may pair
(`runtime.pairs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from conjoint.lang.language.name import Name
from conjoint.physics.collision.collider_table import (
    COLLIDER_NUMBERS,
    CONVEX_NUMBERS,
    colliders,
    types_name,
    types_number,
)
from conjoint.physics.collision.distance_table import DISTANCE_NUMBERS, distances
from conjoint.physics.pair_filter import bits_match
from conjoint.physics.plugins import PLUGINS
from conjoint.runtime.pairs import FLAT, have_bits
from conjoint.runtime.user.installed import Replaced
from conjoint.schema.constants import APART_MOST
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtObj, mjtSensor

DISTANCE_SENSORS = (mjtSensor.mjSENS_GEOMDIST, mjtSensor.mjSENS_GEOMNORMAL, mjtSensor.mjSENS_GEOMFROMTO)
"""Sensors that measure distances between geoms."""


def types_present(m: Any) -> set[int]:
    """Return the indices of the pairs of geom types that may touch.

    Args:
        m: object with the rows of a model and of its plan as attributes.
    """
    return set(np.asarray(m.candidate_types).tolist()) | set(_swept_types(m))


def remembered_pairs(m: Mapping[str, np.ndarray], swept: int) -> int:
    """Return the number of convex pairs whose separation a world stores, about twice the number that may be near.

    Args:
        m: candidates of a plan, and the kernels that find contacts of each pair of types.
        swept: approximate number of pairs that are found in every step.

    Returns:
        A power of two up to `APART_MOST`; 0 if there are no such pairs.
    """
    searched = np.isin(m["types_collider"][m["candidate_types"]], CONVEX_NUMBERS)
    count = min(int(searched.sum()) + swept, APART_MOST)
    return 1 << (count - 1).bit_length() if count else 0


def collider_rows(m: Any, replaced: Replaced) -> dict[str, np.ndarray]:
    """Return the plan rows with the contact and distance kernels for each pair of geom types, given a model's flags."""
    flags = int(m.opt.disableflags), int(m.opt.enableflags), int(m.edition)
    contacts, measures = (numbers.copy() for numbers in numbers_under(*flags))
    for types, number in replaced.numbers().items():
        contacts[types], measures[types] = number, -1
    return {"types_collider": contacts, "types_distance": measures}


@lru_cache
def numbers_under(disableflags: int, enableflags: int, edition: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the contact and distance kernels for each pair of types, for given flags and edition."""
    return (
        _numbers_by_types(colliders(disableflags, enableflags, edition), COLLIDER_NUMBERS),
        _numbers_by_types(distances(disableflags, enableflags, edition), DISTANCE_NUMBERS),
    )


def _numbers_by_types(table: Mapping[tuple[mjtGeom, mjtGeom], Name], numbers: Mapping[Name, int]) -> np.ndarray:
    """Return the index of the kernel for each pair of geom types; -1 for pairs without a kernel."""
    found = np.full(mjtGeom.mjNGEOMTYPES**2, -1)
    for types, kernel in table.items():
        found[types_number(*types)] = numbers[kernel]
    return found


def _swept_geoms(m: Any) -> np.ndarray:
    """Return the geoms whose pairs are found in every step: geoms of parts and of the static tree."""
    found = np.zeros(len(m.geom_type), bool)
    if m.nsweep or m.ncrossing or m.nmover:
        found[np.asarray(m.part_geom)] = True
        found[np.asarray(m.plane_geom)] = True
    if m.nmover:
        found[np.asarray(m.static_geom)] = True
    return np.flatnonzero(found & have_bits(m))


def _swept_types(m: Any) -> dict[int, tuple[int, int]]:
    """Return the pairs of geom types that a sweep may find, by index, each with an example pair of geoms.

    Filters that depend on bodies are ignored.
    """
    geoms = _swept_geoms(m)
    if not len(geoms):
        return {}
    bits = np.stack([np.asarray(x)[geoms] for x in (m.geom_type, m.geom_contype, m.geom_conaffinity)], axis=1)
    static = np.asarray(m.body_weldid)[np.asarray(m.geom_bodyid)[geoms]] == 0
    bits = np.column_stack([bits, static])
    kinds, example, count = np.unique(bits, axis=0, return_index=True, return_counts=True)
    found: dict[int, tuple[int, int]] = {}
    for i, (kind, contype, conaffinity, fixed) in enumerate(kinds.tolist()):
        for j, (other, other_contype, other_conaffinity, other_fixed) in enumerate(kinds.tolist()):
            touch = bits_match(contype, conaffinity, other_contype, other_conaffinity)
            touch = touch and not (fixed and other_fixed) and (i != j or count[i] > 1)
            if touch and kind <= other and other not in FLAT:
                found.setdefault(types_number(kind, other), (int(geoms[example[i]]), int(geoms[example[j]])))
    return found


def measured_types(m: Any) -> set[int]:
    """Return the indices of the pairs of geom types whose distances sensors measure, except for pairs with planes."""
    numbers = set()
    for s in np.flatnonzero(np.isin(m.sensor_type, DISTANCE_SENSORS)).tolist():
        first, second = (
            set(_object_types(m, int(getattr(m, f"sensor_{side}type")[s]), int(getattr(m, f"sensor_{side}id")[s])))
            for side in ("obj", "ref")
        )
        numbers |= {types_number(min(a, b), max(a, b)) for a in first for b in second if max(a, b) not in FLAT}
    return numbers


def _object_types(m: Any, kind: int, i: int) -> list[int]:
    """Return the type of geom i, or the types of all geoms of body i, depending on the object type `kind`."""
    count = int(m.body_geomnum[i]) if kind == mjtObj.mjOBJ_BODY else 1
    first = int(m.body_geomadr[i]) if kind == mjtObj.mjOBJ_BODY else i
    return list(np.asarray(m.geom_type)[first : first + count].tolist())


def unmeasured_types(m: Any) -> list[str]:
    """Return descriptions of the type pairs whose distances sensors request but no kernel measures yet."""
    return [types_name(number) for number in sorted(measured_types(m)) if m.types_distance[number] < 0]


def unsupported_pairs(m: Any) -> list[str]:
    """Return the pairs of types that may touch but have no collision function yet.

    Args:
        m: object with the rows of a model and of its plan as attributes.

    Returns:
        A description of each pair of types, with its first pair of geoms.
    """
    filtered = not int(m.opt.disableflags) & mjtDisableBit.mjDSBL_FILTERPARENT
    lines = []
    for number in sorted(set(m.candidate_types[m.types_collider[m.candidate_types] < 0].tolist())):
        which = np.flatnonzero((m.candidate_types == number) & ~((m.candidate_parent != 0) & filtered))
        if len(which):
            g1, g2 = m.candidate_geom1[which[0]], m.candidate_geom2[which[0]]
            lines.append(f"{types_name(number)} are not implemented: {len(which)} pairs, first geoms {g1} and {g2}")
    for number, (g1, g2) in _swept_types(m).items():
        if m.types_collider[number] < 0:
            lines.append(f"{types_name(number)} are not implemented: for example of geoms {g1} and {g2}")
    return lines


def undistanced_geoms(m: Any) -> list[str]:
    """Return descriptions of geoms that may collide by signed distance but lack a signed distance function."""
    kinds = np.asarray(m.candidate_types) % mjtGeom.mjNGEOMTYPES == mjtGeom.mjGEOM_SDF
    geoms = {*m.candidate_geom1[kinds].tolist(), *m.candidate_geom2[kinds].tolist()}
    if any(number % mjtGeom.mjNGEOMTYPES == mjtGeom.mjGEOM_SDF for number in _swept_types(m)):
        geoms |= set(_swept_geoms(m).tolist())
    bare = [g for g in sorted(geoms) if not _has_distance(m, g)]
    word = "sdf: geom {} has no signed distance: it needs a plugin with one, or a mesh that no plugin generated"
    return [word.format(bare[0])] if bare else []


def _has_distance(m: Any, g: int) -> bool:
    """Return True if a geom has a signed distance function, or needs none."""
    if m.geom_type[g] != mjtGeom.mjGEOM_SDF:
        return True
    mesh, instance = m.geom_dataid[g], m.geom_plugin[g]
    if instance >= 0:
        slot = m.plugin[instance]
        return mesh >= 0 and slot in range(len(PLUGINS)) and PLUGINS[slot].sdf_distance is not None
    return bool(mesh >= 0 and m.mesh_octnum[mesh] > 0)
