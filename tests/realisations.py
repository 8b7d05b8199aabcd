"""Running one kernel on small structs of its own, in every realisation of the kernel language."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.lang import Buffer, Field, Kernel, Layout, PlainStruct
from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes, world_view

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)

COMPILED = {
    "world": WORLD,
    "8 x float64": lanes("float64", 8),
    "16 x float32": lanes("float32", 16),
    "view float64": world_view("float64", 8),
    "view float32": world_view("float32", 16),
}
"""Realisations by name, all of which hold a divisor of 16 worlds in a block."""

NAMES = ["plain", *COMPILED] if jit_enabled() else ["plain"]
"""What a test can be parametrized over: compiled realisations only where kernels are compiled."""


def precision(name: str) -> str:
    """Base of the reals of a realisation."""
    return "float32" if "float32" in name else "float64"


class Bench:
    """Structs `m` and `d` of given fields for many worlds.

    Args:
        model_fields, data_fields: rows.
        sizes: the named sizes; those that are fields of the model are written there too.
    """

    def __init__(self, model_fields: Sequence[Field], data_fields: Sequence[Field], sizes: Mapping[str, int]):
        self.model_fields, self.data_fields, self.sizes = tuple(model_fields), tuple(data_fields), dict(sizes)

    def run(
        self, kernel: Kernel, name: str, state: Mapping[str, Any], model: Mapping[str, Any] | None = None
    ) -> dict[str, np.ndarray]:
        """Run `kernel` on worlds whose fields are `state` (worlds first); every field of all worlds afterwards."""
        realisation = COMPILED.get(name, WORLD)
        nworld = len(next(iter(state.values())))
        m = Buffer(Layout(self.model_fields, self.sizes, realisation.dtype.type))
        for field, value in {**{k: v for k, v in self.sizes.items() if k in m.layout.index}, **(model or {})}.items():
            m.view(field)[...] = value
        blocks = []
        for first in range(0, nworld, realisation.stride):
            block = Buffer(Layout(self.data_fields, self.sizes, realisation.dtype.type, realisation.stride))
            for field, values in state.items():
                worlds = np.asarray(values)[first : first + realisation.stride]
                block.view(field)[...] = np.moveaxis(worlds, 0, -1) if realisation.stride > 1 else worlds[0]
            self._go(kernel, name, realisation, m, block)
            blocks.append(block)
        return {field.name: _gathered(blocks, field, realisation.stride) for field in self.data_fields}

    def _go(self, kernel: Kernel, name: str, realisation: Realisation, m: Buffer, d: Buffer) -> None:
        if name == "plain":
            with np.errstate(all="ignore"):
                kernel(PlainStruct([m]), PlainStruct([d]))
            return
        (address,) = stage_addresses([(kernel, realisation)], self.model_fields, self.data_fields)
        for lane in range(realisation.stride // realisation.lanes):
            ENTRY(address)(m.address, d.address, lane)


def _gathered(blocks: list[Buffer], field: Field, stride: int) -> np.ndarray:
    """A field of all worlds, worlds first; what a block has one of, as often as the block has worlds."""
    views = [b.view(field.name) for b in blocks]
    if field.lanes(stride) == 1:
        views = [np.repeat(v[..., None], stride, -1) for v in views]
    return np.concatenate([np.moveaxis(v, -1, 0) for v in views])
