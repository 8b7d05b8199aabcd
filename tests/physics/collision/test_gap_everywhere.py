"""Rules of MuJoCo 4.0 about margins and gaps, however pairs are found: listed, swept, down trees, in lanes, asleep."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import conjoint

SIZES = {"sphere": ".1", "capsule": ".1 .1", "ellipsoid": ".1 .1 .1", "cylinder": ".1 .1", "box": ".1 .1 .1"}
PAIRS = list(itertools.combinations_with_replacement(SIZES, 2))
GEOM = '<geom type="{}" size="{}" margin=".02" gap=".05"/>'
SMALL = '<geom size=".01" pos=".05 0 0"/>'
FREE = "<freejoint/>"
APART = 0.04, 0.08
"""Distances (m) between margins, which are twice .02, and these with gaps, .1 more; contacts there do not act."""


def scene(first: str, second: str, count: int, still: bool = False, several: bool = False) -> conjoint.MjModel:
    """Return pairs of geoms one above the other, of which the lower one may be fixed, or bodies have another geom."""
    height = 0.2 + 0.1 * (first, second).count("capsule")
    text = ""
    for k in range(count):
        for kind, z, holds in ((first, 0.0, not still), (second, height + (APART[0] + 0.005, APART[1])[k % 2], True)):
            text += f'<body pos="{2 * (k % 8)} {2 * (k // 8)} {z}">{FREE if holds else ""}'
            text += GEOM.format(kind, SIZES[kind]) + (SMALL if several else "") + "</body>"
    return conjoint.MjModel.from_xml_string(f'<mujoco><option gravity="0 0 0"/><worldbody>{text}</worldbody></mujoco>')


def found(m: conjoint.MjModel) -> tuple[np.ndarray, int]:
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    return d.contact.dist.copy(), d.nefc


@pytest.fixture(autouse=True)
def newer() -> Any:
    with conjoint.semantics("4.0"):
        yield


@pytest.mark.parametrize("still", [False, True])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_many_pairs_touch_as_few(first: str, second: str, still: bool) -> None:
    few, rows = found(scene(first, second, 2, still))
    assert len(few) > 0
    assert rows == 0
    many, rows = found(scene(first, second, 60, still))
    np.testing.assert_allclose(many, np.tile(few, 30), atol=1e-9)
    assert rows == 0


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_geoms_of_larger_bodies_touch_as_alone(first: str, second: str) -> None:
    few, _ = found(scene(first, second, 2))
    for count in (2, 60):
        distances, _ = found(scene(first, second, count, several=True))
        # the small geoms may be within the gap, too
        assert len(distances) >= len(few) * count // 2
        assert np.isclose(distances[:, np.newaxis], few).any(axis=0).all()


def test_lanes_touch_as_one_world() -> None:
    for first, second in PAIRS:
        m = scene(first, second, 60)
        b = conjoint.Batch(m, 9)
        b.forward()
        assert (b.contact(8).dist == found(m)[0]).all()


@pytest.mark.parametrize("count", [1, 60])
def test_a_ball_in_the_gap_wakes_a_box(count: int) -> None:
    bodies = "".join(
        f'<body pos="{2 * k} 0 .1" sleep="init">{FREE}{GEOM.format("box", SIZES["box"])}</body>' for k in range(count)
    )
    ball = f'<body pos="0 0 .38"><joint type="slide" axis="1 0 0"/>{GEOM.format("sphere", ".1")}</body>'
    m = conjoint.MjModel.from_xml_string(
        '<mujoco><option gravity="0 0 0"><flag sleep="enable"/></option><worldbody>'
        f'<geom type="plane" size="9 9 1"/>{bodies}{ball}</worldbody></mujoco>'
    )
    d = conjoint.MjData(m)
    assert d.tree_asleep[0] >= 0
    d.qvel[-1] = 0.1
    conjoint.mj_step(m, d)
    assert d.tree_asleep[0] < 0
