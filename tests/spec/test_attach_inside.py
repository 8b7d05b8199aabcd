"""Attaching an element inside itself is rejected with an error, or attaches a copy if copies were requested."""

from __future__ import annotations

from typing import Any

import mujoco
import pytest

import conjoint

XML = """<mujoco model="scene"><worldbody><frame name="f"><site name="s"/></frame><body name="b"><geom size=".1"/>
<site name="bs"/><frame name="bf"><body name="c"><geom size=".1"/><frame name="cf"/></body></frame></body></worldbody>
</mujoco>"""
OTHER = '<mujoco><worldbody><frame name="f"/><body name="o"><geom size=".1"/></body></worldbody></mujoco>'

INTO_ITSELF = {
    "spec to its frame": lambda s: s.attach(s, prefix="x-", frame=s.frame("f")),
    "spec to a frame by name": lambda s: s.attach(s, prefix="x-", frame="f"),
    "spec to its site": lambda s: s.attach(s, prefix="x-", site=s.site("s")),
    "spec to a frame deep inside": lambda s: s.attach(s, prefix="x-", frame=s.frame("cf")),
    "body to its frame": lambda s: s.frame("bf").attach_body(s.body("b"), "x-", ""),
    "body to a frame of its child": lambda s: s.frame("cf").attach_body(s.body("b"), "x-", ""),
    "body to its site": lambda s: s.site("bs").attach_body(s.body("b"), "x-", ""),
    "frame into what is in it": lambda s: s.body("c").attach_frame(s.frame("bf"), "x-", ""),
}
"""Programs that attach an element inside itself."""


@pytest.mark.parametrize("case", INTO_ITSELF)
def test_attached_into_itself(case):
    spec = conjoint.MjSpec.from_string(XML)
    with pytest.raises(ValueError, match="cannot be attached to itself or to its own parts"):
        INTO_ITSELF[case](spec)
    # the specification is unchanged
    assert spec.compile().nbody == 3


@pytest.mark.parametrize("case", INTO_ITSELF)
def test_copies_attached_into_themselves(case):
    made = []
    for package in (conjoint, mujoco):
        spec = package.MjSpec.from_string(XML)
        spec.copy_during_attach = True
        INTO_ITSELF[case](spec)
        model = spec.compile()
        made.append(([model.body(i).name for i in range(model.nbody)], model.body_parentid.tolist()))
    assert made[0] == made[1]


def test_models_that_would_hold_each_other():
    def ring(*models: Any) -> None:
        for here, there in zip(models, (*models[1:], models[0]), strict=True):
            here.attach(there, prefix="x-", frame=here.worldbody.add_frame())

    def parts(first: Any, second: Any) -> None:
        first.frame("cf").attach_body(second.body("o"), "x-", "")
        second.worldbody.add_frame().attach_body(first.body("b"), "y-", "")

    for attach, texts in ((ring, (XML, OTHER)), (ring, (XML, OTHER, OTHER)), (parts, (XML, OTHER))):
        with pytest.raises(ValueError, match="each would contain the other"):
            attach(*map(conjoint.MjSpec.from_string, texts))


def test_models_in_models():
    first, second, third = (conjoint.MjSpec.from_string(OTHER) for _ in range(3))
    second.attach(third, prefix="3-", frame="f")
    first.attach(second, prefix="2-", frame="f")
    model = first.compile()
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "o", "2-o", "2-3-o"]


ATTACHING = (
    '<mujoco><asset><model name="m" file="{}"/></asset><worldbody><body name="b"><geom size=".1"/></body>'
    '<attach model="m" body="b" prefix="x"/></worldbody></mujoco>'
)
CYCLES = {
    "itself": {"main.xml": ATTACHING.format("main.xml")},
    "itself, spelled in another way": {"main.xml": ATTACHING.format("./main.xml")},
    "one that attaches it": {"main.xml": ATTACHING.format("o.xml"), "o.xml": ATTACHING.format("main.xml")},
    "one in a cycle": {
        "main.xml": ATTACHING.format("o.xml"), "o.xml": ATTACHING.format("p.xml"), "p.xml": ATTACHING.format("o.xml"),
    },
    "one that includes it": {"main.xml": ATTACHING.format("o.xml"), "o.xml": '<mujoco><include file="main.xml"/></mujoco>'},
}  # fmt: skip
"""Files of models that attach each other, by file name."""


@pytest.mark.parametrize("case", CYCLES)
def test_files_that_attach_themselves(tmp_path, case):
    files = CYCLES[case]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for read in (
        lambda: conjoint.MjModel.from_xml_path(str(tmp_path / "main.xml")),
        lambda: conjoint.MjSpec.from_string(files["main.xml"], assets=files),
    ):
        with pytest.raises(conjoint.ModelError, match="is this model, or a model that it is attached to") as caught:
            read()
        # each model of the cycle is named once or twice, instead of repeatedly up to a limit
        assert str(caught.value).count("cannot be read") <= 4


def test_one_file_attached_twice(tmp_path):
    (tmp_path / "o.xml").write_text(OTHER)
    models = "".join(f'<model name="{name}" file="o.xml"/>' for name in "mn")
    parts = "".join(f'<attach model="{name}" body="o" prefix="{name}"/>' for name in "mn")
    (tmp_path / "main.xml").write_text(f"<mujoco><asset>{models}</asset><worldbody>{parts}</worldbody></mujoco>")
    assert conjoint.MjModel.from_xml_path(str(tmp_path / "main.xml")).nbody == 3
