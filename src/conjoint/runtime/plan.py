"""What is derived from a model for kernels: its structure, and the pairs of geoms that can ever touch."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.layout import Buffer, Field, Layout
from conjoint.physics import status
from conjoint.runtime import replaced
from conjoint.runtime.blocks import block_plan, is_complementary, is_dual
from conjoint.runtime.entry import entry
from conjoint.runtime.flexes import edge_plan
from conjoint.runtime.hulls import hull_rows
from conjoint.runtime.pairs import candidate_pairs, collider_rows, types_present
from conjoint.runtime.plugin_numbers import plugin_numbers
from conjoint.runtime.structure import Structure
from conjoint.schema.constants import mjNSOLVER
from conjoint.schema.memory import NOTHING_PLANNED, has_islands
from conjoint.schema.model import MODEL_ROWS
from conjoint.schema.plan import PLAN_ROWS, WATCHED_ROWS

_watched_change = entry(status.watched_change)

NEAR_PER_GEOM = 4
"""Pairs for each geom of a sweep that an arena has room for at first."""

ELEMENTS_PER_ROW = 8
"""Elements of each compressed row."""

FILL_PER_BLOCK = 3
"""Blocks of the Hessian for each block of dofs."""

MOST_IN_LANES = 200
"""Degrees of freedom up to which worlds step side by side: dense rows of many worlds would take too much memory."""

_versions = itertools.count(1)

FORECAST_SPEED = 2.0
"""Speed (m/s) with which geoms may approach each other and still be foreseen to touch."""

FORECAST_SHARE = 0.01
"""The same by the size of the model: part of its extent by which they may come nearer in a step."""


class ModelArrays:
    """Rows that kernels see as attributes, options under `opt`, statistics under `stat`."""

    def __init__(self, plan: Plan, group: str = ""):
        self._plan, self._group = plan, group

    def __getattr__(self, name: str) -> Any:
        if name in ("opt", "stat"):
            return ModelArrays(self._plan, f"{name}.")
        return self._plan.view(self._group + name)


class Plan:
    """A model as kernels see it.

    Attributes:
        model: memory of the model.
        watched: what of that memory the plan depends on, as one row.
        structure: its sparsity.
        rows: memory of what is derived again when watched rows change.
        table: addresses of the rows of `model`, of `structure`, of `rows`, of `watched`.
        address: address of `table`, what kernels receive as `m`.
        types: numbers of the pairs of types of geoms that may touch.
        replaced: what programs put in place of parts of collision detection.
    """

    def __init__(self, structure: Structure, nsolverstat: int = mjNSOLVER, lanes: int = 1):
        """Derive the plan of a model.

        Args:
            structure: the model with its sparsity.
            nsolverstat: solver iterations whose statistics are kept.
            lanes: worlds that will be stepped at once.
        """
        self.structure, self.nsolverstat, self.lanes = structure, nsolverstat, lanes
        self.model = model = structure.model
        # watched rows lie at the end
        first = model.layout.spans(_is_watched)[0][0]
        self._sizes = model.layout.sizes | {"nwatched": (model.layout.nbytes - first) // np.dtype(np.int64).itemsize}
        self.watched = Buffer(Layout(WATCHED_ROWS, self._sizes), model.bytes[first:])
        self.table = np.zeros(len(MODEL_ROWS), np.int64)
        self.address = int(self.table.ctypes.data)
        self.renew()

    def renew(self) -> None:
        """Derive the plan again, after watched rows were changed; `address` stays."""
        model = self.model
        arrays = self.arrays()
        self.replaced = replaced.current
        found = (
            candidate_pairs(arrays, self.lanes, self.replaced.filtered)
            | collider_rows(arrays, self.replaced)
            | block_plan(arrays, self.lanes)
            | edge_plan(arrays)
            | hull_rows(arrays, self.lanes)
            | plugin_numbers(arrays)
        )
        counts = {name: int(value) for name, value in found.items() if np.ndim(value) == 0}
        sizes = self._sizes | counts | {"nsolverstat": self.nsolverstat}
        self.rows = Buffer(Layout(PLAN_ROWS, sizes, model.layout.real.type))
        self.version = next(_versions)
        own_sizes = {name: size for name, size in sizes.items() if name in self.rows.layout.index}
        for name, value in (found | own_sizes | {"plan_version": self.version, "reach": self._reach()}).items():
            self.rows.view(name)[...] = value
        self.rows.view("planned")[...] = self.watched.view("watched")
        self.table[...] = np.concatenate([buffer.table for buffer in self.buffers()])
        self.types = types_present(self.arrays())

    def _reach(self) -> float:
        """How far ahead of contacts worlds are watched: what geoms may approach by in a step, where worlds are many."""
        if self.lanes == 1:
            return 0.0
        view = self.model.view
        return min(FORECAST_SPEED * float(view("opt.timestep")), FORECAST_SHARE * float(view("stat.extent")))

    def holds(self) -> bool:
        """Whether the model, and what is replaced, still is what the plan was made for."""
        return self.replaced == replaced.current and _watched_change(self) == 0

    @property
    def real(self) -> type:
        """Precision of reals."""
        return self.model.layout.real.type

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model by name."""
        return self.model.layout.sizes

    @property
    def single(self) -> bool:
        """Whether kernels of the model work on blocks of one world only (`@kernel(single=True)`)."""
        large = int(self.rows.view("nsweep")) > 0 or self.sizes["nv"] > MOST_IN_LANES
        return large or has_islands(self.model)

    @property
    def compressed(self) -> bool:
        """Whether rows of the constraint Jacobian are compressed."""
        return int(self.rows.view("compressed")) > 0

    @property
    def room(self) -> dict[str, int]:
        """Sizes of what an arena holds for this plan."""
        return {name: int(self.rows.view(name)) for name in NOTHING_PLANNED}

    def capacities(self, nefc: int) -> dict[str, int]:
        """What an arena with `nefc` rows has room for at first.

        Pairs that are listed and some for each geom of a sweep; elements of rows, blocks of their Hessian.
        """
        view = self.rows.view
        return {
            "nefc_dual": nefc if is_dual(self.arrays()) else 0,
            "nefc_hybrid": nefc if is_complementary(self.arrays()) else 0,
            "nnear": int(view("npair_candidate")) + NEAR_PER_GEOM * int(view("nsweep_geom")),
            "nJ": ELEMENTS_PER_ROW * nefc if self.compressed else 0,
            "nfill": FILL_PER_BLOCK * int(view("nblock")),
        }

    def plain(self) -> PlainStruct:
        """The model for uncompiled kernels."""
        return PlainStruct(self.buffers())

    def buffers(self) -> tuple[Buffer, Buffer, Buffer, Buffer]:
        """All memory that kernels see as `m`."""
        return self.model, self.structure.rows, self.rows, self.watched

    def arrays(self) -> ModelArrays:
        """All rows as attributes."""
        return ModelArrays(self)

    def view(self, name: str) -> np.ndarray:
        """NumPy view of a row that kernels see."""
        for buffer in (self.model, self.structure.rows):
            if name in buffer.layout.index:
                return buffer.view(name)
        return self.rows.view(name)


def _is_watched(field: Field) -> bool:
    return field.watched
