"""Lengths and inverse inertias of the edges of flexes in the initial configuration."""

from __future__ import annotations

import numpy as np

from conjoint.compiler.arms import Arms
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.inverse import Inverse, responses
from conjoint.compiler.tree import ONLY_SLIDES
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.rotation import place


def edge_constants(m: Arrays, at: Configuration, inverse: Inverse) -> None:
    """Write `flexedge_length0` and `flexedge_invweight0`; `inverse` is the inverse of the inertia matrix.

    Both are zero for trilinear flexes, whose edges are not used.
    """
    for flex in np.flatnonzero(m.flex_interp == 0):
        edges = slice(m.flex_edgeadr[flex], m.flex_edgeadr[flex] + m.flex_edgenum[flex])
        vertices = slice(m.flex_vertadr[flex], m.flex_vertadr[flex] + m.flex_vertnum[flex])
        ends = m.flex_edge[edges]
        points = _placed(at, m.flex_vertbodyid[vertices], m.flex_vert[vertices])[ends]
        offset = points[:, 1] - points[:, 0]
        length = np.linalg.norm(offset, axis=1)
        m.flexedge_length0[edges] = length
        direction = offset / np.maximum(length, mjMINVAL)[:, None]
        bodies = m.flex_vertbodyid[vertices][ends]
        m.flexedge_invweight0[edges] = _weights(m, at, inverse, int(flex), bodies, points, direction)


def _placed(at: Configuration, bodies: np.ndarray, local: np.ndarray) -> np.ndarray:
    """Points of bodies in the world."""
    pairs = zip(bodies.tolist(), local.tolist(), strict=True)
    return np.array([place(at.xpos[body], at.xquat[body], point) for body, point in pairs]).reshape(-1, 3)


def _weights(
    m: Arrays, at: Configuration, inverse: Inverse, flex: int, bodies: np.ndarray, points: np.ndarray,
    direction: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Inverse inertia along every edge.

    Between bodies that only slide it is the mean of theirs, else that of the change of length, which the official
    engine computes only where edges are used.
    """
    simple = (m.body_simple[bodies] == ONLY_SLIDES).all(axis=1)
    weight = np.zeros(len(bodies))
    weight[simple] = (1 / m.body_mass[bodies[simple]]).mean(axis=1)
    rigid = bodies[:, 0] == bodies[:, 1]
    used = m.flex_edgestiffness[flex] or m.flex_edgedamping[flex] or m.flex_damping[flex]
    if m.flex_edgeequality[flex] or used:
        edges = np.flatnonzero(~simple & ~rigid)
    else:
        edges = np.zeros(0, int)
    if len(edges):
        ends = [
            at.generalized(bodies[edges, end], points[edges, end], (2 * end - 1) * direction[edges]) for end in (0, 1)
        ]
        arms = Arms.sum(len(edges), *(np.concatenate(part) for part in zip(*ends, strict=True)))
        weight[edges] = responses(inverse, at, arms)[:, 0]
    return np.where(rigid, 0.0, weight)
