"""The grammar table agrees with the XML Reference chapter: elements, attributes, types and defaults.

The chapter's text cannot be part of the repository; CONJOINT_SEEDS names the folder that contains it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO
from conjoint.schema.mjcf.grammar import rows as every_row
from conjoint.schema.mjcf.table import Attribute, Element

SEEDS = Path(os.environ["CONJOINT_SEEDS"]) if os.environ.get("CONJOINT_SEEDS") else None

HEADING = re.compile(r"^([()a-z_/]+) \((.)\)#$")
WITH_TYPE = re.compile(
    r"^- (?P<names>[a-z_0-9, ]+?):? (?P<type>real|int|string|\[[^\]]*\])(?P<count>\([^)]*\)*)?(?:, ?(?P<rest>.*))?$"
)
NAMES = re.compile(r"^- (?P<names>[a-z_0-9]+(?:, [a-z_0-9]+)*):?$")


@dataclass
class Documented:
    """Documented attribute: element path, name, type, count and status, as text."""

    path: str
    name: str
    type: str
    count: str
    status: str


def chapter() -> tuple[dict[str, str], list[Documented]]:
    """Return the chapter's elements, with the symbols of their multiplicity, and its attributes."""
    assert SEEDS is not None
    elements: dict[str, str] = {}
    attributes: list[Documented] = []
    path = ""
    for line in (SEEDS / "xml-reference.txt").read_text(encoding="utf-8").splitlines():
        heading = HEADING.match(line)
        if heading:
            path = heading[1].replace("(world)body", "body")
            elements[path] = heading[2]
        elif line.endswith("#"):
            path = ""
        elif path:
            # one line of the text lacks a blank
            line = line.replace("filebackstring", "fileback: string")
            found = WITH_TYPE.match(line) or NAMES.match(line)
            if found and (path, found["names"]) not in NOT_ATTRIBUTES:
                parts = {"type": "", "count": "", "rest": "", **found.groupdict()}
                for name in found["names"].split(", "):
                    attributes.append(Documented(path, name, *((parts[k] or "") for k in ("type", "count", "rest"))))
    return elements, attributes


NOT_ATTRIBUTES = {("asset/texture", word) for word in ("gradient", "checker", "flat")}
"""Keywords that the chapter lists like attributes."""


def rows(path: str) -> Iterator[Element]:
    """Yield the grammar rows for a heading of the chapter; `body` also stands for the world."""
    if path in ("mujoco", "include", "frame", "replicate"):
        yield {"mujoco": MUJOCO, "include": INCLUDE}.get(path) or BODY.children[path]
        return
    *parents, tag = path.split("/")
    if not parents:
        found = [BODY] if tag == "body" else [MUJOCO.child(tag)]
    else:
        found = [parent.child(tag) for parent in every_row() if parent.name == parents[0]]
    yield from (row for row in found if row is not None)


BODY = MUJOCO.children["worldbody"].children["body"]


@pytest.fixture(scope="module")
def documented() -> tuple[dict[str, str], list[Documented]]:
    if SEEDS is None or not SEEDS.is_dir():
        pytest.skip("CONJOINT_SEEDS names no folder with the text of the XML Reference chapter")
    return chapter()


REMOVED = {"equality/distance"}
"""Elements that the chapter mentions only because they were removed."""


def test_every_element_of_the_chapter_has_a_row(documented):
    elements, _ = documented
    assert len(elements) > 150
    assert {path for path in elements if not list(rows(path))} == REMOVED


NOT_IN_THE_FORMAT = {
    "body/light radius": "it is called bulbradius, in every version of the official reader that has it",
    "actuator/damper ctrllimited": "the control of a damper is always limited; the official reader refuses it",
}


def test_every_attribute_of_the_chapter_has_a_row(documented):
    _, attributes = documented
    assert len(attributes) > 900
    missing = {
        f"{found.path} {found.name}"
        for found in attributes
        if not any(found.name in row.attributes for row in rows(found.path))
    }
    assert missing == set(NOT_IN_THE_FORMAT)


TYPES = {"real": ("real",), "int": ("int",), "string": ("word", "words", "text")}


def differences(found: Documented, row: Attribute) -> Iterator[str]:
    """Yield the differences between a grammar row and the chapter: type, keywords, count, necessity and default."""
    if found.type.startswith("["):
        keywords = found.type.strip("[]").split(", ")
        if set(keywords) != set(row.choices):
            yield f"keywords {', '.join(row.choices) or row.type}, not {', '.join(keywords)}"
    elif found.type and row.type not in TYPES[found.type]:
        yield f"type {row.type}, not {found.type}"
    if found.type in ("real", "int"):
        count = found.count.strip("()") or "1"
        if row.most != (int(count) if count.isdecimal() else None):
            yield f"{row.most} numbers, not {count}"
    if (found.status == "required") != row.required:
        yield "required" if row.required else "not required"
    default = re.match("“(.*?)”", found.status)
    if default and "…" not in default[1] and not same_default(default[1], row):
        yield f"default {row.default}, not {default[1]}"


def same_default(text: str, row: Attribute) -> bool:
    """Return True if `text` is the default of `row`, or equivalent to omitting the attribute."""
    value = row.implied if row.default is None or row.default == "" else row.default
    if row.type == "choice":
        return value == row.choices.get(text)
    if row.type in ("real", "int"):
        return tuple(map(float, text.replace(",", " ").split())) == (value if isinstance(value, tuple) else (value,))
    return bool(value == text)


WE_SAY_OTHERWISE = {
    "asset/mesh inertia": "3.3.5 has a fourth keyword, shell",
    "asset/material name": "the compiler refuses materials without a name; the official reader does not",
    "asset/material metallic": "3.3.5 has -1, for undefined",
    "asset/material roughness": "3.3.5 has -1, for undefined",
    "material/layer role": "3.3.5 has keywords",
    "body/site type": "the reader of 3.3.5 knows all types of geoms, its compiler refuses some",
    "body/composite count": "1 to 3 numbers; cables may have vertices instead",
    "body/composite spacing": "cables have none",
    "body/composite size": "numbers of any sort and count are read by 3.3.5",
    "body/camera resolution": "read as real by the official reader",
    "body/camera focalpixel": "read as real by the official reader",
    "option solver": "there are two solvers more: those of the paper",
    "option/flag nativeccd": "on by default in 3.3.5",
    "body/composite initial": "read as a text by 3.3.5",
    "body/flexcomp type": "3.3.5 has a tenth keyword, square",
    "flexcomp/pin id": "one of four",
    "flexcomp/pin range": "one of four",
    "flexcomp/pin grid": "one of four",
    "flexcomp/pin gridrange": "one of four",
    "body/attach body": "in 3.3.5 the whole world of the other model may be attached",
    "contact/pair solreffriction": "two numbers, as every solref",
    "deformable/flex body": "3.3.5 has nodes instead of bodies",
    "flex/contact internal": "3.3.5 has false",
    "actuator/general biastype": "newer versions have more keywords",
    "actuator/general dyntype": "newer versions have more keywords",
    "actuator/general gaintype": "newer versions have more keywords",
    "actuator/plugin dyntype": "newer versions have more keywords",
    "body/joint damping": "newer versions have coefficients of higher order",
    "body/joint stiffness": "newer versions have coefficients of higher order",
    "flexcomp/edge equality": "newer versions keep strain, too",
    "tendon/spatial damping": "newer versions have coefficients of higher order",
    "tendon/spatial stiffness": "newer versions have coefficients of higher order",
    "actuator/general actdim": "the official reader refuses fractions",
    "actuator/damper kv": "3.3.5 has 0",
    "instance/config key": "the official reader requires it",
    "instance/config value": "the official reader requires it",
    "sensor/rangefinder site": "a camera may stand in its place, as in newer versions",
    "body/attach model": "a part of the model itself may be attached, as in newer versions",
    "plugin/instance name": "the official reader does not require it",
}
"""Reasons for deviations from the chapter, which in places is older than MuJoCo 3.3.5 or inexact."""


def test_rows_say_what_the_chapter_says(documented):
    _, attributes = documented
    different: dict[str, list[str]] = {}
    for found in attributes:
        for row in rows(found.path):
            attribute = row.attributes.get(found.name)
            if attribute is not None and (said := list(differences(found, attribute))):
                different[f"{found.path} {found.name}"] = said
    assert {name: said for name, said in different.items() if name not in WE_SAY_OTHERWISE} == {}
    assert set(WE_SAY_OTHERWISE) <= set(different)
