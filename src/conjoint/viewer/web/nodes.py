"""The scene of a world as nodes of a browser's scene, which are moved, and made anew only where they look different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.mju.quaternions import mju_mat2Quat
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.render.instances import Instances
from conjoint.schema.enums import mjtGeom, mjtObj
from conjoint.viewer.web.flexible import Flexibles
from conjoint.viewer.web.looks import geom_file, look_of, scale_of

ENDLESS = 30.0
"""Half the size of planes without end, in extents of the model."""

Watch = Callable[[Any, int], None]
"""Gets a new node, and the body that it is part of."""


@dataclass
class Node:
    """A geom in the browser.

    Attributes:
        handle: of viser.
        look: what its file was made from.
        pose: position and rows of axes that it was put to.
        scale: how it is scaled.
    """

    handle: Any
    look: tuple[Any, ...]
    pose: np.ndarray
    scale: tuple[float, float, float]
    visible: bool = True


class Nodes:
    """What a browser shows of a world.

    Args:
        api: the scene of viser.
        m: the model.
        root: name of the node that all others belong to; another world has another one.
        watch: called for each new node of a body.
    """

    def __init__(self, api: Any, m: MjModel, root: str, watch: Watch | None = None):
        self.api, self.m, self.root, self.watch = api, m, root, watch
        self.endless = ENDLESS * float(m.stat.extent)
        self._nodes: dict[tuple[int, ...], Node] = {}
        self._files: dict[tuple[Any, ...], bytes | None] = {}
        self._flexibles = Flexibles(api, m, root)

    def update(self, scn: MjvScene) -> None:
        """Show a scene of this model."""
        count = int(scn.ngeom)
        pos, mat = (scn.memory.view(f"geoms.{name}")[:count] for name in ("pos", "mat"))
        # every plane is seen from its front
        shown = Instances(self.m, scn, self.endless, pos + mat[:, :, 2])
        poses = np.concatenate([pos, mat.reshape(count, 9)], axis=1)
        seen: Counter[tuple[int, ...]] = Counter()
        used = set()
        for i in range(count):
            kind = int(shown.type[i])
            if kind in (mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN):
                self._flexibles.update(scn, kind, int(shown.objid[i]), shown.rows[i]["color"])
                continue
            # a geom keeps its node as long as it is the same part of the same object
            same = int(shown.objtype[i]), int(shown.objid[i]), kind
            key: tuple[int, ...] = (*same, seen[same])
            seen[same] += 1
            used.add(key)
            self._show(key, shown, i, poses[i])
        for key, node in self._nodes.items():
            if key not in used and node.visible:
                node.visible = node.handle.visible = False

    def _show(self, key: tuple[int, ...], shown: Instances, i: int, pose: np.ndarray) -> None:
        """Let a node show geom `i`."""
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
        """A new node for geom `i`, in the place of an old one; None if the geom has no shape."""
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
        """The body that an object is part of, 0 for none."""
        match objtype:
            case mjtObj.mjOBJ_GEOM:
                return int(self.m.geom_bodyid[objid])
            case mjtObj.mjOBJ_SITE:
                return int(self.m.site_bodyid[objid])
            case mjtObj.mjOBJ_BODY | mjtObj.mjOBJ_XBODY:
                return objid
        return 0
