"""Tests of the built site, opened as local files without a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from browsers import new_page
from places import ROOT
from tools.site_quality import color_faults, contrast, faults

CONFIG = """
site_name: Small
theme: {name: material, font: false}
plugins: [search, offline]
extra: {polyfills: [iframe-worker.js]}
"""


def test_pages_that_are_opened_as_files_can_be_searched(browser: Any, tmp_path: Path) -> None:
    """Search works on pages opened as local files, for which browsers do not start workers."""
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


BAD = """<html lang="en"><head><title>Bad</title><meta name="viewport" content="width=device-width">
<script src="https://elsewhere.example/x.js"></script></head><body><h1>Bad</h1><h3>Deep</h3><img src="a.png">
<a href="x.html"><img alt="" src="b.png" width="1" height="1"></a></body></html>"""


def test_pages_that_are_hard_to_use_are_named(tmp_path: Path) -> None:
    shutil.copy(ROOT / "docs" / "site.css", tmp_path)
    (tmp_path / "bad.html").write_text(BAD)
    assert [fault.removeprefix("bad.html: ") for fault in faults(tmp_path)] == [
        "its description has 0 characters, not 40 to 200",
        "<script> loads https://elsewhere.example/x.js from elsewhere",
        "the picture a.png has no alternative text",
        "the picture a.png has no size",
        "the picture b.png has no alternative text",
        "a heading of level 3 follows one of level 1",
        "a link to x.html has no name",
    ]
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert list(color_faults((ROOT / "docs" / "site.css").read_text().replace("#0f5f73", "#8fb3bc"))) != []
