"""Moment arms: rows with a number for each dof, of which few are not zero."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

Integers = np.ndarray
Reals = np.ndarray


@dataclass(frozen=True)
class Arms:
    """Rows of moment arms.

    Attributes:
        count: number of rows.
        row, dof, value: of every number that may differ from zero, by rows, a dof at most once in a row.
    """

    count: int
    row: Integers
    dof: Integers
    value: Reals

    @staticmethod
    def sum(count: int, row: Integers, dof: Integers, value: Reals) -> Arms:
        """Rows of numbers in any order; those of one row and dof are added."""
        if not len(row):
            return replace(NO_ARMS, count=count)
        width = int(dof.max()) + 1
        keys = row * width + dof
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        another = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=another[1:])
        starts = np.flatnonzero(another)
        row, dof = np.divmod(keys[starts], width)
        return Arms(count, row, dof, np.add.reduceat(value[order], starts))

    def of(self, row: int) -> tuple[Integers, Reals]:
        """Dofs and numbers of one row."""
        first, last = np.searchsorted(self.row, (row, row + 1))
        return self.dof[first:last], self.value[first:last]

    def dense(self, nv: int) -> Reals:
        """(count, nv) matrix."""
        matrix = np.zeros((self.count, nv))
        matrix[self.row, self.dof] = self.value
        return matrix


NO_ARMS = Arms(0, np.zeros(0, int), np.zeros(0, int), np.zeros(0))
"""No rows."""
