"""Hull searches that start at precomputed vertices (seeds) end at the same vertices as searches that start elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

import conjoint
from collision_scenes import adopted
from conjoint.lang import PlainStruct, vec3
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics.collision.convex.body import NATIVE
from conjoint.physics.collision.convex.portal import LEGACY
from conjoint.physics.collision.hull import LOWEST, cell_of, climb, farthest_vertex, hull_vertex, not_needed
from conjoint.runtime.hulls import cell_ways
from conjoint.runtime.plan import Plan
from conjoint.schema.plan import CUBE_CELLS

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="uncompiled kernels have no seeds")

CLOUD = np.random.default_rng(5).standard_normal((60, 3))
DRUM = [(math.cos(k * math.pi / 20), math.sin(k * math.pi / 20), z) for k in range(40) for z in (-0.5, 0.5)]
SHAPES = {"cloud": CLOUD / np.linalg.norm(CLOUD, axis=1)[:, None] * [0.2, 0.15, 0.25], "drum": np.array(DRUM)}
"""Vertices of hulls, by name: a hull of triangles only, and one with many vertices that are equally far along its axes."""

DAMAGED = 7
"""Index of a hull vertex whose neighbors on one side are removed."""


def model_of(name: str) -> conjoint.MjModel:
    """Return a model of a mesh that can collide with a sphere."""
    points = " ".join(f"{x:.7f}" for x in SHAPES[name].ravel())
    return adopted(f"""<mujoco><asset><mesh name="hull" vertex="{points}"/></asset><worldbody>
      <geom size=".1"/><body><freejoint/><geom type="mesh" mesh="hull"/></body></worldbody></mujoco>""")[2]


def neighbors(m: conjoint.MjModel, v: int) -> tuple[int, np.ndarray]:
    """Return the address of the neighbors of a hull vertex in `mesh_graph`, and the neighbors."""
    first = 2 + 2 * m.mesh_graph[0] + m.mesh_graph[2 + v]
    return first, m.mesh_graph[first : first + np.flatnonzero(m.mesh_graph[first:] < 0)[0]]


def damage(m: conjoint.MjModel) -> None:
    """Remove the neighbors of the vertex `DAMAGED` on one side, as in hulls with very thin triangles."""
    first, names = neighbors(m, DAMAGED)
    corners = m.mesh_vert[m.mesh_graph[2 + m.mesh_graph[0] :]]
    across = np.array([corners[k] - corners[DAMAGED] for k in names])
    side = across @ np.cross(corners[DAMAGED], [0.3, 0.2, 1.0])
    kept = names[side < 0]
    assert 0 < len(kept) < len(names)
    m.mesh_graph[first : first + len(names)] = np.where(side < 0, names, kept[0])


def directions(count: int) -> list[vec3]:
    """Return unit vectors: random ones, and exact and nearly exact axes and diagonals of the frame."""
    generator = np.random.default_rng(6)
    whole = generator.integers(-1, 2, (count, 3)) + [0.0, 0.0, 1e-12]
    found = [*generator.standard_normal((count, 3)), *whole, *whole + 1e-6 * generator.standard_normal((count, 3))]
    return [vec3(*(way / np.linalg.norm(way))) for way in found]


def answers(plan: PlainStruct) -> list[tuple[int, int]]:
    """Return pairs of farthest vertices, the first with seeds and the second without, for many directions and starts."""
    count = int(plan.mesh_graph[0])
    found = []
    for k, way in enumerate(directions(50)):
        start = k % count
        found.append(
            (
                farthest_vertex(plan, 0, way, start, NATIVE.vertices)[1],
                climb(plan, 0, way, start, LOWEST, 0.0, not_needed)[0],
            )
        )
        height = sum(x * y for x, y in zip(way, hull_vertex(plan, 0, start), strict=True))
        found.append(
            (
                farthest_vertex(plan, 0, way, start, LEGACY.vertices)[1],
                climb(plan, 0, way, start, height, 0.0, not_needed)[0],
            )
        )
    return found


def test_cells_of_directions() -> None:
    middles = cell_ways().reshape(CUBE_CELLS, 5, 3)[:, 4]
    assert [cell_of(vec3(*way)) for way in middles] == list(range(CUBE_CELLS))


@pytest.mark.parametrize("lanes", (1, 8))
@pytest.mark.parametrize("name", SHAPES)
def test_searches_end_where_they_do_without_seeds(name: str, lanes: int) -> None:
    plan = Plan(model_of(name).plans.current.structure, lanes=lanes).plain()
    assert plan.nmesh_seed == 1
    assert all(plan.mesh_seed[0, cell] >= 0 for cell in range(CUBE_CELLS))
    assert all(one == other for one, other in answers(plan))


@pytest.mark.parametrize("lanes", (1, 8))
def test_vertices_that_hold_searches_up_still_do(lanes: int) -> None:
    """Searches still stop at a hull vertex that has no neighbors on one side, with and without seeds."""
    m = model_of("cloud")
    damage(m)
    plan = Plan(m.plans.current.structure, lanes=lanes).plain()
    assert 0 < sum(plan.mesh_seed[0, cell] < 0 for cell in range(CUBE_CELLS)) < CUBE_CELLS // 2
    held = [way for way in directions(200) if climb(plan, 0, way, DAMAGED, LOWEST, 0.0, not_needed)[0] == DAMAGED]
    corners = m.mesh_vert[m.mesh_graph[2 + m.mesh_graph[0] :][: m.mesh_graph[0]]].astype(float)
    false = [way for way in held if corners[DAMAGED] @ [*way] < np.max(corners @ [*way]) - 1e-4]
    assert false
    for way in false:
        assert plan.mesh_seed[0, cell_of(way)] < 0
    found = answers(plan)
    assert any(other == DAMAGED for _, other in found)
    assert all(one == other for one, other in found)


def test_where_a_search_begins_decides_nothing() -> None:
    """The result of a hull search does not depend on the seed at which the search starts, even if seeds are random."""
    structure = model_of("cloud").plans.current.structure
    plan = Plan(structure)
    plan.rows.view("mesh_seed")[...] = np.random.default_rng(7).integers(0, 60, CUBE_CELLS)
    assert all(one == other for one, other in answers(plan.plain()))
