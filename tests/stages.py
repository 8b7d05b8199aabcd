"""Functions that run single stages of the engine, compiled or uncompiled."""

from __future__ import annotations

import ctypes
from typing import Any

import conjoint
from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.memory.realisation import WORLD
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import MODEL_ROWS

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def engine_stages(*names: str) -> list[Any]:
    """Return the kernels of the engine's stages by name."""
    return [conjoint.mjSTAGEFUNC[name] for name in names]


def run_stages(world: Any, *stages: Any) -> None:
    """Run stages, in order, on a `World`."""
    if not jit_enabled():
        for stage in stages:
            stage(world.plan.plain(), world.plain())
        return
    addresses = stage_addresses([(stage, WORLD) for stage in stages], MODEL_ROWS, (*DATA_ROWS, *ARENA_ROWS))
    for address in addresses:
        assert ENTRY(address)(world.plan.address, world.address, 0) == 0
