"""The elasticity plugins of flexes agree with MuJoCo 3.2.3, the last version that contained all of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from elastic_models import BLOCK, MODELS, SHEET, SOFT, THIN, model
from oracle import difference
from places import TESTS

REFERENCES = json.loads((TESTS / "data" / "elasticity.json").read_text())


def started(xml: str):
    """Return model and data with the velocities of `tools/oracle_fields.py`."""
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    m.opt.tolerance = 0
    d.qvel[:] = 0.1 * np.sin(1.0 + np.arange(m.nv))
    return m, d


@pytest.mark.plain
@pytest.mark.parametrize("name", MODELS)
def test_they_step_as_the_last_version_that_had_them(name: str) -> None:
    m, d = started(MODELS[name])
    conjoint.mj_step(m, d, nstep=20)
    assert np.abs(d.qfrc_passive).max() > 1e-4
    for field in ("qpos", "qvel"):
        assert difference(getattr(d, field), REFERENCES[name][f"moved_{field}"]) < 1e-9, field


@pytest.mark.parametrize("name", MODELS)
def test_instances_are_the_same(name: str) -> None:
    m = conjoint.MjModel.from_xml_string(MODELS[name])
    for field in ("body_pos", "body_mass", "nq", "nv", "nbody"):
        assert difference(np.ravel(getattr(m, field)), REFERENCES[name][field]) < 1e-9, field


@pytest.mark.plain
@pytest.mark.parametrize("name", MODELS)
def test_nothing_pulls_at_rest(name: str) -> None:
    m = conjoint.MjModel.from_xml_string(MODELS[name])
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert np.abs(d.qfrc_passive).max() < 1e-10


@pytest.mark.parametrize(("kind", "flex", "settings", "elastic2d"), [
    ("membrane", SHEET, THIN, "stretch"), ("shell", SHEET, THIN, "bend"), ("solid", BLOCK, SOFT, "none"),
])  # fmt: skip
def test_forces_are_those_of_elasticity(kind: str, flex: str, settings: dict[str, float], elastic2d: str) -> None:
    """Plugin forces equal those of the same material in an `elasticity` element, which MuJoCo has since 3.2.4."""
    material = " ".join(f'{key}="{value}"' for key, value in settings.items())
    xml = model(kind, flex, **settings)
    before, after = xml.index("<plugin", xml.index("<flexcomp")), xml.index("</flexcomp>")
    xml_new = f'{xml[:before]}<elasticity {material} elastic2d="{elastic2d}"/>{xml[after:]}'
    forces = []
    for text in (xml, xml_new):
        m, d = started(text)
        d.qpos[:] = 0.01 * np.cos(np.arange(m.nq))
        conjoint.mj_forward(m, d)
        forces.append(d.qfrc_passive.copy())
    assert np.abs(forces[0]).max() > 1e-3
    assert difference(*forces) < 1e-12


def test_forces_do_not_depend_on_how_often_they_are_asked_for() -> None:
    m, d = started(MODELS["membrane"])
    conjoint.mj_step(m, d, nstep=3)
    conjoint.mj_forward(m, d)
    first = d.qfrc_passive.copy()
    conjoint.mj_forward(m, d)
    assert np.array_equal(first, d.qfrc_passive)
    # the plugin's memory is part of the state
    assert d.plugin_state.any()
    conjoint.mj_resetData(m, d)
    assert not d.plugin_state.any()


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="batches need compiled kernels")
@pytest.mark.parametrize("name", ["shell", "damped solid"])
def test_batches_step_as_single_worlds(name: str) -> None:
    m, d = started(MODELS[name])
    batch = Batch(m, 9)
    batch.qvel[:] = d.qvel
    for _ in range(5):
        batch.step()
        conjoint.mj_step(m, d)
    assert difference(batch.qpos[8], d.qpos) < 1e-12
    assert difference(batch.qvel[8], d.qvel) < 1e-10


@pytest.mark.parametrize(("change", "words"), [
    (('dim="2"', 'dim="1"'), "stretches in two or three dimensions"),
    (('type="grid"', 'type="grid" rigid="true"'), "stretches in two or three dimensions"),
])  # fmt: skip
def test_what_is_no_flex_of_elements_is_refused(change: tuple[str, str], words: str) -> None:
    xml = (
        MODELS["shell"]
        .replace(*change)
        .replace('count="3 4 1"', 'count="3 1 1"' if "1" in change[1] else 'count="3 4 1"')
    )
    with pytest.raises(conjoint.ModelError, match=words):
        conjoint.MjData(conjoint.MjModel.from_xml_string(xml))
