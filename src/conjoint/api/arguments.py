"""Arguments of the documented functions: what the annotations of a function say is checked before it runs.

Inputs may be anything that NumPy can turn into an array of the right shape; outputs are the caller's arrays, written in
place, and must have the exact type. A vector may also come as a matrix of one column.
"""

import enum
import functools
import inspect
import itertools
import operator
import os
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import numpy as np

from conjoint.lang.errors import FatalError
from conjoint.lang.routines.argument_rules import ANY, ARRAY, CONTIGUOUS, EXACT, WHOLE, WRITABLE, Rule
from conjoint.lang.text import in_utf8, is_path, is_text, sought, written
from conjoint.once import made_alike

F = TypeVar("F", bound=Callable[..., Any])
Convert = Callable[[Any], Any]
"""Gives an argument its type; raises TypeError with what it must be, and what came."""

FileName = str | os.PathLike[str]

NOT_CALLABLE = "callback is not an Optional[Callable]"
"""The official sentence, which programs compare with."""


SEQUENCES = (list, tuple)
"""Types of Python's own sequences."""


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """An array that a function takes.

    Attributes:
        shape: lengths along one or two dimensions, None where any will do.
        output: whether the function writes to it.
        dtype: type of its elements.
    """

    shape: tuple[int | None, ...]
    output: bool = False
    dtype: type = np.float64

    def convert(self, value: Any) -> np.ndarray:
        """`value` as an array of `shape`, sharing memory if it is an output.

        Raises:
            TypeError: when it cannot be.
        """
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
        """An input as an array."""
        try:
            if type(value) in SEQUENCES and self.dtype is np.float64:
                # a double has every number of Python
                return np.array(value, np.float64)
            # a number that its type does not have, such as an integer for NaN, is refused
            with np.errstate(invalid="raise"):
                return np.asarray(value, self.dtype, order="C")
        except (TypeError, ValueError, OverflowError, FloatingPointError):
            raise _wrong(str(self), value) from None

    def _own(self, value: Any) -> np.ndarray:
        """The caller's array, if it can be written in place."""
        if not isinstance(value, np.ndarray):
            raise _wrong(str(self), value)
        if value.dtype != self.dtype:
            raise TypeError(f"must be {self}, not a {value.dtype} array")
        if not value.flags.writeable:
            raise TypeError(f"must be {self}, not one that is read-only")
        if not value.flags.c_contiguous:
            raise TypeError(f"must be {self}, contiguous and row-major")
        return value

    def test(self, name: str) -> str:
        """Python's test of whether the value of variable `name` is anything but such an array already."""
        shape = f"{name}.ndim != {len(self.shape)}" if None in self.shape else f"{name}.shape != {self.shape}"
        flag = "carray" if self.output else "c_contiguous"
        dtype = f"_{np.dtype(self.dtype).name}"
        return f"_type({name}) is not _ndarray or {name}.dtype is not {dtype} or {shape} or not {name}.flags.{flag}"

    def __str__(self) -> str:
        kind = f"{'writable ' if self.output else ''}{np.dtype(self.dtype).name}"
        if len(self.shape) == 2:
            return f"a {kind} matrix"
        return f"a {kind} vector" if self.shape[0] is None else f"a {kind} vector of {self.shape[0]} elements"


@dataclass(frozen=True, slots=True)
class IntegerArgument:
    """An integer that a function takes; without more words it has 32 bits and a sign, as all that are annotated as int.

    Attributes:
        bits: its bits.
        signed: whether it may be negative.
    """

    bits: int = 32
    signed: bool = True

    @property
    def least(self) -> int:
        """The smallest one."""
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def most(self) -> int:
        """The largest one."""
        return (1 << self.bits - self.signed) - 1

    def convert(self, value: Any) -> int:
        """`value`, of Python or NumPy, as an integer of Python. Raises TypeError: it is none, or too large."""
        try:
            number = operator.index(value)
        except TypeError:
            raise _wrong("an integer", value) from None
        if not self.least <= number <= self.most:
            raise _wrong(str(self), number)
        return number

    def rule(self) -> Rule:
        """What machine code looks at."""
        return Rule(WHOLE, int, lengths=(self.least, min(self.most, (1 << 63) - 1)))

    def test(self, name: str) -> str:
        """Python's test of whether the value of variable `name` is anything but such an integer of Python already."""
        return f"_type({name}) is not int or not {self.least} <= {name} <= {self.most}"

    def __str__(self) -> str:
        return f"an integer of {self.bits} bits{'' if self.signed else ' that is not negative'}"


INT32, INT64 = IntegerArgument(), IntegerArgument(64)

Unsigned = Annotated[int, IntegerArgument(signed=False)]
Long = Annotated[int, INT64]
Size = Annotated[int, IntegerArgument(64, signed=False)]

Vector = Annotated[np.ndarray, ArrayArgument((None,))]
Vector2 = Annotated[np.ndarray, ArrayArgument((2,))]
Vector3 = Annotated[np.ndarray, ArrayArgument((3,))]
Vector4 = Annotated[np.ndarray, ArrayArgument((4,))]
Vector6 = Annotated[np.ndarray, ArrayArgument((6,))]
Vector9 = Annotated[np.ndarray, ArrayArgument((9,))]
Matrix = Annotated[np.ndarray, ArrayArgument((None, None))]
Integers = Annotated[np.ndarray, ArrayArgument((None,), dtype=np.int32)]
Groups = Annotated[np.ndarray, ArrayArgument((6,), dtype=np.uint8)]
Floats = Annotated[np.ndarray, ArrayArgument((None,), dtype=np.float32)]

OutVector = Annotated[np.ndarray, ArrayArgument((None,), output=True)]
OutNumber = Annotated[np.ndarray, ArrayArgument((1,), output=True)]
OutVector3 = Annotated[np.ndarray, ArrayArgument((3,), output=True)]
OutVector4 = Annotated[np.ndarray, ArrayArgument((4,), output=True)]
OutVector6 = Annotated[np.ndarray, ArrayArgument((6,), output=True)]
OutVector9 = Annotated[np.ndarray, ArrayArgument((9,), output=True)]
OutMatrix = Annotated[np.ndarray, ArrayArgument((None, None), output=True)]
OutIntegers = Annotated[np.ndarray, ArrayArgument((None,), output=True, dtype=np.int32)]
OutInteger = Annotated[np.ndarray, ArrayArgument((1,), output=True, dtype=np.int32)]
OutFloats = Annotated[np.ndarray, ArrayArgument((None,), output=True, dtype=np.float32)]
OutBytes = Annotated[np.ndarray, ArrayArgument((None,), output=True, dtype=np.uint8)]


PLAIN = ArrayArgument, IntegerArgument
"""What annotations say of arguments that are no members of an enumeration."""


def checked(function: F) -> F:
    """`function` with its arguments checked and converted as their annotations say; TypeError names a wrong one.

    A model and worlds, which have `sizes`, must be of equal sizes; FatalError if they are not.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    annotations = inspect.get_annotations(function, eval_str=True)
    title = function.__qualname__.removesuffix(".__init__")
    rules = {}
    for name in names:
        # `self` has no annotation
        if name in annotations:
            annotation = annotations[name]
            exact = annotation if isinstance(annotation, type) else None
            rules[name] = exact, functools.partial(_converted, f"{title}: {name}", _rule(annotation))
    sized = tuple(name for name in rules if "sizes" in getattr(annotations[name], "__annotations__", ()))
    tests = tuple((name, _test(name, annotations[name])) for name in rules)
    call = _wrapper(names, tests, sized)(function, rules, functools.partial(_same_sizes, title))
    call.__defaults__ = function.__defaults__
    wrapped: Any = functools.wraps(function)(call)
    wrapped.rules = tuple(_guard_rule(annotations.get(name, object), name in sized) for name in names)
    return wrapped


def without_warnings(function: F) -> F:
    """`function` without warnings of NumPy: what is too large becomes infinite, and what has no value NaN, as in C."""
    code = function.__code__
    listed = ", ".join(code.co_varnames[: code.co_argcount])
    text = (
        "def bind(_function, _errstate):\n"
        f" def call({listed}):\n"
        '  with _errstate(all="ignore"):\n'
        f"   return _function({listed})\n"
        " return call"
    )
    namespace: dict[str, Any] = {}
    # in the module of the function, where its annotations are understood
    exec(compile(text, "<arguments>", "exec"), function.__globals__, namespace)
    call: Any = functools.update_wrapper(namespace["bind"](function, np.errstate), function)
    call.__defaults__ = function.__defaults__
    # there is nothing below it that could be called instead
    del call.__wrapped__
    return call


def _guard_rule(annotation: Any, sized: bool) -> Rule:
    """What an argument with this annotation must be to need no attention."""
    kinds = get_args(annotation)
    if NoneType in kinds:
        return replace(_guard_rule(_without_none(kinds), sized), optional=True)
    about = kinds[-1] if kinds and get_origin(annotation) is Annotated else None
    if isinstance(about, ArrayArgument):
        lengths = tuple(ANY if n is None else n for n in about.shape)
        flags = WRITABLE if about.output else CONTIGUOUS
        return Rule(ARRAY, np.dtype(about.dtype), flags=flags, ndim=len(lengths), lengths=lengths)
    if about is not None or annotation is int:
        return (about if isinstance(about, IntegerArgument) else INT32).rule()
    if annotation is object:
        return Rule()
    # what else there is, such as callables and texts, is looked at in Python
    return Rule(EXACT, annotation if isinstance(annotation, type) and annotation is not str else None, last=int(sized))


def _test(name: str, annotation: Any) -> str:
    """Python's test of whether argument `name` needs a call: most are of the very type that is asked for."""
    kinds = get_args(annotation)
    if NoneType in kinds:
        return f"{name} is not None and ({_test(name, _without_none(kinds))})"
    if kinds and isinstance(kinds[-1], ArrayArgument):
        return kinds[-1].test(name)
    if annotation is object:
        return "False"
    # members of an enumeration become plain numbers
    if get_origin(annotation) is Annotated or annotation is int:
        return (kinds[-1] if kinds and isinstance(kinds[-1], IntegerArgument) else INT32).test(name)
    # half characters, which are in no file, are looked for in Python
    whole = f" or not {name}.isascii()" if annotation is str else ""
    return f"_type({name}) is not _exact_{name}{whole}"


ARRAYS = {"_ndarray": np.ndarray} | {f"_{t}": np.dtype(t) for t in ("float64", "float32", "int32", "uint8")}
"""What tests of arrays refer to."""


@made_alike
def _wrapper(names: tuple[str, ...], tests: tuple[tuple[str, str], ...], sized: tuple[str, ...]) -> Callable[..., Any]:
    """Makes functions with these arguments that convert those of which a test says so, and call another one.

    Those that are `sized` must have equal sizes: kernels would reach into other memory.

    They are written as text, as dataclasses write their `__init__`: a loop over the arguments takes as long as a stage.
    """
    listed = ", ".join(names)
    lines = [
        "def bind(_function, _rules, _same_sizes, _type=type):",
        *(f" _exact_{name}, _convert_{name} = _rules[{name!r}]" for name, _ in tests),
        f" def call({listed}):",
        *(f"  if {test}: {name} = _convert_{name}({name})" for name, test in tests),
        *(f"  if {a}.sizes is not {b}.sizes: _same_sizes({a}, {b})" for a, b in itertools.pairwise(sized)),
        f"  return _function({listed})",
        " return call",
    ]
    namespace: dict[str, Any] = dict(ARRAYS)
    exec(compile("\n".join(lines), "<arguments>", "exec"), namespace)
    return namespace["bind"]


def _converted(place: str, convert: Convert, value: Any) -> Any:
    """`value` in the type of the argument at `place`."""
    try:
        return convert(value)
    except TypeError as error:
        raise TypeError(NOT_CALLABLE if str(error) == NOT_CALLABLE else f"{place} {error}") from None


def _same_sizes(function: str, a: Any, b: Any) -> None:
    """Refuse a model and a world, or two worlds, of different sizes."""
    if a.sizes != b.sizes:
        raise FatalError(f"{function}: the data was made for a model of other sizes")


def store(name: str, array: np.ndarray, value: Any) -> None:
    """Copy `value` into the array of a field.

    Raises:
        ValueError, TypeError: it has another shape, is not numbers, or too large; the text names the field.
    """
    try:
        array[...] = value
    except (ValueError, TypeError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(_not_stored(name, array, value, str(error))) from None


def _not_stored(name: str, array: np.ndarray, value: Any, reason: str) -> str:
    """The sentence about a `value` that the array of a field cannot take; `reason` is NumPy's."""
    if "broadcast" in reason:
        return f"{name}, of shape {array.shape}: {reason}"
    kind = "real numbers" if array.dtype.kind == "f" else f"integers ({array.dtype})"
    return f"{name}, of shape {array.shape}, holds {kind}, not {reprlib.repr(value)}"


def as_array(what: str, value: Any, dtype: type | None = None) -> np.ndarray:
    """`value`, called `what` in messages, as an array.

    Raises:
        TypeError: it is none: rows differ in length, or something in it is no number.
    """
    try:
        with np.errstate(invalid="raise"):
            array = np.asarray(value, dtype)
    except (TypeError, ValueError, OverflowError, FloatingPointError, RecursionError):
        raise TypeError(f"{what} must be an array of numbers, not {reprlib.repr(value)}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} must be an array of numbers, not {reprlib.repr(value)}")
    return array


def require(condition: bool, text: str) -> None:
    """Raise TypeError with `text` unless `condition`: for sizes that depend on other arguments."""
    if not condition:
        raise TypeError(text)


def _rule(annotation: Any) -> Convert:
    """The function that checks and converts an argument with this annotation."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    kinds = get_args(annotation)
    if NoneType in kinds:
        return functools.partial(_or_none, _rule(_without_none(kinds)))
    if get_origin(annotation) is Annotated:
        about = kinds[1]
        return about.convert if isinstance(about, PLAIN) else functools.partial(_member, about)
    if get_origin(annotation) is Callable:
        return _callable
    return functools.partial(instance, annotation)


def _without_none(kinds: tuple[Any, ...]) -> Any:
    """The annotation of an argument that is not left out: what else a union has."""
    return functools.reduce(operator.or_, (kind for kind in kinds if kind != NoneType))


def _or_none(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _wrong(wanted: str, value: Any) -> TypeError:
    """The error about an argument that must be `wanted`."""
    return TypeError(f"must be {wanted}, not {reprlib.repr(value)}")


def whole_number(value: Any) -> int:
    """An integer of 32 bits, of Python or NumPy."""
    return INT32.convert(value)


def real_number(value: Any) -> float:
    """A real number; a text is none."""
    try:
        if not isinstance(value, str | bytes):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise _wrong("a real number", value)


def _truth(value: Any) -> bool:
    """True or False; numbers are taken for them."""
    if not isinstance(value, int | np.integer | np.bool_) or not 0 <= value <= 255:
        raise _wrong("True or False", value)
    return bool(value)


def _text(value: Any) -> str:
    """A text; bytes are taken for UTF-8."""
    if not is_text(value):
        raise _wrong("a string", value)
    if isinstance(value, str) and not in_utf8(value):
        raise _wrong("a string of whole characters", value)
    return sought(value)


def _file_name(value: Any) -> Any:
    """The path of a file that is written."""
    if not is_path(value):
        raise _wrong("a file name", value)
    return written(value)


def not_written(filename: Any, error: OSError | ValueError) -> str:
    """The sentence about a file that cannot be written; a name that no file can have is a ValueError."""
    reason = error.strerror if isinstance(error, OSError) else "its name has a zero, or half a character, in it"
    return f"cannot write {filename!r}: {reason}"


def _callable(value: Any) -> Any:
    if not callable(value):
        raise TypeError(NOT_CALLABLE)
    return value


def _member(members: type[enum.IntEnum], value: Any) -> int:
    """A number that an enumeration names."""
    try:
        operator.index(value)
    except TypeError:
        ending = f"_{value}".upper()
        hint = next((f", such as {member}" for member in members if member.name.upper().endswith(ending)), "")
        raise _wrong(f"a number of {members.__name__}{hint}", value) from None
    return INT32.convert(value)


def instance(kind: type, value: Any) -> Any:
    """`value`, an object of this class; one of a class of the same name of another package is none.

    Raises:
        TypeError: it is not; the text begins with "must be".
    """
    if isinstance(value, kind):
        return value
    # a union has no name, but its types have
    wanted, came = " or ".join(each.__name__ for each in get_args(kind) or (kind,)), type(value).__name__
    if get_args(kind) or wanted != came:
        raise TypeError(f"must be of type {wanted}, not {'None' if value is None else came}")
    wanted, came = (f"{each.__module__.partition('.')[0]}.{each.__name__}" for each in (kind, type(value)))
    if wanted != came:
        raise TypeError(f"must be of type {wanted}, not {came}")
    raise TypeError(
        f"must be of type {wanted} of this import: it belongs to another import of the package in the same program "
        "(a reload, or a second copy on sys.path); make it anew with the functions it is used with"
    )


SIMPLE: dict[Any, Convert] = {
    int: whole_number, float: real_number, bool: _truth, str: _text, FileName: _file_name, object: lambda value: value,
}  # fmt: skip
"""What is done with arguments of types that are not classes of this package."""
