"""`conjoint testspeed`: speed and profile of a model."""

import contextlib
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import conjoint
from conjoint.cli.control import Controls, controls
from conjoint.cli.model_file import load_to_simulate, starting_keyframe
from conjoint.cli.options import TestspeedOptions
from conjoint.cli.profile import profile_steps, profile_table
from conjoint.cli.worlds import Worlds, make_worlds

COUNTED_STEPS = 500
"""Approximate number of steps in which contacts and constraint rows are counted."""


@dataclass(frozen=True)
class Timing:
    """Time and counts of some steps.

    Attributes:
        nstep: number of steps.
        seconds: total time of the steps.
        counts: mean numbers of contacts and constraint rows, counted in some of the steps.
    """

    nstep: int
    seconds: float
    counts: dict[str, float]


def measure(options: TestspeedOptions, console: Console) -> None:
    """Measure the speed of steps, profile steps on one thread, and print both results."""
    os.environ.setdefault("CONJOINT_OPTIMIZE", "first")
    with conjoint.semantics(options.semantics.value) if options.semantics else contextlib.nullcontext():
        model = load_to_simulate(options.model)
    key = starting_keyframe(model, options.key, options.ctrl)

    def begin(worlds: Worlds) -> Controls:
        """Reset worlds to the start of the run, and return the controls of the run."""
        worlds.reset(key)
        return controls(options.ctrl, model, worlds.nworld, options.seed, key)

    worlds = make_worlds(model, options.nworld, options.threads, options.precision.value)
    # compile kernels before timing
    worlds.step(begin(worlds)(0))
    timing = time_steps(worlds, begin(worlds), options.nstep)
    console.print(speed_table(options, model, timing))
    if options.threads > 1:
        worlds = make_worlds(model, options.nworld, 1, options.precision.value)
    console.print(profile_table(profile_steps(worlds, begin, options.nstep)))


def time_steps(worlds: Worlds, source: Controls, nstep: int) -> Timing:
    """Measure the time of steps, and count contacts and constraint rows in some of them."""
    seconds = 0.0
    counts: dict[str, list[float]] = {"ncon": [], "nefc": []}
    counted = max(1, nstep // COUNTED_STEPS)
    for step in range(nstep):
        ctrl = source(step)
        before = time.perf_counter()
        worlds.step(ctrl)
        seconds += time.perf_counter() - before
        if step % counted == 0:
            for name, values in counts.items():
                values.append(float(np.mean(worlds.read(name))))
    return Timing(nstep, seconds, {name: float(np.mean(values)) for name, values in counts.items()})


def speed_table(options: TestspeedOptions, model: Any, timing: Timing) -> Table:
    """Return the measurements as a table."""
    rate = options.nworld * timing.nstep / timing.seconds
    table = Table(title=str(options.model), show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(justify="right")
    table.add_row("degrees of freedom", f"{model.nv}")
    table.add_row("physics", f"edition {model.semantics}")
    table.add_row("worlds x threads", f"{options.nworld} x {options.threads}, {options.precision.value}")
    table.add_row("steps", f"{timing.nstep:,} in {timing.seconds:.2f} s")
    table.add_row("steps per second", f"[bold]{rate:,.0f}[/]")
    table.add_row("time per step", f"{1e6 / rate:.2f} us")
    table.add_row("real-time factor", f"{rate * model.opt.timestep:,.1f}")
    table.add_row("contacts", f"{timing.counts['ncon']:.2f}")
    table.add_row("constraint rows", f"{timing.counts['nefc']:.2f}")
    return table
