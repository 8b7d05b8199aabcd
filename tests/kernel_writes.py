"""Fields of `m` and `d` that a kernel writes, directly or in kernels that it calls, derived from the source."""

import ast
import functools
import inspect
import textwrap
from typing import Any

from conjoint.lang import Group, Kernel, Part, put, shared, within

Bindings = tuple[tuple[str, Kernel | Part | Group], ...]
"""Kernels, parts and groups that a kernel received as arguments, by parameter name."""


@functools.cache
def written(kernel: Kernel, given: Bindings = ()) -> frozenset[str]:
    """Return the names of the parameters, and of the fields of `m` and `d`, that a kernel assigns or writes into."""
    function = _tree(kernel)
    known = kernel.names | dict(given)
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            found |= _target(node, kernel.parameters)
        elif isinstance(node, ast.Call):
            called = _known(node.func, known)
            if called is put:
                found |= _target(node.args[0], kernel.parameters)
            elif called is within:
                part, solved = (_known(a, known) for a in node.args[:2])
                # a missing member of a group is never called
                inner = _of_call(solved, node.args[2:], known, kernel.parameters) if solved else set()
                found |= {part.fields.get(f"d.{name}", (name, ""))[0] for name in inner}
            elif called is shared:
                found |= _of_call(_known(node.args[0], known), node.args[1:], known, kernel.parameters)
            elif isinstance(called, Kernel):
                found |= _of_call(called, node.args, known, kernel.parameters)
    return frozenset(found)


def _of_call(called: Kernel, args: list[ast.expr], known: dict[str, Any], parameters: tuple[str, ...]) -> set[str]:
    """Return the fields that a call writes, given its arguments and the parameters of the calling kernel."""
    arguments = dict(zip(called.parameters, args, strict=True))
    passed = {name: _known(a, known) for name, a in arguments.items()}
    found: set[str] = set()
    for name in written(called, tuple((name, k) for name, k in passed.items() if isinstance(k, Kernel | Part | Group))):
        found |= _target(arguments[name], parameters) if name in arguments else {name}
    return found


def _known(node: ast.expr, known: dict[str, Any]) -> Any:
    """Return the kernel, part or group that an expression refers to, or None for other expressions."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    owner = _known(node.value, known) if isinstance(node, ast.Attribute) else None
    return owner.members.get(node.attr) if isinstance(owner, Group) else None


def _tree(kernel: Kernel) -> ast.FunctionDef:
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(kernel.function))).body
    assert isinstance(function, ast.FunctionDef)
    return function


def _target(node: ast.AST, parameters: tuple[str, ...]) -> set[str]:
    """Return the field or parameter that an assignment to this expression changes."""
    path: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in parameters:
        return set()
    return {".".join(reversed(path)) if node.id in ("m", "d") and path else node.id}
