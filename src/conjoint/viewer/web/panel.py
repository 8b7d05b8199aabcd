"""What can be pressed and read beside the scene of a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.names import names_of_controls
from conjoint.schema.constants import mjNGROUP, mjVISSTRING
from conjoint.schema.scene import VISUAL_OPTION_FIELDS
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.simulation import Simulation

SAMPLES = 300
"""Pictures that plots reach back."""

FREE = "free"
"""The camera that a user moves."""


class Panel:
    """Buttons, sliders and plots for a world.

    Args:
        server: of viser.
        exchange: of the world.
        simulation: what steps it; None if a program does.
    """

    def __init__(self, server: Any, exchange: Exchange, simulation: Simulation | None):
        self.server, self.exchange, self.simulation = server, exchange, simulation
        self.gui = server.gui
        self._told = ""
        self._times, self._values = np.zeros(SAMPLES), np.zeros(SAMPLES)
        self.status = self.gui.add_markdown("")
        if simulation is not None:
            self._time(simulation)
        self._controls()
        self._shown()
        self._sensors()

    # ---- what there is

    def _time(self, simulation: Simulation) -> None:
        with self.gui.add_folder("Simulation"):
            self.run = self.gui.add_checkbox("Run", simulation.running)
            rate = self.gui.add_slider("Speed (%)", min=1, max=200, step=1, initial_value=100)
            moves = self.gui.add_button_group("Steps", ("Back", "Step", "Reset"))
            self.past = self.gui.add_slider("Past (%)", min=-100, max=0, step=1, initial_value=0)
            names = self._keyframes()
            if names:
                key = self.gui.add_dropdown("Keyframe", names)
                load = self.gui.add_button("Load keyframe")
                load.on_click(lambda _: simulation.load_key(names.index(key.value)))
            reload = self.gui.add_button("Load the file again")
        self._running = simulation.running
        self.run.on_update(lambda _: self._press(simulation))
        rate.on_update(lambda _: setattr(simulation.pace, "rate", rate.value / 100))
        moves.on_click(lambda _: self._move(simulation, moves.value))
        self.past.on_update(lambda event: self._go(simulation) if event.client is not None else None)
        reload.on_click(lambda _: simulation.load())

    def _press(self, simulation: Simulation) -> None:
        """Let time pass, or not, as the box says."""
        self._running = simulation.running = bool(self.run.value)

    def _halt(self, simulation: Simulation) -> None:
        """Let time not pass."""
        self._running = simulation.running = self.run.value = False

    def _keyframes(self) -> list[str]:
        m = self.exchange.m
        return [m.key(k).name or f"keyframe {k}" for k in range(m.nkey)]

    def _move(self, simulation: Simulation, name: str) -> None:
        if name == "Reset":
            simulation.reset()
            return
        self._halt(simulation)
        if name == "Step":
            simulation.step()
        else:
            simulation.back()

    def _go(self, simulation: Simulation) -> None:
        """Go to a state of the past, by its share of all that are kept."""
        if simulation.history is None:
            return
        self._halt(simulation)
        simulation.go(round(self.past.value / 100 * max(len(simulation.history) - 1, 0)))

    def _controls(self) -> None:
        exchange, m = self.exchange, self.exchange.m
        self.sliders: list[Any] = []
        if not m.nu:
            return
        with self.gui.add_folder("Controls", expand_by_default=m.nu <= 8):
            for c, (_, name) in enumerate(names_of_controls(m)):
                low, high = m.actuator_ctrlrange[c] if m.actuator_ctrllimited[c] else (-1.0, 1.0)
                value = float(np.clip(exchange.take().ctrl[c], low, high))
                slider = self.gui.add_slider(
                    name, min=float(low), max=float(high), step=float(high - low) / 200 or 1.0, initial_value=value
                )
                slider.on_update(lambda _, c=c, slider=slider: exchange.set("ctrl", c, slider.value))
                self.sliders.append(slider)
            clear = self.gui.add_button("Clear all")
        clear.on_click(lambda _: self._clear())

    def _clear(self) -> None:
        self.exchange.set("ctrl", slice(None), 0.0)
        for slider in self.sliders:
            slider.value = float(np.clip(0.0, slider.min, slider.max))

    def _shown(self) -> None:
        exchange, m = self.exchange, self.exchange.m
        with self.gui.add_folder("Shown", expand_by_default=False):
            names = [FREE, *(m.camera(c).name or f"camera {c}" for c in range(m.ncam))]
            self.camera = self.gui.add_dropdown("Camera", names)
            for flag, (name, _, _) in enumerate(mjVISSTRING):
                box = self.gui.add_checkbox(name, bool(exchange.opt.flags[flag]))
                box.on_update(lambda _, flag=flag, box=box: self._option("flags", flag, box.value))
            for kind in (field.name for field in VISUAL_OPTION_FIELDS if field.name.endswith("group")):
                chosen = self.gui.add_text(
                    f"{kind.removesuffix('group')} groups",
                    "".join(str(g) for g in range(mjNGROUP) if getattr(exchange.opt, kind)[g]),
                    hint="numbers of the groups that are shown",
                )
                chosen.on_update(lambda _, kind=kind, chosen=chosen: self._groups(kind, chosen.value))

    def _option(self, name: str, index: int, value: bool) -> None:
        with self.exchange.lock:
            getattr(self.exchange.opt, name)[index] = value

    def _groups(self, kind: str, text: str) -> None:
        for group in range(mjNGROUP):
            self._option(kind, group, str(group) in text)

    def _sensors(self) -> None:
        m = self.exchange.m
        self.plot = None
        if not m.nsensordata:
            return
        names = [
            f"{m.sensor(s).name or f'sensor {s}'}{f'[{k}]' if m.sensor_dim[s] > 1 else ''}"
            for s in range(m.nsensor)
            for k in range(m.sensor_dim[s])
        ]
        with self.gui.add_folder("Sensors", expand_by_default=False):
            self.sensor = self.gui.add_dropdown("Sensor", names)
            self.plot = self.gui.add_uplot(
                (self._times, self._values),
                ({"label": "time (s)"}, {"label": "value", "stroke": "#1f77b4"}),
                aspect=1.6,
            )
        self.sensor.on_update(lambda _: self._values.fill(0.0))
        self.sensor_names = names

    # ---- what changes

    def update(self, d: MjData) -> None:
        """Show how the world is."""
        simulation = self.simulation
        lines = [f"**{d.time:.3f} s**, {d.ncon} contacts, {d.nefc} rows"]
        if simulation is not None:
            lines.append(f"{100 * simulation.pace.measured:.0f} % of real time" if simulation.running else "paused")
            if simulation.running != self._running:
                # nobody pressed the box: it is told
                self._running = self.run.value = simulation.running
            if simulation.message:
                lines.append(f"⚠ {simulation.message}")
        selected = int(self.exchange.pert.select)
        if selected > 0:
            lines.append(f"selected: {d.model.body(selected).name or f'body {selected}'} (Ctrl and drag to pull)")
        text = "\n\n".join(lines)
        if text != self._told:
            self.status.content = self._told = text
        self._draw(d)
        self._look(d)

    def _draw(self, d: MjData) -> None:
        """The plot of the chosen sensor goes on."""
        if self.plot is None or d.time == self._times[-1]:
            return
        value = d.sensordata[self.sensor_names.index(self.sensor.value)]
        self._times = np.append(self._times[1:], d.time)
        self._values = np.append(self._values[1:], value)
        self.plot.data = (self._times.copy(), self._values.copy())

    def _look(self, d: MjData) -> None:
        """Browsers look through the chosen camera of the model."""
        if self.camera.value == FREE:
            return
        camera = self.camera.options.index(self.camera.value) - 1
        axes = d.cam_xmat[camera].reshape(3, 3)
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.up_direction = axes[:, 1].copy()
                client.camera.position = d.cam_xpos[camera].copy()
                client.camera.look_at = d.cam_xpos[camera] - axes[:, 2]
                client.camera.fov = float(np.deg2rad(d.model.cam_fovy[camera]))
