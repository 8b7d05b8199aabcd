"""The commands and their options; each imports what it needs when it runs, so that `--help` is quick."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from conjoint.cli.failure import EXIT_DIFFERENT, EXIT_DIVERGED, reported_errors
from conjoint.lang.system import processors

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


class Precision(StrEnum):
    """Real numbers of a batch."""

    float64 = "float64"
    float32 = "float32"


class Edition(StrEnum):
    """Editions of the physics."""

    first = "3.3.5"
    second = "4.0"


ModelArgument = Annotated[Path, typer.Argument(help="Model file (MJCF, URDF or MJB).", show_default=False)]
Seed = Annotated[int, typer.Option(min=0, help="Seed of random controls.")]
Key = Annotated[str | None, typer.Option(help="Start from this keyframe, by name or number.", show_default=False)]
Worlds = Annotated[int, typer.Option(min=1, help="Worlds simulated together.")]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Threads shared by the worlds, or by one world. Default: one per core, at most one per world.",
        show_default=False,
    ),
]


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        from conjoint import __version__

        print(f"conjoint {__version__}")
        raise typer.Exit


@app.callback(epilog="Exit status: 0 done, 1 models differ (testxml), 2 bad input or option, 3 the state diverged.")
def commands(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Physics of articulated bodies with contact, compatible with MuJoCo's models."""


def thread_count(worlds: int, threads: int | None) -> int:
    """Threads for so many worlds: one world has as many as are asked for, several at most one for each."""
    if worlds == 1:
        return threads or 1
    return min(worlds, threads or processors())


@app.command()
def simulate(
    model: ModelArgument,
    seconds: Annotated[float, typer.Option(min=0.0, help="Simulated time of each world.")] = 10.0,
    ctrl: Annotated[str, typer.Option(help="Controls: zero, random, keyframe, or a file (.npy, .npz, text).")] = "zero",
    seed: Seed = 0,
    key: Key = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the trajectory to this .npz file.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw heights, contacts and energy to this file.", show_default=False)
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(min=1, help="Steps between samples. Default: every 0.01 s of simulated time.", show_default=False),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(help="Let a policy of conjoint.envs (.npz) decide on the controls.", show_default=False),
    ] = None,
    worlds: Worlds = 1,
    threads: Threads = None,
    precision: Precision = Precision.float64,
) -> None:
    """Simulate a model and tell what happened.

    Exit status: 0 done, 2 bad input, 3 the state diverged on the way.
    """
    with reported_errors():
        from conjoint.cli.simulate import Request
        from conjoint.cli.simulate import simulate as run_simulation

        nthread = thread_count(worlds, threads)
        asked = (model, seconds, ctrl, seed, key, worlds, nthread, precision.value)
        request = Request(*asked, every=every, record=record, plot=plot, policy=policy)
        run = run_simulation(request, Console(highlight=False))
    if run.diverged:
        raise typer.Exit(EXIT_DIVERGED)


@app.command()
def view(
    model: Annotated[
        Path | None,
        typer.Argument(help="Model file (MJCF, URDF or MJB). Default: drop one on the window.", show_default=False),
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="In a browser instead of a window.")] = False,
    host: Annotated[str, typer.Option(help="Address of the page; 0.0.0.0 for other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page, or the next that is free.")] = 8080,
    export: Annotated[
        Path | None,
        typer.Option(help="Write a page (.html) that plays five seconds (see record for more).", show_default=False),
    ] = None,
) -> None:
    """Simulate a model in a window: watch it, pull at it, change it (F1 shows what keys do)."""
    with reported_errors():
        from conjoint.cli.view import export_motion, open_page, open_window

        if export is not None:
            export_motion(model, export, Console(highlight=False, soft_wrap=True))
        elif web:
            open_page(model, host, port)
        else:
            open_window(model)


@app.command()
def record(
    model: ModelArgument,
    target: Annotated[
        Path, typer.Argument(help="File to write: .mp4, .gif, .png, .html, .raw, ...", show_default=False)
    ],
    seconds: Annotated[float, typer.Option(min=0.0, max=3600.0, help="Simulated time.")] = 5.0,
    width: Annotated[int, typer.Option(min=16, max=8192, help="Width in pixels.")] = 640,
    height: Annotated[int, typer.Option(min=16, max=8192, help="Height in pixels.")] = 480,
    fps: Annotated[float, typer.Option(min=0.1, max=1000.0, help="Pictures in a second of the film.")] = 30.0,
    slow: Annotated[float, typer.Option(min=0.001, max=1000.0, help="Seconds of film for a simulated one.")] = 1.0,
    camera: Annotated[
        str | None, typer.Option(help="Camera, by name or number. Default: a free one.", show_default=False)
    ] = None,
    ctrl: Annotated[str, typer.Option(help="Controls: zero, random, keyframe, or a file (.npy, .npz, text).")] = "zero",
    seed: Seed = 0,
    key: Key = None,
    rays: Annotated[bool, typer.Option("--rays", help="Draw by rays, without OpenGL.")] = False,
    replay: Annotated[
        Path | None,
        typer.Option(help="Show this trajectory of simulate --record instead of simulating.", show_default=False),
    ] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Write depths beside raw colours.")] = False,
) -> None:
    """Simulate a model and write what a camera sees as a video, an animation or pictures, or a page that plays it."""
    with reported_errors():
        from conjoint.cli.record import RecordOptions
        from conjoint.cli.record import record as run_recording

        options = RecordOptions(
            model, target, seconds, width, height, fps, slow, camera, ctrl, seed, key, rays, replay, depth
        )
        run_recording(options, Console(highlight=False, soft_wrap=True))


@app.command()
def testspeed(
    model: ModelArgument,
    steps: Annotated[int, typer.Option(min=1, help="Steps to time.")] = 5000,
    ctrl: Annotated[str, typer.Option(help="Controls: zero, random, keyframe, or a file.")] = "random",
    seed: Seed = 0,
    key: Key = None,
    worlds: Worlds = 1,
    threads: Threads = None,
    precision: Precision = Precision.float64,
    semantics: Annotated[
        Edition | None,
        typer.Option(help="Edition of the physics. Default: CONJOINT_SEMANTICS, or 3.3.5.", show_default=False),
    ] = None,
) -> None:
    """Measure the speed of a model, and where the time goes: stage by stage, and what is inside them."""
    with reported_errors():
        from conjoint.cli.testspeed import Request, measure

        edition = semantics.value if semantics else None
        asked = Request(model, steps, ctrl, seed, key, worlds, thread_count(worlds, threads), precision.value, edition)
        measure(asked, Console(highlight=False))


@app.command()
def derivative(
    model: ModelArgument,
    epochs: Annotated[int, typer.Option(min=1, help="States in which derivatives are taken.")] = 20,
    steps: Annotated[int, typer.Option(min=1, help="Steps from one of them to the next.")] = 100,
    eps: Annotated[float, typer.Option(min=1e-12, help="Size of the differences.")] = 1e-6,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations of the solver, always so many.")] = 30,
    seed: Seed = 0,
) -> None:
    """Take derivatives of forward and inverse dynamics, exact and by differences: their time, how accurate they are."""
    with reported_errors():
        from conjoint.cli.derivative import Settings, measure

        measure(model, Settings(epochs, steps, eps, iterations, seed), Console(highlight=False))


@app.command("compile")
def compile_model(
    source: ModelArgument,
    target: Annotated[Path, typer.Argument(help="File to write: .xml, .mjb or .txt.", show_default=False)],
) -> None:
    """Convert a model: XML to canonical XML, to a binary file, or to text that lists all its fields."""
    with reported_errors():
        from conjoint.cli.convert import convert

        convert(source, target, Console(highlight=False, soft_wrap=True))


@app.command()
def testxml(model: Annotated[Path, typer.Argument(help="Model file (MJCF or URDF).", show_default=False)]) -> None:
    """Save a model as XML, load it again, and show the field that differs most.

    Exit status: 0 all fields agree to 1e-6, 1 they do not, 2 bad input.
    """
    with reported_errors():
        from conjoint.cli.convert import test_saving

        same = test_saving(model, Console(highlight=False, soft_wrap=True))
    if not same:
        raise typer.Exit(EXIT_DIFFERENT)


@app.command()
def schema(target: Annotated[Path, typer.Argument(help="File to write: .xsd.", show_default=False)]) -> None:
    """Write an XML Schema of the model format, with which editors complete and check models."""
    with reported_errors():
        from conjoint.cli.convert import write_schema

        write_schema(target, Console(highlight=False, soft_wrap=True))


@app.command()
def stages(
    function: Annotated[str, typer.Argument(help="A function of the pipeline: mj_step, mj_forward, mj_inverse, ...")],
    model: Annotated[
        Path | None, typer.Argument(help="Model file: list the stages that it needs.", show_default=False)
    ] = None,
    varying: Annotated[
        bool, typer.Option(help="List the branches, loops and indices that differ between the worlds of a batch.")
    ] = False,
) -> None:
    """List the stages of a function in the order in which they run: what each does, and when it is left out."""
    with reported_errors():
        from conjoint.cli.stages import show_stages, show_varying

        (show_varying if varying else show_stages)(function, model, Console(highlight=False))


@app.command()
def warmup(
    model: Annotated[
        Path | None, typer.Argument(help="Model whose kernels to compile. Default: a small sample.", show_default=False)
    ] = None,
) -> None:
    """Compile kernels into the cache on disk, so that later programs start at once."""
    with reported_errors():
        from conjoint.cli.doctor import fill_cache

        fill_cache(model, Console(highlight=False))


@app.command()
def doctor(
    kernels: Annotated[bool, typer.Option("--kernels", help="Also list every kernel and where its code is.")] = False,
) -> None:
    """Show versions, processor, cache and compiler state, for a report of a problem."""
    with reported_errors():
        from conjoint.cli.doctor import examine

        examine(Console(highlight=False), kernels)


def main() -> None:
    """Entry point of the `conjoint` script."""
    app(prog_name="conjoint")
