"""Random mutations of a model, guided by the grammar."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator

from lxml import etree

from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.mjcf.table import Attribute, Element
from conjoint.schema.urdf import ROBOT
from fuzz.values import Values

Node = etree._Element


def rows_of(root: Node) -> Iterator[tuple[Node, Element]]:
    """Yield the nodes of a document that the grammar defines, with their grammar rows."""
    grammar = {"mujoco": MUJOCO, "robot": ROBOT}.get(str(root.tag))
    stack = [(root, grammar)] if grammar else []
    while stack:
        node, row = stack.pop()
        yield node, row
        for child in node:
            found = row.child(child.tag) if isinstance(child.tag, str) else None
            if found is not None:
                stack.append((child, found))


class Mutator:
    """Mutator of documents; the same seed causes the same mutations."""

    def __init__(self, seed: int | str, donors: list[Node], extreme: float = 0.03):
        self.random, self.donors, self.extreme = random.Random(seed), donors, extreme

    def mutate(self, root: Node, count: int) -> Node:
        """Return a copy of `root` with `count` mutations."""
        root = copy.deepcopy(root)
        for _ in range(count):
            known = list(rows_of(root))
            if not known:
                break
            self.values = Values(self.random, root, self.extreme)
            node, row = self.random.choice(known)
            self.random.choices(*zip(*self._changes(), strict=True))[0](node, row)
        return root

    def _changes(self) -> list[tuple[Callable[[Node, Element], None], int]]:
        """Return the mutations of a document with their weights."""
        return [
            (self.set_attribute, 40), (self.scale_number, 15), (self.drop_attribute, 8), (self.add_child, 20), (self.delete, 5),
            (self.duplicate, 5), (self.move, 4), (self.swap, 3), (self.wrap, 4), (self.transplant, 6), (self.misplace, 1),
        ]  # fmt: skip

    # --- attributes ---

    def set_attribute(self, node: Node, row: Element) -> None:
        """Choose a random attribute that the grammar allows for the element, and set it to a random value."""
        if row.attributes:
            attribute = self.random.choice(list(row.attributes.values()))
            self._set(node, attribute)

    def _set(self, node: Node, attribute: Attribute) -> None:
        node.set(attribute.name, self.values.text(attribute))

    def scale_number(self, node: Node, row: Element) -> None:
        """Replace one number in a random attribute of the element by a random number."""
        names = [
            name for name, text in node.attrib.items() if name in row.attributes and any(c.isdigit() for c in text)
        ]
        if not names:
            return self.set_attribute(node, row)
        name = self.random.choice(names)
        parts = node.get(name, "").split()
        place = self.random.randrange(len(parts))
        parts[place] = self.values.number(row.attributes[name].type)
        node.set(name, " ".join(parts))

    def drop_attribute(self, node: Node, row: Element) -> None:
        """Remove a random attribute of the element."""
        if node.attrib:
            del node.attrib[self.random.choice(list(node.attrib))]

    # --- elements ---

    def add_child(self, node: Node, row: Element) -> None:
        """Give the element a random child that the grammar allows."""
        if row.children:
            self._grow(node, self.random.choice(list(row.children.values())), 2)

    def _grow(self, parent: Node, row: Element, depth: int) -> None:
        """Add an element of grammar row `row` with its required attributes, some random optional ones, and random children."""
        node = etree.Element(row.name)
        chance = self.random.choice((0.05, 0.15, 0.4))
        for attribute in row.attributes.values():
            if attribute.required or self.random.random() < (0.8 if attribute.name in KINDS_OF_REFERENCE else chance):
                self._set(node, attribute)
        if depth and row.children and self.random.random() < 0.5:
            for _ in range(self.random.randint(1, 3)):
                self._grow(node, self.random.choice(list(row.children.values())), depth - 1)
        parent.insert(self.random.randint(0, len(parent)), node)

    def delete(self, node: Node, row: Element) -> None:
        """Remove an element with its contents from the document."""
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)

    def duplicate(self, node: Node, row: Element) -> None:
        """Add a copy of an element to its parent, usually with new names."""
        parent = node.getparent()
        if parent is not None:
            made = copy.deepcopy(node)
            if self.random.random() < 0.8:
                self._rename(made)
            parent.insert(self.random.randint(0, len(parent)), made)

    def _rename(self, node: Node) -> None:
        """Rename `node` and the elements in it."""
        for inner in node.iter(etree.Element):
            if inner.get("name"):
                inner.set("name", f"n{self.random.randint(0, 10**6)}")

    def move(self, node: Node, row: Element) -> None:
        """Move an element to a different parent that the grammar allows."""
        if node.getparent() is None:
            return
        below = set(node.iter())
        places = [
            other for other, its in rows_of(node.getroottree().getroot()) if its.child(row.name) and other not in below
        ]
        if places:
            self.random.choice(places).append(node)

    def swap(self, node: Node, row: Element) -> None:
        """Move an element to a random index among its siblings."""
        parent = node.getparent()
        if parent is not None:
            parent.insert(self.random.randint(0, len(parent)), node)

    def wrap(self, node: Node, row: Element) -> None:
        """Wrap an element of a body in a new frame, replicate or body."""
        parent = node.getparent()
        if parent is None or row.name not in ("body", "geom", "site", "camera", "light", "joint", "frame", "replicate"):
            return
        outer = etree.Element(self.random.choice(("frame", "replicate", "body", "frame")))
        place = parent.index(node)
        parent.insert(place, outer)
        outer.append(node)
        rows = dict(rows_of(parent.getroottree().getroot()))
        if outer.tag == "replicate":
            outer.set("count", str(self.random.choice((0, 1, 2, 3))))
        for name in ("pos", "euler", "quat", "offset", "childclass"):
            attribute = rows[outer].attributes.get(name) if outer in rows else None
            if attribute is not None and self.random.random() < 0.4:
                self._set(outer, attribute)

    def transplant(self, node: Node, row: Element) -> None:
        """Copy an element from a donor model to a parent that the grammar allows."""
        donor, its = self.random.choice(list(rows_of(self.random.choice(self.donors))))
        root = node.getroottree().getroot()
        places = [place for place, other in rows_of(root) if other.child(its.name) is its]
        if places:
            made = copy.deepcopy(donor)
            if self.random.random() < 0.5:
                self._rename(made)
            self.random.choice(places).append(made)

    def misplace(self, node: Node, row: Element) -> None:
        """Move an element to a random parent, against the grammar."""
        others = [other for other, _ in rows_of(node.getroottree().getroot()) if other not in set(node.iter())]
        if others and node.getparent() is not None:
            self.random.choice(others).append(node)


KINDS_OF_REFERENCE = {
    "joint", "geom", "site", "tendon", "geom1", "geom2", "joint1", "tendon1", "body1", "body2", "size", "objtype", "objname", "actuator", "camera",
}  # fmt: skip
"""Attributes that refer to elements or their types; an element is usually invalid without them."""
