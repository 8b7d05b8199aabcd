"""State of panels and keys: the model, the window, and the user's settings."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjrRect, MjvFigure
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.gui import Gui
from conjoint.viewer.items import Folder
from conjoint.viewer.picture import Picture, ScreenVideo
from conjoint.viewer.plots import Plot
from conjoint.viewer.profile import Profile
from conjoint.viewer.simulation import Simulation, file_loader
from conjoint.viewer.window import Window


@dataclass
class Settings:
    """User settings that do not depend on the model.

    Attributes:
        left, right: whether the panels on each side are visible.
        help, info, profiler, sensors, plots: whether these overlays are visible.
        vertical_sync: whether frames are synchronized with the display.
    """

    left: bool = True
    right: bool = True
    help: bool = False
    info: bool = True
    profiler: bool = False
    sensors: bool = False
    plots: bool = False
    vertical_sync: bool = True


Text = tuple[int, int, str, str]
"""Text overlay: font (mjtFontScale), position (mjtGridPos), and the texts of two columns."""


@dataclass
class Extra:
    """Overlays that a program adds to the scene."""

    figures: list[tuple[MjrRect, MjvFigure]] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    images: list[tuple[MjrRect, np.ndarray]] = field(default_factory=list)
    shown_images: int = 0


WAIT = 0.05
"""Interval (s) between checks for a closed window while a thread waits."""

NOTICE_TIME = 4.0
"""Time (s) for which a notice is visible."""

WIDTH = 320.0
"""Width of a column of panels, in screen coordinates of a display with normal density."""


class Desk:
    """State of a window and its contents.

    Args:
        source: a simulation that the window controls, or the channel to a program that steps a world.
        settings: initial user settings.
        size: size of the window, in screen coordinates of the display.

    Attributes:
        profile: timings of recent steps.
        plots: plots of the model; empty before the first model is loaded.
        picture: the scene; None before the first model is loaded.
        video: the video that is being recorded, or None.
        seconds: recent mean time between two frames.
        notice: text that is shown for a few seconds.
        extra: figures, texts and images that a program adds.
        panels: panels of the left and of the right column.
        closed: True if the window is closed, or will be after the current frame.

    Raises:
        FatalError: there is no display, or no OpenGL.
    """

    def __init__(self, source: Simulation | Exchange, settings: Settings, size: tuple[int, int] | None):
        self.source, self.settings = source, settings
        self.simulation = source if isinstance(source, Simulation) else None
        self.profile, self.extra = Profile(), Extra()
        self.plots: tuple[Plot, ...] = ()
        self.video: ScreenVideo | None = None
        self.picture: Picture | None = None
        self.panels: tuple[tuple[Folder, ...], tuple[Folder, ...]] = (), ()
        self.notice, self.seconds, self.closed = "", 0.0, False
        self._notice_until = 0.0
        self._jobs: list[Callable[[Picture], None]] = []
        self._d: MjData | None = None
        self._thread, self._gone = threading.current_thread(), threading.Event()
        self.window = Window("Conjoint", size)
        self.gui = Gui(self.window)

    @property
    def exchange(self) -> Exchange | None:
        """Channel between the owner of the world and the window; None before the first model is loaded."""
        return self.source.exchange if isinstance(self.source, Simulation) else self.source

    @property
    def d(self) -> MjData:
        """The copy of the world that the window shows."""
        assert self._d is not None
        return self._d

    def notify(self, text: str) -> None:
        """Show a notice for a few seconds."""
        self.notice, self._notice_until = text, time.perf_counter() + NOTICE_TIME

    def load(self, path: str) -> None:
        """Load and show a different model."""
        if self.simulation is None:
            self.notify("Only the program that opened this window can change the model.")
        else:
            self.simulation.load(file_loader(str(Path(path).expanduser())))

    def toggle(self, name: str) -> None:
        """Toggle a display setting, given its name."""
        shown = not getattr(self.settings, name)
        setattr(self.settings, name, shown)
        if name == "profiler":
            (self.profile.start if shown else self.profile.stop)()

    def do(self, job: Callable[[Picture], None]) -> None:
        """Schedule `job` to be called with the scene's picture after the next frame is drawn."""
        self._jobs.append(job)

    def renew(self, things: tuple[str | int, ...]) -> None:
        """Upload shapes (by name) or textures (by id) again, and wait until done. Call it only from other threads."""
        done = threading.Event()

        def job(picture: Picture) -> None:
            for thing in things:
                picture.painter.resources.forget(thing)
            done.set()

        self.do(job)
        while not (self.closed or done.wait(WAIT)):
            pass

    def quit(self) -> None:
        """Close the window after this frame."""
        self.closed = True

    def close(self) -> None:
        """Close the window from another thread, and return when it is closed."""
        self.closed = True
        if threading.current_thread() is not self._thread:
            self._gone.wait()

    @property
    def scale(self) -> float:
        """Number of pixels per unit of screen coordinates."""
        return self.window.pixels[0] / max(self.window.size[0], 1)

    @property
    def column(self) -> float:
        """Width of a column of panels, in screen coordinates."""
        return WIDTH * self.window.density

    @property
    def viewport(self) -> MjrRect:
        """Part of the window that panels do not cover, in pixels."""
        width, height = self.window.pixels
        column = int(self.column * self.scale)
        left = column if self.settings.left else 0
        right = column if self.settings.right else 0
        return MjrRect(left, 0, max(width - left - right, 1), height)
