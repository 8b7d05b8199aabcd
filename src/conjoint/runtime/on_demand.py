"""Fields that no step depends on. They are computed when first read, and from then on in every step.

A program that has read such a field keeps its array, and expects the array to follow the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conjoint.physics import status
from conjoint.runtime.entry import entry
from conjoint.runtime.plan import Plan
from conjoint.runtime.position_stages import find_visited_boxes
from conjoint.runtime.world import World
from conjoint.schema.constants import mjNISLAND
from conjoint.schema.enums import mjtCone, mjtSolver
from conjoint.schema.semantics import EDITION_4

_find_boxes_3, _find_boxes_4 = map(entry, find_visited_boxes)


def find_boxes(plan: Plan, world: World) -> None:
    """Set `bvh_active` to the bounding volumes that the last collision stage visited."""
    find = _find_boxes_4 if int(plan.view("edition")) == EDITION_4 else _find_boxes_3
    find(plan, world)


def find_nonzeros(plan: Plan, world: World) -> None:
    """Set `solver_nnz` to the value of the last solve, for the whole world or for each island.

    For projected Gauss-Seidel, it counts the elements of `efc_AR`. For Newton's method with compressed rows, it counts
    the elements of the Hessian M + J' D J and of its Cholesky factor. The solver uses blocks of dofs
    (`solver.linear.sparsity`), in which some numbers are always zero. Only the numbers that follow from the structure
    of M and J are counted.
    """
    data, arena = world.data.view, world.arena.view
    if not data("nonzeros_pending"):
        return
    data("nonzeros_pending")[...] = 0
    if plan.view("opt.solver") == mjtSolver.mjSOL_PGS:
        find_elements(world)
        data("solver_nnz")[0] = data("nA")
        return
    apart = plan.view("opt.noslip_iterations") == 0 or int(plan.view("edition")) == EDITION_4
    by_island = data("nisland") > 0 and apart
    island = arena("dof_island") if by_island else np.zeros(world.sizes["nv"], int)
    # with elliptic cones there are two factors
    factors = 2 if plan.view("opt.cone") == mjtCone.mjCONE_ELLIPTIC else 1
    columns = count_columns(plan, world, factors)
    counted = np.bincount(island[island >= 0], columns[island >= 0], mjNISLAND).astype(int)[:mjNISLAND]
    if by_island:
        for k in range(min(int(data("nisland")), mjNISLAND)):
            # end of the island's elements of M: as in MuJoCo, elements of earlier islands are counted as well
            last = arena("island_idofadr")[k] + arena("island_nv")[k] - 1
            counted[k] += arena("iM_rowadr")[last] + arena("iM_rownnz")[last]
    else:
        counted[0] += world.sizes["nC"]
    data("solver_nnz")[...] = counted


def find_elements(world: World) -> None:
    """Set `nA` to the number of elements of `efc_AR`, if it has not been counted yet."""
    data = world.data.view
    if data("elements_pending"):
        data("elements_pending")[...] = 0
        meet, number = rows_that_meet(world)
        data("nA")[...] = int(number @ (meet @ number))


def rows_that_meet(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Find the pairs of constraint rows that have an element in `efc_AR`, because they move dofs of the same tree.

    The whole tree counts, because a force that moves a dof also moves the dofs below it.

    Returns:
        Square Boolean matrix, True where two groups meet; number of rows in each group. A group consists of consecutive
            rows that have the same columns.
    """
    arena = world.arena.view
    ends = np.flatnonzero(arena("efc_J_rowsuper")[: int(world.data.view("nefc"))] == 0)
    starts, lengths, tree = arena("efc_J_rowadr")[ends], arena("efc_J_rownnz")[ends], world.plan.view("dof_treeid")
    runs = np.repeat(np.arange(len(ends)), lengths)
    places = np.arange(len(runs)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
    trees = np.zeros((len(ends), world.sizes["ntree"]), np.float32)
    trees[runs, tree[arena("efc_J_colind").ravel()[places]]] = 1
    meet = trees @ trees.T > 0
    np.fill_diagonal(meet, True)
    return meet, np.diff(ends, prepend=-1)


def count_columns(plan: Plan, world: World, factors: int) -> np.ndarray:
    """Return the number of lower-triangle elements in each column, summed over J' D J and its factors.

    Elimination runs from the last dof to the first. It couples all dofs that precede the eliminated dof in its row. It
    is enough to couple them with the last one of them, the parent in the elimination tree (Davis, Direct Methods for
    Sparse Linear Systems, 2006, ch. 4).

    Args:
        plan: the model.
        world: the world after a solve.
        factors: number of factors.
    """
    nv, arena = world.sizes["nv"], world.arena.view
    coupled: list[set[int]] = [set() for _ in range(nv)]
    starts, lengths, colind = (arena(f"efc_J_{name}") for name in ("rowadr", "rownnz", "colind"))
    # only one of several neighbors with the same columns
    for r in np.flatnonzero(arena("efc_J_rowsuper")[: int(world.data.view("nefc"))] == 0):
        row = colind.ravel()[starts[r] : starts[r] + lengths[r]].tolist()
        for place, i in enumerate(row):
            coupled[i].update(row[: place + 1])
    ends = plan.view("M_rowadr") + plan.view("M_rownnz")
    above = [set(plan.view("M_colind")[a:b].tolist()) for a, b in zip(plan.view("M_rowadr"), ends, strict=True)]
    factor = [one | other for one, other in zip(coupled, above, strict=True)]
    for i in range(nv - 1, -1, -1):
        before = factor[i] - {i}
        if before:
            factor[max(before)] |= before
    elements = [j for rows in (coupled, *[factor] * factors) for row in rows for j in row]
    return np.bincount(np.array(elements, int), minlength=nv)


@dataclass(frozen=True)
class OnDemand:
    """A field that is computed on demand.

    Attributes:
        asked: name of the field that records requests for it.
        always: value of `requested` while a program refers to the array.
        answer: status of the stage that stops so that the field can be computed (`physics.status`).
        find: function that computes the field from the results of the last stage that it depends on.
    """

    requested: str
    always: int
    answer: int
    find: Callable[[Plan, World], None]


ON_DEMAND = {
    "bvh_active": OnDemand("volumes_requested", status.ALWAYS, status.VOLUMES_REQUESTED, find_boxes),
    "solver_nnz": OnDemand("nonzeros_requested", status.ALWAYS, status.NONZEROS_REQUESTED, find_nonzeros),
}
"""Fields that are computed on demand, by name."""

FINDERS = {field.answer: field.find for field in ON_DEMAND.values()}
"""Functions that compute a requested field, by the status of the stage that stops for the request."""


def follow(world: World, name: str) -> None:
    """Compute a field now and in every later step; no-op if the field is not computed on demand."""
    field = ON_DEMAND.get(name)
    if field is not None and not is_followed(world, name):
        field.find(world.plan, world)
        world.data.view(field.requested)[...] = field.always


def is_followed(world: World, name: str) -> bool:
    """Return True if the user refers to the array of a field that is computed on demand."""
    return int(world.data.view(ON_DEMAND[name].requested)) == ON_DEMAND[name].always
