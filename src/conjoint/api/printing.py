"""How records, models and worlds print."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS
from conjoint.schema.sizes import SIZES

if TYPE_CHECKING:
    from conjoint.api.data import MjData
    from conjoint.api.model import MjModel
    from conjoint.api.struct import Record


def format_group(title: str, values: Mapping[str, Any]) -> str:
    """`<Title name: value ...>`, one line per value."""
    lines = [f"  {name}: {textwrap.indent(repr(value), '  ').lstrip()}" for name, value in values.items()]
    return "\n".join([f"<{title}", *lines, ">"])


def format_record(record: Record) -> str:
    """All attributes of a record, sorted by name."""
    return format_group(type(record).__name__, {name: getattr(record, name) for name in sorted(record._fields)})


def mj_printModel(m: MjModel, filename: str) -> None:
    """Write all fields of a model to a text file."""
    mj_printFormattedModel(m, filename, "%9.2g")


def mj_printFormattedModel(m: MjModel, filename: str, float_format: str) -> None:
    """Write all fields of a model to a text file.

    Args:
        m: the model.
        filename: path of the file.
        float_format: printf format of one real number.
    """
    lines = ["SIZES", *(f"  {name:<20}{getattr(m, name)}" for name in SIZES if getattr(m, name)), ""]
    for title, group, fields in (("OPTION", m.opt, OPTION_FIELDS), ("STATISTIC", m.stat, STATISTIC_FIELDS)):
        names = [field.name.partition(".")[2] for field in fields]
        lines += [title, *(f"  {name:<20}{_format_value(getattr(group, name), float_format)}" for name in names), ""]
    lines += _format_arrays(m, float_format)
    _write(filename, lines)


def mj_printData(m: MjModel, d: MjData, filename: str) -> None:
    """Write all fields of a world to a text file."""
    mj_printFormattedData(m, d, filename, "%9.2g")


def mj_printFormattedData(m: MjModel, d: MjData, filename: str, float_format: str) -> None:
    """Write all fields of a world to a text file.

    Args:
        m: the model.
        d: the world.
        filename: path of the file.
        float_format: printf format of one real number.
    """
    numbers = [name for name in d._fields if name in d._numbers]
    lines = ["SIZES", *(f"  {name:<20}{_format_value(getattr(d, name), float_format)}" for name in numbers), ""]
    contacts: Any = d.contact
    for i, contact in enumerate(contacts):
        lines += [f"CONTACT {i}", *(f"  {name:<20}{_format_value(getattr(contact, name), float_format)}" for name in
                                    sorted(contact._fields)), ""]  # fmt: skip
    lines += _format_arrays(d, float_format)
    _write(filename, lines)


def _format_arrays(owner: MjModel | MjData, float_format: str) -> list[str]:
    """Every array that is not empty, one row per line."""
    lines = []
    for name in owner._fields:
        value = getattr(owner, name)
        if isinstance(value, np.ndarray) and value.size:
            lines += [name.upper(), *("  " + _format_value(row, float_format) for row in value), ""]
    return lines


def _format_value(value: Any, float_format: str) -> str:
    """A number or a row of numbers."""
    if isinstance(value, float | np.floating):
        return float_format % value
    if isinstance(value, int | np.integer):
        return str(value)
    return " ".join(_format_value(x, float_format) for x in np.ravel(value))


def _write(filename: str, lines: list[str]) -> None:
    with open(filename, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
