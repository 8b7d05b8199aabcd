"""Models and worlds as text files (API reference, Printing)."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from conjoint.api.arguments import FileName, checked, not_written
from conjoint.api.functions.names import mj_id2name
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import TEXTS, fields_of, is_scalar
from conjoint.lang.errors import ArgumentError, FatalError
from conjoint.schema.enums import mjtObj
from conjoint.schema.kinds import OBJECTS
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS
from conjoint.schema.sizes import SIZES

BYTES_PER_LINE = 48

ELEMENTS = {size: kind.name.removeprefix("mjOBJ_") for kind, size in OBJECTS.items() if kind != mjtObj.mjOBJ_XBODY}
"""Kinds of elements that are printed one by one, by their number; the other arrays are printed whole."""


@checked
def mj_printModel(m: MjModel, filename: FileName) -> None:
    """Write all fields of a model to a text file.

    Args:
        filename: the path of the file.
    """
    mj_printFormattedModel(m, filename, "%9.2g")


@checked
def mj_printFormattedModel(m: MjModel, filename: FileName, float_format: str) -> None:
    """Write all fields of a model to a text file.

    Args:
        filename: path of the file.
        float_format: printf format of one real number.

    Raises:
        FatalError: the file cannot be written, or the format is not one of a real number.
    """
    _check_format(float_format)
    fields: dict[Any, list[str]] = {}
    for field in ARRAY_FIELDS:
        if field.name not in TEXTS:
            fields.setdefault(field.shape[0] if field.shape else "", []).append(field.name)
    lines = [f"MODEL {m.names.split(bytes(1), 1)[0].decode()}", f"  {'bytes':<20}{m.memory.layout.nbytes}"]
    lines += [f"  {name:<20}{_format_value(getattr(m, name), float_format)}" for name in fields.pop("", ())]
    lines += ["", "SIZES", *(f"  {name:<20}{getattr(m, name)}" for name in SIZES if getattr(m, name)), ""]
    for title, group, rows in (
        ("OPTION", m.opt, OPTION_FIELDS), ("STATISTIC", m.stat, STATISTIC_FIELDS), ("VISUAL", m.vis, VISUAL_FIELDS),
    ):  # fmt: skip
        lines += [title]
        for row in rows:
            name = row.name.partition(".")[2]
            value = attrgetter(name.replace("global.", "global_."))(group)
            lines.append(f"  {name:<20}{_format_value(value, float_format)}")
        lines.append("")
    for size, title in ELEMENTS.items():
        lines += _format_elements(m, title, fields.pop(size, []), getattr(m, size), float_format)
    lines += _format_arrays(m, [name for names in fields.values() for name in names], float_format)
    for name in ("paths", "text_data"):
        texts = [text.decode(errors="replace") for text in getattr(m, name).split(bytes(1)) if text]
        lines += [name.upper(), *("  " + text for text in texts), ""] if texts else []
    _write(filename, lines)


def _format_elements(m: MjModel, title: str, fields: Sequence[str], count: int, float_format: str) -> list[str]:
    """All elements of one kind, each with its name and its rows of the arrays of the kind."""
    kind = mjtObj.__members__.get("mjOBJ_" + title)
    lines = []
    for i in range(count):
        name = mj_id2name(m, kind, i) if kind is not None else ""
        lines += [f"{title} {i}" + (f": {name}" if name else "")]
        for field in fields:
            value = getattr(m, field)[i]
            if np.size(value):
                lines.append(f"  {field:<20}{' ' * (len(field) >= 20)}{_format_value(value, float_format)}")
        lines.append("")
    return lines


@checked
def mj_printData(m: MjModel, d: MjData, filename: FileName) -> None:
    """Write all fields of a world to a text file.

    Args:
        d: the world.
        filename: the path of the file.
    """
    mj_printFormattedData(m, d, filename, "%9.2g")


@checked
def mj_printFormattedData(m: MjModel, d: MjData, filename: FileName, float_format: str) -> None:
    """Write all fields of a world to a text file.

    Args:
        d: the world.
        filename: path of the file.
        float_format: printf format of one real number.

    Raises:
        FatalError: the file cannot be written, or the format is not one of a real number.
    """
    _check_format(float_format)
    numbers = [name for name, field in fields_of(d).items() if is_scalar(field)]
    lines = ["SIZES", *(f"  {name:<20}{_format_value(getattr(d, name), float_format)}" for name in numbers), ""]
    contacts: Any = d.contact
    for i, contact in enumerate(contacts):
        lines += [f"CONTACT {i}", *(f"  {name:<20}{_format_value(getattr(contact, name), float_format)}" for name in
                                    sorted(fields_of(contact))), ""]  # fmt: skip
    lines += _format_arrays(d, fields_of(d), float_format)
    _write(filename, lines)


def _format_arrays(owner: MjModel | MjData, names: Iterable[str], float_format: str) -> list[str]:
    """Every array that is not empty, one row per line."""
    lines = []
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, np.ndarray) and value.size:
            # bytes, such as pixels, many to a line
            if value.dtype == np.uint8 and value.ndim == 1:
                value = np.split(value, range(BYTES_PER_LINE, value.size, BYTES_PER_LINE))
            lines += [name.upper(), *("  " + _format_value(row, float_format) for row in value), ""]
    return lines


def _check_format(float_format: str) -> None:
    """Raise FatalError unless exactly one real number can be printed with this format."""
    try:
        float_format % 1.0
    except (TypeError, ValueError):
        raise ArgumentError(f"float_format {float_format!r} is not a printf format of one real number") from None


def _format_value(value: Any, float_format: str) -> str:
    """A number or a row of numbers."""
    if isinstance(value, float | np.floating):
        return float_format % value
    if isinstance(value, int | np.integer):
        return str(value)
    return " ".join(_format_value(x, float_format) for x in np.ravel(value))


def _write(filename: FileName, lines: list[str]) -> None:
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    except (OSError, ValueError) as error:
        raise FatalError(not_written(filename, error)) from None
