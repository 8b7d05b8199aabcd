"""Contacts of boxes with boxes and capsules, and of meshes with planes, agree with MuJoCo's in random and degenerate poses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from collision_scenes import CONTACT_FIELDS, error
from conjoint.batch import Batch
from conjoint.physics.collision.boxes import edge_lengths, edge_overlaps, roots
from mended_oracle import mend_contact_distances
from sweeps import mostly_nightly

TOLERANCE = 1e-9
"""Tolerance, relative to one plus MuJoCo's value: poses are identical, so that only rounding remains."""

FREE = "<mujoco><asset>{asset}</asset><worldbody>{first}<body><freejoint/>{second}</body></worldbody></mujoco>"

ORIENTATIONS = ("random", "upright", "turned", "right angles", "nearly upright", "upright but for rounding")


def orientation(kind: str, generator: np.random.Generator) -> np.ndarray:
    """Return a unit quaternion of one of the kinds in `ORIENTATIONS`."""
    quat = np.array([1.0, 0.0, 0.0, 0.0])
    if kind == "random":
        quat = generator.standard_normal(4)
    elif kind == "turned":
        angle = generator.uniform(0, np.pi)
        quat = np.array([np.cos(angle), 0, 0, np.sin(angle)])
    elif kind == "right angles":
        quat = np.append(generator.choice([-1.0, 1.0]), generator.choice([-1.0, 0.0, 1.0], 3))
    elif kind == "nearly upright":
        quat = quat + 1e-3 * generator.standard_normal(4)
    elif kind == "upright but for rounding":
        quat = quat + 1e-9 * generator.standard_normal(4)
    return quat / np.linalg.norm(quat)


def poses(span: float, grid: list[float], count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield positions and orientations, random or such that faces, edges and corners touch exactly."""
    generator = np.random.default_rng(0)
    for kind in ORIENTATIONS:
        for i in range(count):
            pos = generator.choice(grid, 3) if i % 2 else generator.uniform(-span, span, 3)
            yield pos, orientation(kind, generator)


class Pair:
    """A fixed geom and a free one, in both packages."""

    def __init__(self, first: str, second: str, asset: str = ""):
        xml = FREE.format(asset=asset, first=f"<geom {first}/>", second=f'<geom mass="1" {second}/>')
        self.official_model: Any = mujoco.MjModel.from_xml_string(xml)
        self.official: Any = mujoco.MjData(self.official_model)
        self.m = adopt_model(self.official_model)
        self.d: Any = conjoint.MjData(self.m)
        self.boxes = all(self.official_model.geom_type == mujoco.mjtGeom.mjGEOM_BOX)
        self.wrong = 0

    def differences(self, pos: np.ndarray, quat: np.ndarray) -> dict[str, float]:
        """Return the errors of those contact fields that differ from MuJoCo's when the free geom has the given pose."""
        self.official.qpos[:3], self.official.qpos[3:] = pos, quat
        mujoco.mj_kinematics(self.official_model, self.official)
        mujoco.mj_collision(self.official_model, self.official)
        mend_contact_distances(self.official_model, self.official)
        # copy the poses bit for bit, because rounding decides between contacts of aligned shapes
        self.d.geom_xpos[:] = self.official.geom_xpos
        self.d.geom_xmat[:] = self.official.geom_xmat.reshape(self.d.geom_xmat.shape)
        conjoint.mj_collision(self.m, self.d)
        if self.official_is_wrong():
            self.wrong += 1
            return {}
        found = {"ncon": error(self.d.ncon, self.official.ncon)}
        if self.d.ncon == self.official.ncon:
            ours, theirs = self.d.contact, self.official.contact
            found |= {name: error(getattr(ours, name), getattr(theirs, name)) for name in CONTACT_FIELDS}
        return {name: value for name, value in found.items() if not value <= TOLERANCE}

    def official_is_wrong(self) -> bool:
        """Return True if MuJoCo's contacts of two boxes are far deeper than the penetration, or lack the deepest ones."""
        if not self.boxes:
            return False
        frames = self.official.geom_xmat.reshape(2, 3, 3)
        between = self.official.geom_xpos[1] - self.official.geom_xpos[0]

        def overlap(way: np.ndarray) -> float:
            sizes = self.official_model.geom_size
            return float(
                sum(np.abs(way @ frame) @ size for frame, size in zip(frames, sizes, strict=True)) - abs(way @ between)
            )

        theirs = self.official.contact
        if any(-c.dist > 2 * max(overlap(c.frame[:3]), 0) for c in theirs if c.dist < -1e-7):
            return True
        crosses = [np.cross(x, y) for x in frames[0].T for y in frames[1].T]
        ways = [*frames[0].T, *frames[1].T, *(x / np.linalg.norm(x) for x in crosses if np.linalg.norm(x) > 1e-6)]
        if min(map(overlap, ways)) <= 1e-9 or self.d.ncon <= self.official.ncon:
            return False
        # MuJoCo's contacts are right, but the deep ones are missing
        ours = self.d.contact
        for c in theirs:
            assert np.abs(ours.pos - c.pos).max(axis=1).min() < TOLERANCE
        return bool(0.1 * ours.dist.min() < theirs.dist.min(initial=0))

    def compare(self, span: float, grid: list[float], count: int) -> int:
        """Check that contacts agree in many poses, and return the number of contacts."""
        contacts = 0
        for pos, quat in poses(span, grid, count):
            found = self.differences(pos, quat)
            assert found == {}, (pos.tolist(), quat.tolist(), found)
            contacts += self.official.ncon
        assert self.wrong < 0.005 * 6 * count
        return contacts


def box(size: str, margin: float) -> str:
    """Return the attributes of a box geom."""
    return f'type="box" size="{size}" margin="{margin}" gap="{margin / 2}"'


GRID = [0, 0.1, -0.1, 0.15, 0.2, -0.2, 0.25, 0.3, -0.3, 0.4, 0.5, 0.6]


@pytest.mark.parametrize("margin", [0, 0.05])
@pytest.mark.parametrize("second", mostly_nightly([".1 .2 .3", ".2 .2 .2", ".05 .1 .4"], [".1 .2 .3"]))
@pytest.mark.parametrize("first", [".1 .2 .3", ".2 .2 .2"])
def test_boxes(first: str, second: str, margin: float) -> None:
    assert Pair(box(first, margin), box(second, margin)).compare(0.5, GRID, 60) > 280


@pytest.mark.parametrize("margin", [0, 0.05])
@pytest.mark.parametrize("size", [".05 .3", ".1 .05", ".02 1", ".1 .2"])
def test_capsule_with_box(size: str, margin: float) -> None:
    capsule = f'type="capsule" size="{size}" margin="{margin}"'
    assert Pair(box(".1 .2 .3", margin), capsule).compare(0.5, GRID, 75) > 90


@pytest.mark.plain
def test_boxes_of_any_size() -> None:
    """Contacts of slabs, rods and cubes agree with MuJoCo's, from deep penetration to bare touch."""
    generator = np.random.default_rng(1)
    for _ in range(5):
        first, second = 10.0 ** generator.uniform(-3, 1, (2, 3))
        pair = Pair(box(" ".join(map(str, first)), 0.01), box(" ".join(map(str, second)), 0.01))
        for _ in range(20):
            pos = generator.uniform(-1.1, 1.1, 3) * (first + second)
            assert pair.differences(pos, orientation("random", generator)) == {}


def test_boxes_of_like_sizes() -> None:
    """Boxes of similar size have MuJoCo's contacts at any penetration, plus deep ones that MuJoCo sometimes lacks."""
    generator = np.random.default_rng(1)
    wrong = 0
    for _ in range(15):
        first, second = generator.choice([0.01, 0.05, 0.1, 0.2], (2, 3))
        pair = Pair(box(" ".join(map(str, first)), 0), box(" ".join(map(str, second)), 0))
        for _ in range(100):
            pos = 0.5 * generator.uniform(-1, 1, 3) * (np.linalg.norm(first) + np.linalg.norm(second))
            assert pair.differences(pos, orientation("random", generator)) == {}
        wrong += pair.wrong
    assert wrong < 15


@pytest.mark.plain
@pytest.mark.parametrize(
    ("pos", "quat", "contacts"),
    [
        pytest.param((0, 0, 0.39), (1, 0, 0, 0), 4, id="face on face"),
        pytest.param((0, 0, 0.4), (1, 0, 0, 0), 4, id="faces that just touch"),
        pytest.param((0.1, 0.1, 0.39), (1, 0, 0, 0), 4, id="shifted faces"),
        pytest.param((0, 0, 0.39), (0.92387953, 0, 0, 0.38268343), 8, id="faces turned by 45 degrees"),
        pytest.param((0, 0, 0.48), (0.92387953, 0.38268343, 0, 0), 3, id="edge on face"),
        pytest.param((0.4, 0.4, 0), (1, 0, 0, 0), 2, id="edge along edge"),
        pytest.param((0.4, 0.4, 0.4), (1, 0, 0, 0), 1, id="corner at corner"),
        pytest.param((0, 0, 0), (1, 0, 0, 0), 4, id="one in the other"),
    ],
)
def test_two_cubes(pos: tuple[float, ...], quat: tuple[float, ...], contacts: int) -> None:
    pair = Pair(box(".2 .2 .2", 0), box(".2 .2 .2", 0))
    assert pair.differences(np.array(pos), np.array(quat)) == {}
    assert pair.d.ncon == contacts


@pytest.mark.plain
@pytest.mark.parametrize(
    ("pos", "quat", "contacts"),
    [
        pytest.param((0, 0, 0.24), (1, 0, 1, 0), 1, id="from end to end over a face"),
        pytest.param((0.2, 0, 0.24), (1, 0, 1, 0), 2, id="over the end of a face"),
        pytest.param((0.2, 0.2, 0.0), (1, 0, 0, 0), 1, id="along an edge"),
        pytest.param((0, 0, 0.5), (1, 0, 0, 0), 1, id="upright on a face"),
        pytest.param((0, 0, 0), (1, 0, 0, 0), 0, id="through the middle, the ends outside"),
        pytest.param((0.23, 0.2, 0.2), (1, 0.3, 0.5, 0), 1, id="at a corner"),
    ],
)
def test_capsule_at_special_places_of_a_cube(pos: tuple[float, ...], quat: tuple[float, ...], contacts: int) -> None:
    pair = Pair(box(".2 .2 .2", 0), 'type="capsule" size=".05 .3"')
    assert pair.differences(np.array(pos), np.array(quat) / np.linalg.norm(quat)) == {}
    assert pair.d.ncon == contacts


def cloud(name: str) -> np.ndarray:
    """Return the vertices of a mesh."""
    generator = np.random.default_rng(1)
    if name == "cube":
        return np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    vertices = generator.standard_normal((40 if name == "stone" else 300, 3))
    return 0.3 * (vertices if name == "stone" else vertices / np.linalg.norm(vertices, axis=1)[:, None])


@pytest.mark.parametrize("margin", [0, 0.05])
@pytest.mark.parametrize("name", ["cube", "stone", "ball"])
@pytest.mark.parametrize("hull", [True, False])
def test_plane_with_mesh(name: str, margin: float, hull: bool) -> None:
    asset = f'<mesh name="mesh" vertex="{" ".join(map(str, cloud(name).ravel()))}"/>'
    pair = Pair(f'type="plane" size="1 1 1" margin="{margin}"', 'type="mesh" mesh="mesh"', asset)
    if not hull:
        pair.official_model.mesh_graphadr[:] = pair.m.mesh_graphadr[:] = -1
    assert pair.compare(0.4, [0, 0.1, 0.2, 0.3, -0.1], 100) > 500


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worlds_of_a_batch_find_the_contacts_of_single_worlds(precision: str) -> None:
    """A batch finds the same box contacts as single worlds, for separate and for penetrating boxes."""
    m = conjoint.MjModel.from_xml_string(
        FREE.format(asset="", first=f"<geom {box('.2 .2 .2', 0)}/>", second=f'<geom mass="1" {box(".1 .2 .3", 0)}/>')
    )
    batch = Batch(m, 21, precision=precision, nthread=1)
    generator = np.random.default_rng(0)
    batch.qpos[:] = [
        [*generator.uniform(-0.45, 0.45, 3), *orientation("random", generator)] for _ in range(batch.nworld)
    ]
    batch.forward()
    counts = []
    for world in range(batch.nworld):
        d: Any = conjoint.MjData(m)
        d.qpos[:] = batch.qpos[world]
        conjoint.mj_forward(m, d)
        counts.append(d.ncon)
        np.testing.assert_allclose(batch.qacc[world], d.qacc, rtol=1e-6 if precision == "float64" else 2e-2, atol=1e-2)
    assert batch.ncon.ravel().tolist() == counts
    assert 0 in counts and max(counts) > 4


@pytest.mark.usefixtures("edition")
def test_a_box_comes_to_rest_on_a_box() -> None:
    """A box at rest on a box penetrates it by the depth at which the contact forces balance its weight."""
    geom = '<geom type="box" size=".1 .1 .1" mass="1"/>'
    xml = f"<mujoco><worldbody>{geom}<body pos='0 0 .2'><freejoint/>{geom}</body></worldbody></mujoco>"
    m = conjoint.MjModel.from_xml_string(xml)
    d: Any = conjoint.MjData(m)
    for _ in range(1000):
        conjoint.mj_step(m, d)
    force = np.zeros(6)
    carried = 0.0
    for i in range(d.ncon):
        conjoint.mj_contactForce(m, d, i, force)
        carried += force[0]
    assert d.ncon == 4
    # when equal forces at the corners are solved again, the box moves by some 1e-5 m/s, as in MuJoCo
    assert np.abs(d.qvel).max() < 1e-3
    assert carried == pytest.approx(9.81, rel=1e-3)
    assert 0.195 < d.qpos[2] < 0.2


@pytest.mark.plain
def test_overlaps_along_cross_products_of_edges() -> None:
    """The overlap of two boxes along an axis is the sum of their half extents minus the distance of their centers along it."""
    generator = np.random.default_rng(2)
    for _ in range(20):
        turn, _ = np.linalg.qr(generator.standard_normal((3, 3)))
        first, second = generator.uniform(0.1, 1, (2, 3))
        between = generator.uniform(-2, 2, 3)
        axes = np.array([np.cross(x, y) for x in np.eye(3) for y in turn.T])
        lengths = roots(edge_lengths(turn.ravel()))
        np.testing.assert_allclose(list(lengths), np.linalg.norm(axes, axis=1), atol=1e-12)
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        overlaps = np.abs(axes) @ first + np.abs(axes @ turn) @ second - np.abs(axes @ between)
        np.testing.assert_allclose(
            list(edge_overlaps(turn.ravel(), between, first, second, lengths)), overlaps, atol=1e-12
        )


TWO_BOXES = """<mujoco><worldbody><body><freejoint/><geom type="box" size="{0}"/></body>
<body><freejoint/><geom type="box" size="{1}"/></body></worldbody></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("size", "axis", "overlap", "shift", "turn"),
    [
        ((0.06, 0.04, 0.03), 0, 6e-7, (0, 0), (2.923811658e-15, 1.5533811074e-14, 1.1056706209e-14)),
        ((1.2, 0.9, 0.5), 0, 1.2e-5, (-9e-13, 0), (-1.0494395230e-14, 1.1226226833e-14, 9.3780038878e-15)),
        ((30.0, 20.0, 14.0), 1, 3e-11, (0.6, 1.4e-11), (-5.155509058e-11, 4.3283703667e-11, -2.2157653323e-10)),
    ],
)
def test_no_contact_is_deeper_than_boxes_overlap(size, axis, overlap, shift, turn) -> None:  # type: ignore[no-untyped-def]
    """No contact of nearly aligned boxes is deeper than their penetration; MuJoCo has a contact as deep as a box is long."""
    m = conjoint.MjModel.from_xml_string(TWO_BOXES.format(*[" ".join(map(str, size))] * 2))
    d: Any = conjoint.MjData(m)
    generator = np.random.default_rng(0)
    for _ in range(300):
        pos = np.insert(np.array(shift, float), axis, 2 * size[axis] - overlap)
        d.qpos[:] = [
            0,
            0,
            0,
            1,
            *(np.array(turn) * generator.normal(size=3)),
            *pos,
            1,
            *(np.array(turn) * generator.normal(size=3)),
        ]
        conjoint.mj_fwdPosition(m, d)
        assert d.contact.dist.min(initial=0) > -overlap - 100 * np.abs(turn).max() * max(size) - 1e-7 * max(size)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("tilt", [0, 1e-6, 1e-3])
def test_boxes_pressed_together_within_a_margin_keep_their_contacts(tilt: float) -> None:
    """Boxes that a small force presses together within the contact margin keep their contacts in every step.

    The distance of a contact above a face is its height above the face, and contacts end at the margin.
    """
    m = conjoint.MjModel.from_xml_string(f"""<mujoco><worldbody><body quat="1 0 {tilt} 0">
      <geom type="box" size=".008 .008 .012" pos="0 0 .05" condim="1"/></body><body pos="0 .022 0"><joint name="lid" axis="1 0 0"/>
      <geom type="box" size=".008 .008 .012" pos="0 0 .06" condim="1" margin=".0005"/></body></worldbody>
      <actuator><motor joint="lid"/></actuator></mujoco>""")
    d: Any = conjoint.MjData(m)
    d.ctrl[0] = 1e-4
    conjoint.mj_step(m, d, 400)
    for _ in range(200):
        conjoint.mj_step(m, d)
        assert d.ncon > 0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("half", [0.0005, 0.001, 0.0025])
@pytest.mark.parametrize("quat", ["1 0 0 0", "1 .1 .2 0", "1 .4 0 .2"])
def test_a_box_does_not_sink_through_a_thin_box(half: float, quat: str) -> None:
    """A box that penetrates a plate by more than the plate's thickness is pushed back to the side that it came from."""
    m = conjoint.MjModel.from_xml_string(f"""<mujoco><worldbody><geom type="box" size=".2 .2 {half}"/>
      <body pos=".1 0 .11" quat="{quat}"><freejoint/><geom type="box" size=".05 .04 .02" mass="1"/></body></worldbody></mujoco>""")
    d: Any = conjoint.MjData(m)
    conjoint.mj_step(m, d, 700)
    assert d.qpos[2] > 0.0


def test_features_of_a_box_equally_near_to_a_capsule() -> None:
    """If several features of a box are equally near to a capsule, the contact is at the feature that MuJoCo chooses.

    This choice depends on the last bit.
    """
    pair = Pair('type="capsule" size=".05 .2"', 'type="box" size=".1 .2 .3"')
    for pos, quat in (
        ((0.1, -0.2, 0.2), (-1, 1, -1, 0)),
        ((0.15, 0.15, 0.25), (1, -1, 0, 1)),
        ((0, 0.3, 0.3), (1, 1, 1, 0)),
    ):
        assert pair.differences(np.array(pos), np.array(quat) / np.linalg.norm(quat)) == {}, (pos, quat)


@pytest.mark.parametrize("ends", ["-.29 .26 -.25 .21", "-.07 .12 -.1 .19", "-.1 -.04 -.26 -.08", "-.16 .25 .23 -.22"])
def test_capsules_that_begin_at_one_point(ends: str) -> None:
    """Capsules whose axes start at one point have MuJoCo's contact, which depends on the last bit."""
    p, q, u, v = map(float, ends.split())
    first = f'type="capsule" size=".08" fromto=".1 .2 .3 {0.1 + p} {0.2 + q} .3"'
    pair = Pair(first, f'type="capsule" size=".08" fromto="0 0 0 {u} {v} 0"')
    assert pair.differences(np.array([0.1, 0.2, 0.3]), np.array([1.0, 0, 0, 0])) == {}
