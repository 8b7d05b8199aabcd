"""Sparsity of a model as kernels see it: the rows `STRUCTURE_ROWS`, found once when a model is made or loaded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.errors import ModelError
from conjoint.lang.layout import Buffer, Layout
from conjoint.physics.structure import find_structure, structure_sizes
from conjoint.runtime.entry import entry
from conjoint.runtime.shares import bodies_of_shares, share_sizes, shares_of_world
from conjoint.schema.enums import mjtWrap
from conjoint.schema.plan import STRUCTURE_ROWS

ROUND = (mjtWrap.mjWRAP_SPHERE, mjtWrap.mjWRAP_CYLINDER)
"""Path elements that a tendon wraps around."""

_find_structure = entry(find_structure)
_structure_sizes = entry(structure_sizes)
ENTRIES = (_find_structure, _structure_sizes)
"""What finds the sparsity of a model."""


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
        shares = shares_of_world(model)
        self.rows = Buffer(Layout(STRUCTURE_ROWS, model.layout.sizes | share_sizes(shares), model.layout.real.type))
        self.table = np.concatenate([model.table, self.rows.table])
        self.address = int(self.table.ctypes.data)
        self.rows.view("epsilon")[...] = np.finfo(model.layout.real).eps
        if model.layout.sizes["nwrap"]:
            around = np.isin(model.view("wrap_type"), ROUND)
            self.rows.view("wrap_side")[...] = np.where(around, np.rint(model.view("wrap_prm")), -1)
        for name, size in zip(("nM", "nC", "nD", "nB", "nJmom"), _structure_sizes(self), strict=True):
            if self.sizes[name] != size:
                raise ModelError(f"the model is damaged: {name} is {self.sizes[name]}, but its tree has {size}")
        _find_structure(self)
        elements = np.append(self.rows.view("M_rowadr"), self.sizes["nC"])
        shares["share_M"] = elements[shares["share_dof"]]
        shares["body_share"] = bodies_of_shares(shares["share_body"])
        for name, values in (shares | share_sizes(shares)).items():
            self.rows.view(name)[...] = values

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model by name."""
        return self.model.layout.sizes

    def plain(self) -> PlainStruct:
        """The model for uncompiled kernels."""
        return PlainStruct([self.model, self.rows])
