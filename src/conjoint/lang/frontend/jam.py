"""Unroll-and-jam: two loop iterations run together, with their inner loops fused.

The sums of the two iterations do not wait for each other, and numbers that both iterations need are read once. The
order of each sum is preserved. The syntax tree is rewritten into ordinary loops. See Allen and Kennedy, Optimizing
Compilers for Modern Architectures, 2001, ch. 8.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..language.kernel_error import KernelError

SECOND = "__2"
"""Suffix of variable names in the second iteration."""

ONCE = """
{i} = {start}
{i}__2 = {start} + {step}
TWO
"""
"""Template for a loop that is known at compile time to have two iterations."""

ALIKE = """
{i}__at = {start}
{i}__stop = {stop}
while {i}__at + {step} {before} {i}__stop:
    {i} = {i}__at
    {i}__2 = {i}__at + {step}
    TWO
    {i}__at += 2 * {step}
while {i}__at {before} {i}__stop:
    {i} = {i}__at
    BODY
    {i}__at += {step}
"""
"""Template for an inner loop whose bounds are equal in all iterations of the outer loop: its copies are fused."""

UNLIKE = """
{i}__at = {start}
{i}__stop = {stop}
while {i}__at {before} {i}__stop:
    {i} = {i}__at
    {i}__at += {step}
    START
    {k}__at = {first}
    {k}__stop = {last}
    if {i}__at {before} {i}__stop:
        {i}__2 = {i}__at
        START__2
        {k}__stop__2 = {last__2}
        if {first__2} == {k}__at:
            {k}__both = {k}__stop
            if {k}__stop__2 {inside} {k}__both:
                {k}__both = {k}__stop__2
            while {k}__at {inside} {k}__both:
                {k} = {k}__at
                TWO
                {k}__at += {apart}
            {k}__at__2 = {k}__at
            while {k}__at {inside} {k}__stop:
                {k} = {k}__at
                INNER
                {k}__at += {apart}
            END
            while {k}__at__2 {inside} {k}__stop__2:
                {k}__2 = {k}__at__2
                INNER__2
                {k}__at__2 += {apart}
            END__2
            {i}__at += {step}
            continue
    while {k}__at {inside} {k}__stop:
        {k} = {k}__at
        INNER
        {k}__at += {apart}
    END
"""
"""Template for an inner loop whose bounds differ between iterations of the outer loop.

If the inner loop starts at the same index in two iterations, both are fused up to the nearer end. Then the first
iteration is completed, and then the second. Otherwise the first iteration runs alone.
"""


class Jam:
    """A loop to be unrolled and jammed.

    Args:
        node: the loop.
        parts: function that returns the start and stop of a loop's range, as source text, and its step.

    Attributes:
        own: variables that are separate in each iteration, because the iteration assigns them before it reads them.
        names: all variables of the loops that replace this one.
    """

    def __init__(self, node: ast.For, parts: Callable[[ast.For], tuple[str, str, int]]):
        self.node, self.parts = node, parts
        if any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for s in node.body for n in ast.walk(s)):
            raise KernelError("a jammed loop has no break, continue and return")
        first: dict[str, bool] = {}
        for name, assigns in uses([node.target, *node.body]):
            first.setdefault(name, assigns)
        self.own = frozenset(name for name, assigns in first.items() if assigns)

    def unlike(self) -> ast.For | None:
        """Return the inner loop whose bounds differ between iterations; None if there is none."""
        found = [s for s in self.node.body if isinstance(s, ast.For) and not self.is_alike(s)]
        if len(found) > 1:
            raise KernelError("a jammed loop has at most one inner loop whose bounds differ between its turns")
        return found[0] if found else None

    def is_alike(self, loop: ast.For) -> bool:
        """Return True if an inner loop has the same bounds in all iterations of the outer loop."""
        return self.own.isdisjoint(n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name))

    def second(self, body: Sequence[ast.stmt], names: frozenset[str]) -> list[ast.stmt]:
        """Return the statements of the second iteration, in which the variables in `names` are renamed."""
        return [Renaming(names).visit(copy.deepcopy(s)) for s in body]

    def two(self, body: Sequence[ast.stmt], names: frozenset[str]) -> Iterator[ast.stmt]:
        """Yield the statements of both iterations; loops with equal bounds are fused and share one variable."""
        for s in body:
            if isinstance(s, ast.For) and isinstance(s.target, ast.Name) and self.is_alike(s):
                loop = copy.copy(s)
                loop.body = list(self.two(s.body, names - {s.target.id}))
                yield loop
            else:
                yield s
                yield from self.second([s], names)

    def statements(self) -> list[ast.stmt]:
        """Return the jammed loops, as statements that replace this loop."""
        node, inner = self.node, self.unlike()
        start, stop, step = self.parts(node)
        words: dict[str, Any] = {
            "i": variable(node),
            "start": start,
            "stop": stop,
            "step": step,
            "before": "<" if step > 0 else ">",
        }
        if inner is None:
            text = ALIKE
            lists: dict[str, Iterable[ast.stmt]] = {"BODY": node.body, "TWO": self.two(node.body, self.own)}
            if start.isdigit() and stop.isdigit() and len(range(int(start), int(stop), step)) == 2:
                text = ONCE
        else:
            first, last, apart = self.parts(inner)
            words |= {"k": variable(inner), "apart": apart, "inside": "<" if apart > 0 else ">"}
            words |= {"first": first, "last": last}
            for word in ("first", "last"):
                words[word + SECOND] = ast.unparse(Renaming(self.own).visit(ast.parse(words[word])))
            at = node.body.index(inner)
            parts = {"START": node.body[:at], "INNER": inner.body, "END": node.body[at + 1 :]}
            lists = {**parts, **{name + SECOND: self.second(part, self.own) for name, part in parts.items()}}
            text, lists["TWO"] = UNLIKE, self.two(inner.body, self.own - {variable(inner)})
        tree = ast.parse(text.format(**words))
        for n in ast.walk(tree):
            ast.copy_location(n, node)
        body = Filling(lists).visit(tree).body
        self.names = frozenset(name for name, assigns in uses(body) if assigns)
        return body


def variable(loop: ast.For) -> str:
    """Return the name of a loop's variable."""
    if not isinstance(loop.target, ast.Name):
        raise KernelError("a loop has one variable and one to three bounds")
    return loop.target.id


class Renaming(ast.NodeTransformer):
    """Transformer that renames variables for the second iteration."""

    def __init__(self, names: frozenset[str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.names:
            node.id += SECOND
        return node


class Filling(ast.NodeTransformer):
    """Transformer that replaces names in a template with statements."""

    def __init__(self, lists: Mapping[str, Iterable[ast.stmt]]):
        self.lists = lists

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        assert isinstance(node.value, ast.Name)
        return list(self.lists[node.value.id])


def uses(body: Sequence[ast.AST]) -> Iterator[tuple[str, bool]]:
    """Yield the names that statements use, in execution order, each with True if the name is assigned there."""
    for node in body:
        if isinstance(node, ast.Name):
            yield node.id, isinstance(node.ctx, ast.Store)
        elif isinstance(node, ast.Assign):
            yield from uses([node.value, *node.targets])
        elif isinstance(node, ast.AugAssign):
            # the target is read before it is assigned
            yield from ((name, False) for name, _ in uses([node.target]))
            yield from uses([node.value])
        elif isinstance(node, ast.For):
            yield from uses([node.iter, node.target, *node.body])
        else:
            yield from uses(list(ast.iter_child_nodes(node)))
