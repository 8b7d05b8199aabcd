"""Application window for a model: drawing of frames, and event handling."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import glfw

from conjoint.api.objects.data import MjData
from conjoint.viewer import layout, overlay, shortcuts
from conjoint.viewer.desk import Desk, Settings
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.mouse import Mouse
from conjoint.viewer.picture import Picture
from conjoint.viewer.plots import plots_of
from conjoint.viewer.simulation import Simulation
from conjoint.viewer.window import DRAWING

KeyCallback = Callable[[int], None]

REST = 0.002
"""Minimum pause (s) between two frames."""


class Application(Desk):
    """A window with its drawing and event handling.

    Args:
        source: a simulation that the window controls, or the channel to a program that steps a world.
        key_callback: function that receives the GLFW codes of keys pressed outside of text fields.
        left, right: whether the panels on each side are visible at first.
        size: size of the window, in screen coordinates of the display.

    Raises:
        FatalError: there is no display, or no OpenGL.
    """

    def __init__(
        self, source: Simulation | Exchange, key_callback: KeyCallback | None = None, left: bool = True,
        right: bool = True, size: tuple[int, int] | None = None,
    ):  # fmt: skip
        self.key_callback, self.mouse = key_callback, Mouse()
        self._pointer = (0.0, 0.0)
        self._last = time.perf_counter()
        with DRAWING:
            super().__init__(source, Settings(left=left, right=right), size)
            self.window.listen(self)
            self._make_panels()

    # ---- events

    def key(self, key: int, action: int, modifiers: int) -> None:
        self.gui.key(key, action != glfw.RELEASE, modifiers)
        if action == glfw.RELEASE or self.gui.reads_text:
            return
        shortcuts.act(self, key, modifiers)
        if self.key_callback is not None and action == glfw.PRESS:
            self.key_callback(key)

    def character(self, codepoint: int) -> None:
        self.gui.character(codepoint)

    def button(self, button: int, action: int, modifiers: int) -> None:
        pressed = action == glfw.PRESS
        self.gui.button(button, pressed)
        if self.picture is None or self._d is None:
            return
        if not pressed:
            self.mouse.release(self.picture, button)
        elif self._inside():
            self.mouse.press(self.picture, self._d, button, modifiers, self._place(), self.seconds)

    def pointer(self, x: float, y: float) -> None:
        self.gui.pointer(x, y)
        dx, dy = x - self._pointer[0], y - self._pointer[1]
        self._pointer = x, y
        if self.picture is not None and self._d is not None:
            height = max(self.window.size[1], 1)
            self.mouse.move(self.picture, self._d, dx / height, dy / height)

    def scroll(self, x: float, y: float) -> None:
        self.gui.scroll(x, y)
        if self.picture is not None and self._inside():
            self.mouse.scroll(self.picture, y)

    def drop(self, paths: list[str]) -> None:
        self.load(paths[0])

    def _place(self) -> tuple[float, float]:
        """Return the pointer position relative to the size of the scene, from its lower left corner."""
        assert self.picture is not None
        area, scale, size = self.picture.viewport, self.scale, self.window.size
        x = (self._pointer[0] * scale - area.left) / area.width
        y = ((size[1] - self._pointer[1]) * scale - area.bottom) / area.height
        return x, y

    def _inside(self) -> bool:
        """Return True if the pointer is over the scene and not over a panel."""
        return not self.gui.has_pointer and all(0 <= share <= 1 for share in self._place())

    # ---- pictures

    def run(self) -> None:
        """Draw until the window is closed."""
        try:
            while not (self.closed or self.window.wants_to_close):
                start = time.perf_counter()
                self.frame()
                # some displays do not wait for their refresh, and the simulation needs Python's global lock, too
                time.sleep(max(1.0 / self.window.refresh - (time.perf_counter() - start), REST))
        finally:
            self.finish()

    def finish(self) -> None:
        """Close the window and release its resources."""
        self.closed = True
        with DRAWING:
            self.gui.enter()
            if self.video is not None:
                self.video.close()
            self.profile.stop()
            self.picture = None
            self.gui.close()
            self.window.close()
        self._gone.set()

    def frame(self) -> None:
        """Draw one frame and show it."""
        with DRAWING:
            self._draw()
        # a display may block here
        self.window.show()

    def _draw(self) -> None:
        """Draw one frame into the back buffer."""
        self.gui.enter()
        self.window.begin()
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        self.seconds += 0.1 * (seconds - self.seconds)
        self.gui.begin(seconds)
        self._take()
        self.window.context.screen.clear(0.12, 0.13, 0.15, 1.0)
        if self.picture is not None and self._d is not None:
            self._draw_scene(self.picture, self._d)
        layout.draw(self)
        if now > self._notice_until:
            self.notice = ""
        self.gui.draw()

    def _take(self) -> None:
        """Fetch the latest copy of the world, and update the picture and the panels if the model is new."""
        exchange = self.exchange
        if exchange is None:
            return
        if self.picture is None or self.picture.exchange is not exchange:
            self.picture = Picture(self.window.context, exchange, self.viewport, before=self.picture)
            self.window.set_title(f"Conjoint: {model_name(exchange)}")
            self.plots = plots_of(exchange.m)
            self._make_panels()
        self._d = exchange.take()
        self.profile.follow(self._d)
        for plot in self.plots:
            plot.follow(self._d)

    def _make_panels(self) -> None:
        """Create the panels for the current model."""
        self.panels = layout.columns_of(self)

    def _draw_scene(self, picture: Picture, d: MjData) -> None:
        picture.update(d)
        picture.draw(self.viewport)
        while self._jobs:
            self._jobs.pop(0)(picture)
        if self.video is not None:
            self.video.add(picture.pixels(), time.perf_counter())
        overlay.draw_labels(picture, self.window.size[1], 1.0 / self.scale)


def model_name(exchange: Exchange) -> str:
    """Return the name of the model, and the name of its file if there is one."""
    names: Any = exchange.m.names
    name = bytes(names).split(b"\0")[0].decode(errors="replace")
    return f"{name} ({Path(exchange.path).name})" if exchange.path else name


class Closable(Protocol):
    """Object that runs until its attribute `closed` is True."""

    closed: bool


@contextmanager
def closes(window: Closable) -> Iterator[None]:
    """Close the window on Ctrl+C, and raise KeyboardInterrupt afterwards; a second Ctrl+C is raised at once.

    The first Ctrl+C is not raised during a frame. A frame calls many destructors, and Python drops exceptions raised
    in them.

    Raises:
        KeyboardInterrupt: Ctrl+C was pressed.
    """
    # do not replace a program's own handler; only the main thread can install one
    ordinary = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ordinary or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            signal.default_int_handler(number, frame)
        pressed = window.closed = True

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
