"""What the reader of URDF does with every node: its children, its attributes, its pose."""

from typing import Any

from conjoint.mjcf.document import Node
from conjoint.mjcf.values import parse
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Problems, Spec
from conjoint.spec.files import Files
from conjoint.spec.rotation import IDENTITY, orientation


class UrdfNodes:
    """Turns nodes of a URDF document into values, collecting problems on the way."""

    def __init__(self, spec: Spec, problems: Problems, files: Files):
        self.spec = spec
        self.problems = problems
        self.files = files

    def one(self, node: Node, tag: str, required: bool = True) -> Any:
        """The child `tag` of `node`, or None; it may appear only once."""
        found = [child for child in node.children if child.tag == tag]
        if len(found) > 1:
            self.problems.add(f"<{tag}> may appear only once inside <{node.tag}>", found[1])
        if not found and required:
            self.problems.add(f"<{node.tag}>: the element <{tag}> is missing", node)
        return found[0] if found else None

    def values(self, node: Node, row: Row) -> dict[str, Any]:
        """Values of the attributes that have a row; the others are not for us."""
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
        """Position and orientation that the child <origin> of `node` says."""
        found = self.one(node, "origin", False)
        if found is None:
            return (0.0, 0.0, 0.0), IDENTITY
        values = self.values(found, row.children["origin"])
        rpy = values.get("rpy", (0.0, 0.0, 0.0))
        return values.get("xyz", (0.0, 0.0, 0.0)), orientation("euler", rpy, False, "XYZ")
