"""Public compressed matrices of a world: copies, computed on access from the solver's matrices.

The matrices are the transposed Jacobian and, for dual solvers, J M^-1 J' + R, which the solver stores only in part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.language.name import Name
from conjoint.runtime.entry import entry
from conjoint.runtime.on_demand import rows_that_meet
from conjoint.schema.memory import has_islands

_solve_M2_rows = entry(Name("conjoint.physics").inertia_matrix.factors.solve_M2_rows, "out real[]", "real[]", "int")

Matrix = dict[str, np.ndarray]
"""Compressed matrix: dict of arrays `rownnz`, `rowadr`, `colind`, optionally `rowsuper`, and "" for the elements."""


def is_compressed(d: Any) -> bool:
    """Return True if the constraint rows of a world are compressed."""
    return d.world.arena.layout.sizes["nefc_sparse"] > 0 and d.nefc > 0


def transpose(rownnz: np.ndarray, colind: np.ndarray, elements: np.ndarray, count: int) -> Matrix:
    """Return the transpose, with `count` rows, of a compressed matrix without gaps between rows."""
    rows = np.repeat(np.arange(len(rownnz), dtype=np.int32), rownnz)
    order = np.lexsort((rows, colind))
    number = np.bincount(colind, minlength=count).astype(np.int32)
    return _compressed(number, rows[order], elements[order])


def transposed_jacobian(d: Any) -> Matrix:
    """Return the compressed matrix `efc_JT`."""
    return transpose(d.efc_J_rownnz, d.efc_J_colind, d.efc_J, d.model.nv)


def transposed_islands(d: Any) -> Matrix | None:
    """Return the compressed matrix `iefc_JT`, sorted by islands, with dofs and rows numbered within each island."""
    if not has_islands(d.model.memory) or d.nisland == 0:
        return None
    parts = []
    first = 0
    for k in range(d.nisland):
        rows = slice(d.island_iefcadr[k], d.island_iefcadr[k] + d.island_nefc[k])
        number = d.iefc_J_rownnz[rows]
        end = first + int(number.sum())
        own = transpose(number, d.iefc_J_colind[first:end], d.iefc_J[first:end], int(d.island_nv[k]))
        own["rowadr"] += first
        parts.append(own)
        first = end
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def dual_matrix(d: Any) -> Matrix | None:
    """Return the compressed matrix `efc_AR`, or None if no dual solver has prepared it."""
    if d.nA == 0:
        return None
    runs, number = rows_that_meet(d.world)
    meet = np.repeat(np.repeat(runs, number, 0), number, 1)
    found, columns = np.nonzero(meet)
    number = np.bincount(found, minlength=len(meet)).astype(np.int32)
    parts = _compressed(number, columns.astype(np.int32), whole_dual_matrix(d)[meet])
    del parts["rowsuper"]
    return parts


def whole_dual_matrix(d: Any) -> np.ndarray:
    """Return the dense matrix J M^-1 J' + R of a world, nefc x nefc."""
    J = np.zeros((d.nefc, d.model.nv))
    if is_compressed(d):
        J[np.repeat(np.arange(d.nefc), d.efc_J_rownnz), d.efc_J_colind] = d.efc_J
    else:
        J[:] = d.efc_J.reshape(J.shape)
    half = J.copy()
    _solve_M2_rows(d.model.plans.current, d.world, half, np.sqrt(d.qLDiagInv), len(half))
    product = half @ half.T
    product[np.diag_indices(len(J))] += d.efc_R
    return product


def _compressed(number: np.ndarray, columns: np.ndarray, elements: np.ndarray) -> Matrix:
    """Return a compressed matrix without gaps. `rowsuper` counts the directly following rows with the same columns."""
    first = np.concatenate([np.zeros(1, np.int32), np.cumsum(number)[:-1]]).astype(np.int32)
    alike = np.zeros(len(number), np.int32)
    for i in range(len(number) - 2, -1, -1):
        own, next_row = (columns[first[k] : first[k] + number[k]] for k in (i, i + 1))
        if np.array_equal(own, next_row):
            alike[i] = alike[i + 1] + 1
    return {"rownnz": number, "rowadr": first, "rowsuper": alike, "colind": columns, "": elements}
