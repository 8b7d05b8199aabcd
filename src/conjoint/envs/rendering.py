"""Pictures of environments: `render_mode` "rgb_array" by OpenGL or by rays, "human" in a window."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.batch import Batch
from conjoint.lang import FatalError

MODES = ("rgb_array", "human")
"""What an environment can be asked to show."""

STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "userdata", "eq_active")
"""Fields that decide what is seen of a world."""


def check_mode(mode: str | None) -> None:
    """Raise ValueError unless there is such a render mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode {mode!r}: it is 'rgb_array', 'human' or None")


class Pictures:
    """Shows worlds of a batch: as arrays, or one of them in a window.

    Args:
        batch: the worlds.
        mode: "rgb_array" or "human".
        size: width and height in pixels.
        camera: of the model, by name or number, -1 for a free one that sees all of it; None for a camera that follows,
            or the first one, or a free one.
        vary: fields of the model of which every world has its own.
        fps: pictures per second of a window.
    """

    def __init__(
        self, batch: Batch, mode: str, size: tuple[int, int], camera: int | str | None, vary: list[str], fps: float
    ):
        self.batch, self.mode, self.size, self.vary, self.fps = batch, mode, size, vary, fps
        self.model = copy.copy(batch.model)
        buffer = self.model.vis.global_
        buffer.offwidth, buffer.offheight = max(size[0], buffer.offwidth), max(size[1], buffer.offheight)
        self.data = MjData(self.model)
        self.camera = first_camera(self.model) if camera is None else camera
        self._renderer: Any = None
        self._window: Any = None
        self._shown = 0.0

    def arrays(self) -> tuple[np.ndarray, ...]:
        """A picture of every world, shape (height, width, 3), uint8."""
        return tuple(self.array(world) for world in range(self.batch.nworld))

    def array(self, world: int) -> np.ndarray:
        """A picture of one world."""
        if self._renderer is None:
            self._renderer = new_renderer(self.model, *self.size)
        self._take(world)
        self._renderer.update_scene(self.data, self.camera)
        return self._renderer.render()

    def show(self) -> None:
        """Show the first world in the window, which is opened at first, and wait until its picture is due.

        Raises:
            FatalError: no display, no OpenGL, or a package is missing; the message says what to install.
        """
        from conjoint import viewer

        self._take(0)
        if self._window is None:
            self._window = viewer.launch_passive(self.model, self.data)
        if self._window.is_running():
            self._window.sync()
        wait = self._shown + 1 / self.fps - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        self._shown = time.perf_counter()

    def _take(self, world: int) -> None:
        """Let the model and data of the pictures be those of a world."""
        for name in self.vary:
            *groups, last = name.split(".")
            theirs, ours = self.batch, self.model
            for group in groups:
                theirs, ours = getattr(theirs, group), getattr(ours, group)
            getattr(ours, last)[...] = np.reshape(getattr(theirs, last)[world], np.shape(getattr(ours, last)))
        for name in STATE:
            array = getattr(self.data, name)
            if array.size:
                array[...] = getattr(self.batch, name)[world]
        mj_forward(self.model, self.data)

    def close(self) -> None:
        """Close the window, give back what draws."""
        for each in (self._renderer, self._window):
            if each is not None:
                each.close()
        self._renderer = self._window = None


def new_renderer(model: Any, width: int, height: int) -> Any:
    """Make a renderer of a model: OpenGL where there is some, else rays."""
    from conjoint.render import RayRenderer, Renderer

    try:
        return Renderer(model, height, width)
    except FatalError:
        return RayRenderer(model, width, height)


def first_camera(model: Any) -> int:
    """A camera that follows what moves, or the first one; -1 if the model has none."""
    following = np.flatnonzero(model.cam_mode != 0)
    return int(following[0]) if len(following) else min(model.ncam, 1) - 1
