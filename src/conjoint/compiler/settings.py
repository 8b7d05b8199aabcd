"""Model fields of fixed shape: sizes, signature, options, statistics and settings of the visualizer."""

from hashlib import blake2b
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.passes import declared
from conjoint.lang.memory.layout import COMPONENTS, Buffer, picker
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS, VISUAL_GROUPS
from conjoint.schema.sizes import SIZES
from conjoint.spec.spec import disabled

STRUCTURE = (
    "body_parentid", "jnt_type", "jnt_bodyid", "geom_bodyid", "site_bodyid", "cam_bodyid", "light_bodyid", "names",
)  # fmt: skip
"""Fields that change when an element moves to another body, or gets another name."""
MEMORY = ("narena", "nbuffer")
"""Model sizes that do not depend on the elements. `structure_hash` ignores them."""
_sizes_of = picker([name for name in SIZES if name not in MEMORY])


def structure_hash(buffer: Buffer) -> int:
    """Hash all sizes, the tree and all names to a signed 64-bit number.

    The hash is equal for models compiled from equal specifications. It changes if an element is added, removed,
    renamed or moved.
    """
    digest = blake2b(digest_size=8)
    digest.update(repr(list(_sizes_of(buffer.layout.sizes))).encode())
    for name in STRUCTURE:
        digest.update(buffer.view(name).tobytes())
    return int.from_bytes(digest.digest(), "little", signed=True)


OPTIONS = {field.name: field.name.partition(".")[2] for field in OPTION_FIELDS}
"""Names of options in a Spec, by model field."""
STATISTICS = {field.name: field.name.partition(".")[2] for field in STATISTIC_FIELDS}
"""Names of statistics in a Spec, by model field."""
UNKNOWN = {
    field.name: (0.0,) * COMPONENTS[field.kind] if COMPONENTS[field.kind] > 1 else 0.0 for field in STATISTIC_FIELDS
}
"""Placeholders for statistics before they are computed."""
VISUALS = {
    group: {field.name: field.name.split(".")[2] for field in VISUAL_FIELDS if field.name.split(".")[1] == group}
    for group in VISUAL_GROUPS
}
"""Names of visualizer settings in a Spec, by model field, for each group of settings."""


@declared(
    reads="draft: model",
)
def fill_settings(draft: Draft) -> None:
    """Write the fields of fixed shape, except statistics. This must follow the writing of all other fields."""
    spec, buffer = draft.spec, draft.model
    values: dict[str, Any] = dict(buffer.layout.sizes) | UNKNOWN
    values["signature"], values["edition"] = structure_hash(buffer), spec.edition
    option = spec.option.__dict__
    values.update(zip(OPTIONS, map(option.__getitem__, OPTIONS.values()), strict=True))
    values["opt.disableflags"] = disabled(spec)
    for group, fields in VISUALS.items():
        visual = spec.visual[group].__dict__
        values.update(zip(fields, map(visual.__getitem__, fields.values()), strict=True))
    buffer.set_fixed(values)


@declared(
    reads="draft: model",
)
def fill_statistics(draft: Draft) -> None:
    """Overwrite the model's statistics with the values given in the Spec."""
    for field, name in STATISTICS.items():
        written = draft.spec.statistic.__dict__[name]
        if written is not None:
            draft.model.view(field)[...] = written
