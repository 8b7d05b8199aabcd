"""Reader of elements: their attributes, defaults classes, and allowed children."""

from collections.abc import Iterator, Mapping
from itertools import count
from math import isnan
from typing import Any

from conjoint.mjcf.document import Node
from conjoint.mjcf.values import parse
from conjoint.once import derived
from conjoint.schema.mjcf.grammar import REMOVED, defaults, homes, since
from conjoint.schema.mjcf.table import Attribute
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Element, Problems, Spec, suggestion
from conjoint.spec.files import Files

MOST_LISTED = 16
"""Maximum number of elements that a message about an unknown element lists."""
SECOND_ORIENTATION = "the orientation is given twice; keep one of quat, axisangle, xyaxes, zaxis, euler"


def _belongs(tag: str, row: Row) -> str:
    """Return a hint for the message about an element `tag` that is not allowed inside `row`."""
    removed = REMOVED.get((row.name, tag))
    if removed:
        return f": {removed}"
    if later := since(tag):
        return later
    known = [*row.children, row.name] if row.recursive else list(row.children)
    near, places = suggestion(tag, known), homes(tag)
    if not near and not places and 0 < len(known) <= MOST_LISTED:
        return f"; what it may hold: {', '.join(known)}"
    if near or not places:
        return near
    return "; it belongs inside " + ", ".join(f"<{place}>" for place in places[:3])


def _is_nan(value: float | tuple[float, ...]) -> bool:
    """Return True if a number, or one of several numbers, is NaN."""
    return any(map(isnan, (value,) if isinstance(value, float) else value))


class ElementReader:
    """Converter from XML nodes to values and elements of a Spec. It collects problems.

    Attributes:
        order: counter of plugin uses, in the order of the file.
    """

    def __init__(self, spec: Spec):
        self.spec = spec
        self.problems = Problems()
        self.order = count()

    @derived
    def files(self) -> Files:
        """The files of the model."""
        return Files(self.spec)

    def children(self, node: Node, row: Row) -> Iterator[tuple[Node, Row]]:
        """Yield the children of `node` that the grammar allows, with their rows. Report all other children."""
        seen: set[str] = set()
        for child in node.children:
            tag = child.tag
            found = row if row.recursive and tag == row.name else row.children.get(tag)
            if found is None:
                self.problems.add(f"<{tag}> is not allowed inside <{node.tag}>{_belongs(tag, row)}", child)
                continue
            if found.once:
                if tag in seen:
                    self.problems.add(f"<{tag}> may appear only once inside <{node.tag}>", child)
                    continue
                seen.add(tag)
            yield child, found

    def values(self, node: Node, row: Row) -> dict[str, Any]:
        """Return the attribute values of `node`, by the name of the value in a Spec, or else by attribute name."""
        values: dict[str, Any] = {}
        for name, text in node.attributes.items():
            attribute = row.attributes.get(name) or self._known(node, row, name)
            if attribute is None or (attribute.optional and not text.strip()):
                continue
            try:
                value = parse(attribute, text)
            except ValueError as error:
                later = since(node.tag, name, text.strip())
                self.problems.add(f"<{node.tag}>: attribute '{name}': {error}{later}", node, name)
                continue
            # only NaN and infinity contain this letter
            if attribute.type == "real" and ("n" in text or "N" in text) and _is_nan(value):
                self.problems.warn("NaN is read as a number; all results that depend on it are NaN, too", node, name)
            lands = attribute.lands or name
            values[lands] = self._turn(node, name, lands, value, values) if attribute.turns else value
        for name in row.required:
            blank = row.attributes[name].optional and not node.attributes.get(name, "").strip()
            if blank or name not in node.attributes:
                self.problems.add(f"<{node.tag}>: the attribute '{name}' is missing", node)
        if row.kind == "camera":
            # values in pixels take precedence over values in meters
            for name in ("focal", "principal"):
                if f"{name}_pixel" in values:
                    values.pop(f"{name}_length", None)
        if node.children and not (row.children or row.recursive):
            # report all children, because no other function reads them
            list(self.children(node, row))
        return values

    def _known(self, node: Node, row: Row, name: str) -> Attribute | None:
        """Return the row of an attribute of `node`. If the attribute is unknown, report a problem and return None."""
        attribute = row.attributes.get(name)
        if attribute is None:
            hint = since(node.tag, name)
            if not hint:
                inside = name in row.children
                hint = f"; it is an element, inside <{node.tag}>" if inside else suggestion(name, row.attributes)
            self.problems.add(f"<{node.tag}>: unknown attribute '{name}'{hint}", node, name)
        return attribute

    def _turn(self, node: Node, name: str, lands: str, value: Any, values: dict[str, Any]) -> Any:
        """Return the value of an orientation attribute.

        It is a quaternion, or a pair of the name and the numbers of another form of orientation.
        """
        if lands.endswith("alt"):
            if lands in values or lands.replace("alt", "quat") in values:
                self.problems.add(f"<{node.tag}>: attribute '{name}': {SECOND_ORIENTATION}", node, name)
            return name, value
        if not any(value):
            self.problems.add(f"<{node.tag}>: attribute '{name}': a zero quaternion is not a rotation", node, name)
        if lands.replace("quat", "alt") in values:
            self.problems.add(f"<{node.tag}>: attribute '{name}': {SECOND_ORIENTATION}", node, name)
        return value

    def fill(self, values: dict[str, Any], row: Row, base: Mapping[str, Any]) -> dict[str, Any]:
        """Complete lists that are too short, with the numbers of `base`, or by repeating their first number."""
        for name in row.filled.keys() & values.keys():
            attribute, value = row.filled[name], values[name]
            rest = base[name] if attribute.fill == "default" else value[:1] * attribute.most
            values[name] = value + tuple(rest[len(value) :])
        return values

    def class_of(self, node: Node, inherited: str) -> str:
        """Return the defaults class of `node`: its own, or the inherited one."""
        return self._known_class(node, "class", inherited)

    def childclass(self, node: Node, inherited: str) -> str:
        """Return the defaults class for those elements inside `node` that do not name one."""
        return self._known_class(node, "childclass", inherited)

    def _known_class(self, node: Node, attribute: str, inherited: str) -> str:
        """Return the defaults class that an attribute names. If it is unknown, report it, and return the main class."""
        name, known = node.attributes.get(attribute, inherited), self.spec.classes
        if name in known:
            return name
        self.problems.add(
            f"<{node.tag}>: there is no defaults class '{name}'{suggestion(name, known)}", node, attribute
        )
        return "main"

    def element(self, node: Node, row: Row, inherited: str = "main") -> Any:
        """Return a new element of the type of `row`.

        Its values come from its defaults class and the attributes of `node`.
        """
        classname = self.class_of(node, inherited) if "class" in row.attributes else "main"
        values = self.values(node, row)
        values.pop("class", None)
        base = self.spec.classes[classname].of(row.kind)
        element = Element(row.kind, base, node)
        element.__dict__.update(self.fill(values, row, base), written=frozenset(values), classname=classname)
        if row.kind == "camera" and "userdata" not in values:
            # as in MuJoCo, ignore user parameters of a camera's class
            element.userdata = ()
        return element

    def no_effect(self, node: Node, row: Row) -> None:
        """Warn about a section without effect. As in MuJoCo, check only the names in it."""
        message = f"<{node.tag}> directly inside <mujoco> has no effect: move it into <worldbody>"
        self.problems.warn(message, node)
        self._names(node, row)

    def _names(self, node: Node, row: Row) -> None:
        """Report elements and attributes that the grammar does not contain."""
        for name in node.attributes:
            self._known(node, row, name)
        for child, inner in self.children(node, row):
            self._names(child, inner)


def read_extension(reader: ElementReader, node: Node, row: Row) -> None:
    """Read the extension section: the plugins in use, and their named instances."""
    for child, inner in reader.children(node, row):
        plugin_name = reader.values(child, inner).get("plugin", "")
        if plugin_name not in reader.spec.extensions:
            reader.spec.extensions.append(plugin_name)
            reader.spec.places[plugin_name] = child
        for item, item_row in reader.children(child, inner):
            instance = reader.element(item, item_row)
            instance.plugin_name = plugin_name
            instance.config = _config(reader, item, item_row)
            if not instance.name:
                reader.problems.about(instance, "it needs a name", "name")
            reader.spec.plugins.append(instance)


def read_plugin(reader: ElementReader, node: Node, row: Row, values: dict[str, Any]) -> Element:
    """Return the plugin that an element uses: a named instance, or a new instance with its settings.

    Its value `order` numbers the uses of plugins in the model.

    Args:
        reader: the reader of the model.
        node: the element <plugin>, which may itself be an actuator or a sensor.
        row: its row in the grammar.
        values: values of its attributes.
    """
    found = {"name": values.get("instance", ""), "plugin_name": values.get("plugin", "")}
    return Element("plugin", {**found, "config": _config(reader, node, row), "order": next(reader.order)}, node)


def read_shared(reader: ElementReader, node: Node, row: Row, title: str) -> Element:
    """Return the plugin shared by all bodies of a macro. A new instance is saved under the name `title`."""
    plugin = read_plugin(reader, node, row, reader.values(node, row))
    plugin.shared = "" if plugin.name else title
    return plugin


def _config(reader: ElementReader, node: Node, row: Row) -> dict[str, str]:
    """Return the settings of a plugin, by key."""
    config: dict[str, str] = {}
    for child, inner in reader.children(node, row):
        if child.tag != "config":
            continue
        values = reader.values(child, inner)
        key = values.get("key", "")
        if key in config:
            reader.problems.add(f"<config>: the key '{key}' is given twice", child, "key")
        config[key] = values.get("value", "")
    return config


def read_flex(reader: ElementReader, node: Node, row: Row) -> None:
    """Read a flex, including its child elements contact, edge and elasticity."""
    flex = reader.element(node, row)
    for child, inner in reader.children(node, row):
        flex.__dict__.update(reader.fill(reader.values(child, inner), inner, defaults("flex")))
    reader.spec.flexes.append(flex)
