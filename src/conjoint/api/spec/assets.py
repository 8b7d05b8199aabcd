"""Handles of an editable model's assets: meshes, height fields, textures, materials, skins."""

from collections.abc import Mapping, Sequence
from typing import Any

from conjoint.api.argument_kinds import INT32, REAL, Kind
from conjoint.api.arguments import checked
from conjoint.api.spec.base import Classed, ElementHandle, Plugged
from conjoint.api.spec.field_types import Field
from conjoint.api.spec.fields import fields
from conjoint.api.spec.handle import with_members
from conjoint.mjcf import flex_shapes
from conjoint.schema.mjcf.asset import CUBE_FACES
from conjoint.spec import Element
from conjoint.spec.meshes import shapes


@with_members("hfield")
class MjsHField(ElementHandle):
    """Height field. Rows of `userdata` are ordered from front to back, rows of a file from back to front."""

    def _get(self, field: Field) -> Any:
        if field.name == "userdata" and field.name in self.values and "rows" not in self.values:
            return _flipped(self.values["userdata"], self.values["nrow"])
        return super()._get(_ROWS if field.name == "userdata" else field)

    def _put(self, field: Field, stored: Any) -> None:
        super()._put(_ROWS if field.name == "userdata" else field, stored)


_ROWS = Field("rows", "reals", missing=())
"""Elevations in the row order of `userdata`."""


def _flipped(heights: Sequence[float], nrow: int) -> tuple[float, ...]:
    """Return the elevations with rows in reverse order, or unchanged if `nrow` is invalid (the compiler reports it)."""
    if nrow < 1 or len(heights) % nrow:
        return tuple(heights)
    width = len(heights) // nrow
    return tuple(x for row in reversed(range(nrow)) for x in heights[row * width : (row + 1) * width])


def complete_hfield(values: dict[str, Any]) -> None:
    """Convert rows in the order of `userdata` to the row order of a file, in place."""
    if "rows" in values:
        values["userdata"] = _flipped(values["rows"], values["nrow"])


def _two(name: str, value: Any, kind: Kind) -> tuple[Any, ...]:
    """Return the argument `name` as a pair of numbers. Raises TypeError if `value` is not one."""
    try:
        pair = tuple(map(kind.convert, value))
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    if len(pair) != 2:
        raise TypeError(f"{name} must be two numbers, not {value!r:.60}")
    return pair


def _three(count: Any, spacing: Any) -> tuple[flex_shapes.Count, flex_shapes.Vector]:
    """Return point counts and spacings along three axes. Raises TypeError if an argument is not three numbers."""
    found = tuple(map(INT32.convert, count)), tuple(map(REAL.convert, spacing))
    if any(len(part) != 3 for part in found):
        raise TypeError(f"count and spacing must be three numbers each, not {count!r:.40} and {spacing!r:.40}")
    return found  # type: ignore[return-value]


@with_members("mesh")
class MjsMesh(Classed, Plugged, ElementHandle):
    """Mesh, which is read from a file, given by numbers, or generated as a simple shape."""

    @checked
    def make_cone(self, nedge: int, radius: float) -> None:
        """Turn this mesh into a cone; see `shapes.cone`.

        Args:
            nedge: number of corners of the bottom polygon, whose radius is 1.
            radius: radius of the top polygon; 0 for a point.
        """
        self._make(shapes.cone(nedge, radius))

    @checked
    def make_hemisphere(self, resolution: int) -> None:
        """Turn this mesh into a half sphere; see `shapes.hemisphere`.

        Args:
            resolution: number of points that divide each edge of an octahedron.
        """
        self._make(shapes.hemisphere(resolution))

    @checked
    def make_sphere(self, subdivision: int) -> None:
        """Turn this mesh into a sphere; see `shapes.sphere`.

        Args:
            subdivision: number of times that each face of an icosahedron is divided into four.
        """
        self._make(shapes.sphere(subdivision))

    @checked
    def make_supertorus(self, resolution: int, radius: float, s: float, t: float) -> None:
        """Turn this mesh into a supertorus; see `shapes.supertorus`.

        Args:
            resolution: number of points around the ring, and around the tube.
            radius: radius of the tube; the ring has radius 1.
            s: exponent of the tube's cross section.
            t: exponent of the ring's shape.
        """
        self._make(shapes.supertorus(resolution, radius, s, t))

    @checked
    def make_supersphere(self, resolution: int, e: float, n: float) -> None:
        """Turn this mesh into a supersphere, a sphere shaped by exponents; see `shapes.supersphere`.

        Args:
            resolution: number of points around z.
            e: exponent of the shape around z.
            n: exponent of the shape along z.
        """
        self._make(shapes.supersphere(resolution, e, n))

    def make_plate(self, resolution: Sequence[int] = (0, 0)) -> None:
        """Turn this mesh into a square grid of points for tactile sensors; see `shapes.plate`.

        Args:
            resolution: numbers of columns and rows of cells, whose centers are the points.
        """
        self._make(shapes.plate(_two("resolution", resolution, INT32)))

    def make_wedge(self, resolution: Sequence[int] = (0, 0), fov: Sequence[float] = (0, 0), gamma: float = 0) -> None:
        """Turn this mesh into a part of a sphere for tactile sensors; see `shapes.wedge`.

        Args:
            resolution: numbers of columns and rows of cells, whose centers are the points.
            fov: half of the field of view, horizontally and vertically (degrees).
            gamma: 0 for cells of equal size, up to 1 for smaller cells in the middle.
        """
        pair = _two("resolution", resolution, INT32)
        self._make(shapes.wedge(pair, _two("fov", fov, REAL), _two("gamma", (gamma, 0), REAL)[0]))

    def make_grid(self, count: Sequence[int], spacing: Sequence[float], dim: int = 3) -> None:
        """Turn this mesh into a regular grid centered at the origin, of triangles (`dim` 2) or tetrahedra (3).

        Args:
            count: numbers of points along x, y and z.
            spacing: distances between neighboring points along the axes (m).
            dim: dimension of the elements: 2 for triangles, 3 for tetrahedra.
        """
        self._fill("grid", count, spacing, dim)

    def make_box(self, count: Sequence[int], spacing: Sequence[float], dim: int = 3) -> None:
        """Turn this mesh into a box: tetrahedra between surface and center, or triangles (`dim` 2) without the top.

        Args:
            count: numbers of points along x, y and z.
            spacing: distances between neighboring points along the axes (m).
            dim: dimension of the elements: 2 for triangles, 3 for tetrahedra.
        """
        self._fill("box", count, spacing, dim)

    def make_cylinder(self, count: Sequence[int], spacing: Sequence[float], dim: int = 3) -> None:
        """Turn this mesh into a cylinder: a box whose points are moved onto circles about z.

        Args:
            count, spacing, dim: as in `make_box`.
        """
        self._fill("cylinder", count, spacing, dim)

    def make_ellipsoid(self, count: Sequence[int], spacing: Sequence[float], dim: int = 3) -> None:
        """Turn this mesh into an ellipsoid: a box whose points are moved onto ellipsoids.

        Args:
            count, spacing, dim: as in `make_box`.
        """
        self._fill("ellipsoid", count, spacing, dim)

    def make_square(self, count: Sequence[int], spacing: Sequence[float]) -> None:
        """Turn this mesh into a planar grid of triangles, as in flexcomp.

        Args:
            count: numbers of points along x and y, followed by 1.
            spacing: distances between neighboring points along the axes (m).
        """
        self._fill("square", count, spacing)

    def make_disc(self, count: Sequence[int], spacing: Sequence[float]) -> None:
        """Turn this mesh into a planar grid of triangles that is deformed to a disc, as in flexcomp.

        Args:
            count: numbers of points along x and y, followed by 1.
            spacing: distances between neighboring points along the axes (m).
        """
        self._fill("disc", count, spacing)

    def _fill(self, kind: str, count: Sequence[int], spacing: Sequence[float], dim: int = 3) -> None:
        """Store the points and elements of a flexcomp shape in this mesh."""
        counts, distances = _three(count, spacing)
        try:
            shape = flex_shapes.made_of(kind, counts, distances, dim)
        except ValueError as error:
            raise ValueError(f"make_{kind}: {error}") from None
        self._set_values(flex_shapes.mesh_values(shape, int(self.inertia)))

    def _make(self, shape: shapes.Shape) -> None:
        """Store the vertices and faces of a shape in this mesh."""
        self._set_values(shape.values())

    def _set_values(self, values: Mapping[str, Any]) -> None:
        """Store attribute values that are already in stored form, by attribute name."""
        for name, stored in values.items():
            field = fields("mesh")[name]
            self._put(field, tuple(stored) if field.is_list else stored)
            if field.is_list:
                self.exposed_lists.renew(self, field)


@with_members("skin")
class MjsSkin(ElementHandle):
    """Skin, whose bones are described by lists with one entry per bone."""

    def _get(self, field: Field) -> Any:
        return bone_values(self.values)[field.name] if field.name in BONE_VALUES else super()._get(field)

    @property
    def vertid(self) -> list[list[int]]:
        """Vertex indices of each bone."""
        return bone_values(self.values)["vertid"]

    @vertid.setter
    def vertid(self, value: Sequence[Sequence[int]]) -> None:
        self.values["vertid"] = _rows("vertid", value, int)

    @property
    def vertweight(self) -> list[list[float]]:
        """Vertex weights of each bone."""
        return bone_values(self.values)["vertweight"]

    @vertweight.setter
    def vertweight(self, value: Sequence[Sequence[float]]) -> None:
        self.values["vertweight"] = _rows("vertweight", value, float)


BONE_VALUES = ("bodyname", "bindpos", "bindquat", "vertid", "vertweight")
"""Attributes of a skin that are lists with one entry per bone."""


def bone_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the bone attributes as lists over all bones. Lists set by the user replace those stored in the bones."""
    bones = values.get("bones", ())
    found = {
        "bodyname": tuple(bone.bodyname for bone in bones),
        "bindpos": tuple(number for bone in bones for number in bone.bindpos),
        "bindquat": tuple(number for bone in bones for number in bone.bindquat),
        "vertid": [[int(number) for number in bone.vertid] for bone in bones],
        "vertweight": [[float(number) for number in bone.vertweight] for bone in bones],
    }
    return {name: values.get(name, found[name]) for name in BONE_VALUES}


def complete_skin(values: dict[str, Any]) -> None:
    """Create bones from the user's lists. The last bone receives surplus numbers, which the compiler then reports."""
    if not any(name in values for name in BONE_VALUES):
        return
    found = bone_values(values)
    count = max(len(found[name]) for name in ("bodyname", "vertid", "vertweight"))
    bones = []
    for i in range(count):
        own: dict[str, Any] = {
            name: found[name][i] if i < len(found[name]) else empty
            for name, empty in (("bodyname", ""), ("vertid", ()), ("vertweight", ()))
        }
        for name, width in (("bindpos", 3), ("bindquat", 4)):
            own[name] = found[name][width * i : width * (i + 1) if i + 1 < count else None]
        bones.append(Element("bone", own))
    values["bones"] = bones


def _rows(name: str, value: Any, kind: type) -> list[list[Any]]:
    """Return `value` as lists of numbers. Raises TypeError if it is not a list of lists of numbers."""
    try:
        return [[kind(number) for number in row] for row in value]
    except (TypeError, ValueError):
        raise TypeError(f"MjsSkin: {name} should be a list of lists of numbers.") from None


@with_members("texture")
class MjsTexture(Classed, ElementHandle):
    """Texture, whose attribute `cubefiles` lists one file per cube face."""

    def _get(self, field: Field) -> Any:
        if field.name == "cubefiles":
            return tuple(self.values["file" + face] for face in CUBE_FACES)
        return super()._get(field)

    def _put(self, field: Field, stored: Any) -> None:
        if field.name == "cubefiles":
            self.values.update({"file" + face: name for face, name in zip(CUBE_FACES, stored, strict=False)})
        else:
            super()._put(field, stored)


@with_members("material")
class MjsMaterial(Classed, ElementHandle):
    """Material, whose attribute `textures` lists texture names by role."""

    def _get(self, field: Field) -> Any:
        if field.name != "textures":
            return super()._get(field)
        roles = self.values.get("roles", field.size)
        names = [""] * max(roles, field.size)
        names[_RGB] = self.values["texture"]
        for layer in self.values.get("layers", ()):
            names[layer.role] = layer.texture
        return tuple(names[:roles])

    def _put(self, field: Field, stored: Any) -> None:
        if field.name != "textures":
            super()._put(field, stored)
            return
        # store the length of the list, so that it is read back unchanged
        self.values["roles"] = len(stored)
        used = {role: name for role, name in enumerate(stored) if name}
        alone = set(used) <= {_RGB}
        self.values["texture"] = used.get(_RGB, "") if alone else ""
        layers = {} if alone else used
        self.values["layers"] = [Element("layer", {"role": role, "texture": name}) for role, name in layers.items()]


_RGB = 1
"""Value of mjTEXROLE_RGB, the role of a texture with color only."""
