"""Creation of elements with initial values, and copies of editable models."""

from collections.abc import Mapping
from typing import Any

from conjoint.mjcf.relations import EQUALITY_DATA
from conjoint.spec import Body, DefaultsClass, Element, Spec
from conjoint.spec.copier import Copier, Namespace
from conjoint.spec.element import ATTACHED, PARTS, TOP
from conjoint.spec.keyframes import rename_layout
from conjoint.spec.problems import guarded

CLASSED = ("actuator", "equality", "pair", "tendon", "mesh", "texture", "material")
"""Element types outside of bodies that have defaults classes."""

INITIAL: dict[str, dict[str, Any]] = {
    "actuator": {"trntype": 1000, "target": "", "plugin": None},
    "sensor": {
        "type": 0, "objtype": 0, "objname": "", "reftype": 0, "refname": "", "intprm": (0, 0, 0), "plugin": None,
    },
    "equality": {"type": 0, "objtype": 0, "name1": "", "name2": "", "data": EQUALITY_DATA},
    "plugin": {"plugin_name": "", "active": 0},
}  # fmt: skip
"""Initial values, by element type, of attributes that have no default because XML files always set them."""


def new_element(kind: str, base: Mapping[str, Any], classname: str) -> Any:
    """Return a new element with the values `base` of a defaults class."""
    element = Body(base) if kind == "body" else Element(kind, base)
    values = element.__dict__
    for name, value in INITIAL.get(kind, {}).items():
        # users may have changed these values in the defaults class
        if kind not in CLASSED or name not in base:
            values[name] = value
    parts = PARTS.get(kind)
    if parts:
        values[parts] = []
    elif kind == "plugin":
        values["config"] = {}
    values["classname"] = classname
    return element


_OWNERS = {*PARTS, "plugin"}
"""Element types whose elements have mutable parts."""
_SETTINGS = ("compiler", "lengthrange", "option", "size", "statistic")


class _WholeCopier(Copier):
    """Copier for a whole model, which does not rename elements."""

    def __init__(self, source: Spec):
        super().__init__(Namespace("", "", False), source)

    def body(self, body: Body, frame: Element | None) -> Body:
        """Return a copy of `body` and its descendants."""
        copy: Body = self.element(body)
        self._fill(copy.__dict__)
        return copy

    def _fill(self, values: dict[str, Any]) -> None:
        """Replace the contents of a copied body, which are still shared with the original, by copies."""
        for name in ATTACHED.values():
            found = values[name]
            # skip the call for empty lists, which are the most frequent
            values[name] = self.elements(found) if found else []
        values["bodies"] = self.elements(values["bodies"])
        for child in values["bodies"]:
            self._fill(child.__dict__)
        if values["inertial"] is not None:
            values["inertial"] = self.element(values["inertial"])
        if values.get("frames"):
            values["frames"] = [self.copied_frame(frame, None) for frame in values["frames"]]

    def element(self, element: Element, inside: bool = True) -> Any:
        """Return a copy of one element and its parts."""
        return self.elements([element])[0]

    def elements(self, elements: list[Any]) -> list[Any]:
        """Return copies of several elements and their parts."""
        copies, new, made = self.copies, object.__new__, []
        for element in elements:
            copy = copies[id(element)] = new(type(element))
            values = copy.__dict__ = element.__dict__.copy()
            if values["kind"] in _OWNERS or values.get("frame") or values.get("plugin") or "idle_plugin" in values:
                self._own(values)
            made.append(copy)
        return made

    def _own(self, values: dict[str, Any]) -> None:
        """Replace the mutable parts of a copied element, which are still shared with the original, by copies."""
        kind, plugin = values["kind"], values.get("plugin")
        if kind in PARTS:
            values[PARTS[kind]] = [part.copy() for part in values.get(PARTS[kind], ())]
        elif kind == "plugin":
            values["config"] = dict(values.get("config", ()))
        if values.get("frame") is not None:
            values["frame"] = self.copied_frame(values["frame"], None)
        values.pop("idle_plugin", None)
        if plugin is not None:
            if id(plugin) not in self.plugins:
                self.plugins[id(plugin)] = plugin.copy()
                self.plugins[id(plugin)].config = dict(plugin.config)
            values["plugin"] = self.plugins[id(plugin)]


@guarded
def copy_spec(spec: Spec) -> tuple[Spec, dict[int, Element]]:
    """Return a copy of a Spec that shares only immutable values, and a map from ids of originals to copied elements."""
    copy = object.__new__(Spec)
    copy.__dict__.update(spec.__dict__, late=[], places={}, last_compiled=None)
    copy.assets, copy.models, copy.extensions = dict(spec.assets), dict(spec.models), list(spec.extensions)
    for name in _SETTINGS:
        copy.__dict__[name] = spec.__dict__[name].copy()
    copy.visual = {group: element.copy() for group, element in spec.visual.items()}
    copy.classes = _classes(spec)
    copier = _WholeCopier(spec)
    copy.worldbody = copier.body(spec.worldbody, None)
    for name in TOP.values():
        elements = spec.__dict__[name]
        copy.__dict__[name] = copier.elements(elements) if elements else []
    for key in copy.keys:
        rename_layout(key, copier.copies)
    return copy, copier.copies


def _classes(spec: Spec) -> dict[str, DefaultsClass]:
    """Return copies of all defaults classes, by name."""
    made: dict[str, DefaultsClass] = {}
    for name, found in spec.classes.items():
        copy = made[name] = DefaultsClass(name, made.get(found.parent.name) if found.parent else None)
        copy.values = {kind: dict(values) for kind, values in found.values.items()}
    return made
