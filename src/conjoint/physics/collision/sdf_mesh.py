"""Contacts of a mesh with a shape that has a signed distance: one for each triangle inside, the deepest of them.

Triangles are found by the bounding volumes of the mesh, whose spheres the surface must meet. On each, the distance is
made small by the method of Frank and Wolfe (An algorithm for quadratic programming, 1956): from its middle, a point
goes again and again towards the corner that lies farthest down the gradient, 2 / (k + 2) of the way in turn k.
"""

from conjoint.lang import dot, kernel, load, local, minimum, norm, normalize3, real, rotate, vec3
from conjoint.physics.arrays.rotation import of_matrix, relative_pose
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.hull import WAITING, mesh_corner
from conjoint.physics.collision.sdf_distance import distance_from, gradient_from
from conjoint.schema.constants import mjMAXCONPAIR, mjMINVAL

EXACT_KERNELS = True


@kernel
def triangle_contacts(m, d, g1, g2, dists, points, told):
    """Contacts of mesh g1 with shape g2, the deepest first; how many there are.

    Args:
        m: model.
        d: data.
        g1: a geom that is a mesh; its triangles count, not its hull.
        g2: a geom with a signed distance.
        dists: see `contact_candidates.keep`.
        points: see `contact_candidates.keep`.
        told: what plugins tell; see `sdf_distance`.
    """
    orientation = of_matrix(d.geom_xmat[g2])
    turn, offset = relative_pose(d.geom_xpos[g2], d.geom_xmat[g2], d.geom_xpos[g1], d.geom_xmat[g1])
    depths = local(real, mjMAXCONPAIR)
    deepest = local(vec3, mjMAXCONPAIR)
    found = search_triangles(m, g1, g2, turn, offset, depths, deepest, told)
    n = 0
    for k in range(found):
        # triangles beside each other may have their lowest point in common
        if is_new(deepest, k, deepest[k]):
            normal = normalize3(rotate(orientation, -gradient_from(m, g2, deepest[k], told)))
            pos = rotate(orientation, deepest[k]) + d.geom_xpos[g2] + normal * (-depths[k] / 2.0)
            n = keep(dists, points, n, depths[k], pos, normal)
    return n


@kernel
def search_triangles(m, g1, g2, turn, offset, depths, deepest, told):
    """Go down the tree of a mesh; list the lowest points, in the frame of g2, of triangles that are inside of g2."""
    mesh = m.geom_dataid[g1]
    first = m.mesh_bvhadr[mesh]
    waiting = local(int, WAITING)
    waiting[0] = first
    count = minimum(m.mesh_bvhnum[mesh], 1)
    found = 0
    while count > 0:
        count -= 1
        volume = waiting[count]
        center = turn @ load(vec3, m.bvh_aabb, (volume, 0)) + offset
        if distance_from(m, g2, center, told) < norm(load(vec3, m.bvh_aabb, (volume, 3))):
            face = m.bvh_nodeid[volume]
            if face >= 0:
                x = lowest_of_triangle(m, mesh, face, g2, turn, offset, told)
                depth = distance_from(m, g2, x, told)
                if depth <= 0.0:
                    found = insert(depths, deepest, found, depth, x)
            elif count + 2 <= WAITING:
                for side in range(2):
                    waiting[count] = first + m.bvh_child[volume, side]
                    count += 1
    return found


@kernel
def lowest_of_triangle(m, mesh, face, g2, turn, offset, told):
    """Where on a triangle the distance from g2 is least, after `sdf_iterations` turns."""
    corners = local(vec3, 3)
    for k in range(3):
        corners[k] = turn @ mesh_corner(m, mesh, m.mesh_faceadr[mesh] + face, k) + offset
    x = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0)
    for turns in range(m.opt.sdf_iterations):
        slope = gradient_from(m, g2, x, told)
        best = 0
        for k in range(1, 3):
            if dot(corners[k], slope) < dot(corners[best], slope):
                best = k
        x = x + (corners[best] - x) * (2.0 / (turns + 2.0))
    return x


@kernel
def insert(depths, deepest, found, depth, x):
    """Add a point to a list in ascending order, whose last one drops out if it is full; how many there are then."""
    if found == mjMAXCONPAIR:
        if depth >= depths[found - 1]:
            return found
        found -= 1
    place = found
    while place > 0 and depths[place - 1] > depth:
        depths[place] = depths[place - 1]
        deepest[place] = deepest[place - 1]
        place -= 1
    depths[place] = depth
    deepest[place] = x
    return found + 1


@kernel
def is_new(found, n, x):
    """True if none of the first n points is x."""
    for i in range(n):  # noqa: SIM110
        if norm(found[i] - x) < mjMINVAL:
            return False
    return True
