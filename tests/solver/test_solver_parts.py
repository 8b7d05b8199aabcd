"""Newton's method visits MuJoCo's iterates in scenes of many separate islands."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_state
from collision_scenes import adopted
from conjoint.solver.linesearch import Line, Point
from conjoint.solver.method.editions import exact_drop_3

STATISTICS = ("nactive", "nchange", "neval", "nupdate")


def crowd(count: int, option: str = "") -> str:
    """Return a model of bodies that sometimes touch, trees with dry friction in a slide joint, and trees without contacts."""
    shapes = ('type="sphere" size=".1"', 'type="capsule" size=".08 .1"', 'type="box" size=".08 .1 .09"')
    side = round(count**0.5)
    bodies = "".join(
        f'<body pos="{0.24 * (i % side)} {0.23 * (i // side)} {0.12 + 0.01 * (i % 5)}" euler="{20 * i} {30 * i} 0">'
        f"<freejoint/><geom {shapes[i % 3]}/></body>"
        for i in range(count)
    )
    slides = "".join(
        f'<body pos="{-1 - i} 0 1"><joint type="slide" axis="1 0 0" frictionloss="{0.5 + i}" range="-.1 .1" limited="true"/>'
        f'<joint type="hinge" axis="0 1 0" pos="0 0 .2"/><geom size=".1"/></body>'
        for i in range(4)
    )
    return (
        f'<mujoco><option {option}/><worldbody><geom type="plane" size="9 9 1"/>{bodies}{slides}</worldbody></mujoco>'
    )


def thrown(xml: str, states: int) -> Any:
    """Return both models and a list of states, each as MuJoCo's data before and after solving the constraints."""
    official_model, official, m = adopted(xml)
    generator = np.random.default_rng(1)
    found = []
    for _ in range(states):
        official.qvel[:] += 0.5 * generator.standard_normal(official_model.nv)
        mujoco.mj_step(official_model, official, 5)
        before = copy.copy(official)
        mujoco.mj_forward(official_model, official)
        found.append((before, copy.copy(official)))
    return official_model, m, found


def disagreement(d: Any, official: Any) -> float:
    """Return the largest relative difference between accelerations or forces of two data.

    Differences are relative to one plus the largest number of each field.
    """
    return max(
        float(np.abs(getattr(d, name) - getattr(official, name)).max() / (1.0 + np.abs(getattr(official, name)).max()))
        for name in ("qacc", "efc_force", "qfrc_constraint")
    )


@pytest.mark.parametrize("option", ["", 'tolerance="0"', 'cone="elliptic"', 'iterations="3"', 'ls_iterations="4"'])
def test_iterates_are_the_official_ones(option: str) -> None:
    official_model, m, states = thrown(crowd(25, option), 8)
    for before, after in states:
        d = adopt_state(m, official_model, before)
        conjoint.mj_forward(m, d)
        assert disagreement(d, after) < 1e-10
        assert np.array_equal(d.efc_state, after.efc_state)
        if "tolerance" in option:
            # the number of iterations at rounding level may differ
            continue
        niter = int(after.solver_niter[0])
        assert d.solver_niter[0] == niter
        for k in range(niter):
            assert [getattr(d.solver[k], s) for s in STATISTICS] == [getattr(after.solver[k], s) for s in STATISTICS]


@pytest.mark.plain
def test_a_drop_that_rounding_hides_is_told_by_slopes() -> None:
    """A cost decrease hidden by rounding is computed from slopes: slopes of -2 at step 0 and 0 at step 1 give a decrease of 1."""
    line, end = Line(0.0, -2.0, 2.0, 1.0, 0.0), Point(1.0, 0.0, 2.0)
    assert exact_drop_3.function(-1e-20, line, end) == 1.0
    assert exact_drop_3.function(0.5, line, end) == 0.5
