"""Tables of hulls: searches that begin where they say end at the vertices at which others end."""

from __future__ import annotations

import math

import numpy as np
import pytest

import conjoint
from collision_scenes import adopted
from conjoint.lang import PlainStruct, vec3
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.hull import LOWEST, climb, hull_vertex
from conjoint.physics.collision.hull_cells import DOUBT, MORE_TILES, NO_VERTEX, TILE_BITS, highest_vertex, listed_top
from conjoint.physics.collision.hull_table import CELLS, CUBE_CELLS, cell_of, corner_of_cell, middle_of_cell
from conjoint.runtime.plan import Plan

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="uncompiled kernels have no tables")

CLOUD = np.random.default_rng(5).standard_normal((60, 3))
DRUM = [(math.cos(k * math.pi / 20), math.sin(k * math.pi / 20), z) for k in range(40) for z in (-0.5, 0.5)]
SHAPES = {"cloud": CLOUD / np.linalg.norm(CLOUD, axis=1)[:, None] * [0.2, 0.15, 0.25], "drum": np.array(DRUM)}
"""A hull of triangles alone, and one with many vertices that are equally far along its axes."""

DAMAGED = 7
"""Vertex of a hull that has lost neighbours."""


def model_of(name: str) -> conjoint.MjModel:
    """A mesh that may collide."""
    points = " ".join(f"{x:.7f}" for x in SHAPES[name].ravel())
    return adopted(f"""<mujoco><asset><mesh name="hull" vertex="{points}"/></asset><worldbody>
      <geom size=".1"/><body><freejoint/><geom type="mesh" mesh="hull"/></body></worldbody></mujoco>""")[2]


def neighbours(m: conjoint.MjModel, v: int) -> tuple[int, np.ndarray]:
    """Where the neighbours of a vertex of the hull are listed, and which they are."""
    first = 2 + 2 * m.mesh_graph[0] + m.mesh_graph[2 + v]
    return first, m.mesh_graph[first : first + np.flatnonzero(m.mesh_graph[first:] < 0)[0]]


def damage(m: conjoint.MjModel) -> None:
    """Take from a vertex its neighbours on one side, as slivers do."""
    first, names = neighbours(m, DAMAGED)
    corners = m.mesh_vert[m.mesh_graph[2 + m.mesh_graph[0] :]]
    across = np.array([corners[k] - corners[DAMAGED] for k in names])
    side = across @ np.cross(corners[DAMAGED], [0.3, 0.2, 1.0])
    kept = names[side < 0]
    assert 0 < len(kept) < len(names)
    m.mesh_graph[first : first + len(names)] = np.where(side < 0, names, kept[0])


def directions(count: int) -> list[vec3]:
    """Unit vectors, also along axes and diagonals of the frame, and nearly so."""
    generator = np.random.default_rng(6)
    whole = generator.integers(-1, 2, (count, 3)) + [0.0, 0.0, 1e-12]
    found = [*generator.standard_normal((count, 3)), *whole, *whole + 1e-6 * generator.standard_normal((count, 3))]
    return [vec3(*(way / np.linalg.norm(way))) for way in found]


def answers(plan: PlainStruct) -> list[tuple[int, int]]:
    """Farthest vertices of a hull in many directions, from different starts: with its table and without."""
    count = int(plan.mesh_graph[0])
    tasks = [(0, k % count, LOWEST, way) for k, way in enumerate(directions(50))]
    return [(highest_vertex(plan, *task), climb(plan, *task)) for task in tasks]


def test_cells_of_directions() -> None:
    assert [cell_of(middle_of_cell(cell)) for cell in range(CUBE_CELLS)] == list(range(CUBE_CELLS))


@pytest.mark.parametrize("lanes", (1, 8))
@pytest.mark.parametrize("name", SHAPES)
def test_searches_end_where_they_do_without_a_table(name: str, lanes: int) -> None:
    plan = Plan(model_of(name).plans.current.structure, lanes=lanes).plain()
    assert plan.nmesh_seed == 1
    assert plan.mesh_seed[0, 0] >= 0
    assert all(one == other for one, other in answers(plan))


@pytest.mark.parametrize("lanes", (1, 8))
def test_vertices_that_hold_searches_up_still_do(lanes: int) -> None:
    """Of a hull of which a vertex has no neighbours on one side."""
    m = model_of("cloud")
    damage(m)
    plan = Plan(m.plans.current.structure, lanes=lanes).plain()
    assert [plan.false_top[0, k] for k in range(2)] == [DAMAGED, -1]
    found = answers(plan)
    assert any(other == DAMAGED for _, other in found)
    assert all(one == other for one, other in found)


def test_where_a_search_begins_decides_nothing() -> None:
    """Not even if it is anywhere."""
    structure = model_of("cloud").plans.current.structure
    plan = Plan(structure)
    plan.rows.view("mesh_seed")[...] = np.random.default_rng(7).integers(0, 60, CUBE_CELLS)
    assert all(one == other for one, other in answers(plan.plain()))


@pytest.mark.parametrize("name", SHAPES)
def test_cells_list_the_vertex_that_a_climb_finds(name: str) -> None:
    """Of most directions; where the cell does not tell, several vertices are about as far."""
    plan = Plan(model_of(name).plans.current.structure, lanes=8).plain()
    told = 0
    ways = directions(50)
    for k, way in enumerate(ways):
        vertex, corner = listed_top(plan, 0, way)
        if vertex != NO_VERTEX:
            told += 1
            assert vertex == climb(plan, 0, k % int(plan.mesh_graph[0]), LOWEST, way)
            assert [*corner] == [*hull_vertex(plan, 0, vertex)]
    assert told == len(ways) if name == "cloud" else 0.3 * len(ways) < told < len(ways)


def test_every_vertex_that_is_farthest_is_listed() -> None:
    """In the corners of each cell, where those of its neighbours are, too."""
    m = model_of("cloud")
    plan = Plan(m.plans.current.structure, lanes=8).plain()
    names = m.mesh_graph[2 + m.mesh_graph[0] :][: m.mesh_graph[0]]
    corners = m.mesh_vert[names].astype(float)
    for cell in range(0, CUBE_CELLS, 7):
        entry = int(plan.mesh_cell[0, cell])
        assert entry >= 0
        first = entry >> TILE_BITS
        tiles = [first + t for t in range(1 + (entry & MORE_TILES))]
        listed = {int(plan.cell_corner[t, 3, k]) for t in tiles for k in range(TILE)}
        for k in range(4):
            place = cell // (CELLS * CELLS), cell // CELLS % CELLS + k // 2, cell % CELLS + k % 2
            assert int(np.argmax(corners @ [*corner_of_cell(*place)])) in listed


def test_cells_in_which_a_search_is_held_up_tell_nothing() -> None:
    m = model_of("cloud")
    damage(m)
    plan = Plan(m.plans.current.structure, lanes=8).plain()
    entries = np.array([int(plan.mesh_cell[0, cell]) for cell in range(CUBE_CELLS)])
    doubtful = (entries & DOUBT) != 0
    assert 0 < np.sum(doubtful) < CUBE_CELLS // 2
    held = [way for way in directions(200) if climb(plan, 0, DAMAGED, LOWEST, way) == DAMAGED]
    corners = m.mesh_vert[m.mesh_graph[2 + m.mesh_graph[0] :][: m.mesh_graph[0]]].astype(float)
    false = [way for way in held if corners[DAMAGED] @ [*way] < np.max(corners @ [*way]) - 1e-4]
    assert false
    for way in false:
        assert doubtful[cell_of(way)]
        assert listed_top(plan, 0, way)[0] == NO_VERTEX


def test_small_hulls_are_listed_in_batches_only() -> None:
    points = " ".join(f"{x:.7f}" for x in SHAPES["cloud"][:16].ravel())
    m = adopted(f"""<mujoco><asset><mesh name="hull" vertex="{points}"/></asset><worldbody>
      <geom size=".1"/><body><freejoint/><geom type="mesh" mesh="hull"/></body></worldbody></mujoco>""")[2]
    assert Plan(m.plans.current.structure, lanes=1).plain().nmesh_cell == 0
    plan = Plan(m.plans.current.structure, lanes=8).plain()
    assert plan.nmesh_cell == 1
    for k, way in enumerate(directions(20)):
        vertex, _ = listed_top(plan, 0, way)
        assert vertex in (NO_VERTEX, climb(plan, 0, k % int(plan.mesh_graph[0]), LOWEST, way))
