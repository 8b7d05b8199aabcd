"""What is derived from a model once, for kernels: sparsity, and the pairs of geoms that can ever touch."""

import itertools
from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.layout import Buffer, Layout
from conjoint.runtime.pairs import static_pairs
from conjoint.runtime.sparsity import matrix_sparsity
from conjoint.runtime.structure import SHARED_NAMES, fill_structure
from conjoint.schema.constants import mjNSOLVER
from conjoint.schema.model import PLAN_ROWS

WATCHED = {
    "plan_contype": "geom_contype", "plan_conaffinity": "geom_conaffinity", "plan_type": "geom_type",
    "plan_integrator": "opt.integrator", "plan_solver": "opt.solver", "plan_cone": "opt.cone",
    "plan_disableflags": "opt.disableflags", "plan_enableflags": "opt.enableflags",
}  # fmt: skip
"""Inputs of the plan that users may change, and the rows that remember what they were."""

_versions = itertools.count(1)


class Plan:
    """A model as kernels see it.

    Attributes:
        model: memory of the model.
        rows: memory of the derived rows.
        sparsity: sparsity fields of `MjData`, by name.
        table: addresses of the rows of `model`, then of `rows`.
        address: address of `table`, what kernels receive as `m`.
    """

    def __init__(self, model: Buffer, nsolverstat: int = mjNSOLVER):
        """Derive the plan of `model`, whose structure is final.

        Args:
            model: memory of the model.
            nsolverstat: solver iterations whose statistics are kept.
        """
        self.model, self.nsolverstat = model, nsolverstat
        self.table = np.zeros(len(model.table) + len(PLAN_ROWS), np.int64)
        self.address = int(self.table.ctypes.data)
        self.renew()

    def renew(self) -> None:
        """Derive the plan again, after options or contact bits were changed; `address` stays."""
        model = self.model
        pairs = static_pairs(_arrays(model))
        npair = len(pairs["candidate_geom1"])
        self.rows = Buffer(Layout(PLAN_ROWS, model.layout.sizes | {"npair_candidate": npair}, model.layout.real.type))
        self.rows.view("npair_candidate")[...] = npair
        for name, values in pairs.items():
            self.rows.view(name)[...] = values
        fill_structure(self.view)
        self.sparsity = matrix_sparsity(model) | {name: self.rows.view(name) for name in SHARED_NAMES}
        self.table[...] = np.concatenate([model.table, self.rows.table])
        for watched, source in WATCHED.items():
            self.rows.view(watched)[...] = model.view(source)
        self.version = next(_versions)
        self.rows.view("nsolverstat")[...] = self.nsolverstat
        self.rows.view("epsilon")[...] = np.finfo(model.layout.real).eps
        self.rows.view("plan_version")[...] = self.version

    def holds(self) -> bool:
        """Whether the model still is what the plan was made for."""
        return all(np.array_equal(self.rows.view(a), self.model.view(b)) for a, b in WATCHED.items())

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the model by name."""
        return self.model.layout.sizes

    def plain(self) -> PlainStruct:
        """The model for uncompiled kernels."""
        return PlainStruct([self.model, self.rows])

    def arrays(self) -> SimpleNamespace:
        """The model's arrays as attributes, options under `opt`, statistics under `stat`."""
        return _arrays(self.model)

    def view(self, name: str) -> np.ndarray:
        """NumPy view of a row that kernels see."""
        return (self.rows if name in self.rows.layout.index else self.model).view(name)


def _arrays(model: Buffer) -> SimpleNamespace:
    """The model's arrays as attributes, options under `opt`, statistics under `stat`."""
    arrays = SimpleNamespace(opt=SimpleNamespace(), stat=SimpleNamespace())
    for field in model.layout.fields:
        group, _, name = field.name.rpartition(".")
        if group in ("", "opt", "stat"):
            setattr(getattr(arrays, group) if group else arrays, name, model.view(field.name))
    return arrays
