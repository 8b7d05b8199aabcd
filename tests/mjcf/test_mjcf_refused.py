"""Hundreds of models with one fault are rejected, as in MuJoCo, with the location and the fault."""

from __future__ import annotations

import re
from itertools import groupby

import mujoco
import pytest

from conjoint.compiler import compile_string
from conjoint.lang.errors import ModelError
from oracle import objection
from places import TESTS

MODEL = """<mujoco>
  <asset>
    <texture name="tex" builtin="flat" type="2d" width="2" height="2"/><material name="gold"/>
    {asset}
  </asset>
  <default>
    {default}
    <default class="known"/>
  </default>
  {top}
  <worldbody>
    {world}
    <camera name="cam"/>
    <light name="lamp"/>
    <body name="a">
      {body}
      <joint name="hinge"/><geom name="ball" size="1"/><site name="s"/>
      <body name="b">
        <joint name="slide" type="slide"/><joint name="limit" range="-1 1"/>
        <geom name="rod" type="cylinder" size="1 1"/><site name="s2" pos="0 0 1"/>
      </body>
    </body>
    <body name="loose"><freejoint name="free"/><geom name="cube" type="box" size="1 1 1"/></body>
    <body name="turn"><joint name="swivel" type="ball"/><geom size="1"/></body>
    <body name="shown" mocap="true"/>
  </worldbody>
  <contact>
    {contact}
  </contact>
  <equality>
    {equality}
  </equality>
  <tendon>
    <fixed name="sum"><joint joint="hinge" coef="1"/></fixed>
    {tendon}
  </tendon>
  <actuator>
    <motor name="motor" joint="hinge"/>
    {actuator}
  </actuator>
  <sensor>
    {sensor}
  </sensor>
  <keyframe>
    {keyframe}
  </keyframe>
  <custom>
    {custom}
  </custom>
</mujoco>"""
"""Valid model with a placeholder for an invalid part in each section."""

TABLE = [
    tuple(line.split("\t"))
    for line in (TESTS / "refused_models.tsv").read_text().splitlines()
    if not line.startswith("#")
]
"""Rows of the table of invalid models: section, verdict, attribute or tag, and invalid part."""
SECTIONS = {section: list(lines) for section, lines in groupby(TABLE, lambda line: line[0])}


def model(section: str, part: str) -> str:
    """Return the XML of the model `MODEL` with `part` inserted in one section."""
    return MODEL.format(**{**dict.fromkeys(SECTIONS, ""), section: part})


def oracle_refuses(xml: str) -> bool:
    error = objection(mujoco.MjModel.from_xml_string, xml)
    assert error is None or isinstance(error, (ValueError, mujoco.FatalError))
    return error is not None


def test_the_model_without_a_wrong_part_is_accepted():
    xml = model("top", "")
    assert not oracle_refuses(xml)
    compile_string(xml)


@pytest.mark.parametrize("section", SECTIONS)
def test_the_oracle_refuses_and_accepts_the_same(section):
    different = [
        part
        for _, verdict, _, part in SECTIONS[section]
        if oracle_refuses(model(section, part)) != (verdict in ("refused", "newer"))
    ]
    assert different == []


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_accepted_compiles(section):
    for _, verdict, _, part in SECTIONS[section]:
        if verdict in ("accepted", "newer"):
            compile_string(model(section, part))


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_refused_is_told_with_its_place(section):
    problems = []
    for _, verdict, blamed, part in SECTIONS[section]:
        if verdict not in ("accepted", "newer"):
            problem = what_is_wrong_with_the_message(model(section, part), part, blamed)
            problems += [(part, problem)] if problem else []
    assert problems == []


def what_is_wrong_with_the_message(xml: str, part: str, blamed: str) -> str:
    """Return the defect of the first error message, or "" if it has the right position and element and mentions `blamed`."""
    try:
        compile_string(xml)
    except ModelError as error:
        message = str(error)
    else:
        return "it is accepted"
    found = re.match(r"XML:(\d+):(\d+): <(\w+)( name='.*?')?>:? (?P<said>\S+ \S+ \S+.*)", message)
    if not found:
        return f"no place, element or reason: {message}"
    line, column = int(found[1]), int(found[2])
    here = xml.splitlines()[line - 1][column - 1 :]
    if line != xml[: xml.index(part)].count("\n") + 1 or "<" + found[3] not in part:
        return f"another place: {message}"
    return "" if re.match(re.escape(blamed) + r"\b", here) else f"it points at {here[:20]}: {message}"
