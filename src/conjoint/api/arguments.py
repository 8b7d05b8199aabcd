"""Arguments of the documented functions: what the annotations of a function say is checked before it runs.

Inputs may be anything that NumPy can turn into an array of the right shape; outputs are the caller's arrays, written in
place, and must have the exact type. A vector may also come as a matrix of one column.
"""

import functools
import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])


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
        array = self._own(value) if self.output else np.asarray(value, self.dtype)
        if len(self.shape) == 1 and array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        elif len(self.shape) == 2 and array.ndim == 1:
            array = array[:, np.newaxis]
        if len(array.shape) != len(self.shape) or any(
            wanted not in (None, n) for n, wanted in zip(array.shape, self.shape, strict=True)
        ):
            raise TypeError(f"must be {self}, not of shape {np.shape(value)}")
        return array

    def _own(self, value: Any) -> np.ndarray:
        """The caller's array, if it can be written in place."""
        if not isinstance(value, np.ndarray) or value.dtype != self.dtype or not value.flags.writeable:
            found = f"{value.dtype} array" if isinstance(value, np.ndarray) else type(value).__name__
            raise TypeError(f"must be {self}, not a {found}{' that is read-only' if 'array' in found else ''}")
        if len(self.shape) == 2 and not value.flags.c_contiguous:
            raise TypeError(f"must be {self}, contiguous and row-major")
        return value

    def __str__(self) -> str:
        kind = f"{'writable ' if self.output else ''}{np.dtype(self.dtype).name}"
        if len(self.shape) == 2:
            return f"a {kind} matrix"
        return f"a {kind} vector" if self.shape[0] is None else f"a {kind} vector of {self.shape[0]} elements"


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


def checked(function: F) -> F:
    """`function` with its arguments checked and converted as their annotations say; TypeError names a wrong one."""
    signature = inspect.signature(function)
    names = list(signature.parameters)
    converters = [_converter(parameter.annotation) for parameter in signature.parameters.values()]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != len(names):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        values = []
        for name, convert, value in zip(names, converters, args, strict=True):
            try:
                values.append(convert(value))
            except (TypeError, ValueError) as error:
                raise TypeError(f"{function.__name__}: {name} {error}") from None
        return function(*values)

    return call  # type: ignore[return-value]


def require(condition: bool, text: str) -> None:
    """Raise TypeError with `text` unless `condition`: for sizes that depend on other arguments."""
    if not condition:
        raise TypeError(text)


def _converter(annotation: Any) -> Callable[[Any], Any]:
    """The function that checks and converts an argument with this annotation."""
    for alternative in get_args(annotation):
        if isinstance(alternative, ArrayArgument):
            return alternative.convert
        if NoneType in get_args(annotation) and alternative is not NoneType:
            return _or_none(_converter(alternative))
    if annotation is int:
        return operator.index
    if annotation is float:
        return float
    if annotation is str:
        return _text
    return functools.partial(_instance, annotation)


def _or_none(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


def _text(value: Any) -> str:
    """A text; bytes are taken for UTF-8."""
    return value.decode() if isinstance(value, bytes) else _instance(str, value)


def _instance(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"must be of type {kind.__name__}, not {type(value).__name__}")
    return value
