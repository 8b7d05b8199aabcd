"""Spec to MJCF, in the order and with the words of the grammar.

What is written is canonical: macros are expanded, defaults classes are resolved into the elements, shortcuts of
actuators are general actuators. Only values that differ from the grammar's defaults are written, every number so that
it is read back exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conjoint.mjcf.markup import Tag, format_value
from conjoint.mjcf.relocate import FOLDERS, FileNames
from conjoint.mjcf.unread import unread_actuator, unread_equality, unread_sensor, unread_wrap
from conjoint.mjcf.written import Units, plain
from conjoint.schema.mjcf import MUJOCO, defaults
from conjoint.schema.mjcf import Element as Row
from conjoint.schema.mjcf.header import DISABLE_FLAGS, ENABLE_FLAGS
from conjoint.spec import Body, Element, Spec

BODY_LISTS = {"joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights"}
"""What a body holds, by tag, in the order it is written."""

_RESOLVED = ("class", "childclass")
"""Attributes whose effect is written out in the elements."""

_FREE = 0
_BODY = MUJOCO.children["worldbody"].children["body"]
_FRAME = _BODY.children["frame"]


def write_string(
    spec: Spec, changes: Mapping[int, Mapping[str, Any]] | None = None, directory: str | None = None
) -> str:
    """The model as MJCF text, which compiles to the same model.

    Args:
        spec: the model; it is not changed.
        changes: values to write instead of those of an element, by the id of the element.
        directory: folder that the text will be saved in, if asset files are to be found from there; None: their names
            stay as they are.
    """
    return Writer(spec, changes or {}, directory).write().text()


class Writer:
    """Makes the tags of one Spec."""

    def __init__(self, spec: Spec, changes: Mapping[int, Mapping[str, Any]], directory: str | None):
        self.spec = spec
        self.changes = changes
        self.files = FileNames(spec, directory)
        self.units = Units(spec)
        self.frames: set[int] = set()
        self.shared: dict[int, tuple[str, Element]] = {}

    def write(self) -> Tag:
        """The root, with all sections that have something to say."""
        spec = self.spec
        root = Tag("mujoco", {"model": spec.modelname})
        # before the extensions, which declare the plugins that bodies share
        worldbody = self._worldbody()
        sections = [
            self._compiler(),
            self._option(),
            self._size(),
            self._visual(),
            self._settings("statistic", spec.statistic),
            self._extension(),
            self._section("custom", (*spec.numerics, *spec.texts, *spec.tuples)),
            self._section("asset", self._of(("textures", "materials", "meshes", "hfields", "skins"))),
            worldbody,
            self._section("deformable", self._of(("flexes",))),
            self._section("contact", (*spec.pairs, *spec.excludes)),
            self._section("equality", spec.equalities),
            self._section("tendon", spec.tendons),
            self._section("actuator", spec.actuators),
            self._section("sensor", spec.sensors),
            self._section("keyframe", self.changes.get(id(spec), {}).get("keys", spec.keys)),
        ]
        root.children = [section for section in sections if section.attributes or section.children]
        return root

    def _of(self, names: Iterable[str]) -> list[Element]:
        """Elements of some lists of the model."""
        return [element for name in names for element in getattr(self.spec, name, ())]

    # --- what every element needs ---

    def _attributes(self, row: Row, values: Mapping[str, Any], base: Mapping[str, Any], element: Any) -> dict[str, str]:
        """Attributes of `row` whose values differ from those of `base`."""
        attributes = {}
        for name, attribute in row.attributes.items():
            lands = attribute.lands
            value = values.get(lands) if lands and name not in _RESOLVED else None
            if value is None:
                continue
            if lands.endswith("alt"):
                if value[0] != name:
                    continue
                value = value[1]
            elif lands.endswith("quat") and values.get(lands.replace("quat", "alt")) is not None:
                continue
            value = plain(value)
            if not attribute.required and (value == base.get(lands, attribute.default) or value in ((), "")):
                continue
            if attribute.type == "text" and name.startswith("file"):
                value = self.files.of(element, value)
            attributes[name] = format_value(attribute, self.units.convert(attribute, value, element))
        return attributes

    def _tag(self, row: Row, element: Element, name: str = "", more: Mapping[str, Any] | None = None) -> Tag:
        """Tag of one element; `more` are values of attributes that do not land in the Spec."""
        base = defaults(row.kind) if row.kind else {}
        values = self._values(element)
        tag = Tag(name or row.name, self._attributes(row, values, base, element))
        for attribute, value in (more or {}).items():
            tag.attributes[attribute] = format_value(row.attributes[attribute], plain(value))
        for child in row.children.values():
            # groups of values, such as the contact of a flex
            if child.once and child.kind in ("", row.kind) and child.name != "plugin":
                attributes = self._attributes(child, values, base, element)
                if attributes:
                    tag.add(Tag(child.name, attributes))
        return tag

    def _values(self, element: Element) -> Mapping[str, Any]:
        """Values of `element`, with the changes."""
        values = self.units.own(element)
        changed = self.changes.get(id(element))
        return {**values, **changed} if changed else values

    def _parts(self, tag: Tag, row: Row, name: str, parts: Iterable[Element]) -> None:
        """Add children `name` to `tag`."""
        for part in parts:
            tag.add(self._tag(row.children[name], part))

    def _plugin(self, tag: Tag, plugin: Element | None, own: bool = True) -> None:
        """Add the plugin that an element uses; `own`: in a tag of its own, else its settings only."""
        if plugin is None:
            return
        holder = tag
        if own and plugin.__dict__.get("shared"):
            if id(plugin) not in self.shared:
                taken = {title for title, _ in self.shared.values()}
                title = plugin.shared + (str(len(taken)) if plugin.shared in taken else "")
                self.shared[id(plugin)] = (title, plugin)
            tag.add(Tag("plugin", {"instance": self.shared[id(plugin)][0]}))
            return
        if own:
            named = {"plugin": plugin.plugin_name, "instance": plugin.name}
            holder = tag.add(Tag("plugin", {name: value for name, value in named.items() if value}))
        for key, value in plugin.config.items():
            holder.add(Tag("config", {"key": key, "value": value}))

    def _section(self, name: str, elements: Iterable[Element]) -> Tag:
        """A section of elements that are not in the tree."""
        section = Tag(name)
        section.children = [self._relation(_row(name), element) for element in elements]
        return section

    def _relation(self, section: Row, element: Element) -> Tag:
        """Tag of an element of a section, whatever its kind."""
        kind = element.kind
        if id(element) in self.changes:
            changed = element.copy()
            changed.__dict__.update(self.changes[id(element)])
            element = changed
        if kind in _UNREAD:
            name, more = _UNREAD[kind](element)
            tag = self._tag(section.children[name], element, name, more)
            self._plugin(tag, element.__dict__.get("plugin"), own=False)
            return tag
        if kind == "tendon":
            return self._tendon(section, element)
        row = section.children[kind]
        tag = self._tag(row, element)
        if kind == "flex" and element.nodebody and not element.vertbody:
            # vertices that follow nodes belong to the world
            tag.attributes["body"] = " ".join(["world"] * (len(element.vert) // 3))
        for name, parts in (("layer", "layers"), ("element", "elements"), ("bone", "bones")):
            if name in row.children and parts in element.__dict__:
                self._parts(tag, row, name, element.__dict__[parts])
        if kind == "mesh":
            self._plugin(tag, element.__dict__.get("plugin"))
        return tag

    def _tendon(self, section: Row, tendon: Element) -> Tag:
        """A tendon is fixed if it goes through joints."""
        tags = [unread_wrap(wrap) for wrap in tendon.wraps]
        row = section.children["fixed" if "joint" in tags else "spatial"]
        tag = self._tag(row, tendon)
        for name, wrap in zip(tags, tendon.wraps, strict=True):
            tag.add(self._tag(row.children[name], wrap))
        return tag

    # --- settings ---

    def _settings(self, name: str, element: Element, *children: Tag) -> Tag:
        """A section that is one element; children without attributes are left out."""
        tag = self._tag(_row(name), element)
        tag.children = [child for child in children if child.attributes]
        return tag

    def _compiler(self) -> Tag:
        lengthrange = self._tag(_row("compiler", "lengthrange"), self.spec.lengthrange)
        tag = self._settings("compiler", self.spec.compiler, lengthrange)
        if self.files.directory is not None:
            for name in FOLDERS:
                tag.attributes.pop(name, None)
        return tag

    def _option(self) -> Tag:
        """option, with its bits as flags and groups."""
        option, row = self._values(self.spec.option), _row("option")
        flags = {name: "disable" for i, name in enumerate(DISABLE_FLAGS) if option["disableflags"] >> i & 1}
        flags |= {name: "enable" for i, name in enumerate(ENABLE_FLAGS) if option["enableflags"] >> i & 1}
        tag = self._settings("option", self.spec.option, Tag("flag", flags))
        groups = tuple(i for i in range(32) if option["disableactuator"] >> i & 1)
        if groups:
            name = "actuatorgroupdisable"
            tag.attributes[name] = format_value(row.attributes[name], groups)
        return tag

    def _size(self) -> Tag:
        tag = self._settings("size", self.spec.size)
        if self.spec.memory >= 0:
            tag.attributes["memory"] = str(self.spec.memory)
        return tag

    def _visual(self) -> Tag:
        groups = [self._tag(_row("visual", name), group) for name, group in self.spec.visual.items()]
        tag = Tag("visual")
        tag.children = [group for group in groups if group.attributes]
        return tag

    def _extension(self) -> Tag:
        """Plugins in use, with their instances."""
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

    def _worldbody(self) -> Tag:
        tag = Tag("worldbody")
        self._contents(tag, self.spec.worldbody)
        return tag

    def _body(self, body: Body) -> Tag:
        tag = self._tag(_BODY, body)
        inertial = self._values(body).get("inertial")
        if inertial is not None:
            tag.add(self._tag(_BODY.children["inertial"], inertial))
        self._contents(tag, body)
        self._plugin(tag, body.__dict__.get("plugin"))
        return tag

    def _contents(self, tag: Tag, body: Body) -> None:
        """Add what is attached to `body` and the bodies below it, those in a frame inside that frame."""
        for name, elements in (*BODY_LISTS.items(), ("body", "bodies")):
            holder, current = tag, None
            for element in getattr(body, elements):
                frame = self._values(element).get("frame")
                if frame is not current:
                    holder, current = self._frame(tag, frame), frame
                holder.add(self._body(element) if name == "body" else self._attached(name, element))

    def _frame(self, tag: Tag, frame: Element | None) -> Tag:
        """Open `frame`, and those around it, inside `tag`."""
        if frame is None:
            return tag
        opened = self._frame(tag, frame.__dict__.get("frame")).add(self._tag(_FRAME, frame))
        if id(frame) in self.frames:
            # the name is taken by the part of the frame that is written already
            opened.attributes.pop("name", None)
        self.frames.add(id(frame))
        return opened

    def _attached(self, name: str, element: Element) -> Tag:
        """Tag of a joint, geom, site, camera or light."""
        if name == "joint" and element.type == _FREE:
            tag = self._freejoint(element)
        else:
            tag = self._tag(_BODY.children[name], element)
        if name == "geom":
            self._plugin(tag, element.__dict__.get("plugin"))
        return tag

    def _freejoint(self, joint: Element) -> Tag:
        """A free joint, in its short form if nothing but name, group and alignment is given."""
        row = _BODY.children["freejoint"]
        short = Tag("freejoint", self._attributes(row, self._values(joint), {}, joint))
        full = self._tag(_BODY.children["joint"], joint)
        return full if set(full.attributes) - {"name", "group", "type", "limited"} else short


_UNREAD = {"equality": unread_equality, "actuator": unread_actuator, "sensor": unread_sensor}
"""Kinds that are written under several tags."""


def _row(*path: str) -> Row:
    """Row of the element at `path` below the root."""
    row = MUJOCO
    for name in path:
        row = row.children[name]
    return row
