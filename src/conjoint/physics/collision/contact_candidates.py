"""Contacts of two geoms before they are listed: each consists of a distance, a position, a normal and a tangent."""

from conjoint.lang import Group, Kernel, cross, dot, formula, kernel, normalize3, unique, vec3, where
from conjoint.once import made_alike
from conjoint.schema.constants import mjMAXCONPAIR

VECTORS = 3
"""Number of vectors per contact in `points`."""

POINTS = VECTORS * mjMAXCONPAIR
"""Number of vectors in `points` for the maximum number of contacts of a pair."""


@kernel
def keep(dists, points, n, dist, pos, normal):
    """Store contact number n, with an arbitrary y axis of the contact frame; return the number of contacts."""
    return keep_along(dists, points, n, dist, pos, normal, vec3(0.0, 0.0, 0.0))


@kernel
def keep_along(dists, points, n, dist, pos, normal, tangent):
    """Store contact number n; return the number of contacts.

    Args:
        dists: distances of the contacts, a local array.
        points: vectors of the contacts, `VECTORS` for each, a local array.
        n: index of the contact.
        dist: distance between the surfaces, negative if they overlap (m).
        pos: midpoint between the surfaces, in world coordinates.
        normal: unit vector from the first geom to the second.
        tangent: vector close to the y axis of the contact frame; zero for an arbitrary axis.
    """
    for i in unique(n):
        dists[i] = dist
        points[VECTORS * i] = pos
        points[VECTORS * i + 1] = normal
        points[VECTORS * i + 2] = tangent
    return n + 1


@formula("mat3", "vec3", "vec3", exact=True)
def contact_frame(normal, tangent):
    """Return rows x, y, z of a frame whose x axis is `normal` and whose y axis is near `tangent`.

    If `tangent` is short, y is near a world axis instead.
    """
    # exact unit length, as in MuJoCo (mju_makeFrame): see `support.velocity_of`
    normal = normalize3(normal)
    # without a tangent: the world's y axis, or its z axis if the normal is close to y
    sideways = (normal[1] < 0.5) & (normal[1] > -0.5)
    axis = (0.0, where(sideways, 1.0, 0.0), where(sideways, 0.0, 1.0))
    given = dot(tangent, tangent) >= 0.25
    y = tuple(where(given, tangent[i], axis[i]) for i in range(3))
    # remove the component along the normal
    overlap = dot(normal, y)
    y = normalize3(tuple(y[i] - overlap * normal[i] for i in range(3)))
    return (*normal, *y, *cross(normal, y))


@made_alike
def collider_by(name: str, contacts: Kernel, choice: Group | Kernel, one_by_one: str = "") -> Kernel:
    """Return a collider for two geoms; see `collider_table`.

    Args:
        name: name of the collider.
        contacts: kernel that finds the contacts; its arguments are those of a collider, followed by `choice`.
        choice: last argument of `contacts`: options that depend on the edition or on the use of the collider.
        one_by_one: reason to run the collider for one world at a time, or an empty string.
    """

    @kernel(one_by_one=one_by_one)
    def collider(m, d, g1, g2, margin, dists, points):
        """Find the contacts of two geoms."""
        return contacts(m, d, g1, g2, margin, dists, points, choice)

    collider.__name__, collider.__module__, collider.__doc__ = name, contacts.__module__, contacts.__doc__
    return collider
