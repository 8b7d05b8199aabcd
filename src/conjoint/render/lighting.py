"""Lights of a scene for shaders, and their shadow maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.render.camera import Eye, aside, frustum, look, ortho, unit
from conjoint.render.instances import Instances
from conjoint.render.opengl import moderngl
from conjoint.render.picture import Picture
from conjoint.render.shaders import DEPTHS_UNIT, MAX_LIGHTS, SHADOW_MAPS, SHADOW_UNIT
from conjoint.render.shadow_lens import CONE_LIMIT, Casters, casters_of, lens_of, planes_of
from conjoint.render.style import Shadows
from conjoint.schema.enums import mjtGeom, mjtLightType
from conjoint.schema.enums_visual import mjtRndFlag

SHADOW_SIZE = 2048
"""Default maximum side length of a shadow map (pixels): larger maps are slow without a graphics card."""

MAPPED = (mjtLightType.mjLIGHT_SPOT, mjtLightType.mjLIGHT_DIRECTIONAL)
"""Light types that can cast shadows."""

LIGHT = ("pos", "dir", "type", "attenuation", "cutoff", "exponent", "ambient", "diffuse", "specular", "headlight",
         "castshadow")  # fmt: skip
COLORS = ("ambient", "diffuse", "specular", "attenuation")


class Lighting:
    """Shadow maps of the lights of a scene.

    Args:
        context: the moderngl context.
        m: the model.
        shadows: style of shadow edges. Maps for soft shadows are fitted to the shadow casters, and shaders also read
            them as depths.

    Attributes:
        limit: maximum side length of a shadow map (pixels), even if the model requests more.
    """

    def __init__(self, context: Any, m: MjModel, shadows: Shadows = Shadows.HARD):
        self.context, self.m, self.shadows, self.limit = context, m, shadows, SHADOW_SIZE
        soft = shadows is Shadows.SOFT
        self._maps: list[tuple[Any, Any]] = []
        self._depths = context.sampler(filter=(moderngl.NEAREST, moderngl.NEAREST), compare_func="") if soft else None

    def shine(
        self, scene: MjvScene, shown: Instances, eye: Eye, picture: Picture,
        draw: Callable[[np.ndarray, np.ndarray], None],
    ) -> tuple[tuple[bool, bool, int], ...]:  # fmt: skip
        """Set the lights of a picture, and render their shadow maps.

        Args:
            shown: the geoms of the scene.
            draw: callback that draws the given geoms, as shadow casters, with the given matrix.

        Returns:
            Properties of the lights for which shader programs are compiled (`shaders.Variant`).
        """
        count = min(int(scene.nlight), MAX_LIGHTS)
        row = {name: scene.memory.view(f"lights.{name}")[:count] for name in LIGHT}
        casting = shown.casting(scene.memory.view("lights.pos")[: int(scene.nlight)])
        if self.shadows is Shadows.EVEN:
            # with this style, slopes of a height field would shadow themselves
            casting = casting[shown.type[casting] != mjtGeom.mjGEOM_HFIELD]
        casters = casters_of(self.m, scene, shown, casting) if self._depths is not None else None
        casting = casting if casters is None else casters.geoms
        lights = []
        made = 0
        for k in range(count):
            point = bool(row["type"][k] != mjtLightType.mjLIGHT_DIRECTIONAL)
            cone = bool(row["type"][k] == mjtLightType.mjLIGHT_SPOT and row["cutoff"][k] <= 90)
            picture.row["light_pos"][k, :3], picture.row["light_dir"][k, :3] = row["pos"][k], unit(row["dir"][k])
            picture.row["light_cone"][k, :2] = np.cos(np.radians(row["cutoff"][k])), row["exponent"][k]
            for name in COLORS:
                picture.row[f"light_{name}"][k, :3] = row[name][k]
            # lights without attenuation coefficients keep a constant intensity
            if not row["attenuation"][k].any():
                picture.row["light_attenuation"][k, 0] = 1.0
            casts = row["castshadow"][k] and scene.flags[mjtRndFlag.mjRND_SHADOW] and not row["headlight"][k]
            # a shadow map covers one side of a light only
            casts = casts and row["type"][k] in MAPPED
            matrix = None
            if casts and made < SHADOW_MAPS:
                if casters is None:
                    matrix = self._matrix(row, k, eye)
                else:
                    matrix = self._lens(row, k, casters, picture, made)
            if matrix is not None:
                picture.row["shadow_matrix"][made] = matrix.T
                self._draw_map(made, matrix, lambda seen: draw(casting, seen))
                lights.append((point, cone, made))
                made += 1
            else:
                lights.append((point, cone, -1))
        for k in range(made):
            self._map(k)[0].use(SHADOW_UNIT + k)
            if self._depths is not None:
                self._map(k)[0].use(DEPTHS_UNIT + k)
                self._depths.use(DEPTHS_UNIT + k)
        return tuple(lights)

    def release(self) -> None:
        """Release the shadow maps."""
        for texture, frame in self._maps:
            frame.release()
            texture.release()
        self._maps.clear()
        if self._depths is not None:
            self._depths.release()

    def _lens(
        self, row: dict[str, np.ndarray], k: int, casters: Casters, picture: Picture, made: int
    ) -> np.ndarray | None:
        """Return the matrix from the world to a light's soft shadow map; None if nothing casts shadows."""
        lens = lens_of(self.m, row, k, casters)
        if lens is None:
            return None
        picture.row["shadow_plane"][made] = planes_of(lens.matrix).T
        picture.row["shadow_lens"][made] = lens.numbers
        return lens.matrix

    def _matrix(self, row: dict[str, np.ndarray], k: int, eye: Eye) -> np.ndarray:
        """Return the matrix from the world to a light's hard shadow map: a box for directional lights, else a cone."""
        m, direction = self.m, unit(row["dir"][k].astype(float))
        view = look(row["pos"][k].astype(float), direction, aside(direction))
        if row["type"][k] == mjtLightType.mjLIGHT_DIRECTIONAL:
            half = m.vis.map.shadowclip * m.stat.extent
            return ortho(-half, half, -half, half, eye.near, eye.far) @ view
        half = eye.near * np.tan(np.radians(min(row["cutoff"][k], CONE_LIMIT) * m.vis.map.shadowscale))
        return frustum(-half, half, -half, half, eye.near, eye.far) @ view

    def _map(self, k: int) -> tuple[Any, Any]:
        """Return the texture of shadow map k and the framebuffer that renders into it; create them on first use."""
        while len(self._maps) <= k:
            side = min(max(16, self.m.vis.quality.shadowsize), self.limit)
            texture = self.context.depth_texture((side, side))
            texture.compare_func = "<="
            texture.filter = moderngl.LINEAR, moderngl.LINEAR
            texture.repeat_x = texture.repeat_y = False
            self._maps.append((texture, self.context.framebuffer(depth_attachment=texture)))
        return self._maps[k]

    def _draw_map(self, k: int, matrix: np.ndarray, draw: Callable[[np.ndarray], None]) -> None:
        """Render shadow map k: the depths seen from a light, without colors."""
        frame = self._map(k)[1]
        frame.use()
        frame.clear()
        self.context.enable_only(moderngl.DEPTH_TEST)
        self.context.depth_func = "<="
        self.context.polygon_offset = 2.0, 4.0
        draw(matrix)
        self.context.polygon_offset = 0.0, 0.0
