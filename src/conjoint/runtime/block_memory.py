"""Memory of a block of worlds (one world, or several side by side), with an arena that grows."""

from __future__ import annotations

from collections.abc import Mapping

from conjoint.lang.errors import FatalError
from conjoint.lang.memory.layout import Buffer, Role
from conjoint.physics import status
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.schema.arena import CAPACITIES
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import GROWING, allocate_arena

CAPACITY_FIELDS = tuple(field.name for field in DATA_ROWS if field.role is Role.STRUCTURE and field.name in CAPACITIES)
"""Names of the arena capacities that kernels can read."""

PLANNED = ("nefc_dual", "nefc_hybrid", "nnear")
"""Names of the capacities for which a plan defines a minimum."""

SPARE_CONTACTS, SPARE_ROWS = 8, 16
"""Spare capacity for contacts and constraint rows, in addition to 1.5 times the number needed."""


class BlockMemory(KernelMemory):
    """Memory of a block of worlds: fields of fixed size, an arena, and the addresses of all fields.

    Args:
        plan: the model in the form that kernels use.
        data: the fields of fixed size.
        ncon, nefc: initial capacity for contacts and for constraint rows.

    Attributes:
        plan: the model in the form that kernels use.
        data: fields of fixed size.
        arena: contacts and constraint rows; replaced when it grows.
        table: addresses of the fields of `data`, then of `arena`. The table keeps its own address when the arena is
            replaced.
        diverged: times (s) of resets that have not been reported yet, by lane and warning type.
    """

    def __init__(self, plan: Plan, data: Buffer, ncon: int, nefc: int):
        self.plan, self.data = plan, data
        self.arena = self._new_arena({"ncon": ncon, "nefc": nefc, **plan.capacities(nefc)})
        self.diverged: dict[tuple[int, int], float] = {}
        self.show(data, self.arena)
        self._write_capacities()

    def _new_arena(self, capacities: Mapping[str, int]) -> Buffer:
        layout = self.data.layout
        return allocate_arena(self.plan.model, capacities, self.plan.room, layout.real.type, layout.lanes)

    def _write_capacities(self) -> None:
        """Write the capacities of the arena and the version of its plan where kernels read them."""
        for name in CAPACITY_FIELDS:
            self.data.view(name)[...] = self.arena.layout.sizes[name]
        self.data.view("plan_version")[...] = self.plan.version

    def grow(self, **least: int) -> None:
        """Replace the arena with one of at least these capacities; keep its contents and the address of the table.

        Args:
            least: minimum capacities for each world, by their names in `schema.memory.GROWING`.

        Raises:
            FatalError: there is not enough memory.
        """
        old = self.arena
        wanted = {name: max(old.layout.sizes[size], least.get(name, 0)) for name, size in GROWING.items()}
        first = self.plan.capacities(wanted["nefc"])
        wanted |= {name: max(wanted[name], first[name]) for name in PLANNED}
        try:
            arena = self._new_arena(wanted)
        except MemoryError as error:
            raise FatalError(
                f"no memory for {wanted['ncon']} contacts, {wanted['nefc']} constraint rows and "
                f"{wanted['nnear']} pairs of near geoms: too many geoms overlap; exclude pairs that need not touch "
                "(contype and conaffinity, contact/exclude), or move the geoms apart"
            ) from error
        for field in old.layout.fields:
            if field.area:
                # no stage reads contents from before the growth
                continue
            kept = old.view(field.name)
            grown = arena.view(field.name)
            both = tuple(slice(min(n, k)) for n, k in zip(kept.shape, grown.shape, strict=True))
            grown[both] = kept[both]
        self.replace_arena(arena)
        self._write_capacities()

    def replace_arena(self, arena: Buffer) -> None:
        """Switch to a new arena; if interrupted, the address table still refers to valid memory."""
        self.buffers = self.data, arena, self.arena
        self.table[len(self.data.table) :] = arena.table
        self.arena = arena
        self.buffers = self.data, arena

    def enlarge(self, answer: int) -> None:
        """Enlarge the list in the arena (pairs, contacts, rows or blocks) that a stage's status `answer` requests."""

        def needed(name: str) -> int:
            return int(self.data.view(f"{name}_needed").max())

        if answer == status.NEAR_FULL:
            self.grow(nnear=int(1.5 * needed("nnear")))
        elif answer == status.FILL_FULL:
            self.grow(nfill=int(1.5 * needed("nfill")))
        elif answer == status.DUAL_FULL:
            self.grow(ndual=int(1.5 * int(self.data.view("dual_needed").max())))
        elif answer == status.CONTACTS_FULL:
            self.grow(ncon=int(1.5 * needed("ncon")) + SPARE_CONTACTS)
        else:
            self.grow(nefc=int(1.5 * needed("nefc")) + SPARE_ROWS, nJ=2 * needed("nJ"))
