"""Mutations of kernels and formulas: signs, constants (by 1%), comparisons, indices and argument order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .text import Change, between, name_of, swaps

SIGNS: dict[type, tuple[str, str]] = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
COMPARISONS: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", ">"), ast.Gt: (">", "<"), ast.LtE: ("<=", ">="), ast.GtE: (">=", "<="), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}  # fmt: skip
PARTS = {"x": "y", "y": "z", "z": "x", "angular": "linear", "linear": "angular"}
SYMMETRIC = {"dot", "maximum", "minimum", "dot6", "nearer", "times"}
"""Functions whose result does not depend on the order of their arguments."""


def changes_of_kernel(body: list[ast.AST], lines: list[str]) -> Iterator[Change]:
    """Yield all mutations of a kernel or formula."""
    for statement in body:
        for node in ast.walk(statement):
            yield from _tokens(node, lines)


def _tokens(node: ast.AST, lines: list[str]) -> Iterator[Change]:
    """Yield all mutations of a node, without its descendants."""
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        yield from between("sign", node.left, node.right, SIGNS[type(node.op)], lines)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.lineno, node.col_offset, node.col_offset + 1, ""
    elif isinstance(node, ast.AugAssign) and type(node.op) in SIGNS:
        old, new = SIGNS[type(node.op)]
        yield from between("sign", node.target, node.value, (f"{old}=", f"{new}="), lines)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield from between("comparison", node.left, node.comparators[0], COMPARISONS[type(node.ops[0])], lines)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value:
        yield "constant", node.lineno, node.col_offset, node.end_col_offset or 0, repr(node.value * 1.01)
    elif isinstance(node, ast.Subscript):
        for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if isinstance(index, ast.Constant) and isinstance(index.value, int):
                other = index.value - 1 if index.value else 1
                yield "index", index.lineno, index.col_offset, index.end_col_offset or 0, str(other)
    elif isinstance(node, ast.Attribute) and node.attr in PARTS and node.end_col_offset:
        start = node.end_col_offset - len(node.attr)
        yield "index", node.end_lineno or node.lineno, start, node.end_col_offset, PARTS[node.attr]
    elif isinstance(node, ast.Call) and name_of(node) not in SYMMETRIC:
        yield from swaps(node.args, lines)
