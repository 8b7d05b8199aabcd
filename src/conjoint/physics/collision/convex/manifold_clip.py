"""What a polygon has in common with an outline, for several contacts of newer versions; see `manifold`.

The polygon is cut at one edge of the outline after the other (Sutherland & Hodgman, Reentrant polygon clipping,
Communications of the ACM 17, 1974). A side of it from p to q, at signed distances a and b from the plane through an
edge, crosses that at p + a / (a - b) (q - p). Of corners of a cylinder's cap many quadrilaterals have the same area:
which is found follows from the last bits, so that these are the official ones.
"""

from conjoint.lang import cross, dot, kernel, local, normalize3, vec3
from conjoint.physics.collision.convex.clip import CLIPPED_MOST
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True


@kernel
def clip_polygon(outline, count, normal, polygon, corners):
    """Clip a polygon at the edges of a clockwise outline.

    Args:
        outline: corners of a face.
        count: how many.
        normal: of that face.
        polygon: what is clipped, in place; `CLIPPED_MOST` elements.
        corners: how many corners it has.

    Returns:
        how many corners it has then.
    """
    clipped = local(vec3, CLIPPED_MOST)
    for e in range(count):
        start = outline[e]
        inward = normalize3(cross(outline[(e + 1) % count] - start, start + normal - start))
        n = 0
        for k in range(corners):
            p = polygon[k]
            q = polygon[(k + 1) % corners]
            before = dot(p - start, inward)
            after = dot(q - start, inward)
            if ((before > -mjMINVAL) ^ (after > -mjMINVAL)) and n < CLIPPED_MOST:
                clipped[n] = p + (q - p) * (before / (before - after))
                n += 1
            if after > -mjMINVAL and n < CLIPPED_MOST:
                clipped[n] = q
                n += 1
        for k in range(n):
            polygon[k] = clipped[k]
        corners = n
    return corners
