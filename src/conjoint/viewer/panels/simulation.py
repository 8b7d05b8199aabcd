"""Panel: time, its rate, its past, and keyframes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from conjoint.viewer import actions
from conjoint.viewer.simulation import RATES, Simulation

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


def draw(desk: Desk) -> None:
    if desk.simulation is None:
        imgui.text_wrapped("The program that opened this window makes the steps.")
    else:
        time_passes(desk.simulation)
        keyframes(desk, desk.simulation)
        noise(desk.simulation)
    for number, name in enumerate(("help", "info", "profiler", "sensors")):
        if number % 2:
            imgui.same_line(0.4 * imgui.get_window_width())
        if imgui.checkbox(name, getattr(desk.settings, name))[0]:
            desk.toggle(name)
    if imgui.button("Align camera"):
        actions.align(desk)


def time_passes(simulation: Simulation) -> None:
    """Run, pause, step, and how fast."""
    if imgui.button("Pause" if simulation.running else "Run"):
        simulation.running = not simulation.running
    imgui.same_line()
    if imgui.button("Reset"):
        simulation.reset()
    imgui.same_line()
    if imgui.arrow_button("back", imgui.Dir.left):
        simulation.back()
    imgui.same_line()
    if imgui.arrow_button("forward", imgui.Dir.right):
        simulation.running = False
        simulation.step()
    # from the slowest to the fastest
    rates = RATES[::-1]
    now = min(range(len(rates)), key=lambda i: abs(rates[i] - simulation.pace.rate))
    moved, chosen = imgui.slider_int("rate", now, 0, len(rates) - 1, f"{100 * simulation.pace.rate:g} %%")
    if moved:
        simulation.pace.rate = rates[chosen]
    if simulation.history is not None:
        oldest = min(1 - len(simulation.history), 0)
        moved, position = imgui.slider_int("history", simulation.history.position, oldest, 0)
        if moved:
            simulation.running = False
            simulation.go(position)


def keyframes(desk: Desk, simulation: Simulation) -> None:
    """Load and store states of the model."""
    nkey = int(desk.d.model.nkey)
    if not nkey:
        imgui.text_disabled("the model has no keyframes")
        return
    settings = desk.settings
    settings.key = min(settings.key, nkey - 1)
    names = [desk.d.model.key(k).name or f"key {k}" for k in range(nkey)]
    _, settings.key = imgui.combo("keyframe", settings.key, names)
    if imgui.button("Load key"):
        simulation.load_key(settings.key)
    imgui.same_line()
    if imgui.button("Save key"):
        simulation.save_key(settings.key)
    imgui.same_line()
    if imgui.button("Copy pose"):
        actions.copy_pose(desk)


def noise(simulation: Simulation) -> None:
    """Noise on controls, as a share of their ranges."""
    _, simulation.noise = imgui.slider_float("ctrl noise", simulation.noise, 0.0, 1.0, "%.2f")
    _, simulation.noise_time = imgui.slider_float("noise time (s)", simulation.noise_time, 0.0, 2.0, "%.2f")
