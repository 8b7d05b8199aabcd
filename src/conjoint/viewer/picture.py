"""Picture of a model in a window: the scene of its world, drawn between the panels."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import moderngl
import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjrRect, MjvCamera, MjvScene
from conjoint.lang import FatalError
from conjoint.render.camera import Eye
from conjoint.render.painter import Painter
from conjoint.render.style import STUDIO
from conjoint.render.video import film_file
from conjoint.schema.enums_visual import mjtCamera
from conjoint.schema.scene import GEOM_FIELDS
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.files import free_name
from conjoint.viz.framing import keep_in_view

ROOM = 20000
"""Maximum number of geoms in a scene."""

SOFTWARE = ("llvmpipe", "softpipe", "swrast", "SwiftShader")
"""Names of software renderers, for which antialiasing takes longer than everything else."""

VERTEX = """
#version 330
in vec2 in_corner;
out vec2 place;
void main() {
    place = 0.5 * in_corner + 0.5;
    gl_Position = vec4(in_corner, 0.0, 1.0);
}
"""

FRAGMENT = """
#version 330
uniform sampler2D image;
in vec2 place;
out vec4 color;
void main() { color = vec4(texture(image, place).rgb, 1.0); }
"""


class Picture:
    """The scene of a world, and its drawing area.

    Args:
        context: moderngl context of the window.
        exchange: channel between the owner of the world and the window.
        viewport: drawing area in the window, in pixels from its lower left corner.
        before: previous picture, whose options are kept, and whose camera is kept if the model comes from the same
            file.

    Attributes:
        scn: the scene.
        smooth: whether edges are antialiased, with several samples per pixel.
        viewport: drawing area in the window, in pixels from its lower left corner.
        eye: viewpoint of the last frame.
    """

    def __init__(self, context: Any, exchange: Exchange, viewport: MjrRect, before: Picture | None = None):
        self.context, self.exchange = context, exchange
        self.scn = MjvScene(exchange.m, ROOM)
        self.painter = Painter(context, exchange.m, STUDIO)
        self.viewport = viewport
        self.smooth = not any(name in context.info["GL_RENDERER"] for name in SOFTWARE)
        self.eye: Eye | None = None
        self._flags = exchange.user_scn.flags.copy()
        self._program = context.program(VERTEX, FRAGMENT)
        self._corners = context.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self._array = context.vertex_array(self._program, [(self._corners, "2f", "in_corner")])
        self._size = (0, 0)
        self._smooth: Any = None
        self._plain: Any = None
        self.align()
        if before is not None:
            self._inherit(before)

    def _inherit(self, before: Picture) -> None:
        """Copy the user's settings from the picture of the previous model, and release that picture."""
        mine, its = self.exchange, before.exchange
        mine.opt.memory.bytes[...] = its.opt.memory.bytes
        self.smooth = before.smooth
        self.scn.flags[:] = before.scn.flags
        mine.user_scn.flags[:] = self._flags = before.scn.flags.copy()
        if mine.path and mine.path == its.path and looks_there(its.cam, mine.m):
            mine.cam.memory.bytes[...] = its.cam.memory.bytes
            keep_in_view(mine.m, mine.latest, mine.cam)
        before.release()

    def align(self) -> None:
        """Reset the camera to its initial pose."""
        self.exchange.free_camera(self.viewport.width / max(self.viewport.height, 1))

    # ---- pictures

    def update(self, d: MjData) -> None:
        """Update the scene from a world, and add the user's geoms."""
        exchange = self.exchange
        with exchange.lock:
            exchange.update_scene(d, self.scn)
            self._add(exchange.user_scn)

    def _add(self, other: MjvScene) -> None:
        """Add the geoms of the user's scene, and apply its flags if the user changed them."""
        if not np.array_equal(other.flags, self._flags):
            self.scn.flags[:] = other.flags
        other.flags[:] = self._flags = self.scn.flags.copy()
        first = int(self.scn.ngeom)
        count = min(int(other.ngeom), ROOM - first)
        if count <= 0:
            return
        mine, its = self.scn.memory, other.memory
        for field in GEOM_FIELDS:
            mine.view(field.name)[first : first + count] = its.view(field.name)[:count]
        mine.view("geoms.segid")[first : first + count] = np.arange(first, first + count)
        self.scn.ngeom = first + count

    def draw(self, viewport: MjrRect) -> None:
        """Draw the scene into a part of the window; no-op if divergence made the camera invalid."""
        self.viewport = viewport
        with contextlib.suppress(FatalError):
            self._draw(viewport)

    def _draw(self, viewport: MjrRect) -> None:
        size, screen = (viewport.width, viewport.height), self.context.screen
        screen.viewport = viewport.left, viewport.bottom, *size
        if not self.smooth:
            self.eye = self.painter.draw(self.scn, screen, *size, viewport.left, viewport.bottom)[0].eye
            return
        self._resize(size)
        self.eye = self.painter.draw(self.scn, self._smooth, *size)[0].eye
        self.context.copy_framebuffer(self._plain, self._smooth)
        screen.use()
        self.context.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._plain.color_attachments[0].use(0)
        self._array.render(moderngl.TRIANGLES, 3)

    def pixels(self) -> np.ndarray:
        """Return the image of the scene, shape (height, width, 3), uint8. Call it before panels cover the scene."""
        area = self.viewport
        box = area.left, area.bottom, area.width, area.height
        data = self.context.screen.read(viewport=box, components=3, alignment=1)
        return np.frombuffer(data, np.uint8).reshape(area.height, area.width, 3)[::-1].copy()

    def _resize(self, size: tuple[int, int]) -> None:
        """Allocate framebuffers for antialiasing in the given size, unless they exist."""
        if self._size == size:
            return
        self._release()
        self._size = size
        samples = min(int(self.exchange.m.vis.quality.offsamples), int(self.context.max_samples))
        color = self.context.renderbuffer(size, 4, samples=samples)
        self._smooth = self.context.framebuffer([color], self.painter.depths.renderbuffer(size, samples))
        self._plain = self.context.framebuffer([self.context.texture(size, 4)])

    def release(self) -> None:
        """Release all GPU resources."""
        self.painter.release()
        self._release()
        for part in (self._array, self._corners, self._program):
            part.release()

    def _release(self) -> None:
        """Release the framebuffers."""
        for frame in (self._smooth, self._plain):
            if frame is not None:
                for part in (*frame.color_attachments, frame.depth_attachment):
                    if part is not None:
                        part.release()
                frame.release()
        self._smooth = self._plain = None


def looks_there(cam: MjvCamera, m: MjModel) -> bool:
    """Return True if a model has the body or camera to which a camera setting refers."""
    match cam.type:
        case mjtCamera.mjCAMERA_TRACKING:
            return bool(cam.trackbodyid < m.nbody)
        case mjtCamera.mjCAMERA_FIXED:
            return bool(cam.fixedcamid < m.ncam)
    return True


FPS, GIF_FPS = 30, 15
"""Frames per second of a video, and of a GIF animation, whose file is larger."""


def save_picture(pixels: np.ndarray, stem: str = "conjoint") -> Path:
    """Write a picture to a new file, and return its path."""
    from PIL import Image

    path = free_name(stem, ".png")
    Image.fromarray(pixels).save(path)
    return path


class ScreenVideo:
    """Real-time recording of a window's contents.

    Args:
        path: file to write, a video or a .gif.
        width, height: size of the pictures, in pixels.

    Raises:
        MissingExtraError: the file is a video, and FFmpeg is not installed.
    """

    def __init__(self, path: Path, width: int, height: int):
        # encoders require even widths and heights
        self.path, self._size, self.count = path, (width // 2 * 2, height // 2 * 2), 0
        self._fps = GIF_FPS if path.suffix == ".gif" else FPS
        self._file = contextlib.ExitStack()
        self._write = self._file.enter_context(film_file(path, *self._size, self._fps))
        self._start: float | None = None

    @property
    def seconds(self) -> float:
        """Duration of the recording so far (s)."""
        return self.count / self._fps

    def add(self, pixels: np.ndarray, now: float) -> None:
        """Append a picture, shape (height, width, 3), at a time (s); it is visible until the next picture."""
        self._start = now if self._start is None else self._start
        shown = fitted(pixels, *self._size)
        for _ in range(int((now - self._start) * self._fps) + 1 - self.count):
            self._write(shown)
            self.count += 1

    def close(self) -> None:
        """Finish the file; no-op if already closed."""
        if not self.count:
            self.add(np.zeros((1, 1, 3), np.uint8), 0.0)
        self._file.close()


def fitted(pixels: np.ndarray, width: int, height: int) -> np.ndarray:
    """Return a picture cropped or padded to a size, because all pictures of a video have equal size."""
    made = np.zeros((height, width, 3), np.uint8)
    part = pixels[:height, :width]
    made[: part.shape[0], : part.shape[1]] = part
    return made
