"""Conversion of MJCF to a Spec."""

import os
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Any

from conjoint.lang.errors import ModelError
from conjoint.lang.language.name import Name, value_of
from conjoint.mjcf.attachment import read_attach, read_model, read_replicate
from conjoint.mjcf.bodies import BodyReader
from conjoint.mjcf.document import Node, read_file, read_text
from conjoint.mjcf.elements import read_extension, read_flex
from conjoint.mjcf.file_assets import FILE_ASSETS, read_file_asset
from conjoint.mjcf.include import expand
from conjoint.mjcf.relations import (
    read_actuators,
    read_contact,
    read_equality,
    read_sensors,
    read_shortcut,
    read_tendon,
)
from conjoint.mjcf.settings import read_compiler, read_option, read_size
from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.semantics import IN_FILES
from conjoint.spec import DefaultsClass, Spec
from conjoint.spec.element import TOP
from conjoint.spec.filename import base_name, given_file, on_disk, place
from conjoint.spec.keyframes import fill_up
from conjoint.spec.spec import choose

mjcf = Name("conjoint.mjcf")


def read_path(path: str | Path, assets: Mapping[str, bytes | str] | None = None, above: tuple[str, ...] = ()) -> Spec:
    """Return the spec of the MJCF file at `path`.

    Args:
        assets: files by name, looked up before the disk.
        above: files of the enclosing models in a chain of attachments, the outermost first.

    Raises:
        ModelError: the file is missing, is not XML, or breaks the grammar. The message lists all problems.
    """
    path = on_disk(os.fspath(path))
    # as in MuJoCo, the name of a folder ends in a slash
    return _read(read_file(path), os.path.join(os.path.dirname(path), ""), assets, above or (os.path.realpath(path),))


def read_string(
    xml: str | bytes, assets: Mapping[str, bytes | str] | None = None, above: tuple[str, ...] = (), name: str = "XML"
) -> Spec:
    """Read a Spec from MJCF text, which messages call `name`. For other arguments and errors see `read_path`."""
    data = xml.encode() if isinstance(xml, str) else xml
    if data.strip() and b"<" not in data and b"\n" not in data:
        start = data[:60].decode(errors="replace")
        raise ModelError(
            f"{name}: {start!r} is not XML; functions that read a file are called from_xml_path and from_file"
        )
    return _read(read_text(data, name), "", assets, above or (name,))


def _read(root: Node, directory: str, assets: Mapping[str, bytes | str] | None, above: tuple[str, ...]) -> Spec:
    """Return the spec of the document below `root`."""
    spec = Spec()
    spec.directory = directory
    spec.assets = dict(assets or {})
    reader = Reader(spec, above)
    if root.tag == "robot":
        value_of(mjcf.urdf).UrdfReader(reader).read(root)
        return spec
    if root.tag != "mujoco":
        raise ModelError(f"{root.at()}: the root is <{root.tag}>, expected <mujoco> or <robot>")
    reader.read(root, expand(root, directory, reader.problems, assets))
    return spec


MACROS: dict[str, Any] = {
    "replicate": read_replicate, "attach": read_attach,
    "flexcomp": mjcf.flexcomp.read_flexcomp, "composite": mjcf.composite.read.read_composite,
}  # fmt: skip
"""Functions that read macro elements, by tag."""


class Reader(BodyReader):
    """Reader of the sections of a document, which stores their contents in a Spec.

    Attributes:
        above: files of the enclosing models in a chain of attachments, ending with the file of this model.
    """

    macros = MACROS

    def __init__(self, spec: Spec, above: tuple[str, ...]):
        super().__init__(spec)
        self.above = above

    def _other_model(self, file: str, folder: str | None) -> Spec:
        """Read the spec of another model, which a file in `folder` refers to as `file`. Raises ModelError."""
        spec = self.spec
        given = given_file(spec.assets, file)
        if given is not None:
            name = base_name(file).lower()
            return read_string(given, spec.assets, self._attached(name, file), file)
        places = [place(each, file) for each in (spec.directory, folder or spec.directory)]
        path = next(filter(os.path.isfile, places), places[0])
        return read_path(path, spec.assets, self._attached(os.path.realpath(path), file))

    def _attached(self, found: str, file: str) -> tuple[str, ...]:
        """Return the files of the enclosing models, followed by the file called `file`, which is located at `found`.

        Raises:
            ModelError: the model would be attached to itself.
        """
        if found in self.above:
            raise ModelError(
                f"'{file}' is this model, or a model that it is attached to: files cannot attach each other in a circle"
            )
        return (*self.above, found)

    def read(self, root: Node, tags: Set[str]) -> None:
        """Read all sections. `tags` are the tags below `root`."""
        self.spec.modelname = self.values(root, MUJOCO).get("model", self.spec.modelname)
        rows = list(self.children(root, MUJOCO))
        self._choose_edition(rows)
        for node, row in sorted(rows, key=lambda section: ORDER[section[0].tag]):
            if not row.attributes:
                # report unknown attributes of sections that have no attributes
                self.values(node, row)
            SECTIONS[node.tag](self, node, row)
        if not tags.isdisjoint(("replicate", "attach")):
            # numbers of keyframes belong to the whole model, or to its first elements, without later copies
            fill_up(self.spec)
        self.problems.check()

    def _choose_edition(self, rows: list[tuple[Node, Row]]) -> None:
        """Set the semantics version from a custom text, before anything else is read."""
        for text in (text for node, _ in rows if node.tag == "custom" for text in node.children):
            if text.tag == "text" and text.attributes.get("name") == IN_FILES:
                try:
                    choose(self.spec, text.attributes.get("data", ""))
                except ValueError as error:
                    self.problems.add(f"<text>: {error}", text, "data")

    def read_visual(self, node: Node, row: Row) -> None:
        for child, group in self.children(node, row):
            values = self.values(child, group)
            for name in ("realtime", "znear"):
                if values.get(name, 1.0) <= 0:
                    self.problems.add(f"<{child.tag}>: {name} must be positive", child, name)
            self.spec.visual[group.kind].__dict__.update(values)
            self.spec.visual[group.kind].written |= set(values)

    def read_statistic(self, node: Node, row: Row) -> None:
        values = self.values(node, row)
        if values.get("extent", 1.0) <= 0:
            self.problems.add("<statistic>: extent must be positive", node, "extent")
        self.spec.statistic.__dict__.update(values)

    def read_defaults(self, node: Node, row: Row) -> None:
        name = node.attributes.get("class", "") or "main"
        if name != "main":
            self.problems.add("<default>: the class at the top must be 'main'", node, "class")
        self._default(node, row, self.spec.classes["main"])

    def _default(self, node: Node, row: Row, defaults_class: DefaultsClass) -> None:
        """Read the values of one defaults class, and then its nested classes, which start from its values."""
        self.values(node, row)
        nested = []
        for child, inner in self.children(node, row):
            if child.tag == "default":
                nested.append(child)
                continue
            base = defaults_class.of(inner.kind)
            values = self.fill(self.values(child, inner), inner, base)
            if inner.kind == "actuator":
                values = read_shortcut(self, child, values, defaults_class)
                defaults_class.shortcut = child.tag
            elif inner.kind == "camera":
                self._camera(child, values)
                if "projection" in values:
                    values["orthographic"] = values.pop("projection")
            elif inner.kind == "light" and "directional" in values:
                if "type" in values:
                    self.problems.add(
                        "<light>: type and directional cannot both be given: remove one of them", child, "directional"
                    )
                values["type"] = values.pop("directional")
            defaults_class.update(inner.kind, values)
        for child in nested:
            name = child.attributes.get("class", "")
            if not name:
                self.problems.add("<default>: the attribute 'class' is missing", child)
            elif name in self.spec.classes:
                self.problems.add(f"<default>: the class '{name}' is defined twice", child, "class")
            made = self.spec.classes[name] = DefaultsClass(name, defaults_class)
            self._default(child, row, made)

    def read_custom(self, node: Node, row: Row) -> None:
        for child, inner in self.children(node, row):
            element = self.element(child, inner)
            if inner.kind == "text" and element.name == IN_FILES:
                # this text selects the edition and is not stored
                continue
            if inner.kind == "tuple":
                element.elements = [self.element(item, item_row) for item, item_row in self.children(child, inner)]
            getattr(self.spec, TOP[inner.kind]).append(element)

    def read_assets(self, node: Node, row: Row) -> None:
        for child, inner in self.children(node, row):
            if inner.kind == "model":
                read_model(self, child, inner, len(self.above), self._other_model)
            elif inner.kind in FILE_ASSETS:
                read_file_asset(self, child, inner)
            else:
                material = self.element(child, inner)
                material.layers = [self.element(layer, layer_row) for layer, layer_row in self.children(child, inner)]
                if material.layers and material.texture:
                    self.problems.about(material, "has both 'texture' and <layer>")
                self.spec.materials.append(material)

    def read_deformables(self, node: Node, row: Row) -> None:
        for child, inner in self.children(node, row):
            if inner.kind in FILE_ASSETS:
                read_file_asset(self, child, inner)
            else:
                read_flex(self, child, inner)

    def read_worldbody(self, node: Node, row: Row) -> None:
        self.inside(node, row, self.spec.worldbody, None, "main")

    def read_keyframes(self, node: Node, row: Row) -> None:
        for child, inner in self.children(node, row):
            self.spec.keys.append(self.element(child, inner))


SECTIONS: dict[str, Callable[[Reader, Node, Row], None]] = {
    "compiler": read_compiler,
    "option": read_option,
    "size": read_size,
    "visual": Reader.read_visual,
    "statistic": Reader.read_statistic,
    "default": Reader.read_defaults,
    "extension": read_extension,
    "custom": Reader.read_custom,
    "asset": Reader.read_assets,
    "body": Reader.no_effect,
    "deformable": Reader.read_deformables,
    "contact": read_contact,
    "equality": read_equality,
    "tendon": read_tendon,
    "actuator": read_actuators,
    "sensor": read_sensors,
    "keyframe": Reader.read_keyframes,
    # last, because replicate copies elements that refer to its bodies
    "worldbody": Reader.read_worldbody,
}
"""Functions that read the sections of a file, by tag, in an order in which each section follows those that it needs."""

ORDER = {tag: place for place, tag in enumerate(SECTIONS)}
