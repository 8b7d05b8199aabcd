"""Declarations of fields of newer versions, each with a description and a function that computes the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from conjoint.lang.memory.layout import COMPONENTS, INTEGERS, Field


class Made(NamedTuple):
    """Field that is computed on access.

    Attributes:
        field: schema row that describes the field, in the same form as for fields in memory.
        make: function that computes the field from its model or world; None if the field always has its default value.
    """

    field: Field
    make: Callable[[Any], Any] | None = None

    def read(self, owner: Any, size_of: Callable[[str], int]) -> Any:
        """Return the value of the field in a model or world: a number, or a read-only array.

        Args:
            owner: the model or the world.
            size_of: function that returns the length of a named dimension.
        """
        kind = self.field.kind
        value: Any = self.field.default if self.make is None else self.make(owner)
        if not self.field.shape:
            return bool(value) if kind == "bool" else int(value)
        shape = [size if isinstance(size, int) else size_of(size) for size in self.field.shape]
        shape += [COMPONENTS[kind]] if COMPONENTS[kind] > 1 else []
        dtype = INTEGERS.get(kind, np.float64)
        array = np.full(shape, value, dtype) if self.make is None else np.array(value, dtype).reshape(shape)
        # return a view because arrays of fields in memory are views, too
        array = array.view()
        array.flags.writeable = False
        return array


def made(declared: str, make: Callable[[Any], Any]) -> Made:
    """Declare a field that is computed from other fields.

    Args:
        declared: kind, name and sizes, then the meaning after a colon, as in `"int tree_dofnum ntree: number of dofs"`.
        make: function that computes the field from its model or world.
    """
    head, _, meaning = declared.partition(": ")
    return Made(_field(head, None, meaning), make)


def constant(default: float, declared: str) -> tuple[Made, ...]:
    """Declare fields that Conjoint does not use and that always have their default value.

    Args:
        default: value of all elements.
        declared: kind, name and sizes of each field, with commas between the fields.
    """
    meaning = f"not used here: always {default}"
    return tuple(Made(_field(each, default, meaning)) for each in declared.split(","))


def _field(declared: str, default: float | None, meaning: str) -> Field:
    """Return the schema row of a field, given a text with its kind, name and sizes."""
    kind, name, *sizes = declared.split()
    shape = tuple(int(size) if size.isdigit() else size for size in sizes)
    return Field(name, kind, shape, default, "", "", meaning)


def packed_rows(number: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Concatenate the first elements of each row of a matrix.

    Args:
        number: number of elements to use from each row.
        columns: the matrix, with one row per element of `number`.
    """
    return columns[np.arange(columns.shape[1]) < number[:, np.newaxis]]


def starts(number: np.ndarray) -> np.ndarray:
    """Return the start addresses of packed rows with the lengths `number`."""
    return np.cumsum(number, dtype=np.int32) - number
