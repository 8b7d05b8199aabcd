"""Contacts of height fields with every convex geom agree with MuJoCo's."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.plain

HILLS = " ".join(f"{x:.3f}" for x in np.random.default_rng(0).random(63))
SCENE = """<mujoco><asset><mesh name="rock" vertex="-.2 -.1 -.1 .2 -.1 -.1 -.2 .1 -.15 .2 .2 -.2 -.2 -.2 .2 .2 -.1 .1 -.2 .2 .2 .1 .2 .2 0 0 .3"/>
<mesh name="ball" builtin="sphere" params="2" scale=".2 .2 .15"/><hfield name="hills" nrow="9" ncol="7" size="1 1.2 .3 .2" elevation="{hills}"/></asset>
<worldbody><geom name="field" type="hfield" hfield="hills" euler="{turned}" pos=".1 .2 .3"/>
<body pos=".1 .2 .5"><freejoint/><geom name="other" {geom} margin="{margin}"/></body></worldbody></mujoco>"""
GEOMS = {
    "sphere": 'type="sphere" size=".15"', "capsule": 'type="capsule" size=".1 .2"', "ellipsoid": 'type="ellipsoid" size=".2 .15 .1"',
    "cylinder": 'type="cylinder" size=".15 .1"', "box": 'type="box" size=".2 .15 .1"', "rock": 'type="mesh" mesh="rock"',
    "ball": 'type="mesh" mesh="ball"',
}  # fmt: skip


def scene(geom: str, turned: str = "0 0 0", margin: float = 0.0, hills: str = HILLS, flag: str = "") -> tuple[Any, Any]:
    """Return the model of a geom above a height field, in MuJoCo and in Conjoint."""
    xml = SCENE.format(geom=geom, turned=turned, margin=margin, hills=hills)
    official = mujoco.MjModel.from_xml_string(xml.replace("<mujoco>", f"<mujoco><option><flag {flag}/></option>"))
    return official, adopt_model(official)


def random_state(model: Any, generator: np.random.Generator) -> Any:
    """Return MuJoCo data in which the geom is in the field, at its border or beside it."""
    data = mujoco.MjData(model)
    data.qpos[:3] += generator.standard_normal(3) * [0.6, 0.6, 0.12]
    q = generator.standard_normal(4)
    data.qpos[3:] = q / np.linalg.norm(q)
    mujoco.mj_fwdPosition(model, data)
    return data


def compare_contacts(ours: Any, theirs: Any, tolerance: float) -> None:
    """Check that both packages have the same contacts, in the same order and up to a tolerance."""
    assert ours.ncon == theirs.ncon
    for i in range(ours.ncon):
        a, b = ours.contact[i], theirs.contact[i]
        assert a.dist == pytest.approx(b.dist, abs=tolerance)
        np.testing.assert_allclose(a.pos, b.pos, atol=tolerance)
        np.testing.assert_allclose(np.ravel(a.frame), b.frame, atol=tolerance)
        assert (a.exclude, a.includemargin) == (b.exclude, b.includemargin)


@pytest.mark.parametrize("flag", ["", 'nativeccd="disable"'])
@pytest.mark.parametrize("turned, margin", [("0 0 0", 0.0), ("10 5 20", 0.03)])
@pytest.mark.parametrize("kind", GEOMS)
def test_contacts_equal_the_official_ones(kind: str, turned: str, margin: float, flag: str) -> None:
    """Height-field contacts equal MuJoCo's in number and order, up to rounding."""
    official_model, m = scene(GEOMS[kind], turned, margin, flag=flag)
    generator = np.random.default_rng(1)
    counts = []
    for _ in range(40 if jit_enabled() else 4):
        official = random_state(official_model, generator)
        d = adopt_state(m, official_model, official)
        conjoint.mj_fwdPosition(m, d)
        compare_contacts(d, official, 1e-11)
        counts.append(d.ncon)
    assert max(counts) > 3 and (min(counts) == 0 or not jit_enabled())


def test_a_pair_has_at_most_fifty_contacts() -> None:
    """A height field and a geom have at most fifty contacts: those of the first prisms."""
    official_model, m = scene('type="box" size="1 1 .2"', hills=" ".join(["0", *["1"] * 62]))
    official = mujoco.MjData(official_model)
    official.qpos[2] = 0.7
    d = adopt_state(m, official_model, official)
    mujoco.mj_fwdPosition(official_model, official)
    conjoint.mj_fwdPosition(m, d)
    assert d.ncon == mujoco.mjMAXCONPAIR
    compare_contacts(d, official, 1e-11)


def test_a_field_changed_by_the_user() -> None:
    """Contacts follow elevations that the user has changed."""
    official_model, m = scene(GEOMS["box"])
    for model in (official_model, m):
        model.hfield_data[:] = 0.5 * model.hfield_data[::-1]
    official = mujoco.MjData(official_model)
    official.qpos[2] = 0.35
    d = adopt_state(m, official_model, official)
    mujoco.mj_fwdPosition(official_model, official)
    conjoint.mj_fwdPosition(m, d)
    assert d.ncon > 0
    compare_contacts(d, official, 1e-11)


@pytest.mark.compiled_only
@pytest.mark.parametrize("kind", ["sphere", "box", "rock"])
def test_distances(kind: str) -> None:
    """The distance equals that of MuJoCo's deepest contact; without a contact it is positive.

    The distance that MuJoCo returns is too small by about the maximum distance of the query (corrected in 4.0).
    """
    official_model, m = scene(GEOMS[kind])
    generator = np.random.default_rng(2)
    for _ in range(5):
        official = random_state(official_model, generator)
        d = adopt_state(m, official_model, official)
        conjoint.mj_kinematics(m, d)
        ends = np.ones(6)
        for pair, sign in (((0, 1), 1.0), ((1, 0), -1.0)):
            distance = conjoint.mj_geomDistance(m, d, *pair, 0.1, ends)
            if official.ncon == 0:
                assert 0.0 < distance < 0.1
                continue
            deepest = official.contact[int(np.argmin(official.contact.dist))]
            assert distance == pytest.approx(deepest.dist, abs=1e-9)
            half = 0.5 * sign * deepest.dist * deepest.frame[:3]
            # the error of a ball's normal is the square root of the depth's error, and contacts are searched
            # differently
            tolerance = 1e-4 if kind == "sphere" else 1e-9
            np.testing.assert_allclose(ends, [*(deepest.pos - half), *(deepest.pos + half)], rtol=0, atol=tolerance)
            assert np.linalg.norm(ends[3:] - ends[:3]) == pytest.approx(-distance, abs=1e-9)


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="batches are compiled")
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worlds_side_by_side(precision: str) -> None:
    """A batch agrees with single worlds; in float32 it may miss shallow contacts or find a different normal."""
    xml = SCENE.format(geom=GEOMS["box" if precision == "float64" else "sphere"], turned="0 0 0", margin=0, hills=HILLS)
    official_model, m = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    batch = Batch(m, 30, precision=precision)
    generator = np.random.default_rng(3)
    worlds = []
    for k in range(batch.nworld):
        batch.qpos[k] = random_state(official_model, generator).qpos
        d = conjoint.MjData(m)
        d.qpos[:] = batch.qpos[k]
        conjoint.mj_forward(m, d)
        worlds.append(d)
    batch.forward()
    same = batch.ncon == [d.ncon for d in worlds]
    assert same.all() if precision == "float64" else same.mean() > 0.9
    for k in np.flatnonzero(same):
        scale = max(1.0, np.abs(worlds[k].qacc).max())
        np.testing.assert_allclose(
            batch.qacc[k] / scale, worlds[k].qacc / scale, atol=1e-8 if precision == "float64" else 0.02
        )
