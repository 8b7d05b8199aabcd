"""A web page that shows the worlds of a batch side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjvScene
from conjoint.batch import Batch
from conjoint.batch.exchange import chosen_worlds
from conjoint.lang.errors import ArgumentError
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.web.lights import Lights
from conjoint.viewer.web.nodes import Nodes
from conjoint.viewer.web.page import ROOM
from conjoint.viewer.web.server import close_server, look_from_start, open_server
from conjoint.viewer.web.sky import Sky

MOST = slice(16)
"""Worlds that are shown by default: the first 16."""

APART = 2.0
"""Default distance between worlds, in extents of the model."""


class Crowd:
    """A web page that shows worlds of a batch on a grid; as a context manager, it stops the server on exit.

    Args:
        batch: the worlds.
        spacing: distance between neighboring worlds (m); None for a multiple of the model's size.
        host, port: as for `launch`.
        worlds: selection of worlds, as in `Batch.reset`; None for the first 16.

    Attributes:
        opt: visualization options.
        url: the address of the page for a browser.

    Raises:
        ValueError: no worlds are selected, or a selected world does not exist.
        FatalError: viser is not installed.
    """

    def __init__(
        self, batch: Batch, spacing: float | None = None, host: str = "127.0.0.1", port: int = 8080, *,
        worlds: Any = None,
    ):  # fmt: skip
        self._chosen = chosen_worlds(MOST if worlds is None else worlds, batch.nworld)
        if not len(self._chosen):
            raise ArgumentError(f"worlds = {worlds!r} are not valid worlds: choose from 0 to {batch.nworld - 1}")
        self.batch, m = batch, batch.model
        self.server, self.url = open_server(host, port)
        distance = APART * float(m.stat.extent) if spacing is None else float(spacing)
        columns = math.ceil(math.sqrt(len(self._chosen)))
        self._d, self._scn = MjData(m), MjvScene(m, ROOM)
        mj_forward(m, self._d)
        self._exchange = Exchange(m, self._d)
        look_from_start(self.server, m, self._d, distance * (columns - 1))
        self.opt = self._exchange.opt
        self._worlds: list[Nodes] = []
        self._lights = Lights(self.server, m, followed=False, alone=False)
        self._sky = Sky(self.server, m)
        for k, w in enumerate(self._chosen):
            place = distance * (np.array(divmod(k, columns)) - (columns - 1) / 2)
            name = f"/world_{w}"
            self.server.scene.add_frame(name, position=(*place.tolist(), 0.0), show_axes=False)
            self._worlds.append(Nodes(self.server.scene, m, name))
        self.sync()

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def sync(self) -> None:
        """Show the current poses of the worlds."""
        states = {name: np.asarray(getattr(self.batch, name)) for name in ("qpos", "mocap_pos", "mocap_quat")}
        with self.server.atomic():
            for w, nodes in zip(self._chosen, self._worlds, strict=True):
                for name, values in states.items():
                    getattr(self._d, name)[...] = values[w].reshape(getattr(self._d, name).shape)
                mj_forward(self._exchange.m, self._d)
                self._exchange.update_scene(self._d, self._scn)
                nodes.update(self._scn)
            self._lights.update(self._scn)
        self._sky.update()

    def close(self) -> None:
        """Stop the server; browsers report the lost connection."""
        close_server(self.server)
