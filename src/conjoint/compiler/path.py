"""Lengths and moment arms of tendons in one configuration (Computation chapter, "Spatial tendons")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conjoint.compiler.arms import NO_ARMS, Arms
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.shape import CYLINDER
from conjoint.compiler.tendon import JOINT, PULLEY, ROUND, SITE
from conjoint.compiler.wrap import wrap
from conjoint.spec.rotation import distance

Piece = tuple[int, Any, int, Any]
"""A straight piece of a path: body and point where it starts, body and point where it ends."""


def tendon_lengths(m: Arrays, at: Configuration, qpos: np.ndarray) -> tuple[np.ndarray, Arms]:
    """(ntendon,) lengths and moment arms of all tendons in the configuration `at`, that of `qpos`."""
    lengths = np.zeros(m.ntendon)
    if not m.ntendon:
        return lengths, NO_ARMS
    fixed: dict[tuple[int, int], float] = {}
    pieces: list[tuple[int, float, Piece]] = []
    kinds, ids, numbers = m.listed("wrap_type"), m.listed("wrap_objid"), m.listed("wrap_prm")
    for tendon, (first, count) in enumerate(zip(m.tendon_adr.tolist(), m.tendon_num.tolist(), strict=True)):
        if kinds[first] == JOINT:
            for joint, number in zip(ids[first : first + count], numbers[first : first + count], strict=True):
                lengths[tendon] += number * qpos[m.jnt_qposadr[joint]]
                # of several terms with one joint the last counts, as in the official engine
                fixed[tendon, int(m.jnt_dofadr[joint])] = number
        else:
            lengths[tendon] = _spatial(m, at, tendon, range(first, first + count), pieces)
    row, dof = np.array(list(fixed), int).reshape(-1, 2).T
    parts = [(row, dof, np.array(list(fixed.values()))), *(_moments(at, pieces) if pieces else ())]
    return lengths, Arms.sum(m.ntendon, *(np.concatenate(part) for part in zip(*parts, strict=True)))


def _spatial(m: Arrays, at: Configuration, tendon: int, path: range, pieces: list) -> float:
    """Length of a spatial tendon; its straight pieces between different bodies are added to `pieces`."""
    kinds = m.listed("wrap_type")[path.start : path.stop]
    length, divisor = 0.0, 1.0
    for i, kind in enumerate(kinds[:-1]):
        if kind == PULLEY:
            divisor = m.listed("wrap_prm")[path[i]]
        if kind != SITE or kinds[i + 1] == PULLEY:
            continue
        around = kinds[i + 1] != SITE
        curved, straight = _between(m, at, path[i], path[i + 1 + around], path[i + 1] if around else None)
        length += (curved + sum(distance(piece[1], piece[3]) for piece in straight)) / divisor
        pieces += [(tendon, divisor, piece) for piece in straight if piece[0] != piece[2]]
    return length


def _between(m: Arrays, at: Configuration, first: int, last: int, obstacle: int | None) -> tuple[float, list[Piece]]:
    """Length of the curved part and the straight pieces of the path from one site to the next."""
    ids, site_bodies = m.listed("wrap_objid"), m.listed("site_bodyid")
    (body, start), (other, end) = ((site_bodies[ids[w]], at.site_xpos[ids[w]]) for w in (first, last))
    if obstacle is None:
        return 0.0, [(body, start, other, end)]
    geom, side = ids[obstacle], round(m.listed("wrap_prm")[obstacle])
    pos, quat = at.pose("geom", geom)
    cylinder = m.listed("wrap_type")[obstacle] == ROUND[CYLINDER]
    toward = at.site_xpos[side] if side >= 0 else None
    found = wrap(start, end, pos, quat, m.listed("geom_size")[geom][0], cylinder, toward)
    if found is None:
        return 0.0, [(body, start, other, end)]
    length, enter, leave = found
    middle = m.listed("geom_bodyid")[geom]
    return length, [(body, start, middle, enter), (middle, leave, other, end)]


def _moments(at: Configuration, pieces: list[tuple[int, float, Piece]]) -> Iterator[tuple[np.ndarray, ...]]:
    """Tendon, dof and number: how fast each straight piece grows with each dof, the work of a unit pull at its ends."""
    tendons = np.array([tendon for tendon, _, _ in pieces])
    starts, ends = np.array([p[1] for _, _, p in pieces]), np.array([p[3] for _, _, p in pieces])
    along = ends - starts
    size = np.sqrt((along**2).sum(axis=1, keepdims=True))
    # a piece without length has no direction: the x axis, as everywhere
    along = np.where(size < 1e-15, (1.0, 0.0, 0.0), along / np.maximum(size, 1e-15))
    pull = along / np.array([divisor for _, divisor, _ in pieces])[:, None]
    for bodies, points, forces in (
        ([p[2] for _, _, p in pieces], ends, pull), ([p[0] for _, _, p in pieces], starts, -pull),
    ):  # fmt: skip
        piece, dof, value = at.generalized(bodies, points, forces)
        yield tendons[piece], dof, value
