"""`conjoint view`: a window or a page that simulates a model."""

from __future__ import annotations

import warnings

from rich.console import Console

from conjoint.cli.failure import InputError
from conjoint.cli.model_file import check_model_file
from conjoint.cli.options import RecordOptions, ViewOptions
from conjoint.cli.record import PAGE, record
from conjoint.lang.errors import SimulationWarning
from conjoint.viewer import launch, launch_from_path


def view(options: ViewOptions, console: Console) -> None:
    """Open a window or serve a page, and return when the user ends it; or write a page that plays five seconds.

    Raises:
        InputError: there is no such file, none was named where one is needed, or the page has another ending.
        FatalError: no display, no OpenGL, or a package is missing.
    """
    model = options.model
    if model is not None:
        check_model_file(model)
    elif options.export or options.web:
        wanted = "--export page.html" if options.export else "--web"
        raise InputError(f"{wanted.split()[0]} needs a model: conjoint view MODEL {wanted}")
    if options.export:
        if options.export.suffix != PAGE:
            raise InputError(f"--export {options.export}: the name of a page ends in {PAGE}")
        record(RecordOptions(model, options.export), console)
        return
    # the window and the page show them
    warnings.simplefilter("ignore", SimulationWarning)
    if options.web:
        from conjoint.viewer import web

        web.launch_from_path(str(model), host=options.host, port=options.port)
    elif model is None:
        launch()
    else:
        launch_from_path(str(model))
