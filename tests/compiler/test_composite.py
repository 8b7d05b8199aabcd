"""Every composite type agrees with the last MuJoCo version that had it, and invalid composites are rejected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from composite_models import BALL, CAPSULE, MODELS, model
from conjoint import MjModel
from conjoint.lang.errors import ModelError
from oracle import difference, model_differences
from places import ROOT, TESTS
from refusals import refused_by_both

TOLERANCE = 1e-9  # the references have ten digits
REFERENCES = json.loads((TESTS / "data" / "composites.json").read_text())
TOOL = ROOT / "tools" / "oracle_fields.py"
XML = {name: xml for models in MODELS.values() for name, xml in models.items()}


def wrong_fields(ours: MjModel, reference: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the fields of a model that differ from the `reference`, by name."""
    wrong: dict[str, Any] = {}
    for name, expected in reference.items():
        if name.startswith("moved_"):
            continue
        if name.startswith("names_"):
            kind = name.removeprefix("names_")
            starts = getattr(ours, f"name_{kind}adr")
            found = [ours.names[at : ours.names.index(b"\0", at)].decode() for at in starts]
            if found != expected:
                wrong[name] = found
        elif (error := difference(np.ravel(getattr(ours, name)), expected)) > TOLERANCE:
            wrong[name] = error
    return wrong


@pytest.mark.parametrize("name", XML)
def test_a_composite_compiles_to_what_its_last_official_version_made(name):
    assert wrong_fields(MjModel.from_xml_string(XML[name]), REFERENCES[name]) == {}


@pytest.mark.parametrize("name", XML)
def test_a_composite_steps_as_in_its_last_official_version(name):
    """A composite steps as in the last MuJoCo version that had it; see `tools/oracle_fields.py`."""
    model = MjModel.from_xml_string(XML[name])
    data = conjoint.MjData(model)
    model.opt.tolerance = 0
    data.qvel[:] = 0.1 * np.sin(1.0 + np.arange(model.nv))
    conjoint.mj_step(model, data, nstep=20)
    assert np.abs(data.qvel).max() > 0.01
    for field in ("qpos", "qvel"):
        assert difference(getattr(data, field), REFERENCES[name][f"moved_{field}"]) < 1e-8, field


@pytest.mark.parametrize("name", XML)
def test_the_elements_of_a_composite_are_saved_and_mean_the_same_to_the_oracle(name):
    spec = conjoint.MjSpec.from_string(XML[name])
    compiled = spec.compile()
    saved = spec.to_xml()
    assert "composite" not in saved
    assert model_differences(compiled, mujoco.MjModel.from_xml_string(saved)) == {}


CABLE = """<worldbody><composite type="cable" {0} initial="none"><joint kind="main" damping="1"/>{1}<geom type="box"
    size=".1 .02 .01"/></composite></worldbody>"""


@pytest.mark.parametrize("skin", ['<skin subgrid="2" texcoord="true"/>', '<skin subgrid="3" inflate="1"/>', "<skin/>"])
@pytest.mark.parametrize(
    "shape", ['curve="cos(s) s 0" count="5" size=".9 .1"', 'vertex="0 0 0 .1 .2 .3 .4 .2 .1 .7 .7 .3 1 1 1"']
)
def test_a_cable_has_a_skin_and_points_in_single_precision(shape, skin):
    xml = f"<mujoco>{CABLE.format(shape, skin)}</mujoco>"
    ours, theirs = MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    assert model_differences(ours, theirs) == {}
    assert np.max(np.abs(ours.body_pos - theirs.body_pos)) < 1e-15


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ('count="5" vertex="0 0 0 .1 0 0 .2 0 0 .3 0 0 .4 0 0"', "the count follows from vertex"),
        ('count="5" curve="s t 0"', "curve needs one to three of"),
        ('vertex="0 0 0 1"', "vertex has 4 numbers"),
        ('vertex="0 0 0 1 0 0"', "a cable needs 4"),
        ('curve="s" count="5 2"', "a cable has one dimension"),
    ],
)
def test_what_is_no_cable_is_refused(shape, message):
    xml = f"<mujoco>{CABLE.format(shape, '')}</mujoco>"
    refused_by_both(xml, words=message)


def composite(attributes: str, inside: str = BALL, parent: str = "p") -> str:
    """Return the XML of a model with one composite."""
    return model(f"<composite {attributes}>{inside}</composite>", parent)


REFUSED = {
    "count='2 2'": "'type' is missing",
    "type='gridd' count='2 2' spacing='.1'": "type.*did you mean 'grid'",
    "type='grid' count='2 0' spacing='.1'": "counts must be at least 1",
    "type='grid' count='2 2 2 2' spacing='.1'": "'count': too many numbers: 4",
    "type='particle' count='100000 1000 100' spacing='.1'": "more than 100000 bodies",
    "type='particle' count='2 1 2' spacing='.1'": "counts of 1 must come last",
    "type='particle' count='2 2'": "spacing 0 must be at least the size 0.01",
    "type='grid' count='2 2 2' spacing='.1'": "one or two dimensions",
    "type='box' count='3 3' spacing='.1'": "three counts of at least 2",
    "type='ellipsoid' count='3 3 1' spacing='.1'": "three counts of at least 2",
    "type='rope' count='3 3' spacing='.1'": "rope has one dimension",
    "type='loop' count='1' spacing='.1'": "loop has one dimension",
    "type='cloth' count='3' spacing='.1'": "cloth has two dimensions",
    "type='rope' count='3' spacing='.1'": "must be named like one of the bodies of the composite, such as 'B0', not 'p'",
    "type='cable' curve='s' count='3' size='1'": "geoms of this type can only be one of capsule, cylinder, box",
}


@pytest.mark.parametrize("attributes", REFUSED)
def test_what_is_no_composite_is_refused(attributes):
    with pytest.raises(ModelError, match=rf"^XML:3:\d+: <composite>.*{REFUSED[attributes]}"):
        MjModel.from_xml_string(composite(attributes))


@pytest.mark.parametrize(
    ("attributes", "inside", "message"),
    [
        ("type='grid' count='3' spacing='.1'", "<skin/>", "two dimensions have a skin"),
        ("type='grid' count='3' spacing='.1'", "<tendon kind='shear'/>", "shear tendons"),
        ("type='grid' count='3' spacing='.1'", "<pin coord='1 2 3'/>", "coord.*too many"),
        ("type='grid' count='3' spacing='.1'", "<pin/>", "'coord' is missing"),
        ("type='grid' count='3' spacing='.1'", "<tendon/>", "'kind' is missing"),
        ("type='grid' count='3 2' spacing='.1'", "<skin subgrid='1'/>", "counts of at least 3"),
        ("type='grid' count='3 3' spacing='.1'", "<skin subgrid='1000'/>", "subgrid is larger than 100"),
        ("type='grid' count='30 30' spacing='.1'", "<skin subgrid='99'/>", "more than 1000000 vertices"),
        ("type='box' count='2 2 2' spacing='.1'", "<skin subgrid='1'/>", "counts of at least 3"),
        ("type='grid' count='3' spacing='.1'", "<joint kind='main'/><joint kind='main'/>", "only particles"),
        ("type='grid' count='3' spacing='.1'", "<joint kind='particle'/>", "kind main, twist, stretch, not particle"),
        ("type='grid' count='3' spacing='.1'", "<geom type='box' size='.1 .1 .1'/>", "sphere, capsule, ellipsoid"),
        ("type='particle' count='3' spacing='.02'", "<geom type='ellipsoid' size='.01 .01 .03'/>", "the size 0.03"),
    ],
)
def test_what_does_not_go_into_a_composite_is_refused(attributes, inside, message):
    shape = "" if "<geom" in inside else BALL
    with pytest.raises(ModelError, match=message):
        MjModel.from_xml_string(composite(attributes, shape + inside))


@pytest.mark.parametrize("parent", ["B3", "B", "xB1"])
def test_the_parent_of_a_rope_must_be_one_of_its_bodies(parent):
    with pytest.raises(ModelError, match="parent body"):
        MjModel.from_xml_string(composite("type='rope' count='3' spacing='.1'", CAPSULE, parent))


def official_fields(python: str, models: dict[str, str], folder: Path) -> dict[str, Any]:
    """Return the fields of `models` as compiled by the MuJoCo of a different Python interpreter."""
    out = folder / "fields.json"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python, str(TOOL), str(out)]
    subprocess.run(command, input=json.dumps(models), text=True, check=True, env=environment, stdout=sys.stderr)
    return json.loads(out.read_text())


def older_oracle(version: str) -> str:
    """Return the path of a Python interpreter with an old MuJoCo; skip the test if none is configured."""
    variable = "CONJOINT_ORACLE_" + version.replace(".", "")
    if not os.environ.get(variable):
        pytest.skip(f"{variable} names no Python with mujoco=={version}")
    return os.environ[variable]


@pytest.mark.parametrize("version", MODELS)
def test_the_references_are_those_of_the_official_package(version, tmp_path):
    found = official_fields(older_oracle(version), MODELS[version], tmp_path)
    assert found == {name: REFERENCES[name] for name in MODELS[version]}


@pytest.mark.corpus
def test_public_models_with_composites(corpus, tmp_path):
    folder = corpus / "mujoco-3.2.4" / "model"
    paths = [str(path) for path in sorted(folder.rglob("*.xml")) if path.name != "rope.xml"]
    assert paths
    found = official_fields(older_oracle("3.2.4"), {path: path for path in paths}, tmp_path)
    assert {path: wrong_fields(MjModel.from_xml_path(path), found[path]) for path in paths} == {p: {} for p in paths}
