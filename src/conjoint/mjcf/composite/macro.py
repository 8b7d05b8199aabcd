"""Base class of the composite types, with written values, names, and the elements that a composite creates."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import pack, unpack
from typing import Any

from conjoint.mjcf.document import Misuse, Node
from conjoint.mjcf.elements import ElementReader
from conjoint.mjcf.relations import EQUALITY_DATA
from conjoint.schema.enums import mjtEq, mjtObj, mjtWrap
from conjoint.schema.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, SPHERE
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.shared import SOLIMP, SOLREF
from conjoint.spec import Body, Element
from conjoint.spec.rotation import IDENTITY, Quaternion, Vector

ORIGIN: Vector = (0.0, 0.0, 0.0)
GROUP = 3
"""Group of hidden elements: joints and sites, and all physics elements if there is a skin."""
AXES: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SOFT = (SOLREF, (0.9, 0.9, 0.001, 0.5, 2.0))
"""solref and solimp of the constraints that keep the joints of shells at fixed or equal positions."""
MOST_BODIES = 100_000
"""Maximum number of bodies of a composite."""


def single(value: float) -> float:
    """Round `value` to single precision, in which MuJoCo stores coordinates of composites."""
    return float(unpack("<f", pack("<f", value))[0])


@dataclass
class Written:
    """Values of the macro and its child elements as written, completed by the defaults of the composite type.

    Attributes:
        type: keyword of the attribute `type`.
        values: values of the other attributes.
        joints: values of every joint, by kind; "main" always exists, and particles may have several joints of a kind.
        tendons: values of tendons, by kind; "main" always exists.
        geom, site: values of geoms and sites.
        skin: values of the skin as written; None if there is no skin.
        pins: grid coordinates of pinned bodies.
        plugin: the plugin that bodies use.
    """

    reader: ElementReader
    node: Node
    type: str
    values: dict[str, Any]
    joints: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    tendons: dict[str, dict[str, Any]] = field(default_factory=dict)
    geom: dict[str, Any] = field(default_factory=dict)
    site: dict[str, Any] = field(default_factory=dict)
    skin: dict[str, Any] | None = None
    pins: list[tuple[int, int]] = field(default_factory=list)
    plugin: Element | None = None

    def add(self, tag: str, kind: str, values: dict[str, Any]) -> None:
        """Store the values of a child element of the macro."""
        if tag == "joint":
            values = {name: value for name, value in values.items() if not name.endswith("_fix")}
            self.joints.setdefault(kind, []).append(values)
        elif tag == "tendon":
            self.tendons[kind] = values
        else:
            setattr(self, tag, values)


class Macro:
    """A composite while it is being expanded.

    Attributes:
        count: number of bodies in each direction.
        spacing: distance between neighboring bodies, in m.
        dim: number of directions with more than one body.
    """

    geom_types: tuple[int, ...] = (SPHERE, CAPSULE, ELLIPSOID)
    """Allowed geom types; an empty tuple allows all types."""
    joint_kinds: tuple[str, ...] = ("main", "twist", "stretch")
    """Allowed kinds of joints. As documented, kinds that a composite type does not use are ignored."""
    hold: tuple[tuple[float, ...], tuple[float, ...]] = (SOLREF, SOLIMP)
    """solref and solimp of constraints that hold joints in place.

    The attributes solreffix and solimpfix of joints have no effect in MuJoCo's compilers.
    """
    many_joints = False
    """True if several joints of one kind may be given."""

    def __init__(self, written: Written):
        self.written, self.node = written, written.node
        self.spec = written.reader.spec
        self.values = written.values
        self.prefix: str = self.values.get("prefix", "")
        self.count = self._count()
        self.dim = sum(n > 1 for n in self.count)
        self.spacing: float = self.values.get("spacing", 0.0)
        self._check()

    def expand(self, body: Body, frame: Element | None) -> None:
        """Add the elements of the macro to `body`, inside `frame`, and to the model."""
        raise NotImplementedError

    # --- checks ---

    def _count(self) -> tuple[int, int, int]:
        """Return the number of bodies in each direction."""
        written = self.values.get("count", ())
        count = (*written, 1, 1, 1)[:3]
        if min(count) < 1:
            raise Misuse("all counts must be at least 1", "count")
        if float(count[0]) * count[1] * count[2] > MOST_BODIES:
            raise Misuse(f"more than {MOST_BODIES} bodies: reduce count", "count")
        return count

    def _check(self) -> None:
        """Check the rules that hold for all composite types."""
        x, y, z = self.count
        if (x == 1 and y > 1) or (y == 1 and z > 1):
            raise Misuse("counts of 1 must come last: to change the direction, rotate the parent body", "count")
        if self.geom_types and self.written.geom["type"] not in self.geom_types:
            words = {SPHERE: "sphere", CAPSULE: "capsule", ELLIPSOID: "ellipsoid", CYLINDER: "cylinder", BOX: "box"}
            known = ", ".join(words[number] for number in self.geom_types)
            raise Misuse(f"the geoms of this type can only be one of {known}", "type", self.child("geom"))
        for child in self.node.children:
            kind = child.attributes.get("kind") if child.tag == "joint" else None
            if kind and kind not in self.joint_kinds:
                known = ", ".join(self.joint_kinds)
                raise Misuse(f"joints of a {self.written.type} have the kind {known}, not {kind}", "kind", child)
        if not self.many_joints and any(len(joints) > 1 for joints in self.written.joints.values()):
            raise Misuse("only particles may have several joints of one kind", "kind", self.child("joint"))

    def _check_spacing(self) -> None:
        """Check that the spacing is not smaller than the geoms."""
        size = self.written.geom["size"]
        largest = max(size) if self.written.geom["type"] == ELLIPSOID else size[0]
        if self.spacing < largest:
            raise Misuse(f"the spacing {self.spacing:g} must be at least the size {largest:g} of the geoms", "spacing")

    def child(self, tag: str) -> Node | None:
        """Return the last child element of the macro with the tag `tag`."""
        return next((child for child in reversed(self.node.children) if child.tag == tag), None)

    # --- elements ---

    def name(self, letters: str, *index: int) -> str:
        """Return the name of an element: letters that denote its type, followed by its index in the grid."""
        return self.prefix + letters + "_".join(map(str, index))

    def element(self, kind: str, values: dict[str, Any]) -> Any:
        """Return a new element of the macro. Its values do not come from defaults classes."""
        element = Element(kind, {**defaults(kind), **values}, self.node)
        element.frame = None
        return element

    def body(self, parent: Body, name: str, pos: Sequence[float], quat: Quaternion = IDENTITY) -> Body:
        """Return a new body in `parent`."""
        body = Body({**defaults("body"), "name": name, "pos": tuple(pos), "quat": quat}, self.node)
        body.frame = None
        if self.written.plugin is not None:
            body.plugin = self.written.plugin
        parent.bodies.append(body)
        return body

    def joint(self, body: Body, name: str, kind: str = "main", **changes: Any) -> None:
        """Add a joint with the values written for joints of kind `kind`, modified by `changes`."""
        body.joints.append(self.element("joint", {**self.written.joints[kind][0], "name": name, **changes}))

    def geom(self, body: Body, name: str, **changes: Any) -> Element:
        """Add a geom with the values written for geoms, modified by `changes`."""
        geom = self.element("geom", {**self.written.geom, "name": name, **changes})
        body.geoms.append(geom)
        return geom

    def site(self, body: Body, name: str, **changes: Any) -> None:
        """Add a site with the values written for sites, modified by `changes`."""
        body.sites.append(self.element("site", {**self.written.site, "name": name, **changes}))

    # --- constraints and tendons between bodies ---

    def equality(self, kind: mjtEq, name1: str, name2: str, solref: Any, solimp: Any, **changes: Any) -> None:
        """Add an equality constraint.

        By default, the first object equals the second, or stays at zero if there is no second.
        """
        found = {"objtype": 0, "data": EQUALITY_DATA, "solref": solref, "solimp": solimp, **changes}
        values = {"type": int(kind), "name1": name1, "name2": name2, **found}
        self.spec.equalities.append(self.element("equality", values))

    def fix_joint(self, name: str) -> None:
        """Constrain a joint to its initial position."""
        self.equality(mjtEq.mjEQ_JOINT, name, "", *self.hold)

    def connect(self, name1: str, name2: str, anchor: Vector) -> None:
        """Constrain the point `anchor` of one body to stay fixed in another body."""
        found = {"objtype": int(mjtObj.mjOBJ_BODY), "data": (*anchor, *EQUALITY_DATA[3:])}
        smooth = self.values["solref_smooth"], self.values["solimp_smooth"]
        self.equality(mjtEq.mjEQ_CONNECT, name1, name2, *smooth, **found)

    def tendon(self, name: str, wraps: Sequence[dict[str, Any]], kind: str = "main") -> None:
        """Add a tendon of constant length."""
        values = self.written.tendons[kind]
        tendon = self.element("tendon", {**values, "name": name})
        tendon.wraps = [self.element("wrap", wrap) for wrap in wraps]
        self.spec.tendons.append(tendon)
        self.equality(mjtEq.mjEQ_TENDON, name, "", values["solref_fix"], values["solimp_fix"])

    def string(self, name: str, site1: str, site2: str, kind: str = "main") -> None:
        """Add a tendon between two sites."""
        wraps = [{"type": int(mjtWrap.mjWRAP_SITE), "target": site, "prm": 0.0} for site in (site1, site2)]
        self.tendon(name, wraps, kind)
