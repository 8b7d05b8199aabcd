"""Reversed depth buffers: 32-bit floats, 1 at the near plane and 0 at the far plane.

Floats are densest near 0, and perspective maps most visible points close to the far plane. Reversed depths therefore
resolve distances to a relative precision of 1e-7 (N. Reed, Depth Precision Visualized, 2015). By default, OpenGL maps
depths to [-1, 1] and then to [0, 1], which would round them as coarsely as 24 bits do. `glClipControl` (OpenGL 4.5, or
the extension ARB_clip_control) avoids the first mapping. If it is missing, as on macOS, the fragment shaders write the
depths, with equal precision.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from conjoint.lang import FatalError
from conjoint.render.camera import Eye
from conjoint.render.opengl import opengl_function

LOWER_LEFT, MINUS_ONE_TO_ONE, ZERO_TO_ONE = 0x8CA1, 0x935E, 0x935F
TEXTURE_2D, RENDERBUFFER, DEPTH_COMPONENT, DEPTH_COMPONENT32F, FLOAT = 0x0DE1, 0x8D41, 0x1902, 0x8CAC, 0x1406

FARTHEST = 0.0
"""Depth value of the far plane."""

NEARER = ">="
"""Depth test: fragments with greater depths hide others; at equal depths, the last one drawn is visible."""


class ReversedDepth:
    """Depth buffers of an OpenGL context, and the mapping of distances to depths.

    Args:
        context: the moderngl context; it must be current.

    Attributes:
        written: True if the fragment shaders must write depths, because `glClipControl` is missing.
    """

    def __init__(self, context: Any):
        self.context = context
        self._control: Any = None
        if context.version_code >= 450 or "GL_ARB_clip_control" in context.extensions:
            self._control = self._function("glClipControl", 2)
        self.written = self._control is None

    def texture(self, size: tuple[int, int]) -> Any:
        """Create a depth texture, which programs can read."""
        made = self.context.depth_texture(size)
        # moderngl creates 24-bit textures and leaves them bound, so their storage can be redefined here
        resize = self._function("glTexImage2D", 8, pointer=True)
        resize(TEXTURE_2D, 0, DEPTH_COMPONENT32F, *size, 0, DEPTH_COMPONENT, FLOAT, None)
        return made

    def renderbuffer(self, size: tuple[int, int], samples: int = 0) -> Any:
        """Create a depth renderbuffer, for multisampling or for depths that are never read."""
        made = self.context.depth_renderbuffer(size, samples=samples)
        self._function("glBindRenderbuffer", 2)(RENDERBUFFER, made.glo)
        self._function("glRenderbufferStorageMultisample", 5)(RENDERBUFFER, samples, DEPTH_COMPONENT32F, *size)
        return made

    def framebuffer(self, size: tuple[int, int], samples: int = 0) -> Any:
        """Create a framebuffer for colors and depths. It can be read if `samples` is 0, that is, without multisampling.

        Raises:
            FatalError: this OpenGL implementation does not support a framebuffer of this size.
        """
        limit = int(self.context.info["GL_MAX_TEXTURE_SIZE"])
        if max(size) > limit:
            raise FatalError(
                f"a picture of {size[0]} x {size[1]} pixels is too large: the maximum of this OpenGL driver is {limit}"
            )
        try:
            if samples:
                color = self.context.renderbuffer(size, 4, samples=samples)
                return self.context.framebuffer([color], self.renderbuffer(size, samples))
            return self.context.framebuffer([self.context.texture(size, 4)], self.texture(size))
        except Exception as error:
            # if memory is exhausted, moderngl raises a plain Exception
            raise FatalError(
                f"this OpenGL driver cannot create a picture of {size[0]} x {size[1]} pixels ({error}): make it smaller"
            ) from None

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Draw with reversed depths inside the block, and restore OpenGL's default mapping afterwards."""
        if self._control is not None:
            self._control(LOWER_LEFT, ZERO_TO_ONE)
        try:
            yield
        finally:
            if self._control is not None:
                self._control(LOWER_LEFT, MINUS_ONE_TO_ONE)
            self.context.depth_func = "<="

    def projection(self, eye: Eye) -> np.ndarray:
        """Return the projection matrix from camera coordinates to OpenGL's clip space."""
        return eye.projection if self.written else reversed_projection(eye)

    def factors(self, eye: Eye) -> tuple[float, float, float]:
        """Return the coefficients a, b, c with which shaders compute depths: a + b / distance + c * OpenGL's depth."""
        if eye.orthographic:
            return 1.0, 0.0, -1.0
        row = reversed_projection(eye)[2]
        return -row[2], row[3], 0.0

    def _function(self, name: str, numbers: int, pointer: bool = False) -> Any:
        """Return an OpenGL function with `numbers` integer parameters, followed by a pointer."""
        kinds = [ctypes.c_int] * numbers + [ctypes.c_void_p] * pointer
        return opengl_function(self.context, name, *kinds)


def reversed_projection(eye: Eye) -> np.ndarray:
    """Return a camera's projection matrix whose third row gives reversed depths times the homogeneous coordinate."""
    matrix = eye.projection.copy()
    matrix[2] = 0.5 * (matrix[3] - matrix[2])
    return matrix


def distances(depth: np.ndarray, eye: Eye) -> np.ndarray:
    """Convert depths of a picture to distances (m) along the viewing direction."""
    depth = depth.astype(float)
    if eye.orthographic:
        return eye.far - depth * (eye.far - eye.near)
    return eye.near * eye.far / (eye.near + depth * (eye.far - eye.near))
