"""The inverse of the inertia matrix, without the matrix.

A tree of n dofs has n^2 elements of the inverse, but what a model keeps of it, its diagonal and the mobility of bodies,
takes a pass from the leaves to the roots and one back (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7, for
the articulated inertia; Rodriguez, Kreutz-Delgado and Jain, 1991, for the way back). Dofs of the same depth are treated
together. All spatial quantities of a tree refer to one point, so that nothing is shifted on the way.

With A the inertia of all that a dof i moves, which gives way at the dofs below, and S its motion:
U = A S, D = S' A S + armature, K = U / D; to its parent i adds A - U K'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from conjoint.compiler.arms import Arms
from conjoint.compiler.configuration import Configuration

FEW = 80
"""Dofs for which the matrix is inverted faster than the tree is walked."""
MOST_NUMBERS = 1 << 19
"""Numbers in a matrix of right sides that are solved together."""


class Inverse(Protocol):
    """Inverse of the inertia matrix.

    Attributes:
        diagonal: (nv,) its diagonal.
    """

    diagonal: np.ndarray

    def columns(self) -> np.ndarray:
        """(nv,) lengths of its columns."""

    def mobility(self, dofs: np.ndarray) -> np.ndarray:
        """(n, 6, 6) motion per unit of spatial force, of what moves with each of `dofs` and those above."""

    def times(self, forces: np.ndarray) -> np.ndarray:
        """(n, nv) accelerations due to n generalized forces."""


@dataclass(frozen=True)
class Level:
    """Dofs of the same depth.

    Attributes:
        dofs: ids.
        parents: ids of their parents, ascending; empty at the roots.
        starts: places in `parents` where another one begins.
        motion: (n, 6) motion S.
        gain: (n, 6) K.
        weight: (n,) 1 / D.
    """

    dofs: np.ndarray
    parents: np.ndarray
    starts: np.ndarray
    motion: np.ndarray
    gain: np.ndarray
    weight: np.ndarray

    def pass_up(self, target: np.ndarray, values: np.ndarray, axis: int = 0) -> None:
        """Add `values` of the dofs to `target` at their parents."""
        sums = np.add.reduceat(values, self.starts, axis=axis)
        target[(slice(None),) * axis + (self.parents[self.starts],)] += sums


class ArticulatedInverse:
    """Inverse of the inertia matrix with the armature of joints."""

    def __init__(self, at: Configuration):
        nv = at.m.nv
        self.diagonal = np.zeros(nv)
        self._mobility = np.zeros((nv, 6, 6))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.levels = _articulate(at)
            for level in self.levels:
                self._descend(level)
        # the inverse does not exist for trees with parallel joints without armature
        broken = at.m.dof_treeid[~np.isfinite(self.diagonal)]
        self.undefined = np.flatnonzero(np.isin(at.m.dof_treeid, broken)) if len(broken) else np.zeros(0, int)
        self.diagonal[self.undefined] = np.nan
        self._mobility[self.undefined] = np.nan

    def _descend(self, level: Level) -> None:
        """Diagonal and mobility of dofs below W, that of their parents: (1 - S K') W (1 - K S') + S S' / D."""
        if len(level.parents):
            above = self._mobility[level.parents]
            pushed = (above @ level.gain[:, :, None])[:, :, 0]
            diagonal = level.weight + (level.gain * pushed).sum(axis=1)
            half = level.motion * (diagonal / 2)[:, None] - pushed
            self._mobility[level.dofs] = above + _symmetric(level.motion, half)
        else:
            diagonal = level.weight
            self._mobility[level.dofs] = (level.motion * diagonal[:, None])[:, :, None] * level.motion[:, None, :]
        self.diagonal[level.dofs] = diagonal

    def mobility(self, dofs: np.ndarray) -> np.ndarray:
        """(n, 6, 6) motion per unit of spatial force, of what moves with each of `dofs` and those above."""
        return self._mobility[dofs]

    def columns(self) -> np.ndarray:
        """(nv,) lengths of the columns: of the accelerations of all dofs due to a unit force on one.

        Where a body accelerates by a and what is below has no forces, the squares of the accelerations there have the
        sum a' Q a; where a force f acts on a body, those of everything else, its own dof included, have the sum f' R f.
        Both matrices follow from those of the neighbours, Q on the way up and R on the way down.
        """
        nv = len(self.diagonal)
        below, own = np.zeros((nv, 6, 6)), np.zeros((nv, 6, 6))
        for level in reversed(self.levels):
            gain, total = level.gain, below[level.dofs]
            along = (total @ level.motion[:, :, None])[:, :, 0]
            half = gain * ((1 + (along * level.motion).sum(axis=1)) / 2)[:, None] - along
            own[level.dofs] = total + _symmetric(gain, half)
            if len(level.parents):
                level.pass_up(below, own[level.dofs])
        squares, elsewhere = np.zeros(nv), np.zeros((nv, 6, 6))
        for level in self.levels:
            dofs, motion, gain = level.dofs, level.motion, level.gain
            # of the body itself, due to a unit force on its dof
            moved = motion * self.diagonal[dofs, None]
            squares[dofs] = self.diagonal[dofs] ** 2
            if len(level.parents):
                mobility = self._mobility[level.parents]
                aside = below[level.parents] - own[dofs]
                around = elsewhere[level.parents] + mobility @ aside @ mobility
                pushed, left = ((matrix @ gain[:, :, None])[:, :, 0] for matrix in (mobility, around))
                moved -= pushed
                passed = (left * gain).sum(axis=1)
                squares[dofs] += passed
                elsewhere[dofs] = around + _symmetric(motion, motion * (passed / 2)[:, None] - left)
            elsewhere[dofs] += moved[:, :, None] * moved[:, None, :]
            squares[dofs] += ((below[dofs] @ moved[:, :, None])[:, :, 0] * moved).sum(axis=1)
        return np.sqrt(squares)

    def times(self, forces: np.ndarray) -> np.ndarray:
        """(n, nv) accelerations due to n generalized forces (articulated body algorithm, at rest)."""
        with np.errstate(invalid="ignore"):
            result = self._accelerations(forces)
        result[:, self.undefined] = np.nan
        return result

    def _accelerations(self, forces: np.ndarray) -> np.ndarray:
        result = np.zeros_like(forces)
        # on the way up, the force that the dofs below leave to each dof; on the way down, its acceleration
        spatial = np.zeros((*forces.shape, 6))
        for level in reversed(self.levels):
            below = spatial[:, level.dofs]
            left = forces[:, level.dofs] - (below * level.motion).sum(axis=2)
            result[:, level.dofs] = left * level.weight
            if len(level.parents):
                level.pass_up(spatial, below + left[:, :, None] * level.gain, axis=1)
        for level in self.levels:
            found = result[:, level.dofs]
            if len(level.parents):
                above = spatial[:, level.parents]
                found = found - (above * level.gain).sum(axis=2)
                spatial[:, level.dofs] = above + found[:, :, None] * level.motion
            else:
                spatial[:, level.dofs] = found[:, :, None] * level.motion
            result[:, level.dofs] = found
        return result


def _symmetric(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n, 6, 6) a b' + b a'."""
    product = a[:, :, None] * b[:, None, :]
    return product + product.transpose(0, 2, 1)


def _articulate(at: Configuration) -> list[Level]:
    """Levels from the roots to the leaves, with what is found on the way from the leaves to the roots."""
    m = at.m
    # bodies without dofs of their own move with those that they are fixed to
    inertia = np.zeros((m.nv, 6, 6))
    moving = np.flatnonzero(m.body_weldid)
    np.add.at(inertia, at.last_dof[moving], at.inertia[moving])
    levels: list[Level] = []
    for depth, dofs in reversed(list(enumerate(at.levels))):
        motion, own = at.axes[dofs], inertia[dofs]
        force = (own @ motion[:, :, None])[:, :, 0]
        weight = 1 / ((force * motion).sum(axis=1) + m.dof_armature[dofs])
        gain = force * weight[:, None]
        parents = m.dof_parentid[dofs] if depth else dofs[:0]
        starts = np.flatnonzero(np.diff(parents, prepend=-1))
        level = Level(dofs, parents, starts, motion, gain, weight)
        if depth:
            level.pass_up(inertia, own - force[:, :, None] * gain[:, None, :])
        levels.append(level)
    return levels[::-1]


class DenseInverse:
    """Inverse of an inertia matrix that is given: for few dofs, or where tendons with armature add to it."""

    def __init__(self, at: Configuration, inertia: np.ndarray):
        try:
            self.matrix = np.linalg.inv(inertia)
        except np.linalg.LinAlgError:
            self.matrix = _inverse_of_trees(at, inertia)
        self.diagonal = self.matrix.diagonal().copy()
        self._at = at

    def columns(self) -> np.ndarray:
        """(nv,) lengths of its columns."""
        return np.sqrt((self.matrix**2).sum(axis=0))

    def mobility(self, dofs: np.ndarray) -> np.ndarray:
        """(n, 6, 6) motion per unit of spatial force, of what moves with each of `dofs` and those above."""
        result = np.zeros((len(dofs), 6, 6))
        for i, dof in enumerate(dofs.tolist()):
            chain = self._at.chain(dof)
            motion = self._at.axes[chain]
            result[i] = motion.T @ self.matrix[chain[:, None], chain] @ motion
        return result

    def times(self, forces: np.ndarray) -> np.ndarray:
        """(n, nv) accelerations due to n generalized forces."""
        return forces @ self.matrix


def _inverse_of_trees(at: Configuration, inertia: np.ndarray) -> np.ndarray:
    """Inverse, NaN for trees that have none."""
    inverse = np.zeros_like(inertia)
    for tree in at.trees():
        try:
            inverse[tree, tree] = np.linalg.inv(inertia[tree, tree])
        except np.linalg.LinAlgError:
            inverse[tree, tree] = np.nan
    return inverse


def responses(inverse: Inverse, at: Configuration, arms: Arms) -> np.ndarray:
    """(count, 2) of every row J of `arms`: J inv(M) J', and the length of inv(M) J'."""
    result = np.zeros((arms.count, 2))
    if not len(arms.row):
        return result
    alone = np.bincount(arms.row, minlength=arms.count)[arms.row] == 1
    if alone.any():
        row, dof, value = arms.row[alone], arms.dof[alone], arms.value[alone]
        result[row, 0] = value**2 * inverse.diagonal[dof]
        result[row, 1] = np.abs(value) * inverse.columns()[dof]
    if not alone.all():
        _add_responses(inverse, at, arms.row[~alone], arms.dof[~alone], arms.value[~alone], result)
    return result


def _add_responses(
    inverse: Inverse, at: Configuration, row: np.ndarray, dof: np.ndarray, value: np.ndarray, result: np.ndarray
) -> None:
    """As `responses`, for rows of several numbers: some right sides at a time."""
    count, nv = len(result), at.m.nv
    # trees do not know of each other: one right side holds a row for each of them
    pairs, pair = np.unique(at.m.dof_treeid[dof] * count + row, return_inverse=True)
    tree_of, row_of = pairs // count, pairs % count
    slot_of = np.arange(len(pairs)) - np.searchsorted(tree_of, tree_of)
    slot, most = slot_of[pair], max(1, MOST_NUMBERS // nv)
    for first in range(0, int(slot.max()) + 1, most):
        here = (slot >= first) & (slot < first + most)
        forces = np.zeros((int(slot[here].max()) + 1 - first, nv))
        forces[slot[here] - first, dof[here]] = value[here]
        found = inverse.times(forces)
        owner_of_tree = np.full((len(forces), at.m.ntree), -1)
        chosen = (slot_of >= first) & (slot_of < first + most)
        owner_of_tree[slot_of[chosen] - first, tree_of[chosen]] = row_of[chosen]
        owner = owner_of_tree[:, at.m.dof_treeid]
        used = owner >= 0
        for column, terms in enumerate((forces * found, found * found)):
            result[:, column] += np.bincount(owner[used], terms[used], count)
    result[row, 1] = np.sqrt(result[row, 1])
