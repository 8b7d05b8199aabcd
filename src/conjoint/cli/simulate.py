"""`conjoint simulate`: run a model, print a summary, record it and plot it."""

import math
import os
import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

import conjoint
from conjoint.cli.control import Controls, controls, policy_controls
from conjoint.cli.failure import InputError, writing
from conjoint.cli.model_file import load_to_simulate, starting_keyframe
from conjoint.cli.options import SimulateOptions
from conjoint.cli.recording import Recording, check_plot_file, draw_plot
from conjoint.cli.worlds import Worlds, make_worlds
from conjoint.lang.errors import SimulationWarning

DIVERGED = ("BADQPOS", "BADQVEL", "BADQACC", "BADCTRL")
"""Warnings after which the results of a run are unreliable."""


@dataclass
class Run:
    """Outcome of a simulation.

    Attributes:
        nstep: number of steps of each world.
        loading: time to read and compile the model (s).
        first_step: time of preparing the worlds and of a trial step, which may compile kernels (s).
        stepping: time of all steps of the run, without sampling (s).
        warnings: number of times that each warning was raised, by name.
    """

    nstep: int
    loading: float = 0.0
    first_step: float = 0.0
    stepping: float = 0.0
    warnings: dict[str, int] = field(default_factory=dict)

    @property
    def diverged(self) -> bool:
        """True if the state diverged during the run."""
        return any(name in self.warnings for name in DIVERGED)


WARNING_TEXT = {
    "INERTIA": "the inertia matrix is nearly singular",
    "CONTACTFULL": "the contact buffer was full: contacts were discarded",
    "CNSTRFULL": "the constraint buffer was full: constraints were discarded",
    "VGEOMFULL": "the buffer of visual geoms was full",
    "BADQPOS": "a position was NaN or huge: the world was reset",
    "BADQVEL": "a velocity was NaN or huge: the world was reset",
    "BADQACC": "an acceleration was NaN or huge: the world was reset; a smaller timestep may help",
    "BADCTRL": "a control was NaN or huge: all controls were set to zero",
}
"""Explanations of warnings, by warning name."""


def print_summary(options: SimulateOptions, model: Any, run: Run, recording: Recording, console: Console) -> None:
    """Print the model and settings of a run, its speed, its outcome and its warnings."""
    table = Table(title=f"{options.model}", show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for name, text in (*model_rows(options, model), *speed_rows(options, model, run), *outcome_rows(recording)):
        table.add_row(name, text)
    table.add_row("warnings", warning_text(run.warnings))
    console.print(table)


def model_rows(options: SimulateOptions, model: Any) -> list[tuple[str, str]]:
    """Return summary rows about the model."""
    rows = [
        (
            "model",
            f"{model.nbody - 1} bodies, {model.ngeom} geoms, {model.nv} degrees of freedom, {model.nu} actuators",
        ),
        ("controls", options.controls if model.nu else "none: the model has no actuators"),
    ]
    if options.nworld > 1 or options.precision != "float64":
        rows.append(("worlds", f"{options.nworld} on {options.threads} threads, {options.precision.value}"))
    return rows


def speed_rows(options: SimulateOptions, model: Any, run: Run) -> list[tuple[str, str]]:
    """Return summary rows about times and speed."""
    simulated = run.nstep * model.opt.timestep
    rate = options.nworld * run.nstep / run.stepping
    return [
        ("simulated", f"{simulated:g} s in {run.nstep:,} steps of {model.opt.timestep * 1e3:g} ms"),
        (
            "loading",
            f"{run.loading:.2f} s, then {run.first_step:.2f} s to allocate, compile if necessary, and run one step",
        ),
        ("speed", f"[bold]{rate:,.0f} steps/s[/], {1e6 / rate:.1f} us per step"),
        ("real-time factor", f"{rate * model.opt.timestep:,.1f}"),
    ]


def outcome_rows(recording: Recording) -> list[tuple[str, str]]:
    """Return summary rows about the outcome of the simulation."""
    ncon, height = recording.arrays["ncon"], recording.arrays["height"]
    energy = recording.arrays["energy"].sum(axis=-1)
    rows = [
        ("contacts", f"{ncon.mean():.1f} on average, {ncon.max()} at most"),
        ("energy", f"{energy[0].mean():.4g} J at the start, {energy[-1].mean():.4g} J at the end"),
    ]
    if height.shape[2]:
        start, end = (float(np.mean(height[k])) for k in (0, -1))
        rows.append(("height", f"{start:.3f} m to {end:.3f} m (center of mass, mean over trees)"))
    return rows


def warning_text(warnings: dict[str, int]) -> str:
    """Return one line per raised warning."""
    if not warnings:
        return "none"
    lines = [f"{name} x {count}: {WARNING_TEXT.get(name, 'see the documentation')}" for name, count in warnings.items()]
    return "[yellow]" + "\n".join(lines) + "[/]"


SAMPLE_INTERVAL = 0.01
"""Default simulated seconds between samples: a hundred per second suffice for visible motion."""

PROGRESS_INTERVAL = 0.1
"""Time between updates of the progress line (real seconds)."""

LINE_INTERVAL = 5.0
"""Time between lines of progress if the output is not a terminal (real seconds)."""


def simulate(options: SimulateOptions, console: Console) -> Run:
    """Run a simulation with `options`, and print progress and a summary on `console`.

    Raises:
        InputError: the model, the controls, a keyframe or an output file cannot be used.
    """
    check_outputs(options)
    if options.policy and options.ctrl != "zero":
        raise InputError(f"--ctrl {options.ctrl}: --policy sets the controls; omit --ctrl")
    start = time.perf_counter()
    model = load_to_simulate(options.model)
    run = Run(nstep=count_steps(options.seconds, model.opt.timestep), loading=time.perf_counter() - start)
    model.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_ENERGY)
    # a policy starts from the first keyframe, too
    keyframe = starting_keyframe(model, options.key, "keyframe" if options.policy else options.ctrl)
    start = time.perf_counter()
    worlds = make_worlds(model, options.nworld, options.threads, options.precision.value)
    if options.policy:
        source = policy_controls(options.policy, model, worlds)
    else:
        source = controls(options.ctrl, model, options.nworld, options.seed, keyframe)
    worlds.step(np.zeros((options.nworld, model.nu)))
    run.first_step = time.perf_counter() - start
    worlds.reset(keyframe)

    every = options.every or max(1, round(SAMPLE_INTERVAL / model.opt.timestep))
    recording = Recording(model)
    with warnings.catch_warnings():
        # warnings are counted and reported in the summary
        warnings.simplefilter("ignore", SimulationWarning)
        advance(worlds, source, run, recording, every, console)
    print_summary(options, model, run, recording, console)
    write_outputs(options, model, recording, every, console)
    return run


def count_steps(seconds: float, timestep: float) -> int:
    """Return the number of steps for a simulated time, at least one."""
    steps = seconds / timestep
    if not math.isfinite(steps):
        raise InputError(f"--seconds {seconds:g}: the simulation would never end")
    return max(1, round(steps))


def advance(worlds: Worlds, source: Controls, run: Run, recording: Recording, every: int, console: Console) -> None:
    """Take `run.nstep` steps, measure their time, and record a sample every `every` steps."""
    with progress_line(console) as progress:
        task = progress.add_task("simulating", total=run.nstep, rate="")
        shown = time.perf_counter()
        for step in range(run.nstep):
            ctrl = source(step)
            sampled = step % every == 0
            if sampled:
                recording.before_step(worlds, ctrl)
            before = time.perf_counter()
            worlds.step(ctrl)
            now = time.perf_counter()
            run.stepping += now - before
            if sampled:
                recording.after_step(worlds)
            if now - shown > PROGRESS_INTERVAL:
                shown = now
                rate = worlds.nworld * (step + 1) / run.stepping
                progress.update(task, completed=step + 1, rate=f"{rate:,.0f} steps/s")
        progress.update(task, completed=run.nstep)
    recording.finish()
    run.warnings = worlds.warnings()


def progress_line(console: Console) -> Progress:
    """Return a progress bar with steps and speed. Without a terminal, it prints a line every few seconds instead."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    return (Progress if console.is_terminal else LineProgress)(*columns, console=console, transient=True)


class LineProgress(Progress):
    """Progress printed as lines, for files and logs."""

    def __init__(self, *columns: ProgressColumn, **options: Any):
        super().__init__(*columns, **options)
        self._reported = time.perf_counter()

    def update(self, task_id: TaskID, **fields: Any) -> None:
        super().update(task_id, **fields)
        task = self.tasks[task_id]
        if time.perf_counter() - self._reported > LINE_INTERVAL and not task.finished:
            self._reported = time.perf_counter()
            rate = task.fields.get("rate", "")
            self.console.print(f"{task.description} {task.completed:,.0f} of {task.total:,.0f}  {rate}".rstrip())


def check_outputs(options: SimulateOptions) -> None:
    """Check before a long run that its results can be written."""
    if options.record and options.record.suffix != ".npz":
        raise InputError(f"--record {options.record}: the name must end in .npz")
    if options.plot:
        check_plot_file(options.plot)
    for path in filter(None, (options.record, options.plot)):
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
        # missing folders are created when the results are written
        nearest = next(folder for folder in path.absolute().parents if folder.exists())
        if not nearest.is_dir():
            raise InputError(f"cannot write {path}: {nearest} is not a folder")
        if not os.access(nearest, os.W_OK):
            raise InputError(f"cannot write {path}: the folder {nearest} is not writable")


def write_outputs(options: SimulateOptions, model: Any, recording: Recording, every: int, console: Console) -> None:
    """Write the requested recording and plot."""
    for path in filter(None, (options.record, options.plot)):
        if not path.parent.exists():
            with writing(path):
                path.parent.mkdir(parents=True)
            console.print(f"created the folder [bold]{path.parent}[/]")
    if options.record:
        about = {"timestep": model.opt.timestep, "every": every, "seed": options.seed, "model": str(options.model)}
        with writing(options.record):
            recording.save(options.record, **about)
        console.print(
            f"recorded [bold]{options.record}[/]: {len(recording.arrays['time'])} samples, one per {every} steps"
        )
    if options.plot:
        title = f"{options.model.name}, controls: {options.controls}"
        title += f", {options.nworld} worlds" if options.nworld > 1 else ""
        with writing(options.plot):
            draw_plot(recording, title, options.plot)
        console.print(f"plotted [bold]{options.plot}[/]")
