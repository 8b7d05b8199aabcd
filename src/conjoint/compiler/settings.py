"""The fields of fixed shape of a model: sizes, options, statistics and settings of the visualizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conjoint.compiler.signature import structure_hash
from conjoint.lang.layout import Buffer
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS
from conjoint.schema.visual import VISUAL_FIELDS
from conjoint.spec import Spec
from conjoint.spec.spec import VISUAL_GROUPS

OPTIONS = {field.name: field.name.partition(".")[2] for field in OPTION_FIELDS}
"""Options: names in the Spec by field."""
STATISTICS = {field.name: field.name.partition(".")[2] for field in STATISTIC_FIELDS}
"""Statistics: names in the Spec by field."""
VISUALS = {
    group: {field.name: field.name.split(".")[2] for field in VISUAL_FIELDS if field.name.split(".")[1] == group}
    for group in VISUAL_GROUPS
}
"""Settings of the visualizer: by group, names in the Spec by field."""


def fill_settings(spec: Spec, statistics: Mapping[str, Any], buffer: Buffer) -> None:
    """Write the fields of fixed shape, once all others are written.

    Args:
        statistics: those of the model; those that the Spec gives go before them.
    """
    values: dict[str, Any] = dict(buffer.layout.sizes)
    values["signature"] = structure_hash(buffer)
    option, written = spec.option.__dict__, spec.statistic.__dict__
    for field, name in OPTIONS.items():
        values[field] = option[name]
    for field, name in STATISTICS.items():
        values[field] = statistics[name] if written[name] is None else written[name]
    for group, fields in VISUALS.items():
        visual = spec.visual[group].__dict__
        for field, name in fields.items():
            values[field] = visual[name]
    buffer.set_fixed(values)
