"""Composite types box, cylinder and ellipsoid: bodies on a surface that slide along the direction to its center."""

from itertools import product
from math import sqrt
from typing import NamedTuple

from conjoint.mjcf.composite.macro import AXES, ORIGIN, SOFT, Macro
from conjoint.mjcf.composite.sheet import new_skin
from conjoint.mjcf.document import Misuse
from conjoint.schema.enums import mjtEq, mjtWrap
from conjoint.schema.kinds import CAPSULE, SLIDE, SPHERE
from conjoint.spec import Body, Element
from conjoint.spec.rotation import IDENTITY, Vector, quat_from_z

Index = tuple[int, ...]
"""Index of a body in the pattern, along x, y and z."""


class Side(NamedTuple):
    """One of the six sides of the pattern, which is the first or last layer along an axis."""

    axis: int
    last: bool


SIDES = tuple(Side(axis, last) for axis in (2, 1, 0) for last in (False, True))
ROUND: dict[str, tuple[Side, ...]] = {"box": (), "cylinder": SIDES[2:], "ellipsoid": SIDES}
"""Sides that share vertices along their common edges, by composite type, so that the skin is smooth there."""


class Shell(Macro):
    """Bodies on the surface of a soft object, with the parent at its center."""

    hold = SOFT

    def expand(self, body: Body, _frame: Element | None) -> None:
        """Add a geom at the center, the bodies, the constraints that hold them in place, and the skin."""
        if self.dim != 3:
            raise Misuse(f"a soft {self.written.type} needs three counts of at least 2", "count")
        if self.written.skin is not None and self.written.skin.get("subgrid") and min(self.count[:2]) < 3:
            raise Misuse("a skin with subgrid needs counts of at least 3", "count")
        self._check_spacing()
        if self.spacing <= 0:
            raise Misuse(f"the spacing of a soft {self.written.type} must be positive", "spacing")
        center = self.geom(body, self.name("Gcenter"), type=SPHERE, pos=ORIGIN, quat=IDENTITY)
        center.size = (2 * center.size[0], 0.0, 0.0)
        indices = [index for index in product(*map(range, self.count)) if self._outside(index)]
        for index in indices:
            self._body(body, index)
        self._hold(indices)
        if self.written.skin is not None:
            self._skin()

    def _outside(self, index: Index) -> bool:
        """Return True if the index is on the surface of the pattern."""
        return any(i in (0, n - 1) for i, n in zip(index, self.count, strict=True))

    def _body(self, parent: Body, index: Index) -> None:
        """Add one body. Its z axis points away from the center, and its geom is just below the surface."""
        pos = self._place(index)
        made = self.body(parent, self.name("B", *index), pos, quat_from_z(pos))
        size = self.written.geom["size"]
        long = self.written.geom["type"] == CAPSULE
        depth = size[0] + size[1] if long else size[0]
        self.geom(made, self.name("G", *index), type=CAPSULE if long else SPHERE, pos=(0.0, 0.0, -depth))
        self.joint(made, self.name("J", *index), type=SLIDE, pos=ORIGIN, axis=AXES[2])

    def _place(self, index: Index) -> Vector:
        """Return the position of a body on the box, or on the cylinder or ellipsoid inscribed in the box."""
        x, y, z = (2.0 * i / (n - 1) - 1.0 for i, n in zip(index, self.count, strict=True))
        if self.written.type == "cylinder":
            reach, length = max(abs(x), abs(y)), sqrt(x * x + y * y)
            scale = reach / length if length else 0.0
            x, y = x * scale, y * scale
        elif self.written.type == "ellipsoid":
            length = sqrt(x * x + y * y + z * z)
            x, y, z = x / length, y / length, z / length
        half = [0.5 * self.spacing * (n - 1) for n in self.count]
        return x * half[0], y * half[1], z * half[2]

    def _hold(self, indices: list[Index]) -> None:
        """Add constraints that hold every joint, equate neighboring joints, and keep the sum of all joints constant."""
        outside = set(indices)
        smooth = self.values["solref_smooth"], self.values["solimp_smooth"]
        for index in indices:
            name = self.name("J", *index)
            self.fix_joint(name)
            for axis in range(3):
                beside = tuple(i + (k == axis) for k, i in enumerate(index))
                if beside in outside:
                    self.equality(mjtEq.mjEQ_JOINT, name, self.name("J", *beside), *smooth)
        joint = int(mjtWrap.mjWRAP_JOINT)
        wraps = [{"type": joint, "target": self.name("J", *index), "prm": 1.0} for index in indices]
        self.tendon(self.name("T"), wraps)

    def _skin(self) -> None:
        """Add a skin of six sides. Adjacent sides share vertices where the object is round."""
        smooth = ROUND[self.written.type]
        sides = (*smooth, *(side for side in SIDES if side not in smooth))
        joined = [place for place in product(*map(range, self.count)) if any(self._on(side, place) for side in smooth)]
        shared = {place: number for number, place in enumerate(joined)}
        texcoord: dict[int, tuple[float, float]] = {}
        faces: list[int] = []
        skin = new_skin(self)
        total = len(shared)
        for side in sides:
            places = [place for place in product(*map(range, self.count)) if self._on(side, place)]
            vertices = shared if side in smooth else {place: total + k for k, place in enumerate(places)}
            total += 0 if side in smooth else len(places)
            across = [k for k in range(3) if k != side.axis]
            for place in places:
                weight = 1.0 / max(1, sum(self._on(other, place) for other in smooth)) if side in smooth else 1.0
                found = {"vertid": (vertices[place],), "vertweight": (weight,), "bodyname": self.name("B", *place)}
                skin.bones.append(self.element("bone", {"bindpos": ORIGIN, **found}))
                u, v = (place[k] / (self.count[k] - 1) for k in across)
                texcoord[vertices[place]] = u, v
            faces += self._faces(side, vertices)
        skin.vert, skin.face = (0.0,) * (3 * total), tuple(faces)
        if self.written.skin and self.written.skin.get("texcoord"):
            skin.texcoord = tuple(x for number in range(total) for x in texcoord[number])
        self.spec.skins.append(skin)

    def _on(self, side: Side, index: tuple[int, ...]) -> bool:
        """Return True if the index is on `side`."""
        return index[side.axis] == (self.count[side.axis] - 1 if side.last else 0)

    def _faces(self, side: Side, vertices: dict[tuple[int, ...], int]) -> list[int]:
        """Return the triangles of one side, counter-clockwise from outside."""
        u, v = (k for k in range(3) if k != side.axis)
        outward = side.last != (side.axis == 1)
        faces: list[int] = []
        for i, j in product(range(self.count[u] - 1), range(self.count[v] - 1)):
            corners = []
            for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                place = [0, 0, 0]
                place[side.axis] = self.count[side.axis] - 1 if side.last else 0
                place[u], place[v] = i + di, j + dj
                corners.append(vertices[tuple(place)])
            a, b, c, d = corners
            inward = [a, d, c, a, c, b] if side in ROUND[self.written.type] else [a, c, b, a, d, c]
            faces += [a, b, c, a, c, d] if outward else inward
        return faces
