"""Directions from a point to the hull surface of a mesh (stage 12)."""

from conjoint.lang import clip, cross, dot, kernel, load, maximum, norm, normalize3, vec3
from conjoint.schema.constants import mjMAXVAL, mjMINVAL


@kernel
def way_out_of_hull(m, mesh, q):
    """Return the unit direction in which a point is farthest above the hull of a mesh.

    For a point inside, this is the direction to the nearest face.

    Args:
        m: model.
        mesh: index of the mesh.
        q: position of the point in the frame of the vertices.
    """
    above = -mjMAXVAL
    inside = vec3(0.0, 0.0, 1.0)
    nearest = mjMAXVAL
    away = vec3(0.0, 0.0, 1.0)
    for k in range(m.mesh_polynum[mesh]):
        polygon = m.mesh_polyadr[mesh] + k
        normal = m.mesh_polynormal[polygon]
        distance = dot(normal, q - corner_of_polygon(m, mesh, polygon, 0))
        if distance > above:
            above = distance
            inside = normal
        if distance > 0.0:
            way = from_polygon(m, mesh, polygon, q, normal * distance)
            if norm(way) < nearest:
                nearest = norm(way)
                away = way
    if above > 0.0 and nearest > mjMINVAL:
        return normalize3(away)
    return inside


@kernel
def corner_of_polygon(m, mesh, polygon, k):
    """Return the position of corner k of a hull polygon."""
    vertex = m.mesh_polyvert[m.mesh_polyvertadr[polygon] + k]
    return load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + vertex, 0))


@kernel
def from_polygon(m, mesh, polygon, q, upright):
    """Return the vector from the nearest point of a polygon to point q, which is `upright` above its plane."""
    count = m.mesh_polyvertnum[polygon]
    begin = corner_of_polygon(m, mesh, polygon, count - 1)
    away = upright
    nearest = mjMAXVAL
    for k in range(count):
        end = corner_of_polygon(m, mesh, polygon, k)
        side = end - begin
        # if the point is outside of a side, the nearest point is on one of the sides
        if dot(cross(side, q - begin), upright) < 0.0:
            part = clip(dot(side, q - begin) / maximum(dot(side, side), mjMINVAL * mjMINVAL), 0.0, 1.0)
            way = q - begin - side * part
            if norm(way) < nearest:
                nearest = norm(way)
                away = way
        begin = end
    return away
