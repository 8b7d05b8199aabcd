"""Area, volume, center and moments of triangle meshes. Terms are added in the order of the triangles."""

from conjoint.lang import abs, cross, dot, kernel, load, sqrt, vec3
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

CONVEX, EXACT, LEGACY, SHELL = range(4)
"""Modes of mass distribution: values of the mesh attribute `inertia` (mjtMeshInertia)."""
LAMINA, PYRAMID = 12.0, 20.0
"""Divisors of the second moments of a triangle, and of the pyramid between the triangle and the origin."""


@kernel
def weigh(vert, face, count, solid, solid_count, mode):
    """Return area, volume, center, volume about the center, and second moments xx yy zz, xy xz yz of a mesh.

    If the area or the volume is too small, the remaining results are zero.

    Args:
        vert: vertices (n, 3).
        face: triangles of the surface (count, 3).
        solid: triangles that bound the mass (solid_count, 3).
        mode: distribution of mass (`CONVEX` to `SHELL`).
    """
    zero = vec3(0.0, 0.0, 0.0)
    area = 0.0
    moment = zero
    for f in range(count):
        part, _, middle = surface(vert, face, f, zero)
        area += part
        moment = moment + middle * part
    if not area >= mjMINVAL:
        return area, 0.0, zero, 0.0, zero, zero
    centroid = over(moment, area)
    volume = 0.0
    moment = zero
    for f in range(solid_count):
        size, normal, middle = surface(vert, solid, f, zero)
        part = size if mode == SHELL else dot(middle - centroid, normal) * size / 3.0
        part = abs(part) if mode == LEGACY else part
        volume += part
        moment = moment + (over(middle * 3.0, 4.0) + over(centroid, 4.0)) * part
    center = over(moment, volume)
    if mode != SHELL and not volume >= mjMINVAL:
        return area, volume, center, 0.0, zero, zero
    total = 0.0
    squares = zero
    mixed = zero
    for f in range(solid_count):
        size, normal, middle = surface(vert, solid, f, center)
        part = size if mode == SHELL else dot(middle, normal) * size / 3.0
        part = abs(part) if mode == LEGACY else part
        total += part
        weight = part / (LAMINA if mode == SHELL else PYRAMID)
        a = load(vec3, vert, 3 * solid[3 * f]) - center
        b = load(vec3, vert, 3 * solid[3 * f + 1]) - center
        c = load(vec3, vert, 3 * solid[3 * f + 2]) - center
        squares = squares + products(a, b, c, a, b, c) * weight
        d = vec3(a.y, a.z, a.z)
        e = vec3(b.y, b.z, b.z)
        g = vec3(c.y, c.z, c.z)
        mixed = mixed + products(vec3(a.x, a.x, a.y), vec3(b.x, b.x, b.y), vec3(c.x, c.x, c.y), d, e, g) * weight
    return area, volume, center, total, squares, mixed


@kernel
def surface(vert, face, f, origin):
    """Return area, unit normal and center of a triangle relative to `origin`. A degenerate triangle has area 0."""
    a = load(vec3, vert, 3 * face[3 * f]) - origin
    b = load(vec3, vert, 3 * face[3 * f + 1]) - origin
    c = load(vec3, vert, 3 * face[3 * f + 2]) - origin
    normal = cross(b - a, c - a)
    length = sqrt(dot(normal, normal))
    if length < mjMINVAL:
        length = 0.0
    return length / 2.0, over(normal, length if length > 0.0 else 1.0), over(a + b + c, 3.0)


@kernel
def products(a, b, c, d, e, f):
    """Return integrals over a triangle of products of two coordinates, for three products at once."""
    same = times(a, d) + times(b, e) + times(c, f)
    return same * 2.0 + times(a, e) + times(d, b) + times(a, f) + times(d, c) + times(b, f) + times(e, c)


@kernel
def times(a, b):
    """Return the component-wise product of two vectors."""
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z)


@kernel
def over(v, divisor):
    """Return v divided by a number.

    Each component is rounded once, whereas `v / divisor` multiplies by the reciprocal.
    """
    return vec3(v.x / divisor, v.y / divisor, v.z / divisor)
