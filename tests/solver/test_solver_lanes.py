"""Constraint solvers in lanes: a world's result does not depend on its neighbors, in either precision."""

from __future__ import annotations

from unittest import mock

import mujoco
import numpy as np
import pytest

from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.lang.memory.realisation import lanes, world_view
from conjoint.runtime import blocks
from conjoint.runtime.plan import Plan
from conjoint.runtime.structure import Structure
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.constants import mjNSOLVER
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import allocate_arena, data_layout
from conjoint.schema.model import MODEL_ROWS
from solver_scenes import ROWS, SCENES, SMOOTH, constraint_stages, scene, solved_states, unpacked, worlds_of
from stages import ENTRY, engine_stages, run_stages

pytestmark = [
    pytest.mark.skipif(not jit_enabled(), reason="lanes exist compiled only"), pytest.mark.usefixtures("edition")
]  # fmt: skip

[inv_constraint] = engine_stages("inv_constraint")

NEWTON, CG, PGS = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_CG, mujoco.mjtSolver.mjSOL_PGS
ELLIPTIC = mujoco.mjtCone.mjCONE_ELLIPTIC
RESULTS = ("qacc", "qfrc_constraint", "solver_niter")


class Block:
    """Worlds in the lanes of one block, with constraint rows copied from single worlds.

    With `branched`, solvers work along the branches of trees, which saves nothing in small models.
    """

    def __init__(self, model, worlds, real: type, width: int, nsolverstat: int = mjNSOLVER, branched: bool = False):
        self.base, self.width = np.dtype(real).name, width
        buffer = Buffer(Layout(model.memory.layout.fields, model.memory.layout.sizes, real))
        for field in buffer.layout.fields:
            buffer.view(field.name)[...] = model.memory.view(field.name)
        with mock.patch.object(blocks, "LEAST_SAVED", 0 if branched else np.inf):
            self.plan = Plan(Structure(buffer), nsolverstat, lanes=width)
        rows = max(world.arena.layout.sizes["nefc_capacity"] for world in worlds)
        self.data = Buffer(data_layout(buffer, real, width, nsolverstat=nsolverstat))
        contacts = max(world.arena.layout.sizes["ncon_capacity"] for world in worlds)
        room = {"ncon": contacts, "nefc": rows, "nefc_dual": rows}
        self.arena = allocate_arena(buffer, room, self.plan.room, real=real, lanes=width)
        self.data.view("nefc_dual")[...] = self.arena.layout.sizes["nefc_dual"]
        self.table = np.concatenate([self.data.table, self.arena.table])
        for name in ("nefc", "ne", "nf", "qacc_warmstart", *SMOOTH):
            self.data.view(name)[...] = np.stack([w.data.view(name) for w in worlds], axis=-1)
        for name in (*ROWS, "cone_scale", "efc_J", "contact_geom"):
            target = self.arena.view(name)
            for lane, world in enumerate(worlds):
                values = world.arena.view(name)
                target[: len(values), ..., lane] = values

    def solve(self, m) -> None:
        """Run the stages of the solver."""
        for stage in constraint_stages(m, self.plan):
            self.run(stage, stage.per_world)

    def run(self, stage, one_by_one: bool = False) -> None:
        """Run a stage on all lanes, together or one after the other."""
        fields = (*DATA_ROWS, *ARENA_ROWS)
        realisation = (world_view if one_by_one else lanes)(self.base, self.width)
        [address] = stage_addresses([(stage, realisation)], MODEL_ROWS, fields)
        for lane in range(self.width if one_by_one else 1):
            assert ENTRY(address)(self.plan.address, int(self.table.ctypes.data), lane) == 0


def mixed_worlds(name: str, count: int, **options):
    """Return a model, its worlds in different states, and MuJoCo's states; one world has no rows, one has NaN accelerations."""
    model = scene(name, **options)
    m, pairs = worlds_of(model, solved_states(model, count=count))
    worlds = [world for _, world in pairs]
    for field in ("nefc", "ne", "nf"):
        worlds[2].data.view(field)[...] = 0
    worlds[3].data.view("qacc_smooth")[...] = np.nan
    return m, worlds, pairs


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    ("options", "branched"),
    [
        ({"solver": NEWTON, "iterations": 20}, False),
        ({"solver": NEWTON, "iterations": 20}, True),
        ({"solver": CG, "iterations": 4}, False),
        ({"solver": CG, "iterations": 4}, True),
        ({"solver": PGS, "iterations": 20}, False),
        ({"solver": PGS, "iterations": 20, "cone": ELLIPTIC}, False),
        ({"solver": PGS, "iterations": 2, "noslip_iterations": 3}, False),
        ({"solver": NEWTON, "iterations": 20, "cone": ELLIPTIC, "noslip_iterations": 3}, True),
    ],
    ids=[
        "Newton", "Newton along branches", "CG", "CG along branches", "PGS", "PGS with cones", "PGS and noslip",
        "Newton along branches with cones and noslip",
    ],
)  # fmt: skip
def test_lanes_equal_single_worlds(name: str, options: dict, branched: bool) -> None:
    """Eight worlds in lanes agree with single worlds, although conjugate gradients amplify rounding in every iteration."""
    m, worlds, _alive = mixed_worlds(name, 8, **options)
    block = Block(m, worlds, np.float64, 8, branched=branched)
    block.solve(m)
    for lane, world in enumerate(worlds):
        run_stages(world, *constraint_stages(m))
        for field in RESULTS:
            if field == "qfrc_constraint" and np.isnan(world.data.view("qacc")).any():
                # forces of a world without a solution are meaningless
                continue
            ours, alone = block.data.view(field)[..., lane], world.data.view(field)
            # neighbors with more rows than dofs may cause a solution in the other space
            scale = max(1.0, np.abs(np.nan_to_num(alone)).max())
            assert np.allclose(ours, alone, rtol=0, atol=1e-9 * scale, equal_nan=True), (field, lane)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("tolerance", [1e-10, 1e-6, 1e-2, 10.0])
@pytest.mark.parametrize("real", [np.float64, np.float32])
def test_statistics_change_nothing(name: str, tolerance: float, real: type) -> None:
    """If statistics are disabled, gradients are skipped, but the results are bit-identical."""
    m, worlds, _alive = mixed_worlds(name, 8, iterations=20, tolerance=tolerance)
    with_statistics, without = (Block(m, worlds, real, 8, nsolverstat=count) for count in (mjNSOLVER, 0))
    for block in (with_statistics, without):
        block.solve(m)
    for field in RESULTS:
        assert np.array_equal(with_statistics.data.view(field), without.data.view(field), equal_nan=True), field
    # a gradient below the tolerance ends the search
    gradient = with_statistics.data.view("solver.gradient")
    for lane, iterations in enumerate(with_statistics.data.view("solver_niter")[0]):
        assert (gradient[: max(0, iterations - 1), lane] >= tolerance).all(), lane


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    ("solver", "iterations", "branched"), [(NEWTON, 1, False), (NEWTON, 1, True), (NEWTON, 4, True), (CG, 4, False)]
)
def test_elliptic_cones_in_lanes(name: str, solver: mujoco.mjtSolver, iterations: int, branched: bool) -> None:
    """Lanes with elliptic contacts at different row indices iterate exactly as single worlds do."""
    m, worlds, _alive = mixed_worlds(name, 8, solver=solver, iterations=iterations, cone=ELLIPTIC)
    block = Block(m, worlds, np.float64, 8, branched=branched)
    for field in block.arena.layout.fields:
        if field.group == "cone" and field.kind == "real":
            # leftovers of other worlds
            block.arena.view(field.name)[...] = 1e6
    block.solve(m)
    for lane, world in enumerate(worlds):
        run_stages(world, *constraint_stages(m))
        ours, alone = block.data.view("qacc")[..., lane], world.data.view("qacc")
        scale = max(1.0, np.abs(np.nan_to_num(alone)).max())
        assert np.allclose(ours, alone, rtol=0, atol=1e-8 * scale, equal_nan=True), lane


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("one_by_one", [False, True], ids=["lanes", "view"])
def test_forces_of_elliptic_cones_in_blocks(name: str, one_by_one: bool) -> None:
    """A given acceleration yields the same forces for all lanes together, for each lane separately and in single worlds."""
    m, worlds, pairs = mixed_worlds(name, 8, cone=mujoco.mjtCone.mjCONE_ELLIPTIC)
    block = Block(m, worlds, np.float64, 8)
    for lane, world in enumerate(worlds):
        world.data.view("qacc")[...] = block.data.view("qacc")[..., lane] = pairs[lane][0].qacc
    block.run(inv_constraint, one_by_one)
    for lane, world in enumerate(worlds):
        n = int(world.data.view("nefc"))
        run_stages(world, inv_constraint)
        ours, alone = block.arena.view("efc_force")[:n, lane], world.arena.view("efc_force")[:n]
        assert np.allclose(ours, alone, rtol=1e-12, atol=1e-9), lane
        assert np.array_equal(block.arena.view("efc_state")[:n, lane], world.arena.view("efc_state")[:n])


def test_compressed_rows_in_lanes() -> None:
    """Compressed rows in lanes contain the column blocks that any world needs, and reproduce each world's efc_J."""
    m, worlds, _alive = mixed_worlds("few bodies, many contacts", 8)
    block = Block(m, worlds, np.float64, 8)
    block.solve(m)
    many = [(lane, world) for lane, world in enumerate(worlds) if world.data.view("nefc") > m.nv]
    assert many
    for lane, world in many:
        n = int(world.data.view("nefc"))
        rows, stored = unpacked(block.arena, n, lane)
        assert np.array_equal(rows[:, 1 : m.nv + 1], world.arena.view("efc_J")[:n])
        assert stored < rows.size


def rows_of_units(arena: Buffer, n: int, nv: int, lane: int) -> np.ndarray:
    """Return the rows of J that Newton's method stores for one lane."""
    unit = {name: arena.view(f"unit.{name}") for name in ("row", "first", "begin", "dof", "at", "panel", "adr")}
    of_worlds = unit.pop("row")
    unit = {name: values.ravel() for name, values in unit.items()}
    values = arena.view("unit.value")
    values = values.reshape(-1, values.shape[-1])[:, lane]
    rows, seen = np.zeros((n, nv)), []
    for u in range(int(arena.view("unit.count").item())):
        places = range(unit["first"][u], unit["first"][u + 1])
        size = PANEL * (unit["panel"][u + 1] - unit["panel"][u])
        listed = slice(unit["begin"][u], unit["begin"][u + 1])
        for k, place in enumerate(places):
            row = of_worlds[place, lane]
            if row >= 0:
                seen.append(row)
                rows[row, unit["dof"][listed]] = values[unit["adr"][u] + k * size + unit["at"][listed]]
    assert seen == list(range(n))
    return rows


PANEL = 4
"""Number of columns of a panel in lanes."""


@pytest.mark.parametrize("name", SCENES)
def test_rows_along_branches(name: str) -> None:
    """Worlds in lanes store the rows of efc_J in order; the dofs of a row are on one path of the elimination tree."""
    m, worlds, _alive = mixed_worlds(name, 8, solver=CG)
    block = Block(m, worlds, np.float64, 8, branched=True)
    block.solve(m)
    parent = block.arena.view("path.parent").ravel()
    for lane, world in enumerate(worlds):
        n = int(world.data.view("nefc"))
        rows = rows_of_units(block.arena, n, m.nv, lane)
        assert np.array_equal(rows, world.arena.view("efc_J")[:n])
        for row in rows:
            dofs = np.flatnonzero(row)
            above = int(dofs[-1]) if len(dofs) else -1
            path = set()
            while above >= 0:
                path.add(above)
                above = int(parent[above])
            assert path.issuperset(dofs.tolist())


@pytest.mark.parametrize("branched", [False, True], ids=["dense", "branched"])
@pytest.mark.parametrize("name", SCENES)
def test_single_precision(name: str, branched: bool) -> None:
    """Sixteen worlds in float32 agree with float64 to its precision, and need at most five more iterations."""
    m, worlds, _alive = mixed_worlds(name, 16)
    block = Block(m, worlds, np.float32, 16, branched=branched)
    block.solve(m)
    for lane, world in enumerate(worlds):
        if lane == 3:
            continue
        run_stages(world, *constraint_stages(m))
        ours, alone = block.data.view("qacc")[..., lane], world.data.view("qacc")
        assert np.abs(ours - alone).max() < 2e-3 * max(1.0, np.abs(alone).max())
        assert block.data.view("solver_niter")[0, lane] <= world.data.view("solver_niter")[0] + 5
