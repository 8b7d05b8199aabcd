"""GPU resources of a model: shapes and textures, which are uploaded on first use."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.textures import drawn_texture
from conjoint.render import shapes
from conjoint.schema.enums import mjtColorSpace, mjtTexture

SRGB_FORMATS = {3: 0x8C41, 4: 0x8C43}
"""GL_SRGB8 and GL_SRGB8_ALPHA8, by number of channels."""


def pixels_of(m: MjModel, i: int) -> np.ndarray:
    """Return a texture's pixels, shape (height, width, channels), uint8; the sides of a cube are stacked vertically."""
    return drawn_texture(m, i)[0]


class Resources:
    """Buffers and textures of a model, created on first use.

    Args:
        context: the moderngl context.
        m: the model.
    """

    def __init__(self, context: Any, m: MjModel):
        self.context, self.m = context, m
        self._buffers: dict[str, tuple[Any, int]] = {}
        self._coarse: dict[tuple[str, int], tuple[Any, int]] = {}
        self._textures: dict[int, Any] = {}

    def shape(self, key: str) -> tuple[Any, int]:
        """Return the vertex buffer of a shape ("sphere", "mesh 3", ...), and its number of vertices."""
        if key not in self._buffers:
            quality = self.m.vis.quality
            rows = shapes.shape_corners(self.m, key, max(3, quality.numslices), max(2, quality.numstacks))
            self._buffers[key] = self.context.buffer(rows.tobytes()), len(rows)
        return self._buffers[key]

    def coarse_shape(self, key: str, slices: int) -> tuple[Any, int]:
        """Return the vertex buffer of a round shape with `slices` sides, and its number of vertices."""
        if (key, slices) not in self._coarse:
            # lighting is computed per pixel, so the side of a cylinder needs only one stack
            stacks = 1 if key in ("tube", "cone") else max(2, slices // 2)
            corners = shapes.shape_corners(self.m, key, slices, stacks).reshape(-1, 3, shapes.CORNER)
            # drop the triangles without area at the poles
            ends = corners[:, :, :3]
            rows = corners[(np.abs(ends - np.roll(ends, 1, axis=1)).max(axis=2) > 1e-6).all(axis=1)]
            self._coarse[key, slices] = self.context.buffer(rows.tobytes()), 3 * len(rows)
        return self._coarse[key, slices]

    def forget(self, thing: str | int) -> None:
        """Release a changed shape (given its name) or texture (given its id); it is recreated on next use."""
        if isinstance(thing, str):
            buffer, _ = self._buffers.pop(thing, (None, 0))
            if buffer is not None:
                buffer.release()
        else:
            texture = self._textures.pop(thing, None)
            if texture is not None:
                texture.release()

    def release(self) -> None:
        """Release all GPU resources."""
        for buffer, _ in (*self._buffers.values(), *self._coarse.values()):
            buffer.release()
        for texture in self._textures.values():
            texture.release()
        self._buffers.clear()
        self._coarse.clear()
        self._textures.clear()

    def loose(self, rows: np.ndarray) -> tuple[Any, int]:
        """Create a buffer for vertices that are drawn only once. Return it and its number of vertices."""
        return self.context.buffer(rows.tobytes()), len(rows)

    def texture(self, i: int) -> Any:
        """Return the GPU texture of a texture id; create it on first use."""
        if i not in self._textures:
            made = self._cube(i) if self.m.tex_type[i] != mjtTexture.mjTEXTURE_2D else self._flat(i)
            self._textures[i] = made
        return self._textures[i]

    def _flat(self, i: int) -> Any:
        import moderngl

        pixels, colorspace = drawn_texture(self.m, i)
        height, width, channels = pixels.shape
        # the GPU converts sRGB textures to linear colors
        curved = colorspace == mjtColorSpace.mjCOLORSPACE_SRGB
        texture = self.context.texture(
            (width, height),
            channels,
            np.ascontiguousarray(pixels).tobytes(),
            alignment=1,
            internal_format=SRGB_FORMATS.get(channels) if curved else None,
        )
        texture.build_mipmaps()
        texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        texture.repeat_x = texture.repeat_y = True
        if channels == 1:
            texture.swizzle = "RRR1"
        return texture

    def _cube(self, i: int) -> Any:
        import moderngl

        pixels = pixels_of(self.m, i)
        side, channels = pixels.shape[1:]
        # either one image for all six sides, or six images
        faces = pixels.reshape(-1, side, side, channels)
        faces = np.tile(faces, (6, 1, 1, 1)) if len(faces) == 1 else faces
        cube = self.context.texture_cube((side, side), channels, np.ascontiguousarray(faces).tobytes(), alignment=1)
        cube.build_mipmaps()
        cube.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        return cube
