"""Questions about the whole grammar: every row, where an element belongs, what an attribute is called in files."""

from functools import cache

from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.mjcf.table import Element, Value

REMOVED = {("equality", "distance"): "constraints of distance were removed from the format"}
"""What to say of elements that former versions had, by parent and tag."""

_LAST = ("replicate", "frame", "flexcomp", "composite", "default")
"""Elements that are named last where others fit as well."""


@cache
def rows() -> tuple[Element, ...]:
    """Every row of the grammar, once, parents before children."""
    found: dict[int, Element] = {}

    def visit(row: Element) -> None:
        if id(row) not in found:
            found[id(row)] = row
            for child in row.children.values():
                visit(child)

    visit(MUJOCO)
    return tuple(found.values())


@cache
def defaults(kind: str) -> dict[str, Value]:
    """Values that an element of `kind` has when nothing is written: name in the Spec to value."""
    values: dict[str, Value] = {}
    for row in rows():
        if row.kind == kind:
            for attribute in row.attributes.values():
                if attribute.lands:
                    values.setdefault(attribute.lands, attribute.default)
    return values


@cache
def homes(tag: str) -> tuple[str, ...]:
    """Tags of the elements inside which `tag` is allowed, macros and defaults classes last."""
    found = {row.name for row in rows() if row.child(tag) is not None}
    return tuple(sorted(found, key=lambda name: (_LAST.index(name) if name in _LAST else -1, name)))


@cache
def written_name(kind: str, name: str) -> str:
    """What the value `name` of elements of `kind` is called in files; `name` itself if nothing else is known."""
    attributes = [attribute for row in rows() if row.kind == kind for attribute in row.attributes.values()]
    if any(attribute.name == name for attribute in attributes):
        return name
    return next((attribute.name for attribute in attributes if attribute.lands == name), name)
