"""Browser nodes for the scene of a world. They are moved, and recreated only if their appearance changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.mju.quaternions import mju_mat2Quat
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.render.instances import Instances
from conjoint.schema.enums import mjtGeom, mjtObj
from conjoint.viewer.web.looks import geom_file, look_of, scale_of
from conjoint.viz.flexes import elements_of, shell_of
from conjoint.viz.scene import labels_of


class Labels:
    """Browser nodes for the labels of a scene, which are reused.

    Args:
        api: viser's scene.
        root: name of the parent node.
    """

    def __init__(self, api: Any, root: str):
        self.api, self.root = api, root
        self._nodes: list[Any] = []

    def update(self, scn: MjvScene) -> None:
        """Show the labels of a scene."""
        labels = list(labels_of(scn))
        for k, (place, text) in enumerate(labels):
            self._show(k, text, place)
        for node in self._nodes[len(labels) :]:
            node.visible = False

    def _show(self, k: int, text: str, place: np.ndarray) -> None:
        """Set text and position of node `k`, and make it visible."""
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


class Flexibles:
    """Browser nodes for the flexes and skins of a world.

    Args:
        api: viser's scene.
        m: the model.
        root: name of the parent node.
    """

    def __init__(self, api: Any, m: MjModel, root: str):
        self.api, self.m, self.root = api, m, root
        self._handles: dict[tuple[int, int], Any] = {}
        self._points: dict[tuple[int, int], np.ndarray] = {}

    def update(self, scn: MjvScene, kind: int, i: int, color: np.ndarray) -> None:
        """Update the vertices of flex or skin `i`; create its node on first use."""
        lines = kind == mjtGeom.mjGEOM_FLEX and self.m.flex_dim[i] == 1
        points = self._vertices(scn, kind, i)
        if lines:
            points = points[elements_of(self.m, i)]
        key = kind, i
        if key not in self._handles:
            self._handles[key] = self._lines(key, points, color) if lines else self._mesh(key, points, color)
        elif not np.array_equal(points, self._points[key]):
            setattr(self._handles[key], "points" if lines else "vertices", points)
        self._points[key] = points

    def _vertices(self, scn: MjvScene, kind: int, i: int) -> np.ndarray:
        """Return the vertex positions of a flex or skin, shape (n, 3), float32."""
        if kind == mjtGeom.mjGEOM_SKIN:
            at, count, name = self.m.skin_vertadr[i], self.m.skin_vertnum[i], "skinvert"
        else:
            at, count, name = self.m.flex_vertadr[i], self.m.flex_vertnum[i], "flexvert"
        return scn.memory.view(name)[at : at + count].astype(np.float32)

    def _faces(self, kind: int, i: int) -> np.ndarray:
        """Return the vertex indices of the triangles of a flex or skin, shape (n, 3)."""
        m = self.m
        if kind == mjtGeom.mjGEOM_SKIN:
            return m.skin_face[m.skin_faceadr[i] : m.skin_faceadr[i] + m.skin_facenum[i]]
        return elements_of(m, i) if m.flex_dim[i] == 2 else shell_of(m, i)

    def _mesh(self, key: tuple[int, int], points: np.ndarray, color: np.ndarray) -> Any:
        return self.api.add_mesh_simple(
            f"{self.root}/flexible_{key[0]}_{key[1]}",
            points,
            self._faces(*key),
            color=tuple(float(x) for x in color[:3]),
            opacity=float(color[3]) if color[3] < 1 else None,
            side="double",
        )

    def _lines(self, key: tuple[int, int], points: np.ndarray, color: np.ndarray) -> Any:
        return self.api.add_line_segments(
            f"{self.root}/flexible_{key[0]}_{key[1]}",
            points,
            colors=tuple(float(x) for x in color[:3]),
            thickness=2.0 * float(self.m.flex_radius[key[1]]),
            thickness_units="world",
        )


ENDLESS = 30.0
"""Half the side length of infinite planes as drawn, in extents of the model."""

Watch = Callable[[Any, int], None]
"""Function that is called with a new node and the id of the body to which it belongs."""


@dataclass
class Node:
    """A geom's node in the browser.

    Attributes:
        handle: viser's handle of the node.
        look: key of the node's GLB file.
        pose: current position and rotation matrix.
        scale: current scale.
        visible: whether the node is visible.
    """

    handle: Any
    look: tuple[Any, ...]
    pose: np.ndarray
    scale: tuple[float, float, float]
    visible: bool = True


class Nodes:
    """Browser nodes for the geoms of a world.

    Args:
        api: viser's scene.
        m: the model.
        root: name of the parent node, different for each world.
        watch: function that is called for each new node of a body.
    """

    def __init__(self, api: Any, m: MjModel, root: str, watch: Watch | None = None):
        self.api, self.m, self.root, self.watch = api, m, root, watch
        self.endless = ENDLESS * float(m.stat.extent)
        self._nodes: dict[tuple[int, ...], Node] = {}
        self._files: dict[tuple[Any, ...], bytes | None] = {}
        self._flexibles = Flexibles(api, m, root)

    def update(self, scn: MjvScene) -> None:
        """Update the nodes to match a scene of this model."""
        count = int(scn.ngeom)
        pos, mat = (scn.memory.view(f"geoms.{name}")[:count] for name in ("pos", "mat"))
        # draw every plane as seen from its front
        shown = Instances(self.m, scn, self.endless, pos + mat[:, :, 2])
        poses = np.concatenate([pos, mat.reshape(count, 9)], axis=1)
        seen: Counter[tuple[int, ...]] = Counter()
        used = set()
        for i in range(count):
            kind = int(shown.type[i])
            if kind in (mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN):
                self._flexibles.update(scn, kind, int(shown.objid[i]), shown.rows[i]["color"])
                continue
            # a geom keeps its node while it is the same part of the same object
            same = int(shown.objtype[i]), int(shown.objid[i]), kind
            key: tuple[int, ...] = (*same, seen[same])
            seen[same] += 1
            used.add(key)
            self._show(key, shown, i, poses[i])
        for key, node in self._nodes.items():
            if key not in used and node.visible:
                node.visible = node.handle.visible = False

    def _show(self, key: tuple[int, ...], shown: Instances, i: int, pose: np.ndarray) -> None:
        """Update the node of geom `i`; create it if it does not exist or its appearance has changed."""
        look, scale = look_of(shown, i), scale_of(shown, i)
        node = self._nodes.get(key)
        if node is None or node.look != look:
            node = self._make(key, shown, i, look, scale)
            if node is None:
                return
        if not np.array_equal(node.pose, pose):
            quat = np.zeros(4)
            mju_mat2Quat(quat, pose[3:].astype(float))
            node.handle.position, node.handle.wxyz = pose[:3].astype(float), quat
            node.pose = pose.copy()
        if node.scale != scale:
            node.handle.scale = node.scale = scale
        if not node.visible:
            node.visible = node.handle.visible = True

    def _make(
        self, key: tuple[int, ...], shown: Instances, i: int, look: tuple[Any, ...], scale: tuple[float, float, float]
    ) -> Node | None:
        """Create a node for geom `i`, replacing the old one; return None if the geom has no shape."""
        if look not in self._files:
            self._files[look] = geom_file(self.m, shown, i)
        file = self._files[look]
        if file is None:
            return None
        name = f"{self.root}/{'_'.join(map(str, key))}"
        handle = self.api.add_glb(name, glb_data=file, scale=scale)
        node = self._nodes[key] = Node(handle, look, np.full(12, np.nan), scale)
        body = self._body(key[0], key[1])
        if self.watch is not None and body > 0:
            self.watch(handle, body)
        return node

    def _body(self, objtype: int, objid: int) -> int:
        """Return the body to which an object belongs, 0 for none."""
        match objtype:
            case mjtObj.mjOBJ_GEOM:
                return int(self.m.geom_bodyid[objid])
            case mjtObj.mjOBJ_SITE:
                return int(self.m.site_bodyid[objid])
            case mjtObj.mjOBJ_BODY | mjtObj.mjOBJ_XBODY:
                return objid
        return 0
