"""Makes the pictures of docs/viewer.md: models of the repository in a window on a display without a screen.

    python tools/make_window_pictures.py

It needs Xvfb and xdotool, as the tests of the window do.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from PIL import Image  # noqa: E402

import conjoint  # noqa: E402
from conjoint.viewer.application import Application  # noqa: E402
from conjoint.viewer.simulation import Simulation, file_loader  # noqa: E402
from desktop import Person, desktop, missing  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
SIZE = 1100, 700
COLORS = 128
"""A picture of a window needs no more."""


@contextmanager
def window(name: str, display: str) -> Iterator[Person]:
    """Somebody before a window with a model, paused."""
    simulation = Simulation(file_loader(str(ROOT / "models" / f"{name}.xml")))
    simulation.running = False
    application = Application(simulation, size=SIZE)
    simulation.start()
    try:
        person = Person(application, display)
        person.wait(lambda: application.picture is not None)
        application.picture.smooth = True
        yield person
    finally:
        simulation.stop()
        application.finish()


def save(person: Person, name: str) -> None:
    """Write what is seen of the window."""
    person.look(3)
    seen = person.screen()[: SIZE[1], : SIZE[0]]
    TARGET.mkdir(exist_ok=True)
    Image.fromarray(seen).quantize(COLORS).save(TARGET / f"{name}.png", optimize=True)


def simulate(person: Person, until: float) -> None:
    """Let time pass until a time of the world."""
    while person.application.d.time < until:
        person.application.simulation.step()
        person.look(1)


def main() -> None:
    """Make all pictures."""
    if missing():
        raise SystemExit(missing())
    with desktop(*SIZE) as display:
        os.environ["DISPLAY"] = display
        with window("humanoid", display) as person:
            simulate(person, 0.1)
            save(person, "window")
            person.press("ctrl+Tab")
            person.press("space")
            person.press("F3")
            person.press("F4")
            person.wait(lambda: person.application.d.time > 2.5)
            person.press("space")
            save(person, "window-profiler")
        with window("humanoid", display) as person:
            app = person.application
            person.press("ctrl+Tab")
            app.picture.exchange.opt.flags[conjoint.mjtVisFlag.mjVIS_PERTFORCE] = 1
            person.click(0.5, 0.38, repeat=2)
            person.press("space")

            start = app.d.time

            def held() -> None:
                person.wait(lambda: app.d.time > start + 1.0)
                save(person, "window-pull")

            person.drag((0.5, 0.38), (0.6, 0.2), button=3, hold="ctrl", during=held)


if __name__ == "__main__":
    main()
