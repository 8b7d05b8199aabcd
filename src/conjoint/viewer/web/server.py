"""Server of a web page: viser sends the scene and the controls to browsers."""

from __future__ import annotations

import atexit
import contextlib
import io
import socket
import threading
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from conjoint.api.argument_kinds import Integer
from conjoint.api.arguments import given
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera
from conjoint.lang import ArgumentError, FatalError
from conjoint.lang.optional_packages import need
from conjoint.viewer.web.access import Access
from conjoint.viz.camera import direction
from conjoint.viz.framing import frame_motion, keep_in_view

Port = Annotated[int, Integer(1, 65535)]
"""A port number."""

BRAND = (15, 110, 120)
"""Color of buttons and sliders in browsers."""

GUARDING = threading.Lock()
"""Lock that is held while the function `serve` of websockets is replaced, during the start of a server."""


def open_server(host: str, port: int) -> tuple[Any, str]:
    """Start a server, on the next free port if the requested port is taken.

    Returns:
        the server, and the address of the page for a browser.

    Raises:
        FatalError: viser is not installed, or its requests cannot be checked.
        ValueError: `host` is not an address of this machine, or the port is invalid.
    """
    port = given("port", port, Port)
    viser = need("web", "the page")
    # test the address first, because viser would wait forever for a server that failed to start
    try:
        with socket.create_server((host, 0)):
            pass
    except OSError:
        known = "127.0.0.1 allows access from this machine only, 0.0.0.0 from all machines that can reach it"
        raise ArgumentError(
            f"the page cannot be served at host {host!r}, which is no address of this machine: {known}"
        ) from None
    access = Access(host)
    # suppress the box that viser prints with its address; the caller prints a sentence instead
    with contextlib.redirect_stdout(io.StringIO()), guarded_by(access) as starts:
        server = viser.ViserServer(host=host, port=port, label="Conjoint", verbose=False)
    if not starts:
        server.stop()
        raise FatalError(
            f"viser {viser.__version__} cannot be protected from pages of other origins: install another version"
        )
    server.scene.set_up_direction("+z")
    server.gui.configure_theme(brand_color=BRAND)
    _open.append(server)
    return server, access.url(server.get_port())


_open: list[Any] = []
"""Servers that are currently running."""


def close_server(server: Any) -> None:
    """Stop a server without viser's message; no-op if it has already been stopped."""
    if server in _open:
        _open.remove(server)
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


@atexit.register
def _close_all() -> None:
    """Stop all running servers."""
    for server in list(_open):
        close_server(server)


@contextlib.contextmanager
def guarded_by(access: Access) -> Iterator[list[str]]:
    """Make servers that viser starts inside this context check every request with `access`.

    viser has no setting for this check. It passes its request handler to `serve` of websockets, which is wrapped here.

    Yields:
        a list of module names. When a viser module starts a server inside this context, its name is appended.
    """
    from websockets.asyncio import server

    serve, starts = server.serve, []

    def guarded_serve(handler: Any, *place: Any, **settings: Any) -> Any:
        # ignore servers that another thread of the program starts
        if handler.__module__.startswith("viser."):
            starts.append(handler.__module__)
            settings["process_request"] = access.guard(settings["process_request"])
        return serve(handler, *place, **settings)

    with GUARDING:
        server.serve = guarded_serve  # type: ignore[assignment, misc]
        try:
            yield starts
        finally:
            server.serve = serve  # type: ignore[misc]


def look_from_start(server: Any, m: MjModel, d: MjData, apart: float = 0.0) -> None:
    """Set the initial camera of new browsers to frame all moving bodies, from a distance increased by `apart` (m)."""
    position, lookat = first_view(m, d, apart)
    server.initial_camera.look_at, server.initial_camera.position = lookat, position
    server.initial_camera.up = (0.0, 0.0, 1.0)
    server.initial_camera.fov = float(np.deg2rad(m.vis.global_.fovy))


def refresh_if_changed(server: Any, m: MjModel, d: MjData) -> None:
    """Reset the cameras of all browsers to the initial view."""
    position, lookat = first_view(m, d)
    for client in server.get_clients().values():
        with client.atomic():
            client.camera.up_direction = (0.0, 0.0, 1.0)
            client.camera.position, client.camera.look_at = position, lookat
            client.camera.fov = float(np.deg2rad(m.vis.global_.fovy))


def first_view(m: MjModel, d: MjData, apart: float = 0.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the position of the initial camera, and the point at which it looks."""
    cam = MjvCamera()
    frame_motion(m, d, cam)
    position = cam.lookat - (cam.distance + apart) * direction(cam)
    return tuple(map(float, position)), tuple(map(float, cam.lookat))


def camera_of(client: Any) -> MjvCamera:
    """Return a free camera with the pose of a browser's camera."""
    made, way = MjvCamera(), client.camera.look_at - client.camera.position
    made.distance = float(np.linalg.norm(way))
    made.lookat[:] = client.camera.look_at
    made.azimuth = float(np.degrees(np.arctan2(way[1], way[0])))
    made.elevation = float(np.degrees(np.arcsin(np.clip(way[2] / max(made.distance, 1e-9), -1, 1))))
    return made


def frame_all(server: Any, m: MjModel, d: MjData) -> None:
    """Aim the cameras of browsers at the moving bodies, after a state change that moved the bodies out of view."""
    for client in server.get_clients().values():
        before, cam = camera_of(client), camera_of(client)
        keep_in_view(m, d, cam)
        if cam.distance != before.distance or (cam.lookat != before.lookat).any():
            with client.atomic():
                client.camera.position = tuple(map(float, cam.lookat - cam.distance * direction(cam)))
                client.camera.look_at = tuple(map(float, cam.lookat))
