"""Mutations: changes of one token or one statement of the package's source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .host_changes import changes_of_host_code
from .kernel_changes import changes_of_kernel
from .text import name_of

MODULE = "<module>"
"""Stand-in for a function name in mutations of code outside functions, such as default values and tables."""


@dataclass(frozen=True)
class Mutation:
    """A change of one token or one statement.

    Attributes:
        path: path of the file, relative to the source of the package.
        function: qualified name of the kernel, formula or function; `MODULE` for code outside functions.
        kernel: True if the code is a kernel or a formula, which is compiled.
        kind: kind of the change.
        line: line number, starting at 1.
        start, end: first column of the replaced text, and the column after its last one.
        new: text that replaces the old text.
    """

    path: str
    function: str
    kernel: bool
    kind: str
    line: int
    start: int
    end: int
    new: str

    @property
    def place(self) -> str:
        """Return the location ("path:function") of the mutation; tests that reach it are recorded under this key."""
        return f"{self.path}:{self.function}"

    def applied(self, text: str) -> str:
        """Return the source `text` with the mutation applied."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.start] + self.new + line[self.end :]
        return "".join(lines)


def mutations(source: Path, rooms: tuple[str, ...]) -> dict[str, dict[str, list[Mutation]]]:
    """Return all mutations in these folders or files of the package, by room and location."""
    return {room: _mutations_of_room(source, room) for room in rooms}


def _mutations_of_room(source: Path, room: str) -> dict[str, list[Mutation]]:
    """Return all mutations in a folder or file of the package, by location."""
    found: dict[str, list[Mutation]] = {}
    base = source / room
    for file in sorted(base.rglob("*.py") if base.is_dir() else [base]):
        path, text = file.relative_to(source).as_posix(), file.read_text()
        lines = text.splitlines()
        for name, kernel, body in bodies(ast.parse(text)):
            tokens = changes_of_kernel(body, lines) if kernel else changes_of_host_code(body, lines)
            changes = [
                Mutation(path, name, kernel, kind, line, start, end, new)
                for kind, line, start, end, new in tokens
                # syntax trees count columns in bytes, so only ASCII lines have matching columns
                if lines[line - 1].isascii() and lines[line - 1][start:end] != new
            ]
            if changes:
                found[f"{path}:{name}"] = list(dict.fromkeys(changes))
    return found


def bodies(tree: ast.Module) -> Iterator[tuple[str, bool, list[ast.AST]]]:
    """Yield the name of every function, True if it is a kernel or formula, and its default values and statements.

    Inner functions are yielded separately, and their statements are left out of the outer functions.
    """
    yield MODULE, False, _own(tree.body)
    for name, kernel, node in functions(tree):
        defaults = [value for value in (*node.args.defaults, *node.args.kw_defaults) if value is not None]
        yield name, kernel, [*node.body] if kernel else [*defaults, *_own(node.body)]


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, bool, ast.FunctionDef]]:
    """Yield the qualified name of every function, True if it is a kernel or formula, and its definition."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            kernel = any(name_of(decorator) in ("kernel", "formula") for decorator in node.decorator_list)
            yield prefix + node.name, kernel, node
            if not kernel:
                yield from functions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from functions(node, prefix)


def _own(body: list[ast.stmt]) -> list[ast.AST]:
    """Return the statements outside functions; a class is replaced by its statements."""
    own: list[ast.AST] = []
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            own += _own(statement.body)
        elif not isinstance(statement, ast.FunctionDef):
            own.append(statement)
    return own
