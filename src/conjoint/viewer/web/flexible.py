"""Flexes and skins in a browser: meshes whose vertices move."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.schema.enums import mjtGeom
from conjoint.viz.flexes import elements_of, shell_of


class Flexibles:
    """The flexes and skins of a world.

    Args:
        api: the scene of viser.
        m: the model.
        root: name of the node that they belong to.
    """

    def __init__(self, api: Any, m: MjModel, root: str):
        self.api, self.m, self.root = api, m, root
        self._handles: dict[tuple[int, int], Any] = {}
        self._points: dict[tuple[int, int], np.ndarray] = {}

    def update(self, scn: MjvScene, kind: int, i: int, colour: np.ndarray) -> None:
        """Show flex or skin `i` where it is."""
        lines = kind == mjtGeom.mjGEOM_FLEX and self.m.flex_dim[i] == 1
        points = self._vertices(scn, kind, i)
        if lines:
            points = points[elements_of(self.m, i)]
        key = kind, i
        if key not in self._handles:
            self._handles[key] = self._lines(key, points, colour) if lines else self._mesh(key, points, colour)
        elif not np.array_equal(points, self._points[key]):
            setattr(self._handles[key], "points" if lines else "vertices", points)
        self._points[key] = points

    def _vertices(self, scn: MjvScene, kind: int, i: int) -> np.ndarray:
        """Positions of its vertices, shape (n, 3), float32."""
        if kind == mjtGeom.mjGEOM_SKIN:
            at, count, name = self.m.skin_vertadr[i], self.m.skin_vertnum[i], "skinvert"
        else:
            at, count, name = self.m.flex_vertadr[i], self.m.flex_vertnum[i], "flexvert"
        return scn.memory.view(name)[at : at + count].astype(np.float32)

    def _faces(self, kind: int, i: int) -> np.ndarray:
        """Vertices of its triangles, shape (n, 3)."""
        m = self.m
        if kind == mjtGeom.mjGEOM_SKIN:
            return m.skin_face[m.skin_faceadr[i] : m.skin_faceadr[i] + m.skin_facenum[i]]
        return elements_of(m, i) if m.flex_dim[i] == 2 else shell_of(m, i)

    def _mesh(self, key: tuple[int, int], points: np.ndarray, colour: np.ndarray) -> Any:
        return self.api.add_mesh_simple(
            f"{self.root}/flexible_{key[0]}_{key[1]}",
            points,
            self._faces(*key),
            color=tuple(float(x) for x in colour[:3]),
            opacity=float(colour[3]) if colour[3] < 1 else None,
            side="double",
        )

    def _lines(self, key: tuple[int, int], points: np.ndarray, colour: np.ndarray) -> Any:
        return self.api.add_line_segments(
            f"{self.root}/flexible_{key[0]}_{key[1]}",
            points,
            colors=tuple(float(x) for x in colour[:3]),
            thickness=2.0 * float(self.m.flex_radius[key[1]]),
            thickness_units="world",
        )
