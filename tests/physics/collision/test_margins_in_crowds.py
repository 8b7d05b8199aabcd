"""In both editions, a pair with margins and gaps has the same contacts alone, in a crowd, and in lanes."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.runtime import box_trees, pairs

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="crowds: compiled only")

SHAPES = {
    "sphere": "type='sphere' size='.1'", "capsule": "type='capsule' size='.1 .1'",
    "ellipsoid": "type='ellipsoid' size='.1 .12 .14'", "cylinder": "type='cylinder' size='.1 .12'",
    "box": "type='box' size='.1 .1 .1'",
}  # fmt: skip
PAIRS = list(combinations_with_replacement(SHAPES, 2))
TURNS = np.random.default_rng(0).standard_normal((len(PAIRS), 4))
SEPARATION = 5.0
"""Distance (m) between neighboring pairs of a crowd."""

NEXT_TO_IT = "<geom size='.02' pos='0 .5 0'/>"


def pair(k: int, attributes: str, x: float, static: bool, several: bool, sleep: str = "") -> str:
    """Return the XML of two bodies at x with the geoms of pair k, within their margins."""
    first, second = PAIRS[k]
    joint, more = "" if static else "<freejoint/>", NEXT_TO_IT if several else ""
    other = "" if static else sleep
    turn = " ".join(map(str, TURNS[k]))
    return (
        f"<body pos='{x} 0 0' {sleep}><freejoint/><geom {SHAPES[first]} {attributes}/>{more}</body>"
        f"<body pos='{x + 0.24} 0 .02' quat='{turn}' {other}>{joint}<geom {SHAPES[second]} {attributes}/>{more}</body>"
    )


TIGHT = "ccd_tolerance='1e-9' ccd_iterations='500'"


def model(bodies: str, flags: str = "", search: str = TIGHT) -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_string(
        f"<mujoco><option gravity='0 0 0' {search}>{flags}</option><worldbody>{bodies}</worldbody></mujoco>"
    )


def contacts(found: Any, x: float = 0.0) -> list[list[float]]:
    """Return sorted distances, positions, normals, margins and exclusions of the contacts near x."""
    near = [c for c in found if abs(c.pos[0] - x) < 0.5 * SEPARATION]
    return sorted([*(c.pos - [x, 0, 0]), c.dist, *c.frame[:3], c.includemargin, c.exclude] for c in near)


@pytest.mark.parametrize("attributes", ["margin='.03'", "margin='.03' gap='.02'", "gap='.05'"])
@pytest.mark.parametrize("several", [False, True], ids=["one geom", "several geoms"])
@pytest.mark.parametrize("static", [False, True], ids=["moving", "static"])
def test_a_pair_touches_in_a_crowd_as_alone(edition: str, attributes: str, several: bool, static: bool) -> None:
    """Pairs have the same contacts with a sweep, in a tree of static geoms, with several geoms per body, and in lanes."""
    crowd = [k for _ in range(3) for k in range(len(PAIRS))]
    places = [SEPARATION * i for i in range(len(crowd))]
    bodies = "".join(pair(k, attributes, x, static, several) for k, x in zip(crowd, places, strict=True))
    m = model(bodies)
    d, batch = conjoint.MjData(m), Batch(m, 3, nthread=1)
    conjoint.mj_forward(m, d)
    batch.forward()
    plan = m.plans.current
    assert int(plan.view("nsweep")) > 0 or int(plan.view("nstatic_node")) > 0
    number = 0
    for k in range(len(PAIRS)):
        alone = model(pair(k, attributes, 0.0, static, False))
        data = conjoint.MjData(alone)
        conjoint.mj_forward(alone, data)
        expected = contacts(data.contact)
        number += len(expected)
        for place in (places[k], places[-len(PAIRS) + k]):
            np.testing.assert_allclose(contacts(d.contact, place), expected, atol=1e-3, err_msg=str(PAIRS[k]))
    # only edition 4.0 has contacts within a gap
    assert number > 0 or (edition == "3.3.5" and "margin" not in attributes)
    for world in range(3):
        assert len(batch.contact(world)) == d.ncon
        np.testing.assert_allclose(batch.contact(world).dist, d.contact.dist, atol=1e-12)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("static", [False, True], ids=["moving", "static"])
def test_pairs_next_to_pairs_that_sleep(static: bool) -> None:
    """Sleeping pairs do not change the contacts of the awake pairs between them."""
    crowd = [k for _ in range(3) for k in range(len(PAIRS))]
    found = []
    for sleep in ("", "sleep='init'"):
        bodies = "".join(
            pair(k, "margin='.03' gap='.02'", SEPARATION * i, static, True, sleep if i % 2 else "")
            for i, k in enumerate(crowd)
        )
        m = model(bodies, "<flag sleep='enable'/>")
        d, batch = conjoint.MjData(m), Batch(m, 3, nthread=1)
        conjoint.mj_forward(m, d)
        batch.forward()
        found.append([contacts(d.contact, SEPARATION * i) for i in range(len(crowd))])
        assert found[-1] == [contacts(batch.contact(1), SEPARATION * i) for i in range(len(crowd))]
    assert (d.tree_asleep >= 0).sum() == len(crowd) // 2 * (2 - static)
    # sleeping bodies have no contacts
    assert found[1][::2] == found[0][::2] and not any(found[1][1::2])
    assert sum(map(bool, found[0][1::2])) > 5


def test_what_passes_in_the_gap_wakes_a_box_among_many() -> None:
    """In edition 4.0, a ball within the gap wakes a sleeping box, alone or among many."""
    sleep = "<flag sleep='enable'/>"
    box = "<body pos='{x} 0 0' sleep='init'><freejoint/><geom type='box' size='.1 .1 .1' gap='.1'/></body>"
    ball = "<body pos='.25 0 0'><freejoint/><geom size='.1' gap='.1'/></body>"
    for others in (0, 80):
        boxes = "".join(box.format(x=-SEPARATION * i) for i in range(others + 1))
        with conjoint.semantics("4.0"):
            m = model(boxes + ball, sleep)
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert d.ncon == 1 and d.tree_asleep[0] < 0, others
        assert (d.tree_asleep[1 : others + 1] >= 0).all()


def test_normals_within_the_margin_are_exact() -> None:
    """In edition 4.0, contact normals within the margin are normal to both round surfaces."""
    with conjoint.semantics("4.0"):
        m = model(pair(PAIRS.index(("ellipsoid", "ellipsoid")), "margin='.1'", 0.0, False, False), search="")
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    (contact,) = d.contact
    normal = contact.frame[:3]
    assert 0 < contact.dist < 0.1
    for g, side in enumerate((1, -1)):
        axes, size = d.geom_xmat[g].reshape(3, 3), m.geom_size[g]
        way = axes.T @ normal * side
        farthest = d.geom_xpos[g] + axes @ (size**2 * way / np.linalg.norm(size * way))
        np.testing.assert_allclose(farthest, contact.pos - 0.5 * side * contact.dist * normal, atol=1e-5)


def heap(midphase: str = "enable", sleep: str = "disable", seed: int = 0) -> str:
    """Return a model of free bodies with one to three geoms of all shapes, with margins and gaps, among static bodies."""
    rng = np.random.default_rng(seed)

    def body(k: int, joint: str) -> str:
        pos, turn = rng.uniform(-0.9, 0.9, 3).round(3), rng.uniform(-90, 90, 3).round(1)
        geoms = ""
        for _ in range(1 + k % 3):
            shape = list(SHAPES.values())[rng.integers(len(SHAPES))]
            place, margin, gap = (
                rng.uniform(-0.15, 0.15, 3).round(3),
                rng.choice([0, 0.03, 0.06]),
                rng.choice([0, 0.02]),
            )
            geoms += f"<geom {shape} pos='{' '.join(map(str, place))}' margin='{margin}' gap='{gap}'/>"
        return f"<body pos='{' '.join(map(str, pos))}' euler='{' '.join(map(str, turn))}'>{joint}{geoms}</body>"

    bodies = "".join(body(k, "<freejoint/>") for k in range(10)) + "".join(body(k, "") for k in range(26))
    flags = f"<flag midphase='{midphase}' sleep='{sleep}' island='disable'/>"
    return f"<mujoco><option {TIGHT}>{flags}</option><worldbody>{bodies}</worldbody></mujoco>"


def all_contacts(found: Any) -> list[list[float]]:
    """Return sorted geoms, distances, positions, normals, margins and exclusions of all contacts."""
    return sorted([*c.geom, c.dist, *c.pos, *np.ravel(c.frame)[:3], c.includemargin, c.exclude] for c in found)


def read_so(way: str, monkeypatch: pytest.MonkeyPatch) -> conjoint.MjModel:
    """Return the model of `heap` with one broad phase: "one by one", "mid phase", "swept" or "static tree"."""
    with monkeypatch.context() as patch:
        patch.setattr(pairs, "LISTED_PER_GEOM", 0 if way == "swept" else 10**6)
        patch.setattr(box_trees, "LEAST_STATIC", 1 if way == "static tree" else 10**9)
        m = conjoint.MjModel.from_xml_string(heap("disable" if way == "one by one" else "enable"))
        sizes = {name: int(m.plans.current.view(name)) for name in ("nsweep", "nmover")}
    assert sizes == {"nsweep": sizes["nsweep"] * (way == "swept"), "nmover": sizes["nmover"] * (way == "static tree")}
    assert any(sizes.values()) == (way in ("swept", "static tree"))
    return m


@pytest.mark.usefixtures("edition")
def test_pairs_are_found_in_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every broad phase finds the same pairs with margins and gaps, in one world and in lanes."""
    models = {way: read_so(way, monkeypatch) for way in ("one by one", "mid phase", "swept", "static tree")}
    worlds = {way: conjoint.MjData(m) for way, m in models.items()}
    batches = {way: Batch(m, 3, nthread=1) for way, m in models.items()}
    rng, number = np.random.default_rng(1), 0
    for _ in range(4):
        states = []
        for _ in range(3):
            qpos = models["swept"].qpos0.copy()
            conjoint.mj_integratePos(models["swept"], qpos, 0.3 * rng.normal(size=models["swept"].nv), 1.0)
            states.append(qpos)
        for batch in batches.values():
            batch.qpos[:] = states
            batch.forward()
        for k, qpos in enumerate(states):
            found = {}
            for way, d in worlds.items():
                d.qpos[:] = qpos
                conjoint.mj_forward(models[way], d)
                found[way] = all_contacts(d.contact)
            number += len(found["one by one"])
            for way, batch in batches.items():
                assert found[way] == found["one by one"], way
                np.testing.assert_allclose(all_contacts(batch.contact(k)), found[way], rtol=0, atol=1e-6, err_msg=way)
    assert number > 150


@pytest.mark.parametrize("midphase", ["enable", "disable"])
@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_boxes_of_bodies_reach_as_far_as_margins(edition: str, gap: float, midphase: str) -> None:
    """Bounding boxes of multi-geom bodies include the margins of curved geoms."""
    xml = f"""<mujoco><option><flag midphase="{midphase}"/></option><worldbody>
      <geom type="cylinder" size=".1 .1" margin=".01" gap="{gap}"/><geom size=".01" pos="0 .5 -.05"/>
      <body><freejoint/><geom type="ellipsoid" size=".1 .1 .1" margin=".01" gap="{gap}"/><geom size=".01" pos="0 .5 0"/>
      </body></worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(xml)
    d, batch = conjoint.MjData(m), Batch(m, 6, nthread=1)
    batch.qpos[:] = m.qpos0
    batch.qpos[:, 2] = heights = 0.2 + 0.005 + 0.01 * np.arange(6)
    batch.forward()
    limit = 0.01 if edition == "3.3.5" else 0.02 + 2 * gap
    assert batch.ncon.tolist() == (heights < 0.2 + limit).tolist()
    for d.qpos[2], number in zip(heights, batch.ncon, strict=True):
        conjoint.mj_forward(m, d)
        assert d.ncon == number
