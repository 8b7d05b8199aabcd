"""Contacts of flexes agree with MuJoCo's for elements of every dimension, with geoms of every type and within a flex."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from flex_models import BOX, GRID, PIN, SOLID, model
from oracle import apart, difference, straight

ROPE, BLOCK, SHEET = 'dim="1" count="5 1 1"', 'dim="3" count="3 3 3"', 'dim="2" count="5 5 1"'
CONTACT = 'internal="{}" selfcollide="{}" condim="{}" friction=".7 .01 .001"'


def touching(
    flex: str, geom: str, inside: str = "", option: str = "", condim: int = 3, own: str = "none", within: str = "false"
) -> str:
    """Return the XML of a model in which a flex touches a geom or itself."""
    return model(flex, inside, option, contact=CONTACT.format(within, own, condim), world=geom)


def free(geom: str, pose: str = 'pos=".03 .02 -.053" euler="10 20 10"') -> str:
    """Return the XML of a free body with one geom."""
    return f"<body {pose}><freejoint/><geom {geom}/></body>"


def plane(height: float) -> str:
    """Return the XML of a plane at a height."""
    return f'<geom type="plane" size="1 1 1" pos="0 0 {height}"/>'


ACROSS, ABOVE = 'pos=".03 .02 -.053" euler="90 0 10"', 'pos=".03 .02 .147" euler="90 0 10"'
CAPSULE, BOX_GEOM = 'type="capsule" size=".05 .2"', 'type="box" size=".05 .2 .05"'
SCENES = {
    "vertices on a plane": touching(GRID, plane(-0.001)),
    "compressed rows": touching(SHEET, plane(-0.001), option='jacobian="sparse"'),
    "a trilinear box on a plane": touching(BOX, plane(-0.1), SOLID),
    "triangles on a ball with priority": touching(
        GRID, free('size=".1" priority="1" friction=".3"', 'pos=".03 .02 -.1"')
    ),
    "triangles on a capsule": touching(GRID, free(CAPSULE, ACROSS)),
    "triangles on a cylinder": touching(GRID, free('type="cylinder" size=".05 .2"', ACROSS)),
    "triangles on a box": touching(GRID, free(BOX_GEOM)),
    "triangles on an ellipsoid": touching(GRID, free('type="ellipsoid" size=".05 .2 .05"')),
    "tetrahedra and a ball": touching(BLOCK, free('size=".05"', ABOVE)),
    "a trilinear box and a capsule": touching(BOX, free(CAPSULE, ABOVE), SOLID),
    "tetrahedra of all layers, without the middle phase": touching(
        BLOCK.replace("3 3 3", "4 4 4"), free('size=".1"', ABOVE), option='><flag midphase="disable"/></option><option'
    ),
    "lines on a ball": touching(ROPE, free('size=".1"', 'pos=".03 .02 -.1"')),
    "lines across a capsule": touching(ROPE, free(CAPSULE, ACROSS)),
    "lines along a capsule": touching(ROPE, free(CAPSULE, 'pos=".03 0 -.053" euler="0 90 0"')),
    "lines on a box": touching(ROPE, free(BOX_GEOM)),
    "lines inside of a box": touching(
        ROPE, free('type="box" size=".3 .2 .25"', 'pos=".03 .02 -.053" euler="10 20 10"')
    ),
    "lines on a cylinder": touching(ROPE, free('type="cylinder" size=".05 .2"', ACROSS)),
    "vertices of the geom's body": touching(GRID, '<geom size=".1"/>' + plane(0), PIN),
    "elliptic cones that roll": touching(GRID, '<geom size=".1" pos="0 0 -.1"/>', option='cone="elliptic"', condim=6),
    "a margin and a gap": touching(GRID, free('size=".1" margin=".01" gap=".005"', 'pos=".03 .02 -.11"')),
    "several bodies": touching(GRID, free('size=".1"') + free('size=".1"', 'pos=".05 0 -.1"') + plane(-0.19)),
}
HILLS = """<asset><hfield name="hills" nrow="6" ncol="7" size=".3 .3 .1 .05" elevation="0 1 2 0 1 2 1 3 1 0 2 2 1 1 0 1 1 3
0 2 1 3 0 1 0 2 1 1 1 0 2 1 0 2 1 3 1 0 1 2 0 1"/><mesh name="rock" vertex=".1 0 0 -.1 0 0 0 .12 0 0 -.12 0 0 0 .08 0 0 -.08"
face="0 2 4 2 1 4 1 3 4 3 0 4 2 0 5 1 2 5 3 1 5 0 3 5"/></asset><worldbody>"""
FIELD, ROCK = '<geom type="hfield" hfield="hills" pos="0 0 -.06"/>', '<geom type="{}" mesh="rock" pos=".03 0 -.06"/>'


def with_assets(xml: str) -> str:
    """Add a height field and a mesh to the XML of a model."""
    return xml.replace("<worldbody>", HILLS, 1)


LEGACY = '><flag nativeccd="disable"/></option><option'
SCENES |= {
    "lines on a height field": with_assets(touching(ROPE, FIELD)),
    "triangles on a height field": with_assets(touching(SHEET, FIELD, option='jacobian="sparse"')),
    "tetrahedra on a height field": with_assets(touching(BLOCK, FIELD)),
    "a mesh": with_assets(touching(GRID, ROCK.format("mesh"))),
    "a shape with a signed distance, which is its mesh": with_assets(touching(BLOCK, ROCK.format("sdf"))),
    "portals: triangles on a box": touching(GRID, free(BOX_GEOM), option=LEGACY),
    "portals: tetrahedra and a cylinder": touching(BLOCK, free('type="cylinder" size=".05 .2"', ABOVE), option=LEGACY),
    "portals: triangles on a height field": with_assets(touching(SHEET, FIELD, option=LEGACY)),
    "portals: tetrahedra on a mesh": with_assets(touching(BLOCK, ROCK.format("mesh"), option=LEGACY)),
}
FIELDS = ("nefc", "efc_J", "efc_diagApprox", "efc_D", "efc_aref", "qacc", "cfrc_ext")
PARAMETERS = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solimp", "dim", "exclude", "mu")


def ids(contact: Any) -> tuple[tuple[int, ...], ...]:
    """Return the ids of both sides of a contact."""
    return tuple(tuple(int(i) for i in getattr(contact, name)) for name in ("geom", "flex", "elem", "vert"))


def forwarded(xml: str, seed: int, amount: float = 0.004) -> tuple[Any, Any, Any]:
    """Return Conjoint's model and data after forward dynamics in a random state, and MuJoCo's data in the same state."""
    m, official_model = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    random = np.random.default_rng(seed)
    mujoco.mj_integratePos(official_model, d.qpos, amount * random.standard_normal(m.nv), 1.0)
    d.qvel[:] = 0.1 * random.standard_normal(m.nv)
    conjoint.mj_forward(m, d)
    official = mujoco.MjData(official_model)
    # MuJoCo's contacts with height fields depend on unwritten memory: one of its results must equal Conjoint's
    for call in (straight, apart, straight, apart) if official_model.nhfield else (straight,):
        official = mujoco.MjData(official_model)
        official.qpos[:], official.qvel[:] = d.qpos, d.qvel
        call(mujoco.mj_forward, official_model, official)
        if [ids(c) for c in d.contact] == [ids(c) for c in official.contact]:
            break
    return m, d, official


# without compilation, these scenes take minutes
LONG = {name for name in SCENES if "height field" in name or "tetrahedra" in name}


@pytest.mark.plain
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.compiled_only] * (name in LONG)) for name in SCENES]
)
def test_contacts_with_geoms_equal_the_oracle(name: str) -> None:
    for seed in range(3 if jit_enabled() else 1):
        _, d, official = forwarded(SCENES[name], seed)
        assert [ids(c) for c in d.contact] == [ids(c) for c in official.contact]
        assert seed or d.ncon > 0
        for mine, theirs in zip(d.contact, official.contact, strict=True):
            for field in PARAMETERS:
                assert difference(getattr(mine, field), getattr(theirs, field)) < 1e-10, field
        for field in FIELDS:
            # forces result from a search that ends within its tolerance
            assert difference(getattr(d, field), getattr(official, field)) < (1e-6 if field == "qacc" else 1e-9), field


OWN = {"lines": (ROPE.replace("5", "20"), 0.15), "triangles": (SHEET, 0.06), "tetrahedra": (BLOCK, 0.06)}


@pytest.mark.parametrize("way", ["narrow", "bvh", "sap", "auto"])
@pytest.mark.parametrize("name", OWN)
def test_contacts_of_a_flex_with_itself_equal_the_oracle(name: str, way: str) -> None:
    """Self-contacts of a flex agree with MuJoCo's, including their order and the order of the two elements."""
    flex, amount = OWN[name]
    found = 0
    for seed in range(3):
        _, d, official = forwarded(touching(flex, "", own=way), seed, amount)
        assert [ids(c) for c in d.contact] == [ids(c) for c in official.contact]
        found += d.ncon
        for mine, theirs in zip(d.contact, official.contact, strict=True):
            for field in PARAMETERS:
                assert difference(getattr(mine, field), getattr(theirs, field)) < 1e-9, field
    assert found > 0


@pytest.mark.parametrize("other", [ROPE, GRID, BLOCK])
def test_contacts_of_two_flexes_equal_the_oracle(other: str) -> None:
    placed = f'<worldbody><flexcomp name="g" type="grid" spacing=".1 .1 .1" pos=".01 .02 .004" euler="0 5 10" radius=".005" {other}>'
    xml = touching(GRID, "").replace(
        "<worldbody>", placed + f"<contact {CONTACT.format('false', 'none', 3)}/></flexcomp>", 1
    )
    for seed in range(3):
        _, d, official = forwarded(xml, seed)
        assert d.ncon > 0
        assert [ids(c) for c in d.contact] == [ids(c) for c in official.contact]
        assert difference(d.contact.dist, official.contact.dist) < 1e-10
        for field in FIELDS:
            assert difference(getattr(d, field), getattr(official, field)) < (1e-6 if field == "qacc" else 1e-8), field


WITHIN = {"lines": (ROPE, 0.1), "triangles": (SHEET, 0.06), "tetrahedra": (BLOCK, 0.06)}


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("name", WITHIN)
def test_contacts_within_a_flex_equal_the_oracle(name: str) -> None:
    flex, amount = WITHIN[name]
    found = 0
    for seed in range(20 if name == "lines" else 3):
        _, d, official = forwarded(touching(flex, "", within="true"), seed, amount)
        assert [ids(c) for c in d.contact] == [ids(c) for c in official.contact]
        found += d.ncon
        for mine, theirs in zip(d.contact, official.contact, strict=True):
            for field in PARAMETERS:
                assert difference(getattr(mine, field), getattr(theirs, field)) < 1e-10, field
        for field in FIELDS:
            assert difference(getattr(d, field), getattr(official, field)) < (1e-6 if field == "qacc" else 1e-9), field
    assert found > 0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("name", [*OWN, "tetrahedra within"])
def test_margins_do_not_count_within_a_flex(name: str) -> None:
    """Margins and gaps do not affect self-contacts of a flex, as in MuJoCo; elements whose vertices share a body do not touch."""
    flex, amount = OWN[name.split()[0]]
    within = "within" in name
    xml = touching(flex, "", PIN, own="none" if within else "auto", within=str(within).lower())
    xml = xml.replace("condim", 'margin=".02" gap=".004" condim')
    found = 0
    for seed in range(3):
        _, d, official = forwarded(xml, seed, amount)
        assert [ids(c) for c in d.contact] == [ids(c) for c in official.contact]
        assert not np.any(d.contact.includemargin)
        found += d.ncon
    assert found > 0


def test_balls_deep_in_solids_have_the_same_contacts() -> None:
    """Balls deep inside a solid flex have contacts that are bit-identical to MuJoCo's, with and without a margin."""
    xml = touching(BLOCK, free('size=".05"', 'pos=".03 .02 .08"')).replace("condim", 'margin=".02" condim')
    for seed in range(3):
        _, d, official = forwarded(xml, seed)
        assert d.ncon > 3
        for field in ("dist", "pos", "frame"):
            assert np.array_equal(getattr(d.contact, field), getattr(official.contact, field)), field


@pytest.mark.usefixtures("edition")
def test_nodes_with_a_tiny_share_of_a_vertex_feel_nothing() -> None:
    """Contact forces omit nodes whose weight for a vertex is below 1e-5, as in MuJoCo."""
    points = "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 3e-4 .1 0 1e-5 .2 0 1e-6 .3 0"
    elements = "0 1 2 3 1 2 3 4 5 1 3 4 6 1 3 4 7 1 3 4"
    shape = f'type="direct" dim="3" dof="trilinear" point="{points}" element="{elements}"'
    xml = model(shape, contact=CONTACT.format("false", "none", 1), world=plane(0.1)).replace(
        'type="grid" spacing', "spacing"
    )
    _, d, official = forwarded(xml, 0)
    assert d.ncon >= 3
    assert difference(d.efc_J, official.efc_J) < 1e-12


@pytest.mark.usefixtures("edition")
def test_vertices_that_nothing_moves_have_no_compressed_rows() -> None:
    _, d, official = forwarded(touching(SHEET, plane(-0.001), PIN, option='jacobian="sparse"'), 0)
    assert sorted(set(d.contact.exclude.tolist())) == [0, 3]
    assert d.nefc == official.nefc
    for mine, theirs in zip(d.contact, official.contact, strict=True):
        assert (mine.exclude, mine.mu, mine.efc_address) == (theirs.exclude, theirs.mu, theirs.efc_address)


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="batches need compiled kernels")
@pytest.mark.parametrize("name", ["vertices on a plane", "triangles on a box", "a trilinear box and a capsule"])
def test_batches_step_as_single_worlds(name: str) -> None:
    m, d, _ = forwarded(SCENES[name], 0)
    batch = Batch(m, 9)
    batch.qpos[:], batch.qvel[:] = d.qpos, d.qvel
    batch.qvel[:5] *= 0.5
    d = conjoint.MjData(m)
    d.qpos[:], d.qvel[:] = batch.qpos[8], batch.qvel[8]
    for _ in range(3):
        batch.step()
        conjoint.mj_step(m, d)
    assert difference(batch.qpos[8], d.qpos) < 1e-8


@pytest.mark.usefixtures("edition")
def test_a_ball_does_not_fall_through_a_cloth() -> None:
    """A cloth that is pinned at its corners stops a ball and throws it back."""
    pins = '<pin id="0 8 72 80"/><edge equality="true" damping=".01"/>'
    ball = free('size=".1" density="200"', 'pos="0 0 .25"')
    xml = touching('dim="2" count="9 9 1"', ball, pins, 'timestep="1e-3" solver="CG"').replace(
        "spacing=", "pos='0 0 0' spacing="
    )
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    lowest, speed = 1.0, []
    for _ in range(600):
        conjoint.mj_step(m, d)
        lowest = min(lowest, float(d.qpos[2] - d.flexvert_xpos[:, 2].min()))
        speed.append(float(d.qvel[2]))
    assert lowest > 0
    assert min(speed) < -1.0 < speed[-1]


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_self_collision_needs_contact_bits() -> None:
    xml = touching(ROPE, "", own="auto").replace("condim", 'contype="1" conaffinity="2" condim')
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    d.qpos[:] = 0.05 * np.random.default_rng(0).standard_normal(m.nq)
    conjoint.mj_forward(m, d)
    assert d.ncon == 0
