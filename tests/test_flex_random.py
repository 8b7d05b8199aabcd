"""Random models with flexes against the oracle: a slice, always the same, of `python -m fuzz.flex_trial`."""

from __future__ import annotations

from pathlib import Path

import pytest

from conjoint.lang.calls.compiled import jit_enabled
from fuzz.flex_models import FILES, Draw
from fuzz.flex_trial import trial

SEEDS = (69, 94, 95, 180, 189, 1221, 3088, 5080, 7021, 7108)
"""Models in which something was found."""


@pytest.mark.skipif(not jit_enabled(), reason="uncompiled kernels take minutes")
@pytest.mark.filterwarnings("ignore::conjoint.lang.errors.DivergenceWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_flexes_equal_the_oracle(seed: int, tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "model.xml"
    path.write_text(Draw(str(seed)).text())
    assert trial(str(path), seed) == []
