"""All errors in a file are reported at once, with file, line, column, element and attribute."""

from __future__ import annotations

import re

import mujoco
import pytest

import conjoint
from conjoint.compiler import compile_path, compile_string
from conjoint.lang.errors import ModelError
from conjoint.mjcf import read_path, read_string
from conjoint.schema.mjcf.grammar import MUJOCO, NEWER_ATTRIBUTES, NEWER_ELEMENTS
from conjoint.schema.mjcf.table import Element


def message(xml: str) -> str:
    with pytest.raises(ModelError) as caught:
        compile_string(xml)
    return str(caught.value)


def test_all_problems_of_a_file_are_told_at_once():
    xml = """<mujoco>
  <worldbody>
    <boddy name="x"/>
    <body name="a" poss="1 2 3">
      <geom size="a" tipe="box"
            rgba="1 1 1"/>
      <joint type="hing"/>
    </body>
  </worldbody>
</mujoco>"""
    assert message(xml).splitlines() == [
        "XML:3:5: <boddy> is not allowed inside <worldbody>; did you mean 'body'?",
        "Element 'boddy', line 3",
        "XML:4:20: <body>: unknown attribute 'poss'; did you mean 'pos'?",
        "XML:5:13: <geom>: attribute 'size': 'a' is not a number",
        "XML:5:22: <geom>: unknown attribute 'tipe'; did you mean 'type'?",
        "XML:6:13: <geom>: attribute 'rgba': too few numbers: 3, expected 4",
        "XML:7:14: <joint>: attribute 'type': 'hing' is not one of free, ball, slide, hinge; did you mean 'hinge'?",
    ]


def test_problems_of_meaning_are_told_at_once():
    xml = """<mujoco>
  <worldbody>
    <geom name="g" size="0"/><geom name="g" size="1"/>
    <body><joint name="hip" range="2 1" limited="true"/><geom size="1" material="gold"/></body>
  </worldbody>
  <actuator><motor name="m" joint="hop"/></actuator>
</mujoco>"""
    assert message(xml).splitlines() == [
        "XML:3:36: <geom name='g'>: another geom has the same name, at XML:3:11",
        "Element name 'g', id 1, line 3",
        "XML:4:29: <joint name='hip'>: range 2 1: the first must be smaller than the second",
        "XML:3:20: <geom name='g'>: size 0: all must be positive (the radius)",
        "Error: size 0 must be positive in geom",
        "Element name 'g', id 0, line 3",
        "XML:4:72: <geom>: there is no material 'gold'; declare it in <asset>",
        "XML:6:29: <motor name='m'>: there is no joint 'hop'; did you mean 'hip'?",
    ]


LINES = {
    "tag": "<worldbody>\n<gem/></worldbody>",
    "attribute": "<worldbody>\n<geom\nsiz='1'/></worldbody>",
    "value": "<worldbody>\n\n<geom\nsize='x'/></worldbody>",
    "keyword": "\n<compiler angle='x'/>",
    "size": "<worldbody>\n<geom size='-1'/></worldbody>",
    "inertia": "<worldbody>\n<body name='b'>\n<freejoint/></body></worldbody>",
    "material": "<worldbody>\n<geom name='a' size='1' material='none'/></worldbody>",
    "joint": "<worldbody/>\n<actuator>\n<velocity name='v' joint='none'/></actuator>",
    "body": "<worldbody/>\n<contact>\n<exclude body1='none' body2='world'/></contact>",
    "sensor": "<worldbody/>\n<sensor>\n<gyro site='none'/></sensor>",
    "range": "<worldbody>\n<body><geom size='1'/>\n<joint range='2 1' limited='true'/></body></worldbody>",
    "several": "<worldbody>\n<geom size='-1'/>\n<geom size='-1'/></worldbody>",
}
"""Invalid models, by the kind of fault."""


@pytest.mark.parametrize("case", LINES)
def test_programs_read_the_line_of_the_first_problem_as_officially(case):
    """Error messages contain "line" and the right number, by which PyMJCF finds the Python line that wrote the element."""
    xml = f"<mujoco>\n{LINES[case]}</mujoco>"
    with pytest.raises(ValueError) as official:
        mujoco.MjModel.from_xml_string(xml)
    expected, found = (re.findall(r"[Ll]ine\s*[:=]?\s*(\d+)", text) for text in (str(official.value), message(xml)))
    assert found[:1] == expected
    assert found


def test_a_problem_of_a_program_has_no_line():
    spec = conjoint.MjSpec()
    spec.worldbody.add_geom(name="g", size=[-1, 0, 0])
    with pytest.raises(ValueError) as caught:
        spec.compile()
    assert str(caught.value).splitlines()[1:] == ["Error: size 0 must be positive in geom", "Element name 'g', id 0"]


def test_a_long_list_is_cut():
    xml = "<mujoco><worldbody>" + "<geom foo='1'/>" * 50 + "</worldbody></mujoco>"
    assert message(xml).splitlines()[-1] == "... and 30 more problems"


def test_included_files_are_named(tmp_path):
    (tmp_path / "part.xml").write_text("<mujocoinclude>\n  <worldbody><geom siz='1'/></worldbody></mujocoinclude>")
    (tmp_path / "main.xml").write_text("<mujoco><include file='part.xml'/></mujoco>")
    with pytest.raises(ModelError, match=r"part\.xml:2:20: <geom>: unknown attribute 'siz'; did you mean 'size'\?"):
        read_path(tmp_path / "main.xml")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match=r"none\.xml: cannot read the model: No such file"):
        compile_path(tmp_path / "none.xml")
    with pytest.raises(ModelError, match="is a folder without a model"):
        compile_path(tmp_path)


REFUSED = {
    "empty": ("", "empty"),
    "not XML": ("hello, \nworld", "not well-formed XML"),
    "the name of a file": ("models/humanoid.xml", "'models/humanoid.xml' is not XML; functions that read a file are called from_xml_path"),
    "another case": ("<mujoco><option integrator='rk4'/></mujoco>", "did you mean 'RK4'?"),
    "keyword of URDF": ("<mujoco><worldbody><body><joint type='revolute'/></body></worldbody></mujoco>", "did you mean 'hinge'?"),
    "keyword of others": ("<mujoco><compiler autolimits='1'/></mujoco>", "did you mean 'true'?"),
    "flag that is on": ("<mujoco><option><flag contact='off'/></option></mujoco>", "did you mean 'disable'?"),
    "element as attribute": ("<mujoco><option flag='contact'/></mujoco>", "'flag'; it is an element, inside <option>"),
    "unknown actuator": ("<mujoco><actuator><servo/></actuator></mujoco>", "what it may hold: general, motor, position, velocity"),
    "box of one number": ("<mujoco><worldbody><geom type='box' size='1'/></worldbody></mujoco>", "(three half lengths)"),
    "plane without lines": ("<mujoco><worldbody><geom type='plane' size='1 1'/></worldbody></mujoco>", "distance between the lines"),
    "nothing that has mass": (
        "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "its mass or inertia is missing: give it a geom",
    ),
    "tags that do not match": ("<mujoco><worldbody></mujoco>", "XML:1:29: not well-formed"),
    "text after the root": ("<mujoco/>text", "XML:1:10: not well-formed"),
    "second root that does not end": ("<mujoco/><mujoco>", "XML:1:10: not well-formed"),
    "text that a zero byte ends": ("<mujoco>\0</mujoco>", "not well-formed"),
    "attribute given twice": ("<mujoco model='a' model='b'/>", "redefined"),
    "another root": ("<scene/>", "the root is <scene>, expected <mujoco>"),
    "entities": ('<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>', "entities"),
    "entity of a file": ('<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/hosts">]><mujoco>&a;</mujoco>', "entities"),
    "too deep": ("<mujoco><worldbody>" + "<body>" * 9000 + "</body>" * 9000 + "</worldbody></mujoco>", "nested too deep"),
    "include of nothing": ("<mujoco><include/></mujoco>", "'file' is missing"),
    "include of a missing file": ("<mujoco><include file='no.xml'/></mujoco>", "there is no file"),
    "NaN": ("<mujoco><worldbody><geom size='nan'/></worldbody></mujoco>", "XML:1:26: <geom>: a number of size is NaN"),
    "digits to the base 16": ("<mujoco><option timestep='0xg'/></mujoco>", "'0xg' is not a number"),
    "overflow to the base 16": ("<mujoco><option timestep='0x1p9999'/></mujoco>", "too large"),
    "whole number to the base 16": ("<mujoco><option iterations='0x3'/></mujoco>", "'0x3' is not a whole number"),
    "overflow": ("<mujoco><option timestep='1e999'/></mujoco>", "too large"),
    "global coordinates": ("<mujoco><compiler coordinate='global'/></mujoco>", "global coordinates were removed"),
    "old flags": ("<mujoco><option><flags energy='enable'/></option></mujoco>", "did you mean 'flag'"),
    "mesh": ("<mujoco><asset><mesh name='m' vertex='0 0 0'/></asset></mujoco>", "it has 1 vertices, at least 4"),
    "muscle": ("<mujoco><actuator><muscle joint='a'/></actuator></mujoco>", "there is no joint 'a'"),
    "image": ("<mujoco><asset><texture name='t' file='t.png'/></asset></mujoco>", "cannot read 't.png'"),
    "texture without name": (
        "<mujoco><asset><texture type='2d' builtin='flat' width='1' height='1'/></asset></mujoco>", "needs a name, or a file",
    ),
    "sequence of angles of copies": (
        "<mujoco><compiler eulerseq='a/b'/><worldbody><replicate count='2' euler='1 2 3'/></worldbody></mujoco>",
        "XML:1:67: <replicate>: compiler/eulerseq 'a/b' is not three of x y z X Y Z",
    ),
    "children that may appear once": (
        "<mujoco><worldbody><body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>", "only once",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    xml, expected = REFUSED[case]
    assert expected in message(xml)


def test_a_file_may_not_include_itself(tmp_path):
    (tmp_path / "a.xml").write_text("<mujoco><include file='b.xml'/></mujoco>")
    (tmp_path / "b.xml").write_text("<mujoco><include file='a.xml'/></mujoco>")
    with pytest.raises(ModelError, match="included more than once"):
        read_path(tmp_path / "a.xml")


SLIPS = {
    "two hyphens in a comment": "<mujoco><!-- a -- b --><worldbody><geom size='1'/></worldbody></mujoco>",
    "no blank between attributes": '<mujoco><worldbody><geom name="g"size="1"/></worldbody></mujoco>',
    "text between elements": "<mujoco>words<worldbody>more<geom size='1'/></worldbody></mujoco>",
    "byte order mark": "\ufeff<mujoco><worldbody><geom size='1'/></worldbody></mujoco>",
    "empty list": "<mujoco><worldbody><geom size='1' friction=''/></worldbody></mujoco>",
    "empty number": "<mujoco><option timestep=''/><worldbody><geom size='1' mass=' '/></worldbody></mujoco>",
    "declaration after a line": "\n<?xml version='1.0'?>\n<mujoco><worldbody><geom size='1'/></worldbody></mujoco>",
    "another encoding than declared": "<?xml version='1.0' encoding='UTF-16'?><mujoco><worldbody><geom size='1'/></worldbody></mujoco>",
    "encoding that does not exist": "<?xml version='1.0' encoding='x'?><mujoco><worldbody><geom size='1'/></worldbody></mujoco>",
    "text with an ampersand": "<mujoco> a & b &c; ]]> <worldbody><geom size='1'/></worldbody></mujoco>",
    "text before the root": "words <mujoco><worldbody><geom size='1'/></worldbody></mujoco>",
    "blank before a name": "<mujoco><worldbody>< geom size='1'/>< /worldbody></mujoco>",
    "a comment in a name": '<mujoco><worldbody><geom name="<!-- a -->" size="1"/></worldbody></mujoco>',
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_that_the_oracle_reads_are_read(slip):
    mujoco.MjModel.from_xml_string(SLIPS[slip])
    assert compile_string(SLIPS[slip]).layout.sizes["ngeom"] == 1


def test_names_are_read_whatever_encoding_is_declared():
    xml = "<?xml version='1.0' encoding='ISO-8859-1'?><mujoco><worldbody><geom name='größe' size='1'/></worldbody></mujoco>"
    assert read_string(xml).worldbody.geoms[0].name == "größe"


def test_texts_keep_their_lines():
    xml = "<mujoco><custom><text name='t' data='a\nb\r\n\tc &amp;'/></custom></mujoco>"
    text = conjoint.MjModel.from_xml_string(xml).text_data
    assert text == mujoco.MjModel.from_xml_string(xml).text_data == b"a\nb\n\tc &\0"


def test_other_blanks_do_not_separate_numbers():
    assert "'1\\xa02' is not a number" in message("<mujoco><worldbody><geom size='1\xa02'/></worldbody></mujoco>")


HINTS = {"1,2": "separated by blanks", "0,5": "have points", "${r}": "xacro", "$(arg r)": "xacro"}


@pytest.mark.parametrize("written", HINTS)
def test_what_may_be_meant_by_a_number(written):
    assert HINTS[written] in message(f"<mujoco><worldbody><geom size='{written}'/></worldbody></mujoco>")


def test_namespaces_are_named_as_they_are_written():
    xml = "<mujoco xmlns:x='u' x:where='m.xsd'><worldbody><x:geom/></worldbody></mujoco>"
    assert message(xml).splitlines() == [
        "XML:1:9: <mujoco>: unknown attribute 'xmlns:x'",
        "Element 'mujoco', line 1",
        "XML:1:21: <mujoco>: unknown attribute 'x:where'",
        "XML:1:48: <x:geom> is not allowed inside <worldbody>; did you mean 'geom'?",
    ]
    assert "<x:geom> is not allowed" in message("<mujoco><worldbody><x:geom/></worldbody></mujoco>")
    inner = "<mujoco><worldbody xmlns='u'><geom xmlns='' size='1'/></worldbody></mujoco>"
    assert message(inner).count("unknown attribute 'xmlns'") == 2


def test_a_repaired_file_keeps_its_places():
    xml = "<mujoco>\n<!-- a -- b\n -->\n<worldbody>\n  <geom sise='1'/></worldbody></mujoco>"
    assert message(xml) == "XML:5:9: <geom>: unknown attribute 'sise'; did you mean 'size'?\nElement 'geom', line 5"


def test_latin_text_is_read():
    spec = read_string('<mujoco model="caf\xe9"/>'.encode("latin-1"))
    assert spec.modelname == "café"


def test_problems_of_attached_models_name_their_files():
    part = b"<mujoco><worldbody><body name='b'><geom size='-1'/></body></worldbody></mujoco>"
    xml = "<mujoco><asset><model name='m' file='part.xml'/></asset><worldbody><attach model='m' prefix='p'/></worldbody></mujoco>"
    with pytest.raises(ModelError, match=r"part\.xml:1:41: <geom>: size -1"):
        conjoint.MjModel.from_xml_string(xml, {"part.xml": part})


def test_included_files_come_from_assets_first():
    spec = read_string(
        "<mujoco><include file='part.xml'/></mujoco>",
        {"part.xml": b"<mujoco><worldbody><geom name='g' size='1'/></worldbody></mujoco>"},
    )
    assert [geom.name for geom in spec.worldbody.geoms] == ["g"]


GEOM = "<geom size='1'/>"
USERS = {
    "body": "<worldbody><body user='1 2'/></worldbody>",
    "jnt": f"<worldbody><body><joint user='1 2'/>{GEOM}</body></worldbody>",
    "geom": "<worldbody><geom size='1' user='1 2'/></worldbody>",
    "site": "<worldbody><site user='1 2'/></worldbody>",
    "cam": "<worldbody><camera user='1 2'/></worldbody>",
    "tendon": f"<worldbody><body><joint name='j'/>{GEOM}</body></worldbody>"
    "<tendon><fixed user='1 2'><joint joint='j' coef='1'/></fixed></tendon>",
    "actuator": f"<worldbody><body><joint name='j'/>{GEOM}</body></worldbody>"
    "<actuator><motor joint='j' user='1 2'/></actuator>",
    "sensor": "<worldbody><site name='s'/></worldbody><sensor><touch site='s' user='1 2'/></sensor>",
}


@pytest.mark.parametrize("kind", USERS)
def test_more_user_parameters_than_there_is_room_for(kind):
    xml = f"<mujoco><size nuser_{kind}='1'/>{USERS[kind]}</mujoco>"
    with pytest.raises(ValueError, match=f"nuser_{kind}"):
        mujoco.MjModel.from_xml_string(xml)
    said = message(xml)
    assert f"2 user parameters, but nuser_{kind} is 1" in said
    assert said.startswith(f"XML:1:{xml.index('user=') + 1}: ")


WITHOUT_AUTOLIMITS = {
    "joint": f"<worldbody><body><joint range='0 1'/>{GEOM}</body></worldbody>",
    "force of a joint": f"<worldbody><body><joint actuatorfrcrange='-1 1'/>{GEOM}</body></worldbody>",
    "tendon": f"<worldbody><body><joint name='j'/>{GEOM}</body></worldbody>"
    "<tendon><fixed range='0 1'><joint joint='j' coef='1'/></fixed></tendon>",
    "control": f"<worldbody><body><joint name='j'/>{GEOM}</body></worldbody>"
    "<actuator><motor joint='j' ctrlrange='0 1'/></actuator>",
    "force": f"<worldbody><body><joint name='j'/>{GEOM}</body></worldbody>"
    "<actuator><motor joint='j' forcerange='0 1'/></actuator>",
    "activation": f"<worldbody><body><joint name='j'/>{GEOM}</body></worldbody>"
    "<actuator><general joint='j' dyntype='integrator' actrange='0 1'/></actuator>",
}


@pytest.mark.parametrize("kind", WITHOUT_AUTOLIMITS)
def test_ranges_need_limits_where_they_are_not_inferred(kind):
    xml = f"<mujoco><compiler autolimits='false'/>{WITHOUT_AUTOLIMITS[kind]}</mujoco>"
    with pytest.raises(ValueError, match="autolimits"):
        mujoco.MjModel.from_xml_string(xml)
    said = message(xml)
    assert "limited and compiler/autolimits" in said
    assert xml[int(said.split(":")[2]) - 1 :].split("=")[0].endswith("range")


def urdf_joint(inside: str, attributes: str = "name='j' type='fixed'") -> str:
    links = "<link name='a'/><link name='b'/>"
    return f"<robot name='r'>{links}<joint {attributes}><parent link='a'/><child link='b'/>{inside}</joint></robot>"


def urdf_shape(inside: str) -> str:
    return f"<robot name='r'><link name='a'><collision><geometry>{inside}</geometry></collision></link></robot>"


MASS, NUMBERS = "<mass value='1'/>", "ixx='{}' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"
ROBOTS = {
    "link without name": ("<robot name='r'><link/></robot>", "<link>: the attribute 'name' is missing"),
    "two links of one name": (
        "<robot name='r'><link name='a'/><link name='a'/></robot>", "<link>: another link is called 'a'",
    ),
    "joint of unknown type": (urdf_joint("", "name='j' type='hinge'"), "'hinge' is not one of revolute"),
    "joint without type": (urdf_joint("", "name='j'"), "<joint>: the attribute 'type' is missing"),
    "joint without name": (urdf_joint("", "type='fixed'"), "<joint>: the attribute 'name' is missing"),
    "joint with two origins": (urdf_joint("<origin/><origin/>"), "<origin> may appear only once"),
    "short origin": (urdf_joint("<origin xyz='0 0'/>"), "attribute 'xyz': too few numbers"),
    "axis of no length": (urdf_joint("<axis xyz='0 0 0'/>", "name='j' type='continuous'"), "axis is too short: it needs a length that is not zero"),
    "nothing that moves has mass": (urdf_joint("", "name='j' type='continuous'"), "its mass or inertia is missing"),
    "unknown parent": (urdf_joint("").replace("parent link='a'", "parent link='aa'"), "there is no link 'aa'"),
    "unknown child": (urdf_joint("").replace("child link='b'", "child link='bb'"), "there is no link 'bb'"),
    "no parent": (urdf_joint("").replace("<parent link='a'/>", ""), "the element <parent> is missing"),
    "no child": (urdf_joint("").replace("<child link='b'/>", ""), "the element <child> is missing"),
    "own parent": (urdf_joint("").replace("link='b'/></joint>", "link='a'/></joint>"), "part of a loop"),
    "two parents": (
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
        "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint></robot>",
        "the link 'b' has another parent",
    ),
    "no shape": (urdf_shape(""), "expected one of box, cylinder, sphere, capsule, mesh"),
    "box without size": (urdf_shape("<box/>"), "<box>: the attribute 'size' is missing"),
    "sphere of no number": (urdf_shape("<sphere radius='x'/>"), "'x' is not a number"),
    "negative sphere": (urdf_shape("<sphere radius='-1'/>"), "size -1: all must be positive"),
    "cylinder without length": (urdf_shape("<cylinder radius='1'/>"), "the attribute 'length' is missing"),
    "mesh without file": (urdf_shape("<mesh/>"), "the attribute 'filename' is missing"),
    "missing mesh": (urdf_shape("<mesh filename='package://a/none.stl'/>"), "cannot read"),
    "inertia without mass": (
        f"<robot name='r'><link name='a'><inertial><inertia {NUMBERS.format(1)}/></inertial></link></robot>",
        "the element <mass> is missing",
    ),
    "mass without inertia": (
        f"<robot name='r'><link name='a'><inertial>{MASS}</inertial></link></robot>", "the element <inertia> is missing",
    ),
    "half an inertia": (
        f"<robot name='r'><link name='a'><inertial>{MASS}<inertia ixx='1'/></inertial></link></robot>", "'iyy' is missing",
    ),
    "impossible inertia": (
        urdf_joint("", "name='j' type='floating'").replace(
            "<link name='b'/>",
            f"<link name='b'><inertial>{MASS}<inertia {NUMBERS.format(5)}/></inertial></link>",
        ),
        "none may exceed the sum of the others",
    ),
    "settings": (
        "<robot name='r'><mujoco><compiler angle='x'/></mujoco><link name='a'/></robot>", "is not one of radian, degree",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ROBOTS)
def test_robots_that_are_refused(case):
    xml, expected = ROBOTS[case]
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(xml)
    said = message(xml)
    assert said.startswith("XML:1:")
    assert expected in said


def test_broken_includes_are_told_at_once(tmp_path):
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody>")
    (tmp_path / "main.xml").write_text(
        "<mujoco>\n<include file='none.xml'/>\n<include file='broken.xml'/>\n<worldbody><geom size='a'/></worldbody></mujoco>"
    )
    with pytest.raises(ModelError) as caught:
        read_path(tmp_path / "main.xml")
    first, official, second, third = str(caught.value).splitlines()
    assert "main.xml:2:10: <include>: there is no file" in first
    assert "main.xml:3:10: <include>: " in second and "broken.xml:1:20: not well-formed" in second
    assert official == "Element 'include', line 2"
    assert "main.xml:4:18: <geom>: attribute 'size'" in third


def test_a_broken_model_to_attach_is_told_with_both_places(tmp_path):
    (tmp_path / "part.xml").write_text("<mujoco>\n<worldbody><geom siz='1'/></worldbody></mujoco>")
    (tmp_path / "main.xml").write_text("<mujoco><asset><model name='p' file='part.xml'/></asset></mujoco>")
    with pytest.raises(ModelError) as caught:
        read_path(tmp_path / "main.xml")
    first, second, official = str(caught.value).splitlines()
    assert official == "Element 'geom', line 2"
    assert "main.xml:1:32: <model>: the model 'part.xml' cannot be read" in first
    assert "part.xml:2:18: <geom>: unknown attribute 'siz'; did you mean 'size'?" in second


UNESCAPED = {
    "ampersand": ("a & b", "a & b"),
    "less": ("a < b", "a < b"),
    "escaped": ("a &amp; b &lt; c & d", "a & b < c & d"),
}


@pytest.mark.parametrize("case", UNESCAPED)
def test_values_that_are_not_escaped_are_read_as_the_oracle_does(case):
    written, meant = UNESCAPED[case]
    xml = f"<mujoco model='{written}'/>"
    assert mujoco.MjSpec.from_string(xml).modelname == meant
    assert read_string(xml).modelname == meant


def test_where_things_belong_and_what_there_is_is_told():
    assert message("<mujoco><worldbody><joint/></worldbody></mujoco>") == (
        "XML:1:20: <joint> is not allowed inside <worldbody>; it belongs inside <body>, <equality>, <fixed>\nElement 'joint', line 1"
    )
    assert "were removed from the format" in message("<mujoco><equality><distance/></equality></mujoco>")
    xml = "<mujoco><worldbody><body name='arm'/><camera mode='targetbody' target='x'/></worldbody></mujoco>"
    assert message(xml).splitlines()[0].endswith("there is no body 'x'; there is only 'world', 'arm'")


@pytest.mark.parametrize(
    ("asset", "geom", "reported"),
    [
        ("", "type='mesh' mesh='hand'", "there is no mesh 'hand'; declare it in <asset>"),
        ("", "type='hfield' hfield='hills'", "there is no hfield 'hills'; declare it in <asset>"),
        ("<material name='a' texture='wood'/>", "size='1'", "there is no texture 'wood'; declare it in <asset>"),
        ("<material name='red'/>", "size='1' material='x'", "; there is only 'red'; declare it in <asset>"),
        ("<material name='red'/>", "size='1' material='rad'", "there is no material 'rad'; did you mean 'red'?"),
    ],
)
def test_assets_that_are_missing_are_declared_in_asset(asset, geom, reported):
    xml = f"<mujoco><asset>{asset}</asset><worldbody><geom {geom}/></worldbody></mujoco>"
    assert message(xml).splitlines()[0].endswith(reported)


@pytest.mark.parametrize(
    ("inside", "reported"),
    [
        ('<option><flag ipc="enable"/></option>', "<flag>: unknown attribute 'ipc'; it is known since MuJoCo 3.14"),
        ('<deformable><flex nodecoord="true"/></deformable>', "'nodecoord'; it is known since MuJoCo 3.12"),
        (
            '<equality><flexvert flex="a"/></equality>',
            "<flexvert> is not allowed inside <equality>; it is known since MuJoCo 3.5",
        ),
        ('<option integrator="discrete"/>', "'discrete' is not one of .*; it is known since MuJoCo 3.13"),
        ('<worldbody><geom size=".1" mas="1"/></worldbody>', r"unknown attribute 'mas'; did you mean 'mass'\?"),
    ],
)
def test_what_later_versions_have_is_told(inside: str, reported: str) -> None:
    with pytest.raises(conjoint.ModelError, match=reported):
        conjoint.MjModel.from_xml_string(f"<mujoco>{inside}</mujoco>")


def test_what_is_known_here_is_not_called_newer() -> None:
    """The lists of newer elements and attributes contain nothing that the grammar already has."""
    waiting, seen = [MUJOCO], dict[int, Element]()
    while waiting:
        row = waiting.pop()
        assert row.name not in NEWER_ELEMENTS
        assert [name for name in row.attributes if (row.name, name) in NEWER_ATTRIBUTES.keys() - OTHERS] == []
        seen[id(row)] = row
        waiting += [child for child in row.children.values() if id(child) not in seen]
    assert {tag for tag, _ in NEWER_ATTRIBUTES} <= {row.name for row in seen.values()}


OTHERS = {("plugin", "user")}
"""Attributes that elements with the same tag have in other sections."""
