"""Meshes of the shapes that flexcomp makes: grids, boxes, cylinders, ellipsoids, squares and discs."""

from collections.abc import Sequence
from typing import Any

from conjoint.mjcf.flex_shapes import Count, Shape, Vector, disc, grid, open_shell, shell
from conjoint.schema.enums import mjtMeshInertia

SOLID = "grid box cylinder ellipsoid"
"""Shapes of tetrahedra, or of triangles if the last parameter says so."""
FLAT = "square disc"
"""Shapes of triangles in a plane."""
MOST = 1 << 31
"""What a count is less than."""


def made_of(kind: str, count: Count, spacing: Vector, dim: int = 3) -> Shape:
    """Points and elements of a shape.

    Args:
        kind: one of `SOLID` or `FLAT`.
        count: points along each axis.
        spacing: their distances, in m.
        dim: 3 for tetrahedra, 2 for triangles; of a box, cylinder or ellipsoid those of its surface, open at the top.

    Raises:
        ValueError: there is no such shape.
    """
    if kind in FLAT.split():
        return disc(count, spacing) if kind == "disc" else grid(2, count, spacing)
    if dim not in (2, 3):
        raise ValueError(f"a {kind} has dim 2 or 3, not {dim!r}")
    if kind == "grid":
        return grid(dim, count, spacing)
    return shell(kind, count, spacing) if dim == 3 else open_shell(kind, count, spacing)


def of_parameters(kind: str, parameters: Sequence[float]) -> Shape:
    """The shape that a file asks for: counts along three axes, distances, and the dimension.

    Raises:
        ValueError: there are more or fewer parameters, or they are impossible.
    """
    most = 6 if kind in FLAT.split() else 7
    if not 6 <= len(parameters) <= most:
        more = ", and dim (2 or 3) if it is given" if most > 6 else ""
        raise ValueError(f"a {kind} has three counts and three spacings{more}; {len(parameters)} numbers are given")
    whole = [int(value) if abs(value) < MOST else -1 for value in (*parameters[:3], *parameters[6:])]
    x, y, z = parameters[3:6]
    return made_of(kind, (whole[0], whole[1], whole[2]), (x, y, z), *whole[3:])


def mesh_values(shape: Shape, inertia: int) -> dict[str, Any]:
    """Values of the mesh that has a shape; of a solid one the convex hull is the mesh, and tetrahedra are kept.

    Args:
        inertia: how that of the mesh is computed; what is flat has no volume.
    """
    points, elements = tuple(shape.points.ravel().tolist()), tuple(shape.elements.ravel().tolist())
    solid = shape.dim == 3
    flat = not solid and inertia == mjtMeshInertia.mjMESH_INERTIA_LEGACY
    return {
        "uservert": points, "usernode": points, "usertet": elements if solid else (),
        "userface": () if solid else elements, "inertia": int(mjtMeshInertia.mjMESH_INERTIA_SHELL) if flat else inertia,
    }  # fmt: skip
