"""composite: a cable of bodies (XML Reference, body/composite; Modeling chapter, Composite objects).

The other types that the chapter describes were removed from the format in version 3.3 of the official engine, in favour
of replicate and flexcomp, and are refused as there.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

from conjoint.mjcf.document import Node
from conjoint.mjcf.plugins import read_plugin
from conjoint.schema.mjcf import Element as Row
from conjoint.schema.mjcf import defaults
from conjoint.schema.mjcf.body import COMPOSITE_TYPES
from conjoint.schema.mjcf.shared import SOLIMP, SOLREF
from conjoint.spec import Body, Element
from conjoint.spec.rotation import (
    IDENTITY,
    Quaternion,
    Vector,
    conj_quat,
    cross,
    dot,
    mat_to_quat,
    mul_quat,
    quat_about,
    rotate,
)

if TYPE_CHECKING:
    from conjoint.mjcf.reader import Reader

CAPSULE, CYLINDER, BOX = 3, 5, 6
FREE, BALL = 0, 1
TINY = 1e-14
GROUP = 3
"""Group of generated joints and sites, which are not shown."""
LEAST_POINTS = 4
"""Points of a cable with a first, a middle and a last body."""
MOST_POINTS = 100_000

_FIX = {"solref_fix": SOLREF, "solimp_fix": SOLIMP}
"""Attributes of joints that only types had which were removed."""

_INSTEAD = {
    "particle": "replicate", "grid": "flexcomp", "rope": "cable", "loop": "flexcomp", "cloth": "flexcomp",
    "box": "flexcomp", "cylinder": "flexcomp", "ellipsoid": "flexcomp",
}  # fmt: skip
"""What to use instead of a type that was removed."""


def read_composite(reader: Reader, node: Node, row: Row, body: Body, frame: Element | None, _inherited: str) -> None:
    """Add the bodies that the macro stands for to `body`, and what belongs to them to the model."""
    values = reader.values(node, row)
    children: dict[str, dict[str, Any]] = {}
    for child, inner in reader.children(node, row):
        base = {**defaults(child.tag), **_FIX} if child.tag in ("joint", "geom", "site") else {}
        children[child.tag] = reader.fill(reader.values(child, inner), inner, base)
        if child.tag == "plugin":
            values["plugin"] = read_plugin(reader, child, inner, children["plugin"])
            values["plugin"].shared = True
    try:
        kind = list(COMPOSITE_TYPES)[values["type"]] if "type" in values else ""
        if kind != "cable":
            raise ValueError(f"the type '{kind}' was removed from the format; use {_INSTEAD.get(kind, 'cable')}")
        Cable(reader, node, values, children).expand(body, frame)
    except ValueError as error:
        reader.problems.add(f"<composite>: {error}", node)


class Cable:
    """A cable while it is expanded: points, and one body from each to the next."""

    def __init__(self, reader: Reader, node: Node, values: dict[str, Any], children: dict[str, dict[str, Any]]):
        self.reader, self.node = reader, node
        self.values, self.children = values, children
        self.prefix: str = values.get("prefix", "")
        self.geom = self._element("geom", children.get("geom", {}))
        self.points = self._points()

    def expand(self, body: Body, frame: Element | None) -> None:
        """Add the chain of bodies below `body`."""
        if self.geom.type not in (CAPSULE, CYLINDER, BOX):
            raise ValueError("the geoms of a cable are capsules, cylinders or boxes")
        spec = self.reader.spec
        text = {"name": f"composite_{self.prefix}", "data": f"rope_{self.prefix}"}
        spec.texts.append(self._element("text", text))
        normal: Vector = (0.0, 1.0, 0.0)
        before = IDENTITY
        names = self._names()
        parent, length = body, 0.0
        for i, name in enumerate(names):
            quat, normal, reach = self._frame(i, normal)
            pos: Any = (length, 0.0, 0.0)
            if i == 0:
                start = zip(self.values.get("offset", (0.0, 0.0, 0.0)), self.points[0], strict=True)
                pos = tuple(a + b for a, b in start)
            made = self._body(i, name, pos, mul_quat(conj_quat(before), quat) if i else quat, reach)
            made.frame = frame if i == 0 else None
            parent.bodies.append(made)
            if i + 1 < len(names):
                exclude = {"bodyname1": self._named("B", name), "bodyname2": self._named("B", names[i + 1])}
                spec.excludes.append(self._element("exclude", exclude))
            parent, length, before = made, reach, quat
        if self.geom.type == BOX:
            spec.skins.append(self._skin(names))

    def _points(self) -> list[Vector]:
        """Points as written, or along the curve."""
        vertex = self.values.get("vertex", ())
        if len(vertex) % 3:
            raise ValueError(f"vertex has {len(vertex)} numbers: a multiple of 3 is needed")
        count = [*self.values.get("count", ()), 1, 1, 1][:3]
        number = len(vertex) // 3 or count[0]
        if count[1] != 1 or count[2] != 1:
            raise ValueError("a cable has one dimension: the second and third count must be 1")
        if not LEAST_POINTS <= number <= MOST_POINTS:
            raise ValueError(f"a cable needs {LEAST_POINTS} to {MOST_POINTS} points, not {number}")
        if vertex:
            return [(vertex[i], vertex[i + 1], vertex[i + 2]) for i in range(0, len(vertex), 3)]
        curve = self._curve()
        quat = self.values.get("quat", IDENTITY)
        return [rotate(quat, [function(i / (number - 1)) for function in curve]) for i in range(number)]

    def _curve(self) -> list[Any]:
        """Functions from 0 ... 1 to x, y and z."""
        words = self.values.get("curve", "").split()
        length, radius, turns = (*self.values.get("size", ()), 1.0, 0.0, 0.0)[:3] if words else (0.0, 0.0, 0.0)
        functions = {
            "s": lambda s: s * length,
            "cos(s)": lambda s: radius * cos(pi * s * turns),
            "sin(s)": lambda s: radius * sin(pi * s * turns),
            "0": lambda s: 0.0,
        }
        unknown = [word for word in words if word not in functions]
        if unknown or not 1 <= len(words) <= 3:
            raise ValueError("curve needs one to three of s, cos(s), sin(s), 0; or give vertex")
        return [functions[word] for word in (*words, "0", "0")[:3]]

    def _names(self) -> list[str]:
        """What the bodies are called: first, 1, 2, ..., last."""
        return ["first", *map(str, range(1, len(self.points) - 2)), "last"]

    def _named(self, letter: str, name: str) -> str:
        """Name of a body (B), joint (J), site (S)."""
        between = "" if letter == "G" else "_"
        return f"{self.prefix}{letter}{between}{name}"

    def _frame(self, i: int, normal: Vector) -> tuple[Quaternion, Vector, float]:
        """Orientation, normal and length of the segment `i`: frames that follow the curve without twist.

        The normal of the one before is turned about the binormal by the angle between the segments (Bergou et al.
        2008, Discrete elastic rods, on parallel transport); the first is that of the curve.
        """
        tangent, length = _unit(_difference(self.points[i + 1], self.points[i]))
        if i == 0:
            onward, _ = _unit(_difference(self.points[2], self.points[1]))
            binormal, _ = _unit(cross(tangent, onward))
            normal, _ = _unit(cross(binormal, tangent))
        else:
            back, _ = _unit(_difference(self.points[i], self.points[i - 1]))
            axis, sine = _unit(cross(back, tangent))
            normal, _ = _unit(rotate(quat_about(axis, atan2(sine, dot(back, tangent))), normal))
            binormal, _ = _unit(cross(tangent, normal))
        columns = (tangent, normal, binormal)
        return mat_to_quat([columns[j][k] for k in range(3) for j in range(3)]), normal, length

    def _body(self, i: int, name: str, pos: Vector, quat: Quaternion, length: float) -> Body:
        """One segment."""
        body = Body({**defaults("body"), "name": self._named("B", name), "pos": pos, "quat": quat}, self.node)
        geom = self.geom.copy()
        geom.name = self._named("G", str(i))
        if geom.type == BOX:
            geom.pos, geom.size = (length / 2, 0.0, 0.0), (length / 2, *geom.size[1:])
        else:
            geom.fromto = (0.0, 0.0, 0.0, length, 0.0, 0.0)
        body.geoms.append(geom)
        if "plugin" in self.values:
            body.plugin = self.values["plugin"]
        initial = self.values.get("initial", "ball")
        if name != "first" or initial != "none":
            body.joints.append(self._joint(name, free=name == "first" and initial == "free"))
        if name in ("first", "last"):
            place = {"name": self._named("S", name), "pos": (0.0 if name == "first" else length, 0.0, 0.0)}
            body.sites.append(self._element("site", {"group": GROUP, **self.children.get("site", {}), **place}))
        return body

    def _joint(self, name: str, free: bool) -> Element:
        """A ball joint, or a free joint without what resists motion."""
        values = {"group": GROUP, **self.children.get("joint", {}), "type": FREE if free else BALL}
        if free:
            values.update(damping=0.0, armature=0.0, frictionloss=0.0)
        joint = self._element("joint", values)
        joint.name = self._named("J", name)
        return joint

    def _element(self, kind: str, values: dict[str, Any]) -> Element:
        """An element of the macro: defaults classes do not matter here."""
        element = Element(kind, {**defaults(kind), **values}, self.node)
        element.frame = None
        return element

    def _skin(self, names: list[str]) -> Element:
        """A ribbon on both sides of the boxes, two vertices wide."""
        values = self.children.get("skin", {})
        if values.get("subgrid", 0):
            raise ValueError("a skin with a subgrid is not built yet")
        count = len(self.points)
        back = 2 * count
        skin = self._element("skin", {"name": self.prefix + "Skin", "rgba": (1.0, 1.0, 1.0, 1.0)})
        for name in ("material", "rgba", "group"):
            if name in values:
                setattr(skin, name, values[name])
        # the attribute of the macro is overridden, as in the official compiler
        skin.inflate = 2 * self.geom.size[2]
        skin.directory = self.reader.spec.directory
        skin.vert = (0.0,) * (6 * back)
        skin.texcoord = ()
        if values.get("texcoord"):
            ribbon = [(i / (count - 1), float(j)) for i in range(count) for j in range(2)]
            skin.texcoord = tuple(x for pair in 2 * ribbon for x in pair)
        skin.face = tuple(_ribbon(count))
        half, end = self.geom.size[1], 2 * self.geom.size[0]
        bodies = [*names, names[-1]]
        skin.bones = [
            self._element("bone", {
                "bodyname": self._named("B", bodies[i]),
                "bindpos": (-end if i == count - 1 else 0.0, -half if j == 0 else half, 0.0),
                "vertid": (2 * i + j, back + 2 * i + j), "vertweight": (1.0, 1.0),
            })
            for i in range(count) for j in range(2)
        ]  # fmt: skip
        return skin


def _ribbon(count: int) -> list[int]:
    """Triangles of a closed ribbon of `count` pairs of points: top, bottom, two long sides, two ends."""
    back, cells, last = 2 * count, range(0, 2 * count - 2, 2), 2 * count - 2
    faces: list[int] = []
    for a in cells:
        faces += [a, a + 2, a + 3, a, a + 3, a + 1]
    for a in cells:
        b = a + back
        faces += [b, b + 3, b + 2, b, b + 1, b + 3]
    for a in cells:
        b = a + back
        faces += [a, b + 2, a + 2, a, b, b + 2]
    for a in cells:
        b = a + back
        faces += [a + 1, a + 3, b + 3, a + 1, b + 3, b + 1]
    faces += [0, 1, back + 1, 0, back + 1, back]
    return [*faces, last, last + back + 1, last + 1, last, last + back, last + back + 1]


def _difference(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _unit(v: Vector) -> tuple[Vector, float]:
    """Direction and length; what is too short to have a direction is kept."""
    length = sqrt(dot(v, v))
    return (v, 0.0) if length < TINY else ((v[0] / length, v[1] / length, v[2] / length), length)
