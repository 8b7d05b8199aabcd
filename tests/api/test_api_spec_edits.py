"""Edits of MjSpec compared with MuJoCo: defaults classes, ids, bones, frames and attached models."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from compiled import differences
from spec_programs import CLASSED, both, same_model

PLACE = '<mujoco><worldbody><body name="p"><joint/><geom size="1"/><frame name="q" pos="0 0 1"/></body></worldbody></mujoco>'

SKIN = """<mujoco><asset><skin name="s" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">
  <bone body="a" bindpos="1 2 3" bindquat="1 0 0 0" vertid="0 1" vertweight="1 .5"/>
  <bone body="b" bindpos="0 2 3" bindquat="0 1 0 0" vertid="1 2" vertweight=".5 1"/></skin></asset>
<worldbody><body name="a"><geom size="1"/></body><body name="b"><geom size="1"/></body></worldbody></mujoco>"""

PAIRS = """<mujoco><worldbody><body name="a"><geom name="ga" size="1"/></body><body name="b"><geom name="gb" size="1"/></body>
<body name="c"><geom name="gc" size="1"/></body></worldbody>
<contact><pair name="p2" geom1="gc" geom2="gb"/><pair name="p1" geom1="gb" geom2="ga"/>
<exclude name="e2" body1="c" body2="a"/><exclude name="e1" body1="b" body2="a"/></contact></mujoco>"""

FUSED = """<mujoco><compiler fusestatic="true" discardvisual="true"/><worldbody><geom name="g0" size="1"/>
<body name="s"><geom name="v" size="1" contype="0" conaffinity="0"/><geom name="g1" size="1"/>
  <body name="b"><joint name="j"/><geom name="g2" size="1"/></body></body>
<body name="c"><joint name="k"/><geom name="g3" size="1"/></body></worldbody></mujoco>"""


def test_classes_of_what_is_in_frames_with_a_class():
    def program(M):
        spec = M.MjSpec.from_string(CLASSED)
        seen: list[Any] = [(body.name, body.childclass, body.classname.name) for body in spec.bodies]
        seen += [(frame.name, frame.childclass) for frame in spec.frames]
        copy = spec.copy()
        seen += [(body.name, body.childclass) for body in copy.bodies]
        return seen + [spec.body(name).add_geom().rgba.tolist() for name in ("a", "b", "bb")]

    both(program)


def test_lines_and_sizes_of_what_was_read():
    def program(M):
        spec = M.MjSpec.from_string(CLASSED)
        seen = [spec.geom("ag").info, spec.body("b").info, spec.numeric("n").size, spec.numeric("n5").size]
        spec.numeric("n").data = [4, 5]
        model = spec.compile()
        return [*seen, spec.numeric("n").size, model.numeric_size.tolist(), model.numeric_data.tolist()]

    both(program)


def test_ids_follow_the_order_of_pairs():
    def program(M):
        spec = M.MjSpec.from_string(PAIRS)
        held = spec.pair("p2")
        model = spec.compile()
        seen = [(one.name, one.id) for one in (*spec.pairs, *spec.excludes)]
        return [*seen, held.id, model.bind(held).name, [model.pair(i).name for i in range(model.npair)]]

    both(program)
    spec = conjoint.MjSpec.from_string(PAIRS)
    assert spec.compile().bind(spec.exclude("e2")).name == "e2"


def test_ids_where_bodies_are_fused():
    spec = conjoint.MjSpec.from_string(FUSED)
    model = spec.compile()
    for name in ("g0", "g1", "g2", "g3"):
        assert spec.geom(name).id == model.geom(name).id and model.bind(spec.geom(name)).name == name
    assert [spec.body(name).id for name in ("s", "b", "c")] == [-1, 1, 2] and spec.geom("v").id == -1
    with pytest.raises(ValueError, match="does not match"):
        model.bind(spec.geom("v"))
    data = conjoint.MjData(model)
    data.qpos[:] = [0.1, 0.2]
    _, after = spec.recompile(model, data)
    assert after.qpos.tolist() == [0.1, 0.2]


def bones(skin: Any) -> list[Any]:
    """Return the names, poses, vertices and weights of a skin's bones."""
    numbers = [np.array(list(one)).tolist() for one in (skin.bindpos, skin.bindquat)]
    return [list(skin.bodyname), *numbers, *[[list(row) for row in rows] for rows in (skin.vertid, skin.vertweight)]]


def test_bones_that_were_read_can_be_changed():
    def program(M):
        spec = M.MjSpec.from_string(SKIN)
        skin = spec.skins[0]
        seen = bones(skin)
        skin.bodyname = ["b", "a"]
        skin.vertid, skin.vertweight = [[0], [1, 2]], [[1.0], [1.0, 3.0]]
        skin.bindpos[0] = 7
        model = spec.compile()
        arrays = (model.skin_bonebodyid, model.skin_bonevertid, model.skin_bonevertweight, model.skin_bonebindpos)
        return [seen, bones(skin), [array.tolist() for array in arrays]]

    both(program)


def test_bones_that_a_program_made():
    def program(M):
        spec = M.MjSpec()
        spec.worldbody.add_body(name="a").add_geom(size=[1, 0, 0])
        spec.add_skin(
            name="s", vert=[0, 0, 0, 1, 0, 0, 0, 1, 0], face=[0, 1, 2], bodyname=["a"], bindpos=[0, 0, 1],
            bindquat=[1, 0, 0, 0], vertid=[[0, 1, 2]], vertweight=[[1, 2, 3]],
        )  # fmt: skip
        return spec

    same_model(program)
    assert "<bone" in program(conjoint).to_xml()
    for M in (mujoco, conjoint):
        spec = program(M)
        spec.skins[0].bindpos = [1, 2, 3, 4, 5, 6]
        with pytest.raises(ValueError, match="bindpos"):
            spec.compile()


def test_deleting_a_frame_leaves_what_is_in_it():
    # MuJoCo does not remove the frame from its list, and crashes when the model is freed
    spec = conjoint.MjSpec.from_string(CLASSED)
    before = spec.compile()
    spec.frame("f").pos[2] = 0.5
    spec.delete(spec.frame("f"))
    assert [frame.name for frame in spec.frames] == ["g", "h"] and spec.frame("g").frame is None
    assert spec.geom("fg").frame is None and spec.geom("fg").parent is spec.worldbody
    after = spec.compile()
    assert after.geom("fg").pos.tolist() == [1, 0, 0.5]
    assert (after.body("a").pos - before.body("a").pos).tolist() == [0, 0, 0.5]
    text = spec.to_xml()
    assert '"f"' not in text and differences(conjoint.MjModel.from_xml_string(text).memory, after) == {}
    spec.delete(spec.frame("g"))
    assert differences(spec.compile().memory, after) == {}
    assert spec.copy().geom("fg").frame is None and differences(spec.copy().compile().memory, after) == {}


def test_keyframes_of_the_wrong_size_are_no_matter_of_deleting():
    for M in (mujoco, conjoint):
        spec = M.MjSpec.from_string(CLASSED)
        spec.add_key(name="k", qpos=[1, 2, 3])
        spec.delete(spec.body("bb"))
        with pytest.raises(ValueError, match="k"):
            spec.compile()


def test_joints_of_another_type_keep_their_state():
    def program(M):
        spec = M.MjSpec.from_string(CLASSED)
        model = spec.compile()
        data = M.MjData(model)
        data.qpos[:], data.qvel[:] = [0.1, 0.2], [1, 2]
        spec.joint("aj").type = M.mjtJoint.mjJNT_SLIDE
        _, data = spec.recompile(model, data)
        return data.qpos.tolist(), data.qvel.tolist()

    both(program)


def test_a_frame_inside_another_one_is_attached_where_it_is():
    # MuJoCo uses the enclosing frame, which is freed with its model
    kept: list[Any] = []

    def program(M):
        parent, child = M.MjSpec.from_string(PLACE), M.MjSpec.from_string(CLASSED)
        parent.compiler.degree = False
        kept.append(child)
        parent.body("p").attach_frame(child.frame("g"), "x-", "")
        assert [frame.name for frame in parent.frames] == ["q", "x-g"]
        return parent

    same_model(program)
    parent, child = conjoint.MjSpec.from_string(PLACE), conjoint.MjSpec.from_string(CLASSED)
    parent.body("p").attach_frame(child.frame("g"), "x-")
    model = parent.compile()
    assert differences(conjoint.MjModel.from_xml_string(parent.to_xml()).memory, model) == {}


def test_what_is_added_to_an_attached_model_is_of_its_classes():
    def program(M):
        parent, child = M.MjSpec.from_string(PLACE), M.MjSpec.from_string(CLASSED)
        parent.attach(child, prefix="x-", frame="q")
        geom = child.body("x-a").add_geom(name="late", size=[0.1, 0, 0])
        child.geom("x-fg").size[0] = 0.4
        child.body("x-b").name = "other"
        assert geom.classname.name == "x-c" and parent.body("other") == child.body("other")
        assert parent.geom("x-fg").size[0] == 0.4 and parent.geom("late").parent == parent.body("x-a")
        return parent

    same_model(program)


def test_parents_are_those_that_all_was_attached_to():
    def program(M):
        parents = [M.MjSpec.from_string(PLACE) for _ in range(3)]
        children = [M.MjSpec.from_string(CLASSED) for _ in range(3)]
        parents[0].attach(children[0], prefix="x-", frame="q")
        parents[1].frame("q").attach_body(children[1].body("b"), "x-", "")
        parents[2].copy_during_attach = True
        parents[2].attach(children[2], prefix="x-", frame="q")
        seen = [child.parent is parent for parent, child in zip(parents, children, strict=True)]
        with pytest.raises(ValueError, match="attached"):
            children[0].compile()
        with pytest.raises(ValueError, match="attached"):
            children[0].to_xml()
        return [*seen, children[2].compile().nbody, len(children[2].to_xml()) > 100]

    both(program)
