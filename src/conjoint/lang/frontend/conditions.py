"""Translation of conditions: `and`, `or` and `a if c else b`, with short-circuit evaluation.

In lanes, the operand after an `and` is evaluated in the lanes in which the preceding condition holds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..language.formula import Formula
from ..language.group import Group
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from .arrays import shown
from .expressions import Expressions, truth
from .machine import Extent
from .number import Number, lifted, varies
from .signature import in_lanes, join, llvm_types, merged, parts_of, rebuilt, signature

KNOWN = (bool, int, float, type(None), Kernel, Formula, Group)
"""Types of objects whose truth value is known at compile time: numbers, and members of groups that may be `None`."""


NOWHERE = {"i64": "0", "i32": "0", "i1": "false", "double": "0.0", "float": "0.0", "ptr": "null"}
"""Zeros by scalar LLVM type, used as results of code that was skipped. The zero of vectors is `zeroinitializer`."""


def is_arithmetic(lines: Sequence[str]) -> bool:
    """Return True if instructions may run even if no lane is active: they have no call, branch or computed address."""
    return not any("call " in line or "br " in line or line.endswith(":") or INDEXED.search(line) for line in lines)


INDEXED = re.compile(r"getelementptr .*, i64 %")
"""Pattern of an address computed from an index that is known only at run time."""


class Conditions(Expressions):
    """Translator for the conditions of one kernel."""

    def of_BoolOp(self, node: ast.BoolOp) -> Any:
        stops, result = isinstance(node.op, ast.Or), self.value(node.values[0])
        for part in node.values[1:]:
            if isinstance(result, Number):
                result = self.joined(truth(result), part, stops)
            elif bool(result) == stops:
                return stops
            else:
                result = self.value(part)
        return truth(result) if isinstance(result, Number) else bool(result)

    def joined(self, first: Number, part: ast.expr, stops: bool) -> Any:
        """Return the `and` or `or` of two conditions.

        The second condition is computed only where the first does not decide the result.
        """
        out = self.out
        goes_on = first ^ True if stops else first
        if not varies(first):
            # name the current block, because the phi instruction refers to it
            more, end, before = out.label("and"), out.label("end"), out.label("first")
            out.jump(before)
            out.open(before)
            out.fork(goes_on.text, more, end)
            out.open(more)
            second = self.condition(part)
            block = out.block
            out.jump(end)
            out.open(end)
            llvm = out.machine.types["bool", second.extent]
            known = out.machine.constant(stops, "bool", second.extent)
            text = out.value(f"phi {llvm} [ {known}, %{before} ], [ {second.text}, %{block} ]")
            return Number(out, text, "bool", second.extent)
        with out.mask.narrowed(out.mask.both(out.mask.current(), goes_on.text)):
            second = self.aside(lambda: self.condition(part).to("bool", Extent.LANES))
        return first.select(True, second) if stops else first.select(second, False)

    def condition(self, node: ast.expr) -> Number:
        """Emit an expression, and return its result as a condition."""
        value = self.value(node)
        if isinstance(value, KNOWN):
            return lifted(self.out, bool(value))
        if not isinstance(value, Number):
            raise KernelError(f"a condition is needed, not {shown(value)}")
        return truth(value)

    def aside(self, write: Callable[[], Any]) -> Any:
        """Run `write`, which emits code, and return its value.

        If the code is more than arithmetic, it is skipped at run time when no lane is active.
        """
        out = self.out
        lines, before = out.lines, out.block
        body, end = out.label("some"), out.label("end")
        out.lines, out.block = [], body
        found = write()
        kind = signature(found)
        parts = parts_of(out, found, kind)
        written, out.lines = out.lines, lines
        if is_arithmetic(written):
            out.lines += written
            out.block = before
            return found
        out.fork(out.mask.some(), body, end)
        lines.append(f"{body}:")
        out.lines += written
        block = out.block
        out.jump(end)
        out.open(end)
        zeros = [NOWHERE.get(t, "zeroinitializer") for t in llvm_types(out.machine, kind)]
        return merged(out, [kind], [(zeros, before), (parts, block)])[0]

    def branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Emit branches to `yes` or `no`, with short-circuit evaluation of `and` and `or`.

        The condition must be equal in all lanes.
        """
        if isinstance(node, ast.BoolOp) and self.out.machine.lanes == 1:
            for value in node.values[:-1]:
                more = self.out.label("and")
                self.branch(value, *((more, no) if isinstance(node.op, ast.And) else (yes, more)))
                self.out.open(more)
            self.branch(node.values[-1], yes, no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and self.out.machine.lanes == 1:
            self.branch(node.operand, no, yes)
        else:
            self.fork(self.value(node), yes, no)

    def fork(self, test: Any, yes: str, no: str) -> None:
        """Emit a branch to `yes` or `no` on a condition that has already been computed."""
        if isinstance(test, Number):
            self.out.fork(truth(test).text, yes, no)
        elif isinstance(test, KNOWN):
            self.out.jump(yes if test else no)
        else:
            raise KernelError(f"a condition is needed, not {shown(test)}")

    def of_IfExp(self, node: ast.IfExp) -> Any:
        """Emit `a if c else b`.

        Only one operand is computed; in lanes, each operand is computed in the lanes that need it.
        """
        out, variables = self.out, self.variables
        test = self.value(node.test)
        if not isinstance(test, Number):
            return self.value(node.body if test else node.orelse)
        test = truth(test)
        if varies(test):
            return self.chosen(test, node)
        labels = [out.label("then"), out.label("else")]
        end = out.label("end")
        self.fork(test, labels[0], labels[1])
        # collect the code of both operands separately, until their common type is known
        lines, before, found = out.lines, variables.assigned, []
        for label, part in zip(labels, (node.body, node.orelse), strict=True):
            out.lines = []
            out.open(label)
            found.append((self.value(part), out.lines, out.block))
            variables.assigned = before
        kind = join(signature(found[0][0]), signature(found[1][0]))
        ways = []
        for value, written, block in found:
            out.lines = written
            out.block = block
            ways.append((parts_of(out, value, kind), block))
            out.jump(end)
            lines += written
        out.lines = lines
        out.open(end)
        return merged(out, [kind], ways)[0]

    def chosen(self, test: Number, node: ast.IfExp) -> Any:
        """Emit `a if c else b` for a condition that differs between lanes.

        Each operand is computed in the lanes that need it.
        """
        out = self.out
        before = out.mask.current()
        with out.mask.narrowed(out.mask.both(before, test.text)):
            a = self.aside(lambda: self.value(node.body))
        with out.mask.narrowed(out.mask.without(before, test.text)):
            b = self.aside(lambda: self.value(node.orelse))
        kind = in_lanes(join(signature(a), signature(b)))
        both = zip(llvm_types(out.machine, kind), parts_of(out, a, kind), parts_of(out, b, kind), strict=True)
        texts = [
            x if t[0] != "<" else out.value(f"select {test.type} {test.text}, {t} {x}, {t} {y}") for t, x, y in both
        ]
        return rebuilt(out, kind, iter(texts))
