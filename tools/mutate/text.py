"""Helpers that turn nodes of a syntax tree into mutations of their source text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

Change = tuple[str, int, int, int, str]
"""A mutation: kind, line number, start and end column, and replacement."""


def name_of(node: ast.AST) -> str:
    """Return the name of a decorator or called function, or "" if it is not a plain name."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else ""


def whole(kind: str, node: ast.expr | ast.stmt, new: str) -> Iterator[Change]:
    """Yield a mutation that replaces an expression or statement, if it is on one line."""
    if node.lineno == node.end_lineno and node.end_col_offset is not None:
        yield kind, node.lineno, node.col_offset, node.end_col_offset, new


def between(kind: str, left: ast.expr, right: ast.expr, change: tuple[str, str], lines: list[str]) -> Iterator[Change]:
    """Yield a mutation that replaces the operator between two operands, if it is on one line."""
    old, new = change
    if left.end_lineno == right.lineno and left.end_col_offset is not None:
        start = lines[right.lineno - 1].find(old, left.end_col_offset, right.col_offset)
        if start >= 0:
            yield kind, right.lineno, start, start + len(old), new


def swaps(arguments: list[ast.expr], lines: list[str]) -> Iterator[Change]:
    """Yield mutations that swap neighboring arguments on one line, except for the model and the data."""
    for a, b in pairwise(arguments):
        same_line = a.lineno == b.end_lineno
        structs = isinstance(a, ast.Name) and a.id in ("m", "d")
        if same_line and not structs and b.end_col_offset:
            line = lines[a.lineno - 1]
            first, second = line[a.col_offset : a.end_col_offset], line[b.col_offset : b.end_col_offset]
            swapped = second + line[a.end_col_offset : b.col_offset] + first
            yield "arguments", a.lineno, a.col_offset, b.end_col_offset, swapped


def source_of(node: ast.expr, lines: list[str]) -> str:
    """Return the source of an expression that is on one line."""
    return lines[node.lineno - 1][node.col_offset : node.end_col_offset]
