"""Compiled models equal MuJoCo's in every public number, feature by feature."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from compiled import check, refused
from conjoint.schema.mjcf.sensor import SENSOR_TYPES

BOX = '<geom type="box" size=".1 .2 .3"/>'
JOINTS = {
    "x": '<joint type="slide" axis="1 0 0"/>',
    "y": '<joint type="slide" axis="0 1 0"/>',
    "diagonal slide": '<joint type="slide" axis="1 1 0"/>',
    "heavy slide": '<joint type="slide" armature=".7"/>',
    "hinge": "<joint/>",
    "tilted hinge": '<joint axis="0 1 1"/>',
    "hinge apart": '<joint pos=".1 0 0" ref="20" springref="30" range="-30 50"/>',
    "ball": '<joint type="ball" range="0 40"/>',
    "ball apart": '<joint type="ball" pos="0 .1 0" armature=".2"/>',
    "free": "<freejoint/>",
    "heavy free": '<joint type="free" armature=".3" damping="2" limited="true"/>',
}


@pytest.mark.parametrize("joint", JOINTS)
def test_joints(joint):
    one = JOINTS[joint]
    check(f"<worldbody><body>{one}{BOX}</body></worldbody>")
    check(f'<worldbody><body pos="1 2 3" euler="10 20 30">{one}<geom size=".1" pos=".3 0 0"/></body></worldbody>')
    check(f"<worldbody><body>{one}{BOX}<body pos='1 0 0'><joint/>{BOX}</body></body></worldbody>")
    check(f"<worldbody><body>{one}{BOX}<body pos='1 0 0'>{BOX}</body></body></worldbody>")
    if "free" not in joint:
        check(f"<worldbody><body pos='0 0 1'>{BOX}<body>{one}{BOX}</body></body></worldbody>")
        check(f"<worldbody><body>{one}{JOINTS['y']}{BOX}</body></worldbody>")
        check(f"<worldbody><body mocap='true'><body>{JOINTS['x']}{one}{BOX}</body></body></worldbody>")


@pytest.mark.parametrize("joints", ["ball ball", "ball hinge", "free hinge", "free free", "x y x y x y x"])
def test_joints_that_do_not_go_together(joints):
    refused(f"<worldbody><body>{''.join(JOINTS[name] for name in joints.split())}{BOX}</body></worldbody>")


GEOMS = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".1 .2"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "cylinder": 'type="cylinder" size=".1 .2"',
    "box": 'type="box" size=".1 .2 .3"',
    "capsule between points": 'type="capsule" size=".1" fromto="0 .1 .2 .5 .3 -.2"',
    "cylinder between points": 'type="cylinder" size=".1 9 8" fromto="0 0 0 0 0 -1"',
    "ellipsoid between points": 'type="ellipsoid" size=".1" fromto="0 0 0 1 0 0"',
    "box between points": 'type="box" size=".1" fromto="0 0 1 1 1 0"',
    "axisangle": 'type="box" size=".1 .2 .3" pos="1 2 3" axisangle="1 2 3 40"',
    "euler": 'type="box" size=".1 .2 .3" euler="10 20 30"',
    "xyaxes": 'type="box" size=".1 .2 .3" xyaxes="1 2 0 0 1 1"',
    "zaxis": 'type="box" size=".1 .2 .3" zaxis="1 2 -3"',
    "zaxis down": 'type="box" size=".1 .2 .3" zaxis="0 0 -1"',
    "quat": 'type="box" size=".1 .2 .3" quat="1 2 3 4"',
    "mass": 'type="box" size=".1 .2 .3" mass="3"',
    "no mass": 'size=".1" mass="0" pos="1 0 0"',
    "density": 'size=".1" density="7"',
    "contact": 'size=".1" contype="2" conaffinity="5" condim="6" priority="2" friction=".3 .2" solmix="3"',
    "solver": 'size=".1" solref=".1" solimp=".2 .3 .4" margin=".5" gap=".2"',
    "looks": 'size=".1" group="3" rgba="1 .5 .2 .7" user="1 2 3" name="ball"',
    "fluid": 'type="ellipsoid" size=".1 .2 .3" fluidshape="ellipsoid" fluidcoef=".1 .2 .3 .4 .5"',
    "fluid capsule": 'type="capsule" size=".1 .2" fluidshape="ellipsoid"',
}


@pytest.mark.parametrize("geom", GEOMS)
def test_geoms(geom):
    check(f"<worldbody><geom {GEOMS[geom]}/></worldbody>")
    check(f"<worldbody><body><geom {GEOMS[geom]}/></body></worldbody>")
    check(f"<worldbody><body><freejoint/><geom {GEOMS[geom]}/>{BOX}<geom size='.3' pos='0 .4 0'/></body></worldbody>")


def test_the_last_bit_of_fromto():
    """Quaternions from `fromto` are bit-identical to MuJoCo's.

    If two capsules touch end to end, the rounding of the quaternions determines the direction in which the capsules separate.
    """
    ends = np.random.default_rng(0).choice([-0.4, -0.2, 0.0, 0.2, 0.4, 0.13], (200, 6))
    ends = ends[np.abs(ends[:, :3] - ends[:, 3:]).max(axis=1) > 0]
    geoms = "".join(f'<geom type="capsule" size=".05" fromto="{" ".join(map(str, row))}"/>' for row in ends)
    text = f"<mujoco><worldbody>{geoms}</worldbody></mujoco>"
    ours, official = conjoint.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    np.testing.assert_array_equal(ours.geom_quat, official.geom_quat)


@pytest.mark.parametrize("size", ["0 0 .1", "2 0 .1", "1 3 .1"])
def test_planes(size):
    check(f'<worldbody><geom type="plane" size="{size}" pos="1 2 3" zaxis="1 0 1"/></worldbody>')


def test_fluid_coefficients():
    """Fluid coefficients agree even for large and thin shapes, for which the accuracy of the quadrature matters."""
    shapes = ('type="ellipsoid" size=".3 .2 .005"', 'type="ellipsoid" size="30 20 40"', 'type="box" size="1 2 .01"')
    geoms = "".join(f'<geom {shape} fluidshape="ellipsoid"/>' for shape in shapes)
    xml = f"<mujoco><worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>"
    ours, theirs = (package.MjModel.from_xml_string(xml).geom_fluid for package in (conjoint, mujoco))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


SETTINGS = {
    "nothing": "",
    "angle": '<compiler angle="radian"/>',
    "eulerseq": '<compiler eulerseq="ZyX"/>',
    "autolimits": '<compiler autolimits="false"/>',
    "bounds": '<compiler boundmass="3" boundinertia=".2"/>',
    "balance": '<compiler balanceinertia="true"/>',
    "total mass": '<compiler settotalmass="5"/>',
    "from geoms": '<compiler inertiafromgeom="true"/>',
    "groups": '<compiler inertiagrouprange="1 2"/>',
    "aligned": '<compiler alignfree="true"/>',
    "local": '<compiler coordinate="local" fitaabb="true"/>',
    "option": '<option timestep=".01" gravity="0 0 -1" integrator="RK4" cone="elliptic" jacobian="sparse" solver="PGS"/>',
    "overrides": '<option o_margin="1" o_solref="2" o_solimp=".1 .2" o_friction="3 4" actuatorgroupdisable="0 3 30"/>',
    "flags": '<option><flag contact="disable" energy="enable" nativeccd="disable" island="enable"/></option>',
    "legacy sizes": '<size njmax="100" nconmax="50" nstack="1000"/>',
    "sizes": '<size nuserdata="4" nkey="3" nuser_body="2" nuser_jnt="3" nuser_geom="4" nuser_cam="1" memory="2M"/>',
    "statistic": '<statistic meaninertia="1" meanmass="2" meansize="3" extent="4" center="1 2 3"/>',
    "visual": (
        '<visual><global fovy="30" offwidth="99"/><quality shadowsize="7"/><headlight active="0" ambient="1 1 1"/>'
        '<map znear=".02" zfar="9"/><scale com="2"/><rgba fog="1 0 1 .5"/></visual>'
    ),
    "two options": '<option timestep=".01"/><option gravity="0 0 1"/>',
}
TREE = """
<worldbody>
  <geom name="floor" type="plane" size="1 1 .1"/>
  <light mode="targetbodycom" target="arm" dir="1 0 -1" castshadow="false"/>
  <camera name="eye" mode="track" pos="1 2 3" xyaxes="0 -1 0 1 0 2"/>
  <body name="hand" mocap="true" pos="0 0 1" euler="0 0 .5"/>
  <body name="torso" pos="0 0 1" euler=".1 .2 .3" gravcomp=".5" user="1 2">
    <freejoint name="root"/>
    <geom name="chest" type="box" size=".1 .2 .3" group="1" user="1"/>
    <site name="tip" pos="0 1 0" size=".01 .02" type="capsule" user="3"/>
    <frame pos="0 0 .5" euler=".3 0 0">
      <camera fovy="60" resolution="20 30"/>
      <light pos="0 0 1" type="directional"/>
      <frame axisangle="0 1 0 .4">
        <body name="arm" pos=".5 0 0">
          <inertial pos=".1 .2 .3" mass="1" diaginertia="1 2 2.5" euler=".1 0 0"/>
          <joint name="elbow" axis="1 2 3" limited="true" range="-.5 .9" ref=".1" springref=".2" stiffness="3" damping="2"
                 frictionloss="1" armature=".3" margin=".01" solreflimit=".1" solimpfriction=".5" user="3 4"
                 actuatorfrclimited="true" actuatorfrcrange="-2 3" actuatorgravcomp="true"/>
          <geom name="link" type="capsule" size=".1" fromto="0 0 0 .5 .5 0" group="2"/>
          <body pos="0 .3 0"><joint name="wrist" type="ball" springdamper=".2 1.5"/><geom size=".1" group="1"/></body>
        </body>
      </frame>
    </frame>
  </body>
</worldbody>
"""


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting):
    check(SETTINGS[setting] + TREE)


INERTIALS = {
    "diagonal": '<inertial pos="1 2 3" mass="2" diaginertia="1 2 2.5" quat="1 2 3 4"/>',
    "full": '<inertial pos="1 2 3" mass="2" fullinertia="1 2 2.5 .1 .2 .3"/>',
    "equal moments": '<inertial pos="0 0 0" mass="2" fullinertia="2 2 3 0 0 0"/>',
    "beside geoms": '<inertial pos="1 2 3" mass="2" diaginertia="1 1 1"/><geom size=".1"/>',
    "in a frame": '<frame pos="1 0 0"><inertial pos="1 2 3" mass="2" diaginertia="1 1 1"/></frame>',
    "of a child": '<body pos="1 2 3"><body euler="1 2 3"><geom size=".1" pos="1 1 1"/></body></body>',
    "nothing in frames": '<geom size=".1"/><frame pos="1 0 0" euler="1 2 3"><body pos="1 2 3" euler="3 2 1"/></frame>',
    "aligned": '<frame pos="1 0 0"><geom type="box" size=".1 .2 .3" euler="1 2 3"/></frame>',
}


@pytest.mark.parametrize("inertial", INERTIALS)
@pytest.mark.parametrize("joint", ["<joint/>", '<freejoint align="true"/>'])
def test_inertials(inertial, joint):
    check(f'<worldbody><body pos="3 2 1" quat="1 1 0 0">{joint}{INERTIALS[inertial]}</body></worldbody>')


@pytest.mark.parametrize(
    "inertial",
    [
        "",
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>',
        '<inertial pos="0 0 0" mass="1" fullinertia="1 2 -3 0 0 0"/>',
        '<inertial pos="0 0 0" mass="1" fullinertia="1 2 2 0 0 0" quat="0 1 0 0"/>',
        '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>',
        '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>',
        '<geom size=".1" mass="0"/><geom size=".1" mass="0"/>',
        '<geom size=".1" mass="-1"/>',
    ],
)
def test_bodies_that_cannot_move(inertial):
    refused(f"<worldbody><body><joint/>{inertial}</body></worldbody>")


CLASSES = """
<default>
  <geom friction=".5" rgba="1 0 0 1" user="1 2"/> <joint damping="1" range="0 1"/> <motor gear="3" ctrlrange="0 1"/>
  <position kp="4" kv="2"/> <light directional="true"/> <camera user="5" fovy="33"/> <site size=".3" euler="0 0 .4"/>
  <tendon springlength=".3" width=".1"/> <pair condim="4" friction=".7"/>
  <default class="a"> <geom size=".2" friction=".1 .2"/> <joint type="slide"/>
    <default class="b"> <geom type="box" size=".1 .2 .3" quat="0 1 0 0"/> <general gear="7"/> </default>
  </default>
</default>
<worldbody>
  <light/> <camera/> <camera user="1 2"/> <site/> <site quat="0 1 0 0"/> <geom name="one" size="1"/>
  <body childclass="a"> <joint name="hip"/> <geom name="two"/> <geom class="b" euler="0 0 .1"/> <geom class="main" size="2"/>
    <frame childclass="b"> <geom name="three" friction=".9"/> <body> <joint/> <geom/> </body> </frame>
    <body childclass="main"> <freejoint/> </body>
  </body>
</worldbody>
<contact> <pair geom1="three" geom2="one"/> </contact>
<tendon> <fixed name="line"> <joint joint="hip" coef="2"/> </fixed> </tendon>
<actuator>
  <motor joint="hip"/> <position joint="hip"/> <position joint="hip" class="b" kp="1"/> <velocity tendon="line"/>
  <general joint="hip" class="b"/> <intvelocity joint="hip" actrange="0 1"/>
</actuator>
"""


def test_defaults_classes():
    check(CLASSES.replace('<body childclass="main"> <freejoint/> </body>', ""))


ACTUATORS = [
    *(f'<{tag} {target} gear="2 3 4 5 6 7"/>'
      for tag in ("general", "motor", "position", "velocity", "cylinder")
      for target in ('joint="elbow"', 'joint="wrist"', 'joint="root"', 'jointinparent="root"', 'tendon="line"')),
    '<motor joint="elbow" ctrlrange="-1 2" forcerange="-3 4" group="2" user="5 6" name="motor" lengthrange="1 2"/>',
    '<motor joint="elbow" ctrlrange="-1 2" ctrllimited="false"/>',
    '<general joint="elbow" dyntype="integrator" actrange="0 1" actearly="true"/>',
    '<general joint="elbow" dyntype="user" actdim="3" gaintype="user" gainprm="1 2" biasprm="3" dynprm="4 5"/>',
    '<position joint="elbow" kp="3" kv="2"/>',
    '<position joint="elbow" kp="3" dampratio="1.5"/>',
    '<position tendon="line" kp="3" dampratio="1.5" gear="2"/>',
    '<position joint="elbow" timeconst=".3"/>',
    '<position joint="elbow" timeconst="0"/>',
    '<position joint="elbow" inheritrange=".5"/>',
    '<position tendon="line" inheritrange=".5"/>',
    '<intvelocity joint="elbow" kp="2" kv="3" actrange="-1 1"/>',
    '<intvelocity joint="elbow" inheritrange=".7"/>',
    '<damper joint="elbow" kv="3" ctrlrange="0 2"/>',
    '<cylinder joint="elbow" area="2" bias="1 2 3" timeconst=".1"/>',
    '<cylinder joint="elbow" diameter="2"/>',
]  # fmt: skip
RADIAN = '<compiler angle="radian"/>'
LINE = (
    '<tendon><fixed name="line" range="-1 3" stiffness="2" damping="3" frictionloss="4" margin=".1" armature=".2">'
    '<joint joint="elbow" coef="2"/></fixed></tendon>'
)


@pytest.mark.parametrize("actuator", ACTUATORS)
def test_actuators(actuator):
    check(f"{RADIAN}{TREE}{LINE}<actuator>{actuator}<motor joint='elbow'/></actuator>")


@pytest.mark.parametrize(
    "actuator",
    [
        "<motor/>",
        '<motor joint="none"/>',
        '<motor joint="elbow" tendon="line"/>',
        '<motor joint="elbow" ctrllimited="true"/>',
        '<general joint="elbow" actrange="0 1" actlimited="true"/>',
        '<general joint="elbow" actdim="1"/>',
        '<general joint="elbow" actdim="2" dyntype="filter"/>',
        '<position joint="elbow" kv="1" dampratio="1"/>',
        '<position joint="elbow" timeconst="-1"/>',
        '<position joint="wrist" inheritrange="1"/>',
        '<damper joint="elbow" kv="-1" ctrlrange="0 1"/>',
        '<damper joint="elbow" ctrlrange="-1 1"/>',
        '<motor joint="elbow" cranklength="1"/>',
    ],
)
def test_actuators_that_are_refused(actuator):
    refused(f"{RADIAN}{TREE}{LINE}<actuator>{actuator}</actuator>")


@pytest.mark.parametrize(
    "tendon",
    [
        "",
        'springlength=".3"',
        'springlength="0 0"',
        'springlength="-.5 3"',
        'springlength="-2"',
        'range="0 1" limited="false" group="2" user="1 2"',
        'limited="true" range="0 1" solreflimit=".1" solimplimit=".5" solreffriction=".3" solimpfriction=".2"',
        'actuatorfrcrange="-1 1" actuatorfrclimited="true"',
        'armature="2"',
    ],
)
def test_tendons(tendon):
    check(f'{TREE}<tendon><fixed {tendon}><joint joint="elbow" coef="-2"/></fixed></tendon>')


@pytest.mark.parametrize("tag", SENSOR_TYPES)
def test_sensors(tag):
    joint = "wrist" if tag.startswith("ball") else "elbow"
    attributes = {
        "site": 'site="tip"', "camera": 'camera="eye"', "joint": f'joint="{joint}"', "tendon": 'tendon="line"',
        "actuator": 'actuator="motor"', "body": 'body="torso"', "object": 'objtype="xbody" objname="torso"',
        "reference": 'reftype="camera" refname="eye"', "pair": 'geom1="chest" body2="arm"',
        # this attribute exists only in newer versions
        "enclosed": "",
    }  # fmt: skip
    written = " ".join(attributes[what] for what in SENSOR_TYPES[tag][0].split(" or ")[0].split())
    cutoff = "" if any(word in tag for word in ("quat", "axis")) else 'cutoff="2"'
    check(
        f'{RADIAN}{TREE}{LINE}<actuator><motor name="motor" joint="elbow"/></actuator>'
        f'<sensor><clock/><{tag} {written}/><{tag} {written} {cutoff} noise=".1" user="1 2" name="sensor"/></sensor>'
    )


@pytest.mark.parametrize(
    "sensor",
    [
        '<jointpos joint="wrist"/>',
        '<ballquat joint="elbow"/>',
        '<jointlimitpos joint="wrist"/>',
        '<framequat objtype="body" objname="torso" cutoff="1"/>',
        '<framepos objtype="joint" objname="elbow"/>',
        '<framepos objtype="body" objname="none"/>',
        '<jointpos joint="none"/>',
        '<jointpos joint="elbow" cutoff="-1"/>',
        "<jointpos/>",
    ],
)
def test_sensors_that_are_refused(sensor):
    refused(f"{RADIAN}{TREE}<sensor>{sensor}</sensor>")


RELATIONS = {
    "pair": '<contact><pair geom1="link" geom2="floor"/><pair name="p" geom1="chest" geom2="floor" condim="6"/></contact>',
    "pair parameters": (
        '<contact><pair geom1="floor" geom2="link" friction="1 2" solref="3" solimp=".1" solreffriction="4 5" margin="1"'
        ' gap="2"/></contact>'
    ),
    "exclude": '<contact><exclude body1="arm" body2="torso" name="z"/><exclude body1="world" body2="arm"/></contact>',
    "numeric": '<custom><numeric name="a" data="1 2"/><numeric name="b" size="5" data="3"/></custom>',
    "text": '<custom><text name="a" data="some words"/><text name="b" data="x"/></custom>',
    "tuple": (
        '<custom><tuple name="t"><element objtype="body" objname="arm" prm="3"/><element objtype="xbody" objname="arm"/>'
        '</tuple><tuple name="u"><element objtype="tuple" objname="t"/></tuple></custom>'
    ),
    "textures": (
        '<asset><texture name="t" builtin="checker" width="4" height="5" type="2d"/><texture builtin="gradient" width="3"'
        ' type="skybox"/><texture name="c" builtin="flat" width="3" type="cube" colorspace="sRGB"/>'
        '<material name="m" texture="t" texrepeat="2 3" texuniform="true" specular=".1" rgba="1 0 0 .5" metallic=".2"/>'
        '<material name="l"><layer texture="c" role="normal"/><layer texture="t" role="rgba"/></material></asset>'
        '<worldbody><geom size="1" material="m"/><site material="l"/></worldbody>'
    ),
    "keyframe": '<keyframe><key/><key name="k" time="2" mpos="1 2 3" mquat="2 0 0 0"/></keyframe>',
    "keyframe of positions": '<keyframe><key qpos="1 2 3 2 0 0 0 .5 0 3 0 0" qvel="1 2 3 4 5 6 7 8 9 10"/></keyframe>',
}


@pytest.mark.parametrize("relation", RELATIONS)
def test_relations(relation):
    check(RADIAN + TREE + RELATIONS[relation])


@pytest.mark.parametrize(
    "relation",
    [
        '<contact><pair geom1="link" geom2="none"/></contact>',
        '<contact><pair geom1="link" geom2="floor" condim="2"/></contact>',
        '<contact><exclude body1="arm" body2="none"/></contact>',
        '<custom><numeric name="a"/></custom>',
        '<custom><numeric name="a" size="1" data="1 2"/></custom>',
        '<custom><text name="a" data=""/></custom>',
        '<custom><tuple name="t"/></custom>',
        '<custom><tuple name="t"><element objtype="foo" objname="arm"/></tuple></custom>',
        '<keyframe><key ctrl="1"/></keyframe>',
        '<asset><material name="m" texture="none"/></asset>',
        '<size nuser_jnt="1"/>',
        '<size memory="1M" njmax="5"/>',
        '<option><flag gravity="true"/></option>',
        '<visual><map znear="0"/></visual>',
        '<statistic extent="0"/>',
        '<worldbody><geom size="1" condim="2"/></worldbody>',
        '<worldbody><geom size="1" quat="0 0 0 0"/></worldbody>',
        '<worldbody><geom size="1" euler="1 2 3" quat="1 0 0 0"/></worldbody>',
        '<worldbody><geom size="1" type="capsule" fromto="0 0 0 1 0 0" pos="1 0 0"/></worldbody>',
        '<worldbody><geom size="1" fromto="0 0 0 1 0 0"/></worldbody>',
        '<worldbody><geom size="1" class="none"/></worldbody>',
        '<worldbody><site type="plane"/></worldbody>',
        '<worldbody><camera sensorsize="1 1"/></worldbody>',
        '<worldbody><camera fovy="190"/></worldbody>',
        '<worldbody><light dir="0 0 0"/></worldbody>',
        '<worldbody><body name="torso"/></worldbody>',
        '<worldbody><body><body mocap="true"/></body></worldbody>',
        '<worldbody><body><body><freejoint/><geom size="1"/></body></body></worldbody>',
    ],
)
def test_relations_that_are_refused(relation):
    refused(RADIAN + TREE + relation)


CAMERAS = [
    'resolution="10 20"',
    'sensorsize="1 2" resolution="10 20" focal="1 2"',
    'sensorsize="1 2" resolution="10 20" focalpixel="3 4" principal=".1 .2"',
    'sensorsize="1 2" resolution="10 20" focal="1 2" focalpixel="3 4" principalpixel="5 6"',
    'orthographic="true" fovy="3" ipd=".1" user="1"',
    'mode="targetbody" target="arm"',
    'mode="trackcom"',
]


@pytest.mark.parametrize("camera", CAMERAS)
def test_cameras(camera):
    check(TREE + f"<worldbody><body pos='1 0 0'><camera {camera} pos='1 2 3' euler='1 2 3'/></body></worldbody>")


def test_many_trees_are_inverted_apart():
    trees = "".join(f"<body pos='{i} 0 0'><freejoint/>{BOX}<body><joint/>{BOX}</body></body>" for i in range(5))
    check(f"<worldbody>{trees}</worldbody>")


def test_a_spec_is_not_changed_by_compiling():
    from conjoint.compiler import compile_spec
    from conjoint.mjcf import read_string

    spec = read_string(f"<mujoco>{RADIAN}{TREE}{LINE}</mujoco>")
    first, second = compile_spec(spec), compile_spec(spec)
    assert np.array_equal(first.bytes, second.bytes)
