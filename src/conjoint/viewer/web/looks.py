"""GLB files of a scene's geoms for browsers: shape, color and texture."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from conjoint.api.objects.model import MjModel
from conjoint.render import shapes
from conjoint.render.instances import LINES, Instances, Part, tiling_of
from conjoint.render.resources import pixels_of
from conjoint.render.shaders import NO_TEXTURE, PROJECTED, WRAPPED
from conjoint.render.shapes import shape_corners
from conjoint.schema.enums import mjtGeom, mjtObj

SLICES, STACKS = 32, 16
"""Numbers of subdivisions around and along round shapes; lighting is computed per pixel."""

THIN = 0.002
"""Half thickness of bars that replace lines, before the bars are scaled by the geom's size."""

UNIT = 0.5
"""Size of shapes that are scaled.

It is not 1, because a sphere's positions would then equal its normals and share a buffer in the file, which browsers do
not draw.
"""


def stretched(shown: Instances, i: int) -> bool:
    """Return True if a geom's length may change: tendon segments, whose ends are drawn flat."""
    return bool(shown.type[i] == mjtGeom.mjGEOM_CAPSULE and shown.objtype[i] != mjtObj.mjOBJ_GEOM)


def scale_of(shown: Instances, i: int) -> tuple[float, float, float]:
    """Return the scale of a geom's file: the geom's size, or 1 if the vertices include it."""
    if baked(shown, i):
        return 1.0, 1.0, 1.0
    x, y, z = np.maximum(shown.size[i], 1e-9) / UNIT
    return float(x), float(y), float(z)


def baked(shown: Instances, i: int) -> bool:
    """Return True if the vertices in a geom's file include the geom's size."""
    parts = shown.parts(i)
    whole = bool(parts) and parts[0].factor == (0, 0, 0)
    round_ends = shown.type[i] == mjtGeom.mjGEOM_CAPSULE and not stretched(shown, i)
    return whole or round_ends


def look_of(shown: Instances, i: int) -> tuple[Any, ...]:
    """Return the key of a geom's file; geoms with equal keys share a file."""
    sized = baked(shown, i) or shown.looks(i)[1] != NO_TEXTURE
    size = tuple(shown.size[i].tolist()) if sized else ()
    row = shown.rows[i]
    color = tuple(np.round(row["color"].astype(float), 3)), round(float(row["material"][0]), 3)
    return int(shown.type[i]), int(shown.dataid[i]), int(shown.matid[i]), stretched(shown, i), color, size


def geom_file(m: MjModel, shown: Instances, i: int) -> bytes | None:
    """Return the GLB file of a geom, in its frame; None if it has no shape."""
    import trimesh

    rows = geom_corners(m, shown, i)
    if rows is None or not len(rows):
        return None
    texture, kind, tiling = shown.looks(i)
    row = shown.rows[i]
    color, alpha = linear(row["color"][:3].astype(float)), float(row["color"][3])
    emission, specular, shininess, _ = (float(x) for x in row["material"])
    texcoords = image = colors = None
    if kind == WRAPPED:
        colors = around(m, texture, covered(m, shown, i, tiling))
    elif kind != NO_TEXTURE:
        image = Image.fromarray(as_colors(pixels_of(m, texture)))
        flat = covered(m, shown, i, tiling)[:, :2] + 0.5 if kind == PROJECTED else rows[:, 6:8] * tiling[:2]
        u, v = flat.T
        # trimesh measures v from the lower edge
        texcoords = np.stack([u, 1.0 - v], axis=1)
    points, faces = rows, np.arange(len(rows))
    if kind == NO_TEXTURE:
        points, faces = np.unique(rows[:, :6], axis=0, return_inverse=True)
    material = trimesh.visual.material.PBRMaterial(
        baseColorFactor=np.array([*color, alpha]),
        baseColorTexture=image,
        emissiveFactor=np.clip(emission * color, 0.0, 1.0),
        metallicFactor=0.0,
        roughnessFactor=roughness(specular, shininess),
        alphaMode="BLEND" if alpha < 1 else "OPAQUE",
    )
    visual = trimesh.visual.TextureVisuals(uv=texcoords, material=material)
    if colors is not None:
        visual.vertex_attributes["color"] = colors
    mesh = trimesh.Trimesh(
        points[:, :3], faces.reshape(-1, 3), vertex_normals=points[:, 3:6], visual=visual, process=False
    )
    with io.BytesIO() as file:
        mesh.export(file, file_type="glb", include_normals=True)
        return file.getvalue()


def roughness(specular: float, shininess: float) -> float:
    """Return the roughness that makes highlights as narrow as in OpenGL; without highlights, it is 1.

    The microfacet model is that of Walter et al., Microfacet models for refraction, 2007.
    """
    narrow = (2.0 / (128.0 * shininess + 2.0)) ** 0.25
    return float(np.clip(narrow ** min(2.0 * specular, 1.0), 0.1, 1.0))


def geom_corners(m: MjModel, shown: Instances, i: int) -> np.ndarray | None:
    """Return the triangle vertices of a geom; they have a fixed size if the geom's file is scaled."""
    parts = drawn_parts(shown, i)
    if not parts:
        return None
    if parts[0].shape in LINES:
        return thin(parts[0].shape)
    size = shown.size[i] if baked(shown, i) else np.full(3, UNIT)
    return np.concatenate([placed(m, part, size) for part in parts])


def covered(m: MjModel, shown: Instances, i: int, factors: np.ndarray) -> np.ndarray:
    """Return the texture coordinates of a geom's vertices, computed as the shaders do for its component shapes."""
    found = []
    for part in drawn_parts(shown, i):
        tiling = tiling_of(part, factors)
        points = shape_corners(m, part.shape, SLICES, STACKS)[:, :3].astype(float)
        found.append((points + [0, 0, tiling[3]]) * tiling[:3])
    return np.concatenate(found)


def drawn_parts(shown: Instances, i: int) -> tuple[Part, ...]:
    """Return the component shapes of a geom that its file contains."""
    return shown.parts(i)[:1] if stretched(shown, i) else shown.parts(i)


def placed(m: MjModel, part: Part, size: np.ndarray) -> np.ndarray:
    """Return the vertices of a component shape of a geom with the given size."""
    rows = shape_corners(m, part.shape, SLICES, STACKS).astype(float)
    if part.factor == (0, 0, 0):
        return rows
    scale = size[list(part.scale)] * part.factor
    turn = np.array([1.0, -1.0, -1.0]) if part.turned else np.ones(3)
    rows[:, 3:6] = rows[:, 3:6] / np.maximum(scale, 1e-9) * turn
    rows[:, 3:6] /= np.maximum(np.linalg.norm(rows[:, 3:6], axis=1, keepdims=True), 1e-12)
    rows[:, :3] = rows[:, :3] * scale * turn
    rows[:, 2] += part.along * size[2]
    return rows


def thin(shape: str) -> np.ndarray:
    """Return lines as thin boxes, because browsers draw lines at most one pixel wide."""
    ends = getattr(shapes, shape)()[:, :3].astype(float).reshape(-1, 2, 3)
    box = shapes.box().astype(float)
    found = []
    for a, b in ends:
        rows = box.copy()
        half = np.abs(b - a) / 2
        rows[:, :3] = (a + b) / 2 + rows[:, :3] * np.where(half > 0, half, THIN)
        found.append(rows)
    return np.concatenate(found)


def as_colors(pixels: np.ndarray) -> np.ndarray:
    """Return the pixels of a texture, with gray ones expanded to three channels."""
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else np.ascontiguousarray(pixels)


def linear(color: np.ndarray) -> np.ndarray:
    """Convert sRGB colors to linear intensities (IEC 61966-2-1), which GLB files use except in textures."""
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def around(m: MjModel, texture: int, points: np.ndarray) -> np.ndarray:
    """Return the linear colors of a cube texture in the directions of points (OpenGL 3.3 specification, table 3.19)."""
    pixels = as_colors(pixels_of(m, texture))
    side = pixels.shape[1]
    faces = pixels.reshape(-1, side, side, pixels.shape[2])
    x, y, z = points.T
    axis = np.argmax(np.abs(points), axis=1)
    major = np.maximum(np.abs(points).max(axis=1), 1e-12)
    positive = points[np.arange(len(points)), axis] >= 0
    sign = np.where(positive, 1.0, -1.0)
    across = np.choose(axis, [-sign * z, x, sign * x])
    down = np.choose(axis, [-y, sign * z, -y])
    face = 2 * axis + ~positive if len(faces) == 6 else np.zeros(len(points), int)
    column, row = (np.clip((part / major + 1) / 2 * side, 0, side - 1).astype(int) for part in (across, down))
    found = 255 * linear(faces[face, row, column][:, :3] / 255)
    opaque = np.full((len(points), 1), 255.0)
    return np.concatenate([found, opaque], axis=1).round().astype(np.uint8)
