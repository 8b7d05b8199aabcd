"""What the primitives of the language write: `where`, reductions over lanes, extrema, roots, and the bits of a real."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..language.functions import MAXIMUM_VALUE
from .machine import Extent, mangled
from .number import PRIMITIVES, Number, kind_of, lifted


def primitive(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what a primitive writes."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        PRIMITIVES[name] = function
        return function

    return declare


@primitive("where")
def _where(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, Number):
        return condition.select(a, b)
    return a if condition else b


@primitive("minimum")
def _minimum(a: Any, b: Any) -> Number:
    return _extremum("<", a, b)


@primitive("maximum")
def _maximum(a: Any, b: Any) -> Number:
    return _extremum(">", a, b)


def _extremum(symbol: str, a: Any, b: Any) -> Number:
    out = (a if isinstance(a, Number) else b).out
    a, b = lifted(out, a), lifted(out, b)
    if "real" in (a.kind, b.kind):
        a, b = a.to("real", a.extent), b.to("real", b.extent)
    return a.compare(symbol, b).select(a, b)


@primitive("abs")
def _abs(x: Number) -> Number:
    return (x < 0).select(-x, x) if x.kind == "int" else x.intrinsic("fabs")


@primitive("logical_not")
def _logical_not(condition: Any) -> Any:
    if kind_of(condition) != "bool":
        raise TypeError(f"a condition is needed, not {condition!r}")
    return condition ^ True


# ---- reductions

REDUCTIONS = ("any", "all", "lanes_max")
"""Primitives that have no meaning column by column."""


@primitive("any")
def _any(condition: Number) -> Number:
    return _reduced("any", condition, "icmp ne", "0")


@primitive("all")
def _all(condition: Number) -> Number:
    return _reduced("all", condition, "icmp eq", "-1")


def _reduced(name: str, condition: Number, test: str, bits: str) -> Number:
    """A condition that is the same in all lanes."""
    if condition.kind != "bool":
        raise TypeError(f"{name} needs a condition, not {condition!r}")
    width = condition.out.machine.widths[condition.extent]
    if width == 1:
        return condition.new(condition.text, extent=Extent.ONE)
    word = condition.out.value(f"bitcast {condition.type} {condition.text} to i{width}")
    return condition.write(f"{test} i{width} {word}, {bits}", "bool", Extent.ONE)


@primitive("lanes_max")
def _lanes_max(n: Number) -> Number:
    if n.kind != "int":
        raise TypeError(f"lanes_max needs an integer, not {n!r}")
    if n.out.machine.widths[n.extent] == 1:
        return n.new(n.text, extent=Extent.ONE)
    largest = n.out.call(f"llvm.vector.reduce.smax.{mangled(n.type)}", "i32", [(n.type, n.text)])
    return n.write(f"sext i32 {largest} to i64", "int", Extent.ONE)


# ---- reals


def _real(name: str, *args: Any) -> Number:
    """An intrinsic of reals, as free as the first number."""
    first = next(a for a in args if isinstance(a, Number))
    numbers = [lifted(first.out, a) for a in args]
    return numbers[0].intrinsic(name, *numbers[1:]).as_free_as(first)


@primitive("sqrt")
def _sqrt(x: Number) -> Number:
    return _real("sqrt", x)


@primitive("floor")
def _floor(x: Number) -> Number:
    return _real("floor", x)


@primitive("fma")
def _fma(a: Any, b: Any, c: Any) -> Number:
    return _real("fma", a, b, c)


@primitive("multiply_add")
def _multiply_add(a: Any, b: Any, c: Any) -> Number:
    out = next(x.out for x in (a, b, c) if isinstance(x, Number))
    return lifted(out, a) * b + c if out.machine.exact else _fma(a, b, c)


@primitive("isbad")
def _isbad(x: Number) -> Number:
    return _logical_not(_abs(x.to("real", x.extent)) <= MAXIMUM_VALUE)


class Bits:
    """Arithmetic on the bits of reals, as integers of their width.

    Attributes:
        x: the real.
        type: LLVM's integers, in as many lanes as the real has.
        mantissa: bits of it.
        bias: of the exponent.
    """

    def __init__(self, x: Number):
        self.x = x
        self.scalar, self.mantissa, self.bias = ("i32", 23, 127) if x.base == "float32" else ("i64", 52, 1023)
        width = x.out.machine.widths[x.extent]
        self.type = self.scalar if width == 1 else f"<{width} x {self.scalar}>"

    def read(self) -> str:
        """The bits."""
        return self.x.out.value(f"bitcast {self.x.type} {self.x.text} to {self.type}")

    def do(self, operation: str, bits: str, constant: int) -> str:
        """An operation on bits and a constant."""
        text = str(constant) if self.type == self.scalar else f"splat ({self.scalar} {constant})"
        return self.x.out.value(f"{operation} {self.type} {bits}, {text}")

    def real(self, bits: str) -> Number:
        """The real of other bits."""
        return self.x.write(f"bitcast {self.type} {bits} to {self.x.type}")


@primitive("exponent_power")
def _exponent_power(k: Number) -> Number:
    b = Bits(k)
    whole = k.out.value(f"fptosi {k.type} {k.text} to {b.type}")
    return b.real(b.do("shl", b.do("add", whole, b.bias), b.mantissa))


@primitive("mantissa")
def _mantissa(x: Number) -> Number:
    b = Bits(x)
    fraction = b.do("and", b.read(), (1 << b.mantissa) - 1)
    return b.real(b.do("or", fraction, b.bias << b.mantissa))


@primitive("exponent")
def _exponent(x: Number) -> Number:
    b = Bits(x)
    whole = b.do("sub", b.do("lshr", b.read(), b.mantissa), b.bias)
    return x.write(f"sitofp {b.type} {whole} to {x.type}")


@primitive("negative")
def _negative(x: Number) -> Number:
    b = Bits(x)
    return x.new(b.do("icmp slt", b.read(), 0), "bool")
