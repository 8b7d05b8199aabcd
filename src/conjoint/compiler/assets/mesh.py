"""What a model holds of a mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from conjoint.compiler.assets.mesh_inertia import MassProperties
    from conjoint.compiler.assets.polygons import Polygons
    from conjoint.compiler.assets.sdf import Octree
    from conjoint.compiler.bounding import Trees
    from conjoint.spec.meshes.triangles import Integers, Reals, Triangles


class Needs(NamedTuple):
    """Parts of a mesh that only some geoms need, and the edition of the physics.

    Attributes:
        hull: whether a convex hull is needed.
        octree: whether signed distances are needed.
        newer: whether axes, sides, and cuts of polygons in OBJ files are those of edition 4.0.
    """

    hull: bool
    octree: bool
    newer: bool = False


@dataclass
class Mesh:
    """A compiled mesh, centered and turned to its principal axes.

    Attributes:
        triangles: vertices, faces, normals and texture coordinates; faces and normals are always there.
        graph: graph of the convex hull; empty if it has none.
        polygons: sides of the hull, or of the mesh if it has none.
        volumes: bounding volumes of the faces.
        mass: volume, center, axes and equivalent box at density one.
        lower, upper: corners of the bounding box of the vertices.
        pos: where its origin was before it was centered.
        octree: signed distances; None if no geom needs them.
    """

    triangles: Triangles
    graph: Integers
    polygons: Polygons
    volumes: Trees
    mass: MassProperties
    lower: Reals
    upper: Reals
    pos: tuple[float, ...]
    octree: Octree | None

    def weight(self) -> int:
        """Bytes it takes."""
        parts = (self.triangles, self.polygons, self.volumes, self.octree)
        values = [value for part in parts if part is not None for value in vars(part).values()]
        return self.graph.nbytes + sum(getattr(value, "nbytes", 0) for value in values)
