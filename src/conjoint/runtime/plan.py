"""Plans: data derived from a model for kernels, such as the pairs of geoms that can ever touch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.lang.errors import FatalError, ModelError
from conjoint.lang.memory.layout import Buffer, Field, Role
from conjoint.once import ForkLock, derived
from conjoint.physics import status
from conjoint.runtime.blocks import block_plan, edge_plan, finds_forces, is_complementary, is_dual
from conjoint.runtime.box_trees import tree_rows
from conjoint.runtime.entry import entry
from conjoint.runtime.hulls import hull_rows
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.pair_kernels import collider_rows, remembered_pairs, types_present
from conjoint.runtime.pairs import candidate_pairs
from conjoint.runtime.sleep import begins_asleep, sleep_rows
from conjoint.runtime.structure import ExposedRows, Structure, placing_memory, watched_memory
from conjoint.runtime.user import installed
from conjoint.runtime.user.plugins import plugin_numbers
from conjoint.schema.constants import mjNSOLVER
from conjoint.schema.enums import mjtGeom
from conjoint.schema.memory import NOTHING_PLANNED, islands_requested, layout_of
from conjoint.schema.plan import PLACING_ROWS, PLAN_ROWS, WATCHED_ROWS
from conjoint.schema.rows import ModelField

_watched_change = entry(status.watched_change)

NEAR_PER_GEOM = 4
"""Initial number of near pairs for which an arena has capacity, per geom of a part."""

ELEMENTS_PER_ROW = 8
"""Initial number of elements for which an arena has capacity, per compressed row."""

FILL_PER_BLOCK = 3
"""Initial number of Hessian blocks for which an arena has capacity, per block of dofs."""

MOST_IN_LANES = 200
"""Maximum number of dofs for worlds in lanes, whose rows are dense: more dofs would need too much memory."""

MOST_STORED = 256
"""Maximum number of rows for which projected Gauss-Seidel stores the square matrix J M^-1 J'."""

_versions = itertools.count(1)

FORECAST_SPEED = 2.0
"""Maximum approach speed (m/s) of two geoms for which a batch predicts their contacts."""

FORECAST_SHARE = 0.01
"""Maximum distance that the prediction assumes geoms to approach in a step, as a fraction of the model's extent."""


class ModelArrays:
    """Attribute access to the model rows that kernels use; options are under `opt`, statistics under `stat`."""

    def __init__(self, memory: KernelMemory, group: str = ""):
        self._memory, self._group = memory, group

    def __getattr__(self, name: str) -> Any:
        """Return a model field, or a group of fields, and cache it as an attribute."""
        group = name in ("opt", "stat")
        found = ModelArrays(self._memory, f"{name}.") if group else self._memory.view(self._group + name)
        self.__dict__[name] = found
        return found


class Plan(KernelMemory):
    """A model with the derived data that kernels use.

    A plan is never changed: if the model changes, another plan replaces it (`Plans`). So the memory that kernels read
    stays valid while the plan is referenced.

    Attributes:
        model: memory of the model.
        watched: part of the model memory that the plan depends on, as one row.
        placing: part of the model memory that determines poses of static geoms, as one row.
        structure: sparsity of the model.
        rows: memory of the data derived from the model when the plan was created.
        types: indices of the pairs of geom types that may touch.
        begins_asleep: True if some tree sleeps in the reference configuration.
        replaced: user-defined replacements for parts of collision detection.
    """

    def __init__(
        self,
        structure: Structure,
        nsolverstat: int = mjNSOLVER,
        lanes: int = 1,
        exposed: ExposedRows | None = None,
        differentiated: bool = False,
    ):
        """Derive the plan of a model.

        Args:
            structure: the model with its sparsity.
            nsolverstat: number of solver iterations whose statistics are stored.
            lanes: number of worlds that will be stepped at once.
            exposed: model rows that programs may write to; None: all of them.
            differentiated: True if derivatives will be taken.
        """
        self.structure, self.nsolverstat, self.lanes = structure, nsolverstat, lanes
        self.model = model = structure.model
        if exposed is None:
            exposed = ExposedRows(model)
            exposed.expose_all()
        watched = watched_memory(model)
        sizes = model.layout.sizes | {"nwatched": len(watched), "nsolverstat": nsolverstat}
        self.watched = Buffer(layout_of(WATCHED_ROWS, sizes), watched.view(np.uint8))
        # copy before anything is read, so that a concurrent change counts as a change
        planned = watched.copy()
        installed.follow()
        self.replaced = installed.current
        arrays = ModelArrays(structure)
        pairs = candidate_pairs(arrays, lanes, self.replaced.filtered)
        found = (
            pairs
            | tree_rows(arrays, pairs)
            | collider_rows(arrays, self.replaced)
            | block_plan(arrays, lanes)
            | edge_plan(arrays, differentiated)
            | hull_rows(arrays, lanes)
            | plugin_numbers(arrays)
            # worlds of a batch, which store no statistics, use the same memory in turn
            | sleep_rows(ModelArrays(structure), model, nsolverstat > 0)
        )
        swept = NEAR_PER_GEOM * len(found["part_geom"])
        placing = placing_memory(model)
        # worlds of a batch use the same memory in turn, and may have their own rows
        compared = nsolverstat > 0 and lanes == 1 and (len(found["static_geom"]) or found["npart_welded"] > 0)
        found["nplacing"] = np.array(len(placing) if compared else 0)
        found["napart"] = np.array(remembered_pairs(found, swept))
        counts = {name: int(value) for name, value in found.items() if np.ndim(value) == 0}
        # all other sizes are the lengths of rows
        rows = [row for row in PLAN_ROWS if row.name in found and row.shape]
        lengths = {size: len(found[row.name]) for row in rows if isinstance(size := row.shape[0], str)}
        sizes |= {**counts, **lengths}
        self.rows = Buffer(layout_of(PLAN_ROWS, sizes, model.layout.real.type))
        self.placing = Buffer(layout_of(PLACING_ROWS, sizes), placing.view(np.uint8))
        self.version = next(_versions)
        own_sizes = {name: size for name, size in sizes.items() if name in self.rows.layout.index}
        own = {"plan_version": self.version, "reach": self._reach(), "planned": planned}
        for name, value in (found | own_sizes | own).items():
            self.rows.view(name)[...] = value
        self.show(model, structure.rows, self.rows, self.watched, self.placing, exposed.buffer)
        self.types = types_present(self.arrays())
        self.begins_asleep = begins_asleep(model)

    def _reach(self) -> float:
        """Return the distance by which geoms may approach in a step, which batches add to the contact search margin."""
        if self.lanes == 1:
            return 0.0
        view = self.model.view
        return min(FORECAST_SPEED * float(view("opt.timestep")), FORECAST_SHARE * float(view("stat.extent")))

    def holds(self) -> bool:
        """Return True if the plan is still valid for the model and the user's replacements."""
        current = installed.current
        return (self.replaced is current or self.replaced == current) and _watched_change(self) == 0

    @property
    def single(self) -> bool:
        """True if the model's kernels run on blocks of only one world (`@kernel(single=True)`)."""
        return self.sizes["nv"] > MOST_IN_LANES or islands_requested(self.model)

    @property
    def compressed(self) -> bool:
        """True if rows of the constraint Jacobian are compressed."""
        return int(self.rows.view("compressed")) > 0

    @derived
    def measures(self) -> list[list[int]]:
        """Indices of the kernels that measure distances, indexed by two geom types in any order; -1 for none."""
        numbers = self.rows.view("types_distance").reshape(mjtGeom.mjNGEOMTYPES, -1)
        # the tables list the smaller type first
        found: list[list[int]] = np.where(np.tri(len(numbers), dtype=bool), numbers.T, numbers).tolist()
        return found

    @derived
    def kinds(self) -> list[int]:
        """Types of the model's geoms, by geom id."""
        numbers: list[int] = self.model.view("geom_type").tolist()
        return numbers

    @property
    def room(self) -> dict[str, int]:
        """Minimum capacities, by name, of the lists in an arena for this plan."""
        return {name: int(self.rows.view(name)) for name in NOTHING_PLANNED}

    def capacities(self, nefc: int) -> dict[str, int]:
        """Return the initial capacities of an arena with `nefc` rows.

        They include space for pairs (all listed ones, and some per geom of a part), elements of rows, and blocks of the
        Hessian.
        """
        view, complementary = self.rows.view, is_complementary(self.arrays())
        return {
            "nefc_dual": nefc if complementary else min(nefc, MOST_STORED) if finds_forces(self.arrays()) else 0,
            "nefc_hybrid": nefc if complementary else 0,
            "nnear": int(view("npair_candidate")) + NEAR_PER_GEOM * int(view("npart_geom")),
            "nJ": ELEMENTS_PER_ROW * nefc if self.compressed else 0,
            "nfill": FILL_PER_BLOCK * int(view("nblock")),
            "ndual": ELEMENTS_PER_ROW * nefc if self.compressed and is_dual(self.arrays()) else 0,
        }

    def arrays(self) -> ModelArrays:
        """Return an object that has the rows of the model and of the plan as attributes."""
        return ModelArrays(self)


class Plans:
    """Cache of a model's latest plan, which is replaced after the model has changed.

    The cache is thread-safe: if several threads request a plan, one of them creates it.

    Args:
        model: the model, or its structure if that has been computed. The model may have changed since then.
        check: function that returns a message about the first id, address or type that is out of range, or "" if all
            are valid. The default, for models that users cannot change, accepts everything.

    Attributes:
        exposed: model rows that are exposed to the user.
    """

    def __init__(self, model: Buffer | Structure, check: Callable[[Buffer], str] = lambda model: ""):
        self._model, self._check, self._turn = model, check, ForkLock()
        self.exposed = ExposedRows(model.model if isinstance(model, Structure) else model)

    @derived
    def current(self) -> Plan:
        """Latest plan; the first one is created on first access.

        Raises:
            FatalError: a change has made it impossible to simulate the model.
        """
        model = self._model
        return self._made(model if isinstance(model, Structure) else Structure(model))

    def holding(self) -> Plan:
        """Return the plan of the model in its current state.

        Raises:
            FatalError: a change has made it impossible to simulate the model.
        """
        if self.current.holds():
            return self.current
        with self._turn.held:
            if not self.current.holds():
                self.__dict__["current"] = self._made(self.current.structure)
            return self.current

    def _made(self, structure: Structure) -> Plan:
        layout = structure.model.layout
        changed = [name for name in structure.changed() if _follows(layout.fields[layout.index[name]])]
        if not changed:
            return Plan(structure, exposed=self.exposed)
        model = structure.model
        if wrong := self._check(model):
            raise FatalError(
                f"{', '.join(changed)} of the compiled model changed so that it cannot be simulated: {wrong}; undo the "
                "change"
            )
        try:
            return Plan(Structure(model), exposed=self.exposed)
        except ModelError as error:
            raise FatalError(
                f"{', '.join(changed)} of the compiled model changed, but its memory does not fit: {error}; undo "
                "the change, and change an MjSpec and compile that instead"
            ) from error


def _follows(field: Field) -> bool:
    """Return True for model rows that define how the model's elements are connected."""
    return field.role is Role.STRUCTURE or (isinstance(field, ModelField) and "structure" in field.derives.split())
