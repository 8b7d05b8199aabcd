"""Editable models: the same program creates the same compiled model with MuJoCo and with Conjoint."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from calls import calls
from compiled import differences
from spec_programs import CHILD, PARENT, SCRIPTS, delete_a_body


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_same_program_makes_the_same_model(name):
    official, own = SCRIPTS[name](mujoco).compile(), SCRIPTS[name](conjoint).compile()
    assert differences(own.memory, official) == {}
    assert own.names == official.names


@pytest.mark.parametrize("name", SCRIPTS)
def test_saved_and_read_again_it_is_the_same(name):
    spec = SCRIPTS[name](conjoint)
    before = spec.compile()
    text = spec.to_xml()
    assert differences(conjoint.MjSpec.from_string(text).compile().memory, before) == {}
    assert differences(before.memory, mujoco.MjModel.from_xml_string(text)) == {}


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
        # names passed as keywords are not checked before the model is compiled
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
    # MuJoCo keeps the control of the deleted actuator instead
    assert data.ctrl.tolist() == [0.6]


class One:
    """Object with an `__index__` method, which can be used as an integer."""

    def __index__(self) -> int:
        return 1


@pytest.mark.parametrize("value", [True, np.True_, np.array(True), np.array(1), np.uint8(1), One()])
def test_whole_numbers_of_all_types(value):
    for module in (mujoco, conjoint):
        spec = module.MjSpec()
        body = spec.worldbody.add_body(mocap=value)
        geom = body.add_geom(group=value)
        body.mocap = geom.contype = value
        assert (body.mocap, geom.group, geom.contype) == (1, 1, 1)


WRONG = [
    (lambda s, b: b.add_geom(siz=[1]), TypeError, "Invalid siz keyword argument. Did you mean 'size'"),
    (lambda s, b: b.add_geom(size=[1, 2, 3, 4]), ValueError, "size should be a list/array of size 1 to 3"),
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
    with pytest.raises(ValueError, match="compile that model"):
        child.compile()
    copies = conjoint.MjSpec.from_string(PARENT)
    copies.copy_during_attach = True
    child = conjoint.MjSpec.from_string(CHILD)
    copies.attach(child, prefix="x-", frame="pf")
    assert child.body("cb") is not None and child.compile().nbody == 4


def test_programs_grow_with_their_size():
    def build(count: int) -> None:
        spec = conjoint.MjSpec()
        parent = spec.worldbody
        for i in range(count):
            parent = (parent if i % 10 else spec.worldbody).add_body(name=f"b{i}", pos=[0.1 * i, 0, 1])
            parent.add_geom(name=f"g{i}", type=conjoint.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
            parent.add_joint(name=f"j{i}", axis=[0, 1, 0], range=[-90, 90])
            spec.add_actuator(name=f"a{i}", target=f"j{i}", trntype=conjoint.mjtTrn.mjTRN_JOINT)
            assert spec.joint(f"j{i}").range[1] == 90

    few, many = (calls(lambda count=count: build(count)) for count in (250, 2000))
    assert many < 1.1 * 8 * few


def test_attaching_does_not_slow_down():
    def build(children: list[Any]) -> None:
        spec = conjoint.MjSpec()
        for i, child in enumerate(children):
            spec.attach(child, prefix=f"{i}/", frame=spec.worldbody.add_frame(pos=[i, 0, 0]))
            spec.body(f"{i}/cb").pos[2] = 1
        for i in range(len(children)):
            spec.delete(spec.geom(f"{i}/cg"))

    def counted(count: int) -> int:
        children = [conjoint.MjSpec.from_string(CHILD) for _ in range(count)]
        return calls(lambda: build(children))

    assert counted(200) < 1.1 * 8 * counted(25)


def test_reading_changes_nothing(model_path):
    model = conjoint.MjModel.from_xml_path(model_path)
    spec = conjoint.MjSpec.from_file(model_path)
    lists = "bodies geoms joints sites cameras lights frames actuators sensors tendons materials textures meshes"
    for name in lists.split():
        for handle in getattr(spec, name):
            for attribute in dir(type(handle)):
                if attribute[0] != "_" and isinstance(getattr(type(handle), attribute), property):
                    getattr(handle, attribute)
    assert differences(spec.compile().memory, model) == {}
    assert differences(spec.copy().compile().memory, model) == {}
