"""Panels beside the scene of a page, drawn with viser."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.viewer import panels
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.items import Button, Folder, Item, Note, Row, Value
from conjoint.viewer.plots import Plot, plots_of
from conjoint.viewer.simulation import Simulation
from conjoint.viewer.units import with_unit
from conjoint.viewer.web.takes import Takes

PERIOD = 0.2
"""Time (s) between two updates of the values in browsers."""

REST = 1.0
"""Time (s) after a user's change during which a value is not updated, while the world adopts it."""

FEW = 8
"""Maximum number of controls for which the panel of actuators is initially expanded."""

STROKES = ("#f2731f", "#0f8c94", "#5c7399", "#fabf33", "#a84a0c", "#0f4c5c", "#8a9bb8", "#b58a1a")
"""Colors of plot lines."""


class Control:
    """A value in the browser.

    Args:
        gui: viser's user interface.
        value: the value.
    """

    def __init__(self, gui: Any, value: Value):
        self._value, self._seen, self._rest = value, to_browser(value), 0.0
        self._handle = add_control(gui, value, self._seen)
        self._handle.on_update(self._change)

    def _change(self, event: Any) -> None:
        """Apply the user's change; changes by this program have no client and are ignored."""
        if event.client is not None:
            self._rest = time.perf_counter() + REST
            new = from_browser(self._value, self._handle.value)
            if new is not None:
                self._value.set(new)

    def update(self) -> None:
        """Show the current value if it has changed."""
        if self._value.kind == "slider":
            low, high = self._value.ends()
            if self._handle.min != low:
                self._handle.min, self._handle.max = low, high
        now = to_browser(self._value)
        if now != self._seen and time.perf_counter() > self._rest:
            self._seen = self._handle.value = now


def to_browser(value: Value) -> Any:
    """Return the current value in the browser's format."""
    now = value.get()
    match value.kind:
        case "choice":
            return value.options[int(now)]
        case "slider":
            low, high = value.ends()
            return type(low)(np.clip(np.nan_to_num(now), low, high))
        case "switch" | "integer" | "real" | "drag" | "text":
            return {"switch": bool, "integer": int, "text": str}.get(value.kind, float)(now)
        case "color":
            return tuple(round(255 * float(np.clip(part, 0, 1))) for part in now)
        case "marks":
            return "".join(str(k) for k in np.flatnonzero(now))
    return " ".join(f"{x:g}" for x in now)


def from_browser(value: Value, given: Any) -> Any:
    """Convert a value from the browser's format; return None if it is invalid."""
    match value.kind:
        case "choice":
            return value.options.index(given)
        case "color":
            return np.array(given) / 255.0
        case "marks":
            return np.array([str(k) in given for k in range(len(value.get()))])
        case "reals":
            try:
                numbers = np.array([float(word) for word in given.split()])
            except ValueError:
                return None
            return numbers if numbers.shape == np.shape(value.get()) else None
    return given


def add_control(gui: Any, value: Value, first: Any) -> Any:
    """Add a control for a value to the browser, and return viser's handle."""
    label, more = with_unit(value.label, value.unit, value.scale), {"hint": value.hint or None}
    match value.kind:
        case "switch":
            return gui.add_checkbox(label, first, **more)
        case "choice":
            return gui.add_dropdown(label, value.options, initial_value=first, **more)
        case "slider":
            low, high = value.ends()
            step = 1 if isinstance(low, int) else (high - low) / 200 or 1.0
            return gui.add_slider(label, low, high, step, first, **more)
        case "integer" | "real" | "drag":
            return gui.add_number(label, first, **more)
        case "color":
            return (gui.add_rgb if len(first) == 3 else gui.add_rgba)(label, first, **more)
    return gui.add_text(label, first, **more)


def series_of(plot: Plot) -> tuple[dict[str, str], ...]:
    """Return the lines of a plot in the browser's format; the first entry is the time."""
    names = plot.source.lines if plot.source is not None else ("",)
    lines = ({"label": name, "stroke": STROKES[k % len(STROKES)]} for k, name in enumerate(names))
    return ({"label": "time (s)"}, *lines)


class Panel:
    """Panels that show and control a world.

    Args:
        server: viser's server.
        exchange: channel to the world's owner.
        simulation: simulation that steps the world; None if a program steps it.
        refresh_if_changed: function that resets the cameras of all browsers to the initial view.
        takes: screenshots and films.
    """

    def __init__(
        self, server: Any, exchange: Exchange, simulation: Simulation | None, refresh_if_changed: Callable[[], object],
        takes: Takes,
    ):  # fmt: skip
        self.server, self.exchange, self.simulation, self.takes = server, exchange, simulation, takes
        self.gui = server.gui
        self._controls: list[Control] = []
        self._notes: list[tuple[Note, Any]] = []
        self._text, self._due = "", 0.0
        self._camera = -1
        self.plots = plots_of(exchange.m)
        self._drawn: list[tuple[int, Any]] = []
        self.status = self.gui.add_markdown("")
        m = exchange.m
        if simulation is not None:
            self._add_folder("Simulation", panels.simulation_items(exchange, simulation), opened=True)
        screenshot = Button("Screenshot", takes.screenshot)
        reload = (Button("Reload model", simulation.load),) if simulation is not None else ()
        recording = Value("Record a film", "switch", lambda: takes.recording, takes.record)
        self._add((Row((screenshot, *reload)), recording))
        found = panels.model_panels(exchange)
        self._add_folder("Actuators", found["Actuators"].items, opened=0 < m.nu <= FEW)
        self._add_folder("Joints", found["Joints"].items)
        self._add_plots()
        at_first = Button("Reset camera", refresh_if_changed)
        self._add_folder("View", (self._camera_choice(), at_first, *panels.view_items(exchange, keys=False)))
        for title in ("Equality constraints", "Groups", "Physics", "Colors and sizes", "Inspect fields"):
            self._add_folder(title, found[title].items)

    # ---- items

    def _add(self, items: tuple[Item, ...]) -> None:
        """Add items below each other."""
        for item in items:
            match item:
                case Folder(title, parts, opened):
                    self._add_folder(title, parts, opened)
                case Row(parts) if all(isinstance(part, Button) for part in parts):
                    self._add_buttons(tuple(part for part in parts if isinstance(part, Button)))
                case Row(parts):
                    self._add(parts)
                case Button():
                    self._add_buttons((item,))
                case Note(get):
                    self._notes.append((item, self.gui.add_markdown(get())))
                case Value():
                    self._controls.append(Control(self.gui, item))

    def _add_folder(self, title: str, items: tuple[Item, ...], opened: bool = False) -> None:
        if items:
            with self.gui.add_folder(title, expand_by_default=opened):
                self._add(items)

    def _add_buttons(self, buttons: tuple[Button, ...]) -> None:
        """Add buttons side by side."""
        by_name = {button.label if isinstance(button.label, str) else button.label(): button for button in buttons}
        group = self.gui.add_button_group("", tuple(by_name))
        group.on_click(lambda _: by_name[group.value].press())

    def _camera_choice(self) -> Value:
        """Return the item that selects the browsers' camera."""
        m = self.exchange.m
        return Value(
            "Camera", "choice", lambda: self._camera + 1, lambda k: setattr(self, "_camera", k - 1),
            options=("free", *(m.camera(c).name or f"camera {c}" for c in range(m.ncam))),
        )  # fmt: skip

    def _add_plots(self) -> None:
        """Add two plots, and items that select their contents."""
        with self.gui.add_folder("Plots", expand_by_default=False):
            for plot, choice in zip(self.plots, panels.plot_items(self.plots), strict=True):
                self._add((choice,))
                series = series_of(plot)
                nothing = tuple(np.zeros(1) for _ in series)
                handle = self.gui.add_uplot(
                    nothing, series, scales={"x": {"time": False}}, aspect=1.6, visible=plot.source is not None
                )
                self._drawn.append((plot.chosen, handle))

    def _draw_plots(self, d: MjData) -> None:
        """Update the plots with the current state of the world."""
        for k, plot in enumerate(self.plots):
            chosen, handle = self._drawn[k]
            new = plot.follow(d)
            with self.server.atomic():
                if plot.chosen != chosen:
                    handle.visible, handle.series = plot.source is not None, series_of(plot)
                    self._drawn[k] = plot.chosen, handle
                if new:
                    handle.data = (plot.times, *plot.values)

    # ---- what changes

    def update(self, d: MjData) -> None:
        """Update the panels to show the current state of the world."""
        text = self._state()
        if text != self._text:
            self.status.content = self._text = text
        if time.perf_counter() > self._due:
            self._due = time.perf_counter() + PERIOD
            for control in self._controls:
                control.update()
            for note, handle in self._notes:
                if handle.content != note.get():
                    handle.content = note.get()
        self._draw_plots(d)
        if self._camera >= 0:
            self._look(d)

    def _state(self) -> str:
        """Return the state of the simulation and the world as lines of text."""
        condition, problem = (self.simulation.condition(), self.simulation.message) if self.simulation else ([], "")
        rows = [f"{rate} {text}" for rate, text in condition]
        rows += [f"⚠ {problem}"] if problem else []
        rows += [self.takes.note] if self.takes.note else []
        return "\n\n".join(rows + [f"{name}: {value}" for name, value in self.exchange.facts()])

    def _look(self, d: MjData) -> None:
        """Move the browsers' cameras to the selected camera of the model."""
        camera = self._camera
        axes = d.cam_xmat[camera].reshape(3, 3)
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.up_direction = axes[:, 1].copy()
                client.camera.position = d.cam_xpos[camera].copy()
                client.camera.look_at = d.cam_xpos[camera] - axes[:, 2]
                client.camera.fov = float(np.deg2rad(d.model.cam_fovy[camera]))
