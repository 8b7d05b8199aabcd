"""Differences between the editions of the physics in collision detection, except for colliders (`collider_table`).

Stages that make pairs, and the imitation of MuJoCo's missed contacts, get an `Edition` when they are compiled.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, kernel, maximum
from conjoint.physics.collision.convex.collide import Touch
from conjoint.physics.collision.convex.editions import TOUCH_3, TOUCH_4
from conjoint.physics.pair_filter import margin_in_force


@dataclass(frozen=True)
class Edition(Group):
    """Combination of the margins and gaps of two things.

    Attributes:
        both: (first, second) the margin, or gap, of two things with a margin, or gap, each.
        margins: (m, margin, gap) the distances (m) below which contacts are listed, and below which they act.
        excludes_unmoved: True to exclude contacts of explicit pairs that nothing moves even if rows are dense.
        touch: the `Touch` of elements of flexes in the native pipeline.
    """

    both: Kernel
    margins: Kernel
    excludes_unmoved: bool
    touch: Touch


@kernel
def larger_3(first, second):
    """Return the larger of two margins."""
    return maximum(first, second)


@kernel
def margins_3(m, margin, gap):
    """Return the margins for listing and acting: contacts are listed below the margin; the gap is inside of it."""
    listed = margin_in_force(m, margin)
    return listed, listed - gap


@kernel
def sum_4(first, second):
    """Return the sum of two margins."""
    return first + second


@kernel
def margins_4(m, margin, gap):
    """Return the margins for listing and acting: contacts act below the margin; the gap is outside of it."""
    return margin_in_force(m, margin + gap), margin_in_force(m, margin)


EDITIONS = Edition(larger_3, margins_3, False, TOUCH_3), Edition(sum_4, margins_4, True, TOUCH_4)
"""Editions by the numbers of `schema.semantics`."""
