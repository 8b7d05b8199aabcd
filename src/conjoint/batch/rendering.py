"""Rendering of the worlds of a batch: images and ray distances in the current state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.api.arguments import Groups, Matrix, Side, checked
from conjoint.api.functions.visual import mjv_defaultFreeCamera
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera
from conjoint.batch.arrays import READABLE, Arrays
from conjoint.batch.block_work import BlockWork, Way, in_blocks
from conjoint.batch.world_set import WorldSet
from conjoint.lang.calls.transfer import INTO, OUT_OF
from conjoint.lang.errors import ArgumentError
from conjoint.lang.language.name import Name, value_of
from conjoint.once import derived
from conjoint.runtime.functions import SIGHT, stages_of
from conjoint.runtime.plan import Plan
from conjoint.runtime.structure import Structure
from conjoint.schema.constants import mjMAXVAL, mjMINVAL, mjNGROUP
from conjoint.schema.enums_visual import mjtCamera
from conjoint.schema.ray_picture import POSES
from conjoint.schema.scene import GROUPS as SHOWN_GROUPS
from conjoint.spec.problems import suggestion

if TYPE_CHECKING:
    from conjoint.batch.ray_rendering import Pictures


ray_rendering, device_rendering = Name("conjoint.batch.ray_rendering"), Name("conjoint.batch.device_rendering")

ALL_GROUPS = (1,) * mjNGROUP
"""Mask that selects all visibility groups."""


class WorldRendering:
    """Camera and lidar images of the worlds of a `Batch`."""

    model: MjModel
    nworld: int
    nthread: int
    precision: str
    _worlds: WorldSet

    @checked
    def render(
        self,
        camera: int | str | MjvCamera = -1,
        width: Side = 64,
        height: Side = 64,
        what: str | Sequence = "color",
        geomgroup: Groups | None = None,
        sitegroup: Groups | None = None,
        tendongroup: Groups | None = None,
        flexgroup: Groups | None = None,
        skingroup: Groups | None = None,
        shadows: bool = True,
    ) -> Any:
        """Render the current state of all worlds by ray casting, without OpenGL.

        Args:
            camera: camera of the model, by name or id; -1 for a free camera that sees the whole model; or an
                `MjvCamera`.
            width, height: image size in pixels.
            what: image type, or several types. "color" is red, green and blue, uint8. "depth" is the distance along the
                viewing direction (m) up to the far plane, float32. "segmentation" is id and type (mjtObj) of the
                visible object, -1 for none, int32. "normal" is the unit normal of the visible surface, 0 for none,
                float32.
            geomgroup, sitegroup, tendongroup, flexgroup, skingroup: visibility of each of the six groups; by default
                the first three are visible.
            shadows: whether lights of the model cast shadows.

        Returns:
            An array of shape (nworld, height, width, ...); for several types, a tuple of arrays.

        Raises:
            ValueError: the camera or image type does not exist.
        """
        kinds = chosen_kinds(what)
        number, view = chosen_camera(self.model, camera)
        given = geomgroup, sitegroup, tendongroup, flexgroup, skingroup
        shown = [chosen_groups(groups, SHOWN_GROUPS) for groups in given]
        with self._worlds.turn.held:
            made = self._pictures.render(self._poses(), number, view, (height, width), kinds, shown, shadows)
        return made[0] if isinstance(what, str) else tuple(made)

    @checked
    def lidar(
        self,
        site: int | str,
        directions: Matrix,
        cutoff: float = mjMAXVAL,
        geomgroup: Groups | None = None,
        static: bool = True,
        bodyexclude: int | None = None,
        geomid: bool = False,
    ) -> Any:
        """Return the distances along rays from a site to the first geom, in the current state of all worlds (mj_ray).

        Args:
            site: site at the start of the rays, by name or id.
            directions: directions of the rays in the frame of the site, shape (nray, 3), of any length.
            cutoff: maximum distance (m); geoms farther away are ignored.
            geomgroup: for each of the six groups, whether to include its geoms; by default all groups are included.
            static: whether to include geoms fixed to the world.
            bodyexclude: id of a body whose geoms are excluded; -1 for none. By default the site's body is excluded,
                unless it is the world.
            geomid: whether to return the ids of the hit geoms, too.

        Returns:
            Distances (m), shape (nworld, nray). With `geomid`, a tuple of distances and geom ids. A miss is -1 in both.

        Raises:
            ValueError: the site or body does not exist, or directions are malformed.
        """
        number, ways = chosen_number(self.model, "site", "site", site), chosen_directions(directions)
        # the world body owns everything fixed to it
        exclude = (int(self.model.site_bodyid[number]) or -1) if bodyexclude is None else bodyexclude
        if not -1 <= exclude < self.model.nbody:
            raise ArgumentError(f"there is no body {exclude}: the model has {self.model.nbody}")
        groups = chosen_groups(geomgroup, ALL_GROUPS)
        with self._worlds.turn.held:
            found = self._pictures.scan(self._poses(), number, ways, groups, static, exclude, cutoff)
        return found if geomid else found[0]

    @derived
    def _finder(self) -> Poses:
        """Object that computes the poses of all objects in all worlds, created on first use."""
        return Poses(self._worlds.arrays, self._worlds.work)

    def _poses(self) -> np.ndarray:
        """Return the current poses of all objects in all worlds."""
        self._worlds.follow_model()
        return self._finder.find()

    @derived
    def _pictures(self) -> Pictures:
        """Renderer of images and ray distances, created on first use."""
        worlds = self._worlds
        if worlds.device is not None:
            return value_of(device_rendering).DevicePictures(worlds)
        # on the CPU, rays are always computed in float64
        plan = worlds.plan if self.precision == "float64" else Plan(Structure(worlds.model_of()))
        return value_of(ray_rendering).Pictures(plan, worlds.varied, self.nworld, self.nthread, worlds.work.pool)


def chosen_camera(model: MjModel, camera: int | str | MjvCamera) -> tuple[int, np.ndarray]:
    """Return the id of a camera of the model (-1 for a free camera), and the view of a free camera for kernels.

    Raises:
        ValueError: the camera does not exist, or it tracks a body.
    """
    free = MjvCamera()
    mjv_defaultFreeCamera(model, free)
    if isinstance(camera, MjvCamera):
        if camera.type == mjtCamera.mjCAMERA_FREE:
            return -1, _view_of(camera)
        if camera.type != mjtCamera.mjCAMERA_FIXED:
            raise ArgumentError(
                "a batch can use only free and fixed cameras: give the model a camera with "
                'mode="track" or mode="trackcom" to follow a body'
            )
        camera = int(camera.fixedcamid)
    if not (isinstance(camera, (int, np.integer)) and camera == -1):
        camera = chosen_number(model, "cam", "camera", camera)
    return int(camera), _view_of(free)


def _view_of(camera: MjvCamera) -> np.ndarray:
    """Return lookat point, distance, azimuth and elevation of a free camera, and 1 if it is orthographic."""
    return np.array([*camera.lookat, camera.distance, camera.azimuth, camera.elevation, camera.orthographic], float)


def chosen_number(model: MjModel, prefix: str, noun: str, wanted: Any) -> int:
    """Return the id of a camera or site of the model, given by name or id.

    Raises:
        ValueError: the camera or site does not exist.
    """
    count = int(getattr(model, f"n{prefix}"))
    if isinstance(wanted, str):
        names = [getattr(model, noun)(i).name for i in range(count)]
        if wanted not in names:
            raise ArgumentError(f"there is no {noun} {wanted!r}{suggestion(wanted, names)}: the model has {names}")
        return names.index(wanted)
    if not isinstance(wanted, (int, np.integer)):
        raise TypeError(f"a {noun} must be a name or a number, not {wanted!r}")
    if not 0 <= wanted < count:
        raise ArgumentError(f"there is no {noun} {wanted}: the model has {count}")
    return int(wanted)


def chosen_kinds(what: str | Sequence[str]) -> tuple[str, ...]:
    """Return the image types requested by `what`, as a tuple.

    Raises:
        ValueError: an image type does not exist.
    """
    kinds = (what,) if isinstance(what, str) else tuple(what)
    known = value_of(ray_rendering.KINDS)
    for kind in kinds:
        if kind not in known:
            raise ArgumentError(f"there are no pictures of {kind!r}: choose from {', '.join(known)}")
    return kinds


def chosen_groups(groups: np.ndarray | None, default: Sequence[int]) -> np.ndarray:
    """Return the mask of visible or included groups, as an array; `default` replaces None."""
    return np.array(default if groups is None else groups, bool).astype(np.uint8)


def chosen_directions(directions: np.ndarray) -> np.ndarray:
    """Scale directions, the rows of a matrix, to unit length, and return them.

    Raises:
        ValueError: the shape is not (nray, 3), or a direction has zero length.
    """
    if directions.shape[1] != 3:
        raise ArgumentError(f"directions must have shape (nray, 3), not {directions.shape}")
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    wrong = np.flatnonzero(~(lengths[:, 0] > mjMINVAL) | ~np.isfinite(lengths[:, 0]))
    if len(wrong):
        raise ArgumentError(f"direction {wrong[0]} is {directions[wrong[0]].tolist()}: its length must not be zero")
    return directions / lengths


class Poses:
    """Forward kinematics of the worlds of a batch, computed without changing the worlds.

    Args:
        arrays: state and inputs of the worlds.
        work: runner of stages on the worlds.
    """

    def __init__(self, arrays: Arrays, work: BlockWork):
        self.arrays, self.work = arrays, work
        plan = work.spaces[0].plan
        self._parts = work.pipelines(stages_of(SIGHT, plan))
        self._found = {name: arrays.new(READABLE[name]) for name, size in POSES.items() if plan.sizes[size]}
        self._blocks = in_blocks(np.arange(arrays.nworld), work.width)

    def find(self) -> np.ndarray:
        """Return the poses of all worlds: one row per world, which concatenates the fields of `POSES` that exist."""
        ways: list[Way] = [(name, array, INTO, None) for name, array in self.arrays.lasting.items()]
        ways += [(name, array, OUT_OF, None) for name, array in self._found.items()]
        self.work.go(self.work.shares(self._parts, ways, self._blocks))
        nworld = self.arrays.nworld
        rows = [np.zeros((nworld, 0)), *(array.reshape(nworld, -1) for array in self._found.values())]
        return np.concatenate(rows, axis=1, dtype=np.float64)
