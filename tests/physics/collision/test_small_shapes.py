"""Shapes of micrometers touch, and are met by rays, as shapes of meters do."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="many poses: compiled only")

SHAPES = {
    "sphere": (1.0,), "capsule": (1.0, 1.3), "ellipsoid": (1.0, 1.2, 0.8), "cylinder": (1.0, 1.2),
    "box": (1.0, 0.8, 1.1),
}  # fmt: skip
SMALL = 3e-5
"""Unit of length (m) of the small shapes."""

POSES = [
    ((1.9, 0.0, 0.3), (1, 0, 0, 0)),
    ((1.0, 1.5, 0.4), (1, 0, 0, 0)),
    ((1.2, 1.1, 0.2), (0.8, 0.3, -0.5, 0.1)),
    ((0.3, -1.7, 0.6), (0.1, 0.9, 0.2, -0.3)),
    ((0.2, 0.3, 2.0), (0.6, -0.2, 0.7, 0.1)),
]


def scene(first: str, second: str, unit: float, pos: tuple, quat: tuple) -> tuple:
    """Two bodies, and all lengths in a unit, the tolerance too."""

    def geom(shape: str) -> str:
        size = " ".join(str(unit * each) for each in SHAPES[shape])
        return f'<freejoint/><geom type="{shape}" size="{size}" mass="1" margin="{0.3 * unit}"/>'

    place, turn = (" ".join(map(str, each)) for each in (unit * np.array(pos), quat))
    m = conjoint.MjModel.from_xml_string(
        f'<mujoco><option ccd_tolerance="{1e-7 * unit}"/><worldbody><body>{geom(first)}</body>'
        f'<body pos="{place}" quat="{turn}">{geom(second)}</body></worldbody></mujoco>'
    )
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    return m, d


@pytest.mark.parametrize("edition", ["3.3.5", "4.0"])
@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_small_shapes_touch_as_large_ones(edition: str, first: str, second: str) -> None:
    """The same contacts and distances, in their unit: capsules of 30 micrometers counted as parallel."""
    for pos, quat in POSES:
        found = []
        for unit in (0.1, SMALL):
            with conjoint.semantics(edition):
                m, d = scene(first, second, unit, pos, quat)
            contacts = [[*(c.pos / unit), c.dist / unit, *c.frame[:3]] for c in d.contact]
            contacts.sort(key=lambda contact: contact[2])
            ends = np.zeros(6)
            distance = conjoint.mj_geomDistance(m, d, 0, 1, 10 * unit, ends) / unit
            found.append((contacts, distance, (ends[3:] - ends[:3]) / unit))
        for large, small in zip(*found, strict=True):
            np.testing.assert_allclose(small, large, atol=5e-3, err_msg=f"{pos}")


@pytest.mark.parametrize("shape", SHAPES)
def test_rays_meet_small_shapes_as_large_ones(shape: str) -> None:
    """Also where they graze them: what a ray meets does not depend on the unit of length."""
    starts = np.array([[5.0, 0.3, 0.2], [0.2, -5.0, 0.1], [3.0, 3.0, 3.0], [0.1, 0.2, 6.0]])
    found = []
    for unit in (1.0, SMALL, 1e-2 * SMALL):
        m, d = scene(shape, shape, unit, (20.0, 0.0, 0.0), (1, 0, 0, 0)) if unit > 1e-6 else (m, d)  # noqa: F821
        if unit < 1e-6:
            m.geom_size[:] *= 1e-2
        hits = []
        for start in starts:
            side = np.cross(start, [0.3, 0.5, -0.2])
            for aim in np.linspace(-1.4, 1.4, 41):
                way = aim * side / np.linalg.norm(side) - start
                hit = conjoint.mj_ray(m, d, start * unit, way / np.linalg.norm(way), None, 1, -1, None)
                hits.append(hit / unit if hit >= 0 else -1.0)
        found.append(hits)
    assert -1.0 in found[0] and max(found[0]) > 0
    np.testing.assert_allclose(found[1], found[0], atol=1e-6)
    np.testing.assert_allclose(found[2], found[0], atol=1e-6)
