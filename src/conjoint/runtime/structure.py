"""Sparsity of a model, found once when it is made: rows of `schema/plan.py`; `MjData` shows some of them, too.

Plain Python over the NumPy views of a buffer; the sizes nM, nC and nJmom come from `structure_sizes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.schema.enums import mjtJoint, mjtTrn, mjtWrap
from conjoint.schema.joints import NV

View = Callable[[str], Any]
"""Returns the array of a named field, as `Buffer.view` does."""


ROUND = (mjtWrap.mjWRAP_SPHERE, mjtWrap.mjWRAP_CYLINDER)
"""Path elements that a tendon wraps around."""


def ancestors(parents: Any, dof: int) -> list[int]:
    """The dof and its ancestors, descending."""
    chain = []
    while dof >= 0:
        chain.append(int(dof))
        dof = parents[dof]
    return chain


def tendon_dofs(view: View, tendon: int) -> list[int]:
    """The dofs that can move a tendon, ascending."""
    first = int(view("tendon_adr")[tendon])
    path = range(first, first + int(view("tendon_num")[tendon]))
    kinds, objects = view("wrap_type"), view("wrap_objid")
    if len(path) and kinds[first] == mjtWrap.mjWRAP_JOINT:
        return sorted({int(view("jnt_dofadr")[objects[w]]) for w in path})
    # spatial: every dof that moves a body on the path
    bodies = set()
    for w in path:
        if kinds[w] == mjtWrap.mjWRAP_SITE:
            bodies.add(int(view("site_bodyid")[objects[w]]))
        elif kinds[w] in ROUND:
            bodies.add(int(view("geom_bodyid")[objects[w]]))
    return sorted({dof for body in bodies for dof in body_dofs(view, body)})


def body_dofs(view: View, body: int) -> list[int]:
    """The dofs that move a body, descending."""
    while body > 0 and view("body_dofnum")[body] == 0:
        body = int(view("body_parentid")[body])
    if body == 0:
        return []
    return ancestors(view("dof_parentid"), int(view("body_dofadr")[body] + view("body_dofnum")[body] - 1))


def actuator_dofs(view: View, actuator: int) -> list[int]:
    """The dofs that an actuator can move, ascending; none for transmissions that are not computed yet."""
    kind = view("actuator_trntype")[actuator]
    target, other = view("actuator_trnid")[actuator].tolist()
    if kind in (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT):
        first = int(view("jnt_dofadr")[target])
        return list(range(first, first + NV[mjtJoint(int(view("jnt_type")[target]))]))
    if kind == mjtTrn.mjTRN_TENDON:
        return tendon_dofs(view, target)
    if kind in (mjtTrn.mjTRN_SITE, mjtTrn.mjTRN_SLIDERCRANK):
        # what moves both sites changes nothing between them
        bodies = view("site_bodyid")
        moving = set(body_dofs(view, int(bodies[target])))
        return sorted(moving.symmetric_difference(body_dofs(view, int(bodies[other])) if other >= 0 else ()))
    return []


def structure_sizes(view: View) -> tuple[int, int]:
    """(nM, nC): elements of `qM` and of `M`."""
    parents = view("dof_parentid")
    chains = [len(ancestors(parents, i)) for i in range(len(parents))]
    simple = view("dof_simplenum")
    return sum(chains), sum(1 if simple[i] else chain for i, chain in enumerate(chains))


def fill_structure(view: View) -> None:
    """Write the sparsity of M, tendons and actuators, and the bodies of motion capture, into the model's rows."""
    moved = np.flatnonzero(view("body_mocapid") >= 0)
    view("mocap_bodyid")[view("body_mocapid")[moved]] = moved
    parents, simple, address = view("dof_parentid"), view("dof_simplenum"), 0
    for i in range(len(parents)):
        chain = ancestors(parents, i)[: 1 if simple[i] else None]
        end = address + len(chain)
        view("M_rownnz")[i] = len(chain)
        view("M_colnnz")[chain[1:]] += 1
        view("M_rowadr")[i] = address
        view("M_colind")[address:end] = chain[::-1]
        view("mapM2M")[address:end] = view("dof_Madr")[i] + np.arange(len(chain))[::-1]
        address = end
    for t in range(len(view("ten_J_rownnz"))):
        dofs = tendon_dofs(view, t)
        view("ten_J_rownnz")[t] = len(dofs)
        view("ten_J_colind")[t, : len(dofs)] = dofs
    if len(view("wrap_side")):
        view("wrap_side")[...] = np.where(np.isin(view("wrap_type"), ROUND), np.rint(view("wrap_prm")), -1)
    address = 0
    for u in range(len(view("moment_rownnz"))):
        dofs = actuator_dofs(view, u)
        view("moment_rownnz")[u] = len(dofs)
        view("moment_rowadr")[u] = address
        view("moment_colind")[address : address + len(dofs)] = dofs
        address += len(dofs)
