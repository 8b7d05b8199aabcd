"""Argument checks, which compare the arguments of a call with the function's annotations before it runs.

An argument is declared once, in its annotation: its kind, the shape of an array, the range and unit of a number, or the
allowed words. Checks, error messages, guards in machine code, the signature line of the docstring and the type stubs
are all derived from the annotation. This module names declarations that several functions share.

    @checked
    def film(model: MjModel, nworld: WorldCount, fps: FrameRate = 30.0, precision: Precision = "float64") -> None: ...

    @checked(res="m.nv", vec="m.nv", body="m.nbody")
    def product(m: MjModel, d: MjData, res: OutVector, vec: Vector, body: int) -> None: ...

    seconds = given("export_page: fps", fps, FrameRate)

`film(model, 0)` raises `ArgumentError: film: nworld must be an integer of at least 1, not 0`. `film(model, "a")` raises
`TypeError: film: nworld must be an integer, not 'a'`. `checked` also accepts lengths that depend on other arguments,
and upper bounds of ids. `given` checks values other than arguments of checked functions, such as items of a dictionary,
attributes and command-line options. ArgumentError is a ValueError and a FatalError.
"""

import functools
import inspect
import itertools
import operator
import os
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin, overload

import numpy as np

from conjoint.api.argument_kinds import (
    CALLBACK,
    FILE_PATH,
    FLAG,
    INT32,
    NOT_CALLABLE,
    REAL,
    TEXT,
    Anything,
    Array,
    Choice,
    Instance,
    Integer,
    Kind,
    Member,
    Names,
    OrNone,
    Real,
)
from conjoint.lang.errors import ArgumentError
from conjoint.once import made_alike

F = TypeVar("F", bound=Callable[..., Any])

# ---- shared declarations

FileName = str | os.PathLike[str]

Unsigned = Annotated[int, Integer(signed=False)]
Long = Annotated[int, Integer(bits=64)]
Size = Annotated[int, Integer(bits=64, signed=False)]

WorldCount = Annotated[int, Integer(1, bits=64)]
Count = Annotated[int, Integer(0)]
StepCount = Annotated[int, Integer(0, bits=64)]
Positive = Annotated[int, Integer(1)]
ThreadCount = Positive
Seed = Annotated[int, Integer(0, bits=64)]
Side = Annotated[int, Integer(1, 16384)]
FrameRate = Annotated[float, Real(above=0, unit="1/s")]
Precision = Literal["float64", "float32"]
FieldNames = Annotated[Sequence[str], Names("qpos")]

Vector = Annotated[np.ndarray, Array((None,))]
Vector2 = Annotated[np.ndarray, Array((2,))]
Vector3 = Annotated[np.ndarray, Array((3,))]
Vector4 = Annotated[np.ndarray, Array((4,))]
Vector6 = Annotated[np.ndarray, Array((6,))]
Vector9 = Annotated[np.ndarray, Array((9,))]
Matrix = Annotated[np.ndarray, Array((None, None))]
Integers = Annotated[np.ndarray, Array((None,), dtype=np.int32)]
Groups = Annotated[np.ndarray, Array((6,), dtype=np.uint8)]
Floats = Annotated[np.ndarray, Array((None,), dtype=np.float32)]

OutVector = Annotated[np.ndarray, Array((None,), output=True)]
OutNumber = Annotated[np.ndarray, Array((1,), output=True)]
OutVector3 = Annotated[np.ndarray, Array((3,), output=True)]
OutVector4 = Annotated[np.ndarray, Array((4,), output=True)]
OutVector6 = Annotated[np.ndarray, Array((6,), output=True)]
OutVector9 = Annotated[np.ndarray, Array((9,), output=True)]
OutMatrix = Annotated[np.ndarray, Array((None, None), output=True)]
OutIntegers = Annotated[np.ndarray, Array((None,), output=True, dtype=np.int32)]
OutInteger = Annotated[np.ndarray, Array((1,), output=True, dtype=np.int32)]
OutFloats = Annotated[np.ndarray, Array((None,), output=True, dtype=np.float32)]
OutBytes = Annotated[np.ndarray, Array((None,), output=True, dtype=np.uint8)]

SIMPLE: dict[Any, Kind] = {
    int: INT32, float: REAL, bool: FLAG, str: TEXT, FileName: FILE_PATH, object: Anything(),
}  # fmt: skip
"""Kinds of plain types, which need no further declaration."""


def kind_of(annotation: Any) -> Kind:
    """Return the kind of arguments that have the given annotation."""
    kinds = get_args(annotation)
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    if NoneType in kinds:
        rest = functools.reduce(operator.or_, (kind for kind in kinds if kind is not NoneType))
        return OrNone(kind_of(rest))
    if get_origin(annotation) is Annotated:
        about = kinds[1]
        return about if isinstance(about, Kind) else Member(members=about)
    if get_origin(annotation) is Literal:
        return Choice(kinds)
    return CALLBACK if get_origin(annotation) is Callable else Instance(annotation)


# ---- checks


@overload
def checked(function: F, /) -> F: ...


@overload
def checked(**limits: str) -> Callable[[F], F]: ...


def checked(function: Any = None, /, **limits: str) -> Any:
    """Decorate a function so that its arguments are checked and converted according to their annotations.

    Models and worlds in one call must have equal sizes; otherwise the call raises FatalError.

    Args:
        function: the function.
        limits: limits by argument name. For an array, the lengths of its dimensions, separated by commas, or "size "
            and its number of elements. For an id, its exclusive upper bound. Limits are numbers or expressions of other
            arguments. An unknown name stands for a length that must be equal in all arrays that use the name.

    Raises:
        TypeError: in calls, an argument has a wrong type, or, in MuJoCo's functions, an array has a wrong length.
        ArgumentError: in calls, an argument is out of range.
    """
    if function is None:
        return functools.partial(_checked, limits)
    return _checked(limits, function)


def _checked(limits: Mapping[str, str], function: F) -> F:
    """Return a wrapper that checks and converts the arguments of a function, and then calls the function."""
    written = inspect.unwrap(function)
    code = written.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    form = Form(names, code.co_argcount)
    annotations = inspect.get_annotations(written, eval_str=True)
    # messages name a method without its class, as in `reset: seed must be ...`
    title = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    # `self` has no annotation
    kinds = {name: kind_of(annotations[name]) for name in names if name in annotations}
    rules = {
        name: (kind.exact, functools.partial(_converted, f"{title}: {name}", kind)) for name, kind in kinds.items()
    }
    sized = tuple(name for name, kind in kinds.items() if isinstance(kind, Instance) and kind.has_sizes)
    tests = tuple((name, kind.test(name)) for name, kind in kinds.items())
    direct = _limited(title, form, kinds, limits, function) if limits else function
    call = _wrapper(form, tests, sized)(direct, rules, functools.partial(_same_sizes, title))
    call.__defaults__, call.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
    wrapped: Any = functools.wraps(function)(call)
    wrapped.direct = direct
    wrapped.rules = tuple(kinds.get(name, SIMPLE[object]).rule() for name in names)
    return wrapped


def given(place: str, value: Any, annotation: Any) -> Any:
    """Check and convert a value as if it were an argument with this annotation.

    Args:
        place: start of error messages, which names a function and an argument, as in `"show: fps"`.
        value: value from the user.
        annotation: annotation that declares the argument.

    Raises:
        TypeError: the value has a wrong type.
        ArgumentError: the value is out of range.
    """
    return _converted(place, kind_of(annotation), value)


def _converted(place: str, kind: Kind, value: Any) -> Any:
    """Convert `value` to `kind`. Error messages begin with `place`, which names the argument."""
    try:
        return kind.convert(value)
    except TypeError as error:
        raise TypeError(NOT_CALLABLE if str(error) == NOT_CALLABLE else f"{place} {error}") from None
    except ArgumentError as error:
        raise ArgumentError(f"{place} {error}") from None


class Form(NamedTuple):
    """Argument names of a function, and the number of arguments that may be passed by position."""

    names: tuple[str, ...]
    positional: int

    def parameters(self) -> str:
        """Return the parameter list of the function as source text, without defaults."""
        by_name = self.names[self.positional :]
        return ", ".join((*self.names[: self.positional], *(("*", *by_name) if by_name else ())))

    def arguments(self) -> str:
        """Return, as source text, the argument list of a call that forwards all parameters."""
        by_name = (f"{name}={name}" for name in self.names[self.positional :])
        return ", ".join((*self.names[: self.positional], *by_name))


ARRAYS = {"_ndarray": np.ndarray} | {f"_{t}": np.dtype(t) for t in ("float64", "float32", "int32", "uint8")}
"""Global variables for the generated source text of array checks, by name."""


@made_alike
def _wrapper(form: Form, tests: tuple[tuple[str, str], ...], sized: tuple[str, ...]) -> Callable[..., Any]:
    """Return a factory of wrappers, which convert the arguments that fail a type test and then call another function.

    Each item of `tests` consists of an argument name and a Python expression that is true if the argument must be
    converted. All arguments named in `sized` must have equal sizes; otherwise kernels would access memory outside of
    the arrays. The wrappers are generated as source text, like the `__init__` of dataclasses, because a loop over the
    arguments takes as long as a pipeline stage.
    """
    lines = [
        "def bind(_function, _rules, _same_sizes, _type=type):",
        *(f" _exact_{name}, _convert_{name} = _rules[{name!r}]" for name, _ in tests),
        f" def call({form.parameters()}):",
        *(f"  if {test}: {name} = _convert_{name}({name})" for name, test in tests),
        *(f"  if {a}.sizes is not {b}.sizes: _same_sizes({a}, {b})" for a, b in itertools.pairwise(sized)),
        f"  return _function({form.arguments()})",
        " return call",
    ]
    return _bound(lines)


def _bound(lines: Sequence[str]) -> Callable[..., Any]:
    """Execute the lines of source text, and return the function `bind` that they define."""
    namespace: dict[str, Any] = dict(ARRAYS)
    exec(compile("\n".join(lines), "<arguments>", "exec"), namespace)
    return namespace["bind"]


def _same_sizes(function: str, a: Any, b: Any) -> None:
    """Raise ArgumentError if a model and a world, or two worlds, have different sizes."""
    if a.sizes != b.sizes:
        raise ArgumentError(f"{function}: the data was created for a model with other sizes")


# ---- limits that depend on other arguments


SIZE = "size "
"""Prefix of a limit that is the number of elements of an array of any shape."""


def _limited(
    title: str, form: Form, kinds: Mapping[str, Kind], limits: Mapping[str, str], function: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a wrapper that checks the limits of converted arguments, and then calls a function."""
    tests, lengths = {}, dict.fromkeys(form.names, "")
    for name, limit in limits.items():
        kind = kinds[name]
        optional, kind = (True, kind.kind) if isinstance(kind, OrNone) else (False, kind)
        if limit.startswith(SIZE):
            test = f"{name}.size != {limit.removeprefix(SIZE)}"
        elif isinstance(kind, Array):
            test = " or ".join(_length_tests(name, [part.strip() for part in limit.split(",")], lengths))
        else:
            test = f"not 0 <= {name} < {limit}"
        if test:
            tests[name] = f"{name} is not None and ({test})" if optional else test
    lines = ["def bind(_function, _refuse):", f" def call({form.parameters()}):"]
    for name, test in tests.items():
        lines.append(f"  if {test}: _refuse({name!r}, {name}, {_limit(limits[name].removeprefix(SIZE), lengths)})")
    refuse = functools.partial(_refuse, title, {name: limits[name] for name in tests})
    call = _bound([*lines, f"  return _function({form.arguments()})", " return call"])(function, refuse)
    call.__name__ = function.__name__
    return call


def _length_tests(name: str, wanted: Sequence[str], lengths: dict[str, str]) -> list[str]:
    """Return tests for the lengths of an array, as source text. `lengths` maps names of lengths to expressions."""
    tests = []
    for k, length in enumerate(wanted):
        found = f"len({name})" if k == 0 else f"{name}.shape[{k}]"
        if length.isidentifier() and length not in lengths:
            lengths[length] = found
        else:
            tests.append(f"{found} != {_limit(length, lengths)}")
    return tests


def _limit(limit: str, lengths: Mapping[str, str]) -> str:
    """Return a limit as a Python expression of the arguments."""
    return re.sub(r"(?<![\w.])[a-zA-Z]\w*", lambda found: lengths.get(found[0]) or found[0], limit)


def _refuse(title: str, limits: Mapping[str, str], name: str, value: Any, *wanted: int) -> None:
    """Raise the error for an argument that violates its limit. `wanted` is the value of the limit."""
    if not isinstance(value, np.ndarray):
        if not wanted[0]:
            raise ArgumentError(f"{title}: {name} is {value}, but the model has no such elements")
        raise ArgumentError(f"{title}: {name} must be an id from 0 to {wanted[0] - 1}, not {value} (out of range)")
    # as MuJoCo's functions do
    error = TypeError if title.startswith("mj") else ArgumentError
    limit = re.sub(r"\b[md]\.", "", limits[name])
    if limit.startswith(SIZE):
        here = "" if limit == f"{SIZE}{wanted[0]}" else f" = {limit.removeprefix(SIZE)}"
        raise error(f"{title}: {name} must have {wanted[0]}{here} elements, not {value.size}")
    said = f"({limit}{',' if len(wanted) == 1 else ''})"
    here = "" if str(wanted) == said else f", here {wanted}"
    raise error(f"{title}: {name} must have shape {said}{here}, not {value.shape}")


# ---- functions with two signatures

Chooses = Callable[[tuple[Any, ...], Mapping[str, Any]], bool]
"""Predicate on arguments that returns True if they match the newer signature."""


def newer_form(newer: Callable[..., Any], chooses: Chooses) -> Callable[[F], F]:
    """Decorate a function whose signature differs in newer MuJoCo versions. Calls that `chooses` accepts run `newer`.

    The public function accepts both signatures (`api.signature.public`).
    """

    def note(function: F) -> F:
        function.newer = newer, chooses  # type: ignore[attr-defined]
        return function

    return note


def both_forms(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that accepts both signatures, or `function` itself if it has only one signature."""
    forms = getattr(function, "newer", None)
    if forms is None:
        return function
    newer, chooses = forms

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return (newer if chooses(arguments, named) else function)(*arguments, **named)

    return call


# ---- assignment to arrays, and arrays of any shape


def store(name: str, array: np.ndarray, value: Any) -> None:
    """Copy a value into the array of field `name`.

    Raises:
        ValueError, TypeError: the value has a wrong shape, is too large, or does not consist of numbers. The message
            names the field.
    """
    try:
        array[...] = value
    except (ValueError, TypeError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(_not_stored(name, array, value, str(error))) from None


def _not_stored(name: str, array: np.ndarray, value: Any, reason: str) -> str:
    """Return the error message for a value that does not fit a field's array. `reason` is NumPy's message."""
    if not array.flags.writeable:
        return f"{name} cannot be written: stages use it as an index without checking it"
    if "broadcast" in reason:
        return f"{name}, of shape {array.shape}: {reason}"
    kind = "real numbers" if array.dtype.kind == "f" else f"integers ({array.dtype})"
    return f"{name}, of shape {array.shape}, contains {kind}, not {reprlib.repr(value)}"


def as_array(what: str, value: Any, dtype: type | None = None) -> np.ndarray:
    """Convert `value` to an array of any shape. Error messages call the value `what`.

    Raises:
        TypeError: the value is not an array, because rows differ in length or an item is not a number.
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
    """Raise TypeError with `text` unless `condition` is true. This checks sizes that depend on other arguments."""
    if not condition:
        raise TypeError(text)


def not_written(filename: Any, error: OSError | ValueError) -> str:
    """Return the error message for a file that cannot be written, given the exception."""
    reason = error.strerror if isinstance(error, OSError) else "its name contains a zero byte or a lone surrogate"
    return f"cannot write {filename!r}: {reason}"


def without_warnings(function: F) -> F:
    """Decorate a function to compute without NumPy's warnings. Results may become infinite or NaN, as in C."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return cast(F, call)
