"""The web viewer: a web page that simulates a model, or that shows a program's simulation.

    from conjoint.viewer import web

    web.launch_from_path("models/humanoid.xml")

The viewer needs `pip install 'conjoint[web]'`. It does not need OpenGL, because the browser draws the scene.
"""

from __future__ import annotations

import time

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.handle import BaseHandle, check_world
from conjoint.viewer.simulation import Loader, Simulation, file_loader
from conjoint.viewer.web.crowd import Crowd
from conjoint.viewer.web.page import Page
from conjoint.viewer.web.recording import export_page

__all__ = ["Crowd", "Handle", "export_page", "launch", "launch_from_path", "launch_passive"]

HOST, PORT = "127.0.0.1", 8080
"""Default address of a page, which only this machine can reach."""

WAIT = 0.2
"""Interval (s) between checks for whether the user has stopped the server."""


def launch(model: MjModel, data: MjData | None = None, *, host: str = HOST, port: int = PORT) -> None:
    """Serve a web page that simulates a model, and return when the user presses Ctrl-C.

    Args:
        model: the model.
        data: the world that the page steps; None for a new one.
        host, port: address of the page. If the port is taken, the next free port is used. If other machines can reach
            the host (0.0.0.0), the address contains a token, and requests without it are refused.

    Raises:
        ValueError: an argument has a wrong type, or the host is not an address of this machine.
        FatalError: viser is not installed.
    """

    def loader() -> tuple[MjModel, MjData]:
        return model, MjData(model) if data is None else data

    check_world(*loader())
    _simulate(loader, host, port)


def launch_from_path(path: str, *, host: str = HOST, port: int = PORT) -> None:
    """Serve a web page that simulates the model in a file (MJCF, URDF or MJB), and return when the user presses Ctrl-C.

    Args:
        path: the file. If it is invalid, the page shows the error.
        host, port: address of the page. If the port is taken, the next free port is used. If other machines can reach
            the host (0.0.0.0), the address contains a token, and requests without it are refused.

    Raises:
        FatalError: viser is not installed.
    """
    _simulate(file_loader(path), host, port)


def _simulate(loader: Loader, host: str, port: int) -> None:
    simulation = Simulation(loader)
    page = Page(simulation, host, port)
    simulation.start()
    elsewhere = " (from another machine: with the name of this machine)" if "?" in page.url else ""
    print(f"open {page.url} in a browser{elsewhere}; press Ctrl-C to stop it")
    try:
        while not page.closed:
            time.sleep(WAIT)
    except KeyboardInterrupt:
        pass
    finally:
        simulation.stop()
        page.close()


class Handle(BaseHandle):
    """Handle of a page that shows a user's world; created by `launch_passive`."""

    @property
    def url(self) -> str:
        """Address of the page."""
        return self._viewer.url

    def _repr_html_(self) -> str:
        """Return the HTML that shows the page inline in a notebook."""
        return f'<iframe src="{self.url}" width="100%" height="480" style="border: none"></iframe>'


def launch_passive(model: MjModel, data: MjData, *, host: str = HOST, port: int = PORT) -> Handle:
    """Serve a web page for a world that the user steps, and return immediately.

    Args:
        model: the model.
        data: the world; each `Handle.sync` updates browsers to its state.
        host, port: address of the page. If the port is taken, the next free port is used. If other machines can reach
            the host (0.0.0.0), the address contains a token, and requests without it are refused.

    Raises:
        ValueError: an argument has a wrong type, or the host is not an address of this machine.
        FatalError: viser is not installed.
    """
    check_world(model, data)
    mj_forward(model, data)
    exchange = Exchange(model, data)
    return Handle(Page(exchange, host, port), exchange, data)
