"""Pages that need no server: a recording in a file, which any browser plays."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from conjoint.api.arguments import FrameRate, given
from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvOption, MjvScene
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.web.lights import Lights
from conjoint.viewer.web.nodes import Nodes
from conjoint.viewer.web.page import ROOM
from conjoint.viewer.web.server import close_server, look_from_start, open_server

PORT = 8090
"""First port that the server of a recording tries; no browser ever connects to it."""


def export_page(
    model: MjModel, states: Iterable[np.ndarray], path: str | Path, fps: float = 30.0, option: MjvOption | None = None
) -> int:
    """Write a page that plays a motion in any browser, without a server: time can be scrubbed, the camera moved.

    Args:
        model: the model.
        states: positions `qpos` of each picture, shape (nq,) each; the array `qpos` of a recording by
            `conjoint simulate --record`, for example.
        path: file to write (.html).
        fps: pictures in a second.
        option: what is shown.

    Returns:
        the number of pictures.

    Raises:
        ValueError: no states, states of another shape or with NaN or infinity, or `fps` is not positive.
        FatalError: viser is not installed.
        OSError: the file cannot be written.
    """
    fps = given("export_page: fps", fps, FrameRate)
    server, _ = open_server("127.0.0.1", PORT)
    try:
        data, scn = MjData(model), MjvScene(model, ROOM)
        mj_forward(model, data)
        look_from_start(server, model, data)
        exchange = Exchange(model, data)
        exchange.opt = exchange.opt if option is None else option
        nodes, lights = Nodes(server.scene, model, "/world"), Lights(server, model, followed=False)
        serializer, count = None, 0
        for state in states:
            row = np.asarray(state, float)
            if row.shape != (model.nq,):
                raise ValueError(f"state {count} has shape {row.shape}, but the model has nq = {model.nq}")
            if not np.isfinite(row).all():
                raise ValueError(f"state {count} is not finite: the simulation diverged there")
            data.qpos[:] = row
            mj_forward(model, data)
            exchange.update_scene(data, scn)
            nodes.update(scn)
            lights.update(scn)
            # the recording begins with the scene as it is then
            serializer = server.get_scene_serializer() if serializer is None else serializer
            serializer.insert_sleep(1.0 / fps)
            count += 1
        if serializer is None:
            raise ValueError("there are no states to show")
        Path(path).write_text(serializer.as_html(), encoding="utf-8")
    finally:
        close_server(server)
    return count
