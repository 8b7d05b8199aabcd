"""Frames that scale what is in them, beside the numbers of 4.0.0 (`newer_scales`) and as physics."""

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
    """The model in frames of several scales, and with no scale; by the rules of 4.0, as dampratio is of an actuator."""
    with conjoint.semantics("4.0"):
        return {scale: conjoint.MjSpec.from_string(xml(scale)).compile() for scale in ("", *SCALES)}


@pytest.mark.parametrize("scale", SCALES)
def test_numbers_are_those_of_the_version(models: dict[str, Any], scale: str) -> None:
    """What the scale changes becomes what it becomes officially, and nothing else changes."""
    plain, found = numbers(models[""]), numbers(models[scale])
    for name in FIELDS:
        wanted = np.array(plain[name])
        for i, value in OFFICIAL[scale][name]:
            wanted[i] = value
        # inertias and what follows from them are as exact as the mesh, whose numbers are single
        np.testing.assert_allclose(found[name], wanted, rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("scale", SCALES)
def test_models_survive(scale: str) -> None:
    """Saved, copied, attached and pickled they are the same; a compiled model is saved without scales."""
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


PENDULUM = """<mujoco><option gravity="0 0 {gravity}" timestep=".002"/><worldbody><frame {scale}>
<body pos="0 0 1"><joint name="h" axis="0 1 0" damping=".3" stiffness="2" frictionloss=".1"/>
<geom type="capsule" size=".04" fromto="0 0 0 .4 0 0"/><body pos=".4 0 0">
<joint name="s" type="slide" axis="1 0 0" damping="2 1" stiffness="40 3 1" armature=".1"/><geom size=".06"/>
</body></body></frame></worldbody><actuator><motor joint="h"/><position joint="s" kp="30" kv="2"/></actuator></mujoco>"""


def test_a_similar_copy_moves_as_the_original_in_scaled_gravity() -> None:
    """Angles are the same at all times, lengths are multiplied: dimensions of everything fit together."""

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
    """Stiffness follows the outer one alone, which is similar: 8 is its mass."""
    m = conjoint.MjModel.from_xml_string(NESTED)
    b = m.body("b")
    assert b.pos.round(12).tolist() == [2.6, 1.2, 1.8]
    assert b.mass == pytest.approx(6**3 * 4 / 3 * np.pi)
    assert (m.joint("s").stiffness[0], m.joint("s").range[1]) == (8, 6)


def test_meshes_of_several_scales() -> None:
    """The scale of the first geom is that of the mesh itself, as in 4.0.0; sites come after geoms."""
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
    """Stiffness of stretching is a force per length, that of bending another: 4.0.0 has the same factors."""
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
        ('scale="1 2 3"', '<geom size="1"/>', "", "stretching is not built"),
        ('scale="2"', '<body name="b"><joint name="j"/><geom size="1"/></body>',
         '<actuator><dcmotor joint="j" nominal="12 .5 300"/></actuator>', "<dcmotor>: its parameters .* scaling='geometry'"),
        ('scale="2"', '<flexcomp name="f" count="2 2 1" spacing=".1 .1 .1"/>', "", "must be around its body"),
    ],
)  # fmt: skip
def test_what_cannot_be_scaled(frame: str, inside: str, rest: str, message: str) -> None:
    text = f'<mujoco><worldbody><frame name="F" {frame}>{inside}</frame></worldbody>{rest}</mujoco>'
    with pytest.raises(ModelError, match=f"XML:1:.*{message}"):
        conjoint.MjModel.from_xml_string(text)


def test_what_was_made_by_a_program_has_the_dimensions_of_what_it_was_made_as() -> None:
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_frame(scale=[2, 2, 2]).add_body(name="b")
    body.add_joint(name="s", type=conjoint.mjtJoint.mjJNT_SLIDE)
    body.add_geom(size=[0.1, 0, 0])
    for name, make in (("servo", lambda a: a.set_to_position(kp=3)), ("motor", lambda a: a.set_to_motor())):
        make(spec.add_actuator(name=name, trntype=conjoint.mjtTrn.mjTRN_JOINT, target="s", ctrlrange=[0, 1]))
    m = spec.compile()
    assert m.actuator_gainprm[:, 0].tolist() == [24, 16] and m.actuator_ctrlrange[:, 1].tolist() == [2, 1]
