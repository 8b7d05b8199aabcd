"""Tendons, equality constraints, actuators, sensors, plugins and their derived fields, compared with MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelError
from oracle import model_differences
from refusals import refused_by_both

WORLD = """
<worldbody>
  <site name="fixed" pos=".3 0 1"/><camera name="eye"/>
  <body name="arm" pos="0 0 1">
    <joint name="shoulder" axis="0 1 0" range="-30 60" ref="10" springref="20"/>
    <geom name="ball" size=".1"/><site name="s1" pos=".1 0 0"/><site name="inner" pos=".01 .02 0"/>
    <body name="hand" pos=".5 0 0" euler="10 20 30">
      <joint name="elbow" axis="0 1 0"/><geom size=".1"/><site name="s2" pos=".1 0 .1" euler="0 40 0"/>
    </body>
    <body name="tail" pos="-.5 0 0"><joint name="twist" axis="0 0 1"/><geom size=".1"/><site name="s3"/></body>
  </body>
  <body name="free" pos="2 0 1"><freejoint/><geom name="stone" size=".1"/>
    <geom name="drum" type="cylinder" size=".05 .2" pos="-.5 0 .3" euler="70 20 0"/><site name="s4"/></body>
</worldbody>"""
TENDONS = """
<tendon>
  <spatial name="near"><site site="s1"/><site site="s2"/></spatial>
  <spatial name="far"><site site="s3"/><site site="s4"/></spatial>
  <fixed name="sum"><joint joint="twist" coef="1"/><joint joint="elbow" coef="-2"/></fixed>
</tendon>"""


def check(inside: str) -> None:
    """Assert that the world with `inside` compiles to MuJoCo's model."""
    xml = f"<mujoco>{WORLD}{TENDONS}{inside}</mujoco>"
    ours = conjoint.MjModel.from_xml_string(xml)
    assert model_differences(ours, mujoco.MjModel.from_xml_string(xml)) == {}


def refused(inside: str) -> None:
    """Assert that both packages reject the world with `inside`."""
    xml = f"<mujoco>{WORLD}{TENDONS}{inside}</mujoco>"
    refused_by_both(xml)


PATHS = {
    "straight": '<site site="s1"/><site site="s4"/>',
    "sphere": '<site site="s3"/><geom geom="ball"/><site site="s4"/>',
    "side": '<site site="s3"/><geom geom="ball" sidesite="fixed"/><site site="s2"/>',
    "inside": '<site site="s3"/><geom geom="ball" sidesite="inner"/><site site="s2"/>',
    "cylinder": '<site site="s2"/><geom geom="drum"/><site site="s4"/>',
    "pulleys": '<site site="s1"/><site site="s4"/><pulley divisor="2"/><site site="s2"/><geom geom="ball"/><site site="s3"/>',
}


@pytest.mark.parametrize("path", PATHS)
def test_spatial_tendons(path):
    more = 'width=".01" rgba="1 0 0 1" stiffness="3" damping="1" range="0 2" margin=".1" user="1 2"'
    check(f"<tendon><spatial {more}>{PATHS[path]}</spatial></tendon>")
    check(f'<tendon><spatial springlength=".2 .4">{PATHS[path]}</spatial></tendon>')
    if "geom" not in path and "geom=" not in PATHS[path]:
        check(f'<tendon><spatial armature="3">{PATHS[path]}</spatial></tendon>')


@pytest.mark.parametrize(
    "path",
    [
        "", '<site site="s1"/>', '<site site="s1"/><site site="s1"/>', '<geom geom="ball"/><site site="s1"/>',
        '<site site="s1"/><pulley divisor="2"/>', '<site site="s1"/><site site="s2"/><pulley divisor="2"/>',
        '<site site="s1"/><pulley divisor="2"/><site site="s2"/><site site="s3"/>',
        '<pulley divisor="-1"/><site site="s2"/><site site="s3"/>', "<site/><site site='s2'/>",
        '<site site="s1"/><site site="nothing"/>', '<site site="s1"/><geom geom="ball" sidesite="no"/><site site="s2"/>',
    ],
)  # fmt: skip
def test_paths_that_are_refused(path):
    refused(f"<tendon><spatial>{path}</spatial></tendon>")


def test_spatial_tendons_that_are_refused():
    for more in ('width="0"', 'armature="-1"', 'limited="true" range="2 1"', 'springlength="2 1"'):
        refused(f"<tendon><spatial {more}>{PATHS['straight']}</spatial></tendon>")
    refused(f'<tendon><spatial armature="1">{PATHS["sphere"]}</spatial></tendon>')


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_wrapping_of_random_paths(kind):
    generator = np.random.default_rng(3)
    bodies, tendons = [], []
    for i in range(60):
        first, last, side = (" ".join(map(str, generator.normal(size=3))) for _ in range(3))
        radius = generator.choice([0.2, 0.6, 1.5])
        turn = " ".join(map(str, generator.normal(size=4)))
        named = f'sidesite="side{i}"' if i % 3 else ""
        bodies.append(
            f'<site name="first{i}" pos="{first}"/><body pos=".1 .1 .1" quat="{turn}"><joint axis="1 2 3"/>'
            f'<geom name="g{i}" type="{kind}" size="{radius} 1" pos="-.1 .05 0"/><site name="side{i}" pos="{side}"/>'
            f'<body><joint type="ball"/><geom size=".1"/><site name="last{i}" pos="{last}"/></body></body>'
        )
        path = f'<site site="first{i}"/><geom geom="g{i}" {named}/><site site="last{i}"/>'
        tendons.append(f'<spatial springlength="{-1 if i % 2 else 1}">{path}</spatial>')
    worldbody = f"<worldbody>{''.join(bodies)}</worldbody>"
    xml = f"<mujoco>{worldbody}<tendon>{''.join(tendons)}</tendon></mujoco>"
    ours = conjoint.MjModel.from_xml_string(xml)
    assert model_differences(ours, mujoco.MjModel.from_xml_string(xml)) == {}


EQUALITIES = [
    '<connect body1="arm" anchor=".1 .2 .3"/>',
    '<connect name="c" body1="hand" body2="free" anchor=".1 .2 .3" active="false" solref=".1" solimp=".8"/>',
    '<connect site1="s1" site2="s4"/>',
    '<weld body1="hand"/>',
    '<weld body1="hand" body2="free" anchor="1 2 3" torquescale="2"/>',
    '<weld body1="arm" body2="free" relpose="1 2 3 1 1 0 0" anchor="1 2 3"/>',
    '<weld body1="arm" body2="free" relpose="1 2 3 0 0 0 0"/>',
    '<weld body1="arm" body2="free" relpose="1 2 3 0 0 2 0"/>',
    '<weld body1="arm" body2="free" relpose="1 2 3 0 0 0 -1"/>',
    '<weld site1="s1" site2="s4" torquescale="3"/>',
    '<joint joint1="elbow"/>',
    '<joint joint1="shoulder" joint2="elbow" polycoef="1 2"/>',
    '<tendon tendon1="near" tendon2="sum" polycoef="1 2 3 4 5"/>',
    '<tendon tendon1="far"/>',
]


@pytest.mark.parametrize("equality", EQUALITIES)
def test_equality_constraints(equality):
    check(f"<equality>{equality}</equality>")
    check(f'<default><equality solref=".5" active="false"/></default><equality>{equality}</equality>')


@pytest.mark.parametrize(
    "equality",
    [
        '<connect body1="arm" site2="s1"/>', '<connect body1="arm"/>', "<weld/>", '<weld body1="arm" body2="arm"/>',
        '<joint joint1="elbow" joint2="elbow"/>', '<connect site1="s1"/>', '<weld site1="s1" site2="s4" anchor="1 2 3"/>',
        '<joint joint2="elbow"/>', '<tendon tendon1="nothing"/>', '<weld body1="nothing"/>', '<flex flex="nothing"/>',
    ],
)  # fmt: skip
def test_equality_constraints_that_are_refused(equality):
    refused(f"<equality>{equality}</equality>")


ACTUATORS = [
    '<general site="s2" gear="1 2 3 4 5 6"/>',
    '<general site="s2" refsite="s3" gear="1 2 3 4 5 6"/>',
    '<general site="s2" refsite="s1" gear="0 0 0 4 5 6"/>',
    '<general site="s4" refsite="fixed" gear="1 2 3 0 0 0"/>',
    '<general site="fixed"/>',
    '<general tendon="near" gear="3"/><motor tendon="far"/><position tendon="sum" kp="3" dampratio="1"/>',
    '<general cranksite="s2" slidersite="s3" cranklength=".5" gear="2"/>',
    '<general cranksite="s2" slidersite="fixed" cranklength=".05"/>',
    '<adhesion body="arm" ctrlrange="0 1" gain="3"/>',
    '<general body="arm"/>',
    '<position site="s2" refsite="s3" gear="1 2 3 4 5 6" kp="10" dampratio=".7"/>',
    '<muscle joint="elbow" lengthrange=".1 .2"/>',
    '<muscle tendon="near" lengthrange=".1 .2" timeconst=".1 .2" tausmooth=".3" range=".5 1.2" force="3" scale="4" '
    'lmin=".1" lmax="3" vmax="4" fpmax="5" fvmax="6"/>',
    '<muscle joint="elbow" fvmax=".5" lengthrange=".1 .2"/>',
    '<muscle joint="elbow" force="-5" vmax="-2" lengthrange=".1 .2" ctrllimited="true" ctrlrange="0 1"/>',
]


@pytest.mark.parametrize("actuator", ACTUATORS)
def test_actuators(actuator):
    check(f"<actuator>{actuator}</actuator>")


def test_defaults_of_muscles():
    defaults = '<default><muscle timeconst=".05 .07" force="30" lmax="2"/></default>'
    check(defaults + '<actuator><muscle joint="elbow" lengthrange="0 1" scale="3"/></actuator>')


@pytest.mark.parametrize(
    "actuator",
    [
        '<muscle joint="elbow" tausmooth="-1" lengthrange=".1 .2"/>', '<adhesion body="arm"/>',
        '<adhesion body="arm" ctrlrange="-1 1"/>', '<adhesion body="arm" ctrlrange="0 1" gain="-1"/>',
        '<muscle joint="elbow" scale="0" lengthrange="0 1"/>', '<muscle joint="elbow" fpmax="0" lengthrange="0 1"/>',
        '<muscle joint="elbow" range="2 1" lengthrange="0 1"/>', '<muscle joint="elbow" lmin="1.5" lengthrange="0 1"/>',
        '<general cranksite="s2" slidersite="s3"/>', '<general cranksite="s2" cranklength="1"/>',
        '<general joint="elbow" slidersite="s2"/>', '<general joint="elbow" refsite="s2"/>',
        '<general site="nothing"/>', '<general site="s2" refsite="nothing"/>', '<motor joint="elbow" site="s2"/>',
    ],
)  # fmt: skip
def test_actuators_that_are_refused(actuator):
    refused(f"<actuator>{actuator}</actuator>")


def test_length_ranges():
    limits = '<compiler><lengthrange uselimit="true" mode="all" {}/></compiler>'
    check(limits.format("") + '<actuator><motor joint="shoulder" gear="3"/></actuator>')
    check(limits.format("") + '<actuator><motor joint="elbow" lengthrange="1 2"/></actuator>')
    check(limits.format('useexisting="false"') + '<actuator><motor joint="shoulder" lengthrange="1 2"/></actuator>')


SENSORS = [
    '<contact geom1="ball"/>',
    '<contact geom1="ball" num="3" data="found force pos" reduce="maxforce"/>',
    '<contact subtree1="arm" body2="free" data="found force torque dist pos normal tangent"/>',
    '<contact site="s1" cutoff="2"/>',
    '<insidesite site="s1" objtype="body" objname="hand"/>',
    '<distance geom1="ball" body2="free" cutoff="1"/><normal body1="arm" body2="free" cutoff="2"/>',
    '<fromto geom1="ball" geom2="stone"/>',
    '<user dim="3" objtype="body" objname="arm" datatype="axis" needstage="vel"/><user dim="0"/>',
    '<rangefinder site="s1" cutoff="1"/><camprojection site="s1" camera="eye"/>',
    '<tendonpos tendon="near" user="1 2 3"/><tendonactuatorfrc tendon="far" noise="1"/><clock cutoff="1"/>',
]


@pytest.mark.parametrize("sensor", SENSORS)
def test_sensors(sensor):
    check(f"<sensor>{sensor}</sensor>")


@pytest.mark.parametrize(
    "sensor",
    [
        '<contact data="force found"/>', '<contact data="bad"/>', '<contact num="0"/>',
        '<contact site="s1" geom1="ball"/>', '<distance geom1="ball" geom2="ball"/>', '<user dim="2" datatype="axis"/>',
        '<user dim="3" datatype="quaternion"/>', '<framequat objtype="body" objname="arm" cutoff="1"/>',
        '<tactile geom="ball" mesh="nothing"/>', '<camprojection site="s1" camera="nothing"/>', "<plugin/>",
    ],
)  # fmt: skip
def test_sensors_that_are_refused(sensor):
    refused(f"<sensor>{sensor}</sensor>")


PLUGINS = """<extension><plugin plugin="mujoco.elasticity.cable"><instance name="c"><config key="twist" value="1e7"/>
</instance></plugin><plugin plugin="mujoco.pid"/><plugin plugin="mujoco.sensor.touch_grid"/></extension>"""
GRID = '<config key="size" value="2 3"/><config key="fov" value="10 13"/><config key="gamma" value="0"/>'


def test_plugins():
    check(PLUGINS + '<worldbody><body><geom size="1"/><plugin instance="c"/></body></worldbody>')
    pid = '<plugin joint="elbow" plugin="mujoco.pid" {}><config key="kp" value="1"/>{}</plugin>'
    more = pid.format('dyntype="filter" actdim="2" actrange="0 1"', '<config key="slewmax" value="1"/>')
    check(f"{PLUGINS}<actuator>{pid.format('', '')}{more}</actuator>")
    grid = '<plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s1">{}</plugin>'
    check(f"{PLUGINS}<sensor>{grid.format(GRID)}</sensor>")


@pytest.mark.parametrize(
    "inside",
    [
        '<extension><plugin plugin="nothing"/></extension>', '<actuator><plugin joint="elbow" plugin="mujoco.pid"/></actuator>',
        PLUGINS + '<actuator><plugin joint="elbow" instance="nothing"/></actuator>',
        PLUGINS + '<actuator><plugin joint="elbow" instance="c"/></actuator>',
        PLUGINS + '<actuator><plugin joint="elbow" plugin="mujoco.pid"><config key="ki" value="1"/></plugin></actuator>',
        PLUGINS + '<actuator><plugin joint="elbow" plugin="mujoco.pid"><config key="zz" value="1"/></plugin></actuator>',
        PLUGINS + f'<sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="body" objname="arm">{GRID}</plugin></sensor>',
    ],
)  # fmt: skip
def test_plugins_that_are_refused(inside):
    refused(inside)


DECORATED = """<asset><material name="paint"/></asset><worldbody><geom name="cloud" size="1" contype="0" conaffinity="0"/>
<body name="car"><joint/><geom size=".1" material="paint"/><geom name="shell" size=".2" contype="0" conaffinity="0"/>
<site name="seat"/></body></worldbody>"""


@pytest.mark.parametrize(
    "more",
    [
        "", '<sensor><framepos objtype="geom" objname="shell"/></sensor>', '<contact><pair geom1="shell" geom2="ball"/></contact>',
        '<tendon><spatial><site site="s1"/><geom geom="shell"/><site site="s2"/></spatial></tendon>',
    ],
)  # fmt: skip
def test_visual_elements_are_discarded(more):
    check(f'<compiler discardvisual="true"/>{DECORATED}{more}')


def test_constants_are_set_again():
    more = '<actuator><position joint="elbow" kp="3" dampratio="1"/><motor tendon="far"/></actuator>'
    more += f"<equality>{EQUALITIES[1]}{EQUALITIES[4]}</equality>"
    xml = f"<mujoco>{WORLD}{TENDONS}{more}</mujoco>"
    models = []
    for package in (conjoint, mujoco):
        model = package.MjModel.from_xml_string(xml)
        data = package.MjData(model)
        package.mj_setTotalmass(model, 100.0)
        model.body_inertia[2] *= 2
        model.body_pos[1] += 0.1
        model.body_quat[2] = [0.6, 0.8, 0, 0]
        model.qpos0[0], model.qpos_spring[1] = 0.2, 0.5
        model.tendon_lengthspring[0] = -1
        model.actuator_biasprm[0, 2] = 0.7
        model.geom_size[0, 0] = 0.2
        package.mj_setConst(model, data)
        models.append(model)
    assert model_differences(*models) == {}


FUSED = """<compiler fusestatic="true"/><worldbody>
<body name="stand" pos="0 0 3" euler="10 20 30"><geom size=".1"/><body pos="1 0 0"><joint/><geom size=".3"/></body></body>
<body name="cart"><joint/><geom size=".1"/><body name="box" pos="0 .3 0" euler="40 50 60"><site name="in"/>
<inertial pos=".1 .2 .3" mass="2" diaginertia="4 3 2"/><geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="0 20 0"/>
<body name="lid" pos=".2 0 0"><geom size=".2"/></body></body><body><joint axis="1 0 0"/><geom size=".1"/></body></body></worldbody>"""


@pytest.mark.parametrize(
    "more",
    [
        "", '<sensor><framepos objtype="body" objname="box"/></sensor>', '<equality><weld body1="lid"/></equality>',
        '<contact><exclude body1="box" body2="cart"/></contact>', '<sensor><framepos objtype="site" objname="in"/></sensor>',
        '<custom><tuple name="t"><element objtype="body" objname="box"/></tuple></custom>',
        '<actuator><adhesion body="lid" ctrlrange="0 1"/></actuator>',
    ],
)  # fmt: skip
def test_static_bodies_are_fused(more):
    """Models with fused static bodies equal MuJoCo's, except for stale geom ids in MuJoCo's inner bounding volumes."""
    turned = f"<mujoco>{WORLD}{TENDONS}{FUSED}{more}</mujoco>"
    xml = turned.replace(' euler="40 50 60"', "")
    # MuJoCo rotates the contents of a rotated body, but not its inertia, which other tests cover
    ours, theirs = conjoint.MjModel.from_xml_string(turned), mujoco.MjModel.from_xml_string(turned)
    for name in ("geom_pos", "geom_quat", "site_pos", "site_quat", "body_pos", "body_quat", "body_mass"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)
    ours, theirs = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    different = model_differences(ours, theirs)
    assert different.keys() <= {"bvh_nodeid"}
    leaves = theirs.bvh_child[:, 0] < 0
    np.testing.assert_array_equal(ours.bvh_nodeid[leaves], theirs.bvh_nodeid[leaves])


def test_extent_of_thin_models():
    inertial = '<inertial pos="{} 0 -.5" mass="1" diaginertia="1 1 1"/>'
    for body in ("<joint/>{}<site pos='.1 0 0'/>", "<joint/>{}<site pos='0 .1 0'/>", "<joint pos='0 0 3'/>{}"):
        for x in (0, 1e-3):
            xml = f"<mujoco><worldbody><body>{body.format(inertial.format(x))}</body></worldbody></mujoco>"
            assert model_differences(conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)) == {}


def test_simple_bodies():
    body = '<body pos="1 0 0"><joint type="slide" axis="0 0 -1"/><geom size=".1"/></body>'
    for inside in (body, f"<body>{body}{body}</body>", f"<body><body>{body}</body></body>"):
        xml = f"<mujoco><worldbody>{inside}</worldbody></mujoco>"
        assert model_differences(conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)) == {}


@pytest.mark.parametrize(
    "inside",
    [
        '<sensor><user dim="2000000000"/></sensor>', '<sensor><contact num="2000000000" data="force torque"/></sensor>',
        '<actuator><general joint="elbow" dyntype="user" actdim="2000000000"/></actuator><keyframe><key/></keyframe>',
        PLUGINS + '<sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s1">'
        '<config key="size" value="1e9 1e9"/></plugin></sensor>',
    ],
)  # fmt: skip
def test_absurd_sizes_are_refused(inside):
    with pytest.raises(ModelError, match=r"at most|is more than"):
        conjoint.MjModel.from_xml_string(f"<mujoco>{WORLD}{inside}</mujoco>")
