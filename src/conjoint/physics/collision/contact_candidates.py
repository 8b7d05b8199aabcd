"""Contacts of two geoms before they are listed: each has a distance, a position, a normal and a tangent."""

from conjoint.lang import Group, Kernel, cross, dot, formula, kernel, normalize3, unique, vec3, where
from conjoint.once import made_alike
from conjoint.schema.constants import mjMAXCONPAIR

VECTORS = 3
"""Number of vectors of a contact in `points`."""

POINTS = VECTORS * mjMAXCONPAIR
"""Number of vectors of the contacts that one pair may have."""


@kernel
def keep(dists, points, n, dist, pos, normal):
    """Write contact number n, with any y axis of its frame; return the number of contacts."""
    return keep_along(dists, points, n, dist, pos, normal, vec3(0.0, 0.0, 0.0))


@kernel
def keep_along(dists, points, n, dist, pos, normal, tangent):
    """Write contact number n; return the number of contacts.

    Args:
        dists: distances, a local array.
        points: `VECTORS` of each contact, a local array.
        n: its number.
        dist: distance between the surfaces, negative where they overlap (m).
        pos: midpoint between the surfaces, in the world.
        normal: unit vector from the first geom to the second.
        tangent: vector near the y axis of its frame; zero for any.
    """
    for i in unique(n):
        dists[i] = dist
        points[VECTORS * i] = pos
        points[VECTORS * i + 1] = normal
        points[VECTORS * i + 2] = tangent
    return n + 1


@formula("mat3", "vec3", "vec3", exact=True)
def contact_frame(normal, tangent):
    """Return rows x, y, z of a frame with x axis along `normal`; y is near `tangent`, or a world axis if that is
    short."""
    # unit to the last bit, as in MuJoCo (mju_makeFrame): see `support.velocity_of`
    normal = normalize3(normal)
    # no tangent: the world's y axis, or z where the normal is too near y
    sideways = (normal[1] < 0.5) & (normal[1] > -0.5)
    axis = (0.0, where(sideways, 1.0, 0.0), where(sideways, 0.0, 1.0))
    given = dot(tangent, tangent) >= 0.25
    y = tuple(where(given, tangent[i], axis[i]) for i in range(3))
    # remove the part along the normal
    overlap = dot(normal, y)
    y = normalize3(tuple(y[i] - overlap * normal[i] for i in range(3)))
    return (*normal, *y, *cross(normal, y))


@made_alike
def collider_by(name: str, contacts: Kernel, choice: Group | Kernel, one_by_one: str = "") -> Kernel:
    """Return a collider of geoms; see `collider_table`.

    Args:
        name: its name.
        contacts: kernel that finds the contacts, of the arguments of a collider and the choice.
        choice: choices of an edition or of a use of the collider.
        one_by_one: reason to run it for one world at a time, or an empty string.
    """

    @kernel(one_by_one=one_by_one)
    def collider(m, d, g1, g2, margin, dists, points):
        """Find the contacts of two geoms."""
        return contacts(m, d, g1, g2, margin, dists, points, choice)

    collider.__name__, collider.__module__, collider.__doc__ = name, contacts.__module__, contacts.__doc__
    return collider
