"""The pairs of geoms that can ever touch: the filters that depend on the model alone.

Filters and order are those of the Computation chapter, "Collision detection / Selection": explicit pairs always pass;
other geoms pass if their bodies do not move together, are not excluded, and their contact bits match. Parent and child
stay in the list, marked, because a flag that may change at run time filters them.

Where the list would be long, only explicit pairs, those with a plane, and those within a kinematic tree stay in it; the
others are found anew in every step, by a sweep over trees and single geoms (`physics.collision.sweep`). Pairs with many
geoms that never move are found by a tree of these (`physics.collision.static_tree`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from conjoint.lang import Kernel
from conjoint.physics.collision.collider_table import (
    COLLIDER_NUMBERS,
    colliders,
    types_name,
    types_number,
)
from conjoint.physics.collision.distance import DISTANCE_NUMBERS, distances
from conjoint.physics.collision.finding import CONVEX_NUMBERS
from conjoint.physics.pair_filter import are_family, are_still, bits_match
from conjoint.physics.plugins import PLUGINS
from conjoint.runtime.static_tree import geoms_in_tree
from conjoint.runtime.user.installed import Replaced
from conjoint.schema.constants import APART_MOST
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtObj, mjtSensor
from conjoint.schema.memory import row_stride

FLAT = (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD)
"""Types that never collide with each other."""

DISTANCE_SENSORS = (mjtSensor.mjSENS_GEOMDIST, mjtSensor.mjSENS_GEOMNORMAL, mjtSensor.mjSENS_GEOMFROMTO)
"""Sensors of the distance between geoms."""

ROWS_AT_ONCE = 256
"""Geoms whose partners are tested together; bounds the memory of the tables of booleans."""

LISTED_PER_GEOM = 30
"""Pairs for each geom up to which it takes one world no longer to test all than to sweep."""

STRIP_ROOM = 8
"""What a strip of the last geom reaches beyond it."""

LEAST_RUN = 4
"""Pairs of the same two bodies from which it pays to ask first whether the bodies are near each other."""

MOST_IN_PART = 64
"""Geoms of a kinematic tree that a sweep takes as one, at most."""

SWEPT_PAIRS = "pairs of geoms that the official sweep decides about"
"""What a plan has: geoms of two bodies other than the world may touch, and no explicit pair lists them."""

Indices = np.ndarray
Pairs = tuple[Indices, ...]
"""First geom, of the lower body; second geom; signature; whether parent and child."""


def candidate_pairs(m: Any, lanes: int = 1, filtered: bool = False) -> dict[str, np.ndarray]:
    """Geom pairs that can ever touch, in the order in which contacts are listed, or what a sweep finds them from.

    The order is by pair of bodies (lower body first); within it explicit pairs, then geoms in ascending order, the geom
    with the smaller type counting as the first, unless the mid phase is disabled.

    Args:
        m: a model, or anything with its arrays as attributes.
        lanes: worlds whose listed pairs are tested at once; a sweep goes through one at a time.
        filtered: whether a callback filters the pairs: then only contact bits of whole bodies matter, as officially,
            and geoms without bits leave only where the mid phase is enabled.

    Returns:
        Arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    # the others, most decorations, touch nothing but in explicit pairs
    solid = np.flatnonzero(have_bits(m))
    if filtered:
        if int(m.opt.disableflags) & mjtDisableBit.mjDSBL_MIDPHASE:
            solid = np.arange(len(m.geom_bodyid))
        return _listed(m, *_dynamic_pairs(m, solid, solid, filtered=True)) | _swept(m, [])
    # masks: sets of NumPy would import masked arrays
    in_tree = np.zeros(len(m.geom_bodyid), bool)
    in_tree[geoms_in_tree(m)] = True
    still, others = solid[in_tree[solid]], solid[~in_tree[solid]]
    flat = np.asarray(m.geom_type)[others] == mjtGeom.mjGEOM_PLANE
    planes, rest = others[flat], others[~flat]
    movers = rest if len(still) else still
    limit = LISTED_PER_GEOM * lanes * len(others)
    found = _dynamic_pairs(m, others, others, limit)
    parts: list[Indices] = []
    if len(found[0]) <= limit:
        listed = found
    else:
        parts, inside = _parts(m, rest)
        listed = _joined(_dynamic_pairs(m, planes, others), inside)
    if len(still):
        # a plane may move, too
        listed = _joined(listed, _dynamic_pairs(m, planes, still))
    return _listed(m, *listed) | _swept(m, parts, movers)


def _joined(some: Pairs, others: Pairs) -> Pairs:
    """Pairs of two lists."""
    return tuple(np.concatenate(both) for both in zip(some, others, strict=True))


def types_present(m: Any) -> set[int]:
    """Numbers of the pairs of types that may touch.

    Args:
        m: rows of a model and of its plan as attributes.
    """
    return set(np.asarray(m.candidate_types).tolist()) | set(_swept_types(m))


def has_swept_pairs(m: Any) -> bool:
    """Whether there may be pairs that the official engine finds by its sweep only (`official.sweep_misses`).

    Args:
        m: rows of a model and of its plan as attributes.
    """
    body = np.asarray(m.geom_bodyid)
    moving = (body[m.candidate_geom1] != 0) & (body[m.candidate_geom2] != 0)
    return int(m.nsweep) > 0 or int(m.nmover) > 0 or bool((moving & (np.asarray(m.candidate_pair) < 0)).any())


def _listed(m: Any, first: Indices, second: Indices, signature: Indices, parent: Indices) -> dict[str, np.ndarray]:
    """Rows of the candidates: explicit pairs, and dynamic ones as `_dynamic_pairs` gives them."""
    count = len(first)
    explicit = np.arange(len(m.pair_geom1))
    # explicit pairs come before the geoms of the same two bodies
    geom1 = np.concatenate([np.asarray(m.pair_geom1, np.int64), first])
    geom2 = np.concatenate([np.asarray(m.pair_geom2, np.int64), second])
    pair = np.concatenate([explicit, np.full(count, -1)])
    parent = np.concatenate([np.zeros(len(explicit), np.int64), parent])
    key = np.concatenate([np.asarray(m.pair_signature, np.int64), signature])
    # the smaller type first
    types = np.asarray(m.geom_type, np.int64)
    swap = types[geom1] > types[geom2]
    low, high = geom1, geom2
    geom1, geom2 = np.where(swap, geom2, geom1), np.where(swap, geom1, geom2)
    if not int(m.opt.disableflags) & mjtDisableBit.mjDSBL_MIDPHASE:
        low, high = geom1, geom2
    order = np.lexsort((high, low, np.where(pair >= 0, pair, len(explicit)), key))
    # types that cannot collide leave
    order = order[~np.isin(types[geom2[order]], FLAT)]
    geom1, geom2, pair, parent = geom1[order], geom2[order], pair[order], parent[order]
    plan = {
        "candidate_geom1": geom1,
        "candidate_geom2": geom2,
        "candidate_pair": pair,
        "candidate_parent": parent,
        "candidate_types": types[geom1] * mjtGeom.mjNGEOMTYPES + types[geom2],
        "paired_geom": np.flatnonzero(np.bincount(np.concatenate([geom1, geom2]))),
    }
    bounded = (pair < 0) & (types[geom1] != mjtGeom.mjGEOM_PLANE)
    plan |= _runs(np.stack([geom1, geom2]), np.asarray(m.geom_bodyid), bounded)
    return {name: values.astype(np.int32) for name, values in plan.items()}


def _runs(geoms: np.ndarray, body: np.ndarray, bounded: np.ndarray) -> dict[str, np.ndarray]:
    """Rows of the candidates in a row that are of the same two bodies.

    Args:
        geoms: both geoms of each candidate.
        body: of each geom.
        bounded: candidates whose geoms are so, and whose margins are those of the geoms.
    """
    low, high = np.sort(body[geoms], axis=0)

    def begins(*keys: np.ndarray) -> np.ndarray:
        """Where one of some keys changes."""
        changed = np.any([key[1:] != key[:-1] for key in keys], axis=0)
        return np.flatnonzero(np.append(len(low) > 0, changed))

    first = begins(low, high, bounded)
    length = np.diff(np.append(first, len(low)))
    tested = bounded & np.repeat(length >= LEAST_RUN, length)
    # what is not tested is one run, of any bodies
    low, high = np.where(tested, low, -1), np.where(tested, high, -1)
    first = begins(low, high)
    return {
        "run_adr": np.append(first, len(low)),
        "run_body1": low[first],
        "run_body2": high[first],
        # in ascending order; numpy.unique would import masked arrays
        "run_geom": np.flatnonzero(np.bincount(geoms[:, tested].ravel())),
    }


def _parts(m: Any, geoms: Indices) -> tuple[list[Indices], Pairs]:
    """Geoms that a sweep takes as one, and the pairs within them, which are listed.

    These are the geoms of a kinematic tree, if they have no more pairs than can be tested as quickly as swept; the
    others are alone.
    """
    tree_of = np.asarray(m.body_treeid)[np.asarray(m.geom_bodyid)]
    tree = tree_of[geoms]
    order = np.argsort(tree, kind="stable")
    groups = np.split(geoms[order], np.flatnonzero(np.diff(tree[order])) + 1)
    groups = [group for group in groups if 1 < len(group) <= MOST_IN_PART and tree_of[group[0]] >= 0]
    both = [group[np.stack(np.triu_indices(len(group), 1))] for group in groups]
    inside = _passing(m, *np.concatenate([np.zeros((2, 0), np.int64), *both], axis=1))
    # trees with too many pairs are taken apart; -1, no tree, is the last of these
    count = np.bincount(tree_of[inside[0]], minlength=int(tree.max(initial=-1)) + 2)
    size = np.bincount(tree[tree >= 0], minlength=len(count))
    whole = (size > 1) & (size <= MOST_IN_PART) & (count <= LISTED_PER_GEOM * size)
    alone = geoms[~whole[tree]]
    parts = [group for group in groups if whole[tree_of[group[0]]]] + [alone[k : k + 1] for k in range(len(alone))]
    return parts, tuple(column[whole[tree_of[inside[0]]]] for column in inside)


NO_GEOMS = np.zeros(0, np.int64)


def _swept(m: Any, parts: list[Indices], movers: Indices = NO_GEOMS) -> dict[str, np.ndarray]:
    """Rows of the sweep over some parts, and of geoms that go down the tree of those that never move."""
    # those that move come first
    fixed = np.array([m.body_weldid[m.geom_bodyid[part[0]]] == 0 for part in parts], bool)
    parts = [parts[k] for k in np.argsort(fixed, kind="stable")]
    count = len(parts)
    counts = max(len(m.geom_bodyid) + 1, len(m.body_weldid), len(m.pair_geom1)) + 1
    found = count or len(movers)
    return {
        "nsweep": np.array(count),
        "nsweep_moving": np.array(count - fixed.sum()),
        "nsweep_padded": np.array(row_stride(count + STRIP_ROOM) if count else 0),
        "nsweep_count": np.array(counts if found else 0),
        "sweep_geom": np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int32),
        "mover_geom": movers.astype(np.int32),
        "sweep_adr": np.cumsum([0, *(len(part) for part in parts)]).astype(np.int32),
        "sweep_excluded": np.sort(np.asarray(m.exclude_signature, np.int64)) if found else np.zeros(0, np.int64),
        "sweep_covered": np.sort(_covered(m)) if found else np.zeros(0, np.int64),
    }


def have_bits(m: Any) -> np.ndarray:
    """Whether each geom has contact bits."""
    return (np.asarray(m.geom_contype) | np.asarray(m.geom_conaffinity)) != 0


def _covered(m: Any) -> Indices:
    """Pairs of geoms that explicit pairs cover, each as one number: lower geom * ngeom + higher."""
    geom1, geom2 = np.asarray(m.pair_geom1, np.int64), np.asarray(m.pair_geom2, np.int64)
    return np.minimum(geom1, geom2) * len(m.geom_bodyid) + np.maximum(geom1, geom2)


def remembered_pairs(m: Mapping[str, np.ndarray], swept: int) -> int:
    """Pairs of convex geoms of which a world remembers how they were apart: twice as many as may be near, about.

    Args:
        m: the candidates of a plan, and by which kernels contacts of types are found.
        swept: pairs that are found in every step, about.

    Returns:
        a power of two up to `APART_MOST`; 0 if no such pair is known.
    """
    searched = np.isin(m["types_collider"][m["candidate_types"]], CONVEX_NUMBERS)
    count = min(int(searched.sum()) + swept, APART_MOST)
    return 1 << (count - 1).bit_length() if count else 0


def collider_rows(m: Any, replaced: Replaced) -> dict[str, np.ndarray]:
    """By which kernels contacts are found and distances measured under the flags of a model, by pairs of types."""
    flags = int(m.opt.disableflags), int(m.opt.enableflags), int(m.rules)
    contacts, measures = (numbers.copy() for numbers in numbers_under(*flags))
    for types, number in replaced.numbers().items():
        contacts[types], measures[types] = number, -1
    return {"types_collider": contacts, "types_distance": measures}


@lru_cache
def numbers_under(disableflags: int, enableflags: int, rules: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the kernels for contacts and distances under some flags and rules, for each pair of types."""
    return (
        _numbers_by_types(colliders(disableflags, enableflags, rules), COLLIDER_NUMBERS),
        _numbers_by_types(distances(disableflags, enableflags), DISTANCE_NUMBERS),
    )


def _numbers_by_types(table: Mapping[tuple[mjtGeom, mjtGeom], Kernel], numbers: Mapping[Kernel, int]) -> np.ndarray:
    """For each pair of types the number of its kernel in a table; -1: none."""
    found = np.full(mjtGeom.mjNGEOMTYPES**2, -1)
    for types, kernel in table.items():
        found[types_number(*types)] = numbers[kernel]
    return found


def _dynamic_pairs(m: Any, some: Indices, others: Indices, most: int | None = None, filtered: bool = False) -> Pairs:
    """Pairs of one of some geoms and another that pass the filters; there may be more than `most`."""
    body = np.asarray(m.geom_bodyid, np.int64)
    contype, conaffinity = _bits(m, filtered)
    # pairs within `some` count once
    once = np.zeros(len(body), bool)
    once[some] = True
    found = [_passing(m, some[:0], some[:0])]
    for start in range(0, len(some), ROWS_AT_ONCE):
        a = some[start : start + ROWS_AT_ONCE, None]
        b = others[None, :]
        counted = np.where(once[b], body[a] < body[b], body[a] != body[b])
        rows, columns = np.nonzero(bits_match(contype[a], conaffinity[a], contype[b], conaffinity[b]) & counted)
        found.append(_passing(m, a[rows, 0], b[0, columns], filtered))
        if most is not None and sum(len(pairs[0]) for pairs in found) > most:
            break
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))


def _bits(m: Any, filtered: bool) -> tuple[Indices, Indices]:
    """Contact bits of each geom; with a filter of the user's, those of its body."""
    if filtered:
        body = np.asarray(m.geom_bodyid)
        return np.asarray(m.body_contype, np.int64)[body], np.asarray(m.body_conaffinity, np.int64)[body]
    return np.asarray(m.geom_contype, np.int64), np.asarray(m.geom_conaffinity, np.int64)


def _passing(m: Any, first: Indices, second: Indices, filtered: bool = False) -> Pairs:
    """Those of some pairs of geoms that the model lets touch."""
    body = np.asarray(m.geom_bodyid, np.int64)
    weld = np.asarray(m.body_weldid)[body]
    contype, conaffinity = _bits(m, filtered)
    swap = body[first] > body[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    signature = (body[first] << 16) + body[second]
    # bodies that the model excludes; geoms that an explicit pair already covers
    low, high = np.minimum(first, second), np.maximum(first, second)
    keep = bits_match(contype[first], conaffinity[first], contype[second], conaffinity[second])
    keep &= (weld[first] != weld[second]) & ~are_still(m, body[first], body[second])
    if len(m.exclude_signature):
        keep &= ~np.isin(signature, np.asarray(m.exclude_signature, np.int64))
    if len(m.pair_geom1):
        keep &= ~np.isin(low * len(body) + high, _covered(m))
    first, second, signature = first[keep], second[keep], signature[keep]
    return first, second, signature, are_family(m, body[first], body[second]).astype(np.int64)


def _swept_geoms(m: Any) -> Indices:
    """Geoms whose pairs are found in every step: those of the sweep, those that go down the tree, and those in it."""
    found = np.zeros(len(m.geom_type), bool)
    found[np.asarray(m.sweep_geom)] = True
    if len(m.mover_geom):
        found[np.asarray(m.mover_geom)] = True
        found[np.asarray(m.static_geom)] = True
    return np.flatnonzero(found & have_bits(m) & (np.asarray(m.geom_type) != mjtGeom.mjGEOM_PLANE))


def _swept_types(m: Any) -> dict[int, tuple[int, int]]:
    """Pairs of types that a sweep may find, by number, with a geom of each; filters of bodies are left out."""
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
    """Numbers of the pairs of types of geoms between which sensors of a model measure distances; planes have none."""
    numbers = set()
    for s in np.flatnonzero(np.isin(m.sensor_type, DISTANCE_SENSORS)).tolist():
        first, second = (
            set(_object_types(m, int(getattr(m, f"sensor_{side}type")[s]), int(getattr(m, f"sensor_{side}id")[s])))
            for side in ("obj", "ref")
        )
        numbers |= {types_number(min(a, b), max(a, b)) for a in first for b in second if max(a, b) not in FLAT}
    return numbers


def _object_types(m: Any, kind: int, i: int) -> list[int]:
    """Types of the geoms of a body, or of one geom."""
    count = int(m.body_geomnum[i]) if kind == mjtObj.mjOBJ_BODY else 1
    first = int(m.body_geomadr[i]) if kind == mjtObj.mjOBJ_BODY else i
    return list(np.asarray(m.geom_type)[first : first + count].tolist())


def unmeasured_types(m: Any) -> list[str]:
    """Words for the pairs of types between which sensors measure distances that cannot be measured yet."""
    return [types_name(number) for number in sorted(measured_types(m)) if m.types_distance[number] < 0]


def unsupported_pairs(m: Any) -> list[str]:
    """Pairs of types that have no collision function yet, of those that may touch.

    Args:
        m: rows of a model and of its plan as attributes.

    Returns:
        Words for each pair of types, with the first such pair of geoms.
    """
    filtered = not int(m.opt.disableflags) & mjtDisableBit.mjDSBL_FILTERPARENT
    lines = []
    for number in sorted(set(m.candidate_types[m.types_collider[m.candidate_types] < 0].tolist())):
        which = np.flatnonzero((m.candidate_types == number) & ~((m.candidate_parent != 0) & filtered))
        if len(which):
            g1, g2 = m.candidate_geom1[which[0]], m.candidate_geom2[which[0]]
            lines.append(f"{types_name(number)} are not built yet: {len(which)} pairs, first geoms {g1} and {g2}")
    for number, (g1, g2) in _swept_types(m).items():
        if m.types_collider[number] < 0:
            lines.append(f"{types_name(number)} are not built yet: for instance of geoms {g1} and {g2}")
    return lines


def undistanced_geoms(m: Any) -> list[str]:
    """Words for a shape that may touch something and has no signed distance."""
    kinds = np.asarray(m.candidate_types) % mjtGeom.mjNGEOMTYPES == mjtGeom.mjGEOM_SDF
    geoms = {*m.candidate_geom1[kinds].tolist(), *m.candidate_geom2[kinds].tolist()}
    if any(number % mjtGeom.mjNGEOMTYPES == mjtGeom.mjGEOM_SDF for number in _swept_types(m)):
        geoms |= set(_swept_geoms(m).tolist())
    bare = [g for g in sorted(geoms) if not _has_distance(m, g)]
    word = "sdf: geom {} has no signed distance; it needs a plugin that has one, or a mesh that no plugin made"
    return [word.format(bare[0])] if bare else []


def _has_distance(m: Any, g: int) -> bool:
    """Whether there is a signed distance of a geom, or none needed: of others than shapes."""
    if m.geom_type[g] != mjtGeom.mjGEOM_SDF:
        return True
    mesh, instance = m.geom_dataid[g], m.geom_plugin[g]
    if instance >= 0:
        slot = m.plugin[instance]
        return mesh >= 0 and slot in range(len(PLUGINS)) and PLUGINS[slot].sdf_distance is not None
    return bool(mesh >= 0 and m.mesh_octnum[mesh] > 0)
