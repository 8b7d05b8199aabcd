"""Numbers that write instructions: what expressions of kernels and bodies of formulas compute with."""

from __future__ import annotations

from typing import Any

from ..formula import Symbol
from ..functions import MAXIMUM_VALUE
from .writer import Writer

FAST = "nsz arcp contract reassoc "
"""Rounding freedoms outside exact formulas. NaN and infinity keep their meaning."""

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


class Number(Symbol):
    """A real, integer or condition in one lane or in all of them; operators write instructions.

    Attributes:
        out: the function being written.
        text: LLVM's name of the value, or a constant.
        kind: "real", "int" or "bool".
        lanes: 1, or the worlds computed at once.
        flags: rounding freedoms of what is computed from it.
    """

    __slots__ = ("flags", "kind", "lanes", "out", "text")

    def __init__(self, out: Writer, text: str, kind: str = "real", lanes: int = 1, flags: str = FAST):
        self.out, self.text, self.kind, self.lanes, self.flags = out, text, kind, lanes, flags

    @property
    def type(self) -> str:
        """LLVM type."""
        return self.out.machine.type(self.kind, self.lanes)

    @property
    def base(self) -> str:
        """Precision of reals."""
        return self.out.machine.base

    def __repr__(self) -> str:
        return self.kind if self.lanes == 1 else f"lanes of {self.kind}"

    def __hash__(self) -> int:
        return id(self)

    def new(self, text: str, kind: str | None = None, lanes: int | None = None) -> Number:
        """A number with this one's freedoms, and its kind and lanes unless given."""
        return Number(self.out, text, kind or self.kind, lanes or self.lanes, self.flags)

    def write(self, text: str, kind: str | None = None, lanes: int | None = None) -> Number:
        return self.new(self.out.value(text), kind, lanes)

    def exactly(self) -> Number:
        return Number(self.out, self.text, self.kind, self.lanes, "")

    def as_free_as(self, other: Any) -> Number:
        return Number(self.out, self.text, self.kind, self.lanes, other.flags)

    def freely(self) -> Number:
        return self if self.flags else Number(self.out, self.text, self.kind, self.lanes)

    def to(self, kind: str, lanes: int) -> Number:
        """This number as another kind, in at least so many lanes.

        Raises:
            TypeError: a real as an integer, lanes where one number is needed, a condition as a number.
        """
        x = self
        if x.kind != kind:
            if (x.kind, kind) != ("int", "real"):
                raise TypeError(f"a {kind} is needed, not a {x.kind}")
            out = x.out
            if x.text[0] != "%" and x.lanes == 1:
                x = x.new(out.machine.constant(int(x.text), "real", 1), "real")
            else:
                x = x.write(f"sitofp {x.type} {x.text} to {out.machine.type('real', x.lanes)}", "real")
        if x.lanes == lanes:
            return x
        if x.lanes != 1:
            raise TypeError(f"one {kind} is needed, not one in every lane")
        return x.spread(lanes)

    def spread(self, lanes: int) -> Number:
        """The same number in every lane."""
        wide = self.out.machine.type(self.kind, lanes)
        scalar = wide.split(" x ")[1][:-1]
        text = self.text
        if text[0] != "%":
            return self.new(f"splat ({scalar} {text})", lanes=lanes)
        if self.kind == "int":
            text = self.out.value(f"trunc i64 {text} to i32")
        one = self.out.value(f"insertelement {wide} poison, {scalar} {text}, i64 0")
        return self.write(f"shufflevector {wide} {one}, {wide} poison, <{lanes} x i32> zeroinitializer", lanes=lanes)

    def pair(self, other: Any) -> tuple[str, int, str, str]:
        """Kind, lanes and names of both operands made alike."""
        kind, lanes = self.kind, self.lanes
        if isinstance(other, Number):
            lanes = max(lanes, other.lanes)
            if kind != other.kind:
                if "bool" in (kind, other.kind):
                    raise TypeError(f"{self} and {other} do not go together")
                kind = "real"
            return kind, lanes, self.to(kind, lanes).text, other.to(kind, lanes).text
        if isinstance(other, bool) != (kind == "bool") or not isinstance(other, (int, float)):
            raise TypeError(f"{self} and {other!r} do not go together")
        if isinstance(other, float):
            kind = "real"
        return kind, lanes, self.to(kind, lanes).text, self.out.machine.constant(other, kind, lanes)

    def binary(self, other: Any, real: str, integer: str, swap: bool = False) -> Number:
        kind, lanes, a, b = self.pair(other)
        if swap:
            a, b = b, a
        if kind == "bool":
            raise TypeError("conditions are not numbers: write where(c, 1.0, 0.0)")
        name = f"{real} {self.flags}" if kind == "real" else integer + (" nsw" if lanes == 1 else "")
        return self.write(f"{name} {self.out.machine.type(kind, lanes)} {a}, {b}", kind, lanes)

    def __add__(self, other):
        return self.binary(other, "fadd", "add")

    __radd__ = __add__

    def __sub__(self, other):
        return self.binary(other, "fsub", "sub")

    def __rsub__(self, other):
        return self.binary(other, "fsub", "sub", swap=True)

    def __mul__(self, other):
        return self.binary(other, "fmul", "mul")

    __rmul__ = __mul__

    def quotient(self, other: Any, swap: bool = False) -> Number:
        """Quotient of reals."""
        x = self.to("real", self.lanes)
        _, lanes, a, b = x.pair(other)
        if swap:
            a, b = b, a
        return x.write(f"fdiv {self.out.machine.type('real', lanes)} {a}, {b}", "real", lanes)

    def __truediv__(self, other):
        return self.quotient(other)

    def __rtruediv__(self, other):
        return self.quotient(other, swap=True)

    def __neg__(self):
        if self.kind == "real":
            return self.write(f"fneg {self.type} {self.text}")
        if self.kind == "bool":
            raise TypeError("conditions are not numbers: write where(c, 1.0, 0.0)")
        return self.write(f"sub {self.type} {self.out.machine.constant(0, 'int', self.lanes)}, {self.text}")

    def __pos__(self):
        return self

    def division(self, other: Any, swap: bool) -> tuple[Number, Number]:
        """Quotient and remainder of integers, rounded down."""
        kind, lanes, a, b = self.pair(other)
        if kind != "int" or lanes != 1:
            raise TypeError("// and % are for integers that are the same in every lane")
        if swap:
            a, b = b, a
        if b.isdigit() and int(b) & (int(b) - 1) == 0:
            shift = int(b).bit_length() - 1
            return self.write(f"ashr i64 {a}, {shift}"), self.write(f"and i64 {a}, {int(b) - 1}")
        quotient, rest = self.write(f"sdiv i64 {a}, {b}"), self.write(f"srem i64 {a}, {b}")
        signs = self.write(f"xor i64 {rest.text}, {b}")
        low = (rest != 0) & (signs < 0)
        divisor = self.new(b)
        return where(low, quotient - 1, quotient), where(low, rest + divisor, rest)

    def __floordiv__(self, other):
        return self.division(other, False)[0]

    def __rfloordiv__(self, other):
        return self.division(other, True)[0]

    def __mod__(self, other):
        return self.division(other, False)[1]

    def __rmod__(self, other):
        return self.division(other, True)[1]

    def bitwise(self, other: Any, name: str, swap: bool = False) -> Number:
        kind, lanes, a, b = self.pair(other)
        if kind == "real":
            raise TypeError(f"reals have no {name}")
        if swap:
            a, b = b, a
        return self.write(f"{name} {self.out.machine.type(kind, lanes)} {a}, {b}", kind, lanes)

    def __and__(self, other):
        return self.bitwise(other, "and")

    __rand__ = __and__

    def __or__(self, other):
        return self.bitwise(other, "or")

    __ror__ = __or__

    def __xor__(self, other):
        return self.bitwise(other, "xor")

    __rxor__ = __xor__

    def __lshift__(self, other):
        return self.bitwise(other, "shl")

    def __rlshift__(self, other):
        return self.bitwise(other, "shl", swap=True)

    def __rshift__(self, other):
        return self.bitwise(other, "ashr")

    def __rrshift__(self, other):
        return self.bitwise(other, "ashr", swap=True)

    def compare(self, symbol: str, other: Any) -> Number:
        kind, lanes, a, b = self.pair(other)
        if kind == "bool":
            raise TypeError("conditions are not compared: ^ tells whether two differ")
        name = COMPARISONS[symbol]
        if kind == "real":
            name = "fcmp " + ("u" if name == "ne" else "o") + name
        else:
            name = "icmp " + (name if name in ("eq", "ne") else "s" + name)
        return self.write(f"{name} {self.out.machine.type(kind, lanes)} {a}, {b}", "bool", lanes)

    def __lt__(self, other):
        return self.compare("<", other)

    def __le__(self, other):
        return self.compare("<=", other)

    def __gt__(self, other):
        return self.compare(">", other)

    def __ge__(self, other):
        return self.compare(">=", other)

    def __eq__(self, other):
        return self.compare("==", other)

    def __ne__(self, other):
        return self.compare("!=", other)

    def __bool__(self):
        raise TypeError("a formula does not branch: write where()")

    def intrinsic(self, name: str, *others: Any) -> Number:
        """Call an LLVM intrinsic on numbers made alike."""
        args = [self, *others]
        kind = "real" if any(_kind(a) == "real" for a in args) else self.kind
        lanes = max(a.lanes for a in args if isinstance(a, Number))
        llvm, machine = self.out.machine.type(kind, lanes), self.out.machine
        texts = [a.to(kind, lanes).text if isinstance(a, Number) else machine.constant(a, kind, lanes) for a in args]
        return self.new(
            self.out.call(f"llvm.{name}.{mangled(llvm)}", llvm, [(llvm, text) for text in texts]), kind, lanes
        )

    def primitive(self, name: str, *args: Any) -> Any:
        return PRIMITIVES[name](*args)


def _kind(x: Any) -> str:
    if isinstance(x, Number):
        return x.kind
    return "bool" if isinstance(x, bool) else "real" if isinstance(x, float) else "int"


def mangled(llvm: str) -> str:
    """LLVM's suffix of an overloaded intrinsic."""
    scalar = llvm.strip("<>").split(" x ")
    short = {"double": "f64", "float": "f32"}.get(scalar[-1], scalar[-1])
    return short if len(scalar) == 1 else f"v{scalar[0]}{short}"


def lifted(out: Writer, x: Any) -> Number:
    """A number or constant as a number."""
    if isinstance(x, Number):
        return x
    return Number(out, out.machine.constant(x, _kind(x), 1), _kind(x))


def where(condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, Number):
        return a if condition else b
    out = condition.out
    if condition.kind != "bool":
        raise TypeError(f"where needs a condition, not a {condition!r}")
    flags = next((x.flags for x in (a, b) if isinstance(x, Number)), condition.flags)
    a, b = lifted(out, a), lifted(out, b)
    kind = a.kind if a.kind == b.kind else "real"
    lanes = max(condition.lanes, a.lanes, b.lanes)
    x, y, llvm = a.to(kind, lanes).text, b.to(kind, lanes).text, out.machine.type(kind, lanes)
    text = out.value(f"select {condition.type} {condition.text}, {llvm} {x}, {llvm} {y}")
    return Number(out, text, kind, lanes, flags)


def _extremum(symbol: str) -> Any:
    def choose(a: Any, b: Any) -> Number:
        out = (a if isinstance(a, Number) else b).out
        if "real" in (_kind(a), _kind(b)):
            a, b = (lifted(out, x).to("real", getattr(x, "lanes", 1)) for x in (a, b))
        return where(lifted(out, a).compare(symbol, b), a, b)

    return choose


def _reduce(name: str) -> Any:
    def reduce(condition: Number) -> Number:
        if condition.kind != "bool":
            raise TypeError(f"{name} needs a condition, not a {condition!r}")
        n = condition.lanes
        if n == 1:
            return condition
        bits = condition.out.value(f"bitcast {condition.type} {condition.text} to i{n}")
        test = f"icmp ne i{n} {bits}, 0" if name == "any" else f"icmp eq i{n} {bits}, -1"
        return condition.write(test, "bool", 1)

    return reduce


def _lanes_max(n: Number) -> Number:
    if n.kind != "int":
        raise TypeError(f"lanes_max needs an integer, not a {n!r}")
    if n.lanes == 1:
        return n
    largest = n.out.call(f"llvm.vector.reduce.smax.{mangled(n.type)}", "i32", [(n.type, n.text)])
    return n.write(f"sext i32 {largest} to i64", "int", 1)


def _logical_not(condition: Number) -> Number:
    if condition.kind != "bool":
        raise TypeError(f"a condition is needed, not a {condition!r}")
    return condition.bitwise(True, "xor")


def _abs(x: Number) -> Number:
    return where(x < 0, -x, x) if x.kind == "int" else x.intrinsic("fabs")


def _real(name: str) -> Any:
    """An intrinsic of reals."""

    def call(*args: Any) -> Number:
        first = next(a for a in args if isinstance(a, Number))
        numbers = [lifted(first.out, a) for a in args]
        numbers = [a.to("real", a.lanes) for a in numbers]
        flags = first.flags
        result = numbers[0].intrinsic(name, *numbers[1:])
        return Number(first.out, result.text, "real", result.lanes, flags)

    return call


def _bits(x: Number) -> tuple[str, str, int, int]:
    """Integer type of x's bits, its constants, mantissa bits, exponent bias."""
    scalar, mantissa, bias = ("i32", 23, 127) if x.base == "float32" else ("i64", 52, 1023)
    if x.lanes == 1:
        return scalar, "{}", mantissa, bias
    return f"<{x.lanes} x {scalar}>", f"splat ({scalar} {{}})", mantissa, bias


def _exponent_power(k: Number) -> Number:
    integers, constant, mantissa, bias = _bits(k)
    whole = k.out.value(f"fptosi {k.type} {k.text} to {integers}")
    biased = k.out.value(f"add {integers} {whole}, {constant.format(bias)}")
    shifted = k.out.value(f"shl {integers} {biased}, {constant.format(mantissa)}")
    return k.write(f"bitcast {integers} {shifted} to {k.type}")


def _mantissa(x: Number) -> Number:
    integers, constant, mantissa, bias = _bits(x)
    bits = x.out.value(f"bitcast {x.type} {x.text} to {integers}")
    bits = x.out.value(f"and {integers} {bits}, {constant.format((1 << mantissa) - 1)}")
    bits = x.out.value(f"or {integers} {bits}, {constant.format(bias << mantissa)}")
    return x.write(f"bitcast {integers} {bits} to {x.type}")


def _exponent(x: Number) -> Number:
    integers, constant, mantissa, bias = _bits(x)
    bits = x.out.value(f"bitcast {x.type} {x.text} to {integers}")
    shifted = x.out.value(f"lshr {integers} {bits}, {constant.format(mantissa)}")
    whole = x.out.value(f"sub {integers} {shifted}, {constant.format(bias)}")
    return x.write(f"sitofp {integers} {whole} to {x.type}")


def _negative(x: Number) -> Number:
    integers, constant, _, _ = _bits(x)
    bits = x.out.value(f"bitcast {x.type} {x.text} to {integers}")
    return x.write(f"icmp slt {integers} {bits}, {constant.format(0)}", "bool")


def _isbad(x: Number) -> Number:
    return _logical_not(_abs(x) <= MAXIMUM_VALUE)


PRIMITIVES: dict[str, Any] = {
    "where": where, "any": _reduce("any"), "all": _reduce("all"), "logical_not": _logical_not, "lanes_max": _lanes_max,
    "minimum": _extremum("<"), "maximum": _extremum(">"), "abs": _abs, "sqrt": _real("sqrt"), "floor": _real("floor"),
    "isbad": _isbad, "fma": _real("fma"), "multiply_add": _real("fma"), "exponent_power": _exponent_power,
    "mantissa": _mantissa, "exponent": _exponent, "negative": _negative,
}  # fmt: skip
