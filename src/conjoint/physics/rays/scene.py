"""Search for the first geom that a ray hits, and intersection of rays with meshes."""

from conjoint.lang import dot, kernel, load, local, maximum, minimum, norm, vec3
from conjoint.physics.collision.hull import WAITING, mesh_corner
from conjoint.physics.geometry.shape import SLACK
from conjoint.physics.official.bounding_volumes import clear_boxes_of_meshes, mark_visited
from conjoint.physics.rays.geoms import MISSED, nearer_of, ray_inside, ray_primitive, ray_triangle
from conjoint.physics.rays.height_field import ray_hfield
from conjoint.physics.status import NEVER
from conjoint.schema.constants import mjNGROUP
from conjoint.schema.enums import mjtGeom


@kernel
def first_geom(m, d, meet, start, way, groups, static, exclude, reach):
    """Return the distance to the first geom that a ray hits, and its id; -1 and -1 for none (mj_ray).

    Args:
        m: model.
        d: data, after mj_kinematics.
        meet: kernel that returns the distance along a ray to a geom: `ray_geom` or `see_geom`.
        start: origin of the ray.
        way: direction vector of the ray, whose length is the unit of distance.
        groups: array with a nonzero number for every geom group to include.
        static: True to include geoms fixed to the world.
        exclude: id of a body to exclude; -1 for none.
        reach: cutoff (m) for the distance from the start to the bounding spheres of geoms that collide.
    """
    best = MISSED
    found = -1
    for g in range(m.ngeom):
        # few geoms are near a ray, so the other conditions are tested only for these
        if is_near(m, d, g, start, way) and counts(m, g, groups, static, exclude) and is_within(m, d, g, start, reach):
            best, found = nearer_of(best, found, meet(m, d, g, start, way), g)
    return best, found


@kernel
def counts(m, g, groups, static, exclude):
    """Return True if geom g is visible, and neither its group nor its body is excluded."""
    body = m.geom_bodyid[g]
    if body == exclude or (not static and m.body_weldid[body] == 0):
        return False
    if groups[maximum(0, minimum(m.geom_group[g], mjNGROUP - 1))] == 0:
        return False
    # a geom is invisible through its material or, without a material, through its color
    if m.geom_matid[g] >= 0:
        return m.mat_rgba[m.geom_matid[g], 3] != 0.0
    return m.geom_rgba[g, 3] != 0.0


@kernel
def is_within(m, d, g, start, reach):
    """Return True if the distance from `start` to the bounding sphere of geom g is within the cutoff `reach`.

    Geoms that do not collide are in no bounding volume, so MuJoCo does not apply the cutoff to them.
    """
    collides = m.geom_contype[g] != 0 or m.geom_conaffinity[g] != 0
    return not collides or norm(d.geom_xpos[g] - start) <= reach + m.geom_rbound[g]


@kernel
def is_near(m, d, g, start, way):
    """Return True if a ray hits the bounding sphere of geom g or starts inside it, or if g has no such sphere."""
    offset = d.geom_xpos[g] - start
    radius = SLACK * m.geom_rbound[g]
    outside = dot(offset, offset) - radius * radius
    ahead = dot(offset, way)
    # a single branch for all cases
    return (radius <= 0.0) | (outside <= 0.0) | ((ahead >= 0.0) & (outside * dot(way, way) <= ahead * ahead))


@kernel
def ray_geom(m, d, g, start, way):
    """Return the distance along a ray to geom g, of any type.

    The bounding volumes of a mesh that the ray hits are marked as active if the user may read these marks.
    """
    marks = 0
    if m.geom_type[g] == mjtGeom.mjGEOM_MESH and m.vis.global_.bvactive != 0 and d.volumes_requested != NEVER:
        clear_boxes_of_meshes(m, d)
        marks = 1
    return meet_geom(m, d, g, mark_visited, start, way, marks)


@kernel
def see_geom(m, d, g, start, way):
    """Return the distance along a ray to geom g as in `ray_geom`, but without marking bounding volumes."""
    return meet_geom(m, d, g, mark_nothing, start, way, 0)


@kernel
def mark_nothing(d, volume):
    """Do nothing, instead of marking a bounding volume: images and lidars of many worlds need no marks."""


@kernel
def meet_geom(m, d, g, mark, start, way, marks):
    """Return the distance along a ray to geom g, of any type; see `ray_mesh` for `mark` and `marks`."""
    p = d.geom_xmat[g].T @ (start - d.geom_xpos[g])
    v = d.geom_xmat[g].T @ way
    if m.geom_type[g] == mjtGeom.mjGEOM_MESH:
        x, _ = ray_mesh(m, d, m.geom_dataid[g], ray_triangle, mark, p, v, MISSED, marks)
        return x
    if m.geom_type[g] == mjtGeom.mjGEOM_HFIELD:
        return ray_hfield(m, m.geom_dataid[g], p, v)
    return ray_primitive(m.geom_type[g], m.geom_size[g], p, v)


@kernel
def ray_mesh(m, d, mesh, triangle, mark, p, v, reach, marks):
    """Return the distance along a ray to a mesh, and the first triangle hit, found by bounding volumes (mj_rayMesh).

    Args:
        m: model.
        d: data.
        mesh: index of the mesh.
        triangle: kernel that returns the distance along a ray to a triangle: `ray_triangle` or `ray_front`.
        mark: kernel that marks a volume.
        p, v: start and direction of the ray, in the frame of the mesh.
        reach: cutoff distance; -1 for none.
        marks: 1 to mark the volumes that the ray hits, including those beyond the result, as in MuJoCo; 0 to mark none.
    """
    x = reach
    found = -1
    waiting = local(int, WAITING)
    waiting[0] = m.mesh_bvhadr[mesh]
    count = minimum(m.mesh_bvhnum[mesh], 1)
    while count > 0:
        count -= 1
        volume = waiting[count]
        if meets_volume(m, volume, p, v, MISSED if marks != 0 else x):
            face = m.bvh_nodeid[volume]
            reached = face < 0
            if face >= 0:
                f = m.mesh_faceadr[mesh] + face
                met = triangle(p, v, mesh_corner(m, mesh, f, 0), mesh_corner(m, mesh, f, 1), mesh_corner(m, mesh, f, 2))
                reached = met >= 0.0 and (x < 0.0 or met < x)
                if reached:
                    x = met
                    found = f
            if marks != 0 and reached:
                mark(d, volume)
            if face < 0:
                for side in range(2):
                    child = m.bvh_child[volume, side]
                    if child >= 0 and count < WAITING:
                        waiting[count] = m.mesh_bvhadr[mesh] + child
                        count += 1
    if found < 0:
        return MISSED, found
    return x, found


@kernel
def meets_volume(m, volume, p, v, reach):
    """Return True if a ray hits the box of a bounding volume within the cutoff `reach`; -1 for no cutoff."""
    middle = load(vec3, m.bvh_aabb, (volume, 0))
    half = load(vec3, m.bvh_aabb, (volume, 3)) * SLACK
    near, far = ray_inside(middle - half, middle + half, p, v)
    return near <= far and (reach < 0.0 or near <= reach)
