"""Finite differences of small models: all changes of all inputs are worlds that go through one call.

What a change leaves as it is is computed again, which costs less than to ask for less of a small step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.batch.pipeline import Share
from conjoint.lang.transfer import INTO, OUT_OF, FieldTransfer
from conjoint.physics import integrate
from conjoint.runtime.entry import entry

MOST_INPUTS = 64
"""Inputs up to which all differences are taken at once."""

integrate_rows = entry(integrate.integrate_rows, "int", "out real[]", "real[]", "real")
differentiate_rows = entry(integrate.differentiate_rows, "int", "out real[]", "real", "real[]", "real[]")


def control_ways(m: Any, ctrl: np.ndarray, eps: float, centered: bool) -> np.ndarray:
    """Whether each control can be changed by `eps` up, and down: (2, nu) truth values."""
    low, high = m.actuator_ctrlrange.T
    limited = m.actuator_ctrllimited.astype(bool)
    inside = (low <= ctrl) & (ctrl <= high)
    up = inside & (low <= ctrl + eps) & (ctrl + eps <= high)
    down = (centered | ~up) & inside & (low <= ctrl - eps) & (ctrl - eps <= high)
    return np.array([np.where(limited, up, True), np.where(limited, down, centered)])


class AtOnce:
    """The worlds of all changes: first those in which a number is larger, then those in which it is smaller.

    Numbers are controls, positions along each dof, velocities and activations, in this order.

    Args:
        m: the model.
        share: the stages of a step, and the worlds' way through the lanes; made by `worlds_of`.
        arrays: a row for each world of every field that goes in or comes out.
    """

    def __init__(self, m: Any, share: Share, arrays: dict[str, np.ndarray], due: np.ndarray):
        self.m, self.share, self.arrays, self.due = m, share, arrays, due
        self.count = m.nu + 2 * m.nv + m.na
        self.directions = np.eye(m.nv)
        first = {"ctrl": 0, "qvel": m.nu + m.nv, "act": m.nu + 2 * m.nv}
        sizes = {"ctrl": m.nu, "qvel": m.nv, "act": m.na}
        # each number of an input changes in a world of its own: they lie along diagonals
        self.changed = {
            name: [_diagonal(arrays[name], end + first[name], sizes[name]) for end in (0, self.count)]
            for name, size in sizes.items()
            if size
        }

    def slopes(self, d: Any, eps: float, centered: bool) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Differences of the outcomes over the size of the changes, a row for each number.

        Returns:
            which ways controls were changed; those of qpos, along the tangent space; those of the other results.
        """
        m, arrays = self.m, self.arrays
        for name, array in arrays.items():
            array[...] = d._world.data.view(name)
        ways = control_ways(m, arrays["ctrl"][0], eps, centered)
        h = np.full((self.count, 1), (1 + centered) * eps)
        h[: m.nu, 0] = np.maximum(ways.sum(axis=0), 1) * eps
        for name, (up, down) in self.changed.items():
            up += eps * ways[0] if name == "ctrl" else eps
            down -= eps * ways[1] if name == "ctrl" else eps * centered
        begin, end = m.nu, m.nu + m.nv
        qpos_up, qpos_down = arrays["qpos"][: self.count], arrays["qpos"][self.count :]
        integrate_rows(m._plan, m.nv, qpos_up[begin:end], self.directions, eps)
        if centered:
            integrate_rows(m._plan, m.nv, qpos_down[begin:end], self.directions, -eps)
        self._step()
        moved = np.empty((self.count, m.nv))
        differentiate_rows(m._plan, self.count, moved, 1.0, qpos_down, qpos_up)
        others = ("qvel", "act", "sensordata")
        found = {name: (arrays[name][: self.count] - arrays[name][self.count :]) / h for name in others}
        return ways, moved / h, found

    def _step(self) -> None:
        """One step of every world."""
        self.due[...] = 0
        self.share.transfer.begin(1)
        while answer := self.share.transfer.go_on():
            self.share.attend(answer)
        # who steps the world itself is told
        self.share.pipeline.warned.clear()

    def write(
        self, d: Any, eps: float, centered: bool, A: np.ndarray | None, B: np.ndarray | None, C: np.ndarray | None,
        D: np.ndarray | None,
    ) -> None:  # fmt: skip
        """Fill in derivatives, by state and controls, of the state and the sensors (see `mjd_transitionFD`)."""
        nu, nv = self.m.nu, self.m.nv
        ways, moved, others = self.slopes(d, eps, centered)
        for matrix, numbers in ((A, slice(nu, None)), (B, slice(nu))):
            if matrix is not None:
                matrix[:nv] = moved[numbers].T
                matrix[nv : 2 * nv] = others["qvel"][numbers].T
                matrix[2 * nv :] = others["act"][numbers].T
        if C is not None:
            C[...] = others["sensordata"][nu:].T
        if D is not None:
            D[...] = others["sensordata"][:nu].T
            # version 3.3.5 takes this difference the other way round
            D[:, ways.all(axis=0)] *= -1.0


def _diagonal(array: np.ndarray, first: int, count: int) -> np.ndarray:
    """Number i of row `first` + i of an array, for `count` numbers."""
    return array[first : first + count].reshape(-1)[:: count + 1]


def worlds_of(m: Any, pipeline: Any, view: Any, restored: list[str], width: int) -> AtOnce:
    """Worlds for all changes of the inputs of a model, through the lanes of a block.

    Args:
        m: the model.
        pipeline: a step, for the block.
        view: gives the memory of a field in the block.
        restored: fields that a step changes, or differences are taken of.
        width: worlds in the block.
    """
    nworld = 2 * (m.nu + 2 * m.nv + m.na)
    results = ("qpos", "qvel", "act", "sensordata")
    arrays = {name: np.zeros((nworld, len(np.atleast_2d(view(name))))) for name in dict.fromkeys([*restored, *results])}
    fields = []
    for name, array in arrays.items():
        ways = (INTO if name in restored else 0) | (OUT_OF if name in results else 0)
        if array.size:
            fields.append(FieldTransfer(array, view(name), ways))
    places = np.minimum(np.arange(-(-nworld // width) * width), nworld - 1).reshape(-1, width).astype(np.int64)
    due = np.zeros(1, np.int64)
    return AtOnce(m, pipeline.share(fields, places, due), arrays, due)
