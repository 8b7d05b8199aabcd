"""Liveness of variables: waiting lanes preserve only the variables that they will read.

This is a backward liveness analysis on the syntax tree (Aho, Lam, Sethi, Ullman, *Compilers*, 2nd ed., section 9.2.5).
The elements of an array on the stack are live as long as any variable that refers to the array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ..language.vocabulary import local

Names = frozenset[str]

NOTHING: Names = frozenset()


class Liveness:
    """Live variables at points of a kernel: variables that may be read later, before they are assigned again.

    Args:
        tree: syntax of the kernel; None for a single world, which never waits.

    Attributes:
        after: live variables after an `if` or a loop.
        otherwise: live variables at the start of the `else` of an `if`.
        again: live variables at the start of the next iteration of a loop.
    """

    def __init__(self, tree: ast.FunctionDef | None):
        self.after: dict[ast.stmt, Names] = {}
        self.otherwise: dict[ast.If, Names] = {}
        self.again: dict[ast.stmt, Names] = {}
        self.parameters = frozenset(a.arg for a in tree.args.args) if tree else NOTHING
        self.origins: dict[str, set[str]] = {}
        if tree:
            self.read(tree.body)

    def read(self, body: Sequence[ast.stmt], after: Names = NOTHING) -> None:
        """Analyze statements, after which the variables in `after` are live."""
        for node in body:
            for n in ast.walk(node):
                if isinstance(n, ast.Assign):
                    self.note_origins(n)
        self.before(body, after, None)

    # ---- statements, backward

    def before(self, body: Sequence[ast.stmt], after: Names, loop: ast.stmt | None) -> Names:
        """Return the variables that are live before statements."""
        for node in reversed(body):
            after = self.before_one(node, after, loop)
        return after

    def before_one(self, node: ast.stmt, after: Names, loop: ast.stmt | None) -> Names:
        """Return the variables that are live before a statement."""
        if isinstance(node, ast.If):
            self.after[node] = after
            self.otherwise[node] = self.before(node.orelse, after, loop)
            return used([node.test]) | self.before(node.body, after, loop) | self.otherwise[node]
        if isinstance(node, ast.While | ast.For):
            return self.before_loop(node, after)
        if isinstance(node, ast.Break):
            return self.after.get(loop, NOTHING) if loop else NOTHING
        if isinstance(node, ast.Continue):
            return self.again.get(loop, NOTHING) if loop else NOTHING
        if isinstance(node, ast.Return):
            return used([node])
        if isinstance(node, ast.Assign):
            return (after - assigned(node.targets)) | used([node])
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return after | {node.target.id} | used([node.value])
        return after | used([node])

    def before_loop(self, node: ast.While | ast.For, after: Names) -> Names:
        """Return the variables that are live before a loop.

        They are a fixed point, because iterations read values of earlier iterations.
        """
        self.after[node] = after
        start, own = (used([node.test]), NOTHING) if isinstance(node, ast.While) else (NOTHING, assigned([node.target]))
        live = after | start
        while True:
            self.again[node] = live
            more = live | (self.before(node.body, live, node) - own)
            if more == live:
                return live | (used([node.iter]) if isinstance(node, ast.For) else NOTHING)
            live = more

    # ---- arrays that the kernel allocates

    def note_origins(self, node: ast.Assign) -> None:
        """Record the arrays and structs that an assigned variable may refer to."""
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(target.elts)
                pairs = list(zip(target.elts, values, strict=False))
            for to, value in pairs:
                if isinstance(to, ast.Name):
                    self.origins.setdefault(to.id, set()).update(origins(value))

    def own(self, target: ast.expr) -> Names | None:
        """Return all names of the array or struct that is assigned, if the kernel allocated it; else None."""
        group, waiting = set[str](), origins(target)
        while waiting:
            name = waiting.pop()
            if name == MADE or name in group:
                continue
            if name in self.parameters or name not in self.origins:
                return None
            group.add(name)
            waiting |= self.origins[name]
        while more := {name for name, roots in self.origins.items() if name not in group and group & roots}:
            group |= more
        return frozenset(group)


MADE, FOREIGN = "local()", "?"
"""Origins that are not variables: memory that the kernel allocates, and anything else."""


def origins(node: ast.expr) -> set[str]:
    """Return the variables that an expression may refer into, and `MADE` or `FOREIGN` for other origins."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.IfExp):
        return origins(node.body) | origins(node.orelse)
    if not isinstance(node, ast.Call):
        return {FOREIGN}
    if ast.unparse(node.func).split(".")[-1] == local.__name__:
        return {MADE}
    # a kernel may return a reference to a part of its arguments
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return {FOREIGN}.union(*map(origins, given))


def used(nodes: Iterable[ast.AST]) -> Names:
    """Return the names that syntax nodes read, or whose elements they assign."""
    return frozenset(
        n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def assigned(targets: Iterable[ast.expr]) -> Names:
    """Return the names of the variables that assignment targets replace as a whole, not only in one element."""
    return frozenset(
        n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
