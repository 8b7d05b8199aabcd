"""The grammar table agrees with MuJoCo's printed schema, defaults and reader."""

from __future__ import annotations

import re
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelError
from conjoint.mjcf import read_string
from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO, defaults, rows
from conjoint.schema.mjcf.table import Attribute, Element
from conjoint.schema.urdf import ROBOT
from oracle import objection
from printed_grammar import printed_rows

NEWER_THAN_THE_PRINTOUT = {"frame", "replicate", "include"}
"""Elements that MuJoCo's printed schema omits."""

OF_OLDER_VERSIONS = {
    "mujoco/body/composite": {"spacing", "flatinertia", "solrefsmooth", "solimpsmooth"},
    "mujoco/body/composite/tendon": None,
    "mujoco/body/composite/pin": None,
}
"""Attributes and elements of composites that MuJoCo no longer has."""


def row_at(path: tuple[str, ...]) -> Element | None:
    """Return the grammar row for a path of MuJoCo's printed schema, in which bodies are children of the root."""
    row: Element | None = MUJOCO
    for tag in path[1:]:
        assert row is not None
        row = MUJOCO.children["worldbody"].children["body"] if row is MUJOCO and tag == "body" else row.child(tag)
        if row is None:
            return None
    return row


OF_NEWER_VERSIONS = {
    "mujoco/option/flag": {"spring", "damper", "sleep", "diagexact"},
    "mujoco/sensor/contact": {"user", "noise"},
    "mujoco/compiler": {"conflict", "passthrough"},
    "mujoco/option": {"sleep_tolerance"},
    "mujoco/body": {"fuse", "simple", "sleep"},
    "mujoco/sensor/rangefinder": {"data", "camera"},
    "mujoco/sensor/insidesite": {"enclosed"},
    "mujoco/default/tendon": {"armature", "actuatorfrclimited", "actuatorfrcrange", "springyield"},
    "mujoco/tendon/spatial": {"springyield"},
    "mujoco/tendon/fixed": {"springyield"},
    "mujoco/keyframe/key": {"plastic"},
    **{f"mujoco/{place}/joint": {"springyield"} for place in ("body", "default")},
    "mujoco/contact/pair": {"adhesion"},
    "mujoco/default/pair": {"adhesion"},
    "mujoco/body/frame": {"scale", "scaling", "massscale"},
    "mujoco/asset/mesh": {"material"},
    "mujoco/body/flexcomp": {"mesh"},
    "mujoco/body/attach": {"frame"},
    "mujoco/asset/texture": {"class", "embed"},
    **{f"mujoco/{place}/geom": {"castshadow", "surfacevel", "adhesion"} for place in ("body", "default")},
    **{f"mujoco/{place}/site": {"mesh"} for place in ("body", "default")},
    **{f"mujoco/{place}/camera": {"projection", "output"} for place in ("body", "default")},
    **{f"mujoco/{place}/light": {"softness"} for place in ("body", "default")},
    **{f"mujoco/{place}/intvelocity": {"actlimited"} for place in ("actuator", "default")},
}
"""Supported attributes that are newer than MuJoCo 3.3.5, by element path."""

HISTORY, MOTOR = {"delay", "interp", "nsample"}, {"damping", "armature"}
NEWER_ACTUATORS = ("pid", "dcmotor", "orientation")


def of_newer_versions(path: tuple[str, ...]) -> set[str]:
    """Return the supported attributes of an element that are newer than MuJoCo 3.3.5."""
    found = OF_NEWER_VERSIONS.get("/".join(path), set())
    tag = path[-1]
    if len(path) == 3 and path[1] == "sensor" and tag != "plugin":
        found = found | HISTORY | {"interval"}
    if len(path) == 3 and path[1] in ("actuator", "default") and tag in ACTUATORS:
        found = found | HISTORY | (MOTOR if tag != "adhesion" else set())
        if tag == "general":
            found = found | {"input", "velrange", "ffrange", "inheritrange"}
    return found


ACTUATORS = frozenset(MUJOCO.children["actuator"].children)


def test_the_oracle_and_the_table_know_the_same_attributes():
    different = {}
    for path, attributes in printed_rows():
        row = row_at(path)
        older = (OF_OLDER_VERSIONS.get("/".join(path)) or set()) | of_newer_versions(path)
        if row is None or set(row.attributes) != attributes | older:
            different["/".join(path)] = None if row is None else set(row.attributes) ^ attributes
    assert different == {}


def test_the_table_has_no_elements_that_the_oracle_lacks():
    known = {path for path, _ in printed_rows()}
    extra, seen = [], set()

    def walk(row: Element, path: tuple[str, ...]) -> None:
        for tag, child in row.children.items():
            inner = ("mujoco", "body") if tag in ("worldbody", "body") else (*path, tag)
            if tag in NEWER_THAN_THE_PRINTOUT or id(child) in seen:
                continue
            seen.add(id(child))
            if inner not in known and "/".join(inner) not in OF_OLDER_VERSIONS:
                extra.append(inner)
            walk(child, inner)

    walk(MUJOCO, ("mujoco",))
    # MuJoCo creates flex equality constraints in macros; they are missing from its printed schema
    newer = [("mujoco", "default", "texture"), ("mujoco", "equality", "flexstrain")]
    newer += [("mujoco", place, tag) for place in ("actuator", "default") for tag in (*NEWER_ACTUATORS, "orientation")]
    assert [path for path in extra if path != ("mujoco", "equality", "flex") and path not in newer] == []


def test_the_printed_schema_has_every_row():
    """The schema is printed as text and as HTML, in MuJoCo's layout."""
    ours = [line.strip() for line in conjoint.mj_printSchema(False, False).splitlines()]
    theirs = [line.strip() for line in mujoco.mj_printSchema(False, False).splitlines()]
    for line in ("mujoco (!)                    model", "default (R)                class", "quality (?)"):
        assert any(theirs_line.startswith(line) for theirs_line in theirs)
        assert any(ours_line.startswith(line) for ours_line in ours)
    tags = {line.split()[0] for line in ours if "(" in line}
    assert {row.name for row in rows()} == tags
    for pad in (False, True):
        html = conjoint.mj_printSchema(True, pad)
        assert html.count("<tr>") == html.count("</tr>") == sum("(" in line for line in ours)


def oracle_elements() -> dict[str, object]:
    """Return a MuJoCo element with default values for every element type."""
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    return {
        "geom": body.add_geom(), "joint": body.add_joint(), "site": body.add_site(), "camera": body.add_camera(),
        "light": body.add_light(), "pair": spec.add_pair(), "tendon": spec.add_tendon(),
        "actuator": spec.add_actuator(), "material": spec.add_material(), "texture": spec.add_texture(),
        "mesh": spec.add_mesh(), "hfield": spec.add_hfield(), "option": spec.option, "compiler": spec.compiler,
        "key": spec.add_key(), "body": body, "map": spec.visual.map, "global": spec.visual.global_,
        "quality": spec.visual.quality, "headlight": spec.visual.headlight, "scale": spec.visual.scale,
    }  # fmt: skip


@pytest.mark.parametrize("kind", oracle_elements())
def test_defaults_are_those_of_the_oracle(kind):
    element = oracle_elements()[kind]
    compared = 0
    for name, ours in defaults(kind).items():
        theirs = getattr(element, name, None)
        if ours is None or not isinstance(theirs, int | float | np.ndarray):
            continue
        if (kind, name) == ("tendon", "actfrclimited"):
            # the default is auto, as documented and in newer versions
            continue
        compared += 1
        assert np.allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-7), (kind, name)
    assert compared > 0


def test_every_row_has_a_meaning():
    def walk(row: Element, seen: set[int]) -> None:
        if id(row) in seen:
            return
        seen.add(id(row))
        assert row.meaning.endswith("."), row.name
        assert len(row.meaning.split()) >= 8, (row.name, row.meaning)
        for attribute in row.attributes.values():
            assert attribute.meaning.endswith("."), (row.name, attribute.name)
            assert len(attribute.meaning.split()) >= 4, (row.name, attribute.name, attribute.meaning)
        for child in row.children.values():
            walk(child, seen)

    seen: set[int] = set()
    for root in (MUJOCO, INCLUDE, ROBOT):
        walk(root, seen)


# --- every row compared with MuJoCo's reader ---

CONTEXT = {
    "composite": {"type": "cable", "prefix": "a", "curve": "s", "count": "5 1 1", "size": "1"},
    "flexcomp": {"name": "a", "count": "3 3 3"},
    "flex": {"body": "a", "element": "0 1", "dim": "1"},
    "connect": {"body1": "a", "anchor": "0 0 0"},
    "weld": {"body1": "a"},
    "element": {"objtype": "body", "objname": "a"},
    "size": {},
}  # fmt: skip
"""Attributes that MuJoCo requires before it checks other attributes, by element."""


def paths() -> list[tuple[Element, ...]]:
    """Return the path from the root to every grammar row; shared rows occur only once."""
    found: list[tuple[Element, ...]] = []
    seen = set()

    def walk(row: Element, above: tuple[Element, ...]) -> None:
        if id(row) not in seen:
            seen.add(id(row))
            found.append((*above, row))
            for child in row.children.values():
                walk(child, (*above, row))

    walk(MUJOCO, ())
    return found[1:]


def plain(row: Attribute) -> str:
    """Return a valid value for an attribute, as text."""
    if row.choices:
        return next(iter(row.choices))
    return " ".join(["1"] * max(row.least, 1)) if row.type in ("real", "int") else "a"


def needed(row: Element) -> dict[str, str]:
    """Return valid values for the required attributes of an element, by name."""
    required = {name: plain(attribute) for name, attribute in row.attributes.items() if attribute.required}
    return required | CONTEXT.get(row.name, {}) if set(CONTEXT.get(row.name, ())) <= set(row.attributes) else required


def nested(path: tuple[Element, ...], attributes: dict[str, str]) -> str:
    """Return the XML of a model with the nested elements of a path; the innermost element has these attributes."""
    tags = [(row.name, needed(row)) for row in path[:-1]] + [(path[-1].name, attributes)]
    start = "".join("<" + tag + "".join(f' {name}="{value}"' for name, value in own.items()) + ">" for tag, own in tags)
    return start + "".join(f"</{tag}>" for tag, _ in reversed(tags))


def oracle_says(xml: str) -> str:
    return str(objection(mujoco.MjSpec.from_string, xml) or "")


def we_say(xml: str) -> str:
    try:
        read_string(xml)
    except ModelError as error:
        return str(error)
    return ""


MORE_REQUIRED = {
    "pair": {"geom1", "geom2"},
    "adhesion": {"body"},
    "element": {"objname"},
    "model": {"file"},
    "flexstrain": {"flex"},
    "tendon": {"kind"},
    "pin": {"coord"},
    "config": {"key", "value"},
}
"""Attributes that MuJoCo's compiler requires, but not its reader."""


def test_the_oracle_requires_the_same_attributes():
    for path in paths():
        attributes = dict(CONTEXT.get(path[-1].name, {})) if path[-1].name in ("connect", "weld") else {}
        required: set[str] = set()
        while missing := re.search(r"required attribute missing: '(\w+)'", oracle_says(nested(path, attributes))):
            required.add(missing[1])
            assert missing[1] not in attributes, path[-1].name
            attributes[missing[1]] = plain(path[-1].attributes[missing[1]])
        ours = {name for name, row in path[-1].attributes.items() if row.required}
        # Alternatives: a flex needs bodies or nodes, a rangefinder a site or a camera; attach may omit the model
        either = {"rangefinder": {"body", "site"}, "attach": {"model"}}.get(path[-1].name, {"body"})
        assert required - either <= ours, path[-1].name
        assert ours - required <= MORE_REQUIRED.get(path[-1].name, set()), path[-1].name


def attempts(row: Attribute) -> Iterator[str]:
    """Yield valid and invalid values for an attribute."""
    if row.type == "choice":
        yield from ("nonsense", *row.choices)
    elif row.type in ("real", "int"):
        yield from ("x", plain(row), "1.5", " ".join(["1"] * (row.most or 40)))
        if row.most is not None:
            yield " ".join(["1"] * (row.most + 1))
        if row.least > 1:
            yield " ".join(["1"] * (row.least - 1))


NOT_COMPARED = {
    ("hfield", "elevation"),
    ("mesh", "params"),
    ("layer", "role"),
    ("composite", "type"),
    ("option", "solver"),
    *(("frame", name) for name in ("scale", "scaling", "massscale")),
    ("compiler", "conflict"),
    ("mesh", "material"),
    ("edge", "equality"),
    ("body", "fuse"),
    ("flexcomp", "mesh"),
    ("mesh", "builtin"),
    ("geom", "castshadow"),
    ("light", "softness"),
    ("intvelocity", "actlimited"),
    ("texture", "class"),
    ("texture", "embed"),
    ("compiler", "passthrough"),
    ("attach", "frame"),
    ("attach", "model"),
    *((tag, name) for tag in ("joint", "tendon", "spatial", "fixed") for name in ("stiffness", "damping")),
    *((tag, name) for tag in ("general", "plugin") for name in ("dyntype", "gaintype", "biastype")),
}
"""Attributes that are not compared with MuJoCo, because their values differ deliberately.

MuJoCo ends lists at malformed numbers, and its message does not name a role that it rejects. Other entries are removed
types, solvers that MuJoCo does not have, and attributes of newer versions.
"""


def blames(message: str, name: str) -> bool:
    """Return True if the message says that the attribute's value cannot be read."""
    return bool(re.search(rf"(?<!unknown )attribute '{name}'(?! is missing)", message))


def test_the_oracle_reads_the_same_values():
    compared, different, seen = 0, [], set()
    for path in paths():
        for name, row in path[-1].attributes.items():
            if (path[-1].name, name) in NOT_COMPARED or (path[-1].kind or path[-1].name, repr(row)) in seen:
                continue
            seen.add((path[-1].kind or path[-1].name, repr(row)))
            for value in attempts(row):
                xml = nested(path, {**needed(path[-1]), name: value})
                theirs = oracle_says(xml)
                if "Schema violation" in theirs or (path[-2].name == "composite" and name == "kind"):
                    # this attribute belongs to composite types that 3.3.5 no longer has
                    continue
                refused = blames(theirs, name) or "invalid keyword" in theirs
                compared += 1
                if refused != blames(we_say(xml), name):
                    different.append((path[-1].name, name, value[:20], theirs[:80]))
    assert compared > 2000
    assert different == [], different
