"""Variables of a kernel: their places, their types, and definite assignment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..language.kernel_error import KernelError
from .signature import Signature, in_lanes, join, llvm_types, parts_of, rebuilt, signature
from .writer import Writer


class Variables:
    """Variables while a kernel is read: slots on the stack, which LLVM puts into registers.

    Attributes:
        names: all variables.
        kinds: of those assigned so far; they outlast an attempt, and only ever grow wider.
        changed: True if one grew wider, so that what was written before is wrong.
        known: names whose values are known while compiling, or never change.
        assigned: variables that are assigned on every way to here.
    """

    def __init__(self, names: Iterable[str]):
        self.names = frozenset(names)
        self.kinds: dict[str, Signature] = {}
        self.begin()

    def begin(self) -> None:
        """Start an attempt."""
        self.changed = False
        self.known: dict[str, Any] = {}
        self.assigned: frozenset[str] = frozenset()
        # block in which a variable was last written or read, and its parts there
        self.held: dict[str, tuple[str, list[str]]] = {}

    def assign(self, out: Writer, name: str, value: Any, blended: bool = False) -> None:
        """Write an assignment; if `blended`, inactive lanes keep their values."""
        kind = signature(value)
        if blended:
            kind = in_lanes(kind)
        before = self.kinds.get(name)
        joined = kind if before is None else join(before, kind)
        if joined != before:
            # code with the narrower kind is discarded
            self.changed = self.changed or before is not None
            self.kinds[name] = joined
        parts, types = parts_of(out, value, joined), llvm_types(out.machine, joined)
        if blended:
            parts = [
                out.blended(t, part, f"%{name}.slot{k}") for k, (t, part) in enumerate(zip(types, parts, strict=True))
            ]
        for k, (t, part) in enumerate(zip(types, parts, strict=True)):
            out.do(f"store {t} {part}, ptr %{name}.slot{k}")
        self.assigned |= {name}
        self.held[name] = out.block, parts

    def read(self, out: Writer, name: str) -> Any:
        """Return the value of a variable.

        Raises:
            KernelError: it is not assigned on every way to here.
        """
        if name not in self.assigned:
            some = "on some way to here " if name in self.kinds else ""
            raise KernelError(f"{name} is used before it is assigned {some}".rstrip())
        kind = self.kinds[name]
        block, parts = self.held.get(name, ("", []))
        if block != out.block:
            types = enumerate(llvm_types(out.machine, kind))
            parts = [out.value(f"load {t}, ptr %{name}.slot{k}") for k, t in types]
            self.held[name] = out.block, parts
        return rebuilt(out, kind, iter(parts))

    def slots(self, out: Writer) -> list[str]:
        """Return the instructions that make room for all variables."""
        return [
            f"  %{name}.slot{k} = alloca {t}"
            for name, kind in self.kinds.items()
            for k, t in enumerate(llvm_types(out.machine, kind))
        ]
