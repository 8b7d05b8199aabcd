"""What annotations of arguments say: arrays and integers of a kind, and how a value becomes one.

Inputs may be anything that NumPy can turn into an array of the right shape; outputs are the caller's arrays, written in
place, and must have the exact type. A vector may also come as a matrix of one column.
"""

import operator
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.lang.routines.argument_rules import WHOLE, Rule

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
            raise wrong(str(self), value) from None

    def _own(self, value: Any) -> np.ndarray:
        """The caller's array, if it can be written in place."""
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
            raise wrong("an integer", value) from None
        if not self.least <= number <= self.most:
            raise wrong(str(self), number)
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


def wrong(wanted: str, value: Any) -> TypeError:
    """The error about an argument that must be `wanted`."""
    return TypeError(f"must be {wanted}, not {reprlib.repr(value)}")
