"""Test benches that run a kernel on small structs in every compiled variant and uncompiled."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.lang import Buffer, Field, Kernel, Layout, PlainStruct
from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.memory.layout import TANGENT
from conjoint.lang.memory.realisation import TANGENTS, WORLD, Realisation, dual_world, lanes, world_view
from conjoint.schema.memory import tangent_rows

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)

COMPILED = {
    "world": WORLD,
    "8 x float64": lanes("float64", 8),
    "16 x float32": lanes("float32", 16),
    "view float64": world_view("float64", 8),
    "view float32": world_view("float32", 16),
}
"""Compiled variants by name. Each has a number of worlds per block that divides 16."""

NAMES = ["plain", *COMPILED] if jit_enabled() else ["plain"]
"""Names of variants for parametrized tests; without compilation, only "plain"."""

DUAL_NAMES = ["plain", "dual"] if jit_enabled() else ["plain"]
"""Names of the variants that run a kernel in dual numbers."""


def precision(name: str) -> str:
    """Return the precision of the reals of a variant."""
    return "float32" if "float32" in name else "float64"


class Bench:
    """Structs `m` and `d` with given fields, for many worlds.

    Args:
        model_fields, data_fields: fields of the structs.
        sizes: named sizes; those that are also fields of the model are stored there.
    """

    def __init__(self, model_fields: Sequence[Field], data_fields: Sequence[Field], sizes: Mapping[str, int]):
        self.model_fields, self.data_fields, self.sizes = tuple(model_fields), tuple(data_fields), dict(sizes)

    def run(
        self, kernel: Kernel, name: str, state: Mapping[str, Any], model: Mapping[str, Any] | None = None
    ) -> dict[str, np.ndarray]:
        """Run `kernel` on worlds with the fields `state`, and return all fields. The first axis of every array is the world."""
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
    """Return a field of all worlds; the first axis is the world. Values that a block shares are repeated for each world."""
    views = [b.view(field.name) for b in blocks]
    if field.lanes(stride) == 1:
        views = [np.repeat(v[..., None], stride, -1) for v in views]
    return np.concatenate([np.moveaxis(v, -1, 0) for v in views])


class DualBench:
    """Structs `m` and `d` of one world, with the tangents of all their reals.

    Args:
        model_fields, data_fields: fields of the structs.
        sizes: named sizes; those that are also fields of the model are stored there.
    """

    def __init__(self, model_fields: Sequence[Field], data_fields: Sequence[Field], sizes: Mapping[str, int]):
        self.data_fields, self.sizes = tuple(data_fields), dict(sizes)
        self.rows = {
            "m": (*model_fields, *tangent_rows(tuple(model_fields))),
            "d": (*data_fields, *tangent_rows(self.data_fields)),
        }

    def memory(self, values: Mapping[str, Any]) -> dict[str, Buffer]:
        """Return memory of `m` and `d` with given fields (`m.table`, `d.x`) or tangents (`d.tangent.x`)."""
        found = {role: Buffer(Layout(rows, self.sizes)) for role, rows in self.rows.items()}
        for name, value in {**{f"m.{k}": v for k, v in self.sizes.items()}, **values}.items():
            if name[2:] in found[name[0]].layout.index:
                view = found[name[0]].view(name[2:])
                view[...] = np.reshape(value, view.shape) if np.size(value) == view.size else value
        return found

    def values(self, kernel: Kernel, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return all fields of `d` after a run of `kernel`, uncompiled and with ordinary numbers."""
        memory = self.memory(values)
        with np.errstate(all="ignore"):
            kernel(*(PlainStruct([memory[role]]) for role in "md"))
        return {field.name: memory["d"].view(field.name).copy() for field in self.data_fields}

    def run(
        self, kernel: Kernel, name: str, values: Mapping[str, Any], tangents: Mapping[str, np.ndarray]
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Run `kernel` in dual numbers, and return all fields of `d` and the tangents of its reals.

        Args:
            kernel: kernel to run.
            name: variant, one of `DUAL_NAMES`.
            values: initial values of fields (`m.table`, `d.x`).
            tangents: initial tangents of fields, with directions as the last dimension; these fields are active.
        """
        memory = self.memory({**values, **{f"{key[:2]}{TANGENT}{key[2:]}": v for key, v in tangents.items()}})
        if name == "plain":
            active = ({key[2:] for key in tangents if key[0] == role} for role in "md")
            with np.errstate(all="ignore"):
                kernel(*(PlainStruct([memory[role]], active=names) for role, names in zip("md", active, strict=True)))
        else:
            (address,) = stage_addresses([(kernel, dual_world(tangents))], self.rows["m"], self.rows["d"])
            ENTRY(address)(memory["m"].address, memory["d"].address, 0)
        d = memory["d"]
        changes = {f.name: d.view(TANGENT + f.name) for f in self.data_fields if TANGENT + f.name in d.layout.index}
        return {field.name: d.view(field.name) for field in self.data_fields}, changes

    def differences(
        self, kernel: Kernel, values: Mapping[str, Any], tangents: Mapping[str, np.ndarray], step: float = 1e-3
    ) -> dict[str, np.ndarray]:
        """Return the expected tangents by central differences, extrapolated from the step lengths `step` and `step / 2`."""

        def change(c: int, h: float) -> dict[str, np.ndarray]:
            ends = []
            for way in (h, -h):
                moved = {key: np.reshape(values[key], v[..., c].shape) + way * v[..., c] for key, v in tangents.items()}
                ends.append(self.values(kernel, {**values, **moved}))
            return {key: (high - ends[1][key]) / (2.0 * h) for key, high in ends[0].items() if high.dtype == float}

        both = [(change(c, step), change(c, 0.5 * step)) for c in range(TANGENTS)]
        return {key: np.stack([(4.0 * b[key] - a[key]) / 3.0 for a, b in both], axis=-1) for key in both[0][0]}
