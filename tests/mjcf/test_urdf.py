"""URDF models agree with MuJoCo: conversion of links and joints, and rejected models."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelWarning
from oracle import model_differences
from refusals import refused_by_both

INERTIA = '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0" iyz="0.02"/>'
# inertial frames, which MuJoCo ignores, have their own tests
INERTIAL = f'<inertial><origin xyz="0.1 0 0"/><mass value="1.5"/>{INERTIA}</inertial>'
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "planar", "spherical")


def robot(contents: str, compiler: str = "") -> str:
    return f'<robot name="r"><mujoco><compiler {compiler}/></mujoco>{contents}</robot>'


def joint(kind: str, inside: str = "", name: str = "j", parent: str = "a", child: str = "b") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>{inside}</joint>'


def arm(kind: str, inside: str = "") -> str:
    return f'<link name="a"/><link name="b">{INERTIAL}</link>' + joint(kind, inside)


def assert_agrees(xml: str) -> None:
    assert model_differences(conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)) == {}


@pytest.mark.parametrize("kind", JOINT_TYPES)
@pytest.mark.parametrize("inside", ["", '<axis xyz="1 2 0.5"/><dynamics damping="2" friction="3"/>'])
@pytest.mark.parametrize("compiler", ["", 'fusestatic="false"'])
def test_joint(kind, inside, compiler):
    assert_agrees(robot(arm(kind, inside), compiler))


def test_floating_joint():
    # MuJoCo's Python package crashes on a free joint below a fused body, so the link is a child of the world
    xml = robot(f'<link name="world"/><link name="b">{INERTIAL}</link>' + joint("floating", parent="world"))
    assert_agrees(xml)


@pytest.mark.parametrize(
    "limit", ['lower="-1" upper="2" effort="3"', 'lower="1" upper="-1"', 'lower="1"', 'effort="-4"', 'effort="0"', ""]
)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "planar"])
def test_limits(kind, limit):
    assert_agrees(robot(arm(kind, f"<limit {limit}/>")))


@pytest.mark.parametrize("compiler", ["", 'discardvisual="false"', 'discardvisual="false" fusestatic="false"'])
def test_geoms(compiler):
    link = (
        '<visual name="v"><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>'
        '<visual><geometry><sphere radius="1"/></geometry><material name="u"><color rgba="0 1 0 0.5"/></material></visual>'
        '<visual name="c"><geometry><capsule radius="1" length="2"/></geometry><material name="unknown"/></visual>'
        '<collision name="c"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.1" length="1"/>'
        "</geometry></collision>"
    )
    other = '<collision name="c"><geometry><box size="1 1 1"/></geometry></collision>'
    colour = '<material name="red"><color rgba="1 0 0 1"/></material>'
    xml = robot(colour + f'<link name="a">{link}</link><link name="b">{other}</link>' + joint("revolute"), compiler)
    assert_agrees(xml)
    official, model = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    assert [model.geom(i).name for i in range(model.ngeom)] == [official.geom(i).name for i in range(official.ngeom)]


def test_meshes_share_files_by_name_and_scale():
    cube = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    faces = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
    assets = {"x.obj": (cube + "".join("f " + " ".join(map(str, face)) + "\n" for face in faces)).encode()}
    meshes = ("package://p/x.obj", "x.obj", "other/x.obj")
    scales = ("", 'scale="2 2 2"', 'scale="2 2 2"')
    geoms = "".join(
        f'<collision><geometry><mesh filename="{name}" {scale}/></geometry></collision>'
        for name, scale in zip(meshes, scales, strict=True)
    )
    xml = robot(f'<link name="a">{geoms}</link>')
    official = mujoco.MjModel.from_xml_string(xml, assets)
    model = conjoint.MjModel.from_xml_string(xml, assets)
    assert model.nmesh == official.nmesh == 2
    np.testing.assert_array_equal(model.geom_dataid, official.geom_dataid)
    np.testing.assert_allclose(model.mesh_vert, official.mesh_vert, atol=1e-7)


def test_order_of_links_and_the_world():
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in ("c", "b", "a", "e"))
    joints = joint("revolute", name="1") + joint("revolute", name="2", child="c")
    joints += joint("continuous", name="3", parent="world").replace('link="b"', 'link="a"')
    joints += joint("prismatic", name="4", parent="c", child="e")
    xml = robot(f'{links}<link name="world"/>' + joints)
    assert_agrees(xml)
    official, model = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    assert [model.body(i).name for i in range(model.nbody)] == [official.body(i).name for i in range(official.nbody)]


MATERIALS = {
    "defined twice": '<material name="m"><color rgba="1 0 0 1"/></material><material name="m"><color rgba="0 1 0 1"/></material>'
    + '<link name="a">{m}</link>',
    "defined by a link": '<link name="a">{green}</link><material name="m"><color rgba="1 0 0 1"/></material><link name="b">{m}</link>',
    "defined later": '<link name="a">{m}</link><link name="b">{green}</link><link name="c">{m}</link>',
    "defined in the extension": '<mujoco><material name="m"><color rgba="1 0 0 1"/></material></mujoco><link name="a">{m}</link>',
    "no name, no colour": '<link name="a"><visual><geometry><sphere radius="1"/></geometry><material name=""/></visual></link>',
}  # fmt: skip


@pytest.mark.parametrize("contents", MATERIALS.values(), ids=MATERIALS)
@pytest.mark.parametrize("compiler", ["", 'discardvisual="false"'])
def test_the_first_colour_of_a_material_holds_for_those_that_have_none(contents, compiler):
    named = '<visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual>'
    green = named.replace('name="m"/>', 'name="m"><color rgba="0 1 0 0.5"/></material>')
    collision = '<collision><geometry><sphere radius="2"/></geometry></collision>'
    xml = robot(contents.format(m=named + collision, green=green), compiler + ' fusestatic="false"')
    assert_agrees(xml.replace("</mujoco><mujoco>", ""))


@pytest.mark.parametrize("compiler", ["", 'settotalmass="7"', 'fusestatic="false"', 'boundmass="3"'])
@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_a_world_with_a_mass(kind, compiler):
    xml = robot(
        f'<link name="world">{INERTIAL}</link><link name="b">{INERTIAL}</link>' + joint(kind, parent="world"), compiler
    )
    assert_agrees(xml)
    model = conjoint.MjModel.from_xml_string(xml)
    assert conjoint.mj_getTotalmass(model) == mujoco.mj_getTotalmass(mujoco.MjModel.from_xml_string(xml))


def test_what_xacro_leaves_behind():
    xml = (
        '\n<?xml version="1.0"?>\n<!-- made by xacro -- do not edit --><robot name="r" xmlns="http://www.ros.org">'
        '<xacro:property name="width" value="0.2 & more"/><gz:plugin gz:name="x"/>' + arm("revolute", '<limit lower="" upper="1"/>')
        + "</robot>"
    )  # fmt: skip
    assert_agrees(xml)


def test_the_extension_sets_options():
    xml = (
        '<robot><mujoco><compiler angle="degree" unknown="1"/><option timestep="0.01"><flag contact="disable"/></option>'
        '<size nuserdata="3"/><worldbody/></mujoco><link name="a"/><gazebo/></robot>'
    )
    assert_agrees(xml)
    model = conjoint.MjModel.from_xml_string(xml)
    assert (model.opt.timestep, model.nuserdata) == (0.01, 3)


REFUSED = {
    "two links of one name": '<link name="a"/><link name="a"/>',
    "no name": "<link/>",
    "unknown joint type": arm("ball"),
    "no such link": arm("fixed").replace('child link="b"', 'child link="q"'),
    "two parents": arm("fixed") + joint("fixed", name="k"),
    "loop": arm("fixed") + joint("fixed", name="k", parent="b", child="a"),
    "its own parent": '<link name="a"/>' + joint("fixed", child="a"),
    "no parent": '<link name="a"/><joint name="j" type="fixed"><child link="a"/></joint>',
    "no mass": f'<link name="a"><inertial>{INERTIA}</inertial></link>',
    "no inertia": '<link name="a"><inertial><mass value="1"/></inertial></link>',
    "incomplete inertia": '<link name="a"><inertial><mass value="1"/><inertia ixx="1"/></inertial></link>',
    "inertia not positive": arm("revolute").replace('ixx="0.2"', 'ixx="-1"'),
    "no geometry": '<link name="a"><collision/></link>',
    "no shape": '<link name="a"><collision><geometry><cone/></geometry></collision></link>',
    "no size": '<link name="a"><collision><geometry><box/></geometry></collision></link>',
    "short size": '<link name="a"><collision><geometry><box size="1 2"/></geometry></collision></link>',
    "not a number": '<link name="a"><collision><geometry><sphere radius="x"/></geometry></collision></link>',
    "negative radius": '<link name="a"><collision><geometry><sphere radius="-1"/></geometry></collision></link>',
    "material without a name": '<link name="a"><visual><geometry><sphere radius="1"/></geometry><material/></visual></link>',
    "two inertials": f'<link name="a">{INERTIAL}{INERTIAL}</link>',
    "zero axis": arm("revolute", '<axis xyz="0 0 0"/>'),
    "massless moving link": '<link name="a"/><link name="b"/>' + joint("revolute"),
    "missing mesh": '<link name="a"><collision><geometry><mesh filename="no.stl"/></geometry></collision></link>',
}  # fmt: skip


@pytest.mark.parametrize("xml", REFUSED.values(), ids=REFUSED)
def test_refused(xml):
    refused_by_both(robot(xml))


def test_an_error_tells_the_place():
    with pytest.raises(conjoint.ModelError, match=r"XML:2:\d+: <joint>: there is no link 'lnk'; did you mean 'link'"):
        conjoint.MjModel.from_xml_string(
            '<robot><link name="link"/>\n<joint name="j" type="fixed"><parent link="link"/><child link="lnk"/></joint>'
            "</robot>"
        )


def test_a_chain_of_thousands_of_links():
    links = "".join(f'<link name="{i}">{INERTIAL}</link>' for i in range(1000))
    joints = "".join(joint("fixed", name=f"j{i}", parent=str(i), child=str(i + 1)) for i in range(999))
    assert conjoint.MjModel.from_xml_string(robot(links + joints)).nbody == 1


@pytest.mark.parametrize("declared", ['xmlns:xacro="http://www.ros.org/wiki/xacro" ', ""])
def test_macros_that_are_not_expanded_are_told(declared):
    """Unexpanded xacro macros cause one warning; MuJoCo silently reads such a file as an empty model."""
    xml = f'<robot {declared}name="r"><xacro:macro name="arm"/><xacro:arm/></robot>'
    with pytest.warns(ModelWarning, match="<xacro:macro> is not read: expand the file with xacro") as caught:
        assert conjoint.MjModel.from_xml_string(xml).nbody == 1
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("inside", "beside", "missed"),
    [
        ('<mimic joint="i" multiplier="2"/>', "", "<mimic> of the joint 'j' has no effect: 'i' is no revolute"),
        ('<safety_controller k_velocity="1"/>', "", "<safety_controller> is ignored.*limits"),
        (
            "",
            '<transmission name="t"><joint name="j"/></transmission>',
            "<transmission> is ignored.*actuators are not created",
        ),
        ("", '<ros2_control name="t"/>', "<ros2_control> is ignored.*actuators are not created"),
    ],
)
def test_what_the_model_does_not_have_is_told(inside, beside, missed):
    xml = robot(arm("revolute", inside) + beside)
    with pytest.warns(ModelWarning, match=missed) as caught:
        assert_agrees(xml)
    assert len(caught) == 1


CHAIN = """<robot name="r">{links}
<joint name="ja" type="{a}"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>{of_a}</joint>
<joint name="jb" type="{b}"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>{of_b}</joint></robot>"""
MOVING = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def chain(of_a: str = "", of_b: str = "", a: str = "revolute", b: str = "prismatic") -> str:
    links = "".join(f'<link name="{name}">{MOVING}</link>' for name in ("base", "a", "b"))
    return CHAIN.format(links=links, a=a, b=b, of_a=of_a, of_b=of_b)


@pytest.mark.parametrize(
    ("of_a", "of_b", "expected"),
    [
        ("", '<mimic joint="ja" multiplier="2" offset="0.5"/>', [(1, 0, 0.5, 2)]),
        ("", '<mimic joint="ja"/>', [(1, 0, 0, 1)]),
        ("", '<mimic joint="ja" multiplier="" offset=""/>', [(1, 0, 0, 1)]),
        ('<mimic joint="jb" multiplier="-3"/>', "", [(0, 1, 0, -3)]),
        ('<mimic joint="jb"/>', '<mimic joint="ja" offset="1"/>', [(0, 1, 0, 1), (1, 0, 1, 1)]),
    ],
)
def test_joints_that_mimic_others_are_coupled(of_a: str, of_b: str, expected: list) -> None:
    """Joints that mimic other joints are coupled, with the numbers of MuJoCo 4.0.0; version 3.3.5 leaves them uncoupled."""
    model = conjoint.MjModel.from_xml_string(chain(of_a, of_b))
    same = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><body><joint name="0"/><geom size="1"/><body><joint name="1"/><geom size="1"/></body></body>
        </worldbody><equality>{"".join(f'<joint joint1="{i}" joint2="{k}" polycoef="{x} {y} 0 0 0"/>' for i, k, x, y in expected)}
        </equality></mujoco>"""
    )
    for field in ("eq_type", "eq_obj1id", "eq_obj2id", "eq_objtype", "eq_active0", "eq_solref", "eq_solimp", "eq_data"):
        np.testing.assert_array_equal(getattr(model, field), getattr(same, field), err_msg=field)
    saved = conjoint.MjSpec.from_string(chain(of_a, of_b)).to_xml()
    assert np.array_equal(conjoint.MjModel.from_xml_string(saved).eq_data, model.eq_data)


@pytest.mark.parametrize(
    ("b", "of_b", "text"),
    [
        ("prismatic", '<mimic multiplier="2"/>', "<mimic>: the attribute 'joint' is missing"),
        ("prismatic", '<mimic joint="jb"/>', "the joint 'jb' cannot follow itself"),
        ("prismatic", '<mimic joint="ja"/><mimic joint="ja"/>', "<mimic> may appear only once"),
        ("prismatic", '<mimic joint="ja" offset="x"/>', "<mimic>: attribute 'offset'"),
    ],
)
def test_wrong_mimics_are_refused(b: str, of_b: str, text: str) -> None:
    with pytest.raises(conjoint.ModelError, match=text):
        conjoint.MjModel.from_xml_string(chain(of_b=of_b, b=b))


@pytest.mark.parametrize(
    ("b", "wrong"), [("fixed", "jb"), ("planar", "jb"), ("spherical", "jb"), ("continuous", "nothing")]
)
def test_mimics_of_other_joints_have_no_effect(b: str, wrong: str) -> None:
    other = "nothing" if wrong == "nothing" else "ja"
    with pytest.warns(ModelWarning, match=f"<mimic> of the joint 'jb' has no effect: '{wrong}' is no revolute"):
        assert conjoint.MjModel.from_xml_string(chain(of_b=f'<mimic joint="{other}"/>', b=b)).neq == 0
