"""Conversion of URDF to a Spec (Modeling chapter, URDF extensions)."""

from collections.abc import Callable, Iterable

from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader
from conjoint.mjcf.relations import EQUALITY_DATA
from conjoint.mjcf.settings import read_compiler, read_option, read_size
from conjoint.mjcf.urdf_link import LinkReader, UrdfNodes, read_joint
from conjoint.schema.enums import mjtEq
from conjoint.schema.kinds import HINGE, SLIDE
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.urdf import JOINT, ROBOT, UNREAD
from conjoint.spec import Body, Spec, suggestion

MIMIC = JOINT.children["mimic"]


def read_mimics(urdf: UrdfNodes, joints: Iterable[Node], bodies: Iterable[Body]) -> None:
    """Couple every joint that has a <mimic>: position = multiplier * the other joint's position + offset.

    Both joints must have one degree of freedom. Otherwise, a warning is issued.
    """
    known = {joint.name: joint.type for body in bodies for joint in body.joints}
    for node in joints:
        mimic = urdf.one(node, "mimic", False)
        if mimic is None:
            continue
        values, name = urdf.values(mimic, MIMIC), node.attributes.get("name", "")
        other = values.get("joint")
        if other is None:
            # already reported
            continue
        wrong = next((joint for joint in (name, other) if known.get(joint) not in (HINGE, SLIDE)), None)
        if wrong is not None:
            reason = f"'{wrong}' is no revolute, continuous or prismatic joint"
            urdf.problems.warn(f"<mimic> of the joint '{name}' has no effect: {reason}", mimic)
        elif other == name:
            urdf.problems.add(f"<mimic>: the joint '{name}' cannot follow itself", mimic, "joint")
        else:
            _couple(urdf.spec, mimic, name, other, (values.get("offset", 0.0), values.get("multiplier", 1.0)))


def _couple(spec: Spec, node: Node, name: str, other: str, polynomial: tuple[float, float]) -> None:
    """Add a constraint that couples one joint to a linear function of another joint."""
    data = (*polynomial, *EQUALITY_DATA[2:])
    given = {"type": int(mjtEq.mjEQ_JOINT), "objtype": 0, "name1": name, "name2": other, "data": data}
    spec.equalities.append(spec.element("equality", given, node))


WORLD = "world"
"""Name of the link that is the world itself."""
MACRO = "xacro:"
"""Prefix of macro elements, which the program xacro expands to URDF."""


class UrdfReader(UrdfNodes):
    """Reader of a URDF document, which stores its contents in a Spec and collects problems."""

    def __init__(self, reader: ElementReader):
        super().__init__(reader.spec, reader.problems, reader.files)
        self.reader = reader
        self.bodies: dict[str, Body] = {}

    def read(self, root: Node) -> None:
        """Read settings, links and joints, then attach the links according to the joints."""
        self.spec.modelname = root.attributes.get("name", self.spec.modelname)
        self._settings(root)
        self._warn_of_macros(root)
        self._warn_of_unread(root)
        links, joints = (self._named(root, tag) for tag in ("link", "joint"))
        self.problems.check()
        link_reader = LinkReader(self, root)
        for node, name in links:
            world = name == WORLD
            body = self.spec.worldbody if world else Body({**defaults("body"), "name": name}, node)
            body.frame = None
            self.bodies[name] = body
            link_reader.read(node, body)
        parents = {child: parent for joint, _ in joints for parent, child in [self._connect(joint)] if child}
        self.problems.check()
        self._tree([name for _, name in links], parents)
        read_mimics(self, [node for node, _ in joints], self.bodies.values())
        self.problems.check()

    def _warn_of_macros(self, root: Node) -> None:
        """Warn about unexpanded xacro elements, which are ignored."""
        for node in root.children:
            if node.tag.startswith(MACRO):
                message = f"<{node.tag}> is not read: expand the file with xacro, and load what it writes"
                self.problems.warn(message, node)
                return

    def _warn_of_unread(self, root: Node) -> None:
        """Warn about elements that the model cannot represent, once for each tag."""
        first: dict[str, Node] = {}
        for above in (root, *(node for node in root.children if node.tag == "joint")):
            for node in above.children:
                if node.tag in UNREAD:
                    first.setdefault(node.tag, node)
        for tag, node in first.items():
            self.problems.warn(f"<{tag}> is ignored, as in MuJoCo: {UNREAD[tag]}", node)

    def _settings(self, root: Node) -> None:
        """Read the element for MuJoCo's extensions, starting from the defaults for URDF."""
        compiler = self.spec.compiler
        compiler.strippath = compiler.fusestatic = compiler.discardvisual = 1
        extension = self.one(root, "mujoco", False)
        read: dict[str, Callable[[ElementReader, Node, Row], None]] = {
            "compiler": read_compiler, "option": read_option, "size": read_size,
        }  # fmt: skip
        for tag, function in read.items() if extension else ():
            row = ROBOT.children["mujoco"]
            node = self.one(extension, tag, False)
            if node is not None:
                function(self.reader, _known(node, row.children[tag]), row.children[tag])
        # angles in URDF are always in radians, regardless of the extension
        compiler.degree = 0

    def _named(self, root: Node, tag: str) -> list[tuple[Node, str]]:
        """Return the children of the root with the tag `tag`, and their names."""
        found = []
        known: set[str] = set()
        for node in root.children:
            if node.tag == tag:
                name = self.values(node, ROBOT.children[tag]).get("name", "")
                if tag == "link" and name in known:
                    self.problems.add(f"<link>: another link is called '{name}'", node, "name")
                known.add(name)
                found.append((node, name))
        return found

    def _connect(self, node: Node) -> tuple[str, str]:
        """Return the parent and child links of joint `node`, and set the child's pose and joints.

        If one of the links is missing, both results are "".
        """
        row = ROBOT.children["joint"]
        names = []
        for tag in ("parent", "child"):
            end = self.one(node, tag)
            name = self.values(end, row.children[tag]).get("link", "") if end else ""
            if end and name not in self.bodies:
                hint = suggestion(name, self.bodies)
                self.problems.add(f"<joint>: there is no link '{name}'{hint}", end, "link")
            names.append(name)
        parent, child = names
        if parent not in self.bodies or child not in self.bodies:
            return "", ""
        body = self.bodies[child]
        if "connected" in body.__dict__:
            self.problems.add(f"<joint>: the link '{child}' has another parent already", node)
            return "", ""
        body.connected = True
        body.pos, body.quat = self.origin(node, row)
        read_joint(self, node, row, body)
        return parent, child

    def _tree(self, links: list[str], parents: dict[str, str]) -> None:
        """Add every link to its parent.

        Root links are in the order of the links, children in the order of the joints.
        """
        for name in links:
            if name not in parents and name != WORLD:
                self.spec.worldbody.bodies.append(self.bodies[name])
        reached = _below_roots(links, parents)
        for child, parent in parents.items():
            if child not in reached or child == WORLD:
                self.problems.add(f"the link '{child}' is part of a loop of joints", self.bodies[child].place)
            else:
                self.bodies[parent].bodies.append(self.bodies[child])
        for body in self.bodies.values():
            body.__dict__.pop("connected", None)


def _below_roots(links: list[str], parents: dict[str, str]) -> set[str]:
    """Return the names of the root links, and of all links below them."""
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    found: set[str] = set()
    waiting = [name for name in links if name not in parents]
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting += children.get(name, ())
    return found


def _known(node: Node, row: Row) -> Node:
    """Return a copy of `node` without unknown attributes and elements, because the extension is not checked."""
    attributes = {name: value for name, value in node.attributes.items() if name in row.attributes}
    copy = Node(node.tag, attributes, node.document, node.ordinal)
    for child in node.children:
        inner = row.child(child.tag)
        if inner is not None:
            copy.children.append(_known(child, inner))
    return copy
