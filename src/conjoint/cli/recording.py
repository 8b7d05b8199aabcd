"""Simulation samples for the summary, the `--plot` plot, and the `--record` file."""

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from conjoint.cli.control import numbers
from conjoint.cli.failure import InputError
from conjoint.cli.worlds import Worlds
from conjoint.lang.optional_packages import need

STATE = ("time", "qpos", "qvel")
"""State fields that are sampled before each step."""


def tree_roots(model: Any) -> list[int]:
    """Return the root bodies of kinematic trees, which have dofs while their ancestors have none."""
    moves, tree, parent = model.body_dofnum, model.body_treeid, model.body_parentid
    return [b for b in range(1, model.nbody) if moves[b] and tree[parent[b]] < 0]


class Recording:
    """Samples of every world; `finish` stores them in `arrays`.

    Arrays have shape (nsample, nworld, ...): `time` (s), `qpos`, `qvel`, `ctrl`, `ncon`, `energy` (J, potential
    and kinetic) and `height` (m), the height of the center of mass of each kinematic tree.
    """

    def __init__(self, model: Any):
        self.trees = tree_roots(model)
        self.tree_names = [model.body(b).name or f"body {b}" for b in self.trees]
        self.samples: dict[str, list[np.ndarray]] = {name: [] for name in (*STATE, "ctrl", "ncon", "energy", "height")}
        self.arrays: dict[str, np.ndarray] = {}

    def before_step(self, worlds: Worlds, ctrl: np.ndarray) -> None:
        """Sample the state before a step, and the controls of the step."""
        for name in STATE:
            self.samples[name].append(worlds.read(name))
        self.samples["ctrl"].append(np.array(ctrl))

    def after_step(self, worlds: Worlds) -> None:
        """Sample the results that the step computed for the sampled state."""
        self.samples["ncon"].append(worlds.read("ncon"))
        self.samples["energy"].append(worlds.read("energy"))
        self.samples["height"].append(worlds.read("subtree_com")[:, self.trees, 2])

    def finish(self) -> None:
        """Stack the samples into `arrays`."""
        self.arrays = {name: np.stack(samples) for name, samples in self.samples.items()}

    def save(self, path: Path, **about: Any) -> None:
        """Write the arrays and the metadata `about` to a compressed NumPy archive.

        The arrays have no world axis if there is only one world.
        """
        one = self.arrays["time"].shape[1] == 1
        arrays = {name: array[:, 0] if one else array for name, array in self.arrays.items()}
        everything: dict[str, Any] = {"trees": np.array(self.tree_names), **arrays, **about}
        np.savez_compressed(path, **everything)


def read_recording(path: Path, model: Any) -> dict[str, np.ndarray]:
    """Return times and states of all samples of a recording for `model`; if it has several worlds, of the first one.

    Raises:
        InputError: `path` was not written by `save`, is damaged, or was recorded from a different model.
    """
    if not path.is_file():
        raise InputError(f"--replay {path}: the file does not exist; create one with conjoint simulate --record")
    try:
        with np.load(path) as archive:
            rows = {name: numbers(archive[name]) for name in STATE}
    except (OSError, ValueError, KeyError, IndexError, EOFError, TypeError, BadZipFile):
        raise InputError(f"--replay {path}: not a recording of conjoint simulate --record") from None
    if rows["time"].ndim == 2:
        rows = {name: array[:, 0] for name, array in rows.items()}
    shapes = {name: array.shape for name, array in rows.items()}
    count = len(rows["time"]) if rows["time"].ndim else 0
    if shapes != {"time": (count,), "qpos": (count, model.nq), "qvel": (count, model.nv)}:
        wanted = f"(samples, {model.nq}) and (samples, {model.nv})"
        found = f"{shapes['qpos']} and {shapes['qvel']}"
        raise InputError(f"--replay {path}: a recording of another model: qpos and qvel are {found}, not {wanted}")
    if not count:
        raise InputError(f"--replay {path}: it contains no samples")
    for name, array in rows.items():
        bad = np.flatnonzero(~np.isfinite(array.reshape(count, -1)).all(axis=1))
        if len(bad):
            raise InputError(
                f"--replay {path}: {name} of sample {bad[0]} is not finite: the simulation diverged at this time"
            )
    if (np.diff(rows["time"]) < 0).any():
        raise InputError(f"--replay {path}: its times do not increase")
    return rows


MAX_LINES = 6
"""Maximum number of kinematic trees that are plotted as separate lines. More trees are plotted as a band."""


def check_plot_file(path: Path) -> None:
    """Check before the simulation that the plot can be written.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InputError: matplotlib does not support the format.
    """
    need("plot", "--plot")
    from matplotlib.figure import Figure

    known = sorted(Figure().canvas.get_supported_filetypes())
    if path.suffix.lstrip(".").lower() not in known:
        raise InputError(f"--plot {path}: the name must end in one of .{', .'.join(known)}")


def draw_plot(recording: Recording, title: str, path: Path) -> None:
    """Draw the recording and write it to `path`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8), layout="constrained")
    heights, contacts, energy = figure.subplots(3, 1, sharex=True)
    figure.suptitle(title)
    arrays = recording.arrays
    # time restarts after an automatic reset, so use the sample's index in the run
    time = np.arange(len(arrays["time"])) * sample_interval(arrays["time"][:, 0])

    draw_heights(heights, time, arrays["height"], recording.tree_names)
    draw_spread(contacts, time, arrays["ncon"], "C1", "contacts")
    contacts.set_ylabel("contacts")
    potential, kinetic = arrays["energy"][..., 0], arrays["energy"][..., 1]
    draw_spread(energy, time, potential, "C0", "potential")
    draw_spread(energy, time, kinetic, "C3", "kinetic")
    draw_spread(energy, time, potential + kinetic, "k", "total")
    energy.set_ylabel("energy (J)")
    energy.set_xlabel("time (s)")
    for axes in (heights, contacts, energy):
        axes.grid(alpha=0.3)
        axes.legend(loc="upper right", fontsize="small")
    figure.savefig(path, dpi=120)


def sample_interval(time: np.ndarray) -> float:
    """Return the median time between samples (s), which is robust to automatic resets."""
    return float(np.median(np.diff(time))) if len(time) > 1 else 0.0


def draw_heights(axes: Any, time: np.ndarray, height: np.ndarray, names: list[str]) -> None:
    """Draw the heights of the trees' centers of mass, shape (nsample, nworld, ntree)."""
    if 0 < len(names) <= MAX_LINES:
        for tree, name in enumerate(names):
            draw_spread(axes, time, height[:, :, tree], f"C{tree}", name)
    elif names:
        draw_spread(axes, time, height.reshape(len(time), -1), "C0", f"{len(names)} bodies")
    axes.set_ylabel("height of\ncenter of mass (m)")


def draw_spread(axes: Any, time: np.ndarray, values: np.ndarray, color: str, label: str) -> None:
    """Draw the mean of each row of `values`, and a band from minimum to maximum if rows have several values."""
    if values.shape[1] > 1:
        axes.fill_between(time, values.min(axis=1), values.max(axis=1), color=color, alpha=0.2, linewidth=0)
        label += " (mean, range)"
    axes.plot(time, values.mean(axis=1), color=color, label=label, linewidth=1.2)
