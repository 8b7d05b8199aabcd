"""Motion of a scene as columns over time: geoms, flexes, skins and labels in each frame, and their appearance."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.textures import drawn_texture
from conjoint.api.objects.visual import MjvScene
from conjoint.render.instances import PARTS, Instances
from conjoint.render.shaders import NO_TEXTURE, WITH_COORDINATES
from conjoint.render.shapes import flex_skeleton, flexible_corners, shape_corners
from conjoint.schema.enums import mjtColorSpace, mjtGeom, mjtTexture
from conjoint.viewer.web.archive import Archive
from conjoint.viewer.web.looks import SLICES, STACKS, as_colors, linear
from conjoint.viz.scene import labels_of

SOFT = (mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN)
"""Geom types whose vertices are stored in the scene."""

WIDTH = 11
"""Number of values per geom and frame: position 3, quaternion 4, size 3, and 1 if the geom is visible."""

SKY_SIDE = 128
"""Maximum side length (pixels) of a sky texture."""

Key = tuple[Any, ...]


class Motion:
    """Frames of a scene, collected one by one.

    Args:
        m: the model.
        endless: half the side length (m) of infinite planes as drawn.

    Attributes:
        count: number of frames.
    """

    def __init__(self, m: MjModel, endless: float):
        self.m, self.endless, self.count = m, endless, 0
        self._looks: dict[Key, dict[str, Any]] = {}
        self._rows: dict[Key, list[tuple[int, np.ndarray]]] = {}
        self._soft: dict[tuple[int, int], Soft] = {}

    def add(self, scn: MjvScene) -> None:
        """Append a frame."""
        pos, mat = (scn.memory.view(f"geoms.{name}")[: int(scn.ngeom)] for name in ("pos", "mat"))
        # draw every plane as seen from its front
        shown = Instances(self.m, scn, self.endless, pos + mat[:, :, 2])
        rows = np.concatenate([pos, quaternions(mat), shown.size, np.ones((shown.count, 1))], axis=1)
        seen: Counter[Key] = Counter()
        for i, (kind, data, objtype, objid, material) in enumerate(
            zip(*(a.tolist() for a in (shown.type, shown.dataid, shown.objtype, shown.objid, shown.matid)), strict=True)
        ):
            if kind in SOFT:
                self._add_soft(scn, shown, i)
                continue
            color = tuple(shown.rows["color"][i].round(3).tolist())
            self._put(seen, (kind, data, objtype, objid, material, color), rows[i], lambda i=i: self._look(shown, i))
        for place, text in labels_of(scn):
            row = np.array([*place, 1, 0, 0, 0, 0, 0, 0, 1])
            self._put(seen, ("label", text), row, lambda text=text: {"label": text})
        self.count += 1

    def _put(self, seen: Counter[Key], same: Key, row: np.ndarray, look: Any) -> None:
        """Append the values of a geom; geoms with equal keys are numbered in the order of the scene."""
        key = (*same, seen[same])
        seen[same] += 1
        if key not in self._looks:
            self._looks[key], self._rows[key] = look(), []
        self._rows[key].append((self.count, row))

    def _look(self, shown: Instances, i: int) -> dict[str, Any]:
        """Return the appearance of a geom for the player."""
        texture, mapping, tiling = shown.looks(i)
        parts = [[part.shape, part.scale, part.factor, part.along, int(part.turned)] for part in shown.parts(i)]
        row = shown.rows[i]
        return {
            "parts": parts,
            "color": row["color"].round(4).tolist(),
            "material": [*row["material"][:3].round(4).tolist(), float(row["number"][3])],
            "texture": texture, "mapping": mapping, "tiling": tiling.round(5).tolist(),
            "endless": bool(shown.endless[i]), "hazy": bool(shown.hazy[i]),
            "plane": bool(shown.type[i] == mjtGeom.mjGEOM_PLANE),
        }  # fmt: skip

    def _add_soft(self, scn: MjvScene, shown: Instances, i: int) -> None:
        """Append a frame of a flex or a skin."""
        kind, number = int(shown.type[i]), int(shown.objid[i])
        corners = flexible_corners(self.m, scn, kind, number)
        if len(corners):
            if (kind, number) not in self._soft:
                look = self._look(shown, i)
                if look["mapping"] == WITH_COORDINATES:
                    # texture coordinates of flexes and skins ignore texrepeat
                    look["tiling"] = [1, 1, 0]
                self._soft[kind, number] = Soft(look, self.count, corners)
            self._soft[kind, number].frames.append(corners[:, :3])
        if kind == mjtGeom.mjGEOM_FLEX:
            self._add_skeleton(shown, i, *flex_skeleton(self.m, scn, number))

    def _add_skeleton(self, shown: Instances, i: int, points: np.ndarray, ends: np.ndarray, radius: float) -> None:
        """Append the vertices and edges of a flex, which are drawn as balls and tubes."""
        types = {"sphere": mjtGeom.mjGEOM_SPHERE, "tube": mjtGeom.mjGEOM_CYLINDER}
        seen: Counter[Key] = Counter()
        for shape, rows in shown.skeleton(i, points, ends, radius).items():
            mats = np.stack([rows["axis_x"], rows["axis_y"], rows["axis_z"]], axis=2)
            table = np.concatenate([rows["origin"], quaternions(mats), rows["scale"], np.ones((len(rows), 1))], axis=1)
            look = {**self._look(shown, i), "texture": -1, "mapping": NO_TEXTURE, "tiling": [0, 0, 0]}
            look["parts"] = [[part.shape, part.scale, part.factor, part.along, int(part.turned)]
                             for part in PARTS[types[shape]][:1]]  # fmt: skip
            for row in table:
                self._put(seen, (shape, int(shown.objid[i])), row, lambda look=look: look)

    def write(self, archive: Archive) -> dict[str, Any]:
        """Append the motion to an archive, and return the header entries for it."""
        table = np.stack([self._filled(rows) for rows in self._rows.values()]) if self._rows else self._nothing()
        flat = table.transpose(0, 2, 1).reshape(-1, self.count)
        moving = np.flatnonzero((np.ptp(flat, axis=1) > 1e-6) if self.count else np.zeros(len(flat), bool))
        looks = list(self._looks.values())
        shapes = sorted({part[0] for look in looks for part in look.get("parts", ())})
        textures = sorted({look["texture"] for look in [*looks, *(s.look for s in self._soft.values())]
                           if look.get("texture", -1) >= 0})  # fmt: skip
        return {
            "nodes": looks,
            "first": archive.add(flat[:, 0], "f4"),
            "moving": archive.add(moving, "u4"),
            "columns": archive.add_columns(flat[moving]),
            "shapes": {name: self._shape(archive, name) for name in shapes},
            "textures": {str(i): written_texture(archive, self.m, i) for i in textures},
            "soft": [soft.write(archive, self.count) for soft in self._soft.values()],
        }

    def _nothing(self) -> np.ndarray:
        return np.zeros((0, self.count, WIDTH))

    def _filled(self, rows: list[tuple[int, np.ndarray]]) -> np.ndarray:
        """Return the values of a geom in all frames, shape (count, 11).

        In frames without the geom, its pose is repeated, and it is invisible.
        """
        known = np.array([frame for frame, _ in rows])
        last = np.maximum(np.searchsorted(known, np.arange(self.count), side="right") - 1, 0)
        table = np.array([row for _, row in rows])
        # a quaternion and its negative are the same rotation, so make the signs of consecutive ones equal
        turn = np.sign(np.einsum("tk,tk->t", table[1:, 3:7], table[:-1, 3:7]))
        table[1:, 3:7] *= np.cumprod(np.where(turn == 0, 1, turn))[:, None]
        filled = table[last]
        filled[:, 10] = np.isin(np.arange(self.count), known)
        return filled

    def _shape(self, archive: Archive, name: str) -> dict[str, int]:
        return written_corners(archive, shape_corners(self.m, name, SLICES, STACKS))


class Soft:
    """A flex or a skin in a motion.

    Args:
        look: appearance for the player.
        first: first frame in which the flex or skin is visible.
        corners: triangle vertices in that frame.
    """

    def __init__(self, look: dict[str, Any], first: int, corners: np.ndarray):
        self.look, self.first, self.corners = look, first, corners
        self.frames: list[np.ndarray] = []

    def write(self, archive: Archive, count: int) -> dict[str, Any]:
        """Append the vertices in all frames to an archive, and return the header entries for them."""
        same = np.round(self.corners, 5)
        _, chosen, faces = np.unique(same, axis=0, return_index=True, return_inverse=True)
        # a frame with a different number of vertices repeats the previous frame
        frames = [self.frames[0]] * self.first
        for corners in self.frames:
            frames.append(corners if len(corners) == len(self.corners) else frames[-1])
        frames += frames[-1:] * (count - len(frames))
        points = np.stack([corners[chosen] for corners in frames]).reshape(count, -1).T
        return {
            **self.look,
            "faces": archive.add(faces.ravel(), "u4"),
            "texcoords": archive.add(self.corners[chosen, 6:8], "f4"),
            "columns": archive.add_columns(points),
        }


def quaternions(mat: np.ndarray) -> np.ndarray:
    """Return the unit quaternions of rotation matrices, shape (n, 4)."""
    m = mat.astype(float)
    d = np.einsum("nkk->nk", m)
    # four times the squared components; divide by the largest component
    squares = np.stack([1 + d.sum(axis=1), *(1 + 2 * d - d.sum(axis=1, keepdims=True)).T], axis=1)
    outer = np.zeros((len(m), 4, 4))
    outer[:, range(4), range(4)] = squares
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        outer[:, 0, 1 + i] = outer[:, 1 + i, 0] = m[:, k, j] - m[:, j, k]
        outer[:, 1 + i, 1 + j] = outer[:, 1 + j, 1 + i] = m[:, i, j] + m[:, j, i]
    found = outer[np.arange(len(m)), squares.argmax(axis=1)]
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def written_corners(archive: Archive, corners: np.ndarray) -> dict[str, int]:
    """Append the vertices of a shape, without duplicates, and its triangles to an archive; return their indices."""
    rows, faces = np.unique(corners, axis=0, return_inverse=True)
    made = {
        "points": archive.add(rows[:, :3], "f4"),
        "normals": archive.add(np.round(127 * rows[:, 3:6]), "i1"),
        "faces": archive.add(faces.ravel(), "u4"),
    }
    if rows[:, 6:8].any():
        made["texcoords"] = archive.add(rows[:, 6:8], "f4")
    return made


def written_texture(archive: Archive, m: MjModel, i: int, largest: int = 0) -> dict[str, Any]:
    """Append a texture to an archive, and return its header entry; the sides of a cube are stacked vertically.

    Args:
        archive: the archive.
        m: the model.
        i: texture id.
        largest: maximum side length of cube textures (pixels), which are subsampled to it; 0 for no limit.
    """
    pixels, colorspace = drawn_texture(m, i)
    pixels = as_colors(pixels)
    if colorspace == mjtColorSpace.mjCOLORSPACE_SRGB:
        pixels = np.concatenate([255 * linear(pixels[:, :, :3] / 255), pixels[:, :, 3:]], axis=2).round()
    cube = m.tex_type[i] != mjtTexture.mjTEXTURE_2D
    if cube:
        side = pixels.shape[1]
        thin = max(1, side // largest) if largest else 1
        faces = pixels.reshape(-1, side, side, pixels.shape[2])[:, ::thin, ::thin]
        pixels = np.concatenate([*faces] * (6 // len(faces)))
    height, width, channels = pixels.shape
    return {
        "pixels": archive.add(pixels, "u1"), "height": height, "width": width, "channels": channels, "cube": bool(cube),
    }  # fmt: skip
