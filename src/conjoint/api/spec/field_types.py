"""Types of the attributes of an editable model, which convert between stored form and public form.

A Spec stores numbers, words and tuples. Public values are ints, floats, enums, strings and NumPy arrays, as in MuJoCo.
"""

import math
import operator
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.argument_kinds import hint_for, member_for
from conjoint.lang.text import as_text, is_text
from conjoint.schema.version import STANDS_FOR

MOST_INT = 2**31 - 1
UNKNOWN_SIZE = 2**64 - 1
"""Public value of a size that is not specified."""
_PATHS = ("file", "meshdir", "texturedir", "modelfiledir")
"""Names of string attributes that are paths of files or folders."""
_LONG = ("memory", "nstack")
"""Names of sizes whose public values are unsigned 64-bit numbers."""


class WrongLength(ValueError):
    """Error for a list whose length differs from the length that newer versions require."""


def _mistyped(text: str) -> ValueError | TypeError:
    """Return the exception for a value of the wrong type: ValueError, or TypeError in newer versions."""
    return TypeError(text) if STANDS_FOR.moved else ValueError(text)


@dataclass(frozen=True, slots=True)
class Field:
    """Type of an element's attribute.

    Attributes:
        name: name of the attribute.
        type: "real", "int", "text", "enum" or "bytes"; "reals", "ints" or "words" for lists.
        size: fixed length of a list, or 0 for any length.
        enum: enumeration class if the type is "enum".
        single: whether the public value is rounded to single precision.
        missing: public value if nothing is stored.
    """

    name: str
    type: str
    size: int = 0
    enum: Any = None
    single: bool = False
    missing: Any = None

    def stored(self, value: Any) -> Any:
        """Convert `value` to the stored form of a Spec.

        Raises:
            ValueError: the value has the wrong type or length.
        """
        return _STORE[self.type](self, value)

    def checked(self, owner: Any, value: Any) -> Any:
        """Return `value` in stored form. Raises TypeError, whose message names the type of `owner`."""
        try:
            return self.stored(value)
        except WrongLength:
            raise
        except ValueError as error:
            raise TypeError(f"{type(owner).__name__}: {error}") from None

    def shown(self, value: Any) -> Any:
        """Return a stored value in public form. Lists are new objects."""
        return _SHOW[self.type](self, self.missing if value is None else value)

    @property
    def is_list(self) -> bool:
        """True if the public value is a list or array, which users can change in place."""
        return self.type in ("reals", "ints", "words")

    def list_stored(self, value: Any) -> Any:
        """Return the stored form of a list that users may have changed, or None if the list is still undefined."""
        stored = tuple(as_text(each, self.name) for each in value) if self.type == "words" else tuple(value.tolist())
        return None if self.size and self.missing is not None and _undefined(stored) else stored


@dataclass(frozen=True, slots=True)
class Polynomial(Field):
    """Stiffness or damping: three coefficients. In version 3.3.5, a single number if the other two are zero."""

    def stored(self, value: Any) -> Any:
        """Return all coefficients, given one to three numbers. Raises ValueError for any other value."""
        if np.ndim(value) == 0:
            return (_STORE["real"](self, value), *(0.0,) * (COEFFICIENTS - 1))
        if np.ndim(value) != 1 or not 1 <= len(value) <= COEFFICIENTS:
            raise ValueError(f"{self.name} should be a number, or a list/array of size 1 to {COEFFICIENTS}.")
        numbers = tuple(_STORE["real"](self, number) for number in value)
        return numbers + (0.0,) * (COEFFICIENTS - len(numbers))

    def shown(self, value: Any) -> Any:
        """Return the coefficients in public form."""
        return np.array(value) if STANDS_FOR.moved or any(value[1:]) else float(value[0])

    @property
    def is_list(self) -> bool:
        """True if the public value is a list or array, which users can change in place."""
        return STANDS_FOR.moved

    def list_stored(self, value: Any) -> Any:
        """Return the stored form of coefficients that users may have changed."""
        return self.stored(value)


@dataclass(frozen=True, slots=True)
class Letters(Field):
    """String of a fixed number of letters. Newer versions pad it with zeros and also accept a list."""

    def stored(self, value: Any) -> Any:
        """Return a keyword argument in stored form. Raises ValueError if the number of letters is wrong."""
        if not STANDS_FOR.moved:
            return _STORE["text"](self, value)
        letters = self._letters(value)
        if len(letters) != self.size:
            raise ValueError(f"{self.name} should have length {self.size}, not {len(letters)}.")
        return "".join(letters)

    def checked(self, owner: Any, value: Any) -> Any:
        """Return an assigned value in stored form. It may have fewer letters than `size`."""
        if not STANDS_FOR.moved:
            return super(Letters, self).checked(owner, value)
        letters = self._letters(value)
        if len(letters) > self.size:
            raise ValueError(f"{self.name} may have at most {self.size} characters")
        return "".join(letters)

    def _letters(self, value: Any) -> list[str]:
        """Return a string or a list of letters as a list. Raises ValueError for any other value."""
        letters = list(value) if isinstance(value, Iterable) else [value]
        if not all(is_text(letter) and len(letter) == 1 for letter in letters):
            raise ValueError(f"{self.name}: list elements must be single characters.")
        return [as_text(letter, self.name) for letter in letters]

    def shown(self, value: Any) -> Any:
        """Return the letters in public form."""
        text: str = _SHOW["text"](self, value)
        return text.ljust(self.size, "\0") if STANDS_FOR.moved else text


@dataclass(frozen=True, slots=True)
class Repeated(Field):
    """Type of a list attribute to which a single number may be assigned: the value of all entries."""

    def stored(self, value: Any) -> Any:
        """Return the value in stored form. Raises ValueError if it is neither a number nor a suitable list."""
        alone = isinstance(value, int | float | np.number)
        return _STORE[self.type](self, [float(value)] * self.size if alone else value)

    def checked(self, owner: Any, value: Any) -> Any:
        """Return the value in stored form, as `stored` does."""
        return self.stored(value)


COEFFICIENTS = 3
"""Number of coefficients of a polynomial, including the linear one."""


def _undefined(numbers: Sequence[Any]) -> bool:
    """Return True if the first number is NaN, which marks an undefined list."""
    return bool(numbers) and isinstance(numbers[0], float) and math.isnan(numbers[0])


class Words(list):
    """List of strings that does not support assignment to negative indices, as in MuJoCo."""

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, int) and index < 0:
            raise IndexError(f"index {index} is out of range")
        super().__setitem__(index, as_text(value, "a name") if isinstance(index, int) else value)


# --- conversion of users' values to stored form ---


def _real(field: Field, value: Any) -> float | None:
    try:
        number = float(value) if not isinstance(value, str) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise ValueError(f"{field.name} should be a number, not {value!r}.")
    undefined = math.isnan(number) and field.missing is not None and math.isnan(field.missing)
    return None if undefined else number


def _int(field: Field, value: Any) -> int:
    # NumPy booleans are accepted as numbers, like Python's
    given = value.item() if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 else value
    try:
        number = int(given) if isinstance(given, float) else operator.index(given)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or (isinstance(given, float) and number != given):
        raise ValueError(f"{field.name} should be a whole number, not {value!r}{hint_for(field.name, value)}.")
    if field.name in _LONG:
        if not -1 <= number <= UNKNOWN_SIZE:
            raise ValueError(f"{field.name} should be a number of 64 bits that is not negative, not {value!r}.")
        return -1 if number == UNKNOWN_SIZE else number
    if abs(number) > MOST_INT:
        raise ValueError(f"{field.name} should be a number of 32 bits, not {value!r}.")
    return number


def _text(field: Field, value: Any) -> str:
    if field.name in _PATHS and isinstance(value, os.PathLike):
        value = os.fspath(value)
    try:
        return as_text(value, field.name)
    except TypeError as error:
        raise ValueError(f"{error}.") from None


def _enum(field: Field, value: Any) -> int:
    if isinstance(value, field.enum):
        return int(value)
    if STANDS_FOR.moved:
        # newer versions accept integers as members
        with suppress(TypeError, ValueError):
            return int(field.enum(operator.index(value)))
    raise _mistyped(f"{field.name} is the wrong type: it should be {member_for(field.enum, value)}, not {value!r}.")


def _numbers(field: Field, value: Any) -> tuple | None:
    kind = float if field.type == "reals" else int
    plain = isinstance(value, (list, tuple)) and (not field.size or len(value) == field.size)
    if plain and all(type(number) is kind or (type(number) is int and number.bit_length() < 32) for number in value):
        # fast path for most values
        numbers = tuple(map(kind, value))
        return None if field.size and field.missing is not None and _undefined(numbers) else numbers
    try:
        array = np.asarray(value)
        if isinstance(value, str) or array.dtype.kind not in ("fiub" if array.size else "fiubO") or array.ndim == 0:
            raise TypeError
        with np.errstate(all="ignore"):
            if kind is int and not np.array_equal(array, array.astype(np.int32)):
                raise TypeError
    except (TypeError, ValueError, OverflowError):
        what = "should be a list/array." if field.size else "has the wrong type."
        raise _mistyped(f"{field.name} {what}") from None
    if field.size and array.size != field.size:
        raise ValueError(f"{field.name} should be a list/array of size {field.size}.")
    numbers = tuple(array.astype(kind).ravel().tolist())
    return None if field.size and field.missing is not None and _undefined(numbers) else numbers


def _words(field: Field, value: Any) -> tuple[str, ...]:
    plain = isinstance(value, Iterable) and not is_text(value)
    words = tuple(value) if plain else ()
    if not plain or not all(map(is_text, words)):
        raise _mistyped(f"{field.name} has the wrong type.")
    if field.size and STANDS_FOR.moved and len(words) != field.size:
        raise WrongLength(f"{field.name} must have exactly {field.size} elements, got {len(words)}")
    return tuple(as_text(word, field.name) for word in words)


def _bytes(field: Field, value: Any) -> bytes:
    try:
        # bytes(number) would create that many zero bytes
        if isinstance(value, int):
            raise TypeError
        return bytes(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{field.name} should be bytes.") from None


_STORE: dict[str, Any] = {
    "real": _real, "int": _int, "text": _text, "enum": _enum, "reals": _numbers, "ints": _numbers, "words": _words,
    "bytes": _bytes,
}  # fmt: skip

_SHOW: dict[str, Any] = {
    "real": lambda field, value: float(np.float32(value)) if field.single else float(value),
    "int": lambda field, value: int(value) % (UNKNOWN_SIZE + 1) if field.name in _LONG else int(value),
    "text": lambda field, value: value,
    "enum": lambda field, value: field.enum(value),
    "reals": lambda field, value: np.array(value, np.float32 if field.single else np.float64),
    "ints": lambda field, value: np.array(value, np.int32),
    "words": lambda field, value: Words(value),
    "bytes": lambda field, value: value,
}
