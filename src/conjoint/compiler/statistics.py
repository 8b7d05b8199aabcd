"""Statistics of a model in its initial configuration (XML Reference, statistic)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.shape import PLANE
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.rotation import distance, place

LEAST_SIZE = 1e-5
"""Least size of a body or a model, in m."""
DEFAULT_EXTENT = 2.0
"""Extent of a model without extent."""


def statistics(m: Arrays, at: Configuration, inertia: np.ndarray) -> dict[str, Any]:
    """Value of every field `stat.*` of the model `m`, in its initial configuration `at`.

    Args:
        inertia: (nv,) diagonal of the inertia matrix.
    """
    geoms = zip(m.listed("geom_bodyid"), m.geom_pos.tolist(), strict=True)
    where = [place(at.xpos[body], at.xquat[body], pos) for body, pos in geoms]
    center, extent = _box(m, at, where)
    meansize, meanmass = 0.2, 1.0
    if m.nbody > 1:
        sizes = _body_sizes(m, at, where)
        meansize = sum(max(size, LEAST_SIZE) for size in sizes[1:]) / (m.nbody - 1)
        meanmass = m.body_mass[1:].sum() / (m.nbody - 1)
    extent = max(extent, 2 * meansize)
    meaninertia = inertia.sum() / m.nv if m.nv else 1.0
    return {
        "meaninertia": meaninertia,
        "meanmass": meanmass,
        "meansize": meansize,
        "extent": extent,
        "center": center,
    }


def _box(m: Arrays, at: Configuration, where: list) -> tuple[np.ndarray, float]:
    """Center and size of the box around bodies, joints, sites and geoms."""
    points = [*at.xpos[1:], *at.xipos[1:], *at.anchor, *at.site_xpos]
    if not (points or where):
        return np.zeros(3), DEFAULT_EXTENT
    columns = m.geom_type.tolist(), m.geom_size.tolist(), m.geom_rbound.tolist()
    radii = [0.0] * len(points)
    for kind, (a, b, _), radius in zip(*columns, strict=True):
        radii.append(radius if kind != PLANE else _flat_radius(a, b))
    centers, radius = np.array(points + where), np.array(radii)[:, None]
    lowest, highest = (centers - radius).min(axis=0), (centers + radius).max(axis=0)
    extent = float((highest - lowest).max())
    # a model without width along x has no extent, as in the official compiler
    return (lowest + highest) / 2, extent if highest[0] - lowest[0] > mjMINVAL else DEFAULT_EXTENT


def _flat_radius(a: float, b: float) -> float:
    """What a plane of these half sizes counts with: a tenth of its size, 1 m if it is infinite."""
    return max(a, b) * 0.1 if max(a, b) > 0 else 1.0


def _body_sizes(m: Arrays, at: Configuration, where: list) -> list[float]:
    """Size of every body: reach of its geoms and joints from its center of mass, and of flexes."""
    sizes = [0.0] * m.nbody
    parents = m.listed("body_parentid")
    for child, anchor in zip(m.listed("jnt_bodyid"), at.anchor, strict=True):
        for body in (child, parents[child]):
            sizes[body] = max(sizes[body], distance(at.xipos[body], anchor))
    for body, radius, pos in zip(m.listed("geom_bodyid"), m.geom_rbound.tolist(), where, strict=True):
        if radius > 0:
            sizes[body] = max(sizes[body], radius + distance(at.xipos[body], pos))
    for flex in range(m.nflex):
        for body, reach in _flex_reach(m, at, flex):
            sizes[body] = max(sizes[body], reach)
    return sizes


def _flex_reach(m: Arrays, at: Configuration, flex: int) -> Iterator[tuple[int, float]]:
    """Bodies of a flex, with the lengths of their edges or, where there are nodes, the distances of all these."""
    if m.flex_interp[flex]:
        bodies = m.flex_nodebodyid[m.flex_nodeadr[flex] :][: m.flex_nodenum[flex]].tolist()
        yield from ((a, distance(at.xpos[a], at.xpos[b])) for a in bodies for b in bodies)
        return
    bodies = m.flex_vertbodyid[m.flex_vertadr[flex] :]
    edges = slice(m.flex_edgeadr[flex], m.flex_edgeadr[flex] + m.flex_edgenum[flex])
    for ends, length in zip(bodies[m.flex_edge[edges]].tolist(), m.flexedge_length0[edges].tolist(), strict=True):
        yield from ((body, length) for body in ends)
