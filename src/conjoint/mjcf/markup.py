"""XML tags as they are written: attributes as text, indented, with exact numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conjoint.lang.errors import ModelError
from conjoint.schema.mjcf.table import Attribute

INDENT = "  "
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class Tag:
    """One element to be written: name, attributes as text, and children or words."""

    def __init__(self, name: str, attributes: Mapping[str, str] | None = None):
        self.name = name
        self.attributes = dict(attributes or {})
        self.children: list[Tag] = []
        self.words = ""

    def add(self, child: Tag) -> Tag:
        """Append `child`, which is returned."""
        self.children.append(child)
        return child

    def text(self) -> str:
        """The element and all below it, one tag per line, with an empty line between the children."""
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
    """Text of `value` that the reader turns into the same value again.

    Raises:
        ModelError: a program set a number that no word stands for.
    """
    if row.type == "choice":
        # where two words stand for one number, the word is given
        if isinstance(value, str):
            return value
        word = next((keyword for keyword, number in row.choices.items() if number == value), None)
        if word is None:
            known = ", ".join(f"{keyword} ({number})" for keyword, number in row.choices.items())
            raise ModelError(f"attribute {row.name!r}: no word stands for {value!r} to write; set {known}")
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
    """The shortest text of a real number that gives exactly this number again."""
    return repr(float(value)).removesuffix(".0")


def _integer(value: Any) -> str:
    return str(int(value))
