"""A web page that shows and controls a world."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjvScene
from conjoint.schema.enums_visual import mjtPertBit
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.simulation import Simulation
from conjoint.viewer.web.lights import Lights
from conjoint.viewer.web.nodes import Labels, Nodes
from conjoint.viewer.web.panel import Panel
from conjoint.viewer.web.server import close_server, frame_all, look_from_start, open_server, refresh_if_changed
from conjoint.viewer.web.sky import Sky
from conjoint.viewer.web.takes import Takes

MODIFIER = "cmd/ctrl"
"""Modifier key that must be held while dragging a body."""


class Pointer:
    """Handler of mouse clicks on bodies, and of drags that pull bodies.

    Args:
        exchange: channel to the world's owner.
        scn: scene of the world.
    """

    def __init__(self, exchange: Exchange, scn: MjvScene):
        self.exchange, self.scn = exchange, scn

    def watch(self, handle: Any, body: int) -> None:
        """Register a browser node as a part of a body that can be clicked and dragged."""

        # viser calls async functions for the events of a browser in order
        async def click(event: Any) -> None:
            self.select(body)

        async def drag(event: Any) -> None:
            if event.phase == "start":
                self.grab(body, np.array(event.start_position))
            elif event.phase == "end":
                self.exchange.release()
            self.pull(np.array(event.end_position))

        handle.on_click(click)
        handle.on_drag("left", modifier=MODIFIER)(drag)

    def select(self, body: int) -> None:
        """Select a body at its origin."""
        self.exchange.select(self.exchange.latest, body)

    def grab(self, body: int, point: np.ndarray) -> None:
        """Start pulling a body at a global point."""
        d = self.exchange.take()
        self.exchange.select(d, body, point)
        self.exchange.grab(d, self.scn, mjtPertBit.mjPERT_TRANSLATE)

    def pull(self, point: np.ndarray) -> None:
        """Pull the selected body toward a global point."""
        pert = self.exchange.pert
        with self.exchange.lock:
            if pert.active:
                pert.refpos = pert.refpos + (point - pert.refselpos)
                pert.refselpos = point


RATE = 30.0
"""Maximum number of updates per second."""

ROOM = 20000
"""Maximum number of geoms in a scene."""


class Page:
    """A web server, and the thread that updates browsers.

    Args:
        source: a simulation that the page controls, or the channel to a program that steps a world.
        host, port: address at which the page is served.

    Attributes:
        url: the address of the page for a browser.

    Raises:
        FatalError: viser is not installed.
    """

    def __init__(self, source: Simulation | Exchange, host: str, port: int):
        self.server, self.url = open_server(host, port)
        self.source = source
        self.message = ""
        self._closed = threading.Event()
        self._exchange: Exchange | None = None
        self._lights: Lights | None = None
        self._thread = threading.Thread(target=self._run, name="conjoint page", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def close(self) -> None:
        """Stop the server; browsers report the lost connection."""
        if not self.closed:
            self._closed.set()
            self._thread.join()
            close_server(self.server)

    def _run(self) -> None:
        while not self.closed:
            start = time.perf_counter()
            exchange = self.source.exchange if isinstance(self.source, Simulation) else self.source
            if exchange is None:
                self._announce()
            else:
                if exchange is not self._exchange:
                    self._show(exchange)
                self._update(exchange)
            self._closed.wait(max(0.001, 1 / RATE - (time.perf_counter() - start)))

    def _announce(self) -> None:
        """Show the reason why no model has been loaded yet."""
        message = self.source.message if isinstance(self.source, Simulation) else ""
        if message != self.message:
            self.message = message
            self.server.gui.add_markdown(f"⚠ {message}")

    def _show(self, exchange: Exchange) -> None:
        """Replace the page's contents by those for a different model."""
        server, m = self.server, exchange.m
        server.scene.reset()
        server.gui.reset()
        look_from_start(server, m, exchange.latest)
        self._sky = Sky(server, m)
        self._scn = MjvScene(m, ROOM)
        pointer = Pointer(exchange, self._scn)
        self._nodes = Nodes(server.scene, m, "/world", pointer.watch)
        self._labels = Labels(server.scene, "/world")
        self._added = Nodes(server.scene, m, "/program")
        if self._lights is not None:
            self._lights.close()
        self._lights = Lights(server, m)
        simulation = self.source if isinstance(self.source, Simulation) else None
        self._takes = Takes(server, exchange)
        again = partial(self._refresh, exchange)
        self._panel = Panel(server, exchange, simulation, again, self._takes)
        self._exchange, self._placed = exchange, exchange.placed

    def _refresh(self, exchange: Exchange) -> None:
        """Reset the cameras of all browsers to their initial pose."""
        refresh_if_changed(self.server, exchange.m, exchange.latest)

    def _update(self, exchange: Exchange) -> None:
        """Update browsers to show the latest copy of the world."""
        d: MjData = exchange.take()
        with exchange.lock:
            exchange.update_scene(d, self._scn, coiled=False)
            with self.server.atomic():
                self._nodes.update(self._scn)
                self._labels.update(self._scn)
                self._added.update(exchange.user_scn)
                if self._lights is not None:
                    self._lights.update(self._scn)
        if exchange.placed != self._placed:
            self._placed = exchange.placed
            frame_all(self.server, exchange.m, d)
        self._sky.update()
        self._takes.follow(d)
        self._panel.update(d)
