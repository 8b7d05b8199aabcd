"""`conjoint testspeed`: how fast a model steps, and where the time goes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import conjoint
from conjoint.cli.control import Controls, controls
from conjoint.cli.model_file import find_keyframe, load_model
from conjoint.cli.worlds import Worlds, make_worlds

PROFILED_STATES = 10
"""States along the run in which every stage is timed."""

PROFILE_REPEATS = 50
"""Repetitions of the step from each of these states; a stage counts with its median."""

COUNTED_STEPS = 500
"""Steps whose contacts and constraint rows are counted."""


def measure(
    path: Path,
    steps: int,
    ctrl: str,
    seed: int,
    key: str | None,
    nworld: int,
    nthread: int,
    precision: str,
    console: Console,
) -> None:
    """Time `steps` steps of `nworld` worlds, then profile one world, and print both."""
    model = load_model(path)
    keyframe = find_keyframe(model, key) if key is not None else (0 if ctrl == "keyframe" and model.nkey else None)
    worlds = make_worlds(model, nworld, nthread, precision)
    # the first step may compile kernels, and is not timed
    worlds.step(controls(ctrl, model, nworld, seed, keyframe)(0))
    worlds.reset(keyframe)

    seconds, counts = time_steps(worlds, controls(ctrl, model, nworld, seed, keyframe), steps)
    console.print(speed_table(path, model, worlds, nthread, precision, steps, seconds, counts))
    stages = profile(model, keyframe, controls(ctrl, model, 1, seed, keyframe), steps)
    console.print(stage_table(stages))


def time_steps(worlds: Worlds, source: Controls, steps: int) -> tuple[float, dict[str, float]]:
    """Seconds spent in `steps` steps, and the mean number of contacts and constraint rows, from some of the steps."""
    seconds = 0.0
    counts: dict[str, list[float]] = {"ncon": [], "nefc": []}
    every = max(1, steps // COUNTED_STEPS)
    for step in range(steps):
        ctrl = source(step)
        before = time.perf_counter()
        worlds.step(ctrl)
        seconds += time.perf_counter() - before
        if step % every == 0:
            for name, values in counts.items():
                values.append(float(np.mean(worlds.read(name))))
    return seconds, {name: float(np.mean(values)) for name, values in counts.items()}


def speed_table(
    path: Path,
    model: Any,
    worlds: Worlds,
    nthread: int,
    precision: str,
    steps: int,
    seconds: float,
    counts: dict[str, float],
) -> Table:
    """What was measured, as a table."""
    rate = worlds.nworld * steps / seconds
    table = Table(title=str(path), show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(justify="right")
    table.add_row("degrees of freedom", f"{model.nv}")
    table.add_row("worlds x threads", f"{worlds.nworld} x {nthread}, {precision}")
    table.add_row("steps", f"{steps:,} in {seconds:.2f} s")
    table.add_row("steps per second", f"[bold]{rate:,.0f}[/]")
    table.add_row("time per step", f"{1e6 / rate:.2f} us")
    table.add_row("real-time factor", f"{rate * model.opt.timestep:,.1f}")
    table.add_row("contacts", f"{counts['ncon']:.2f}")
    table.add_row("constraint rows", f"{counts['nefc']:.2f}")
    return table


def profile(model: Any, keyframe: int | None, source: Controls, steps: int) -> dict[str, float]:
    """Mean microseconds of each stage of a step of one world, over states along a run under the given controls."""
    from conjoint.api.functions.profile import profile_step

    data = conjoint.MjData(model)
    if keyframe is not None:
        conjoint.mj_resetDataKeyframe(model, data, keyframe)
    totals: dict[str, float] = {}
    every = max(1, steps // PROFILED_STATES)
    for step in range(PROFILED_STATES * every):
        data.ctrl[:] = source(step)[0]
        conjoint.mj_step(model, data)
        if step % every == 0:
            for stage, microseconds in profile_step(model, data, PROFILE_REPEATS).items():
                totals[stage] = totals.get(stage, 0.0) + microseconds / PROFILED_STATES
    return totals


def stage_table(stages: dict[str, float]) -> Table:
    """The profile as a table, in the order of the pipeline, with a bar for each share."""
    whole = sum(stages.values()) or 1.0
    table = Table(title="one world, stage by stage", title_justify="left", title_style="bold")
    table.add_column("stage", style="cyan", no_wrap=True)
    table.add_column("us", justify="right")
    table.add_column("share", justify="right")
    table.add_column("", no_wrap=True)
    for stage, microseconds in stages.items():
        share = microseconds / whole
        table.add_row(stage, f"{microseconds:.2f}", f"{share:.1%}", "█" * round(40 * share))
    table.add_section()
    table.add_row("sum", f"{whole:.2f}", "", "")
    return table
