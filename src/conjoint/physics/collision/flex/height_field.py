"""Contacts of elements of flexes with height fields: one for each prism below the surface that an element overlaps."""

from conjoint.lang import kernel, load, local, real, vec3
from conjoint.physics.collision.contact_candidates import POINTS
from conjoint.physics.collision.convex.body import Body
from conjoint.physics.collision.feature import keep_contacts, of_element, of_geom
from conjoint.physics.collision.flex.elements import corner, set_element
from conjoint.physics.collision.hfield import Box, prism_contacts
from conjoint.physics.flex.kinematics import greatest, least
from conjoint.schema.constants import mjMAXCONPAIR

EXACT_KERNELS = True


@kernel(per_world=True)
def collide_height_field(m, d, field, f, e, margin, touching):
    """Find the contacts of a height field with an element; `touching` finds that with a prism."""
    bodies = local(Body, 2)
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    box = place_element(m, d, field, f, e, bodies[1])
    n = prism_contacts(m, d, field, bodies, box, margin, dists, points, touching)
    keep_contacts(d, of_geom(field), of_element(f, e), n, dists, points)


@kernel(per_world=True)
def place_element(m, d, field, f, e, body):
    """A body is element e of flex f, in the frame of a height field; the box around it without its skin."""
    set_element(m, d, f, e, 0.0, body)
    low = d.geom_xmat[field].T @ (corner(m, d, f, e, 0) - d.geom_xpos[field])
    high = low
    for k in range(m.flex_dim[f] + 1):
        vertex = d.geom_xmat[field].T @ (corner(m, d, f, e, k) - d.geom_xpos[field])
        body.corners[k] = vertex
        low = least(low, vertex)
        high = greatest(high, vertex)
    middle = load(vec3, d.flexelem_aabb, (m.flex_elemadr[f] + e, 0)) - d.geom_xpos[field]
    body.pos = d.geom_xmat[field].T @ middle
    return Box(low, high)
