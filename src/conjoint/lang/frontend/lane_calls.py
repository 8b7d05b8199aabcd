"""Kernel calls lane by lane: one call for each active lane, as for a single world."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from .arrays import Array
from .library import Function, Library
from .local_structs import LocalStructs, seen_by_one
from .machine import Extent
from .places import Place
from .profile import enter_label, leave
from .signature import TILES, Made, Signature, in_lanes, llvm_types, parts_of, rebuilt, signature
from .structs import Struct
from .writer import Writer


def call_each(library: Library, out: Writer, kernel: Kernel, args: Sequence[Any]) -> Any:
    """Emit calls to a kernel, one for each active lane; return the results as vectors."""
    out.note_varying("calls, one by one")
    alone = library.each_world()
    given = [Argument(out, alone, x) for x in args]
    function = alone.function(kernel, [a.kind for a in given])
    out.callees[function.name] = function
    results = [rooms(out, kind) for kind in function.results]
    head, body, end, before = (out.label(n) for n in ("lane", "one", "all", "before"))
    word, left = out.mask.word_type, f"%{out.label('left')}"
    lanes = out.mask.word()
    out.jump(before)
    out.open(before)
    out.jump(head)
    out.open(head)
    rest = out.value(f"phi {word} [ {lanes}, %{before} ], [ {left}, %{body} ]")
    out.fork(out.value(f"icmp ne {word} {rest}, 0"), body, end)
    out.open(body)
    short = out.call(f"llvm.cttz.{word}", word, [(word, rest), ("i1", "true")])
    lane = short if word == "i64" else out.value(f"zext {word} {short} to i64")
    texts = call_text(out, function, lane, [part for a in given for part in a.of_lane(lane)])
    for room, text in zip(itertools.chain(*results), texts, strict=True):
        room.store(lane, text)
    lower = out.value(f"sub {word} {rest}, 1")
    out.do(f"{left} = and {word} {rest}, {lower}")
    out.jump(head)
    out.open(end)
    values = [
        rebuilt(out, in_lanes(kind), iter([room.vector() for room in places]))
        for kind, places in zip(function.results, results, strict=True)
    ]
    return tuple(values) if function.several else values[0] if values else None


def call_text(out: Writer, function: Function, lane: str, given: Sequence[str]) -> Iterator[str]:
    """Emit the call for one lane, and yield the numbers in its result."""
    returned = function.returned(out.machine.for_each_world)
    text = f"@{function.name}({', '.join(['ptr %m', 'ptr %d', f'i64 {lane}', *given])})"
    answer = write_instruction(out, function, returned, text)
    if not answer:
        return
    if returned[0] != "{":
        yield answer
        return
    for k in range(len([t for kind in function.results for t in llvm_types(out.machine.for_each_world, kind)])):
        yield out.value(f"extractvalue {returned} {answer}, {k}")


def write_instruction(out: Writer, function: Function, returned: str, text: str) -> str:
    """Emit a call instruction, and return its result, if any.

    If a profile counts the call, the clock is read before and after it.
    """
    if not function.label:
        return written(out, returned, text)
    before = enter_label(out, function.label)
    answer = written(out, returned, f"{text} noinline")
    leave(out, before)
    return answer


def written(out: Writer, returned: str, text: str) -> str:
    """Emit a call instruction; return the name of its result, or "" if it has none."""
    if returned != "void":
        return out.value(f"call {returned} {text}")
    out.do(f"call void {text}")
    return ""


class Room:
    """Stack memory for one number in every lane, with access to single lanes.

    Attributes:
        wide, narrow: LLVM types of the vector of all lanes, and of the number of one lane.
        stored: LLVM type of one number in memory.
    """

    def __init__(self, out: Writer, wide: str, narrow: str):
        self.out, self.wide, self.narrow = out, wide, narrow
        self.stored = "i8" if narrow == "i1" else wide.split(" x ")[1][:-1]
        self.memory = out.first(f"alloca [{out.machine.lanes} x {self.stored}], align 64")
        self.whole = f"<{out.machine.lanes} x {self.stored}>"

    def fill(self, vector: str) -> None:
        """Write a vector to all lanes."""
        if self.narrow == "i1":
            vector = self.out.value(f"zext {self.wide} {vector} to {self.whole}")
        self.out.do(f"store {self.whole} {vector}, ptr {self.memory}")

    def vector(self) -> str:
        """Return the numbers of all lanes as a vector."""
        text = self.out.value(f"load {self.whole}, ptr {self.memory}")
        return text if self.narrow != "i1" else self.out.value(f"icmp ne {self.whole} {text}, zeroinitializer")

    def place(self, lane: str) -> str:
        """Return the address of a lane's number."""
        return self.out.value(f"getelementptr {self.stored}, ptr {self.memory}, i64 {lane}")

    def load(self, lane: str) -> str:
        """Return a lane's number."""
        text = self.out.value(f"load {self.stored}, ptr {self.place(lane)}")
        if self.narrow == "i1":
            return self.out.value(f"icmp ne i8 {text}, 0")
        return self.out.value(f"sext {self.stored} {text} to i64") if self.narrow == "i64" else text

    def typed(self, lane: str) -> str:
        """Return a lane's number, preceded by its LLVM type."""
        return f"{self.narrow} {self.load(lane)}"

    def store(self, lane: str, text: str) -> None:
        """Write a lane's number."""
        if self.narrow == "i1":
            text = self.out.value(f"zext i1 {text} to i8")
        elif self.narrow == "i64":
            text = self.out.value(f"trunc i64 {text} to {self.stored}")
        self.out.do(f"store {self.stored} {text}, ptr {self.place(lane)}")


def rooms(out: Writer, kind: Signature) -> list[Room]:
    """Allocate memory for a kernel's result in each lane. It is set to zero, which is the result in inactive lanes."""
    narrow = llvm_types(out.machine.for_each_world, kind)
    found = [Room(out, wide, one) for wide, one in zip(llvm_types(out.machine, in_lanes(kind)), narrow, strict=True)]
    for room in found:
        out.do(f"store {room.whole} zeroinitializer, ptr {room.memory}")
    return found


class Argument:
    """An argument of a kernel that is called for each lane.

    Attributes:
        kind: signature of the argument in the function for one world.
    """

    def __init__(self, out: Writer, alone: Library, x: Any):
        self.out, self.alone, self.kind = out, alone, signature(x)
        self.parts: list[Callable[[str], str]] = []
        if isinstance(x, Struct):
            schema = alone.schema
            self.kind = dataclasses.replace(schema.model if x.role == "m" else schema.data, group=x.group, part=x.part)
        elif isinstance(x, (Array, LocalStructs)):
            self.take_memory(x)
        elif isinstance(self.kind, Made):
            members = [Argument(out, alone, member) for member in x.members.values()]
            self.kind = Made(type(x), tuple(member.kind for member in members))
            self.parts = [part for member in members for part in member.parts]
        elif isinstance(self.kind, tuple):
            self.take_numbers(x)

    def take_numbers(self, x: Any) -> None:
        """Store numbers in memory with one element per lane, so that the call for a lane reads its own number."""
        out, wide = self.out, self.kind
        self.kind = wide[0], Extent.ONE
        machine = self.alone.machine
        types = llvm_types(out.machine, wide), llvm_types(machine, self.kind)
        if wide[0] in TILES:
            raise KernelError("a kernel that runs one world at a time cannot receive tiles from a kernel in lanes")
        for t, one, part in zip(*types, parts_of(out, x, wide), strict=True):
            if t == one:
                self.parts.append(constant_part(f"{one} {part}"))
                continue
            room = Room(out, t, one)
            room.fill(part)
            self.parts.append(room.typed)

    def take_memory(self, x: Array | LocalStructs) -> None:
        """Pass the array or struct `x` with the address that the function for a single lane expects."""
        out, place = self.out, x.place
        if isinstance(place, Place) and place.role:
            self.kind = self.alone.schema.places[place.role, place.name]
            if self.kind.stride == 1:
                self.parts.append(constant_part(f"ptr {x.address}"))
                return
        else:
            self.kind = seen_by_one(place, self.alone.machine)
        find = constant_part(f"ptr {x.address}")
        if place.scattered:
            room = Room(out, f"<{out.machine.lanes} x ptr>", "ptr")
            room.fill(x.address)
            find = room.typed
        if isinstance(place, Place):
            # for an array, point to this lane's number; for a struct, the members add their lane
            scalar, start = place.scalar, find
            self.parts.append(lambda lane: f"ptr {out.value(f'getelementptr {scalar}, {start(lane)}, i64 {lane}')}")
        else:
            self.parts.append(find)

    def of_lane(self, lane: str) -> list[str]:
        """Return the LLVM values of the argument for a lane, each preceded by its type."""
        return [part(lane) for part in self.parts]


def constant_part(text: str) -> Callable[[str], str]:
    """Return a function that returns `text`, an argument preceded by its type, for every lane."""
    return lambda lane: text
