"""Screenshots and films of a page: files in the working folder, which browsers also download."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjvCamera
from conjoint.lang import FatalError
from conjoint.render.film import Film, FilmRenderer
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.files import free_name, located
from conjoint.viewer.web.server import camera_of

FPS = 30
"""Frames per second of a film."""

LONGEST = 60 * FPS
"""Maximum number of frames of a film; the oldest ones are discarded."""

SIZE = 640, 480
"""Maximum width and height of a film, in pixels."""

STATE = ("qpos", "mocap_pos", "mocap_quat")
"""State fields that determine the poses of bodies."""


class Takes:
    """Actions of a page's buttons for screenshots and films.

    Args:
        server: viser's server.
        exchange: channel to the world's owner.

    Attributes:
        note: message about the current recording, or about the file that was saved last.
    """

    def __init__(self, server: Any, exchange: Exchange):
        self.server, self.exchange, self.note = server, exchange, ""
        self._states: list[dict[str, np.ndarray]] | None = None
        self._time = 0.0

    @property
    def recording(self) -> bool:
        return self._states is not None

    def screenshot(self) -> None:
        """Save a picture of each browser's view."""
        from PIL import Image

        for client in self.server.get_clients().values():
            height, width = client.camera.image_height, client.camera.image_width
            pixels = client.get_render(height, width, transport_format="png")
            path = free_name("conjoint", ".png")
            Image.fromarray(np.asarray(pixels)[..., :3]).save(path)
            self._saved(path)

    def record(self, on: bool) -> None:
        """Start recording the motion, or stop and render a film of it from the first browser's current view."""
        if on:
            self._states, self._time = [], -np.inf
            return
        states, self._states = self._states, None
        if not states:
            self.note = "Nothing moved, so no film was recorded."
            return
        threading.Thread(target=self._film, args=(states, self._camera()), name="conjoint film", daemon=True).start()

    def follow(self, d: MjData) -> None:
        """Record the state of the world if it is time for the next frame."""
        if self._states is None:
            return
        # if time decreases, for example after a reset, continue the recording
        if d.time < self._time or d.time >= self._time + 1 / FPS - 1e-9:
            self._time = float(d.time)
            self._states = [*self._states, {name: np.copy(getattr(d, name)) for name in STATE}][-LONGEST:]
        self.note = f"recording: {len(self._states) / FPS:.1f} s"

    def _camera(self) -> MjvCamera:
        """Return a camera with the pose of the first browser's camera."""
        for client in self.server.get_clients().values():
            return camera_of(client)
        self.exchange.free_camera()
        return self.exchange.cam

    def _film(self, states: list[dict[str, np.ndarray]], camera: MjvCamera) -> None:
        """Draw recorded states, and save them as MP4, or as GIF if FFmpeg is not installed."""
        try:
            film = Film(list(self._frames(states, camera)), FPS)
            path = free_name("conjoint", ".mp4")
            try:
                film.save(path)
            except FatalError:
                path = free_name("conjoint", ".gif")
                film.save(path)
        except (FatalError, ValueError, OSError) as error:
            self.note = f"Cannot create a film: {error}"
        else:
            self._saved(path)

    def _frames(self, states: list[dict[str, np.ndarray]], camera: MjvCamera) -> Iterator[np.ndarray]:
        """Yield a picture of each recorded state."""
        m = self.exchange.m
        width, height = min(SIZE[0], m.vis.global_.offwidth), min(SIZE[1], m.vis.global_.offheight)
        renderer, d = FilmRenderer(m, width, height), MjData(m)
        try:
            for k, state in enumerate(states):
                self.note = f"creating a film: {100 * k // len(states)} %"
                for name, values in state.items():
                    getattr(d, name)[...] = values
                mj_forward(m, d)
                yield renderer.picture(d, camera)
        finally:
            renderer.close()

    def _saved(self, path: Path) -> None:
        """Show the path of a file, and send the file to browsers for download."""
        self.note = f"Saved {located(path)}."
        for client in self.server.get_clients().values():
            client.send_file_download(path.name, path.read_bytes())
