"""Classification of finite differences that deviate from exact derivatives: at an edge, scattered, or an error.

The exact derivative is judged by values of the function at many step lengths. A difference quotient settles if it is the same,
within the tolerance, at three consecutive step lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import conjoint as mj
from derivative_differences import Change, Differences

LENGTHS = tuple(10.0 ** (-0.5 * k) for k in range(4, 19))
"""Step lengths from 1e-2 to 1e-9, two in a decade."""

BAR = 1e-6
"""Tolerance, relative to the largest element of a matrix."""

USUAL = 7
"""Number of step lengths, the largest first, that differences usually use: down to 1e-5."""

MIXED = 0.1
"""Allowed distance of an exact derivative from the one-sided derivatives, in units of the largest difference between the two sides."""

JUMP = 1e-9
"""Minimum size of a jump in states and sensors that rounding cannot cause."""

EARLY = 1e-6
"""Smallest difference of contact distances, in units of a body's size, that shows that a search ended early."""

CAUSES = ("edge", "scatter", "search", "AWAY")
"""Causes in the order of their severity.

* "edge": one-sided differences settle on both sides, and some of the column at different numbers. The exact derivative is
  between them, up to a tenth of the largest difference between the two sides in the column. Or the exact derivative
  equals that on one side, and the other side does not settle. Or the function jumps here, on one side or both.
* "scatter": differences settle at no step length, and the exact derivative is within their range at lengths down to 1e-5.
* "search": none of the above, but contact distances differ from the distances of the bodies along the normals. Collision
  detection ended before its solution, and only the solution has a derivative.
* "AWAY": none of the above: an error.
"""


UNSETTLED = -1
"""Cause of numbers whose differences settle at no step length and do not scatter around the exact derivative."""


@dataclass(frozen=True)
class Slopes:
    """Slopes of several quantities at many step lengths; the first axis is the step length."""

    central: np.ndarray
    right: np.ndarray
    left: np.ndarray
    jumps: np.ndarray


def slopes(differences: Differences, change: Change, outputs: Sequence[str]) -> Slopes:
    """Return the slopes of outputs with respect to a perturbation of an input."""
    base = differences.at(change, 0.0, outputs)
    found = []
    for h in LENGTHS:
        x = {k: differences.between(outputs, base, differences.at(change, k * h, outputs)) for k in (-1, -0.5, 0.5, 1)}
        wide, narrow = (x[1] - x[-1]) / (2 * h), (x[0.5] - x[-0.5]) / h
        right, left = ((4 * x[0.5 * sign] - x[sign]) / (sign * h) for sign in (1, -1))
        found.append(((4 * narrow - wide) / 3, right, left, x[1], x[-1]))
    central, right, left, above, below = map(np.array, zip(*found, strict=True))
    return Slopes(central, right, left, np.maximum(jump(above), jump(below)))


def jump(x: np.ndarray) -> np.ndarray:
    """Return the size of differences that stay constant over the last two decades of step lengths, else 0."""
    size = np.abs(x[-5:]).min(axis=0)
    return np.where(np.ptp(x[-5:], axis=0) < 0.2 * size, size, 0.0)


def settled(x: np.ndarray, bar: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Return the values at the smallest three step lengths that agree (else, agree best), and their spread."""
    apart = np.array([np.ptp(x[k : k + 3], axis=0) for k in range(len(x) - 2)])
    apart = np.where(np.isfinite(apart), apart, np.inf)
    fine = len(apart) - 1 - (apart <= bar)[::-1].argmax(axis=0)
    place = np.where((apart <= bar).any(axis=0), fine, apart.argmin(axis=0))
    every = np.arange(x.shape[1])
    return x[place + 1, every], apart[place, every]


def causes(found: Slopes, exact: np.ndarray, bar: np.ndarray, mixed: float = MIXED) -> np.ndarray:
    """Return, for each derivative, the cause of the deviation between its exact value and finite differences.

    The cause is 0 if both agree, otherwise an index in CAUSES counted from 1, or UNSETTLED.

    Args:
        found: slopes of the numbers by finite differences.
        exact: exact derivatives.
        bar: tolerance of each number.
        mixed: allowed deviation at an edge, see MIXED.
    """
    (_, scatter), (right, on_right), (left, on_left) = (
        settled(x, bar) for x in (found.central, found.right, found.left)
    )
    sides = (on_right <= bar) & (on_left <= bar) & (np.abs(right - left) > bar)
    low, high = np.minimum(right, left), np.maximum(right, left)
    # at an edge, each contact, row and evaluation may be on either side
    beyond = mixed * np.max(high - low, where=sides, initial=0.0)
    between = (exact >= low - np.maximum(beyond, bar)) & (exact <= high + np.maximum(beyond, bar))
    one = [(apart <= bar) & (np.abs(exact - x) <= bar) for x, apart in ((right, on_right), (left, on_left))]
    near = [np.abs(exact - x) <= bar for x in (found.central, found.right, found.left)]
    agree = (near[0] | (near[1] & near[2])).any(axis=0)
    edge = (
        ((on_right <= bar) & (on_left <= bar) & between & (beyond > 0.0))
        | one[0]
        | one[1]
        | (found.jumps > np.maximum(10.0 * bar * LENGTHS[-1], JUMP))
    )
    every = np.concatenate([x[:USUAL] for x in (found.central, found.right, found.left)])
    scattered = (scatter > bar) & (exact >= every.min(axis=0)) & (exact <= every.max(axis=0))
    cause = np.full(exact.shape, CAUSES.index("AWAY") + 1)
    cause[scattered & ~sides] = CAUSES.index("scatter") + 1
    cause[edge] = CAUSES.index("edge") + 1
    cause[agree] = 0
    return np.where((cause == CAUSES.index("AWAY") + 1) & (scatter > bar), UNSETTLED, cause)


def support(m: mj.MjModel, d: mj.MjData, g: int, way: np.ndarray) -> float:
    """Return the coordinate, along a unit direction, of a geom's farthest point in that direction.

    The result is NaN for geom types that contact searches do not use.
    """
    frame = d.geom_xmat[g].reshape(3, 3)
    size, (x, y, z) = m.geom_size[g], frame.T @ way
    kind, mesh = m.geom_type[g], m.geom_dataid[g]
    if kind == mj.mjtGeom.mjGEOM_MESH:
        first = m.mesh_vertadr[mesh]
        reach = (m.mesh_vert[first : first + m.mesh_vertnum[mesh]] @ (frame.T @ way)).max()
    else:
        reach = {
            mj.mjtGeom.mjGEOM_BOX: size @ np.abs((x, y, z)),
            mj.mjtGeom.mjGEOM_CYLINDER: size[0] * np.hypot(x, y) + size[1] * abs(z),
            mj.mjtGeom.mjGEOM_ELLIPSOID: np.linalg.norm(size * (x, y, z)),
            mj.mjtGeom.mjGEOM_CAPSULE: size[0] + size[1] * abs(z),
        }.get(kind, np.nan)
    return float(d.geom_xpos[g] @ way + reach)


def ended_early(m: mj.MjModel, d: mj.MjData) -> int:
    """Count contacts of convex bodies whose distance is not the distance between the bodies along the contact normal.

    At the deepest points, both distances are equal; if they differ, the search ended before its solution.
    """
    found, known = 0, set[tuple[int, int]]()
    for (a, b), dist, frame in zip(d.contact.geom.tolist(), d.contact.dist, d.contact.frame, strict=True):
        # further contacts of a pair have the distance of its first contact
        first, known = (a, b) not in known, known | {(a, b)}
        if first and min(a, b) >= 0 and dist < 0.0 and mj.mjtGeom.mjGEOM_MESH in (m.geom_type[a], m.geom_type[b]):
            normal = frame[:3]
            overlap = support(m, d, a, normal) + support(m, d, b, -normal)
            found += bool(abs(overlap + dist) > EARLY * min(m.geom_rbound[a], m.geom_rbound[b]))
    return found


def judge(
    m: mj.MjModel, d: mj.MjData, change: Change, outputs: Sequence[str], exact: np.ndarray, bar: np.ndarray
) -> np.ndarray:
    """Return the causes of a column of derivatives, as `causes` does, with the cause "search" where it applies."""
    differences = Differences(m, d)
    # each of the four evaluations of a Runge-Kutta step may be on either side
    repeated = 40.0 if m.opt.integrator == mj.mjtIntegrator.mjINT_RK4 else 1.0
    cause = causes(slopes(differences, change, outputs), exact, bar, repeated * MIXED)
    # what remains is an error, unless collision detection ended before its solution
    unknown = (cause == UNSETTLED) | (cause == CAUSES.index("AWAY") + 1)
    if unknown.any():
        cause[unknown] = CAUSES.index("search" if ended_early(m, d) else "AWAY") + 1
    return cause
