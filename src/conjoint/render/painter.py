"""Scene drawing: lights and shadows, opaque geoms, the sky, reflections, and transparent geoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.render import shaders
from conjoint.render.camera import Eye, Port, View, mirrored, views_of
from conjoint.render.detail import COLOR_TOLERANCE, NUMBER_TOLERANCE, SHADOW_TOLERANCE, simplified
from conjoint.render.instances import LINES, UNLIT, Instances, Look
from conjoint.render.lighting import Lighting
from conjoint.render.opengl import moderngl
from conjoint.render.picture import Air, Picture, Programs
from conjoint.render.resources import Resources
from conjoint.render.reversed_depth import FARTHEST, NEARER, ReversedDepth
from conjoint.render.scene import check_scene
from conjoint.render.shaders import (
    CUBE_UNIT,
    IMAGE_UNIT,
    MIRROR_UNIT,
    NO_TEXTURE,
    WITH_COORDINATES,
    WRAPPED,
    Variant,
)
from conjoint.render.shapes import flex_skeleton, flexible_corners
from conjoint.render.style import GROUND, HORIZON, OFFICIAL, ZENITH, Style
from conjoint.schema.enums import mjtGeom, mjtTexture
from conjoint.schema.enums_visual import mjtRndFlag
from conjoint.viz.kernels.elements import GRID_REACH

CORNER_FORMAT = "3f 3f 2f"
INSTANCE_FORMAT = "3f 3f 3f 3f 3f 4f 4f 4f 4f/i"
INSTANCE_NAMES = (
    "axis_x", "axis_y", "axis_z", "origin", "scale", "color", "material", "texture_scale", "number",
)  # fmt: skip

HAZE_REACH = 0.5**0.5
"""Distance at which haze hides infinite planes, relative to the distance of the far plane."""

CLIP_DISTANCE = 0x3000
"""GL_CLIP_DISTANCE0: enables clipping at the plane of a mirror."""

DETACHED = {mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN}
"""Geom types whose vertices are stored in the scene."""

Program = Callable[[Look, bool], Any]
"""Function that returns a shader program for an appearance and a flag, which is True if lights have no effect."""


class Painter:
    """Shader programs and buffers for drawing scenes of a model.

    Args:
        context: the moderngl context.
        m: the model.
        style: optional effects that MuJoCo's pictures do not have.
    """

    def __init__(self, context: Any, m: MjModel, style: Style = OFFICIAL):
        self.context, self.m, self.style = context, m, style
        self.resources = Resources(context, m)
        self.depths = ReversedDepth(context)
        self.picture, self.lighting = Picture(context), Lighting(context, m, style.shadows)
        self.programs = Programs(context, self.depths.written)
        self.depth = context.program(shaders.DEPTH_VERTEX, shaders.DEPTH_FRAGMENT)
        self.sky = context.program(
            shaders.SKY_VERTEX, shaders.sky_fragment(self.depths.written, self._sky_texture() >= 0)
        )
        self._corner_buffer = context.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self._base = Variant()
        self._culled = False
        self._sight: tuple[np.ndarray, tuple[int, int], float] = np.eye(4), (1, 1), COLOR_TOLERANCE
        self._mirrors: dict[tuple[int, int], Any] = {}

    def draw(self, scene: MjvScene, target: Any, width: int, height: int, left: int = 0, bottom: int = 0) -> list[View]:
        """Draw a scene into a rectangle of a framebuffer; return the views that were drawn.

        Raises:
            FatalError: the scene refers to an element that the model does not have.
        """
        check_scene(self.m, scene)
        # users may have stored NaN or infinity in the scene
        with np.errstate(all="ignore"):
            return self._views(scene, target, (left, bottom, width, height))

    def _views(self, scene: MjvScene, target: Any, port: Port) -> list[View]:
        """Draw the views of a scene: one, or two in stereo."""
        views = views_of(scene, port)
        if len(views) > 1:
            # two halves of an odd width leave one column of pixels
            target.clear(0.0, 0.0, 0.0, 0.0, depth=FARTHEST, viewport=port)
        for view in views:
            self._draw_from(scene, target, view.eye, view.port)
        self._frame(scene, target, views[-1].port)
        return views

    def _draw_from(self, scene: MjvScene, target: Any, eye: Eye, port: Port) -> None:
        """Draw a scene from one camera."""
        shown = Instances(self.m, scene, 0.5 * GRID_REACH * eye.far, eye.pos)
        self._warn_of_order(scene, shown)
        if scene.flags[mjtRndFlag.mjRND_SEGMENT]:
            with self.depths.drawing():
                self._draw_numbers(scene, shown, eye, target, port)
            self._cut_nothing()
            return
        air = self._air(scene)
        self.picture.breathe(air)
        self._culled = False
        lights = self.lighting.shine(
            scene, shown, eye, self.picture, lambda casting, seen: self._cast(scene, shown, casting, seen)
        )
        self._base = Variant(lights, fog=air.fog is not None, haze=air.haze > 0, shadows=self.style.shadows)
        with self.depths.drawing():
            self._draw_lit(scene, shown, eye, target, port, self._mirrors_of(scene, shown, eye))
        self._cut_nothing()

    def _warn_of_order(self, scene: MjvScene, shown: Instances) -> None:
        """Store the draw order of transparent geoms in the scene."""
        count, clear = shown.count, shown.clear()
        scene.memory.view("geoms.transparent")[:count] = shown.transparent
        scene.memory.view("geoms.camdist")[:count] = shown.distance
        scene.memory.view("geomorder")[: len(clear)] = clear

    def _frame(self, scene: MjvScene, target: Any, port: Port) -> None:
        """Draw a scene's frame along the picture's edges; in stereo only for the right eye, as in MuJoCo."""
        left, bottom, width, height = port
        rim = min(int(scene.framewidth), width, height)
        if rim <= 0:
            return
        target.depth_mask = False
        sides = (left, bottom, width, rim), (left, bottom + height - rim, width, rim)
        for side in (*sides, (left, bottom, rim, height), (left + width - rim, bottom, rim, height)):
            target.clear(*scene.framergb, 1.0, viewport=side)
        target.depth_mask = True

    def release(self) -> None:
        """Release all GPU resources; the painter cannot be used afterwards."""
        for part in (self.resources, self.picture, self.programs, self.lighting, self.depth, self.sky):
            part.release()
        self._corner_buffer.release()
        self._forget_mirrors()

    def _forget_mirrors(self) -> None:
        for frame, texture in self._mirrors.values():
            frame.depth_attachment.release()
            frame.release()
            texture.release()
        self._mirrors.clear()

    # ---- passes

    def _draw_numbers(self, scene: MjvScene, shown: Instances, eye: Eye, target: Any, port: Port) -> None:
        """Draw all geoms in their segmentation colors."""
        self._begin(scene, shown, target, port)
        self._look(eye, port, tolerance=NUMBER_TOLERANCE)
        self._geoms(scene, shown, np.arange(shown.count), lambda look, unlit: self.programs.number)

    def _draw_lit(
        self, scene: MjvScene, shown: Instances, eye: Eye, target: Any, port: Port, mirrors: list[int], clip: Any = None
    ) -> None:
        """Draw the geoms in their colors, and the sky. The geoms `mirrors` show reflections."""
        self._begin(scene, shown, target, port, clip)
        self.context.wireframe = bool(scene.flags[mjtRndFlag.mjRND_WIREFRAME])
        self._look(eye, port, clip)
        solid = np.flatnonzero(~shown.transparent)
        self._geoms(scene, shown, np.setdiff1d(solid, mirrors), self._lit)
        for i in mirrors:
            self._draw_mirror(scene, shown, eye, i, port)
            self._begin(scene, shown, target, port, clear=False)
            self._look(eye, port)
            self._geoms(scene, shown, np.array([i]), self._mirroring)
        if clip is None:
            self._sky(scene, shown, eye)
            self._hide_behind_haze(scene, shown)
        self._draw_clear(scene, shown, target)
        self.context.wireframe = False

    def _hide_behind_haze(self, scene: MjvScene, shown: Instances) -> None:
        """Write the depths of infinite planes even where haze hides their colors, so that they occlude geoms."""
        if self._base.haze:
            solid = np.flatnonzero(shown.hazy & ~shown.transparent)
            # this blending keeps the colors
            self.context.enable(moderngl.BLEND)
            self.context.blend_func = moderngl.ZERO, moderngl.ONE
            self._geoms(scene, shown, solid, lambda look, unlit: self.programs.number)
            self.context.disable(moderngl.BLEND)

    def _draw_clear(self, scene: MjvScene, shown: Instances, target: Any) -> None:
        """Draw transparent geoms near to far and then far to near, as in MuJoCo.

        If blending is additive, draw them only far to near.
        """
        clear = shown.clear()
        additive = bool(scene.flags[mjtRndFlag.mjRND_ADDITIVE])
        order = clear[::-1] if additive else np.concatenate([clear, clear[::-1]])
        self.context.enable(moderngl.BLEND)
        self.context.blend_func = (
            (moderngl.SRC_ALPHA, moderngl.ONE) if additive else (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA)
        )
        target.depth_mask = False
        for i in order:
            self._geoms(scene, shown, np.array([i]), self._lit)
        target.depth_mask = True
        self.context.disable(moderngl.BLEND)

    def _begin(
        self, scene: MjvScene, shown: Instances, target: Any, port: Port, clip: Any = None, clear: bool = True
    ) -> None:
        """Begin drawing into a rectangle: set clipping, depth test and back-face culling, and clear it if requested."""
        target.use()
        target.viewport = port
        if clear:
            target.clear(0.0, 0.0, 0.0, 0.0, depth=FARTHEST, viewport=port)
        self.context.enable_only(moderngl.DEPTH_TEST)
        self.context.depth_func = NEARER
        (self.context.disable_direct if clip is None else self.context.enable_direct)(CLIP_DISTANCE)
        self._culled = bool(scene.flags[mjtRndFlag.mjRND_CULL_FACE])

    def _look(
        self, eye: Eye, port: Port, clip: tuple[float, ...] | None = None, tolerance: float = COLOR_TOLERANCE
    ) -> None:
        """Set the camera, and optionally a clipping plane, for the shapes that are drawn next."""
        self.picture.look(eye, self.depths, HAZE_REACH * eye.far, clip)
        self._sight = eye.projection @ eye.view, port[2:], tolerance

    def _cut_nothing(self) -> None:
        """Disable clipping, because the next shaders write no clip distance."""
        self.context.disable_direct(CLIP_DISTANCE)

    def _cast(self, scene: MjvScene, shown: Instances, casting: np.ndarray, seen: np.ndarray) -> None:
        """Draw the shadow casters from the view of a light."""
        self._cut_nothing()
        self._sight = seen, self.context.viewport[2:], SHADOW_TOLERANCE
        self.depth["light_view"].write(seen.T.astype(np.float32).tobytes())
        self._geoms(scene, shown, casting, lambda look, unlit: self.depth)

    # ---- programs

    def _lit(self, look: Look, unlit: bool) -> Any:
        """Return the shader program for geoms of one appearance."""
        if unlit:
            return self.programs.lit(Variant(texture=look.kind, lit=False))
        haze = self._base.haze and look.hazy
        return self.programs.lit(replace(self._base, texture=look.kind, haze=haze, corners=look.coarse))

    def _mirroring(self, look: Look, unlit: bool) -> Any:
        """Return the shader program for a reflecting geom of one appearance."""
        haze = self._base.haze and look.hazy
        return self.programs.lit(replace(self._base, texture=look.kind, haze=haze, mirror=True))

    # ---- geoms

    def _geoms(self, scene: MjvScene, shown: Instances, chosen: np.ndarray, program: Program) -> None:
        """Draw the chosen geoms, grouped by appearance."""
        lines = chosen[np.isin(shown.type[chosen], UNLIT)]
        self.context.line_width = float(shown.line_width[lines].max(initial=1.0))
        visible, slices = simplified(shown, chosen, *self._sight)
        for alike, rows in shown.groups(visible, slices).items():
            self._texture(alike)
            unlit = alike.shape in LINES
            self._instances(program(alike, unlit), alike.shape, self._shape(alike), rows)
        for i in chosen:
            if shown.type[i] in DETACHED:
                self._detached(program, scene, shown, int(i))

    def _shape(self, alike: Look) -> tuple[Any, int]:
        """Return the vertex buffer of geoms with the same appearance, and the number of vertices."""
        if alike.slices:
            return self.resources.coarse_shape(alike.shape, alike.slices)
        return self.resources.shape(alike.shape)

    def _detached(self, program: Program, scene: MjvScene, shown: Instances, i: int) -> None:
        """Draw a flex or a skin."""
        flexible = int(shown.objid[i])
        if shown.type[i] == mjtGeom.mjGEOM_FLEX:
            for shape, rows in shown.skeleton(i, *flex_skeleton(self.m, scene, flexible)).items():
                self._instances(program(Look(shape), False), shape, self.resources.shape(shape), rows)
        corners = flexible_corners(self.m, scene, int(shown.type[i]), flexible)
        if not len(corners):
            return
        row = shown.rows[i : i + 1].copy()
        row["axis_x"], row["axis_y"], row["axis_z"] = (1, 0, 0), (0, 1, 0), (0, 0, 1)
        row["origin"], row["scale"] = 0, 1
        texture, kind, tiling = shown.looks(i)
        # texture coordinates of flexes and skins ignore texrepeat
        row["texture_scale"] = (1, 1, 0, 0) if kind == WITH_COORDINATES else (*tiling, 0)
        alike = Look("", texture, kind)
        self._texture(alike)
        buffer = self.resources.loose(corners)
        self._instances(program(alike, False), "", buffer, row)
        buffer[0].release()

    def _instances(self, program: Any, name: str, shape: tuple[Any, int], rows: np.ndarray) -> None:
        """Draw instances of one shape."""
        corners, count = shape
        if not count:
            return
        instances = self.context.buffer(np.ascontiguousarray(rows).tobytes())
        content = [
            (corners, CORNER_FORMAT, "in_position", "in_normal", "in_texcoord"),
            (instances, INSTANCE_FORMAT, *INSTANCE_NAMES),
        ]
        array = self.context.vertex_array(program, content, skip_errors=True)
        # planes are visible from below, too
        culled = self._culled and name != "square"
        (self.context.enable if culled else self.context.disable)(moderngl.CULL_FACE)
        array.render(moderngl.LINES if name in LINES else moderngl.TRIANGLES, count, instances=len(rows))
        array.release()
        instances.release()

    def _texture(self, alike: Look) -> None:
        """Bind the texture of a group of geoms."""
        if alike.kind != NO_TEXTURE:
            unit = CUBE_UNIT if alike.kind == WRAPPED else IMAGE_UNIT
            self.resources.texture(alike.texture).use(unit)

    # ---- air and sky

    def _air(self, scene: MjvScene) -> Air:
        """Return the fog in the picture, and the haze over infinite planes, which requires a sky."""
        vis, extent, flags = self.m.vis, self.m.stat.extent, scene.flags
        hazy = flags[mjtRndFlag.mjRND_HAZE] and flags[mjtRndFlag.mjRND_SKYBOX] and self._has_sky()
        start, end = vis.map.fogstart * extent, vis.map.fogend * extent
        foggy = flags[mjtRndFlag.mjRND_FOG] and end > start
        haze = float(vis.map.haze) if hazy else 0.0
        return Air(haze, self._haze_color(), (start, end) if foggy else None, tuple(vis.rgba.fog[:3]))

    def _sky_texture(self) -> int:
        """Return the id of the first skybox texture; -1 if there is none."""
        found = np.flatnonzero(self.m.tex_type == mjtTexture.mjTEXTURE_SKYBOX)
        return int(found[0]) if len(found) else -1

    def _has_sky(self) -> bool:
        return self.style.sky or self._sky_texture() >= 0

    def _haze_color(self) -> tuple[float, ...]:
        """Return the color of the haze: the model's haze color, or the horizon color of the sky that the style adds."""
        return tuple(self.m.vis.rgba.haze[:3]) if self._sky_texture() >= 0 or not self.style.sky else HORIZON

    def _sky(self, scene: MjvScene, shown: Instances, eye: Eye) -> None:
        """Draw the sky, with haze at the horizon if there is an infinite plane."""
        if not (self._has_sky() and scene.flags[mjtRndFlag.mjRND_SKYBOX]):
            return
        turn = eye.view.copy()
        turn[:3, 3] = 0
        back = np.linalg.inv(self.depths.projection(eye) @ turn)
        self.sky["back"].write(back.T.astype(np.float32).tobytes())
        self.sky["farthest"].value = 1.0 if self.depths.written else FARTHEST
        slope, frame = self._horizon(scene, shown, eye)
        self.sky["haze_color"].value = self._haze_color()
        self.sky["haze_slope"].value, self.sky["haze_width"].value = slope, float(self.m.vis.map.haze)
        self.sky["haze_frame"].write(frame.astype(np.float32).tobytes())
        if self._sky_texture() >= 0:
            self.sky["cube"].value = CUBE_UNIT
            self.resources.texture(self._sky_texture()).use(CUBE_UNIT)
        else:
            self.sky["zenith"].value, self.sky["ground"].value = ZENITH, GROUND
        self._cut_nothing()
        array = self.context.vertex_array(self.sky, [(self._corner_buffer, "2f", "in_corner")])
        array.render(moderngl.TRIANGLES, 3)
        array.release()

    def _horizon(self, scene: MjvScene, shown: Instances, eye: Eye) -> tuple[float, np.ndarray]:
        """Return the slope at which haze hides the nearest infinite plane (0 without one), and the plane's axes."""
        found = np.flatnonzero(shown.hazy)
        if not len(found) or not scene.flags[mjtRndFlag.mjRND_HAZE]:
            return 0.0, np.eye(3)
        height = np.einsum("gk,gk->g", eye.pos - shown.pos[found], shown.rows["axis_z"][found])
        nearest = int(np.argmin(height))
        frame = np.stack([shown.rows[axis][found[nearest]] for axis in ("axis_x", "axis_y", "axis_z")])
        return float(height[nearest]) / (HAZE_REACH * eye.far), frame

    # ---- mirrors

    def _mirrors_of(self, scene: MjvScene, shown: Instances, eye: Eye) -> list[int]:
        """Return a list that contains the reflecting plane or box if its upper side is visible, else an empty list."""
        if not scene.flags[mjtRndFlag.mjRND_REFLECTION]:
            return []
        flat = np.isin(shown.type, (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_BOX))
        found = np.flatnonzero(flat & (shown.reflectance > 0) & ~shown.transparent)
        # as in MuJoCo, only one geom reflects
        return [i for i in found[:1].tolist() if np.dot(eye.pos - shown.top(i), shown.rows["axis_z"][i]) > 0]

    def _draw_mirror(self, scene: MjvScene, shown: Instances, eye: Eye, i: int, port: Port) -> None:
        """Render the reflection of geom `i` into its mirror texture."""
        normal, point = shown.rows["axis_z"][i].astype(float), shown.top(i)
        size = port[0] + port[2], port[1] + port[3]
        if size not in self._mirrors:
            # stereo needs one texture per view, and resized windows need new textures
            if len(self._mirrors) > 1:
                self._forget_mirrors()
            texture = self.context.texture(size, 4)
            self._mirrors[size] = self.context.framebuffer([texture], self.depths.renderbuffer(size)), texture
        frame, texture = self._mirrors[size]
        # exclude the mirror and all objects behind it from the reflection
        clip = (*normal, -float(normal @ point) - 1e-3)
        # reflection reverses the orientation of triangles
        self.context.front_face = "cw"
        # as in MuJoCo, reflections have no shadows, and their highlights are not dimmed
        lit, colors = self._base, shown.rows["color"].copy()
        self._base = replace(lit, lights=tuple((point, cone, -1) for point, cone, _ in lit.lights))
        shown.rows["color"][:, :3] *= shown.reflectance[i]
        self._draw_lit(scene, shown, mirrored(eye, point, normal), frame, port, [], clip=clip)
        self._base, shown.rows["color"] = lit, colors
        self.context.front_face = "ccw"
        self.picture.row["mirror_normal"][:3] = normal
        texture.use(MIRROR_UNIT)
