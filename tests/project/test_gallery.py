"""The gallery: it shows every model with the description in its file, and stays small."""

from __future__ import annotations

import re

from places import ROOT

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 4_000_000
"""Bytes of all pictures together."""


def test_every_model_has_its_picture_and_its_words() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text()
    models = sorted((ROOT / "models").glob("*.xml"))
    assert len(models) > 10
    for model in models:
        comment = re.search(r"<!--(.*?)-->", model.read_text(), re.DOTALL)
        assert comment is not None, model.name
        words = " ".join(comment.group(1).split())
        assert f"![{model.stem}](pictures/gallery-{model.stem}.png)\n\n**{model.stem}.** {words}" in page


def test_pictures_of_pages_are_there_and_small() -> None:
    named = set()
    for page in (ROOT / "docs").glob("*.md"):
        named |= set(re.findall(r"\(pictures/([^)]+)\)", page.read_text()))
    there = {path.name for path in PICTURES.iterdir()}
    assert named == there
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) < LARGEST
