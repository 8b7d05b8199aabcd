"""Resting boxes stay at rest in single precision, even with extreme contact parameters."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint

XML = """
<mujoco>
  <compiler boundmass="1e-20" boundinertia="1e-30"/>
  <option cone="{cone}" solver="{solver}" timestep="{step}" impratio="{impratio}"/>
  <default><geom friction="{friction}" condim="{condim}" mass="{mass}" solref="{solref}" solimp="{solimp}"/></default>
  <worldbody>
    <geom type="plane" size="9 9 1"/>
    <body pos="0 0 .2"><freejoint/><geom type="box" size=".2 .2 .2"/></body>
    <body pos=".01 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
</mujoco>
"""
USUAL = {
    "friction": "1 .005 .0001", "condim": 3, "step": 0.002, "impratio": 1, "mass": 1, "solref": ".02 1",
    "solimp": ".9 .95 .001",
}  # fmt: skip
CASES = [
    *({"friction": "0 0 0", "condim": condim, "step": step} for condim in (1, 3, 4, 6) for step in (0.002, 0.00833)),
    {"friction": "1e-4 1e-6 1e-6", "condim": 6},
    {"impratio": 1e4, "friction": "0 0 0"},
    {"mass": 1e-6},
    {"mass": 1e6},
    {"solref": ".0001 1"},
    {"solref": "-1e4 -100"},
    {"solimp": ".999 .9999 1e-9"},
]


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_boxes_stay_at_rest(cone: str, solver: str) -> None:
    for case in CASES:
        m = conjoint.MjModel.from_xml_string(XML.format(cone=cone, solver=solver, **USUAL | case))
        b = conjoint.Batch(m, 2, precision="float32", nthread=1)
        b.step(150)
        np.testing.assert_allclose(b.qpos[0, [2, 9]], (0.2, 0.5), atol=3e-3, err_msg=str(case))
