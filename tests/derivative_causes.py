"""Why differences of a column are not near exact derivatives: an edge that they show, numbers that do not settle, or a
fault.

All is told by values of the function at many lengths; the exact derivative is only judged by it. A number settles if
it is the same, within the bar, at three lengths one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import conjoint as mj
from derivative_differences import Change, Differences

LENGTHS = tuple(10.0 ** (-0.5 * k) for k in range(4, 19))
"""From 1e-2 to 1e-9, two in a decade."""

BAR = 1e-6
"""Relative to the largest element of a matrix."""

USUAL = 7
"""How many of the lengths, the greatest first, differences are usually taken at: to 1e-5."""

MIXED = 0.1
"""How far an exact number may be outside of those on the two sides, in units of their largest difference."""

JUMP = 1e-9
"""Jumps that are no rounding of states and sensors."""

GEOMETRY = 1e-4
"""Scatter of slopes of points, normals and distances of contacts (m, or of unit vectors) that settle."""

CAUSES = ("edge", "scatter", "search", "AWAY")
"""In the order of their weight.

edge: one-sided differences settle on both sides, some of the column at different numbers, and the exact one is one of
    these or between, but for a tenth of the largest difference of the two sides in the column; or it is that on one
    side, and the other side does not settle; or the function jumps here, on one side or both.
scatter: differences settle at no length, and the exact one is among those at lengths down to 1e-5.
search: the same, but it is not; and slopes of contacts, which need no solver, settle at no length: collision detection
    ends at other points for every small change.
AWAY: none of these: a fault.
"""


UNSETTLED = -1
"""Differences settle at no length, and the exact one is not within their scatter."""


@dataclass(frozen=True)
class Slopes:
    """Slopes of numbers at many lengths, first axis; central ones are of fourth order, one-sided of second.

    Attributes:
        central, right, left: the slopes.
        jumps: by how much the limit of the function, on one side at least, is another one than its value.
    """

    central: np.ndarray
    right: np.ndarray
    left: np.ndarray
    jumps: np.ndarray


def slopes(differences: Differences, change: Change, outputs: Sequence[str]) -> Slopes:
    """Slopes of outputs along a change."""
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
    """The size of changes that stay as large as they are while lengths go to zero, over the last two decades; or 0."""
    size = np.abs(x[-5:]).min(axis=0)
    return np.where(np.ptp(x[-5:], axis=0) < 0.2 * size, size, 0.0)


def settled(x: np.ndarray, bar: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the least three lengths at which they settle, else of those at which they are most alike; how far these
    are apart."""
    apart = np.array([np.ptp(x[k : k + 3], axis=0) for k in range(len(x) - 2)])
    apart = np.where(np.isfinite(apart), apart, np.inf)
    fine = len(apart) - 1 - (apart <= bar)[::-1].argmax(axis=0)
    place = np.where((apart <= bar).any(axis=0), fine, apart.argmin(axis=0))
    every = np.arange(x.shape[1])
    return x[place + 1, every], apart[place, every]


def causes(found: Slopes, exact: np.ndarray, bar: np.ndarray) -> np.ndarray:
    """The cause for each number: 0 where exact and differences agree, else the place in CAUSES from 1 on, or UNSETTLED.

    Args:
        found: slopes.
        exact: exact derivatives.
        bar: by how much they may differ.
    """
    (_, scatter), (right, on_right), (left, on_left) = (
        settled(x, bar) for x in (found.central, found.right, found.left)
    )
    sides = (on_right <= bar) & (on_left <= bar) & (np.abs(right - left) > bar)
    low, high = np.minimum(right, left), np.maximum(right, left)
    # at an edge each contact, row and evaluation is on a side of its own
    mixed = MIXED * np.max(high - low, where=sides, initial=0.0)
    between = (exact >= low - np.maximum(mixed, bar)) & (exact <= high + np.maximum(mixed, bar))
    one = [(apart <= bar) & (np.abs(exact - x) <= bar) for x, apart in ((right, on_right), (left, on_left))]
    near = [np.abs(exact - x) <= bar for x in (found.central, found.right, found.left)]
    agree = (near[0] | (near[1] & near[2])).any(axis=0)
    edge = (
        ((on_right <= bar) & (on_left <= bar) & between & (mixed > 0.0))
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


def contacts_settle(differences: Differences, change: Change) -> bool:
    """Whether slopes of all contacts settle along a change: where they have none, there are others at each length."""

    def at(length: float) -> np.ndarray:
        differences.at(change, length, ())
        contact, n = differences.world.contact, differences.world.ncon
        return np.concatenate(
            [contact.geom[:n].ravel(), contact.dist[:n], contact.pos[:n].ravel(), contact.frame[:n, :3].ravel()]
        )

    base, n = at(0.0), differences.world.ncon
    found = []
    for h in LENGTHS:
        above, below = at(h), at(-h)
        if above.shape != base.shape or below.shape != base.shape or (above[: 2 * n] != below[: 2 * n]).any():
            found.append(np.full(7 * n, np.nan))
        else:
            found.append((above - below)[2 * n :] / (2 * h))
    return not n or bool((settled(np.array(found), GEOMETRY)[1] < GEOMETRY).all())


def judge(
    m: mj.MjModel, d: mj.MjData, change: Change, outputs: Sequence[str], exact: np.ndarray, bar: np.ndarray
) -> np.ndarray:
    """Causes of a column, see `causes`."""
    differences = Differences(m, d)
    cause = causes(slopes(differences, change, outputs), exact, bar)
    if (cause == UNSETTLED).any():
        search = not contacts_settle(differences, change)
        cause[cause == UNSETTLED] = CAUSES.index("search" if search else "AWAY") + 1
    return cause
