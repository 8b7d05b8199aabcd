"""Conversion of a Spec to MJCF, in the order and with the keywords of the grammar.

It writes a Spec in canonical form (`compiler.canonical`), but only values that differ from the defaults class of an
element. Every number is written so that it is read back exactly.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from conjoint.lang.warn import warn
from conjoint.mjcf.frames import Plan, arrange
from conjoint.mjcf.unread import Macro, find_macros, unread_actuator, unread_equality, unread_sensor, unread_wrap
from conjoint.mjcf.written import FOLDERS, WHOLE, FileNames, Tag, always, as_text, in_order, written_values
from conjoint.schema.enums import mjtDisableBit
from conjoint.schema.mjcf.grammar import MUJOCO, defaults
from conjoint.schema.mjcf.header import DISABLE_FLAGS, ENABLE_FLAGS, ON_BY_DEFAULT_4
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.semantics import IN_FILES
from conjoint.spec import DefaultsClass, Element, Spec
from conjoint.spec.spec import ccd_iterations, disabled, said

_BODY = MUJOCO.children["worldbody"].children["body"]
_DEFAULT = MUJOCO.children["default"]
_DEFAULT_ROWS = {row.kind: row for row in _DEFAULT.children.values() if row.kind != "actuator"}
_DEFAULT_ROWS["actuator"] = _DEFAULT.children["general"]
_UNITS = "KMGTPE"


def write_string(spec: Spec, source: Spec, directory: str | None = None) -> str:
    """Return a model as MJCF text.

    Args:
        spec: the model in canonical form; its lists of materials, bones, ... are not changed.
        source: the original Spec, which is needed to locate files.
        directory: folder of the saved file, to make paths of assets relative to it; None leaves them unchanged.
    """
    return Writer(spec, source, directory).write().text()


class Writer:
    """Writer of the XML tags for one Spec."""

    def __init__(self, spec: Spec, source: Spec, directory: str | None):
        self.spec = spec
        self.files = FileNames(source, directory)
        self.shared: dict[int, tuple[str, Element]] = {}
        macros = find_macros(spec)
        self.macros = {id(body): macro for macro in macros for body in macro.bodies}
        made = {id(macro.flex) for macro in macros}
        self.flexes = [flex for flex in spec.flexes if id(flex) not in made]

    def write(self) -> Tag:
        """Return the root tag with all sections that are not empty."""
        spec = self.spec
        root = Tag("mujoco", {"model": spec.modelname})
        # create the tree before the extensions, which declare the shared plugins of bodies
        worldbody = Tag("worldbody")
        self._contents(worldbody, arrange(spec.worldbody), "main")
        assets = (*spec.textures, *spec.materials, *spec.meshes, *spec.hfields)
        sections = [
            self._compiler(),
            self._option(),
            self._size(),
            self._visual(),
            self._settings("statistic", spec.statistic),
            self._default(spec.classes["main"]),
            self._extension(),
            self._custom(),
            self._section("asset", assets),
            worldbody,
            self._section("contact", (*spec.pairs, *spec.excludes)),
            self._section("deformable", (*self.flexes, *spec.skins)),
            self._section("equality", spec.equalities),
            self._section("tendon", spec.tendons),
            self._section("actuator", spec.actuators),
            self._section("sensor", spec.sensors),
            self._section("keyframe", spec.keys),
        ]
        root.children = [one for one in sections if one.attributes or one.children or one is worldbody]
        return root

    # --- elements ---

    def _tag(
        self, row: Row, element: Element, inherited: str = "main", name: str = "", more: Mapping[str, Any] | None = None
    ) -> Tag:
        """Return the XML tag for one element.

        Args:
            row: the element's row in the grammar.
            element: the element.
            inherited: defaults class that applies if the element names none.
            name: tag, if it differs from the name of the row.
            more: values of attributes that are not stored in the Spec.
        """
        values, base = element.__dict__, defaults(row.kind) if row.kind else {}
        found: dict[str, Any] = {}
        if "class" in row.attributes:
            # a joint written as a freejoint has no class
            classname = self._classname(values.get("classname", inherited))
            if classname != inherited:
                found["class"] = classname
            base = self.spec.classes[classname].of(row.kind)
        if row.kind == "camera":
            # the reader does not inherit user parameters from the class
            base = {**base, "userdata": ()}
        needed = always(row.kind)
        if row.kind == "camera" and any(values["sensor_size"]):
            needed = (*needed, "resolution")
        found |= written_values(row, values, base, needed) | dict(more or {})
        tag = Tag(name or row.name)
        for attribute in in_order(row, found, more or ()):
            tag.attributes[attribute] = self._text(row, attribute, found[attribute], element)
        for child in _groups(row):
            inner = written_values(child, values, base)
            if inner or child.name in EVEN_EMPTY:
                texts = {name: self._text(child, name, value, element) for name, value in inner.items()}
                tag.add(Tag(child.name, texts))
        return tag

    def _classname(self, name: str) -> str:
        """Return the defaults class of an element, or the root class if its class does not exist."""
        return name if name in self.spec.classes else "main"

    def _text(self, row: Row, name: str, value: Any, element: Element) -> str:
        """Return the text for the value of one attribute."""
        attribute = row.attributes[name]
        if attribute.type == "text" and name.startswith("file") and value:
            value = self.files.of(element, value)
        return as_text(attribute, value)

    def _plugin(self, tag: Tag, plugin: Element | None, own: bool = True) -> None:
        """Add the plugin of an element, as a separate tag if `own`, else only its settings."""
        if plugin is None:
            return
        holder = tag
        if own and plugin.__dict__.get("shared"):
            if id(plugin) not in self.shared:
                taken = {title for title, _ in self.shared.values()} | {one.name for one in self.spec.plugins}
                title = plugin.shared + (str(len(self.shared)) if plugin.shared in taken else "")
                self.shared[id(plugin)] = (title, plugin)
            tag.add(Tag("plugin", {"instance": self.shared[id(plugin)][0]}))
            return
        if own:
            named = {"plugin": plugin.plugin_name, "instance": plugin.name}
            holder = tag.add(Tag("plugin", {name: value for name, value in named.items() if value}))
        for key, value in plugin.config.items():
            holder.add(Tag("config", {"key": key, "value": value}))

    def _custom(self) -> Tag:
        """Write the custom section, including the custom text that selects the model's semantics."""
        spec = self.spec
        section = self._section("custom", (*spec.numerics, *spec.texts, *spec.tuples))
        if edition := said(spec):
            section.children.append(Tag("text", {"name": IN_FILES, "data": edition}))
        return section

    def _section(self, name: str, elements: Iterable[Element]) -> Tag:
        """Return a section for elements outside of bodies."""
        section = Tag(name)
        section.children = [self._relation(_row(name), element) for element in elements]
        return section

    def _relation(self, section: Row, element: Element) -> Tag:
        """Return the tag for an element of any type that the section may contain."""
        kind = element.kind
        if kind in _UNREAD:
            name, more = _UNREAD[kind](element)
            tag = self._tag(section.children[name], element, name=name, more=more)
            self._plugin(tag, element.__dict__.get("plugin"), own=False)
            return tag
        if kind == "tendon":
            return self._tendon(section, element)
        row = section.children[kind]
        tag = self._tag(row, element)
        if kind == "flex" and element.nodebody and not element.vertbody:
            # vertices that follow nodes belong to the world
            tag.attributes["body"] = " ".join(["world"] * (len(element.vert) // 3))
        if kind == "flex" and any(element.__dict__.get("node", ())):
            text = f"{element!r}: saved as if its nodes were where their bodies are: MJCF cannot say more"
            warn(text)
        for name, parts in (("layer", "layers"), ("element", "elements"), ("bone", "bones")):
            if name in row.children:
                for part in element.__dict__.get(parts, ()):
                    tag.add(self._tag(row.children[name], part))
        if kind == "mesh":
            self._plugin(tag, element.__dict__.get("plugin"))
        return tag

    def _tendon(self, section: Row, tendon: Element) -> Tag:
        """Return the tag for a tendon, which is a fixed tendon if its path contains joints."""
        tags = [unread_wrap(wrap) for wrap in tendon.wraps]
        row = section.children["fixed" if "joint" in tags else "spatial"]
        tag = self._tag(row, tendon)
        for name, wrap in zip(tags, tendon.wraps, strict=True):
            tag.add(self._tag(row.children[name], wrap))
        return tag

    # --- settings ---

    def _settings(self, name: str, element: Element) -> Tag:
        """Return the section for one element with settings."""
        return self._tag(_row(name), element)

    def _compiler(self) -> Tag:
        """Write <compiler>, without `strippath`, `meshdir` and `texturedir` if paths are relative to the saved file."""
        tag = self._settings("compiler", self.spec.compiler)
        for name in FOLDERS:
            if self.files.directory is not None:
                tag.attributes.pop(name, None)
        return tag

    def _option(self) -> Tag:
        """Write <option>, and convert its bits to flags and groups."""
        option, row = self.spec.option, _row("option")
        off = DISABLE_FLAGS | ON_BY_DEFAULT_4
        flags = {name: "disable" for name, bit in off.items() if option.disableflags & bit}
        flags |= {name: "enable" for name, bit in ENABLE_FLAGS.items() if option.enableflags & bit}
        if disabled(self.spec) & mjtDisableBit.mjDSBL_MULTICCD:
            flags["multiccd"] = "disable"
        tag = self._settings("option", option)
        if option.ccd_iterations != ccd_iterations(self.spec.edition):
            tag.attributes["ccd_iterations"] = str(option.ccd_iterations)
        if flags:
            tag.add(Tag("flag", flags))
        groups = tuple(i for i in range(32) if option.disableactuator >> i & 1)
        if groups:
            name = "actuatorgroupdisable"
            tag.attributes[name] = as_text(row.attributes[name], groups)
        return tag

    def _size(self) -> Tag:
        """Write <size>, with the memory size in the largest unit that divides it."""
        tag, memory = self._settings("size", self.spec.size), self.spec.memory
        if memory >= 0:
            power = 0
            while memory and memory % 1024 == 0 and power < len(_UNITS):
                memory, power = memory // 1024, power + 1
            tag.attributes = {"memory": f"{memory}{_UNITS[power - 1] if power else ''}", **tag.attributes}
        return tag

    def _visual(self) -> Tag:
        groups = [self._tag(_row("visual", name), group) for name, group in self.spec.visual.items()]
        tag = Tag("visual")
        tag.children = [group for group in groups if group.attributes]
        return tag

    def _default(self, defaults_class: DefaultsClass) -> Tag:
        """Return the tag for a defaults class: values that differ from the enclosing class, and nested classes."""
        parent = defaults_class.parent
        tag = Tag("default", {"class": defaults_class.name} if parent else {})
        for kind, row in _DEFAULT_ROWS.items():
            base = parent.of(kind) if parent else defaults(kind)
            own = defaults_class.of(kind)
            found = {} if own is base else written_values(row, own, base, whole=(*WHOLE, "size"))
            if found:
                texts = {name: self._text(row, name, found[name], _NOTHING) for name in in_order(row, found)}
                tag.add(Tag(row.name, texts))
        for other in self.spec.classes.values():
            if other.parent is defaults_class:
                tag.add(self._default(other))
        return tag

    def _extension(self) -> Tag:
        """Write the extension section: the plugins in use, and their instances."""
        tag = Tag("extension")
        for name in self.spec.extensions:
            used = tag.add(Tag("plugin", {"plugin": name}))
            for instance in self.spec.plugins:
                if instance.plugin_name == name:
                    self._plugin(used.add(Tag("instance", {"name": instance.name})), instance, own=False)
            for title, plugin in self.shared.values():
                if plugin.plugin_name == name:
                    self._plugin(used.add(Tag("instance", {"name": title})), plugin, own=False)
        return tag

    # --- the tree ---

    def _contents(self, tag: Tag, plan: Plan, inherited: str) -> None:
        """Add the contents of a body or frame to its tag.

        `inherited` is the defaults class of elements that name none.
        """
        for name, element, inner in plan:
            if inner is not None:
                frame = Tag("frame", {"name": element.name} if element.name else {})
                self._contents(frame, inner, self._childclass(frame, element, inherited))
                # skip an empty frame
                tag.children += [frame] if frame.attributes else frame.children
            elif name == "body" and id(element) in self.macros:
                self._flexcomp(tag, self.macros[id(element)], element)
            elif name == "body":
                tag.add(self._body(element, inherited))
            else:
                tag.add(self._attached(name, element, inherited))

    def _childclass(self, tag: Tag, element: Element, inherited: str) -> str:
        """Return the defaults class for the contents of `element`. Write it if it differs from the inherited one."""
        name = element.__dict__.get("childclass", "")
        inside = self._classname(name) if name else inherited
        if inside != inherited:
            tag.attributes["childclass"] = inside
        return inside

    def _body(self, body: Any, inherited: str) -> Tag:
        """Return the tag for a body and its descendants."""
        tag = self._tag(_BODY, body)
        rest, tag.attributes = tag.attributes, {}
        if "name" in rest:
            tag.attributes["name"] = rest.pop("name")
        inside = self._childclass(tag, body, inherited)
        tag.attributes |= rest
        if body.inertial is not None:
            tag.add(self._tag(_BODY.children["inertial"], body.inertial))
        self._plugin(tag, body.__dict__.get("plugin"))
        self._contents(tag, arrange(body), inside)
        return tag

    def _flexcomp(self, tag: Tag, macro: Macro, body: Any) -> None:
        """Write a macro instead of the bodies that it creates, at the position of the first of them."""
        if body is not macro.bodies[0]:
            return
        row = _BODY.children["flexcomp"]
        made = tag.add(self._tag(row, macro.element))
        # contact, edge, elasticity
        made.children = self._tag(_row("deformable", "flex"), macro.flex).children
        pins = row.children["pin"]
        made.add(Tag("pin", {"id": as_text(pins.attributes["id"], macro.pinned)}))

    def _attached(self, name: str, element: Element, inherited: str) -> Tag:
        """Return the tag of a joint, geom, site, camera or light."""
        tag = self._tag(_BODY.children[name], element, inherited)
        if name == "geom":
            self._plugin(tag, element.__dict__.get("plugin"))
        return tag


EVEN_EMPTY = ("elasticity",)
"""Child elements that are written even if they have no attributes."""
_NOTHING = Element("", {})
_UNREAD = {"equality": unread_equality, "actuator": unread_actuator, "sensor": unread_sensor}
"""Functions that convert elements back to a tag and attributes, for element types with several tags."""


_GROUPS: dict[int, list[Row]] = {}
"""Cache of `_groups`, by the Python ids of grammar rows, which are permanent."""


def _groups(row: Row) -> list[Row]:
    """Return the rows of child elements that group an element's values, such as a flex's contact, in MuJoCo's order."""
    known = _GROUPS.get(id(row))
    if known is None:
        groups = [child for child in row.children.values() if child.once and row.kind and child.kind == row.kind]
        known = _GROUPS[id(row)] = sorted(groups, key=lambda child: child.name)
    return known


def _row(*path: str) -> Row:
    """Return the grammar row of the element at `path` below the root."""
    row = MUJOCO
    for name in path:
        row = row.children[name]
    return row
