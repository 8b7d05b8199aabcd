"""`Renderer`: pictures of a world, with the interface of MuJoCo's `Renderer`."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.arguments import Positive, checked
from conjoint.api.objects.model import MjModel
from conjoint.render.camera import Eye
from conjoint.render.context import make_context
from conjoint.render.painter import Painter
from conjoint.render.reversed_depth import distances
from conjoint.render.scene import NOTHING, SceneRenderer
from conjoint.render.style import OFFICIAL
from conjoint.render.turns import SharedContext, forbid_fork
from conjoint.schema.enums_visual import mjtFontScale, mjtRndFlag


class Renderer(SceneRenderer):
    """Renderer of a world into an array: colors, distances, or segmentation.

    Args:
        model: the model.
        height: height of the picture in pixels, at most `model.vis.global_.offheight`.
        width: width of the picture in pixels, at most `model.vis.global_.offwidth`.
        max_geom: maximum number of geoms in the scene.
        font_scale: font size; ignored, because pictures contain no text.

    Raises:
        ValueError: the picture is larger than the model's buffer.
        FatalError: OpenGL is not available. The message says what to install.
    """

    _style = OFFICIAL

    @checked
    def __init__(
        self,
        model: MjModel,
        height: Positive = 240,
        width: Positive = 320,
        max_geom: int = 10000,
        font_scale: mjtFontScale = mjtFontScale.mjFONTSCALE_150,
    ):
        room = {"height": model.vis.global_.offheight, "width": model.vis.global_.offwidth}
        for side, wanted in (("height", height), ("width", width)):
            if wanted > room[side]:
                raise ValueError(
                    f"Image {side} {wanted} > framebuffer {side} {room[side]}. Either reduce the image {side}, or give "
                    f'the model a larger framebuffer: <visual><global off{side}="{wanted}"/></visual>'
                )
        super().__init__(model, height, width, max_geom)
        self._context: SharedContext | None = make_context()
        with self._context:
            self._painter = Painter(self._context.gl, model, self._style)
            depths = self._painter.depths
            samples = min(int(model.vis.quality.offsamples), int(self._context.gl.max_samples))
            self._target = depths.framebuffer((width, height))
            self._smooth = depths.framebuffer((width, height), samples) if samples > 1 else None

    def render(self, *, out: np.ndarray | None = None) -> np.ndarray:
        forbid_fork()
        with self._busy:
            if self._context is None:
                raise RuntimeError("render cannot be called after close")
            with self._context:
                return super().render(out=out)

    def _draw(self, target: Any, segment: bool = False) -> Eye:
        flags = self._scene.flags
        before = bool(flags[mjtRndFlag.mjRND_SEGMENT])
        flags[mjtRndFlag.mjRND_SEGMENT] = segment or before
        try:
            return self._painter.draw(self._scene, target, self._width, self._height)[0].eye
        finally:
            flags[mjtRndFlag.mjRND_SEGMENT] = before

    def _colors(self) -> np.ndarray:
        self._draw(self._smooth or self._target)
        if self._smooth is not None:
            self._painter.context.copy_framebuffer(self._target, self._smooth)
        data = self._target.read(components=3, alignment=1)
        return np.frombuffer(data, np.uint8).reshape(self._height, self._width, 3)[::-1].copy()

    def _distances(self) -> np.ndarray:
        eye = self._draw(self._target, segment=True)
        data = self._target.read(components=1, attachment=-1, dtype="f4", alignment=1)
        depth = np.frombuffer(data, np.float32).reshape(self._height, self._width)[::-1]
        return distances(depth, eye).astype(np.float32)

    def _objects(self) -> np.ndarray:
        self._draw(self._target, segment=True)
        data = self._target.read(components=3, alignment=1)
        color = np.frombuffer(data, np.uint8).reshape(self._height, self._width, 3)[::-1].astype(np.int32)
        number = color[:, :, 0] + 256 * color[:, :, 1] + 65536 * color[:, :, 2] - 1
        # map from segmentation id + 1 to the object's id and type; -1 for the background and unknown ids
        count = int(self._scene.ngeom)
        row = {name: self._scene.memory.view(f"geoms.{name}")[:count] for name in ("segid", "objid", "objtype")}
        known = np.full((int(number.max()) + 2, 2), NOTHING, np.int32)
        shown = (row["segid"] >= 0) & (row["segid"] < len(known) - 1)
        known[row["segid"][shown] + 1] = np.stack([row["objid"], row["objtype"]], axis=1)[shown]
        return known[number + 1]

    # ---- end

    def close(self) -> None:
        """Release the context; no-op if already released."""
        with self._busy:
            super().close()
            if self._context is not None:
                self._context.release()
                self._context = None

    def __del__(self) -> None:
        if getattr(self, "_context", None) is not None:
            self.close()
