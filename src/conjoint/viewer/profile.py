"""Profiler of recent steps (constraints, times, convergence of the solver), and plots of values and sensors."""

from __future__ import annotations

import time

import numpy as np
from imgui_bundle import imgui, implot

from conjoint.api.functions.callback import get_mjcb_time, set_mjcb_time
from conjoint.api.objects.data import MjData
from conjoint.schema.enums import mjtTimer
from conjoint.viewer.plots import Plot

LENGTH = 200
"""Maximum number of samples that the profiler keeps."""

COUNTS = ("nefc", "ncon", "solver iterations")
"""Names of the counts that the profiler plots."""

TIMERS = {
    "step": mjtTimer.mjTIMER_STEP, "position": mjtTimer.mjTIMER_POSITION, "velocity": mjtTimer.mjTIMER_VELOCITY,
    "actuation": mjtTimer.mjTIMER_ACTUATION, "constraint": mjtTimer.mjTIMER_CONSTRAINT,
    "collision": mjtTimer.mjTIMER_POS_COLLISION,
}  # fmt: skip
"""Timers that the profiler shows, by label."""


def milliseconds() -> float:
    """Return the CPU time of this thread (ms), which excludes waiting for other threads."""
    return 1000.0 * time.thread_time()


class Profile:
    """Samples of counts and step times of the world in a window.

    Attributes:
        counts: numbers of constraint rows, contacts and solver iterations, one row each, the newest last.
        times: mean step times since the previous sample (ms), one row per timer.
    """

    def __init__(self) -> None:
        self.counts = np.zeros((len(COUNTS), LENGTH))
        self.times = np.zeros((len(TIMERS), LENGTH))
        self._time = np.nan
        self._before = np.zeros((2, len(TIMERS)))

    def start(self) -> None:
        """Start timing steps, unless a program has installed its own timer callback."""
        if get_mjcb_time() is None:
            set_mjcb_time(milliseconds)

    def stop(self) -> None:
        """Stop timing steps."""
        if get_mjcb_time() is milliseconds:
            set_mjcb_time(None)

    def follow(self, d: MjData) -> None:
        """Record a sample if the world has changed."""
        if d.time == self._time:
            return
        self._time = d.time
        niter = int(np.max(d.solver_niter, initial=0))
        total = np.array([[d.timer[t].duration, d.timer[t].number] for t in TIMERS.values()], float).T
        spent, number = total - self._before if (total[1] >= self._before[1]).all() else total
        self._before = total
        for rows, newest in ((self.counts, (d.nefc, d.ncon, niter)), (self.times, spent / np.maximum(number, 1))):
            rows[:, :-1] = rows[:, 1:]
            rows[:, -1] = newest


def convergence(d: MjData) -> dict[str, np.ndarray]:
    """Return improvement, gradient and line search slope in each iteration of the last solve, as one array each."""
    statistics = d.world.data
    count = min(int(np.max(d.solver_niter, initial=0)), len(d.solver))
    return {name: statistics.view(f"solver.{name}")[:count].astype(float) for name in CONVERGENCE}


CONVERGENCE = ("improvement", "gradient", "lineslope")
"""Fields of solver iterations that are plotted."""


# ---- plots

FEW = 30
"""Number of points below which each point of a line is marked."""

BROAD = 400.0
"""Width above which the legend is beside a plot, in screen coordinates of the display."""

SMALLEST = 1e-15
"""Stand-in for zero on a logarithmic axis."""


def draw_profiler(profile: Profile, d: MjData) -> None:
    """Draw plots of constraint counts, convergence and times of recent steps."""
    room = imgui.get_content_region_avail()
    size = imgui.ImVec2(room.x, max(room.y / 3 - 4, 60))
    lines("Constraints", "step", size, dict(zip(COUNTS, profile.counts, strict=True)))
    found = {name: np.log10(np.maximum(values, SMALLEST)) for name, values in convergence(d).items()}
    lines("Convergence (log10)", "iteration", size, found)
    lines("Times (ms)", "step", size, dict(zip(TIMERS, profile.times, strict=True)))


def draw_plots(plots: tuple[Plot, ...]) -> None:
    """Draw the values of the selected sources over time."""
    shown = [plot for plot in plots if plot.source is not None]
    room = imgui.get_content_region_avail()
    for k, plot in enumerate(shown):
        size = imgui.ImVec2(room.x, max(room.y / len(shown) - 4, 60))
        if plot.source is None or not implot.begin_plot(f"##plot {k}", size):
            continue
        fit = implot.AxisFlags_.auto_fit
        implot.setup_axes("time (s)", "", fit, fit)
        if room.x > BROAD:
            implot.setup_legend(implot.Location_.east, implot.LegendFlags_.outside)
        for name, values in zip(plot.source.lines, plot.values, strict=True):
            if len(values):
                implot.plot_line(name, np.ascontiguousarray(plot.times), np.ascontiguousarray(values))
        implot.end_plot()


def lines(title: str, axis: str, size: imgui.ImVec2, rows: dict[str, np.ndarray]) -> None:
    """Draw a plot with one line per row; the newest value is at the right."""
    if not implot.begin_plot(title, size):
        return
    fit = implot.AxisFlags_.auto_fit
    implot.setup_axes(axis, "", fit | implot.AxisFlags_.no_tick_labels, fit)
    # put the legend beside the lines, not over them
    implot.setup_legend(implot.Location_.east, implot.LegendFlags_.outside)
    style = implot.Spec()
    # a single point has no line, so mark points if they are few
    few = max((len(values) for values in rows.values()), default=0) < FEW
    style.marker = implot.Marker_.circle if few else implot.Marker_.none
    for name, values in rows.items():
        if len(values):
            implot.plot_line(name, np.ascontiguousarray(values), spec=style)
    implot.end_plot()


BAR = 70.0
"""Length of a bar for the largest reading of a sensor, in screen coordinates of the display."""

POSITIVE, NEGATIVE, AXIS = 0xFF50B050, 0xFF5050D0, 0xFF808080
"""Colors of bars and their axis, as alpha, blue, green, red."""


def draw_sensors(d: MjData) -> None:
    """Draw the readings of all sensors as bars."""
    m = d.model
    if not m.nsensor:
        imgui.text_disabled("This model has no sensors.")
        return
    for s in range(m.nsensor):
        start, count = int(m.sensor_adr[s]), int(m.sensor_dim[s])
        readings = d.sensordata[start : start + count]
        cutoff = float(m.sensor_cutoff[s])
        largest = cutoff if cutoff > 0 else max(float(np.abs(readings).max(initial=0.0)), 1.0)
        imgui.text_unformatted(m.sensor(s).name or f"sensor {s}")
        for reading in readings:
            bar(float(reading), largest)


def bar(reading: float, largest: float) -> None:
    """Draw a reading as a bar to the right of its axis if it is positive, or to the left if it is negative."""
    place, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    middle = place.x + BAR
    end = middle + BAR * float(np.clip(reading / largest, -1, 1))
    paper = imgui.get_window_draw_list()
    low, high = imgui.ImVec2(min(middle, end), place.y + 2), imgui.ImVec2(max(middle, end), place.y + height - 2)
    paper.add_rect_filled(low, high, POSITIVE if reading >= 0 else NEGATIVE)
    paper.add_line(imgui.ImVec2(middle, place.y), imgui.ImVec2(middle, place.y + height), AXIS)
    imgui.dummy(imgui.ImVec2(2 * BAR + 8, height))
    imgui.same_line()
    imgui.text_unformatted(f"{reading:.4g}")
