"""Convex shapes that just touch have contacts with the known distance, which follows from the placement of their support points."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import conjoint

pytestmark = pytest.mark.usefixtures("edition")

SIZES = {
    "capsule": (0.5, 0.8),
    "ellipsoid": (0.5, 0.6, 0.8),
    "cylinder": (0.6, 0.7),
    "box": (0.5, 0.6, 0.8),
    "mesh": (),
}
CUBE = np.array(list(itertools.product((-0.5, 0.5), (-0.7, 0.7), (-0.6, 0.6))))
GAPS = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-6, 1e-4, -1e-14, -1e-11, -1e-9, -1e-7, -1e-5)


def support(kind: str, scale: float, way: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Return the farthest point of a shape along a unit direction; point and direction are in the shape's frame."""
    if kind == "mesh":
        heights = vertices @ way
        return vertices[heights > heights.max() - 1e-6 * scale].mean(axis=0)
    size = scale * np.array(SIZES[kind])
    if kind == "capsule":
        return size[0] * way + [0, 0, np.sign(way[2]) * size[1]]
    if kind == "ellipsoid":
        return size * size * way / np.linalg.norm(size * way)
    if kind == "cylinder":
        flat = np.linalg.norm(way[:2])
        return np.array([*(way[:2] / flat * size[0] if flat > 1e-12 else (0.0, 0.0)), np.sign(way[2]) * size[1]])
    return size * np.sign(way)


def geom(kind: str, scale: float) -> str:
    """Return the XML attributes of a geom with the given shape and scale."""
    if kind == "mesh":
        return 'type="mesh" mesh="cube"'
    return f'type="{kind}" size="{" ".join(str(scale * x) for x in SIZES[kind])}"'


@pytest.mark.parametrize("pair", list(itertools.combinations_with_replacement(SIZES, 2)), ids=" ".join)
@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
def test_what_just_touches_has_its_separation_as_distance(pair: tuple[str, str], scale: float) -> None:
    """Contacts of shapes that just touch are no deeper than the penetration, and separate shapes have none.

    The shapes touch along axes and along oblique directions, in both orders.
    """
    vertices = " ".join(map(str, (scale * CUBE).ravel()))
    bodies = "".join(f'<body><freejoint/><geom {geom(kind, scale)} mass="1"/></body>' for kind in pair)
    m = conjoint.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="cube" vertex="{vertices}"/></asset><worldbody>{bodies}</worldbody></mujoco>'
    )
    d: Any = conjoint.MjData(m)
    generator = np.random.default_rng(0)
    # mesh vertices are relative to its principal axes
    points = m.mesh_vert[: len(CUBE)].astype(float)
    for k in range(6):
        way = generator.normal(size=3) if k % 2 else np.eye(3)[k // 2]
        way /= np.linalg.norm(way)
        d.qpos[:] = [0, 0, 0, 1, 0, 0, 0] * 2
        if k >= 3:
            d.qpos[10:14] = generator.normal(size=4)
            conjoint.mj_normalizeQuat(m, d.qpos)
        conjoint.mj_kinematics(m, d)
        frames = d.geom_xmat.reshape(2, 3, 3)
        centers = d.geom_xpos.copy()
        first = centers[0] + frames[0] @ support(pair[0], scale, frames[0].T @ way, points)
        second = centers[1] + frames[1] @ support(pair[1], scale, frames[1].T @ -way, points)
        for gap in GAPS:
            d.qpos[7:10] = first - second + gap * scale * way
            conjoint.mj_fwdPosition(m, d)
            tolerance = 2e-6 + 1e-5 * scale
            for order in ((0, 1), (1, 0)):
                ends = np.zeros(6)
                distance = conjoint.mj_geomDistance(m, d, *order, 4 * scale, ends)
                assert distance == pytest.approx(gap * scale, abs=tolerance), (k, gap)
                assert np.linalg.norm(ends[3:] - ends[:3]) == pytest.approx(abs(distance), abs=tolerance)
            assert d.contact.dist.min(initial=0) > min(gap, 0) * scale - 2 * tolerance, (k, gap)
            assert gap * scale <= tolerance or d.ncon == 0


@pytest.mark.plain
@pytest.mark.parametrize("gap", [1e-12, 1e-9, 1e-7])
def test_an_ellipsoid_on_a_box_in_a_sensor(gap: float) -> None:
    m = conjoint.MjModel.from_xml_string(f"""<mujoco><worldbody><geom name="a" type="box" size=".5 .5 .1"/>
      <body pos="0 0 {0.25 + gap!r}"><geom name="b" type="ellipsoid" size=".1 .12 .15"/></body></worldbody>
      <sensor><distance geom1="a" geom2="b" cutoff="1"/></sensor></mujoco>""")
    d: Any = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert d.sensordata[0] == pytest.approx(gap, abs=1e-6)
    assert d.ncon == 0


@pytest.mark.plain
@pytest.mark.parametrize("height", [0.1, 0.7])
def test_an_ellipsoid_that_stands_on_a_box_has_one_upright_contact(height: float) -> None:
    """An ellipsoid that penetrates a box by rounding has one upright contact, as in MuJoCo, with about that depth."""
    m = conjoint.MjModel.from_xml_string(f"""<mujoco><worldbody><geom type="box" size=".5 .5 {height}"/>
      <body pos=".1 .05 {height + 0.03!r}"><freejoint/><geom type="ellipsoid" size=".05 .04 .03"/></body></worldbody></mujoco>""")
    d: Any = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert d.ncon == 1
    assert -1e-6 < d.contact.dist[0] < 0.0
    np.testing.assert_allclose(np.ravel(d.contact.frame)[:3], [0, 0, -1], atol=1e-6)
