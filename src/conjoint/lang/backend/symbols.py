"""Symbols that write LLVM instructions: what a formula's body sees while a kernel is compiled."""

from __future__ import annotations

import struct
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from ..formula import Symbol
from ..functions import MAXIMUM_VALUE
from .types import BIT, INT32, INT64, vector

FAST = ("nsz", "arcp", "contract", "reassoc")
"""Rounding freedoms outside exact formulas. NaN and infinity keep their meaning."""


def lanes_in(llvm: ir.Type) -> int:
    """Lanes of an LLVM value's type."""
    return llvm.count if isinstance(llvm, ir.VectorType) else 1


def scalar_of(llvm: ir.Type) -> ir.Type:
    """LLVM type of one lane."""
    return llvm.element if isinstance(llvm, ir.VectorType) else llvm


def constant(llvm: ir.Type, number: float) -> ir.Constant:
    """The same number in every lane."""
    scalar = scalar_of(llvm)
    if isinstance(scalar, ir.FloatType):
        # LLVM wants float literals representable exactly
        try:
            number = struct.unpack("f", struct.pack("f", number))[0]
        except OverflowError:
            number = float("inf") if number > 0 else float("-inf")
    elif isinstance(scalar, ir.IntType):
        number = int(number)
    return ir.Constant(llvm, [number] * llvm.count) if isinstance(llvm, ir.VectorType) else ir.Constant(llvm, number)


def splat(builder: ir.IRBuilder, value: ir.Value, n: int) -> ir.Value:
    """A scalar repeated over n lanes."""
    if n == 1 or isinstance(value.type, ir.VectorType):
        return value
    if isinstance(value, ir.Constant):
        return ir.Constant(ir.VectorType(value.type, n), [value.constant] * n)
    undefined = ir.Constant(ir.VectorType(value.type, n), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(INT32, n), [0] * n))


def intrinsic(builder: ir.IRBuilder, name: str, args: list[ir.Value]) -> ir.Value:
    """Call LLVM intrinsic `name`, overloaded on the type of its first argument."""
    llvm = args[0].type
    scalar = {"double": "f64", "float": "f32", "i32": "i32", "i64": "i64"}[str(scalar_of(llvm))]
    suffix = f"v{llvm.count}{scalar}" if isinstance(llvm, ir.VectorType) else scalar
    kind = ir.FunctionType(llvm, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.{suffix}"), args)


class IRSymbol(Symbol):
    """A real, integer or condition held in `value`; operators write instructions through `builder`."""

    __slots__ = ("builder", "flags", "real", "value")

    def __init__(
        self, builder: ir.IRBuilder, value: ir.Value, flags: tuple[str, ...] = FAST, real: ir.Type | None = None
    ):
        self.builder, self.value, self.flags = builder, value, flags
        scalar = scalar_of(value.type)
        # the reals that go with this number: what where(condition, 1.0, 0.0) must become
        self.real = (real or ir.DoubleType()) if isinstance(scalar, ir.IntType) else scalar

    @property
    def base(self) -> str:
        """Precision of a real: "float64" or "float32"."""
        return "float32" if isinstance(self.real, ir.FloatType) else "float64"

    @property
    def is_real(self) -> bool:
        return not isinstance(scalar_of(self.value.type), ir.IntType)

    def like(self, value: ir.Value) -> IRSymbol:
        """A symbol for `value` with this one's rounding rules."""
        return IRSymbol(self.builder, value, self.flags, self.real)

    def exactly(self) -> IRSymbol:
        return IRSymbol(self.builder, self.value, (), self.real)

    def as_free_as(self, other: Any) -> IRSymbol:
        return IRSymbol(self.builder, self.value, other.flags, self.real)

    def lift(self, other: Any) -> ir.Value:
        """`other`, a symbol or number, as a value of this symbol's type."""
        if not isinstance(other, IRSymbol):
            return constant(self.value.type, other)
        value, builder = other.value, self.builder
        target = scalar_of(self.value.type)
        if scalar_of(value.type) != target:
            wide = vector(target, lanes_in(value.type))
            if other.is_real and self.is_real:
                # only literals change precision
                value = builder.fptrunc(value, wide) if isinstance(target, ir.FloatType) else builder.fpext(value, wide)
            elif self.is_real:
                value = builder.sitofp(value, wide)
            elif scalar_of(value.type).width > target.width:
                value = builder.trunc(value, wide)
            else:
                value = builder.sext(value, wide)
        return splat(builder, value, lanes_in(self.value.type))

    def _pair(self, other: Any) -> tuple[ir.Value, ir.Value]:
        if isinstance(other, IRSymbol) and self.is_real == other.is_real:
            n = max(lanes_in(self.value.type), lanes_in(other.value.type))
            return splat(self.builder, self.value, n), other.like(splat(self.builder, other.value, n)).coerced(self, n)
        return self.value, self.lift(other)

    def coerced(self, model: IRSymbol, n: int) -> ir.Value:
        """This value in the element type of `model` over n lanes."""
        return model.like(splat(self.builder, model.value, n)).lift(self)

    def _binary(self, other: Any, real: str, integer: str, swap: bool = False) -> IRSymbol:
        a, b = self._pair(other)
        if swap:
            a, b = b, a
        if self.is_real:
            return self.like(getattr(self.builder, real)(a, b, flags=self.flags))
        return self.like(getattr(self.builder, integer)(a, b))

    def __add__(self, other):
        return self._binary(other, "fadd", "add")

    __radd__ = __add__

    def __sub__(self, other):
        return self._binary(other, "fsub", "sub")

    def __rsub__(self, other):
        return self._binary(other, "fsub", "sub", swap=True)

    def __mul__(self, other):
        return self._binary(other, "fmul", "mul")

    __rmul__ = __mul__

    def __truediv__(self, other):
        a, b = self._pair(other)
        return self.like(self.builder.fdiv(a, b))

    def __rtruediv__(self, other):
        a, b = self._pair(other)
        return self.like(self.builder.fdiv(b, a))

    def __neg__(self):
        if self.is_real:
            # not fneg: NVVM refuses it
            return self.like(self.builder.fsub(constant(self.value.type, -0.0), self.value))
        return self.like(self.builder.neg(self.value))

    def __and__(self, other):
        a, b = self._pair(other)
        return self.like(self.builder.and_(a, b))

    __rand__ = __and__

    def __or__(self, other):
        a, b = self._pair(other)
        return self.like(self.builder.or_(a, b))

    __ror__ = __or__

    def __xor__(self, other):
        a, b = self._pair(other)
        return self.like(self.builder.xor(a, b))

    __rxor__ = __xor__

    def _compare(self, symbol: str, other: Any) -> IRSymbol:
        a, b = self._pair(other)
        if not self.is_real:
            return self.like(self.builder.icmp_signed(symbol, a, b))
        compare = self.builder.fcmp_unordered if symbol == "!=" else self.builder.fcmp_ordered
        return self.like(compare(symbol, a, b))

    def __lt__(self, other):
        return self._compare("<", other)

    def __le__(self, other):
        return self._compare("<=", other)

    def __gt__(self, other):
        return self._compare(">", other)

    def __ge__(self, other):
        return self._compare(">=", other)

    def __eq__(self, other):
        return self._compare("==", other)

    def __ne__(self, other):
        return self._compare("!=", other)

    __hash__ = None

    def primitive(self, name: str, *args: Any) -> Any:
        return PRIMITIVES[name](self, *args)


def _where(_: IRSymbol, condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, IRSymbol):
        return a if condition else b
    builder = condition.builder
    model = a if isinstance(a, IRSymbol) else b
    if not isinstance(model, IRSymbol):
        model = condition.like(constant(vector(condition.real, lanes_in(condition.value.type)), 0.0))
    if isinstance(a, IRSymbol) and isinstance(b, IRSymbol):
        x, y = a._pair(b)
    else:
        x, y = model.lift(a), model.lift(b)
    n = max(lanes_in(condition.value.type), lanes_in(x.type))
    x, y = splat(builder, x, n), splat(builder, y, n)
    return model.like(builder.select(condition.value, x, y))


def _extremum(symbol: str) -> Any:
    def choose(_: IRSymbol, a: Any, b: Any) -> IRSymbol:
        model = a if isinstance(a, IRSymbol) else b
        x, y = model._pair(b) if model is a else (model.lift(a), model.value)
        builder = model.builder
        if model.is_real:
            return model.like(builder.select(builder.fcmp_ordered(symbol, x, y), x, y))
        return model.like(builder.select(builder.icmp_signed(symbol, x, y), x, y))

    return choose


def _reduce(found: str) -> Any:
    def reduce(_: IRSymbol, condition: IRSymbol) -> IRSymbol:
        value, builder = condition.value, condition.builder
        n = lanes_in(value.type)
        if n == 1:
            return condition
        bits = builder.bitcast(value, ir.IntType(n))
        if found == "any":
            return condition.like(builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0)))
        return condition.like(builder.icmp_unsigned("==", bits, ir.Constant(bits.type, (1 << n) - 1)))

    return reduce


def _lanes_max(_: IRSymbol, numbers: IRSymbol) -> IRSymbol:
    value, builder = numbers.value, numbers.builder
    if lanes_in(value.type) == 1:
        return numbers
    kind = ir.FunctionType(INT32, [value.type])
    reduce = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.smax.v{value.type.count}i32")
    return numbers.like(builder.sext(builder.call(reduce, [value]), INT64))


def _logical_not(_: IRSymbol, condition: IRSymbol) -> IRSymbol:
    return condition.like(condition.builder.xor(condition.value, constant(condition.value.type, 1)))


def _isbad(_: IRSymbol, x: IRSymbol) -> IRSymbol:
    return _logical_not(x, _unary("fabs")(x, x) <= MAXIMUM_VALUE)


def _unary(name: str) -> Any:
    def call(_: IRSymbol, x: IRSymbol) -> IRSymbol:
        if name == "fabs" and not x.is_real:
            negative = x < 0
            return x.like(x.builder.select(negative.value, (-x).value, x.value))
        return x.like(intrinsic(x.builder, name, [x.value]))

    return call


def _fma(first: IRSymbol, a: Any, b: Any, c: Any) -> IRSymbol:
    return first.like(intrinsic(first.builder, "fma", [first.lift(a), first.lift(b), first.lift(c)]))


def _bits(x: IRSymbol) -> tuple[ir.Type, int, int]:
    """Integer type of x's bits, mantissa bits, exponent bias."""
    n = lanes_in(x.value.type)
    return (vector(INT32, n), 23, 127) if x.base == "float32" else (vector(INT64, n), 52, 1023)


def _exponent_power(_: IRSymbol, k: IRSymbol) -> IRSymbol:
    integers, mantissa, bias = _bits(k)
    builder = k.builder
    biased = builder.add(builder.fptosi(k.value, integers), constant(integers, bias))
    return k.like(builder.bitcast(builder.shl(biased, constant(integers, mantissa)), k.value.type))


def _mantissa(_: IRSymbol, x: IRSymbol) -> IRSymbol:
    integers, mantissa, bias = _bits(x)
    builder = x.builder
    bits = builder.and_(builder.bitcast(x.value, integers), constant(integers, (1 << mantissa) - 1))
    return x.like(builder.bitcast(builder.or_(bits, constant(integers, bias << mantissa)), x.value.type))


def _negative(_: IRSymbol, x: IRSymbol) -> IRSymbol:
    integers, _, _ = _bits(x)
    bits = x.builder.bitcast(x.value, integers)
    return x.like(x.builder.icmp_signed("<", bits, constant(integers, 0)))


def _exponent(_: IRSymbol, x: IRSymbol) -> IRSymbol:
    integers, mantissa, bias = _bits(x)
    builder = x.builder
    shifted = builder.lshr(builder.bitcast(x.value, integers), constant(integers, mantissa))
    return x.like(builder.sitofp(builder.sub(shifted, constant(integers, bias)), x.value.type))


PRIMITIVES: dict[str, Any] = {
    "where": _where, "any": _reduce("any"), "all": _reduce("all"), "logical_not": _logical_not, "lanes_max": _lanes_max,
    "minimum": _extremum("<"), "maximum": _extremum(">"), "abs": _unary("fabs"), "sqrt": _unary("sqrt"),
    "floor": _unary("floor"), "isbad": _isbad, "fma": _fma, "multiply_add": _fma, "exponent_power": _exponent_power,
    "mantissa": _mantissa, "exponent": _exponent, "negative": _negative,
}  # fmt: skip

__all__ = ["BIT", "FAST", "IRSymbol", "constant", "lanes_in", "splat"]
