"""Editable models: the same program, run with the oracle and with this package, makes the same compiled model."""

from __future__ import annotations

import time
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from test_compiler_oracle import differences

CHILD = """<mujoco model="child"><option timestep="0.005"/>
<default><geom rgba="1 0 0 1"/><default class="c"><geom rgba="0 1 0 1"/></default></default>
<asset><material name="mat"/></asset>
<worldbody><geom name="wg" size=".1"/><light name="wl"/>
  <body name="cb" pos="1 0 0" euler="0 0 30">
    <frame name="fr" pos=".1 0 0"><geom name="cg" size=".1" material="mat"/></frame>
    <joint name="cj"/><site name="cs"/><geom class="c" size=".1"/><body name="cc"><geom size=".1"/></body>
  </body>
  <body name="other"><joint name="oj"/><geom size=".2"/></body>
</worldbody>
<actuator><motor name="ca" joint="cj"/><motor name="oa" joint="oj"/></actuator>
<sensor><jointpos name="sp" joint="cj"/><clock name="clk"/></sensor>
<keyframe><key name="k" qpos="1 2"/></keyframe></mujoco>"""

PARENT = """<mujoco model="p"><compiler angle="radian"/><worldbody>
  <body name="pb"><geom size=".3"/><site name="ps" pos="0 0 1" euler="1 0 0"/><joint name="pj"/></body>
  <frame name="pf" pos="0 1 0" euler="0 1 0"/>
</worldbody></mujoco>"""

SCRIPTS: dict[str, Any] = {}


def script(build: Any) -> Any:
    """Note a program that makes a model with the package it is given."""
    SCRIPTS[build.__name__] = build
    return build


@script
def tree(M):
    spec = M.MjSpec()
    spec.modelname = "tree"
    body = spec.worldbody.add_body(name="b", pos=[0, 0, 1], euler=[0, 0, 90])
    box = body.add_geom(name="g", type=M.mjtGeom.mjGEOM_BOX, size=[0.1, 0.2, 0.3], rgba=[1, 0, 0, 0.1])
    box.size[1] = 0.25
    box.pos += 0.1
    box.friction = np.array([0.5, 0.01, 0.001])
    body.add_joint(name="j", type=M.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0], range=[-90, 45], ref=10, stiffness=2)
    arm = body.add_body(name="arm", pos=(0.3, 0, 0), gravcomp=0.5, userdata=[1, 2, 3])
    arm.add_geom(type=M.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, 0.1, 0, 0.5], size=[0.05, 0, 0], mass=2)
    arm.add_joint(type=M.mjtJoint.mjJNT_BALL, damping=0.1)
    arm.add_site(name="tip", pos=[0.1, 0, 0.5], size=[0.01] * 3)
    arm.add_camera(name="cam", fovy=60, pos=[0, -1, 0], xyaxes=[1, 0, 0, 0, 0, 1])
    arm.add_light(name="sun", type=M.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[0, 1, -1], castshadow=False)
    free = spec.worldbody.add_body(name="free", pos=[1, 1, 1], axisangle=[1, 1, 0, 30])
    free.add_freejoint(name="fj")
    free.add_geom(size=[0.1, 0, 0], density=500)
    spec.worldbody.add_body(name="mocap", mocap=True)
    spec.worldbody.add_geom(type=M.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    return spec


@script
def frames(M):
    spec = M.MjSpec()
    outer = spec.worldbody.add_frame(name="outer", pos=[1, 0, 0], euler=[0, 0, 90])
    inner = spec.worldbody.add_frame(outer, name="inner", pos=[0, 1, 0], quat=[1, 1, 0, 0])
    body = spec.worldbody.add_body(name="b", pos=[0.1, 0.2, 0.3])
    body.set_frame(inner)
    joint = body.add_joint(axis=[0, 0, 1])
    joint.set_frame(body.add_frame(euler=[90, 0, 0]))
    body.add_geom(size=[0.1, 0, 0])
    spec.worldbody.add_geom(size=[0.1, 0, 0]).set_frame(outer)
    outer.pos[2] = 2
    return spec


@script
def default_classes(M):
    spec = M.MjSpec()
    main = spec.default
    main.geom.rgba = [1, 0, 0, 1]
    main.geom.size[0] = 0.2
    soft = spec.add_default("soft", main)
    soft.geom.solref[0] = 0.1
    soft.joint.damping = 3
    main.geom.size[0] = 0.5
    body = spec.worldbody.add_body(name="b")
    body.childclass = "soft"
    body.add_geom()
    body.add_joint()
    body.add_body().add_geom(main)
    body.add_geom(soft, rgba=[0, 1, 0, 1])
    other = body.add_geom()
    other.classname = main
    return spec


@script
def inertia(M):
    spec = M.MjSpec()
    turned = spec.worldbody.add_body(mass=2, inertia=[1, 2, 1.5], ipos=[0.1, 0, 0], ieuler=[0, 0, 40])
    turned.add_joint()
    full = spec.worldbody.add_body(mass=2, fullinertia=[1, 1.1, 1, 0.1, 0, 0], ipos=[0.1, 0, 0])
    full.add_joint(type=M.mjtJoint.mjJNT_BALL)
    unplaced = spec.worldbody.add_body(pos=[0, 0, 5], quat=[0, 1, 0, 0], mass=2, inertia=[1, 1, 1])
    unplaced.add_joint()
    inferred = spec.worldbody.add_body(mass=2, inertia=[1, 1, 1])
    inferred.add_geom(size=[0.1, 0, 0])
    later = spec.worldbody.add_body()
    later.add_geom(size=[0.1, 0, 0])
    later.mass = 3
    later.inertia[:] = 1
    later.ipos = [0, 0, 0.1]
    later.ialt.euler = [0, 30, 0]
    later.ialt.type = M.mjtOrientation.mjORIENTATION_EULER
    return spec


@script
def orientations(M):
    spec = M.MjSpec()
    spec.compiler.eulerseq = ["z", "y", "x"]
    spec.compiler.eulerseq[0] = "X"
    for options in ({"euler": [10, 20, 30]}, {"zaxis": [0, 1, 1]}, {"xyaxes": [0, 1, 0, -1, 0, 0]}):
        spec.worldbody.add_body(**options)
    ignored = spec.worldbody.add_body()
    ignored.alt.euler = [1, 2, 3]
    used = spec.worldbody.add_body()
    used.alt.type = M.mjtOrientation.mjORIENTATION_AXISANGLE
    used.alt.axisangle = [0, 1, 1, 50]
    used.alt.axisangle[3] = 60
    return spec


@script
def relations(M):
    spec = M.MjSpec()
    for i in range(3):
        body = spec.worldbody.add_body(name=f"b{i}", pos=[i, 0, 0.5 * i])
        body.add_geom(name=f"g{i}", size=[0.1, 0, 0])
        body.add_joint(name=f"j{i}", range=[-20, 30])
        body.add_site(name=f"s{i}")
    position = spec.add_actuator(name="p", trntype=M.mjtTrn.mjTRN_JOINT, target="j0", gear=[2, 0, 0, 0, 0, 0])
    position.set_to_position(kp=3, dampratio=1, inheritrange=True)
    spec.add_actuator(trntype=M.mjtTrn.mjTRN_SITE, target="s0", refsite="s1").set_to_velocity(kv=2)
    spec.add_actuator(trntype=M.mjtTrn.mjTRN_BODY, target="b1", ctrlrange=[0, 1]).set_to_adhesion(gain=3)
    spec.add_actuator(trntype=M.mjtTrn.mjTRN_JOINT, target="j1").set_to_cylinder(1, 2, 3)
    spec.add_actuator(trntype=M.mjtTrn.mjTRN_JOINT, target="j1", actrange=[-1, 1]).set_to_intvelocity(kp=2, kv=1)
    spec.add_actuator(trntype=M.mjtTrn.mjTRN_JOINT, target="j1", ctrlrange=[0, 1]).set_to_damper(kv=2)
    tendon = spec.add_tendon(name="t", stiffness=3, rgba=[0, 1, 0, 1])
    tendon.wrap_site("s0")
    tendon.wrap_geom("g1", "")
    tendon.wrap_site("s2")
    fixed = spec.add_tendon(name="fixed")
    fixed.wrap_joint("j0", 2)
    fixed.wrap_joint("j2", -1)
    body, site = M.mjtObj.mjOBJ_BODY, M.mjtObj.mjOBJ_SITE
    spec.add_equality(type=M.mjtEq.mjEQ_CONNECT, name1="b0", name2="b1", objtype=body, data=[0.1] * 3 + [0] * 7 + [1])
    spec.add_equality(type=M.mjtEq.mjEQ_WELD, name1="s0", name2="s1", objtype=site, data=[0, 1] + [0] * 8 + [2])
    spec.add_equality(type=M.mjtEq.mjEQ_JOINT, name1="j0", name2="j1", data=[0, 2] + [0] * 8 + [1], active=False)
    spec.add_pair(geomname1="g0", geomname2="g1", condim=4)
    spec.add_exclude(bodyname1="b0", bodyname2="b2")
    sensor = M.mjtSensor
    spec.add_sensor(name="gyro", type=sensor.mjSENS_GYRO, objtype=site, objname="s0", cutoff=3)
    spec.add_sensor(
        type=sensor.mjSENS_FRAMEPOS, objtype=body, objname="b0", reftype=site, refname="s1", noise=0.1, userdata=[1]
    )
    spec.add_sensor(type=sensor.mjSENS_CLOCK)
    spec.add_sensor(type=sensor.mjSENS_TENDONPOS, objtype=M.mjtObj.mjOBJ_TENDON, objname="t")
    spec.add_key(name="k", time=1.5, qpos=[0.1, 0.2, 0.3], ctrl=[0] * 6)
    spec.add_numeric(name="n", data=[1, 2, 3], size=5)
    spec.add_numeric(name="n3", data=[1, 2, 3])
    spec.add_text(name="x", data="words")
    spec.add_tuple(name="tuple", objtype=[body, site], objname=["b0", "s1"], objprm=[2, 3])
    return spec


@script
def assets(M):
    spec = M.MjSpec()
    corners = [-1, -1, -1, 1, -1, -1, -1, 1, -1, -1, -1, 1, 1, 1, 1]
    spec.add_mesh(name="m", uservert=corners, scale=[0.1, 0.2, 0.3])
    spec.worldbody.add_geom(type=M.mjtGeom.mjGEOM_MESH, meshname="m")
    spec.add_hfield(name="h", nrow=2, ncol=3, size=[1, 1, 1, 0.1], userdata=[0, 1, 2, 3, 4, 5])
    spec.worldbody.add_geom(type=M.mjtGeom.mjGEOM_HFIELD, hfieldname="h", pos=[0, 0, -1])
    builtin = M.mjtBuiltin.mjBUILTIN_CHECKER
    spec.add_texture(name="t", type=M.mjtTexture.mjTEXTURE_2D, builtin=builtin, width=8, height=8, rgb1=[1, 0, 0])
    material = spec.add_material(name="mat", texrepeat=[2, 3], emission=0.5)
    material.textures[M.mjtTextureRole.mjTEXROLE_RGB] = "t"
    layered = spec.add_material(name="layered")
    layered.textures = ["", "t", "", "t", "", "", "", "", "", ""]
    spec.worldbody.add_geom(size=[0.1, 0, 0], material="mat")
    return spec


@script
def settings(M):
    spec = M.MjSpec.from_string('<mujoco><option timestep="0.001"/><statistic meansize="0.05"/></mujoco>')
    assert spec.option.timestep == 0.001 and spec.stat.meansize == 0.05 and spec.visual.quality.shadowsize == 4096
    spec.option.gravity[2] = -1
    spec.option.integrator = M.mjtIntegrator.mjINT_RK4
    spec.option.disableflags |= M.mjtDisableBit.mjDSBL_CONTACT
    spec.stat.center = [1, 2, 3]
    spec.visual.quality.shadowsize = 8192
    spec.visual.headlight.active = 0
    spec.visual.rgba.camera = [1, 1, 1, 1]
    spec.visual.global_.fovy = 50
    spec.compiler.degree = False
    spec.compiler.boundmass = 0.1
    spec.compiler.inertiagrouprange = [0, 2]
    spec.memory = 1 << 20
    spec.nuserdata, spec.nuser_geom, spec.nkey = 3, 4, 2
    body = spec.worldbody.add_body()
    body.add_joint(range=[-1, 2])
    body.add_geom(size=[0.1, 0, 0], group=1)
    body.add_geom(size=[0.2, 0, 0], group=3)
    return spec


@script
def attach_a_body(M):
    parent, child = M.MjSpec.from_string(PARENT), M.MjSpec.from_string(CHILD)
    body = child.body("cb")
    assert parent.frame("pf").attach_body(body, prefix="x-", suffix="_y") is body
    assert body.name == "x-cb_y" and parent.body("x-cb_y") is body and body.parent == parent.worldbody
    body.pos = [3, 2, 1]
    child.geom("x-cg_y").size[0] = 0.4
    return parent


@script
def attach_a_model_at_a_frame(M):
    parent, child = M.MjSpec.from_string(PARENT), M.MjSpec.from_string(CHILD)
    other = child.body("other")
    frame = parent.attach(child, prefix="x-", frame="pf")
    assert child.parent is parent and parent.find_default("x-c").name == "x-c"
    frame.pos = [0, 0, 0.5]
    other.pos = [-1, -1, -1]
    return parent


@script
def attach_a_model_at_a_site(M):
    parent, child = M.MjSpec.from_string(PARENT), M.MjSpec.from_string(CHILD)
    parent.attach(child, suffix="-x", site=parent.site("ps"))
    parent.add_actuator(trntype=M.mjtTrn.mjTRN_JOINT, target="oj-x")
    return parent


@script
def attach_a_frame(M):
    parent, child = M.MjSpec.from_string(PARENT), M.MjSpec.from_string(CHILD)
    frame = parent.body("pb").attach_frame(child.frame("fr"), prefix="x-")
    frame.pos[1] = 0.3
    return parent


@script
def attach_copies(M):
    parent = M.MjSpec.from_string(PARENT)
    for i in range(3):
        child = M.MjSpec.from_string(CHILD)
        frame = parent.worldbody.add_frame(pos=[i, 0, 0])
        parent.attach(child, prefix=f"{i}/", frame=frame)
    return parent


@script
def delete_a_body(M):
    spec = M.MjSpec.from_string(CHILD)
    spec.delete(spec.body("cb"))
    assert [actuator.name for actuator in spec.actuators] == ["oa"]
    return spec


@script
def delete_elements(M):
    spec = M.MjSpec.from_string(CHILD)
    spec.delete(spec.actuator("ca"))
    spec.delete(spec.sensor("sp"))
    spec.delete(spec.geom("wg"))
    spec.delete(spec.lights[0])
    return spec


@script
def a_body_becomes_a_frame(M):
    spec = M.MjSpec.from_string(CHILD)
    spec.delete(spec.key("k"))
    spec.delete(spec.actuator("ca"))
    spec.delete(spec.sensor("sp"))
    spec.delete(spec.joint("cj"))
    # the official package forgets frames inside the body, and orientations other than quat
    spec.delete(spec.frame("fr")) if M is conjoint else spec.delete(spec.geom("cg"))
    body = spec.body("cb")
    body.alt.type = M.mjtOrientation.mjORIENTATION_QUAT
    body.quat = [1, 1, 0, 0]
    body.to_frame()
    return spec


@script
def a_copy(M):
    spec = M.MjSpec.from_string(CHILD)
    copy = spec.copy()
    spec.geom("cg").size[0] = 9
    copy.geom("cg").size[0] = 0.3
    copy.default.geom.size = [1, 1, 1]
    copy.worldbody.add_geom()
    return copy


@script
def edited(M):
    spec = M.MjSpec.from_string(CHILD)
    for geom in spec.geoms:
        geom.rgba[:3] = [0.1, 0.2, 0.3]
    for body in spec.worldbody.find_all("body"):
        body.pos[2] += 1
    spec.joint("cj").range = [-10, 10]
    spec.actuator("ca").gear[0] = 5
    spec.key("k").qpos = [0.5, 0.6]
    spec.key("k").qpos[1] = 0.7
    spec.sensor("clk").name = "time"
    spec.camera("none")
    return spec


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_same_program_makes_the_same_model(name):
    official, own = SCRIPTS[name](mujoco).compile(), SCRIPTS[name](conjoint).compile()
    assert differences(own._buffer, official) == {}
    assert own.names == official.names


@pytest.mark.parametrize("name", SCRIPTS)
def test_saved_and_read_again_it_is_the_same(name):
    spec = SCRIPTS[name](conjoint)
    before = spec.compile()
    text = spec.to_xml()
    assert differences(conjoint.MjSpec.from_string(text).compile()._buffer, before) == {}
    assert differences(before._buffer, mujoco.MjModel.from_xml_string(text)) == {}


def test_lists_and_names():
    spec = conjoint.MjSpec.from_string(CHILD)
    assert [body.name for body in spec.bodies] == ["world", "cb", "cc", "other"]
    assert [geom.name for geom in spec.geoms] == ["wg", "cg", "", "", ""]
    assert spec.geoms == spec.worldbody.geoms + spec.worldbody.find_all("geom")[1:]
    assert spec.body("cb") is spec.bodies[1] is spec.worldbody.find_child("cb")
    assert spec.geom("none") is None and spec.find_default("none") is None
    assert spec.body("cc").parent == spec.body("cb") and spec.geom("cg").frame == spec.frame("fr")
    assert spec.worldbody.find_all(conjoint.mjtObj.mjOBJ_SITE) == [spec.site("cs")]
    with pytest.raises(ValueError, match=r"body.find_all supports the types: body"):
        spec.worldbody.find_all("actuator")
    body = spec.worldbody.first_body()
    assert spec.worldbody.next_body(body).name == "other"
    assert spec.worldbody.next_body(spec.body("other")) is None and body.first_camera() is None


def test_classes_of_what_was_read():
    spec = conjoint.MjSpec.from_string(CHILD)
    assert [geom.classname.name for geom in spec.geoms] == ["main", "main", "c", "main", "main"]
    copy = spec.copy()
    parent = conjoint.MjSpec.from_string(PARENT)
    parent.attach(copy, prefix="x-", frame="pf")
    assert parent.geom("x-cg").classname.name == "main" and parent.geoms[-2].classname.name == "main"
    assert parent.body("x-cb").geoms[1].classname.name == "x-c"
    assert spec.geoms[2].classname.geom.rgba.tolist() == [0, 1, 0, 1]


def test_a_long_chain():
    spec = conjoint.MjSpec()
    body = spec.worldbody
    for i in range(400):
        body = body.add_body(name=str(i), pos=[0.1, 0, 0])
        body.add_geom(size=[0.1, 0, 0])
    assert spec.copy().compile().nbody == 401
    other = conjoint.MjSpec()
    other.attach(spec, prefix="x", frame=other.worldbody.add_frame())
    assert other.compile().nbody == 401
    assert conjoint.MjSpec.from_string(other.to_xml()).compile().nbody == 401


def test_names_follow_what_is_changed():
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_body(name="a")
    assert spec.body("a") is body
    body.name = "b"
    assert spec.body("a") is None and spec.body("b") is body
    other = spec.worldbody.add_body(name="a")
    assert spec.body("a") is other
    spec.delete(other)
    assert spec.body("a") is None
    unnamed = spec.add_mesh(file="folder/cube.obj")
    assert spec.mesh("cube") is unnamed


def test_names_are_given_once():
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        spec.add_material().name = "yellow"
        with pytest.raises(ValueError, match="Error: repeated name 'yellow' in material"):
            spec.add_material(name="red").name = "yellow"
        # a keyword is not checked before the model is compiled
        spec.worldbody.add_geom(name="yellow", size=[1, 1, 1])
        spec.worldbody.add_geom(name="yellow", size=[1, 1, 1])
        with pytest.raises(ValueError, match="yellow"):
            spec.compile()
    other = spec.material("red")
    assert other.name == "red"
    spec.material("yellow").name = "blue"
    other.name = "yellow"
    spec.delete(spec.material("blue"))
    other.name = "blue"
    assert spec.material("blue") is other and spec.material("yellow") is None


def test_names_after_attaching_and_deleting():
    parent, child = conjoint.MjSpec.from_string(PARENT), conjoint.MjSpec.from_string(CHILD)
    assert parent.geom("x-cg") is None
    held = child.geom("cg")
    parent.attach(child, prefix="x-", frame="pf")
    assert parent.geom("x-cg") is held and parent.actuator("x-ca").name == "x-ca" and parent.frame("x-fr") is held.frame
    held.name = "q"
    assert parent.geom("q") is held and parent.geom("x-cg") is None and held.parent is parent.body("x-cb")
    parent.delete(parent.body("x-cb"))
    assert parent.geom("q") is None and parent.body("x-cc") is None and parent.actuator("x-ca") is None


def test_childclass_is_taken_when_a_body_is_made():
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        soft = spec.add_default("soft", spec.default)
        soft.geom.size = [7, 7, 7]
        body = spec.worldbody.add_body()
        before = body.add_body()
        body.childclass = "soft"
        after = body.add_body()
        assert (before.childclass, after.childclass) == ("main", "soft")
        assert [one.add_geom().size[0] for one in (before, body, after)] == [0, 7, 7]
        other = M.MjSpec()
        other.attach(spec, prefix="x-", frame=other.worldbody.add_frame())
        assert [one.childclass for one in other.bodies] == ["main", "x-soft", "main", "x-soft"]


def test_assets_of_the_same_name():
    for M in (mujoco, conjoint):
        for override in (True, False):
            parent, child = M.MjSpec(), M.MjSpec()
            parent.assets, child.assets = {"a": b"1"}, {"a": b"2", "b": b"3"}
            parent.override_assets = override
            frame = parent.worldbody.add_frame()
            if override:
                parent.attach(child, frame=frame)
                assert parent.assets == {"a": b"2", "b": b"3"}
            else:
                with pytest.raises(ValueError, match="Asset a already exists in parent spec"):
                    parent.attach(child, frame=frame)


def test_the_text_is_the_official_one():
    texts = []
    for M in (mujoco, conjoint):
        spec = delete_a_body(M)
        spec.add_default("d", spec.default).geom.size = [2, 0, 0]
        spec.worldbody.add_site(name="s", userdata=[1, 2])
        spec.compile()
        texts.append(spec.to_xml())
    assert texts[0] == texts[1] and "\n\n  <worldbody>" in texts[0]


def test_lists_can_be_changed_in_place():
    spec = conjoint.MjSpec()
    geom = spec.worldbody.add_geom(size=[1, 2, 3])
    size = geom.size
    geom.size = [4, 5, 6]
    assert size.tolist() == [4, 5, 6] and geom.size is size
    size *= 2
    assert spec.copy().geoms[0].size.tolist() == [8, 10, 12]
    geom.userdata = [1, 2]
    geom.userdata[0] = 7
    assert np.isnan(geom.mass) and np.isnan(geom.fromto[0])
    assert spec.compile().geom_user.tolist() == [[7, 2]]


def test_ids_are_those_of_the_compiled_model():
    spec = conjoint.MjSpec.from_string(CHILD)
    assert spec.body("cc").id == -1 and spec.worldbody.id == 0 and spec.actuator("oa").id == 1
    model = spec.compile()
    assert spec.body("cc").id == model.body("cc").id and spec.geom("cg").id == model.geom("cg").id


def test_files_included_and_assets(tmp_path):
    included = b'<mujoco><worldbody><body name="b"><geom type="box" size="1 1 1"/></body></worldbody></mujoco>'
    text = '<mujoco><include file="part.xml"/></mujoco>'
    spec = conjoint.MjSpec.from_string(text, include={"part.xml": included})
    assert spec.body("b").first_geom().type == conjoint.mjtGeom.mjGEOM_BOX
    cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"
    spec.assets = {"cube.obj": cube}
    spec.add_mesh(name="cube", file="cube.obj")
    spec.worldbody.add_geom(type=conjoint.mjtGeom.mjGEOM_MESH, meshname="cube")
    model = spec.compile()
    assert model.nmeshvert == 4 and spec.assets["cube.obj"] is cube
    spec.to_zip(tmp_path / "model.zip")
    assert differences(conjoint.MjSpec.from_zip(tmp_path / "model.zip").compile()._buffer, model) == {}
    spec.to_file(tmp_path / "model.xml")
    assert (tmp_path / "model.xml").read_text() == spec.to_xml()
    (tmp_path / "cube.obj").write_text(cube)
    assert conjoint.MjSpec.from_file(tmp_path / "model.xml").compile().nmesh == 1


def test_recompiling_keeps_the_state():
    states = []
    for M in (mujoco, conjoint):
        spec = M.MjSpec.from_string(CHILD)
        spec.worldbody.add_body(name="mocap", mocap=True)
        model = spec.compile()
        data = M.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:], data.time = [0.1, 0.2], [1, 2], [0.5, 0.6], 3
        data.mocap_pos[:] = 1
        spec.delete(spec.body("cb"))
        body = spec.worldbody.add_body(name="n")
        body.add_geom(size=[0.1, 0, 0])
        body.add_joint(ref=30)
        model, data = spec.recompile(model, data)
        states.append(np.concatenate([data.qpos, data.qvel, [data.time], data.mocap_pos[0]]))
    np.testing.assert_allclose(states[1], states[0])
    # the official package takes the control of the actuator that was deleted
    assert data.ctrl.tolist() == [0.6]


WRONG = [
    (lambda s, b: b.add_geom(siz=[1]), TypeError, "Invalid siz keyword argument. Did you mean 'size'"),
    (lambda s, b: b.add_geom(size=[1, 2]), ValueError, "size should be a list/array of size 3"),
    (lambda s, b: b.add_geom(size="a"), ValueError, "size should be a list/array"),
    (lambda s, b: b.add_geom(type="box"), ValueError, "type is the wrong type."),
    (lambda s, b: b.add_geom(name=3), ValueError, "name should be a string"),
    (lambda s, b: b.add_geom(mass="x"), ValueError, "mass should be a number"),
    (lambda s, b: b.add_geom(contype=1.5), ValueError, "contype should be a whole number"),
    (lambda s, b: b.add_geom(euler=[0, 0, 1], zaxis=[0, 0, 1]), ValueError, "Only one of: axisangle"),
    (lambda s, b: b.add_freejoint(axis=[0, 0, 1]), TypeError, "Valid options are: align, group, name"),
    (lambda s, b: b.add_geom("cls"), TypeError, "should be an MjsDefault"),
    (lambda s, b: setattr(b, "pso", [0, 0, 0]), AttributeError, "no attribute 'pso'; did you mean 'pos'"),
    (lambda s, b: setattr(b, "pos", [0, 0]), TypeError, "pos should be a list/array of size 3"),
    (lambda s, b: setattr(b, "parent", b), AttributeError, "parent"),
    (lambda s, b: b.psition, AttributeError, "no attribute 'psition'"),
    (lambda s, b: setattr(s, "modelnme", "x"), AttributeError, "did you mean 'modelname'"),
    (lambda s, b: s.delete(s.worldbody), ValueError, "the world cannot be deleted"),
    (lambda s, b: s.delete(conjoint.MjSpec().add_key()), ValueError, "is not an element of this model"),
    (lambda s, b: s.attach(conjoint.MjSpec(), prefix="x"), ValueError, "One of frame or site must be specified"),
    (lambda s, b: s.attach(conjoint.MjSpec(), frame="x"), ValueError, "Frame not found"),
    (lambda s, b: s.add_actuator(name="a") and s.compile(), ValueError, "trntype"),
    (lambda s, b: b.add_geom(info="made here") and s.compile(), ValueError, "made here: <geom>: size 0"),
    (lambda s, b: conjoint.MjSpec.from_string("<mujoco><foo/></mujoco>"), ValueError, "<foo> is not allowed"),
    (lambda s, b: conjoint.MjSpec.from_file("/nowhere.xml"), ValueError, "nowhere.xml"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_say_what_is_wrong(number):
    program, kind, message = WRONG[number]
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_body(name="b")
    with pytest.raises(kind, match=message.replace("(", r"\(")):
        program(spec, body)


def test_an_attached_model_is_compiled_with_the_other():
    parent, child = conjoint.MjSpec.from_string(PARENT), conjoint.MjSpec.from_string(CHILD)
    parent.attach(child, prefix="x-", frame="pf")
    with pytest.raises(ValueError, match="compile the other one"):
        child.compile()
    copies = conjoint.MjSpec.from_string(PARENT)
    copies.copy_during_attach = True
    child = conjoint.MjSpec.from_string(CHILD)
    copies.attach(child, prefix="x-", frame="pf")
    assert child.body("cb") is not None and child.compile().nbody == 4


def test_elements_are_bound_to_models_and_data():
    spec = conjoint.MjSpec.from_string(CHILD)
    joints = [spec.joint("cj"), spec.joint("oj")]
    model = spec.compile()
    data = conjoint.MjData(model)
    data.qpos[:] = [1, 2]
    assert data.bind(joints[1]).qpos == [2] and data.bind(joints).qpos.tolist() == [1, 2]
    assert model.bind(joints).qposadr.tolist() == [0, 1] and model.bind([]).qposadr.tolist() == []
    data.bind(joints).qpos = [3, 4]
    model.bind(spec.geom("wg")).size[0] = 5
    assert data.qpos.tolist() == [3, 4] and model.geom("wg").size[0] == 5
    with pytest.raises(AttributeError):
        print(model.bind(joints).invalid)
    other = conjoint.MjSpec()
    other.worldbody.add_body(name="cb")
    with pytest.raises(ValueError, match="does not match"):
        model.bind(other.body("cb"))
    with pytest.raises(TypeError):
        model.bind([joints[0], spec.geom("wg")])


CONTACT_SENSORS = [
    {"intprm": [1, 0, 0]},
    {"intprm": [0, 0, 1]},
    {"intprm": [1 << 10, 0, 1]},
    {"intprm": [1, 4, 1]},
    {"intprm": [1, 0, 1], "objtype": "CAMERA", "objname": "cam"},
    {"intprm": [1, 0, 1], "reftype": "SITE", "refname": "site"},
    {"intprm": [1, 0, 1], "objtype": "XBODY", "objname": "inner"},
    {"intprm": [3, 1, 2], "objtype": "XBODY", "objname": "outer", "reftype": "GEOM", "refname": "geom"},
]


@pytest.mark.parametrize("number", range(len(CONTACT_SENSORS)))
def test_contact_sensors(number):
    results = []
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        spec.worldbody.add_geom(name="geom", size=[0.2, 0, 0])
        spec.worldbody.add_camera(name="cam")
        spec.worldbody.add_site(name="site")
        spec.worldbody.add_body(name="outer").add_body(name="inner").add_geom(size=[0.3, 0, 0])
        options = dict(CONTACT_SENSORS[number])
        for name in ("objtype", "reftype"):
            if name in options:
                options[name] = getattr(M.mjtObj, "mjOBJ_" + options[name])
        spec.add_sensor(type=M.mjtSensor.mjSENS_CONTACT, **options)
        try:
            results.append(spec.compile().sensor_dim.tolist())
        except ValueError:
            results.append(None)
    assert results[0] == results[1]


def test_pixels_of_a_texture():
    data = []
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        texture = spec.add_texture(name="t", height=2, width=3, nchannel=4, type=M.mjtTexture.mjTEXTURE_2D)
        texture.data = bytes(range(24))
        data.append(spec.compile().tex_data.tolist())
        texture.data = bytes(3)
        with pytest.raises(ValueError):
            spec.compile()
    assert data[0] == data[1]


def test_programs_grow_with_their_size():
    def build(count: int) -> tuple[Any, float]:
        start = time.process_time()
        spec = conjoint.MjSpec()
        parent = spec.worldbody
        for i in range(count):
            parent = (parent if i % 10 else spec.worldbody).add_body(name=f"b{i}", pos=[0.1 * i, 0, 1])
            parent.add_geom(name=f"g{i}", type=conjoint.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
            parent.add_joint(name=f"j{i}", axis=[0, 1, 0], range=[-90, 90])
            spec.add_actuator(name=f"a{i}", target=f"j{i}", trntype=conjoint.mjtTrn.mjTRN_JOINT)
            assert spec.joint(f"j{i}").range[1] == 90
        return spec, time.process_time() - start

    few, many = (min(build(count)[1] for _ in range(3)) for count in (250, 2000))
    assert many < 3 * 8 * few


def test_attaching_does_not_slow_down():
    def build(count: int) -> float:
        spec = conjoint.MjSpec()
        children = [conjoint.MjSpec.from_string(CHILD) for _ in range(count)]
        start = time.process_time()
        for i, child in enumerate(children):
            spec.attach(child, prefix=f"{i}/", frame=spec.worldbody.add_frame(pos=[i, 0, 0]))
            spec.body(f"{i}/cb").pos[2] = 1
        for i in range(count):
            spec.delete(spec.geom(f"{i}/cg"))
        return time.process_time() - start

    few, many = (min(build(count) for _ in range(2)) for count in (25, 200))
    assert many < 3 * 8 * few


SHAPES = [
    ("make_cone", (5, 0)),
    ("make_cone", (6, 0.5)),
    ("make_hemisphere", (1,)),
    ("make_hemisphere", (4,)),
    ("make_sphere", (0,)),
    ("make_sphere", (2,)),
    ("make_supertorus", (10, 0.5, 1, 1)),
    ("make_supertorus", (7, 0.3, 0.5, 2)),
    ("make_supersphere", (12, 2, 1)),
    ("make_supersphere", (5, 0.7, 1.5)),
    ("make_plate", ([3, 4],)),
    ("make_wedge", ([3, 4], [90, 45], 0)),
    ("make_wedge", ([7, 5], [60, 40], 0.6)),
]


@pytest.mark.parametrize(("method", "arguments"), SHAPES)
def test_shapes_of_meshes(method, arguments):
    found = []
    for M in (mujoco, conjoint):
        mesh = M.MjSpec().add_mesh(name="m")
        getattr(mesh, method)(*arguments)
        found.append((np.array(mesh.uservert), np.array(mesh.userface), np.array(mesh.usernormal)))
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-6)
    np.testing.assert_array_equal(found[1][1], found[0][1])
    np.testing.assert_allclose(found[1][2], found[0][2], atol=1e-6)


def test_reading_changes_nothing(model_path):
    model = conjoint.MjModel.from_xml_path(model_path)
    spec = conjoint.MjSpec.from_file(model_path)
    lists = "bodies geoms joints sites cameras lights frames actuators sensors tendons materials textures meshes"
    for name in lists.split():
        for handle in getattr(spec, name):
            for attribute in dir(type(handle)):
                if attribute[0] != "_" and isinstance(getattr(type(handle), attribute), property):
                    getattr(handle, attribute)
    assert differences(spec.compile()._buffer, model) == {}
    assert differences(spec.copy().compile()._buffer, model) == {}
