"""The memory size that a model requests equals MuJoCo's."""

from __future__ import annotations

import mujoco
import pytest

import conjoint

BODY = '<body><joint/><geom size=".1"/></body>'
SIZES = {
    "nothing": "", "letter": 'memory="3M"', "bytes": 'memory="1234567"', "rows": 'njmax="900"', "contacts": 'nconmax="5000"',
    "none": 'njmax="0"', "both": 'njmax="20" nconmax="300"', "stack": 'nstack="100000"', "all": 'njmax="7" nconmax="9" nstack="11"',
}  # fmt: skip
MODELS = {
    "dofs": ("", BODY * 40),
    "bodies": ("", '<body mocap="true"><site/><camera/><geom size=".1"/></body>' * 100),
    "many sites": ("", "<site/>" * 8000),
    "tendons": (
        "<tendon>" + '<fixed><joint joint="j" coef="1"/></fixed>' * 400 + "</tendon><actuator>"
        + '<general joint="j" dyntype="filter" dynprm="1"/>' * 3000 + "</actuator>",
        '<body><joint name="j"/><geom size=".1"/></body>',
    ),
    "equalities": (
        "<equality>" + '<joint joint1="j"/>' * 150 + "</equality>", '<body><joint name="j"/><geom size=".1"/></body>',
    ),
    "balls": ("", '<body><joint type="ball"/><geom size=".1"/></body><body><freejoint/><geom size=".1"/></body>' * 9),
}  # fmt: skip


def compare(xml: str) -> int:
    """Assert that the model's memory size (`narena`) equals MuJoCo's, and return it."""
    ours, theirs = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    assert ours.narena == theirs.narena == conjoint.MjData(ours).narena
    return theirs.narena


@pytest.mark.parametrize("size", SIZES)
def test_sizes(size: str) -> None:
    assert compare(f"<mujoco><size {SIZES[size]}/><worldbody>{BODY}</worldbody></mujoco>")


@pytest.mark.parametrize("model", MODELS)
def test_models(model: str) -> None:
    other, bodies = MODELS[model]
    assert compare(f"<mujoco>{other}<worldbody>{bodies}</worldbody></mujoco>") >= 13 << 20


def test_every_byte_counts() -> None:
    """If the memory nearly fills a mebibyte, one more stack element adds a mebibyte."""
    xml = '<mujoco><size njmax="3" nconmax="2" nstack="{}"/><worldbody>' + BODY + "</worldbody></mujoco>"
    used = 576 * 2 + 144 * 3 + 24 * 3 + 12 + 12 * 9
    last = ((1 << 20) - used) // 8
    assert [compare(xml.format(last + more)) >> 20 for more in (-1, 0, 1, 2)] == [1, 1, 2, 2]


def test_absurd_sizes_are_no_crash() -> None:
    xml = '<mujoco><size njmax="2147483647"/><worldbody/></mujoco>'
    assert conjoint.MjModel.from_xml_string(xml).narena == (1 << 63) - 1
