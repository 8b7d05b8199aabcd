"""flexcomp against the oracle, beyond what the tests of macros say: plugins, files and combinations."""

from __future__ import annotations

import mujoco
import pytest

from conjoint import MjModel, MjSpec
from oracle import model_differences
from test_compiler_macros import flexcomp
from test_compiler_oracle import check

CABLE = '<plugin plugin="mujoco.elasticity.cable"><config key="bend" value="3"/></plugin>'
DECLARED = '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'


@pytest.mark.parametrize("pin", ["", '<pin id="0 3"/>'])
def test_all_bodies_of_a_flexcomp_share_its_plugin(pin):
    xml = DECLARED + flexcomp('dim="2" count="3 2 1"', pin + CABLE)
    check(xml)
    saved = MjSpec.from_string(f"<mujoco>{xml}</mujoco>").to_xml()
    assert '<instance name="flexcomp_f">' in saved
    assert model_differences(MjModel.from_xml_string(saved), mujoco.MjModel.from_xml_string(saved)) == {}


@pytest.mark.parametrize(
    ("name", "dim", "faces", "edges"),
    [
        ("shell", 2, "0 2 3 0 3 1", "0 1 2 3 4 1"),
        ("membrane", 2, "0 2 3 0 3 1", "0 1 2 3 4 1"),
        ("solid", 3, "0 1 2 3", "0 1 2 3 4 5"),
    ],
)
def test_former_plugins_for_elasticity_are_told_of_elements_and_edges(name, dim, faces, edges):
    shape = 'count="2 2 1"' if dim == 2 else 'type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3"'
    use = f'<plugin plugin="mujoco.elasticity.{name}"><config key="young" value="5"/></plugin>'
    declared = f'<extension><plugin plugin="mujoco.elasticity.{name}"/></extension>'
    inside = flexcomp(f'dim="{dim}" {shape}', use)
    model = MjModel.from_xml_string(f"<mujoco>{declared}{inside}</mujoco>")
    assert bytes(model.plugin_attr).decode().split("\0")[:3] == [faces, edges, "5"]
    assert model.body_plugin.tolist() == [-1, -1, 0, 0, 0, 0]
