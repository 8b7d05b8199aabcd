"""Statistics of a model in its initial configuration (XML Reference, statistic)."""

from __future__ import annotations

import numpy as np

from conjoint.compiler.constants import InitialPose
from conjoint.compiler.draft import Draft
from conjoint.compiler.rotation import distance, place
from conjoint.compiler.shape import HFIELD, PLANE
from conjoint.lang.layout import Buffer

LEAST_SIZE = 1e-5
"""Least size of a body or a model, in m."""
DEFAULT_EXTENT = 2.0
"""Extent of a model without extent."""
NAMES = ("meaninertia", "meanmass", "meansize", "extent", "center")


def set_statistics(draft: Draft, pose: InitialPose, buffer: Buffer) -> None:
    """Write `stat.*`: as written in the file, else as computed."""
    values = dict(zip(NAMES, _computed(draft, pose, buffer), strict=True))
    for name, value in values.items():
        written = getattr(draft.spec.statistic, name)
        buffer.view("stat." + name)[...] = value if written is None else written


def _computed(draft: Draft, pose: InitialPose, buffer: Buffer) -> tuple:
    """meaninertia, meanmass, meansize, extent, center."""
    where = {geom.id: place(pose.xpos[geom.bodyid], pose.xquat[geom.bodyid], geom.pos) for geom in draft.geoms}
    center, extent = _box(draft, pose, where)
    nbody = len(draft.bodies)
    meansize, meanmass = 0.2, 1.0
    if nbody > 1:
        sizes = _body_sizes(draft, pose, where)
        meansize = sum(max(size, LEAST_SIZE) for size in sizes[1:]) / (nbody - 1)
        meanmass = buffer.view("body_mass")[1:].mean()
    extent = max(extent, 2 * meansize)
    nv = len(pose.M)
    meaninertia = np.trace(pose.M) / nv if nv else 1.0
    return meaninertia, meanmass, meansize, extent, center


def _box(draft: Draft, pose: InitialPose, where: dict) -> tuple[np.ndarray, float]:
    """Center and size of the box around bodies, joints, sites and geoms."""
    points = [*pose.xpos[1:], *pose.xipos[1:], *pose.anchor]
    points += [place(pose.xpos[site.bodyid], pose.xquat[site.bodyid], site.pos) for site in draft.sites]
    low, high = [], []
    if points:
        low, high = [np.min(points, axis=0)], [np.max(points, axis=0)]
    for geom in draft.geoms:
        radius = geom.rbound
        if geom.type in (PLANE, HFIELD):
            # planes count with a tenth of their size, infinite ones with 1 m
            radius = max(geom.size[:2]) * 0.1 or 1.0
        low.append(np.array(where[geom.id]) - radius)
        high.append(np.array(where[geom.id]) + radius)
    if not low:
        return np.zeros(3), DEFAULT_EXTENT
    lowest, highest = np.min(low, axis=0), np.max(high, axis=0)
    extent = float(np.max(highest - lowest))
    return (lowest + highest) / 2, DEFAULT_EXTENT if extent < LEAST_SIZE else extent


def _body_sizes(draft: Draft, pose: InitialPose, where: dict) -> list[float]:
    """Size of every body: reach of its geoms and joints from its center of mass."""
    sizes = [0.0] * len(draft.bodies)
    for joint in draft.joints:
        for body in (joint.bodyid, draft.bodies[joint.bodyid].parentid):
            sizes[body] = max(sizes[body], distance(pose.xipos[body], pose.anchor[joint.id]))
    for geom in draft.geoms:
        if geom.rbound > 0:
            body = geom.bodyid
            sizes[body] = max(sizes[body], geom.rbound + distance(pose.xipos[body], where[geom.id]))
    return sizes
