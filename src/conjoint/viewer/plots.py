"""Plots of values that the user selects: sensors, joints, controls, actuator forces, contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import names_of_controls
from conjoint.schema.enums import mjtJoint
from conjoint.viewer.units import FORCES, joint_unit, length_unit, with_unit

SAMPLES = 400
"""Maximum number of samples in a plot."""

MOST = 8
"""Maximum number of lines in a plot."""

NOTHING = "nothing"
"""Name of the option for an empty plot."""


@dataclass(frozen=True)
class Source:
    """Source of the values in a plot.

    Attributes:
        title: title of the plot, with the unit if there is one.
        lines: names of the lines.
        read: function that returns the current values of all lines for a world.
    """

    title: str
    lines: tuple[str, ...]
    read: Callable[[MjData], np.ndarray]


def sources_of(m: MjModel) -> list[Source]:
    """Return all plot sources of a model. The source for a whole group precedes the sources for its single lines."""
    found: list[Source] = []
    for title, labels, read in _groups(m):
        if not labels:
            continue
        if len(labels) > 1:
            found.append(Source(f"all {title}", tuple(labels[:MOST]), lambda d, read=read: read(d)[:MOST]))  # type: ignore[misc]
        found += [
            Source(label, (label,), lambda d, read=read, k=k: read(d)[k : k + 1])  # type: ignore[misc]
            for k, label in enumerate(labels)
        ]
    contacts = Source("number of contacts", ("contacts",), lambda d: np.array([float(d.ncon)]))
    return [*found, contacts]


def _groups(m: MjModel) -> list[tuple[str, list[str], Callable[[MjData], np.ndarray]]]:
    """Return groups of lines: title, names with units, and a function that reads their values."""
    sensors = [
        f"{m.sensor(s).name or f'sensor {s}'}{f'[{k}]' if m.sensor_dim[s] > 1 else ''}"
        for s in range(m.nsensor)
        for k in range(m.sensor_dim[s])
    ]
    chosen = [j for j in range(m.njnt) if int(m.jnt_type[j]) in (mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_SLIDE)]
    qpos, dofs = m.jnt_qposadr[chosen].copy(), m.jnt_dofadr[chosen].copy()
    joints = [(m.joint(j).name or f"joint {j}", joint_unit(m, j)) for j in chosen]
    controls = [f"{name} control" for _, name in names_of_controls(m)]
    forces = [
        with_unit(f"{m.actuator(u).name or f'actuator {u}'} force", FORCES.get(length_unit(m, u), ""))
        for u in range(len(m.actuator_trntype))
    ]
    return [
        ("sensors", sensors, lambda d: np.asarray(d.sensordata)),
        ("joint positions", [f"{name} position ({unit})" for name, unit in joints], lambda d: d.qpos[qpos]),
        ("joint velocities", [f"{name} velocity ({unit}/s)" for name, unit in joints], lambda d: d.qvel[dofs]),
        ("controls", controls, lambda d: np.asarray(d.ctrl)),
        ("actuator forces", forces, lambda d: np.asarray(d.actuator_force)),
    ]


class Plot:
    """One plot: its source, and recent values.

    Args:
        sources: sources that the user can select.
        chosen: index of the initial source, -1 for none.

    Attributes:
        times: times of the samples (s), the newest last.
        values: recorded values, one row per line.
    """

    def __init__(self, sources: list[Source], chosen: int):
        self.sources, self.chosen = sources, -1
        self.times, self.values = np.zeros(0), np.zeros((0, 0))
        self.choose(chosen)

    @property
    def source(self) -> Source | None:
        """Source of the plotted values, or None."""
        return self.sources[self.chosen] if self.chosen >= 0 else None

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that the user can select: no plot, followed by the sources."""
        return (NOTHING, *(source.title for source in self.sources))

    def choose(self, chosen: int) -> None:
        """Select a different source, and discard previous samples."""
        self.chosen = chosen
        self.times = np.zeros(0)
        self.values = np.zeros((len(self.source.lines) if self.source is not None else 0, 0))

    def follow(self, d: MjData) -> bool:
        """Record a sample if the world has changed, and return True if so. If time has decreased, the plot restarts."""
        if self.source is None or (len(self.times) and d.time == self.times[-1]):
            return False
        if len(self.times) and d.time < self.times[-1]:
            self.choose(self.chosen)
        read = np.asarray(self.source.read(d), float).reshape(-1, 1)
        self.times = np.append(self.times, d.time)[-SAMPLES:]
        self.values = np.concatenate([self.values, read], axis=1)[:, -SAMPLES:]
        return True


def plots_of(m: MjModel) -> tuple[Plot, Plot]:
    """Return the two plots of a viewer. Initially, the first shows sensors or joints, and the second is empty."""
    sources = sources_of(m)
    return Plot(sources, 0), Plot(sources, -1)
