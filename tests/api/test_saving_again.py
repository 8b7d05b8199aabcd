"""Repeated saving: a specification or model is compiled again if and only if it changed."""

import numpy as np
import pytest

import conjoint
from conjoint.compiler import last_compiled

XML = """
<mujoco>
  <default><default class="soft"><joint damping="1"/></default></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="arm" pos="0 0 1" childclass="soft">
      <joint name="hinge" axis="0 1 0" range="-90 90"/><geom name="link" size=".1"/><site name="tip"/>
    </body>
    <frame name="shelf"><body name="box" pos="1 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></frame>
  </worldbody>
  <tendon><fixed name="cord"><joint joint="hinge" coef="1"/></fixed></tendon>
  <equality><joint name="lock" joint1="hinge" polycoef=".1 1"/></equality>
  <actuator><position name="servo" joint="hinge" kp="2"/></actuator>
  <sensor><jointpos joint="hinge"/></sensor>
  <keyframe><key name="home" qpos=".1 0 0 1 1 0 0 0"/></keyframe>
</mujoco>
"""


def _in_place(spec):
    spec.geom("link").size[0] = 0.3


def _list_held(spec):
    held = spec.body("arm").pos
    held[2] = 3
    assert "0 0 3" in spec.to_xml()
    held[2] = 4


EDITS = {
    "a value": lambda spec: setattr(spec.geom("link"), "size", [0.2, 0, 0]),
    "a number of a list": _in_place,
    "a list that is held": _list_held,
    "a name": lambda spec: setattr(spec.body("arm"), "name", "leg"),
    "zero to minus zero": lambda spec: setattr(spec.site("tip"), "pos", [-0.0, 0, 0]),
    "an option": lambda spec: setattr(spec.option, "timestep", 0.001),
    "a visual setting": lambda spec: setattr(spec.visual.global_, "azimuth", 30),
    "a statistic": lambda spec: setattr(spec.stat, "extent", 7),
    "the compiler": lambda spec: setattr(spec.compiler, "boundmass", 9),
    "memory": lambda spec: setattr(spec, "memory", 1 << 20),
    "the name of the model": lambda spec: setattr(spec, "modelname", "other"),
    "a default": lambda spec: setattr(spec.find_default("soft").joint, "stiffness", 3),
    "a new class": lambda spec: spec.add_default("hard"),
    "a new body": lambda spec: spec.worldbody.add_body(name="new"),
    "a deleted geom": lambda spec: spec.delete(spec.geom("floor")),
    "a frame": lambda spec: setattr(spec.frame("shelf"), "pos", [0, 0, 1]),
    "a tendon": lambda spec: setattr(spec.tendon("cord"), "range", [-1, 1]),
    "an equality": lambda spec: setattr(spec.equality("lock"), "active", False),
    "an actuator": lambda spec: setattr(spec.actuator("servo"), "ctrlrange", [-1, 1]),
    "a keyframe": lambda spec: setattr(spec.key("home"), "time", 2),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_specification_is_saved_as_it_is(edit):
    spec = conjoint.MjSpec.from_string(XML)
    before = spec.to_xml()
    assert spec.to_xml() is before
    EDITS[edit](spec)
    after = spec.to_xml()
    assert after != before
    # the copy has never been saved
    assert after == spec.copy().to_xml()


@pytest.mark.parametrize("edit", EDITS)
def test_a_compiled_specification_is_saved_as_it_is(edit):
    spec = conjoint.MjSpec.from_string(XML)
    model = spec.compile()
    model.geom("link").size[0] = 0.7
    EDITS[edit](spec)
    assert spec.to_xml() == spec.copy().to_xml()


def test_what_was_just_compiled_is_saved_without_compiling(tmp_path, monkeypatch):
    model = conjoint.MjModel.from_xml_string(XML)
    before = conjoint.MjSpec.from_string(XML).to_xml()
    path = str(tmp_path / "model.xml")

    def compiled_again(spec):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(last_compiled, "compile_draft", compiled_again)
        conjoint.mj_saveLastXML(path, model)
        assert (tmp_path / "model.xml").read_text() == before
    spec = conjoint.MjSpec.from_string(XML)
    spec.geom("link").size[0] = 0.3
    spec.compile()
    with monkeypatch.context() as patch:
        patch.setattr(last_compiled, "compile_draft", compiled_again)
        after = spec.to_xml()
    assert after == spec.copy().to_xml() != before


def test_only_the_model_that_was_compiled_last_is_kept():
    models = [conjoint.MjModel.from_xml_string(XML) for _ in range(3)]
    assert [model.spec.last_compiled is not None for model in models] == [False, False, True]


def test_files_are_read_again(tmp_path):
    vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    mesh = tmp_path / "mesh.obj"
    mesh.write_text(vertices.format(1))
    xml = f"""<mujoco><compiler saveinertial="true"/><asset><mesh file="{mesh}"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="mesh"/></body></worldbody></mujoco>"""
    spec = conjoint.MjSpec.from_string(xml)
    before = spec.to_xml()
    mesh.write_text(vertices.format(2))
    assert spec.to_xml() != before


def test_a_model_is_saved_with_its_numbers(tmp_path):
    def saved(m):
        conjoint.mj_saveLastXML(str(tmp_path / "model.xml"), m)
        return (tmp_path / "model.xml").read_text()

    m, other = (conjoint.MjModel.from_xml_string(XML) for _ in range(2))
    before = saved(m)
    for model in (m, other):
        model.geom("link").size[0] = 0.3
        model.opt.timestep = 0.001
        model.body_pos[1] = (0, 0, 5)
    assert saved(m) == saved(other) != before
    m.geom("link").size[0] = 0.1
    m.opt.timestep = 0.002
    m.body_pos[1] = (0, 0, 1)
    assert saved(m) == before


def test_a_loaded_model_is_checked_whenever_it_is_another(tmp_path):
    path = str(tmp_path / "model.mjb")
    m = conjoint.MjModel.from_xml_string(XML)
    for _ in range(2):
        conjoint.mj_saveModel(m, path)
        assert np.array_equal(conjoint.MjModel.from_binary_path(path).geom_bodyid, m.geom_bodyid)
        m.jnt_bodyid[0] = 99
        conjoint.mj_saveModel(m, path)
        with pytest.raises(ValueError, match="jnt_bodyid"):
            conjoint.MjModel.from_binary_path(path)
        m.jnt_bodyid[0] = 1


def test_what_the_arena_holds_does_not_matter_after_a_reset():
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)

    def run():
        for _ in range(30):
            d.ctrl[:] = 1
            conjoint.mj_step(m, d)
        return d.qpos.copy(), d.efc_force.copy()

    d.qpos[3] = 0.05
    fresh = run()
    # fill every number with NaN
    conjoint.mj_resetDataDebug(m, d, 255)
    conjoint.mj_resetData(m, d)
    d.qpos[3] = 0.05
    for a, b in zip(fresh, run(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_unchanged_specification_is_not_compiled_again(monkeypatch):
    spec = conjoint.MjSpec.from_string(XML)
    model = spec.compile()
    before = model.memory.bytes.copy()
    model.geom("link").size[0] = 0.7

    def compiled_again(spec):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(last_compiled, "compile_draft", compiled_again)
        again = spec.compile()
        assert np.array_equal(again.memory.bytes, before)
        assert again.geom("link").size[0] == 0.1
        data = conjoint.MjData(again)
        conjoint.mj_step(again, data)
        assert spec.joint("hinge").id == 0
        again.geom("link").size[0] = 0.9
        third, _ = spec.recompile(again, data)
        assert np.array_equal(third.memory.bytes, before)


@pytest.mark.parametrize("edit", EDITS)
def test_a_changed_specification_is_compiled_as_a_copy_of_it(edit):
    spec = conjoint.MjSpec.from_string(XML)
    spec.compile()
    EDITS[edit](spec)
    assert np.array_equal(spec.compile().memory.bytes, spec.copy().compile().memory.bytes)
