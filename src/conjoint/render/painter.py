"""Draws a scene: lights and shadows, opaque geoms, the sky, what is seen in mirrors, transparent geoms."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.render import shaders
from conjoint.render.camera import Eye, aside, eye_of, frustum, look, mirrored, ortho, unit
from conjoint.render.flexible import flex_skeleton, flexible_corners
from conjoint.render.instances import LINES, NO_TEXTURE, UNLIT, WITH_COORDINATES, WRAPPED, Instances, Look
from conjoint.render.resources import Resources
from conjoint.schema.enums import mjtGeom, mjtLightType, mjtTexture
from conjoint.schema.enums_visual import mjtRndFlag

CORNER_FORMAT = "3f 3f 2f"
INSTANCE_FORMAT = "3f 3f 3f 3f 3f 4f 4f 4f 4f/i"
INSTANCE_NAMES = (
    "axis_x", "axis_y", "axis_z", "origin", "scale", "color", "material", "texture_scale", "number",
)  # fmt: skip

SHADOW_MAPS = 4
"""Lights beyond so many cast no shadows."""

SHADOW_SIZE = 2048
"""Largest side of a map of shadows, whatever the model asks for: more is not seen, and slow without a graphics card."""

REACH = 0.5**0.5
"""Half the side of planes without end, in distances of the far plane."""

CONE_LIMIT = 80.0
"""Largest half angle (degrees) of the cone in which a light casts shadows."""

DETACHED = {mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN}
"""Geoms whose corners come with the scene."""


class Painter:
    """Programs and buffers to draw scenes of a model with.

    Args:
        context: of moderngl.
        m: the model.
    """

    def __init__(self, context: Any, m: MjModel):
        self.context, self.m = context, m
        self.resources = Resources(context, m)
        self.lit = context.program(shaders.SCENE_VERTEX, shaders.SCENE_FRAGMENT)
        self.plain = context.program(shaders.SCENE_VERTEX, shaders.NUMBER_FRAGMENT)
        self.depth = context.program(shaders.DEPTH_VERTEX, shaders.DEPTH_FRAGMENT)
        self.sky = context.program(shaders.SKY_VERTEX, shaders.SKY_FRAGMENT)
        self._corner_buffer = context.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self._maps: list[Any] = []
        self._culled = False
        self._mirrors: dict[tuple[int, int], Any] = {}

    def draw(self, scene: MjvScene, target: Any, width: int, height: int) -> Eye:
        """Draw a scene into a framebuffer; returns the camera that it was seen from."""
        eye = eye_of(scene, width, height)
        # planes without end reach as far as there is something to see
        shown = Instances(self.m, scene, 2 * eye.far)
        if scene.flags[mjtRndFlag.mjRND_SEGMENT]:
            self._draw_numbers(scene, shown, eye, target)
            return eye
        self._lights(scene, shown, eye)
        flat = self._mirror(scene, shown)
        if flat >= 0:
            self._draw_mirror(scene, shown, eye, flat, width, height)
        self._draw_lit(scene, shown, eye, target, flat)
        return eye

    # ---- passes

    def _draw_numbers(self, scene: MjvScene, shown: Instances, eye: Eye, target: Any) -> None:
        """Geoms in the colours of their numbers."""
        target.use()
        target.clear(0.0, 0.0, 0.0, 0.0)
        self._sides(scene)
        self._camera(self.plain, eye)
        self._geoms(self.plain, scene, shown, np.arange(shown.count))

    def _draw_lit(
        self, scene: MjvScene, shown: Instances, eye: Eye, target: Any, mirror: int = -1, clip: Any = None
    ) -> None:
        """Geoms in their colours, and the sky; geom `mirror` shows what was drawn for it."""
        target.use()
        target.clear(0.0, 0.0, 0.0, 0.0)
        self._sides(scene)
        self.context.wireframe = bool(scene.flags[mjtRndFlag.mjRND_WIREFRAME])
        self._camera(self.lit, eye)
        self._atmosphere(scene, eye)
        self.lit["clip"].value = (0.0, 0.0, 0.0, 1.0) if clip is None else clip
        solid = np.flatnonzero(~shown.transparent)
        self.lit["mirrors"].value = 0
        self._geoms(self.lit, scene, shown, solid[solid != mirror])
        if mirror >= 0:
            self.lit["mirrors"].value, self.lit["mirror"].value = 1, 2 + SHADOW_MAPS
            self._geoms(self.lit, scene, shown, np.array([mirror]))
            self.lit["mirrors"].value = 0
        if clip is None:
            self._sky(scene, shown, eye)
        clear = np.flatnonzero(shown.transparent)
        clear = clear[np.argsort(-shown.camdist[clear], kind="stable")]
        self.context.enable(moderngl.BLEND)
        additive = scene.flags[mjtRndFlag.mjRND_ADDITIVE]
        self.context.blend_func = (
            (moderngl.SRC_ALPHA, moderngl.ONE) if additive else (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA)
        )
        target.depth_mask = False
        for i in clear:
            self._geoms(self.lit, scene, shown, np.array([i]))
        target.depth_mask = True
        self.context.disable(moderngl.BLEND)
        self.context.wireframe = False

    def _sides(self, scene: MjvScene) -> None:
        """What is nearer hides what is behind; backs of triangles are not seen, if the scene says so."""
        self.context.enable_only(moderngl.DEPTH_TEST)
        self._culled = bool(scene.flags[mjtRndFlag.mjRND_CULL_FACE])

    # ---- geoms

    def _geoms(self, program: Any, scene: MjvScene, shown: Instances, chosen: np.ndarray) -> None:
        """Draw some geoms, those that look alike together."""
        lines = chosen[np.isin(shown.type[chosen], UNLIT)]
        self.context.line_width = float(shown.line_width[lines].max(initial=1.0))
        for alike, rows in shown.groups(chosen).items():
            self._texture(program, alike)
            self._instances(program, alike.shape, self.resources.shape(alike.shape), rows)
        for i in chosen:
            if shown.type[i] in DETACHED:
                self._detached(program, scene, shown, int(i))

    def _detached(self, program: Any, scene: MjvScene, shown: Instances, i: int) -> None:
        """Draw a flex or a skin."""
        flexible = int(shown.objid[i])
        if shown.type[i] == mjtGeom.mjGEOM_FLEX:
            for shape, rows in shown.skeleton(i, *flex_skeleton(self.m, scene, flexible)).items():
                self._texture(program, Look(shape))
                self._instances(program, shape, self.resources.shape(shape), rows)
        corners = flexible_corners(self.m, scene, int(shown.type[i]), flexible)
        if not len(corners):
            return
        row = shown.rows[i : i + 1].copy()
        row["axis_x"], row["axis_y"], row["axis_z"] = (1, 0, 0), (0, 1, 0), (0, 0, 1)
        row["origin"], row["scale"] = 0, 1
        texture, kind, tiling = shown.looks(i)
        kind = kind if kind in (NO_TEXTURE, WRAPPED) else WITH_COORDINATES
        row["texture_scale"] = (1, 1, 0, 0) if kind == WITH_COORDINATES else tiling
        self._texture(program, Look("", texture, kind))
        buffer = self.resources.loose(corners)
        self._instances(program, "", buffer, row)
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
        # planes are seen from below, too
        culled = self._culled and name != "square"
        (self.context.enable if culled else self.context.disable)(moderngl.CULL_FACE)
        array.render(moderngl.LINES if name in LINES else moderngl.TRIANGLES, count, instances=len(rows))
        array.release()
        instances.release()

    def _texture(self, program: Any, alike: Look) -> None:
        """Let geoms be covered with what they look like."""
        if program is not self.lit:
            return
        program["texture_kind"].value = alike.kind
        if alike.kind != NO_TEXTURE:
            self.resources.texture(alike.texture).use(1 if alike.kind == WRAPPED else 0)

    # ---- camera, air and sky

    def _camera(self, program: Any, eye: Eye) -> None:
        for name, matrix in (("view", eye.view), ("projection", eye.projection)):
            program[name].write(matrix.T.astype(np.float32).tobytes())
        program["eye"].value, program["reach"].value = tuple(eye.pos), REACH * eye.far
        if program is self.lit:
            program["towards_eye"].value = tuple(-eye.forward)
            program["image"].value, program["cube"].value = 0, 1

    def _atmosphere(self, scene: MjvScene, eye: Eye) -> None:
        """Fog in the picture, and haze over planes without end where there is a sky."""
        vis = self.m.vis
        extent = self.m.stat.extent
        foggy = bool(scene.flags[mjtRndFlag.mjRND_FOG])
        self.lit["fog_color"].value = tuple(vis.rgba.fog[:3])
        hazy = scene.flags[mjtRndFlag.mjRND_HAZE] and scene.flags[mjtRndFlag.mjRND_SKYBOX] and self._sky_texture() >= 0
        self.lit["haze"].value = float(vis.map.haze) if hazy else 0.0
        self.lit["haze_color"].value = tuple(vis.rgba.haze[:3])
        self.lit["fog_range"].value = (vis.map.fogstart * extent, vis.map.fogend * extent) if foggy else (0.0, 0.0)

    def _sky_texture(self) -> int:
        """The first texture of a sky, -1 if there is none."""
        found = np.flatnonzero(self.m.tex_type == mjtTexture.mjTEXTURE_SKYBOX)
        return int(found[0]) if len(found) else -1

    def _sky(self, scene: MjvScene, shown: Instances, eye: Eye) -> None:
        """What is seen where there is nothing else, with haze where a plane without end meets it."""
        texture = self._sky_texture()
        if texture < 0 or not scene.flags[mjtRndFlag.mjRND_SKYBOX]:
            return
        turn = eye.view.copy()
        turn[:3, 3] = 0
        back = np.linalg.inv(eye.projection @ turn)
        self.sky["back"].write(back.T.astype(np.float32).tobytes())
        self.sky["cube"].value = 1
        # how far below the horizon the plane ends
        hazy = scene.flags[mjtRndFlag.mjRND_HAZE] and shown.endless.any()
        height = float(np.abs(eye.pos[2] - shown.pos[shown.endless, 2]).min(initial=np.inf))
        self.sky["haze_color"].value = tuple(self.m.vis.rgba.haze[:3])
        self.sky["haze_slope"].value = height / (REACH * eye.far) if hazy else 0.0
        self.resources.texture(texture).use(1)
        self.context.depth_func = "<="
        array = self.context.vertex_array(self.sky, [(self._corner_buffer, "2f", "in_corner")])
        array.render(moderngl.TRIANGLES, 3)
        array.release()
        self.context.depth_func = "<"

    # ---- lights and shadows

    def _lights(self, scene: MjvScene, shown: Instances, eye: Eye) -> None:
        """Tell the program of lights, and make the maps of their shadows."""
        count = min(int(scene.nlight), shaders.MAX_LIGHTS)
        row = {name: scene._buffer.view(f"lights.{name}")[:count] for name in LIGHT}
        pos = np.zeros((shaders.MAX_LIGHTS, 4), np.float32)
        cone = np.full((shaders.MAX_LIGHTS, 2), -2.0, np.float32)
        maps = np.full(shaders.MAX_LIGHTS, -1, np.int32)
        numbers = {name: np.zeros((shaders.MAX_LIGHTS, 3), np.float32) for name in VECTORS}
        matrices = np.zeros((SHADOW_MAPS, 4, 4), np.float32)
        made = 0
        for k in range(count):
            directional = row["type"][k] == mjtLightType.mjLIGHT_DIRECTIONAL
            pos[k] = (*row["pos"][k], 0.0 if directional else 1.0)
            if row["type"][k] == mjtLightType.mjLIGHT_SPOT and row["cutoff"][k] <= 90:
                cone[k] = np.cos(np.radians(row["cutoff"][k])), row["exponent"][k]
            for name in VECTORS:
                numbers[name][k] = unit(row[name][k]) if name == "dir" else row[name][k]
            casts = row["castshadow"][k] and scene.flags[mjtRndFlag.mjRND_SHADOW] and made < SHADOW_MAPS
            if casts and not row["headlight"][k]:
                matrices[made] = self._shadow_matrix(row, k, eye)
                self._shadow_map(made, matrices[made], scene, shown)
                maps[k] = made
                made += 1
        self._write_lights(count, pos, cone, maps, numbers, matrices, made)

    def _write_lights(
        self, count: int, pos: np.ndarray, cone: np.ndarray, maps: np.ndarray, numbers: dict[str, np.ndarray],
        matrices: np.ndarray, made: int,
    ) -> None:  # fmt: skip
        lit = self.lit
        lit["nlight"].value = count
        lit["light_pos"].write(pos.tobytes())
        lit["light_cone"].write(cone.tobytes())
        lit["light_shadow"].write(maps.tobytes())
        for name, array in numbers.items():
            lit[f"light_{name}"].write(array.tobytes())
        lit["shadow_matrix"].write(np.ascontiguousarray(matrices.transpose(0, 2, 1)).tobytes())
        for k in range(SHADOW_MAPS):
            lit[f"shadow_map{k}"].value = 2 + k
            self._map(min(k, max(made - 1, 0))).use(2 + k)

    def _shadow_matrix(self, row: dict[str, np.ndarray], k: int, eye: Eye) -> np.ndarray:
        """From the world to what a light sees: a box if it is directional, else a cone."""
        m, direction = self.m, unit(row["dir"][k].astype(float))
        view = look(row["pos"][k].astype(float), direction, aside(direction))
        if row["type"][k] == mjtLightType.mjLIGHT_DIRECTIONAL:
            half = m.vis.map.shadowclip * m.stat.extent
            return ortho(-half, half, -half, half, eye.near, eye.far) @ view
        half = eye.near * np.tan(np.radians(min(row["cutoff"][k], CONE_LIMIT) * m.vis.map.shadowscale))
        return frustum(-half, half, -half, half, eye.near, eye.far) @ view

    def _map(self, k: int) -> Any:
        """The texture of a map of shadows."""
        while len(self._maps) <= k:
            side = min(max(16, self.m.vis.quality.shadowsize), SHADOW_SIZE)
            texture = self.context.depth_texture((side, side))
            texture.compare_func = "<="
            texture.filter = moderngl.LINEAR, moderngl.LINEAR
            texture.repeat_x = texture.repeat_y = False
            self._maps.append(texture)
        return self._maps[k]

    def _shadow_map(self, k: int, matrix: np.ndarray, scene: MjvScene, shown: Instances) -> None:
        """Draw what a light sees, only how far away it is."""
        texture = self._map(k)
        frame = self.context.framebuffer(depth_attachment=texture)
        frame.use()
        frame.clear()
        self.context.enable_only(moderngl.DEPTH_TEST)
        self._culled = False
        self.context.polygon_offset = 2.0, 4.0
        self.depth["light_view"].write(matrix.T.astype(np.float32).tobytes())
        self._geoms(self.depth, scene, shown, np.flatnonzero(~shown.endless))
        self.context.polygon_offset = 0.0, 0.0
        frame.release()

    # ---- mirrors

    def _mirror(self, scene: MjvScene, shown: Instances) -> int:
        """The first plane that reflects, -1 if there is none."""
        if not scene.flags[mjtRndFlag.mjRND_REFLECTION]:
            return -1
        flat = (shown.type == mjtGeom.mjGEOM_PLANE) & (shown.reflectance > 0) & ~shown.transparent
        found = np.flatnonzero(flat)
        return int(found[0]) if len(found) else -1

    def _draw_mirror(self, scene: MjvScene, shown: Instances, eye: Eye, i: int, width: int, height: int) -> None:
        """Draw what plane `i` reflects into the texture that it will show."""
        normal = shown.rows["axis_z"][i].astype(float)
        point = shown.rows["origin"][i].astype(float)
        if (width, height) not in self._mirrors:
            texture = self.context.texture((width, height), 4)
            depth = self.context.depth_renderbuffer((width, height))
            self._mirrors[width, height] = self.context.framebuffer([texture], depth), texture
        frame, texture = self._mirrors[width, height]
        # what is behind the mirror is not reflected, nor is the mirror
        clip = (*normal, -float(normal @ point) - 1e-3)
        # a mirror turns triangles round
        self.context.front_face = "cw"
        self._draw_lit(scene, shown, mirrored(eye, point, normal), frame, clip=clip)
        self.context.front_face = "ccw"
        texture.use(2 + SHADOW_MAPS)


LIGHT = ("pos", "dir", "type", "attenuation", "cutoff", "exponent", "ambient", "diffuse", "specular", "headlight",
         "castshadow")  # fmt: skip
VECTORS = ("dir", "ambient", "diffuse", "specular", "attenuation")
