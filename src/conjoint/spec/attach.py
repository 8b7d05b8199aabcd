"""Attachment of a part of a model to a body of the same or another model, under new names.

The part is copied, together with elements outside of bodies that refer to it (actuators, sensors, tendons, ...). Names
get a prefix and a suffix, so that the names of copies are unique (XML Reference: attach, replicate).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from conjoint.lang.errors import ModelError
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec.conflict import merge_settings
from conjoint.spec.copier import Copier, Namespace, Reference, references
from conjoint.spec.element import ATTACHED, BODY_CONTENTS, TOP, Body, Element, within
from conjoint.spec.keyframes import attach_keys, rename_layout
from conjoint.spec.spec import DefaultsClass, Spec

ASSETS = ("texture", "material", "mesh", "hfield")
"""Types of elements that are copied from another model, even if unused."""

DATA = ("numeric", "text")
"""Types of custom data that are copied from another model. Tuples are copied only if all members are attached."""

REFERRING = {
    kind: TOP[kind] for kind in ("skin", "flex", "pair", "exclude", "tendon", "equality", "actuator", "sensor")
}
"""Types of elements that are copied if they refer to the attached part, with the names of their lists.

A type precedes the types that can refer to it.
"""

STRICT = ("skin", "flex", "equality", "actuator")
"""Types of elements that are copied only if all their references are attached.

Elements of other types may also refer to elements of the target model.
"""

MOST_SENSORS = 100_000
"""Maximum number of sensors after replication."""


def attach_body(
    target: Spec, parent: Body, frame: Element | None, source: Spec, body: Body, prefix: str, suffix: str = ""
) -> Body:
    """Attach a copy of `body` with its descendants, and copies of elements that refer to it.

    Args:
        target: the model that receives the copy.
        parent: body of `target`, the parent of the copy.
        frame: frame of `parent` for the copy; None for the body itself.
        source: the model of `body`; may be `target`.
        prefix, suffix: strings added to all names.

    Returns:
        The copy.
    """
    copier = Copier(Namespace(prefix, suffix, source is not target), source)
    copy = copier.body(body, frame)
    parent.bodies.append(copy)
    bring(target, source, copier)
    return copy


def attach_model(
    target: Spec, parent: Body, frame: Element | None, source: Spec, prefix: str, suffix: str = ""
) -> None:
    """Attach everything in the world of another model. For the arguments see `attach_body`."""
    copier = Copier(Namespace(prefix, suffix, True), source)
    copier.contents(source.worldbody, parent, frame)
    bring(target, source, copier)


def attach_frame(
    target: Spec, parent: Body, frame: Element | None, source: Spec, holder: Body, inner: Element, prefix: str
) -> None:
    """Attach a copy of the frame `inner` of the body `holder`, with its contents and elements that refer to these.

    Enclosing frames are not copied. Other arguments are as in `attach_body`.
    """
    copier = Copier(Namespace(prefix, "", source is not target), source)
    copy = copier.frames[id(inner)] = copier.element(inner)
    copy.frame = frame
    found, made = within(holder, inner), Body({"name": ""})
    # copy first, because the part may contain its destination
    copier.contents(found, made, None)
    frames = [copy, *made.__dict__.get("frames", ())]
    parent.__dict__.setdefault("frames", []).extend(frames)
    for name in BODY_CONTENTS:
        getattr(parent, name).extend(getattr(made, name))
    bring(target, source, copier)


def replicate(spec: Spec, parent: Body, frames: Iterable[tuple[Element, str]], contents: Body) -> None:
    """Add copies of `contents` to `parent`, and copies of elements that refer to the contents. Remove the originals.

    Args:
        spec: the model.
        parent: the body that receives the copies.
        frames: frame of `parent` and suffix of every copy.
        contents: a body outside of the tree, whose contents are copied. In keyframes of attached models, the first copy
            gets the numbers of the original.

    Raises:
        ModelError: there are too many sensors, or a plugin instance is used only by copies.
    """
    touching = _touching(spec, contents)
    frames = list(frames)
    instances = _instances(spec, contents, touching) if frames else []
    sensors = {id(sensor) for sensor in touching["sensor"]}
    alone = any(not any(references(sensor)) for sensor in spec.sensors)
    first: dict[int, Element] | None = None
    for frame, suffix in frames:
        copier = Copier(Namespace("", suffix, False), spec)
        copier.instances = {instance.name for instance in instances}
        spec.plugins.extend([copier.element(instance) for instance in instances])
        copier.contents(contents, parent, frame)
        if alone:
            # sensors without references are copied with every copy, including earlier copies
            touching["sensor"] = [one for one in spec.sensors if id(one) in sensors or not any(references(one))]
        _bring_referring(spec, touching, copier)
        if len(spec.sensors) > MOST_SENSORS:
            raise ModelError(f"replicate: over {MOST_SENSORS} sensors: those without an object double with each copy")
        first = copier.copies if first is None else first
    for key in spec.keys:
        rename_layout(key, first or {})
    for kind, name in REFERRING.items():
        gone = sensors if kind == "sensor" else {id(element) for element in touching[kind]}
        setattr(spec, name, [element for element in getattr(spec, name) if id(element) not in gone])


def _instances(spec: Spec, contents: Body, touching: dict[str, list[Element]]) -> list[Element]:
    """Return the named plugin instances that `contents` and elements referring to it use.

    Every copy of the contents gets copies of these instances.

    Raises:
        ModelError: one of the instances is not used elsewhere.
    """
    copied = {id(element) for element in _users(contents)} | {id(one) for found in touching.values() for one in found}
    inside: dict[str, Element] = {}
    outside = set()
    for element in (*_users(spec.worldbody), *_users(contents), *spec.meshes, *spec.actuators, *spec.sensors):
        use = element.__dict__.get("plugin")
        if use is not None and use.name and id(element) in copied:
            inside.setdefault(use.name, use)
        elif use is not None:
            outside.add(use.name)
    for name, use in inside.items():
        if name not in outside:
            where = f"{use.place.at('instance')}: " if use.place is not None else ""
            raise ModelError(
                f"{where}<replicate>: the instance '{name}' is used only by copies: write the plugin and its "
                "settings there instead"
            )
    return [instance for instance in spec.plugins if instance.name in inside]


def _users(body: Body) -> Iterator[Element]:
    """Yield the elements in a body's subtree that may use a plugin: bodies and geoms."""
    yield body
    yield from body.geoms
    for child in body.bodies:
        yield from _users(child)


def _touching(spec: Spec, contents: Body) -> dict[str, list[Element]]:
    """Return the elements that refer to `contents`, directly or indirectly, by element type.

    Elements with unresolved references are skipped. They are reported later.
    """
    copier = Copier(Namespace("", "", False), spec)
    copier.contents(contents, Body({}), None)
    present = _Names(spec)
    touching: dict[str, list[Element]] = {}
    for kind, name in REFERRING.items():
        touching[kind] = []
        for element in getattr(spec, name):
            if kind == "sensor":
                inside = any(references(element)) and _belongs(element, kind, copier, present)
            else:
                wanted = list(references(element))
                found = [copier.knows(reference) for reference in wanted]
                inside = any(found) and all(
                    known or reference.kind not in _Names.KINDS or present.has(reference.kind, reference.name)
                    for known, reference in zip(found, wanted, strict=True)
                )
            if inside:
                touching[kind].append(element)
                copier.names.setdefault(kind, set()).add(element.__dict__.get("name", ""))
    return touching


def bring(target: Spec, source: Spec, copier: Copier) -> None:
    """Copy elements that refer to the attached part. From another model, also copy all assets, data and classes."""
    if copier.namespace.foreign:
        merge_settings(target, source)
        for name in (TOP[kind] for kind in (*ASSETS, *DATA)):
            getattr(target, name).extend([copier.element(element) for element in getattr(source, name)])
        _bring_classes(target, source, copier.namespace)
        target.extensions.extend(name for name in source.extensions if name not in target.extensions)
    _bring_referring(target, {kind: list(getattr(source, name)) for kind, name in REFERRING.items()}, copier)
    if copier.namespace.foreign:
        _bring_instances(target, source, copier)
        present = _Names(target)
        whole = [one for one in source.tuples if all(_resolves(ref, copier, present) for ref in references(one))]
        target.tuples.extend([copier.element(one) for one in whole])
        if source.keys:
            # keyframes required by `nkey` come first
            missing = target.size.nkey - len(target.keys)
            blanks: list[Any] = [Element("key", defaults("key")) for _ in range(missing)]
            target.keys.extend(blanks)
        attach_keys(target, source, copier.namespace, copier.copies)


def _bring_instances(target: Spec, source: Spec, copier: Copier) -> None:
    """Copy the named plugin instances of the attached part. Each attached part has its own instances.

    If parts that are not yet attached also use an instance, the original stays in `source` and is not shared.
    """
    left = set()
    for element in (*_users(source.worldbody), *source.meshes, *source.actuators, *source.sensors):
        use = element.__dict__.get("plugin")
        if use is not None and id(element) not in copier.copies:
            left.add(use.name)
    for instance in source.plugins:
        if instance.name in copier.used:
            target.plugins.append(copier.element(instance))
            if instance.name in left:
                del copier.copies[id(instance)]


def _bring_referring(target: Spec, candidates: dict[str, list[Element]], copier: Copier) -> None:
    """Copy the elements in `candidates` that belong to the attached part."""
    present = _Names(target)
    for kind, elements in candidates.items():
        copies = getattr(target, REFERRING[kind])
        for element in elements:
            if _belongs(element, kind, copier, present):
                copies.append(copier.element(element, inside=False))


def _belongs(element: Element, kind: str, copier: Copier, present: _Names) -> bool:
    """Return True if `element` is to be copied with the attached part."""
    wanted = [reference for reference in references(element) if reference.kind not in copier.namespace.shared]
    if not wanted:
        # the bodies of a skin are named in its file, which is read later
        return kind == "sensor" or (kind == "skin" and copier.namespace.foreign and bool(element.__dict__["file"]))
    found = [copier.knows(reference) for reference in wanted]
    if all(found) or not any(found) or kind in STRICT:
        return all(found)
    return all(ok or present.has(reference.kind, reference.name) for ok, reference in zip(found, wanted, strict=True))


def _resolves(reference: Reference, copier: Copier, present: _Names) -> bool:
    """Return True if a member of a tuple was copied, or if another element has the member's new name."""
    return copier.knows(reference) or present.has(reference.kind, copier.namespace.of(reference.name))


def _bring_classes(target: Spec, source: Spec, namespace: Namespace) -> None:
    """Copy the defaults classes of another model under their new names."""
    made: dict[str, DefaultsClass] = {}
    for name, defaults_class in source.classes.items():
        parent = defaults_class.parent
        copy = DefaultsClass(namespace.of(name), made[parent.name] if parent else target.classes["main"])
        copy.values = dict(defaults_class.values)
        copy.__dict__["settings"] = source.compiler
        made[name] = copy
        target.classes.setdefault(copy.name, copy)


class _Names:
    """Names of a model's elements, by type. They are collected on first use."""

    KINDS = frozenset({"body", *ATTACHED, *REFERRING})

    def __init__(self, spec: Spec):
        self.spec = spec
        self.known: dict[str, set[str]] = {}

    def has(self, kind: str, name: str) -> bool:
        """Return True if there is an element of type `kind` called `name`."""
        if not self.known:
            self._collect(self.spec.worldbody)
            for other, elements in REFERRING.items():
                self.known[other] = {element.__dict__.get("name", "") for element in getattr(self.spec, elements)}
        return name in self.known.get(kind, ())

    def _collect(self, body: Body) -> None:
        """Add the names of `body`, its elements and its descendants."""
        self.known.setdefault("body", set()).add(body.name)
        for kind, name in ATTACHED.items():
            self.known.setdefault(kind, set()).update(element.name for element in getattr(body, name))
        for child in body.bodies:
            self._collect(child)
