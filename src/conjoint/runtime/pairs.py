"""Geom pairs that can ever touch, after the filters that depend on the model alone.

Filters and order are those of the Computation chapter, "Collision detection / Selection". Explicit pairs always pass.
Other geoms pass if their bodies do not move together, are not excluded, and their contact bits match. Pairs of parent
and child stay in the list and are marked, because a flag that may change at run time filters them.

If the list would be long, it contains only explicit pairs and pairs within a kinematic tree. All other pairs are found
in every step from parts, trees or bodies (`physics.collision.parts`): by a sweep in one world, one by one in lanes. If
many geoms never move, a bounding volume tree of them finds their pairs (`physics.collision.static_tree`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.physics.pair_filter import are_family, are_still, bits_match
from conjoint.runtime.box_trees import geoms_in_tree
from conjoint.schema.enums import mjtDisableBit, mjtGeom
from conjoint.schema.memory import row_stride

FLAT = (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD)
"""Geom types that never collide with each other."""

ROWS_AT_ONCE = 256
"""Number of geoms whose partners are tested together; it limits the size of the Boolean tables."""

LISTED_PER_GEOM = 24
"""Number of pairs per geom up to which testing all pairs is as fast as finding them through parts, also in lanes."""

STRIP_ROOM = 8
"""Number of padding elements after the last geom of a sweep, so that a strip of geoms may begin at the last geom."""

LEAST_RUN = 4
"""Minimum number of pairs between the same two bodies for which testing the distance of the bodies pays off."""

SWEPT_PAIRS = "pairs of geoms that MuJoCo's sweep may miss"
"""Name of a property of plans: geoms of two moving bodies that are not an explicit pair may touch."""

Indices = np.ndarray
Pairs = tuple[Indices, ...]
"""Columns of a list of pairs: first geom (of the body with the lower id), second geom, signature, and parent flag.

The parent flag is 1 for geoms of a body and its parent.
"""


def candidate_pairs(m: Any, lanes: int = 1, filtered: bool = False) -> dict[str, np.ndarray]:
    """Return the geom pairs that can ever touch, in the order of contacts, or the input for a sweep that finds them.

    Pairs are sorted by their two bodies (lower body first). For the same bodies, explicit pairs come first, then geoms
    in ascending order. The geom with the smaller type counts as the first, unless the mid phase is disabled.

    Args:
        m: a model, or any object with the model's arrays as attributes.
        lanes: number of worlds whose pairs are tested at once.
        filtered: True if a callback filters the pairs. Then only contact bits of whole bodies matter, as in MuJoCo, and
            geoms without bits are dropped only if the mid phase is enabled.

    Returns:
        Arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    # geoms without bits, mostly decorations, touch others only in explicit pairs
    solid = np.flatnonzero(have_bits(m))
    if filtered:
        if int(m.opt.disableflags) & mjtDisableBit.mjDSBL_MIDPHASE:
            solid = np.arange(len(m.geom_bodyid))
        return (
            _listed(m, *_dynamic_pairs(m, solid, solid, filtered=True))
            | _part_rows(m, [], lanes, False, False)
            | {"plane_geom": solid[:0]}
        )
    # use masks, because NumPy's set functions would import masked arrays
    in_tree = np.zeros(len(m.geom_bodyid), bool)
    in_tree[geoms_in_tree(m)] = True
    still, others = solid[in_tree[solid]], solid[~in_tree[solid]]
    flat = np.asarray(m.geom_type)[others] == mjtGeom.mjGEOM_PLANE
    planes, rest = others[flat], others[~flat]
    limit = LISTED_PER_GEOM * len(others)
    listed = _dynamic_pairs(m, others, others, limit)
    swept, falling = len(listed[0]) > limit, len(still) > 0
    parts, inside = _parts(m, rest) if swept or falling else ([], listed)
    if swept:
        # planes never collide with each other
        listed = inside
    if falling:
        # a plane may move, too, so list the pairs of planes and static geoms
        listed = _joined(listed, _dynamic_pairs(m, planes, still))
    rows = _listed(m, *listed) | _part_rows(m, parts, lanes, swept, falling)
    return rows | {"plane_geom": planes if swept else planes[:0]}


def _joined(some: Pairs, others: Pairs) -> Pairs:
    """Concatenate two lists of pairs."""
    return tuple(np.concatenate(both) for both in zip(some, others, strict=True))


def has_swept_pairs(m: Any) -> bool:
    """Return True if there may be pairs that MuJoCo's sweep misses (`official.sweep_misses`).

    Args:
        m: object with the rows of a model and of its plan as attributes.
    """
    body = np.asarray(m.geom_bodyid)
    moving = (body[m.candidate_geom1] != 0) & (body[m.candidate_geom2] != 0)
    return int(m.npart) > 0 or bool((moving & (np.asarray(m.candidate_pair) < 0)).any())


def _listed(m: Any, first: Indices, second: Indices, signature: Indices, parent: Indices) -> dict[str, np.ndarray]:
    """Return the plan rows of the candidates: explicit pairs, and dynamic pairs from `_dynamic_pairs`."""
    count = len(first)
    explicit = np.arange(len(m.pair_geom1))
    # explicit pairs precede the other pairs of the same two bodies
    geom1 = np.concatenate([np.asarray(m.pair_geom1, np.int64), first])
    geom2 = np.concatenate([np.asarray(m.pair_geom2, np.int64), second])
    pair = np.concatenate([explicit, np.full(count, -1)])
    parent = np.concatenate([np.zeros(len(explicit), np.int64), parent])
    key = np.concatenate([np.asarray(m.pair_signature, np.int64), signature])
    # put the geom with the smaller type first
    types = np.asarray(m.geom_type, np.int64)
    swap = types[geom1] > types[geom2]
    low, high = geom1, geom2
    geom1, geom2 = np.where(swap, geom2, geom1), np.where(swap, geom1, geom2)
    if not int(m.opt.disableflags) & mjtDisableBit.mjDSBL_MIDPHASE:
        low, high = geom1, geom2
    order = np.lexsort((high, low, np.where(pair >= 0, pair, len(explicit)), key))
    # drop types that cannot collide
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
    """Return the plan rows for groups of consecutive candidates whose geoms belong to the same two bodies.

    Args:
        geoms: both geoms of each candidate.
        body: body of each geom.
        bounded: mask of candidates whose geoms have finite bounds and whose margins are those of the geoms.
    """
    low, high = np.sort(body[geoms], axis=0)

    def begins(*keys: np.ndarray) -> np.ndarray:
        """Return the indices at which any of the keys changes."""
        changed = np.any([key[1:] != key[:-1] for key in keys], axis=0)
        return np.flatnonzero(np.append(len(low) > 0, changed))

    first = begins(low, high, bounded)
    length = np.diff(np.append(first, len(low)))
    tested = bounded & np.repeat(length >= LEAST_RUN, length)
    # untested pairs form one run, regardless of their bodies
    low, high = np.where(tested, low, -1), np.where(tested, high, -1)
    first = begins(low, high)
    return {
        "run_adr": np.append(first, len(low)),
        "run_body1": low[first],
        "run_body2": high[first],
        # in ascending order, without numpy.unique, which would import masked arrays
        "run_geom": np.flatnonzero(np.bincount(geoms[:, tested].ravel())),
    }


def _parts(m: Any, geoms: Indices) -> tuple[list[Indices], Pairs]:
    """Return the parts, and the pairs within parts. Pairs of a part's geoms with other parts are found together.

    A part contains the geoms of a kinematic tree, unless the tree has so many pairs that finding them is faster than
    testing all. Then its parts contain the geoms of bodies that are welded together. The world and motion-capture
    bodies are separate parts, because nothing moves them.
    """
    body = np.asarray(m.geom_bodyid)[geoms]
    weld = np.asarray(m.body_weldid)
    weld = np.where(weld > 0, weld, np.arange(len(weld)))[body]
    tree = np.asarray(m.body_treeid)[body]
    both = [group[np.stack(np.triu_indices(len(group), 1))] for group in _groups(geoms, tree) if len(group) > 1]
    tree_of = np.asarray(m.body_treeid)[np.asarray(m.geom_bodyid)]
    both = [pairs for pairs in both if tree_of[pairs[0, 0]] >= 0]
    inside = _passing(m, *np.concatenate([np.zeros((2, 0), np.int64), *both], axis=1))
    # split trees with too many pairs; -1 (no tree) indexes the last count
    count = np.bincount(tree_of[inside[0]], minlength=int(tree.max(initial=-1)) + 2)
    size = np.bincount(tree[tree >= 0], minlength=len(count))
    whole = (size > 0) & (count <= LISTED_PER_GEOM * size)
    parts = _groups(geoms, np.where(whole[tree], len(np.asarray(m.body_weldid)) + tree, weld))
    return parts, tuple(column[whole[tree_of[inside[0]]]] for column in inside)


def _groups(geoms: Indices, key: Indices) -> list[Indices]:
    """Return the geoms, grouped by key."""
    order = np.argsort(key, kind="stable")
    return np.split(geoms[order], np.flatnonzero(np.diff(key[order])) + 1) if len(geoms) else []


def _part_rows(m: Any, parts: list[Indices], lanes: int, swept: bool, falling: bool) -> dict[str, np.ndarray]:
    """Return the plan rows that describe the parts.

    Args:
        m: the model.
        parts: geoms of each part.
        lanes: number of worlds whose parts are tested at once.
        swept: True if pairs of parts are found in every step.
        falling: True if parts are tested against the tree of geoms that never move.
    """
    # moving parts come first
    fixed = np.array([m.body_weldid[m.geom_bodyid[part[0]]] == 0 for part in parts], bool)
    parts = [parts[k] for k in np.argsort(fixed, kind="stable")]
    count = len(parts)
    moving = count - int(fixed.sum())
    in_order = count if swept and lanes == 1 else 0
    bodies = np.array([_body_of(m, part) for part in parts], np.int32)
    return {
        "npart": np.array(count),
        "npart_moving": np.array(moving),
        "npart_welded": np.array(np.count_nonzero(bodies >= 0)),
        "nsweep": np.array(in_order),
        "nsweep_padded": np.array(row_stride(in_order + STRIP_ROOM) if in_order else 0),
        "ncrossing": np.array(moving if swept and lanes > 1 else 0),
        "nmover": np.array(moving if falling else 0),
        "part_geom": np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int32),
        "part_body": bodies,
        "part_adr": np.cumsum([0, *(len(part) for part in parts)]).astype(np.int32),
        "sweep_excluded": np.sort(np.asarray(m.exclude_signature, np.int64)) if count else np.zeros(0, np.int64),
        "sweep_covered": np.sort(_covered(m)) if count else np.zeros(0, np.int64),
    }


def _body_of(m: Any, part: Indices) -> int:
    """Return the body to which the geoms of a part are welded, or -1 if the part does not move or has one geom only."""
    weld = np.asarray(m.body_weldid)[np.asarray(m.geom_bodyid)[part]]
    return int(weld[0]) if len(part) > 1 and weld[0] > 0 and (weld == weld[0]).all() else -1


def have_bits(m: Any) -> np.ndarray:
    """Return a mask of the geoms that have contact bits."""
    return (np.asarray(m.geom_contype) | np.asarray(m.geom_conaffinity)) != 0


def _covered(m: Any) -> Indices:
    """Return the geom pairs that explicit pairs cover, each encoded as lower geom * ngeom + higher geom."""
    geom1, geom2 = np.asarray(m.pair_geom1, np.int64), np.asarray(m.pair_geom2, np.int64)
    return np.minimum(geom1, geom2) * len(m.geom_bodyid) + np.maximum(geom1, geom2)


def _dynamic_pairs(m: Any, some: Indices, others: Indices, most: int | None = None, filtered: bool = False) -> Pairs:
    """Return the pairs of a geom from `some` and a geom from `others` that pass the filters.

    The search ends once more than `most` pairs are found.
    """
    body = np.asarray(m.geom_bodyid, np.int64)
    contype, conaffinity = _bits(m, filtered)
    # count pairs within `some` only once
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
    """Return the contact bits of each geom, or of each geom's body if the user has installed a filter."""
    if filtered:
        body = np.asarray(m.geom_bodyid)
        return np.asarray(m.body_contype, np.int64)[body], np.asarray(m.body_conaffinity, np.int64)[body]
    return np.asarray(m.geom_contype, np.int64), np.asarray(m.geom_conaffinity, np.int64)


def _passing(m: Any, first: Indices, second: Indices, filtered: bool = False) -> Pairs:
    """Return those pairs of geoms that the model allows to touch."""
    body = np.asarray(m.geom_bodyid, np.int64)
    weld = np.asarray(m.body_weldid)[body]
    contype, conaffinity = _bits(m, filtered)
    swap = body[first] > body[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    signature = (body[first] << 16) + body[second]
    # drop pairs of bodies that the model excludes, and pairs of geoms that an explicit pair covers
    low, high = np.minimum(first, second), np.maximum(first, second)
    keep = bits_match(contype[first], conaffinity[first], contype[second], conaffinity[second])
    keep &= (weld[first] != weld[second]) & ~are_still(m, body[first], body[second])
    if len(m.exclude_signature):
        keep &= ~np.isin(signature, np.asarray(m.exclude_signature, np.int64))
    if len(m.pair_geom1):
        keep &= ~np.isin(low * len(body) + high, _covered(m))
    first, second, signature = first[keep], second[keep], signature[keep]
    return first, second, signature, are_family(m, body[first], body[second]).astype(np.int64)
