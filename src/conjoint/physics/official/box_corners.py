"""What the official collider of boxes does that does not follow from their geometry."""

from conjoint.lang import dot, kernel, where
from conjoint.physics.geometry.matrix import on_axis

NO_SIDE = 1e-30
"""Less than any part of a normal that matters."""


@kernel
def side_of_edge(edge):
    """A small vector that decides which face at an edge is taken where the normal is as near to both."""
    return (on_axis((edge + 2) % 3, 1.0) - on_axis((edge + 1) % 3, 1.0)) * NO_SIDE


@kernel
def told_depth(dist, edges):
    """The distance that is told of a contact: below a face half the depth, where boxes meet with edges all of it."""
    return dist * where(not edges and dist < 0.0, 0.5, 1.0)


@kernel
def lost_determinant(between):
    """What stands in place of a determinant after the first corner: most corners behind it are lost."""
    return dot(between, between)
