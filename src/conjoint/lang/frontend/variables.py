"""Variables of a kernel: their stack slots, their types, and checks that they are assigned before use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..language.kernel_error import KernelError
from .signature import Signature, in_lanes, join, llvm_types, parts_of, rebuilt, signature
from .writer import Writer


class Variables:
    """Variables of a kernel during its translation. Their values are in stack slots, which LLVM moves to registers.

    Attributes:
        names: names of all variables.
        kinds: signatures of the variables assigned so far. The signatures persist between attempts to generate the
            function, and only become wider.
        changed: True if a signature became wider, so that the code generated before is wrong.
        known: names whose values are known at compile time, or never change.
        assigned: variables that are assigned on all control paths to the current statement.
    """

    def __init__(self, names: Iterable[str]):
        self.names = frozenset(names)
        self.kinds: dict[str, Signature] = {}
        self.begin()

    def begin(self) -> None:
        """Start an attempt to generate the function."""
        self.changed = False
        self.known: dict[str, Any] = {}
        self.assigned: frozenset[str] = frozenset()
        # for each variable, the block in which it was last written or read, and its LLVM values there
        self.held: dict[str, tuple[str, list[str]]] = {}

    def assign(self, out: Writer, name: str, value: Any, blended: bool = False) -> None:
        """Emit an assignment; if `blended`, inactive lanes keep their values."""
        kind = signature(value)
        if blended:
            kind = in_lanes(kind)
        before = self.kinds.get(name)
        joined = kind if before is None else join(before, kind)
        if joined != before:
            # code with the narrower kind will be discarded
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
            KernelError: the variable is not assigned on all control paths to this point.
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
        """Return the instructions that allocate the stack slots of all variables."""
        return [
            f"  %{name}.slot{k} = alloca {t}"
            for name, kind in self.kinds.items()
            for k, t in enumerate(llvm_types(out.machine, kind))
        ]
