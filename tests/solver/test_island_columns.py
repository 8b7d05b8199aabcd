"""Compressed rows of islands omit the columns of dofs on which the rows currently do not act."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint

XML = """
<mujoco>
  <option solver="Newton" jacobian="sparse"><flag island="enable"/></option>
  <worldbody>
    <body pos="0 0 1.5"><freejoint/><site name="side"/><geom name="bulb" size=".3" contype="0" conaffinity="0"/></body>
    {ends}
  </worldbody>
  <tendon>{tendons}</tendon>
</mujoco>
"""
"""Model of tendons that may wrap around a ball. While a tendon is straight, the ball's six columns of its row are zero."""

BODY = '<body pos="{} {} 1.5"><freejoint/><site name="{}"/><geom size=".05" contype="0" conaffinity="0"/></body>'
TENDON = """<spatial limited="true" range="0 .5">
  <site site="a{0}"/><geom geom="bulb" sidesite="side"/><site site="b{0}"/>
</spatial>"""


def model(count: int) -> conjoint.MjModel:
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    ends = [
        BODY.format(distance * np.cos(turn), distance * np.sin(turn), f"{name}{k}")
        for k, turn in enumerate(turns)
        for name, distance in (("a", 0.2), ("b", 1.2))
    ]
    tendons = [TENDON.format(k) for k in range(count)]
    return conjoint.MjModel.from_xml_string(XML.format(ends="".join(ends), tendons="".join(tendons)))


def put(m: conjoint.MjModel, d: conjoint.MjData, over: bool) -> None:
    """Place the ball where the tendons wrap around it (`over`), or between their ends, where they are straight."""
    conjoint.mj_resetData(m, d)
    d.qpos[2] += 5 * over
    d.qvel[:] = np.random.default_rng(0).normal(size=m.nv)


@pytest.mark.usefixtures("edition")
def test_rows_have_the_columns_of_their_island_alone():
    m = model(6)
    d = conjoint.MjData(m)
    put(m, d, over=False)
    conjoint.mj_forward(m, d)
    assert d.nisland == 6
    assert d.efc_J_rownnz.tolist() == [18] * 6
    assert d.iefc_J_rownnz.tolist() == [12] * 6
    assert d.iefc_J_colind.max() == 11


@pytest.mark.usefixtures("edition")
def test_steps_do_not_depend_on_history():
    m = model(18)
    for over in (True, False):
        fresh, used = conjoint.MjData(m), conjoint.MjData(m)
        put(m, used, not over)
        conjoint.mj_step(m, used)
        for data in (fresh, used):
            put(m, data, over)
            conjoint.mj_step(m, data)
        np.testing.assert_array_equal(used.qvel, fresh.qvel)
