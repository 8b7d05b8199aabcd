"""Trilinear flexes with pinned nodes back to the macro that made them.

MJCF's <flex> names the bodies of the nodes, but not where the nodes are in them: what is pinned to the parent cannot be
said. So the macro is written, if it makes the same flex and the same bodies again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from conjoint.mjcf.flexcomp import AXES, NODES, TRILINEAR, box_corners, node_name
from conjoint.mjcf.written import ALWAYS, written_values
from conjoint.schema.kinds import SLIDE
from conjoint.schema.mjcf.deformable import FLEXCOMP_TYPES
from conjoint.schema.mjcf.grammar import MUJOCO, defaults
from conjoint.spec import Body, Element, Spec
from conjoint.spec.lists import ATTACHED
from conjoint.spec.rotation import IDENTITY

NEAR = 1e-12
"""Relative difference up to which numbers are the same."""
_BODY = MUJOCO.children["worldbody"].children["body"]
_SAME = ("name", "group", "radius", "material", "rgba", "flatskin", "dim", "texcoord")
"""Attributes that are those of the flex."""


@dataclass
class Macro:
    """A macro, and what it stands for.

    Attributes:
        flex: the flex; bodies: those of the nodes that are not pinned.
        element: the macro's own values; pinned: numbers of the pinned nodes.
    """

    flex: Element
    bodies: list[Body]
    element: Element
    pinned: tuple[int, ...]


def find_macros(spec: Spec) -> list[Macro]:
    """Macros that the last flexes of `spec`, a model in canonical form, are written as.

    Flexes of macros are numbered after all others, in the order of the tree: from the first that only a macro can say
    on all must be macros.
    """
    first = next((i for i, flex in enumerate(spec.flexes) if any(flex.__dict__.get("node", ()))), len(spec.flexes))
    flexes = spec.flexes[first:]
    if not flexes:
        return []
    found = []
    for parent, inherited in _with_classes(spec):
        joint = spec.classes[inherited].of("joint")
        owned = [flex for flex in flexes if parent.name and set(flex.vertbody) == {parent.name}]
        macros = [macro for flex in owned if (macro := _macro(flex, parent, joint))]
        found += sorted(macros, key=lambda macro: parent.bodies.index(macro.bodies[0]))
    ordered = [id(macro.flex) for macro in found] == [id(flex) for flex in flexes]
    return found if ordered else []


def _with_classes(spec: Spec) -> Iterator[tuple[Body, str]]:
    """Bodies in the order of the file, with the defaults class inside each."""
    left = [(spec.worldbody, "main")]
    while left:
        body, inherited = left.pop()
        named = body.__dict__.get("childclass")
        inherited = named if named in spec.classes else inherited
        yield body, inherited
        left += [(child, inherited) for child in reversed(body.bodies)]


def _macro(flex: Element, parent: Body, joint: Mapping[str, Any]) -> Macro | None:
    """The macro inside `parent` that makes `flex`, or None; `joint`: values of joints inside `parent`."""
    points = np.array(flex.vert, float).reshape(-1, 3)
    if flex.elemtexcoord or (flex.texcoord and not flex.material) or len(flex.nodebody) != NODES or not flex.name:
        return None
    corners, places = box_corners(points)
    pinned = tuple(i for i, name in enumerate(flex.nodebody) if name == parent.name)
    names = [node_name(flex.name, corner) for i, corner in enumerate(corners) if i not in pinned]
    first = next((i for i, body in enumerate(parent.bodies) if body.name in names), 0)
    bodies = parent.bodies[first : first + len(names)]
    expected = np.zeros((NODES, 3))
    expected[list(pinned)] = places[list(pinned)]
    free = np.delete(places, pinned, axis=0)
    if (
        not bodies
        or [body.name for body in bodies] != names
        or [name for name in flex.nodebody if name != parent.name] != names
        or not _near(_nodes(flex), expected, points)
        or not _near(np.array([body.pos for body in bodies]), free, points)
        or (inertial := bodies[0].inertial) is None
        or not all(_slides(body, inertial, joint) for body in bodies)
    ):
        return None
    return Macro(flex, bodies, _element(flex, inertial), pinned)


def _nodes(flex: Element) -> np.ndarray:
    """Where the nodes are in their bodies."""
    nodes = flex.__dict__.get("node", ())
    return np.reshape(nodes, (-1, 3)) if nodes else np.zeros((NODES, 3))


def _near(found: np.ndarray, expected: np.ndarray, points: np.ndarray) -> bool:
    """True if all points agree, up to rounding."""
    return bool((np.abs(found - expected) <= NEAR * np.abs(points).max()).all())


def _slides(body: Body, first: Element, joint: Mapping[str, Any]) -> bool:
    """True for a body that the macro makes: as heavy as the `first`, and with three joints as they are by default."""
    if body.__dict__.get("frame") is not None or body.__dict__.get("plugin") is not None:
        return False
    # nothing but joints
    attached = [name for name in ATTACHED.values() if getattr(body, name)]
    said = written_values(_BODY, body.__dict__, defaults("body"))
    if attached != ["joints"] or body.bodies or body.__dict__.get("frames") or not said.keys() <= {"name", "pos"}:
        return False
    axes = tuple(tuple(one.axis) for one in body.joints)
    made = {**joint, "type": SLIDE, "pos": (0.0, 0.0, 0.0)}
    row = _BODY.children["joint"]
    changed = {name for one in body.joints for name in written_values(row, one.__dict__, made, ALWAYS["joint"])}
    if axes != AXES or not changed <= {"pos", "axis"} or any(any(one.pos) for one in body.joints):
        return False
    # a small box
    point = body.inertial
    if point is None or any(point.ipos) or tuple(point.iquat) != IDENTITY:
        return False
    masses = np.array([[one.mass, *one.inertia] for one in (point, first)])
    return bool((np.ptp(masses[:, 1:]) <= NEAR * masses[0, 1]) and np.ptp(masses[:, 0]) <= NEAR * masses[0, 0])


def _element(flex: Element, inertial: Element) -> Element:
    """Values of the macro."""
    values = {name: flex.__dict__[name] for name in _SAME}
    size = sqrt(1.5 * inertial.inertia[0] / inertial.mass)
    values |= {"type": FLEXCOMP_TYPES["direct"], "dof": TRILINEAR, "mass": NODES * inertial.mass, "inertiabox": size}
    values |= {"point": flex.vert, "element": flex.elem}
    return Element("flexcomp", values, flex.place)
