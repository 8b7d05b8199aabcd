"""Rules of the kernel language that can be told from a kernel's source (docs/kernel-language.md).

Checked before a kernel is compiled, so that a mistake is named by file, line and rule instead of by a type that did not
fit.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import textwrap
from collections.abc import Iterator, Sequence

from .kernel import Kernel
from .layout import Field

FORBIDDEN: dict[type[ast.AST], str] = {
    ast.List: "lists", ast.Dict: "dicts", ast.Set: "sets", ast.ListComp: "comprehensions",
    ast.SetComp: "comprehensions", ast.DictComp: "comprehensions", ast.GeneratorExp: "comprehensions",
    ast.Lambda: "closures", ast.ClassDef: "classes", ast.Try: "try", ast.With: "with", ast.JoinedStr: "strings",
    ast.Slice: "slicing", ast.Import: "imports", ast.ImportFrom: "imports", ast.Global: "global",
    ast.Nonlocal: "nonlocal", ast.Yield: "generators", ast.YieldFrom: "generators", ast.Await: "coroutines",
    ast.Starred: "starred arguments", ast.Raise: "raise", ast.Delete: "del", ast.Assert: "assert",
}  # fmt: skip
"""Syntax that no kernel uses, and what it is called."""

FORBIDDEN_NAMES = (
    "print",
    "np",
    "numpy",
    "math",
    "len",
    "list",
    "dict",
    "min",
    "max",
    "sum",
    "round",
    "open",
    "getattr",
    "setattr",
)
"""Names that no kernel uses."""

UNIFORM = ("any", "all", "lanes_max")
"""Functions whose results are the same in every lane."""


def broken_rules(
    kernel: Kernel, model_fields: Sequence[Field] | None = None, data_fields: Sequence[Field] | None = None
) -> list[str]:
    """What a kernel does that it must not, a line for each: file, line, kernel, rule. Fields are checked if given."""
    return [line for _, line in sorted(_Inspection(kernel, model_fields, data_fields).findings())]


def broken_rules_of_all(
    kernel: Kernel, model_fields: Sequence[Field] | None = None, data_fields: Sequence[Field] | None = None
) -> list[str]:
    """`broken_rules` of a kernel and of every kernel it calls."""
    seen, waiting, lines = {id(kernel)}, [kernel], []
    while waiting:
        item = waiting.pop()
        lines += broken_rules(item, model_fields, data_fields)
        called = [k for k in item.names.values() if isinstance(k, Kernel) and id(k) not in seen]
        seen.update(id(k) for k in called)
        waiting += called
    return lines


class _Inspection:
    """One kernel's source, read once."""

    def __init__(self, kernel: Kernel, model_fields: Sequence[Field] | None, data_fields: Sequence[Field] | None):
        self.kernel = kernel
        self.fields = {
            name: {field.name: field for field in fields}
            for name, fields in (("m", model_fields), ("d", data_fields))
            if fields is not None
        }
        try:
            lines, self.first = inspect.getsourcelines(kernel.function)
        except (OSError, TypeError):
            # made by exec: only the compiler can judge it
            lines, self.first = ["def unknown():\n", "    pass\n"], 1
        self.file = inspect.getsourcefile(kernel.function) or "?"
        self.tree = next(n for n in ast.parse(textwrap.dedent("".join(lines))).body if isinstance(n, ast.FunctionDef))
        self.parameters = [a.arg for a in self.tree.args.args]
        self.state_names = self._state_names()

    def findings(self) -> Iterator[tuple[int, str]]:
        """(line, text) of every broken rule."""
        for line, rule in dict.fromkeys([*self._syntax(), *self._writes(), *self._names()]):
            yield self._finding(line, rule)
        if not self.kernel.per_world:
            for line, rule in dict.fromkeys(self._control()):
                yield self._finding(line, rule)

    def _finding(self, line: int, rule: str) -> tuple[int, str]:
        number = self.first + line - 1
        return number, f"{self.file}:{number}: kernel {self.kernel.__name__}: {rule}"

    # ---- words

    def _syntax(self) -> Iterator[tuple[int, str]]:
        """Words that a kernel must not use."""
        arguments = self.tree.args
        if arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
            yield self.tree.lineno, "a kernel takes positional arguments without defaults"
        for node in self._nodes():
            word = FORBIDDEN.get(type(node))
            if word is not None:
                yield node.lineno, f"kernels do not use {word}"  # type: ignore[attr-defined]
            if isinstance(node, ast.FunctionDef):
                yield node.lineno, "kernels do not use closures"
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
                yield node.lineno, "kernels do not use strings"
            if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
                hint = {"min": ": write minimum", "max": ": write maximum"}.get(node.id, "")
                yield node.lineno, f"kernels do not use {node.id}{hint}"

    def _nodes(self) -> Iterator[ast.AST]:
        """Every node of the body but the docstring."""
        body = self.tree.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        for statement in body:
            yield from ast.walk(statement)

    # ---- fields

    def _writes(self) -> Iterator[tuple[int, str]]:
        """Assignments to the model."""
        if self.kernel.writes_model or "m" not in self.parameters:
            return
        for node in self._nodes():
            if (
                isinstance(node, (ast.Attribute, ast.Subscript))
                and isinstance(node.ctx, ast.Store)
                and _root(node) == "m"
            ):
                yield node.lineno, "writes to the model; only @kernel(writes_model=True) may"

    def _names(self) -> Iterator[tuple[int, str]]:
        """Fields that the schema does not have."""
        inner = {id(n.value) for n in self._nodes() if isinstance(n, ast.Attribute)}
        for node in self._nodes():
            root = _root(node) if isinstance(node, ast.Attribute) and id(node) not in inner else None
            if root not in self.fields or root not in self.parameters:
                continue
            known, name = self.fields[root], _path(node)
            if name is None or any(part in known for part in _beginnings(name)):
                continue
            close = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {root}.{close[0]}?" if close else ""
            yield node.lineno, f"there is no field {root}.{name} in the schema{hint}"  # type: ignore[attr-defined]

    # ---- control flow

    def _state_names(self) -> set[str]:
        """Local variables that may hold what comes from the state."""
        found: set[str] = set()
        while True:
            before = len(found)
            self.state_names = found
            for node in ast.walk(self.tree):
                if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    if self._from_state(node.value):
                        found |= {
                            n.id
                            for t in targets
                            for n in ast.walk(t)
                            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                        }
            if len(found) == before:
                return found

    def _from_state(self, node: ast.AST) -> bool:
        """Whether an expression surely depends on the state. Results of other kernels are not known."""
        if isinstance(node, ast.Name):
            return node.id in self.state_names
        if isinstance(node, ast.Subscript) and _root(node) == "d" and "d" in self.parameters:
            field = self.fields.get("d", {}).get(_path(node.value) or "")
            return field is None or not field.uniform
        if isinstance(node, ast.Attribute) and _root(node) == "d" and "d" in self.parameters:
            field = self.fields.get("d", {}).get(_path(node) or "")
            return field is not None and not field.shape
        if isinstance(node, ast.Call):
            called = self.kernel.names.get(node.func.id) if isinstance(node.func, ast.Name) else None
            if isinstance(called, Kernel) or getattr(called, "__name__", "") in UNIFORM:
                return False
            return any(self._from_state(a) for a in node.args)
        return any(self._from_state(child) for child in ast.iter_child_nodes(node))

    def _control(self) -> Iterator[tuple[int, str]]:
        """Branches, loops and indices that differ between lanes."""
        state = "depends on the state, which differs between lanes"
        for node in self._nodes():
            if isinstance(node, (ast.If, ast.While, ast.IfExp)) and self._from_state(node.test):
                word = "while" if isinstance(node, ast.While) else "if"
                yield node.lineno, f"the condition of `{word}` {state}: use where(), any() or @kernel(per_world=True)"
            if isinstance(node, ast.For) and self._from_state_in_range(node.iter):
                yield node.lineno, f"the range {state}: loop to lanes_max() and mask"
            if isinstance(node, ast.BoolOp) and any(self._from_state(v) for v in node.values):
                yield node.lineno, "`and` and `or` branch on the state: use & and |"
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and self._from_state(node.operand):
                yield node.lineno, "`not` branches on the state: use logical_not()"
            if isinstance(node, ast.Compare) and len(node.ops) > 1 and self._from_state(node):
                yield node.lineno, "a chain of comparisons branches on the state: join two with &"
            if isinstance(node, ast.Subscript) and _root(node) in ("m", "d") and self._from_state(node.slice):
                yield node.lineno, f"the index {state}: use @kernel(per_world=True)"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called = self.kernel.names.get(node.func.id)
                if isinstance(called, Kernel) and called.per_world:
                    yield node.lineno, f"calls {called.__name__}, which runs per world: only a per-world kernel may"

    def _from_state_in_range(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and any(self._from_state(a) for a in node.args)


def _root(node: ast.AST) -> str | None:
    """Name at the start of a chain of attributes and indices."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _path(node: ast.AST) -> str | None:
    """Dotted attributes behind the name; None if an index is among them."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed(parts)) if isinstance(node, ast.Name) else None


def _beginnings(name: str) -> list[str]:
    """`a`, `a.b`, `a.b.c` of `a.b.c`: a single value has attributes of its own."""
    parts = name.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]
