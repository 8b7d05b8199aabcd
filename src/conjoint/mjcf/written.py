"""Text form of elements: tags, attributes that differ from the defaults class, and names of asset files.

Attributes are in the order of MuJoCo's writer, and numbers are exact.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from itertools import compress
from operator import is_not, itemgetter, or_
from typing import Any

from conjoint.lang.errors import ModelError
from conjoint.schema.mjcf.table import Attribute
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import Element, Spec
from conjoint.spec.filename import ADDRESS, base_name, forward, given_file, on_disk
from conjoint.spec.files import Files

INDENT = "  "
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class Tag:
    """An XML element to be written, with its name, its attributes as text, and its children or words."""

    def __init__(self, name: str, attributes: Mapping[str, str] | None = None):
        self.name = name
        self.attributes = dict(attributes or {})
        self.children: list[Tag] = []
        self.words = ""

    def add(self, child: Tag) -> Tag:
        """Append `child` and return it."""
        self.children.append(child)
        return child

    def text(self) -> str:
        """Return the text of the element and its descendants, one tag per line, with an empty line between children."""
        lines: list[str] = []
        self._add_lines(lines, "", True)
        return "\n".join(lines) + "\n"

    def _add_lines(self, lines: list[str], indent: str, apart: bool = False) -> None:
        start = indent + "<" + self.name
        for name, value in self.attributes.items():
            start += f' {name}="{value.translate(_ESCAPES)}"'
        if not self.children:
            words = self.words.translate(_ESCAPES)
            lines.append(f"{start}>{words}</{self.name}>" if words else start + "/>")
            return
        lines.append(start + ">")
        for i, child in enumerate(self.children):
            if apart and i:
                lines.append("")
            child._add_lines(lines, indent + INDENT)
        lines.append(f"{indent}</{self.name}>")


def format_value(row: Attribute, value: Any) -> str:
    """Return text that the reader converts back to `value`.

    Raises:
        ModelError: the value is a number, set by a program, for which there is no keyword.
    """
    if row.type == "choice":
        # if two words stand for one number, use the original word
        if isinstance(value, str):
            return value
        word = next((keyword for keyword, number in row.choices.items() if number == value), None)
        if word is None:
            known = ", ".join(f"{keyword} ({number})" for keyword, number in row.choices.items())
            raise ModelError(f"attribute {row.name!r}: there is no keyword for {value!r}; set it to {known}")
        return word
    if row.type == "bits":
        return " ".join(keyword for keyword, bit in row.choices.items() if value & bit)
    if row.type in ("word", "text"):
        return str(value)
    if row.type == "words":
        return " ".join(value)
    number = _real if row.type == "real" else _integer
    return number(value) if row.scalar else " ".join(map(number, value))


def _real(value: Any) -> str:
    """Return the shortest text that is read back as exactly this real number."""
    return repr(float(value)).removesuffix(".0")


def _integer(value: Any) -> str:
    return str(int(value))


FOLDERS = ("strippath", "meshdir", "texturedir")
"""Attributes of `compiler` that affect file names."""


class FileNames:
    """File names of a model, in the form in which they are saved.

    Attributes:
        directory: folder of the saved model, to which names are relative; None leaves names unchanged.
    """

    def __init__(self, spec: Spec, directory: str | None):
        self.spec = spec
        self.directory = directory

    def of(self, element: Element, name: str) -> str:
        """Return the name to write for the file that `element` calls `name`."""
        settings = self.spec.settings(element)
        if given_file(self.spec.assets, name) is not None:
            return base_name(name) if settings.strippath else name
        directory = element.__dict__.get("directory", self.spec.directory)
        own = os.path.join(on_disk(directory), _folder(settings, element))
        start = os.path.join(on_disk(self.spec.directory), _folder(self.spec.compiler, element))
        # drop folders only if the file is also found without them
        kept = Files(self.spec).recorded(element, name) if settings.strippath else forward(name)
        if self.directory is not None:
            start = self.directory
        elif own == start or ADDRESS.match(kept):
            return kept
        inside = os.path.join(_folder(settings, element), kept)
        # absolute paths stay absolute
        return inside if os.path.isabs(inside) else os.path.relpath(os.path.join(own, kept), start or ".")


def _folder(settings: Element, element: Element) -> str:
    """Return the folder that the compiler settings give for the files of `element`."""
    return forward(settings.texturedir if element.kind == "texture" else settings.meshdir)


LEADING = {
    "geom": ("size", "pos", "quat", "type", "contype", "conaffinity", "condim", "group", "priority"),
    "joint": (
        "pos", "axis", "type", "group", "ref", "springref", "solreflimit", "solimplimit", "solreffriction",
        "solimpfriction", "stiffness",
    ),
    "site": ("pos", "quat", "size", "group", "type"),
    "flex": ("radius", "material", "rgba", "flatskin", "dim"),
    "camera": ("target", "pos", "quat"),
    "light": ("target", "pos", "dir"),
    "mesh": ("content_type", "file", "vertex", "normal", "texcoord", "face"),
    "texture": ("file", "builtin", "mark"),
    "hfield": ("size",),
    "inertial": ("pos", "quat"),
    "compiler": ("angle", "meshdir", "texturedir"),
    "pair": ("geom1", "geom2", "condim", "margin", "gap", "solref", "solimp", "solreffriction"),
    "tendon": (
        "group", "limited", "range", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin",
        "stiffness", "damping", "frictionloss", "springlength", "material",
    ),
    "actuator": (
        "slidersite", "refsite", "group", "lengthrange", "ctrllimited", "ctrlrange", "forcelimited", "forcerange",
        "actlimited", "actrange",
    ),
}  # fmt: skip
"""Attributes that come first, after name and class, by element type.

All other attributes are in the grammar's order.
"""

OBJECTS_FIRST = ("sensor", "texture")
"""Element types whose name is written after the attributes that refer to their objects."""
LAST = ("mode", "user")
"""Attributes that are written last."""
WHOLE = ("gear", "dynprm", "o_solref", "o_solimp", "o_friction")
"""Lists that are written in full, even if the last numbers equal the defaults."""

ALWAYS = {
    "joint": ("pos", "axis"), "site": ("pos",), "camera": ("pos",), "light": ("pos", "dir"),
    "texture": ("type", "colorspace"), "compiler": ("angle",),
}  # fmt: skip
"""Attributes that are written even if they equal the values of the defaults class, by element type."""

OF_NEWER = ("texture", "compiler")
"""Element types for which `ALWAYS` also applies in newer versions."""


def always(kind: str) -> tuple[str, ...]:
    """Return the attributes of an element type that are always written in the emulated version."""
    return ALWAYS.get(kind, ()) if kind in OF_NEWER or not STANDS_FOR.moved else ()


PLAIN = frozenset({int, float, bool, str, tuple})
"""Types of values that `plain` need not convert."""


def plain(value: Any) -> Any:
    """Convert lists and NumPy arrays to Python tuples and numbers."""
    if type(value) in PLAIN:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(value) if isinstance(value, list) else value


def written_values(
    row: Row,
    values: Mapping[str, Any],
    base: Mapping[str, Any],
    always: Iterable[str] = (),
    whole: Iterable[str] = WHOLE,
) -> dict[str, Any]:
    """Return the attributes of `row` that must be written, with their values.

    Args:
        row: the element's row in the grammar.
        values: the element's values by stored name; None is not written.
        base: the values that the reader uses if nothing is written.
        always: attributes to write in any case.
        whole: lists to write in full.
    """
    found = {}
    for name, lands, attribute in _different(row, values, base, always):
        value = values.get(lands)
        if value is None:
            continue
        known = base.get(lands, attribute.default)
        value = plain(value)
        # there is no word for zero bits
        nothing = value == () or (attribute.type == "bits" and not value)
        if not attribute.required and (value == known or nothing) and name not in always:
            continue
        if attribute.fill == "default" and isinstance(known, tuple) and name not in whole:
            value = _shortened(value, known)
        found[name] = value
    return found


_Written = tuple[str, str, Attribute]
"""Attribute to write: its name, the name of its value in a Spec, and its row in the grammar."""

Values = Callable[[Mapping[str, Any]], tuple[Any, ...]]


class _Table:
    """Attributes of a grammar row that can be written, with a function that gets their values from an element."""

    def __init__(self, row: Row):
        self.row = row
        self.written: list[_Written] = [
            (name, attribute.lands, attribute)
            for name, attribute in row.attributes.items()
            if attribute.lands and not attribute.lands.endswith("alt") and name != "childclass"
        ]
        # at least two names, so that the getter returns a tuple
        lands = [lands for _, lands, _ in self.written] * (1 + (len(self.written) == 1))
        self.values: Values = itemgetter(*lands) if lands else lambda values: ()
        self.required = [attribute.required for _, _, attribute in self.written]
        self.needed: dict[tuple[str, ...], list[bool]] = {}
        self.ranks: dict[tuple[str, ...], dict[str, int]] = {}


_TABLES: dict[int, _Table] = {}
"""Cache of tables, by the Python ids of their grammar rows."""


def _table(row: Row) -> _Table:
    """Return the table of the attributes of `row`."""
    known = _TABLES.get(id(row))
    return _TABLES.setdefault(id(row), _Table(row)) if known is None else known


def _different(
    row: Row, values: Mapping[str, Any], base: Mapping[str, Any], always: Iterable[str]
) -> Iterable[_Written]:
    """Return the attributes that may have to be written.

    Attributes are excluded if their value is the same object in the element and in its defaults class.
    """
    table = _table(row)
    try:
        differs = map(is_not, table.values(values), table.values(base))
    except KeyError:
        # some values are missing in the element or the class
        return table.written
    if not always and True not in table.required:
        return compress(table.written, differs)
    always = tuple(always)
    needed = table.needed.get(always)
    if needed is None:
        rows = zip(table.required, table.written, strict=True)
        needed = table.needed[always] = [required or name in always for required, (name, *_) in rows]
    return compress(table.written, map(or_, needed, differs))


def _shortened(value: tuple, known: tuple) -> tuple:
    """Drop numbers from the end of `value` that equal the numbers in `known`, because the reader restores them."""
    count = max((i + 1 for i, pair in enumerate(zip(value, known, strict=False)) if pair[0] != pair[1]), default=1)
    return value[:count]


def in_order(row: Row, values: Mapping[str, Any], more: Iterable[str] = ()) -> list[str]:
    """Return the attributes in the order in which they are written: name and class, `more`, pose, then all others."""
    table, more = _table(row), tuple(more)
    ranks = table.ranks.get(more)
    if ranks is None:
        ranks = table.ranks[more] = _ranks(row, more)
    return sorted(values, key=ranks.__getitem__)


def _ranks(row: Row, more: tuple[str, ...]) -> dict[str, int]:
    """Return the rank of every attribute of `row` in the written order."""
    named = ("name", "class", *more)
    if row.kind in OBJECTS_FIRST:
        named = (*more, "type", "colorspace", "name", "class")
    first = (*named, *LEADING.get(row.kind, ()))
    rest = (name for name in row.attributes if name not in first and name not in LAST)
    return {name: i for i, name in enumerate(dict.fromkeys((*first, *rest, *LAST)))}


def as_text(attribute: Attribute, value: Any) -> str:
    """Return the text for a value, which may be a sequence of any type."""
    return format_value(attribute, plain(value))
