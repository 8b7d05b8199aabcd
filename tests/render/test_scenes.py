"""The film's scenes start, render and are reproducible bit by bit, and the film concatenates them."""

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="scenes are made by many kernels: compiled only")

SCENES = ("crowd", "dominoes", "pick", "rubble", "soft")


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the programs in examples/ importable."""
    monkeypatch.syspath_prepend(ROOT / "examples")


def scene(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_gives_the_same_pictures_again(name: str) -> None:
    look = importlib.import_module("film.look")
    shot = look.Shot(width=48, height=27, fps=50, seconds=0.04, rays=True)
    first, again = (list(scene(name).pictures(shot)) for _ in range(2))
    assert [picture.shape for picture in first] == [(27, 48, 3)] * 2
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
    # the image shows something, which moves
    assert first[0].std() > 5 and (first[0] != first[1]).any()


def test_a_chain_reaction_has_the_contacts_of_its_caption() -> None:
    model = scene("dominoes").model()
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data, 50)
    assert 1150 < data.ncon < 1250
    # no domino falls without a push
    conjoint.mj_step(model, data, 500)
    blocks = data.xmat[model.geom_bodyid[model.geom_type == conjoint.mjtGeom.mjGEOM_BOX], 8]
    assert (blocks > 0.999).all() and len(blocks) > 280


def test_scenes_are_joined_with_captions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Concatenated scenes crossfade, which shortens the film; the animation has every second frame."""
    look, make_film = (importlib.import_module(name) for name in ("film.look", "make_film"))

    def pictures(shot: look.Shot):  # type: ignore[name-defined]
        for k in range(shot.count):
            yield np.full((shot.height, shot.width, 3), 100 + 15 * k, np.uint8)

    monkeypatch.setattr(scene("rubble"), "pictures", pictures)
    parts = [make_film.Scene("rubble", f"Scene {k}", 0.0, 1.0) for k in range(2)]
    shot = look.Shot(width=160, height=90, fps=10)
    assert make_film.save(tuple(parts), shot, [tmp_path / "a.webp", tmp_path / "a_.png"]) == 17
    assert Image.open(tmp_path / "a.webp").n_frames == 9
    third = np.asarray(Image.open(tmp_path / "a__00002.png"))
    assert (third[:60] == 130).all() and third[75:85, 6:40].min() < 80
