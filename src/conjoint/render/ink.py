"""Two-dimensional drawing over a picture: rectangles, lines and text, in pixels relative to a rectangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.once import made_once
from conjoint.render.camera import Port

FIRST, LAST = 32, 126
"""First and last character code of the fonts (printable ASCII)."""

SIZES = {False: 13, True: 22}
"""Height of the normal (False) and the big (True) font in pixels at a font scale of 100."""

GAP = 2
"""Pixels between letters in the font texture, so that no letter shows a part of its neighbor."""


@dataclass(frozen=True)
class Font:
    """A font of one size.

    Attributes:
        pixels: image of all letters side by side, shape (height, width), opacity from 0 to 255, top row first.
        left: x coordinate of each letter's left edge in the image (pixels).
        width: width of each letter (pixels).
        height: height of a line (pixels).
    """

    pixels: np.ndarray
    left: np.ndarray
    width: np.ndarray
    height: int

    def measure(self, text: str) -> int:
        """Return the width of a line of text in pixels."""
        return int(self.width[self.letters(text)].sum())

    def letters(self, text: str) -> np.ndarray:
        """Return the indices of a text's characters in the font; non-ASCII characters become question marks."""
        codes = np.array([ord(c) if FIRST <= ord(c) <= LAST else ord("?") for c in text], int)
        return codes - FIRST


@made_once
def font(scale: int, big: bool) -> Font:
    """Return the font at a scale (mjtFontScale, percent)."""
    from PIL import Image, ImageDraw, ImageFont

    face = ImageFont.load_default(SIZES[big] * scale / 100)
    letters = [chr(code) for code in range(FIRST, LAST + 1)]
    width = np.array([max(1, round(face.getlength(letter))) for letter in letters])
    left = np.cumsum(width + GAP) - width - GAP
    _, top, _, bottom = face.getbbox("".join(letters))
    height = int(bottom - min(top, 0)) + 1
    picture = Image.new("L", (int(left[-1] + width[-1]), height))
    pen = ImageDraw.Draw(picture)
    for letter, x in zip(letters, left, strict=True):
        pen.text((int(x), 0), letter, fill=255, font=face)
    return Font(np.asarray(picture), left, width, height)


VERTEX = """
#version 330
layout(location = 0) in vec2 in_pixel;
layout(location = 1) in vec2 in_letter;
layout(location = 2) in vec4 in_color;
uniform vec2 size;
out vec2 letter;
out vec4 color;
void main() {
    letter = in_letter; color = in_color;
    gl_Position = vec4(2.0 * in_pixel / size - 1.0, 0.0, 1.0);
}
"""

FRAGMENT = """
#version 330
in vec2 letter;
in vec4 color;
uniform sampler2D letters;
out vec4 pixel;
void main() {
    // what is no letter lies left of all
    float cover = letter.x < 0.0 ? 1.0 : texelFetch(letters, ivec2(letter), 0).r;
    pixel = vec4(color.rgb, color.a * cover);
}
"""

PASTE_VERTEX = """
#version 330
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
"""

PASTE_FRAGMENT = """
#version 330
uniform sampler2D colors;
uniform sampler2D depths;
uniform ivec2 corner;
out vec4 pixel;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) - corner;
    pixel = vec4(texelFetch(colors, at, 0).rgb, 1.0);
    gl_FragDepth = texelFetch(depths, at, 0).r;
}
"""

LETTERS_UNIT = 7
SOLID = -1.0


class Ink:
    """Shader programs and fonts for two-dimensional drawing.

    Args:
        context: the moderngl context.
    """

    def __init__(self, context: Any):
        self.context = context
        self._program = context.program(VERTEX, FRAGMENT)
        self._program["letters"].value = LETTERS_UNIT
        self._fonts: dict[tuple[int, bool], tuple[Font, Any]] = {}

    def release(self) -> None:
        """Release all GPU resources."""
        self._program.release()
        for _, texture in self._fonts.values():
            texture.release()
        self._fonts.clear()

    def fill(self, target: Any, port: Port, rgba: Any, box: tuple[float, float, float, float] | None = None) -> None:
        """Draw a rectangle (left, bottom, right, top) in a port; None fills the whole port."""
        left, bottom, right, top = box or (0, 0, port[2], port[3])
        corners = [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
        self._draw(target, port, "triangles", np.array(corners, float), rgba)

    def strip(self, target: Any, port: Port, points: np.ndarray, rgba: Any, width: float) -> None:
        """Draw a polyline through the points."""
        self.context.line_width = width
        self._draw(target, port, "lines", np.repeat(points, 2, axis=0)[1:-1], rgba)

    def write(
        self, target: Any, port: Port, text: str, at: tuple[float, float], rgba: Any, scale: int, big: bool = False
    ) -> None:
        """Draw a line of text whose lower left corner is at a point."""
        letters, texture = self._font(scale, big)
        chosen = letters.letters(text)
        if not len(chosen):
            return
        width = letters.width[chosen]
        x = round(at[0]) + np.cumsum(width) - width
        y = np.full(len(chosen), round(at[1]))
        u, height = letters.left[chosen], letters.height
        # two triangles per letter; rows of the font image count downward
        across, up = np.array([0, 1, 1, 0, 1, 0]), np.array([0, 0, 1, 0, 1, 1])
        pixel = np.stack([x[:, None] + across * width[:, None], y[:, None] + up * height], axis=2)
        shape = np.stack(
            [u[:, None] + across * width[:, None], np.broadcast_to((1 - up) * height, (len(u), 6))], axis=2
        )
        texture.use(LETTERS_UNIT)
        self._draw(target, port, "triangles", pixel.reshape(-1, 2), rgba, shape.reshape(-1, 2))

    def paste(self, target: Any, port: Port, pixels: np.ndarray | None, depths: np.ndarray | None) -> None:
        """Write colors, shape (height, width, 3), and depths into a port; None leaves them unchanged."""
        import moderngl

        size = port[2:]
        if size[0] <= 0 or size[1] <= 0:
            return
        program = self.context.program(PASTE_VERTEX, PASTE_FRAGMENT)
        color = np.zeros((size[1], size[0], 3), np.uint8) if pixels is None else np.ascontiguousarray(pixels)
        depth = np.zeros((size[1], size[0]), np.float32) if depths is None else np.ascontiguousarray(depths)
        images = (
            self.context.texture(size, 3, color.tobytes(), alignment=1),
            self.context.texture(size, 1, depth.tobytes(), alignment=1, dtype="f4"),
        )
        for k, (name, image) in enumerate(zip(("colors", "depths"), images, strict=True)):
            image.use(LETTERS_UNIT + k)
            program[name].value = LETTERS_UNIT + k
        program["corner"].value = port[:2]
        target.color_mask, target.depth_mask = (pixels is not None,) * 4, depths is not None
        target.use()
        target.viewport = port
        self.context.enable_only(moderngl.DEPTH_TEST)
        self.context.depth_func = "1"
        array = self.context.vertex_array(program, [])
        array.render(moderngl.TRIANGLES, 3)
        target.color_mask, target.depth_mask = (True,) * 4, True
        target.use()
        self.context.depth_func = "<="
        for part in (array, program, *images):
            part.release()

    def font(self, scale: int, big: bool = False) -> Font:
        """Return the font at a scale (mjtFontScale, percent), for measuring text."""
        return self._font(scale, big)[0]

    def _font(self, scale: int, big: bool) -> tuple[Font, Any]:
        if (scale, big) not in self._fonts:
            made = font(scale, big)
            height, width = made.pixels.shape
            texture = self.context.texture((width, height), 1, made.pixels.tobytes(), alignment=1)
            self._fonts[scale, big] = made, texture
        return self._fonts[scale, big]

    def _draw(
        self, target: Any, port: Port, kind: str, pixels: np.ndarray, rgba: Any, letters: np.ndarray | None = None
    ) -> None:
        import moderngl

        if not len(pixels) or port[2] <= 0 or port[3] <= 0:
            return
        rows = np.empty((len(pixels), 8), np.float32)
        rows[:, :2], rows[:, 2:4], rows[:, 4:] = pixels, SOLID if letters is None else letters, rgba
        target.use()
        target.viewport = port
        self.context.enable_only(moderngl.BLEND)
        self.context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._program["size"].value = port[2:]
        buffer = self.context.buffer(rows.tobytes())
        array = self.context.vertex_array(self._program, [(buffer, "2f 2f 4f", "in_pixel", "in_letter", "in_color")])
        array.render(moderngl.TRIANGLES if kind == "triangles" else moderngl.LINES)
        array.release()
        buffer.release()
        self.context.disable(moderngl.BLEND)
