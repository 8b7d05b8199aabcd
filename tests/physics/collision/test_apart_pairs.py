"""Cached separating directions of convex geoms never affect the contacts."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import vec3
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics.collision.convex.planes import plane_along
from convex_scenes import poses, scene

pytestmark = pytest.mark.usefixtures("edition")

PAIRS = (("cloud", "cube"), ("cylinder", "cloud"), ("ellipsoid", "prism"), ("cylinder", "cylinder"))

POISON = (1e30, np.nan, -1.0)
"""Arbitrary values with which tests fill the cache of separating directions, as if they were left over."""


def contacts(m: conjoint.MjModel, d: conjoint.MjData) -> bytes:
    """Return the bytes of all contacts after `mj_forward`."""
    conjoint.mj_forward(m, d)
    return b"".join(np.array(part).tobytes() for c in d.contact for part in (c.dist, c.pos, c.frame, c.geom))


def remember(d: conjoint.MjData, pair: int, way: np.ndarray) -> None:
    """Store a separating direction for a pair of geoms in the cache of the data."""
    d.world.arena.view("apart_geoms")[...] = pair
    d.world.arena.view("apart_way")[...] = way


@pytest.mark.parametrize("flag", ('multiccd="disable"', 'multiccd="enable"'))
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_any_direction_may_be_remembered(pair: tuple[str, str], flag: str) -> None:
    """A cached separating direction never changes the contacts, even if it is wrong or invalid."""
    m = conjoint.MjModel.from_xml_string(scene(pair, geom='margin=".02"', flag=flag))
    generator = np.random.default_rng(30)
    number = int(np.argmin(m.geom_type)) * m.ngeom + int(np.argmax(m.geom_type)) if pair[0] != pair[1] else 1
    there = 0
    for k, pose in enumerate([*poses(20, 31), *poses(40, 32, special=True)]):
        fresh, d = conjoint.MjData(m), conjoint.MjData(m)
        fresh.qpos[:] = pose
        fresh.qpos[:3] *= 1.6
        d.qpos[:] = fresh.qpos
        found = contacts(m, fresh)
        there += fresh.ncon > 0
        # the zero vector means that the geoms touched
        for way in (*generator.standard_normal((2, 3)), np.zeros(3), np.full(3, POISON[k % len(POISON)])):
            remember(d, number, way)
            assert contacts(m, d) == found
        # by now, the cached direction is right
        assert contacts(m, d) == found
    assert 6 < there < 54


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_planes_across_any_direction_have_a_geom_on_each_side(pair: tuple[str, str]) -> None:
    m = conjoint.MjModel.from_xml_string(scene(pair))
    plan = m.plans.current.plain()
    generator = np.random.default_rng(33)
    found = []
    for pose in poses(20 if jit_enabled() else 4, 34):
        d = conjoint.MjData(m)
        d.qpos[:] = pose
        d.qpos[:3] *= 1.5
        conjoint.mj_forward(m, d)
        for way in generator.standard_normal((3, 3)):
            apart, normal = plane_along(plan, d.world.plain(), 0, 1, 0.0, vec3(*way), 2)
            assert not (apart and d.ncon > 0)
            found.append(bool(apart))
            if apart:
                assert plane_along(plan, d.world.plain(), 0, 1, 0.0, normal, 1)[0]
        assert not plane_along(plan, d.world.plain(), 0, 1, 0.0, vec3(0.0, 0.0, 0.0), 2)[0]
    assert 0.1 < np.mean(found) < 0.9


@pytest.mark.skipif(not jit_enabled(), reason="lanes are compiled")
def test_worlds_do_not_depend_on_what_others_were_apart_along() -> None:
    """The cached separating directions of other worlds do not affect a world of a batch."""
    m = conjoint.MjModel.from_xml_string(scene(("cloud", "cube"), option='gravity="0 0 0"'))
    states = np.array(poses(24, 35))
    states[:, 3:] /= np.linalg.norm(states[:, 3:], axis=1)[:, None]

    def run(chosen: np.ndarray) -> np.ndarray:
        batch = Batch(m, len(chosen), nthread=1)
        batch.qpos = states[chosen]
        velocity = np.zeros((len(chosen), 6))
        velocity[:, :3] = -3.0 * states[chosen, :3]
        velocity[:, 3:] = states[chosen, 3:6]
        batch.qvel = velocity
        batch.step(25)
        return np.array(batch.qpos)

    everyone = np.arange(len(states))
    together = run(everyone)
    order = np.random.default_rng(36).permutation(everyone)
    np.testing.assert_array_equal(run(order), together[order])
    np.testing.assert_array_equal(run(everyone[::5]), together[::5])


def test_memory_of_directions_follows_the_pairs_that_are_searched() -> None:
    """The direction cache has about two entries for each nearby pair, and none if no pair needs it."""

    def places(count: int, kind: str) -> int:
        bodies = "".join(
            f'<body pos="{i} 0 0"><freejoint/><geom type="{kind}" size=".1 .1 .1"/></body>' for i in range(count)
        )
        m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        return len(conjoint.MjData(m).world.arena.view("apart_geoms"))

    assert [places(n, "sphere") for n in (2, 9)] == [0, 0]
    assert [places(n, "cylinder") for n in (1, 2, 3, 9, 27)] == [0, 1, 4, 64, 512]
    assert places(40, "ellipsoid") == 1024
