"""Symbolic numbers that emit instructions when kernels and formula bodies compute with them.

They include dual numbers, each a real number in one world with a vector of its tangents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..language.dual import Condition, Directional, Dual
from ..language.formula import Symbol
from ..language.kernel_error import KernelError
from ..language.values import Value
from .machine import Extent, Literal, element, mangled
from .writer import Writer

NAMES = {"real": "a real", "int": "an integer", "bool": "a condition"}
"""Names of the types of numbers in error messages."""


def _operator(write: Callable[..., Number], *how: Any) -> Callable[[Number, Any], Number]:
    """Return a Python operator that calls the method `write`, which emits code. Dual numbers have other operators."""
    return lambda self, other: NotImplemented if isinstance(other, Directional) else write(self, other, *how)


class Number(Symbol):
    """A real, integer or condition; operators emit instructions.

    Attributes:
        out: the function being generated.
        text: name of the value in LLVM IR, or a constant.
        kind: "real", "int" or "bool".
        extent: extent of the number: one value, one per lane, or a tile.
        fuses: True if its products need not be rounded before they are added.
    """

    __slots__ = ("extent", "fuses", "kind", "out", "text")

    def __init__(
        self, out: Writer, text: str, kind: str = "real", extent: Extent = Extent.ONE, fuses: bool | None = None
    ):
        self.out, self.text, self.kind, self.extent = out, text, kind, extent
        self.fuses = out.fuses if fuses is None else fuses

    @property
    def type(self) -> str:
        """LLVM type of the number."""
        return self.out.machine.types[self.kind, self.extent]

    @property
    def constant(self) -> Literal | None:
        """The number as a constant; None if it is not a constant."""
        return self.text if isinstance(self.text, Literal) else None

    @property
    def base(self) -> str:
        """Floating-point precision, "float64" or "float32"."""
        return self.out.machine.base

    def __repr__(self) -> str:
        return NAMES[self.kind]

    def __hash__(self) -> int:
        return id(self)

    def new(self, text: str, kind: str | None = None, extent: Extent | None = None) -> Number:
        """Return a number with the same value of `fuses`, and with the same kind and extent unless others are given."""
        return Number(self.out, text, kind or self.kind, extent or self.extent, self.fuses)

    def write(self, text: str, kind: str | None = None, extent: Extent | None = None) -> Number:
        """Emit an instruction, and return its result as a number."""
        return self.new(self.out.value(text), kind, extent)

    def exactly(self) -> Number:
        return Number(self.out, self.text, self.kind, self.extent, False)

    def as_free_as(self, other: Any) -> Number:
        return Number(self.out, self.text, self.kind, self.extent, other.fuses)

    def freely(self) -> Number:
        """Return a copy of the number whose products are fused with additions if the kernel allows it."""
        return self if self.fuses else Number(self.out, self.text, self.kind, self.extent)

    def fusing(self) -> Number:
        """Return a copy of the number whose products are always fused with additions, whatever the kernel's setting."""
        return Number(self.out, self.text, self.kind, self.extent, True)

    # ---- other kinds and extents

    def to(self, kind: str, extent: Extent) -> Number:
        """Convert the number to another kind and to an extent at least as large.

        Raises:
            KernelError: the conversion is from real to integer, from condition to number, or from a number that differs
                between worlds to one that is equal in all.
        """
        x = self if self.kind == kind else self.converted(kind)
        if x.extent == extent:
            return x
        if extent == Extent.DUAL:
            return constant_dual(x)
        if x.extent > extent:
            rest = "one in every lane" if x.extent == Extent.LANES else "a tile"
            raise KernelError(f"one {kind} is needed, not {rest}")
        return x.spread(extent)

    def converted(self, kind: str) -> Number:
        """Convert an integer to a real."""
        if (self.kind, kind) != ("int", "real"):
            advice = ": write where(c, 1.0, 0.0)" if self.kind == "bool" else ""
            raise KernelError(f"{NAMES[kind]} is needed, not {self!r}{advice}")
        machine = self.out.machine
        if self.constant is not None and self.extent == Extent.ONE:
            return self.new(machine.constant(self.constant.number, "real", Extent.ONE), "real")
        return self.write(f"sitofp {self.type} {self.text} to {machine.types['real', self.extent]}", "real")

    def spread(self, extent: Extent) -> Number:
        """Return the number, repeated in every lane or in every column of a tile."""
        out, text = self.out, self.text
        wide, narrow = out.machine.types[self.kind, extent], self.type
        if wide == narrow:
            return self.new(text, extent=extent)
        if self.constant is not None:
            return self.new(out.machine.repeated(self.constant, self.kind, extent), extent=extent)
        scalar, count = element(wide), wide[1:].split(" x ")[0]
        if scalar != narrow:
            text = out.value(f"trunc {narrow} {text} to {scalar}")
        one = out.value(f"insertelement {wide} poison, {scalar} {text}, i64 0")
        return self.write(f"shufflevector {wide} {one}, {wide} poison, <{count} x i32> zeroinitializer", extent=extent)

    def pair(self, other: Any) -> tuple[str, Extent, str, str]:
        """Convert both operands to a common kind and extent. Return the kind, the extent, and the operands' LLVM names.

        Raises:
            KernelError: the operands have kinds that cannot be combined.
        """
        if self.has_tangent:
            raise KernelError(f"there is no such operation on {self!r} with tangents")
        kind, extent = self.kind, self.extent
        if isinstance(other, Number):
            extent = max(extent, other.extent)
            if kind != other.kind:
                if "bool" in (kind, other.kind):
                    raise KernelError(f"{self!r} and {other!r} do not go together")
                kind = "real"
            return kind, extent, self.to(kind, extent).text, other.to(kind, extent).text
        if isinstance(other, bool) != (kind == "bool") or not isinstance(other, (int, float)):
            raise KernelError(f"{self!r} and {other!r} do not go together")
        if isinstance(other, float):
            kind = "real"
        return kind, extent, self.to(kind, extent).text, self.out.machine.constant(other, kind, extent)

    # ---- operators

    def binary(self, other: Any, name: str, swap: bool = False) -> Number:
        """Emit an arithmetic operation on two numbers, and return its result."""
        left, right = (other, self) if swap else (self, other)
        if self.fuses and name in ("add", "sub"):
            if isinstance(left, Product) and is_addend(right):
                return left.plus(right, name == "sub")
            if isinstance(right, Product) and is_addend(left):
                return (-right if name == "sub" else right).plus(left)
        kind, extent, a, b = self.pair(other)
        if swap:
            a, b = b, a
        if kind == "bool" and name not in ("and", "or", "xor"):
            raise KernelError("conditions are not numbers: write where(c, 1.0, 0.0)")
        if self.fuses and (name, kind) == ("mul", "real"):
            return Product(self.out, a, b, extent)
        return self.write(self.out.machine.arithmetic(name, kind, extent, a, b), kind, extent)

    def quotient(self, other: Any, swap: bool = False) -> Number:
        """Return the floating-point quotient, rounded once."""
        x = self.to("real", self.extent)
        return x.exactly().binary(other, "div", swap).as_free_as(x)

    def division(self, other: Any, part: int, swap: bool = False) -> Number:
        """Return the quotient (part 0) or the remainder (part 1) of integers, where the quotient is rounded down."""
        numbers = [x for x in (self, other) if isinstance(x, Number)]
        if isinstance(other, float) or any(x.kind != "int" for x in numbers):
            raise KernelError("// and % need integers")
        _, extent, a, b = self.pair(other)
        if swap:
            a, b = b, a
        out, llvm = self.out, self.out.machine.types["int", extent]
        divisor = int(b.number) if isinstance(b, Literal) else 0
        if divisor > 0 and divisor & (divisor - 1) == 0:
            shift, below = (out.machine.constant(n, "int", extent) for n in (divisor.bit_length() - 1, divisor - 1))
            return self.write((f"ashr {llvm} {a}, {shift}", f"and {llvm} {a}, {below}")[part], "int", extent)
        if extent == Extent.LANES and out.mask.partial:
            # processors trap on a division by zero
            b = out.mask.chosen(llvm, b, out.machine.constant(1, "int", extent))
        quotient, remainder = (self.write(f"{name} {llvm} {a}, {b}", "int", extent) for name in ("sdiv", "srem"))
        signs = self.write(f"xor {llvm} {remainder.text}, {b}", "int", extent)
        low = (remainder != 0) & (signs < 0)
        return (low.select(quotient - 1, quotient), low.select(remainder + self.new(b, "int", extent), remainder))[part]

    def compare(self, other: Any, symbol: str) -> Number:
        """Emit a comparison of two numbers."""
        kind, extent, a, b = self.pair(other)
        if kind == "bool":
            raise KernelError("conditions cannot be compared: use ^ to test whether they differ")
        return self.write(self.out.machine.comparison(symbol, kind, extent, a, b), "bool", extent)

    __add__ = __radd__ = _operator(binary, "add")
    __sub__, __rsub__ = _operator(binary, "sub"), _operator(binary, "sub", True)
    __mul__ = __rmul__ = _operator(binary, "mul")
    __truediv__, __rtruediv__ = _operator(quotient), _operator(quotient, True)
    __floordiv__, __rfloordiv__ = _operator(division, 0), _operator(division, 0, True)
    __mod__, __rmod__ = _operator(division, 1), _operator(division, 1, True)
    __and__ = __rand__ = _operator(binary, "and")
    __or__ = __ror__ = _operator(binary, "or")
    __xor__ = __rxor__ = _operator(binary, "xor")
    __lshift__, __rlshift__ = _operator(binary, "shl"), _operator(binary, "shl", True)
    __rshift__, __rrshift__ = _operator(binary, "shr"), _operator(binary, "shr", True)
    __lt__, __le__ = _operator(compare, "<"), _operator(compare, "<=")
    __gt__, __ge__ = _operator(compare, ">"), _operator(compare, ">=")
    __eq__, __ne__ = _operator(compare, "=="), _operator(compare, "!=")  # type: ignore[assignment]

    def __neg__(self) -> Number:
        return self.write(f"fneg {self.type} {self.text}") if self.kind == "real" else self.binary(0, "sub", True)

    def __pos__(self) -> Number:
        return self

    def __bool__(self) -> bool:
        raise KernelError("a formula cannot branch: write where()")

    # ---- building blocks of primitives

    def select(self, a: Any, b: Any) -> Number:
        """Return `a` where this condition holds, and `b` elsewhere."""
        out = self.out
        if self.kind != "bool":
            raise KernelError(f"where needs a condition, not {self!r}")
        fuses = next((x.fuses for x in (a, b) if isinstance(x, Number)), self.fuses)
        a, b = lifted(out, a), lifted(out, b)
        kind = a.kind if a.kind == b.kind else "real"
        extent = max(self.extent, a.extent, b.extent)
        x, y, llvm = a.to(kind, extent).text, b.to(kind, extent).text, out.machine.types[kind, extent]
        text = out.value(f"select {self.type} {self.text}, {llvm} {x}, {llvm} {y}")
        return Number(out, text, kind, extent, fuses)

    def intrinsic(self, name: str, *others: Any) -> Number:
        """Emit a call to an LLVM intrinsic, with its real arguments converted to a common type."""
        numbers = [lifted(self.out, x) for x in (self, *others)]
        extent = max(x.extent for x in numbers)
        llvm = self.out.machine.types["real", extent]
        args = [(llvm, x.to("real", extent).text) for x in numbers]
        return self.new(self.out.call(f"llvm.{name}.{mangled(llvm)}", llvm, args), "real", extent)

    def primitive(self, name: str, *args: Any) -> Any:
        for x in args:
            if isinstance(x, Number) and x.has_tangent:
                return x.primitive(name, *args)
        return PRIMITIVES[name](*args)

    @property
    def texts(self) -> tuple[str, ...]:
        """LLVM names of all components."""
        return (self.text,)


PRIMITIVES: dict[str, Callable[..., Any]] = {}
"""Functions that emit the code of primitives, by name (`primitives.py`)."""


def kind_of(x: Any) -> str:
    """Return the kind ("real", "int" or "bool") of a number or constant."""
    if isinstance(x, Number):
        return x.kind
    return "bool" if isinstance(x, bool) else "real" if isinstance(x, float) else "int"


def shown(x: Any) -> str:
    """Return a description of `x` for error messages."""
    return f"a {x.kind}" if isinstance(x, Value) else repr(x)


def varies(x: Any) -> bool:
    """Return True if a number may differ between lanes."""
    return isinstance(x, Number) and x.extent == Extent.LANES


def lifted(out: Writer, x: Any) -> Number:
    """Convert a number or constant to a `Number`.

    Raises:
        KernelError: `x` is neither a number nor a constant.
    """
    if isinstance(x, Number):
        return x
    if not isinstance(x, (bool, int, float)):
        raise KernelError(f"a number is needed, not {shown(x)}")
    kind = kind_of(x)
    return Number(out, out.machine.constant(x, kind, Extent.ONE), kind)


class Product(Number):
    """A floating-point product that is computed, and thereby rounded, only if it is used other than as a term of a sum.

    The sum of a product and a number is one fused multiply-add. Rounding therefore depends only on the source text of
    the kernel, and LLVM's passes cannot change any bit of a result.
    """

    __slots__ = ("factors", "written")

    def __init__(self, out: Writer, a: str, b: str, extent: Extent):
        self.out, self.factors, self.kind, self.extent, self.fuses = out, (a, b), "real", extent, True
        self.written = ""

    @property
    def text(self) -> str:  # type: ignore[override]
        """LLVM name of the rounded product."""
        if not self.written:
            arithmetic = self.out.machine.arithmetic("mul", "real", self.extent, *self.factors)
            self.written = self.out.value(arithmetic)
        return self.written

    @property
    def constant(self) -> None:
        return None

    def __neg__(self) -> Product:
        a, b = self.factors
        return Product(self.out, self.out.value(f"fneg {self.type} {a}"), b, self.extent)

    def plus(self, other: Any, negative: bool = False) -> Number:
        """Return the sum of the product and a number, or their difference if `negative`, rounded once."""
        number = lifted(self.out, other)
        extent = max(self.extent, number.extent)
        a, b = (Number(self.out, text, extent=self.extent).to("real", extent) for text in self.factors)
        addend = number.to("real", extent)
        # processors without such an instruction compute a product and a sum
        return a.intrinsic("fmuladd", b, -addend if negative else addend).fusing()


def is_addend(x: Any) -> bool:
    """Return True if `x` can be added to a floating-point product without tangents."""
    if isinstance(x, Number):
        return x.kind != "bool" and x.extent != Extent.DUAL
    return isinstance(x, int | float) and not isinstance(x, bool)


class DirectionalNumber(Directional, Number):
    """A number with its tangent in each direction; operators emit instructions for both.

    Attributes:
        value: the number.
        tangent: numbers of `Extent.TILE`. Products of a real's tangents are always fused, even if products of the value
            are not.
    """

    __slots__ = ("tangent", "value")

    def __init__(self, value: Number, tangent: Number):
        super().__init__(value.out, "", value.kind, Extent.DUAL, value.fuses)
        self.value, self.tangent = value, tangent

    def dual(self, value: Any, tangent: Any) -> Any:
        return value if tangent is None else dual_number(self.out, value, tangent)

    def condition(self, value: Any, along: Any) -> DualCondition:
        return DualCondition(value, along.to("bool", Extent.TILE))

    def still(self) -> Number:
        return no_tangents(self.out)

    def select(self, side: Any, a: Any, b: Any) -> Number:  # type: ignore[override]
        return side.select(a, b) if isinstance(side, Number) else a if side else b

    def exactly(self) -> DirectionalNumber:
        return type(self)(self.value.exactly(), self.tangent)

    def as_free_as(self, other: Any) -> DirectionalNumber:
        return type(self)(self.value.as_free_as(other), self.tangent)

    def freely(self) -> DirectionalNumber:
        return type(self)(self.value.freely(), self.tangent)

    @property
    def texts(self) -> tuple[str, ...]:
        return self.value.text, self.tangent.text

    def __hash__(self) -> int:
        return id(self)


class DualCondition(DirectionalNumber, Condition):  # type: ignore[misc]
    """A comparison between dual numbers."""

    __slots__ = ()

    def somewhere(self) -> Number:
        return self.value | PRIMITIVES["any"](self.tangent)

    def to(self, kind: str, extent: Extent) -> Number:
        return self if (kind, extent) == ("bool", Extent.DUAL) else self.value.to(kind, extent)


class DualNumber(Dual, DirectionalNumber):
    """A real with tangents."""

    __slots__ = ()

    def to(self, kind: str, extent: Extent) -> Number:
        if (kind, extent) != ("real", Extent.DUAL):
            raise KernelError(f"one {kind} is needed, not a real with tangents")
        return self

    def __hash__(self) -> int:
        return id(self)


def dual_number(out: Writer, value: Any, tangent: Number) -> DualNumber:
    """Return a dual number with the value `value`, a real number or constant, and the given tangents."""
    number = lifted(out, value)
    return DualNumber(number.to("real", Extent.ONE), tangent)


def constant_dual(number: Number) -> DualNumber | DualCondition:
    """Convert a constant number or condition to a dual one with zero tangents."""
    if number.kind == "bool":
        return DualCondition(number, number.to("bool", Extent.TILE))
    return DualNumber(number.to("real", Extent.ONE), no_tangents(number.out))


def no_tangents(out: Writer) -> Number:
    """Return the tangents of a constant, all zero."""
    return Number(out, out.machine.constant(0.0, "real", Extent.TILE), "real", Extent.TILE, True)


def number_of(out: Writer, texts: Iterator[str], kind: str, extent: Extent) -> Number:
    """Return the number whose LLVM values are the next names in `texts`."""
    if extent != Extent.DUAL:
        return Number(out, next(texts), kind, extent)
    value, tangent = Number(out, next(texts), kind, Extent.ONE), Number(out, next(texts), kind, Extent.TILE, True)
    return DualCondition(value, tangent) if kind == "bool" else DualNumber(value, tangent)
