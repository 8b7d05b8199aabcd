"""`MjSpec.recompile` keeps every state field that the schema lists, element by element."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.schema.data import DATA_ROWS

XML = """<mujoco><size nuserdata="3"/><worldbody>
<body name="a"><joint name="j"/><geom size=".1"/></body>
<body name="b" pos="1 0 0"><freejoint name="f"/><geom size=".1"/></body>
<body name="m1" mocap="true" pos="2 0 0"/><body name="m2" mocap="true" pos="3 0 0"/>
<body name="c" pos="4 0 0"><joint name="k" type="ball"/><geom size=".1"/></body></worldbody>
<equality><weld name="e1" body1="b" body2="m2" active="false"/>
<connect name="e2" body1="b" body2="m2" anchor="0 0 0" active="false"/></equality>
<actuator><general name="u1" joint="j" dyntype="filter" dynprm=".3"/><motor name="u2" joint="j"/>
<general name="u3" joint="f" dyntype="integrator"/></actuator></mujoco>"""
STATE = tuple(row.name for row in DATA_ROWS if row.component)
"""Names of all components of the simulation state."""


def started() -> tuple[conjoint.MjSpec, conjoint.MjModel, conjoint.MjData, dict[str, np.ndarray]]:
    """Return a specification, its model, and data in which every state value differs from its default.

    The last result contains copies of these state values, by name.
    """
    spec = conjoint.MjSpec.from_string(XML)
    model = spec.compile()
    data = conjoint.MjData(model)
    data.time, start = 2.5, 1.0
    for name in STATE:
        values = getattr(data, name)
        if name == "eq_active":
            values[:] = [0, 1]
        elif name != "time":
            values[:] = np.arange(start, start + values.size).reshape(values.shape)
            start += values.size
    return spec, model, data, {name: np.array(getattr(data, name)) for name in STATE}


EDITS = {
    "nothing": (lambda s: None, {}),
    "a geom is added": (lambda s: s.worldbody.add_geom(size=[0.1, 0, 0], pos=[0, 0, -9]), {}),
    "a body goes": (lambda s: s.delete(s.body("a")), {
        "qpos": np.s_[1:], "qvel": np.s_[1:], "qacc_warmstart": np.s_[1:], "qfrc_applied": np.s_[1:],
        "xfrc_applied": [0, 2, 3, 4, 5], "act": np.s_[1:], "ctrl": np.s_[2:],
    }),
    "a mocap body goes": (lambda s: s.delete(s.body("m1")), {
        "mocap_pos": np.s_[1:], "mocap_quat": np.s_[1:], "xfrc_applied": [0, 1, 2, 4, 5],
    }),
    "an equality goes": (lambda s: s.delete(s.equality("e1")), {"eq_active": np.s_[1:]}),
    "an actuator goes": (lambda s: s.delete(s.actuator("u1")), {"act": np.s_[1:], "ctrl": np.s_[1:]}),
    "less user data": (lambda s: setattr(s, "nuserdata", 2), {"userdata": np.s_[:2]}),
}  # fmt: skip
"""Edits of a specification, and the indices of the state values that remain after each edit."""


@pytest.mark.parametrize("case", EDITS)
def test_the_state_is_kept(case):
    edit, left = EDITS[case]
    spec, model, data, before = started()
    edit(spec)
    _, data = spec.recompile(model, data)
    for name in STATE:
        np.testing.assert_array_equal(getattr(data, name), before[name][left.get(name, ...)], err_msg=name)


def test_what_is_new_starts_as_in_new_data():
    spec, model, data, before = started()
    body = spec.body("a").add_body(name="n")
    body.add_joint(ref=30)
    body.add_geom(size=[0.1, 0, 0])
    spec.nuserdata = 5
    _, data = spec.recompile(model, data)
    np.testing.assert_allclose(data.qpos, np.insert(before["qpos"], 1, np.pi / 6))
    for name in ("qvel", "qfrc_applied", "qacc_warmstart"):
        np.testing.assert_array_equal(getattr(data, name), np.insert(before[name], 1, 0))
    np.testing.assert_array_equal(data.xfrc_applied, np.insert(before["xfrc_applied"], 2, 0, axis=0))
    assert data.userdata.tolist() == [*before["userdata"], 0, 0]


def test_joints_with_other_numbers_start_anew():
    spec, model, data, before = started()
    spec.joint("k").type = conjoint.mjtJoint.mjJNT_HINGE
    _, data = spec.recompile(model, data)
    assert data.qpos.tolist() == [*before["qpos"][:8], 0]
    assert data.qfrc_applied.tolist() == [*before["qfrc_applied"][:7], 0]
