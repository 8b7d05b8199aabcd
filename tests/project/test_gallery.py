"""The gallery: it shows every model with the beginning of the description in its file, and stays small; assets are made by a script."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from places import ROOT

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 4_000_000
"""Bytes of all pictures together, without the film."""

FILM = 4_000_000
"""Bytes of the film of the README."""

ASSETS = ROOT / "models" / "assets"
MADE = ("arm", "biped", "hand", "rover")
"""Models whose assets tools/make_meshes.py makes."""

LARGEST_ASSETS = 900_000
"""Bytes of their assets together."""


def test_every_model_has_its_picture_and_its_words() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text()
    models = sorted((ROOT / "models").glob("*.xml"))
    assert len(models) > 10
    for model in models:
        comment = re.search(r"<!--(.*?)-->", model.read_text(), re.DOTALL)
        assert comment is not None, model.name
        words = re.split(r"[.:;](?:\s|$)", " ".join(comment.group(1).split()))[0] + "."
        assert f"![{model.stem}](pictures/gallery-{model.stem}.png)\n\n**{model.stem}.** {words}" in page


def test_pictures_of_pages_are_there_and_small() -> None:
    named = set()
    for page in (ROOT / "docs").glob("*.md"):
        named |= set(re.findall(r"\(pictures/([^)]+)\)", page.read_text()))
    there = {path.name for path in PICTURES.iterdir()}
    assert named == there
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    assert sizes.pop("film.webp") < FILM
    assert sum(sizes.values()) < LARGEST


def corners(path: Path) -> np.ndarray:
    """Return the positions of an OBJ file, then the vertices of its triangles."""
    rows = [line.split()[1:] for line in path.read_text().splitlines() if line[0] in "vf"]
    return np.array(rows, float)


@pytest.mark.parametrize("model", MADE)
def test_assets_are_what_their_script_makes(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from tools.make_meshes import make

    make(model, tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(path.name for path in (ASSETS / model).iterdir())
    for name in names:
        one, other = tmp_path / name, ASSETS / model / name
        if name.endswith(".obj"):
            # other processors may round the last place differently
            assert np.abs(corners(one) - corners(other)).max() < 2e-4, name
        else:
            assert np.array_equal(np.asarray(Image.open(one)), np.asarray(Image.open(other))), name


def test_assets_are_small() -> None:
    sizes = [path.stat().st_size for model in MADE for path in (ASSETS / model).iterdir()]
    assert sum(sizes) < LARGEST_ASSETS
