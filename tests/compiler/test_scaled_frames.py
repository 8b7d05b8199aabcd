"""Frames that scale their contents: numbers compared with MuJoCo 4.0.0 (`newer_scales`), and physical similarity."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelError
from newer_scales import DATA, FIELDS, SCALES, numbers, xml

OFFICIAL = json.loads(DATA.read_text())


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """Return the models of edition 4.0 by the scale of their frames, including one model without a scale ("")."""
    with conjoint.semantics("4.0"):
        return {scale: conjoint.MjSpec.from_string(xml(scale)).compile() for scale in ("", *SCALES)}


@pytest.mark.parametrize("scale", SCALES)
def test_numbers_are_those_of_the_version(models: dict[str, Any], scale: str) -> None:
    """A frame scale changes the same fields as in MuJoCo, to the same values."""
    plain, found = numbers(models[""]), numbers(models[scale])
    for name in FIELDS:
        wanted = np.array(plain[name])
        for i, value in OFFICIAL[scale][name]:
            wanted[i] = value
        # inertias and derived fields are only as exact as the mesh, which has single precision
        np.testing.assert_allclose(found[name], wanted, rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("scale", SCALES)
def test_models_survive(scale: str) -> None:
    """Scaled models stay equal when they are saved, copied, attached or pickled; they are saved without scales."""
    spec = conjoint.MjSpec.from_string(xml(scale))
    m = spec.compile()
    text = spec.to_xml()
    assert not re.search("<frame[^>]*scal", text)
    parent = conjoint.MjSpec()
    parent.attach(conjoint.MjSpec.from_string(xml(scale)), frame=parent.worldbody.add_frame())
    others = (
        conjoint.MjModel.from_xml_string(text), spec.copy().compile(), spec.compile(), pickle.loads(pickle.dumps(m)),
        parent.compile(),
    )  # fmt: skip
    wanted = numbers(m)
    for other in others:
        found = numbers(other)
        for name in set(FIELDS) - {"key_act"}:
            np.testing.assert_allclose(found[name], wanted[name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_what_is_changed_in_a_model_is_written_without_the_scale() -> None:
    spec = conjoint.MjSpec.from_string(xml('scale="2" massscale="3"'))
    m = copy.copy(spec.compile())
    m.body("c").pos[:] = 7, 8, 9
    m.geom("g").size[:] = 1, 2, 3
    m.joint("s").range[:] = -5, 6
    m.joint("h").stiffness = 44
    m.body("e").mass = 17
    m.pair("p1").margin = 0.5
    m.tendon("t1").range[:] = 0, 9
    spec.copy_back(m)
    assert spec.geom("g").size.tolist() == [0.5, 1, 1.5]
    assert spec.joint("s").range.tolist() == [-2.5, 3]
    assert spec.body("e").mass == pytest.approx(17 / 3)
    assert spec.body("c").pos.tolist() == [3, 3, 3]
    again = spec.compile()
    assert again.body("e").mass == pytest.approx(17)
    assert again.joint("h").stiffness == pytest.approx(44)
    for name in ("body_pos", "geom_size", "jnt_range", "pair_margin", "tendon_range"):
        np.testing.assert_allclose(getattr(again, name), getattr(m, name), rtol=1e-12, err_msg=name)


def test_inferred_inertia_is_adopted_without_the_scale() -> None:
    spec = conjoint.MjSpec.from_string(xml('scale="2" massscale="3"'))
    before = spec.compile()
    spec.adopt_inertial(spec.body("c"))
    after = spec.compile()
    for name in ("body_mass", "body_inertia", "body_ipos"):
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), rtol=1e-12, err_msg=name)


PENDULUM = """<mujoco><option gravity="0 0 {gravity}" timestep=".002"/><worldbody><frame {scale}>
<body pos="0 0 1"><joint name="h" axis="0 1 0" damping=".3" stiffness="2" frictionloss=".1"/>
<geom type="capsule" size=".04" fromto="0 0 0 .4 0 0"/><body pos=".4 0 0">
<joint name="s" type="slide" axis="1 0 0" damping="2 1" stiffness="40 3 1" armature=".1"/><geom size=".06"/>
</body></body></frame></worldbody><actuator><motor joint="h"/><position joint="s" kp="30" kv="2"/></actuator></mujoco>"""


def test_a_similar_copy_moves_as_the_original_in_scaled_gravity() -> None:
    """A scaled pendulum in scaled gravity has the same angles at all times and scaled lengths.

    So every quantity is scaled according to its dimension.
    """

    def moved(scale: str, gravity: float, length: float) -> np.ndarray:
        m = conjoint.MjModel.from_xml_string(PENDULUM.format(scale=scale, gravity=gravity))
        d = conjoint.MjData(m)
        d.ctrl[:] = 0.4, 0.1 * length
        conjoint.mj_step(m, d, 150)
        return np.asarray(d.qpos / (1, length))

    original = moved("", -9.81, 1.0)
    assert abs(original).max() > 0.1
    for attributes, length in (('scale="2"', 2.0), ('scale=".3"', 0.3), ('scale="2" massscale="5"', 2.0)):
        np.testing.assert_allclose(moved(attributes, -9.81 * length, length), original, rtol=1e-9)
    assert abs(moved('scale="2" scaling="geometry"', -2 * 9.81, 2.0) - original).max() > 1e-3


NESTED = """<mujoco><worldbody><frame pos="1 2 3" euler="0 0 90" scale="2"><body pos=".1 0 0">
<frame pos="1 0 0" scale="3" scaling="geometry"><body name="b" pos=".1 .2 .3"><joint name="s" type="slide" stiffness="1"
range="0 1"/><geom size=".1"/></body></frame></body></frame></worldbody></mujoco>"""


@pytest.mark.plain
def test_scales_of_frames_inside_each_other_are_multiplied() -> None:
    """Lengths are multiplied by both nested frame scales, but stiffness only by the outer one, which also scales mass."""
    m = conjoint.MjModel.from_xml_string(NESTED)
    b = m.body("b")
    assert b.pos.round(12).tolist() == [2.6, 1.2, 1.8]
    assert b.mass == pytest.approx(6**3 * 4 / 3 * np.pi)
    assert (m.joint("s").stiffness[0], m.joint("s").range[1]) == (8, 6)


def test_meshes_of_several_scales() -> None:
    """If geoms use a mesh at several scales, the first geom's scale changes the mesh itself, and other scales create copies.

    Sites are processed after geoms.
    """
    spec = conjoint.MjSpec.from_string("""<mujoco><asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <hfield name="h" nrow="2" ncol="2" size="1 2 .5 .1"/></asset><worldbody>
    <frame scale="2"><site type="mesh" mesh="a"/><geom type="hfield" hfield="h"/></frame><geom type="hfield" hfield="h"/>
    <frame scale="3"><geom type="mesh" mesh="a"/></frame><geom type="mesh" mesh="a"/></worldbody></mujoco>""")
    m = spec.compile()
    assert [m.mesh(i).name for i in range(m.nmesh)] == ["a", "a@1", "a@2"]
    assert m.mesh_scale[:, 0].tolist() == [3, 1, 2]
    assert [m.hfield(i).name for i in range(m.nhfield)] == ["h", "h@1"]
    assert m.hfield_size.tolist() == [[2, 4, 1, 0.2], [1, 2, 0.5, 0.1]]
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert (again.mesh_scale == m.mesh_scale).all() and (again.geom_size == m.geom_size).all()
    assert spec.mesh("a").scale.tolist() == [1, 1, 1] and len(spec.meshes) == 1


CLOTH = """<mujoco><worldbody><frame {}><body name="b"><flexcomp name="f" dim="2" count="3 3 1" spacing=".1 .1 .1"
radius=".01"><elasticity young="1e4" poisson=".2" thickness=".02" elastic2d="both"/>
<contact margin=".01" friction="1 .01 .001" selfcollide="none"/></flexcomp><geom size=".1"/></body></frame></worldbody>
<deformable><skin name="s" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2" inflate=".1">
<bone body="b" bindpos="0 0 1" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></deformable></mujoco>"""


def test_flexes_and_skins() -> None:
    """Frame scales multiply the stretching and bending stiffness of a flex by the factors of MuJoCo 4.0.0."""
    plain = conjoint.MjModel.from_xml_string(CLOTH.format(""))
    for scale, stretch, bend in (('scale="2"', 2, 8), ('scale="2" scaling="geometry"', 0.5, 2)):
        spec = conjoint.MjSpec.from_string(CLOTH.format(scale))
        m = spec.compile()
        for name, factor in (("flex_stiffness", stretch), ("flex_bending", bend)):
            np.testing.assert_allclose(getattr(m, name), factor * getattr(plain, name), rtol=1e-9)
        assert (m.flex_radius[0], m.flex_margin[0]) == (0.02, 0.02)
        assert m.flex_friction[0].tolist() == [1, 0.02, 0.002]
        assert m.skin_vert.max() == 2 and m.skin_bonebindpos[0].tolist() == [0, 0, 2]
        assert m.skin_inflate[0] == pytest.approx(0.2)
        again = conjoint.MjModel.from_xml_string(spec.to_xml())
        for name in ("flex_stiffness", "flex_radius", "skin_vert", "skin_bonebindpos", "skin_inflate", "body_mass"):
            np.testing.assert_allclose(getattr(again, name), getattr(m, name), rtol=1e-9, err_msg=name)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("frame", "inside", "rest", "message"),
    [
        ('scale="0"', '<geom size="1"/>', "", "<frame name='F'>: scale must be finite and positive"),
        ('scale="nan"', '<geom size="1"/>', "", "scale must be finite and positive"),
        ('massscale="-1"', '<geom size="1"/>', "", "massscale must be finite, and not negative"),
        ('scale="1 2 3"', '<geom size="1"/>', "", "<frame name='F'>: different factors .* scaling='geometry'"),
        ('scale="2"', '<body name="b"><joint name="j"/><geom size="1"/></body>',
         '<actuator><dcmotor joint="j" nominal="12 .5 300"/></actuator>', "<dcmotor>: its parameters .* scaling='geometry'"),
        ('scale="2"', '<flexcomp name="f" count="2 2 1" spacing=".1 .1 .1"/>', "", "must enclose its body"),
    ],
)  # fmt: skip
def test_what_cannot_be_scaled(frame: str, inside: str, rest: str, message: str) -> None:
    text = f'<mujoco><worldbody><frame name="F" {frame}>{inside}</frame></worldbody>{rest}</mujoco>'
    with pytest.raises(ModelError, match=f"XML:1:.*{message}"):
        conjoint.MjModel.from_xml_string(text)


def stretched(inside: str, rest: str = "", scale: str = "2 3 4", assets: str = "") -> str:
    return f"""<mujoco><compiler autolimits="true"/>{assets}<worldbody>
    <frame name="F" pos="1 2 3" euler="0 0 30" scale="{scale}" scaling="geometry">{inside}</frame>
    <body name="o"><joint name="oj"/><geom name="og" size=".1"/></body></worldbody>{rest}</mujoco>"""


MESH = '<asset><mesh name="h" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
FIELD = '<asset><hfield name="h" nrow="2" ncol="2" size="1 2 .5 .1"/></asset>'
SHAPES = [
    ('<geom type="box" size="1 2 3" pos="1 1 1"/>', "", "2 3 4", {"geom_pos": [1.23205, 5.59808, 7], "geom_size": [2, 6, 12]}),
    ('<geom type="box" size="1 2 3" euler="0 0 90"/>', "", "2 3 4", {"geom_size": [3, 4, 12]}),
    ('<geom type="box" size="1 2 3" euler="0 0 3"/>', "", "2 3 4", {"geom_size": [2.00342, 5.99543, 12]}),
    ('<geom type="ellipsoid" size="1 2 3" euler="90 0 0"/>', "", "2 3 4", {"geom_size": [2, 8, 9]}),
    ('<geom type="plane" size="1 2 3"/>', "", "2 3 4", {"geom_size": [2, 6, 8.6535]}),
    ('<geom type="capsule" size=".1 .2"/>', "", "2 2 4", {"geom_size": [0.2, 0.8]}),
    ('<geom type="cylinder" size=".1" fromto="0 0 0 1 0 0"/>', "", "4 2 2", {"geom_pos": [2.73205, 3, 3], "geom_size": [0.2, 2]}),
    ('<geom type="mesh" mesh="h"/>', MESH, "2 3 4", {"mesh_scale": [2, 3, 4], "geom_size": [1.0314, 1.82443, 3.09632]}),
    ('<geom type="hfield" hfield="h"/>', FIELD, "2 3 4", {"hfield_size": [2, 6, 2, 0.4]}),
    ('<body><geom type="box" size=".1 .2 .3" shellinertia="true"/></body>', "", "1 1 3", {"body_mass": [3346]}),
    ('<body><geom type="box" size=".1 .2 .3" shellinertia="true"/></body>', "", "2 2 2", {"body_mass": [7040]}),
    ('<body><geom type="mesh" mesh="h"/></body>', MESH.replace("<mesh", '<mesh inertia="shell"'), "2 2 2", {"body_mass": [18928.2]}),
    ('<site size="1"/>', "", "2 3 4", {"site_size": [2.8845]}),
    ('<site type="box" size="1 1 1" euler="0 0 45"/>', "", "2 3 4", {"site_size": [2.54951, 2.54951, 4]}),
    ('<site type="capsule" size="1 1" euler="45 0 0"/>', "", "2 3 4", {"site_size": [2.65915, 3.53553]}),
    ('<body pos="1 1 1" euler="0 0 45"><geom type="box" size="1 2 3" pos="1 0 0" euler="0 0 -45"/></body>', "", "2 3 4",
     {"body_pos": [1.23205, 5.59808, 7], "geom_pos": [2.5, 0.5, 0], "geom_size": [2, 6, 12]}),
    ('<geom type="box" size="1 1 1" euler="0 0 90" surfacevel="1 2 3 4 5 6"/>', "", "2 3 4",
     {"geom_surfacevel": [3, 4, 12, 4, 5, 6]}),
    ('<body><joint/><inertial pos="1 1 1" mass="2" diaginertia="1 2 2.5" euler="0 0 30"/></body>', "", "2 3 4",
     {"body_ipos": [2, 3, 4], "body_inertia": [360, 348, 204], "body_mass": [48]}),
    ('<body><joint type="slide" axis="1 0 0" range="-1 1" margin=".1" stiffness="3" pos="1 1 1"/><geom type="box" size="1 1 1"/></body>',
     "", "2 3 4", {"jnt_pos": [2, 3, 4], "jnt_range": [-2, 2], "jnt_margin": [0.2], "jnt_stiffness": [3]}),
    ('<frame pos="1 1 1" euler="0 0 90" scale="1 2 1" scaling="geometry"><geom type="box" size="1 1 1" pos="1 1 1"/></frame>',
     "", "2 3 4", {"geom_pos": [-3.73205, 6.19615, 11], "geom_size": [3, 4, 4]}),
    ('<frame pos="1 1 1" euler="0 0 45" scale="1 2 1" scaling="geometry"><site pos="1 0 0"/></frame>', "", "2 3 4",
     {"site_pos": [1.39614, 8.1423, 7]}),
]  # fmt: skip


@pytest.mark.plain
@pytest.mark.parametrize(("inside", "assets", "scale", "wanted"), SHAPES)
def test_frames_that_stretch(inside: str, assets: str, scale: str, wanted: dict[str, list[float]]) -> None:
    """The contents of a frame with a different scale for each axis have the values of MuJoCo 4.0.0."""
    spec = conjoint.MjSpec.from_string(stretched(inside, "", scale, assets))
    m = spec.compile()
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    for name, numbers_ in wanted.items():
        row = int(name.startswith("body"))
        for model in (m, again):
            found = np.ravel(getattr(model, name)[row])[: len(numbers_)]
            np.testing.assert_allclose(found, numbers_, rtol=2e-5, atol=1e-9, err_msg=name)


RELATED = """<body name="b" pos="1 1 1"><joint name="s" type="slide" axis="1 0 0"/><geom name="g" type="box" size="1 1 1"/>
<site name="s1" pos="1 0 0"/><site name="s2"/></body>"""
RELATIONS = """<contact><pair geom1="g" geom2="og" margin="1"/></contact><tendon><spatial range="0 1">
<site site="s1"/><site site="s2"/></spatial><fixed range="0 1"><joint joint="s" coef="1"/></fixed><fixed range="0 1">
<joint joint="s" coef="1"/><joint joint="oj" coef="1"/></fixed></tendon><equality><connect body1="b" body2="o" anchor="1 1 1"/>
<weld body1="b" body2="o" relpose="1 1 1 1 0 0 0" anchor="1 1 1"/><joint joint1="s" joint2="oj" polycoef="1 1 1 1 1"/></equality>
<actuator><position joint="s" kp="1" ctrlrange="0 1"/><motor site="s1" gear="1 0 0 1 1 1"/></actuator>
<sensor><jointpos joint="s" cutoff="1"/><framepos objtype="body" objname="b" cutoff="1"/></sensor>"""


def test_relations_of_what_is_stretched() -> None:
    """Vectors are scaled by axis, and scalar lengths by the mean scale, as in MuJoCo 4.0.0."""
    m = conjoint.MjModel.from_xml_string(stretched(RELATED, RELATIONS))
    mean = 24 ** (1 / 3)
    assert m.pair_margin == pytest.approx(mean**0.5)
    assert m.tendon_range[:, 1] == pytest.approx([mean, mean, 1])
    assert m.wrap_prm[2:] == pytest.approx([mean / 2, 0.5, 1])
    assert m.eq_data[0, :3].tolist() == [2, 3, 4]
    assert m.eq_data[1, [0, 1, 2, 3, 4, 5, 10]] == pytest.approx([1, 1, 1, 2, 3, 4, mean**0.5])
    assert m.eq_data[2, :5].tolist() == [2, 2, 2, 2, 2]
    assert m.actuator_ctrlrange[0].tolist() == [0, 2]
    assert m.actuator_gear[1] == pytest.approx([1, 0, 0, mean, mean, mean])
    assert m.sensor_cutoff == pytest.approx([2, mean])
    free = '<body pos="1 1 1"><freejoint/><geom type="box" size="1 1 1"/></body>'
    key = '<keyframe><key qpos="1 2 5 1 0 0 0 0" qvel="1 1 1 1 1 1 0"/></keyframe>'
    m = conjoint.MjModel.from_xml_string(stretched(free, key))
    assert m.key_qpos[0] == pytest.approx([1, 2, 11, 1, 0, 0, 0, 0])
    assert m.key_qvel[0] == pytest.approx([1.81699, 2.31699, 4, 1, 1, 1, 0], abs=1e-5)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("inside", "assets", "message"),
    [
        ('<geom type="box" size="1 2 3" euler="0 0 5"/>', "", "its axes are not those of the scale"),
        ('<geom type="capsule" size=".1 .2"/>', "", "its factors across its axis must be equal"),
        ('<geom type="cylinder" size=".1" fromto="0 0 0 1 1 0"/>', "", "its axis is not one of those"),
        ('<geom size="1"/>', "", "a sphere can only be scaled by equal factors"),
        ('<body><joint axis="1 1 0"/><geom type="box" size="1 1 1"/></body>', "", "<joint>: its axis is not one of those"),
        ('<geom type="mesh" mesh="h" euler="0 0 45"/>', MESH, "<mesh name='h'>: a frame stretches it along axes other"),
    ],
)  # fmt: skip
def test_what_cannot_be_stretched(inside: str, assets: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        conjoint.MjModel.from_xml_string(stretched(inside, "", "2 3 4", assets))


def test_what_was_made_by_a_program_has_the_dimensions_of_what_it_was_made_as() -> None:
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_frame(scale=[2, 2, 2]).add_body(name="b")
    body.add_joint(name="s", type=conjoint.mjtJoint.mjJNT_SLIDE)
    body.add_geom(size=[0.1, 0, 0])
    for name, make in (("servo", lambda a: a.set_to_position(kp=3)), ("motor", lambda a: a.set_to_motor())):
        make(spec.add_actuator(name=name, trntype=conjoint.mjtTrn.mjTRN_JOINT, target="s", ctrlrange=[0, 1]))
    m = spec.compile()
    assert m.actuator_gainprm[:, 0].tolist() == [24, 16] and m.actuator_ctrlrange[:, 1].tolist() == [2, 1]


SLIDER = """<mujoco><worldbody><site name="still"/><frame scale="2" scaling="{}"><body><joint name="j" type="slide"/>
<geom size=".1"/><site name="moved" pos=".1 0 0"/></body></frame></worldbody>
<tendon><fixed name="t" stiffness="8"><joint joint="j" coef="1"/></fixed></tendon><actuator>{}</actuator></mujoco>"""


def test_what_acts_on_something_scaled() -> None:
    """Tendon springs, slider-cranks and motors that act on scaled elements have the values of MuJoCo 4.0.0."""
    crank = '<velocity slidersite="still" cranksite="moved" cranklength=".3" kv=".5" ctrlrange="-1 1"/>'
    m = conjoint.MjModel.from_xml_string(SLIDER.format("similar", crank))
    np.testing.assert_array_equal(m.tendon_lengthspring, [[0, 0]])
    np.testing.assert_allclose(m.actuator_gainprm[0, 0], 0.5 * 2**1.5, rtol=1e-12)
    np.testing.assert_allclose(m.actuator_cranklength, 0.3 * 2**0.5, rtol=1e-12)
    np.testing.assert_allclose(m.actuator_ctrlrange, [[-(2**0.5), 2**0.5]], rtol=1e-12)
    motor = """<dcmotor joint="j" resistance="2" motorconst=".4" cogging=".03 7 .5" lugre="6 .04 .2 .3 .5" input="pos vel"
      controller="2 1.5 1.25 7 .35 2.25" ctrlrange="-1 1"/>"""
    m = conjoint.MjModel.from_xml_string(SLIDER.format("geometry", motor))
    np.testing.assert_allclose(m.actuator_biasprm[0, :6], [0.03, 3.5, 0.5, 0.2, 0.3, 1], rtol=1e-12)
    np.testing.assert_allclose(m.actuator_dynprm[0, 5:9], [6, 0.04, 14, 0.7], rtol=1e-12)
    np.testing.assert_array_equal(m.actuator_ctrlrange, [[-2, 2], [-2, 2]])


YIELDING = """<mujoco><worldbody><geom name="w" size=".1"/><site name="still"/><frame scale="2"><body>
<joint name="j" type="slide" stiffness="1" springyield=".1"/><geom name="g" size=".1"/><site name="moved" pos=".1 0 0"/></body>
</frame></worldbody><tendon><spatial stiffness="1" springyield=".2"><site site="still"/><site site="moved"/></spatial>
<fixed stiffness="1" springyield=".2"><joint joint="j" coef="1"/></fixed></tendon>
<sensor><normal geom1="g" geom2="w" cutoff="1" noise="1"/></sensor>
<keyframe><key qpos=".3" plastic=".1 .2 .3 .4 .5"/></keyframe></mujoco>"""


def test_springs_that_yield_and_normals() -> None:
    """Yield limits of springs, plastic deformations in keyframes and cutoffs of normal sensors are scaled as in MuJoCo 4.0.0."""
    m = conjoint.MjModel.from_xml_string(YIELDING)
    np.testing.assert_allclose([*m.jnt_springyield, *m.tendon_springyield], [0.2, 0.2, 0.4], rtol=1e-12)
    np.testing.assert_allclose(m.key_plastic, [[0.2, 0.2, 0.3, 0.8, 1]], rtol=1e-12)
    np.testing.assert_allclose([m.sensor_cutoff[0], m.sensor_noise[0]], [2**0.5, 1], rtol=1e-12)
