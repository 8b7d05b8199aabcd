"""`conjoint testspeed`: how fast a model steps, and where the time goes."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from conjoint.api.functions.profile import profile_step
from conjoint.cli.control import Controls, controls
from conjoint.cli.model_file import find_keyframe, load_to_simulate
from conjoint.cli.worlds import OneWorld, Worlds, make_worlds

PROFILED_STATES = 10
"""States along the run in which every stage is timed."""

PROFILE_REPEATS = 50
"""Repetitions of the step from each of these states; a stage counts with its median."""

COUNTED_STEPS = 500
"""Steps whose contacts and constraint rows are counted."""


@dataclass
class Timing:
    """What some steps took.

    Attributes:
        nstep: number of steps.
        seconds: time spent in them.
        counts: mean number of contacts and constraint rows, of some of the steps.
        stages: microseconds of each stage, the mean over some of the states; of one world only.
    """

    nstep: int
    seconds: float
    counts: dict[str, float]
    stages: dict[str, float]


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
    """Time `steps` steps of `nworld` worlds, and the stages of one world, and print both."""
    os.environ.setdefault("CONJOINT_OPTIMIZE", "first")
    model = load_to_simulate(path)
    keyframe = find_keyframe(model, key) if key is not None else (0 if ctrl == "keyframe" and model.nkey else None)

    def run(worlds: Worlds) -> Timing:
        source = controls(ctrl, model, worlds.nworld, seed, keyframe)
        # kernels are compiled before what is timed
        worlds.step(source(0))
        worlds.reset(keyframe)
        return time_steps(worlds, controls(ctrl, model, worlds.nworld, seed, keyframe), steps)

    worlds = make_worlds(model, nworld, nthread, precision)
    timing = run(worlds)
    console.print(speed_table(path, model, nworld, nthread, precision, timing))
    console.print(stage_table(timing if isinstance(worlds, OneWorld) else run(OneWorld(model))))


def time_steps(worlds: Worlds, source: Controls, steps: int) -> Timing:
    """Time steps; where there is one world, profile it in some of the states on the way."""
    seconds = 0.0
    counts: dict[str, list[float]] = {"ncon": [], "nefc": []}
    profiles: list[dict[str, float]] = []
    counted, profiled = max(1, steps // COUNTED_STEPS), max(1, steps // PROFILED_STATES)
    for step in range(steps):
        ctrl = source(step)
        before = time.perf_counter()
        worlds.step(ctrl)
        seconds += time.perf_counter() - before
        if step % counted == 0:
            for name, values in counts.items():
                values.append(float(np.mean(worlds.read(name))))
        if step % profiled == 0 and isinstance(worlds, OneWorld):
            profiles.append(profile_step(worlds.model, worlds.data, PROFILE_REPEATS))
    stages = {name: float(np.mean([each[name] for each in profiles])) for name in next(iter(profiles), {})}
    return Timing(steps, seconds, {name: float(np.mean(values)) for name, values in counts.items()}, stages)


def speed_table(path: Path, model: Any, nworld: int, nthread: int, precision: str, timing: Timing) -> Table:
    """What was measured, as a table."""
    rate = nworld * timing.nstep / timing.seconds
    table = Table(title=str(path), show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(justify="right")
    table.add_row("degrees of freedom", f"{model.nv}")
    table.add_row("worlds x threads", f"{nworld} x {nthread}, {precision}")
    table.add_row("steps", f"{timing.nstep:,} in {timing.seconds:.2f} s")
    table.add_row("steps per second", f"[bold]{rate:,.0f}[/]")
    table.add_row("time per step", f"{1e6 / rate:.2f} us")
    table.add_row("real-time factor", f"{rate * model.opt.timestep:,.1f}")
    table.add_row("contacts", f"{timing.counts['ncon']:.2f}")
    table.add_row("constraint rows", f"{timing.counts['nefc']:.2f}")
    return table


def stage_table(timing: Timing) -> Table:
    """Where the time of a step of one world goes, in the order of the pipeline, with a bar for each share."""
    whole = 1e6 * timing.seconds / timing.nstep
    caption = "outside: the way from Python into the step and back, cold caches, other programs"
    table = Table(
        title="one world, stage by stage", title_justify="left", title_style="bold",
        caption=caption, caption_justify="left",
    )  # fmt: skip
    table.add_column("stage", style="cyan", no_wrap=True)
    table.add_column("us", justify="right")
    table.add_column("share", justify="right")
    table.add_column("", no_wrap=True)
    for stage, microseconds in {**timing.stages, "outside the stages": whole - sum(timing.stages.values())}.items():
        share = microseconds / whole
        table.add_row(stage, f"{microseconds:.2f}", f"{share:.1%}", "█" * round(40 * share))
    table.add_section()
    table.add_row("time per step", f"{whole:.2f}", "", "")
    return table
