"""A browser without a screen, and how tests wait for what it draws."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
"""A browser that playwright drives."""

SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""How it draws without a graphics card."""

PATIENCE = 60.0
"""Time (s) within which something must be seen."""


def wait(condition: Callable[[], Any]) -> Any:
    """What a condition gives once it is true."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
    return found


def screenshot(tab: Any) -> np.ndarray:
    """What a tab shows, shape (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(BytesIO(tab.screenshot(timeout=1000 * PATIENCE))).convert("RGB"))
