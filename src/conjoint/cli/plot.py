"""The plot of `conjoint simulate --plot`: heights, contacts and energy over time."""

from pathlib import Path
from typing import Any

import numpy as np

from conjoint.cli.failure import InputError
from conjoint.cli.recording import Recording
from conjoint.lang.optional_packages import need

MAX_LINES = 6
"""Kinematic trees drawn as lines of their own; more are drawn as a band."""


def check_plot_file(path: Path) -> None:
    """Find out before the simulation whether the plot can be written.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InputError: it does not know the format.
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
    # after an automatic reset time starts again; the sample's place in the run is what should rise
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
    """Seconds between samples: the median, which automatic resets do not disturb."""
    return float(np.median(np.diff(time))) if len(time) > 1 else 0.0


def draw_heights(axes: Any, time: np.ndarray, height: np.ndarray, names: list[str]) -> None:
    """Heights of the centres of mass of the trees, of shape (nsample, nworld, ntree)."""
    if 0 < len(names) <= MAX_LINES:
        for tree, name in enumerate(names):
            draw_spread(axes, time, height[:, :, tree], f"C{tree}", name)
    elif names:
        draw_spread(axes, time, height.reshape(len(time), -1), "C0", f"{len(names)} bodies")
    axes.set_ylabel("height of\ncentre of mass (m)")


def draw_spread(axes: Any, time: np.ndarray, values: np.ndarray, colour: str, label: str) -> None:
    """The mean of each row of `values`, and a band from its least to its largest when it has several."""
    if values.shape[1] > 1:
        axes.fill_between(time, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.2, linewidth=0)
        label += " (mean, range)"
    axes.plot(time, values.mean(axis=1), color=colour, label=label, linewidth=1.2)
