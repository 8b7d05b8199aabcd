"""Boxes around two geoms: where they are apart, the geoms are, too, which spares GJK most pairs."""

from conjoint.lang import abs, kernel, load, maximum, vec3
from conjoint.physics.geometry.matrix import column
from conjoint.physics.geometry.shape import half_sizes, reach
from conjoint.schema.constants import mjMAXVAL
from conjoint.schema.enums import mjtGeom

EXACT_KERNELS = False

SLACK = 1e-6
"""How far (relative to their size) boxes must be apart; nearer pairs are left to GJK."""


@kernel
def box_size(m, g):
    """Half sizes of the box around geom g, along its axes."""
    kind = m.geom_type[g]
    if kind >= mjtGeom.mjGEOM_SPHERE and kind <= mjtGeom.mjGEOM_BOX:
        return half_sizes(kind, m.geom_size[g])
    return load(vec3, m.geom_aabb, (g, 3))


@kernel(exact=True)
def box_center(m, d, g):
    """Center of the box around geom g, in the world: of meshes it is not their own."""
    if m.geom_dataid[g] < 0:
        return d.geom_xpos[g]
    return d.geom_xmat[g] @ load(vec3, m.geom_aabb, (g, 0)) + d.geom_xpos[g]


@kernel
def gap(position, row, own, half):
    """How far a box is from another along an axis of that, whose half size is `own`; negative: they overlap."""
    return abs(position) - own - reach(row, half)


@kernel
def are_apart(m, d, g1, g2, margin):
    """Whether the boxes around two geoms are more than the margin apart, along an axis of one of them."""
    half1 = box_size(m, g1)
    half2 = box_size(m, g2)
    between = box_center(m, d, g2) - box_center(m, d, g1)
    in_first = d.geom_xmat[g1].T @ between
    in_second = d.geom_xmat[g2].T @ between
    turn = d.geom_xmat[g1].T @ d.geom_xmat[g2]
    most = -mjMAXVAL
    for i in range(3):
        most = maximum(most, gap(in_first[i], column(turn.T, i), half1[i], half2))
        most = maximum(most, gap(in_second[i], column(turn, i), half2[i], half1))
    return most > margin + SLACK * (half1.x + half1.y + half1.z + half2.x + half2.y + half2.z)
