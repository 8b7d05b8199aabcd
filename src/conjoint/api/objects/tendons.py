"""Tendon arrays that are computed on access: constraint rows, and moment arms without zeros.

Moment arms of flex edges are compressed in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conjoint.api.objects.followed import follow
from conjoint.api.objects.option import own_flags
from conjoint.schema.constants import PULLEY_POINT, SITE_POINT
from conjoint.schema.enums import mjtConstraint, mjtDisableBit, mjtEq, mjtWrap
from conjoint.schema.version import STANDS_FOR

NO_ROW = -1
"""Value of `tendon_efcadr` for a tendon without constraint rows."""

OF_TENDONS = (mjtConstraint.mjCNSTR_FRICTION_TENDON, mjtConstraint.mjCNSTR_LIMIT_TENDON)
"""Types of constraint rows whose `efc_id` is a tendon id."""


def tendon_rows(d: Any) -> np.ndarray:
    """Return `tendon_efcadr`: a tendon's first equality row, as in MuJoCo, else its first row of any type, else -1."""
    m = d.model
    first = np.full(m.ntendon, NO_ROW, np.int32)
    if d.nefc == 0:
        return first
    if not own_flags(m, "disableflags") & (mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_EQUALITY):
        for k in np.flatnonzero((m.eq_type == mjtEq.mjEQ_TENDON) & (d.eq_active != 0)).tolist():
            for t in (int(m.eq_obj1id[k]), int(m.eq_obj2id[k])):
                if t >= 0 and first[t] == NO_ROW:
                    first[t] = k
    for row in np.flatnonzero(np.isin(d.efc_type, OF_TENDONS)).tolist():
        t = d.efc_id[row]
        if first[t] == NO_ROW:
            first[t] = row
    # return a view because other fields of memory are views, too
    return first.view()


def packed_arms(d: Any) -> dict[str, np.ndarray]:
    """Return a dict with the compressed `ten_J`, under the key "", and its index arrays.

    Later calls of the pipeline update the arrays.
    """
    known = d.__dict__.get("_packed_arms")
    if known is None:
        n, nv = d.model.ntendon, d.model.nv
        index = {name: np.zeros(n, np.int32) for name in ("rownnz", "rowadr")}
        known = {"": np.zeros((n, nv)), "colind": np.zeros((n, nv), np.int32), **index}
        d.__dict__["_packed_arms"] = known
    follow(d, "ten_J", _fill_arms)
    return known


def _fill_arms(d: Any) -> None:
    """Update the compressed moment arms of tendons."""
    if not d.model.plans.current.compressed:
        return
    for name, numbers in compressed_arms(d, d.world.data.view("ten_J")).items():
        d._packed_arms[name][...] = numbers


def compressed_arms(d: Any, arms: np.ndarray) -> dict[str, np.ndarray]:
    """Return `ten_J` and its index arrays in compressed rows, whose columns are the dofs that move the current path.

    Args:
        d: the world.
        arms: dense moment arms of all tendons, shape (ntendon, nv).

    Returns:
        The elements under "", and `rownnz`, `rowadr`, `colind`, all in arrays of the uncompressed size.
    """
    m = d.model
    columns = [np.array(sorted(_dofs(d, t)), np.int32) for t in range(m.ntendon)]
    number = np.array([len(own) for own in columns], np.int32)
    index, elements = np.zeros((m.ntendon, m.nv), np.int32), np.zeros((m.ntendon, m.nv))
    total = int(number.sum())
    index.reshape(-1)[:total] = np.concatenate(columns)
    elements.reshape(-1)[:total] = np.concatenate([arms[t, own] for t, own in enumerate(columns)])
    return {"": elements, "rownnz": number, "rowadr": np.cumsum(number, dtype=np.int32) - number, "colind": index}


def _dofs(d: Any, t: int) -> set[int]:
    """Return the dofs that move an end of a segment of tendon t, even if they do not change the tendon length."""
    m = d.model
    parts = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
    if m.wrap_type[parts[0]] == mjtWrap.mjWRAP_JOINT:
        return {int(m.jnt_dofadr[m.wrap_objid[w]]) for w in parts}
    found: set[int] = set()
    for one, other in _pieces(d, t):
        if one != other:
            found |= dofs_that_move(m, one) | dofs_that_move(m, other)
    return found


def _pieces(d: Any, t: int) -> Iterator[tuple[int, int]]:
    """Yield the two bodies at the ends of each straight segment of spatial tendon t."""
    m = d.model
    site = int(m.tendon_adr[t])
    last = -1
    first = d.ten_wrapadr[t]
    for place in d.wrap_obj.reshape(-1)[first : first + d.ten_wrapnum[t]].tolist():
        if place == PULLEY_POINT:
            last = -1
            continue
        if place == SITE_POINT:
            while m.wrap_type[site] != mjtWrap.mjWRAP_SITE:
                site += 1
            body = int(m.site_bodyid[m.wrap_objid[site]])
            site += 1
        else:
            body = int(m.geom_bodyid[place])
        if last >= 0:
            yield last, body
        last = body


def dofs_that_move(m: Any, body: int) -> set[int]:
    """Return the dofs that move a body."""
    body = int(m.body_weldid[body])
    i = int(m.body_dofadr[body] + m.body_dofnum[body]) - 1 if m.body_dofnum[body] else -1
    chain = set()
    while i >= 0:
        chain.add(i)
        i = int(m.dof_parentid[i])
    return chain


def is_packed(name: str) -> bool:
    """Return True if matrix `name`, `ten_J` or `flexedge_J`, is a vector without zeros in the emulated version."""
    return STANDS_FOR.has(f"{name} without zeros")


def packed_rows_of(d: Any, name: str, rows: np.ndarray) -> np.ndarray:
    """Return a matrix's elements at the columns that the model lists, as a vector that later steps update.

    Args:
        d: the world.
        name: `ten_J` or `flexedge_J`. The model's field with the suffix `_colind` lists the columns.
        rows: the matrix in the memory of the world, dense or compressed.
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
