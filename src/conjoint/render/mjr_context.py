"""`MjrContext`: the framebuffers and the GPU resources of a model."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.lang import ArgumentError, FatalError
from conjoint.render.context import attach
from conjoint.render.reversed_depth import ReversedDepth
from conjoint.render.turns import has_window, is_current
from conjoint.schema.enums_visual import mjtFont, mjtFontScale, mjtFramebuffer

PIXEL_FORMAT = 0x1907
"""OpenGL's constant GL_RGB, the format in which pixels are read."""

AUXILIARY = 10
"""Maximum number of auxiliary framebuffers of a context."""


INSIDE = frozenset({"aux", "chosen", "current_aux", "gl", "ink", "off"})
"""Attributes of `MjrContext` for use within this package. `dir` does not list them."""


class Canvas:
    """A framebuffer for drawing, and one without multisampling for reading.

    Args:
        context: the moderngl context.
        width, height: size in pixels.
        samples: number of samples per pixel.
    """

    def __init__(self, context: Any, width: int, height: int, samples: int):
        self.context, self.size = context, (width, height)
        self.samples = min(max(samples, 0), int(context.max_samples))
        if self.samples < 2:
            self.samples = 0
        depths = ReversedDepth(context)
        self.plain = depths.framebuffer(self.size)
        self.target = self.plain
        if self.samples:
            self.target = depths.framebuffer(self.size, self.samples)

    def resolved(self) -> Any:
        """Return the framebuffer to read from, after resolving the samples into it."""
        if self.samples:
            self.context.copy_framebuffer(self.plain, self.target)
        return self.plain

    def release(self) -> None:
        """Release all GPU resources."""
        for frame in {self.plain, self.target}:
            for part in (*frame.color_attachments, frame.depth_attachment):
                part.release()
            frame.release()


class MjrContext:
    """Context of the `mjr` functions: framebuffers, fonts, and shapes and textures of a model.

    Args:
        model: the model; None for a context that draws only text, rectangles and figures.
        fontscale: font size (mjtFontScale).

    Raises:
        FatalError: no OpenGL context is current. Create one, such as `GLContext`, and call its `make_current`.

    Attributes:
        gl: the moderngl context.
        ink: object that draws text and rectangles.
        off: offscreen framebuffer; None if there is none.
        aux: auxiliary framebuffers by index.
        current_aux: index of the auxiliary framebuffer to draw into; -1 for none.
        chosen: framebuffer (mjtFramebuffer) to draw into if no auxiliary one is selected.
    """

    # MuJoCo stores numbers of OpenGL objects here. Conjoint stores these objects elsewhere
    auxColor = auxColor_r = auxFBO = auxFBO_r = offColor = offColor_r = offDepthStencil = offDepthStencil_r = 0
    offFBO = offFBO_r = shadowFBO = shadowTex = skinfaceVBO = skinnormalVBO = skintexcoordVBO = skinvertVBO = 0
    baseBuiltin = baseFontBig = baseFontNormal = baseFontShadow = baseHField = baseMesh = basePlane = texture = 0
    rangeBuiltin = rangeFont = rangeHField = rangeMesh = rangePlane = 0
    # values from the model's visual settings
    lineWidth = shadowClip = shadowScale = fogStart = fogEnd = 0.0
    shadowSize = ntexture = nskin = offWidth = offHeight = offSamples = 0
    fogRGBA: np.ndarray = np.zeros(4, np.float32)
    textureType: np.ndarray = np.zeros(0, np.int32)
    mat_texid: np.ndarray = np.zeros((0, 10), np.int32)
    mat_texuniform: np.ndarray = np.zeros(0, np.int32)
    mat_texrepeat: np.ndarray = np.zeros((0, 2), np.float32)
    # framebuffers and fonts
    glInitialized = 1
    windowAvailable = windowSamples = windowStereo = windowDoublebuffer = 0
    fontScale = charHeight = charHeightBig = readDepthMap = 0
    readPixelFormat = PIXEL_FORMAT
    auxWidth: np.ndarray = np.zeros(AUXILIARY, np.int32)
    auxHeight: np.ndarray = np.zeros(AUXILIARY, np.int32)
    auxSamples: np.ndarray = np.zeros(AUXILIARY, np.int32)
    charWidth: np.ndarray = np.zeros(127, np.int32)
    charWidthBig: np.ndarray = np.zeros(127, np.int32)

    def __init__(self, model: MjModel | None = None, fontscale: int = int(mjtFontScale.mjFONTSCALE_150)):
        self._shared, self.gl = attach()
        self.windowAvailable = int(self._shared is None and has_window(self.gl))
        self._model, self._made = model, True
        self._painter: Any = None
        self.auxWidth, self.auxHeight, self.auxSamples = (np.zeros(AUXILIARY, np.int32) for _ in range(3))
        self.aux: dict[int, Canvas] = {}
        self.off: Canvas | None = None
        self._take_model(model)
        from conjoint.render.ink import Ink

        self.ink = Ink(self.gl)
        self.change_font(int(fontscale))
        self.chosen: int = int(mjtFramebuffer.mjFB_WINDOW if self.windowAvailable else mjtFramebuffer.mjFB_OFFSCREEN)
        self.current_aux = -1
        use(self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in INSIDE]

    def _take_model(self, m: MjModel | None) -> None:
        """Apply the settings of a model, and create its framebuffers."""
        if m is None:
            return
        vis, extent = m.vis, m.stat.extent
        self.lineWidth, self.shadowSize = vis.global_.linewidth, vis.quality.shadowsize
        self.shadowClip, self.shadowScale = vis.map.shadowclip * extent, vis.map.shadowscale
        self.fogStart, self.fogEnd = vis.map.fogstart * extent, vis.map.fogend * extent
        self.fogRGBA, self.ntexture, self.nskin = np.array(vis.rgba.fog), m.ntex, m.nskin
        self.textureType, self.mat_texid = np.array(m.tex_type), np.array(m.mat_texid)
        self.mat_texuniform, self.mat_texrepeat = np.array(m.mat_texuniform), np.array(m.mat_texrepeat)
        self.resize(vis.global_.offwidth, vis.global_.offheight, vis.quality.offsamples)

    def resize(self, width: int, height: int, samples: int) -> None:
        """Create an offscreen framebuffer of the given size."""
        before = self.off
        self.off = Canvas(self.gl, width, height, samples) if width > 0 and height > 0 else None
        if before is not None:
            before.release()
        self.offWidth, self.offHeight = width, height
        self.offSamples = self.off.samples if self.off is not None else 0

    def change_font(self, scale: int) -> None:
        """Change the font size."""
        if scale not in {int(one) for one in mjtFontScale}:
            raise ArgumentError(
                f"mjr_changeFont: {scale} is not a font scale: use a member of mjtFontScale, 50, 100, ..., 300"
            )
        self.fontScale = int(scale)
        normal, big = self.ink.font(self.fontScale), self.ink.font(self.fontScale, True)
        # indexed by character code
        self.charWidth, self.charWidthBig = np.zeros(127, np.int32), np.zeros(127, np.int32)
        self.charWidth[32:], self.charWidthBig[32:] = normal.width, big.width
        self.charHeight, self.charHeightBig = normal.height, big.height

    @property
    def currentBuffer(self) -> int:
        return self.chosen

    def alive(self) -> MjrContext:
        """Return the context itself, after checking that it is usable in this thread.

        Raises:
            FatalError: the context has been freed, or its OpenGL context is current in another thread.
        """
        if not self._made:
            raise FatalError("this MjrContext has been freed: create a new one")
        if self._shared is not None:
            # the program may have made another context current
            self._shared.keep()
        elif not is_current(self.gl):
            raise FatalError(
                "no OpenGL context is current in this thread: make the window's context current, or draw in its thread"
            )
        return self

    def canvas(self) -> Canvas | None:
        """Return the current framebuffer; None for a window."""
        if self.current_aux >= 0:
            return self.aux[self.current_aux]
        return self.off if self.chosen == mjtFramebuffer.mjFB_OFFSCREEN else None

    def target(self) -> Any:
        """Return the current drawing target.

        Raises:
            FatalError: there is no target, because the context has no window and was created without a model.
        """
        canvas = self.alive().canvas()
        if canvas is not None:
            return canvas.target
        if not self.windowAvailable:
            raise FatalError("there is no framebuffer: this context has no window, and was created without a model")
        return self.gl.screen

    def readable(self) -> Any:
        """Return the framebuffer to read pixels from."""
        self.target()
        canvas = self.canvas()
        return self.gl.screen if canvas is None else canvas.resolved()

    def painter(self, scene: MjvScene | None = None) -> Any:
        """Return the painter that draws scenes of the model; create it on first use.

        Raises:
            FatalError: the context was created without a model.
        """
        if self.alive()._painter is None:
            if self._model is None:
                raise FatalError("this MjrContext was created without a model: use MjrContext(model, fontscale)")
            from conjoint.render.painter import Painter

            self._painter = Painter(self.gl, self._model)
        return self._painter

    def big(self, font: int) -> bool:
        """Return True if a font (mjtFont) has large letters."""
        return font == mjtFont.mjFONT_BIG

    def free(self) -> None:
        """Release the resources of the context; no-op if already released."""
        if not self._made:
            return
        self._made = False
        # resources that this thread cannot access are released with the OpenGL context
        if is_current(self.gl) if self._shared is None else self._shared.try_acquire():
            for part in (self.off, self._painter, self.ink, *self.aux.values()):
                if part is not None:
                    part.release()
        self.aux.clear()
        self.off = self._painter = None


class _Thread(threading.local):
    """Weak reference to the context that this thread used last, for functions without a context argument."""

    used: weakref.ref[MjrContext] | None = None


_thread = _Thread()


def use(con: MjrContext) -> None:
    """Set the context that this thread uses in functions without a context argument."""
    _thread.used = weakref.ref(con.alive())


def used() -> MjrContext:
    """Return the context that this thread used last.

    Raises:
        FatalError: this thread has not used a context.
    """
    con = _thread.used() if _thread.used is not None else None
    if con is None or not con._made:
        raise FatalError("no MjrContext is in use in this thread: create one, or call mjr_setBuffer")
    return con
