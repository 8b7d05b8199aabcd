"""Typing and lowering of operators, formulas and casts for the types of the kernel language.

Everything goes one way: find the result type, turn the arguments into symbols, let the Python expression write the
instructions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    builtin_registry,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import lower_builtin, lower_cast

from ..formula import PENDING, Formula, Primitive
from ..values import MEMBERS, matrix_product, transposed
from .symbols import FAST, IRSymbol, splat
from .types import (
    BASES,
    INT32,
    ConjointType,
    IntType,
    MaskType,
    RealType,
    ValueType,
    join,
    lanes_of,
    real_llvm,
    vector,
)

NUMBERS = (types.Integer, types.Float)


def is_number(kind: types.Type) -> bool:
    """True for reals, lanes of integers and plain numbers."""
    return isinstance(kind, (RealType, IntType, *NUMBERS))


def base_of(*args: types.Type) -> str:
    """Precision of the reals that go with these types."""
    for arg in args:
        real = arg.real if isinstance(arg, ValueType) else arg
        if hasattr(real, "base"):
            return real.base
    return "float64"


def real_of(*args: types.Type) -> types.Type:
    """The real that operands of these types become together."""
    result: types.Type = types.float64
    for arg in args:
        if isinstance(arg, (IntType, MaskType)):
            result = join(result, RealType(arg.base, arg.n))
        else:
            result = join(result, arg.real if isinstance(arg, ValueType) else arg)
    return result


# ---- values to symbols and back


def as_real(context: Any, builder: ir.IRBuilder, value: ir.Value, kind: types.Type, real: types.Type) -> ir.Value:
    """A number as a real of type `real`."""
    scalar = scalar_real(real)
    if isinstance(kind, RealType):
        return splat(builder, value, getattr(real, "n", 1))
    if isinstance(kind, IntType):
        return builder.sitofp(value, vector(scalar, kind.n))
    value = context.cast(builder, value, kind, types.float64)
    if isinstance(scalar, ir.FloatType):
        if isinstance(value, ir.Constant):
            value = IRSymbol(builder, ir.Constant(scalar, 0.0)).lift(value.constant)
        else:
            value = builder.fptrunc(value, scalar)
    return splat(builder, value, getattr(real, "n", 1))


def scalar_real(real: types.Type) -> ir.Type:
    """LLVM type of one lane of `real`."""
    return BASES[getattr(real, "base", "float64")]


def symbols_of(
    context: Any, builder: ir.IRBuilder, value: ir.Value, kind: types.Type, real: types.Type, flags: tuple[str, ...]
) -> Any:
    """An argument as a symbol, or a tuple of symbols for a value, lifted to `real`."""
    if isinstance(kind, ValueType):
        parts = [builder.extract_value(value, i) for i in range(kind.count)]
        return tuple(IRSymbol(builder, as_real(context, builder, p, kind.real, real), flags) for p in parts)
    return IRSymbol(builder, as_real(context, builder, value, kind, real), flags)


def packed(builder: ir.IRBuilder, result: Any, kind: types.Type) -> ir.Value:
    """The outcome of a formula as an LLVM value of type `kind`."""
    if not isinstance(kind, ValueType):
        return lifted(builder, result, real_llvm(kind) if isinstance(kind, (RealType, types.Float)) else None)
    element = real_llvm(kind.real)
    array: ir.Value = ir.Constant(ir.ArrayType(element, kind.count), ir.Undefined)
    for i, part in enumerate(result):
        array = builder.insert_value(array, lifted(builder, part, element), i)
    return array


def lifted(builder: ir.IRBuilder, part: Any, element: ir.Type | None) -> ir.Value:
    """A symbol or number as an LLVM value of type `element`."""
    if element is None:
        return part.value
    if not isinstance(part, IRSymbol):
        from .symbols import constant

        return constant(element, part)
    return splat(builder, part.value, element.count) if isinstance(element, ir.VectorType) else part.value


def boolean(base: str, n: int) -> types.Type:
    """Type of a condition over n lanes."""
    return types.boolean if n == 1 else MaskType(base, n)


# ---- one registration for everything that expands to an expression


def register(key: Any, typer: Callable[..., types.Type | None], expand: Callable[..., Any], flags: Any = FAST) -> None:
    """Let `key` (an operator or formula) take our types: `typer` of them gives the result's, `expand` computes it."""

    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if kws:
                return None
            result = typer(*args)
            return None if result is None else signature(result, *args)

    Template.key = key
    _announce(key, Template)

    def lower(context, builder, sig, args):
        real = real_of(*sig.args)
        symbols = [symbols_of(context, builder, v, t, real, flags) for v, t in zip(args, sig.args, strict=True)]
        result = expand(*symbols)
        if isinstance(sig.return_type, types.BaseTuple):
            parts = [packed(builder, part, t) for part, t in zip(result, sig.return_type, strict=True)]
            return context.make_tuple(builder, sig.return_type, parts)
        return packed(builder, result, sig.return_type)

    if isinstance(key, Formula):
        lower_builtin(key, types.VarArg(types.Any))(lower)
    else:
        lower_builtin(key, ConjointType, ConjointType)(lower)
        lower_builtin(key, ConjointType, types.Any)(lower)
        lower_builtin(key, types.Any, ConjointType)(lower)
        lower_builtin(key, ConjointType)(lower)


def _announce(key: Any, template: type[AbstractTemplate]) -> None:
    """Let Numba find the typing of `key` when a kernel refers to it."""
    if isinstance(key, Formula):
        builtin_registry.globals.append((key, types.Function(template)))
    else:
        infer_global(key)(template)


def _ours(*args: types.Type) -> bool:
    return any(isinstance(a, ConjointType) for a in args)


def _arithmetic(op: Any, name: str) -> Any:
    """Typing of + - * / on numbers and values."""

    def typer(*args):
        if len(args) != 2 or not _ours(*args):
            return None
        a, b = args
        if isinstance(a, (types.Integer, IntType)) and isinstance(b, (types.Integer, IntType)) and name != "div":
            return IntType(base_of(a, b), lanes_of(a, b))
        if is_number(a) and is_number(b):
            return real_of(a, b)
        if isinstance(a, ValueType) and isinstance(b, ValueType):
            return ValueType(a.kind, join(a.real, b.real)) if name in ("add", "sub") and a.kind == b.kind else None
        if isinstance(a, ValueType) and is_number(b) and name in ("mul", "div"):
            return ValueType(a.kind, real_of(a, b))
        if is_number(a) and isinstance(b, ValueType) and name == "mul":
            return ValueType(b.kind, real_of(a, b))
        return None

    return typer


def _spread(op: Any) -> Any:
    """`op` on reals applied to components."""

    def expand(a, b):
        if isinstance(a, tuple) and isinstance(b, tuple):
            return tuple(op(x, y) for x, y in zip(a, b, strict=True))
        if isinstance(a, tuple):
            if op is operator.truediv:
                inverse = 1.0 / b
                return tuple(x * inverse for x in a)
            return tuple(op(x, b) for x in a)
        if isinstance(b, tuple):
            return tuple(op(a, x) for x in b)
        return op(a, b)

    return expand


def _comparison(*args: types.Type) -> types.Type | None:
    if len(args) == 2 and _ours(*args) and is_number(args[0]) and is_number(args[1]):
        return boolean(base_of(*args), lanes_of(*args))
    return None


def _integer_lower(expand: Callable[..., Any]) -> Callable[..., Any]:
    """Lowering on integers and conditions, without turning them into reals."""

    def lower(context, builder, sig, args):
        real = scalar_real(RealType(base_of(*sig.args), 1))
        symbols = []
        for value, kind in zip(args, sig.args, strict=True):
            if isinstance(kind, types.Integer):
                value = builder.trunc(context.cast(builder, value, kind, types.int64), INT32)
            symbols.append(IRSymbol(builder, value, FAST, real))
        return expand(*symbols).value

    return lower


def register_operators() -> None:
    """Arithmetic, comparisons and conditions."""
    arithmetic = {
        operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div",
        operator.iadd: "add", operator.isub: "sub", operator.imul: "mul", operator.itruediv: "div",
    }  # fmt: skip
    plain = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
    for op, name in arithmetic.items():
        register(op, _arithmetic(op, name), _spread(plain[name]))
        if name != "div":
            lower = _integer_lower(plain[name])
            for pair in ((IntType, IntType), (IntType, types.Integer), (types.Integer, IntType)):
                lower_builtin(op, *pair)(lower)
    for op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        register(op, _comparison, op)
        for pair in ((IntType, IntType), (IntType, types.Integer), (types.Integer, IntType)):
            lower_builtin(op, *pair)(_integer_lower(op))
    register(operator.neg, lambda a: a if isinstance(a, (RealType, ValueType, IntType)) else None, _negate)
    lower_builtin(operator.neg, IntType)(_integer_lower(operator.neg))
    register(operator.pos, lambda a: a if isinstance(a, (RealType, ValueType)) else None, lambda a: a)
    bitwise = {
        operator.and_: operator.and_, operator.or_: operator.or_, operator.xor: operator.xor,
        operator.iand: operator.and_, operator.ior: operator.or_, operator.ixor: operator.xor,
    }  # fmt: skip
    for op, expand in bitwise.items():
        register(op, _condition, expand)
        logical = _condition_lower(expand)
        for pair in ((MaskType, MaskType), (MaskType, types.Boolean), (types.Boolean, MaskType)):
            lower_builtin(op, *pair)(logical)
        for pair in ((IntType, IntType), (IntType, types.Integer), (types.Integer, IntType)):
            lower_builtin(op, *pair)(_integer_lower(expand))
    register(operator.matmul, _matmul, matrix_product)


def _negate(a: Any) -> Any:
    return tuple(-x for x in a) if isinstance(a, tuple) else -a


def _condition(*args: types.Type) -> types.Type | None:
    if len(args) != 2 or not _ours(*args):
        return None
    if all(isinstance(a, (MaskType, types.Boolean)) for a in args):
        return boolean(base_of(*args), lanes_of(*args))
    if all(isinstance(a, (IntType, types.Integer)) for a in args):
        return IntType(base_of(*args), lanes_of(*args))
    return None


def _condition_lower(op: Any) -> Any:
    def lower(context, builder, sig, args):
        n = lanes_of(*sig.args)
        values = [splat(builder, v, n) for v in args]
        return op(IRSymbol(builder, values[0]), IRSymbol(builder, values[1])).value

    return lower


def _matmul(*args: types.Type) -> types.Type | None:
    a, b = args
    if isinstance(a, ValueType) and a.kind == "mat3" and isinstance(b, ValueType) and b.kind in ("vec3", "mat3"):
        return ValueType(b.kind, join(a.real, b.real))
    return None


# ---- formulas and primitives


def _formula_typer(item: Formula) -> Callable[..., types.Type | None]:
    def typer(*args):
        if len(args) != len(item.kinds):
            return None
        for arg, kind in zip(args, item.kinds, strict=True):
            if not (is_number(arg) if kind == "real" else isinstance(arg, ValueType) and arg.kind == kind):
                return None
        real = real_of(*args)
        if isinstance(item.result, tuple):
            return types.Tuple([_kind_type(kind, real) for kind in item.result])
        return _kind_type(item.result, real)

    return typer


def _kind_type(kind: str, real: types.Type) -> types.Type:
    if kind == "real":
        return real
    if kind == "bool":
        return boolean(base_of(real), lanes_of(real))
    return ValueType(kind, real)


def register_formulas() -> None:
    """Every formula that is not registered yet."""
    while PENDING:
        item = PENDING.pop(0)
        if isinstance(item, Primitive):
            _register_primitive(item)
        else:
            register(item, _formula_typer(item), item.function, () if item.exact else FAST)


def _register_primitive(item: Primitive) -> None:
    name = item.__name__
    if name == "where":
        _register_where(item)
    elif name in ("any", "all", "logical_not"):
        _register_condition(item)
    elif name == "lanes_max":
        _register_lanes_max(item)
    elif name in ("minimum", "maximum", "abs"):
        _register_number(item)
    elif name == "isbad":
        register(item, lambda x: boolean(base_of(x), lanes_of(x)) if is_number(x) else None, item.function)
    else:
        register(item, _formula_typer(item), item.function)


def _template(key: Any, typer: Callable[..., types.Type | None], lower: Callable[..., Any]) -> None:
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            result = typer(*args)
            return None if result is None else signature(result, *args)

    Template.key = key
    _announce(key, Template)
    lower_builtin(key, types.VarArg(types.Any))(lower)


def _where_type(condition: types.Type, a: types.Type, b: types.Type) -> types.Type | None:
    if not isinstance(condition, (MaskType, types.Boolean)):
        return None
    n = lanes_of(condition, a, b)
    if isinstance(a, (types.Integer, IntType)) and isinstance(b, (types.Integer, IntType)):
        return types.int64 if n == 1 else IntType(base_of(condition, a, b), n)
    if isinstance(a, (types.Boolean, MaskType)) and isinstance(b, (types.Boolean, MaskType)):
        return boolean(base_of(condition, a, b), n)
    if isinstance(a, ValueType) and isinstance(b, ValueType) and a.kind == b.kind:
        return ValueType(a.kind, real_of(condition, a, b))
    if is_number(a) and is_number(b):
        return real_of(condition, a, b)
    return None


def _register_where(item: Primitive) -> None:
    def lower(context, builder, sig, args):
        condition, a, b = args
        kind = sig.return_type
        if not isinstance(kind, ValueType):
            x = context.cast(builder, a, sig.args[1], kind)
            y = context.cast(builder, b, sig.args[2], kind)
            return builder.select(condition, x, y)
        x = symbols_of(context, builder, a, sig.args[1], kind.real, FAST)
        y = symbols_of(context, builder, b, sig.args[2], kind.real, FAST)
        chosen = [builder.select(condition, p.value, q.value) for p, q in zip(x, y, strict=True)]
        return packed(builder, [IRSymbol(builder, c) for c in chosen], kind)

    _template(item, _where_type, lower)


def _register_condition(item: Primitive) -> None:
    def typer(condition):
        if not isinstance(condition, (MaskType, types.Boolean)):
            return None
        return condition if item.__name__ == "logical_not" else types.boolean

    def lower(context, builder, sig, args):
        return item.function(IRSymbol(builder, args[0])).value

    _template(item, typer, lower)


def _register_lanes_max(item: Primitive) -> None:
    def lower(context, builder, sig, args):
        if not isinstance(sig.args[0], IntType):
            return context.cast(builder, args[0], sig.args[0], types.int64)
        return item.function(IRSymbol(builder, args[0])).value

    _template(item, lambda n: types.int64 if isinstance(n, (types.Integer, IntType)) else None, lower)


def _register_number(item: Primitive) -> None:
    """minimum, maximum and abs: of reals or integers."""

    def typer(*args):
        if len(args) != len(item.kinds) or not all(is_number(a) for a in args):
            return None
        if all(isinstance(a, (types.Integer, IntType)) for a in args):
            n = lanes_of(*args)
            return types.int64 if n == 1 else IntType(base_of(*args), n)
        return real_of(*args)

    def lower(context, builder, sig, args):
        kind = sig.return_type
        values = [context.cast(builder, v, t, kind) for v, t in zip(args, sig.args, strict=True)]
        return item.function(*[IRSymbol(builder, v) for v in values]).value

    _template(item, typer, lower)


# ---- casts


@lower_cast(types.Integer, RealType)
@lower_cast(types.Float, RealType)
@lower_cast(IntType, RealType)
@lower_cast(RealType, RealType)
def _cast_real(context, builder, fromty, toty, value):
    return as_real(context, builder, value, fromty, toty)


@lower_cast(RealType, types.Float)
def _cast_weak(context, builder, fromty, toty, value):
    if fromty.n != 1:
        raise TypeError("lanes where a single real is needed")
    return builder.fpext(value, BASES["float64"]) if fromty.base == "float32" else value


@lower_cast(ValueType, ValueType)
def _cast_value(context, builder, fromty, toty, value):
    return packed(builder, symbols_of(context, builder, value, fromty, toty.real, FAST), toty)


@lower_cast(types.Integer, IntType)
def _cast_int(context, builder, fromty, toty, value):
    return splat(builder, builder.trunc(context.cast(builder, value, fromty, types.int64), INT32), toty.n)


@lower_cast(types.Boolean, MaskType)
def _cast_mask(context, builder, fromty, toty, value):
    return splat(builder, value, toty.n)


# ---- parts of values


@infer_global(operator.getitem)
class _GetPart(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 2 and isinstance(args[0], ValueType) and isinstance(args[1], types.Integer):
            return signature(args[0].real, *args)
        return None


@lower_builtin(operator.getitem, ValueType, types.Integer)
def _get_part(context, builder, sig, args):
    if isinstance(sig.args[1], types.IntegerLiteral):
        return builder.extract_value(args[0], sig.args[1].literal_value % sig.args[0].count)
    pointer = cgutils.alloca_once_value(builder, args[0])
    index = context.cast(builder, args[1], sig.args[1], types.int64)
    return builder.load(builder.gep(pointer, [ir.Constant(INT32, 0), index]))


@infer_getattr
class _ValueAttributes(AttributeTemplate):
    key = ValueType

    def generic_resolve(self, kind, name):
        if name in MEMBERS.get(kind.kind, ()) and len(name) == 1:
            return kind.real
        if kind.kind == "spatial" and name in ("angular", "linear"):
            return ValueType("vec3", kind.real)
        if kind.kind == "mat3" and name == "T":
            return kind
        return None


@lower_getattr_generic(ValueType)
def _value_attribute(context, builder, kind, value, name):
    if kind.kind == "mat3":
        parts = transposed([builder.extract_value(value, i) for i in range(9)])
        return packed(builder, [IRSymbol(builder, p) for p in parts], kind)
    if kind.kind == "spatial":
        start = 0 if name == "angular" else 3
        parts = [IRSymbol(builder, builder.extract_value(value, start + i)) for i in range(3)]
        return packed(builder, parts, ValueType("vec3", kind.real))
    return builder.extract_value(value, MEMBERS[kind.kind].index(name))
