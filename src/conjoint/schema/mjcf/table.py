"""Structure of the MJCF grammar: rows that describe attributes and elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TURNS = ("alt", "quat")
"""Suffixes of the names of orientations in a Spec."""
Value = int | float | str | tuple | None
"""Value of an attribute: a number, a word, a tuple of either, or None if it is not defined."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of one element.

    Attributes:
        name: name in XML.
        type: "real", "int", "word" (one name), "words" (names separated by blanks), "text", "choice", or "bits"
            (keywords separated by blanks, whose numbers are added).
        least, most: minimum and maximum count of numbers or words; `most` is None for any count.
        default: value if neither the element nor its defaults class gives one; None if it is not defined.
        implied: value to which a missing attribute is equivalent if `default` is None; None if there is none.
        fill: source of missing numbers at the end of a list: the "default", or its "first" number; "" for no filling.
        choices: numbers by keyword, for types "choice" and "bits"; for type "word", the allowed words if limited.
        unit: SI unit; "angle" for the unit of `compiler/angle`; "" if there is none.
        lands: name of the value in the Spec element; "" if the reader converts it to other values.
        required: True if the attribute must be written.
        meaning: description in one line.
        scalar: True if the value is one number or word, not a tuple.
        optional: True if blank text counts as missing: an empty list, or real numbers that programs omitted.
        turns: True if the attribute is an orientation.
    """

    name: str
    type: str
    least: int = 1
    most: int | None = 1
    default: Value = None
    implied: Value = None
    fill: str = ""
    choices: Mapping[str, int] = field(default_factory=dict)
    unit: str = ""
    lands: str = ""
    required: bool = False
    meaning: str = ""
    scalar: bool = field(init=False, compare=False)
    optional: bool = field(init=False, compare=False)
    turns: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scalar", self.most == 1)
        object.__setattr__(self, "optional", self.type == "real" or self.most != 1)
        object.__setattr__(self, "turns", (self.lands or self.name).endswith(TURNS))


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the grammar.

    Attributes:
        name: tag.
        attributes: rows of its attributes, by name.
        children: elements allowed inside, by tag.
        kind: type of the Spec element that it creates, and of its defaults; "" for grouping elements.
        once: True if it may appear only once in its parent.
        recursive: True if it may contain itself (`body` in `body`, `default` in `default`).
        meaning: description in one line.
        required: names of the attributes that must be written.
        filled: attributes whose lists are completed, by the name of their value in the Spec.
    """

    name: str
    attributes: Mapping[str, Attribute]
    children: Mapping[str, Element]
    kind: str = ""
    once: bool = False
    recursive: bool = False
    meaning: str = ""
    required: tuple[str, ...] = field(init=False, compare=False)
    filled: Mapping[str, Attribute] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        rows = self.attributes.values()
        object.__setattr__(self, "required", tuple(row.name for row in rows if row.required))
        object.__setattr__(self, "filled", {row.lands: row for row in rows if row.fill})

    def child(self, tag: str) -> Element | None:
        """Return the row of the element `tag` inside this one, or None if it is not allowed here."""
        if self.recursive and tag == self.name:
            return self
        return self.children.get(tag)


def element(
    name: str,
    meaning: str,
    *rows: Attribute | Element | tuple[Attribute, ...] | tuple[Element, ...],
    kind: str = "",
    once: bool = False,
    recursive: bool = False,
) -> Element:
    """Declare an element from `rows`: attributes, groups of attributes, and children."""
    attributes: dict[str, Attribute] = {}
    children: dict[str, Element] = {}
    for row in rows:
        for item in row if isinstance(row, tuple) else (row,):
            if isinstance(item, Element):
                children[item.name] = item
            else:
                attributes[item.name] = item
    return Element(name, attributes, children, kind, once, recursive, meaning)


def real(name: str, default: Value, meaning: str, count: int | None = 1, **more) -> Attribute:
    """Declare an attribute of `count` real numbers. If `count` is None, any count up to `most` is allowed."""
    return _numbers("real", name, default, meaning, count, more)


def integer(name: str, default: Value, meaning: str, count: int | None = 1, **more) -> Attribute:
    """Declare an attribute of `count` integers. If `count` is None, any count up to `most` is allowed."""
    return _numbers("int", name, default, meaning, count, more)


def upto(name: str, default: tuple, meaning: str, **more) -> Attribute:
    """Declare an attribute of 1 to `len(default)` real numbers.

    Omitted numbers have their defaults, or repeat the first number (`fill="first"`).
    """
    fill = more.pop("fill", "default")
    return Attribute(
        name, "real", 1, len(default), default, fill=fill, lands=more.pop("lands", name), meaning=meaning, **more
    )


def word(name: str, meaning: str, **more) -> Attribute:
    """Declare an attribute that is a name, or refers to an element by name."""
    default = more.pop("default", "")
    return Attribute(name, "word", default=default, lands=more.pop("lands", name), meaning=meaning, **more)


def words(name: str, meaning: str, **more) -> Attribute:
    """Declare an attribute of names separated by blanks."""
    return Attribute(name, "words", 0, None, (), lands=more.pop("lands", name), meaning=meaning, **more)


def text(name: str, meaning: str, **more) -> Attribute:
    """Declare an attribute that is any text, stored unchanged."""
    return Attribute(name, "text", default="", lands=more.pop("lands", name), meaning=meaning, **more)


def choice(name: str, keywords: str | Mapping[str, int], default: Value, meaning: str, **more) -> Attribute:
    """Declare an attribute that is one of several keywords. Keywords in a string are numbered from zero.

    Args:
        name: name of the attribute.
        keywords: the keywords, or numbers by keyword.
        default: a keyword; None if there is no default.
        meaning: description in one line.
        **more: other values of the attribute.
    """
    numbers = {word: i for i, word in enumerate(keywords.split())} if isinstance(keywords, str) else keywords
    value = None if default is None else numbers[default]  # type: ignore[index]
    return Attribute(
        name, "choice", default=value, choices=numbers, lands=more.pop("lands", name), meaning=meaning, **more
    )


def bits(name: str, keywords: str, default: str, meaning: str, **more) -> Attribute:
    """Declare an attribute that is a set of keywords, each of which stands for a bit.

    An empty list counts as absent.
    """
    numbers = {word: 1 << i for i, word in enumerate(keywords.split())}
    return Attribute(
        name, "bits", 0, None, numbers[default], choices=numbers, lands=more.pop("lands", name), meaning=meaning, **more
    )


def flag(name: str, default: bool | None, meaning: str, **more) -> Attribute:
    """Declare an attribute that is true or false."""
    keyword = None if default is None else ("true" if default else "false")
    return choice(name, "false true", keyword, meaning, **more)


def tristate(name: str, meaning: str, **more) -> Attribute:
    """Declare an attribute that is true, false or auto."""
    return choice(name, "false true auto", "auto", meaning, **more)


def without(row: Element, *names: str) -> tuple[Attribute, ...]:
    """Return the attributes of `row` except `names`, such as those that a defaults class may set."""
    return tuple(a for a in row.attributes.values() if a.name not in names)


def _numbers(kind: str, name: str, default: Value, meaning: str, count: int | None, more: dict) -> Attribute:
    least, most = (0, more.pop("most", None)) if count is None else (count, count)
    return Attribute(name, kind, least, most, default, lands=more.pop("lands", name), meaning=meaning, **more)
