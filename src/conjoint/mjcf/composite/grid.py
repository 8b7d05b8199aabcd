"""Particles and grids: bodies that slide in three directions (XML Reference, body/composite)."""

from itertools import product

from conjoint.mjcf.composite.macro import AXES, ORIGIN, Macro, single
from conjoint.mjcf.composite.sheet import attach_sheet
from conjoint.mjcf.misuse import Misuse
from conjoint.schema.kinds import SLIDE, SPHERE
from conjoint.spec import Body, Element
from conjoint.spec.rotation import Vector


class Particles(Macro):
    """Bodies that move on their own, in a pattern of one to three dimensions."""

    geom_types = ()
    joint_kinds = ("main", "twist", "stretch", "particle")
    many_joints = True

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add one body for every place of the pattern; their joints are slides, or those of the kind particle."""
        self._check_spacing()
        slides = [{**self.written.joints["main"][0], "type": SLIDE, "axis": axis} for axis in AXES]
        joints = self.written.joints.get("particle", slides)
        for number, index in enumerate(product(*map(range, self.count))):
            made = self.body(body, self.name("B", *index), self.place(index))
            made.joints = [self.element("joint", joint) for joint in joints]
            self.geom(made, "")
            self.site(made, self.name("S", number), pos=ORIGIN)

    def place(self, index: tuple[int, ...]) -> Vector:
        """Position in the parent: the pattern begins half its length before `offset`, as in the official compiler."""
        offset = self.values.get("offset", ORIGIN)
        x, y, z = (offset[i] + single(self.spacing * (index[i] - 0.5 * self.count[i])) for i in range(3))
        return x, y, z


class Grid(Macro):
    """A string or net of bodies, joined by tendons that keep their length."""

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add bodies row by row, tendons along the rows, across them and diagonally, and the skin."""
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
        """The body at one place; pinned bodies have no joints."""
        offset = self.values.get("offset", ORIGIN)
        pos = [offset[i] + self.spacing * (index[i] - 0.5 * self.count[i]) for i in range(2)]
        made = self.body(parent, self.name("B", *index), (*pos, offset[2]))
        self.geom(made, self.name("G", *index), type=SPHERE)
        self.site(made, self.name("S", *index), type=SPHERE)
        if index not in self.written.pins:
            for i, axis in enumerate(AXES):
                self.joint(made, self.name("J", i, *index), type=SLIDE, axis=axis)

    def _tendons(self) -> None:
        """Strings between neighbours, then across cells."""
        for axis, (di, dj) in enumerate(((1, 0), (0, 1))):
            for i, j in product(range(self.count[0] - di), range(self.count[1] - dj)):
                self.string(self.name("T", axis, i, j), self.name("S", i, j), self.name("S", i + di, j + dj))
        if "shear" in self.written.tendons:
            shear(self)


def shear(macro: Macro) -> None:
    """Strings across the cells of a sheet, from the lower to the upper corner."""
    for i, j in product(range(macro.count[0] - 1), range(macro.count[1] - 1)):
        sites = macro.name("S", i, j), macro.name("S", i + 1, j + 1)
        macro.string(macro.name("TS", i, j), *sites, kind="shear")
