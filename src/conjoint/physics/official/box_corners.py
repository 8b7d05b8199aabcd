"""Details of MuJoCo's box colliders that do not follow from geometry.

Version 3.3.5 lists corners by kind (see `collision.box_box_3`), and prefers the lower axis among equal overlaps.
"""

from conjoint.lang import dot, kernel, where
from conjoint.physics.geometry.matrix import on_axis

NO_SIDE = 1e-30
"""Component of a normal vector that counts as zero."""


@kernel
def side_of_edge(edge):
    """Return a small vector that selects one face at an edge if the normal is equally close to both faces."""
    return (on_axis((edge + 2) % 3, 1.0) - on_axis((edge + 1) % 3, 1.0)) * NO_SIDE


@kernel
def reported_distance(dist):
    """Return the distance of a contact below a face, for which MuJoCo 3.3.5 reports half the depth."""
    return dist * where(dist < 0.0, 0.5, 1.0)


@kernel
def lost_determinant(between):
    """Return MuJoCo's substitute for the determinant after the first corner.

    With this value, most later corners are lost.
    """
    return dot(between, between)
