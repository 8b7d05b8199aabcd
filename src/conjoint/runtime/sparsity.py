"""Sparsity of the symmetric matrices `D` and `B` of `MjData`, which follows from the kinematic tree alone.

`D` has both triangles by rows, an element for every two dofs on a branch of the tree; `B` has one row per body with
the dofs that move it or that it carries. The lower triangle `M`, without zeros of simple dofs, is in `structure.py`.
"""

import numpy as np

from conjoint.lang.layout import Buffer
from conjoint.runtime.structure import ancestors

Rows = list[list[int]]
"""Columns of each row of a sparse matrix, ascending."""


def matrix_sparsity(model: Buffer) -> dict[str, np.ndarray]:
    """Sparsity fields by name: `D_*`, `B_*`, and the maps between the storage orders of `qM` and `D`."""
    parent = model.view("dof_parentid").tolist()
    full = symmetric_rows([ancestors(parent, i)[::-1] for i in range(len(parent))])
    fields = compressed("D", full) | compressed("B", body_rows(model))
    fields["D_diag"] = np.array([row.index(i) for i, row in enumerate(full)], np.int32)
    return fields | _maps(parent, model.view("dof_Madr").tolist(), full)


def symmetric_rows(lower: Rows) -> Rows:
    """Rows of a symmetric matrix with this lower triangle."""
    rows = [list(row) for row in lower]
    for i, row in enumerate(lower):
        for j in row[:-1]:
            rows[j].append(i)
    return rows


def body_rows(model: Buffer) -> Rows:
    """Rows of `B`: degrees of freedom of the ancestors, of the body, and of its subtree."""
    parent, adr, num = (model.view(f"body_{name}").tolist() for name in ("parentid", "dofadr", "dofnum"))
    own = [list(range(a, a + n)) for a, n in zip(adr, num, strict=True)]
    above: Rows = []
    for b, dofs in enumerate(own):
        above.append(above[parent[b]] + dofs if b else dofs)
    below: Rows = [[] for _ in own]
    for b in range(len(own) - 1, 0, -1):
        below[parent[b]] += own[b] + below[b]
    return [sorted(chain + subtree) for chain, subtree in zip(above, below, strict=True)]


def compressed(name: str, rows: Rows) -> dict[str, np.ndarray]:
    """Counts, addresses and columns of sparse rows, by field name."""
    rownnz = np.array([len(row) for row in rows], np.int32)
    rowadr = np.cumsum(rownnz, dtype=np.int32) - rownnz
    colind = np.array([j for row in rows for j in row], np.int32)
    return {f"{name}_rownnz": rownnz, f"{name}_rowadr": rowadr, f"{name}_colind": colind}


def _maps(parent: list[int], Madr: list[int], full: Rows) -> dict[str, np.ndarray]:
    """Addresses in `qM` of the elements of `D`, and in `D` of those of `qM`, by field name."""
    in_qM = {(i, j): Madr[i] + k for i in range(len(parent)) for k, j in enumerate(ancestors(parent, i))}
    in_D = {element: k for k, element in enumerate((i, j) for i, row in enumerate(full) for j in row)}
    mapM2D = [in_qM[max(i, j), min(i, j)] for i, j in in_D]
    mapD2M = [in_D[element] for element in in_qM]
    return {"mapM2D": np.array(mapM2D, np.int32), "mapD2M": np.array(mapD2M, np.int32)}
