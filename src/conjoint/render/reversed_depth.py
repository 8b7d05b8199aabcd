"""Depths of pictures: 32-bit floats, 1 at the near plane and 0 at the far one.

Floats are densest near 0, and perspective puts most of what is seen near the far plane, so that reversed depths tell
distances to 1e-7 of themselves (N. Reed, Depth Precision Visualized, 2015). OpenGL maps the space between the planes to
[-1, 1] and then to [0, 1], which would round them as coarsely as 24 bits do. `glClipControl` (OpenGL 4.5, or the
extension ARB_clip_control) leaves that out. Where there is none, as on macOS, the programs of pixels write the depths,
which are as exact.
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
"""Depth of the far plane."""

NEARER = ">="
"""Depth test: greater depths hide others; at equal depths the last one drawn is visible."""


class ReversedDepth:
    """Depth buffers of an OpenGL context, and the mapping of distances to depths.

    Args:
        context: of moderngl; it must be current.

    Attributes:
        written: whether programs of pixels write the depths, since this OpenGL has no `glClipControl`.
    """

    def __init__(self, context: Any):
        self.context = context
        self._control: Any = None
        if context.version_code >= 450 or "GL_ARB_clip_control" in context.extensions:
            self._control = self._function("glClipControl", 2)
        self.written = self._control is None

    def texture(self, size: tuple[int, int]) -> Any:
        """Create a depth texture, which can be read."""
        made = self.context.depth_texture(size)
        # moderngl makes them of 24 bits, and leaves them bound
        resize = self._function("glTexImage2D", 8, pointer=True)
        resize(TEXTURE_2D, 0, DEPTH_COMPONENT32F, *size, 0, DEPTH_COMPONENT, FLOAT, None)
        return made

    def renderbuffer(self, size: tuple[int, int], samples: int = 0) -> Any:
        """Create a depth renderbuffer, which is not read, or is multisampled."""
        made = self.context.depth_renderbuffer(size, samples=samples)
        self._function("glBindRenderbuffer", 2)(RENDERBUFFER, made.glo)
        self._function("glRenderbufferStorageMultisample", 5)(RENDERBUFFER, samples, DEPTH_COMPONENT32F, *size)
        return made

    def framebuffer(self, size: tuple[int, int], samples: int = 0) -> Any:
        """Make buffers of colors and depths; of one sample, if `samples` is 0, they can be read.

        Raises:
            FatalError: this OpenGL implementation does not support a framebuffer of this size.
        """
        limit = int(self.context.info["GL_MAX_TEXTURE_SIZE"])
        if max(size) > limit:
            raise FatalError(
                f"a picture of {size[0]} x {size[1]} pixels is too large: this OpenGL draws at most {limit} each way"
            )
        try:
            if samples:
                color = self.context.renderbuffer(size, 4, samples=samples)
                return self.context.framebuffer([color], self.renderbuffer(size, samples))
            return self.context.framebuffer([self.context.texture(size, 4)], self.texture(size))
        except Exception as error:
            # moderngl raises bare errors, where memory ends
            raise FatalError(
                f"this OpenGL cannot have a picture of {size[0]} x {size[1]} pixels ({error}): make it smaller"
            ) from None

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Let what is drawn have reversed depths; afterwards OpenGL maps them as programs expect that say nothing."""
        if self._control is not None:
            self._control(LOWER_LEFT, ZERO_TO_ONE)
        try:
            yield
        finally:
            if self._control is not None:
                self._control(LOWER_LEFT, MINUS_ONE_TO_ONE)
            self.context.depth_func = "<="

    def projection(self, eye: Eye) -> np.ndarray:
        """Return the matrix from a camera to the clip space of OpenGL."""
        return eye.projection if self.written else reversed_projection(eye)

    def factors(self, eye: Eye) -> tuple[float, float, float]:
        """Return the factors of a written depth: a constant, a part of 1 / distance, a part of the depth of OpenGL."""
        if eye.orthographic:
            return 1.0, 0.0, -1.0
        row = reversed_projection(eye)[2]
        return -row[2], row[3], 0.0

    def _function(self, name: str, numbers: int, pointer: bool = False) -> Any:
        """Return an OpenGL function with `numbers` integer parameters, followed by a pointer."""
        kinds = [ctypes.c_int] * numbers + [ctypes.c_void_p] * pointer
        return opengl_function(self.context, name, *kinds)


def reversed_projection(eye: Eye) -> np.ndarray:
    """Return the projection of a camera with depths in its third row: from 1 near to 0 far, times the fourth row."""
    matrix = eye.projection.copy()
    matrix[2] = 0.5 * (matrix[3] - matrix[2])
    return matrix


def distances(depth: np.ndarray, eye: Eye) -> np.ndarray:
    """Convert the depths of a picture to distances (m) along the direction of view."""
    depth = depth.astype(float)
    if eye.orthographic:
        return eye.far - depth * (eye.far - eye.near)
    return eye.near * eye.far / (eye.near + depth * (eye.far - eye.near))
