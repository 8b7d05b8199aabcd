"""Which fields of `m` and `d` a kernel writes, with all kernels that it calls: told from the source."""

import ast
import functools
import inspect
import textwrap

from conjoint.lang import Kernel, put

Bindings = tuple[tuple[str, Kernel], ...]
"""Kernels that a kernel was given, by the name of the parameter."""


@functools.cache
def written(kernel: Kernel, given: Bindings = ()) -> frozenset[str]:
    """Names of the fields of `m` and `d`, and of the kernel's parameters, that it assigns to or into."""
    function = _tree(kernel)
    known = kernel.names | dict(given)
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            found |= _target(node, kernel.parameters)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = known.get(node.func.id)
            if called is put:
                found |= _target(node.args[0], kernel.parameters)
            elif isinstance(called, Kernel):
                arguments = dict(zip(called.parameters, node.args, strict=True))
                passed = {name: known.get(a.id) for name, a in arguments.items() if isinstance(a, ast.Name)}
                inner = written(called, tuple((name, k) for name, k in passed.items() if isinstance(k, Kernel)))
                for name in inner:
                    found |= _target(arguments[name], kernel.parameters) if name in arguments else {name}
    return frozenset(found)


def _tree(kernel: Kernel) -> ast.FunctionDef:
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(kernel.function))).body
    assert isinstance(function, ast.FunctionDef)
    return function


def _target(node: ast.AST, parameters: tuple[str, ...]) -> set[str]:
    """The field or parameter that an assignment to this expression changes."""
    path: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in parameters:
        return set()
    return {".".join(reversed(path)) if node.id in ("m", "d") and path else node.id}
