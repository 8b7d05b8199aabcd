"""The pairs of geoms that can ever touch: the filters that depend on the model alone.

Filters and order are those of the Computation chapter, "Collision detection / Selection": explicit pairs always pass;
other geoms pass if their bodies do not move together, are not excluded, and their contact bits match. Parent and child
stay in the list, marked, because a flag that may change at run time filters them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.physics.collision.table import COLLIDERS, types_name, types_number
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtObj, mjtSensor

FLAT = (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD)
"""Types that never collide with each other."""

DISTANCE_SENSORS = (mjtSensor.mjSENS_GEOMDIST, mjtSensor.mjSENS_GEOMNORMAL, mjtSensor.mjSENS_GEOMFROMTO)
"""Sensors of the distance between geoms."""

ROWS_AT_ONCE = 256
"""Geoms whose partners are tested together; bounds the memory of the tables of booleans."""


def static_pairs(m: Any) -> dict[str, np.ndarray]:
    """Geom pairs that can ever touch, in the order in which contacts are listed.

    The order is by pair of bodies (lower body first); within it explicit pairs, then geoms in ascending order,
    the geom with the smaller type counting as the first.

    Args:
        m: a model, or anything with its arrays as attributes.

    Returns:
        int32 arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    first, second, signature, parent = _dynamic_pairs(m)
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
    geom1, geom2 = np.where(swap, geom2, geom1), np.where(swap, geom1, geom2)
    order = np.lexsort((geom2, geom1, np.where(pair >= 0, pair, len(explicit)), key))
    # types that cannot collide leave
    order = order[~np.isin(types[geom2[order]], FLAT)]
    geom1, geom2, pair, parent = geom1[order], geom2[order], pair[order], parent[order]
    plan = {
        "candidate_geom1": geom1,
        "candidate_geom2": geom2,
        "candidate_pair": pair,
        "candidate_parent": parent,
        "candidate_types": types[geom1] * mjtGeom.mjNGEOMTYPES + types[geom2],
    }
    return {name: values.astype(np.int32) for name, values in plan.items()}


def _dynamic_pairs(m: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Geoms of different bodies that pass the filters: first and second geom, signature, whether parent and child."""
    ngeom = len(m.geom_bodyid)
    body = np.asarray(m.geom_bodyid, np.int64)
    weld = np.asarray(m.body_weldid, np.int64)[body]
    weld_parent = np.asarray(m.body_weldid, np.int64)[np.asarray(m.body_parentid)[weld]]
    contype = np.asarray(m.geom_contype, np.int64)
    conaffinity = np.asarray(m.geom_conaffinity, np.int64)
    # geoms without contact bits, most decorations, leave at once
    solid = np.flatnonzero((contype != 0) | (conaffinity != 0))
    found: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for start in range(0, len(solid), ROWS_AT_ONCE):
        a = solid[start : start + ROWS_AT_ONCE, None]
        b = solid[None, :]
        mask = (contype[a] & conaffinity[b]) | (contype[b] & conaffinity[a])
        rows, columns = np.nonzero((mask != 0) & (body[a] < body[b]) & (weld[a] != weld[b]))
        found.append((a[rows, 0], b[0, columns]))
    first = np.concatenate([f for f, _ in found])
    second = np.concatenate([s for _, s in found])
    signature = (body[first] << 16) + body[second]
    # bodies that the model excludes; geoms that an explicit pair already covers
    covered = {(min(g, h), max(g, h)) for g, h in zip(list(m.pair_geom1), list(m.pair_geom2), strict=True)}
    explicit = np.array([g * ngeom + h for g, h in covered], np.int64)
    low, high = np.minimum(first, second), np.maximum(first, second)
    keep = ~np.isin(signature, np.asarray(m.exclude_signature, np.int64)) & ~np.isin(low * ngeom + high, explicit)
    first, second, signature = first[keep], second[keep], signature[keep]
    moving = (weld[first] != 0) & (weld[second] != 0)
    parent = moving & ((weld[first] == weld_parent[second]) | (weld[second] == weld_parent[first]))
    return first, second, signature, parent.astype(np.int64)


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
    supported = {types_number(*types) for types in COLLIDERS}
    return [types_name(number) for number in sorted(measured_types(m) - supported)]


def unsupported_pairs(m: Any) -> list[str]:
    """Candidate pairs of a plan whose types have no collision function yet.

    Args:
        m: rows of a model and of its plan as attributes.

    Returns:
        Words for each pair of types, with the first such pair of geoms.
    """
    filtered = not int(m.opt.disableflags) & mjtDisableBit.mjDSBL_FILTERPARENT
    supported = {types_number(*types) for types in COLLIDERS}
    lines = []
    for number in sorted(set(m.candidate_types.tolist()) - supported):
        which = np.flatnonzero((m.candidate_types == number) & ~((m.candidate_parent != 0) & filtered))
        if len(which):
            g1, g2 = m.candidate_geom1[which[0]], m.candidate_geom2[which[0]]
            lines.append(f"{types_name(number)} are not supported yet: {len(which)} pairs, first geoms {g1} and {g2}")
    return lines
