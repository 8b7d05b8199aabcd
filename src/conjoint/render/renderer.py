"""`Renderer`: pictures of a world, as the official class of that name makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.functions.visual import mjv_defaultFreeCamera
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvCamera, MjvOption
from conjoint.render.camera import Eye
from conjoint.render.context import make_context
from conjoint.render.painter import Painter
from conjoint.schema.enums_visual import mjtCamera, mjtCatBit, mjtFontScale, mjtRndFlag
from conjoint.viz.scene import mjv_updateScene

NOTHING = -1
"""Number and type of the object where there is none."""


class Renderer:
    """Draws a world into an array: colours, distances, or what is seen.

    Args:
        model: the model.
        height: of the picture in pixels, at most `model.vis.global_.offheight`.
        width: of the picture, at most `model.vis.global_.offwidth`.
        max_geom: room for geoms in the scene.
        font_scale: of texts; pictures have none.

    Raises:
        ValueError: a picture larger than the model's buffer.
        FatalError: no OpenGL here; the message says what to install.
    """

    def __init__(
        self,
        model: MjModel,
        height: int = 240,
        width: int = 320,
        max_geom: int = 10000,
        font_scale: mjtFontScale = mjtFontScale.mjFONTSCALE_150,
    ):
        room = {"height": model.vis.global_.offheight, "width": model.vis.global_.offwidth}
        for side, wanted in (("height", height), ("width", width)):
            if not 1 <= wanted <= room[side]:
                raise ValueError(
                    f"Image {side} {wanted} > framebuffer {side} {room[side]}. Either reduce the image {side}, or give "
                    f'the model a larger framebuffer: <visual><global off{side}="{wanted}"/></visual>'
                )
        self._model, self._height, self._width = model, height, width
        self._scene = MjvScene(model, max_geom)
        self._option = MjvOption()
        self._context: Any = make_context()
        self._painter = Painter(self._context, model)
        samples = min(int(model.vis.quality.offsamples), int(self._context.max_samples))
        size = width, height
        self._target = self._framebuffer(size, 0)
        self._smooth = self._framebuffer(size, samples) if samples > 1 else None
        self._depth = self._segmentation = False

    def _framebuffer(self, size: tuple[int, int], samples: int) -> Any:
        if samples:
            color = self._context.renderbuffer(size, 4, samples=samples)
            return self._context.framebuffer([color], self._context.depth_renderbuffer(size, samples=samples))
        return self._context.framebuffer([self._context.texture(size, 4)], self._context.depth_texture(size))

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
        """Let `render` return distances along the direction of view (m), float32."""
        self._segmentation, self._depth = False, True

    def disable_depth_rendering(self) -> None:
        """Let `render` return colours again."""
        self._depth = False

    def enable_segmentation_rendering(self) -> None:
        """Let `render` return the number and type (mjtObj) of what is seen, int32, -1 where there is nothing."""
        self._segmentation, self._depth = True, False

    def disable_segmentation_rendering(self) -> None:
        """Let `render` return colours again."""
        self._segmentation = False

    # ---- pictures

    def update_scene(
        self, data: MjData, camera: int | str | MjvCamera = -1, scene_option: MjvOption | None = None
    ) -> None:
        """Take over a world.

        Args:
            data: the world; forward dynamics must have run.
            camera: number or name of a camera of the model, -1 for a free one, or a camera of your own.
            scene_option: what is shown.

        Raises:
            ValueError: there is no such camera.
        """
        own = camera if isinstance(camera, MjvCamera) else self._camera(camera)
        option = self._option if scene_option is None else scene_option
        mjv_updateScene(self._model, data, option, None, own, int(mjtCatBit.mjCAT_ALL), self._scene)

    def _camera(self, camera: int | str) -> MjvCamera:
        """A camera of the model, or a free one."""
        model = self._model
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
            made.type, made.fixedcamid = int(mjtCamera.mjCAMERA_FIXED), camera
        return made

    def render(self, *, out: np.ndarray | None = None) -> np.ndarray:
        """A picture of the scene.

        Args:
            out: array for it.

        Returns:
            Colours, shape (height, width, 3), uint8; or distances (m), shape (height, width), float32; or numbers and
            types of objects, shape (height, width, 2), int32.

        Raises:
            ValueError: `out` has another shape.
            RuntimeError: the renderer has been closed.
        """
        if self._context is None:
            raise RuntimeError("render cannot be called after close")
        # programs may have other contexts
        with self._context:
            made = self._distances() if self._depth else self._objects() if self._segmentation else self._colors()
        if out is None:
            return made
        if out.shape != made.shape:
            raise ValueError(f"Expected `out.shape == {made.shape}`. Got `out.shape={out.shape}` instead.")
        out[...] = made
        return out

    def _draw(self, target: Any, segment: bool = False) -> Eye:
        flags = self._scene.flags
        before = bool(flags[mjtRndFlag.mjRND_SEGMENT])
        flags[mjtRndFlag.mjRND_SEGMENT] = segment or before
        try:
            return self._painter.draw(self._scene, target, self._width, self._height)
        finally:
            flags[mjtRndFlag.mjRND_SEGMENT] = before

    def _colors(self) -> np.ndarray:
        self._draw(self._smooth or self._target)
        if self._smooth is not None:
            self._context.copy_framebuffer(self._target, self._smooth)
        data = self._target.read(components=3, alignment=1)
        return np.frombuffer(data, np.uint8).reshape(self._height, self._width, 3)[::-1].copy()

    def _distances(self) -> np.ndarray:
        eye = self._draw(self._target, segment=True)
        data = self._target.read(components=1, attachment=-1, dtype="f4", alignment=1)
        depth = np.frombuffer(data, np.float32).reshape(self._height, self._width)[::-1].astype(float)
        if eye.orthographic:
            return (eye.near + depth * (eye.far - eye.near)).astype(np.float32)
        return (eye.near * eye.far / (eye.far - depth * (eye.far - eye.near))).astype(np.float32)

    def _objects(self) -> np.ndarray:
        self._draw(self._target, segment=True)
        data = self._target.read(components=3, alignment=1)
        color = np.frombuffer(data, np.uint8).reshape(self._height, self._width, 3)[::-1].astype(np.int32)
        number = color[:, :, 0] + 256 * color[:, :, 1] + 65536 * color[:, :, 2] - 1
        # who has which number, and -1 for who is not there
        count = int(self._scene.ngeom)
        row = {name: self._scene._buffer.view(f"geoms.{name}")[:count] for name in ("segid", "objid", "objtype")}
        known = np.full((max(int(number.max()), int(row["segid"].max(initial=-1))) + 2, 2), NOTHING, np.int32)
        shown = row["segid"] >= 0
        known[row["segid"][shown] + 1] = np.stack([row["objid"], row["objtype"]], axis=1)[shown]
        return known[number + 1]

    # ---- end

    def close(self) -> None:
        """Give back the context; again does nothing."""
        if self._context is not None:
            self._context.release()
            self._context = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_context", None) is not None:
            self.close()
