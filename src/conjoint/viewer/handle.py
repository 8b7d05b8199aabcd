"""Handles of the window or web page that shows a user's world."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjrRect, MjvCamera, MjvFigure, MjvOption, MjvPerturb, MjvScene
from conjoint.schema.enums_visual import mjtFontScale, mjtGridPos
from conjoint.viewer.exchange import Exchange


def check_world(model: Any, data: Any) -> None:
    """Raise an error unless the arguments are a model and a world.

    Raises:
        ValueError: an argument has a wrong type; the messages are MuJoCo's.
    """
    if not isinstance(model, MjModel):
        raise ValueError(f"`model` is not a mujoco.MjModel: got {model!r}")
    if not isinstance(data, MjData):
        raise ValueError(f"`data` is not a mujoco.MjData: got {data!r}")


class BaseHandle:
    """Handle of a viewer that shows a user's world; as a context manager, it closes the viewer.

    `sync` copies the state of the world to the viewer, and applies the user's actions to the world. Hold `lock()` while
    you change `opt`, `perturb`, `user_scn` or the model.

    Args:
        viewer: the window or the page.
        exchange: the channel between the program and the viewer.
        data: the world.
    """

    def __init__(self, viewer: Any, exchange: Exchange, data: MjData):
        self._viewer, self._exchange, self._data = viewer, exchange, data

    @property
    def opt(self) -> MjvOption:
        """Visualization options."""
        return self._exchange.opt

    @property
    def perturb(self) -> MjvPerturb:
        """The user's perturbation of the selected body."""
        return self._exchange.pert

    @property
    def user_scn(self) -> MjvScene:
        """Scene with additional geoms and rendering flags."""
        return self._exchange.user_scn

    @property
    def m(self) -> MjModel:
        """The model."""
        return self._exchange.m

    @property
    def d(self) -> MjData:
        """The program's world."""
        return self._data

    def is_running(self) -> bool:
        """Return True while the viewer is open."""
        return not self._viewer.closed

    def close(self) -> None:
        """Close the viewer, and wait until it is closed."""
        self._viewer.close()

    def lock(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context manager during which the viewer does not access the data that it shares with the program."""
        return self._exchange.lock if self.is_running() else contextlib.nullcontext()

    def sync(self, state_only: bool = False) -> None:
        """Show the current state of the world, and apply the user's requests to it: forces, poses, controls, options.

        Args:
            state_only: whether only the state has changed; ignored, because the viewer always shows the current model.
        """
        if not self.is_running():
            return
        exchange, d = self._exchange, self._data
        exchange.execute(d)
        exchange.perturb(d, paused=False)
        exchange.publish(d, again=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()


Text = tuple[int | None, int | None, str | None, str | None]


class Handle(BaseHandle):
    """Handle of a window that shows a user's world; created by `launch_passive`."""

    # ---- what is shown

    @property
    def cam(self) -> MjvCamera:
        """The camera of the window."""
        return self._exchange.cam

    @property
    def viewport(self) -> MjrRect | None:
        """Rectangle of the window that shows the scene, in pixels; None if the window is closed."""
        picture = self._viewer.picture
        return None if picture is None else picture.viewport

    # ---- what lies over it

    def set_figures(self, viewports_figures: Any) -> None:
        """Show plots over the scene, replacing previous ones.

        Args:
            viewports_figures: a pair of a rectangle (MjrRect, pixels of the window) and an MjvFigure, or a sequence of
                such pairs.
        """
        self._viewer.extra.figures = [(rect, _copied(figure)) for rect, figure in _several(viewports_figures)]

    def clear_figures(self) -> None:
        """Remove all plots that `set_figures` added."""
        self._viewer.extra.figures = []

    def set_texts(self, texts: Text | Sequence[Text]) -> None:
        """Show texts over the scene, replacing previous ones.

        Args:
            texts: font (mjtFontScale), position (mjtGridPos) and the texts of two columns, or a sequence of such
                tuples; None stands for the default, or for no text.
        """
        self._viewer.extra.texts = [
            (
                int(mjtFontScale.mjFONTSCALE_150 if font is None else font),
                int(mjtGridPos.mjGRID_TOPLEFT if place is None else place),
                first or "",
                second or "",
            )
            for font, place, first, second in _several(texts)
        ]

    def clear_texts(self) -> None:
        """Remove all texts that `set_texts` added."""
        self._viewer.extra.texts = []

    def set_images(self, viewports_images: Any) -> None:
        """Show images over the scene, replacing previous ones.

        Args:
            viewports_images: a pair of a rectangle (MjrRect, pixels of the window) and an array of its size, shape
                (height, width, 3), uint8, or a sequence of such pairs.

        Raises:
            ValueError: the size of an image differs from that of its rectangle.
        """
        taken: list[tuple[MjrRect, np.ndarray]] = []
        for rect, image in _several(viewports_images):
            wanted = (rect.height, rect.width)
            if image.shape[:2] != wanted:
                raise ValueError(f"Image shape {image.shape[:2]} does not match target shape {wanted}")
            taken.append((rect, np.array(image, np.uint8)))
        self._viewer.extra.images = taken

    def clear_images(self) -> None:
        """Remove all images that `set_images` added."""
        self._viewer.extra.images = []

    # ---- the model

    def update_hfield(self, hfieldid: int) -> None:
        """Upload the current data of a height field, and wait until done.

        Args:
            hfieldid: id of the height field in the model.
        """
        self._renew(f"hfield {hfieldid}")

    def update_mesh(self, meshid: int) -> None:
        """Upload the current data of a mesh, and wait until done.

        Args:
            meshid: id of the mesh in the model.
        """
        self._renew(f"mesh {meshid}", f"hull {meshid}")

    def update_texture(self, texid: int) -> None:
        """Upload the current data of a texture, and wait until done.

        Args:
            texid: id of the texture in the model.
        """
        self._renew(texid)

    def _renew(self, *things: str | int) -> None:
        """Make the window upload shapes or textures again, and wait until done."""
        if self.is_running():
            self._viewer.renew(things)


def _several(given: Any) -> list[Any]:
    """Return a list of tuples, given a single tuple or a sequence of tuples."""
    return [given] if isinstance(given, tuple) else list(given)


def _copied(figure: MjvFigure) -> MjvFigure:
    """Return a copy of a figure."""
    made = MjvFigure()
    made.memory.bytes[...] = figure.memory.bytes
    return made
