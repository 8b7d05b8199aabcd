"""Reader of the macro `composite`, with the defaults of each composite type (XML Reference, body/composite).

All documented types are implemented. Since version 3.3, MuJoCo's compiler has only cables. Particles, grids, boxes,
cylinders and ellipsoids follow version 3.2; ropes, loops and cloths follow version 2.3.
"""

from collections.abc import Callable
from typing import Any

from conjoint.mjcf.composite.cable import Cable
from conjoint.mjcf.composite.chain import Cloth, Grid, Loop, Particles, Rope
from conjoint.mjcf.composite.macro import GROUP, SOFT, Macro, Written
from conjoint.mjcf.composite.shell import Shell
from conjoint.mjcf.document import Misuse, Node
from conjoint.mjcf.elements import ElementReader, read_shared
from conjoint.schema.mjcf.body import COMPOSITE_TYPES, JOINT_KINDS, TENDON_KINDS
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.shared import SOLIMP, SOLREF
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Body, Element

MACROS: dict[str, Callable[[Written], Macro]] = {
    "particle": Particles, "grid": Grid, "cable": Cable, "rope": Rope, "loop": Loop, "cloth": Cloth,
    "box": Shell, "cylinder": Shell, "ellipsoid": Shell,
}  # fmt: skip
"""Class that expands each composite type, by keyword."""

STIFF = {"solref_fix": (0.01, 1.0), "solimp_fix": (0.99, 0.99, 0.001, 0.5, 2.0)}
"""Default solver parameters of constraints on the tendons of grids, and on the volume of shells."""
NORMAL = {"solref_fix": SOLREF, "solimp_fix": SOLIMP}
"""Default solver parameters of constraints on the tendons of composite types other than grids."""
SMOOTH = {
    "loop": ((0.01, 1.0), (0.99, 0.99, 0.001, 0.5, 2.0)),
    "box": SOFT, "cylinder": SOFT, "ellipsoid": SOFT,
}  # fmt: skip
"""solref and solimp of constraints that close a loop, or keep shells smooth."""
SHELLS = ("box", "cylinder", "ellipsoid")


def read_composite(
    reader: ElementReader, node: Node, row: Row, body: Body, frame: Element | None, _inherited: str
) -> None:
    """Expand the macro: add its bodies to `body`, and their other elements to the model.

    An enclosing frame moves cables, but no other types, as in the MuJoCo versions that contain them.
    """
    values = reader.values(node, row)
    if "type" not in values:
        # already reported
        return
    try:
        written = _written(reader, node, row, values)
        MACROS[written.type](written).expand(body, frame)
    except Misuse as error:
        reader.problems.add(f"<composite>: {error}", error.node or node, error.attribute)


def _written(reader: ElementReader, node: Node, row: Row, values: dict[str, Any]) -> Written:
    """Return the values of the macro (`values`) and of its child elements as written, completed by defaults."""
    kind = list(COMPOSITE_TYPES)[values["type"]]
    solref, solimp = SMOOTH.get(kind, (SOLREF, SOLIMP))
    values = reader.fill(values, row, {"solref_smooth": solref, "solimp_smooth": solimp})
    values.setdefault("solref_smooth", solref)
    values.setdefault("solimp_smooth", solimp)
    written = Written(reader, node, kind, values)
    skin = any(child.tag == "skin" for child in node.children)
    written.geom, written.site = (_defaults(kind, tag, "", skin) for tag in ("geom", "site"))
    written.tendons["main"] = _defaults(kind, "tendon", "main", skin)
    for child, inner in reader.children(node, row):
        found = reader.values(child, inner)
        if child.tag == "plugin":
            written.plugin = read_shared(reader, child, inner, "composite" + values.get("prefix", ""))
        elif child.tag == "pin":
            written.pins.append((*found.get("coord", ()), 0, 0)[:2])
        elif child.tag == "skin":
            written.skin = found
        else:
            name = _kind(child.tag, found)
            base = written.tendons.get(name) if child.tag == "tendon" else None
            base = base or _defaults(kind, child.tag, name, skin)
            written.add(child.tag, name, {**base, **reader.fill(found, inner, base)})
    written.joints.setdefault("main", [_defaults(kind, "joint", "main", skin)])
    return written


def _kind(tag: str, found: dict[str, Any]) -> str:
    """Remove the kind of a joint or tendon from its values, and return it as a keyword."""
    words = {"joint": JOINT_KINDS, "tendon": TENDON_KINDS}.get(tag, "").split()
    number = found.pop("kind", None)
    return "" if number is None else words[number]


def _defaults(kind: str, tag: str, name: str, skin: bool) -> dict[str, Any]:
    """Return the default values of elements with the tag `tag` and the kind `name`, such as twist joints.

    If there is a skin, physics elements are put into a hidden group.
    """
    hidden = tag in ("joint", "site") or (skin and kind != "cable")
    values = {**defaults(tag), "group": GROUP if hidden else 0}
    if tag == "geom":
        values.update({"contype": 0} if kind in SHELLS else {})
        values.update({"condim": 1, "priority": 1} if kind == "particle" else {})
    elif tag == "joint":
        values.update(NORMAL)
    elif tag == "tendon":
        values.update(STIFF if name == "main" and kind in ("grid", *SHELLS) else NORMAL)
    return values
