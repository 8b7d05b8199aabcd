"""Mutations of ordinary Python, which imitate the errors of a hasty edit.

A mutation changes a comparison or its boundary, an operator, a constant or a condition, or shifts an index or a range
by one. It may also remove a statement or a clip, or swap arguments. Messages, annotations and code for type checkers
stay unchanged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .text import Change, between, name_of, source_of, swaps, whole

COMPARISONS: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", ">="), ast.Gt: (">", "<="), ast.LtE: ("<=", ">"), ast.GtE: (">=", "<"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}  # fmt: skip
BOUNDARIES: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.Gt: (">", ">="), ast.LtE: ("<=", "<"), ast.GtE: (">=", ">"),
}  # fmt: skip
OPERATORS: dict[type, tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "%"),
    ast.Mod: ("%", "//"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
CLIPS = {"clip", "maximum", "minimum", "max", "min", "abs", "round"}
"""Functions whose calls are replaced by their first argument."""

UNORDERED = CLIPS - {"clip"} | {"isinstance", "issubclass", "getattr", "hasattr", "setattr", "zip", "dot"}
"""Functions whose arguments are not swapped, because that always raises an error or never changes the result."""

SILENT = {"warn", "warn_once", "cast", "TypeVar"}
"""Functions whose arguments do not affect results."""


def changes_of_host_code(body: list[ast.AST], lines: list[str]) -> Iterator[Change]:
    """Yield all mutations of the statements of a function or module."""
    for statement in body:
        for node in _walk(statement):
            if isinstance(node, ast.stmt):
                yield from _statement(node, lines)
            elif isinstance(node, ast.expr):
                yield from _expression(node, lines)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and its descendants, except inner functions, messages, annotations and formatted strings."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Raise | ast.Assert | ast.JoinedStr):
        return
    if isinstance(node, ast.Import | ast.ImportFrom) or (isinstance(node, ast.Call) and _called(node) in SILENT):
        return
    # `strict` of zip only detects mistakes in other code
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name == "annotation" or (name == "args" and isinstance(node, ast.Call) and _called(node) == "isinstance"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _called(node: ast.Call) -> str:
    """Return the name of the called function, without the object or module before it."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else name_of(node)


def _statement(node: ast.stmt, lines: list[str]) -> Iterator[Change]:
    """Yield mutations that remove a statement, negate its condition or change its assignment operator."""
    stores = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript | ast.Attribute)
    calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if stores or calls or isinstance(node, ast.AugAssign):
        yield from whole("statement", node, "pass")
    if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        old, new = OPERATORS[type(node.op)]
        yield from between("operator", node.target, node.value, (f"{old}=", f"{new}="), lines)
    elif isinstance(node, ast.If | ast.While):
        yield from whole("condition", node.test, f"not ({source_of(node.test, lines)})")


def _expression(node: ast.expr, lines: list[str]) -> Iterator[Change]:
    """Yield the mutations of an expression, without its subexpressions."""
    if isinstance(node, ast.Compare):
        for kinds, kind in ((COMPARISONS, "comparison"), (BOUNDARIES, "boundary")):
            if type(node.ops[0]) in kinds:
                yield from between(kind, node.left, node.comparators[0], kinds[type(node.ops[0])], lines)
    elif isinstance(node, ast.BoolOp):
        change = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from between("condition", left, right, change, lines)
    elif isinstance(node, ast.IfExp):
        yield from whole("condition", node.test, f"not ({source_of(node.test, lines)})")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield from whole("operator", node, source_of(node.operand, lines))
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        if not any(isinstance(side, ast.Constant | ast.JoinedStr) and _text(side) for side in (node.left, node.right)):
            yield from between("operator", node.left, node.right, OPERATORS[type(node.op)], lines)
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Subscript):
        yield from _index(node)
    elif isinstance(node, ast.Call):
        yield from _call(node, lines)


def _text(node: ast.expr) -> bool:
    """Return True if an expression is a string."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _constant(node: ast.Constant) -> Iterator[Change]:
    """Yield mutations that replace a number or truth value by a different one."""
    if isinstance(node.value, bool):
        yield from whole("constant", node, str(not node.value))
    elif isinstance(node.value, int):
        yield from whole("constant", node, str(node.value + 1))
    elif isinstance(node.value, float):
        yield from whole("constant", node, repr(node.value * 1.01 if node.value else 1.0))


def _index(node: ast.Subscript) -> Iterator[Change]:
    """Yield mutations that decrement indices and ends of slices; mutations of constants increment them."""
    for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        for index in (part.lower, part.upper) if isinstance(part, ast.Slice) else (part,):
            if isinstance(index, ast.Constant) and isinstance(index.value, int) and index.value:
                yield from whole("index", index, str(index.value - 1))
            elif isinstance(part, ast.Slice) and isinstance(index, ast.Name | ast.BinOp | ast.Attribute):
                end = index.end_col_offset or 0
                yield "index", index.end_lineno or index.lineno, end, end, " - 1"


def _call(node: ast.Call, lines: list[str]) -> Iterator[Change]:
    """Yield mutations that remove a clip, shorten a range or swap arguments."""
    called = _called(node)
    if called in CLIPS and node.args and not isinstance(node.args[0], ast.GeneratorExp | ast.Starred):
        if len(node.args) > 1 or called in ("abs", "round"):
            yield from whole("clip", node, source_of(node.args[0], lines))
        elif isinstance(node.func, ast.Attribute) and called == "clip":
            yield from whole("clip", node, source_of(node.func.value, lines))
    if called == "range" and node.args:
        end = node.args[-1 if len(node.args) < 3 else 1]
        yield "index", end.end_lineno or end.lineno, end.end_col_offset or 0, end.end_col_offset or 0, " - 1"
    if called not in UNORDERED:
        yield from swaps(node.args, lines)
