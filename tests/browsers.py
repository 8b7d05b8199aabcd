"""Headless browser for tests of web pages."""

from __future__ import annotations

import shutil
from io import BytesIO
from typing import Any

import numpy as np

from waiting import PATIENCE

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
"""Path of a browser that playwright can control, or "" if none is installed."""

SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""Browser options for rendering without a graphics card."""


def new_page(browser: Any, width: int, height: int) -> Any:
    """Open a tab with the timeout of the tests, and return it."""
    tab = browser.new_page(viewport={"width": width, "height": height})
    tab.set_default_timeout(1000 * PATIENCE)
    return tab


def screenshot(tab: Any) -> np.ndarray:
    """Return a screenshot of a browser tab, shape (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(BytesIO(tab.screenshot())).convert("RGB"))
