"""Models in the styles of other programs agree with MuJoCo: CAD exporters, ROS, composed scenes.

The files in `data/styles` were written for this test and only imitate the habits of these programs.
"""

from __future__ import annotations

import re

import mujoco
import pytest

import conjoint
from oracle import model_differences
from places import TESTS

FOLDER = TESTS / "data" / "styles"
NAMES = ("manipulation.xml", "composed.xml", "cad.xml", "scene.xml")
TETRAHEDRON = b"v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
EXTENSIONS = (
    "",
    '<compiler discardvisual="false" balanceinertia="true" fusestatic="false"/>',
    '<compiler meshdir="../meshes/" discardvisual="false" fusestatic="false"/>',
    '<compiler boundmass="3" boundinertia="0.1" settotalmass="10" fusestatic="false"/>',
    '<compiler inertiafromgeom="true" discardvisual="false" fusestatic="false"/>',
    '<compiler eulerseq="zyx" angle="degree"/><option gravity="0 0 -1"><flag energy="enable"/></option>',
)


def files() -> dict[str, bytes]:
    """Return all files to which the models refer, by name."""
    meshes = dict.fromkeys(("part.obj", "base.obj"), TETRAHEDRON)
    return {**meshes, "robot.xml": (FOLDER / "robot.xml").read_bytes()}


def assert_agrees(text: str) -> None:
    official, ours = (library.MjModel.from_xml_string(text, files()) for library in (mujoco, conjoint))
    assert model_differences(ours, official) == {}
    assert ours.names == official.names


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_model(name, ends):
    assert_agrees((FOLDER / name).read_text().replace("\n", ends))


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_urdf(extension):
    # MuJoCo does not rotate inertias; see test_fused_inertia.py
    text = re.sub(r'(<inertial>\s*<origin[^>]*?) rpy="[^"]*"', r"\1", (FOLDER / "arm.urdf").read_text())
    # MuJoCo does not couple joints either; see test_urdf.py
    text = re.sub("<mimic[^>]*>", "", text)
    assert_agrees(text.replace("<material", f"<mujoco>{extension}</mujoco><material", 1))
