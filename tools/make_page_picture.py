"""Makes the picture of docs/web-viewer.md: a humanoid on the page, in a browser without a screen.

python -m tools.make_page_picture

It needs playwright and Chromium, as the tests of the page do.
"""

from __future__ import annotations

import io
import shutil
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import conjoint
from conjoint.viewer.simulation import Simulation
from conjoint.viewer.web.page import Page

ROOT = Path(__file__).resolve().parent.parent
SIZE = {"width": 1000, "height": 640}
COLORS = 256
"""A picture of a page needs no more."""
SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""How Chromium draws without a graphics card."""
PATIENCE = 120_000
"""Time (ms) within which something must be seen."""
DRAWN = 12.0
"""Time (s) in which a browser without a graphics card has drawn the scene."""
GONE = 2.0
"""Time (s) in which a notice that was closed is gone."""


def load() -> tuple[conjoint.MjModel, conjoint.MjData]:
    """The humanoid, standing."""
    model = conjoint.MjModel.from_xml_path(str(ROOT / "models" / "humanoid.xml"))
    return model, conjoint.MjData(model)


def main() -> None:
    """Serve, look, and write what is seen."""
    simulation = Simulation(load)
    simulation.running = False
    page = Page(simulation, "127.0.0.1", 8790)
    simulation.start()
    try:
        with sync_playwright() as play:
            chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=SOFTWARE)
            tab = chromium.new_page(viewport=SIZE)
            tab.goto(page.url)
            tab.get_by_label("Run").wait_for(timeout=PATIENCE)
            time.sleep(DRAWN)
            # what browsers without a graphics card are told
            for notice in tab.locator(".mantine-Notification-closeButton").all():
                notice.click(timeout=PATIENCE)
            time.sleep(GONE)
            seen = tab.screenshot(timeout=PATIENCE)
            chromium.close()
    finally:
        simulation.stop()
        page.close()
    picture = Image.open(io.BytesIO(seen)).convert("RGB").quantize(COLORS, kmeans=2)
    picture.save(ROOT / "docs" / "pictures" / "page.png", optimize=True)


if __name__ == "__main__":
    main()
