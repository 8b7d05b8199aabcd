"""Screenshots of the viewer's window and of the web viewer's page, without a display.

To take them, run `python -m tools.pictures window page`. This module uses the same helpers as the viewer tests. The
window needs Xvfb and xdotool; the page needs playwright and Chromium.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from PIL import Image  # noqa: E402

from browsers import CHROMIUM, SOFTWARE  # noqa: E402
from conjoint.viewer.application import Application  # noqa: E402
from conjoint.viewer.simulation import Simulation, file_loader  # noqa: E402
from conjoint.viewer.web.page import Page  # noqa: E402
from desktop import Person, desktop, missing  # noqa: E402

SIZE = 1200, 750
COLORS = 256
"""Number of colors that suffice for a screenshot of the window."""

PAGE_SIZE = {"width": 1100, "height": 720}
PAGE_COLORS = 256
"""Number of colors that suffice for a screenshot of the page."""
PATIENCE = 120_000
"""Longest time (ms) to wait for an element of the page."""
DRAWN = 12.0
"""Time (s) after which a browser without a graphics card has drawn the scene."""
GONE = 2.0
"""Time (s) after which a closed notice has disappeared."""


@contextmanager
def opened(name: str, display: str) -> Iterator[Person]:
    """Open a window with a paused model; yield a simulated user who operates the window."""
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


def save(person: Person, path: Path) -> None:
    """Write a screenshot of the window to a file."""
    person.look(3)
    seen = person.screen()[: SIZE[1], : SIZE[0]]
    Image.fromarray(seen).quantize(COLORS).save(path, optimize=True)


def simulate(person: Person, until: float) -> None:
    """Step the simulation until a time (s), and redraw the window after every step."""
    while person.application.d.time < until:
        person.application.simulation.step()
        person.look(1)


def window(target: Path) -> None:
    """Write the screenshots of the viewer's window to a folder."""
    if missing():
        raise SystemExit(missing())
    with desktop(*SIZE) as display, patch.dict(os.environ, DISPLAY=display):
        with opened("biped", display) as person:
            simulate(person, 0.1)
            save(person, target / "window.png")
        with opened("humanoid", display) as person:
            person.press("ctrl+Tab")
            for key in ("F3", "F4", "space"):
                person.press(key)
            person.wait(lambda: person.application.d.time > 2.5)
            person.press("space")
            save(person, target / "window-profiler.png")
        with opened("humanoid", display) as person:
            person.application.picture.smooth = False
            person.press("ctrl+Tab")
            for key in ("F8", "c", "f"):
                person.press(key)
            person.application.plots[1].choose(person.application.plots[1].options.index("all joint positions") - 1)
            simulate(person, 1.6)
            person.application.picture.smooth = True
            save(person, target / "window-plots.png")
        with opened("biped", display) as person:
            app = person.application
            person.press("ctrl+Tab")
            # slow motion keeps the spring long until the picture is taken
            app.simulation.pace.rate = 0.02
            person.press("space")
            start = app.d.time

            def held() -> None:
                person.wait(lambda: app.d.time > start + 0.05)
                save(person, target / "window-pull.png")

            person.drag((0.5, 0.38), (0.62, 0.2), button=3, hold="ctrl", during=held)


def page(target: Path) -> None:
    """Write the screenshot of the web viewer's page to a folder."""
    from playwright.sync_api import sync_playwright

    simulation = Simulation(file_loader(str(ROOT / "models" / "biped.xml")))
    simulation.running = False
    served = Page(simulation, "127.0.0.1", 8790)
    simulation.start()
    try:
        with sync_playwright() as play:
            chromium = play.chromium.launch(executable_path=CHROMIUM or None, args=SOFTWARE)
            tab = chromium.new_page(viewport=PAGE_SIZE)
            tab.goto(served.url)
            tab.get_by_label("Run").wait_for(timeout=PATIENCE)
            time.sleep(DRAWN)
            # close the notices that are shown in browsers without a graphics card
            for notice in tab.locator(".mantine-Notification-closeButton").all():
                notice.click(timeout=PATIENCE)
            time.sleep(GONE)
            seen = tab.screenshot(timeout=PATIENCE)
            chromium.close()
    finally:
        simulation.stop()
        served.close()
    picture = Image.open(io.BytesIO(seen)).convert("RGB").quantize(PAGE_COLORS, kmeans=2)
    picture.save(target / "page.png", optimize=True)
