"""Spring that shows a user's pull, from the selected point to the mouse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjvPerturb, MjvScene
from conjoint.schema.enums import mjtGeom, mjtObj
from conjoint.schema.enums_visual import mjtCatBit, mjtPertBit
from conjoint.viz.geom import mjv_connector, mjv_initGeom

COLOR = np.array([0.95, 0.45, 0.13, 1.0], np.float32)
"""Color of the spring."""

WIRE, COIL, END = 0.0016, 0.007, 0.006
"""Radii of the wire, of the coil and of the balls at both ends, relative to the distance from the camera."""

TURNS, PARTS = 9, 10
"""Number of turns of the coil, and number of straight segments per turn."""

STRAIGHT = 0.08
"""Fraction of the spring's length that is straight at each end."""

SHORTEST = 0.01
"""Length above which a spring is drawn as a coil, relative to the distance from the camera."""


def pulled_points(d: MjData, pert: MjvPerturb) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the pulled point of the selected body, and the target of the pull; None if there is no pull."""
    body = int(pert.select)
    if not (pert.active | pert.active2) & mjtPertBit.mjPERT_TRANSLATE or not 0 < body < len(d.xpos):
        return None
    start = d.xpos[body] + d.xmat[body].reshape(3, 3) @ pert.localpos
    end = np.array(pert.refselpos, float)
    return (start, end) if np.isfinite(start).all() and np.isfinite(end).all() else None


def add_spring(d: MjData, pert: MjvPerturb, scn: MjvScene, coiled: bool = True) -> None:
    """Add the spring of a pull, if there is one, to a scene that has just been updated.

    Args:
        d: the world that the scene shows.
        pert: the perturbation.
        scn: the scene; the spring is omitted if it does not fit.
        coiled: whether to draw a coil instead of a straight line.
    """
    points = pulled_points(d, pert)
    if points is None:
        return
    start, end = points
    distance = float(np.linalg.norm((start + end) / 2 - scn.camera[0].pos))
    path = coil(start, end, COIL * distance) if coiled and np.linalg.norm(end - start) > SHORTEST * distance else None
    path = np.array([start, end]) if path is None else path
    if int(scn.ngeom) + len(path) + 1 > int(scn.maxgeom):
        return
    for point in (start, end):
        _add(scn, mjtGeom.mjGEOM_SPHERE, END * distance, point)
    for low, high in pairwise(path):
        _add(scn, mjtGeom.mjGEOM_CAPSULE, WIRE * distance, low, high)


def coil(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """Return the points of a coil between two points, shape (n, 3), with straight ends."""
    along = (end - start) / np.linalg.norm(end - start)
    x = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    x /= np.linalg.norm(x)
    y = np.cross(along, x)
    share = np.linspace(0.0, 1.0, TURNS * PARTS + 1)
    angle = 2 * np.pi * TURNS * share
    # the coil begins and ends on its axis
    wide = radius * np.clip(np.minimum(share, 1 - share) * 2 * TURNS, 0.0, 1.0)
    around = np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
    middle = start + (STRAIGHT + (1 - 2 * STRAIGHT) * share)[:, None] * (end - start) + wide[:, None] * around
    return np.concatenate([[start], middle, [end]])


def _add(scn: MjvScene, kind: int, width: float, point: np.ndarray, to: np.ndarray | None = None) -> None:
    """Add a ball at a point, or a capsule that connects two points."""
    geom = scn.geoms[int(scn.ngeom)]
    size = np.full(3, width)
    mjv_initGeom(geom, kind, size, np.asarray(point, float), np.eye(3).ravel(), COLOR)
    if to is not None:
        mjv_connector(geom, kind, width, np.asarray(point, float), np.asarray(to, float))
    geom.category, geom.objtype, geom.objid = int(mjtCatBit.mjCAT_DECOR), int(mjtObj.mjOBJ_UNKNOWN), -1
    geom.segid, geom.emission = int(scn.ngeom), 0.3
    scn.ngeom = int(scn.ngeom) + 1
