"""The whole MJCF grammar with defaults classes, and functions that look up rows, allowed parents and names in it."""

from __future__ import annotations

from functools import cache

from conjoint.schema.mjcf.actuator import ACTUATOR
from conjoint.schema.mjcf.asset import ASSET, CUBE_FACES, CUSTOM, EXTENSION, MATERIAL_ROW, MESH, TEXTURE
from conjoint.schema.mjcf.body import BODY, WORLDBODY
from conjoint.schema.mjcf.deformable import DEFORMABLE
from conjoint.schema.mjcf.header import COMPILER, OPTION, SIZE, STATISTIC, VISUAL
from conjoint.schema.mjcf.parts import CAMERA, GEOM, JOINT, LIGHT, SITE
from conjoint.schema.mjcf.relation import CONTACT, EQUALITY, KEYFRAME, PAIR, SPATIAL, TENDON
from conjoint.schema.mjcf.sensor import SENSOR
from conjoint.schema.mjcf.table import Element, Value, element, text, without, word

_NAMES = ("name", "class")
_REFERENCES = (
    "lengthrange", "joint", "jointinparent", "tendon", "slidersite", "cranksite", "site", "refsite", "body",
    "tausmooth",
)  # fmt: skip


def _default(row: Element, *names: str, tag: str = "") -> Element:
    """Return the row for `row` inside a defaults class, without attributes that name an element or refer to one."""
    kept = without(row, *_NAMES, *names)
    return element(tag or row.name, _defaults_of(tag or row.name), kept, kind=row.kind, once=True)


def _defaults_of(tag: str) -> str:
    """Return the description of the element `tag` in a defaults class."""
    return f"Defaults of `{tag}` elements of this class. Attributes have the same meaning as in `{tag}`."


DEFAULT = element(
    "default",
    "Class of default attributes. Elements use the class that they, or a body around them, specify (`class`, "
    "`childclass`), or else the class at the top. Use classes for numbers that many elements share: friction, "
    "gains, appearance. A class inside another one inherits its attributes.",
    word("class", "Name of the class. The class at the top is called `main` and needs no name."),
    _default(MESH, *(set(MESH.attributes) - {"scale", "inertia", "maxhullvert"})),
    _default(TEXTURE, "content_type", "file", *("file" + face for face in CUBE_FACES)),
    _default(MATERIAL_ROW),
    _default(JOINT),
    _default(GEOM),
    _default(SITE),
    _default(CAMERA, "target"),
    _default(LIGHT, "target", "texture"),
    _default(PAIR, "geom1", "geom2"),
    element(
        "equality", _defaults_of("equality"),
        without(EQUALITY.children["flex"], *_NAMES, "flex"),
        kind="equality", once=True,
    ),
    _default(SPATIAL, tag="tendon"),
    tuple(_default(row, *_REFERENCES) for tag, row in ACTUATOR.children.items() if tag != "plugin"),
    recursive=True,
)  # fmt: skip

INCLUDE = element(
    "include",
    "Contents of another file, which replace this element, without its outermost tag. Use it to share assets, "
    "themes or defaults among models. It may appear anywhere, but each file can be included only once. To insert a "
    "whole model into another one, prefer `attach`, which avoids name collisions.",
    text("file", "File to include, relative to the main model file.", required=True),
)  # fmt: skip

MUJOCO = element(
    "mujoco",
    "Root of a model file. Sections may appear in any order and may be repeated; if two of them set the same "
    "attribute, the last one wins.",
    text("model", "Name of the model, which viewers show and `attach` refers to.", implied="MuJoCo Model"),
    COMPILER, OPTION, SIZE, VISUAL, STATISTIC, DEFAULT, EXTENSION, CUSTOM, ASSET, WORLDBODY, BODY, DEFORMABLE, CONTACT,
    EQUALITY, TENDON, ACTUATOR, SENSOR, KEYFRAME,
)  # fmt: skip
"""Root row of the grammar, which contains all other rows.

A `body` at the top is accepted and has no effect, as in MuJoCo. `include` is allowed everywhere and is resolved before
the grammar is applied.
"""

REMOVED = {("equality", "distance"): "constraints of distance were removed from the format"}
"""Messages about elements that were removed from the format, by parent and tag."""

_LAST = ("replicate", "frame", "flexcomp", "composite", "default")
"""Elements that `homes` lists last."""


@cache
def rows() -> tuple[Element, ...]:
    """Return every row of the grammar once, parents before children."""
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
    """Return the default values of elements of type `kind`, by their names in the Spec."""
    values: dict[str, Value] = {}
    for row in rows():
        if row.kind == kind:
            for attribute in row.attributes.values():
                if attribute.lands:
                    values.setdefault(attribute.lands, attribute.default)
    return values


@cache
def homes(tag: str) -> tuple[str, ...]:
    """Return the tags of the elements that may contain the element `tag`. Macros and defaults classes are last."""
    found = {row.name for row in rows() if row.child(tag) is not None}
    return tuple(sorted(found, key=lambda name: (_LAST.index(name) if name in _LAST else -1, name)))


@cache
def written_name(kind: str, name: str) -> str:
    """Return the XML attribute for the value `name` of elements of type `kind`, which by default is `name` itself."""
    attributes = [attribute for row in rows() if row.kind == kind for attribute in row.attributes.values()]
    if any(attribute.name == name for attribute in attributes):
        return name
    return next((attribute.name for attribute in attributes if attribute.lands == name), name)


NEWER_ELEMENTS = {"flexvert": "3.5"}
"""Version that introduced each element that this grammar lacks, by tag."""

NEWER_ATTRIBUTES = {
    (tag, name): version
    for version, tags, names in (
        ("3.3.6", "contact", "passive"),
        ("3.8", "flex flexcomp", "cellcount"),
        ("3.12", "flex", "nodecoord"),
        ("3.13", "tactile", "cutoff"),
        ("3.14", "flag", "ipc"),
        ("3.16", "compiler", "savecanonical savecompiled"),
        ("3.17", "elasticity", "section sectionsize"),
        ("4.0", "flag", "speculative"),
        ("4.0", "elasticity", "shear yield"),
    )
    for tag in tags.split()
    for name in names.split()
}
"""Version that introduced each attribute that this grammar lacks, by element and attribute.

Except for these attributes, this grammar equals the one that `mj_printSchema` of MuJoCo 4.0.0 prints.
"""

NEWER_WORDS = {("option", "integrator", "discrete"): "3.13"}
"""Version that introduced each keyword that this grammar lacks, by element, attribute and keyword."""


def since(tag: str, name: str = "", word: str = "") -> str:
    """Return the end of an error message about an element, attribute or keyword that only newer versions have.

    The result is "" if no version has it.

    Args:
        tag: the element.
        name: the attribute; "" for the element itself.
        word: a keyword in the attribute.
    """
    if word:
        version = NEWER_WORDS.get((tag, name, word))
    else:
        version = NEWER_ATTRIBUTES.get((tag, name)) if name else NEWER_ELEMENTS.get(tag)
    return f"; it is known since MuJoCo {version}, and models are read as by 3.3.5 here" if version else ""
