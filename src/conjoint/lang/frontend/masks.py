"""Execution masks: the lanes that are active at the instruction being generated.

A kernel describes one world. A condition on the state may hold in some lanes only, so both arms of an `if` run, each
under a mask. See Pharr and Mark, "ispc: a SPMD compiler for high-performance CPU programming", 2012, section 5. A
function that is always called with all lanes active is a separate variant, generated without a mask until its first
divergent branch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Protocol

from .machine import Machine

CURRENT, RETURNED = "%mask.current", "%mask.returned"
"""Names of the stack slots of two masks: the active lanes, and the lanes that have returned from the function."""

ALL = "splat (i1 true)"
NONE = "zeroinitializer"


class Instructions(Protocol):
    """The methods of `writer.Writer` that a mask needs."""

    machine: Machine

    def value(self, text: str) -> str:
        """Emit an instruction, and return its result."""

    def do(self, text: str) -> None:
        """Emit an instruction without a result."""


class Mask:
    """The active lanes of one function.

    Attributes:
        out: the function being generated.
        called_with_all: True if all lanes are active at the start of the function.
        narrow: True if fewer lanes may be active here than at the start of the function.
        narrow_in_turn: True if fewer lanes may be active than at the start of the iteration of the innermost loop.
        left: number of times that lanes have left the current code, by `break`, `continue` or `return`.
        keeps: True if stores must preserve the memory of inactive lanes.
        used: True if the function needs a stack slot for its mask.
    """

    def __init__(self, out: Instructions, called_with_all: bool):
        self.out, self.called_with_all = out, called_with_all
        self.narrow = self.narrow_in_turn = self.used = False
        self.left, self.keeps = 0, True

    @property
    def partial(self) -> bool:
        """True if some lanes may be inactive."""
        return self.out.machine.lanes > 1 and (self.narrow or not self.called_with_all)

    @property
    def type(self) -> str:
        """LLVM type of a mask."""
        return f"<{self.out.machine.lanes} x i1>"

    @property
    def word_type(self) -> str:
        """LLVM type of a mask packed into the bits of an integer, as functions receive it."""
        return f"i{self.out.machine.lanes}"

    def current(self) -> str:
        """Return the mask of the active lanes."""
        if not self.partial:
            return ALL
        self.used = True
        return self.out.value(f"load {self.type}, ptr {CURRENT}")

    def set(self, text: str) -> None:
        """Set the mask of the active lanes from here on."""
        self.used = True
        self.out.do(f"store {self.type} {text}, ptr {CURRENT}")

    def begin(self) -> list[str]:
        """Store the mask argument of the function in its slot; return the LLVM parameters for it (one, or none)."""
        if self.out.machine.lanes == 1 or self.called_with_all:
            return []
        self.set(self.out.value(f"bitcast {self.word_type} %mask to {self.type}"))
        return [f"{self.word_type} %mask"]

    def slots(self) -> list[str]:
        """Return the instructions that allocate the stack slots of the mask."""
        if not self.used:
            return []
        # a loop reads its mask before the first masked branch writes one
        first = ALL if self.called_with_all else NONE
        lines = [f"  {place} = alloca {self.type}" for place in (CURRENT, RETURNED)]
        return [
            *lines,
            f"  store {self.type} {first}, ptr {CURRENT}",
            f"  store {self.type} {NONE}, ptr {RETURNED}",
        ]

    # ---- operations on masks

    def both(self, a: str, b: str) -> str:
        """Return the lanes of mask a in which condition b holds; b may be poison in other lanes."""
        return b if a == ALL else self.out.value(f"select {self.type} {a}, {self.type} {b}, {self.type} {NONE}")

    def without(self, a: str, b: str) -> str:
        """Return the lanes of mask a in which condition b does not hold."""
        return self.both(a, self.out.value(f"xor {self.type} {b}, {ALL}"))

    def either(self, a: str, b: str) -> str:
        """Return the union of two masks."""
        return self.out.value(f"or {self.type} {a}, {b}")

    def word(self, mask: str | None = None) -> str:
        """Pack a mask (by default, the mask of the active lanes) into the bits of an integer."""
        text = self.current() if mask is None else mask
        if text == ALL:
            return "-1"
        return self.out.value(f"bitcast {self.type} {text} to {self.word_type}")

    def some(self, mask: str | None = None) -> str:
        """Return a condition that is True if a mask (by default, the mask of the active lanes) contains any lane."""
        return self.out.value(f"icmp ne {self.word_type} {self.word(mask)}, 0")

    # ---- numbers under a mask

    def chosen(self, llvm: str, new: str, old: str) -> str:
        """Return a vector of type `llvm` with `new` in the active lanes and `old` in the others."""
        return self.out.value(f"select {self.type} {self.current()}, {llvm} {new}, {llvm} {old}")

    def cleared(self, llvm: str, text: str) -> str:
        """Return a vector with zeros in the inactive lanes.

        In these lanes, uninitialized memory may contain denormal numbers, which slow down processors.
        """
        return self.chosen(llvm, text, NONE) if self.partial else text

    @contextlib.contextmanager
    def storing(self, keeps: bool) -> Iterator[None]:
        """Within this context, stores preserve the memory of inactive lanes only if `keeps`, because this is slower."""
        before, self.keeps = self.keeps, keeps
        yield
        self.keeps = before

    @contextlib.contextmanager
    def narrowed(self, mask: str) -> Iterator[None]:
        """Within this context, emit code that runs only in the lanes of `mask`."""
        before, flags = self.current(), (self.narrow, self.narrow_in_turn)
        self.narrow = self.narrow_in_turn = True
        self.set(mask)
        yield
        self.narrow, self.narrow_in_turn = flags
        if self.partial:
            self.set(before)
