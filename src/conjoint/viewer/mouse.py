"""Mouse control of the scene: it moves the camera, selects bodies, and pulls the selected body."""

from __future__ import annotations

import time

import glfw
import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.schema.enums_visual import mjtCamera, mjtMouse, mjtPertBit
from conjoint.viewer.picture import Picture
from conjoint.viz.mouse import mjv_moveCamera, mjv_movePerturb
from conjoint.viz.perturb import mjv_select

DOUBLE_CLICK = 0.25
"""Maximum time (s) between two clicks that count as a double click."""

WHEEL = 0.05
"""Mouse motion equivalent to one notch of the wheel, relative to the height of the picture."""

PULLS = {glfw.MOUSE_BUTTON_RIGHT: mjtPertBit.mjPERT_TRANSLATE, glfw.MOUSE_BUTTON_LEFT: mjtPertBit.mjPERT_ROTATE}
"""Effects of mouse buttons on the selected body (mjtPertBit)."""

Place = tuple[float, float]
"""A position in the picture, relative to its size, from the lower left corner."""


class Mouse:
    """State of the mouse buttons over a picture, and their actions."""

    def __init__(self) -> None:
        self.held: int | None = None
        self.control = self.shift = False
        self._last: tuple[int, float] = (-1, 0.0)

    def press(
        self, picture: Picture, d: MjData, button: int, modifiers: int, place: Place, delay: float
    ) -> None:  # fmt: skip
        """Handle a button press at a position in the picture; `delay` (s) is the largest delay of events."""
        now = time.perf_counter()
        double = self._last[0] == button and now - self._last[1] < DOUBLE_CLICK + delay
        self.held = button
        self.control, self.shift = bool(modifiers & glfw.MOD_CONTROL), bool(modifiers & glfw.MOD_SHIFT)
        if double:
            self._select(picture, d, button, place)
        elif self.control and button in PULLS:
            if picture.exchange.pert.select <= 0:
                self._select(picture, d, glfw.MOUSE_BUTTON_LEFT, place)
            picture.exchange.grab(d, picture.scn, PULLS[button])
        # use the current time, because handling a click takes time, too
        self._last = (-1, 0.0) if double else (button, time.perf_counter())

    def release(self, picture: Picture, button: int) -> None:
        """Handle a button release."""
        if button == self.held:
            self.held = None
            picture.exchange.release()

    def move(self, picture: Picture, d: MjData, dx: float, dy: float) -> None:
        """Handle a drag by dx to the right and dy downward, as fractions of the picture height."""
        if self.held is None:
            return
        exchange = picture.exchange
        action = self._action()
        with exchange.lock:
            if exchange.pert.active:
                mjv_movePerturb(exchange.m, d, action, dx, dy, picture.scn, exchange.pert)
            else:
                mjv_moveCamera(exchange.m, action, dx, dy, picture.scn, exchange.cam)

    def scroll(self, picture: Picture, notches: float) -> None:
        """Handle the scroll wheel: zoom the camera."""
        exchange = picture.exchange
        with exchange.lock:
            mjv_moveCamera(exchange.m, mjtMouse.mjMOUSE_ZOOM, 0.0, WHEEL * notches, picture.scn, exchange.cam)

    def _action(self) -> int:
        if self.held == glfw.MOUSE_BUTTON_RIGHT:
            return mjtMouse.mjMOUSE_MOVE_H if self.shift else mjtMouse.mjMOUSE_MOVE_V
        if self.held == glfw.MOUSE_BUTTON_LEFT:
            return mjtMouse.mjMOUSE_ROTATE_H if self.shift else mjtMouse.mjMOUSE_ROTATE_V
        return mjtMouse.mjMOUSE_ZOOM

    def _select(self, picture: Picture, d: MjData, button: int, place: Place) -> None:
        """Handle a double click: select the body (left), look at the point (right), or follow the body (Ctrl right)."""
        exchange, viewport = picture.exchange, picture.viewport
        point, geom, flex, skin = np.zeros(3), *(np.full(1, -1, np.int32) for _ in range(3))
        aspect = viewport.width / viewport.height
        with exchange.lock:
            cam, pert = exchange.cam, exchange.pert
            body = mjv_select(exchange.m, d, exchange.opt, aspect, *place, picture.scn, point, geom, flex, skin)
            if button == glfw.MOUSE_BUTTON_LEFT:
                pert.active = 0
                pert.flexselect, pert.skinselect = int(flex[0]), int(skin[0])
                exchange.select(d, max(body, 0), point if body > 0 else None)
            elif button == glfw.MOUSE_BUTTON_RIGHT and body >= 0:
                cam.lookat = point
                if self.control and body > 0:
                    cam.type, cam.trackbodyid, cam.fixedcamid = int(mjtCamera.mjCAMERA_TRACKING), body, -1
