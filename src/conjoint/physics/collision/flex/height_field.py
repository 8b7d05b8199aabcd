"""Contacts of elements of flexes with height fields: one for each prism below the surface that an element overlaps."""

from conjoint.lang import kernel, load, local, put, real, vec3
from conjoint.physics.collision.convex.body import CORNERS, MARGIN, POSITION, REALS, TWO_MARKS, TWO_REALS, set_geom
from conjoint.physics.collision.convex.simplex import FARTHEST
from conjoint.physics.collision.flex.elements import corner, set_element
from conjoint.physics.collision.flex.flex_candidates import NONE, keep_contact
from conjoint.physics.collision.hfield import cells, is_beside, set_prism
from conjoint.physics.flex.kinematics import greatest, least
from conjoint.schema.constants import mjMAXCONPAIR


@kernel(per_world=True, exact=True)
def collide_height_field(m, d, field, f, e, margin, touching):
    """Find the contacts of a height field with an element; `touching` finds that with a prism."""
    h = m.geom_dataid[field]
    reals = local(real, TWO_REALS)
    marks = local(int, TWO_MARKS)
    ends = local(vec3, 2)
    low, high = place_element(m, d, field, f, e, reals, marks)
    if not is_beside(m, h, low, high, margin):
        first_row, last_row = cells(m.hfield_size[h, 1], m.hfield_nrow[h], low.y, high.y)
        first_column, last_column = cells(m.hfield_size[h, 0], m.hfield_ncol[h], low.x, high.x)
        set_geom(m, d, field, 0.0, reals, marks, 0)
        reals[REALS + MARGIN] = margin
        most = d.nfound + mjMAXCONPAIR
        for row in range(first_row, last_row):
            for prism in range(2 * (last_column - first_column)):
                if d.nfound < most and set_prism(m, h, row, 2 * first_column + prism, margin, reals) >= low.z:
                    dist, pos, normal = touching(m, reals, marks, ends)
                    if dist < FARTHEST:
                        pos = d.geom_xpos[field] + d.geom_xmat[field] @ pos
                        normal = d.geom_xmat[field] @ normal
                        keep_contact(d, field, NONE, NONE, f, e, NONE, dist, pos, normal)


@kernel(per_world=True, exact=True)
def place_element(m, d, field, f, e, reals, marks):
    """The second body is element e of flex f, in the frame of the field; ends of a box around it without its skin."""
    set_element(m, d, f, e, 0.0, reals, marks, 1)
    low = d.geom_xmat[field].T @ (corner(m, d, f, e, 0) - d.geom_xpos[field])
    high = low
    for k in range(m.flex_dim[f] + 1):
        vertex = d.geom_xmat[field].T @ (corner(m, d, f, e, k) - d.geom_xpos[field])
        put(reals, REALS + CORNERS + 3 * k, vertex)
        low = least(low, vertex)
        high = greatest(high, vertex)
    middle = load(vec3, d.flexelem_aabb, (m.flex_elemadr[f] + e, 0)) - d.geom_xpos[field]
    put(reals, REALS + POSITION, d.geom_xmat[field].T @ middle)
    return low, high
