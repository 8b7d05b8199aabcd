"""`RayRenderer`: ray-cast pictures of a scene, without OpenGL."""

from __future__ import annotations

import numpy as np

from conjoint.api.arguments import Side, checked
from conjoint.api.objects.model import MjModel
from conjoint.ray_renderer.view import COLORS, DEPTH, FOG, NORMALS, NUMBERS, SHADOWS
from conjoint.render.camera import eye_of
from conjoint.render.scene import SceneRenderer, check_scene
from conjoint.runtime.ray_pictures import SEE, RayPicture
from conjoint.schema.enums import mjtGeom, mjtLightType
from conjoint.schema.enums_visual import mjtRndFlag

ROUND = (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER)
"""Geom types whose second size is half their length. In scenes, the third size is half the length instead."""

MESHES = (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF)

ARROWS = (mjtGeom.mjGEOM_ARROW, mjtGeom.mjGEOM_ARROW1, mjtGeom.mjGEOM_ARROW2)
"""Geom types that are drawn as cylinders that begin at the geom's position."""

SEEN = (
    mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD, mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_ELLIPSOID, mjtGeom.mjGEOM_BOX,
    mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN, *ROUND, *MESHES, *ARROWS,
)  # fmt: skip
"""Geom types that rays can hit."""


class RayRenderer(SceneRenderer):
    """Ray-casting renderer with the methods of `Renderer`; it does not need OpenGL.

    It also has `render_normals`, which returns surface normals. The arguments are ordered `(width, height)`; MuJoCo's
    `Renderer` takes `height` first.

    Args:
        model: the model.
        width, height: size of the picture, in pixels.
        max_geom: maximum number of geoms in the scene.

    Raises:
        ValueError: the width or height is less than one pixel, or too large.
    """

    @checked
    def __init__(self, model: MjModel, width: Side = 320, height: Side = 240, max_geom: int = 10000):
        super().__init__(model, height, width, max_geom)
        self._sight = RayPicture(model.plans.current.sizes, height, width, max_geom)

    def render_normals(self) -> np.ndarray:
        """Return the unit surface normals at visible points, in world axes, toward the camera; 0 for the background."""
        return self._made(NORMALS)[2].reshape(self._height, self._width, 3)

    def _distances(self) -> np.ndarray:
        return self._made(DEPTH)[0].reshape(self._height, self._width)

    def _objects(self) -> np.ndarray:
        return self._made(NUMBERS)[1].reshape(self._height, self._width, 2)

    def _colors(self) -> np.ndarray:
        shadows = SHADOWS * bool(self._scene.flags[mjtRndFlag.mjRND_SHADOW])
        fog = FOG * bool(self._scene.flags[mjtRndFlag.mjRND_FOG])
        return self._made(COLORS + shadows + fog)[3].reshape(self._height, self._width, 3)

    def _made(self, wanted: int) -> list[np.ndarray]:
        """Cast the rays of a picture. Return distances, objects, normals and colors, empty if not requested."""
        check_scene(self._model, self._scene)
        with np.errstate(all="ignore"):
            self._take_eye()
            self._take_shapes()
            self._take_lamps()
        count = self._height * self._width
        kinds = (DEPTH, np.float32, 1), (NUMBERS, np.int32, 2), (NORMALS, np.float32, 3), (COLORS, np.uint8, 3)
        made = [np.empty(more * count if wanted & kind else 0, dtype) for kind, dtype, more in kinds]
        SEE(self._model.plans.current, self._sight, 0, wanted, *made)
        return made

    def _take_eye(self) -> None:
        """Store the camera of the scene for ray casting."""
        eye, view = eye_of(self._scene, self._width, self._height), self._sight.buffer.view
        across, upwards = eye.projection[0], eye.projection[1]
        # edges of the image plane at a distance of 1 m; any distance for an orthographic camera
        x, y = (-across[3], -upwards[3]) if eye.orthographic else (across[2], upwards[2])
        edges = (x - 1) / across[0], (x + 1) / across[0], (y - 1) / upwards[1], (y + 1) / upwards[1]
        for name, edge in zip(("left", "right", "bottom", "top"), edges, strict=True):
            view(f"window_{name}")[...] = edge
        view("eye_pos")[...], view("eye_forward")[...] = eye.pos, eye.forward
        view("eye_right")[...], view("eye_up")[...] = eye.view[0, :3], eye.view[1, :3]
        view("eye_parallel")[...], view("near")[...], view("far")[...] = eye.orthographic, eye.near, eye.far

    def _take_shapes(self) -> None:
        """Store the geoms of the scene that rays can hit."""
        count, scene, view = int(self._scene.ngeom), self._scene.memory.view, self._sight.buffer.view
        kinds = scene("geoms.type")[:count]
        # skip meshes and height fields without a data id
        bodiless = np.isin(kinds, (*MESHES, mjtGeom.mjGEOM_HFIELD)) & (scene("geoms.dataid")[:count] < 0)
        chosen = np.flatnonzero(np.isin(kinds, SEEN) & ~bodiless)
        row = {name: scene(f"geoms.{name}")[chosen] for name in GEOM}
        kind, size, pos = row["type"], row["size"].astype(float), row["pos"].astype(float)
        arrow, axis = np.isin(kind, ARROWS), row["mat"][:, :, 2].astype(float)
        size[arrow, 2] /= 2
        pos[arrow] += axis[arrow] * size[arrow, 2:]
        kind[arrow] = mjtGeom.mjGEOM_CYLINDER
        rounded = np.isin(kind, ROUND)
        size[rounded, 1] = size[rounded, 2]
        data = np.where(np.isin(kind, MESHES), row["dataid"] // 2, row["dataid"])
        finish = np.stack([row["emission"], row["specular"], row["shininess"]], axis=1)
        values = {
            "type": kind, "data": data, "objtype": row["objtype"], "objid": row["objid"], "pos": pos, "size": size,
            "frame": row["mat"].reshape(-1, 9), "matid": np.maximum(row["matid"], -1), "rgba": row["rgba"],
            "finish": finish,
        }  # fmt: skip
        for name, value in values.items():
            view(f"shape_{name}")[: len(chosen)] = value
        view("nshape")[...] = len(chosen)
        view("flexvert_xpos")[...] = scene("flexvert")
        view("skin_point")[...], view("skin_normal")[...] = scene("skinvert"), scene("skinnormal")

    def _take_lamps(self) -> None:
        """Store the lights of the scene."""
        count, scene, view = int(self._scene.nlight), self._scene.memory.view, self._sight.buffer.view
        row = {name: scene(f"lights.{name}")[:count].astype(float) for name in LIGHT}
        spot = (row["type"] == mjtLightType.mjLIGHT_SPOT) & (row["cutoff"] <= 90)
        cone = np.where(spot, np.cos(np.radians(row["cutoff"])), -2.0)
        faded = row["attenuation"].any(axis=1, keepdims=True)
        values = {
            "kind": row["type"], "pos": row["pos"], "ambient": row["ambient"], "diffuse": row["diffuse"],
            "dir": row["dir"] / np.maximum(np.linalg.norm(row["dir"], axis=1, keepdims=True), 1e-12),
            "specular": row["specular"], "attenuation": np.where(faded, row["attenuation"], [1.0, 0.0, 0.0]),
            "cone": np.stack([cone, row["exponent"]], axis=1), "shadows": row["castshadow"] * (row["headlight"] == 0),
        }  # fmt: skip
        for name, value in values.items():
            view(f"lamp_{name}")[:count] = value
        view("nlamp")[...] = count


GEOM = (
    "type",
    "dataid",
    "objtype",
    "objid",
    "matid",
    "size",
    "pos",
    "mat",
    "rgba",
    "emission",
    "specular",
    "shininess",
)
"""Fields of the scene's geoms that ray casting reads."""

LIGHT = ("type", "pos", "dir", "ambient", "diffuse", "specular", "attenuation", "cutoff", "exponent", "castshadow",
         "headlight")  # fmt: skip
"""Fields of the scene's lights that ray casting reads."""
