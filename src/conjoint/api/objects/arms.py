"""Moment arms of tendons and of edges of flexes as newer versions show them: row after row, without what is zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.followed import follow
from conjoint.schema.version import STANDS_FOR


def is_packed(name: str) -> bool:
    """Return True if `ten_J` or `flexedge_J` is a vector without zeros in the version that is stood in for."""
    return STANDS_FOR.has(f"{name} without zeros")


def packed_rows_of(d: Any, name: str, rows: np.ndarray) -> np.ndarray:
    """The elements of a matrix that the model names, as a vector that is always the same, kept up to date.

    Args:
        d: the world.
        name: `ten_J` or `flexedge_J`, whose columns the model has under this name and `_colind`.
        rows: all of the matrix in the memory of the world, which may be compressed.
    """
    key = f"_packed_{name}"
    known: np.ndarray | None = d.__dict__.get(key)
    if known is not None:
        return known
    m = d.model
    columns = getattr(m, name + "_colind")
    number = np.repeat(np.arange(len(rows)), getattr(m, name + "_rownnz"))
    known = d.__dict__[key] = np.zeros(len(columns))

    def fill(d: Any) -> None:
        compressed = name == "flexedge_J" and d.model.plans.current.compressed
        known[:] = rows.reshape(-1)[: len(known)] if compressed else rows[number, columns]

    follow(d, key, fill)
    return known
