"""The structs `m` and `d` of compiled kernels: their fields by name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..layout import Field
from .arrays import Array
from .machine import Extent, Machine
from .places import Place
from .writer import Writer


@dataclass(frozen=True)
class Struct:
    """`m` or `d`, or a group of their fields (`m.opt`): known while compiling, the address is a hidden parameter."""

    schema: Schema
    role: str
    group: str = ""

    def __repr__(self) -> str:
        return f"{self.role}.{self.group}".rstrip(".")

    def member(self, out: Writer, name: str) -> Any:
        """What attribute `name` reads as: an element for a single field, else the array.

        Raises:
            TypeError: there is no such field.
        """
        if (self.role, self.group + name) in self.schema.groups:
            return Struct(self.schema, self.role, f"{self.group}{name}.")
        place = self.place(name)
        array = Array(place, place.address(out))
        return array if place.shape else array.single(out)

    def assign(self, out: Writer, name: str, value: Any) -> None:
        """Write a field of one element.

        Raises:
            TypeError: there is no such field, or the kernel may not write to it.
        """
        place = self.place(name)
        if place.shape:
            raise TypeError(f"{place} is an array: assign its elements")
        place.refuse_writing(out)
        Array(place, place.address(out)).store(out, 0, value)

    def place(self, name: str) -> Place:
        """Where attribute `name` lies."""
        full = self.group + name
        found = self.schema.places.get((self.role, full))
        if found is None:
            known = [other for role, other in self.schema.places if role == self.role]
            close = difflib.get_close_matches(full, known, 1)
            hint = f"; did you mean {self.role}.{close[0]}?" if close else ""
            raise TypeError(f"there is no field {self.role}.{full} in the schema{hint}")
        return found


class Schema:
    """All fields of the two structs, as one machine stores them."""

    def __init__(self, machine: Machine, model: Sequence[Field], data: Sequence[Field], constant_model: bool):
        self.machine = machine
        self.places: dict[tuple[str, str], Place] = {}
        self.groups: set[tuple[str, str]] = set()
        self.model, self.data = Struct(self, "m"), Struct(self, "d")
        for role, fields in (("m", model), ("d", data)):
            for field in fields:
                group, dot, _ = field.name.partition(".")
                if dot:
                    self.groups.add((role, group))
                one = role == "m" or field.uniform
                alike = role == "m" or (field.uniform and not machine.threads)
                self.places[role, field.name] = Place(
                    role, field.name, field.kind, field.shape, len(self.places), machine,
                    Extent.ONE if one else machine.state, 1 if alike else machine.stride,
                    role == "m" and constant_model, role == "d" and field.uniform,
                )  # fmt: skip
