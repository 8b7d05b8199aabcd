"""Programs that build models; each is a function of the package to use, Conjoint or MuJoCo."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import conjoint
from compiled import differences

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
    """Register a program that builds a model, as a function of the package to use, and return it."""
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
    # the official package loses frames inside the body, and orientations other than quat
    spec.delete(spec.geom("cg"))
    if M is conjoint:
        spec.delete(spec.frame("fr"))
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


CLASSED = """<mujoco><default><geom rgba="1 0 0 1"/>
  <default class="c"><geom rgba="0 1 0 1"/><joint damping="2"/><default class="d"><geom group="3"/></default></default>
</default>
<worldbody>
  <frame name="f" pos="1 0 0" childclass="c"><geom name="fg" size=".1"/>
    <frame name="g" euler="0 0 30"><body name="a"><joint name="aj"/><geom name="ag" size=".2"/></body>
      <site name="gs" pos="0 1 0"/></frame>
  </frame>
  <body name="b" childclass="d"><joint name="bj"/><geom name="bg" size=".1"/>
    <frame name="h"><body name="bb"><geom name="bbg" size=".1"/></body></frame></body>
</worldbody>
<custom><numeric name="n" data="1 2 3"/><numeric name="n5" size="5" data="1"/></custom></mujoco>"""
"""XML of a model with default classes."""


def both(program: Any) -> None:
    """Check that a program returns the same results with both packages."""
    official, own = program(mujoco), program(conjoint)
    assert own == official


def same_model(program: Any) -> None:
    """Check that a program builds the same model with both packages."""
    assert differences(program(conjoint).compile().memory, program(mujoco).compile()) == {}
