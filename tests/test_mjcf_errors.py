"""What is wrong with a file is said with file, line, column, element and attribute, all at once."""

from __future__ import annotations

import mujoco
import pytest

from conjoint.compiler import compile_path, compile_string
from conjoint.lang.errors import ModelError
from conjoint.mjcf import read_path, read_string


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
        "XML:4:29: <joint name='hip'>: range 2 1: the first must be smaller than the second",
        "XML:3:20: <geom name='g'>: size 0: all must be positive",
        "XML:4:72: <geom>: there is no material 'gold'",
        "XML:6:29: <motor name='m'>: there is no joint 'hop'; did you mean 'hip'?",
    ]


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
    with pytest.raises(ModelError, match="cannot read the model"):
        compile_path(tmp_path)


REFUSED = {
    "empty": ("", "empty"),
    "not XML": ("hello", "not well-formed XML"),
    "tags that do not match": ("<mujoco><worldbody></mujoco>", "XML:1:29: not well-formed"),
    "two roots": ("<mujoco/><mujoco/>", "not well-formed"),
    "attribute given twice": ("<mujoco model='a' model='b'/>", "redefined"),
    "another root": ("<scene/>", "the root is <scene>, expected <mujoco>"),
    "entities": ('<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>', "entities"),
    "entity of a file": ('<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/hosts">]><mujoco>&a;</mujoco>', "entities"),
    "too deep": ("<mujoco><worldbody>" + "<body>" * 9000 + "</body>" * 9000 + "</worldbody></mujoco>", "depth"),
    "include of nothing": ("<mujoco><include/></mujoco>", "'file' is missing"),
    "include of a missing file": ("<mujoco><include file='no.xml'/></mujoco>", "there is no file"),
    "NaN": ("<mujoco><option timestep='nan'/></mujoco>", "NaN is not allowed"),
    "overflow": ("<mujoco><option timestep='1e999'/></mujoco>", "too large"),
    "global coordinates": ("<mujoco><compiler coordinate='global'/></mujoco>", "global coordinates were removed"),
    "old flags": ("<mujoco><option><flags energy='enable'/></option></mujoco>", "did you mean 'flag'"),
    "mesh": ("<mujoco><asset><mesh name='m' vertex='0 0 0'/></asset></mujoco>", "it has 1 vertices, at least 4"),
    "muscle": ("<mujoco><actuator><muscle joint='a'/></actuator></mujoco>", "there is no joint 'a'"),
    "image": ("<mujoco><asset><texture name='t' file='t.png'/></asset></mujoco>", "cannot read 't.png'"),
    "texture without name": (
        "<mujoco><asset><texture type='2d' builtin='flat' width='1' height='1'/></asset></mujoco>", "needs a name or a file",
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
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_that_the_oracle_reads_are_read(slip):
    mujoco.MjModel.from_xml_string(SLIPS[slip])
    assert compile_string(SLIPS[slip]).layout.sizes["ngeom"] == 1


def test_a_repaired_file_keeps_its_places():
    xml = "<mujoco>\n<!-- a -- b\n -->\n<worldbody>\n  <geom sise='1'/></worldbody></mujoco>"
    assert message(xml) == "XML:5:9: <geom>: unknown attribute 'sise'; did you mean 'size'?"


def test_latin_text_is_read():
    spec = read_string('<mujoco model="caf\xe9"/>'.encode("latin-1"))
    assert spec.modelname == "café"


def test_included_files_come_from_assets_first():
    spec = read_string(
        "<mujoco><include file='part.xml'/></mujoco>",
        {"part.xml": b"<mujoco><worldbody><geom name='g' size='1'/></worldbody></mujoco>"},
    )
    assert [geom.name for geom in spec.worldbody.geoms] == ["g"]
