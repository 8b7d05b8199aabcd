#!/usr/bin/env python3
"""Write the reference pages of the documentation from the schema.

Usage: make_reference.py [--check]

`docs/reference/` gets a page for every section of model files. There is one page each for URDF, the fields of MjModel,
the fields of MjData, the fields of scenes, and the stages of a step. The pages of the Python names are also written.
With --check nothing is written, and the exit status is 1 if a page is not up to date.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from api_pages import PAGES, api_pages  # noqa: E402
from mjcf_examples import EXAMPLES  # noqa: E402
from pipeline_page import pipeline_page  # noqa: E402

from conjoint.lang.memory.layout import COMPONENTS, Field  # noqa: E402
from conjoint.mjcf.xsd import default_text  # noqa: E402
from conjoint.schema.arena import ARENA_FIELDS  # noqa: E402
from conjoint.schema.data import DATA_FIELDS  # noqa: E402
from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO  # noqa: E402
from conjoint.schema.mjcf.table import Attribute, Element  # noqa: E402
from conjoint.schema.model import ARRAY_FIELDS  # noqa: E402
from conjoint.schema.option import (  # noqa: E402
    OPTION_FIELDS,
    STATISTIC_FIELDS,
    VISUAL_FIELDS,
)
from conjoint.schema.scene import (  # noqa: E402
    CAMERA_FIELDS,
    FIGURE_FIELDS,
    GEOM_FIELDS,
    GL_CAMERA_FIELDS,
    LIGHT_FIELDS,
    PERTURB_FIELDS,
    SCENE_FIELDS,
    VISUAL_OPTION_FIELDS,
)
from conjoint.schema.sizes import SIZE_FIELDS  # noqa: E402
from conjoint.schema.urdf import ROBOT  # noqa: E402

TARGET = ROOT / "docs" / "reference"
BEHIND = "search: {boost: 0.5}\n"
"""Front matter that ranks a reference page below a guide with the same words."""

LISTED = f"---\n{BEHIND}---\n"
WIDE = f"---\nhide: [toc]\n{BEHIND}---\n"
"""Front matter of pages with wide tables, which hides their table of contents; other pages use `LISTED`."""

NOTE = "<!-- Written by tools/make_reference.py from the schema: change the schema, not this page. -->"
BODY = MUJOCO.children["worldbody"].children["body"]
API_NOTE = "<!-- Written by tools/make_reference.py: change tools/api_pages.py, not this page. -->"
SHARED = ("body", "frame", "replicate")
"""Elements that may contain each other; they are described on one page."""
LEAST_SHARED = 4
"""Smallest number of elements that must share an attribute for it to be described only once."""


def noted(text: str, note: str = NOTE) -> str:
    """Return a page with a note below its heading, for readers of the page's source."""
    heading, _, rest = text.partition("\n")
    return f"{heading}\n\n{note}\n{rest}"


def cell(text: str) -> str:
    """Return a text, escaped for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def type_text(row: Attribute) -> str:
    """Return the type and number of an attribute's values, or its keywords."""
    if row.choices:
        keywords = ", ".join(f"`{keyword}`" for keyword in row.choices if keyword)
        return f"any of {keywords}" if row.type == "bits" else keywords
    name = {"word": "name", "words": "names"}.get(row.type, row.type)
    if row.scalar or row.type == "words":
        return name
    if row.most is None:
        return f"{name}, any number"
    least = max(row.least, 1)
    return f"{name} x {row.most}" if least == row.most else f"{name} x {least} to {row.most}"


def lands_text(row: Attribute) -> str:
    """Return a note about the attribute's name in `MjSpec`, or "" if `MjSpec` uses the same name."""
    return f" In `MjSpec`: `{row.lands}`." if row.lands and row.lands != row.name else ""


def linked(anchor: str, text: str) -> str:
    """Return HTML for the name in a table row: an anchor that links to itself."""
    return f'<a id="{anchor}" href="#{anchor}"><code>{text}</code></a>'


def anchor_of(path: str, attribute: str) -> str:
    """Return the anchor of an attribute of the element at `path`."""
    return f"{path.replace('/', '-')}-{attribute}"


def default_cell(row: Attribute) -> str:
    """Return the table cell of an attribute's default; `none` if it has no default."""
    if row.required:
        return "required"
    default = default_text(row)
    return f"`{default}`" if default else "none"


def attribute_lines(rows: Iterable[Attribute], path: str) -> Iterator[str]:
    """Yield the lines of the table of an element's attributes."""
    yield "| attribute | type | default | unit | meaning |"
    yield "|---|---|---|---|---|"
    for attribute in rows:
        name = linked(anchor_of(path, attribute.name), attribute.name)
        meaning = cell(attribute.meaning + lands_text(attribute))
        cells = (name, type_text(attribute), default_cell(attribute), attribute.unit, meaning)
        yield "| " + " | ".join(cells) + " |"


def shared_attributes(row: Element) -> tuple[Attribute, ...]:
    """Return the attributes that most children of a grouping element share, if all children have the same kind.

    An attribute must also occur in at least `LEAST_SHARED` children.
    """
    if len({child.kind for child in row.children.values()}) != 1:
        return ()
    counts = Counter(id(attribute) for child in row.children.values() for attribute in child.attributes.values())
    often = {key for key, count in counts.items() if count >= LEAST_SHARED and 2 * count > len(row.children)}
    rows = (attribute for child in row.children.values() for attribute in child.attributes.values())
    return tuple({id(attribute): attribute for attribute in rows if id(attribute) in often}.values())


Place = tuple[str, int]
"""Key of an attribute: the kind of its element, and the identity (`id`) of its schema row."""


@dataclass
class Writer:
    """Generator of the page text that describes elements.

    Attributes:
        places: links (page and anchor) to attributes that are described elsewhere, by element kind and attribute.
        seen: identities (`id`) of the elements that are already described.
    """

    places: dict[Place, str]
    seen: set[int] = field(default_factory=set)

    def element(self, row: Element, path: str, depth: int) -> Iterator[str]:
        """Yield the lines that describe an element and its children."""
        self.seen.add(id(row))
        yield from ("", f"{'#' * min(depth, 4)} {path}", "", row.meaning)
        yield from occurrence(row)
        yield from self.attributes(row, path)
        shared = shared_attributes(row)
        if shared:
            yield from ("", f"Attributes that most elements in `{row.name}` share:", "")
            yield from attribute_lines(shared, path)
        for child in row.children.values():
            self.places |= {(child.kind, id(one)): "#" + anchor_of(path, one.name) for one in shared}
            if id(child) not in self.seen and child.name not in SHARED:
                yield from self.element(child, f"{path}/{child.name}", depth + 1)

    def attributes(self, row: Element, path: str) -> Iterator[str]:
        """Yield links to the attributes that are described elsewhere, and a table of the other attributes."""
        places = {one.name: self.places.get((row.kind, id(one))) for one in row.attributes.values()}
        links = [f"[`{name}`]({place})" for name, place in places.items() if place]
        own = [row.attributes[name] for name, place in places.items() if not place]
        if links:
            yield from ("", ("Shared attributes: " if own else "Attributes: ") + ", ".join(links) + ".")
        if own:
            yield ""
            yield from attribute_lines(own, path)


def occurrence(row: Element) -> Iterator[str]:
    """Yield a line that says how often an element may occur and what it may contain, if there are restrictions."""
    inside = ", ".join(f"`{tag}`" for tag in row.children if tag != row.name)
    notes = (
        "May occur once." if row.once else "",
        "May contain itself." if row.recursive else "",
        "" if row.attributes else "It has no attributes.",
        f"Contains: {inside}." if inside else "",
    )
    if any(notes):
        yield from ("", " ".join(note for note in notes if note))


ELEMENTS_TEXT = (
    "The tables below list every attribute with its type, default, unit and meaning. The default `none` means that an "
    "omitted attribute is unset. An element may occur several times unless its description says otherwise. The unit "
    "`angle` means degrees or radians, depending on `compiler/angle`. [Modeling](../modeling.md) explains how to "
    "choose elements and values."
)


def page(title: str, head: str, rows: Iterable[tuple[Element, str]], places: dict[Place, str]) -> str:
    """Return the page that describes some elements, with `head` as its introduction."""
    lines = [f"# {title}", "", *([head, ""] if head else []), ELEMENTS_TEXT]
    writer = Writer(dict(places))
    for row, path in rows:
        lines += writer.element(row, path, 2)
    return noted("\n".join(lines) + "\n")


def find_places(row: Element, path: str, name: str, found: dict[Place, str]) -> None:
    """Add links to the attributes of an element and its descendants to `found`; the links point to the page `name`."""
    for attribute in row.attributes.values():
        found.setdefault((row.kind, id(attribute)), f"{name}.md#{anchor_of(path, attribute.name)}")
    shared = shared_attributes(row)
    for child in row.children.values():
        for attribute in shared:
            found.setdefault((child.kind, id(attribute)), f"{name}.md#{anchor_of(path, attribute.name)}")
        if child.name not in SHARED:
            find_places(child, f"{path}/{child.name}", name, found)


def sections() -> dict[str, list[tuple[Element, str]]]:
    """Return the elements that each page on model files describes, with their paths, by page name."""
    found = {tag: [(row, tag)] for tag, row in MUJOCO.children.items() if tag != "body"}
    found["worldbody"] += [(BODY.children.get(name, BODY), name) for name in SHARED]
    return found


def section_pages() -> dict[str, str]:
    """Return the pages on model files by name; the page on defaults links to the pages of the elements."""
    places: dict[Place, str] = {}
    for tag, elements in sections().items():
        for row, path in elements if tag != "default" else []:
            find_places(row, path, tag, places)
    pages = {
        tag: page(f"MJCF: {tag}", EXAMPLES.get(tag, ""), elements, places if tag == "default" else {})
        for tag, elements in sections().items()
    }
    roots = [(without_children(MUJOCO), "mujoco"), (INCLUDE, "include")]
    pages["mujoco"] = page("MJCF: mujoco and include", EXAMPLES["mujoco"], roots, {})
    pages["urdf"] = page("URDF", EXAMPLES["urdf"], [(without_sections(ROBOT), "robot")], {})
    return pages


def without_children(row: Element) -> Element:
    """Return a copy of the element without its child elements."""
    return Element(row.name, row.attributes, {}, meaning=row.meaning, once=True)


def without_sections(row: Element) -> Element:
    """Return a copy of URDF's root element without the sections of MJCF, which have pages of their own."""
    children = {tag: child if tag != "mujoco" else without_children(child) for tag, child in row.children.items()}
    return Element(row.name, row.attributes, children, meaning=row.meaning, once=True)


def field_cells(field: Field) -> tuple[str, str, str, str]:
    """Return four table cells of a field: type and shape, unit, meaning, and role with the functions that write it."""
    parts = COMPONENTS[field.kind]
    shape = " x ".join(map(str, (*field.shape, *((parts,) if parts > 1 else ()))))
    stage = ": " + ", ".join(f"`{name.strip()}`" for name in field.stage.split(",")) if field.stage else ""
    role = field.role.name.lower().replace("_", " ")
    return f"{field.kind} {shape}".strip(), field.unit, cell(field.meaning), role + stage


def field_page(title: str, head: str, groups: dict[str, Iterable[Field]]) -> str:
    """Return the page that lists the fields of a struct, with `head` as its introduction."""
    lines = [f"# {title}", "", head]
    for name, fields in groups.items():
        lines += [
            "",
            f"## {name}",
            "",
            "| field | type and shape | unit | meaning | role, and the function that writes it |",
            "|---|---|---|---|---|",
        ]
        for row in fields:
            if row.public:
                cells = (linked(row.name, row.name), *field_cells(row))
                lines.append("| " + " | ".join(cells) + " |")
    return WIDE + noted("\n".join(lines) + "\n")


VISUALIZER = {
    "MjvCamera": CAMERA_FIELDS,
    "MjvOption": VISUAL_OPTION_FIELDS,
    "MjvPerturb": PERTURB_FIELDS,
    "MjvScene": SCENE_FIELDS,
    "MjvGeom": GEOM_FIELDS,
    "MjvLight": LIGHT_FIELDS,
    "MjvGLCamera": GL_CAMERA_FIELDS,
    "MjvFigure": FIGURE_FIELDS,
}
"""Fields of the visualizer's records, by class name."""


READING = (
    "Shapes refer to sizes of the model, such as `nbody x 3`. The role says how a field changes. Programs may set an "
    "`input`. A step advances the `state`. A `result` is computed by the functions listed with it. `structure` is "
    "fixed when a model is compiled."
)
"""Explanation of the field tables."""

MODEL_TEXT = (
    "`MjModel` contains everything that a step does not change: sizes, the elements of the model, options. A field has "
    "one row for each element: `model.body_mass[3]` is the mass of body 3. "
    f'`model.body("arm").mass` returns the mass of the body with this name. {READING}'
)
DATA_TEXT = (
    "`MjData` contains the state of a world and all results of a step. `data.xpos[3]` is the position of body 3, and "
    '`data.body("arm").xpos` is the position of the body with this name. The last call of `mj_step` or `mj_forward` '
    f"computed the results. Contacts are accessed as `data.contact[i]`, with fields such as `pos`. {READING}"
)
SCENE_TEXT = (
    "A scene is a list of shapes and lights that a renderer draws. [`mjv_updateScene`](scene-functions.md) computes it "
    "from a model and a world. Programs use these classes to add their own shapes, to move the camera (`camera.azimuth "
    "= 120`) or to draw figures. Positions are in the world frame."
)


def field_pages() -> dict[str, str]:
    """Return the pages of the structs, by page name."""
    settings = {"opt": OPTION_FIELDS, "stat": STATISTIC_FIELDS, "vis": VISUAL_FIELDS}
    model = {"Sizes": SIZE_FIELDS, "Arrays": ARRAY_FIELDS, **settings}
    data = {"Fixed size": DATA_FIELDS, "Variable size: contacts and constraints": ARENA_FIELDS}
    return {
        "MjModel": field_page("Fields of MjModel", MODEL_TEXT, model),
        "MjvScene": field_page("Fields of scenes, cameras and figures", SCENE_TEXT, VISUALIZER),
        "MjData": field_page("Fields of MjData", DATA_TEXT, data),
    }


CONTENTS_TEXT = """\
This is the reference: every function, class, field, element and attribute, with units, shapes and defaults. To learn
how they work together, begin with [the API in ten minutes](../api-in-ten-minutes.md) or [modeling](../modeling.md).

```python
import conjoint

XML = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
model = conjoint.MjModel.from_xml_string(XML)
data = conjoint.MjData(model)
conjoint.mj_step(model, data)          # simulation functions
print(data.qpos, model.body_mass)      # fields of MjData and MjModel
```

* Find names such as `conjoint.NAME` under Python.
* Find names such as `model.NAME` and `data.NAME` under fields.
* Find names in angle brackets, as in model files, under elements.

These pages are generated from the docstrings and tables of the source code, so they match the version that you use."""


def contents(pages: dict[str, str]) -> str:
    """Return the contents page of the reference, which links to all other reference pages."""
    groups: dict[str, Iterable[str]] = {
        "Python": (*PAGES, "argument-types", "enumerations", "constants"),
        "Fields and stages": ("MjModel", "MjData", "MjvScene", "pipeline"),
        "Elements of model files (MJCF, URDF)": section_pages(),
    }
    lines = ["# Reference", "", CONTENTS_TEXT]
    for heading, names in groups.items():
        lines += ["", f"## {heading}", "", *(f"* [{heading_of(pages[name])}]({name}.md)" for name in names)]
    return noted("\n".join(lines) + "\n")


def heading_of(text: str) -> str:
    """Return the first heading of a page."""
    return next(line.removeprefix("# ").partition(" {")[0] for line in text.splitlines() if line.startswith("# "))


def main(check: bool) -> int:
    """Write or check the pages; return the exit status."""
    pages = {**section_pages(), **field_pages(), "pipeline": WIDE + noted(pipeline_page())}
    pages |= {name: LISTED + noted(text, API_NOTE) for name, text in api_pages().items()}
    pages["README"] = contents(pages)
    status = 0
    TARGET.mkdir(exist_ok=True)
    for old in TARGET.glob("*.md"):
        if old.stem not in pages:
            status = 1
            print(f"{old} is of no section: remove it", file=sys.stderr)
    for name, text in pages.items():
        path = TARGET / f"{name}.md"
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)} is not up to date: run tools/make_reference.py", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
