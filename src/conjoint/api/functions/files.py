"""Functions that write models and worlds as text, XML and binary files, print the MJCF grammar and load textures."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from conjoint.api.arguments import FileName, OutBytes, checked, not_written
from conjoint.api.functions.support import mj_id2name
from conjoint.api.objects.binary import binary_parts, binary_size
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import TEXTS, fields_of, is_scalar
from conjoint.api.objects.textures import load_texture, with_pixels
from conjoint.lang.errors import ArgumentError, FatalError
from conjoint.once import MAKING
from conjoint.schema.enums import mjtObj
from conjoint.schema.kinds import OBJECTS
from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.mjcf.table import Element
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS
from conjoint.schema.sizes import SIZES

BYTES_PER_LINE = 48

ELEMENTS = {size: kind.name.removeprefix("mjOBJ_") for kind, size in OBJECTS.items() if kind != mjtObj.mjOBJ_XBODY}
"""Names of the element types whose elements are printed one by one, by the model size that counts them.

Other arrays are printed whole.
"""


@checked
def mj_printModel(m: MjModel, filename: FileName) -> None:
    """Write all fields of a model to a text file.

    Args:
        filename: the path of the file.
    """
    mj_printFormattedModel(m, filename, "%9.2g")


@checked
def mj_printFormattedModel(m: MjModel, filename: FileName, float_format: str) -> None:
    """Write all fields of a model to a text file, with real numbers in the given printf format.

    Args:
        filename: path of the file.
        float_format: printf format of one real number.

    Raises:
        FatalError: the file cannot be written, or `float_format` is not a format for one real number.
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
    """Return the text lines of all elements of a type: for each, its name and its rows of the type's arrays."""
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
    """Write all fields of a world to a text file, with real numbers in the given printf format.

    Args:
        d: the world.
        filename: path of the file.
        float_format: printf format of one real number.

    Raises:
        FatalError: the file cannot be written, or `float_format` is not a format for one real number.
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
    """Return the text lines of all nonempty arrays, one row per line."""
    lines = []
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, np.ndarray) and value.size:
            # bytes such as pixels: many per line
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
    """Return a number or a row of numbers as text."""
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


@checked
def mj_saveLastXML(filename: FileName, m: MjModel) -> None:
    """Save a model as MJCF, including values that were changed after compilation.

    Args:
        filename: path of the file.
        m: a model that was compiled from XML.

    Raises:
        FatalError: the model was not compiled from XML, or the file cannot be written.
        ModelError: model sizes were changed.
    """
    with MAKING.held:
        from conjoint.compiler.changes import saved_xml

    if m.spec is None:
        raise FatalError("mj_saveLastXML: the model was not compiled from XML")
    text = saved_xml(m.spec, m.memory)
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise FatalError(f"mj_saveLastXML: {not_written(filename, error)}") from None


@checked
def mj_sizeModel(m: MjModel) -> int:
    """Return the size in bytes of the binary file that `mj_saveModel` writes for a model.

    Args:
        m: the model.
    """
    return binary_size(m.memory)


@checked
def mj_saveModel(m: MjModel, filename: FileName | None = None, buffer: OutBytes | None = None) -> None:
    """Save a model to a binary file, or to memory.

    Args:
        filename: path of the file.
        buffer: uint8 array of at least `mj_sizeModel(m)` bytes, which is written instead of a file if passed.

    Raises:
        FatalError: neither a file name nor a buffer is passed, the buffer is too small, or the file cannot be written.
    """
    parts = binary_parts(m.memory)
    if buffer is not None:
        contents = b"".join(parts)
        if len(buffer) < len(contents):
            raise ArgumentError(f"mj_saveModel: the buffer must have {len(contents)} bytes, it has {len(buffer)}")
        buffer[: len(contents)] = np.frombuffer(contents, np.uint8)
    elif filename is None:
        raise ArgumentError("mj_saveModel: neither a file name nor a buffer is given")
    else:
        try:
            with open(filename, "wb") as file:
                file.writelines(parts)
        except (OSError, ValueError) as error:
            raise FatalError(f"mj_saveModel: {not_written(filename, error)}") from None


NAMES, WIDTH = 30, 68
"""Text columns in which the attributes start and end."""


@checked
def mj_printSchema(flg_html: bool, flg_pad: bool) -> str:
    """Return the elements and attributes of MJCF, as text or as an HTML table.

    A sign after each element shows how often it may appear: ! once, ? at most once, * any number of times, R
    recursively inside itself. Recursive elements are listed once.

    Args:
        flg_html: whether to return HTML instead of text.
        flg_pad: whether HTML is indented with styles instead of nonbreaking spaces.
    """
    parts = [_row(row, depth, sign, flg_pad) if flg_html else _text(row, depth, sign) for row, depth, sign in _walk()]
    return f'<table border="1">\n{"".join(parts)}</table>\n' if flg_html else "".join(parts)


def _walk() -> Iterator[tuple[Element, int, str]]:
    """Yield every MJCF element with its depth and its sign (see `mj_printSchema`), parents before children."""
    seen: set[int] = set()

    def visit(row: Element, depth: int) -> Iterator[tuple[Element, int, str]]:
        seen.add(id(row))
        yield row, depth, "!" if row is MUJOCO else "R" if row.recursive else "?" if row.once else "*"
        for child in row.children.values():
            if not child.recursive or id(child) not in seen:
                yield from visit(child, depth + 1)

    return visit(MUJOCO, 0)


def _text(row: Element, depth: int, sign: str) -> str:
    """Return the text lines for one element."""
    name = f"{'   ' * depth}{row.name} ({sign})".ljust(NAMES - 1) + " "
    lines = textwrap.wrap(" ".join(sorted(row.attributes)), WIDTH - NAMES) or [""]
    return "".join((name if i == 0 else " " * NAMES) + line + "\n" for i, line in enumerate(lines))


def _row(row: Element, depth: int, sign: str, pad: bool) -> str:
    """Return the HTML table row for one element."""
    style = f'style="padding-left:{5 + 15 * depth}" ' if pad else ""
    name = ("" if pad else "&nbsp;" * (4 * depth)) + row.name
    attributes = " ".join(sorted(row.attributes)) or "<i>no attributes</i>"
    cells = (f'<td {style}class="el">{name}</td>', f'<td class="ty">{sign}</td>', f'<td class="at">{attributes}</td>')
    return "<tr>\n\t" + "\n\t".join(cells) + "\n</tr>\n"


@checked(id="m.ntex")
def mj_loadTexture(m: MjModel, id: int) -> tuple:
    """Return a copy of a texture's pixels, loaded from the texture file if the model does not contain them.

    Args:
        m: the model.
        id: id of the texture.

    Returns:
        The pixels, shape (height, width, channels), and the color space (mjtColorSpace).

    Raises:
        ValueError: the texture does not exist, or its file cannot be read.
    """
    pixels, colorspace = load_texture(m, id)
    return np.array(pixels), colorspace


@checked
def mj_embedAssets(m: MjModel) -> MjModel:
    """Return a copy of the model that contains all assets, including textures that the model reads from files.

    Args:
        m: the model.

    Returns:
        The copy.

    Raises:
        ValueError: a file cannot be read.
    """
    return with_pixels(m) if (m.tex_adr < 0).any() else m.__copy__()
