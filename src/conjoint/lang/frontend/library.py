"""Functions compiled for one variant and one schema. Stages share the functions that they call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from .debug import EACH, FIRST, Numbers, Origin
from .machine import Machine
from .places import Place
from .signature import Signature, llvm_types
from .source import source_of
from .structs import Schema
from .writer import WORLD, Writer


@dataclass
class Function:
    """A kernel compiled for given argument types.

    Attributes:
        name: name of the function in LLVM.
        origin: source location of the function.
        results: signatures of its results.
        several: True if it returns a tuple.
        text: definition in LLVM IR; empty while the kernel is being translated.
        callees, intrinsics, fields: functions, intrinsics and fields that it uses, which the module must declare.
        reads, writes: names of the fields whose elements the function itself reads, and writes.
        touched: names of all fields that it and its callees read or write.
        active: names of the touched fields that may have tangents; for an entry, of all fields that may have tangents.
        varying: source lines where lanes diverge, each with the cause (`Writer.varying`).
        masked: True if it has a mask as parameter; if False, all lanes are active when it is called.
        outgrown: places of arguments without memory for tangents in which it stores dual numbers. The caller must
            allocate memory for tangents, and then call the function compiled for such arguments.
        label: name under which a profile counts its calls; "" for none.
    """

    name: str
    origin: Origin
    results: list[Signature] = field(default_factory=list)
    several: bool = False
    text: str = ""
    callees: dict[str, Any] = field(default_factory=dict)
    intrinsics: dict[str, str] = field(default_factory=dict)
    fields: set[Place] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    touched: frozenset[str] = frozenset()
    active: frozenset[str] = frozenset()
    outgrown: set[Place] = field(default_factory=set)
    varying: frozenset[tuple[int, str]] = frozenset()
    masked: bool = False
    label: str = ""

    def result_types(self, machine: Machine) -> list[str]:
        """Return the LLVM types of the numbers that the function returns."""
        return [t for kind in self.results for t in llvm_types(machine, kind)]

    def writes_results(self, machine: Machine) -> bool:
        """Return True if the function writes its results to the caller's memory.

        LLVM's SPIR-V back end does not merge numbers into structs, so such a function cannot return several results.
        """
        return machine.threads and len(self.result_types(machine)) > 1

    def returned(self, machine: Machine) -> str:
        """Return the LLVM type of the function's return value."""
        types = self.result_types(machine)
        if not types or self.writes_results(machine):
            return "void"
        return types[0] if len(types) == 1 else f"{{{', '.join(types)}}}"

    def close(self, out: Writer, returned: str, parameters: str, attributes: str = "") -> None:
        """Assemble the function from its generated parts; `attributes` are LLVM function attributes."""
        head = f"define {returned} @{self.name}({parameters}) nounwind {attributes}{self.origin.subprogram} {{"
        self.text = "\n".join([head, "entry:", *out.prologue, *out.lines, "}"])
        self.callees, self.intrinsics, self.fields = out.callees, out.intrinsics, out.fields
        self.reads, self.writes, self.active = out.reads, out.writes, frozenset(out.schema.active)
        self.outgrown, self.varying = out.outgrown, frozenset(out.varying)
        self.touched = frozenset(self.reads | self.writes).union(*(f.touched for f in self.callees.values()))


Read = Callable[["Library", Kernel, Sequence[Signature], Function], None]
"""Function that translates a kernel, for given argument types, to a `Function`."""


class Library:
    """Compiled functions, by kernel and argument types; with dual numbers, also by the active fields that they access.

    Attributes:
        machine, schema: target of their machine code.
        each_world: function that returns the library for a single one of the worlds in lanes.
        waiting: kernels being translated, outermost first.
    """

    def __init__(self, machine: Machine, schema: Schema, read: Read, each_world: Callable[[], Library]):
        self.machine, self.schema, self.read, self.each_world = machine, schema, read, each_world
        self.functions: dict[Any, list[Function]] = {}
        self.waiting: list[Kernel] = []
        self.count = 0
        # one module contains the functions for lanes and those for a single world of them
        self.suffix = "_each" if machine.is_view else ""
        self.numbers = Numbers(EACH if machine.is_view else FIRST)

    def opened(self, name: str, kernel: Kernel, world: str = WORLD) -> tuple[Function, Writer]:
        """Create a function that calls a kernel but is not compiled from one, such as an entry.

        Return the function and its writer. The caller must generate the code and then close the function
        (`Function.close`).
        """
        origin = Origin(self.numbers, kernel, source_of(kernel))
        return Function(name, origin), Writer(self.machine, self.schema, world=world, mark=origin.mark(origin.line))

    def function(self, kernel: Kernel, arguments: Sequence[Signature], masked: bool = False) -> Function:
        """Return `kernel` compiled for these argument types; it is translated on first use.

        With `masked`, some lanes may be inactive.

        Raises:
            KernelError: the kernel calls itself.
        """
        key = (kernel, kernel.version, masked, *arguments)
        known, before = self.functions.setdefault(key, []), frozenset(self.schema.active)
        for found in known:
            if before & found.touched == found.active:
                return found
        if kernel in self.waiting:
            ring = [k.__name__ for k in self.waiting[self.waiting.index(kernel) :]]
            raise KernelError(f"kernels cannot call themselves: {' calls '.join([*ring, kernel.__name__])}")
        origin = Origin(self.numbers, kernel, source_of(kernel))
        # the number in a name also counts functions being translated, because one may call another kernel of the same
        # name
        label = kernel.label if self.machine.profiled else ""
        found = Function(f"{kernel.__name__}{self.suffix}.{self.count}", origin, masked=masked, label=label)
        self.count += 1
        self.waiting.append(kernel)
        try:
            self.read(self, kernel, arguments, found)
        finally:
            self.waiting.pop()
        found.active = found.touched & self.schema.active
        if found.active <= before:
            # otherwise translation began when fewer fields were active, and must be repeated
            known.append(found)
        return found
