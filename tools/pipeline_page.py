"""The page of the pipeline: the stages of a step in their order, from the list that the engine runs."""

import inspect
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from conjoint.lang.layout import Field
from conjoint.runtime import stages
from conjoint.runtime.plugins import PluginStage
from conjoint.runtime.stage import Need, Stage
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "conjoint"

PARTS = {
    "Position": (stages.CHECK_STATE + stages.POSITION + stages.SENSOR_POS + stages.ENERGY_POS),
    "Velocity": stages.VELOCITY + stages.SENSOR_VEL + stages.ENERGY_VEL,
    "Acceleration": stages.CONTROL + stages.SECOND_HALF + stages.CHECK_ACCELERATION,
    "Integration": stages.EULER + stages.IMPLICIT_STEP + stages.RUNGE_KUTTA[:2] + stages.RUNGE_KUTTA[-2:],
    "Inverse dynamics": stages.INVERSE_FORCES + stages.INVERSE_END + stages.COMPARE[:1] + stages.COMPARE[-1:],
}
"""The stages of the documented functions mj_step and mj_inverse; stages of both are in the first part that has them."""

INTRODUCTION = """# The pipeline

What `mj_step` and `mj_inverse` do, in order, as the engine runs it: one row for each kernel. A function of the
Computation chapter may be several kernels, and a kernel is there only if the model has one of the things in the column
*only with*. Its source, in `src/conjoint/`, runs as it stands: compiled, in lanes, or under a debugger.
"""


def need_text(need: Need | tuple[Need, ...]) -> str:
    """One thing that a model may have."""
    if isinstance(need, tuple):
        return " and ".join(map(need_text, need))
    name = getattr(need, "name", need)
    return "pairs of its types" if name.startswith(("contacts by", "distance by")) else f"`{name}`"


def needs_text(stage: Stage) -> str:
    """What a model must have one of; long lists of types end in an ellipsis."""
    needs = list(dict.fromkeys(map(need_text, stage.needs)))
    return ", ".join(needs[:4]) + (", ..." if len(needs) > 4 else "")


def source(stage: Stage) -> str:
    """Where the kernel is, and its name."""
    function = stage.kernel.function
    path = Path(inspect.getsourcefile(function)).relative_to(PACKAGE)
    return f"{path} `{function.__name__}`"


def meaning(stage: Stage) -> str:
    """The first sentence of the kernel's description."""
    text = inspect.getdoc(stage.kernel.function) or ""
    return " ".join(text.split("\n\n")[0].split())


def stage_rows(part: Iterable[Stage], seen: set[str]) -> Iterator[str]:
    """Rows of the kernels of some stages."""
    for name, group in itertools.groupby(part, lambda stage: stage.name):
        for stage in group:
            place = source(stage)
            if not isinstance(stage, PluginStage) and place not in seen:
                seen.add(place)
                text = meaning(stage).replace("|", "\\|").replace("<", "&lt;")
                yield f"| `{name}` | {place} | {needs_text(stage)} | {text} |"


def written_rows(fields: Iterable[Field]) -> Iterator[str]:
    """Rows of the functions with the fields that they write."""
    by_stage: dict[str, list[str]] = {}
    for field in fields:
        for stage in field.stages if field.public else ():
            by_stage.setdefault(stage, []).append(f"`{field.name}`")
    for name in sorted(by_stage):
        yield f"| `{name}` | {', '.join(by_stage[name])} |"


def pipeline_page() -> str:
    """The page."""
    lines, seen = [INTRODUCTION], set[str]()
    for title, part in PARTS.items():
        lines += [f"## {title}", "", "| function | kernel | only with | what it does |", "|---|---|---|---|"]
        lines += [*stage_rows(part, seen), ""]
    lines += ["## What functions write", "", "| function | fields of `MjData` |", "|---|---|"]
    return "\n".join([*lines, *written_rows((*DATA_FIELDS, *ARENA_FIELDS))]) + "\n"
