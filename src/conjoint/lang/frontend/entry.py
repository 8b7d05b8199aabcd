"""The C-callable entry of a kernel that Python calls with arguments, which are stored in a frame of 8-byte slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..language.kernel import Kernel
from ..memory.layout import COMPONENTS, Field
from ..memory.parameters import Parameter
from ..memory.realisation import WORLD
from ..objects.unit import Description, entry_name
from .addresses import array_place
from .arrays import Array
from .machine import Machine
from .module import call_in_entry, library, linked_text, take_pointers
from .writer import Writer

OBJECT_HEADER = object.__basicsize__
"""Size in bytes of Python's object header.

A NumPy array stores its data address directly after the header (NumPy C API, PyArrayObject).
"""


def entry_module(
    name: str, kernel: Kernel, parameters: Sequence[Parameter], model: tuple[Field, ...], data: tuple[Field, ...]
) -> tuple[str, Description]:
    """Return LLVM IR of the unit `name`, whose entry calls `kernel`.

    The entry reads the arguments from a frame, and writes the results after them.
    """
    found = library(Machine.of(WORLD), model, data, not kernel.writes_model)
    entry, out = found.opened(entry_name(name), kernel, "ptr %m, ptr %d, i64 0")
    take_pointers(out, "m", "d", "frame")
    structs = {"m": found.schema.model, "d": found.schema.data}
    longs, reals = (Array(array_place(found.machine, kind, ()), "%frame") for kind in ("long", "real"))
    arguments: list[Any] = [structs[struct] for struct in kernel.structs]
    slot = 0
    for p in parameters:
        arguments.append(argument(out, p, longs, reals, slot))
        slot += p.count
    answer = call_in_entry(found, entry, out, kernel, arguments, "entry")
    for result, (kind, _) in zip(answer if isinstance(answer, tuple) else [answer], entry.results, strict=False):
        if kind in ("int", "bool"):
            longs.store(out, slot, result.select(1, 0) if kind == "bool" else result)
        elif kind == "real":
            reals.store(out, slot, result)
        else:
            reals.store_value(out, slot, result)
        slot += COMPONENTS[kind]
    out.do("ret i32 0")
    entry.close(out, "i32", "i64 %m.0, i64 %d.0, i64 %frame.0")
    return linked_text(entry)


def argument(out: Writer, p: Parameter, longs: Array, reals: Array, slot: int) -> Any:
    """Read an argument from a slot of the frame: a number, a value, or an array.

    The slot of an array contains the address of the array object.
    """
    if p.is_array:
        (place,) = longs.pointers(out, slot, 1)
        numbers = out.value(f"getelementptr i8, ptr {out.value(f'load ptr, ptr {place}')}, i64 {OBJECT_HEADER}")
        return Array(array_place(out.machine, p.kind, p.shape), out.value(f"load ptr, ptr {numbers}"))
    if p.kind in ("int", "bool"):
        number = longs.load(out, slot)
        return number != 0 if p.kind == "bool" else number
    return reals.load(out, slot) if p.kind == "real" else reals.load_value(out, p.kind, slot)
