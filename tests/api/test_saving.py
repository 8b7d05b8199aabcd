"""Saving as XML: a saved model compiles to the same model in Conjoint and in MuJoCo; asset files are found by name."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.compiler import compile_spec, read_path, read_string
from conjoint.compiler.changes import saved_xml
from conjoint.schema.model import MODEL_FIELDS
from oracle import model_differences
from refusals import refused

EXACT = 1e-12  # numbers are saved exactly; only unit quaternions are normalized again

RICH = """
<mujoco model='a "rich" &amp; strange model'>
  <compiler eulerseq="XYz" boundmass="0.01" inertiagrouprange="0 3"><lengthrange timestep="0.002"/></compiler>
  <option timestep="0.003" gravity="1 2 3" integrator="RK4" cone="elliptic" o_solref="0.1" actuatorgroupdisable="1 3">
    <flag contact="disable" energy="enable" multiccd="enable"/></option>
  <size memory="3M" nuserdata="4" nuser_geom="5" nkey="4"/>
  <visual><global fovy="33"/><map znear="0.02"/><rgba fog="0.1 0.2 0.3 1"/><headlight active="0"/></visual>
  <statistic extent="3"/>
  <default><geom rgba="1 0 0 1" friction="0.5"/><default class="c"><geom size="0.3"/><joint damping="2"/>
    <site type="box"/><general ctrlrange="-1 1"/></default></default>
  <custom><numeric name="n" data="1 2 3" size="5"/><text name="t" data="two\tlines&#10;&lt;b&gt;"/>
    <tuple name="u"><element objtype="body" objname="b" prm="0.1"/><element objtype="site" objname="s1"/></tuple></custom>
  <asset><texture name="x" builtin="checker" type="2d" width="8" height="8"/><material name="m" texture="x"/>
    <material name="l"><layer texture="x" role="rgb"/><layer texture="x" role="normal"/></material>
    <mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="0.1 0.2 0.3"/>
    <hfield name="h" nrow="2" ncol="3" size="1 1 1 1" elevation="0 1 2 3 4 5"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" user="1 2 3"/><geom type="hfield" hfield="h" pos="9 9 9"/>
    <light name="sun" directional="true" dir="0 1 -1"/><camera name="eye" mode="targetbody" target="b" euler="10 20 30"/>
    <frame name="f" pos="1 0 0" euler="0 0 30">
      <body name="b" pos="0 1 0" childclass="c"><joint name="j1" range="-30 40" ref="10" springref="5"/>
        <joint name="j2" type="slide" axis="1 1 0" springdamper="1 1"/>
        <geom name="g1"/><frame axisangle="1 0 0 45"><geom name="g2" type="capsule" fromto="0 0 0 0.1 0.2 1"/>
          <site name="s1" zaxis="1 0 0"/><geom name="g3" type="mesh" mesh="tet"/></frame><geom name="g4" mass="2"/>
        <site name="s2" pos="0.1 0 0"/><camera fovy="40"/>
        <body name="b2" pos="1 0 0" gravcomp="1" user="3"><inertial pos="0.1 0 0" mass="2" fullinertia="1 2 2 0.1 0 0"/>
          <joint name="ball" type="ball" range="0 40"/><site name="s3"/><geom name="g5"/></body></body></frame>
    <body name="mo" mocap="true" pos="5 5 5"><geom size="0.1" contype="0" conaffinity="0"/></body>
    <body name="free" pos="0 0 4"><freejoint name="fj" align="true"/><geom size="0.2 0.3 0.4" type="box" pos="0.1 0 0"/></body>
    <body name="free2" pos="0 3 4"><joint type="free" damping="1"/><geom size="0.1"/></body>
    <body name="cyl" pos="0 -3 1"><joint name="cj"/><geom name="cg" type="cylinder" size="0.1 0.2"/></body>
  </worldbody>
  <contact><pair geom1="g1" geom2="floor" friction="1 1 0.1" solreffriction="-10 -2"/><exclude body1="b" body2="free"/></contact>
  <equality><connect body1="b" anchor="1 2 3"/><connect site1="s1" site2="s3"/><weld body1="b2" torquescale="0.2"/>
    <weld body1="b" body2="free" anchor="1 0 0" relpose="0 1 0 1 0 0 0"/><weld site1="s1" site2="s2" active="false"/>
    <joint joint1="j1" polycoef="0.1 2"/><joint joint1="j1" joint2="j2"/><tendon tendon1="fx" tendon2="sp"/></equality>
  <tendon><fixed name="fx" range="-1 1" springlength="0.1"><joint joint="j1" coef="2"/><joint joint="j2" coef="-1"/></fixed>
    <spatial name="sp" width="0.01" material="m" stiffness="3"><site site="s1"/><geom geom="cg" sidesite="s2"/><site site="s3"/>
      <pulley divisor="2"/><site site="s1"/><site site="s2"/></spatial></tendon>
  <actuator><motor class="c" joint="j1" gear="2 1"/><position joint="j1" kp="3" inheritrange="1" timeconst="0.1"/>
    <position joint="j1" kp="3" dampratio="0.7"/><intvelocity joint="j1" kp="2" kv="0.1" inheritrange="0.5"/>
    <velocity joint="j2" kv="3"/><damper joint="j2" kv="2" ctrlrange="0 1"/><cylinder tendon="fx" diameter="0.2"/>
    <muscle tendon="sp" lengthrange="0.1 4"/><adhesion body="b" ctrlrange="0 1" gain="2"/>
    <general site="s1" refsite="s3" gear="1 0 0 0 1 0" dyntype="filterexact" dynprm="0.3" actlimited="true" actrange="0 1"/>
    <general jointinparent="ball" gear="0 1 0"/><general cranksite="s1" slidersite="s2" cranklength="3" group="3"/></actuator>
  <sensor><touch site="s1"/><jointpos joint="j1" noise="0.1"/><camprojection site="s1" camera="eye"/><clock/>
    <framepos objtype="geom" objname="g1" reftype="camera" refname="eye"/><frameangacc objtype="xbody" objname="b"/>
    <distance geom1="g1" body2="free" cutoff="3"/><subtreecom body="b"/><user dim="3" objtype="geom" objname="g2"/>
    <contact geom1="g1" subtree2="free" num="3" data="found force pos" reduce="mindist"/><insidesite objtype="body" objname="b" site="s1"/>
    <contact site="s2" body2="b"/><actuatorfrc actuator="a0"/></sensor>
  <keyframe><key name="k" time="2" ctrl="1 2 3 4 5 6 7 8 0.5 0.1 0.2 0.3"/></keyframe>
</mujoco>
""".replace('<motor class="c"', '<motor name="a0" class="c"')  # fmt: skip

FOREIGN = """<mujoco model="other"><compiler angle="radian" eulerseq="ZYX"/><default><geom size="0.2"/></default>
<worldbody><body name="arm" euler="0.1 0.2 0.3"><joint name="h" range="-1 0.5" ref="0.2"/><geom euler="0.3 0.2 0.1" type="box" size="1 2 3"/>
<joint name="s" type="slide" range="-1 1"/></body></worldbody><keyframe><key name="k" qpos="0.3 0.4"/></keyframe></mujoco>"""
ATTACHING = """<mujoco><asset><model name="o" file="other.xml"/></asset><worldbody><body name="top"><geom size="1"/>
<joint name="x"/><frame pos="1 0 0" euler="0 0 90"><attach model="o" body="arm" prefix="p_"/></frame></body>
<replicate count="3" offset="0 0 1" euler="0 30 0"><body><freejoint/><geom name="r" size="0.1"/></body></replicate></worldbody></mujoco>"""


def differences(before, after) -> dict[str, float]:
    """Return the largest difference between two models for each field that differs, by field name."""
    found = {}
    for field in MODEL_FIELDS:
        first, second = before.view(field.name), after.view(field.name)
        if first.shape != second.shape:
            found[field.name] = np.inf
        elif first.size:
            error = np.abs(first.astype(float) - second.astype(float)).max()
            if error > EXACT:
                found[field.name] = error
    return found


def assert_saved_well(spec, assets=None) -> None:
    model = compile_spec(spec)
    text = saved_xml(spec)
    assert differences(model, compile_spec(read_string(text, assets))) == {}


def test_models_of_the_repository(model_path, monkeypatch):
    # asset paths are relative to the folder of the model
    monkeypatch.chdir(Path(model_path).parent)
    text = saved_xml(read_path(model_path))
    assert differences(compile_spec(read_path(model_path)), compile_spec(read_string(text))) == {}
    official = mujoco.MjModel.from_xml_path(model_path)
    assert model_differences(mujoco.MjModel.from_xml_string(text), official) == {}


def test_every_kind_of_element():
    assert_saved_well(read_string(RICH))
    text = saved_xml(read_string(RICH))
    assert model_differences(mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(RICH)) == {}
    # saved models are canonical: saving them again changes nothing
    assert saved_xml(read_string(text)) == text


def test_models_attached_in_other_units():
    assets = {"other.xml": FOREIGN.encode()}
    assert_saved_well(read_string(ATTACHING, assets))
    text = saved_xml(read_string(ATTACHING, assets))
    official = mujoco.MjModel.from_xml_string(ATTACHING, assets)
    assert model_differences(mujoco.MjModel.from_xml_string(text), official) == {}


SOFT = '<contact selfcollide="none" internal="false"/><elasticity young="1e4" poisson="0.1"/>'


def gripping(flexcomps: str, more: str = "") -> str:
    """Return the XML of a model whose body contains the given pinned trilinear flexes."""
    return f"""<mujoco><option timestep="0.004"/><default><joint damping="0.5"/><default class="soft"><joint armature="0.1"/>
      </default></default><asset><material name="m"/></asset><worldbody><body name="hand" pos="0 1 2" euler="20 0 0"
      childclass="soft"><joint/><geom size="0.1"/><body name="before"/>{flexcomps}<body name="behind"/></body></worldbody>
      {more}</mujoco>"""


def trilinear(name: str, pin: str, more: str = "", dim: int = 3) -> str:
    pinned = f'<pin id="{pin}"/>' if pin else ""
    return (
        f'<flexcomp name="{name}" type="grid" count="6 4 {dim - 1}" spacing=".05 .1 .15" dim="{dim}" dof="trilinear" pos="1 0 0" '
        f'mass="0.3" inertiabox="0.01" euler="0 30 0" {more}>{SOFT}{pinned}</flexcomp>'
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "flexcomps",
    [
        trilinear("a", "4 5 6 7"),
        trilinear("a", "0 3", 'material="m" group="2"') + trilinear("b", "7", 'flatskin="true" radius="0.01"', dim=2),
        # flexes without pins have bodies and a flex of their own
        trilinear("a", "") + trilinear("b", "1 2"),
        trilinear("a", "1 2") + trilinear("b", ""),
    ],
)
def test_pinned_nodes_are_saved_as_a_macro(flexcomps):
    xml = gripping(flexcomps, '<equality><flex flex="a"/></equality><keyframe><key time="1"/></keyframe>')
    spec = read_string(xml)
    assert_saved_well(spec)
    official = mujoco.MjModel.from_xml_string(saved_xml(spec))
    assert model_differences(official, mujoco.MjModel.from_xml_string(xml)) == {}


@pytest.mark.filterwarnings("error")
def test_pinned_nodes_of_an_attached_model_are_saved():
    child = conjoint.MjSpec.from_string(gripping(trilinear("a", "4 5")))
    spec = conjoint.MjSpec.from_string('<mujoco><worldbody><frame name="f" pos="1 2 3"/></worldbody></mujoco>')
    spec.attach(child, frame="f")
    before = spec.compile()
    assert model_differences(conjoint.MjModel.from_xml_string(spec.to_xml()), before) == {}


@pytest.mark.parametrize("change", ["pos", "damping", "geom", "mass", "flex"])
def test_pinned_nodes_that_no_macro_makes_are_lost_with_a_warning(change):
    spec = conjoint.MjSpec.from_string(gripping(trilinear("a", "4 5")))
    body = spec.body("a_0_0_0")
    if change == "pos":
        body.pos = [1, 2, 3]
    elif change == "damping":
        body.joints[1].damping = 3
    elif change == "geom":
        body.add_geom(size=[0.01, 0, 0])
    elif change == "mass":
        body.mass = 7
    elif change == "flex":
        spec.add_flex(name="last", dim=1, vertbody=["before"], vert=[0, 0, 0, 1, 0, 0], elem=[0, 1])
    spec.compile()
    with pytest.warns(UserWarning, match="where their bodies are"):
        assert "flexcomp" not in spec.to_xml()


def test_changed_numbers_are_saved(tmp_path):
    m = conjoint.MjModel.from_xml_string(RICH)
    m.opt.timestep, m.opt.disableflags, m.vis.map.znear, m.stat.meanmass = 0.5, 3, 0.25, 7
    changed = {
        "geom_pos": 3, "geom_size": 3, "geom_rgba": 2, "body_pos": 2, "body_mass": 1, "body_inertia": 2, "jnt_range": 0,
        "jnt_axis": 1, "dof_damping": 1, "dof_armature": 0, "actuator_gear": 4, "eq_data": (5, 1), "tendon_stiffness": 1,
        "site_pos": 1, "light_dir": 0, "sensor_noise": 2, "key_qpos": (1, 1), "mat_rgba": 0, "pair_friction": 0, "qpos0": 1,
        "cam_fovy": 1,
    }  # fmt: skip
    for name, row in changed.items():
        getattr(m, name)[row] *= 1.25
        getattr(m, name)[row] += 0.125
    m.jnt_axis[1] /= np.linalg.norm(m.jnt_axis[1])
    m.light_dir[0] /= np.linalg.norm(m.light_dir[0])
    file = tmp_path / "m.xml"
    conjoint.mj_saveLastXML(str(file), m)
    for loaded in (conjoint.MjModel.from_xml_path(str(file)), mujoco.MjModel.from_xml_path(str(file))):
        for name, row in changed.items():
            np.testing.assert_allclose(getattr(loaded, name)[row], getattr(m, name)[row], atol=1e-12, err_msg=name)
        assert (loaded.opt.timestep, loaded.opt.disableflags, loaded.stat.meanmass) == (0.5, 3, 7)
        assert loaded.vis.map.znear == 0.25


def test_what_cannot_be_saved(tmp_path):
    m = conjoint.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(conjoint.FatalError, match="cannot write"):
        conjoint.mj_saveLastXML(str(tmp_path / "no" / "m.xml"), m)
    conjoint.mj_saveModel(m, str(tmp_path / "m.mjb"))
    with pytest.raises(conjoint.FatalError, match="not compiled from XML"):
        conjoint.mj_saveLastXML(str(tmp_path / "m.xml"), conjoint.MjModel.from_binary_path(str(tmp_path / "m.mjb")))


TETRAHEDRON = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
INCLUDED = '<mujoco><worldbody><body name="in"><geom size="1"/></body></worldbody></mujoco>'


def with_mesh(file: str, compiler: str = "") -> str:
    return (
        f'<mujoco><compiler {compiler}/><asset><mesh name="m" file="{file}"/></asset>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )


@pytest.mark.parametrize(
    "file", ["x.obj", "X.OBJ", "folder/x.obj", "./x.obj", "a/../x.obj", "/no/where/x.obj", "a\\\\x.obj"]
)
@pytest.mark.parametrize("compiler", ["", 'meshdir="some"', 'meshdir="/no"', 'strippath="true"'])
@pytest.mark.parametrize("name", ["x.obj", "other/X.obj"])
def test_given_files_are_found_whatever_their_folder(file, compiler, name):
    for package in (mujoco, conjoint):
        assert package.MjModel.from_xml_string(with_mesh(file, compiler), {name: TETRAHEDRON}).nmesh == 1


def test_given_files_go_before_the_disk(tmp_path: Path):
    main = tmp_path / "m.xml"
    main.write_text('<mujoco><include file="i.xml"/></mujoco>')
    (tmp_path / "i.xml").write_text("<mujoco><option/></mujoco>")
    for package in (mujoco, conjoint):
        assert package.MjModel.from_xml_path(str(main)).nbody == 1
        assert package.MjModel.from_xml_path(str(main), {"i.xml": INCLUDED.encode()}).nbody == 2
        assert package.MjModel.from_xml_path("/no/m.xml", {"m.xml": INCLUDED.encode()}).nbody == 2


def test_given_files_must_differ():
    files = {"x.obj": b"", "X.obj": b""}
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string("<mujoco/>", files)
    refused(lambda: conjoint.MjModel.from_xml_string("<mujoco/>", files), words="X.obj", place=False)


def test_asset_files_are_found_from_another_folder(tmp_path: Path):
    (tmp_path / "source" / "meshes").mkdir(parents=True)
    (tmp_path / "target").mkdir()
    (tmp_path / "source" / "meshes" / "x.obj").write_bytes(TETRAHEDRON)
    source, target = tmp_path / "source" / "m.xml", tmp_path / "target" / "m.xml"
    source.write_text(with_mesh("x.obj", 'meshdir="meshes"'))
    target.write_text(saved_xml(read_path(source), directory=str(target.parent)))
    assert 'file="../source/meshes/x.obj"' in target.read_text()
    for package in (mujoco, conjoint):
        assert package.MjModel.from_xml_path(str(target)).nmesh == 1


ANGLES = ("jnt_range", "qpos0", "qpos_spring", "key_qpos", "body_quat", "jnt_limited")


def in_degrees(seed: int) -> Any:
    """Return a random specification with angles in degrees, as a program would build it."""
    chance = random.Random(seed)
    spec = conjoint.MjSpec()
    spec.compiler.degree, spec.compiler.eulerseq = True, list("ZYX")
    spec.compiler.balanceinertia = spec.compiler.discardvisual = True
    found = spec.add_default("c")
    found.joint.range, found.joint.ref = [chance.uniform(-99, 0), chance.randint(1, 90)], 10.5
    for kind in ("HINGE", "SLIDE", "BALL", "HINGE"):
        body = spec.worldbody.add_body(euler=[chance.uniform(0, 99), 20, 30])
        body.add_geom(size=[0.1, 0, 0])
        options = {"type": getattr(conjoint.mjtJoint, "mjJNT_" + kind), "range": [0, chance.uniform(1, 200)]}
        if kind != "BALL":
            options |= {"ref": chance.uniform(-200, 200), "springref": 33.3}
        joint = body.add_joint(chance.choice([None, found]), **options)
        joint.limited = chance.choice([0, 1])
    spec.add_key(qpos=[0.1, 0.2, 1, 0, 0, 0, 0.3])
    return spec


@pytest.mark.parametrize("seed", range(20))
def test_degrees_are_saved_where_they_were_chosen(seed):
    spec = in_degrees(seed)
    model, text = spec.compile(), spec.to_xml()
    again = conjoint.MjSpec.from_string(text)
    assert '<compiler angle="degree"' in text and again.to_xml() == text
    for name in ("degree", "eulerseq", "balanceinertia", "discardvisual"):
        assert getattr(again.compiler, name) == getattr(spec.compiler, name)
    # angles are saved to the last bit
    saved = again.compile()
    for name in ANGLES:
        np.testing.assert_array_equal(getattr(saved, name), getattr(model, name), err_msg=name)
    assert model_differences(saved, model) == {}


def test_the_order_of_euler_angles_is_saved_where_a_file_told_it():
    spec = conjoint.MjSpec.from_string('<mujoco><compiler angle="radian" eulerseq="ZYX"/></mujoco>')
    assert 'eulerseq="ZYX"' in spec.to_xml()
    spec = conjoint.MjSpec()
    spec.compiler.eulerseq = list("ZYX")
    assert "eulerseq" not in spec.to_xml()


def test_degrees_of_files_and_parts():
    hinge = '<body name="b{}"><joint range="-30 60" ref="12"/><geom size=".1"/></body>'
    degree = f'<mujoco><compiler angle="degree"/><worldbody>{hinge.format(1)}</worldbody></mujoco>'
    radian = degree.replace("degree", "radian").replace("-30 60", "-.3 .6").replace("b1", "b2")
    for first, second in ((degree, radian), (radian, degree)):
        spec = conjoint.MjSpec.from_string(first)
        spec.attach(conjoint.MjSpec.from_string(second), prefix="x", frame=spec.worldbody.add_frame())
        model, text = spec.compile(), spec.to_xml()
        assert f'<compiler angle="{"degree" if first is degree else "radian"}"/>' in text
        saved = conjoint.MjModel.from_xml_string(text)
        for name in ANGLES:
            np.testing.assert_array_equal(getattr(saved, name), getattr(model, name), err_msg=name)
    # if a file specifies no unit, the text uses MuJoCo's choice
    assert 'angle="radian"' in conjoint.MjSpec.from_string(degree.replace('<compiler angle="degree"/>', "")).to_xml()
