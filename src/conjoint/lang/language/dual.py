"""Dual numbers: a value and its tangents, the derivatives along several directions at once (forward mode).

Each differentiation rule is written once, for any type with the arithmetic of a real number. In compiled kernels,
values and tangents are numbers that emit instructions (`frontend/number.py`). In uncompiled kernels, they are a float
and an array (`language/plain_dual.py`). See Griewank and Walther, Evaluating Derivatives (2nd ed. 2008), chapter 3.

For piecewise functions, the derivative is that of the current piece. At the boundary between two pieces it is
one-sided: equal values are compared by their tangents, along each direction separately. A condition therefore consists
of a value, which determines control flow and selects values, and a value along each direction, which selects tangents.
A derivative that does not exist is 0, as for the square root at 0.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from .formula import Formula, Symbol
from .functions import abs as magnitude
from .functions import (
    atan2,
    exp,
    floor,
    fma,
    isbad,
    log,
    pow,
    sincos,
    sqrt,
    stop_gradient,
    where,
)
from .kernel_error import KernelError
from .tile import Tile
from .values import Value


def _of_numbers(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator that returns NotImplemented for tiles and values, so that their own operators run."""

    @functools.wraps(operate)
    def operator(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, (Tile, Value)) else operate(self, other)

    return operator


class Directional(Symbol):
    """A value with its tangent in each direction: base class of dual numbers and of comparisons between them.

    Subclasses implement the methods that create further dual numbers, and have these attributes:

        value: the number or condition.
        tangent: for a number, its derivatives; for a condition, its value along each direction, side by side.
    """

    __slots__ = ()
    __array_ufunc__ = None
    has_tangent = True
    value: Any
    tangent: Any

    def dual(self, value: Any, tangent: Any) -> Any:
        """Create a dual number; return the value itself if there are no tangents."""
        raise NotImplementedError

    def condition(self, value: Any, along: Any) -> Condition:
        """Create a condition from its value, and its value along each direction."""
        raise NotImplementedError

    def still(self) -> Any:
        """Return the tangents of a constant, all zero."""
        raise NotImplementedError

    def select(self, side: Any, a: Any, b: Any) -> Any:
        """Select the tangents of a or b by the condition `side`, which has one value, or one per direction."""
        raise NotImplementedError

    def primitive(self, name: str, *args: Any) -> Any:
        rule = RULES.get(name)
        if rule is None:
            raise KernelError(f"there is no derivative of {name}")
        return rule(self, *args)


class Dual(Directional):
    """A real number and its tangents."""

    __slots__ = ()

    def by_partials(self, formula: Formula, args: Any) -> Any:
        values = [value_of(x) for x in args]
        found = formula.function(*values)
        assert formula.partials is not None
        partials = formula.partials(found, *values)
        if not isinstance(formula.result, tuple):
            return self.dual(found, self._change(partials, args))
        return tuple(self.dual(x, self._change(own, args)) for x, own in zip(found, partials, strict=True))

    def _change(self, partials: Any, args: Any) -> Any:
        """Return the sum of the arguments' tangents, each multiplied by its partial derivative."""
        change = None
        for partial, x in zip(partials, args, strict=True):
            change = added(change, scaled(partial, tangent_of(x)))
        return change

    @_of_numbers
    def __add__(self, other: Any) -> Any:
        return self.dual(self.value + value_of(other), added(self.tangent, tangent_of(other)))

    __radd__ = __add__

    @_of_numbers
    def __sub__(self, other: Any) -> Any:
        return self.dual(self.value - value_of(other), subtracted(self.tangent, tangent_of(other)))

    @_of_numbers
    def __rsub__(self, other: Any) -> Any:
        return self.dual(value_of(other) - self.value, subtracted(tangent_of(other), self.tangent))

    @_of_numbers
    def __mul__(self, other: Any) -> Any:
        a, b = self.value, value_of(other)
        return self.dual(a * b, added(scaled(b, self.tangent), scaled(a, tangent_of(other))))

    __rmul__ = __mul__

    @_of_numbers
    def __truediv__(self, other: Any) -> Any:
        return quotient(self, self, other)

    @_of_numbers
    def __rtruediv__(self, other: Any) -> Any:
        return quotient(self, other, self)

    def __neg__(self) -> Any:
        return self.dual(-self.value, -self.tangent)

    def __pos__(self) -> Any:
        return self

    @_of_numbers
    def __lt__(self, other: Any) -> Any:
        return compared(self, operator.lt, self, other)

    @_of_numbers
    def __le__(self, other: Any) -> Any:
        return compared(self, operator.le, self, other)

    @_of_numbers
    def __gt__(self, other: Any) -> Any:
        return compared(self, operator.gt, self, other)

    @_of_numbers
    def __ge__(self, other: Any) -> Any:
        return compared(self, operator.ge, self, other)

    @_of_numbers
    def __eq__(self, other: Any) -> Any:
        return compared(self, operator.eq, self, other)

    @_of_numbers
    def __ne__(self, other: Any) -> Any:
        return compared(self, operator.ne, self, other)

    def __hash__(self) -> int:
        return id(self)


class Condition(Directional):
    """A comparison between dual numbers."""

    __slots__ = ()

    def somewhere(self) -> Any:
        """Return True if the condition holds for the value or along any direction."""
        raise NotImplementedError

    def _joined(self, other: Any, operate: Callable[[Any, Any], Any]) -> Any:
        along = other.tangent if isinstance(other, Condition) else other
        return self.condition(operate(self.value, value_of(other)), operate(self.tangent, along))

    def __and__(self, other: Any) -> Any:
        return self._joined(other, operator.and_)

    def __or__(self, other: Any) -> Any:
        return self._joined(other, operator.or_)

    def __xor__(self, other: Any) -> Any:
        return self._joined(other, operator.xor)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __eq__(self, other: object) -> bool:
        raise KernelError("conditions cannot be compared: use ^ to test whether they differ")

    __ne__, __hash__ = __eq__, object.__hash__


def value_of(x: Any) -> Any:
    """Return the value of a dual number or condition; return any other object unchanged."""
    return x.value if isinstance(x, Directional) else x


def tangent_of(x: Any) -> Any:
    """Return the tangents of a dual number; None for any other number, which is constant."""
    return x.tangent if isinstance(x, Dual) else None


def compared(dual: Directional, operate: Callable[[Any, Any], Any], a: Any, b: Any) -> Condition:
    """Compare two numbers; if they are equal, compare their tangents in each direction."""
    left, right = value_of(a), value_of(b)
    value = operate(left, right)
    tangents = [x.tangent if isinstance(x, Dual) else dual.still() for x in (a, b)]
    return dual.condition(value, where(left == right, operate(*tangents), value))


def added(a: Any, b: Any) -> Any:
    """Return the sum of tangents; either may be None."""
    return b if a is None else a if b is None else a + b


def subtracted(a: Any, b: Any) -> Any:
    """Return the difference between tangents; either may be None."""
    return a if b is None else -b if a is None else a - b


def scaled(factor: Any, tangent: Any) -> Any:
    """Return tangents multiplied by a number; None if there are none."""
    return None if tangent is None else tangent * factor


def quotient(dual: Dual, a: Any, b: Any) -> Any:
    """Return a / b; with the quotient q, its tangent is (a' - q b') / b."""
    top, bottom = value_of(a), value_of(b)
    result = top / bottom
    change = subtracted(tangent_of(a), scaled(result, tangent_of(b)))
    return dual.dual(result, change * (1.0 / bottom))


def chosen(dual: Directional, condition: Any, a: Any, b: Any) -> Any:
    """Return a if the condition holds, else b. Integers have no tangents.

    If both sides have equal values, the tangents along each direction are those of the side that the condition selects
    along that direction. Otherwise they follow the condition's value, because there is no slope across a jump.

    Raises:
        KernelError: the condition is a number.
    """
    if isinstance(condition, Dual):
        raise KernelError(f"where needs a condition, not {condition!r}")
    if isinstance(a, Condition) or isinstance(b, Condition):
        return (condition & a) | ((condition ^ True) & b)
    left, right = value_of(a), value_of(b)
    value = where(value_of(condition), left, right)
    ta, tb = tangent_of(a), tangent_of(b)
    if ta is None and tb is None:
        return value
    side = condition
    if isinstance(condition, Condition):
        side = where(left == right, condition.tangent, condition.value)
    return dual.dual(value, dual.select(side, dual.still() if ta is None else ta, dual.still() if tb is None else tb))


def _minimum(dual: Directional, a: Any, b: Any) -> Any:
    return chosen(dual, compared(dual, operator.lt, a, b), a, b)


def _maximum(dual: Directional, a: Any, b: Any) -> Any:
    return chosen(dual, compared(dual, operator.gt, a, b), a, b)


def _abs(dual: Dual, x: Any) -> Any:
    return dual.dual(magnitude(x.value), dual.select((x < 0.0).tangent, -x.tangent, x.tangent))


def _any(dual: Directional, condition: Any) -> Any:
    if not isinstance(condition, Condition):
        raise KernelError(f"any and all need a condition, not {condition!r}")
    return condition.somewhere()


def _all(dual: Directional, condition: Condition) -> Any:
    return _any(dual, condition ^ True) ^ True


def _not(dual: Directional, condition: Condition) -> Any:
    return condition ^ True


def _sqrt(dual: Dual, x: Any) -> Any:
    root = sqrt(x.value)
    return dual.dual(root, x.tangent * where(root > 0.0, 0.5 / where(root > 0.0, root, 1.0), 0.0))


def _fma(dual: Dual, a: Any, b: Any, c: Any) -> Any:
    product = added(scaled(value_of(b), tangent_of(a)), scaled(value_of(a), tangent_of(b)))
    return dual.dual(fma(value_of(a), value_of(b), value_of(c)), added(product, tangent_of(c)))


def _change(dual: Directional, x: Any) -> Any:
    if isinstance(x, Condition):
        raise KernelError(f"change needs a real, not {x!r}")
    return dual.dual(0.0, x.tangent)


def _of_value(function: Formula) -> Callable[..., Any]:
    """Return the differentiation rule for a function with zero derivative: apply the function to the values alone."""
    return lambda dual, *args: function(*map(value_of, args))


RULES: dict[str, Callable[..., Any]] = {
    "where": chosen, "any": _any, "all": _all, "logical_not": _not,
    "minimum": _minimum, "maximum": _maximum, "abs": _abs, "sqrt": _sqrt,
    "change": _change, "fma": _fma, "floor": _of_value(floor), "isbad": _of_value(isbad),
    "stop_gradient": _of_value(stop_gradient),
}  # fmt: skip
"""Differentiation rules of the language's primitives, by name.

A rule is called with a dual number, whose methods create further dual numbers, and the arguments of the primitive.
"""

Partials = Callable[..., tuple[Any, ...]]
"""Function of a result and its arguments that returns the derivative with respect to each argument.

For several results, it returns a tuple of derivatives for each result.
"""


def _partials_of_sincos(found: Any, x: Any) -> Any:
    sine, cosine = found
    return (cosine,), (-sine,)


def _partials_of_atan2(angle: Any, y: Any, x: Any) -> Any:
    square = x * x + y * y
    inverse = where(square > 0.0, 1.0 / where(square > 0.0, square, 1.0), 0.0)
    return x * inverse, -y * inverse


def _partials_of_exp(power: Any, x: Any) -> Any:
    return (power,)


def _partials_of_log(found: Any, x: Any) -> Any:
    return (1.0 / x,)


def _partials_of_pow(power: Any, x: Any, y: Any) -> Any:
    # with respect to the base: y x^(y - 1); with respect to the exponent: x^y log x, 0 if the base is 0
    positive = x > 0.0
    return y * pow(x, y - 1.0), where(positive, power * log(where(positive, x, 1.0)), 0.0)


PARTIALS: dict[Formula, Partials] = {
    sincos: _partials_of_sincos, atan2: _partials_of_atan2, exp: _partials_of_exp, log: _partials_of_log,
    pow: _partials_of_pow,
}  # fmt: skip
"""Formulas with derivatives in closed form, which are used instead of differentiating the formula's code."""

for _formula, _partials in PARTIALS.items():
    _formula.partials = _partials
