"""Margins and gaps in both editions: a pair has the same contacts alone, in a crowd, and in lanes."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="crowds: compiled only")

SHAPES = {
    "sphere": "type='sphere' size='.1'", "capsule": "type='capsule' size='.1 .1'",
    "ellipsoid": "type='ellipsoid' size='.1 .12 .14'", "cylinder": "type='cylinder' size='.1 .12'",
    "box": "type='box' size='.1 .1 .1'",
}  # fmt: skip
PAIRS = list(combinations_with_replacement(SHAPES, 2))
TURNS = np.random.default_rng(0).standard_normal((len(PAIRS), 4))
SEPARATION = 5.0
"""Distance (m) between two pairs of a crowd."""

NEXT_TO_IT = "<geom size='.02' pos='0 .5 0'/>"


def pair(k: int, attributes: str, x: float, static: bool, several: bool) -> str:
    """Bodies of pair k at x, within each other's margin."""
    first, second = PAIRS[k]
    joint, more = "" if static else "<freejoint/>", NEXT_TO_IT if several else ""
    turn = " ".join(map(str, TURNS[k]))
    return (
        f"<body pos='{x} 0 0'><freejoint/><geom {SHAPES[first]} {attributes}/>{more}</body>"
        f"<body pos='{x + 0.24} 0 .02' quat='{turn}'>{joint}<geom {SHAPES[second]} {attributes}/>{more}</body>"
    )


TIGHT = "ccd_tolerance='1e-9' ccd_iterations='500'"


def model(bodies: str, edition: str, flags: str = "", search: str = TIGHT) -> conjoint.MjModel:
    with conjoint.semantics(edition):
        return conjoint.MjModel.from_xml_string(
            f"<mujoco><option gravity='0 0 0' {search}>{flags}</option><worldbody>{bodies}</worldbody></mujoco>"
        )


def contacts(found: conjoint.MjData, x: float = 0.0) -> list[list[float]]:
    """Distance, place, normal, margin and exclusion of contacts near x, in an order of their own."""
    near = [c for c in found.contact if abs(c.pos[0] - x) < 0.5 * SEPARATION]
    return sorted([*(c.pos - [x, 0, 0]), c.dist, *c.frame[:3], c.includemargin, c.exclude] for c in near)


@pytest.mark.parametrize("edition", ["3.3.5", "4.0"])
@pytest.mark.parametrize("attributes", ["margin='.03'", "margin='.03' gap='.02'", "gap='.05'"])
@pytest.mark.parametrize("several", [False, True], ids=["one geom", "several geoms"])
@pytest.mark.parametrize("static", [False, True], ids=["moving", "static"])
def test_a_pair_touches_in_a_crowd_as_alone(edition: str, attributes: str, several: bool, static: bool) -> None:
    """Swept, in a tree of what never moves, with several geoms to a body, and in lanes."""
    crowd = [k for _ in range(3) for k in range(len(PAIRS))]
    places = [SEPARATION * i for i in range(len(crowd))]
    bodies = "".join(pair(k, attributes, x, static, several) for k, x in zip(crowd, places, strict=True))
    m = model(bodies, edition)
    d, batch = conjoint.MjData(m), Batch(m, 3, nthread=1)
    conjoint.mj_forward(m, d)
    batch.forward()
    plan = m.plans.current
    assert int(plan.view("nsweep")) > 0 or int(plan.view("nstatic_node")) > 0
    number = 0
    for k in range(len(PAIRS)):
        alone = model(pair(k, attributes, 0.0, static, False), edition)
        data = conjoint.MjData(alone)
        conjoint.mj_forward(alone, data)
        expected = contacts(data)
        number += len(expected)
        for place in (places[k], places[-len(PAIRS) + k]):
            np.testing.assert_allclose(contacts(d, place), expected, atol=1e-3, err_msg=str(PAIRS[k]))
    # within a gap there are contacts in edition 4.0 only
    assert number > 0 or (edition == "3.3.5" and "margin" not in attributes)
    for world in range(3):
        assert len(batch.contact(world)) == d.ncon
        np.testing.assert_allclose(batch.contact(world).dist, d.contact.dist, atol=1e-12)


def test_what_passes_in_the_gap_wakes_a_box_among_many() -> None:
    """In edition 4.0, as a box alone."""
    sleep = "<flag sleep='enable'/>"
    box = "<body pos='{x} 0 0' sleep='init'><freejoint/><geom type='box' size='.1 .1 .1' gap='.1'/></body>"
    ball = "<body pos='.25 0 0'><freejoint/><geom size='.1' gap='.1'/></body>"
    for others in (0, 80):
        boxes = "".join(box.format(x=-SEPARATION * i) for i in range(others + 1))
        m = model(boxes + ball, "4.0", sleep)
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert d.ncon == 1 and d.tree_asleep[0] < 0, others
        assert (d.tree_asleep[1 : others + 1] >= 0).all()


def test_normals_within_the_margin_are_exact() -> None:
    """Of round bodies, in edition 4.0: across both surfaces, which are those of the bodies without the margin."""
    m = model(pair(PAIRS.index(("ellipsoid", "ellipsoid")), "margin='.1'", 0.0, False, False), "4.0", search="")
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
