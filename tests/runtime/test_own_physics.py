"""User-defined physics: kernels as callbacks and as replacements of stages, compiled, in lanes and uncompiled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import FatalError, kernel
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics.collision.collider_table import COLLIDER_NUMBERS
from conjoint.runtime.user import installed
from places import ROOT
from waiting import PATIENCE

PAGE = (ROOT / "docs" / "your-own-physics.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

compiled = pytest.mark.skipif(not jit_enabled(), reason="batches of uncompiled steps")

XML = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
  <body pos="0 0 .09"><freejoint/><geom name="ball" size=".1"/></body>
  <body pos="2 0 1"><joint name="hinge" axis="0 1 0"/><geom size=".05" pos=".4 0 0"/></body></worldbody>
  <actuator><general joint="hinge" dyntype="user" gaintype="user" biastype="user" actdim="1" gainprm="2 .1"/></actuator>
  <sensor><user dim="1" needstage="vel" cutoff=".1"/></sensor></mujoco>"""


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    conjoint.mj_resetCallbacks()
    for name in ("euler", "sum_passive", "count_rows"):
        del conjoint.mjSTAGEFUNC[name]


@kernel
def control(m, d):
    for u in range(m.nu):
        d.ctrl[u] = 0.3 - d.qpos[7]


@kernel
def passive(m, d):
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_passive[i] - 0.1 * d.qvel[i]


@kernel
def sensor(m, d, stage):
    d.sensordata[0] = 10.0 * d.qvel[6] + stage


@kernel
def act_dyn(m, d, u):
    return (d.ctrl[u] - d.act[m.actuator_actadr[u]]) / 0.1


@kernel
def act_gain(m, d, u):
    return m.actuator_gainprm[u, 0] - 0.1 * d.actuator_velocity[u]


@kernel
def act_bias(m, d, u):
    return -m.actuator_gainprm[u, 1] * d.actuator_velocity[u]


@kernel
def contactfilter(m, d, g1, g2):
    if g1 + g2 == 1:
        return 1
    return 0


CALLBACKS = {
    "control": control, "passive": passive, "sensor": sensor, "act_dyn": act_dyn, "act_gain": act_gain,
    "act_bias": act_bias, "contactfilter": contactfilter,
}  # fmt: skip


def install(python: bool) -> None:
    """Install all callbacks, as kernels or as the Python functions behind the kernels."""
    conjoint.mj_resetCallbacks()
    for name, function in CALLBACKS.items():
        getattr(conjoint, f"set_mjcb_{name}")(function.function if python else function)


def stepped(nstep: int) -> Any:
    model = conjoint.MjModel.from_xml_string(XML)
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data, nstep)
    return data


@pytest.mark.plain
def test_kernels_are_the_callbacks_that_functions_are() -> None:
    """Kernels and Python functions as callbacks give the same results up to rounding, for every callback."""
    install(python=True)
    expected = stepped(10)
    install(python=False)
    found = stepped(10)
    assert expected.ncon == 0 and expected.act[0] != 0 and 0 < expected.sensordata[0] <= 0.1
    for name in ("qpos", "qvel", "act", "ctrl", "sensordata", "actuator_force", "qfrc_passive"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-10, atol=1e-12, err_msg=name)


@compiled
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_kernels_run_in_batches(precision: str) -> None:
    install(python=False)
    expected = stepped(50)
    batch = Batch(conjoint.MjModel.from_xml_string(XML), 5, precision=precision, nthread=1)
    batch.step(50)
    tolerance = 1e-10 if precision == "float64" else 1e-4
    np.testing.assert_allclose(batch.qpos, np.tile(expected.qpos, (5, 1)), rtol=tolerance, atol=tolerance)
    conjoint.mj_resetCallbacks()
    with pytest.raises(FatalError, match="changed after the batch was made"):
        batch.step()


@pytest.mark.plain
def test_flags_disable_kernels() -> None:
    install(python=False)
    model = conjoint.MjModel.from_xml_string(XML)
    model.opt.disableflags |= conjoint.mjtDisableBit.mjDSBL_PASSIVE | conjoint.mjtDisableBit.mjDSBL_ACTUATION
    data = conjoint.MjData(model)
    data.qvel[6] = 1.0
    conjoint.mj_forward(model, data)
    assert data.ctrl[0] == 0 and data.qfrc_passive[6] == 0 and data.sensordata[0] == 0.1


def test_kernels_that_cannot_be_callbacks_are_refused() -> None:
    here = rf"{re.escape(str(Path(__file__)))}:\d+: kernel"
    with pytest.raises(FatalError, match=here + " sensor: set_mjcb_passive needs a kernel of 2 parameters, not 3"):
        conjoint.set_mjcb_passive(sensor)
    with pytest.raises(FatalError, match=here + " control: set_mjcb_time needs a Python function"):
        conjoint.set_mjcb_time(control)
    conjoint.set_mjcb_act_gain(act_gain)
    with pytest.raises(FatalError, match="all kernels or all Python functions"):
        conjoint.set_mjcb_act_bias(act_bias.function)
    assert conjoint.get_mjcb_act_gain() is act_gain and conjoint.get_mjcb_act_bias() is None


# ---- stages replaced by name


@kernel
def frozen(m, d):
    d.time = d.time + m.opt.timestep


@pytest.mark.plain
def test_a_stage_is_replaced_by_name() -> None:
    before = conjoint.mjSTAGEFUNC["euler"]
    conjoint.mjSTAGEFUNC["euler"] = frozen
    assert conjoint.mjSTAGEFUNC["euler"] is frozen
    data = stepped(3)
    assert data.time == pytest.approx(0.006) and not data.qvel.any()
    del conjoint.mjSTAGEFUNC["euler"]
    assert conjoint.mjSTAGEFUNC["euler"] is before
    assert stepped(3).qvel.any()


engine_counts = conjoint.mjSTAGEFUNC["count_rows"]


@kernel
def counted(m, d):
    engine_counts(m, d)


@compiled
def test_room_for_rows_is_found_again_where_their_count_is_replaced() -> None:
    """If rows do not fit, the arena grows and the counting stage is repeated, even if a user-defined kernel replaces it."""
    bodies = "".join(f'<body pos="{k} 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for k in range(12))
    model = conjoint.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="50 9 1"/>{bodies}</worldbody></mujoco>'
    )
    expected, found = conjoint.MjData(model), conjoint.MjData(model)
    conjoint.mj_step(model, expected)
    conjoint.mjSTAGEFUNC["count_rows"] = counted
    conjoint.mj_step(model, found)
    assert found.nefc == expected.nefc > 100
    assert found.qacc.tobytes() == expected.qacc.tobytes()


def test_stages_that_cannot_be_replaced_are_refused() -> None:
    with pytest.raises(FatalError, match="no stage 'eulr'; did you mean 'euler'"):
        conjoint.mjSTAGEFUNC["eulr"] = frozen
    with pytest.raises(FatalError, match=r"is not a kernel: declare it with @conjoint\.lang\.kernel"):
        conjoint.mjSTAGEFUNC["euler"] = frozen.function
    with pytest.raises(FatalError, match=r"kernel sensor: a stage has the parameters \(m, d\), not \(m, d, stage\)"):
        conjoint.mjSTAGEFUNC["euler"] = sensor
    assert len(conjoint.mjSTAGEFUNC) > 100 and "solve_newton" in set(conjoint.mjSTAGEFUNC)


@kernel
def nothing(m, d, g1, g2, margin, dists, points):
    return 0


@pytest.mark.plain
def test_colliders_of_programs_share_no_number_with_those_of_the_engine() -> None:
    """User-defined colliders never get a number of the engine's colliders, which would cause false contacts."""
    sphere, box = conjoint.mjtGeom.mjGEOM_SPHERE, conjoint.mjtGeom.mjGEOM_BOX
    conjoint.mjCOLLISIONFUNC[sphere, box] = nothing
    try:
        assert not set(installed.current.functions()) & set(COLLIDER_NUMBERS.values())
    finally:
        del conjoint.mjCOLLISIONFUNC[sphere, box]


# ---- the documentation page


SLIDE = """<mujoco><option gravity="0 0 0"/><size nuserdata="1"/><worldbody><body><joint type="slide"/><geom size=".1" contype="0"/>
  </body></worldbody></mujoco>"""

stiffness = 2.0


@kernel
def scaled(m, d, x):
    return stiffness * x


@kernel
def pull(m, d):
    d.qfrc_passive[0] = scaled(m, d, d.userdata[0])


def pulls(factor: float) -> tuple[Any, Any]:
    """Return a kernel that uses an outer variable, and a setter of that variable."""

    @kernel
    def pull_by_factor(m, d):
        d.qfrc_passive[0] = factor * d.userdata[0]

    def change(value: float) -> None:
        nonlocal factor
        factor = value

    return pull_by_factor, change


def test_values_of_names_are_followed_as_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels use current values of globals, redefined helpers and outer variables, never stale ones."""
    m = conjoint.MjModel.from_xml_string(SLIDE)
    d = conjoint.MjData(m)
    d.userdata[0] = 1.0

    def force() -> float:
        conjoint.mj_forward(m, d)
        return float(d.qfrc_passive[0])

    conjoint.set_mjcb_passive(pull)
    assert force() == force() == 2.0
    monkeypatch.setitem(globals(), "stiffness", 3)
    assert force() == 3.0
    monkeypatch.setitem(globals(), "stiffness", 5)
    assert force() == 5.0
    before = installed.active
    monkeypatch.setitem(globals(), "stiffness", float("7.5"))
    assert force() == 7.5 and installed.active != before
    before = installed.active
    monkeypatch.setitem(globals(), "stiffness", float("7.5"))
    assert force() == 7.5 and installed.active == before, "an equal value compiles nothing"
    monkeypatch.setitem(globals(), "scaled", kernel(negated))
    assert force() == -1.0
    function, change = pulls(4.0)
    conjoint.set_mjcb_passive(function)
    assert force() == 4.0
    change(6.0)
    assert force() == 6.0
    # the same holds for a kernel that replaces a stage
    conjoint.set_mjcb_passive(None)
    conjoint.mjSTAGEFUNC["sum_passive"] = function
    change(8.0)
    assert force() == 8.0
    change(9.0)
    assert force() == 9.0


def negated(m, d, x):
    return -x


@compiled
def test_batches_refuse_kernels_whose_numbers_have_changed() -> None:
    m = conjoint.MjModel.from_xml_string(SLIDE)
    function, change = pulls(2.0)
    conjoint.set_mjcb_passive(function)
    batch = Batch(m, 3)
    batch.userdata[:, 0] = 1, 2, 3
    batch.forward()
    assert batch.qfrc_passive[:, 0].tolist() == [2, 4, 6]
    change(3.0)
    with pytest.raises(FatalError, match=r"numbers that their kernels use.*put numbers that change into userdata"):
        batch.step()
    other = Batch(m, 3)
    other.userdata[:, 0] = batch.userdata[:, 0]
    other.forward()
    assert other.qfrc_passive[:, 0].tolist() == [3, 6, 9]
    change(2.0)
    with pytest.raises(FatalError, match="make a new batch"):
        other.step()


def test_every_example_of_the_page_is_short() -> None:
    lines = [program.count("\n") for program in PROGRAMS]
    assert len(lines) >= 10 and max(lines) < 20


def test_the_page_runs_uncompiled(tmp_path: Path) -> None:
    """The programs of docs/your-own-physics.md run uncompiled with fewer steps; tests/project/test_docs.py runs them compiled."""
    script = tmp_path / "page.py"
    script.write_text("\n".join(PROGRAMS).replace("100)", "3)").replace(" and data.qpos[0] > 0", ""), encoding="utf-8")
    environment = {**os.environ, "CONJOINT_JIT": "0"}
    result = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_a_debugger_stops_in_a_kernel(tmp_path: Path) -> None:
    """If kernels are uncompiled, a breakpoint in a user's kernel stops there, and its variables can be printed."""
    script = tmp_path / "page.py"
    text = "\n".join(PROGRAMS)
    script.write_text(text, encoding="utf-8")
    line = 1 + text.splitlines().index("        i = m.body_dofadr[b]".replace("        i", "            i"))
    commands = [f"break {line + 1}", "continue", "print('b is', b, 'height', float(d.xipos[b].z))", "quit"]
    arguments = [argument for command in commands for argument in ("-c", command)]
    result = subprocess.run(
        [sys.executable, "-m", "pdb", *arguments, str(script)],
        env={**os.environ, "CONJOINT_JIT": "0"}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert "b is 1 height 0.1" in result.stdout, result.stdout + result.stderr


@compiled
def test_a_mistake_is_told_by_file_and_line(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text("\n".join(PROGRAMS), encoding="utf-8")
    result = subprocess.run([sys.executable, str(script)], env=os.environ, capture_output=True, text=True)
    line = 1 + next(k for k, text in enumerate(script.read_text().splitlines()) if "qfrc_pasive[i]" in text)
    assert f"page.py:{line}: kernel careless: there is no field d.qfrc_pasive in the schema" in result.stdout
