"""Formulas: short closed-form expressions of reals, callable from Python and expanded inline when a kernel is compiled.

The body of a formula is ordinary Python that operates on components. If it is called with numbers, it computes the
result. If it is called with the `Symbol`s of a compilation, it emits instructions. It does not depend on how kernels
are compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conjoint.once import derived

from .arguments import in_order, parameters_of, required
from .tile import Tile, columns
from .values import Value


class Symbol:
    """Base class of objects that represent a real: symbolic numbers of a compilation, and dual numbers.

    Attributes:
        has_tangent: True for dual numbers.
    """

    __slots__ = ()
    has_tangent = False

    def primitive(self, name: str, *args: Any) -> Any:
        """Emit the instructions of primitive `name` applied to self and `args`."""
        raise NotImplementedError

    def __format__(self, form: str) -> str:
        return repr(self)

    def __abs__(self) -> Any:
        return self.primitive("abs", self)

    def by_partials(self, formula: Formula, args: Sequence[Any]) -> Any:
        """Compute `formula` for dual numbers such as this one, from its partial derivatives."""
        raise NotImplementedError

    def exactly(self) -> Symbol:
        """Return this number with exact rounding, so that the compiler does not fuse its products with additions."""
        raise NotImplementedError

    def as_free_as(self, other: Symbol) -> Symbol:
        """Return this number with the contraction setting of `other`.

        Its products may be fused with additions (FMA) only if those of `other` may.
        """
        raise NotImplementedError


class Formula:
    """A function of floating-point numbers and values that consists of one closed-form expression.

    Attributes:
        function: the Python body, on component sequences.
        result: type of the result; a tuple of types for several results.
        kinds: types of the arguments.
        exact: True if every product is rounded (`a * b + c` is not one fused multiply-add).
        partials: function of the result and the arguments that returns the partial derivatives; None if unknown
            (`dual.PARTIALS`).
        smooth: for dual numbers, equivalent function that has derivatives where the body has none, or None.
    """

    partials: Callable[..., Any] | None = None
    smooth: Callable[..., Any] | None = None

    def __init__(
        self, function: Callable[..., Any], result: str | tuple[str, ...], kinds: tuple[str, ...], exact: bool = False
    ):
        self.function = function
        self.result = result
        self.kinds = kinds
        self.exact = exact
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    def __repr__(self) -> str:
        return f"<formula {self.__name__}({', '.join(self.kinds)}) -> {self.result}>"

    @derived
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(p.name for p in parameters_of(self.function))

    def arguments(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> Sequence[Any]:
        """Return the arguments of a call by position.

        Raises:
            KernelError: the arguments do not match the parameters.
        """
        if not keywords and len(args) == len(self.kinds):
            return args
        return in_order(self.__name__, required(self.parameters), args, keywords)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        args = tuple(self.arguments(args, keywords))
        if any(isinstance(a, Tile) for a in args):
            return columns(self, *args)
        if not any(_is_symbolic(a) for a in args):
            return _wrap(self.result, self.function(*args))
        return _wrap(self.result, self._exact_result(args) if self.exact else self.computed(*args))

    def computed(self, *args: Any) -> Any:
        """Compute the result for symbols; use the partial derivatives, if known, for dual numbers."""
        if self.partials is not None:
            for x in args:
                if isinstance(x, Symbol) and x.has_tangent:
                    return x.by_partials(self, args)
        if self.smooth is not None and any(map(_has_tangent, args)):
            return self.smooth(*args)
        return self.function(*args)

    def _exact_result(self, args: Sequence[Any]) -> Any:
        """Return the result of an exact formula that another formula calls.

        The calling formula may not be exact.
        """
        parts = [p for a in args for p in (a if isinstance(a, (tuple, Value)) else (a,))]
        free = next(p for p in parts if isinstance(p, Symbol))
        result = self.computed(*[_each(a, lambda x: x.exactly()) for a in args])
        return _each(result, lambda x: x.as_free_as(free))


def _each(x: Any, change: Callable[[Symbol], Symbol]) -> Any:
    """Apply `change` to a symbol, or to all symbols in a value or tuple."""
    if isinstance(x, (tuple, Value)):
        parts = [_each(part, change) for part in x]
        return Value(x.kind, parts) if isinstance(x, Value) else tuple(parts)
    return change(x) if isinstance(x, Symbol) else x


def _wrap(kind: str | tuple[str, ...], result: Any) -> Any:
    """Return the components as a value of type `kind`; for several types, return a tuple of values."""
    if isinstance(kind, tuple):
        return tuple(_wrap(k, part) for k, part in zip(kind, result, strict=True))
    return result if kind in ("real", "bool") or isinstance(result, Value) else Value(kind, result)


def _is_symbolic(arg: Any) -> bool:
    if isinstance(arg, Symbol):
        return True
    return isinstance(arg, (tuple, list, Value)) and any(isinstance(part, Symbol) for part in arg)


def _has_tangent(arg: Any) -> bool:
    """Return True if an argument is a dual number, or one of its components is."""
    if isinstance(arg, (tuple, list, Value)):
        return any(map(_has_tangent, arg))
    return isinstance(arg, Symbol) and arg.has_tangent


def exact_by_default(function: Callable[..., Any]) -> bool:
    """Return the value of EXACT_KERNELS in a function's module; if it is not set, True if a parent package sets it."""
    own = function.__globals__.get("EXACT_KERNELS")
    if own is not None:
        return bool(own)
    package = function.__module__ or ""
    while package := package.rpartition(".")[0]:
        if vars(sys.modules.get(package, object)).get("EXACT_KERNELS"):
            return True
    return False


def formula(
    result: str | tuple[str, ...], *kinds: str, exact: bool | None = None
) -> Callable[[Callable[..., Any]], Formula]:
    """Declare a formula by its result type and argument types ("real", "vec3", "quat", "mat3", "spatial", ...)."""

    def declare(function: Callable[..., Any]) -> Formula:
        return Formula(function, result, kinds, exact_by_default(function) if exact is None else exact)

    return declare


class Primitive(Formula):
    """A formula that the front end implements by name.

    Args:
        name: name of the formula.
        parameters: names of the parameters, separated by blanks.
        plain: function that computes the formula for numbers.
        result: type of the result.
        doc: docstring of the formula.
    """

    def __init__(self, name: str, parameters: str, plain: Callable[..., Any], result: str = "real", doc: str = ""):
        def function(*args: Any) -> Any:
            symbol = next((a for a in args if isinstance(a, Symbol)), None)
            return plain(*args) if symbol is None else symbol.primitive(name, *args)

        function.__name__ = name
        function.__doc__ = doc
        self.parameters = tuple(parameters.split())
        super().__init__(function, result, ("real",) * len(self.parameters))


def components(arg: Any) -> Sequence[Any]:
    """Return the components of a value; a sequence is returned unchanged."""
    return arg.parts if isinstance(arg, Value) else arg
