"""Macro flexcomp: a flex, a body for each vertex, and a constraint on its edges (XML Reference, body/flexcomp)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from conjoint.lang.language.algebra import rotate
from conjoint.lang.language.name import Name, value_of
from conjoint.mjcf.bodies import BodyReader
from conjoint.mjcf.document import Misuse, Node
from conjoint.mjcf.elements import read_shared
from conjoint.mjcf.flex_shapes import Shape, circle, disc, grid, shell
from conjoint.mjcf.flexcomp_pins import Pin, pinned_points
from conjoint.mjcf.relations import EQUALITY_DATA, STRAIN_DATA
from conjoint.once import MAKING
from conjoint.physics.flex.simplices import edges
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtEq
from conjoint.schema.kinds import SLIDE, SPHERE
from conjoint.schema.mjcf.deformable import EDGE_EQUALITIES, FLEXCOMP_TYPES
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Body, DefaultsClass, Element, suggestion
from conjoint.spec.kinds import Flex
from conjoint.spec.rotation import IDENTITY, Quaternion, orientation, unit_quat

FULL, RADIAL, TRILINEAR = range(3)
"""Values of dof: three slides per point, one slide away from the origin per point, or movable corners of the box."""
TINY = 1e-12
"""Distance from the center below which a point has no direction (m)."""
STRETCHING = (2, 3)
"""Values of elastic2d with stretching stiffness: stretch and both."""
NODES = 8
"""Number of corners of a box, which are the nodes that move the points inside it."""

VERTEX_GROUP = 4
"""Geom group of the geoms at the vertices of a flex."""
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def read_flexcomp(reader: BodyReader, node: Node, row: Row, body: Body, frame: Element | None, _inherited: str) -> None:
    """Expand the macro into `body` and the model. Since MuJoCo 4.0, enclosing frames move its points."""
    frames: list[Element] = []
    while frame is not None:
        if {"scale", "massscale"} & frame.written:
            reader.problems.add("<flexcomp>: a frame that scales it must enclose its body", node)
            return
        frames.append(frame)
        frame = frame.frame
    values = {**{name: a.default for name, a in row.attributes.items()}, **reader.values(node, row)}
    children: dict[str, dict[str, Any]] = {}
    pins = []
    plugin = None
    for child, inner in reader.children(node, row):
        if child.tag == "plugin":
            plugin = read_shared(reader, child, inner, "flexcomp_" + values["name"])
            continue
        rest = defaults("equality" if child.tag == "edge" else "flex")
        children[child.tag] = reader.fill(reader.values(child, inner), inner, rest)
        if child.tag == "pin":
            pins.append((child, children["pin"]))
    try:
        # the childclass of a frame is ignored
        base = reader.spec.classes[reader.body_class.get(id(body), "main")]
        flexcomp = Flexcomp(reader, node, values, children, pins, base, plugin)
        flexcomp.frames = frames
        flexcomp.expand(body)
    except Misuse as error:
        reader.problems.add(f"<{(error.node or node).tag}>: {error}", error.node or node, error.attribute)
    except ValueError as error:
        reader.problems.add(f"<flexcomp>: {error}", node)


class Flexcomp:
    """A flexcomp macro while it is being expanded.

    Attributes:
        values: values of the macro's attributes.
        children: values of the attributes of its child elements contact, edge and elasticity, by tag.
        pins: elements <pin>, with the values of their attributes.
        plugin: the plugin that all bodies use.
        joint: values of all joints, from their defaults class.
        geom: values of the geom of every body if vertices collide; otherwise None.
        shape: points and elements.
        numbers: original indices of the points, which are part of the names of bodies.
        pinned: True for points that move with the parent.
        frames: enclosing frames, from the inside out.
    """

    frames: Sequence[Element] = ()

    def __init__(
        self,
        reader: BodyReader,
        node: Node,
        values: dict[str, Any],
        children: dict[str, dict[str, Any]],
        pins: list[Pin],
        base: DefaultsClass,
        plugin: Element | None = None,
    ):
        self.reader, self.node = reader, node
        self.values, self.children, self.pins, self.plugin = values, children, pins, plugin
        self.joint = {**base.of("joint"), "type": SLIDE, "pos": (0.0, 0.0, 0.0)}
        self.name: str = values["name"]
        self.kind = list(FLEXCOMP_TYPES)[values["type"]]
        if values["mesh"] and "type" not in node.attributes:
            self.kind = "mesh"
        self.dof: int = values["dof"]
        self.direct = self.kind in ("direct", "mesh", "gmsh")
        self.geom: dict[str, Any] | None = None
        if children.get("contact", {}).get("vertcollide"):
            geom = base.of("geom")
            group = {} if self.dof == TRILINEAR else {"group": VERTEX_GROUP}
            self.geom = {**geom, "type": SPHERE, "size": (values["radius"], *geom["size"][1:]), **group}

    def expand(self, body: Body) -> None:
        """Add the bodies below `body`, the flex and its equality constraint.

        Raises:
            ValueError: the attributes do not describe a flex.
        """
        values = self.values
        self._check_values(body)
        self.shape = self._shape()
        self._check()
        count = len(self.shape.points)
        self.numbers = np.arange(count)
        self.pinned = self._pinned()
        if self.direct:
            self._drop_unused()
        # compute masses as if every point had a body
        mass = values["mass"] / (NODES if self.dof == TRILINEAR else count)
        inertia = mass * 2 * values["inertiabox"] * values["inertiabox"] / 3
        flex = self._flex()
        if self.rigid:
            flex.vertbody = (body.name,)
            flex.vert = tuple(self.shape.points.ravel())
        elif self.dof == TRILINEAR:
            self._nodes(flex, body, mass, inertia)
        else:
            self._vertices(flex, body, mass, inertia)
        self.reader.spec.flexes.append(flex)
        self._equality()
        if self.plugin is not None:
            self._share(self.plugin, body)

    def _check_values(self, body: Body) -> None:
        """Check the rules that hold for all flexcomp types."""
        values, contact, elasticity = self.values, self.children.get("contact", {}), self.children.get("elasticity", {})
        if not body.name:
            raise Misuse("the parent body must have a name: vertices refer to it")
        if not 1 <= values["dim"] <= 3:
            raise Misuse(f"dim {values['dim']} is not 1, 2 or 3", "dim")
        for name in ("mass", "inertiabox"):
            if values[name] < mjMINVAL:
                raise Misuse(f"{name} must be positive", name)
        if min(values["scale"]) < mjMINVAL:
            raise Misuse("all scales must be positive", "scale")
        least = 2 if self.dof == RADIAL and values["dim"] == 3 else 1
        if min(values["count"]) < least:
            raise Misuse(f"all counts must be at least {least}", "count")
        room = 2 * values["radius"] + contact.get("margin", 0.0)
        if not self.direct and min(values["spacing"]) < room:
            raise Misuse(f"all spacings must be at least {room:g}, twice the radius and the margin", "spacing")
        if values["mesh"] and values["file"]:
            raise Misuse("a file and a mesh cannot both be given: remove one of them", "mesh")
        if values["mesh"] and self.kind not in ("mesh", "gmsh"):
            raise Misuse(f"with a mesh, the type must be mesh or gmsh, not {self.kind}", "type")
        if self.children.get("edge", {}).get("equality") and elasticity.get("elastic2d", 0) in STRETCHING:
            raise Misuse("either elastic2d or the equality of edges can resist stretching, not both: remove one")

    def _shape(self) -> Shape:
        """Return the points and elements, in the frame of the parent."""
        values = self.values
        count, spacing, kind = values["count"], values["spacing"], self.kind
        if kind == "circle" and values["dim"] != 1:
            raise Misuse("a circle needs dim 1", "dim")
        if kind in ("box", "cylinder", "ellipsoid"):
            shape = shell(kind, count, spacing)
        elif kind == "disc":
            shape = disc(count, spacing)
        elif kind == "circle":
            shape = circle(count, spacing)
        elif kind in ("grid", "square"):
            shape = grid(2 if kind == "square" else values["dim"], count, spacing)
        elif kind == "direct":
            shape = Shape(values["dim"], np.zeros((0, 3)), np.zeros((0, values["dim"] + 1), int))
        else:
            shape = self._of_asset() if values["mesh"] else self._file()
        # written elements come first; every type may have explicit points
        points = np.array(values["point"])
        elements = np.array(values["element"], int)
        if len(points) % 3:
            raise Misuse(f"{len(points)} coordinates of points: must be a multiple of 3", "point")
        if len(elements) % (shape.dim + 1):
            raise Misuse(f"{len(elements)} points of elements: must be a multiple of {shape.dim + 1}", "element")
        shape.points = np.concatenate([points.reshape(-1, 3), shape.points])
        shape.elements = np.concatenate([elements.reshape(-1, shape.dim + 1), shape.elements])
        # texture coordinates of a mesh file override written ones; those of shapes need a material
        if values["texcoord"] and not len(shape.texcoord_ids):
            shape.texcoord = np.array(values["texcoord"])
        elif not values["material"] and self.kind != "mesh":
            shape.texcoord = np.zeros((0, 2))
        return shape

    def _of_asset(self) -> Shape:
        """Return the points and elements of a mesh of the model."""
        with MAKING.held:
            from conjoint.mjcf.flex_files import mesh_shape

        values, given = self.values, self.node.attributes
        meshes = {mesh.name: mesh for mesh in reversed(self.reader.spec.meshes)}
        name = values["mesh"]
        if name not in meshes:
            raise Misuse(f"there is no mesh '{name}'{suggestion(name, meshes)}", "mesh")
        dim = values["dim"] if "dim" in given else None
        return mesh_shape(self.reader.files, meshes[name], dim, values["origin"] if "origin" in given else None)

    def _file(self) -> Shape:
        """Return the points and elements in a mesh or GMSH file."""
        with MAKING.held:
            from conjoint.mjcf.flex_files import read_flex_file

        values = self.values
        if self.kind == "mesh" and values["dim"] < 2:
            raise Misuse("a mesh has dim 2, or 3 with an origin", "dim")
        if self.kind == "mesh" and values["dim"] == 3 and "origin" not in self.node.attributes:
            raise Misuse("a mesh with dim 3 needs an origin, to which its triangles are connected", "origin")
        folder = self.node.document.folder
        return read_flex_file(self.reader.files, values["file"], folder, self.kind, values["dim"], values["origin"])

    def _check(self) -> None:
        """Check that elements refer to existing points, and transform the points by the pose of the flexcomp."""
        values, shape = self.values, self.shape
        if not len(shape.elements):
            raise Misuse("there are no elements", "element")
        wrong = np.nonzero((shape.elements < 0) | (shape.elements >= len(shape.points)))[0]
        if len(wrong):
            raise Misuse(f"element {wrong[0]} has a point index outside the {len(shape.points)} points", "element")
        quat = self._orientation(values.get("alt"), values["quat"])
        # points may be infinite
        with np.errstate(over="ignore", invalid="ignore"):
            if self.direct:
                shape.points = shape.points * values["scale"]
            if quat != IDENTITY:
                # as in MuJoCo, a quaternion is rounded, but not normalized
                shape.points = np.stack(rotate.function(quat, shape.points.T), axis=1)
            shape.points = shape.points + values["pos"]
            for frame in self.frames:
                turn = unit_quat(self._orientation(frame.alt, frame.quat))
                shape.points = np.stack(rotate.function(turn, shape.points.T), axis=1) + frame.pos

    def _orientation(self, alternative: tuple[str, tuple[float, ...]] | None, quat: Quaternion) -> Quaternion:
        """Return an orientation, written as a quaternion or in another form."""
        compiler = self.reader.spec.compiler
        if alternative is not None:
            form, numbers = alternative
            return orientation(form, numbers, bool(compiler.degree), compiler.eulerseq)
        return quat

    def _pinned(self) -> np.ndarray:
        """Return a mask of points that are fixed to the parent, and set `self.rigid`.

        For a trilinear flex, the mask is over its 8 nodes.
        """
        values, points = self.values, len(self.shape.points)
        grid = values["count"][: self.shape.dim] if self.kind == "grid" else ()
        pinned = pinned_points(self.pins, points, grid) | bool(values["rigid"])
        if self.dof == RADIAL:
            # the center moves with the parent
            pinned[0] = True
        self.rigid = bool(pinned.all())
        return pinned

    def _drop_unused(self) -> None:
        """If each point has a body, remove points to which no element refers."""
        if self.rigid or self.dof == TRILINEAR:
            return
        shape = self.shape
        used = np.zeros(len(shape.points), bool)
        used[shape.elements] = True
        if used.all():
            return
        shape.elements = (np.cumsum(used) - 1)[shape.elements]
        shape.points = shape.points[used]
        self.pinned = self.pinned[used]
        if self.pinned.any() and not len(shape.texcoord_ids) and shape.texcoord.size == 2 * len(used):
            shape.texcoord = shape.texcoord.reshape(-1, 2)[used]
        self.numbers = np.flatnonzero(used)

    def _flex(self) -> Flex:
        """Return a new flex, still without bodies and vertices."""
        values = self.values
        flex: Any = Element("flex", defaults("flex"), self.node)
        for name in ("name", "group", "radius", "material", "rgba", "flatskin"):
            setattr(flex, name, values[name])
        for tag in ("contact", "elasticity"):
            flex.__dict__.update(self.children.get(tag, {}))
        edge = self.children.get("edge", {})
        flex.edgestiffness, flex.edgedamping = edge.get("stiffness", 0.0), edge.get("damping", 0.0)
        flex.dim = self.shape.dim
        if self.kind in ("box", "cylinder") or (self.kind == "grid" and flex.dim == 3):
            flex.flatskin = 1
        flex.elem = tuple(self.shape.elements.ravel().tolist())
        flex.texcoord = tuple(self.shape.texcoord.ravel().tolist())
        flex.elemtexcoord = tuple(self.shape.texcoord_ids.tolist())
        return flex

    def _vertices(self, flex: Flex, parent: Body, mass: float, inertia: float) -> None:
        """Add a body for every unpinned point."""
        vertices = np.where(self.pinned[:, None], self.shape.points, 0.0)
        flex.vert = tuple(vertices.ravel()) if self.pinned.any() else ()
        names = []
        for i, point in enumerate(self.shape.points.tolist()):
            if self.pinned[i]:
                names.append(parent.name)
                continue
            axes: tuple = AXES
            if self.dof == RADIAL:
                length = float(np.linalg.norm(point))
                if length < TINY:
                    raise Misuse(f"point {self.numbers[i]} is at the center: it has no direction to move in", "dof")
                axes = (tuple(x / length for x in point),)
            names.append(f"{self.name}_{self.numbers[i]}")
            parent.bodies.append(self._body(names[-1], tuple(point), mass, inertia, axes))
        flex.vertbody = tuple(names)

    def _nodes(self, flex: Flex, parent: Body, mass: float, inertia: float) -> None:
        """Add a body for every unpinned corner of the bounding box."""
        corners, places = box_corners(self.shape.points)
        pinned = np.resize(np.append(self.pinned, np.zeros(NODES, bool)), NODES)
        names = []
        for number, (corner, place) in enumerate(zip(corners, places.tolist(), strict=True)):
            if pinned[number]:
                names.append(parent.name)
                continue
            names.append(node_name(self.name, corner))
            parent.bodies.append(self._body(names[-1], tuple(place), mass, inertia, AXES))
        flex.nodebody, flex.vertbody = tuple(names), (parent.name,) * len(self.shape.points)
        flex.node = tuple(np.where(pinned[:, None], places, 0.0).ravel()) if pinned.any() else ()
        flex.vert = tuple(self.shape.points.ravel())

    def _body(self, name: str, pos: tuple, mass: float, inertia: float, axes: tuple) -> Body:
        """Return a body that slides along `axes`."""
        body = Body({**defaults("body"), "name": name, "pos": pos}, self.node)
        body.frame = None
        if self.plugin is not None and self.dof != TRILINEAR:
            body.plugin = self.plugin
        point = {"ipos": (0.0, 0.0, 0.0), "mass": mass, "inertia": (inertia,) * 3}
        body.inertial = Element("inertial", {**defaults("inertial"), **point}, self.node)
        for axis in axes:
            joint = Element("joint", {**self.joint, "axis": axis}, self.node)
            joint.frame = None
            body.joints.append(joint)
        if self.geom is not None:
            geom = Element("geom", self.geom, self.node)
            geom.frame = None
            body.geoms.append(geom)
        return body

    def _share(self, plugin: Element, parent: Body) -> None:
        """Assign the plugin to the parent, too, if vertices move with it.

        For older elasticity plugins, also store the elements and edges as settings of the plugin.
        """
        if self.dof == TRILINEAR or self.pinned.any():
            parent.plugin = plugin
        elasticity = value_of(Name("conjoint.physics.plugin.elasticity"))
        if plugin.plugin_name in [known.name for known in elasticity.ELASTIC]:
            lists = self.shape.elements, edges(self.shape.elements, self.shape.dim)[1]
            for name, numbers in zip(elasticity.LISTS, lists, strict=True):
                plugin.config[name] = " ".join(map(str, numbers.ravel().tolist()))

    def _equality(self) -> None:
        """Add the constraint on the lengths of the edges, or on the strain."""
        edge = self.children.get("edge", {})
        if self.rigid or not edge.get("equality"):
            return
        strain = edge["equality"] == EDGE_EQUALITIES["strain"]
        if strain and self.dof != TRILINEAR:
            raise Misuse("equality='strain' needs dof='trilinear': set that, or equality='true'")
        equality: Any = Element("equality", defaults("equality"), self.node)
        equality.__dict__.update({name: edge[name] for name in ("solref", "solimp") if name in edge})
        kind, data = (mjtEq.mjEQ_FLEXSTRAIN, STRAIN_DATA) if strain else (mjtEq.mjEQ_FLEX, EQUALITY_DATA)
        found = {"type": int(kind), "objtype": 0, "name1": self.name, "name2": "", "data": data}
        equality.__dict__.update(found)
        self.reader.spec.equalities.append(equality)


def box_corners(points: np.ndarray) -> tuple[list[tuple[int, int, int]], np.ndarray]:
    """Return the corners of the bounding box of `points`, as indices and as positions.

    They are nodes of a trilinear flex.
    """
    corners = [(i, j, k) for i in range(2) for j in range(2) for k in range(2)]
    return corners, np.where(corners, points.max(axis=0), points.min(axis=0))


def node_name(flex: str, corner: tuple[int, int, int]) -> str:
    """Return the name of the body at a node of a flex."""
    return "_".join([flex, *map(str, corner)])
