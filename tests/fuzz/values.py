"""Random attribute values as text, guided by the grammar."""

from __future__ import annotations

import random

from lxml import etree

from conjoint.schema.mjcf.table import Attribute

EXTREME = (
    "1e9", "-1e9", "1e-9", "1e308", "1e-320", "nan", "inf", "-inf", "2147483648", "-2147483649", "1e400", "abc", "1,2", "0x10",
    "1e", "--1", "1_0", "\u0663", "1.5.5", "+3", "1.",
)  # fmt: skip
PLAIN = ("0", "1", "-1", "2", "0.5", ".1", "3", "-.3", "1e-3", "10", "100", "4", "6")
WORDS = ("", "nothing", "world", "main", "a", "1", "x y", "\u00e9", "auto", "a/b", "../a", "con", "x.stl", "none")
KINDS = {
    "joint": ("joint", "freejoint"), "joint1": ("joint",), "joint2": ("joint",), "jointinparent": ("joint", "freejoint"),
    "geom": ("geom",), "geom1": ("geom",), "geom2": ("geom",), "sidesite": ("site",), "site": ("site",), "site1": ("site",),
    "site2": ("site",), "refsite": ("site",), "slidersite": ("site",), "cranksite": ("site",), "body": ("body",),
    "body1": ("body",), "body2": ("body",), "target": ("body",), "subtree1": ("body",), "subtree2": ("body",),
    "tendon": ("fixed", "spatial"), "tendon1": ("fixed", "spatial"), "tendon2": ("fixed", "spatial"),
    "material": ("material",), "texture": ("texture",), "mesh": ("mesh",), "hfield": ("hfield",), "camera": ("camera",),
    "flex": ("flex", "flexcomp"), "class": ("default",), "childclass": ("default",), "model": ("model",),
    "actuator": ("motor", "position", "velocity", "general"), "instance": ("instance",),
    "objname": ("body", "site", "geom", "joint", "camera"), "refname": ("body", "site", "geom", "camera"),
}  # fmt: skip
"""Attributes that refer to elements, and the tags of the elements to which they may refer."""
OBJECTS = ("body", "xbody", "geom", "site", "camera", "joint", "tendon", "actuator", "sensor", "light", "unknown")


class Values:
    """Generator of attribute values for one document."""

    def __init__(self, source: random.Random, root: etree._Element, extreme: float = 0.03):
        self.random, self.root, self.extreme = source, root, extreme

    def names(self, *tags: str) -> list[str]:
        """Return the names of elements with one of `tags`, or of all elements if no tags are given."""
        key = "class" if tags == ("default",) else "name"
        return [node.get(key) for node in self.root.iter(*(tags or (etree.Element,))) if node.get(key)]

    def number(self, kind: str) -> str:
        """Return a random number of the given type, as text."""
        draw = self.random.random()
        if draw < self.extreme:
            return self.random.choice(EXTREME)
        if kind == "int":
            return str(self.random.choice((0, 1, 2, 3, 4, -1, 5, 6, 7, 10)))
        if draw < 0.6:
            return self.random.choice(PLAIN)
        return f"{self.random.uniform(-1, 1) * self.random.choice((1, 1, 10)):.4g}"

    def numbers(self, row: Attribute) -> str:
        """Return as many numbers as the attribute accepts or, rarely, one more or one fewer."""
        most = row.most if row.most is not None else self.random.choice((1, 2, 3, 4, 6, 9, 12))
        count = most if self.random.random() < 0.7 else self.random.randint(min(row.least, most), most)
        if self.random.random() < self.extreme:
            count += self.random.choice((-1, 1))
        numbers = [self.number(row.type) for _ in range(count)]
        if row.name.endswith("range") and count == 2 and self.random.random() < 0.8:
            numbers = sorted(numbers, key=_order)
        if row.name in ("size", "diaginertia", "mass", "density", "spacing") and self.random.random() < 0.8:
            numbers = [text.lstrip("-") for text in numbers]
        return " ".join(numbers)

    def word(self, row: Attribute) -> str:
        """Return text for an attribute whose value is a word, usually the name of an existing element."""
        if row.name in ("objtype", "reftype"):
            return self.random.choice(OBJECTS)
        draw = self.random.random()
        if row.name == "name":
            return self.random.choice([*WORDS, *self.names()]) if draw < 0.1 else f"n{self.random.randint(0, 10**6)}"
        if draw < 2 * self.extreme:
            return self.random.choice(WORDS)
        if row.name == "eulerseq":
            return "".join(self.random.choice("xyzXYZ") for _ in range(3))
        found = self.names(*KINDS.get(row.name, ()))
        return self.random.choice(found) if found else self.random.choice(WORDS)

    def text(self, row: Attribute) -> str:
        """Return a random value for the attribute, as text."""
        if row.type in ("real", "int"):
            return self.numbers(row)
        if row.type == "choice":
            return (
                self.random.choice(WORDS)
                if self.random.random() < self.extreme
                else self.random.choice(list(row.choices))
            )
        if row.type == "bits":
            return " ".join(self.random.choice([*row.choices, WORDS[0]]) for _ in range(self.random.randint(1, 3)))
        if row.type == "words":
            return " ".join(self.word(row) for _ in range(self.random.randint(1, 3)))
        return self.word(row)


def _order(text: str) -> float:
    """Return a number as a sort key; unreadable numbers come first."""
    try:
        return float(text)
    except ValueError:
        return -1e99
