"""Values that users give, in the type that is wanted of them: numbers, texts, paths, arrays, objects.

What has another type is refused with a sentence that says what it must be, and what came.
"""

import enum
import operator
import reprlib
from typing import Any, get_args

import numpy as np

from conjoint.api.argument_kinds import INT32, wrong
from conjoint.lang.text import in_utf8, is_path, is_text, sought, written

NOT_CALLABLE = "callback is not an Optional[Callable]"
"""The official sentence, which programs compare with."""


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
    if not array.flags.writeable:
        return f"{name} cannot be written: stages follow it, without a look at it"
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
    raise wrong("a real number", value)


def truth(value: Any) -> bool:
    """True or False; numbers are taken for them."""
    if not isinstance(value, int | np.integer | np.bool_) or not 0 <= value <= 255:
        raise wrong("True or False", value)
    return bool(value)


def text_of(value: Any) -> str:
    """A text; bytes are taken for UTF-8."""
    if not is_text(value):
        raise wrong("a string", value)
    if isinstance(value, str) and not in_utf8(value):
        raise wrong("a string of whole characters", value)
    return sought(value)


def file_name(value: Any) -> Any:
    """The path of a file that is written."""
    if not is_path(value):
        raise wrong("a file name", value)
    return written(value)


def not_written(filename: Any, error: OSError | ValueError) -> str:
    """The sentence about a file that cannot be written; a name that no file can have is a ValueError."""
    reason = error.strerror if isinstance(error, OSError) else "its name has a zero, or half a character, in it"
    return f"cannot write {filename!r}: {reason}"


def callback(value: Any) -> Any:
    """Something that can be called."""
    if not callable(value):
        raise TypeError(NOT_CALLABLE)
    return value


def member(members: type[enum.IntEnum], value: Any) -> int:
    """A number that an enumeration names."""
    try:
        operator.index(value)
    except TypeError:
        ending = f"_{value}".upper()
        hint = next((f", such as {member}" for member in members if member.name.upper().endswith(ending)), "")
        raise wrong(f"a number of {members.__name__}{hint}", value) from None
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
