"""Kinds of function arguments: accepted values, conversions, messages, and checks in machine code.

A kind is part of the annotation of an argument (`api.arguments`). Inputs may be anything that NumPy or Python can
convert to the required type. Outputs are the caller's arrays, written in place, and must have the exact type. A vector
may also be passed as a matrix with one column.

A wrong type raises TypeError, a value out of range ArgumentError. The message says what is expected and what was
passed.
"""

from __future__ import annotations

import enum
import math
import operator
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, get_args

import numpy as np

from conjoint.lang.errors import ArgumentError
from conjoint.lang.routines.argument_rules import ANY, ARRAY, CONTIGUOUS, EXACT, WHOLE, WRITABLE, Rule
from conjoint.lang.text import in_utf8, is_path, is_text, sought, written
from conjoint.schema import enums
from conjoint.spec.problems import suggestion

SEQUENCES = (list, tuple)
"""Built-in sequence types."""

NOT_CALLABLE = "callback is not an Optional[Callable]"
"""MuJoCo's error message for a value that is not callable, kept verbatim because programs compare it."""


class Kind:
    """Kind of a function argument.

    Attributes:
        exact: type of values that need no conversion; None if the type alone does not determine this.
        official: name of the argument's type in MuJoCo's docstrings.
    """

    exact: type | None = None
    official = "object"

    def convert(self, value: Any) -> Any:
        """Return `value` converted to this kind. Raises TypeError for a wrong type, ArgumentError if out of range."""
        return value

    def test(self, name: str) -> str:
        """Return a Python expression that is true if the value of variable `name` may need a conversion."""
        return f"_type({name}) is not _exact_{name}"

    def rule(self) -> Rule:
        """Return the rule by which machine code checks an argument. Values that fail are converted in Python."""
        return Rule(EXACT, self.exact)


@dataclass(frozen=True, slots=True)
class Array(Kind):
    """Array argument.

    Attributes:
        shape: lengths along one or two dimensions; None means any length.
        output: whether the function writes to the array.
        dtype: element type.
    """

    shape: tuple[int | None, ...]
    output: bool = False
    dtype: type = np.float64

    def convert(self, value: Any) -> np.ndarray:
        """Return `value` as an array of `shape`. Outputs are not copied. Raises TypeError if this is impossible."""
        array = self._own(value) if self.output else self._read(value)
        if array.shape == self.shape:
            return array
        if len(self.shape) == 1 and array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        elif len(self.shape) == 2 and array.ndim == 1:
            array = array[:, np.newaxis]
        if len(array.shape) != len(self.shape) or any(
            wanted not in (None, n) for n, wanted in zip(array.shape, self.shape, strict=True)
        ):
            raise TypeError(f"must be {self}, not of shape {np.shape(value)}")
        return array

    def _read(self, value: Any) -> np.ndarray:
        """Return an input argument as an array."""
        try:
            if type(value) in SEQUENCES and self.dtype is np.float64:
                # every Python float is a double
                return np.array(value, np.float64)
            # reject numbers that the element type cannot represent, such as NaN for integers
            with np.errstate(invalid="raise"):
                return np.asarray(value, self.dtype, order="C")
        except (TypeError, ValueError, OverflowError, FloatingPointError):
            raise wrong(str(self), value) from None

    def _own(self, value: Any) -> np.ndarray:
        """Return the array passed as an output argument. Raises TypeError if it cannot be written in place."""
        if not isinstance(value, np.ndarray):
            raise wrong(str(self), value)
        if value.dtype != self.dtype:
            raise TypeError(f"must be {self}, not a {value.dtype} array")
        if not value.flags.writeable:
            raise TypeError(f"must be {self}, not one that is read-only")
        if not value.flags.c_contiguous:
            raise TypeError(f"must be {self}, contiguous and row-major")
        return value

    def test(self, name: str) -> str:
        shape = f"{name}.ndim != {len(self.shape)}" if None in self.shape else f"{name}.shape != {self.shape}"
        flag = "carray" if self.output else "c_contiguous"
        dtype = f"_{np.dtype(self.dtype).name}"
        return f"_type({name}) is not _ndarray or {name}.dtype is not {dtype} or {shape} or not {name}.flags.{flag}"

    def rule(self) -> Rule:
        lengths = tuple(ANY if n is None else n for n in self.shape)
        flags = WRITABLE if self.output else CONTIGUOUS
        return Rule(ARRAY, np.dtype(self.dtype), flags=flags, ndim=len(lengths), lengths=lengths)

    @property
    def official(self) -> str:  # type: ignore[override]
        """Name of the array type in MuJoCo's docstrings: a column vector of fixed or arbitrary length, or a matrix."""
        notes = [f"[{self.shape[0] or 'm'}, 1]" if len(self.shape) == 1 else "[m, n]"]
        notes += ["flags.writeable"] if self.output else []
        notes += ["flags.c_contiguous"] if len(self.shape) == 2 else []
        listed = ", ".join(f'"{note}"' for note in notes)
        return f"typing.Annotated[numpy.typing.NDArray[numpy.{np.dtype(self.dtype).name}], {listed}]"

    def __str__(self) -> str:
        kind = f"{'writable ' if self.output else ''}{np.dtype(self.dtype).name}"
        if len(self.shape) == 2:
            return f"a {kind} matrix"
        return f"a {kind} vector" if self.shape[0] is None else f"a {kind} vector of {self.shape[0]} elements"


@dataclass(frozen=True, slots=True)
class Integer(Kind):
    """Integer argument. By default, it is a signed 32-bit integer, like every argument annotated as int.

    Attributes:
        least: minimum value; None for the minimum of its type.
        most: maximum value; None for the maximum of its type.
        bits: number of bits of its type.
        signed: whether its type has negative numbers.
    """

    least: int | None = None
    most: int | None = None
    bits: int = 32
    signed: bool = True

    official = "typing.SupportsInt"

    @property
    def span(self) -> tuple[int, int]:
        """Minimum and maximum of the integer type."""
        return -(1 << self.bits - 1) if self.signed else 0, (1 << self.bits - self.signed) - 1

    @property
    def range(self) -> tuple[int, int]:
        """Minimum and maximum of the argument."""
        first, last = self.span
        return first if self.least is None else self.least, last if self.most is None else self.most

    def convert(self, value: Any) -> int:
        """Return a Python or NumPy integer as an `int`. Raises TypeError or ArgumentError for other values."""
        try:
            number = operator.index(value)
        except TypeError:
            raise wrong("an integer", value) from None
        first, last = self.span
        if not first <= number <= last:
            raise wrong(self._type_text(), number)
        return within(self, number, *self.range)

    def test(self, name: str) -> str:
        least, most = self.range
        return f"_type({name}) is not int or not {least} <= {name} <= {most}"

    def rule(self) -> Rule:
        least, most = self.range
        return Rule(WHOLE, int, lengths=(least, min(most, (1 << 63) - 1)))

    def __str__(self) -> str:
        has_range = not self.least is self.most is None
        return f"an integer {range_text(self.least, self.most)}" if has_range else self._type_text()

    def _type_text(self) -> str:
        return f"an integer of {self.bits} bits{'' if self.signed else ' that is not negative'}"


@dataclass(frozen=True, slots=True)
class Real(Kind):
    """Real argument. If it has a range, the number must be finite, unless `most` is infinite.

    Attributes:
        least: minimum value, or None.
        most: maximum value, or None.
        above: exclusive lower bound, or None.
        unit: unit of the number, for error messages.
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None
    unit: str = ""

    official = "typing.SupportsFloat"

    @property
    def exact(self) -> type | None:  # type: ignore[override]
        """The type float, or None if the argument has a range that must be checked."""
        return float if self.least is self.most is self.above is None else None

    def convert(self, value: Any) -> float:
        """Return `value` as a float. Raises TypeError for strings, ArgumentError if it is out of range."""
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise wrong("a real number", value) from None
        # NaN is outside every range
        beyond = self.above is not None and not number > self.above
        if self.exact is None and (beyond or (self.most is None and not math.isfinite(number))):
            raise ArgumentError(f"must be {self}, not {number:g}")
        return within(self, number, self.least, self.most)

    def __str__(self) -> str:
        positive = self.above == 0 and self.least is None
        text = f"a {'positive' if positive else 'real'} number" + (f" ({self.unit})" if self.unit else "")
        return text if positive or self.exact else f"{text} {range_text(self.least, self.most)}"


@dataclass(frozen=True, slots=True)
class Plain(Kind):
    """Argument that a function converts, such as a string, a path or a flag.

    Attributes:
        conversion: function that converts a value; its name and docstring describe the accepted values.
    """

    conversion: Callable[[Any], Any]
    exact: type | None = None
    official: str = "object"

    def convert(self, value: Any) -> Any:
        return self.conversion(value)


def flag(value: Any) -> bool:
    """Return a flag or a number from 0 to 255 as True or False. Raises TypeError for other values."""
    if not isinstance(value, int | np.integer | np.bool_) or not 0 <= value <= 255:
        raise wrong("True or False", value)
    return bool(value)


def text(value: Any) -> str:
    """Return a string, or bytes in UTF-8, as a string. Raises TypeError for other values."""
    if not is_text(value):
        raise wrong("a string", value)
    if isinstance(value, str) and not in_utf8(value):
        raise wrong("a string of whole characters", value)
    return sought(value)


def file_path(value: Any) -> Any:
    """Return the path of an output file in the form that `open` accepts. Raises TypeError for other values."""
    if not is_path(value):
        raise wrong("a file name", value)
    return written(value)


def callback(value: Any) -> Any:
    """Return `value`. Raises TypeError if it is not callable."""
    if not callable(value):
        raise TypeError(NOT_CALLABLE)
    return value


class Text(Plain):
    """String argument. Python checks it for lone surrogates, which cannot be written to files."""

    __slots__ = ()

    def test(self, name: str) -> str:
        return f"{Kind.test(self, name)} or not {name}.isascii()"

    def rule(self) -> Rule:
        return Rule(EXACT)


class Anything(Kind):
    """Argument that may be any object."""

    def test(self, name: str) -> str:
        return "False"

    def rule(self) -> Rule:
        return Rule()


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """Argument that must be one of several words, declared as `typing.Literal`."""

    words: tuple[str, ...]

    official = "str"

    def convert(self, value: Any) -> str:
        if not isinstance(value, str):
            raise wrong(str(self), value)
        if value not in self.words:
            raise ArgumentError(f"must be {self}, not {value!r:.40}{suggestion(value, self.words)}")
        return value

    def __str__(self) -> str:
        *others, last = map(repr, self.words)
        return f"{', '.join(others)} or {last}" if others else last


@dataclass(frozen=True, slots=True)
class Names(Kind):
    """List of names, which is converted to a tuple.

    Attributes:
        example: example of a name, for error messages.
    """

    example: str

    def convert(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            raise TypeError(f"must be a list of names: [{value!r}]")
        if not isinstance(value, Iterable):
            raise wrong(str(self), value)
        found = tuple(value)
        if other := [name for name in found if not isinstance(name, str)]:
            raise TypeError(f"must be {self}, not of {other[0]!r:.40}")
        return found

    def __str__(self) -> str:
        return f"a list of names, such as [{self.example!r}]"


@dataclass(frozen=True, slots=True)
class Member(Integer):
    """Argument that is a member of an enumeration, or its number."""

    members: type[enum.IntEnum] = enum.IntEnum

    def convert(self, value: Any) -> int:
        if not hasattr(value, "__index__"):
            hint = member_for(self.members, value)
            near = f", such as {hint}" if "." in hint else ""
            raise wrong(f"a number of {self.members.__name__}{near}", value)
        return Integer.convert(self, value)


@dataclass(frozen=True, slots=True)
class Instance(Kind):
    """Instance of a class, or of one of several classes. Classes of the same name from other packages are rejected.

    If a rejected object has an attribute `ADVICE`, which explains how to create the expected object, the error message
    ends with it.
    """

    of: Any

    @property
    def exact(self) -> type | None:  # type: ignore[override]
        """The class, or None if there are several classes."""
        return self.of if isinstance(self.of, type) else None

    @property
    def official(self) -> str:  # type: ignore[override]
        """Name of the class in MuJoCo's docstrings."""
        return official_class(self.of)

    @property
    def has_sizes(self) -> bool:
        """True for a model or a world. All models and worlds passed in one call must have the same sizes."""
        return "sizes" in getattr(self.of, "__annotations__", ())

    def convert(self, value: Any) -> Any:
        if isinstance(value, self.of):
            return value
        # a union has no name, but its members do
        kinds = get_args(self.of) or (self.of,)
        wanted, came = " or ".join(each.__name__ for each in kinds), type(value).__name__
        if len(kinds) > 1 or wanted != came:
            hint = f"; {value.ADVICE}" if hasattr(type(value), "ADVICE") else ""
            raise TypeError(f"must be of type {wanted}, not {'None' if value is None else came}{hint}")
        wanted, came = (f"{each.__module__.partition('.')[0]}.{each.__name__}" for each in (self.of, type(value)))
        if wanted != came:
            raise TypeError(f"must be of type {wanted}, not {came}")
        raise TypeError(
            f"must be of type {wanted} of this import: it belongs to another import of the package in the same "
            "program (a reload, or a second copy on sys.path); create it again with this import"
        )

    def rule(self) -> Rule:
        return Rule(EXACT, self.exact, last=int(self.has_sizes))


@dataclass(frozen=True, slots=True)
class OrNone(Kind):
    """Argument that is either None or a value of the wrapped kind."""

    kind: Kind

    @property
    def official(self) -> str:  # type: ignore[override]
        """Name of the type in MuJoCo's docstrings: the wrapped kind's type, or None."""
        return f"{self.kind.official} | None"

    @property
    def exact(self) -> type | None:  # type: ignore[override]
        """Exact type of the wrapped kind."""
        return self.kind.exact

    def convert(self, value: Any) -> Any:
        return None if value is None else self.kind.convert(value)

    def test(self, name: str) -> str:
        return f"{name} is not None and ({self.kind.test(name)})"

    def rule(self) -> Rule:
        return replace(self.kind.rule(), optional=True)


INT32, INT64, REAL = Integer(), Integer(bits=64), Real()
FLAG, TEXT, FILE_PATH = Plain(flag, bool, "bool"), Text(text, str, "str"), Plain(file_path, None, "str")
CALLBACK = Plain(callback)

OF_OPTIONS: dict[str, type[enum.IntEnum]] = {
    "integrator": enums.mjtIntegrator, "cone": enums.mjtCone, "jacobian": enums.mjtJacobian, "solver": enums.mjtSolver,
}  # fmt: skip
"""Enumeration of each integer option, by option name."""


def member_for(members: type[enum.IntEnum], value: Any) -> str:
    """Return the name of the enumeration member most similar to `value`, or else "a member of" the enumeration."""
    words = {part(name, "_", 1)[-1].lower(): name for name in members.__members__ for part in (str.split, str.rsplit)}
    near = get_close_matches(value.lower(), words, 1) if isinstance(value, str) else []
    return f"{members.__name__}.{words[near[0]]}" if near else f"a member of {members.__name__}"


def hint_for(option: str, value: Any) -> str:
    """Return a hint for the error message if an option's value is a word instead of a number, else ""."""
    members = OF_OPTIONS.get(option)
    return "" if members is None or not isinstance(value, str) else f"; use {member_for(members, value)}"


def within(kind: Kind, number: Any, least: Any, most: Any) -> Any:
    """Return `number`. Raises ArgumentError if it is not in the range from `least` to `most`."""
    if (least is not None and not number >= least) or (most is not None and not number <= most):
        raise ArgumentError(f"must be {kind}, not {number}")
    return number


def range_text(least: Any, most: Any) -> str:
    """Return a range in words, for error messages."""
    if least is None:
        return f"of at most {most}"
    return f"of at least {least}" if most in (None, math.inf) else f"from {least} to {most}"


def official_class(found: Any) -> str:
    """Return the name that MuJoCo's docstrings use for a type."""
    if found is None:
        return "None"
    if not isinstance(found, type):
        return "object"
    name = found.__name__
    if not found.__module__.startswith("conjoint."):
        return name
    return f"mujoco.{'_render' if name.startswith('Mjr') else '_structs'}.{name}"


def wrong(wanted: str, value: Any) -> TypeError:
    """Return the TypeError for `value`. The string `wanted` describes the type that the argument must have."""
    return TypeError(f"must be {wanted}, not {reprlib.repr(value)}")
