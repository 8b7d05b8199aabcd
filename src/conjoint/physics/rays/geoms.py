"""Intersections of rays with geoms: the distance along the ray's vector, in units of its length; -1 for a miss.

A ray that starts inside a shape hits its surface from inside. Planes are hit only from above.
"""

from conjoint.lang import abs, cross, dot, kernel, maximum, minimum, sqrt, vec3
from conjoint.schema.constants import SLIGHT, mjMINVAL
from conjoint.schema.enums import mjtGeom

MISSED = -1.0

UNBOUNDED = float("inf")


@kernel
def ray_shape(kind, pos, frame, size, start, way):
    """Return the distance along a ray to a primitive shape at `pos` with axes `frame`.

    Shapes are planes, spheres, capsules, ellipsoids, cylinders and boxes.
    """
    return ray_primitive(kind, size, frame.T @ (start - pos), frame.T @ way)


@kernel
def ray_primitive(kind, size, p, v):
    """Return the distance to a plane, sphere, capsule, ellipsoid, cylinder or box for a ray p + x v in its frame."""
    if kind == mjtGeom.mjGEOM_PLANE:
        return ray_plane(size, p, v)
    if kind == mjtGeom.mjGEOM_SPHERE:
        return ray_quadric(dot(v, v), dot(v, p), dot(p, p) - size.x * size.x)
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return ray_capsule(size, p, v)
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        # a unit sphere in stretched space
        u = vec3(v.x / size.x, v.y / size.y, v.z / size.z)
        q = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
        return ray_quadric(dot(u, u), dot(u, q), dot(q, q) - 1.0)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return ray_cylinder(size, p, v)
    if kind == mjtGeom.mjGEOM_BOX:
        return ray_box(size, p, v)
    return MISSED


@kernel
def ray_roots(a, b, c):
    """Return both roots of a x^2 + 2 b x + c = 0 in ascending order; -1 twice if there are none."""
    discriminant = b * b - a * c
    if discriminant <= 0.0 or discriminant < minimum(mjMINVAL, SLIGHT * b * b):
        return MISSED, MISSED
    root = sqrt(discriminant)
    return (-b - root) / a, (-b + root) / a


@kernel
def ray_quadric(a, b, c):
    """Return the least nonnegative root of a x^2 + 2 b x + c = 0; -1 if there is none."""
    first, second = ray_roots(a, b, c)
    if first >= 0.0:
        return first
    if second >= 0.0:
        return second
    return MISSED


@kernel
def nearer(x, y):
    """Return the smaller of two distances, where -1 stands for a miss."""
    if x < 0.0 or (y >= 0.0 and y < x):
        return y
    return x


@kernel
def nearer_of(x, what, y, other):
    """Return the smaller of distances x and y, and its object, `what` or `other`; -1 stands for a miss."""
    if y >= 0.0 and (x < 0.0 or y < x):
        return y, other
    return x, what


@kernel
def ray_plane(size, p, v):
    """Return the distance along a ray to a plane, which is unbounded along axes on which its size is zero."""
    if v.z > -mjMINVAL:
        return MISSED
    x = -p.z / v.z
    inside_x = size.x <= 0.0 or abs(p.x + x * v.x) <= size.x
    inside_y = size.y <= 0.0 or abs(p.y + x * v.y) <= size.y
    if x >= 0.0 and inside_x and inside_y:
        return x
    return MISSED


@kernel
def ray_tube(radius, half, p, v):
    """Return the distance along a ray to the round side of a cylinder about the z axis."""
    side = v.x * p.x + v.y * p.y
    x = ray_quadric(v.x * v.x + v.y * v.y, side, p.x * p.x + p.y * p.y - radius * radius)
    if x >= 0.0 and abs(p.z + x * v.z) <= half:
        return x
    return MISSED


@kernel
def ray_capsule(size, p, v):
    """Return the distance along a ray to a capsule, which is a tube with hemispheres at its ends."""
    x = ray_tube(size.x, size.y, p, v)
    x = nearer(x, ray_cap(size, p, v, 1.0))
    return nearer(x, ray_cap(size, p, v, -1.0))


@kernel
def ray_cap(size, p, v, side):
    """Return the distance along a ray to the hemisphere at one end of a capsule."""
    q = vec3(p.x, p.y, p.z - side * size.y)
    first, second = ray_roots(dot(v, v), dot(v, q), dot(q, q) - size.x * size.x)
    x = MISSED
    if first >= 0.0 and side * (q.z + first * v.z) >= 0.0:
        x = nearer(x, first)
    if second >= 0.0 and side * (q.z + second * v.z) >= 0.0:
        x = nearer(x, second)
    return x


@kernel
def ray_cylinder(size, p, v):
    """Return the distance along a ray to a cylinder, which is a tube with disks at its ends."""
    x = ray_tube(size.x, size.y, p, v)
    if abs(v.z) > mjMINVAL:
        for k in range(2):
            end = ((2.0 * k - 1.0) * size.y - p.z) / v.z
            a = p.x + end * v.x
            b = p.y + end * v.y
            if end >= 0.0 and a * a + b * b <= size.x * size.x:
                x = nearer(x, end)
    return x


@kernel
def ray_box(size, p, v):
    """Return the distance along a ray to the six faces of a box."""
    x = MISSED
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        if abs(v[i]) > mjMINVAL:
            for s in range(2):
                face = ((2.0 * s - 1.0) * size[i] - p[i]) / v[i]
                inside = abs(p[j] + face * v[j]) <= size[j] and abs(p[k] + face * v[k]) <= size[k]
                if face >= 0.0 and inside:
                    x = nearer(x, face)
    return x


@kernel
def ray_inside(low, high, p, v):
    """Return the distances at which a ray enters and leaves a box; if the first is larger, the ray misses the box."""
    near = 0.0
    far = UNBOUNDED
    for k in range(3):
        if v[k] != 0.0:
            a = (low[k] - p[k]) / v[k]
            b = (high[k] - p[k]) / v[k]
            near = maximum(near, minimum(a, b))
            far = minimum(far, maximum(a, b))
        elif p[k] < low[k] or p[k] > high[k]:
            far = MISSED
    return near, far


@kernel
def is_slight(product, a, b):
    """Return True if a dot product of a and b is negligible compared to the product of their lengths."""
    return product * product <= SLIGHT * SLIGHT * dot(a, a) * dot(b, b)


@kernel
def ray_cell(p, v, a, b, c, e):
    """Return the distance along a ray to a grid cell of two triangles: corners a, b, c, e, diagonal from a to e."""
    return nearer(ray_triangle(p, v, a, e, b), ray_triangle(p, v, a, c, e))


@kernel
def ray_triangle(p, v, a, b, c):
    """Return the distance along a ray to a triangle, from either side."""
    x, _ = meet_triangle(p, v, a, b, c)
    return x


@kernel
def ray_front(p, v, a, b, c):
    """Return the distance along a ray to a triangle, if hit from the side with its corners counterclockwise."""
    x, against = meet_triangle(p, v, a, b, c)
    if against <= 0.0:
        return MISSED
    return x


@kernel
def meet_triangle(p, v, a, b, c):
    """Return the distance along a ray to a triangle, and minus the dot product of ray vector and normal.

    The normal is not normalized. See Möller, Trumbore, Fast, minimum storage ray-triangle intersection, 1997.
    """
    first = b - a
    second = c - a
    normal = cross(v, second)
    determinant = dot(first, normal)
    if abs(determinant) <= mjMINVAL and is_slight(determinant, first, normal):
        return MISSED, determinant
    offset = p - a
    turned = cross(offset, first)
    along_first = dot(offset, normal) / determinant
    along_second = dot(v, turned) / determinant
    x = dot(second, turned) / determinant
    if along_first >= 0.0 and along_second >= 0.0 and along_first + along_second <= 1.0 and x >= 0.0:
        return x, determinant
    return MISSED, determinant
