"""The server of a page: viser, which sends a browser what it draws and what a user can press."""

from __future__ import annotations

import atexit
import contextlib
import io
import socket
from typing import Any

import numpy as np

from conjoint.api.functions.visual import mjv_defaultFreeCamera
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera
from conjoint.lang import FatalError
from conjoint.lang.optional_packages import need

LAST_PORT = 65535
"""The largest number of a port."""


def open_server(host: str, port: int) -> Any:
    """Start a server; if the port is taken, on the next one that is not.

    Raises:
        FatalError: viser is not installed, this machine is not called `host`, or there is no such port.
    """
    if not (isinstance(port, int) and 1 <= port <= LAST_PORT):
        raise FatalError(f"the port of a page is 1 to {LAST_PORT}, not {port!r}")
    viser = need("web", "the page")
    # viser would wait for its server, which has died
    try:
        with socket.create_server((host, 0)):
            pass
    except OSError:
        known = "127.0.0.1 is this machine for itself, 0.0.0.0 for all that reach it"
        raise FatalError(
            f"the page cannot be served at host {host!r}, which is no address of this machine: {known}"
        ) from None
    # viser prints a frame with its address; who opens the page says it in a sentence
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label="Conjoint", verbose=False)
    server.scene.set_up_direction("+z")
    _open.append(server)
    return server


_open: list[Any] = []
"""Servers that run."""


def close_server(server: Any) -> None:
    """Stop a server, without the line that viser prints then; no-op for one that has stopped."""
    if server in _open:
        _open.remove(server)
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


@atexit.register
def _close_all() -> None:
    """Stop all servers."""
    for server in list(_open):
        close_server(server)


def address(server: Any) -> str:
    """Where a browser finds the page."""
    host = server.get_host()
    return f"http://{'localhost' if host in ('0.0.0.0', '127.0.0.1') else host}:{server.get_port()}"


def look_from_start(server: Any, m: MjModel, apart: float = 0.0) -> None:
    """Put the camera of new browsers where the free camera is at first, or further away by `apart` (m)."""
    cam = MjvCamera()
    mjv_defaultFreeCamera(m, cam)
    azimuth, elevation = np.deg2rad([cam.azimuth, cam.elevation])
    forward = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    server.initial_camera.look_at = tuple(float(x) for x in cam.lookat)
    server.initial_camera.position = tuple(float(x) for x in cam.lookat - (cam.distance + apart) * forward)
    server.initial_camera.up = (0.0, 0.0, 1.0)
    server.initial_camera.fov = float(np.deg2rad(m.vis.global_.fovy))
