"""`conjoint view`: a window or a page that simulates a model."""

from __future__ import annotations

import warnings
from pathlib import Path

from rich.console import Console

from conjoint.cli.failure import InputError
from conjoint.cli.model_file import check_model_file
from conjoint.cli.record import PAGE, RecordOptions, record
from conjoint.lang.errors import SimulationWarning
from conjoint.viewer import launch, launch_from_path


def open_window(model: Path | None) -> None:
    """Open the window; returns when it is closed.

    Raises:
        InputError: there is no such file.
        FatalError: no display, no OpenGL, or a package is missing.
    """
    # the window shows them
    warnings.simplefilter("ignore", SimulationWarning)
    if model is None:
        launch()
        return
    check_model_file(model)
    launch_from_path(str(model))


def open_page(model: Path | None, host: str, port: int) -> None:
    """Serve the page; returns at Ctrl-C.

    Raises:
        InputError: there is no such file, or none was named.
        FatalError: a package is missing.
    """
    from conjoint.viewer import web

    warnings.simplefilter("ignore", SimulationWarning)
    if model is None:
        raise InputError("--web needs a model: conjoint view MODEL --web")
    check_model_file(model)
    web.launch_from_path(str(model), host=host, port=port)


def export_motion(model: Path | None, target: Path, console: Console) -> None:
    """Write a page that plays what the model does by itself.

    Raises:
        InputError: there is no such file, none was named, or the page has another ending.
    """
    if model is None:
        raise InputError("--export needs a model: conjoint view MODEL --export page.html")
    if target.suffix != PAGE:
        raise InputError(f"--export {target}: the name of a page ends in {PAGE}")
    record(
        RecordOptions(
            model, target, seconds=5.0, width=640, height=480, fps=30.0, slow=1.0, camera=None, ctrl="zero", seed=0,
            key=None, rays=False, replay=None, depth=False,
        ),
        console,
    )  # fmt: skip
