"""With CONJOINT_POISON=1, memory is filled with invalid numbers before each step, which reveals reads of unwritten memory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT, TESTS
from programs import run_program

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="many steps")

TRIAL = (TESTS / "poison_trial.py").read_text()
MODELS = sorted(str(path) for path in (ROOT / "models").glob("*.xml"))
SCENES = [str(ROOT / "models" / f"{name}.xml") for name in ("ant", "boxes", "hammock")]
"""Models with contacts, sleep, tendons and limits; each runs with every solver, cone and storage of rows."""

PUSHED = """
<mujoco>
  <option cone="elliptic" noslip_iterations="3" jacobian="dense"/>
  <worldbody>
    <geom type="plane" size="9 9 1"/>
    <body pos="0 0 .1">
      <freejoint/><geom type="box" size=".1 .1 .1"/><site name="all" type="sphere" size="1"/>
      <body pos="0 0 .2"><joint axis="1 0 0"/><geom size=".1"/></body>
    </body>
  </worldbody>
  <sensor><touch site="all"/><force site="all"/></sensor>
</mujoco>
"""
"""Model with seven dofs, so that vectors over dofs have padding after their last element."""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("how", ["one", "float64", "float32"])
def test_no_step_reads_what_it_has_not_written(how: str) -> None:
    assert run_program(TRIAL, how, "2", *MODELS)[0] == ""


@pytest.mark.usefixtures("edition")
def test_no_solver_reads_what_it_has_not_written() -> None:
    assert run_program(TRIAL, "variants one", "2", *SCENES)[0] == ""


@pytest.mark.corpus
@pytest.mark.slow
def test_no_step_of_public_models_reads_what_it_has_not_written(corpus: Path) -> None:
    listed = json.loads((corpus / "manifest.json").read_text())["models"]
    assert run_program(TRIAL, "one", "2", *(str(corpus / model["path"]) for model in listed if model["loads"]))[0] == ""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("fill", [1, 127, 255])
def test_steps_after_a_debug_reset_are_those_of_fresh_data(fill: int) -> None:
    m = conjoint.MjModel.from_xml_string(PUSHED)
    fresh, used = conjoint.MjData(m), conjoint.MjData(m)
    conjoint.mj_resetDataDebug(m, used, fill)
    for data in (fresh, used):
        data.qvel[0] = 0.3
        conjoint.mj_step(m, data, 20)
    assert fresh.ncon > 0
    np.testing.assert_array_equal(used.qpos, fresh.qpos)
    np.testing.assert_array_equal(used.sensordata, fresh.sensordata)
