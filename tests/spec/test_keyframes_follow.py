"""Keyframes of edited models: the numbers follow the elements to which they belong.

MuJoCo 3.3.5 rejects most of these edits, or leaves the numbers in place. The expected numbers are those of version 4.0.0,
where it supports the edit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conjoint

VECTORS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")
XML = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><joint name="ja"/><geom size=".1"/></body>
<body name="b"><joint name="jb" type="ball"/><geom size=".1"/></body>
<body name="h0" mocap="true" pos="2 0 0"/><body name="h1" mocap="true" pos="3 0 0"/>
<body name="c"><joint name="jc" ref="0.5"/><geom size=".1"/></body></worldbody>
<actuator><general name="u1" joint="ja" dyntype="filter" dynprm=".3"/><motor name="u2" joint="jb"/>
<general name="u3" joint="jc" dyntype="integrator"/></actuator>
<keyframe><key name="k" time="3" qpos=".1 0 1 0 0 .2" qvel="1 2 3 4 5" act="6 7" ctrl="8 9 10" mpos="1 2 3 4 5 6"
mquat="1 0 0 0 0 1 0 0"/><key name="e" qpos=".3 0 0 1 0 .4"/></keyframe></mujoco>"""
BEFORE: dict[str, Any] = {
    "qpos": [0.1, 0, 1, 0, 0, 0.2], "qvel": [1, 2, 3, 4, 5], "act": [6, 7], "ctrl": [8, 9, 10],
    "mpos": [[1, 2, 3], [4, 5, 6]], "mquat": [[1, 0, 0, 0], [0, 1, 0, 0]],
}  # fmt: skip
"""Values of the first keyframe before an edit."""


def child(parent: Any, mocap: bool = False) -> Any:
    body = parent.add_body(name="n", pos=[7, 8, 9], mocap=mocap)
    body.add_geom(size=[0.1, 0, 0])
    if not mocap:
        body.add_joint(ref=0.25)


def free(spec: Any) -> None:
    body = spec.worldbody.add_body(pos=[7, 8, 9])
    body.add_geom(size=[0.1, 0, 0])
    body.add_freejoint()


def motor(spec: Any) -> Any:
    return spec.add_actuator(target="ja", trntype=conjoint.mjtTrn.mjTRN_JOINT)


def attach(spec: Any, body: str) -> None:
    text = '<mujoco><worldbody><body><joint ref="90"/><geom size=".1"/></body></worldbody></mujoco>'
    spec.attach(conjoint.MjSpec.from_string(text), prefix="x-", frame=spec.body(body).add_frame())


EDITS = {
    "actuator deleted": (lambda s: s.delete(s.actuator("u1")), {"act": [7], "ctrl": [9, 10]}),
    "actuator deleted, another added": (
        lambda s: (s.delete(s.actuator("u1")), motor(s)), {"act": [7], "ctrl": [9, 10, 0]},
    ),
    "actuator added": (motor, {"ctrl": [8, 9, 10, 0]}),
    "actuator without activation": (
        lambda s: setattr(s.actuator("u1"), "dyntype", conjoint.mjtDyn.mjDYN_NONE), {"act": [7]},
    ),
    "actuator with activation": (
        lambda s: setattr(s.actuator("u2"), "dyntype", conjoint.mjtDyn.mjDYN_INTEGRATOR), {"act": [6, 0, 7]},
    ),
    "joint deleted": (
        lambda s: (s.delete(s.actuator("u1")), s.delete(s.joint("ja"))),
        {"qpos": [0, 1, 0, 0, 0.2], "qvel": [2, 3, 4, 5], "act": [7], "ctrl": [9, 10]},
    ),
    "joint deleted, another added": (
        lambda s: (s.delete(s.actuator("u1")), s.delete(s.joint("ja")), s.body("c").add_joint(axis=[1, 0, 0])),
        {"qpos": [0, 1, 0, 0, 0.2, 0], "qvel": [2, 3, 4, 5, 0], "act": [7], "ctrl": [9, 10]},
    ),
    "ball to hinge": (
        lambda s: setattr(s.joint("jb"), "type", conjoint.mjtJoint.mjJNT_HINGE),
        {"qpos": [0.1, 0, 0.2], "qvel": [1, 0, 5]},
    ),
    "hinge to slide": (lambda s: setattr(s.joint("jc"), "type", conjoint.mjtJoint.mjJNT_SLIDE), {}),
    "body deleted": (
        lambda s: s.delete(s.body("b")), {"qpos": [0.1, 0.2], "qvel": [1, 5], "ctrl": [8, 10]},
    ),
    "body added": (
        lambda s: child(s.worldbody), {"qpos": [0.1, 0, 1, 0, 0, 0.2, 0.25], "qvel": [1, 2, 3, 4, 5, 0]},
    ),
    "body added inside": (
        lambda s: child(s.body("a")), {"qpos": [0.1, 0.25, 0, 1, 0, 0, 0.2], "qvel": [1, 0, 2, 3, 4, 5]},
    ),
    "free body added": (
        free, {"qpos": [0.1, 0, 1, 0, 0, 0.2, 7, 8, 9, 1, 0, 0, 0], "qvel": [1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0]},
    ),
    "model attached inside": (
        lambda s: attach(s, "a"), {"qpos": [0.1, np.pi / 2, 0, 1, 0, 0, 0.2], "qvel": [1, 0, 2, 3, 4, 5]},
    ),
    "mocap body deleted": (lambda s: s.delete(s.body("h0")), {"mpos": [[4, 5, 6]], "mquat": [[0, 1, 0, 0]]}),
    "mocap body added": (
        lambda s: child(s.worldbody, True),
        {"mpos": [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "mquat": [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]},
    ),
    "no longer mocap": (lambda s: setattr(s.body("h0"), "mocap", 0), {"mpos": [[4, 5, 6]], "mquat": [[0, 1, 0, 0]]}),
}  # fmt: skip
"""Edits, each with the resulting changes in the first keyframe."""


def rows(model: Any, i: int = 0) -> dict[str, Any]:
    return {name: getattr(model, "key_" + name)[i].tolist() for name in VECTORS}


@pytest.mark.parametrize("how", ["compiled", "read", "copied", "saved"])
@pytest.mark.parametrize("case", EDITS)
def test_numbers_follow(case, how):
    edit, changed = EDITS[case]
    spec = conjoint.MjSpec.from_string(XML)
    if how != "read":
        spec.compile()
    if how == "copied":
        spec = spec.copy()
    edit(spec)
    model = conjoint.MjModel.from_xml_string(spec.to_xml()) if how == "saved" else spec.compile()
    for name, numbers in rows(model).items():
        np.testing.assert_allclose(numbers, np.ravel((BEFORE | changed)[name]), err_msg=name)
    assert model.nkey == 2 and model.key("k").time == 3
    if how != "saved":
        # the specification shows the compiled values, and compiles to them again
        assert spec.key("k").qpos.tolist() == model.key_qpos[0].tolist()
        assert rows(spec.compile()) == rows(model)


def test_what_is_given_after_an_edit_belongs_to_what_there_is_then():
    spec = conjoint.MjSpec.from_string(XML)
    spec.delete(spec.actuator("u1"))
    motor(spec)
    spec.key("k").ctrl = [20, 21, 22]
    assert spec.compile().key_ctrl[0].tolist() == [20, 21, 22]


def test_what_is_changed_in_place_stays_where_it_is():
    spec = conjoint.MjSpec.from_string(XML)
    spec.key("k").ctrl[2] = 30
    spec.delete(spec.actuator("u1"))
    motor(spec)
    assert spec.compile().key_ctrl[0].tolist() == [9, 30, 0]
    assert spec.key("k").ctrl.tolist() == [9, 30, 0]


def test_wrong_sizes_are_still_told():
    spec = conjoint.MjSpec.from_string(XML)
    spec.key("k").ctrl = [1, 2, 3, 4]
    with pytest.raises(conjoint.ModelError, match="ctrl has 4 numbers, expected 3"):
        spec.compile()


PAIR = """<mujoco><worldbody><body name="left"><joint/><geom size=".1"/></body><body name="right"><joint/>
<geom size=".1"/></body><body name="hand" mocap="true"/></worldbody><keyframe><key name="home" qpos="1 2" mpos="3 4 5"/>
</keyframe></mujoco>"""


@pytest.mark.parametrize("compiled", [False, True])
def test_keyframes_of_bodies_attached_one_by_one(compiled):
    scene, pair = conjoint.MjSpec(), conjoint.MjSpec.from_string(PAIR)
    for body in ("left", "hand", "right"):
        scene.worldbody.add_frame().attach_body(pair.body(body), f"{body}-", "")
        if compiled:
            scene.compile()
    model = scene.compile()
    assert [model.key(i).name for i in range(model.nkey)] == ["left-home", "hand-home", "right-home"]
    # a keyframe that was compiled before a part was added has no numbers for that part
    first = [[1, 0], [1, 0], [1, 2]] if compiled else [[1, 2]] * 3
    assert model.key_qpos.tolist() == first
    assert model.key_mpos.tolist() == ([[0, 0, 0], [3, 4, 5], [3, 4, 5]] if compiled else [[3, 4, 5]] * 3)


PART = '<body><joint/><geom size=".1"/></body>'
NAMED = '<body name="n"><joint name="jn"/><geom size=".1"/></body>'
CHILD = """<mujoco model="c"><worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody><actuator>
<general joint="j" dyntype="integrator"/></actuator><keyframe><key name="k" qpos=".5" ctrl="2" act="3"/></keyframe></mujoco>"""
ATTACHED = '<attach model="c" body="b" prefix="p"/>'


def copies(contents: str, count: int = 3) -> str:
    return f'<replicate count="{count}" offset="1 0 0">{contents}</replicate>'


REPLICATED = {
    "alone": (copies(PART), 'qpos="1 2 3"', [1, 2, 3]),
    "before another": (copies(PART) + PART, 'qpos="1 2 3 4"', [1, 2, 3, 4]),
    "between others": (PART + copies(PART) + PART, 'qpos="1 2 3 4 5"', [1, 2, 3, 4, 5]),
    "twice": (copies(PART) + copies(PART, 2), 'qpos="1 2 3 4 5"', [1, 2, 3, 4, 5]),
    "nested": (copies(copies(PART, 2) + PART, 2), 'qpos="1 2 3 4 5 6"', [1, 2, 3, 4, 5, 6]),
    "inside a body": (f'<body><joint/><geom size=".1"/>{copies(PART)}</body>', 'qpos="1 2 3 4"', [1, 2, 3, 4]),
    "no numbers": (copies(PART), 'time="2"', [0, 0, 0]),
    "numbers of the first copies": (copies(PART), 'qpos="1 2"', [1, 2, 0]),
    "sites": (PART + copies('<site size=".1"/>'), 'qpos="1"', [1]),
    "after a model": (ATTACHED + copies(PART), 'qpos="1 2 3 4"', [1, 2, 3, 4]),
}
"""Bodies with copies, attributes of a keyframe, and the resulting positions of the keyframe."""


@pytest.mark.parametrize("included", [False, True])
@pytest.mark.parametrize("case", REPLICATED)
def test_keyframes_are_of_the_whole_model(case, included):
    body, written, expected = REPLICATED[case]
    model = '<asset><model name="c" file="c.xml"/></asset>' if ATTACHED in body else ""
    world, keys = f"<worldbody>{body}</worldbody>", f'<keyframe><key name="k" {written}/><key name="l"/></keyframe>'
    files = {"c.xml": CHILD.encode(), "part.xml": f"<mujoco>{world}</mujoco>".encode()}
    rest = '<include file="part.xml"/>' if included else world
    read = conjoint.MjModel.from_xml_string(f"<mujoco>{keys}{model}{rest}</mujoco>", files)
    assert [read.key(i).name for i in range(read.nkey)][:2] == ["k", "l"]
    assert read.nkey == 2 + (ATTACHED in body)
    assert read.key_qpos[0].tolist() == expected
    assert read.key_qpos[1].tolist() == [0] * len(expected)


def test_controls_of_copies():
    actuator = '<actuator><general joint="jn" dyntype="integrator"/></actuator>'
    keys = '<keyframe><key ctrl="1 2 3" act="4 5 6" qvel="7 8 9"/></keyframe>'
    model = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{copies(NAMED)}</worldbody>{actuator}{keys}</mujoco>")
    assert (model.nkey, *(getattr(model, "key_" + name)[0].tolist() for name in ("ctrl", "act", "qvel"))) == (
        1, [1, 2, 3], [4, 5, 6], [7, 8, 9],
    )  # fmt: skip


@pytest.mark.parametrize(
    "body, first", [(ATTACHED + copies(PART), 0), (copies(ATTACHED), 0), (PART + copies(ATTACHED), 1)]
)
def test_keyframes_of_models_beside_and_inside_copies(body, first):
    xml = f'<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody>{body}</worldbody></mujoco>'
    model = conjoint.MjModel.from_xml_string(xml, {"c.xml": CHILD.encode()})
    assert model.nkey == 1 and model.key(0).name == "pk"
    # states, including those of actuators, belong to the first copy
    qpos = [0.0] * model.nq
    qpos[first] = 0.5
    assert model.key_qpos[0].tolist() == qpos
    assert model.key_ctrl[0].tolist() == [2] + [0] * (model.nu - 1)
    assert model.key_act[0].tolist() == [3] + [0] * (model.na - 1)
