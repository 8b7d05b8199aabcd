"""Translation of expressions: Python's operators are applied to numbers and values that emit instructions."""

from __future__ import annotations

import ast
import builtins
import difflib
import enum
import functools
import operator
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from ..language.builtin_words import BUILTINS, INSTEAD, LANGUAGE, is_language
from ..language.dual import value_of
from ..language.formula import Formula
from ..language.group import Group
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from ..language.record import StructKind
from ..language.tile import Tile, columns
from ..language.values import Value
from ..language.vocabulary import Width, Word
from ..language.world_part import Part
from .arrays import Array, shown
from .calls import call
from .library import Library
from .local_structs import LocalStructs
from .machine import Extent
from .number import Number, number_of
from .signature import llvm_types, parts_of, signature
from .source import refused
from .structs import Struct
from .variables import Variables
from .vocabulary import width_of
from .writer import Writer

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.MatMult: operator.matmul,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip


class Expressions:
    """Translator for the expressions of one kernel.

    Attributes:
        out: the function being generated.
    """

    out: Writer

    def __init__(self, library: Library, kernel: Kernel, variables: Variables):
        self.library, self.kernel, self.variables = library, kernel, variables

    def value(self, node: ast.expr) -> Any:
        """Emit an expression, and return its result: a number, value, array, struct, tuple, constant or function."""
        write = getattr(self, f"of_{type(node).__name__}", None)
        if write is None:
            raise refused(node)
        return write(node)

    # ---- names, attributes and elements

    def of_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, (str, bytes)):
            raise KernelError("kernels cannot use strings")
        return node.value

    def of_Name(self, node: ast.Name) -> Any:
        name, variables = node.id, self.variables
        if name in variables.known:
            return variables.known[name]
        if name in variables.names:
            return variables.read(self.out, name)
        if name not in self.kernel.names:
            if name in BUILTINS:
                return BUILTINS[name]
            if not hasattr(builtins, name):
                raise KernelError(f"there is no {name}")
            hint = f"Python's {name}: {INSTEAD[name]}" if name in INSTEAD else name
            raise KernelError(f"kernels do not use {hint}")
        return self.meaning(name, self.kernel.names[name])

    def meaning(self, name: str, found: Any) -> Any:
        """Return the object that a module-level name stands for in a kernel."""
        if isinstance(found, Width):
            return width_of(found, self.out.machine)
        if isinstance(found, enum.IntEnum):
            return int(found)
        known = (bool, int, float, Kernel, Formula, Word, Part, Group, StructKind, enum.EnumMeta)
        if found is int or isinstance(found, known) or (isinstance(found, type) and issubclass(found, Group)):
            return found
        if is_language(found):
            return found
        if isinstance(found, types.ModuleType):
            own = "; import enumerations by name: from conjoint import mjtGeom" if name == "conjoint" else ""
            raise KernelError(
                f"kernels do not use modules, such as {name}, but the language: import {LANGUAGE} as cj{own}"
            )
        raise KernelError(f"kernels do not use {name}")

    def word(self, module: types.ModuleType, name: str) -> Any:
        """Return the object that an attribute of the language module stands for."""
        if name not in vars(module):
            close = difflib.get_close_matches(name, module.__all__, 1)
            raise KernelError(f"{LANGUAGE} has no {name}" + (f": did you mean {close[0]}?" if close else ""))
        return self.meaning(f"{LANGUAGE}.{name}", vars(module)[name])

    def of_Attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        if isinstance(owner, (Struct, LocalStructs)):
            return owner.member(self.out, node.attr)
        if isinstance(owner, types.ModuleType):
            return self.word(owner, node.attr)
        if isinstance(owner, Group):
            if node.attr not in owner.members:
                raise KernelError(f"the group {type(owner).__name__} has no member {node.attr}")
        elif not isinstance(owner, (Value, enum.EnumMeta, enum.Enum)):
            raise KernelError(f"{shown(owner)} has no attribute {node.attr}")
        elif not hasattr(owner, node.attr):
            raise KernelError(f"{shown(owner)} has no attribute {node.attr!r}")
        found = getattr(owner, node.attr)
        return int(found) if isinstance(found, enum.IntEnum) else found

    def of_Subscript(self, node: ast.Subscript) -> Any:
        owner, i = self.value(node.value), self.value(node.slice)
        if isinstance(owner, (Array, LocalStructs)):
            return owner.load(self.out, i)
        if not isinstance(owner, Value):
            raise KernelError(f"{shown(owner)} has no elements")
        if isinstance(i, Number):
            return self.part(owner, i)
        if not isinstance(i, int) or not 0 <= i < len(owner):
            raise KernelError(f"a {owner.kind} has no component {shown(i)}")
        return owner.parts[i]

    def part(self, value: Value, i: Number) -> Number:
        """Return component i of a value, where i is known only at run time."""
        if i.kind != "int":
            raise KernelError(f"an index must be an integer, not {i!r}")
        if i.extent == Extent.LANES:
            return functools.reduce(lambda found, k: (i == k).select(value[k], found), range(len(value)), value[0])
        out, kind = self.out, signature(value)
        texts, found = parts_of(out, value, kind), []
        # for dual numbers, look up the values first and then the tangents
        types = llvm_types(out.machine, ("real", kind[1]))
        for first, llvm in enumerate(types):
            memory = out.first(f"alloca [{len(value.parts)} x {llvm}]")
            for k, text in enumerate(texts[first :: len(types)]):
                place = out.value(f"getelementptr inbounds {llvm}, ptr {memory}, i64 {k}")
                out.do(f"store {llvm} {text}, ptr {place}")
            pointer = out.value(f"getelementptr inbounds {llvm}, ptr {memory}, i64 {i.text}")
            found.append(out.value(f"load {llvm}, ptr {pointer}"))
        return number_of(out, iter(found), "real", kind[1])

    def of_Tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self.value(e) for e in node.elts)

    # ---- operators

    def of_BinOp(self, node: ast.BinOp) -> Any:
        return self.operate(node.op, self.value(node.left), self.value(node.right))

    def operate(self, node: ast.operator, a: Any, b: Any) -> Any:
        """Emit an arithmetic operator on numbers, values and tiles."""
        op = OPERATORS.get(type(node))
        if op is None:
            raise KernelError(f"kernels do not use the operator {type(node).__name__}")
        for x in (a, b):
            if not isinstance(x, (Number, Value, Tile, bool, int, float)):
                raise KernelError(f"there is no {op.__name__} of {shown(a)} and {shown(b)}")
        if isinstance(a, Value) or isinstance(b, Value):
            return self.operate_on_values(op, a, b)
        if isinstance(a, Tile) or isinstance(b, Tile):
            return columns(partial(applied, op), a, b)
        return applied(op, a, b)

    def operate_on_values(self, op: Callable[..., Any], a: Any, b: Any) -> Any:
        """Emit an arithmetic operator on two operands, at least one of them a `Value`."""
        both = isinstance(a, Value) and isinstance(b, Value)
        scales = op is operator.mul or (op is operator.truediv and isinstance(a, Value))
        tiles = isinstance(a, Tile) or isinstance(b, Tile)
        if tiles or not (op in (operator.add, operator.sub, operator.matmul) if both else scales):
            raise KernelError(f"there is no {op.__name__} of {shown(a)} and {shown(b)}")
        if op is operator.truediv:
            return a * (1.0 / b)
        return op(a, b) if isinstance(a, Value) else b * a

    def of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Invert):
            raise refused(node.op)
        a = self.value(node.operand)
        if not isinstance(node.op, ast.Not):
            op, known = OPERATORS[type(node.op)], (Number, bool, int, float)
            if not isinstance(a, (*known, Value, Tile) if op is operator.neg else known):
                raise KernelError(f"there is no {op.__name__} of {shown(a)}")
            return op(a)
        return truth(a) ^ True if isinstance(a, Number) else not a

    def of_Compare(self, node: ast.Compare) -> Any:
        left, result = self.value(node.left), None
        for op, right in zip(node.ops, node.comparators, strict=True):
            value = self.value(right)
            test = self.operate(op, left, value)  # type: ignore[arg-type]
            result = test if result is None else result & test
            left = value
        return result

    def of_Call(self, node: ast.Call) -> Any:
        called, args = self.value(node.func), [self.value(a) for a in node.args]
        if any(keyword.arg is None for keyword in node.keywords):
            raise KernelError("kernels do not use starred arguments")
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        return call(self.library, self.kernel, self.out, called, args, keywords)


def applied(op: Callable[..., Any], a: Any, b: Any) -> Any:
    """Emit an operator on two numbers; either may be a constant.

    Raises:
        KernelError: there is no such operator for these operands.
    """
    try:
        return op(a, b)
    except (TypeError, ValueError, ArithmeticError) as error:
        if isinstance(error, KernelError) or (error.__traceback__ and error.__traceback__.tb_next):
            # a function called by the operator raised it, not the operator itself
            raise
        why = "" if isinstance(error, TypeError) else f": {error}"
        raise KernelError(f"there is no {op.__name__} of {shown(a)} and {shown(b)}{why}") from error


def truth(test: Any) -> Number:
    """Convert a number to the condition that it is not zero; return a condition unchanged.

    For dual numbers, only the value counts.
    """
    test = value_of(test)
    return test if test.kind == "bool" else test != 0
