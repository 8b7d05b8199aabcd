"""Arguments of the documented functions: what the annotations of a function say is checked before it runs."""

import functools
import inspect
import itertools
import operator
import os
from collections.abc import Callable
from dataclasses import replace
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import numpy as np

from conjoint.api.argument_kinds import INT32, INT64, ArrayArgument, IntegerArgument
from conjoint.api.conversions import (
    NOT_CALLABLE,
    callback,
    file_name,
    instance,
    member,
    real_number,
    text_of,
    truth,
    whole_number,
)
from conjoint.lang.errors import FatalError
from conjoint.lang.routines.argument_rules import ANY, ARRAY, CONTIGUOUS, EXACT, WRITABLE, Rule
from conjoint.once import made_alike

F = TypeVar("F", bound=Callable[..., Any])
Convert = Callable[[Any], Any]
"""Gives an argument its type; raises TypeError with what it must be, and what came."""

FileName = str | os.PathLike[str]

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


def _rule(annotation: Any) -> Convert:
    """The function that checks and converts an argument with this annotation."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    kinds = get_args(annotation)
    if NoneType in kinds:
        return functools.partial(_or_none, _rule(_without_none(kinds)))
    if get_origin(annotation) is Annotated:
        about = kinds[1]
        return about.convert if isinstance(about, PLAIN) else functools.partial(member, about)
    if get_origin(annotation) is Callable:
        return callback
    return functools.partial(instance, annotation)


def _without_none(kinds: tuple[Any, ...]) -> Any:
    """The annotation of an argument that is not left out: what else a union has."""
    return functools.reduce(operator.or_, (kind for kind in kinds if kind != NoneType))


def _or_none(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


SIMPLE: dict[Any, Convert] = {
    int: whole_number, float: real_number, bool: truth, str: text_of, FileName: file_name, object: lambda value: value,
}  # fmt: skip
"""What is done with arguments of types that are not classes of this package."""
