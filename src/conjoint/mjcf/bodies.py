"""Reader of bodies and frames, with their contents and the macros that expand to several elements."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from conjoint.lang.language.name import value_of
from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader, read_plugin
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Body, Element, Spec


class BodyReader(ElementReader):
    """Reader of the bodies of a Spec.

    Attributes:
        macros: functions that read macro elements, by tag.
        frames: names of the frames read so far.
        body_class: defaults class for the contents of a body, except contents of frames, by the Python id of the body.
        replicating: current nesting depth of <replicate>.
    """

    macros: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, spec: Spec):
        super().__init__(spec)
        self.frames: set[str] = set()
        self.body_class: dict[int, str] = {}
        self.replicating = 0

    def inside(self, node: Node, row: Row, body: Body, frame: Element | None, inherited: str) -> None:
        """Read the contents of a body or frame into `body`."""
        if not node.children:
            return
        lists = {"geom": body.geoms, "site": body.sites, "camera": body.cameras, "light": body.lights}
        for child, inner in self.children(node, row):
            tag = child.tag
            if tag == "plugin":
                body.plugin = read_plugin(self, child, inner, self.values(child, inner))
                continue
            if tag in lists:
                element = self.element(child, inner, inherited)
                if tag == "light":
                    self._light(element)
                elif tag == "camera":
                    self._camera(child, element.written)
                    self._projection(element)
                elif tag == "geom" and child.children:
                    for item, item_row in self.children(child, inner):
                        element.plugin = read_plugin(self, item, item_row, self.values(item, item_row))
                lists[tag].append(element)
            elif tag == "joint":
                element = self.element(child, inner, inherited)
                body.joints.append(element)
            elif tag == "freejoint":
                element = Element("joint", defaults("joint"), child)
                element.__dict__.update({"type": 0, "align": 2, "limited": 0, **self.values(child, inner)})
                body.joints.append(element)
            elif tag == "inertial":
                if body.inertial is not None:
                    self.problems.add("<inertial> may appear only once in a body", child)
                element = body.inertial = self.element(child, inner)
            elif tag == "body":
                self._body(child, inner, body, frame, inherited)
                continue
            elif tag in self.macros:
                value_of(self.macros[tag])(self, child, inner, body, frame, inherited)
                continue
            else:
                self._frame(child, inner, body, frame, inherited)
                continue
            element.frame = frame

    def _light(self, light: Element) -> None:
        """Convert the attribute `directional` of a light, an old form of `type`."""
        if "directional" in light.written:
            if "type" in light.written:
                self.problems.about(
                    light, "type and directional cannot both be given: remove one of them", "directional"
                )
            light.type = light.directional

    def _projection(self, camera: Element) -> None:
        """Convert the attribute `orthographic` of a camera, an old form of `projection`."""
        if "projection" in camera.written:
            camera.orthographic = camera.projection
            camera.written |= {"orthographic"}

    def _camera(self, node: Node, written: Iterable[str]) -> None:
        """Check that a camera has either `fovy`, or a sensor size and a resolution."""
        optics = {"focal_length", "focal_pixel", "principal_length", "principal_pixel"}.intersection(written)
        if optics and "sensor_size" not in written:
            self.problems.add("<camera>: focal and principal need sensorsize", node)
        if "sensor_size" in written:
            if "resolution" not in written:
                self.problems.add("<camera>: sensorsize needs resolution", node, "sensorsize")
            if "fovy" in written:
                self.problems.add(
                    "<camera>: fovy and sensorsize cannot both be given: remove one of them", node, "fovy"
                )

    def _body(self, node: Node, row: Row, parent: Body, frame: Element | None, inherited: str) -> None:
        values = self.values(node, row)
        body = Body(defaults("body"), node)
        body.__dict__.update(values)
        body.frame = frame
        parent.bodies.append(body)
        self.body_class[id(body)] = body.classname = inner = self.childclass(node, inherited)
        self.inside(node, row, body, None, inner)

    def _frame(self, node: Node, row: Row, body: Body, outer: Element | None, inherited: str) -> None:
        frame = self.element(node, row)
        frame.frame = outer
        if frame.name in self.frames:
            self.problems.about(frame, "another frame has the same name", "name")
        self.frames.update([frame.name] if frame.name else [])
        # keep even empty frames, for later attachment
        body.__dict__.setdefault("frames", []).append(frame)
        frame.classname = inner = self.childclass(node, inherited)
        self.inside(node, row, body, frame, inner)
