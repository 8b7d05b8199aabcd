"""`conjoint view`: a window or a web page that simulates a model."""

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
    """Open a window or serve a web page until the user closes it; or write a page that plays five seconds.

    Raises:
        InputError: the file does not exist, a required file is missing, or the page has a different extension.
        FatalError: there is no display or no OpenGL, or a package is missing.
    """
    if not options.export:
        # the window and the page show these warnings
        warnings.simplefilter("ignore", SimulationWarning)
    model = options.model
    if model is None:
        for name, example in (("web", "--web"), ("export", "--export page.html")):
            if getattr(options, name):
                raise InputError(f"--{name} needs a model: conjoint view MODEL {example}")
        launch()
        return
    check_model_file(model)
    if options.export:
        if options.export.suffix != PAGE:
            raise InputError(f"--export {options.export}: the name of a web page must end in {PAGE}")
        record(RecordOptions(model, options.export), console)
    elif options.web:
        from conjoint.viewer import web

        web.launch_from_path(str(model), host=options.host, port=options.port)
    else:
        launch_from_path(str(model))
