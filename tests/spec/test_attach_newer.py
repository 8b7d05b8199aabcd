"""Attaching frames, and attaching a model to itself, creates the same models as MuJoCo 4.0.0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import conjoint
from conjoint.lang.errors import ModelError

CHILD = """<mujoco model="child"><compiler angle="radian"/>
<default><geom rgba="1 0 0 1"/><default class="k"><geom rgba="0 1 0 1"/></default></default>
<worldbody><frame name="outer" pos="1 0 0"><frame name="F" pos="0 2 0" euler="0 0 1.5707963267948966" childclass="k">
  <body name="b" pos=".1 0 0"><joint name="j"/><geom name="g" size=".1"/></body><geom name="wg" size=".2" pos="0 .5 0"/>
  <frame name="in" pos="0 0 3"><site name="s"/></frame></frame><body name="b2"><geom size=".1"/></body></frame></worldbody>
<actuator><motor name="a" joint="j"/></actuator>
<sensor><jointpos name="sj" joint="j"/><framepos name="sb2" objtype="body" objname="b2"/></sensor>
<keyframe><key name="k" qpos=".3"/></keyframe></mujoco>"""

ITSELF = """<mujoco model="me"><default><default class="k"><geom rgba="0 1 0 1"/></default></default><worldbody>
<frame name="F" pos="1 0 0" childclass="k"><body name="a" pos=".1 0 0"><joint name="j"/><geom name="g" size=".1"/>
  <body name="a2">{within}<joint name="j2"/><geom name="g2" size=".1"/></body></body><site name="s"/></frame>
<body name="q" pos="0 1 0"><geom size=".1"/>{}</body></worldbody>
<contact><exclude body1="a" body2="q"/></contact>
<tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="j2" coef="1"/></fixed></tendon>
<equality><joint name="e" joint1="j" joint2="j2"/></equality><actuator><motor name="m" joint="j"/></actuator>
<sensor><jointpos name="sj" joint="j"/></sensor><keyframe><key name="k" qpos=".3 .4"/></keyframe></mujoco>"""


def names(m: Any, kind: str, count: int) -> list[str]:
    return [getattr(m, kind)(i).name for i in range(count)]


def of_child(inside: str) -> Any:
    text = f"""<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody><body name="p">{inside}</body></worldbody>
    </mujoco>"""
    return conjoint.MjSpec.from_string(text, {"c.xml": CHILD})


@pytest.mark.plain
def test_a_frame_of_another_model() -> None:
    """A frame of another model is attached with its contents and references, but without its enclosing frames."""
    attach = (
        '<frame pos="0 0 7"><attach model="c" frame="F" prefix="x"/></frame><attach model="c" frame="F" prefix="y"/>'
    )
    spec = of_child(attach)
    m = spec.compile()
    assert names(m, "body", m.nbody) == ["world", "p", "xb", "yb"]
    assert m.body_pos[2:].round(12).tolist() == [[0, 2.1, 7], [0, 2.1, 0]]
    assert names(m, "geom", m.ngeom) == ["xwg", "ywg", "xg", "yg"]
    assert m.geom_pos[0].round(12).tolist() == [-0.5, 2, 7] and m.geom_rgba[0].tolist() == [0, 1, 0, 1]
    assert (names(m, "actuator", m.nu), names(m, "sensor", m.nsensor)) == (["xa", "ya"], ["xsj", "ysj"])
    assert m.key_qpos.tolist() == [[0.3, 0], [0, 0.3]]
    assert {"xF", "xin", "yF", "yin"} <= {frame.name for frame in spec.frames}
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert (again.body_pos == m.body_pos).all() and again.nkey == 2


@pytest.mark.plain
@pytest.mark.parametrize(
    ("attach", "message"),
    [
        ('<attach model="c" frame="G" prefix="x"/>', "no frame 'G' in the other model"),
        ('<attach model="c" frame="F" body="b" prefix="x"/>', "a body and a frame cannot both"),
        ('<attach model="c" frame="F" prefix="x"/><attach model="c" frame="F" prefix="x"/>', "a frame 'xF' already"),
        ('<attach model="d" frame="F" prefix="x"/>', "no model 'd'"),
    ],
)
def test_frames_that_cannot_be_attached(attach: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"XML:1:.*<attach>.*{message}"):
        of_child(attach)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("attach", "bodies", "counts", "key"),
    [
        ('<attach body="a" prefix="x"/>', {"xa": (0.1, 0, 0), "xa2": (0, 0, 0)}, (2, 2, 2, 2), [0.3, 0.4, 0, 0]),
        ('<frame pos="0 0 5"><attach frame="F" prefix="x"/></frame>', {"xa": (1.1, 0, 5)}, (2, 2, 2, 2), [0.3, 0.4, 0, 0]),
        ('<attach body="q" prefix="x"/>', {"xq": (0, 1, 0)}, (1, 1, 1, 2), [0.3, 0.4]),
        ('<attach body="a2" prefix="x"/>', {"xa2": (0, 0, 0)}, (1, 2, 1, 1), [0.3, 0.4, 0]),
        ('<attach body="a" prefix="x"/><attach body="xa" prefix="y"/>', {"yxa": (0.1, 0, 0)}, (3, 3, 3, 3),
         [0.3, 0.4, 0, 0, 0, 0]),
        ('<replicate count="2"><attach body="a" prefix="x"/></replicate>', {"xa0": (0.1, 0, 0)}, (3, 3, 3, 3),
         [0.3, 0.4, 0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_a_part_of_the_model_itself(attach: str, bodies: dict, counts: tuple, key: list) -> None:
    m = conjoint.MjModel.from_xml_string(ITSELF.format(attach, within=""))
    for name, pos in bodies.items():
        assert m.body(name).pos.round(12).tolist() == list(pos)
    assert (m.nu, m.ntendon, m.neq, m.nexclude) == counts
    assert m.key_qpos[0].tolist() == key


@pytest.mark.plain
def test_copies_keep_their_class() -> None:
    m = conjoint.MjModel.from_xml_string(ITSELF.format('<attach body="a" prefix="x"/>', within=""))
    assert m.geom("xg").rgba.tolist() == [0, 1, 0, 1]


@pytest.mark.plain
def test_what_is_read_so_far_is_attached_inside_of_itself() -> None:
    """A body attached inside itself contains only the elements that precede the attachment in the file, as in MuJoCo 4.0.0."""
    m = conjoint.MjModel.from_xml_string(ITSELF.format("", within='<attach body="a" prefix="x"/>'))
    assert names(m, "body", m.nbody) == ["world", "a", "a2", "xa", "xa2", "q"]
    assert names(m, "joint", m.njnt) == ["j", "j2", "xj"]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("attach", "message"),
    [
        ('<attach prefix="x"/>', "needs a body or a frame"),
        ('<attach body="b" prefix="x"/>', "no body 'b' before this place"),
        ('<attach frame="G" prefix="x"/>', "no frame 'G' before this place"),
        ('<attach body="a" prefix=""/>', "a body 'a' already"),
        ('<attach frame="F" prefix=""/>', "a frame 'F' already"),
        ('<attach model="me" body="a" prefix="x"/>', "no model 'me'"),
        ('<attach body="a" prefix="x"/><attach body="a" prefix="x"/>', "a body 'xa' already"),
    ],
)
def test_parts_of_itself_that_cannot_be_attached(attach: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"<attach>.*{message}"):
        conjoint.MjModel.from_xml_string(ITSELF.format(attach, within=""))


def test_a_model_that_attaches_its_own_file_is_an_endless_cycle(tmp_path: Path) -> None:
    file = tmp_path / "me.xml"
    file.write_text(
        '<mujoco><asset><model name="me" file="me.xml"/></asset><worldbody><body name="b"><geom size=".1"/></body>'
        '<attach model="me" body="b" prefix="x"/></worldbody></mujoco>'
    )
    with pytest.raises(ModelError, match="in a circle"):
        conjoint.MjModel.from_xml_path(str(file))


@pytest.mark.plain
def test_a_program_attaches_a_model_to_itself() -> None:
    """If a program attaches a copy of a model to the model itself, the copy gets its own keyframes, as in every MuJoCo version."""
    spec = conjoint.MjSpec.from_string(ITSELF.format("", within=""))
    spec.copy_during_attach = True
    spec.body("q").add_frame(pos=[0, 0, 1]).attach_body(spec.body("a"), "x", "")
    spec.body("q").add_frame().attach_body(spec.body("a"), "y", "")
    m = spec.compile()
    assert names(m, "key", m.nkey) == ["k", "xk", "yk"]
    assert m.key_qpos.tolist() == [[0.3, 0.4, 0, 0, 0, 0], [0, 0, 0.3, 0.4, 0, 0], [0, 0, 0, 0, 0.3, 0.4]]
    assert m.body("xa").pos.tolist() == [0.1, 0, 1]
    other = conjoint.MjSpec.from_string(ITSELF.format("", within=""))
    other.copy_during_attach = True
    other.attach(other, prefix="x", frame="F")
    m = other.compile()
    assert names(m, "body", m.nbody) == ["world", "a", "a2", "q", "xa", "xa2", "xq"]
    assert m.body("xa").pos.round(12).tolist() == [2.1, 0, 0]
