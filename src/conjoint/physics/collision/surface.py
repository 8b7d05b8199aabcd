"""What contacts have of the surfaces of their geoms: velocities of surfaces that move, and adhesion."""

from conjoint.lang import cross, dot, kernel, load, row0, row1, row2, spatial, vec3
from conjoint.schema.constants import IN_GAP


@kernel(one_by_one="its indices and branches are those of the state")
def surface_velocities(m, d):
    """contact_surfacevel: velocity of the second surface less that of the first, in the tangent plane."""
    for c in range(d.ncon):
        first = velocity_of_surface(m, d, d.contact_geom[c, 0], d.contact_pos[c])
        second = velocity_of_surface(m, d, d.contact_geom[c, 1], d.contact_pos[c])
        move = second.linear - first.linear
        frame = d.contact_frame[c]
        spin = dot(row0(frame), second.angular - first.angular)
        d.contact_surfacevel[c] = vec3(dot(row1(frame), move), dot(row2(frame), move), spin)


@kernel
def velocity_of_surface(m, d, g, point):
    """Velocity of the surface of geom g at a point of the world; of a flex (-1) none."""
    none = vec3(0.0, 0.0, 0.0)
    if g < 0:
        return spatial(none, none)
    frame = d.geom_xmat[g]
    turn = frame @ load(vec3, m.geom_surfacevel, (g, 3))
    return spatial(turn, frame @ load(vec3, m.geom_surfacevel, (g, 0)) + cross(turn, point - d.geom_xpos[g]))


@kernel(one_by_one="its indices and branches are those of the state")
def contact_adhesions(m, d):
    """contact_adhesion; adhesive contacts act in the gap, too, without friction there."""
    for c in range(d.ncon):
        force = adhesion_between(m, d.contact_geom[c, 0], d.contact_geom[c, 1])
        d.contact_adhesion[c] = force
        if force > 0.0 and d.contact_exclude[c] == IN_GAP:
            d.contact_exclude[c] = 0
            d.contact_dim[c] = 1


@kernel
def adhesion_between(m, g, h):
    """Adhesive force of a contact of two geoms; -1: a flex, which has none."""
    if g < 0 or h < 0:
        return 0.0
    for p in range(m.npair):
        same = m.pair_geom1[p] == g and m.pair_geom2[p] == h
        if same or (m.pair_geom1[p] == h and m.pair_geom2[p] == g):
            return m.pair_adhesion[p]
    if m.geom_priority[g] > m.geom_priority[h]:
        return m.geom_adhesion[g]
    if m.geom_priority[h] > m.geom_priority[g]:
        return m.geom_adhesion[h]
    return m.geom_adhesion[g] + m.geom_adhesion[h]
