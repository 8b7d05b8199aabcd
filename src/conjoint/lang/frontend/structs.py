"""The structs `m` and `d` in compiled kernels, with their fields by name, for a world or for a part of a world."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..language.kernel_error import KernelError
from ..language.tile import TILE
from ..language.world_part import Part
from ..memory.layout import TANGENT, Field, field_name
from .arrays import Array
from .machine import Extent, Machine
from .places import Place
from .writer import Writer


@dataclass(frozen=True)
class Struct:
    """`m`, `d` or a group of their fields (`m.opt`), for a world or a part of a world.

    The struct is known at compile time; its address is a hidden parameter.
    """

    schema: Schema
    role: str
    group: str = ""
    part: Part | None = None

    def __repr__(self) -> str:
        return f"{self.role}.{self.group}".rstrip(".")

    def member(self, out: Writer, name: str) -> Any:
        """Return the group or field `name`: the element of a field without dimensions, the array of any other field.

        Raises:
            KernelError: there is no such field.
        """
        group = field_name(name)
        if (self.role, self.group + group) in self.schema.groups:
            return Struct(self.schema, self.role, f"{self.group}{group}.", self.part)
        place = self.place(out, name)
        array = Array(place, place.address(out))
        return array if place.shape else array.single(out)

    def assign(self, out: Writer, name: str, value: Any) -> None:
        """Write a field that has a single element.

        Raises:
            KernelError: there is no such field, or the kernel may not write to it.
        """
        place = self.place(out, name)
        if place.shape:
            raise KernelError(f"{place} is an array: assign its elements")
        place.refuse_writing(out)
        Array(place, place.address(out)).store(out, 0, value)

    def place(self, out: Writer, name: str) -> Place:
        """Return the `Place` of the field `name`."""
        full = self.group + name
        found = self.schema.places.get((self.role, full))
        if found is None:
            known = [other for role, other in self.schema.places if role == self.role]
            close = difflib.get_close_matches(full, known, 1)
            hint = f"; did you mean {self.role}.{close[0]}?" if close else ""
            raise KernelError(f"there is no field {self.role}.{full} in the schema{hint}")
        owners = self.schema.owners.get(found, ())
        if owners and not any(f"{out.module}.".startswith(f"{owner}.") for owner in owners):
            raise KernelError(f"{found} is scratch memory of {', '.join(owners)}: declare scratch memory of your own")
        return found if self.part is None else self.schema.place_of(self.part, found)


class Schema:
    """All fields of `m` and `d`, with their memory layout on one machine."""

    def __init__(self, machine: Machine, model: Sequence[Field], data: Sequence[Field], constant_model: bool):
        self.machine = machine
        self.places: dict[tuple[str, str], Place] = {}
        self.owners: dict[Place, tuple[str, ...]] = {}
        self.groups: set[tuple[str, str]] = set()
        self.parts: dict[tuple[Part, Place], Place] = {}
        self.model, self.data = Struct(self, "m"), Struct(self, "d")
        first: dict[str, int] = {}
        for role, fields in (("m", model), ("d", data)):
            for field in fields:
                groups = field.name.split(".")[:-1]
                self.groups.update((role, ".".join(groups[: k + 1])) for k in range(len(groups)))
                one = field.uniform or (role == "m" and not field.varied)
                alike = (role == "m" and one) or (field.uniform and not machine.threads)
                tag = len(self.places)
                self.places[role, field.name] = Place(
                    role, field.name, field.kind, field.shape, tag, machine,
                    Extent.ONE if one else machine.state, 1 if alike else machine.stride,
                    role == "m" and constant_model, role == "d" and field.uniform,
                    first.setdefault(field.area, tag) if field.area else -1,
                    first.setdefault(f"{field.area}.{field.group}", tag) if field.area else -1,
                )  # fmt: skip
                self.owners[self.places[role, field.name]] = field.owners
        # names of fields that may have nonzero tangents; the set grows while a stage is translated
        self.active: set[str] = set()
        if machine.tangents:
            self.add_tangents()

    def add_tangents(self) -> None:
        """Set the places of the tangents of real fields, if there is memory for them."""
        for (role, name), place in list(self.places.items()):
            tangent = self.places.get((role, TANGENT + name))
            if tangent is not None:
                vectors = dataclasses.replace(tangent, shape=place.shape, extent=Extent.TILE, stride=TILE)
                known = dataclasses.replace(place, tangent=vectors)
                self.places[role, name], self.owners[known] = known, self.owners.pop(place)

    def is_active(self, place: Place) -> bool:
        """Return True if the numbers of an array or field may have nonzero tangents."""
        return not place.role or repr(place) in self.active

    def takes_tangents(self, place: Place, given: bool) -> bool:
        """Return True if an assignment must also write tangents to `place`.

        `given` is True if the assigned value has tangents.
        """
        if given and place.role:
            self.active.add(repr(place))
        return self.is_active(place)

    def place_of(self, part: Part, place: Place) -> Place:
        """Return the place of the field of `part` that replaces the world's field at `place`."""
        key = (part, place)
        if key not in self.parts:
            name, rule = part.fields.get(repr(place), (place.name, ""))
            moved = repr(place) in part.fields
            base = self.places["d", name] if moved else place
            if not moved and not place.uniform:
                return place
            numbers = [self.places["d", n] for n in (part.number, rule) if n not in ("", "number")] if rule else []
            shared = {f.name: getattr(base, f.name) for f in dataclasses.fields(Place)}
            if self.machine.tangents and base.tangent is not None and moved:
                raise KernelError(f"{base} of a part of a world has no tangents")
            own = shared | {"shape": place.shape, "uniform": False}
            self.parts[key] = PartPlace(**own, base=base, numbers=tuple(numbers), model=Struct(self, "m", "", part))
        return self.parts[key]


@dataclass(frozen=True, eq=False, kw_only=True)
class PartPlace(Place):
    """Place of a field of a part of a world. During a solve, a part has its own copy of uniform fields.

    Attributes:
        base: place of the field that contains the data of all parts.
        numbers: places of integers that give the first element of the part: the part's index, then the first elements
            of all parts. Empty if the part begins with the first element.
        model: `m` of the part, for sizes.
    """

    base: Place
    numbers: tuple[Place, ...]
    model: Struct

    def address(self, out: Writer) -> str:
        """Return the address of the first number of the part; it is computed at the start of the function."""
        known = out.addresses.get(self)
        if known is None:
            start = Array(self.base, self.base.address(out))
            known = start.address
            if self.numbers:
                for place in self.numbers:
                    place.address(out)
                with out.at_the_start():
                    element: Any = 0
                    for place in self.numbers:
                        element = Array(place, place.address(out)).load(out, element)
                    (known,) = start.pointers(out, start.first(out, element), 1)
            out.addresses[self] = known
        return known

    def size(self, out: Writer, name: str) -> Any:
        """Return the size called `name` of the part."""
        return self.model.member(out, name) if ("m", name) in self.model.schema.places else super().size(out, name)
