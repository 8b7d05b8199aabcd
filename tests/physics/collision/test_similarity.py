"""Scenes with scaled lengths and times move similarly, which absolute constants in the engine would prevent."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import conjoint

pytestmark = pytest.mark.usefixtures("edition")

SIZES = {
    "sphere": (0.1,), "capsule": (0.1, 0.15), "ellipsoid": (0.1, 0.15, 0.2), "cylinder": (0.1, 0.15),
    "box": (0.1, 0.15, 0.2),
}  # fmt: skip
BODY = '<body pos="{}" quat="{}"><freejoint/><geom type="{}" size="{}" margin="{}"/></body>'
SCALES = 1e-3, 1e-5


def text(numbers: object, scale: float = 1.0) -> str:
    return " ".join(str(number) for number in (np.atleast_1d(numbers) * scale).tolist())


def measured(kinds: tuple[str, str], scale: float, seed: int) -> np.ndarray:
    """Return the distances of contacts, geoms and rays in a scene of two geoms, in units of the scale."""
    random = np.random.default_rng(seed)
    way, turn = random.normal(size=3), random.normal(size=4)
    places = np.zeros(3), way * (0.25, 0.36)[seed % 2] / np.linalg.norm(way)
    bodies = "".join(
        BODY.format(text(place, scale), text(turn), kind, text(SIZES[kind], scale), 0.03 * scale)
        for place, kind, turn in zip(places, kinds, ((1, 0, 0, 0), turn), strict=True)
    )
    m = conjoint.MjModel.from_xml_string(
        f'<mujoco><compiler boundmass="1" boundinertia="1"/><worldbody>{bodies}</worldbody></mujoco>'
    )
    m.opt.ccd_tolerance = 1e-6 * scale
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    found = sorted(d.contact.dist / scale)
    found.append(conjoint.mj_geomDistance(m, d, 0, 1, 5 * scale, None) / scale)
    for start, goal in random.normal(size=(8, 2, 3)):
        # rays from outside to a point inside
        start = start / np.linalg.norm(start)
        ray = 0.05 * goal - start
        distance = conjoint.mj_ray(m, d, start * scale, ray / np.linalg.norm(ray), None, 1, -1, np.zeros(1, np.int32))
        found.append(distance / scale if distance >= 0 else -1)
    return np.array(found)


@pytest.mark.parametrize("kinds", list(itertools.combinations_with_replacement(SIZES, 2)))
def test_contacts_distances_and_rays_are_those_of_the_large_scene(kinds: tuple[str, str]) -> None:
    for seed in range(6):
        large = measured(kinds, 1.0, seed)
        for scale in SCALES:
            np.testing.assert_allclose(measured(kinds, scale, seed), large, atol=1e-3, err_msg=f"{scale} {seed}")


PILE = """
<mujoco>
  <option timestep="{step}" solver="{solver}" cone="{cone}" tolerance="0" iterations="100"/>
  <default><geom mass="1" solref="{slow} 1" solimp=".9 .95 {width}" friction="1 {torsion} {roll}"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 {low}"><freejoint/><geom type="box" size="{size}"/></body>
    <body pos="{aside} 0 {high}" euler="10 20 0"><freejoint/><geom type="capsule" size="{radius} {radius}"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
def test_a_pile_falls_as_the_large_one(solver: str, cone: str) -> None:
    """A pile scaled by L, with times scaled by sqrt(L), falls like the original under the same gravity.

    Scales are limited, because the volume of a geom with a mass is at least `mjMINVAL`.
    """
    found = []
    for scale in (1.0, 1e-2, 1e-3):
        time = np.sqrt(scale)
        m = conjoint.MjModel.from_xml_string(PILE.format(
            step=0.002 * time, solver=solver, cone=cone, slow=0.02 * time, width=0.001 * scale, torsion=0.005 * scale,
            roll=0.0001 * scale, low=0.11 * scale, size=text((0.1, 0.1, 0.1), scale), aside=0.03 * scale,
            high=0.45 * scale, radius=0.1 * scale,
        ))  # fmt: skip
        d = conjoint.MjData(m)
        conjoint.mj_step(m, d, 150)
        assert d.ncon > 0
        found.append(d.qpos / np.array([scale] * 3 + [1] * 4 + [scale] * 3 + [1] * 4))
    np.testing.assert_allclose(found[1], found[0], atol=1e-3)
    np.testing.assert_allclose(found[2], found[0], atol=1e-3)
