"""What a model has on the graphics processor: shapes, and textures when a geom needs them."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.render import shapes
from conjoint.schema.enums import mjtTexture

PLANE_CELLS = 1
"""Light is computed for each pixel: a plane needs no finer triangles."""


class Resources:
    """Buffers and textures of a model, made when first asked for.

    Args:
        context: of moderngl.
        m: the model.
    """

    def __init__(self, context: Any, m: MjModel):
        self.context, self.m = context, m
        self._buffers: dict[str, tuple[Any, int]] = {}
        self._textures: dict[int, Any] = {}

    def shape(self, key: str) -> tuple[Any, int]:
        """Buffer of the corners of a shape ("sphere", "mesh 3", ...), and their number."""
        if key not in self._buffers:
            rows = self._corners(key)
            self._buffers[key] = self.context.buffer(rows.tobytes()), len(rows)
        return self._buffers[key]

    def _corners(self, key: str) -> np.ndarray:
        quality = self.m.vis.quality
        slices, stacks = max(3, quality.numslices), max(2, quality.numstacks)
        name, _, number = key.partition(" ")
        match name:
            case "sphere":
                return shapes.sphere(slices, stacks)
            case "half_sphere":
                return shapes.half_sphere(slices, max(1, stacks // 2))
            case "tube":
                return shapes.tube(slices, stacks)
            case "disk":
                return shapes.disk(slices)
            case "cone":
                return shapes.cone(slices, stacks)
            case "square":
                return shapes.square(PLANE_CELLS)
            case "mesh" | "hull" | "hfield":
                return getattr(shapes, name)(self.m, int(number))
            case _:
                return getattr(shapes, name)()

    def loose(self, rows: np.ndarray) -> tuple[Any, int]:
        """A buffer for corners that are others the next time."""
        return self.context.buffer(rows.tobytes()), len(rows)

    def texture(self, i: int) -> Any:
        """A texture of the model."""
        if i not in self._textures:
            made = self._cube(i) if self.m.tex_type[i] != mjtTexture.mjTEXTURE_2D else self._flat(i)
            self._textures[i] = made
        return self._textures[i]

    def _pixels(self, i: int) -> np.ndarray:
        m = self.m
        height, width, channels = m.tex_height[i], m.tex_width[i], m.tex_nchannel[i]
        start = m.tex_adr[i]
        return m.tex_data[start : start + height * width * channels].reshape(height, width, channels)

    def _flat(self, i: int) -> Any:
        import moderngl

        pixels = self._pixels(i)
        height, width, channels = pixels.shape
        texture = self.context.texture((width, height), channels, np.ascontiguousarray(pixels).tobytes(), alignment=1)
        texture.build_mipmaps()
        texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        texture.repeat_x = texture.repeat_y = True
        if channels == 1:
            texture.swizzle = "RRR1"
        return texture

    def _cube(self, i: int) -> Any:
        import moderngl

        pixels = self._pixels(i)
        side, channels = pixels.shape[1:]
        # one square for all sides, or six of them
        faces = pixels.reshape(-1, side, side, channels)
        faces = np.tile(faces, (6, 1, 1, 1)) if len(faces) == 1 else faces
        cube = self.context.texture_cube((side, side), channels, np.ascontiguousarray(faces).tobytes(), alignment=1)
        cube.build_mipmaps()
        cube.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        return cube
