"""Code generation for primitives: `where`, reductions over lanes, extrema, roots, and the bits of a real."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..language.functions import MAXIMUM_VALUE
from ..language.kernel_error import KernelError
from .machine import Extent, mangled
from .number import PRIMITIVES, Number, kind_of, lifted

REDUCTIONS = ("any", "all", "lanes_max")
"""Primitives that cannot be applied column by column."""


def _where(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, Number):
        return condition.select(a, b)
    return a if condition else b


def _extremum(symbol: str, a: Any, b: Any) -> Number:
    """Return `a` if the comparison `a symbol b` holds, else `b`."""
    out = (a if isinstance(a, Number) else b).out
    a, b = lifted(out, a), lifted(out, b)
    if "real" in (a.kind, b.kind):
        a, b = a.to("real", a.extent), b.to("real", b.extent)
    return a.compare(b, symbol).select(a, b)


def _abs(x: Number) -> Number:
    return (x < 0).select(-x, x) if x.kind == "int" else x.intrinsic("fabs")


def _logical_not(condition: Any) -> Any:
    if kind_of(condition) != "bool":
        raise KernelError(f"a condition is needed, not {condition!r}")
    return condition ^ True


def _reduced(name: str, test: str, bits: str, condition: Number) -> Number:
    """Reduce a condition over the active lanes to a condition that is equal in all lanes."""
    if condition.kind != "bool":
        raise KernelError(f"{name} needs a condition, not {condition!r}")
    out = condition.out
    width = out.machine.widths[condition.extent]
    if width == 1:
        return condition.new(condition.text, extent=Extent.ONE)
    text = condition.text
    if condition.extent == Extent.LANES and out.mask.partial:
        others = out.machine.constant(name == "all", "bool", Extent.LANES)
        text = out.mask.chosen(condition.type, text, others)
    word = out.value(f"bitcast {condition.type} {text} to i{width}")
    return condition.write(f"{test} i{width} {word}, {bits}", "bool", Extent.ONE)


LEAST = -(2**31)
"""Smallest integer that a lane can represent."""


def _lanes_max(n: Number) -> Number:
    if n.kind != "int":
        raise KernelError(f"lanes_max needs an integer, not {n!r}")
    out = n.out
    if out.machine.widths[n.extent] == 1:
        return n.new(n.text, extent=Extent.ONE)
    text = n.text
    if out.mask.partial:
        text = out.mask.chosen(n.type, text, out.machine.constant(LEAST, "int", Extent.LANES))
    largest = out.call(f"llvm.vector.reduce.smax.{mangled(n.type)}", "i32", [(n.type, text)])
    return n.write(f"sext i32 {largest} to i64", "int", Extent.ONE)


def _real(name: str, *args: Any) -> Number:
    """Emit a call to a floating-point intrinsic.

    Products of the result may be fused with additions (FMA) only if those of the first argument may.
    """
    first = next(a for a in args if isinstance(a, Number))
    numbers = [lifted(first.out, a) for a in args]
    return numbers[0].intrinsic(name, *numbers[1:]).as_free_as(first)


def _isbad(x: Number) -> Number:
    return _logical_not(_abs(x.to("real", x.extent)) <= MAXIMUM_VALUE)


def _stop_gradient(x: Number) -> Number:
    return x.to("real", x.extent)


def _change(x: Number) -> Number:
    if x.kind == "bool":
        raise KernelError(f"change needs a real, not {x!r}")
    # a field without tangents is not read: there may be no values in memory
    return lifted(x.out, 0.0)


class Bits:
    """Arithmetic on the bit patterns of floating-point numbers, as integers of equal width.

    Attributes:
        x: the real.
        type: LLVM type of the integers, with as many lanes as the real has.
        mantissa: number of bits of the mantissa.
        bias: bias of the exponent.
    """

    def __init__(self, x: Number):
        self.x = x
        self.scalar, self.mantissa, self.bias = ("i32", 23, 127) if x.base == "float32" else ("i64", 52, 1023)
        width = x.out.machine.widths[x.extent]
        self.type = self.scalar if width == 1 else f"<{width} x {self.scalar}>"

    def read(self) -> str:
        """Return the bits of the real `x`."""
        return self.x.out.value(f"bitcast {self.x.type} {self.x.text} to {self.type}")

    def do(self, operation: str, bits: str, constant: int) -> str:
        """Emit an operation on bits and a constant, and return its result."""
        text = str(constant) if self.type == self.scalar else f"splat ({self.scalar} {constant})"
        return self.x.out.value(f"{operation} {self.type} {bits}, {text}")

    def real(self, bits: str) -> Number:
        """Return the real with the given bits."""
        return self.x.write(f"bitcast {self.type} {bits} to {self.x.type}")


def _exponent_power(k: Number) -> Number:
    b = Bits(k)
    whole = k.out.value(f"fptosi {k.type} {k.text} to {b.type}")
    return b.real(b.do("shl", b.do("add", whole, b.bias), b.mantissa))


def _mantissa(x: Number) -> Number:
    b = Bits(x)
    fraction = b.do("and", b.read(), (1 << b.mantissa) - 1)
    return b.real(b.do("or", fraction, b.bias << b.mantissa))


def _exponent(x: Number) -> Number:
    b = Bits(x)
    whole = b.do("sub", b.do("lshr", b.read(), b.mantissa), b.bias)
    return x.write(f"sitofp {b.type} {whole} to {x.type}")


def _negative(x: Number) -> Number:
    b = Bits(x)
    return x.new(b.do("icmp slt", b.read(), 0), "bool")


PRIMITIVES.update(
    where=_where, minimum=partial(_extremum, "<"), maximum=partial(_extremum, ">"), abs=_abs, logical_not=_logical_not,
    any=partial(_reduced, "any", "icmp ne", "0"), all=partial(_reduced, "all", "icmp eq", "-1"), lanes_max=_lanes_max,
    sqrt=partial(_real, "sqrt"), floor=partial(_real, "floor"), fma=partial(_real, "fma"),
    isbad=_isbad, exponent_power=_exponent_power, mantissa=_mantissa, exponent=_exponent, negative=_negative,
    stop_gradient=_stop_gradient, change=_change,
)  # fmt: skip
