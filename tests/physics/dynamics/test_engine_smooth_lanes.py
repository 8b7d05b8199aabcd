"""The smooth stages compute the same results in each lane as in a single world."""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco
import numpy as np
import pytest
from test_engine_smooth import ACCELERATION, ALL, FIELDS, POSITION, VELOCITY, random_state

from adopt import adopt_model, adopt_state
from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.memory.realisation import lanes, world_view
from conjoint.physics.integration.checks import check_acc, check_state
from conjoint.physics.integration.integrate import LINEAR, euler, rk4_begin, rk4_end, rk4_stage1
from conjoint.runtime.reset import reset_diverged
from conjoint.runtime.stage import with_group
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import allocate_arena, data_layout
from conjoint.schema.model import MODEL_ROWS
from stages import ENTRY, run_stages

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="lanes exist compiled only")

WIDTH = 8
STEP = (with_group(euler, LINEAR), rk4_begin, rk4_stage1, rk4_end, check_state, check_acc)


class Block:
    """Eight worlds side by side, copied from eight single worlds."""

    def __init__(self, model: Any, worlds: list[Any]):
        self.plan = model.plans.current
        self.data = Buffer(data_layout(model.memory, float, WIDTH, 0))
        self.arena = allocate_arena(model.memory, {"ncon": 1, "nefc": 1}, lanes=WIDTH)
        for name in (
            "qpos",
            "qvel",
            "act",
            "ctrl",
            "qfrc_applied",
            "xfrc_applied",
            "mocap_pos",
            "mocap_quat",
            "qacc",
            "time",
        ):
            self.data.view(name)[...] = np.stack([w.data.view(name) for w in worlds], axis=-1)
        self.table = np.concatenate([self.data.table, self.arena.table])

    def run(self, *stages: Any) -> None:
        """Run stages on all lanes."""
        one, many = world_view("float64", WIDTH), lanes("float64", WIDTH)
        items = [(stage, one if stage.per_world else many) for stage in stages]
        block = self.table.ctypes.data_as(ctypes.c_void_p).value
        for (stage, _), address in zip(
            items, stage_addresses(items, MODEL_ROWS, (*DATA_ROWS, *ARENA_ROWS)), strict=True
        ):
            for lane in range(WIDTH if stage.per_world else 1):
                assert ENTRY(address)(self.plan.address, block, lane) == 0


@pytest.mark.parametrize(
    "name", ["gravity compensation", "sensors", "via points", "wrapped tendons", "pulleys", "sites", "muscles"]
)
def test_lanes_equal_single_worlds(name: str) -> None:
    """Lanes equal single worlds in random states, even if one lane diverges and one has an invalid control."""
    official_model = mujoco.MjModel.from_xml_string(ALL[name])
    m = adopt_model(official_model)
    alone = [adopt_state(m, official_model, random_state(official_model, seed)) for seed in range(WIDTH)]
    alone[3].ctrl[2] = np.nan
    block = Block(m, [d.world for d in alone])
    first = (*POSITION, *VELOCITY, *ACCELERATION)
    block.run(*first)
    for d in alone:
        run_stages(d.world, *first)
    compare_lanes(block, alone, [*FIELDS, "sensordata", "warning.number", "warning.lastinfo"])
    # let one lane diverge, then integrate all lanes
    generator = np.random.default_rng(0)
    for lane, d in enumerate(alone):
        d.qacc[:] = generator.standard_normal(m.nv) if lane != 5 else np.nan
        block.data.view("qacc")[:, lane] = d.qacc
    block.run(*STEP)
    reset_diverged(block.data, block.data.view("was_reset"), m.plans.current)
    for d in alone:
        run_stages(d.world, *STEP)
        reset_diverged(d.world.data, d.world.data.view("was_reset"), m.plans.current)
    compare_lanes(block, alone, ["qpos", "qvel", "act", "time", "was_reset", "warning.number", "warning.lastinfo"])
    assert alone[5].warning[6].number == 1


def compare_lanes(block: Block, alone: list[Any], names: list[str]) -> None:
    """Check that each lane equals its single world; the error lists all fields that differ."""
    different = {}
    for name in names:
        for lane, d in enumerate(alone):
            ours, theirs = block.data.view(name)[..., lane], d.world.data.view(name)
            if not np.allclose(ours, theirs, rtol=1e-12, atol=1e-11, equal_nan=True):
                different[name, lane] = float(np.abs(np.asarray(ours, float) - theirs).max())
    assert not different
