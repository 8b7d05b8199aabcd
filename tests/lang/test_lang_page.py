"""The documentation page of the kernel language contains programs that run and a complete list of words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import conjoint.lang as cj
from places import ROOT

PAGE = (ROOT / "docs/kernel-language.md").read_text(encoding="utf-8")
PROGRAM = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))

CHECK = """
import numpy as np

with np.errstate(all="ignore"):
    for world in (0, 3):
        data = conjoint.MjData(model)
        data.qvel[0] = world
        conjoint.mj_step(model, data, 60)
        for name in ("qpos", "qvel", "sensordata"):
            np.testing.assert_allclose(getattr(data, name), getattr(batch, name)[world], rtol=0.0, atol=1e-9)
assert len(set(batch.sensordata[:, 0].tolist())) > 1
# the fence brakes what is fast, so worlds have taken different paths
assert batch.qvel[3, 0] < 2.9 and abs(batch.qvel[0, 0]) < 1e-3
"""
"""Program text that checks that the worlds of the batch equal worlds that are stepped separately."""


def run_page(folder: Path, **environment: str) -> None:
    """Run the programs of the page as one, with fewer worlds and steps, and check their results."""
    script = folder / "page.py"
    text = PROGRAM.replace("nworld=16", "nworld=4").replace("range(16)", "range(4)").replace("step(200)", "step(60)")
    script.write_text(text + CHECK, encoding="utf-8")
    result = subprocess.run([sys.executable, script], env={**os.environ, **environment}, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.plain
def test_the_page_runs_uncompiled(tmp_path: Path) -> None:
    run_page(tmp_path, CONJOINT_JIT="0")


def test_the_page_runs_compiled(tmp_path: Path) -> None:
    run_page(tmp_path, CONJOINT_JIT="1")


@pytest.mark.plain
def test_the_page_lists_all_words() -> None:
    table = PAGE.split("## Functions and types\n")[1].split("## Execution in batches")[0]
    rows = re.findall(r"^\| ([^|]+) \| `([^`]+)` \|$", table, re.MULTILINE)
    listed = [name for _, names in rows for name in names.split()]
    assert len(rows) == 11
    assert sorted(listed) == sorted(cj.__all__)


@pytest.mark.plain
def test_the_page_is_short() -> None:
    """The page has at most half of its former 4,141 words, and its first part is enough to write a kernel."""
    assert len(PAGE.split()) <= 2070
    assert len(PAGE.split("## Fields")[0].split()) <= 600
