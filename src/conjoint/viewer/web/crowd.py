"""A page of the worlds of a batch, side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjvScene
from conjoint.batch import Batch
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.web.lights import Lights
from conjoint.viewer.web.nodes import Nodes
from conjoint.viewer.web.page import ROOM
from conjoint.viewer.web.server import close_server, look_from_start, open_server

APART = 2.0
"""Distance between worlds, in extents of the model, unless the user says another."""


class Crowd:
    """A page that shows worlds of a batch on a grid; as a context manager it ends the server at the end.

    Args:
        batch: the worlds.
        worlds: how many of them are shown, the first ones.
        spacing: distance between neighbours (m); None for a multiple of the size of the model.
        host, port: as of `launch`.

    Attributes:
        opt: what is shown.
        url: the address that a browser opens.

    Raises:
        ValueError: no worlds are to be shown, or more than there are.
        FatalError: viser is not installed.
    """

    def __init__(
        self, batch: Batch, worlds: int = 16, spacing: float | None = None, host: str = "127.0.0.1", port: int = 8080
    ):
        count = min(int(worlds), batch.nworld)
        if count < 1:
            raise ValueError(f"worlds must be at least 1, got {worlds}")
        self.batch, m = batch, batch.model
        self.server, self.url = open_server(host, port)
        distance = APART * float(m.stat.extent) if spacing is None else float(spacing)
        columns = math.ceil(math.sqrt(count))
        look_from_start(self.server, m, distance * (columns - 1))
        self._d, self._scn = MjData(m), MjvScene(m, ROOM)
        self._exchange = Exchange(m, self._d)
        self.opt = self._exchange.opt
        self._worlds: list[Nodes] = []
        self._lights = Lights(self.server, m, followed=False, alone=False)
        for w in range(count):
            place = distance * (np.array(divmod(w, columns)) - (columns - 1) / 2)
            name = f"/world_{w}"
            self.server.scene.add_frame(name, position=(*place.tolist(), 0.0), show_axes=False)
            self._worlds.append(Nodes(self.server.scene, m, name))
        self.sync()

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def sync(self) -> None:
        """Show where the worlds are now."""
        states = {name: np.asarray(getattr(self.batch, name)) for name in ("qpos", "mocap_pos", "mocap_quat")}
        with self.server.atomic():
            for w, nodes in enumerate(self._worlds):
                for name, values in states.items():
                    getattr(self._d, name)[...] = values[w].reshape(getattr(self._d, name).shape)
                mj_forward(self._exchange.m, self._d)
                self._exchange.update_scene(self._d, self._scn)
                nodes.update(self._scn)
            self._lights.update(self._scn)

    def close(self) -> None:
        """End the server; browsers show that it is gone."""
        close_server(self.server)
