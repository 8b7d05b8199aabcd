"""`mjr` functions that draw scenes and pixels, manage framebuffers, and upload a model's resources to the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.arguments import Positive, checked
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjrRect, MjvScene
from conjoint.lang import ArgumentError, FatalError
from conjoint.render.camera import Port, View
from conjoint.render.mjr_context import AUXILIARY, Canvas, MjrContext, use, used
from conjoint.schema.enums_visual import mjtDepthMap, mjtFramebuffer
from conjoint.viz.scene import labels_of


def port_of(viewport: MjrRect) -> Port:
    """Return a viewport as an OpenGL rectangle."""
    return viewport.left, viewport.bottom, viewport.width, viewport.height


@checked
def mjr_render(viewport: MjrRect, scn: MjvScene, con: MjrContext) -> None:
    """Draw a scene, with its labels, into a rectangle of the current framebuffer.

    Args:
        viewport: the rectangle.
        scn: the scene.
        con: the rendering context.

    Raises:
        FatalError: the context has been freed, or was created without a model.
    """
    left, bottom, width, height = port_of(viewport)
    if width <= 0 or height <= 0:
        return
    use(con)
    target = con.target()
    views = con.painter().draw(scn, target, width, height, left, bottom)
    for view in views:
        _label(con, scn, target, view)


def _label(con: MjrContext, scn: MjvScene, target: Any, view: View) -> None:
    """Draw the labels of a scene over its image."""
    for point, text in labels_of(scn):
        place = view.eye.place_of(point)
        if place is not None:
            at = place[0] * view.port[2], place[1] * view.port[3]
            shade = at[0] + 1, at[1] - 1
            con.ink.write(target, view.port, text, shade, (0, 0, 0, 1), con.fontScale)
            con.ink.write(target, view.port, text, at, (1, 1, 1, 1), con.fontScale)


@checked
def mjr_setBuffer(framebuffer: int, con: MjrContext) -> None:
    """Select the window or the offscreen framebuffer (mjtFramebuffer) as the drawing target, if it exists.

    Args:
        framebuffer: the framebuffer, a value of mjtFramebuffer.
        con: the rendering context.
    """
    there = con.off is not None if framebuffer == mjtFramebuffer.mjFB_OFFSCREEN else con.windowAvailable
    if there:
        con.chosen = int(framebuffer)
    con.current_aux = -1
    use(con)


@checked
def mjr_restoreBuffer(con: MjrContext) -> None:
    """Draw to the context's own framebuffer again, after drawing to an auxiliary one.

    Args:
        con: the rendering context.
    """
    con.current_aux = -1
    use(con)


@checked
def mjr_resizeOffscreen(width: Positive, height: Positive, con: MjrContext) -> None:
    """Change the size of the offscreen framebuffer.

    Args:
        width, height: new size in pixels.
        con: the rendering context.

    Raises:
        FatalError: the width or the height is not positive.
    """
    if (width, height) != (con.offWidth, con.offHeight):
        samples = con.alive().offSamples
        con.resize(width, height, samples)


@checked
def mjr_maxViewport(con: MjrContext) -> MjrRect:
    """Return the full rectangle of the current framebuffer.

    Args:
        con: the rendering context.

    Returns:
        The rectangle, in pixels.
    """
    con.alive()
    canvas = con.canvas()
    width, height = canvas.size if canvas is not None else con.gl.screen.size if con.windowAvailable else (0, 0)
    return MjrRect(0, 0, int(width), int(height))


@checked(index=str(AUXILIARY))
def mjr_addAux(index: int, width: Positive, height: Positive, samples: int, con: MjrContext) -> None:
    """Create an auxiliary framebuffer. It replaces an existing one with the same index.

    Args:
        index: index of the framebuffer.
        width, height: size in pixels.
        samples: samples per pixel, for smooth edges; 0 for a single sample.
        con: the rendering context.

    Raises:
        FatalError: the index is out of range, or the width or height is not positive.
    """
    made = Canvas(con.alive().gl, width, height, samples)
    old = con.aux.pop(index, None)
    if old is not None:
        old.release()
    con.aux[index] = made
    con.auxWidth[index], con.auxHeight[index], con.auxSamples[index] = width, height, made.samples


@checked
def mjr_setAux(index: int, con: MjrContext) -> None:
    """Select an auxiliary framebuffer as the target of all further drawing.

    Args:
        index: index of the framebuffer.
        con: the rendering context.

    Raises:
        FatalError: the framebuffer has not been created by `mjr_addAux`.
    """
    _aux(con, index, "mjr_setAux")
    con.current_aux = index
    use(con)


def _aux(con: MjrContext, index: int, function: str) -> Canvas:
    if index not in con.alive().aux:
        raise ArgumentError(f"{function}: there is no auxiliary framebuffer {index}: create it with mjr_addAux")
    return con.aux[index]


@checked
def mjr_blitAux(index: int, src: MjrRect, left: int, bottom: int, con: MjrContext) -> None:
    """Copy a rectangle of an auxiliary framebuffer to a position in the current framebuffer.

    Args:
        index: index of the auxiliary framebuffer.
        src: rectangle of the auxiliary framebuffer that is copied.
        left, bottom: position of the copy's lower left corner in the current framebuffer.
        con: the rendering context.

    Raises:
        FatalError: the framebuffer has not been created by `mjr_addAux`.
    """
    source = _aux(con, index, "mjr_blitAux").resolved()
    _copy(con, source, port_of(src), con.target(), (left, bottom, src.width, src.height), True, False)


@checked
def mjr_blitBuffer(src: MjrRect, dst: MjrRect, flg_color: int, flg_depth: int, con: MjrContext) -> None:
    """Copy pixels from the current framebuffer to the other one: offscreen to window, or window to offscreen.

    Args:
        src: rectangle of the current framebuffer.
        dst: rectangle of the other framebuffer.
        flg_color: whether colors are copied.
        flg_depth: whether depths are copied.
        con: the rendering context.

    Raises:
        FatalError: there is no window, or no offscreen framebuffer.
    """
    canvas = con.alive().off
    if canvas is None or not con.windowAvailable:
        raise FatalError("mjr_blitBuffer: copying needs a window and an offscreen framebuffer")
    screen = con.gl.screen
    offscreen = con.chosen == mjtFramebuffer.mjFB_OFFSCREEN
    source, target = (canvas.resolved(), screen) if offscreen else (screen, canvas.target)
    _copy(con, source, port_of(src), target, port_of(dst), bool(flg_color), bool(flg_depth))


def _copy(con: MjrContext, source: Any, src: Any, target: Any, dst: Any, color: bool, depth: bool) -> None:
    """Copy a rectangle between framebuffers, scaled to the size of the target rectangle without interpolation."""
    rows, columns = (np.minimum(np.arange(dst[k]) * src[k] // max(dst[k], 1), src[k] - 1) for k in (3, 2))
    taken = np.ix_(rows, columns)
    pixels = distances = None
    if color:
        pixels = read_colors(source, src).reshape(src[3], src[2], 3)[taken]
    if depth:
        distances = read_depths(source, src).reshape(src[3], src[2])[taken]
    con.ink.paste(target, dst, pixels, distances)


def read_colors(frame: Any, port: Any) -> np.ndarray:
    """Return the colors of a rectangle of a framebuffer, with the lowest row first."""
    return np.frombuffer(frame.read(viewport=port, components=3, alignment=1), np.uint8)


def read_depths(frame: Any, port: Any) -> np.ndarray:
    """Return the depths of a rectangle, from 1 (near) to 0 (far), with the lowest row first."""
    return np.frombuffer(frame.read(viewport=port, components=1, attachment=-1, dtype="f4", alignment=1), np.float32)


@checked
def mjr_readPixels(rgb: object, depth: object, viewport: MjrRect, con: MjrContext) -> None:
    """Read the pixels of a rectangle of the current framebuffer, with the lowest row first.

    Args:
        rgb: output array for colors: uint8, 3 * width * height elements in any shape; None to skip colors.
        depth: output array for depths: float32, width * height elements; None to skip depths. Depths are 0 at the
            near plane and 1 at the far plane. `con.readDepthMap` (mjtDepthMap) can reverse them. Reversed depths are
            those of the depth buffer, without rounding.
        viewport: the rectangle.
        con: the rendering context.

    Raises:
        TypeError: an array has a different type or size.
        FatalError: the context has been freed, or has no framebuffer to read from.
    """
    port = port_of(viewport)
    count = port[2] * port[3]
    wanted = (("rgb", rgb, 3 * count, np.uint8), ("depth", depth, count, np.float32))
    for name, array, size, kind in wanted:
        fits = isinstance(array, np.ndarray) and array.dtype == kind and array.size == size and array.flags.c_contiguous
        if array is not None and not fits:
            numbers = f"{size} numbers, not {array!r:.40}"
            raise TypeError(f"mjr_readPixels: {name} must be a contiguous {np.dtype(kind)} array of {numbers}")
    frame = con.readable()
    for name, array, _, _ in wanted:
        if isinstance(array, np.ndarray):
            taken = read_colors(frame, port) if name == "rgb" else read_depths(frame, port)
            if name == "depth" and con.readDepthMap == mjtDepthMap.mjDEPTH_ZERONEAR:
                taken = 1 - taken
            array.reshape(-1)[...] = taken


@checked
def mjr_drawPixels(rgb: object, depth: object, viewport: MjrRect, con: MjrContext) -> None:
    """Write colors and depths into a rectangle of the current framebuffer, with the lowest row first.

    Args:
        rgb: colors: uint8, 3 * width * height elements; None to keep the colors.
        depth: depths: float32, width * height elements, from 1 at the near plane to 0 at the far plane; None to keep
            the depths.
        viewport: the rectangle.
        con: the rendering context.

    Raises:
        TypeError: an array has a different size.
        FatalError: the context has been freed, or has no framebuffer to draw into.
    """
    port = port_of(viewport)
    shape = port[3], port[2]
    given: list[np.ndarray | None] = []
    for name, array, wanted, kind in (("rgb", rgb, (*shape, 3), np.uint8), ("depth", depth, shape, np.float32)):
        try:
            given.append(None if array is None else np.asarray(array, kind).reshape(wanted))
        except (TypeError, ValueError):
            kind_of = f"a {np.dtype(kind)} array of shape {wanted}"
            raise TypeError(f"mjr_drawPixels: {name} must be {kind_of}, not {array!r:.40}") from None
    use(con)
    con.ink.paste(con.target(), port, *given)


@checked(texid="m.ntex")
def mjr_uploadTexture(m: MjModel, con: MjrContext, texid: int) -> None:
    """Upload a changed texture of the model to the GPU.

    Args:
        m: the model.
        con: the rendering context.
        texid: texture id.

    Raises:
        FatalError: the texture does not exist.
    """
    _upload(con, texid)


@checked(meshid="m.nmesh")
def mjr_uploadMesh(m: MjModel, con: MjrContext, meshid: int) -> None:
    """Upload a changed mesh of the model to the GPU.

    Args:
        m: the model.
        con: the rendering context.
        meshid: mesh id.

    Raises:
        FatalError: the mesh does not exist.
    """
    _upload(con, f"mesh {meshid}", f"hull {meshid}")


@checked(hfieldid="m.nhfield")
def mjr_uploadHField(m: MjModel, con: MjrContext, hfieldid: int) -> None:
    """Upload a changed height field of the model to the GPU.

    Args:
        m: the model.
        con: the rendering context.
        hfieldid: height field id.

    Raises:
        FatalError: the height field does not exist.
    """
    _upload(con, f"hfield {hfieldid}")


def _upload(con: MjrContext, *names: str | int) -> None:
    """Mark shapes (by name) or textures (by index) as outdated, so that they are uploaded again before the next use."""
    for name in names:
        con.painter().resources.forget(name)


@checked
def mjr_changeFont(fontscale: int, con: MjrContext) -> None:
    """Change the font size.

    Args:
        fontscale: font size in percent (mjtFontScale): 50, 100, 150, 200, 250 or 300.
        con: the rendering context.

    Raises:
        FatalError: the font size is not one of these.
    """
    con.alive().change_font(fontscale)


@checked
def mjr_finish() -> None:
    """Wait until all drawing commands are done."""
    used().gl.finish()


@checked
def mjr_getError() -> int:
    """Return the code of the latest OpenGL error; 0 if there is none."""
    names = {"GL_NO_ERROR": 0, "GL_INVALID_ENUM": 0x500, "GL_INVALID_VALUE": 0x501, "GL_INVALID_OPERATION": 0x502,
             "GL_OUT_OF_MEMORY": 0x505, "GL_INVALID_FRAMEBUFFER_OPERATION": 0x506}  # fmt: skip
    return names.get(str(used().gl.error), 0x502)
