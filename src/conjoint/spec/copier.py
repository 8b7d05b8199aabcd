"""Copies of a part of a model, under new names."""

from __future__ import annotations

from typing import Any

from conjoint.spec.element import Body, Element
from conjoint.spec.lists import ATTACHED, BODY_CONTENTS, PARTS
from conjoint.spec.namespace import BODY_LISTS, Namespace, Reference, references
from conjoint.spec.spec import Spec

KEEP_NAME = ("flex", "skin")
"""Kinds whose names do not change, as in the official compiler; what refers to them by name does not come along."""


class Copier:
    """Copies a part of a tree.

    Attributes:
        copies: copy of every element, by the id of the original.
        names: names of the originals, by kind.
        plugins: copies of the plugins that elements use, by the id of the original.
        instances: names of instances of plugins that are copied, too.
        used: names of the instances of plugins that copies use.
        known: names of all instances of plugins of the model that parts are copied of.
    """

    def __init__(self, namespace: Namespace, source: Spec):
        self.namespace = namespace
        self.settings = source.compiler
        self.copies: dict[int, Element] = {}
        self.frames: dict[int, Element] = {}
        self.names: dict[str, set[str]] = {}
        self.plugins: dict[int, Element] = {}
        self.instances: set[str] = set()
        self.used: set[str] = set()
        self.known = {instance.name for instance in source.plugins}

    def body(self, body: Body, frame: Element | None) -> Body:
        """Copy of `body` and all below it, in `frame`."""
        copy: Any = self.element(body)
        copy.__dict__.update(zip(BODY_CONTENTS, ([], [], [], [], [], []), strict=True), frame=frame)
        copy.__dict__.pop("frames", None)
        if body.inertial is not None:
            copy.inertial = self.element(body.inertial)
            copy.inertial.frame = None
        self.contents(body, copy, None)
        return copy

    def contents(self, body: Body, into: Body, frame: Element | None) -> None:
        """Copy what is in `body` to `into`; what has no frame there is put in `frame`."""
        for name in ATTACHED.values():
            elements = body.__dict__[name]
            if not elements:
                continue
            copies = [self.element(element) for element in elements]
            for copy in copies:
                inner = copy.__dict__.get("frame")
                copy.frame = frame if inner is None else self.copied_frame(inner, frame)
            into.__dict__[name] += copies
        for child in body.bodies:
            into.bodies.append(self.body(child, self.copied_frame(child.__dict__.get("frame"), frame)))
        frames = body.__dict__.get("frames")
        if frames:
            # those that hold nothing come along too
            into.__dict__.setdefault("frames", []).extend([self.copied_frame(inner, frame) for inner in frames])

    def copied_frame(self, inner: Element | None, outer: Element | None) -> Element | None:
        """Copy of the frame `inner`, the outermost of which is put in `outer`."""
        if inner is None:
            return outer
        copy = self.frames.get(id(inner))
        if copy is None:
            copy = self.frames[id(inner)] = self.element(inner)
            copy.frame = self.copied_frame(inner.frame, outer)
        return copy

    def class_name(self, name: str) -> str:
        """New name of a defaults class; what is of the main class is of the target's main class from now on."""
        return name if name == "main" or not self.namespace.foreign else self.namespace.of(name)

    def knows(self, reference: Reference) -> bool:
        """True if what is referred to was copied."""
        return reference.name in self.names.get(reference.kind, ())

    def element(self, element: Element, inside: bool = True) -> Any:
        """Copy of one element under its new name.

        Its references change too; if it is not `inside` the attached part, only those to what was copied.
        """
        copy = self.copies[id(element)] = element.copy()
        name = element.__dict__.get("name")
        if name and element.kind not in KEEP_NAME:
            self.names.setdefault(element.kind, set()).add(name)
            copy.__dict__["name"] = self.namespace.of(name)
        if self.namespace.foreign:
            copy.__dict__.setdefault("settings", self.settings)
        if self.namespace.foreign or self.instances:
            self._rename_plugin(copy)
        for attribute in ("classname", "childclass"):
            if copy.__dict__.get(attribute):
                copy.__dict__[attribute] = self.class_name(copy.__dict__[attribute])
        parts = PARTS.get(element.kind)
        if parts is not None:
            setattr(copy, parts, [part.copy() for part in element.__dict__.get(parts, ())])
        lists = BODY_LISTS.get(element.kind, ())
        for reference in references(copy):
            shared = reference.kind in self.namespace.shared or reference.attribute in lists
            if not shared and (inside or self.knows(reference)):
                setattr(reference.element, reference.attribute, self.namespace.of(reference.name))
        for attribute in lists:
            # all of them are copied, or the world
            names = (name if name == "world" else self.namespace.of(name) for name in copy.__dict__.get(attribute, ()))
            setattr(copy, attribute, tuple(names))
        return copy

    def _rename_plugin(self, copy: Any) -> None:
        """Let the plugin that a copied element uses be that of the copied instance."""
        use = copy.__dict__.get("plugin")
        if use is not None and (self.namespace.foreign or use.name in self.instances):
            self.used.add(use.name)
            # bodies that share an instance still do
            renamed: Any = self.plugins.setdefault(id(use), use.copy())
            # what was shared before uses an instance of the target
            if use.name in self.known:
                renamed.name = self.namespace.of(use.name)
            copy.plugin = renamed
