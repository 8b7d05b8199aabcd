"""Dear ImGui in a window: event input, and drawing of its triangles with moderngl."""

from __future__ import annotations

import ctypes
from typing import Any

import glfw
import moderngl
import numpy as np
from imgui_bundle import imgui, implot

from conjoint.viewer.window import Window

VERTEX = """
#version 330
uniform vec2 display;
in vec2 in_position; in vec2 in_texcoord; in vec4 in_color;
out vec2 texcoord; out vec4 color;
void main() {
    texcoord = in_texcoord;
    color = in_color;
    gl_Position = vec4(2.0 * in_position.x / display.x - 1.0, 1.0 - 2.0 * in_position.y / display.y, 0.0, 1.0);
}
"""

FRAGMENT = """
#version 330
uniform sampler2D image;
in vec2 texcoord; in vec4 color;
out vec4 result;
void main() { result = color * texture(image, texcoord); }
"""

RENAMED = {
    "LEFT": "left_arrow", "RIGHT": "right_arrow", "UP": "up_arrow", "DOWN": "down_arrow",
    "LEFT_CONTROL": "left_ctrl", "RIGHT_CONTROL": "right_ctrl", "KP_ENTER": "keypad_enter",
}  # fmt: skip
"""GLFW keys whose names in Dear ImGui are different."""

MODIFIERS = (
    (glfw.MOD_CONTROL, imgui.Key.mod_ctrl), (glfw.MOD_SHIFT, imgui.Key.mod_shift), (glfw.MOD_ALT, imgui.Key.mod_alt),
    (glfw.MOD_SUPER, imgui.Key.mod_super),
)  # fmt: skip

TEAL, ORANGE = (0.06, 0.30, 0.36, 1.0), (0.95, 0.45, 0.13, 1.0)
"""Theme colors of Conjoint."""

COLORS = {
    imgui.Col_.window_bg: (0.09, 0.10, 0.12, 0.92), imgui.Col_.frame_bg: (0.20, 0.22, 0.26, 1.0),
    imgui.Col_.frame_bg_hovered: (0.26, 0.29, 0.35, 1.0), imgui.Col_.frame_bg_active: (0.30, 0.34, 0.42, 1.0),
    imgui.Col_.header: TEAL, imgui.Col_.header_hovered: (0.08, 0.40, 0.47, 1.0),
    imgui.Col_.header_active: (0.10, 0.46, 0.53, 1.0), imgui.Col_.button: (0.10, 0.36, 0.42, 1.0),
    imgui.Col_.button_hovered: (0.12, 0.46, 0.53, 1.0), imgui.Col_.button_active: (0.14, 0.55, 0.62, 1.0),
    imgui.Col_.title_bg: (0.09, 0.16, 0.19, 1.0), imgui.Col_.title_bg_active: TEAL,
    imgui.Col_.slider_grab: (0.80, 0.40, 0.14, 1.0), imgui.Col_.slider_grab_active: ORANGE,
    imgui.Col_.check_mark: ORANGE,
}  # fmt: skip
"""Colors that replace those of Dear ImGui's dark style."""

FONT_SIZE = 15.0
"""Font height, in screen coordinates of the display."""


def key_names() -> dict[int, Any]:
    """Return the mapping from GLFW keys to Dear ImGui keys."""
    found = {}
    for name in vars(glfw):
        if not name.startswith("KEY_"):
            continue
        plain = name.removeprefix("KEY_")
        other = RENAMED.get(plain, f"_{plain}" if plain.isdigit() else plain.lower())
        if hasattr(imgui.Key, other):
            found[getattr(glfw, name)] = getattr(imgui.Key, other)
    return found


class Gui:
    """Graphical user interface of a window, drawn with Dear ImGui.

    Args:
        window: the window.
    """

    def __init__(self, window: Window):
        self.window, self.gl = window, window.context
        self._context = imgui.create_context()
        self._plots = implot.create_context()
        self.enter()
        self._keys = key_names()
        io = imgui.get_io()
        # do not store the positions of panels in a file of the working folder
        io.set_ini_filename("")
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = lambda _: window.pasted()
        platform.platform_set_clipboard_text_fn = lambda _, text: window.copy(text)
        style = imgui.get_style()
        imgui.style_colors_dark()
        style.font_size_base = FONT_SIZE
        style.window_rounding = style.frame_rounding = 3.0
        style.font_scale_dpi = window.density
        style.scale_all_sizes(window.density)
        for part, color in COLORS.items():
            style.set_color_(part, imgui.ImVec4(*color))
        # make legends transparent, so that lines behind them are visible
        implot.get_style().set_color_(implot.Col_.legend_bg, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        self._program = self.gl.program(VERTEX, FRAGMENT)
        self._textures: dict[int, Any] = {}
        self._images: dict[str, Any] = {}

    # ---- events

    def key(self, key: int, pressed: bool, modifiers: int) -> None:
        io = imgui.get_io()
        for bit, name in MODIFIERS:
            io.add_key_event(name, bool(modifiers & bit))
        if key in self._keys:
            io.add_key_event(self._keys[key], pressed)

    def character(self, codepoint: int) -> None:
        imgui.get_io().add_input_character(codepoint)

    def button(self, button: int, pressed: bool) -> None:
        if button <= glfw.MOUSE_BUTTON_MIDDLE:
            imgui.get_io().add_mouse_button_event(button, pressed)

    def pointer(self, x: float, y: float) -> None:
        imgui.get_io().add_mouse_pos_event(x, y)

    def scroll(self, x: float, y: float) -> None:
        imgui.get_io().add_mouse_wheel_event(x, y)

    @property
    def has_pointer(self) -> bool:
        """True if the pointer is over a panel or drags one of its items."""
        return bool(imgui.get_io().want_capture_mouse)

    @property
    def reads_text(self) -> bool:
        """True if a text field receives the keys."""
        return bool(imgui.get_io().want_text_input)

    # ---- pictures

    def enter(self) -> None:
        """Make this window's context current for Dear ImGui functions."""
        imgui.set_current_context(self._context)
        implot.set_current_context(self._plots)

    def begin(self, seconds: float) -> None:
        """Start a frame, `seconds` after the previous one."""
        io = imgui.get_io()
        size, pixels = self.window.size, self.window.pixels
        io.display_size = imgui.ImVec2(*size)
        io.display_framebuffer_scale = imgui.ImVec2(pixels[0] / max(size[0], 1), pixels[1] / max(size[1], 1))
        io.delta_time = max(seconds, 1e-4)
        imgui.new_frame()

    def draw(self) -> None:
        """Draw all items that were added since `begin` over the contents of the window."""
        imgui.render()
        drawn = imgui.get_draw_data()
        for texture in imgui.get_platform_io().textures:
            self._follow(texture)
        screen = self.gl.screen
        screen.viewport = 0, 0, *self.window.pixels
        screen.use()
        self.gl.enable_only(moderngl.BLEND)
        self.gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE
        self._program["display"].value = max(drawn.display_size.x, 1.0), max(drawn.display_size.y, 1.0)
        for commands in drawn.cmd_lists:
            self._commands(commands, drawn)
        screen.scissor = None

    def _commands(self, commands: Any, drawn: Any) -> None:
        """Draw the triangles of one Dear ImGui draw list."""
        vertices, indices = commands.vtx_buffer, commands.idx_buffer
        if not vertices.size() or not indices.size():
            return
        corners = self.gl.buffer(memory(vertices, imgui.VERTEX_SIZE))
        order = self.gl.buffer(memory(indices, imgui.INDEX_SIZE))
        content = [(corners, "2f 2f 4f1", "in_position", "in_texcoord", "in_color")]
        array = self.gl.vertex_array(self._program, content, order, index_element_size=imgui.INDEX_SIZE)
        scale, height = drawn.framebuffer_scale, self.window.pixels[1]
        screen = self.gl.screen
        for command in commands.cmd_buffer:
            x0, y0, x1, y1 = command.clip_rect.x, command.clip_rect.y, command.clip_rect.z, command.clip_rect.w
            box = int(x0 * scale.x), int(height - y1 * scale.y), int((x1 - x0) * scale.x), int((y1 - y0) * scale.y)
            texture = self._textures.get(command.get_tex_id())
            if box[2] <= 0 or box[3] <= 0 or texture is None:
                continue
            screen.scissor = box
            texture.use(0)
            array.render(moderngl.TRIANGLES, command.elem_count, first=command.idx_offset)
        array.release()
        corners.release()
        order.release()

    def _follow(self, texture: Any) -> None:
        """Create, update or destroy a texture as Dear ImGui requests."""
        if texture.status == imgui.ImTextureStatus.want_create:
            made = self.gl.texture((texture.width, texture.height), 4, np.asarray(texture.get_pixels_array()).tobytes())
            self._textures[made.glo] = made
            texture.set_tex_id(made.glo)
            texture.set_status(imgui.ImTextureStatus.ok)
        elif texture.status == imgui.ImTextureStatus.want_updates:
            pixels = np.asarray(texture.get_pixels_array()).reshape(texture.height, texture.width, 4)
            box = texture.update_rect
            part = np.ascontiguousarray(pixels[box.y : box.y + box.h, box.x : box.x + box.w])
            self._textures[texture.tex_id].write(part.tobytes(), viewport=(box.x, box.y, box.w, box.h))
            texture.set_status(imgui.ImTextureStatus.ok)
        elif texture.status == imgui.ImTextureStatus.want_destroy:
            self._textures.pop(texture.tex_id).release()
            texture.set_tex_id(0)
            texture.set_status(imgui.ImTextureStatus.destroyed)

    def image(self, name: str, pixels: np.ndarray) -> Any:
        """Return an image as an argument for `imgui.image`; it replaces an image of the same name.

        The pixels have shape (height, width, 3), uint8.
        """
        found, size = self._images.get(name), (pixels.shape[1], pixels.shape[0])
        if found is None or found.size != size:
            self.forget_image(name)
            found = self._images[name] = self.gl.texture(size, 3, alignment=1)
            self._textures[found.glo] = found
        found.write(np.ascontiguousarray(pixels).tobytes(), alignment=1)
        return imgui.ImTextureRef(found.glo)

    def forget_image(self, name: str) -> None:
        """Release the image with this name, if it exists."""
        found = self._images.pop(name, None)
        if found is not None:
            del self._textures[found.glo]
            found.release()

    def close(self) -> None:
        """Release all GPU resources."""
        self.enter()
        for texture in imgui.get_platform_io().textures:
            if texture.status != imgui.ImTextureStatus.destroyed:
                texture.set_tex_id(0)
                texture.set_status(imgui.ImTextureStatus.destroyed)
        for texture in self._textures.values():
            texture.release()
        self._textures.clear()
        implot.destroy_context(self._plots)
        imgui.destroy_context(self._context)


def memory(rows: Any, size: int) -> bytes:
    """Return the bytes of a Dear ImGui vector with elements of `size` bytes."""
    return ctypes.string_at(rows.data_address(), rows.size() * size)
