"""Which fields a kernel writes, with all kernels that it calls: told from the source."""

import ast
import functools
import inspect
import textwrap

from conjoint.lang import Kernel, put


@functools.cache
def written(kernel: Kernel) -> frozenset[str]:
    """Names of the fields of `m` and `d`, and of the kernel's parameters, that it assigns to or into."""
    function = _tree(kernel)
    parameters = [argument.arg for argument in function.args.args]
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            found |= _target(node, parameters)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = kernel.names.get(node.func.id)
            if called is put:
                found |= _target(node.args[0], parameters)
            elif isinstance(called, Kernel):
                inner = written(called)
                names = [argument.arg for argument in _tree(called).args.args]
                for name, argument in zip(names, node.args, strict=True):
                    if name in inner:
                        found |= _target(argument, parameters)
                found |= inner - set(names)
    return frozenset(found)


def _tree(kernel: Kernel) -> ast.FunctionDef:
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(kernel.function))).body
    assert isinstance(function, ast.FunctionDef)
    return function


def _target(node: ast.AST, parameters: list[str]) -> set[str]:
    """The field or parameter that an assignment to this expression changes."""
    path: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in parameters:
        return set()
    return {".".join(reversed(path)) if node.id in ("m", "d") and path else node.id}
