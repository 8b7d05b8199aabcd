"""Edits that make the ownership of elements by bodies or joints inconsistent are rejected."""

from __future__ import annotations

import pytest

import conjoint

XML = """
<mujoco>
  <worldbody>
    <geom type="plane" size="9 9 1"/>
    <body pos="0 0 1"><joint axis="1 0 0"/><geom size=".1"/>
      <body pos=".3 0 0"><joint axis="0 1 0"/><geom size=".1"/></body>
    </body>
    <body pos="1 0 .1"><joint type="slide"/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""
EDITS = {
    "jnt_bodyid": (1, 1), "geom_bodyid": (1, 3), "dof_bodyid": (1, 1), "body_parentid": (2, 0), "dof_parentid": (1, -1),
    "body_rootid": (2, 2), "body_weldid": (2, 1), "dof_treeid": (1, 1), "body_treeid": (2, 1), "dof_jntid": (1, 0),
    "jnt_qposadr": (1, 0), "jnt_dofadr": (1, 0), "body_geomadr": (1, 2), "body_jntnum": (1, 0), "dof_Madr": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_contradicts_other_rows_is_refused_by_name(name: str) -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    place, value = EDITS[name]
    before = int(getattr(m, name)[place])
    getattr(m, name)[place] = value
    with pytest.raises(conjoint.FatalError, match=f"^{name} of the compiled model changed"):
        conjoint.mj_step(m, d)
    getattr(m, name)[place] = before
    conjoint.mj_step(m, d)
