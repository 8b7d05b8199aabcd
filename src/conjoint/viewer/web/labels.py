"""Texts beside geoms, and what is seen behind all of them, in a browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.render.resources import pixels_of
from conjoint.schema.enums import mjtTexture


class Labels:
    """Labels of a scene as nodes, which are used again for other labels.

    Args:
        api: the scene of viser.
        root: name of the node that they belong to.
    """

    def __init__(self, api: Any, root: str):
        self.api, self.root = api, root
        self._nodes: list[Any] = []

    def update(self, scn: MjvScene) -> None:
        """Show the labels of a scene."""
        count = int(scn.ngeom)
        texts, places = (scn.memory.view(f"geoms.{name}")[:count] for name in ("label", "pos"))
        labelled = np.flatnonzero(texts[:, 0])
        for k, g in enumerate(labelled):
            self._show(k, bytes(texts[g]).split(b"\0")[0].decode(errors="replace"), places[g].astype(float))
        for node in self._nodes[len(labelled) :]:
            node.visible = False

    def _show(self, k: int, text: str, place: np.ndarray) -> None:
        """Let node `k` show a text."""
        if k == len(self._nodes):
            self._nodes.append(
                self.api.add_label(f"{self.root}/label_{k}", text, position=place, anchor="center-center")
            )
            return
        node = self._nodes[k]
        if node.text != text:
            node.text = text
        if not np.array_equal(node.position, place):
            node.position = place
        node.visible = True


def backdrop(m: MjModel) -> np.ndarray | None:
    """What stands behind the scene: rows of a side of the sky, from above, shape (rows, 2, 3); None without one."""
    found = np.flatnonzero(m.tex_type == mjtTexture.mjTEXTURE_SKYBOX)
    if not len(found):
        return None
    pixels = pixels_of(m, int(found[0]))
    side = pixels[: pixels.shape[1], :, :3]
    rows = side.reshape(len(side), -1, side.shape[2]).mean(axis=1).round().astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(rows[:, None], (len(rows), 2, 3)))
