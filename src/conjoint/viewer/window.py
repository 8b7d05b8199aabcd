"""A desktop window with OpenGL, through GLFW, and its events."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any, Protocol

import glfw
import moderngl

from conjoint.lang import FatalError

DRAWING = threading.RLock()
"""Lock that is held while a window is drawn, because GLFW and Dear ImGui have one current context for all threads."""

NO_DISPLAY = "a window needs a display: log in to a desktop, set DISPLAY, or start a virtual one (xvfb-run)"

NO_OPENGL = (
    "install a driver of OpenGL 3.3 (Debian: apt-get install libgl1 libgl1-mesa-dri), or see the model in the pictures "
    "of conjoint.Renderer"
)

REFRESH = 60.0
"""Refresh rate (Hz) that is assumed if the display does not report one."""

SHARE = 0.85
"""Size of a new window, relative to the size of the display."""


class Listener(Protocol):
    """Receiver of a window's events."""

    def key(self, key: int, action: int, modifiers: int) -> None: ...

    def character(self, codepoint: int) -> None: ...

    def button(self, button: int, action: int, modifiers: int) -> None: ...

    def pointer(self, x: float, y: float) -> None: ...

    def scroll(self, x: float, y: float) -> None: ...

    def drop(self, paths: list[str]) -> None: ...


class Window:
    """A window whose OpenGL context is current in the thread that created it.

    Args:
        title: title of the window.
        size: width and height in screen coordinates of the display; None for most of the display.

    Raises:
        FatalError: there is no display, or no OpenGL 3.3.
    """

    def __init__(self, title: str, size: tuple[int, int] | None = None):
        start_glfw()
        glfw.default_window_hints()
        for hint, value in (
            (glfw.CONTEXT_VERSION_MAJOR, 3),
            (glfw.CONTEXT_VERSION_MINOR, 3),
            (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE),
            (glfw.OPENGL_FORWARD_COMPAT, glfw.TRUE),
        ):
            glfw.window_hint(hint, value)
        width, height = size or default_size()
        self._handle = quietly(glfw.create_window, width, height, title, None, None)
        if not self._handle:
            raise FatalError(f"cannot open a window with OpenGL 3.3 ({last_error()}): {NO_OPENGL}")
        glfw.make_context_current(self._handle)
        glfw.swap_interval(1)
        try:
            self.context: Any = moderngl.create_context(require=330)
        except Exception as error:
            # moderngl raises a plain Exception with the message of the library loader
            glfw.destroy_window(self._handle)
            raise FatalError(f"cannot draw in a window ({error}): {NO_OPENGL}") from None
        self._restored: tuple[int, int, int, int] | None = None

    # ---- events

    def listen(self, listener: Listener) -> None:
        """Send all future events of the window to `listener`."""
        glfw.set_key_callback(self._handle, lambda _, key, code, action, mods: listener.key(key, action, mods))
        glfw.set_char_callback(self._handle, lambda _, codepoint: listener.character(codepoint))
        glfw.set_mouse_button_callback(self._handle, lambda _, button, *rest: listener.button(button, *rest))
        glfw.set_cursor_pos_callback(self._handle, lambda _, x, y: listener.pointer(x, y))
        glfw.set_scroll_callback(self._handle, lambda _, x, y: listener.scroll(x, y))
        glfw.set_drop_callback(self._handle, lambda _, paths: listener.drop([str(path) for path in paths]))

    def begin(self) -> None:
        """Start a frame: make the context current, and handle all pending events."""
        glfw.make_context_current(self._handle)
        glfw.poll_events()

    def show(self) -> None:
        """Show the frame that has been drawn."""
        glfw.swap_buffers(self._handle)

    # ---- state

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in screen coordinates, like the positions of the pointer."""
        return tuple(glfw.get_window_size(self._handle))

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height in pixels, at least 1."""
        width, height = glfw.get_framebuffer_size(self._handle)
        return max(width, 1), max(height, 1)

    @property
    def density(self) -> float:
        """Content scale of the display, relative to a standard display."""
        scale = glfw.get_window_content_scale(self._handle)[0]
        # on some displays, screen coordinates are larger than pixels
        return max(scale * self.size[0] / self.pixels[0], 1.0)

    @property
    def refresh(self) -> float:
        """Refresh rate of the display (Hz)."""
        monitor = glfw.get_primary_monitor()
        mode = glfw.get_video_mode(monitor) if monitor else None
        return float(mode.refresh_rate) if mode and mode.refresh_rate > 0 else REFRESH

    @property
    def wants_to_close(self) -> bool:
        return bool(glfw.window_should_close(self._handle))

    def set_title(self, title: str) -> None:
        glfw.set_window_title(self._handle, title)

    def set_vertical_sync(self, on: bool) -> None:
        """Enable or disable vertical synchronization with the display."""
        glfw.swap_interval(1 if on else 0)

    def toggle_fullscreen(self) -> None:
        """Toggle fullscreen mode; leaving it restores the window's position and size."""
        monitor = glfw.get_primary_monitor()
        if self._restored is not None:
            glfw.set_window_monitor(self._handle, None, *self._restored, glfw.DONT_CARE)
            self._restored = None
        elif monitor:
            mode = glfw.get_video_mode(monitor)
            self._restored = (*glfw.get_window_pos(self._handle), *glfw.get_window_size(self._handle))
            glfw.set_window_monitor(self._handle, monitor, 0, 0, mode.size.width, mode.size.height, mode.refresh_rate)

    def copy(self, text: str) -> None:
        """Copy a text to the clipboard."""
        glfw.set_clipboard_string(None, text)

    def pasted(self) -> str:
        """Return the text on the clipboard."""
        found = glfw.get_clipboard_string(None)
        return found.decode(errors="replace") if found else ""

    def close(self) -> None:
        """Destroy the window; no-op if already closed."""
        if self._handle is None:
            return
        glfw.make_context_current(self._handle)
        self.context.release()
        glfw.destroy_window(self._handle)
        self._handle = None


def start_glfw() -> None:
    """Initialize GLFW, which connects to the display.

    Raises:
        FatalError: there is no display.
    """
    if not quietly(glfw.init):
        raise FatalError(f"{NO_DISPLAY} ({last_error()})")


def quietly(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a GLFW call without warnings of its Python package, because callers check for errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", glfw.GLFWError)
        return call(*arguments)


def last_error() -> str:
    """Return the message of the last GLFW error."""
    _, text = glfw.get_error()
    return text.decode(errors="replace") if text else "no reason given"


def default_size() -> tuple[int, int]:
    """Return a window size that fills most of the display, so that the scene is wider than each panel."""
    monitor = glfw.get_primary_monitor()
    mode = glfw.get_video_mode(monitor) if monitor else None
    width, height = (mode.size.width, mode.size.height) if mode else (1920, 1080)
    return int(SHARE * width), int(SHARE * height)
