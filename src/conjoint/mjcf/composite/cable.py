"""Cables: a chain of bodies with ball joints, along points or a curve (Modeling chapter, Composite objects)."""

from math import atan2, cos, pi, sin, sqrt
from typing import Any

from conjoint.mjcf.composite.macro import Macro, Written, single
from conjoint.mjcf.composite.sheet import attach_sheet
from conjoint.mjcf.document import Misuse
from conjoint.schema.kinds import BALL, BOX, CAPSULE, CYLINDER, FREE
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

TINY = 1e-14
LEAST_POINTS = 4
"""Minimum number of points: a cable has a first, a middle and a last body."""
MOST_POINTS = 100_000
SIZE = (1.0, 0.0, 0.0)
"""Default length, radius, and number of turns of a curve."""
INITIAL = ("free", "ball", "none")


class Cable(Macro):
    """Cable: a chain with one body between each pair of consecutive points."""

    geom_types = (CAPSULE, CYLINDER, BOX)
    joint_kinds = ("main",)

    def __init__(self, written: Written):
        super().__init__(written)
        self.points = self._points()
        self.initial: str = self.values.get("initial") or "ball"
        if self.initial not in INITIAL:
            message = f"<composite>: initial '{self.initial}' is not one of {', '.join(INITIAL)}: it is read as ball"
            written.reader.problems.warn(message, written.node, "initial")

    def expand(self, body: Body, frame: Element | None) -> None:
        """Add the chain of bodies below `body`."""
        text = {"name": f"composite_{self.prefix}", "data": f"rope_{self.prefix}"}
        self.spec.texts.append(self.element("text", text))
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
            made = self.body(parent, self._named("B", name), pos, mul_quat(conj_quat(before), quat) if i else quat)
            made.frame = frame if i == 0 else None
            self._fill(made, i, name, reach)
            if i + 1 < len(names):
                exclude = {"bodyname1": self._named("B", name), "bodyname2": self._named("B", names[i + 1])}
                self.spec.excludes.append(self.element("exclude", exclude))
            parent, length, before = made, reach, quat
        if self.written.geom["type"] == BOX:
            self._skin(names)

    def _points(self) -> list[Vector]:
        """Return the points of the cable, either as written or along its curve."""
        vertex = self.values.get("vertex", ())
        if len(vertex) % 3:
            raise Misuse(f"vertex has {len(vertex)} numbers: a multiple of 3 is needed", "vertex")
        if vertex and "count" in self.values:
            raise Misuse("the count follows from vertex: remove one of them", "count")
        number = len(vertex) // 3 or self.count[0]
        if self.count[1] != 1 or self.count[2] != 1:
            raise Misuse("a cable has one dimension: the second and third count must be 1", "count")
        if not LEAST_POINTS <= number <= MOST_POINTS:
            attribute = "vertex" if vertex else "count"
            raise Misuse(f"a cable needs {LEAST_POINTS} to {MOST_POINTS} points, not {number}", attribute)
        if vertex:
            points = [vertex[i : i + 3] for i in range(0, len(vertex), 3)]
        else:
            curve = self._curve()
            quat = self.values.get("quat", IDENTITY)
            points = [rotate(quat, [function(i / (number - 1)) for function in curve]) for i in range(number)]
        return [(single(x), single(y), single(z)) for x, y, z in points]

    def _curve(self) -> list[Any]:
        """Return the curve as functions for x, y and z of a parameter from 0 to 1."""
        words = self.values.get("curve", "").split()
        size: tuple[float, ...] = tuple(self.values.get("size", ()))
        length, radius, turns = (*size, *SIZE[len(size) :])
        functions = {
            "s": lambda s: s * length,
            "cos(s)": lambda s: radius * cos(pi * s * turns),
            "sin(s)": lambda s: radius * sin(pi * s * turns),
            "0": lambda s: 0.0,
        }
        unknown = [word for word in words if word not in functions]
        if unknown or not 1 <= len(words) <= 3:
            raise Misuse("curve needs one to three of s, cos(s), sin(s), 0; or give vertex", "curve")
        return [functions[word] for word in (*words, "0", "0")[:3]]

    def _names(self) -> list[str]:
        """Return the names of the bodies: first, 1, 2, ..., last."""
        return ["first", *map(str, range(1, len(self.points) - 2)), "last"]

    def _named(self, letter: str, name: str) -> str:
        """Return the name of a body (letter B), joint (J), site (S) or geom (G)."""
        between = "" if letter == "G" else "_"
        return f"{self.prefix}{letter}{between}{name}"

    def _frame(self, i: int, normal: Vector) -> tuple[Quaternion, Vector, float]:
        """Return orientation, normal and length of segment `i`. The frames of segments follow the curve without twist.

        The first normal is the normal of the curve. Each later normal is the previous normal, rotated about the
        binormal by the angle between the segments (parallel transport: Bergou et al., Discrete elastic rods, 2008).
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

    def _fill(self, body: Body, i: int, name: str, length: float) -> None:
        """Add the geom and joint of one segment, and sites at the ends of the cable."""
        geom = self.geom(body, self._named("G", str(i)))
        if geom.type == BOX:
            geom.pos, geom.size = (length / 2, 0.0, 0.0), (length / 2, *geom.size[1:])
        else:
            geom.fromto = (0.0, 0.0, 0.0, length, 0.0, 0.0)
        if name == "first" and self.initial == "free":
            # a free joint gets no stiffness or damping
            self.joint(body, self._named("J", name), type=FREE, damping=(0.0, 0.0, 0.0), armature=0.0, frictionloss=0.0)
        elif name != "first" or self.initial != "none":
            self.joint(body, self._named("J", name), type=BALL)
        if name in ("first", "last"):
            self.site(body, self._named("S", name), pos=(0.0 if name == "first" else length, 0.0, 0.0))

    def _skin(self, names: list[str]) -> None:
        """Add a two-sided ribbon along the boxes. Its width has two vertices, or three with `subgrid`."""
        half, end = self.written.geom["size"][1], 2 * self.written.geom["size"][0]
        divided = bool((self.written.skin or {}).get("subgrid"))
        bodies = [*names, names[-1]]
        across = (-half, 0.0, half) if divided else (-half, half)
        rows = [[self._named("B", name)] * len(across) for name in bodies]
        bound = [[(-end if row is rows[-1] else 0.0, y, 0.0) for y in across] for row in rows]
        skin = attach_sheet(self, rows, bound)
        # as in MuJoCo, override the attribute of the macro
        skin.inflate = 2 * self.written.geom["size"][2]


def _difference(a: Vector, b: Vector) -> Vector:
    """Return a - b in single precision, which is also the precision of the points."""
    return single(a[0] - b[0]), single(a[1] - b[1]), single(a[2] - b[2])


def _unit(v: Vector) -> tuple[Vector, float]:
    """Return the direction and length of a vector. A vector that is too short to normalize is returned unchanged."""
    length = sqrt(dot(v, v))
    return (v, 0.0) if length < TINY else ((v[0] / length, v[1] / length, v[2] / length), length)
