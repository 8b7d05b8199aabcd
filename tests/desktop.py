"""Virtual desktop (Xvfb) with a simulated user who operates mouse and keyboard (xdotool)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from waiting import PATIENCE, wait_for

NEEDED = {"Xvfb": "xvfb", "xdotool": "xdotool"}
"""Programs that the window tests need, with the Debian packages that contain them."""


def missing() -> str:
    """Return a message that names the missing programs, or "" if all are installed."""
    found = [f"{program} (Debian: apt-get install {package})" for program, package in NEEDED.items()
             if shutil.which(program) is None]  # fmt: skip
    return f"windows are tested with {', '.join(found)}" if found else ""


@contextmanager
def desktop(width: int = 1000, height: int = 700) -> Iterator[str]:
    """Start a virtual display, and yield its name."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24"],
        pass_fds=[writer], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writer)
    try:
        with os.fdopen(reader) as stream:
            number = stream.readline().strip()
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(PATIENCE)


class Person:
    """Simulated user of a window of this process.

    Args:
        application: the window; it fills the display from the upper left corner.
        display: name of the display.
    """

    def __init__(self, application: Any, display: str):
        self.application, self.display = application, display
        found = self._do("search", "--sync", "--name", "Conjoint")
        self._do("windowfocus", found.split()[-1])

    def _do(self, *arguments: object) -> str:
        done = subprocess.run(["xdotool", *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # ---- input of the user

    def press(self, key: str) -> None:
        self._do("key", "--clearmodifiers", key)
        self.look()

    def write(self, text: str) -> None:
        self._do("type", text)
        self.look()

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a point, given in fractions of the window's width and height."""
        width, height = self.application.window.size
        self._do("mousemove", round(x * width), round(y * height))
        self.look(1)

    def click(self, x: float, y: float, button: int = 1, repeat: int = 1) -> None:
        self.move(x, y)
        self._do("click", "--repeat", repeat, "--delay", 30, button)
        self.look()

    def drag(self, start: tuple[float, float], end: tuple[float, float], button: int = 1, hold: str = "",
             during: Callable[[], None] | None = None) -> None:  # fmt: skip
        """Drag while the key `hold` is pressed; `during` is called before the button is released."""
        self.move(*start)
        if hold:
            self._do("keydown", hold)
        self._do("mousedown", button)
        self.look(1)
        for share in (0.25, 0.5, 0.75, 1.0):
            self.move(*(a + share * (b - a) for a, b in zip(start, end, strict=True)))
        if during is not None:
            during()
        self._do("mouseup", button)
        if hold:
            self._do("keyup", hold)
        self.look()

    def wheel(self, notches: int) -> None:
        """Turn the mouse wheel by notches, which are positive away from the user."""
        self._do("click", "--repeat", abs(notches), 4 if notches > 0 else 5)
        self.look()

    # ---- output that the user sees

    def look(self, pictures: int = 2) -> None:
        """Draw a number of frames of the window."""
        for _ in range(pictures):
            self.application.frame()

    def wait(self, happened: Callable[[], Any]) -> None:
        """Draw frames of the window until a condition is true."""
        wait_for(happened, self.application.frame)

    def screen(self) -> np.ndarray:
        """Return a screenshot of the display, shape (height, width, 3)."""
        from PIL import ImageGrab

        return np.asarray(ImageGrab.grab(xdisplay=self.display).convert("RGB"))

    def part(self, left: float, top: float, right: float, bottom: float) -> np.ndarray:
        """Return a part of the screenshot; its edges are given in fractions of the window's width and height."""
        width, height = self.application.window.size
        return self.screen()[int(top * height) : int(bottom * height), int(left * width) : int(right * width)]
