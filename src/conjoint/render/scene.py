"""Base class of all renderers, and validity checks for scenes, which users may have changed."""

from __future__ import annotations

import threading
from numbers import Integral
from types import TracebackType
from typing import Any, Self

import numpy as np

from conjoint.api.functions.visual import mjv_defaultFreeCamera
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvOption, MjvScene
from conjoint.batch.batch import Batch
from conjoint.lang.errors import ArgumentError
from conjoint.lang.text import is_text, sought
from conjoint.render.worlds import SceneOfWorlds
from conjoint.schema.enums import mjtGeom
from conjoint.schema.enums_visual import mjtCamera, mjtCatBit
from conjoint.viz.scene import mjv_updateScene

HALVED = (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF)
"""Geom types whose `dataid` is twice the mesh id, plus one for the convex hull of the mesh."""

SPANS = (
    ("flexfaceadr", "flexfaceused", "flexface"),
    ("flexvertadr", "flexvertnum", "flexvert"),
    ("flexedgeadr", "flexedgenum", "flexedge"),
)
"""Scene fields that locate the faces, vertices and edges of each flex: first index, count, and the array they index."""


def check_scene(m: MjModel, scene: MjvScene) -> None:
    """Raise an error for a scene that cannot be drawn with a model.

    Raises:
        FatalError: a value is out of range. The message names the field and the valid range.
    """
    for name, most in (("ngeom", len(scene.geoms)), ("nlight", len(scene.lights))):
        if not 0 <= getattr(scene, name) <= most:
            raise ArgumentError(f"scene.{name} is {getattr(scene, name)}: the scene has space for 0 to {most}")
    view = scene.memory.view
    row = {name: view(f"geoms.{name}")[: int(scene.ngeom)] for name in ("type", "matid", "dataid", "objid")}
    _below("matid", row["matid"], m.nmat, "materials")
    kind, data = row["type"], row["dataid"]
    _below("dataid", np.where(np.isin(kind, HALVED), data // 2, -1), m.nmesh, "meshes", data)
    _below("dataid", np.where(kind == mjtGeom.mjGEOM_HFIELD, data, -1), m.nhfield, "height fields")
    for each, count, what in ((mjtGeom.mjGEOM_FLEX, m.nflex, "flexes"), (mjtGeom.mjGEOM_SKIN, m.nskin, "skins")):
        shown = kind == each
        if shown.any():
            number = row["objid"]
            # negative ids are invalid here
            _below("objid", np.where(shown & (number < 0), count, np.where(shown, number, -1)), count, what, number)
            _check_points(m, scene)


def _below(name: str, value: np.ndarray, count: int, what: str, shown: np.ndarray | None = None) -> None:
    """Raise an error if `value` is `count` or more for some geom. The error message shows field `name` of this geom."""
    wrong = np.flatnonzero(value >= count)
    if len(wrong):
        number = int((value if shown is None else shown)[wrong[0]])
        raise ArgumentError(f"scene.geoms[{wrong[0]}].{name} is {number}, but the model has {count} {what}")


def _check_points(m: MjModel, scene: MjvScene) -> None:
    """Raise an error for a scene whose flexes or skins differ from the model's in number or addresses."""
    view = scene.memory.view
    for name, count in (("flexvert", m.nflexvert), ("flexvertadr", m.nflex), ("skinvert", m.nskinvert)):
        if len(view(name)) != count:
            raise ArgumentError(f"the scene belongs to another model: {name} has {len(view(name))} rows, not {count}")
    for first, number, name in SPANS:
        start, count = view(first).astype(np.int64), view(number).astype(np.int64)
        wrong = np.flatnonzero((start < 0) | (count < 0) | (start + count > len(view(name))))
        if len(wrong):
            i = wrong[0]
            raise ArgumentError(
                f"scene.{first}[{i}] is {start[i]} and {number}[{i}] is {count[i]}, "
                f"but the scene has {len(view(name))} rows of {name}"
            )
    for i, (start, count) in enumerate(zip(view("flexedgeadr"), view("flexedgenum"), strict=True)):
        ends = view("flexedge")[start : start + count]
        if ((ends < 0) | (ends >= view("flexvertnum")[i])).any():
            raise ArgumentError(f"scene.flexedge of flex {i} refers to vertices that the flex does not have")


NOTHING = -1
"""Id and type of the background in segmentation results."""


class SceneRenderer:
    """Base class of renderers. Subclasses implement `_colors`, `_distances`, `_objects` and `close`.

    Threads may share a renderer: a thread waits while another one updates the scene or draws.

    Args:
        model: the model.
        height, width: size of the picture in pixels.
        max_geom: maximum number of geoms in the scene.
    """

    def __init__(self, model: MjModel, height: int, width: int, max_geom: int):
        self._model, self._height, self._width = model, height, width
        self._scene = MjvScene(model, max_geom)
        self._option = MjvOption()
        self._busy = threading.RLock()
        self._worlds: SceneOfWorlds | None = None
        self._depth = self._segmentation = self._closed = False

    # ---- settings

    @property
    def model(self) -> MjModel:
        return self._model

    @property
    def scene(self) -> MjvScene:
        return self._scene

    @property
    def height(self) -> int:
        return self._height

    @property
    def width(self) -> int:
        return self._width

    def enable_depth_rendering(self) -> None:
        """Make `render` return distances along the viewing direction (m), float32."""
        self._segmentation, self._depth = False, True

    def disable_depth_rendering(self) -> None:
        """Make `render` return colors again."""
        self._depth = False

    def enable_segmentation_rendering(self) -> None:
        """Make `render` return the id and type (mjtObj) of each pixel's object, int32, -1 for the background."""
        self._segmentation, self._depth = True, False

    def disable_segmentation_rendering(self) -> None:
        """Make `render` return colors again."""
        self._segmentation = False

    # ---- pictures

    def update_scene(
        self, data: MjData | Batch, camera: int | str | MjvCamera = -1, scene_option: MjvOption | None = None
    ) -> None:
        """Update the scene from a world, or from all worlds of a batch.

        Args:
            data: a world, or a batch, whose worlds are all drawn at their positions. Forward dynamics of a world must
                have run.
            camera: id or name of a camera of the model, -1 for a free camera, or an `MjvCamera`.
            scene_option: visualization options; None for the defaults.

        Raises:
            ValueError: the camera does not exist.
            TypeError: `camera` has a different type.
            FatalError: the scene is too small for the worlds of a batch, or they have flexes or skins.
        """
        own = camera if isinstance(camera, MjvCamera) else self._camera(camera)
        option = self._option if scene_option is None else scene_option
        with self._busy:
            if isinstance(data, Batch):
                if self._worlds is None or self._worlds.batch is not data:
                    self._worlds = SceneOfWorlds(data)
                return self._worlds.update(option, own, self._scene)
            mjv_updateScene(self._model, data, option, None, own, int(mjtCatBit.mjCAT_ALL), self._scene)

    def _camera(self, camera: Any) -> MjvCamera:
        """Return the camera of the model with an id or a name, or a free camera for -1."""
        model = self._model
        if is_text(camera):
            camera = sought(camera)
        elif not isinstance(camera, Integral):
            raise TypeError(f"camera must be a number, a name or an MjvCamera, not {camera!r:.40}")
        if isinstance(camera, str):
            names = [model.camera(i).name for i in range(model.ncam)]
            if camera not in names:
                raise ValueError(f'The camera "{camera}" does not exist: the model has {names}')
            camera = names.index(camera)
        if not -1 <= camera < model.ncam:
            raise ValueError(f"The camera id {camera} is out of range [-1, {model.ncam})")
        made = MjvCamera()
        if camera < 0:
            mjv_defaultFreeCamera(model, made)
        else:
            made.type, made.fixedcamid = int(mjtCamera.mjCAMERA_FIXED), int(camera)
        return made

    def render(self, *, out: np.ndarray | None = None) -> np.ndarray:
        """Return a picture of the scene.

        Args:
            out: array that receives the picture; None to create one.

        Returns:
            Colors, shape (height, width, 3), uint8; or distances (m), shape (height, width), float32; or ids and types
            of objects, shape (height, width, 2), int32.

        Raises:
            ValueError: `out` has a different shape.
            TypeError: `out` is not an array.
            RuntimeError: the renderer has been closed, or `update_scene` has not been called.
        """
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {out!r:.40}")
        with self._busy:
            if self._closed:
                raise RuntimeError("render cannot be called after close")
            if not self._scene.camera[0].frustum_far:
                raise RuntimeError("there is nothing to draw yet: call update_scene before render")
            made = self._distances() if self._depth else self._objects() if self._segmentation else self._colors()
        if out is None:
            return made
        if out.shape != made.shape:
            raise ValueError(f"Expected `out.shape == {made.shape}`. Got `out.shape={out.shape}` instead.")
        out[...] = made
        return out

    def _colors(self) -> np.ndarray:
        """Return the colors, shape (height, width, 3), uint8."""
        raise NotImplementedError

    def _distances(self) -> np.ndarray:
        """Return the distances along the viewing direction (m), shape (height, width), float32."""
        raise NotImplementedError

    def _objects(self) -> np.ndarray:
        """Return the ids and types of visible objects, shape (height, width, 2), int32."""
        raise NotImplementedError

    # ---- end

    def close(self) -> None:
        """Release the resources of the renderer; no-op if already released."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
