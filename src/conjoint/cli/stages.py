"""`conjoint stages`: the stages of a function of the engine, and code that differs between the worlds of a batch."""

import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from conjoint.cli.failure import InputError
from conjoint.cli.model_file import load_model
from conjoint.lang.frontend.module import varying_lines
from conjoint.lang.memory.realisation import default_width, lanes
from conjoint.runtime.functions import FUNCTIONS, stages_of
from conjoint.runtime.stage import Needs, Only, Stage, listed
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from conjoint.spec.problems import suggestion

PACKAGE = Path(__file__).parent.parent
"""Folder with the source code of kernels."""

SHORTEST_REPETITION = 3
"""Minimum length of a repeated sequence of stages for abbreviating it."""


@dataclass(frozen=True)
class Row:
    """One line of the list of a function's stages.

    Attributes:
        function: documented function to which the stage belongs.
        stage: name of the stage, as in `mjSTAGEFUNC`; "..." for a repeated sequence of stages.
        source: file and name of the kernel.
        needs: groups of model features. The stage runs if the model has at least one feature of each group.
        meaning: description of the stage in a sentence.
    """

    function: str
    stage: str
    source: str
    needs: tuple[Needs, ...]
    meaning: str


def rows_of(stages: Sequence[Stage | Only]) -> Iterator[Row]:
    """Return the lines for some stages, in order. Each repeated sequence becomes one line."""
    rows = [row_of(stage, needs) for stage, needs in listed(stages)]
    names = [(row.function, row.stage) for row in rows]
    k = 0
    while k < len(rows):
        end = k
        while end < len(rows) and names[end] in names[:k]:
            end += 1
        if end - k < SHORTEST_REPETITION:
            yield rows[k]
            k += 1
        else:
            first, last = rows[k].function, rows[end - 1].function
            shared = tuple(needs for needs in rows[k].needs if all(needs in row.needs for row in rows[k:end]))
            what = first if first == last else f"{first} to {last}"
            yield Row(first, "...", "", shared, f"{what} once more, {end - k} stages.")
            k = end


def row_of(stage: Stage, needs: tuple[Needs, ...]) -> Row:
    """Return the line that describes a stage."""
    kernel, function = stage.kernel, stage.kernel.function
    # kernels derived from another one are described by their own docstring and module
    made = kernel.__module__ != function.__module__
    path = Path(inspect.getsourcefile(sys.modules[kernel.__module__] if made else function) or "")
    place = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    described = kernel if made else function
    text = " ".join((inspect.getdoc(described) or "").split("\n\n")[0].split())
    return Row(stage.name, kernel.__name__, f"{place} `{described.__name__}`", needs, text)


def needs_text(row: Row, quote: str = "") -> str:
    """Return a line's required features as text. Groups are separated by semicolons; long groups end in an ellipsis."""

    def word(need: Any) -> str:
        if isinstance(need, tuple):
            return " and ".join(map(word, need))
        name = str(getattr(need, "name", need))
        return (
            "pairs of these geom types" if name.startswith(("contacts by", "distance by")) else f"{quote}{name}{quote}"
        )

    # a small group implies any larger one; members of different enumerations may have equal numbers
    wanted = [tuple(dict.fromkeys(map(word, needs))) for needs in row.needs]
    groups = [words for words in dict.fromkeys(wanted) if not any(set(one) < set(words) for one in wanted)]
    return "; ".join(", ".join(words[:4]) + (", ..." if len(words) > 4 else "") for words in groups)


def stages_for(name: str, model: Path | None) -> tuple[Sequence[Stage | Only], Sequence[Stage | Only]]:
    """Return all stages of a documented function, and the stages that run for a model; without a model, all.

    Raises:
        InputError: the function or the model does not exist.
        FatalError: the model cannot be simulated.
    """
    if name not in FUNCTIONS:
        raise InputError(f"the pipeline has no function {name!r}{suggestion(name, FUNCTIONS)}")
    everything: Sequence[Stage | Only] = FUNCTIONS[name]
    return everything, everything if model is None else stages_of(name, load_model(model).plans.holding())


def show_stages(name: str, model: Path | None, console: Console) -> None:
    """Print the stages of a documented function in order; with a model, only the stages that run for it.

    Raises:
        InputError: the function or the model does not exist.
        FatalError: the model cannot be simulated.
    """
    everything, stages = stages_for(name, model)
    table = Table(title=f"{name} of {model.name if model else 'any model'}", title_justify="left", title_style="bold")
    table.add_column("function", style="cyan", no_wrap=True)
    table.add_column("stage")
    table.add_column("description")
    if model is None:
        table.add_column("runs only with one of", style="dim")
    before = ""
    for row in rows_of(stages):
        shown = row.function if row.function != before else ""
        table.add_row(shown, row.stage, row.meaning, *([needs_text(row)] if model is None else []))
        before = row.function
    console.print(table)
    if model is not None:
        console.print(f"{len(stages)} of {len(list(listed(everything)))} stages run.")


def show_varying(name: str, model: Path | None, console: Console) -> None:
    """Print which branches, loops and indices of a function's stages differ between the worlds of a batch.

    Raises:
        InputError: the function or the model does not exist.
        FatalError: the model cannot be simulated.
    """
    table = Table(title=f"{name} of {model.name if model else 'any model'} in a batch", title_justify="left")
    table.add_column("stage", style="cyan", no_wrap=True)
    table.add_column("kernel")
    table.add_column("differences between worlds")
    realisation = lanes("float64", default_width("float64"))
    for kernel in dict.fromkeys(stage.kernel for stage, _ in listed(stages_for(name, model)[1])):
        title = kernel.__name__
        if kernel.per_world:
            table.add_row(
                title, "", f"one world at a time: {kernel.one_by_one or 'the kernel needs a block of one world'}"
            )
            continue
        found = varying_lines(kernel, realisation, MODEL_ROWS, DATA_STRUCT)
        for (file, kernel_name), places in groupby(found, lambda place: (place[0], place[2])):
            path = Path(file)
            short = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
            words = ", ".join(f"{what} {line}" for _, line, _, what in places)
            table.add_row(title, f"{short.as_posix()} {kernel_name}", words)
            title = ""
    console.print(table)
