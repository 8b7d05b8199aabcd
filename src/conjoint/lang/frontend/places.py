"""Memory in compiled code: the structs `m` and `d`, their fields, arrays on the stack, and what may alias what."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..layout import ALIGNMENT, COMPONENTS, Field
from ..values import Value
from ..words import TILE
from .number import Number, lifted
from .writer import INVARIANT, Machine, Writer

STORED = {"int": "i32", "byte": "i8", "bool": "i8", "long": "i64", "float": "float"}
"""LLVM types of kinds that are stored alike at any precision."""
SIZES = {"i8": 1, "i32": 4, "i64": 8, "float": 4, "double": 8}


class Tile:
    """Eight reals side by side: one vector in a single world, eight of them in lanes."""

    kind = "tile"
    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Number]):
        self.parts = tuple(parts)

    def columns(self, op: Any, *others: Any) -> Tile:
        """`op` on every column; a number is the same in all of them."""
        rows = [self.parts, *[o.parts if isinstance(o, Tile) else [o] * len(self.parts) for o in others]]
        return Tile([op(*column) for column in zip(*rows, strict=True)])

    def __radd__(self, other: Any) -> Tile:
        return self.columns(operator.add, other)

    def __rmul__(self, other: Any) -> Tile:
        return self.columns(operator.mul, other)

    def __rsub__(self, other: Any) -> Tile:
        return self.columns(lambda a, b: b - a, other)


def _operator(name: str) -> Any:
    op = getattr(operator, name)
    return lambda self, *others: self.columns(op, *others)


for _name in ("neg", "add", "sub", "mul", "truediv", "and_", "or_", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tile, f"__{_name.rstrip('_')}__", _operator(_name))


@dataclass(frozen=True)
class Struct:
    """`m` or `d`, or a group of their fields (`m.opt`): known while compiling, the address is a hidden parameter."""

    schema: Schema
    role: str
    group: str = ""

    def __repr__(self) -> str:
        return f"{self.role}.{self.group}"

    def member(self, out: Writer, name: str) -> Any:
        """What attribute `name` reads as: an element for a single field, else the array.

        Raises:
            TypeError: there is no such field.
        """
        full = self.group + name
        if (self.role, full) in self.schema.groups:
            return Struct(self.schema, self.role, full + ".")
        place = self.schema.places.get((self.role, full))
        if place is None:
            raise TypeError(f"there is no field {self.role}.{full}")
        array = Array(place, place.address(out))
        return array if place.shape else array.single(out)

    def assign(self, out: Writer, name: str, value: Any) -> None:
        place = self.schema.places.get((self.role, self.group + name))
        if place is None or place.shape or place.invariant:
            raise TypeError(f"cannot assign {self.role}.{self.group}{name}")
        Array(place, place.address(out)).store(out, 0, value)


class Schema:
    """All fields of the two structs, as one realisation stores them."""

    def __init__(self, machine: Machine, model: tuple[Field, ...], data: tuple[Field, ...], constant_model: bool):
        self.machine, self.fields = machine, (model, data)
        self.places: dict[tuple[str, str], Place] = {}
        self.groups: set[tuple[str, str]] = set()
        self.model, self.data = Struct(self, "m"), Struct(self, "d")
        for role, fields in (("m", model), ("d", data)):
            for i, field in enumerate(fields):
                group, dot, _ = field.name.partition(".")
                if dot:
                    self.groups.add((role, group))
                lanes, stride = (1, 1) if role == "m" or field.uniform else (machine.lanes, machine.stride)
                self.places[role, field.name] = Place(
                    role, field.name, field.kind, field.shape, i, len(self.places), machine, lanes, stride,
                    role == "m" and constant_model, field.uniform,
                )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Place:
    """Where the elements of a field lie.

    Attributes:
        role: "m", "d", or "" for an array on the stack.
        index: in the table of addresses.
        tag: number of the field's alias information.
        lanes, stride: worlds read at once, worlds side by side.
        invariant: nothing writes to it while kernels run.
        uniform: a block of worlds has one of it.
    """

    role: str
    name: str
    kind: str
    shape: tuple[Any, ...]
    index: int
    tag: int
    machine: Machine
    lanes: int
    stride: int
    invariant: bool
    uniform: bool = False

    def __repr__(self) -> str:
        return f"field {self.role}.{self.name}"

    @property
    def scalar(self) -> str:
        """LLVM type of one stored number."""
        return STORED.get(self.kind) or self.machine.scalars["real"]

    @property
    def number(self) -> str:
        """Kind of number that kernels see."""
        return "int" if self.scalar[0] == "i" else "real"

    def address(self, out: Writer) -> str:
        """Address of the first number, in this world's lane: read once, at the start of the function."""
        known = out.addresses.get(self)
        if known is None:
            name = f"{self.role}.{self.name}"
            out.fields.add(name)
            slot = out.first(f"load i64, ptr @{slot_name(name)}, align 8, {INVARIANT}")
            entry = out.first(f"getelementptr inbounds ptr, ptr %{self.role}, i64 {slot}")
            known = out.first(f"load ptr, ptr {entry}, align 8, {INVARIANT}")
            if self.stride > self.lanes:
                step = out.first(f"getelementptr inbounds {self.scalar}, ptr {known}, i64 %lane")
                known = step
            out.addresses[self] = known
        return known


@dataclass(frozen=True, eq=False)
class Array:
    """An array that kernels index by element."""

    place: Place
    address: str

    @property
    def type(self) -> str:
        """LLVM type of one access."""
        place = self.place
        return place.scalar if place.lanes == 1 else f"<{place.lanes} x {place.scalar}>"

    def single(self, out: Writer) -> Any:
        """The element of a field of shape (): of the model, read once at the start of the function."""
        if not self.place.invariant:
            return self.load(out, 0)
        known = out.singles.get(self.place)
        if known is None:
            lines, out.lines = out.lines, out.prologue
            known = out.singles[self.place] = self.load(out, 0)
            out.lines = lines
        return known

    def index(self, out: Writer, i: Any) -> Any:
        """The element's place in the array: one integer, or one for each dimension."""
        if not isinstance(i, tuple):
            return i
        shape = self.place.shape
        if len(i) != len(shape):
            raise TypeError(f"{self.place} has {len(shape)} dimensions, not {len(i)}")
        flat = i[0]
        for n, k in zip(shape[1:], i[1:], strict=True):
            flat = flat * (out.size(n) if isinstance(n, str) else n) + k
        return flat

    def pointers(self, out: Writer, i: Any, count: int) -> list[str]:
        """Addresses of the numbers of element i."""
        place = self.place
        if isinstance(i, Number) and (i.kind != "int" or i.lanes != 1):
            raise TypeError("an index must be an integer that is the same in every lane")
        # in units of one access: lanes step by whole vectors, a world view by its stride
        step = place.stride if place.lanes == 1 else 1
        if isinstance(i, int):
            start, offsets = self.address, [(i * count + k) * step for k in range(count)]
        else:
            first = i * (count * step) if count * step != 1 else i
            start = out.value(f"getelementptr inbounds {self.type}, ptr {self.address}, i64 {first.text}")
            offsets = [k * step for k in range(count)]
        return [out.value(f"getelementptr inbounds {self.type}, ptr {start}, i64 {k}") if k else start for k in offsets]

    def marks(self, out: Writer) -> str:
        """Alignment and alias information of an access."""
        place = self.place
        text = f", align {min(SIZES[place.scalar] * place.lanes, ALIGNMENT)}"
        if place.role:
            out.tags.add(place.tag)
            text += f", !tbaa !{tag_number(place.tag)}"
        return text + (", " + INVARIANT if place.invariant else "")

    def load(self, out: Writer, i: Any) -> Any:
        """Element i."""
        place, type, marks = self.place, self.type, self.marks(out)
        count = COMPONENTS[place.kind]
        numbers = []
        for pointer in self.pointers(out, self.index(out, i), count):
            text = out.value(f"load {type}, ptr {pointer}{marks}")
            numbers.append(Number(out, self.widened(out, text), place.number, place.lanes))
        return numbers[0] if count == 1 else Value(place.kind, numbers)

    def widened(self, out: Writer, text: str) -> str:
        """A stored number as kernels see it."""
        place, wide = self.place, out.machine.type(self.place.number, self.place.lanes)
        if wide == self.type:
            return text
        if place.number == "real":
            return out.value(f"fpext {self.type} {text} to {wide}")
        word = "trunc" if place.kind == "long" else "zext" if place.kind in ("byte", "bool") else "sext"
        return out.value(f"{word} {self.type} {text} to {wide}")

    def store(self, out: Writer, i: Any, value: Any) -> None:
        """Write element i.

        Raises:
            TypeError: the value is of another kind.
        """
        place, type, marks = self.place, self.type, self.marks(out)
        if place.invariant:
            raise TypeError("the model is constant")
        if place.uniform and out.machine.stride > out.machine.lanes:
            raise TypeError(f"{place} is one for all worlds of a block, and a per-world kernel runs in one of them")
        count = COMPONENTS[place.kind]
        if count > 1 and not (isinstance(value, Value) and value.kind == place.kind):
            raise TypeError(f"stored {value!r} in an array of {place.kind}")
        if count == 1 and isinstance(value, (Value, Tile, tuple)):
            raise TypeError(f"stored {value!r} in an array of {place.kind}")
        parts = value.parts if count > 1 else [value]
        for pointer, part in zip(self.pointers(out, self.index(out, i), count), parts, strict=True):
            out.do(f"store {type} {self.narrowed(out, part)}, ptr {pointer}{marks}")

    def narrowed(self, out: Writer, part: Any) -> str:
        """A number as it is stored."""
        place = self.place
        number = lifted(out, part).to(place.number, place.lanes)
        text, wide = number.text, out.machine.type(place.number, place.lanes)
        if wide == self.type:
            return text
        if place.number == "real":
            return out.value(f"fptrunc {wide} {text} to {self.type}")
        if text[0] != "%" and place.lanes == 1:
            bits = int(text) & 255 if self.type == "i8" else int(text)
            return str(bits)
        wider = SIZES[place.scalar] > (8 if place.lanes == 1 else 4)
        return out.value(f"{'sext' if wider else 'trunc'} {wide} {text} to {self.type}")

    def contiguous(self, out: Writer) -> bool:
        """Whether a tile of a single world is one access."""
        place = self.place
        return place.scalar == out.machine.scalars["real"] and place.lanes == place.stride == 1

    def tile(self, out: Writer, i: Any) -> Tile:
        """Eight numbers from element i on."""
        if self.contiguous(out):
            (pointer,) = self.pointers(out, i, 1)
            text = out.value(f"load {out.machine.type('real', TILE)}, ptr {pointer}{self.marks(out)}")
            return Tile([Number(out, text, "real", TILE)])
        numbers = [self.load(out, i + k) for k in range(TILE)]
        if out.machine.lanes > 1:
            return Tile([x.to("real", out.machine.lanes) for x in numbers])
        wide, text = out.machine.type("real", TILE), "poison"
        for k, x in enumerate(numbers):
            text = out.value(f"insertelement {wide} {text}, {x.type} {x.text}, i64 {k}")
        return Tile([Number(out, text, "real", TILE)])

    def store_tile(self, out: Writer, i: Any, tile: Tile) -> None:
        """Write eight numbers from element i on."""
        parts: Sequence[Number] = tile.parts
        if self.contiguous(out):
            (pointer,) = self.pointers(out, i, 1)
            out.do(f"store {parts[0].type} {parts[0].text}, ptr {pointer}{self.marks(out)}")
            return
        if len(parts) == 1:
            (x,) = parts
            parts = [Number(out, out.value(f"extractelement {x.type} {x.text}, i64 {k}")) for k in range(TILE)]
        for k, part in enumerate(parts):
            self.store(out, i + k, part)


def slot_name(field: str) -> str:
    """LLVM's name of the place of a field in its table of addresses."""
    return f'"slot.{field}"'


def tag_number(tag: int) -> int:
    """Number of a field's alias information among the metadata of a module."""
    return 10 + 2 * tag


def metadata(tags: set[int], names: dict[int, str]) -> list[str]:
    """Alias information: one type per field, so that different fields never overlap."""
    lines = ['!0 = !{!"conjoint"}', "!1 = !{}"]
    for tag in sorted(tags):
        n = tag_number(tag)
        lines.append(f'!{n + 1} = !{{!"{names[tag]}", !0, i64 0}}')
        lines.append(f"!{n} = !{{!{n + 1}, !{n + 1}, i64 0}}")
    return lines


def stack_array(out: Writer, kind: str, count: int) -> Array:
    """An array of `count` elements that lives as long as the call."""
    place = stack_place(out.machine, kind, count)
    numbers = count * COMPONENTS[kind]
    type = place.scalar if place.lanes == 1 else f"<{place.lanes} x {place.scalar}>"
    return Array(place, out.first(f"alloca [{numbers} x {type}], align 64"))


@functools.cache
def stack_place(machine: Machine, kind: str, count: int) -> Place:
    """What is known of an array on the stack."""
    lanes = machine.lanes
    return Place("", f"{kind}[{count}]", kind, (count,), 0, 0, machine, lanes, lanes, False)
