"""Random models with flexes agree with MuJoCo: a fixed selection from `python -m fuzz.flex_trial`."""

from __future__ import annotations

from pathlib import Path

import pytest

from conjoint.lang.calls.compiled import jit_enabled
from fuzz import flex_trial
from fuzz.flex_models import FILES, Draw
from fuzz.flex_trial import trial
from oracle import apart, straight

SEEDS = (69, 94, 95, 180, 189, 1221, 3088, 5080, 7021, 7108)
"""Seeds of models that once revealed errors."""


@pytest.mark.skipif(not jit_enabled(), reason="uncompiled kernels take minutes")
@pytest.mark.filterwarnings("ignore::conjoint.lang.errors.DivergenceWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_flexes_equal_the_oracle(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "model.xml"
    path.write_text(Draw(str(seed)).text())
    found = trial(str(path), seed)
    for call in (straight, apart, straight):
        if found and "hfield" in path.read_text():
            # MuJoCo's contacts with height fields depend on unwritten memory: one of its results must equal Conjoint's
            monkeypatch.setattr(flex_trial, "apart", call)
            found = trial(str(path), seed)
    assert found == []
