"""The uncompiled step equals the compiled one, and several processes may fill the cache at the same time."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.objects import disk_cache
from places import ROOT
from programs import without_progress
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="compares with compiled code")

FIELDS = (
    "qpos", "qvel", "qacc", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qfrc_constraint", "qM", "qLD", "xpos", "xmat", "cvel",
    "sensordata", "ncon", "nefc", "time",
)  # fmt: skip


def two_steps(path, out, fields):
    """Run two steps and a forward pass, and save the named fields to an .npz file."""
    import numpy as np

    import conjoint

    m = conjoint.MjModel.from_xml_path(path)
    d = conjoint.MjData(m)
    d.qvel[:] = 0.1 * np.cos(np.arange(m.nv))
    d.ctrl[:] = 0.3
    conjoint.mj_step(m, d, 2)
    conjoint.mj_forward(m, d)
    np.savez(out, **{name: getattr(d, name) for name in fields})


@pytest.mark.parametrize("name", ["cartpole", "car", "chain", "quadruped"])
def test_uncompiled_equals_compiled(name: str, tmp_path: Path) -> None:
    """Uncompiled steps agree with compiled ones to 1e-9: compiled code contracts and reorders sums."""
    path = str(ROOT / "models" / f"{name}.xml")
    compiled, plain = str(tmp_path / "compiled.npz"), str(tmp_path / "plain.npz")
    two_steps(path, compiled, FIELDS)
    code = f"{inspect.getsource(two_steps)}\ntwo_steps({path!r}, {plain!r}, {FIELDS!r})"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "CONJOINT_JIT": "0"}, check=True, timeout=PATIENCE)
    ours, theirs = np.load(compiled), np.load(plain)
    for field in FIELDS:
        np.testing.assert_allclose(ours[field], theirs[field], rtol=1e-9, atol=1e-9, err_msg=field)
    assert np.abs(ours["qacc"]).max() > 0 and ours["time"] > 0


MODEL = """
<mujoco>
  <worldbody>
    <body>
      <joint axis="0 1 0"/>
      <geom size="0.1" pos="0.3 0 0"/>
    </body>
  </worldbody>
</mujoco>
"""
NEEDS_ONE_STAGE = """
import sys, conjoint
m = conjoint.MjModel.from_xml_path(sys.argv[1])
conjoint.mj_energyVel(m, conjoint.MjData(m))
"""


def test_warming_up_twice_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that compile the same stage at once both succeed and leave no partial cache files."""
    model = tmp_path / "pendulum.xml"
    model.write_text(MODEL)
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path / "cache"))
    start = [sys.executable, "-c", NEEDS_ONE_STAGE, str(model)]
    running = [subprocess.Popen(start, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        assert without_progress(process.communicate(timeout=PATIENCE)[1]) == ""
        assert process.returncode == 0
    files = sorted((tmp_path / "cache" / "conjoint").iterdir())
    assert {path.suffix for path in files} == {".o", ".json"}
    assert all(disk_cache.load(path.name) for path in files)
