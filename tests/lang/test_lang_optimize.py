"""Kernels are first compiled without LLVM's passes, and optimized once they run often, with bit-identical results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conjoint.lang import FatalError, Field, kernel
from conjoint.lang.calls import compiled
from conjoint.lang.calls.driver import Run, table_of
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.lang.memory.realisation import WORLD
from conjoint.lang.routines.driver_code import OFTEN

pytestmark = pytest.mark.skipif(not compiled.jit_enabled(), reason="nothing is compiled")

MODEL, DATA = (Field("n", "int"),), (Field("x", "real", ("n",)), Field("calls", "int"))


@kernel
def grow(m, d):
    d.calls += 1
    for i in range(m.n):
        d.x[i] = d.x[i] * 1.1 + d.x[i] / 3.0 - d.x[i] * d.x[i]


@kernel
def stop_once(m, d):
    if d.calls == 3:
        d.calls += 1
        return 7
    return 0


def memory() -> tuple[Buffer, Buffer]:
    m, d = Buffer(Layout(MODEL, {"n": 3})), Buffer(Layout(DATA, {"n": 3}))
    m.view("n")[...] = 3
    d.view("x")[...] = 0.1, 0.2, 0.3
    return m, d


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Set an empty cache folder and the default policy, which optimizes kernels late."""
    monkeypatch.setenv("CONJOINT_OPTIMIZE", "late")
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiled, "_loaded", {})


def objects(folder: Path) -> tuple[int, int]:
    """Return the number of stored stage objects compiled without LLVM's passes, and the number compiled with them."""
    kept = [path.name for path in folder.rglob("*.o") if path.name.startswith(("grow", "stop_once"))]
    return sum("-lean" in name for name in kept), sum("-lean" not in name for name in kept)


def test_what_runs_often_is_optimized(late: None, tmp_path: Path) -> None:
    m, d = memory()
    table = table_of(compiled.stage_addresses([(grow, WORLD)], MODEL, DATA), [1])
    first = table[0, 0]
    run = Run(table, m.address, d.address)
    assert run.go(OFTEN - 1) == 0 and table[0, 0] == first
    assert objects(tmp_path) == (1, 0)
    assert run.go(1) == 0 and table[0, 0] != first
    assert objects(tmp_path) == (1, 1)
    assert run.go(OFTEN) == 0
    assert d.view("calls") == 2 * OFTEN
    # a table that is built later contains optimized code from the start
    assert not compiled.is_lean(compiled.stage_addresses([(grow, WORLD)], MODEL, DATA))


def test_a_run_goes_on_where_it_was(late: None) -> None:
    """A switch to optimized code in the middle of a call loses neither a stage's nonzero status nor a step."""
    m, d = memory()
    addresses = compiled.stage_addresses([(grow, WORLD), (stop_once, WORLD)], MODEL, DATA)
    run = Run(table_of(addresses, [1, 1]), m.address, d.address)
    assert run.go(3 * OFTEN) == 7
    assert run.position == (2, 1, 0)
    assert run.go(3 * OFTEN) == 0
    assert d.view("calls") == 3 * OFTEN + 1


def test_tables_share_what_was_optimized(late: None) -> None:
    m, d = memory()
    tables = [table_of(compiled.stage_addresses([(grow, WORLD)], MODEL, DATA), [1]) for _ in range(2)]
    for table in tables:
        Run(table, m.address, d.address).go(OFTEN)
    assert tables[0][0, 0] == tables[1][0, 0]


@pytest.mark.parametrize(("policy", "kept"), [("first", (0, 1)), ("never", (1, 0))])
def test_policies(late: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, kept: tuple) -> None:
    monkeypatch.setenv("CONJOINT_OPTIMIZE", policy)
    m, d = memory()
    run = Run(table_of(compiled.stage_addresses([(grow, WORLD)], MODEL, DATA), [1]), m.address, d.address)
    assert run.go(3 * OFTEN) == 0
    assert d.view("calls") == 3 * OFTEN
    assert objects(tmp_path) == kept


def test_another_policy_is_refused(late: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONJOINT_OPTIMIZE", "yes")
    with pytest.raises(FatalError, match="CONJOINT_OPTIMIZE=yes: set it to late, first or never"):
        compiled.stage_addresses([(grow, WORLD)], MODEL, DATA)


PROGRAM = """
import hashlib, sys
import numpy as np
import conjoint
m = conjoint.MjModel.from_xml_string(sys.argv[1])
d = conjoint.MjData(m)
seen = []
for step in range(60):
    d.ctrl[:] = np.sin(step)
    conjoint.mj_step(m, d)
    seen.append([*d.qpos, *d.qvel, *d.sensordata])
batch = conjoint.Batch(m, 9, nthread=1)
batch.qvel = np.linspace(-1, 1, 9 * m.nv).reshape(9, m.nv)
for step in range(100):
    batch.step()
seen.append(np.concatenate([batch.qpos.ravel(), batch.qvel.ravel()]))
print(hashlib.sha256(b"".join(np.asarray(row, float).tobytes() for row in seen)).hexdigest())
"""

SCENE = """
<mujoco>
  <option cone="elliptic" integrator="implicitfast"/>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .15 .2" euler="10 20 30"/></body>
    <body pos=".1 0 .9">
      <freejoint/>
      <geom type="capsule" size=".05 .2"/>
      <body pos="0 0 .3"><joint name="knee" axis="0 1 0" damping=".1" range="-30 30"/><geom size=".1"/></body>
    </body>
  </worldbody>
  <actuator><position joint="knee" kp="5"/></actuator>
  <sensor><jointpos joint="knee"/></sensor>
</mujoco>
"""


def test_bits_do_not_depend_on_passes() -> None:
    """Results are bit-identical with optimized code, with unoptimized code, and with both in one process."""
    found = {}
    for policy in ("first", "never", "late"):
        program = [sys.executable, "-c", PROGRAM, SCENE]
        environment = {**os.environ, "CONJOINT_OPTIMIZE": policy}
        found[policy] = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout
    assert len(set(found.values())) == 1, found
