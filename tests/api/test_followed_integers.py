"""Programs cannot write the integers of MjData that stages use as addresses, or can write only valid values."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.lang.memory.layout import Role
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.references import RECORDED, is_followed
from waiting import PATIENCE

XML = """<mujoco><option jacobian="sparse"/><worldbody><geom type="plane" size="2 2 .1"/><site name="wall" pos="0 0 1"/>
<body name="ball" pos="0 0 .1"><freejoint/><geom size=".1"/><site name="ball"/></body>
<body name="box" pos="0 1 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody>
<tendon><spatial name="0"><site site="wall"/><site site="ball"/></spatial></tendon>
<equality><connect body1="ball" body2="box" anchor="0 0 0"/></equality>
<sensor><touch site="ball"/><force site="ball"/><tendonpos tendon="0"/></sensor>
</mujoco>"""

FIELDS = [field for field in (*DATA_FIELDS, *ARENA_FIELDS) if field.kind == "int" and field.shape]


@pytest.fixture(scope="module")
def m() -> Any:
    return conjoint.MjModel.from_xml_string(XML)


@pytest.fixture
def d(m: Any) -> Any:
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, 3)
    return d


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_integers_that_stages_follow_cannot_be_written(d: Any, field: Any) -> None:
    """Integers that a stage computes are read-only, because a wrong address could crash the process."""
    name = field.name.removeprefix("contact_")
    owner, name = (d.contact, name) if name != field.name else (d, name)
    for part in name.split(".")[:-1]:
        owner = getattr(owner, part)
    view = getattr(owner, name.split(".")[-1])
    followed = is_followed(field) or owner is d.contact
    assert followed != (field.name in RECORDED or field.role is Role.INPUT)
    memory = (d.world.data if field in DATA_FIELDS else d.world.arena).view(field.name)
    # arrays that are created on access are copies
    if followed and np.shares_memory(view, memory):
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 100_000


def test_sizes_can_only_be_lowered(d: Any) -> None:
    ncon = d.ncon
    assert ncon > 1 and d.nefc > 0
    for name in ("ncon", "nefc", "nJ", "nisland"):
        for wrong in (-1, getattr(d, name) + 1):
            with pytest.raises(ValueError, match=f"^{name} is .*decreased"):
                setattr(d, name, wrong)
    d.ncon = ncon - 1
    assert len(d.contact) == ncon - 1


WRONG: dict[str, Any] = {
    "geom": [0, 3], "geom1": -2, "geom2": 100, "flex": [0, -1], "dim": 2, "efc_address": 100,
}  # fmt: skip

FOLLOWING = {
    "mj_step2": lambda m, d: conjoint.mj_step2(m, d),
    "mj_makeConstraint": lambda m, d: conjoint.mj_makeConstraint(m, d),
    "mj_rnePostConstraint": lambda m, d: conjoint.mj_rnePostConstraint(m, d),
    "mj_sensorAcc": lambda m, d: conjoint.mj_sensorAcc(m, d),
    "mj_island": lambda m, d: conjoint.mj_island(m, d),
    "mj_contactForce": lambda m, d: conjoint.mj_contactForce(m, d, 0, np.zeros(6)),
    "a scene": lambda m, d: conjoint.mjv_updateScene(
        m, d, conjoint.MjvOption(), None, conjoint.MjvCamera(), conjoint.mjtCatBit.mjCAT_ALL, conjoint.MjvScene(m, 100)
    ),
    "a copy": lambda m, d: conjoint.mj_rnePostConstraint(m, pickle.loads(pickle.dumps(d))),
}


@pytest.mark.parametrize("function", FOLLOWING)
@pytest.mark.parametrize("name", WRONG)
def test_a_contact_of_what_is_not_there_is_refused(m: Any, d: Any, name: str, function: str) -> None:
    """A contact may be given an invalid id, as in MuJoCo, but functions that use the contact raise an error."""
    contact = d.contact[0]
    if name == "flex":
        contact.geom = [-1, 0]
    setattr(contact, name, WRONG[name])
    np.testing.assert_array_equal(getattr(contact, name), WRONG[name])
    with pytest.raises(conjoint.FatalError, match=r"^contact 0 has "):
        FOLLOWING[function](m, d)
    conjoint.mj_step(m, d)
    FOLLOWING[function](m, d)


@pytest.mark.parametrize("name", ["geom", "geom1", "geom2", "flex", "dim"])
def test_a_wrong_contact_is_not_added(m: Any, d: Any, name: str) -> None:
    added = conjoint.MjContact()
    added.dim, added.flex = 3, [-1, -1]
    if name == "flex":
        added.geom = [-1, 0]
    setattr(added, name, WRONG[name])
    ncon = d.ncon
    with pytest.raises(conjoint.FatalError, match=rf"^contact {ncon} has "):
        conjoint.mj_addContact(m, d, added)
    assert d.ncon == ncon


def test_a_contact_can_be_set_after_another_was_added(m: Any, d: Any) -> None:
    """An existing contact can be edited after `mj_addContact`; constraint rows are then created again."""
    added = conjoint.MjContact()
    added.dim, added.geom, added.flex = 3, [0, 1], [-1, -1]
    conjoint.mj_addContact(m, d, added)
    d.contact[0].dim = 1
    conjoint.mj_makeConstraint(m, d)
    assert d.nefc > 0 and d.contact[0].efc_address >= 0


def test_what_is_right_of_a_contact_can_be_set(m: Any, d: Any) -> None:
    contact = d.contact[0]
    contact.dim, contact.exclude, contact.geom1, contact.geom = 6, 1, 2, [0, 2]
    assert (contact.dim, contact.exclude, contact.geom.tolist()) == (6, 1, [0, 2])
    conjoint.mj_makeConstraint(m, d)


DEBUGGED = """
import sys
import numpy as np
import conjoint as mj
m = mj.MjModel.from_xml_string(sys.argv[1])
d, scene = mj.MjData(m), mj.MjvScene(m, 100)
arguments = {"mj_Euler": (), "mj_step2": (), "mj_island": (), "mj_rnePostConstraint": (), "mj_fwdVelocity": (),
             "mj_fwdAcceleration": (), "mj_fwdConstraint": (), "mj_sensorAcc": (), "mj_makeConstraint": (),
             "mj_solveM": (np.zeros((1, m.nv)), np.ones((1, m.nv))), "mj_transmission": ()}
for name, others in arguments.items():
    for byte in (7, 255):
        mj.mj_step(m, d, 3)
        mj.mj_resetDataDebug(m, d, byte)
        assert np.isnan(d.xpos).all() if byte == 255 else (d.xpos != 0).all()
        getattr(mj, name)(m, d, *others)
        mj.mj_resetDataDebug(m, d, byte)
        mj.mjv_updateScene(m, d, mj.MjvOption(), None, mj.MjvCamera(), mj.mjtCatBit.mjCAT_ALL, scene)
"""


@pytest.mark.parametrize("sleep", ["disable", "enable"])
def test_parts_of_a_step_and_scenes_run_after_a_reset_that_fills_memory(sleep: str) -> None:
    """After mj_resetDataDebug fills memory, single stages and scenes run safely, because addresses stay zero."""
    xml = XML.replace('"sparse"/>', f'"sparse"><flag sleep="{sleep}"/></option>')
    quiet = {**os.environ, "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "-c", DEBUGGED, xml], check=True, env=quiet, timeout=PATIENCE)
