"""`conjoint simulate`: run a model, tell what happened, record it and plot it."""

import math
import os
import time
import warnings
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeRemainingColumn

import conjoint
from conjoint.cli.control import Controls, controls
from conjoint.cli.failure import InputError, writing
from conjoint.cli.model_file import find_keyframe, load_to_simulate
from conjoint.cli.policy import policy_controls
from conjoint.cli.recording import Recording
from conjoint.cli.run import Request, Run
from conjoint.cli.summary import print_summary
from conjoint.cli.worlds import Worlds, make_worlds
from conjoint.lang.errors import SimulationWarning

SAMPLE_INTERVAL = 0.01
"""Simulated seconds between samples, when the user does not say: a hundred per second show what a person would see."""

PROGRESS_INTERVAL = 0.1
"""Real seconds between updates of the progress line."""

LINE_INTERVAL = 5.0
"""Real seconds between lines that tell how far it is, where there is no terminal."""


def simulate(request: Request, console: Console) -> Run:
    """Carry out `request`, printing progress and a summary on `console`.

    Raises:
        InputError: the model, the controls, a keyframe or an output file cannot be used.
    """
    check_outputs(request)
    if request.policy and request.ctrl != "zero":
        raise InputError(f"--ctrl {request.ctrl}: with --policy, the policy decides on the controls; leave --ctrl out")
    start = time.perf_counter()
    model = load_to_simulate(request.model)
    run = Run(nstep=count_steps(request.seconds, model.opt.timestep), loading=time.perf_counter() - start)
    model.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_ENERGY)
    keyframe = initial_keyframe(request, model)
    start = time.perf_counter()
    worlds = make_worlds(model, request.worlds, request.threads, request.precision)
    if request.policy:
        source = policy_controls(request.policy, model, worlds)
    else:
        source = controls(request.ctrl, model, request.worlds, request.seed, keyframe)
    worlds.step(np.zeros((request.worlds, model.nu)))
    run.first_step = time.perf_counter() - start
    worlds.reset(keyframe)

    every = request.every or max(1, round(SAMPLE_INTERVAL / model.opt.timestep))
    recording = Recording(model)
    with warnings.catch_warnings():
        # the summary tells of them
        warnings.simplefilter("ignore", SimulationWarning)
        advance(worlds, source, run, recording, every, console)
    print_summary(request, model, run, recording, console)
    write_outputs(request, model, recording, every, console)
    return run


def count_steps(seconds: float, timestep: float) -> int:
    """Steps that take a simulated time, at least one."""
    steps = seconds / timestep
    if not math.isfinite(steps):
        raise InputError(f"--seconds {seconds:g}: the simulation would not end")
    return max(1, round(steps))


def advance(worlds: Worlds, source: Controls, run: Run, recording: Recording, every: int, console: Console) -> None:
    """Step `run.nstep` times, timing the steps and taking a sample every `every` of them."""
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
    """A bar with the number of steps and the speed, removed when done; without a terminal a line every few seconds."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    return (Progress if console.is_terminal else LineProgress)(*columns, console=console, transient=True)


class LineProgress(Progress):
    """Progress as lines, for files and logs."""

    def __init__(self, *columns: ProgressColumn, **options: Any):
        super().__init__(*columns, **options)
        self._told = time.perf_counter()

    def update(self, task_id: TaskID, **fields: Any) -> None:
        super().update(task_id, **fields)
        task = self.tasks[task_id]
        if time.perf_counter() - self._told > LINE_INTERVAL and not task.finished:
            self._told = time.perf_counter()
            rate = task.fields.get("rate", "")
            self.console.print(f"{task.description} {task.completed:,.0f} of {task.total:,.0f}  {rate}".rstrip())


def initial_keyframe(request: Request, model: Any) -> int | None:
    """The keyframe to start from: the one asked for, or the first where its controls are wanted, or a policy's."""
    if request.key is not None:
        return find_keyframe(model, request.key)
    return 0 if (request.ctrl == "keyframe" or request.policy) and model.nkey else None


def check_outputs(request: Request) -> None:
    """Find out before a long run whether its results can be written."""
    if request.record and request.record.suffix != ".npz":
        raise InputError(f"--record {request.record}: the name must end in .npz")
    if request.plot:
        from conjoint.cli.plot import check_plot_file

        check_plot_file(request.plot)
    for path in filter(None, (request.record, request.plot)):
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
        # folders that are missing are made when there is something to write
        nearest = next(folder for folder in path.absolute().parents if folder.exists())
        if not nearest.is_dir():
            raise InputError(f"cannot write {path}: {nearest} is not a folder")
        if not os.access(nearest, os.W_OK):
            raise InputError(f"cannot write {path}: the folder {nearest} is not writable")


def write_outputs(request: Request, model: Any, recording: Recording, every: int, console: Console) -> None:
    """Write the recording and the plot that were asked for."""
    for path in filter(None, (request.record, request.plot)):
        if not path.parent.exists():
            with writing(path):
                path.parent.mkdir(parents=True)
            console.print(f"made the folder [bold]{path.parent}[/]")
    if request.record:
        about = {"timestep": model.opt.timestep, "every": every, "seed": request.seed, "model": str(request.model)}
        with writing(request.record):
            recording.save(request.record, **about)
        console.print(
            f"recorded [bold]{request.record}[/]: {len(recording.arrays['time'])} samples, one every {every} steps"
        )
    if request.plot:
        from conjoint.cli.plot import draw_plot

        title = f"{request.model.name}, controls: {request.controls}"
        title += f", {request.worlds} worlds" if request.worlds > 1 else ""
        with writing(request.plot):
            draw_plot(recording, title, request.plot)
        console.print(f"plotted [bold]{request.plot}[/]")
