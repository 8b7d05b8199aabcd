"""Small models found by fuzzing (see docs/testing.md), for which both compilers must agree."""

from __future__ import annotations

import json
import random

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelError, ModelWarning
from oracle import model_differences
from places import TESTS
from refusals import refused_by_both

BALL = '<body><joint/><geom size="1"/></body>'
SUB = '<mujoco model="sub"><worldbody><body name="s"><joint ref="57.3"/><geom size="1"/></body></worldbody></mujoco>'
HELD = '<mujoco model="held"><worldbody><body name="s" pos="4 5 6" quat="1 1 0 0" mocap="true"/></worldbody></mujoco>'
# a box with two bent sides
OBJ = b"""v 0 0 0\nv -.5 -.5 3.5\nv 0 2 0\nv .5 2.5 3\nv 1 0 0\nv 1 0 3\nv 1 2 .5\nv 1 1.5 3
f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4"""
FILES = {"sub.xml": SUB.encode(), "held.xml": HELD.encode(), "m.obj": OBJ}


def world(inside: str, more: str = "") -> str:
    return f"<worldbody>{inside}</worldbody>{more}"


def attached(before: str, key: str, after: str = "", model: str = "sub") -> str:
    """Return the XML of a world with an attached model, and with a keyframe."""
    asset = f'<asset><model name="{model}" file="{model}.xml"/></asset>'
    return asset + world(f'{before}<attach model="{model}" prefix="p"/>{after}', f"<keyframe>{key}</keyframe>")


def replicated(before: str, inside: str, key: str, after: str = "", count: int = 2) -> str:
    """Return the XML of a world with replicated contents, and with a keyframe."""
    return world(f'{before}<replicate count="{count}">{inside}</replicate>{after}', f"<keyframe>{key}</keyframe>")


def camera(attributes: str) -> str:
    return world(f"<camera {attributes}/>")


def slide(joint: str) -> str:
    """Return a URDF model with two links that are connected by the given joint."""
    inertial = '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
    return (
        f'<robot name="r"><link name="one"/><link name="two">{inertial}</link>'
        f'<joint name="j" {joint}<parent link="one"/><child link="two"/></joint></robot>'
    )


TORUS = (
    '<extension><plugin plugin="mujoco.sdf.torus"><instance name="i"/></plugin></extension>'
    '<asset><mesh name="m"><plugin instance="i"/></mesh></asset>'
)
MOVER = '<body><joint name="k"/><geom size="1"/></body>'
PID = (
    '<extension><plugin plugin="mujoco.pid"/></extension><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
    '<actuator><plugin plugin="mujoco.pid" joint="j" {more}><config key="{setting}" value="{value}"/></plugin></actuator>'
)  # fmt: skip
CABLE = '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"><config key="bend" value="1e6"/></instance></plugin></extension>'


def cable(*joints: str) -> str:
    """Return the XML of a chain of bodies with these joints and one instance of the cable plugin."""
    bodies = ""
    for joint in reversed(joints):
        bodies = f'<body pos=".2 0 .1">{joint}<geom type="capsule" size=".01 .1"/><plugin instance="i"/>{bodies}</body>'
    return CABLE + world(bodies)


def cloth(contact: str) -> str:
    """Return the XML of a model of a cloth that touches a floor."""
    return world(
        '<geom type="plane" size="2 2 2"/><body name="b"><flexcomp name="f" dim="2" count="3 3 1" spacing=".2 .2 .2" radius=".01">'
        f"{contact}</flexcomp></body>"
    )


SAME = {
    # keyframes: replicate uses the joints that precede it, and copies keyframes
    "longer keyframes of mocap bodies": attached('<body mocap="true"/>', '<key mpos="7 8 9"/>', "", "held"),
    # cameras
    "field of view": camera('resolution="7 11" sensorsize=".013 .017" focal=".019 .023" principal=".0031 -.0017"'),
    "focal length before zeros in pixels": camera('sensorsize="1 2" resolution="1 4" focal="3 2" focalpixel="0 1"'),
    "principal point before zeros in pixels": camera('sensorsize="1 2" resolution="1 4" principal="3 2" principalpixel="0 0"'),
    "negative sensor": camera('sensorsize="1 -2" resolution="0 4" focal="1 2"'),
    "no pixels": camera('sensorsize="1 2" resolution="0 4" focal="1 2"'),
    "lengths in pixels": camera('sensorsize=".011 .023" resolution="640 487" focalpixel="417 431" principalpixel="7 -11"'),
    # trees
    "bodies without mass in frames": world(
        '<frame pos="-1 3 0" euler="30 0 0"><body pos="1 1 1" euler="10 0 0"/>'
        '<replicate count="2" offset="1 0 0" euler="10 0 0"><body pos="1 1 1" quat="1 1 0 0"/></replicate></frame>'
    ),
    "free body in a static one": '<compiler fusestatic="true"/>' + world(
        '<body><body><freejoint/><geom size="1"/></body></body>'
    ),
    "armature of a fixed tendon": world(MOVER) + (
        '<tendon><fixed armature="1"><joint joint="k" coef="2"/></fixed></tendon>'
    ),
    "negative armature of a fixed tendon": world(MOVER) + (
        '<tendon><fixed armature="-1"><joint joint="k" coef="2"/></fixed></tendon>'
    ),
    "alignment before children are fused": '<compiler fusestatic="true" alignfree="true"/>' + world(
        '<body><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0" euler=".1 .2 .3"/><body/></body>'
    ),
    "damped soft body": world(
        '<body name="b"><flexcomp name="soft" dim="3" count="2 2 2"><elasticity damping=".01"/><pin range="0 4"/></flexcomp></body>'
    ),
    "fluid forces on an infinite plane": world('<geom type="plane" size="0 0 1" fluidshape="ellipsoid"/>'),
    "class at the top without a name": '<default class=""><geom size="2"/></default>' + world("<geom/>"),
    "quadrilateral that is not flat": '<asset><mesh name="m" file="m.obj" inertia="exact"/></asset>' + world(
        '<geom type="mesh" mesh="m"/>'
    ),
    "joints of a soft body": (
        '<default><joint armature=".002" range="-1 2" pos="1 2 3" user="3" ref="3"/><default class="a"><joint damping="2"/></default>'
        '<default class="b"><joint damping="3"/></default></default>'
    ) + world(
        '<body name="h" childclass="a"><frame childclass="b"><flexcomp name="s" dim="2" count="2 2 1"/></frame></body>'
    ),
    "negative diameter": world(MOVER, '<actuator><cylinder joint="k" diameter="-1" area="4"/></actuator>'),
    "damping ratio of a negative gain": world(MOVER, '<actuator><position joint="k" kp="-2" dampratio="1"/></actuator>'),
    "shells": world(
        '<body><geom size=".1 .2" type="capsule" shellinertia="true"/></body>'
        '<body><geom size="1.1 .2" type="cylinder" shellinertia="true" mass="3"/></body>'
        '<body><geom size=".1 .2 .3" type="box" shellinertia="true"/></body>'
        '<body><geom size=".1 .2 .3" type="ellipsoid" shellinertia="true"/></body>',
        '<default><geom shellinertia="true" size=".2"/></default><worldbody><body><geom/></body></worldbody>'
    ),
    "shells of what is made of files": (
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>'
        '<default><geom shellinertia="true"/></default>'
    ) + world('<body><geom type="hfield" hfield="h"/></body><body><geom type="box" mesh="m"/></body>'),
    "huge time constant": world('<body><joint springdamper="1e200 .5"/><geom size="1"/></body>'),
    "negative mass that does not count": world(
        '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size="1" mass="-1"/></body>'
        '<body><geom size="1" group="1" mass="-1"/><geom size="1"/></body>', '<compiler inertiagrouprange="0 0"/>'
    ),
    "ids of coordinates that do not exist": world(
        '<body name="u"/><body name="v"><freejoint/><geom size="1"/></body><body name="w"/>',
        '<deformable><flex name="f" body="u v w" element="0 1 2" elemtexcoord="6 6 -1"/></deformable>'
    ),
    "edges between bodies that are fixed to each other": world(
        '<body name="u"/><body name="v" pos="1 0 0"><freejoint/><geom size="1"/><body name="w"/></body><body name="x" pos="0 1 0"/>',
        '<deformable><flex name="f" body="u v w x" element="0 1 2 1 2 3 0 1 3"/></deformable>'
    ),
    "slew rate of zero": PID.format(more='actdim="1"', setting="slewmax", value="0"),
    "integral gain of zero": PID.format(more="", setting="ki", value="0"),
    # flexes
    "cloth of no dimension": cloth('<contact condim="0"/>'),
    "cloth of less than no dimension": cloth('<contact condim="-1"/>'),
    "cloth of two dimensions": cloth('<contact condim="2"/>'),
    "flex of five dimensions": world('<body name="u"/><body name="v" pos="1 0 0"><freejoint/><geom size=".1"/></body>') + (
        '<deformable><flex name="f" dim="1" body="u v" element="0 1"><contact condim="5"/></flex></deformable>'
    ),
    "line that ends infinitely far": world(
        '<body name="b"><flexcomp name="f" type="direct" dim="1" element="0 1" point="3 -1 4 inf 100 10"/></body>'
    ),
    "line that is scaled to infinity": world(
        '<body name="b"><flexcomp name="f" type="direct" dim="1" rigid="true" element="0 1" point="1 0 0 1e308 1 1" scale="10 1 1"/></body>'
    ),
    # directions
    "z axis that is nearly turned round": world('<body zaxis="2 .01 -1e9"/><body zaxis="2 .01 1e9"/><body zaxis="2e-7 0 -1"/>'),
    "quaternions that are too short": world(
        '<body quat="0 1e-8 1e-8 0"><geom size="1" quat="9e-8 0 0 0"/><site quat="1e-15 0 0 1e-15"/><frame quat="0 1e-8 0 0"><camera/></frame></body>'
        '<body mocap="true"/><body><joint type="ball"/><geom size="1"/></body>',
        '<keyframe><key mquat="0 1e-8 0 0" qpos="0 1e-13 1e-13 0"/></keyframe>',
    ),
    # elements outside all sections
    "body in no section": '<body quat="1 0 0 0" zaxis="0 0 1" pos="1"><geom type="none"/><composite/></body>' + world(BALL),
    # memory
    "memory with a sign": '<size memory="+200K"/>' + world(BALL),
    # URDF
    "one limit": slide('type="prismatic"><limit upper="1"/>'),
    "two shapes": (
        '<robot name="r"><link name="a"><collision><geometry><capsule radius=".3" length=".4"/><sphere radius=".5"/></geometry>'
        "</collision></link></robot>"
    ),
    "floating joint": slide('type="floating"><limit lower="-1" upper="3" effort="3"/>'),
    "negative colour": (
        '<robot name="r"><link name="a"><visual><material name="red"><color rgba="-1 .5 .3 1"/></material></visual>'
        '<collision><geometry><sphere radius=".1"/></geometry></collision></link></robot>'
    ),
}  # fmt: skip
# MuJoCo since 3.16 reads these as follows: a keyframe belongs to the whole model, and a short one is completed
KEYFRAMES = {
    "copies of keyframes": replicated(BALL, BALL, '<key name="a" time="3" qpos="1 2"/>'),
    "copies of keyframes, joints to come": replicated(
        "", BALL, '<key name="a" qpos="1"/><key name="b" qvel=".5"/>', BALL
    ),
    "copies of keyframes, one copy": replicated(BALL, BALL, '<key time="3" qpos="1 2"/>', count=1),
    "copies of keyframes, only geoms": replicated(BALL, '<geom size="1"/>', '<key name="a" qpos="1"/><key name="b"/>'),
    "copies of keyframes, nested": replicated(
        BALL, f'{BALL}<replicate count="2">{BALL}</replicate>', '<key qpos="1 2 3"/>'
    ),
    "copies of keyframes, twice": replicated(
        "", BALL, '<key qpos="1"/>', f'<replicate count="2">{BALL}</replicate>{BALL}'
    ),
    "copies of keyframes, mocap": replicated(
        '<body mocap="true"/>', '<body mocap="true"/>', '<key mpos="1 2 3 4 5 6"/>'
    ),
    "copies of keyframes, actuators": replicated(
        '<body><joint name="o"/><geom size="1"/></body>', MOVER, '<key name="a" ctrl="4 5" act="7"/>'
    )
    + '<actuator><motor joint="k"/><general joint="o" dyntype="integrator"/></actuator>',
    "copies of keyframes, attached": attached(BALL, '<key qpos="1 2 3"/>').replace(
        '<attach model="sub" prefix="p"/>',
        f'<replicate count="2">{BALL}<attach model="sub" body="s" prefix="p"/></replicate>',
    ),
    "copies of keyframes, references": replicated(
        '<body><joint ref="30"/><geom size="1"/></body>',
        '<body><joint ref="40"/><geom size="1"/></body>',
        '<key qpos="1 2"/>',
        '<body><joint ref="50"/><geom size="1"/></body>',
    ),
    "keyframes of mocap bodies": attached(
        '<body pos="1 2 3" mocap="true"/>', '<key mpos="7 8" mquat="1 0 0 1"/>', "", "held"
    ),
    "controls of joints that come after the copies": replicated(
        "", BALL, '<key name="a" ctrl="4 5"/>', '<body><joint name="o"/><geom size="1"/><site name="s"/></body>'
    )
    + '<tendon><fixed name="t"><joint joint="o" coef="1"/></fixed></tendon><actuator><motor joint="o"/><motor tendon="t"/></actuator>',
    "keyframes that are asked for, beside copies": '<size nkey="3"/>'
    + replicated(BALL, BALL, '<key name="a" qpos="1 2"/>'),
    "keyframe of all copies": replicated(BALL, BALL, '<key qpos="1 2 3"/>'),
    "keyframe without what is copied": replicated(BALL, BALL, '<key qpos="1"/>', count=0),
    "names of copies of keyframes": replicated(BALL, BALL, "<key/><key/>"),
    "keyframe before attaching": attached("", '<key qpos="1 2"/>', BALL),
}
TOO_LONG = {
    "copies of keyframes, no copy": replicated(BALL, BALL, '<key time="3" qpos="1 2"/>', count=0),
    "longer keyframes": attached(BALL, '<key qpos="1" ctrl="3" qvel="2"/>'),
    "shorter keyframes": attached(BALL, '<key qpos="1 2 3"/><key qvel="1 2 3"/>'),
}

REFUSED = {
    "negative slew rate": PID.format(more='actdim="1"', setting="slewmax", value="-1"),
    "edges of a rigid flex": world('<body name="b"><flexcomp name="f" count="3 3 1" rigid="true"/></body>')
    + '<equality><flex flex="f"/></equality>',
    "sensor of nothing": world('<site name="s"/>') + '<sensor><touch site=""/></sensor>',
    "contact sensor of nothing": world('<site name="s"/>') + '<sensor><contact site="s" geom2=""/></sensor>',
    "copies of an instance of a plugin": '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"/></plugin></extension>'
    + world('<replicate count="2"><body><geom size="1"/><plugin instance="i"/></body></replicate>'),
    "tactile sensor of no mesh": world('<geom name="g" size="1"/>', '<sensor><tactile geom="g" mesh=""/></sensor>'),
    "inherited range beside that of the class": '<default><position ctrlrange="0 2"/></default>' + world(
        '<body><joint name="h" range="0 1"/><geom size="1"/></body>', '<actuator><position joint="h" inheritrange=".1"/></actuator>'
    ),
    "pinned flex in a body that is fused": '<compiler fusestatic="true"/>' + world(
        '<body name="b"><flexcomp name="soft" dim="3" count="2 2 2"><pin range="0 4"/></flexcomp></body>'
    ),
    "digits of other scripts": world('<frame quat="1 \u0663 0 0"/>'),
    "copies of an actuator with two targets": world('<frame><replicate count="1"/></frame>') + (
        '<actuator><motor joint="j" site="s"/></actuator>'
    ),
    "element in an element without any": world(MOVER) + '<actuator><general joint="k"><equality/></general></actuator>',
    "attribute of a section": '<equality active="false"/>',
    "plane that moves": world('<body><freejoint/><geom size="1"/><geom type="plane" size="1 1 1"/></body>'),
    "plane on what moves": world('<body><joint/><geom size="1"/><body><geom type="plane" size="1 1 1"/></body></body>'),
    "material that is left out": '<compiler discardvisual="true"/><asset><material/></asset>',
    "camera without pixels": world('<camera name="c" resolution="0 2"/><site name="s"/>') + (
        '<sensor><camprojection site="s" camera="c"/></sensor>'
    ),
    "focal length twice": '<default><camera sensorsize="1 2" resolution="3 4" focal="1 1"/></default>' + camera(
        'sensorsize="1 2" resolution="3 4" focalpixel="3 0"'
    ),
    "negative resolution": camera('resolution="-3 4"'),
    "what is missing refers to copies": world('<replicate count="3"><body name="r"/></replicate>') + (
        '<equality><weld body1="r" body2="v"/></equality>'
    ),
    "copies refer to what comes later": world(
        '<replicate count="3"><body name="r"/></replicate><body name="v"/>', '<contact><exclude body1="r" body2="v"/></contact>'
    ),
    "pair of nothing": '<contact><pair geom1="ball" geom2="link"/></contact>',
    "sensor of a cable": '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"/></plugin></extension>' + (
        '<sensor><plugin instance="i"/></sensor>'
    ),
    "cable that is not a number": '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i">'
    '<config key="bend" value="b"/></instance></plugin></extension>',
    "grid without a field of view": '<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>'
    '<worldbody><site name="s"/></worldbody><sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s">'
    '<config key="size" value="2 3"/></plugin></sensor>',
    "setting without a value": '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i">'
    '<config key="flat"/></instance></plugin></extension>',
    "shell of a mesh": '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/></asset>' + world(
        '<geom type="mesh" mesh="m" shellinertia="true"/>'
    ),
    "layout of a grid that is not read": '<asset><texture name="t" builtin="flat" width="4" gridlayout="m1"/></asset>',
    "two types of a light": '<default><light directional="true" type="spot"/></default>',
    "attributes of the world": '<worldbody name="w"/>',
    "free body in a body": world('<body><body><freejoint/><geom size="1"/></body></body>'),
    "axis that is too short": world('<body><joint axis="0 9e-8 0"/><geom size="1"/></body>'),
    "light that shines nowhere": world('<light dir="1e-8 0 0"/>'),
    "capsule without length": world('<geom type="capsule" size=".1" fromto="0 0 0 9e-8 0 0"/>'),
    "axis to turn about that is too short": world('<body axisangle="1e-7 0 0 90"/>'),
    "axes that are too near each other": world('<body xyaxes="1 0 0 1 1e-8 0"/>'),
    "attached model of another type": '<asset><model name="sub" file="sub.xml" content_type="text/mjcf"/></asset>' + world(BALL),
    "memory of one byte": '<size memory="1"/>' + world(BALL),
    "no memory": '<size memory="0"/>',
    "memory whose unit is apart": '<size memory="1 M"/>' + world(BALL),
    "coefficient that is blank": world(MOVER) + '<tendon><fixed><joint joint="k" coef=""/></fixed></tendon>',
    "position that is blank": world('<body><joint/><inertial pos=" " mass="1" diaginertia="1 1 1"/></body>'),
    "names in a body in no section": '<body bogus="1"/>' + world(BALL),
    "armature of a spatial tendon": world('<site name="a"/><site name="b"/>') + (
        '<tendon><spatial armature="-1"><site site="a"/><site site="b"/></spatial></tendon>'
    ),
}  # fmt: skip


def whole(xml: str) -> str:
    return xml if xml.startswith("<robot") else f"<mujoco>{xml}</mujoco>"


@pytest.mark.parametrize("name", KEYFRAMES)
def test_keyframes_are_those_of_later_versions(name):
    """Keyframes agree with the values of `mujoco==4.0.0` in data/keyframes.json."""
    names, *expected = json.loads((TESTS / "data" / "keyframes.json").read_text())[name]
    m = conjoint.MjModel.from_xml_string(whole(KEYFRAMES[name]), FILES)
    assert [m.key(i).name for i in range(m.nkey)] == names
    for field, numbers in zip(("time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"), expected, strict=True):
        np.testing.assert_allclose(np.ravel(getattr(m, f"key_{field}")), numbers, atol=1e-9)


@pytest.mark.parametrize("xml", TOO_LONG.values(), ids=TOO_LONG)
def test_keyframes_that_are_too_long_are_refused(xml):
    """Keyframes that are too long are rejected, as in MuJoCo since 3.16; MuJoCo 3.3.5 truncates them."""
    with pytest.raises(ModelError, match=r"<key>: \w+ has \d numbers, expected \d"):
        conjoint.MjModel.from_xml_string(whole(xml), FILES)


def test_keyframes_that_end_within_an_element_keep_it_as_it_is():
    body = '<body pos="1 2 3"><freejoint/><geom size="1"/></body>'
    m = conjoint.MjModel.from_xml_string(whole(attached(body, '<key qpos="8"/>')), FILES)
    np.testing.assert_array_equal(m.key_qpos[0], m.qpos0)


@pytest.mark.parametrize("xml", SAME.values(), ids=SAME)
def test_both_make_the_same_model(xml):
    ours = conjoint.MjModel.from_xml_string(whole(xml), FILES)
    official = mujoco.MjModel.from_xml_string(whole(xml), FILES)
    assert model_differences(ours, official) == {}
    assert (ours.mesh_face == official.mesh_face).all()


def test_copies_of_shapes_of_a_plugin():
    """Each replicated SDF geom has its own plugin instance; MuJoCo's compiler crashes on this model in half of all runs."""
    body = '<body><geom type="sdf" mesh="m"><plugin instance="i"/></geom></body>'
    copies = conjoint.MjModel.from_xml_string(whole(TORUS + world(f'<replicate count="2">{body}</replicate>')), FILES)
    assert (copies.nmesh, copies.nplugin, copies.geom_plugin.tolist()) == (1, 3, [1, 2])


@pytest.mark.parametrize("xml", REFUSED.values(), ids=REFUSED)
def test_both_refuse(xml):
    refused_by_both(whole(xml), FILES)


def test_fields_of_view_agree_to_the_last_bit():
    source = random.Random(0)
    xml = world("".join(
        f'<camera sensorsize="1 {source.uniform(0.001, 1):.4g}" resolution="3 4" focal="1 {source.uniform(0.001, 1):.4g}"/>'
        for _ in range(300)
    ))  # fmt: skip
    ours, official = (library.MjModel.from_xml_string(whole(xml)) for library in (conjoint, mujoco))
    assert (ours.cam_fovy == official.cam_fovy).all()


def test_the_role_user_is_not_for_materials():
    asset = '<texture name="t" builtin="flat" width="4"/><material name="m"><layer texture="t" role="user"/></material>'
    with pytest.raises(conjoint.ModelError, match="role 'user'"):
        conjoint.MjModel.from_xml_string(f"<mujoco><asset>{asset}</asset></mujoco>")


def test_a_soft_box_needs_room():
    with pytest.raises(conjoint.ModelError, match="spacing"):
        conjoint.MjModel.from_xml_string(whole(world('<body name="b"><composite type="box" count="6 7 3"/></body>')))


@pytest.mark.filterwarnings("error")
def test_a_soft_body_is_not_infinite():
    with pytest.raises(conjoint.ModelError, match="spacing must be finite"):
        conjoint.MjModel.from_xml_string(
            whole(world('<body name="b"><flexcomp name="f" dim="3" count="3 3 3" spacing="1 inf 1"/></body>'))
        )


def test_a_pulley_of_a_tendon_with_armature_couples_no_body():
    path = '<site site="a"/><site site="b"/>'
    xml = world(
        '<body><joint axis="0 1 0"/><geom size="1"/><site name="a"/></body><body><geom size="1"/><site name="b"/></body>',
        f'<tendon><spatial armature="1">{path}<pulley divisor="2"/>{path}</spatial></tendon>',
    )
    ours, official = (library.MjModel.from_xml_string(whole(xml)) for library in (conjoint, mujoco))
    assert ours.body_simple.tolist() == official.body_simple.tolist() == [1, 0, 0]


def test_a_pulley_needs_a_divisor():
    path = '<site site="a"/><site site="b"/>'
    xml = world(
        '<site name="a"/><site name="b"/>', f'<tendon><spatial>{path}<pulley divisor="0"/>{path}</spatial></tendon>'
    )
    with pytest.raises(conjoint.ModelError, match="divisor"):
        conjoint.MjModel.from_xml_string(whole(xml))


@pytest.mark.filterwarnings("error")
def test_infinite_angles_and_sizes_are_no_errors_of_python():
    link = '<link name="a"><inertial><origin rpy="inf 0 0"/><mass value="1"/></inertial></link>'
    for xml in (world('<geom size="1" pos="-5 1e308 0"/><body/>'), f'<robot name="r">{link}</robot>'):
        try:
            conjoint.MjModel.from_xml_string(whole(xml))
        except conjoint.ModelError as error:
            assert "XML:1" in str(error)


@pytest.mark.filterwarnings("error")
def test_nodes_that_are_infinitely_far():
    nodes = "1 0 0 0 2 1 0 0 3 0 inf 0 4 0 0 1"
    gmsh = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{nodes}\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements"
    xml = world('<body name="b"><flexcomp name="f" type="gmsh" dim="3" file="m.msh"/></body>')
    with pytest.raises(conjoint.ModelError, match="finite"):
        conjoint.MjModel.from_xml_string(whole(xml), {"m.msh": gmsh.encode()})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("more", ["", 'quat="1 2 3 4"', 'type="direct" dim="1" element="0 1" scale="1e300 1 1"'])
def test_points_of_flexes_that_are_infinitely_far_are_no_warning(more):
    xml = world(f'<body name="b"><flexcomp name="f" count="9 7 1" {more} point="3 -1 4 inf 100 10"/></body>')
    assert conjoint.MjModel.from_xml_string(whole(xml)).nflex == 1


def test_what_has_no_effect_is_told():
    with pytest.warns(ModelWarning, match="XML:1:9: <body> directly inside <mujoco> has no effect: move it into"):
        conjoint.MjModel.from_xml_string(whole("<body/>"))
    for condim, meant in ((0, "1 is used"), (2, "contacts have 2 dimensions")):
        with pytest.warns(ModelWarning, match=f"condim {condim} is not 1, 3, 4 or 6; {meant}"):
            conjoint.MjModel.from_xml_string(whole(cloth(f'<contact condim="{condim}"/>')))


def test_contacts_of_flexes_have_no_more_than_six_dimensions():
    """A flex with a condim above six is rejected; MuJoCo fails at the first contact of the flex."""
    with pytest.raises(conjoint.ModelError, match="condim 7 is not 1, 3, 4 or 6"):
        conjoint.MjModel.from_xml_string(whole(cloth('<contact condim="7"/>')))


@pytest.mark.filterwarnings("error")
def test_what_is_infinitely_far_is_no_warning():
    for far in ("inf", "1e300"):
        model = conjoint.MjModel.from_xml_string(whole(world(f'<body><geom size="1" pos="-.3 {far} .1"/></body>')))
        assert model.body_ipos[1, 1] == float(far)


def test_paths_of_tendons_that_are_infinitely_long():
    xml = world(
        '<site name="w"/><body pos="1e308 0 1"><site name="a"/><body><site name="b"/></body></body>'
        '<body pos="3 0 0"><geom name="g" size=".2"/></body>',
        '<tendon><spatial><site site="w"/><geom geom="g"/><site site="a"/><pulley divisor="2"/><site site="a"/>'
        '<site site="b"/></spatial></tendon>',
    )  # fmt: skip
    assert conjoint.MjModel.from_xml_string(f"<mujoco>{xml}</mujoco>").ntendon == 1


@pytest.mark.parametrize(
    "xml",
    [
        world('<body><geom type="ellipsoid" size="1e160 1 1" fluidshape="ellipsoid"/></body>'),
        world('<body><geom type="box" size="1e200 1e200 1" fluidshape="ellipsoid"/></body>'),
        world('<body><geom type="box" size="1e200 1 1" shellinertia="true"/></body>'),
        world('<body><geom type="ellipsoid" size="1e200 1 1" shellinertia="true"/></body>'),
        world(
            '<body name="b"><composite type="cable" curve="s" count="5 1 1" size="1e300"><geom type="capsule" size=".1"/></composite></body>'
        ),
    ],
)
def test_numbers_that_overflow_are_errors_of_the_model(xml):
    with pytest.raises(conjoint.ModelError, match="too large for computations"):
        conjoint.MjModel.from_xml_string(whole(xml))


BALL_JOINT, HINGE = '<joint type="ball"/>', "<joint/>"


@pytest.mark.parametrize("joints", [("", "", ""), (HINGE, HINGE), (BALL_JOINT, HINGE, BALL_JOINT), (BALL_JOINT, "")])
def test_bodies_of_a_cable_without_ball_joints(joints):
    """A cable without ball joints compiles as in MuJoCo but exerts no force; MuJoCo reads invalid quaternions."""
    xml = whole(cable(*joints))
    ours, official = (library.MjModel.from_xml_string(xml) for library in (conjoint, mujoco))
    assert model_differences(ours, official) == {}
    data = conjoint.MjData(ours)
    conjoint.mj_step(ours, data)
    assert np.isfinite(data.qacc).all() and not data.qfrc_passive.any()


@pytest.mark.filterwarnings("error")
def test_bodies_of_a_cable_in_one_place():
    extension = '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"/></plugin></extension>'
    part = '<body pos="1 0 0">{}<geom size=".1"/><plugin instance="i"/></body>'
    bodies = "<body>" + part.format("") + part.format('<joint type="ball"/>') + "</body>"
    xml = f"<mujoco>{extension}<worldbody>{bodies}</worldbody></mujoco>"
    found = []
    for package in (conjoint, mujoco):
        model = package.MjModel.from_xml_string(xml)
        data = package.MjData(model)
        package.mj_step(model, data)
        found.append(data.qacc.tolist())
    assert found[0] == found[1]
