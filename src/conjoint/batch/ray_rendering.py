"""Camera and lidar images of the worlds of a batch by ray casting, without OpenGL or display."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.batch.varied_models import BlockModel, Varied
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.entry import Entry
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.ray_renderer.view import COLORS, DEPTH, NORMALS, NUMBERS, SHADOWS
from conjoint.ray_renderer.worlds import scan_worlds, see_worlds
from conjoint.runtime.plan import Plan
from conjoint.runtime.ray_pictures import RayPicture, ray_picture_entry, shape_room

SEE = ray_picture_entry(see_worlds, "int", "int", "real[]", "out float[]", "out int[]", "out float[]", "out byte[]")
SCAN = ray_picture_entry(scan_worlds, "int", "int", "real[]", "real[]", "byte[6]", "out real[]", "out int[]")

SHARES = 8
"""Minimum number of work items per thread, which balances the load because rendering times differ between worlds."""

MOST_RAYS = 2**17
"""Maximum number of rays in a work item, so that interrupts are checked every few tenths of a second."""

KINDS: dict[str, tuple[int, type, tuple[int, ...]]] = {
    "depth": (DEPTH, np.float32, ()), "segmentation": (NUMBERS, np.int32, (2,)), "normal": (NORMALS, np.float32, (3,)),
    "color": (COLORS, np.uint8, (3,)),
}  # fmt: skip
"""Properties of image types, by name: the constant in the kernels, the number type, and the shape of a pixel."""


READ_FOR = {"opt.gravity": "ntendon"}
"""Names of model rows that are read only if the model has certain elements, with the size that counts the elements.

Gravity is read only if there are tendons, because slack cables hang along it.
"""


class WorldModel(BlockModel):
    """Model of one world at a time, with that world's values of varying rows."""

    def __init__(self, plan: Plan, varied: Varied, names: Sequence[str]):
        super().__init__(plan, names, 1)
        self.varied = varied

    def take(self, world: int) -> None:
        """Copy the values of a world's varying rows into this model."""
        for name in self.own.layout.index:
            view = self.own.view(name)
            view[...] = self.varied.arrays[name][world].reshape(view.shape)


class Pictures:
    """Renderer that casts rays in the worlds of a batch, in several threads.

    Args:
        plan: the model, in float64.
        varied: model fields that vary between worlds.
        nworld: number of worlds.
        nthread: number of threads.
        pool: the threads.
    """

    def __init__(self, plan: Plan, varied: Varied, nworld: int, nthread: int, pool: ThreadPool):
        self.plan, self.varied, self.nworld, self.pool = plan, varied, nworld, pool
        # without compilation, threads would wait for each other
        self.nthread = min(nthread, nworld) if jit_enabled() else 1
        self._sights: list[RayPicture] = []
        self._models: dict[Entry, list[WorldModel]] = {}

    def render(
        self,
        poses: np.ndarray,
        camera: int,
        view: np.ndarray,
        size: tuple[int, int],
        kinds: Sequence[str],
        groups: Sequence[np.ndarray],
        shadows: bool,
    ) -> list[np.ndarray]:
        """Render images of all worlds: an array of shape (nworld, height, width, ...) for each of `kinds`.

        Args:
            poses: poses of all objects in the worlds (`Poses.find`).
            camera: id of a camera of the model; -1 for the free camera in `view`.
            view: free camera: lookat point, distance, azimuth, elevation, 1 for an orthographic projection.
            size: height and width in pixels.
            kinds: image types, which are keys of `KINDS`.
            groups: visibility of every group of geoms, sites, tendons, flexes and skins.
            shadows: whether lights cast shadows.
        """
        made: dict[str, np.ndarray] = {
            kind: np.empty((self.nworld, *size, *more) if kind in kinds else 0, dtype)
            for kind, (_, dtype, more) in KINDS.items()
        }
        arrays = [array.reshape(-1) for array in made.values()]
        wanted = sum(KINDS[kind][0] for kind in kinds) + SHADOWS * shadows
        requested = {"npose": poses.shape[1], "camera": camera, "view": view, "wanted": wanted}
        requested |= dict(zip(("geomgroup", "sitegroup", "tendongroup", "flexgroup", "skingroup"), groups, strict=True))
        self._run(SEE, size, requested, (poses.reshape(-1), *arrays))
        return [made[kind] for kind in kinds]

    def scan(
        self, poses: np.ndarray, site: int, ways: np.ndarray, groups: np.ndarray, static: bool, exclude: int,
        cutoff: float,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Return the distances along rays and the geoms that they hit, both (nworld, nray); see `scan_worlds`."""
        distances = np.empty((self.nworld, len(ways)))
        found = np.empty((self.nworld, len(ways)), np.int32)
        flat = distances.reshape(-1), found.reshape(-1)
        requested = {"npose": poses.shape[1], "start": site, "nray": len(ways)}
        requested |= {"static": static, "exclude": exclude, "cutoff": cutoff}
        self._run(SCAN, (1, 1), requested, (poses.reshape(-1), ways.reshape(-1), groups, *flat))
        return distances, found

    # ---- threads

    def _run(self, entry: Entry, size: tuple[int, int], requested: Mapping[str, Any], given: Sequence) -> None:
        """Call a kernel entry for all worlds, in chunks, using all threads."""
        names = [name for name in self.varied.all if self._matters(entry, name)]
        sights = self._sights_of(size)
        for sight, (name, value) in itertools.product(sights, requested.items()):
            sight.buffer.view(name)[...] = value
        # worlds with varying models are rendered one by one
        rays = requested.get("nray", size[0] * size[1])
        most = 1 if names else max(1, min(self.nworld // (SHARES * self.nthread), MOST_RAYS // max(rays, 1)))
        starts = range(0, self.nworld, most)
        places = [(sight, self._model(entry, names, k) if names else self.plan) for k, sight in enumerate(sights)]

        def look(place: tuple[RayPicture, Plan | WorldModel], start: int) -> None:
            """Render a chunk of worlds that begins with world `start`."""
            sight, model = place
            if isinstance(model, WorldModel):
                model.take(start)
            entry(model, sight, start, min(start + most, self.nworld), *given)

        self.pool.map(look, starts, places)

    def _matters(self, entry: Entry, name: str) -> bool:
        """Return True if the kernel of an entry reads the model row `name`."""
        unseen = name in READ_FOR and not self.plan.sizes[READ_FOR[name]]
        return not unseen and entry.kernel.attributes.issuperset(name.split("."))

    def _sights_of(self, size: tuple[int, int]) -> list[RayPicture]:
        """Return one image memory for each thread."""
        room = shape_room(self.plan)
        if not self._sights or self._sights[0].room != (*size, room):
            sizes = {**self.plan.sizes, "nnode": int(self.plan.view("nstatic_node"))}
            self._sights = [RayPicture(sizes, *size, room) for _ in range(self.nthread)]
        return self._sights

    def _model(self, entry: Entry, names: Sequence[str], k: int) -> WorldModel:
        """Return the model of thread k, whose rows `names` vary between worlds."""
        models = self._models.setdefault(entry, [])
        while len(models) <= k:
            models.append(WorldModel(self.plan, self.varied, names))
        return models[k]
