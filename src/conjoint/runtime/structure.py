"""Sparsity of a model as kernels see it: the rows `STRUCTURE_ROWS`, found once when a model is made or loaded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.errors import ModelError
from conjoint.lang.layout import Buffer, Layout
from conjoint.physics.structure import find_structure, structure_sizes
from conjoint.runtime.entry import entry
from conjoint.schema.enums import mjtWrap
from conjoint.schema.plan import HULL_BINS, HULL_CELLS, STRUCTURE_ROWS

ROUND = (mjtWrap.mjWRAP_SPHERE, mjtWrap.mjWRAP_CYLINDER)
"""Path elements that a tendon wraps around."""

_find_structure = entry(find_structure)
_structure_sizes = entry(structure_sizes)
ENTRIES = (_find_structure, _structure_sizes)
"""What finds the sparsity of a model."""


def hull_starts(model: Buffer) -> np.ndarray:
    """The row `hull_start`: for the middle of each cell the farthest vertex of each hull.

    Raises:
        ModelError: a graph does not suit its mesh.
    """
    bins = (2.0 * np.arange(HULL_BINS) + 1.0) / HULL_BINS - 1.0
    axis, side, u, v = (x.ravel() for x in np.meshgrid(range(3), (1.0, -1.0), bins, bins, indexing="ij"))
    ways = np.zeros((HULL_CELLS, 3))
    for k, values in enumerate((side, u, v)):
        ways[np.arange(HULL_CELLS), (axis + k) % 3] = values
    vert, graph = model.view("mesh_vert"), model.view("mesh_graph")
    found = np.zeros((model.layout.sizes["nmesh"], HULL_CELLS), np.int32)
    for mesh, first in enumerate(model.view("mesh_graphadr").tolist()):
        if first >= 0:
            count = int(graph[first])
            names = graph[first + 2 + count : first + 2 + 2 * count]
            known = model.view("mesh_vertnum")[mesh]
            if not len(names) or names.min() < 0 or names.max() >= known:
                raise ModelError(f"the model is damaged: the graph of mesh {mesh} has vertices that the mesh has not")
            found[mesh] = np.argmax(ways @ vert[model.view("mesh_vertadr")[mesh] + names].T, axis=1)
    return found


class Structure:
    """A model with its sparsity: the part of a `Plan` that constants are computed with, too.

    Attributes:
        model: memory of the model.
        rows: memory of the sparsity.
        table: addresses of the rows of `model`, then of `rows`: where the table of a plan begins alike.
        address: address of `table`, what kernels receive as `m`.
    """

    def __init__(self, model: Buffer):
        """Find the sparsity of `model`, whose elements are final.

        Raises:
            ModelError: its sizes do not suit its tree; kernels would reach beyond its memory.
        """
        self.model = model
        self.rows = Buffer(Layout(STRUCTURE_ROWS, model.layout.sizes, model.layout.real.type))
        self.table = np.concatenate([model.table, self.rows.table])
        self.address = int(self.table.ctypes.data)
        self.rows.view("epsilon")[...] = np.finfo(model.layout.real).eps
        if model.layout.sizes["nwrap"]:
            around = np.isin(model.view("wrap_type"), ROUND)
            self.rows.view("wrap_side")[...] = np.where(around, np.rint(model.view("wrap_prm")), -1)
        if model.layout.sizes["nmesh"]:
            self.rows.view("hull_start")[...] = hull_starts(model)
        for name, size in zip(("nM", "nC", "nD", "nB", "nJmom"), _structure_sizes(self), strict=True):
            if self.sizes[name] != size:
                raise ModelError(f"the model is damaged: {name} is {self.sizes[name]}, but its tree has {size}")
        _find_structure(self)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model by name."""
        return self.model.layout.sizes

    def plain(self) -> PlainStruct:
        """The model for uncompiled kernels."""
        return PlainStruct([self.model, self.rows])
