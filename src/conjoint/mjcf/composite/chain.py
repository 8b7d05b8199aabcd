"""Composite types particle, grid, rope, loop and cloth: sliding bodies, and chains of bodies (body/composite)."""

import re
from itertools import product
from math import cos, pi, sin, sqrt

from conjoint.mjcf.composite.macro import AXES, ORIGIN, Macro, Written, single
from conjoint.mjcf.composite.sheet import attach_sheet
from conjoint.mjcf.document import Misuse
from conjoint.schema.kinds import CAPSULE, ELLIPSOID, HINGE, SLIDE, SPHERE
from conjoint.spec import Body, Element
from conjoint.spec.rotation import IDENTITY, Quaternion, Vector, quat_about


class Particles(Macro):
    """Independent bodies, in a pattern of one to three dimensions."""

    geom_types = ()
    joint_kinds = ("main", "twist", "stretch", "particle")
    many_joints = True

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add one body for every index of the pattern, with slide joints, or with the joints of kind `particle`."""
        self._check_spacing()
        slides = [{**self.written.joints["main"][0], "type": SLIDE, "axis": axis} for axis in AXES]
        joints = self.written.joints.get("particle", slides)
        for number, index in enumerate(product(*map(range, self.count))):
            made = self.body(body, self.name("B", *index), self.place(index))
            made.joints = [self.element("joint", joint) for joint in joints]
            self.geom(made, "")
            self.site(made, self.name("S", number), pos=ORIGIN)

    def place(self, index: tuple[int, ...]) -> Vector:
        """Return the position of a body in its parent.

        As in MuJoCo, the pattern starts at `offset` minus half its length.
        """
        offset = self.values.get("offset", ORIGIN)
        x, y, z = (offset[i] + single(self.spacing * (index[i] - 0.5 * self.count[i])) for i in range(3))
        return x, y, z


class Grid(Macro):
    """A string or net of bodies, connected by tendons of constant length."""

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add bodies row by row, tendons along rows, columns and diagonals, and the skin."""
        if self.dim > 2:
            raise Misuse("a grid has one or two dimensions: set the third count to 1", "count")
        if self.written.skin is not None and self.dim != 2:
            raise Misuse("only grids of two dimensions have a skin: remove <skin>, or give two counts", "count")
        if "shear" in self.written.tendons and self.dim != 2:
            raise Misuse("only grids of two dimensions have shear tendons: remove one, or give two counts", "count")
        self._check_spacing()
        for index in product(*map(range, self.count[:2])):
            self._body(body, index)
        self._tendons()
        if self.written.skin is not None:
            attach_sheet(self, [[self.name("B", i, j) for j in range(self.count[1])] for i in range(self.count[0])])

    def _body(self, parent: Body, index: tuple[int, ...]) -> None:
        """Add the body at one index of the grid. Pinned bodies have no joints."""
        offset = self.values.get("offset", ORIGIN)
        pos = [offset[i] + self.spacing * (index[i] - 0.5 * self.count[i]) for i in range(2)]
        made = self.body(parent, self.name("B", *index), (*pos, offset[2]))
        self.geom(made, self.name("G", *index), type=SPHERE)
        self.site(made, self.name("S", *index), type=SPHERE)
        if index not in self.written.pins:
            for i, axis in enumerate(AXES):
                self.joint(made, self.name("J", i, *index), type=SLIDE, axis=axis)

    def _tendons(self) -> None:
        """Add tendons between neighboring bodies, and then across cells."""
        for axis, (di, dj) in enumerate(((1, 0), (0, 1))):
            for i, j in product(range(self.count[0] - di), range(self.count[1] - dj)):
                self.string(self.name("T", axis, i, j), self.name("S", i, j), self.name("S", i + di, j + dj))
        if "shear" in self.written.tendons:
            shear(self)


def shear(macro: Macro) -> None:
    """Add tendons across the cells of a sheet, from the lower to the upper corner."""
    for i, j in product(range(macro.count[0] - 1), range(macro.count[1] - 1)):
        sites = macro.name("S", i, j), macro.name("S", i + 1, j + 1)
        macro.string(macro.name("TS", i, j), *sites, kind="shear")


X, Y, Z = AXES
ALONG_X: Quaternion = (sqrt(0.5), 0.0, sqrt(0.5), 0.0)
"""Rotation of the z axis of geoms to the x axis of bodies, about the y axis."""
ALONG_Y: Quaternion = (sqrt(0.5), sqrt(0.5), 0.0, 0.0)
"""Rotation of the z axis of geoms to the negative y axis of bodies."""
CROSSWISE: Quaternion = (0.5, 0.5, 0.5, 0.5)
"""Rotation of the z axis of geoms to the x axis of bodies, by a cyclic permutation of the axes."""


class Chain(Macro):
    """Base class for trees of bodies whose root is the parent body. The parent's name must contain its index."""

    pattern = r"(\d+)"
    """Regular expression that matches the parent's name without the prefix and the letter B."""

    def root(self, body: Body) -> tuple[int, ...]:
        """Return the parent's index in the pattern, which is part of its name."""
        start = self.name("B")
        example = self.name("B", *(0,) * self.pattern.count("d"))
        if not body.name.startswith(start):
            raise Misuse(
                f"the parent body must be named like one of the bodies of the composite, such as '{example}', not "
                f"'{body.name}'"
            )
        found = re.match(self.pattern, body.name[len(start) :])
        place = tuple(map(int, found.groups())) if found else ()
        if not found or any(i >= n for i, n in zip(place, self.count, strict=False)):
            raise Misuse(
                f"the parent body '{body.name}' is none of the bodies of the composite: name it '{example}', or "
                "increase count"
            )
        return place

    def link(self, body: Body, index: tuple[int, ...], pos: Vector, axes: tuple[Vector, Vector, Vector]) -> None:
        """Add joints at `pos`: bending joints about the last two `axes`, twist and stretch joints along the first."""
        along, first, second = axes
        self.joint(body, self.name("J", 0, *index), type=HINGE, pos=pos, axis=first)
        self.joint(body, self.name("J", 1, *index), type=HINGE, pos=pos, axis=second)
        for kind, letters, joint in (("twist", "JT", HINGE), ("stretch", "JS", SLIDE)):
            if kind in self.written.joints:
                name = self.name(letters, *index)
                self.joint(body, name, kind, type=joint, pos=pos, axis=along)
                self.fix_joint(name)


class Rope(Chain):
    """Rope: a string of bodies that bends."""

    bend = 0.0
    """Angle between neighboring bodies (rad)."""

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add the geom of the parent, and bodies on both sides of the parent."""
        if self.dim != 1:
            raise Misuse(f"a {self.written.type} has one dimension: give one count of at least 2", "count")
        self._check_spacing()
        (root,) = self.root(body)
        self.geom(body, self.name("G", root), quat=ALONG_X)
        for side, indices in ((1, range(root + 1, self.count[0])), (-1, range(root - 1, -1, -1))):
            parent = body
            for index in indices:
                parent = self._segment(parent, index, side)

    def _segment(self, parent: Body, index: int, side: int) -> Body:
        """Return the next body of the rope. Its joints are halfway between the body and its neighbor."""
        half = 0.5 * self.spacing
        pos = (side * half * (1 + cos(self.bend)), half * sin(self.bend), 0.0)
        turn = quat_about(Z, side * self.bend) if self.bend else IDENTITY
        made = self.body(parent, self.name("B", index), pos, turn)
        self.geom(made, self.name("G", index), quat=ALONG_X)
        self.link(made, (index,), (-side * half, 0.0, 0.0), (X, Y, Z))
        return made


class Loop(Rope):
    """A rope with connected ends."""

    def __init__(self, written: Written):
        super().__init__(written)
        self.bend = 2 * pi / self.count[0]

    def expand(self, body: Body, frame: Element | None) -> None:
        """Add a closed rope."""
        super().expand(body, frame)
        first, last = self.name("B", 0), self.name("B", self.count[0] - 1)
        self.connect(first, last, (-0.5 * self.spacing, 0.0, 0.0))
        self.spec.excludes.append(self.element("exclude", {"bodyname1": first, "bodyname2": last}))


class Cloth(Chain):
    """Net of bodies: a row through the parent, and a line of bodies on both sides of every body in the row."""

    pattern = r"(\d+)_(\d+)"

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add bodies, tendons between unconnected neighbors and across cells, and the skin."""
        if self.dim != 2:
            raise Misuse("a cloth has two dimensions: give two counts of at least 2", "count")
        self._check_spacing()
        root = self.root(body)
        self._fill(body, root)
        self._line(body, root)
        for step in (1, -1):
            parent = body
            for i in range(root[0] + step, self.count[0] if step > 0 else -1, step):
                parent = self._node(parent, (i, root[1]), X, step)
                self._line(parent, (i, root[1]))
        for j, i in product(range(self.count[1]), range(self.count[0] - 1)):
            if j != root[1]:
                self.string(self.name("T", i, j), self.name("S", i, j), self.name("S", i + 1, j))
        if "shear" in self.written.tendons:
            shear(self)
        if self.written.skin is not None:
            attach_sheet(self, [[self.name("B", i, j) for j in range(self.count[1])] for i in range(self.count[0])])

    def _line(self, body: Body, index: tuple[int, ...]) -> None:
        """Add the lines of bodies on both sides of a body in the row."""
        i, start = index
        for step in (1, -1):
            parent = body
            for j in range(start + step, self.count[1] if step > 0 else -1, step):
                parent = self._node(parent, (i, j), Y, step)

    def _node(self, parent: Body, index: tuple[int, ...], along: Vector, step: int) -> Body:
        """Return the next body of a row or line. Its joints are at the position of its parent."""
        reach = step * self.spacing
        pos = (reach * along[0], reach * along[1], 0.0)
        made = self.body(parent, self.name("B", *index), pos)
        self.link(made, index, (-pos[0], -pos[1], 0.0), (along, Y if along == X else X, Z))
        self._fill(made, index)
        return made

    def _fill(self, body: Body, index: tuple[int, ...]) -> None:
        """Add the geom and site of one body. Long geoms alternate in direction, so that they leave no holes."""
        quat = ALONG_Y if sum(index) % 2 else CROSSWISE
        self.geom(body, self.name("G", *index), quat=quat)
        self.site(body, self.name("S", *index), pos=ORIGIN)
        ratio = self.values.get("flatinertia", 0.0)
        if ratio > 0:
            mass = self._mass()
            side, thin = self.spacing**2 / 12, (ratio * self.spacing) ** 2 / 12
            inertia = (mass * (side + thin), mass * (side + thin), mass * 2 * side)
            body.inertial = self.element("inertial", {"ipos": ORIGIN, "mass": mass, "inertia": inertia})

    def _mass(self) -> float:
        """Return the mass of one geom, in kg."""
        geom = self.written.geom
        if geom["mass"] is not None:
            return float(geom["mass"])
        a, b, c = geom["size"]
        ball = 4 / 3 * pi * a
        volume = {SPHERE: ball * a * a, CAPSULE: ball * a * a + 2 * pi * a * a * b, ELLIPSOID: ball * b * c}
        return float(geom["density"] * volume[geom["type"]])
