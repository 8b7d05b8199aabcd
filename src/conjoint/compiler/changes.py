"""Saving of models as XML, including the user's changes in the compiled model.

The model is compared with a newly compiled one. Where they differ, the source elements get the new values. Sizes, names
and references cannot be changed.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from conjoint.compiler.arrays import Arrays
from conjoint.compiler.canonical import canonical_spec
from conjoint.compiler.draft import Draft
from conjoint.compiler.fill import PLAN
from conjoint.compiler.last_compiled import compiled, copied
from conjoint.compiler.settings import MEMORY
from conjoint.lang.errors import FatalError, ModelError
from conjoint.lang.memory.layout import Buffer, Field
from conjoint.mjcf.writer import write_string
from conjoint.schema.memory import written_sizes
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS
from conjoint.spec import Spec
from conjoint.spec.problems import guarded

INERTIAL = ("mass", "inertia", "ipos", "iquat")
"""Body values that come from the inertial element or the geoms."""
SHAPE = ("geom_type", "geom_size")
"""Fields of geoms from which the inertia of their body is inferred."""


@guarded
def saved_xml(spec: Spec, model: Buffer | None = None, directory: str | None = None) -> str:
    """Return canonical MJCF of `spec` with the values of `model`.

    Args:
        spec: source of the model; it is not changed.
        model: the compiled model, in which numbers may have been changed; None if it is unchanged.
        directory: folder of the saved file, to make paths of assets relative to it; None leaves them unchanged.

    Raises:
        ModelError: the sizes of the model differ from those of a model compiled from `spec`.
        FatalError: a texture has pixels set by a program, which MJCF cannot express.
    """
    last = compiled(spec)
    fresh = last.model
    for texture in last.draft.textures:
        if texture.__dict__.get("data"):
            raise FatalError(f"{texture!r} cannot be saved as XML: MJCF has no attribute for pixels; give it a file")
    if model is None or np.array_equal(fresh.bytes.view(np.int64), model.bytes.view(np.int64)):
        if directory not in last.texts:
            last.texts[directory] = write_string(canonical_spec(copied(last.draft), Arrays(fresh), {}), spec, directory)
        return last.texts[directory]
    written = written_sizes(model)
    if any(written[name] != size for name, size in fresh.layout.sizes.items() if name not in MEMORY):
        raise ModelError("the model cannot be saved as XML: its sizes differ from those of its source XML")
    draft = copied(last.draft)
    _take_elements(draft, fresh, model)
    settings = changed_settings(spec, fresh, model)
    return write_string(canonical_spec(draft, Arrays(model), settings), spec, directory)


def _take_elements(draft: Draft, fresh: Buffer, model: Buffer) -> None:
    """Copy the values of `model` that differ from `fresh` to the elements of the draft."""
    differs = _differing(fresh, model)
    columns = [(field, elements, name) for elements, plan in PLAN.items() for field, name in plan.items()]
    for field, elements, attribute in columns if differs else ():
        if elements == "keys" or field not in differs:
            continue
        for i, value in changed_rows(fresh, model, field):
            element = getattr(draft, elements)[i]
            if attribute in defaults(element.kind) or (elements == "bodies" and attribute in INERTIAL):
                element.__dict__[attribute] = value
            if field in SHAPE:
                element.resized = draft.bodies[element.bodyid].resized = True


def _differing(fresh: Buffer, model: Buffer) -> set[str]:
    """Return the names of fields that differ. Empty fields, which have no memory of their own, may be included."""
    layout = fresh.layout
    words = np.flatnonzero(fresh.bytes.view(np.int64) != model.bytes.view(np.int64))
    if not len(words):
        return set()
    starts = layout.starts[:-1]
    distinct = np.unique(starts)
    found = distinct[np.searchsorted(distinct, words * 8, side="right") - 1]
    return {layout.fields[i].name for i in np.flatnonzero(np.isin(starts, found)).tolist()}


def changed_rows(fresh: Buffer, model: Buffer, field: str) -> Iterator[tuple[int, Any]]:
    """Yield the indices of the rows of `field` that differ, and their values in `model`."""
    before, after = fresh.view(field), model.view(field)
    if np.array_equal(before, after):
        return
    for i in np.flatnonzero((before != after).reshape(len(after), -1).any(axis=1)):
        value = after[i].tolist()
        yield int(i), tuple(np.ravel(value).tolist()) if isinstance(value, list) else value


def changed_settings(spec: Spec, fresh: Buffer, model: Buffer) -> dict[int, dict[str, Any]]:
    """Return changed options, statistics and visual settings, by the Python id of the element of `spec`."""
    changed: dict[int, dict[str, Any]] = {}
    if all(np.array_equal(fresh.bytes[a:b], model.bytes[a:b]) for a, b, _ in fresh.layout.spans(_is_setting)):
        return changed
    owners: list[tuple[Any, Any]] = [
        *((field, spec.option) for field in OPTION_FIELDS),
        *((field, spec.statistic) for field in STATISTIC_FIELDS),
        *((field, spec.visual[field.name.split(".")[1]]) for field in VISUAL_FIELDS),
    ]
    for field, element in owners:
        before, after = fresh.view(field.name), model.view(field.name)
        if not np.array_equal(before, after):
            value = np.asarray(after).tolist()
            changed.setdefault(id(element), {})[field.name.rpartition(".")[2]] = (
                tuple(value) if isinstance(value, list) else value
            )
    return changed


def _is_setting(field: Field) -> bool:
    """Return True if a field is an option, a statistic or a visual setting."""
    return "." in field.name
