"""`conjoint doctor` has no findings in sound models, and names every fault that is injected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import conjoint
from conjoint import MjSpec
from conjoint.doctor import Finding, examine
from model_faults import FAULTS, Fault, bottomless, tons, weak
from places import ROOT

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <default><joint axis="0 1 0" range="-2 2" damping="1" armature="0.02"/><position kp="300" kv="10" forcerange="-60 60"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 0.1"/>
    <geom name="stand" type="cylinder" size="0.06 0.1" pos="0 0 0.1" contype="0" conaffinity="0"/>
    <body name="shoulder" pos="0 0 0.3">
      <joint name="turn" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 -0.02 0 0 0.02" size="0.05" mass="1.5"/>
      <body name="upper" pos="0 0 0.1">
        <joint name="lift"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.04" mass="2"/>
        <body name="lower" pos="0 0 0.5">
          <joint name="bend" range="-2.4 2.4"/>
          <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03" mass="1"/>
          <body name="hand" pos="0 0 0.36">
            <joint name="wrist" range="-1.5 1.5"/>
            <geom type="box" size="0.05 0.03 0.03" mass="0.3"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="turn" joint="turn"/><position name="lift" joint="lift"/><position name="bend" joint="bend"/>
    <position name="wrist" joint="wrist" kp="30" kv="2"/>
  </actuator>
</mujoco>"""

URDF = """<robot name="leg">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="thigh">
    <inertial><origin xyz="0 0 -0.2"/><mass value="{mass}"/><inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.25"/><geometry><cylinder radius="0.04" length="0.3"/></geometry></collision>
  </link>
  <joint name="hip" type="revolute"><parent link="base"/><child link="thigh"/><axis xyz="0 1 0"/>
    <limit lower="-{limit}" upper="{limit}" effort="40" velocity="3"/><dynamics damping="0.5"/></joint>
</robot>"""
SOUND = {"mass": 1.5, "ixx": 0.02, "iyy": 0.02, "izz": 0.002, "limit": 1.5}

MODELS = ("arm", "quadruped", "humanoid", "half_cheetah")


def spec_of(name: str) -> MjSpec:
    """Return the specification of a model by name."""
    return MjSpec.from_string(ARM) if name == "arm" else MjSpec.from_file(ROOT / "models" / f"{name}.xml")


def checks(findings: list[Finding]) -> set[str]:
    return {finding.check for finding in findings}


@pytest.mark.parametrize("name", MODELS)
def test_sound_models_have_no_findings(name: str) -> None:
    assert examine(spec_of(name)) == []
    assert examine(spec_of(name).compile()) == []


PAIRS = [
    (name, fault)
    for name in MODELS
    for fault in FAULTS
    # an arm needs no floor, and floating models have no known required force
    if not ((name == "arm" and fault is bottomless) or (name != "arm" and fault is weak))
    # planar models have no free joint
    and not (name == "half_cheetah" and fault is bottomless)
    # a given total mass rescales all masses
    and not (name in ("humanoid", "half_cheetah") and fault is tons)
]


@pytest.mark.parametrize(("name", "fault"), PAIRS, ids=lambda value: getattr(value, "__name__", value))
def test_a_fault_is_named(name: str, fault: Fault) -> None:
    spec = spec_of(name)
    element = fault(spec, spec.copy().compile())
    findings = {finding.check: finding for finding in examine(spec)}
    found = [findings[check] for check in FAULTS[fault] if check in findings]
    assert found, findings
    assert any(element in text for text in found[0].elements), found[0]
    assert found[0].fix and found[0].message.endswith(".")


@pytest.mark.parametrize(
    ("wrong", "check", "text"),
    [
        ({}, None, ""),
        ({"mass": 1500, "ixx": 20, "iyy": 20, "izz": 2}, "mass", "body 'thigh' (leg.urdf:3): 1500 kg in "),
        ({"ixx": 0.002, "izz": 0.02}, "inertia-axes", "body 'thigh' (leg.urdf:3): 90 degrees"),
        ({"izz": 0.09}, "not-physical", "leg.urdf:4:"),
        ({"ixx": 20, "iyy": 20, "izz": 2}, "inertia", "body 'thigh'"),
        ({"limit": 90}, "limit-units", "joint 'hip' (leg.urdf:7): -90 to 90 rad, 28.6 turns"),
    ],
)
def test_urdf(wrong: dict[str, float], check: str | None, text: str, tmp_path: Path) -> None:
    path = tmp_path / "leg.urdf"
    path.write_text(URDF.format(**SOUND | wrong))
    findings = {finding.check: finding for finding in examine(path)}
    assert set(findings) - {check} == {"actuators"}
    if check:
        assert findings[check].elements[0].startswith(text) or text in findings[check].elements[0]


def test_keyframes() -> None:
    spec = spec_of("quadruped")
    key = spec.keys[0]
    key.qpos = [*key.qpos[:2], 0.1, *key.qpos[3:7], 2.0, *key.qpos[8:]]
    key.ctrl = [9.0, *key.ctrl[1:]]
    findings = {finding.check: finding for finding in examine(spec)}
    assert "in keyframe" in findings["penetration"].elements[0]
    assert any("joint 'swing_fr'" in text for text in findings["start-limits"].elements)
    assert any("control 9 outside of" in text for text in findings["start-limits"].elements)


def test_a_model_that_breaks_a_rule_is_a_finding() -> None:
    spec = spec_of("arm")
    spec.add_actuator(target="nowhere", trntype=conjoint.mjtTrn.mjTRN_JOINT)
    (found,) = examine(spec)
    assert found.check == "model" and "nowhere" in found.elements[0]


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(conjoint.FatalError, match="examine: model should be an MjModel, an MjSpec or a path, not 3"):
        examine(3)
    with pytest.raises(conjoint.ModelError, match=r"nowhere\.xml"):
        examine("nowhere.xml")


def test_servos_that_ring() -> None:
    spec = spec_of("arm")
    for joint in spec.joints:
        joint.damping = 0
    for actuator in spec.actuators:
        actuator.set_to_position(kp=300, kv=0)
    assert "servo-damping" in checks(examine(spec))
    for joint in spec.joints:
        joint.armature = 0
    assert "damping" in checks(examine(spec))


def test_wheels_need_no_limits() -> None:
    assert examine(ROOT / "models" / "car.xml") == []


def test_the_page_explains_every_finding() -> None:
    text = (ROOT / "docs" / "your-robot.md").read_text(encoding="utf-8")
    headings = {line[3:].lower().replace(" ", "-") for line in text.splitlines() if line.startswith("## ")}
    sources = "".join(path.read_text() for path in sorted((ROOT / "src/conjoint/doctor").glob("*.py")))
    found = re.findall(r'finding\(\s*"([\w-]+)",.*?"([\w-]+)",\s*\)', sources, re.DOTALL)
    assert len(found) > 15
    assert [name for name, _ in found if f"`{name}`" not in text] == []
    assert {anchor for _, anchor in found} <= headings
