"""The first geom that a ray meets, and rays against meshes."""

from conjoint.lang import dot, kernel, load, local, minimum, norm, vec3
from conjoint.physics.ray import MISSED, nearer, ray_inside, ray_shape, ray_triangle
from conjoint.physics.ray_hfield import ray_hfield
from conjoint.schema.constants import mjNGROUP
from conjoint.schema.enums import mjtGeom

SLACK = 1.000001
"""Factor by which bounds are enlarged: rounding must not lose what is just met."""

WAITING = 64
"""Most bounding volumes that wait while a tree is gone through, depth first: trees halve what they hold."""


@kernel(per_world=True)
def first_geom(m, d, start, way, groups, static, exclude, reach):
    """Distance to the first geom that a ray meets, and its id, -1 for none (mj_ray).

    Args:
        m: model.
        d: data, after mj_kinematics.
        start: where the ray starts.
        way: its direction, the unit of distance.
        groups: for every group, whether its geoms count.
        static: whether geoms fixed to the world count.
        exclude: body whose geoms do not count; -1 for none.
        reach: geoms that collide and whose bounding spheres are farther from the start do not count (m).
    """
    best = MISSED
    found = -1
    for g in range(m.ngeom):
        if counts(m, g, groups, static, exclude) and is_within(m, d, g, start, reach) and is_near(m, d, g, start, way):
            x = ray_geom(m, d, g, start, way)
            if x >= 0.0 and (found < 0 or x < best):
                best = x
                found = g
    return best, found


@kernel(per_world=True)
def first_geoms(m, d, start, ways, groups, static, exclude, cutoff, found, distances, count):
    """`first_geom` of `count` rays from one point, among geoms not farther than `cutoff` (mj_multiRay)."""
    for r in range(count):
        distances[r] = MISSED
        found[r] = -1
    for g in range(m.ngeom):
        if counts(m, g, groups, static, exclude) and is_within(m, d, g, start, cutoff):
            for r in range(count):
                way = load(vec3, ways, 3 * r)
                if is_near(m, d, g, start, way):
                    x = ray_geom(m, d, g, start, way)
                    if x >= 0.0 and (found[r] < 0 or x < distances[r]):
                        distances[r] = x
                        found[r] = g


@kernel(per_world=True)
def counts(m, g, groups, static, exclude):
    """True if geom g is visible, in a group that counts, and on a body that does."""
    body = m.geom_bodyid[g]
    group = m.geom_group[g]
    if body == exclude or (not static and m.body_weldid[body] == 0):
        return False
    if group < 0:
        group = 0
    if group >= mjNGROUP:
        group = mjNGROUP - 1
    if groups[group] == 0:
        return False
    # what a material or, without one, the geom's colour makes invisible
    if m.geom_matid[g] >= 0:
        return m.mat_rgba[m.geom_matid[g], 3] != 0.0
    return m.geom_rgba[g, 3] != 0.0


@kernel(per_world=True)
def is_within(m, d, g, start, reach):
    """True if the bounding sphere of geom g is within reach.

    Geoms that do not collide are in no bounding volume, so officially none of them is out of reach.
    """
    collides = m.geom_contype[g] != 0 or m.geom_conaffinity[g] != 0
    return not collides or norm(d.geom_xpos[g] - start) <= reach + m.geom_rbound[g]


@kernel(per_world=True)
def is_near(m, d, g, start, way):
    """True if a ray meets the bounding sphere of geom g, or starts inside, or g has none."""
    offset = d.geom_xpos[g] - start
    radius = SLACK * m.geom_rbound[g]
    outside = dot(offset, offset) - radius * radius
    if radius <= 0.0 or outside <= 0.0:
        return True
    ahead = dot(offset, way)
    return ahead >= 0.0 and outside * dot(way, way) <= ahead * ahead


@kernel(per_world=True)
def ray_geom(m, d, g, start, way):
    """Distance to geom g, of any type."""
    if m.geom_type[g] == mjtGeom.mjGEOM_MESH:
        return ray_mesh(m, d, g, start, way)
    if m.geom_type[g] == mjtGeom.mjGEOM_HFIELD:
        return ray_hfield(m, d, g, start, way)
    return ray_shape(m.geom_type[g], d.geom_xpos[g], d.geom_xmat[g], m.geom_size[g], start, way)


@kernel(per_world=True)
def ray_mesh(m, d, g, start, way):
    """Distance to geom g, a mesh: the first triangle in the bounding volumes that the ray meets (mj_rayMesh)."""
    p = d.geom_xmat[g].T @ (start - d.geom_xpos[g])
    v = d.geom_xmat[g].T @ way
    mesh = m.geom_dataid[g]
    x = MISSED
    waiting = local(int, WAITING)
    waiting[0] = m.mesh_bvhadr[mesh]
    count = minimum(m.mesh_bvhnum[mesh], 1)
    while count > 0:
        count -= 1
        volume = waiting[count]
        if meets_volume(m, volume, p, v, x):
            face = m.bvh_nodeid[volume]
            if face >= 0:
                x = nearer(x, ray_face(m, mesh, m.mesh_faceadr[mesh] + face, p, v))
            else:
                for side in range(2):
                    child = m.bvh_child[volume, side]
                    if child >= 0 and count < WAITING:
                        waiting[count] = m.mesh_bvhadr[mesh] + child
                        count += 1
    return x


@kernel(per_world=True)
def meets_volume(m, volume, p, v, reach):
    """True if a ray meets the box of a bounding volume, nearer than `reach` unless that is -1."""
    middle = load(vec3, m.bvh_aabb, (volume, 0))
    half = load(vec3, m.bvh_aabb, (volume, 3)) * SLACK
    near, far = ray_inside(middle - half, middle + half, p, v)
    return near <= far and (reach < 0.0 or near <= reach)


@kernel(per_world=True)
def ray_face(m, mesh, f, p, v):
    """Distance to triangle f, one of a mesh."""
    return ray_triangle(p, v, mesh_corner(m, mesh, f, 0), mesh_corner(m, mesh, f, 1), mesh_corner(m, mesh, f, 2))


@kernel(per_world=True)
def mesh_corner(m, mesh, f, k):
    """Corner k of triangle f of a mesh."""
    return load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + m.mesh_face[f, k], 0))
