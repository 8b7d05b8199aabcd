"""`MjData`: the state of a simulation and all results that are computed from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from conjoint.api.objects.attributes import DataAttributes
from conjoint.api.objects.bind import Binding
from conjoint.api.objects.compressed import (
    dual_matrix,
    is_compressed,
    transposed_islands,
    transposed_jacobian,
    whole_dual_matrix,
)
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.records import lists_of
from conjoint.api.objects.struct import (
    Member,
    NumberMember,
    OwnMember,
    checked_number,
    describe,
    is_scalar,
    official_view,
)
from conjoint.api.objects.summary import data_line, data_table
from conjoint.api.objects.tendons import is_packed, packed_arms, packed_rows_of, tendon_rows
from conjoint.api.objects.views import add_accessors
from conjoint.lang import ArgumentError
from conjoint.lang.memory.layout import Field
from conjoint.lang.threads.thread_team import Team
from conjoint.runtime.on_demand import find_elements, follow
from conjoint.runtime.sleep import check_rests
from conjoint.runtime.sleep_start import start_asleep
from conjoint.runtime.world import World
from conjoint.schema.arena import ARENA_FIELDS, CAPACITIES
from conjoint.schema.constants import mjMAXTHREAD
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.newer_names import IN_MEMORY_OF_WORLDS
from conjoint.schema.references import is_followed
from conjoint.schema.sizes import SIZES
from conjoint.schema.version import STANDS_FOR

FIXED = {field.name: field for field in DATA_FIELDS if "." not in field.name}
"""Fields of fixed size that are attributes of `MjData`."""

VARIABLE = {field.name: field for field in ARENA_FIELDS if not field.name.startswith("contact_")}
"""Fields of variable size, in the arena, that are attributes of `MjData`."""


POSES = ("geom_xpos", "geom_xmat")
"""Pose fields. Steps skip the poses of fixed geoms until a program first accesses one of these fields."""


class MjData(Binding, DataAttributes):
    """State, inputs and results of one simulation.

    Fields of fixed size (`d.qpos`) are NumPy views that stay valid for the life of the object. Fields with one
    entry per constraint row or island (`d.efc_force`) vary in size: each access returns a new view, which is valid
    until the next step. `d.contact` always lists the current contacts. Elements are accessed by name or id:
    `d.body("torso").xpos`.

    Attributes:
        model: the model that is simulated.
        world: the memory of all fields.
        sizes: sizes of the model.
        followed: arrays that are updated after each call (`api.objects.followed`).
    """

    _inside = frozenset({"followed", "sizes", "world"})
    _newer = IN_MEMORY_OF_WORLDS
    sizes: Mapping[str, int]
    _fields = FIXED | VARIABLE
    _single = frozenset(name for name, field in FIXED.items() if is_scalar(field))
    _settable = frozenset({"nthread"})

    def __init__(self, model: MjModel):
        """Create a world for `model`, in its reference configuration.

        Raises:
            TypeError: `model` is not an MjModel.
        """
        if not isinstance(model, MjModel):
            raise TypeError(f"MjData is created from an MjModel, not from {model!r}")
        self._attach(model, World(model.plans.holding()))
        start_asleep(self.world, model.plans)

    def _attach(self, model: MjModel, world: World) -> None:
        """Attach this object to the memory of `world`."""
        self.__dict__.update(
            model=model,
            world=world,
            sizes=model.sizes,
            followed={},
            _call_cache=world.calls.address,
            _readers={},
            _arena_views={"": None},
            **lists_of(world),
        )

    @property
    def _address(self) -> int:
        """Address that kernels receive as `d`. MuJoCo's package has an attribute of the same name."""
        return self.world.address

    def _arena_view(self, name: str) -> np.ndarray:
        """Return a whole field of the arena, including its unused part."""
        arena, views = self.world.arena, self._arena_views
        if views[""] is not arena:
            # the arena has been replaced by a larger one
            views.clear()
            views[""] = arena
        view = views.get(name)
        if view is None:
            view = views[name] = arena.view(name)
            view.flags.writeable = not is_followed(VARIABLE[name])
        return view

    def _member_view(self, field: Field) -> np.ndarray:
        follow(self.world, field.name)
        if field.name in POSES:
            self.world.data.view("static_exposed")[...] = 1
        view = official_view(self.world.data, field)
        view.flags.writeable = not is_followed(field)
        return view

    @property
    def nthread(self) -> int:
        """Number of threads that step this world, including the caller's; by default 1.

        Results do not depend on the number of threads, bit for bit. The number is not part of the state: copies have
        one thread.

        Raises:
            FatalError: the value is not an integer of at least 1.
        """
        team = self.world.team
        return 1 if team is None else team.nthread

    @nthread.setter
    def nthread(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= mjMAXTHREAD:
            raise ArgumentError(f"a world has 1 to {mjMAXTHREAD} threads, not {count!r}: assign an integer to nthread")
        if count != self.nthread:
            self.world.share_with(Team(int(count)) if count > 1 else None)

    def __copy__(self) -> MjData:
        copied = object.__new__(type(self))
        copied._attach(self.model, self.world.copy())
        return copied

    def __deepcopy__(self, memo: dict) -> MjData:
        return _restore_data(deepcopy(self.model, memo), *self.world.contents())

    def __reduce__(self) -> tuple:
        return _restore_data, (self.model, *self.world.contents())

    def __repr__(self) -> str:
        return data_line(self)

    def _repr_html_(self) -> str:
        """Return an HTML table that describes the world, for notebooks."""
        return data_table(self)


def _restore_data(model: MjModel, data: bytes, sizes: dict[str, int], arena: bytes) -> MjData:
    """Return the unpickled world."""
    d = MjData(model)
    d.world.restore(data, sizes, arena)
    check_rests(d.world.data.view("tree_rest"), "the pickle")
    return d


NO_ISLAND = -1
"""Value of `dof_island` in newer versions if there are no islands."""


def _arena_member(field: Field) -> property:
    """Return the property for an arena field: a new view of its used part, or zeros if no stage computes the field."""

    name, flat, count = field.name, field.shape[1:] == ("nv",), CAPACITIES[str(field.shape[0])]
    of_model = count in SIZES

    def read(d: Any) -> np.ndarray:
        view, length = d._arena_view(name), getattr(d.model if of_model else d, count)
        if flat:
            view, length = view.reshape(-1), d.nJ
        if 0 < length <= len(view):
            return view[:length]
        # an empty result is a separate array, as in MuJoCo
        none = NO_ISLAND if name == "dof_island" and STANDS_FOR.moved else 0
        return np.full((length, *view.shape[1:]), none, view.dtype)

    return property(read, doc=describe(field))


def _dense_dual_matrix(d: Any) -> np.ndarray:
    """Return a copy of the dense `efc_AR` as a vector, row by row.

    It is empty unless a dual solver prepares the matrix.
    """
    return whole_dual_matrix(d).ravel() if d.nA > 0 else np.zeros(0)


def _compressed_member(field: Field, otherwise: Callable[[Any], np.ndarray]) -> property:
    """Return the property for a part of a compressed matrix.

    Its value is a copy of the part, or the result of `otherwise` if the matrix is not available.
    """
    (matrix,) = (name for name in MATRICES if field.name.startswith(name))
    make, part = MATRICES[matrix], field.name[len(matrix) + 1 :]

    def read(d: Any) -> np.ndarray:
        found = make(d) if is_compressed(d) else None
        return otherwise(d) if found is None else found[part]

    return property(read, doc=describe(field))


MATRICES = {"efc_AR": dual_matrix, "efc_JT": transposed_jacobian, "iefc_JT": transposed_islands}
"""Compressed matrices that are computed on access."""


def _size_member(field: Field) -> property:
    """Return the property for the number of contacts, rows or islands, which programs may lower but not raise."""
    plain, name = NumberMember(field), field.name

    def write(d: Any, value: Any) -> None:
        size, given = d.world.data.view(name), checked_number(field, value)
        if not 0 <= given <= size:
            raise ValueError(f"{name} is {size}: it can be decreased, but not set to {given}")
        size[...] = given

    return property(plain.fget, write, doc=describe(field))


def _counted_member(field: Field) -> property:
    """Return the property for `nA`, the number of elements of A, which are counted on access."""
    plain = _size_member(field)

    def read(d: Any) -> int:
        find_elements(d.world)
        return plain.fget(d)  # type: ignore[misc]

    return property(read, plain.fset, doc=describe(field))


def _member(field: Field) -> Any:
    """Return the descriptor for a field of fixed size."""
    if not is_scalar(field):
        return Member(field, field.name)
    if field.name == "nA":
        return _counted_member(field)
    return _size_member(field) if is_followed(field) else NumberMember(field)


def _arms_member(field: Field, name: str) -> property:
    """Return the property for a part of `ten_J`: the dense array, or compressed rows computed from it."""
    part = name[len("ten_J_") :]

    def read(d: Any) -> np.ndarray:
        if name == "ten_J" and is_packed(name):
            return packed_rows_of(d, name, d.world.data.view(name))
        if d.model.plans.current.compressed and d.model.ntendon:
            return packed_arms(d)[part]
        return _kept_view(d, field)

    return property(read, doc=describe(field))


def _kept_view(d: Any, field: Field) -> np.ndarray:
    """Return the array of a field. Every access returns the same array object."""
    view: np.ndarray | None = d.__dict__.get(field.name)
    if view is None:
        view = d.__dict__[field.name] = d._member_view(field)
    return view


def _edges_member(field: Field) -> property:
    """Return the property for `flexedge_J`. In newer versions, its rows are packed without zeros."""

    def read(d: Any) -> np.ndarray:
        view = _kept_view(d, field)
        return packed_rows_of(d, field.name, view) if is_packed(field.name) else view

    return property(read, doc=describe(field))


def _member_of_arena(field: Field) -> property:
    """Return the property for an arena field, which may be computed on access."""
    plain = _arena_member(field)
    if field.name == "tendon_efcadr":
        return property(tendon_rows, doc=describe(field))
    if not field.name.startswith(tuple(MATRICES)):
        return plain
    return _compressed_member(field, _dense_dual_matrix if field.name == "efc_AR" else plain.fget)  # type: ignore[arg-type]


for _name, _doc in {
    "model": "Model that the world was created for.",
    "contact": "Current contacts, in the order of detection.",
    "warning": "Statistics of warnings, indexed by mjtWarning.",
    "timer": "Statistics of timers, indexed by mjtTimer.",
    "solver": "Statistics of the solver's iterations.",
}.items():
    setattr(MjData, _name, OwnMember(_name, _doc))
for _name, _field in FIXED.items():
    setattr(MjData, _name, _member(_field))
for _name in ("ten_J", "ten_J_rownnz", "ten_J_rowadr", "ten_J_colind"):
    setattr(MjData, _name, _arms_member(FIXED[_name], _name))
MjData.flexedge_J = _edges_member(FIXED["flexedge_J"])  # type: ignore[assignment]
for _name, _field in VARIABLE.items():
    setattr(MjData, _name, _member_of_arena(_field))
add_accessors(MjData, in_worlds=True)
