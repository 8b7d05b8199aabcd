"""Code generation for arrays at addresses, atomic instructions, and calls to C functions."""

from __future__ import annotations

from typing import Any

from conjoint.once import made_once

from ..routines.addresses import CFunction
from .arrays import Array
from .machine import Extent, Machine
from .number import Number, lifted
from .places import Place
from .vocabulary import WRITERS
from .writer import Writer

KINDS = {"octets": "byte", "ints": "int", "longs": "long", "reals": "real"}
"""Element types of arrays at an address, by the word of the kernel language that creates the array."""

ATOMIC = {
    "read_relaxed": "load atomic i64, ptr {p} monotonic, align 8",
    "read_acquire": "load atomic i64, ptr {p} acquire, align 8",
    "write_relaxed": "store atomic i64 {0}, ptr {p} monotonic, align 8",
    "write_release": "store atomic i64 {0}, ptr {p} release, align 8",
    "add_relaxed": "atomicrmw add ptr {p}, i64 {0} monotonic",
    "add_ordered": "atomicrmw add ptr {p}, i64 {0} acq_rel",
    "exchange": "atomicrmw xchg ptr {p}, i64 {0} acq_rel",
    "replace": "cmpxchg ptr {p}, i64 {0}, i64 {1} acq_rel acquire",
}
"""Atomic LLVM instructions on an integer that several threads read and write, by word of the kernel language."""

EVEN, ODD, LOW, HIGH = (0, 4, 2, 6), (1, 5, 3, 7), (0, 1, 4, 5), (2, 3, 6, 7)
"""Shuffle masks for two vectors of four elements: even or odd elements, and low or high halves."""


@made_once
def array_place(machine: Machine, kind: str, shape: tuple[int | str, ...]) -> Place:
    """Return the `Place` of an array that is not a field and has elements of type `kind`."""
    return Place("", f"argument {kind}[]", kind, shape, 0, machine, Extent.ONE, 1, False)


def integers(out: Writer, *args: Any) -> list[str]:
    """Convert arguments to integers, and return their names in LLVM IR."""
    return [lifted(out, x).to("int", Extent.ONE).text for x in args]


def pointers(out: Writer, *args: Any) -> list[str]:
    """Convert addresses to LLVM pointers, and return the names of the pointers."""
    return [out.value(f"inttoptr i64 {text} to ptr") for text in integers(out, *args)]


def call_function(out: Writer, function: CFunction, args: list[Any]) -> Number | None:
    """Emit a call to a C function with integer and real arguments, and return its result."""
    types = {"int": "i64", "real": "double", "": "void"}
    numbers = [lifted(out, a) for a in args]
    text = out.call(function.__name__, types[function.result], [(x.type, x.text) for x in numbers])
    return Number(out, text, function.result) if text else None


def _at(name: str) -> Any:
    def write(out: Writer, address: Any) -> Array:
        return Array(array_place(out.machine, KINDS[name], ()), pointers(out, address)[0])

    return write


def _atomic(name: str) -> Any:
    def write(out: Writer, array: Array, i: Any, *args: Any) -> Number | None:
        (p,) = array.pointers(out, array.first(out, i), 1)
        text = ATOMIC[name].format(*integers(out, *args), p=p)
        if name.startswith("write"):
            out.do(text)
            return None
        found = out.value(text)
        if name != "replace":
            return Number(out, found, "int")
        return Number(out, out.value(f"extractvalue {{ i64, i1 }} {found}, 1"), "bool")

    return write


def _address(out: Writer, array: Array) -> Number:
    return Number(out, out.value(f"ptrtoint ptr {array.address} to i64"), "int")


def _copy(out: Writer, to: Any, source: Any, count: Any) -> None:
    a, b = pointers(out, to, source)
    given = [("ptr", a), ("ptr", b), ("i64", integers(out, count)[0]), ("i1", "false")]
    out.call("llvm.memcpy.p0.p0.i64", "void", given)


def _prefetch(out: Writer, address: Any) -> None:
    given = [("ptr", pointers(out, address)[0]), ("i32", "0"), ("i32", "2"), ("i32", "1")]
    out.call("llvm.prefetch.p0", "void", given)


def _turn(out: Writer, bits: int, *places: Any) -> None:
    kind, at = f"<4 x i{bits}>", pointers(out, *places)
    rows = [out.value(f"load {kind}, ptr {p}, align {bits // 8}") for p in at[:4]]
    # store the columns themselves if the caller wants copies of them
    for row, p in zip(rows, at[8:], strict=False):
        out.do(f"store {kind} {row}, ptr {p}, align {bits // 8}")

    def mixed(k: int, n: int, order: tuple[int, ...]) -> str:
        chosen = ", ".join(f"i32 {element}" for element in order)
        return out.value(f"shufflevector {kind} {rows[k]}, {kind} {rows[n]}, <4 x i32> <{chosen}>")

    rows = [mixed(k, k + 1, order) for k in (0, 2) for order in (EVEN, ODD)]
    rows = [mixed(k, k + 2, order) for order in (LOW, HIGH) for k in (0, 1)]
    for row, p in zip(rows, at[4:8], strict=True):
        out.do(f"store {kind} {row}, ptr {p}, align {bits // 8}")


def _call_stage(out: Writer, function: Any, *args: Any) -> Number:
    given = ", ".join(f"i64 {text}" for text in integers(out, *args))
    short = out.value(f"call i32 {pointers(out, function)[0]}({given})")
    return Number(out, out.value(f"sext i32 {short} to i64"), "int")


def _call_piece(out: Writer, function: Any, *args: Any) -> None:
    given = ", ".join(f"i64 {text}" for text in integers(out, *args))
    out.do(f"call void {pointers(out, function)[0]}({given})")


WRITERS.update({name: _at(name) for name in KINDS} | {name: _atomic(name) for name in ATOMIC})
WRITERS.update(address=_address, copy=_copy, prefetch=_prefetch, turn=_turn)
WRITERS.update(call_stage=_call_stage, call_piece=_call_piece)
