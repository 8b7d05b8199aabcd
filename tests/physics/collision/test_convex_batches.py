"""Features of convex collision that only batches use: separating planes, and tiled hill climbing on hulls."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import PlainStruct, vec3
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics.collision.convex.planes import outer_point, plane_between
from conjoint.physics.collision.hull import LOWEST, climb, is_lower_by
from conjoint.runtime.plan import Plan
from convex_scenes import PAIRS, SHAPES, poses, scene

pytestmark = pytest.mark.usefixtures("edition")

HULLS = ("cloud", "prism", "cube")
"""Meshes whose hulls the test searches by hill climbing.

In the engine, the cube is small enough for other searches.
"""


def plans(pair: tuple[str, str]) -> tuple[conjoint.MjModel, PlainStruct, PlainStruct]:
    """Return a model, and its precomputed plans in the form that kernels use, for one world and for a batch."""
    m = conjoint.MjModel.from_xml_string(scene(pair))
    structure = m.plans.current.structure
    return m, Plan(structure).plain(), Plan(structure, lanes=8).plain()


def directions(count: int) -> list[vec3]:
    """Return unit vectors: random ones, and axes and diagonals of the frame."""
    generator = np.random.default_rng(20)
    found = [*generator.standard_normal((count, 3)), *generator.integers(-1, 2, (count, 3)) + [0.0, 0.0, 1e-12]]
    return [vec3(*(way / np.linalg.norm(way))) for way in found]


@pytest.mark.plain
@pytest.mark.parametrize("name", HULLS)
def test_climbs_by_tiles_end_at_the_same_vertices(name: str) -> None:
    """Tiled hill climbing ends at the same vertex from any start, even if several vertices are equally far."""
    m, one, many = plans(("sphere", name))
    assert many.nhull_tile > 0 and one.nhull_tile == 0
    count = int(m.mesh_graph[m.mesh_graphadr[m.geom_dataid[1]]])
    for k, way in enumerate(directions(60)):
        arguments = int(m.geom_dataid[1]), way, k % count, LOWEST, 0.0, is_lower_by
        assert climb(many, *arguments) == climb(one, *arguments)


@pytest.mark.plain
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_do_not_reach_beyond_what_contains_them(name: str) -> None:
    m, one, many = plans(("sphere", name))
    g = 1
    if m.geom_dataid[g] >= 0:
        points = m.mesh_vert[m.mesh_vertadr[m.geom_dataid[g]] :][: m.mesh_vertnum[m.geom_dataid[g]]].astype(float)
    else:
        # points of the geom, on its surface or inside
        points = np.random.default_rng(21).uniform(-1, 1, (300, 3)) * m.geom_aabb[g, 3:]
        inside = {"sphere": 0, "capsule": 1, "ellipsoid": 2, "cylinder": 3, "box": 4}[name]
        points = points[[contains(inside, m.geom_size[g], p) for p in points]]
    loose = []
    for way in directions(60):
        normal = np.array(list(way))
        for plan in (one, many):
            reach = np.dot(list(outer_point(plan, g, way)), normal)
            # bounding boxes of meshes were computed before their vertices were rounded to float32
            assert reach >= np.max(points @ normal) - 1e-8
        loose.append(reach / np.max(points @ normal))
    # boxes extend up to 1.73 times as far as their contents, polytopes up to 1.13 times
    if name == "cloud":
        assert max(loose) < 1.3


def contains(kind: int, size: np.ndarray, p: np.ndarray) -> bool:
    """Return True if a point is in a shape; `kind` is 0 for spheres, 1 capsules, 2 ellipsoids, 3 cylinders and 4 boxes."""
    if kind == 0:
        return bool(np.linalg.norm(p) <= size[0])
    if kind == 1:
        return bool(np.linalg.norm(p - [0, 0, np.clip(p[2], -size[1], size[1])]) <= size[0])
    if kind == 2:
        return bool(np.linalg.norm(p / size) <= 1)
    if kind == 3:
        return bool(np.hypot(p[0], p[1]) <= size[0] and abs(p[2]) <= size[1])
    return bool(np.all(np.abs(p) <= size))


@pytest.mark.plain
@pytest.mark.parametrize("name", SHAPES)
def test_planes_are_found_between_most_bodies_that_are_apart(name: str) -> None:
    """Separating planes are found for most separate bodies, but never for touching ones or for NaN poses."""
    m, _, many = plans((name, name))
    found = []
    for pose in poses(100 if jit_enabled() else 15, 22):
        d = conjoint.MjData(m)
        d.qpos[:] = pose
        d.qpos[:3] *= 1.6
        conjoint.mj_forward(m, d)
        plane = bool(plane_between(many, d.world.plain(), 0, 1, 0.0)[0])
        assert not (plane and d.ncon > 0)
        if d.ncon == 0:
            found.append(plane)
    assert np.mean(found) > 0.8
    d.geom_xpos[1] = np.nan
    assert not plane_between(many, d.world.plain(), 0, 1, 0.0)[0]


@pytest.mark.skipif(not jit_enabled(), reason="lanes are compiled")
@pytest.mark.parametrize("pair", [*PAIRS, ("capsule", "box")], ids=" ".join)
def test_batches_find_all_contacts(pair: tuple[str, str]) -> None:
    """Batches find the contacts of single worlds, even within a margin and where faces, edges and corners meet."""
    m = conjoint.MjModel.from_xml_string(scene(pair, geom='margin=".02"'))
    states = np.array(poses(40, 23) + poses(40, 24, special=True))
    states[:, 3:] /= np.linalg.norm(states[:, 3:], axis=1)[:, None]
    batch = Batch(m, len(states), keep=("ncon",))
    batch.qpos = states
    batch.forward()
    counts = []
    for state in states:
        d = conjoint.MjData(m)
        d.qpos[:] = state
        conjoint.mj_forward(m, d)
        counts.append(d.ncon)
    np.testing.assert_array_equal(np.ravel(batch.ncon), counts)
    assert 5 < np.count_nonzero(counts) < len(states)


@pytest.mark.skipif(not jit_enabled(), reason="lanes are compiled")
@pytest.mark.parametrize("pair", [("cylinder", "cylinder"), ("cloud", "cube")], ids=" ".join)
def test_depths_do_not_depend_on_how_many_worlds_overlap(pair: tuple[str, str]) -> None:
    """Depths are bit-identical for any number of worlds with penetrations in a block.

    If most worlds of a block have a penetration, their polytopes expand together, otherwise one world at a time.
    """
    m = conjoint.MjModel.from_xml_string(scene(pair))
    states = np.array(poses(8, 31))
    states[:, :3] *= 0.2
    states[:, 3:] /= np.linalg.norm(states[:, 3:], axis=1)[:, None]
    batch = Batch(m, len(states), keep=("ncon",))
    found = []
    for overlapping in range(8, 0, -1):
        batch.qpos = states
        batch.qpos[overlapping:, :3] += 9.0
        batch.forward()
        assert (np.ravel(batch.ncon) > 0).tolist() == [k < overlapping for k in range(8)]
        found.append(np.array(batch.qacc[0]))
    assert len({one.tobytes() for one in found}) == 1
