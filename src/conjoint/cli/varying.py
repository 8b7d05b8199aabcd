"""`conjoint stages --varying`: where the worlds of a batch go different ways.

Kernels are written as for one world. In a batch, a branch on the state runs both arms under masks, and an index from
the state takes an access for each world. This report names these places, because the source does not show them.
"""

from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table

from conjoint.cli.stages import PACKAGE, stages_for
from conjoint.lang.frontend.module import varying_lines
from conjoint.lang.memory.realisation import default_width, lanes
from conjoint.runtime.stage import listed
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS


def show_varying(name: str, model: Path | None, console: Console) -> None:
    """Print the places of a function's stages that differ between the worlds of a batch.

    Raises:
        InputError: there is no such function, or no such model.
        FatalError: the model cannot be simulated.
    """
    table = Table(title=f"{name} of {model.name if model else 'any model'} in a batch", title_justify="left")
    table.add_column("stage", style="cyan", no_wrap=True)
    table.add_column("kernel")
    table.add_column("what differs between worlds")
    realisation = lanes("float64", default_width("float64"))
    for kernel in dict.fromkeys(stage.kernel for stage, _ in listed(stages_for(name, model)[1])):
        title = kernel.__name__
        if kernel.per_world:
            table.add_row(title, "", f"one world at a time: {kernel.one_by_one or 'it needs a block of one world'}")
            continue
        found = varying_lines(kernel, realisation, MODEL_ROWS, DATA_STRUCT)
        for (file, kernel_name), places in groupby(found, lambda place: (place[0], place[2])):
            path = Path(file)
            short = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
            words = ", ".join(f"{what} {line}" for _, line, _, what in places)
            table.add_row(title, f"{short.as_posix()} {kernel_name}", words)
            title = ""
    console.print(table)
