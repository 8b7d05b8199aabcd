"""Geoms of a scene as instances of shapes, grouped into instanced OpenGL draw calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.render.shaders import NO_TEXTURE, PROJECTED, WITH_COORDINATES, WRAPPED
from conjoint.schema.constants import mjMAXPLANEGRID, mjMINVAL
from conjoint.schema.enums import mjtGeom, mjtTexture, mjtTextureRole
from conjoint.viz.kernels.elements import TEXTURE_PERIOD

INSTANCE = np.dtype([
    ("axis_x", "f4", 3), ("axis_y", "f4", 3), ("axis_z", "f4", 3), ("origin", "f4", 3), ("scale", "f4", 3),
    ("color", "f4", 4), ("material", "f4", 4), ("texture_scale", "f4", 4), ("number", "f4", 4),
])  # fmt: skip
"""One instance of a shape, laid out as the shaders read it."""

HEAD, HEAD_WIDTH = 0.25, 1.75
"""Length of an arrow's head relative to the arrow's length, and radius of the head relative to the arrow's radius."""


@dataclass(frozen=True)
class Look:
    """Properties of instances that are drawn together.

    Attributes:
        shape: name of the shape.
        texture: id of the texture, -1 for none.
        kind: mapping of the texture onto the shape (constants of `render.shaders`).
        hazy: whether the shape is an infinite plane that fades into haze.
        slices: number of sides of round shapes (`render.detail`); 0 for the model's number.
    """

    shape: str
    texture: int = -1
    kind: int = NO_TEXTURE
    hazy: bool = False
    slices: int = 0

    @property
    def coarse(self) -> bool:
        """True if the model supplies the vertices: meshes, height fields, flexes and skins."""
        return self.shape.split(" ")[0] in ("mesh", "hull", "hfield", "")


@dataclass(frozen=True)
class Part:
    """A component shape of a geom type, with its size and position relative to the geom's size.

    Attributes:
        shape: name of the shape.
        scale: for each axis of the shape, the index (0, 1 or 2) of the geom size that scales it.
        factor: additional scale factor for each axis.
        along: position on the geom's z axis, in units of the geom's third size.
        turned: whether the shape is rotated by 180 degrees about the x axis.
    """

    shape: str
    scale: tuple[int, int, int] = (0, 1, 2)
    factor: tuple[float, float, float] = (1.0, 1.0, 1.0)
    along: float = 0.0
    turned: bool = False


def _arrow(*ends: float) -> tuple[Part, ...]:
    """Return the parts of an arrow along z. The arguments are the ends with a head: 1 at the top, -1 at the bottom."""
    both = len(ends) == 2
    shaft = (1 - HEAD * len(ends)) / 2
    tip = HEAD_WIDTH, HEAD_WIDTH, HEAD
    middle = 0.5 if both else (1 - HEAD) / 2
    parts = [Part("tube", factor=(1, 1, shaft), along=middle), Part("cone", factor=tip, along=1 - HEAD)]
    parts.append(Part("disk", factor=(HEAD_WIDTH, HEAD_WIDTH, 1), along=1 - HEAD, turned=True))
    if both:
        parts.append(Part("cone", factor=tip, along=HEAD, turned=True))
        parts.append(Part("disk", factor=(HEAD_WIDTH, HEAD_WIDTH, 1), along=HEAD))
    else:
        parts.append(Part("disk", turned=True))
    return tuple(parts)


PARTS: dict[int, tuple[Part, ...]] = {
    mjtGeom.mjGEOM_PLANE: (Part("square"),),
    mjtGeom.mjGEOM_SPHERE: (Part("sphere"),),
    mjtGeom.mjGEOM_ELLIPSOID: (Part("sphere"),),
    mjtGeom.mjGEOM_CAPSULE: (
        Part("tube"),
        Part("half_sphere", (0, 0, 0), along=1.0),
        Part("half_sphere", (0, 0, 0), along=-1.0, turned=True),
    ),
    mjtGeom.mjGEOM_CYLINDER: (Part("tube"), Part("disk", along=1.0), Part("disk", along=-1.0, turned=True)),
    mjtGeom.mjGEOM_BOX: (Part("box"),),
    mjtGeom.mjGEOM_ARROW: _arrow(1),
    mjtGeom.mjGEOM_ARROW1: (Part("tube", factor=(1, 1, 0.5), along=0.5), Part("disk", along=1.0),
                            Part("disk", turned=True)),
    mjtGeom.mjGEOM_ARROW2: _arrow(1, -1),
    mjtGeom.mjGEOM_LINE: (Part("segment"),),
    mjtGeom.mjGEOM_LINEBOX: (Part("line_box"),),
    mjtGeom.mjGEOM_TRIANGLE: (Part("triangle"),),
}  # fmt: skip
"""Shapes that compose each geom type; every mesh and height field has a shape of its own."""

ROUND = frozenset({"sphere", "half_sphere", "tube", "disk", "cone"})
"""Shapes that consist of slices around an axis."""

SIZED = (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD, mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF)
"""Geom types whose vertices include the size, as in MuJoCo. Texture mapping differs from that of scaled unit shapes."""

FROM_BELOW = 0.3
"""Opacity of the back of planes, relative to their front."""

FARTHEST = 1e10
"""Sorting distance (m) of planes seen from below, so that they are drawn as if behind all transparent geoms."""

UNLIT = (mjtGeom.mjGEOM_LINE, mjtGeom.mjGEOM_LINEBOX)
"""Geom types that lights do not affect."""

LINES = frozenset({"segment", "line_box"})
"""Shapes that consist of lines: their vertices are line ends."""


class Instances:
    """The visible geoms of a scene, as arrays.

    Args:
        m: the model.
        scene: the scene.
        endless: half the side length of infinite planes as drawn, without one cell of their texture or grid.
        eye: position of the viewpoint.
    """

    def __init__(self, m: MjModel, scene: MjvScene, endless: float, eye: np.ndarray):
        self.m, self.count = m, int(scene.ngeom)
        row = {name: scene.memory.view(f"geoms.{name}")[: self.count] for name in NAMES}
        self.type, self.dataid, self.matid = row["type"], row["dataid"], row["matid"]
        self.objtype, self.objid, self.texcoord = row["objtype"], row["objid"], row["texcoord"]
        self.given_size, self.size, self.transparent = row["size"], row["size"].copy(), row["rgba"][:, 3] < 1.0
        self.pos = row["pos"]
        self.reflectance = row["reflectance"]
        self.line_width = row["size"][:, 0]
        plane = self.type == mjtGeom.mjGEOM_PLANE
        self.endless = plane & (row["size"][:, :2] <= 0).any(axis=1)
        for i in np.flatnonzero(self.endless).tolist():
            self.size[i, :2] = np.where(self.size[i, :2] <= 0, endless + self._cell(i, endless), self.size[i, :2])
        self.size[plane, 2] = 1.0
        self.rows = self._rows(row)
        # planes seen from below are translucent
        below = plane & (np.einsum("gk,gk->g", eye - row["pos"], row["mat"][:, :, 2]) < 0)
        self.rows["color"][below, 3] *= FROM_BELOW
        self.transparent |= below
        self.hazy = (plane[:, None] & (row["size"][:, :2] <= 0)).all(axis=1) & ~below
        distance = np.linalg.norm(self.pos - eye, axis=1) - row["modelrbound"]
        self.distance = np.where(below, FARTHEST, np.where(self.transparent, distance, 0.0))

    def _cell(self, i: int, endless: float) -> np.ndarray:
        """Return the size of the cells (texture or grid) in which infinite plane i moves with the viewpoint."""
        repeat = self.m.mat_texrepeat[self.matid[i]] if self.matid[i] >= 0 else np.zeros(2)
        return np.where(repeat > 0, TEXTURE_PERIOD / np.maximum(repeat, mjMINVAL), 2 * endless / (mjMAXPLANEGRID - 2))

    def clear(self) -> np.ndarray:
        """Return the transparent geoms, nearest first."""
        found = np.flatnonzero(self.transparent)
        return found[np.argsort(self.distance[found], kind="stable")]

    def casting(self, lights: np.ndarray) -> np.ndarray:
        """Return the geoms that cast shadows: all except lines.

        Infinite planes cast shadows only if a light or another geom is behind them.

        Args:
            lights: positions of the lights.
        """
        cast = ~np.isin(self.type, UNLIT)
        for i in np.flatnonzero(self.endless):
            others = np.concatenate([self.pos[~self.endless], lights])
            cast[i] = ((others - self.pos[i]) @ self.rows["axis_z"][i] < 0).any()
        return np.flatnonzero(cast)

    def _rows(self, row: dict[str, np.ndarray]) -> np.ndarray:
        """Return one instance per geom, from which the instances of its component shapes are derived."""
        rows = np.zeros(self.count, INSTANCE)
        for k, axis in enumerate(("axis_x", "axis_y", "axis_z")):
            rows[axis] = row["mat"][:, :, k]
        rows["origin"], rows["scale"], rows["color"] = row["pos"], self.size, row["rgba"]
        for k, name in enumerate(("emission", "specular", "shininess", "reflectance")):
            rows["material"][:, k] = row[name]
        segment = row["segid"].astype(np.int64) + 1
        for k in range(3):
            rows["number"][:, k] = ((segment >> (8 * k)) & 255) / 255.0
        rows["number"][:, 3] = np.isin(self.type, UNLIT)
        return rows

    def top(self, i: int) -> np.ndarray:
        """Return the position of a plane, or the center of a box's upper side."""
        row = self.rows[i]
        height = self.size[i, 2] if self.type[i] == mjtGeom.mjGEOM_BOX else 0.0
        return row["origin"].astype(float) + height * row["axis_z"]

    def looks(self, i: int) -> tuple[int, int, np.ndarray]:
        """Return a geom's texture id, texture mapping, and factors that convert vertices to texture coordinates.

        If the mesh has texture coordinates, the factors apply to them instead. As in MuJoCo, the vertices of planes,
        meshes and height fields include the size; other shapes are unit shapes. A 2D texture spans the geom, or a unit
        shape if it is uniform. A cube texture is projected onto the vertices; if it is uniform, onto the vertices times
        the sizes.
        """
        material = self.matid[i]
        texture = self.m.mat_texid[material, mjtTextureRole.mjTEXROLE_RGB] if material >= 0 else -1
        flat = texture >= 0 and self.m.tex_type[texture] == mjtTexture.mjTEXTURE_2D
        if texture < 0 or (self.texcoord[i] and not flat):
            # cube textures need three coordinates, but the mesh has two
            return -1, NO_TEXTURE, np.zeros(3)
        uniform, repeat = bool(self.m.mat_texuniform[material]), self.m.mat_texrepeat[material]
        if self.texcoord[i]:
            return int(texture), WITH_COORDINATES, np.array([*repeat, 0])
        size = self.given_size[i].astype(float)
        factors = size if uniform else np.ones(3)
        if flat and self.type[i] in SIZED:
            factors = np.ones(3) if uniform else 1 / np.where(size > 0, size, 1.0)
        if self.type[i] == mjtGeom.mjGEOM_PLANE:
            # planes are drawn as unit squares
            factors = factors * self.size[i]
        if flat:
            return int(texture), PROJECTED, factors * np.array([repeat[0] / 2, -repeat[1] / 2, 0])
        return int(texture), WRAPPED, factors

    def parts(self, i: int) -> tuple[Part, ...]:
        """Return the component shapes of a geom."""
        kind, data = int(self.type[i]), int(self.dataid[i])
        if kind in (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF) and data >= 0:
            return (Part(f"{'hull' if data % 2 else 'mesh'} {data // 2}", factor=(0, 0, 0)),)
        if kind == mjtGeom.mjGEOM_HFIELD and data >= 0:
            return (Part(f"hfield {data}", factor=(0, 0, 0)),)
        return PARTS.get(kind, ())

    def groups(self, chosen: np.ndarray, slices: np.ndarray) -> dict[Look, np.ndarray]:
        """Return the instances of the chosen geoms, grouped by appearance.

        Args:
            chosen: indices of the geoms.
            slices: number of sides of round shapes for each of them; 0 for the model's number.
        """
        found: dict[Look, list[np.ndarray]] = {}
        for alike in self._alike(chosen, slices):
            i, sides = int(chosen[alike[0]]), int(slices[alike[0]])
            texture, kind, tiling = self.looks(i)
            for part in self.parts(i):
                look = Look(part.shape, texture, kind, bool(self.hazy[i]), sides if part.shape in ROUND else 0)
                found.setdefault(look, []).append(self._placed(chosen[alike], part, tiling))
        return {look: rows[0] if len(rows) == 1 else np.concatenate(rows) for look, rows in found.items()}

    def _alike(self, chosen: np.ndarray, slices: np.ndarray) -> list[np.ndarray]:
        """Return indices into `chosen`, grouped by shape and texture.

        Geoms with a texture are not grouped, because the mapping may depend on their sizes.
        """
        material = self.matid[chosen]
        texture = np.full(len(chosen), -1)
        if self.m.nmat:
            texture = np.where(material < 0, -1, self.m.mat_texid[material, mjtTextureRole.mjTEXROLE_RGB])
        key = np.where(texture < 0, -1, np.arange(len(chosen)))
        for column in (self.type[chosen], self.dataid[chosen], self.hazy[chosen], slices):
            key = key * (column.max(initial=0) + 2) + column
        places = np.argsort(key, kind="stable")
        parted = np.split(places, 1 + np.flatnonzero(np.diff(key[places]))) if len(chosen) else []
        return sorted(parted, key=lambda alike: int(alike[0]))

    def skeleton(self, i: int, points: np.ndarray, ends: np.ndarray, radius: float) -> dict[str, np.ndarray]:
        """Return instances of spheres at the vertices of a flex and of tubes along its edges, by shape name."""
        balls = np.repeat(self.rows[i : i + 1], len(points))
        balls["axis_x"], balls["axis_y"], balls["axis_z"] = np.eye(3)
        balls["origin"], balls["scale"], balls["texture_scale"] = points, radius, 0
        tubes = np.repeat(self.rows[i : i + 1], len(ends))
        if len(ends):
            middle, along = ends.mean(axis=1), ends[:, 1] - ends[:, 0]
            length = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
            z = along / length
            least = np.eye(3)[np.argmin(np.abs(z), axis=1)]
            x = np.cross(z, least)
            x /= np.linalg.norm(x, axis=1, keepdims=True)
            tubes["axis_x"], tubes["axis_y"], tubes["axis_z"] = x, np.cross(z, x), z
            tubes["origin"], tubes["texture_scale"] = middle, 0
            tubes["scale"] = np.concatenate([np.full((len(ends), 2), radius), length / 2], axis=1)
        return {name: rows for name, rows in (("sphere", balls), ("tube", tubes)) if len(rows)}

    def _placed(self, chosen: np.ndarray, part: Part, tiling: np.ndarray) -> np.ndarray:
        """Return instances of one component shape of the chosen geoms."""
        rows, size = self.rows[chosen], self.size[chosen]
        rows["origin"] += np.float32(part.along) * size[:, 2:3] * rows["axis_z"]
        # vertices of meshes and height fields include the size
        whole = part.factor == (0, 0, 0)
        rows["scale"] = 1.0 if whole else size[:, list(part.scale)] * np.array(part.factor)
        if part.turned:
            rows["axis_y"], rows["axis_z"] = -rows["axis_y"], -rows["axis_z"]
        rows["texture_scale"] = tiling_of(part, tiling)
        return rows


def tiling_of(part: Part, factors: np.ndarray) -> np.ndarray:
    """Return three factors for a part's vertices and a shift along z, applied first, that give texture coordinates."""
    turn = -1.0 if part.turned else 1.0
    return np.array([factors[0], turn * factors[1], turn * factors[2], turn * part.along])


NAMES = ("type", "dataid", "matid", "objtype", "objid", "texcoord", "segid", "size", "pos", "mat", "rgba", "emission",
         "specular", "shininess", "reflectance", "modelrbound")  # fmt: skip
"""Fields of the scene's geoms that affect drawing."""
