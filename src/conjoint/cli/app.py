"""Commands of `conjoint`. Each imports its modules when it runs, so that `--help` is fast."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console

from conjoint.cli.failure import EXIT_DIFFERENT, EXIT_DIVERGED, EXIT_FINDINGS, reported_errors
from conjoint.cli.options import (
    DerivativeOptions,
    Model,
    RecordOptions,
    SimulateOptions,
    TestspeedOptions,
    ViewOptions,
    argument,
    model_argument,
)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


def takes(options: type) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Return a decorator that gives a command one option per field of the dataclass `options`.

    The decorated function receives an instance of this dataclass.
    """

    def decorate(run: Callable[[Any], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            run(options(**given))

        command.__name__, command.__doc__ = run.__name__, run.__doc__
        command.__annotations__ = get_type_hints(options, include_extras=True)
        vars(command)["__signature__"] = inspect.signature(options)
        return command

    return decorate


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        from conjoint import __version__

        print(f"conjoint {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Exit status: 0 success, 1 models differ (testxml) or findings (doctor), 2 bad input or option, "
    "3 the state diverged."
)
def commands(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Physics engine for articulated bodies with contacts, compatible with MuJoCo models."""


@app.command()
@takes(SimulateOptions)
def simulate(options: SimulateOptions) -> None:
    """Simulate a model and print a summary.

    Exit status: 0 success, 2 bad input, 3 the state diverged.
    """
    with reported_errors():
        from conjoint.cli.simulate import simulate as run_simulation

        run = run_simulation(options, Console(highlight=False))
    if run.diverged:
        raise typer.Exit(EXIT_DIVERGED)


@app.command()
@takes(ViewOptions)
def view(options: ViewOptions) -> None:
    """Simulate a model in an interactive window: watch it, pull it, change it (F1 lists the keys)."""
    with reported_errors():
        from conjoint.cli.view import view as show

        show(options, Console(highlight=False, soft_wrap=True))


@app.command()
@takes(RecordOptions)
def record(options: RecordOptions) -> None:
    """Simulate a model and write a video, an animation, pictures, or a web page that plays the motion."""
    with reported_errors():
        from conjoint.cli.record import record as run_recording

        run_recording(options, Console(highlight=False, soft_wrap=True))


@app.command()
@takes(TestspeedOptions)
def testspeed(options: TestspeedOptions) -> None:
    """Measure the speed of a model, and profile it by stage."""
    with reported_errors():
        from conjoint.cli.testspeed import measure

        measure(options, Console(highlight=False))


@app.command()
@takes(DerivativeOptions)
def derivative(options: DerivativeOptions) -> None:
    """Measure time and accuracy of the dynamics' derivatives, both exact ones and finite differences."""
    with reported_errors():
        from conjoint.cli.derivative import measure

        measure(options, Console(highlight=False))


@app.command("compile")
def compile_model(
    source: Model,
    target: Annotated[Path, argument("File to write: .xml, .mjb or .txt.")],
) -> None:
    """Convert a model from XML to canonical XML, to a binary file, or to text that lists all its fields."""
    with reported_errors():
        from conjoint.cli.convert import convert

        convert(source, target, Console(highlight=False, soft_wrap=True))


@app.command()
def testxml(model: Model) -> None:
    """Save a model as XML, load it again, and print the field that differs most.

    Exit status: 0 all fields agree to 1e-6, 1 they differ, 2 bad input.
    """
    with reported_errors():
        from conjoint.cli.convert import test_saving

        same = test_saving(model, Console(highlight=False, soft_wrap=True))
    if not same:
        raise typer.Exit(EXIT_DIFFERENT)


@app.command()
def schema(target: Annotated[Path, argument("File to write: .xsd.")]) -> None:
    """Write an XML Schema of the model format, for completion and checks in editors."""
    with reported_errors():
        from conjoint.cli.convert import write_schema

        write_schema(target, Console(highlight=False, soft_wrap=True))


@app.command()
def stages(
    function: Annotated[str, argument("Function of the pipeline: mj_step, mj_forward, mj_inverse, ...")],
    model: Annotated[Path | None, model_argument("Model. If given, list only the stages that it needs.")] = None,
    varying: Annotated[
        bool, typer.Option(help="List the branches, loops and indices that differ between the worlds of a batch.")
    ] = False,
) -> None:
    """List the stages of a function in order: what each does, and when it is skipped."""
    with reported_errors():
        from conjoint.cli.stages import show_stages, show_varying

        (show_varying if varying else show_stages)(function, model, Console(highlight=False))


@app.command()
def warmup(
    model: Annotated[
        Path | None, model_argument("Model whose kernels are compiled. Default: a small sample model.")
    ] = None,
) -> None:
    """Compile kernels into the disk cache, so that later programs start faster."""
    with reported_errors():
        from conjoint.cli.doctor import fill_cache

        fill_cache(model, Console(highlight=False))


@app.command()
def doctor(
    model: Annotated[Path | None, model_argument("Model to examine. Default: examine the installation.")] = None,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="Also list every kernel with the location of its code.")
    ] = False,
    whole: Annotated[bool, typer.Option("--all", help="List all elements that each finding concerns.")] = False,
) -> None:
    """List suspicious properties of a model with fixes; without a model, show versions, processor, cache, compiler.

    Exit status: 0 no findings, 1 findings, 2 bad input.
    """
    with reported_errors():
        if model is None:
            from conjoint.cli.doctor import examine

            examine(Console(highlight=False), kernels)
            return
        from conjoint.cli.findings import show_findings

        healthy = show_findings(model, Console(highlight=False, soft_wrap=True), whole)
    if not healthy:
        raise typer.Exit(EXIT_FINDINGS)


def main() -> None:
    """Entry point of the `conjoint` script."""
    app(prog_name="conjoint")
