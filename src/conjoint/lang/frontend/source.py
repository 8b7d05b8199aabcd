"""Source code of kernels: syntax trees and file locations."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conjoint.once import made_once

from ..errors import FatalError
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError

FORBIDDEN: dict[type[ast.AST], str] = {
    ast.List: "lists", ast.Dict: "dicts", ast.Set: "sets", ast.ListComp: "comprehensions",
    ast.SetComp: "comprehensions", ast.DictComp: "comprehensions", ast.GeneratorExp: "comprehensions",
    ast.Lambda: "closures", ast.FunctionDef: "closures", ast.ClassDef: "classes", ast.Try: "try", ast.With: "with",
    ast.JoinedStr: "strings", ast.Slice: "slicing", ast.Import: "imports", ast.ImportFrom: "imports",
    ast.Global: "global", ast.Nonlocal: "nonlocal", ast.Yield: "generators", ast.YieldFrom: "generators",
    ast.Await: "coroutines", ast.Starred: "starred arguments", ast.Raise: "raise", ast.Delete: "del",
    ast.Assert: "assert", ast.NamedExpr: "assignments inside expressions", ast.Match: "match",
    ast.AnnAssign: "annotations", ast.Invert: "~: write not",
}  # fmt: skip
"""Syntax that kernels must not use, with its name in error messages."""


@dataclass(frozen=True)
class Source:
    """The definition of a kernel.

    Attributes:
        tree: syntax tree.
        file: path of the source file.
        offset: number to add to line numbers of the tree.
        parameters: names of the parameters.
        variables: names that the kernel assigns.
    """

    tree: ast.FunctionDef
    file: str
    offset: int
    parameters: tuple[str, ...]
    variables: frozenset[str]

    def line(self, node: ast.stmt) -> int:
        """Return the line number of a statement in the file."""
        return node.lineno + self.offset


@made_once
def source_of(kernel: Kernel) -> Source:
    """Return the definition of a kernel, which is read once.

    Raises:
        FatalError: no definition can be found.
    """
    code = kernel.function.__code__
    tree, offset = _functions_in(code.co_filename).get((code.co_name, code.co_firstlineno)), 0
    if tree is None:
        try:
            lines, first = inspect.getsourcelines(kernel.function)
            parsed = ast.parse(textwrap.dedent("".join(lines)))
            tree, offset = next(n for n in parsed.body if isinstance(n, ast.FunctionDef)), first - 1
        except (OSError, SyntaxError, StopIteration):
            where = f"{code.co_filename}:{code.co_firstlineno}: kernel {kernel.__name__}"
            raise FatalError(f"{where}: a kernel must be a function (def) in a file or in a notebook cell") from None
    parameters = tuple(a.arg for a in tree.args.args)
    return Source(tree, code.co_filename, offset, parameters, frozenset(assigned_names(tree.body)))


def assigned_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements assign.

    Expressions are skipped, because they assign nothing but make up most of the syntax tree.
    """
    for node in body:
        yield from assigned_names([*getattr(node, "body", ()), *getattr(node, "orelse", ())])
        waiting = [*getattr(node, "targets", ()), *filter(None, [getattr(node, "target", None)])]
        while waiting:
            target = waiting.pop()
            if isinstance(target, ast.Name):
                yield target.id
            waiting += getattr(target, "elts", ())


@made_once
def _functions_in(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Return all functions in a source file, by name and first line."""
    found = {}
    waiting: list[ast.stmt] = [*ast.parse("".join(linecache.getlines(file))).body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            found[node.name, first] = node
        # visit nested statements, but no expressions
        waiting += [*getattr(node, "body", ()), *getattr(node, "orelse", ())]
    return found


def refused(node: ast.AST) -> KernelError:
    """Return the error for syntax that kernels must not use."""
    return KernelError(f"kernels do not use {FORBIDDEN.get(type(node), type(node).__name__)}")


def word_in(node: ast.AST) -> str:
    """Return the last part of a name, such as `jam` for `cj.jam`; "" for other syntax."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
