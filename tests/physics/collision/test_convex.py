"""Contacts of convex bodies equal MuJoCo's to the last bit, and their distances have known values."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import conjoint
from adopt import adopt_state
from collision_scenes import adopted
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics.collision.convex.editions import convex_distance_3
from conjoint.runtime.entry import entry
from convex_scenes import PAIRS, differences, poses, scene
from mended_oracle import mended_distance
from sweeps import mostly_nightly

POSES = 40 if jit_enabled() else 3
ROUNDING = 0.0
"""Tolerance of contacts: zero, because kernels are exact."""

distance = entry(convex_distance_3, "int", "int", "real")


@pytest.mark.plain
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_contacts_anywhere(pair: tuple[str, str]) -> None:
    found, contacts = differences(scene(pair), poses(POSES, 1), ROUNDING)
    assert found == []
    assert contacts >= POSES // 10


def test_balls_deep_in_others_have_the_same_contacts() -> None:
    """Contacts of balls deep inside other geoms equal MuJoCo's, bit for bit, whatever the rotation of the balls."""
    mesh = '<asset><mesh name="rock" vertex=".1 0 0 -.1 0 0 0 .12 0 0 -.12 0 0 0 .08 0 0 -.08"/></asset>'
    for other in ('type="mesh" mesh="rock"', 'type="ellipsoid" size=".1 .06 .08" margin=".01"'):
        free = '<body><freejoint/><geom size=".05"/></body>'
        xml = f"<mujoco>{mesh}<worldbody><geom {other}/>{free}</worldbody></mujoco>"
        m, official_model = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
        d, official = conjoint.MjData(m), mujoco.MjData(official_model)
        source = np.random.default_rng(0)
        for _ in range(POSES):
            turn = source.standard_normal(4)
            d.qpos[:] = [*source.uniform(-0.04, 0.04, 3), *(turn / np.linalg.norm(turn))]
            official.qpos[:] = d.qpos
            conjoint.mj_forward(m, d)
            mujoco.mj_forward(official_model, official)
            for field in ("dist", "pos", "frame"):
                assert np.array_equal(getattr(d.contact, field), getattr(official.contact, field)), field


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_contacts_where_faces_and_edges_meet(pair: tuple[str, str]) -> None:
    found, contacts = differences(scene(pair), poses(POSES, 2, special=True), ROUNDING)
    assert found == []
    assert contacts >= POSES // 10


@pytest.mark.plain
@pytest.mark.parametrize("pair", PAIRS[::2], ids=" ".join)
def test_contacts_within_a_margin(pair: tuple[str, str]) -> None:
    states = poses(POSES // 2, 3) + poses(POSES // 2, 4, special=True)
    found, contacts = differences(scene(pair, geom='margin=".05"'), states, ROUNDING)
    assert found == []
    assert contacts >= POSES // 10


LEGACY = 'nativeccd="disable"'
SEVERAL = 'multiccd="enable"'


@pytest.mark.plain
@pytest.mark.parametrize("flag", [SEVERAL, LEGACY, f"{LEGACY} {SEVERAL}"], ids=["several", "legacy", "legacy several"])
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_contacts_under_the_flags(pair: tuple[str, str], flag: str) -> None:
    """Contacts agree with MuJoCo's with the flag `multiccd` and without `nativeccd`."""
    states = poses(POSES // 8, 11) + poses(POSES // 4, 12, special=True)
    found, contacts = differences(scene(pair, flag=flag), states, ROUNDING)
    assert found == []
    assert contacts >= POSES // 20


@pytest.mark.parametrize("flag", [SEVERAL, f"{LEGACY} {SEVERAL}"])
@pytest.mark.parametrize("pair", [("cylinder", "cloud"), ("box", "cube"), ("ellipsoid", "prism")], ids=" ".join)
def test_several_contacts_within_a_margin(pair: tuple[str, str], flag: str) -> None:
    # the normal of an ellipsoid is found iteratively, and may differ in the last bit
    assert differences(scene(pair, geom='margin=".05"', flag=flag), poses(POSES, 13), 1e-14)[0] == []


@pytest.mark.parametrize("mesh", ["cube", "prism", "few"])
def test_edges_of_meshes_that_nearly_lie_on_a_face(mesh: str) -> None:
    """A mesh edge tilted by 1e-6 to 1e-3 against a box face has the same contacts as in MuJoCo."""
    xml = scene(("box", mesh), flag=SEVERAL)
    generator, states = np.random.default_rng(5), []
    for a, b in edges_of(conjoint.MjModel.from_xml_string(xml)):
        # place the edge on top of the box, with the body above it
        x = (b - a) / np.linalg.norm(b - a)
        z = -(a - a @ x * x) / np.linalg.norm(a - a @ x * x)
        lying = Rotation.from_matrix([x, np.cross(z, x), z])
        tilt = Rotation.from_rotvec([0, 10.0 ** generator.uniform(-6, -3), 0])
        turn = Rotation.from_rotvec([0, 0, generator.uniform(0, 6)]) * tilt * lying
        middle = turn.apply((a + b) / 2)
        states.append([*(np.array([0, 0, 0.14]) - middle), *np.roll(turn.as_quat(), 1)])
    found, contacts = differences(xml, states, ROUNDING)
    assert found == []
    assert contacts > 1.2 * len(states)


def edges_of(m: conjoint.MjModel) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the end points of the edges of the only colliding mesh, in the body frame; each edge occurs in both directions."""
    geom = m.ngeom - 1
    mesh = m.geom_dataid[geom]
    frame = Rotation.from_quat(np.roll(m.geom_quat[geom], -1))
    points = frame.apply(m.mesh_vert.reshape(-1, 3)[m.mesh_vertadr[mesh] :]) + m.geom_pos[geom]
    found = []
    for k in range(m.mesh_polyadr[mesh], m.mesh_polyadr[mesh] + m.mesh_polynum[mesh]):
        corners = m.mesh_polyvert[m.mesh_polyvertadr[k] :][: m.mesh_polyvertnum[k]]
        found += [(points[a], points[b]) for a, b in zip(corners, np.roll(corners, 1), strict=True)]
    return found


FLAT = {"box": (0.1, 0.2, 0.15), "cube": (0.15, 0.2, 0.1), "prism": (0.15, 0.15, 0.1)}
"""Half sizes of bodies with flat faces, by name."""


def stacked(pair: tuple[str, str], count: int) -> list[list[float]]:
    """Return poses in which the second body is on the first, on a face or an edge.

    Some are tilted by less and some by more than the tolerance of parallel faces.
    """
    generator = np.random.default_rng(14)
    found: list[list[float]] = []
    for k in range(count):
        turn = Rotation.from_euler("z", generator.uniform(0, 7) * (k % 5 > 0))
        half = FLAT[pair[1]][2]
        if k % 3 == 1:
            axis = generator.standard_normal(3) * [1, 1, 0]
            tilt = generator.choice([1e-4, 1.5e-3, 1.7e-3, 5e-3])
            turn = Rotation.from_rotvec(tilt * axis / np.linalg.norm(axis)) * turn
        if k % 3 == 2:
            turn = Rotation.from_euler("x", np.pi / 4) * turn
            half = float(np.linalg.norm(FLAT[pair[1]][1:]))
        height = FLAT[pair[0]][2] + half - generator.choice([0, 1e-9, 1e-4, 0.01, 0.03])
        found.append([*generator.uniform(-0.2, 0.2, 2), height, *turn.as_quat(scalar_first=True)])
    return found


@pytest.mark.parametrize("flag", ["", SEVERAL])
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if set(pair) <= set(FLAT)], ids=" ".join)
def test_faces_on_faces_and_edges_on_faces(pair: tuple[str, str], flag: str) -> None:
    count = 2 * POSES
    found, contacts = differences(scene(pair, flag=flag), stacked(pair, count), ROUNDING)
    assert found == []
    assert contacts > count if flag else 0 < contacts <= count


@pytest.mark.usefixtures("edition")
def test_a_cube_on_a_cube_is_carried_at_four_corners() -> None:
    """A cube on a cube has four equally deep contacts at distinct corners, whose forces balance its weight."""
    xml = scene(("cube", "cube"), flag=SEVERAL).replace('mass="1"', 'mass="2"')
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    d.qpos[:3] = (0.05, 0.0, 0.199)
    conjoint.mj_forward(m, d)
    corners = sorted(np.round(d.contact.pos[: d.ncon, :2], 4).tolist())
    assert corners == [[-0.1, -0.2], [-0.1, 0.2], [0.15, -0.2], [0.15, 0.2]]
    np.testing.assert_allclose(d.contact.dist[: d.ncon], -0.001, atol=1e-7)
    for _ in range(400):
        conjoint.mj_step(m, d)
    assert d.qfrc_constraint[2] == pytest.approx(2 * 9.81, rel=1e-3)


@pytest.mark.parametrize("iterations", [1, 3, 8, 300])
@pytest.mark.parametrize(
    "pair", [("capsule", "ellipsoid"), ("cylinder", "cylinder"), ("cylinder", "cloud")], ids=" ".join
)
def test_searches_end_after_as_many_turns(pair: tuple[str, str], iterations: int) -> None:
    """With a low iteration limit, the search returns its last iterate, as in MuJoCo."""
    found, _ = differences(scene(pair, option=f'ccd_iterations="{iterations}"'), poses(20, 5), ROUNDING)
    assert found == []


@pytest.mark.parametrize("tolerance", mostly_nightly([1e-2, 1e-3, 1e-5], [1e-3]))
def test_searches_end_within_the_tolerance(tolerance: float) -> None:
    """Searches end at the tolerance as in MuJoCo. With so many poses, even a tolerance 1% larger would be noticed."""
    for pair in (("sphere", "ellipsoid"), ("capsule", "ellipsoid"), ("ellipsoid", "cylinder"), ("sphere", "cloud")):
        assert differences(scene(pair, option=f'ccd_tolerance="{tolerance}"'), poses(200, 6), ROUNDING)[0] == []


@pytest.mark.parametrize("flag", ["", LEGACY, f"{LEGACY} {SEVERAL}"])
@pytest.mark.parametrize("pair", [*PAIRS[::3], ("box", "box")], ids=" ".join)
def test_distances_equal_the_official_ones(pair: tuple[str, str], flag: str) -> None:
    """Distances and witness points equal MuJoCo's for geoms in either order: separate, penetrating, or too far apart.

    One case is not imitated. If the face opposite to the newest corner of a tetrahedron is nearest, the search has found an
    old corner again. MuJoCo then assigns that corner a weight and reports that the geoms touch.
    """
    official_model, official, m = adopted(scene(pair, flag=flag))
    same = others = 0
    for state in poses(POSES // 2, 7):
        official.qpos[:] = state
        official.qpos[:3] *= 2
        mujoco.mj_kinematics(official_model, official)
        d = adopt_state(m, official_model, official)
        conjoint.mj_kinematics(m, d)
        for most in (0.1, 5.0):
            for geoms in ((0, 1), (1, 0)):
                ours, theirs = np.ones(6), np.ones(6)
                dist = conjoint.mj_geomDistance(m, d, *geoms, most, ours)
                expected = mended_distance(official_model, official, *geoms, most, theirs)
                if abs(dist - expected) < 1e-14:
                    same += 1
                    np.testing.assert_allclose(ours, theirs, atol=1e-14)
                else:
                    others += 1
                    assert expected == 0.0 < dist or dist == pytest.approx(expected, abs=2e-6)
    assert others < 0.1 * same + 4


def test_distance_sensors_equal_the_official_ones() -> None:
    """Distance sensors equal MuJoCo's, whether or not their geoms are in the order of types; points keep the sensor's order."""
    sensors = "".join(
        f'<{kind} geom1="{a}" geom2="{b}" cutoff="3"/>'
        for kind in ("distance", "normal", "fromto") for a, b in (("a", "b"), ("b", "a"))
    )  # fmt: skip
    xml = f"""<mujoco><worldbody><geom name="a" type="ellipsoid" size=".1 .2 .3"/>
      <body><freejoint/><geom name="b" type="cylinder" size=".1 .2"/></body></worldbody><sensor>{sensors}</sensor></mujoco>"""
    official_model, official, m = adopted(xml)
    for state in poses(10, 8):
        official.qpos[:] = state
        official.qpos[:3] *= 3
        mujoco.mj_forward(official_model, official)
        d = adopt_state(m, official_model, official)
        conjoint.mj_forward(m, d)
        np.testing.assert_allclose(d.sensordata, official.sensordata, atol=1e-9)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ('type="sphere" size=".2"', 'type="sphere" size=".3"', lambda r: r - 0.5),
        ('type="ellipsoid" size=".2 .2 .2"', 'type="ellipsoid" size=".3 .3 .3"', lambda r: r - 0.5),
        ('type="capsule" size=".2 .4"', 'type="sphere" size=".3"', lambda r: r - 0.9),
        ('type="box" size=".2 .3 .4"', 'type="cylinder" size=".3 .1"', lambda r: r - 0.5),
    ],
)  # fmt: skip
def test_distances_of_geoms_above_each_other_are_known(first: str, second: str, apart) -> None:  # type: ignore[no-untyped-def]
    """The generic distance search finds the known distances, even for pairs that have an analytic collider."""
    xml = f'<mujoco><worldbody><geom {first}/><body mocap="true"><geom {second}/></body></worldbody></mujoco>'
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    for height in (0.45, 0.6, 0.95, 1.0, 5.0, 100.0):
        d.mocap_pos[:] = (0, 0, height)
        conjoint.mj_kinematics(m, d)
        dist, start, end = distance(m.plans.current, d.world, 0, 1, 1000.0)
        if apart(height) > 1e-6 or "ellipsoid" not in first:
            assert dist == pytest.approx(apart(height), abs=2e-6)
            # a face has many nearest points, but the two points are opposite to each other
            assert end[2] - start[2] == pytest.approx(apart(height), abs=2e-6)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("pair", [("ellipsoid", "cylinder"), ("cylinder", "cloud"), ("cube", "prism")], ids=" ".join)
def test_depth_is_how_far_to_move_apart(pair: tuple[str, str]) -> None:
    """Translating a geom along the normal by the depth separates the pair; a shorter translation does not."""
    # the normal of several contacts may be that of a face in another direction than the least depth, as in 4.0.0
    m = conjoint.MjModel.from_xml_string(scene(pair, flag='multiccd="disable"'))
    moved = 0
    for state in poses(30, 9):
        d = conjoint.MjData(m)
        d.qpos[:] = state
        conjoint.mj_kinematics(m, d)
        conjoint.mj_collision(m, d)
        if d.ncon and d.contact.dist.min() < -0.01:
            moved += 1
            normal, depth = np.array(d.contact[0].frame[:3]), -d.contact.dist.min()
            for part, overlap in ((1.001, False), (0.98, True)):
                d.qpos[:3] = np.asarray(state[:3]) + part * depth * normal
                conjoint.mj_kinematics(m, d)
                conjoint.mj_collision(m, d)
                assert (d.ncon > 0) == overlap
    assert moved > 5


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="lanes are compiled")
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-12), ("float32", 2e-3)])
def test_batches_find_the_same_contacts(precision: str, tolerance: float) -> None:
    """A batch finds the contacts of single worlds, up to rounding in float64 and up to its precision in float32."""
    m = conjoint.MjModel.from_xml_string(scene(("cylinder", "cloud"), option='gravity="0 0 0"'))
    states = np.array(poses(24, 10))
    states[:, 3:] /= np.linalg.norm(states[:, 3:], axis=1)[:, None]
    batch = Batch(m, len(states), precision=precision)
    batch.qpos = states
    batch.step()
    touched = 0
    for i, state in enumerate(states):
        d = conjoint.MjData(m)
        d.qpos[:] = state
        conjoint.mj_step(m, d)
        touched += d.ncon
        np.testing.assert_allclose(batch.qpos[i], d.qpos, atol=tolerance)
    assert touched > 5


@pytest.mark.skipif(not jit_enabled(), reason="lanes are compiled")
@pytest.mark.parametrize("pair", [("cylinder", "cylinder"), ("cylinder", "box"), ("box", "cube")], ids=" ".join)
def test_bodies_that_stand_on_each_other_touch_in_single_precision(pair: tuple[str, str], edition: str) -> None:
    """Stacked bodies have contacts in single precision, face to face, even if they are rotated about the vertical."""
    half = {"cylinder": 0.2, "box": 0.15, "cube": 0.1}
    m = conjoint.MjModel.from_xml_string(scene(pair))
    generator = np.random.default_rng(15)
    count = 200
    states = np.zeros((count, 7))
    states[:, :2] = generator.uniform(-0.05, 0.05, (count, 2))
    states[:, 2] = half[pair[0]] + half[pair[1]] - generator.choice([1e-4, 1e-3, 1e-2], count)
    turn = generator.uniform(0, np.pi, count) * (np.arange(count) % 3 > 0)
    states[:, 3], states[:, 6] = np.cos(turn), np.sin(turn)
    batch = Batch(m, count, precision="float32")
    batch.qpos = states
    batch.forward()
    assert np.all(np.asarray(batch.ncon) == 1 if edition == "3.3.5" else np.asarray(batch.ncon) > 1)


def test_geoms_whose_sizes_change_are_not_hidden_by_old_bounds() -> None:
    """Bounding boxes follow changes in geom sizes; the user must change the bounding radius."""
    xml = """<mujoco><worldbody><geom type="ellipsoid" size=".1 .1 .1"/>
      <body pos="0 0 .5"><freejoint/><geom type="cylinder" size=".1 .1"/></body></worldbody></mujoco>"""
    official_model, official, m = adopted(xml)
    for model in (official_model, m):
        model.geom_size[1] = (0.1, 0.45, 0.0)
        model.geom_rbound[1] = 0.5
    mujoco.mj_forward(official_model, official)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert d.ncon == official.ncon == 1
    assert d.contact.dist[0] == official.contact.dist[0]
