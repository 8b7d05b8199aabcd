"""The built site works without a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from browsers import new_page
from places import ROOT

CONFIG = """
site_name: Small
theme: {name: material, font: false}
plugins: [search, offline]
extra: {polyfills: [iframe-worker.js]}
"""


def test_pages_that_are_opened_as_files_can_be_searched(browser: Any, tmp_path: Path) -> None:
    """Browsers start no workers for files, and the script that stands in for them is not loaded from elsewhere."""
    pytest.importorskip("material")
    pages = tmp_path / "docs"
    pages.mkdir()
    (pages / "index.md").write_text("# Begin\n\nNothing here.\n")
    (pages / "cloth.md").write_text("# Cloth\n\nA hammock hangs between trees.\n")
    shutil.copy(ROOT / "docs" / "iframe-worker.js", pages)
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=tmp_path, check=True)
    tab = new_page(browser, 1280, 800)
    tab.route("http*://**", lambda request: request.abort())
    tab.goto((tmp_path / "site" / "index.html").as_uri())
    tab.click("input.md-search__input")
    tab.keyboard.type("hammock")
    found = tab.locator(".md-search-result__item h1").first
    found.wait_for()
    assert found.inner_text() == "Cloth"
    tab.close()
