"""Loops: `while`, `for` over ranges, and short ones over constants, which are written turn by turn."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..language.kernel_error import KernelError
from ..language.vocabulary import TILES, jam, tile
from .arrays import shown
from .expressions import DIFFERS, Expressions
from .jam import Jam
from .machine import Extent
from .number import Number, lifted
from .source import word_in
from .vocabulary import width_of

MOST_REPEATED = 400
"""Syntax nodes that a loop over constants may become."""


@dataclass
class Loop:
    """A loop being written: where `continue` and `break` go, and what is assigned where they stand."""

    again: str
    end: str
    continues: list[frozenset[str]] = field(default_factory=list)
    breaks: list[frozenset[str]] = field(default_factory=list)


class Loops(Expressions):
    """Writes the loops of one kernel.

    Attributes:
        loops: those around what is being written, outermost first.
    """

    loops: list[Loop]

    def statements(self, body: Sequence[ast.stmt]) -> bool:
        """Write statements; True if control does not reach their end."""
        raise NotImplementedError

    def on_While(self, node: ast.While) -> bool:
        if node.orelse:
            raise KernelError("loops have no else")
        out, variables = self.out, self.variables
        loop = Loop(out.label("while"), out.label("end"))
        body = out.label("do")
        out.jump(loop.again)
        out.open(loop.again)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if endless:
            out.jump(body)
        else:
            self.branch(node.test, body, loop.end, "while")
        before = variables.assigned
        out.open(body)
        self.body(loop, node.body)
        if endless and not loop.breaks:
            return True
        variables.assigned = frozenset.intersection(*loop.breaks) if endless else before
        out.open(loop.end)
        return False

    def on_For(self, node: ast.For) -> bool:
        call = range_in(node)
        if call is not node.iter and self.jammed(node, call):
            return False
        start, stop, step = self.bounds(call)
        known = range(start, stop, step) if isinstance(start, int) and isinstance(stop, int) else None
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        if known is not None and repeats(node, name, known):
            return self.turns(node, name, known)
        out, variables = self.out, self.variables
        loop = Loop(out.label("next"), out.label("end"))
        head, body, before = (out.label(n) for n in ("for", "do", "before"))
        bumped = f"%{out.label('bumped')}"
        out.jump(before)
        out.open(before)
        out.jump(head)
        out.open(head)
        i = out.value(f"phi i64 [ {lifted(out, start).text}, %{before} ], [ {bumped}, %{loop.again} ]")
        test = out.value(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {lifted(out, stop).text}")
        out.fork(test, body, loop.end)
        assigned = variables.assigned
        out.open(body)
        variables.assign(out, name, Number(out, i, "int"))
        self.body(loop, node.body)
        out.open(loop.again)
        out.do(f"{bumped} = add nsw i64 {i}, {step}")
        out.jump(head)
        # a loop that surely turns leaves what every turn assigns
        ways = [*loop.continues, *loop.breaks]
        variables.assigned = frozenset.intersection(*ways) if known and ways else assigned
        out.open(loop.end)
        return False

    def body(self, loop: Loop, body: Sequence[ast.stmt]) -> None:
        """Write the body of a loop, which goes on at its next turn."""
        self.loops.append(loop)
        if not self.statements(body):
            loop.continues.append(self.variables.assigned)
            self.out.jump(loop.again)
        self.loops.pop()

    def on_Break(self, node: ast.Break) -> bool:
        self.loops[-1].breaks.append(self.variables.assigned)
        self.out.jump(self.loops[-1].end)
        return True

    def on_Continue(self, node: ast.Continue) -> bool:
        self.loops[-1].continues.append(self.variables.assigned)
        self.out.jump(self.loops[-1].again)
        return True

    def bounds(self, call: ast.Call) -> tuple[Any, Any, int]:
        """Start, stop and step of a range.

        Raises:
            KernelError: they are no integers, or may differ between lanes.
        """
        bounds = [self.value(a) for a in call.args]
        for bound in bounds:
            if isinstance(bound, Number) and bound.kind == "int" and bound.extent != Extent.ONE:
                raise KernelError(f"the range {DIFFERS}: loop to lanes_max() and mask")
            if not (bound.kind == "int" if isinstance(bound, Number) else type(bound) is int):
                raise KernelError(f"a range needs integers, not {shown(bound)}")
            lifted(self.out, bound)
        start, stop, step = {1: [0, *bounds, 1], 2: [*bounds, 1], 3: bounds}[len(bounds)]
        return start, stop, checked_step(step)

    def turns(self, node: ast.For, name: str, turns: range) -> bool:
        """Write a loop without a loop, its variable known while compiling."""
        for i in turns:
            self.variables.known[name] = i
            if self.statements(node.body):
                # an endless loop inside
                return True
        self.variables.known.pop(name, None)
        if turns:
            self.variables.assign(self.out, name, turns[-1])
        return False

    def jammed(self, node: ast.For, call: ast.Call) -> bool:
        """Write a jammed loop over a range; False where registers are too few, so that it is a loop like others."""
        machine, variables = self.out.machine, self.variables
        tiles = any(word_in(n) == tile.__name__ for s in node.body for n in ast.walk(s))
        if machine.exact or (tiles and width_of(TILES, machine) < 2):
            return False
        parts = Jam(node, lambda loop: self.texts(range_in(loop)))
        body, before = parts.statements(), variables.assigned
        variables.names |= parts.names
        variables.assigned -= parts.own
        self.statements(body)
        # what is each turn's own means nothing behind the loop
        variables.assigned = before - parts.own
        return True

    def texts(self, call: ast.Call) -> tuple[str, str, int]:
        """Start and stop of a range as they are written, and its step."""
        start, stop, *step = call.args if len(call.args) > 1 else [ast.Constant(0), *call.args]
        return ast.unparse(start), ast.unparse(stop), checked_step(self.value(step[0]) if step else 1)


def checked_step(step: Any) -> int:
    """The step of a range.

    Raises:
        KernelError: it is not known while compiling, or 0.
    """
    if not isinstance(step, int) or step == 0:
        raise KernelError("the step of a range is a constant that is not 0")
    return step


def range_in(node: ast.For) -> ast.Call:
    """The range that a loop goes over, jammed or not.

    Raises:
        KernelError: it goes over something else.
    """
    call = node.iter
    if isinstance(call, ast.Call) and word_in(call.func) == jam.__name__:
        call = call.args[0] if len(call.args) == 1 else call
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
        raise KernelError("loops go over range(), or over jam() of one")
    if node.orelse:
        raise KernelError("loops have no else")
    if not isinstance(node.target, ast.Name) or call.keywords or not 1 <= len(call.args) <= 3:
        raise KernelError("a loop has one variable and one to three bounds")
    return call


def repeats(node: ast.For, name: str, turns: range) -> bool:
    """Whether a loop over constants is short enough to be written turn by turn."""
    nodes = [n for statement in node.body for n in ast.walk(statement)]
    return len(turns) * len(nodes) <= MOST_REPEATED and not any(
        isinstance(n, (ast.Break, ast.Continue, ast.Return))
        or (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
        for n in nodes
    )
