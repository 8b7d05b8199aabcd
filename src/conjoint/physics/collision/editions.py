"""Differences between the editions in collision detection, except for colliders (`collider_table`).

The stages that list pairs get an `Edition` when they are compiled, as does the imitation of MuJoCo's missed contacts.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, kernel, maximum
from conjoint.physics.collision.convex.collide import Touch
from conjoint.physics.collision.convex.editions import TOUCH_3, TOUCH_4
from conjoint.physics.pair_filter import margin_in_force


@dataclass(frozen=True)
class Edition(Group):
    """Rules of an edition for the margins and gaps of pairs, and for excluded contacts.

    Attributes:
        both: kernel `(first, second)` that returns the margin (or gap) of a pair from the margins (or gaps) of its
            members.
        margins: kernel `(m, margin, gap)` that returns the distance (m) below which contacts are listed, and the
            distance below which they act.
        excludes_unmoved: True to exclude contacts of explicit pairs that no dof moves even if constraint rows are
            dense.
        touch: the `Touch` of flex elements in the native pipeline.
    """

    both: Kernel
    margins: Kernel
    excludes_unmoved: bool
    touch: Touch


@kernel
def larger_3(first, second):
    """Return the larger of two margins or gaps."""
    return maximum(first, second)


@kernel
def margins_3(m, margin, gap):
    """Return the distances for listing and acting: contacts are listed below the margin, and the gap is inside it."""
    listed = margin_in_force(m, margin)
    return listed, listed - gap


@kernel
def sum_4(first, second):
    """Return the sum of two margins or gaps."""
    return first + second


@kernel
def margins_4(m, margin, gap):
    """Return the distances for listing and acting: contacts act below the margin, and the gap is outside it."""
    return margin_in_force(m, margin + gap), margin_in_force(m, margin)


EDITIONS = Edition(larger_3, margins_3, False, TOUCH_3), Edition(sum_4, margins_4, True, TOUCH_4)
"""Editions, indexed by the numbers in `schema.semantics`."""
