"""Samples taken along a simulation: what the summary, the plot and `--record` are made from."""

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from conjoint.cli.control import numbers
from conjoint.cli.failure import InputError
from conjoint.cli.worlds import Worlds

STATE = ("time", "qpos", "qvel")
"""Recorded before a step: the state that the step starts from."""


def tree_roots(model: Any) -> list[int]:
    """Return the bodies at the roots of kinematic trees: they have dofs, and their ancestors have none."""
    moves, tree, parent = model.body_dofnum, model.body_treeid, model.body_parentid
    return [b for b in range(1, model.nbody) if moves[b] and tree[parent[b]] < 0]


class Recording:
    """Samples of every world; `arrays` holds them once `finish` was called.

    Arrays have shape (nsample, nworld, ...): `time` (s), `qpos`, `qvel`, `ctrl`, `ncon`, `energy` (J, potential
    and kinetic) and `height` (m), the height of the centre of mass of each kinematic tree.
    """

    def __init__(self, model: Any):
        self.trees = tree_roots(model)
        self.tree_names = [model.body(b).name or f"body {b}" for b in self.trees]
        self.samples: dict[str, list[np.ndarray]] = {name: [] for name in (*STATE, "ctrl", "ncon", "energy", "height")}
        self.arrays: dict[str, np.ndarray] = {}

    def before_step(self, worlds: Worlds, ctrl: np.ndarray) -> None:
        """Sample the state, and the controls about to be applied."""
        for name in STATE:
            self.samples[name].append(worlds.read(name))
        self.samples["ctrl"].append(np.array(ctrl))

    def after_step(self, worlds: Worlds) -> None:
        """Sample what the step computed for the sampled state."""
        self.samples["ncon"].append(worlds.read("ncon"))
        self.samples["energy"].append(worlds.read("energy"))
        self.samples["height"].append(worlds.read("subtree_com")[:, self.trees, 2])

    def finish(self) -> None:
        """Stack the samples."""
        self.arrays = {name: np.stack(samples) for name, samples in self.samples.items()}

    def save(self, path: Path, **about: Any) -> None:
        """Write the arrays and the facts `about` to a compressed NumPy archive; one world loses the axis of worlds."""
        one = self.arrays["time"].shape[1] == 1
        arrays = {name: array[:, 0] if one else array for name, array in self.arrays.items()}
        everything: dict[str, Any] = {"trees": np.array(self.tree_names), **arrays, **about}
        np.savez_compressed(path, **everything)


def read_recording(path: Path, model: Any) -> dict[str, np.ndarray]:
    """Time and state of every sample of a trajectory for `model`; of several worlds the first.

    Raises:
        InputError: `path` is no file that `save` wrote, is damaged, or is of another model.
    """
    if not path.is_file():
        raise InputError(f"--replay {path}: there is no such file; write one with conjoint simulate --record")
    try:
        with np.load(path) as archive:
            rows = {name: numbers(archive[name]) for name in STATE}
    except (OSError, ValueError, KeyError, IndexError, EOFError, TypeError, BadZipFile):
        raise InputError(f"--replay {path}: not a recording that conjoint simulate --record wrote") from None
    if rows["time"].ndim == 2:
        rows = {name: array[:, 0] for name, array in rows.items()}
    shapes = {name: array.shape for name, array in rows.items()}
    count = len(rows["time"]) if rows["time"].ndim else 0
    if shapes != {"time": (count,), "qpos": (count, model.nq), "qvel": (count, model.nv)}:
        wanted = f"(samples, {model.nq}) and (samples, {model.nv})"
        found = f"{shapes['qpos']} and {shapes['qvel']}"
        raise InputError(f"--replay {path}: a recording of another model: qpos and qvel are {found}, not {wanted}")
    if not count:
        raise InputError(f"--replay {path}: it holds no samples")
    for name, array in rows.items():
        bad = np.flatnonzero(~np.isfinite(array.reshape(count, -1)).all(axis=1))
        if len(bad):
            raise InputError(f"--replay {path}: {name} of sample {bad[0]} is not finite: the simulation diverged there")
    if (np.diff(rows["time"]) < 0).any():
        raise InputError(f"--replay {path}: its times do not rise")
    return rows
