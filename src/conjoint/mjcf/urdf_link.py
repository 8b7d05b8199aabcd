"""URDF's links and joints, which become bodies with geoms, and one or more joints for each URDF joint."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from conjoint.mjcf.document import Node
from conjoint.mjcf.values import parse
from conjoint.schema.enums import mjtGeom
from conjoint.schema.kinds import BALL, FREE, HINGE, SLIDE
from conjoint.schema.mjcf.shared import GRAY
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.urdf import LINK
from conjoint.spec import Body, Element, Problems, Spec
from conjoint.spec.filename import default_name
from conjoint.spec.files import Files
from conjoint.spec.rotation import IDENTITY, Quaternion, orientation, quat_from_z, quat_to_mat


class UrdfNodes:
    """Converter from nodes of a URDF document to values. It collects problems."""

    def __init__(self, spec: Spec, problems: Problems, files: Files):
        self.spec = spec
        self.problems = problems
        self.files = files

    def one(self, node: Node, tag: str, required: bool = True) -> Any:
        """Return the child of `node` with the tag `tag`, or None. The child may appear only once."""
        found = [child for child in node.children if child.tag == tag]
        if len(found) > 1:
            self.problems.add(f"<{tag}> may appear only once inside <{node.tag}>", found[1])
        if not found and required:
            self.problems.add(f"<{node.tag}>: the element <{tag}> is missing", node)
        return found[0] if found else None

    def values(self, node: Node, row: Row) -> dict[str, Any]:
        """Return the values of the attributes that the grammar contains. All other attributes are ignored."""
        values: dict[str, Any] = {}
        for name, attribute in row.attributes.items():
            written = node.attributes.get(name)
            if written is None or (attribute.type == "real" and not written.strip()):
                if attribute.required:
                    self.problems.add(f"<{node.tag}>: the attribute '{name}' is missing", node)
                continue
            try:
                values[name] = parse(attribute, written)
            except ValueError as error:
                self.problems.add(f"<{node.tag}>: attribute '{name}': {error}", node, name)
        return values

    def origin(self, node: Node, row: Row) -> tuple[Any, Any]:
        """Return the position and orientation in the child <origin> of `node`."""
        found = self.one(node, "origin", False)
        if found is None:
            return (0.0, 0.0, 0.0), IDENTITY
        values = self.values(found, row.children["origin"])
        rpy = values.get("rpy", (0.0, 0.0, 0.0))
        return values.get("xyz", (0.0, 0.0, 0.0)), orientation("euler", rpy, False, "XYZ")


REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, FLOATING, PLANAR, SPHERICAL = range(7)
"""Joint types, numbered as in the grammar."""
TYPES = {REVOLUTE: HINGE, CONTINUOUS: HINGE, PRISMATIC: SLIDE, FLOATING: FREE, SPHERICAL: BALL}


def read_joint(urdf: UrdfNodes, node: Node, row: Row, body: Body) -> None:
    """Add the joints that represent the <joint> `node` to `body`, its child link.

    A planar joint becomes two slides and a hinge. Its limits apply to the first slide.
    """
    values = urdf.values(node, row)
    kind = values.get("type", FIXED)
    found = urdf.one(node, "axis", False)
    axis = urdf.values(found, row.children["axis"]).get("xyz") if found is not None else None
    axis = (1.0, 0.0, 0.0) if axis is None else axis
    if kind == FIXED:
        return
    name = values.get("name", "")
    if kind == PLANAR:
        joints = _planar(urdf, node, name, axis)
    else:
        joints = [_joint(urdf, node, name, TYPES[kind], (0.0, 0.0, 1.0) if kind == FLOATING else axis)]
    body.joints.extend(joints)
    dynamics = urdf.one(node, "dynamics", False)
    if dynamics is not None:
        passive = urdf.values(dynamics, row.children["dynamics"])
        for joint in joints:
            joint.damping, joint.frictionloss = (passive.get("damping", 0.0), 0.0, 0.0), passive.get("friction", 0.0)
    limit = urdf.one(node, "limit", False)
    if limit is not None:
        joints[0].__dict__.update(_limits(urdf.values(limit, row.children["limit"])))


def _limits(values: dict[str, Any]) -> dict[str, Any]:
    """Return the ranges of position and actuator force. Reversed limits and single limits are ignored."""
    low, high, effort = values.get("lower", 0.0), values.get("upper", 0.0), abs(values.get("effort", 0.0))
    limits: dict[str, Any] = {"range": (low, high), "actfrcrange": (-effort, effort)}
    return limits if low <= high and {"lower", "upper"} <= values.keys() else {**limits, "limited": 0}


def _planar(urdf: UrdfNodes, node: Node, name: str, axis: tuple) -> list[Element]:
    """Return slides along the two directions of the plane, and a hinge about its normal."""
    try:
        mat = quat_to_mat(quat_from_z(axis))
    except ValueError:
        urdf.problems.add("<axis>: the axis is too short: it needs a length that is not zero", node)
        return [_joint(urdf, node, name, SLIDE, axis)]
    return [
        _joint(urdf, node, name + "_TX", SLIDE, mat[0::3]),
        _joint(urdf, node, name + "_TY", SLIDE, mat[1::3]),
        _joint(urdf, node, name + "_RZ", HINGE, axis),
    ]


def _joint(urdf: UrdfNodes, node: Node, name: str, kind: int, axis: tuple) -> Element:
    """Return a new joint that is not inside a frame."""
    joint = urdf.spec.element("joint", {"name": name, "type": kind, "axis": axis}, node)
    joint.frame = None
    return joint


INERTIAL, VISUAL, COLLISION = (LINK.children[tag] for tag in ("inertial", "visual", "collision"))
MATERIAL = VISUAL.children["material"]
GEOMETRY = VISUAL.children["geometry"]
MOMENTS = tuple(INERTIAL.children["inertia"].attributes)

NO_CONTACT = {"contype": 0, "conaffinity": 0, "group": 1, "density": 0.0}
"""Attributes that distinguish visual geoms from geoms that collide."""


class LinkReader:
    """Reader of the contents of links.

    Attributes:
        colors: colors by material name; if a material occurs several times, the first color in the file counts.
        names: names of the geoms so far; a later geom with the same name gets no name.
        scales: scales of meshes, by the name of their file, in the order of creation.
    """

    def __init__(self, urdf: UrdfNodes, root: Node):
        self.urdf = urdf
        self.colors: dict[str, Any] = {}
        self.names: set[str] = set()
        self.scales: dict[str, list[Any]] = {}
        for node in _materials(root):
            rgba = self._own_color(node)
            if rgba is not None and "name" in node.attributes:
                self.colors.setdefault(node.attributes["name"], rgba)

    def _own_color(self, node: Node) -> Any:
        """Return the color that the material element `node` itself contains, or None."""
        found = self.urdf.one(node, "color", False)
        return None if found is None else self.urdf.values(found, MATERIAL.children["color"]).get("rgba")

    def read(self, node: Node, body: Body) -> None:
        """Read the contents of the link `node` into `body`."""
        inertial = self.urdf.one(node, "inertial", False)
        if inertial is not None:
            body.inertial = self._inertial(inertial)
        rgba: Any = GRAY
        for child in node.children:
            if child.tag == "visual":
                # a color also applies to later geoms of the link; a negative red value means no color
                color = self._material(child)
                if color is not None:
                    rgba = color if color[0] >= 0 else GRAY
                if not self.urdf.spec.compiler.discardvisual:
                    self._geom(child, body, {**NO_CONTACT, "rgba": rgba})
            elif child.tag == "collision":
                self._geom(child, body, {"rgba": rgba})

    def _inertial(self, node: Node) -> Element:
        """Return the inertial element of a link, with its mass and inertia."""
        pos, quat = self.urdf.origin(node, INERTIAL)
        values: dict[str, Any] = {"ipos": pos, "iquat": quat}
        mass, inertia = (self.urdf.one(node, tag) for tag in ("mass", "inertia"))
        if mass is not None:
            values["mass"] = self.urdf.values(mass, INERTIAL.children["mass"]).get("value", 0.0)
        if inertia is not None:
            found = self.urdf.values(inertia, INERTIAL.children["inertia"])
            full = tuple(found.get(name, 0.0) for name in MOMENTS)
            if any(full):
                values["fullinertia"] = full if quat == IDENTITY else _turned(full, quat)
                del values["iquat"]
        return self.urdf.spec.element("inertial", values, node)

    def _material(self, node: Node) -> Any:
        """Return the color of a <visual> element, or None if it is not given."""
        material = self.urdf.one(node, "material", False)
        if material is None:
            return None
        name = self.urdf.values(material, MATERIAL).get("name", "")
        if "name" not in material.attributes and not material.children:
            self.urdf.problems.add("<material>: the attribute 'name' is missing, or a <color> inside", material)
        own = self._own_color(material)
        return self.colors.get(name) if own is None else own

    def _geom(self, node: Node, body: Body, values: dict[str, Any]) -> None:
        """Add the geom of a <visual> or <collision> element."""
        row = LINK.children[node.tag]
        geometry = self.urdf.one(node, "geometry")
        if geometry is None:
            return
        name = node.attributes.get("name", "")
        if name and name not in self.names:
            values["name"] = name
            self.names.add(name)
        values["pos"], values["quat"] = self.urdf.origin(node, row)
        geom = self.urdf.spec.element("geom", {**values, **self._shape(geometry)}, node)
        geom.frame = None
        body.geoms.append(geom)

    def _shape(self, geometry: Node) -> dict[str, Any]:
        """Return the type and size of the geom for a <geometry> element, or its mesh."""
        for tag, row in GEOMETRY.children.items():
            node = self.urdf.one(geometry, tag, False)
            if node is None:
                continue
            found = self.urdf.values(node, row)
            if tag == "mesh":
                return {"type": int(mjtGeom.mjGEOM_MESH), "meshname": self._mesh(node, found)}
            radius, length = found.get("radius", 1.0), found.get("length", 0.0)
            size = tuple(edge / 2 for edge in found.get("size", (2.0, 2.0, 2.0)))
            if tag != "box":
                size = (radius, 0.0 if tag == "sphere" else length / 2, 0.0)
            return {"type": int(mjtGeom[f"mjGEOM_{tag.upper()}"]), "size": size}
        self.urdf.problems.add(f"<geometry>: expected one of {', '.join(GEOMETRY.children)}", geometry)
        return {}

    def _mesh(self, node: Node, values: dict[str, Any]) -> str:
        """Return the name of the mesh for a file and a scale. If the scale is new, add the mesh.

        As in MuJoCo, files are identified by their names without folders. If a scale other than the first is used
        again, the result is the mesh with the first scale.
        """
        file, scale = values.get("filename", ""), values.get("scale", (1.0, 1.0, 1.0))
        base = default_name(file)
        scales = self.scales.setdefault(base, [])
        if scale in scales:
            return base
        name = base + (str(len(scales)) if scales else "")
        scales.append(scale)
        mesh = self.urdf.spec.element("mesh", {"name": name, "file": file, "scale": scale}, node)
        mesh.file = self.urdf.files.beside(mesh, file, None)
        if self.urdf.spec.compiler.strippath:
            mesh.file = self.urdf.files.recorded(mesh, mesh.file)
        self.urdf.spec.meshes.append(mesh)
        return name


def _turned(moments: tuple[float, ...], quat: Quaternion) -> tuple[float, ...]:
    """Rotate an inertia xx yy zz xy xz yz from a frame with orientation `quat` to the enclosing frame."""
    xx, yy, zz, xy, xz, yz = moments
    turn = np.array(quat_to_mat(quat)).reshape(3, 3)
    matrix = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return tuple(matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())


def _materials(root: Node) -> Iterator[Node]:
    """Yield all material elements below `root`, in the order of the file."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.tag == "material":
            yield node
        waiting += reversed(node.children)
