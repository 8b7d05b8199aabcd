"""Generator of the reference page on the pipeline, which lists the stages of a step in the order of the engine."""

from collections.abc import Iterable, Iterator

from conjoint.cli.stages import needs_text, row_of
from conjoint.lang.memory.layout import Field
from conjoint.runtime import functions, stages
from conjoint.runtime.stage import Only, Stages, listed
from conjoint.runtime.user.plugins import PluginStage
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS

PARTS: dict[str, Stages] = {
    "Position": (*stages.CHECK_STATE, *stages.POSITION, *stages.SENSOR_POS, *stages.ENERGY_POS),
    "Velocity": (*stages.VELOCITY, *stages.SENSOR_VEL, *stages.ENERGY_VEL),
    "Acceleration": (*stages.CONTROL, *functions.FORCES, *stages.SENSOR_ACC, *stages.CHECK_ACCELERATION),
    "Integration": tuple(item for item in functions.STEP if isinstance(item, Only) and item.stages != stages.COMPARE),
    "Inverse dynamics": (*functions.INVERSE, *stages.COMPARE),
}
"""Stages of mj_step and mj_inverse, by part; a stage that several parts contain is listed in the first of them."""

INTRODUCTION = """# Stages of a step

This page lists what `mj_step` and `mj_inverse` compute, in the order in which the engine runs it. Use it to find
where a field comes from, to put a stage of your own between two others, or to read the source of a stage.
`conjoint stages mj_step MODEL` lists the stages of one model.

* Each row is a kernel in `src/conjoint/`. A documented function, such as `mj_collision`, may be several of them.
* *Only with* says what a model must have for the kernel to run: one of the things that commas separate.
* A kernel whose name ends in `_sparse` is the kernel without that ending, for compressed constraint rows.
* A kernel whose name ends in `_awake` skips what sleeps. Most are made from the kernel without that ending.
* The last table lists the fields that each function writes.
"""


def stage_rows(part: Stages, seen: set[str]) -> Iterator[str]:
    """Yield the table rows for the kernels of the stages in `part`, except kernels whose source is in `seen`."""
    for stage, needs in listed(part):
        row = row_of(stage, needs)
        if not isinstance(stage, PluginStage) and row.source not in seen:
            seen.add(row.source)
            text = row.meaning.replace("|", "\\|").replace("<", "&lt;")
            yield f"| `{row.function}` | {row.source} | {needs_text(row, '`')} | {text} |"


def written_rows(fields: Iterable[Field]) -> Iterator[str]:
    """Yield a table row for each function, with the fields that it writes."""
    by_stage: dict[str, list[str]] = {}
    for field in fields:
        for stage in field.stages if field.public else ():
            by_stage.setdefault(stage, []).append(f"`{field.name}`")
    for name in sorted(by_stage):
        yield f"| `{name}` | {', '.join(by_stage[name])} |"


def pipeline_page() -> str:
    """Return the text of the reference page on the pipeline."""
    lines, seen = [INTRODUCTION], set[str]()
    for title, part in PARTS.items():
        lines += [f"## {title}", "", "| function | kernel | only with | what it does |", "|---|---|---|---|"]
        lines += [*stage_rows(part, seen), ""]
    lines += ["## What functions write", "", "| function | fields of `MjData` |", "|---|---|"]
    return "\n".join([*lines, *written_rows((*DATA_FIELDS, *ARENA_FIELDS))]) + "\n"
