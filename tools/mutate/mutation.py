"""Changes of one token in a kernel or formula: a sign, a constant by 1 %, a comparison, an index, swapped arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SIGNS: dict[type, tuple[str, str]] = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
COMPARISONS: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", ">"), ast.Gt: (">", "<"), ast.LtE: ("<=", ">="), ast.GtE: (">=", "<="), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}  # fmt: skip
PARTS = {"x": "y", "y": "z", "z": "x", "angular": "linear", "linear": "angular"}
SYMMETRIC = {"dot", "maximum", "minimum", "dot6", "nearer", "times"}
"""Functions of which the order of the arguments does not matter."""


@dataclass(frozen=True)
class Mutation:
    """A change of one token.

    Attributes:
        path: file, relative to the source of the package.
        kernel: qualified name of the kernel or formula.
        kind: what is changed.
        line: number of the line, from 1.
        start, end: columns of what is replaced.
        new: what it becomes.
    """

    path: str
    kernel: str
    kind: str
    line: int
    start: int
    end: int
    new: str

    @property
    def place(self) -> str:
        """What is called in the records of which tests reach it."""
        return f"{self.path}:{self.kernel}"

    def applied(self, text: str) -> str:
        """The source with the change."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.start] + self.new + line[self.end :]
        return "".join(lines)


def mutations(source: Path, rooms: tuple[str, ...]) -> dict[str, list[Mutation]]:
    """All changes by kernel, of the kernels in these folders of the package."""
    found: dict[str, list[Mutation]] = {}
    for room in rooms:
        base = source / room
        for file in sorted(base.rglob("*.py") if base.is_dir() else [base]):
            path, text = file.relative_to(source).as_posix(), file.read_text()
            for name, function in _kernels(ast.parse(text)):
                lines = text.splitlines()
                changes = [change for node in function.body for change in _changes(node, path, name, lines)]
                if changes:
                    found[f"{path}:{name}"] = changes
    return found


def _kernels(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Qualified names and definitions of all kernels and formulas."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        if any(_name(decorator) in ("kernel", "formula") for decorator in node.decorator_list):
            yield prefix + node.name, node
        else:
            yield from _kernels(node, f"{prefix}{node.name}.<locals>.")


def _name(node: ast.AST) -> str:
    """What a decorator or a called function is called."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else ""


def _changes(statement: ast.stmt, path: str, kernel: str, lines: list[str]) -> Iterator[Mutation]:
    """All changes of a statement."""
    for node in ast.walk(statement):
        for kind, line, start, end, new in _tokens(node, lines):
            if lines[line - 1][start:end] != new:
                yield Mutation(path, kernel, kind, line, start, end, new)


def _tokens(node: ast.AST, lines: list[str]) -> Iterator[tuple[str, int, int, int, str]]:
    """Kind, line, columns and replacement of the tokens of one node that can be changed."""
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        yield from _between("sign", node.left, node.right, SIGNS[type(node.op)], lines)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.lineno, node.col_offset, node.col_offset + 1, ""
    elif isinstance(node, ast.AugAssign) and type(node.op) in SIGNS:
        old, new = SIGNS[type(node.op)]
        yield from _between("sign", node.target, node.value, (f"{old}=", f"{new}="), lines)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield from _between("comparison", node.left, node.comparators[0], COMPARISONS[type(node.ops[0])], lines)
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
    elif isinstance(node, ast.Call) and _name(node) not in SYMMETRIC:
        yield from _swaps(node, lines)


def _between(
    kind: str, left: ast.expr, right: ast.expr, change: tuple[str, str], lines: list[str]
) -> Iterator[tuple[str, int, int, int, str]]:
    """The operator between two operands on one line."""
    old, new = change
    if left.end_lineno == right.lineno and left.end_col_offset is not None:
        start = lines[right.lineno - 1].find(old, left.end_col_offset, right.col_offset)
        if start >= 0:
            yield kind, right.lineno, start, start + len(old), new


def _swaps(node: ast.Call, lines: list[str]) -> Iterator[tuple[str, int, int, int, str]]:
    """Neighbouring arguments exchanged, on one line; the model and the data stay."""
    for a, b in zip(node.args, node.args[1:], strict=False):
        same_line = a.lineno == b.end_lineno
        structs = isinstance(a, ast.Name) and a.id in ("m", "d")
        if same_line and not structs and b.end_col_offset:
            line = lines[a.lineno - 1]
            first, second = line[a.col_offset : a.end_col_offset], line[b.col_offset : b.end_col_offset]
            swapped = second + line[a.end_col_offset : b.col_offset] + first
            yield "arguments", a.lineno, a.col_offset, b.end_col_offset, swapped
