"""Attachment of parts of one editable model to another. Both models share the attached part."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from conjoint.api.spec.base import ElementHandle
from conjoint.api.spec.handle import EditableModel
from conjoint.api.spec.new import new_element
from conjoint.lang.text import as_text, is_text, sought
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import Body, Element, suggestion
from conjoint.spec.attach import bring
from conjoint.spec.conflict import check_conflicts
from conjoint.spec.copier import Copier, Namespace
from conjoint.spec.element import ATTACHED, LISTS, TOP, bodies, frames_of, is_in, unlisted, within
from conjoint.spec.filename import base_name
from conjoint.spec.keyframes import attach_keys, fill_up, rename_layout, whole_keys
from conjoint.spec.problems import guarded

HandleT = TypeVar("HandleT", bound=ElementHandle)

_COPY = "to attach a copy, set copy_during_attach of the parent model"


@guarded
def attach_body(
    body: HandleT, parent: ElementHandle, frame: Element | None, prefix: str | None, suffix: str | None
) -> HandleT:
    """Attach `body` to `frame` of `parent`; see `MjsFrame.attach_body`."""
    if not _is_a("body", body):
        raise TypeError(f"attach_body: expected an MjsBody, not {body!r}")
    source, target = body.spec, parent.spec
    inside = any(here is body for here in _ancestors(parent))
    _check_place(target, source, body if inside else None)
    attachment = Attachment(target, source, prefix, suffix)
    copy = attachment.copier.body(body.element, frame)
    parent.element.bodies.append(copy)
    attachment.tops.append(copy)
    attachment.finish(parent, body.childclass)
    return target.handle(copy, parent)


@guarded
def attach_frame(frame: HandleT, parent: ElementHandle, prefix: str | None, suffix: str | None) -> HandleT:
    """Attach the contents of `frame` to the body `parent`; see `MjsBody.attach_frame`."""
    if not _is_a("frame", frame):
        raise TypeError(f"attach_frame: expected an MjsFrame, not {frame!r}")
    source, target = frame.spec, parent.spec
    inside = any(here.above is frame.above and is_in(here.element, frame.element) for here in _ancestors(parent))
    _check_place(target, source, frame if inside else None)
    attachment = Attachment(target, source, prefix, suffix)
    copy = attachment.copier.element(frame.element)
    copy.frame = None if STANDS_FOR.has("single frames") else attachment.around(frame.element)
    attachment.copier.frames[id(frame.element)] = copy
    attachment.contents(within(frame.above.element, frame.element), parent, None)
    parent.element.__dict__.setdefault("frames", []).append(copy)
    attachment.tops.append(copy)
    attachment.finish(parent, frame.above.childclass)
    return target.handle(copy, parent)


@guarded
def attach_spec(
    target: EditableModel, child: EditableModel, prefix: str | None, suffix: str | None, site: Any, frame: Any
) -> Any:
    """Attach the contents of the world of `child`; see `MjSpec.attach`."""
    if not isinstance(child, EditableModel):
        raise TypeError(f"attach: child should be an MjSpec, not {child!r}")
    if site is None and frame is None:
        raise ValueError("One of frame or site must be specified.")
    if site is not None and frame is not None:
        raise ValueError("Only one of frame or site can be specified.")
    kind, place = ("site", site) if frame is None else ("frame", frame)
    if is_text(place):
        place = sought(place)
        names = [found.name for found in getattr(target, kind + "s")]
        name, place = place, getattr(target, kind)(place)
        if place is None:
            raise ValueError(f"{kind.capitalize()} not found.{suggestion(name, names).replace(';', '', 1)}")
    if not _is_a(kind, place):
        raise TypeError(f"attach: {kind} should be an Mjs{kind.capitalize()}, not {place!r}")
    if place.spec is not target:
        raise ValueError(f"attach: {place!r} is not part of this model")
    if prefix is None and STANDS_FOR.has("single frames"):
        prefix = "/"
    taken = [name for name in sorted(child.assets) if _file_name(name, prefix, suffix) in target.assets]
    if taken and not target.override_assets:
        raise ValueError(f"Asset {taken[0]} already exists in parent spec.")
    parent = place.above
    _check_place(target, child, child if child is target else None)
    attachment = Attachment(target, child, prefix, suffix)
    attachment.noted = prefix is not None
    holder = new_element("frame", defaults("frame"), "main")
    holder.frame = frame_at(place) if kind == "site" else place.element
    attachment.contents(child.spec.worldbody, parent, holder)
    parent.element.__dict__.setdefault("frames", []).append(holder)
    attachment.finish(parent, "main")
    child.__dict__["parent_spec"] = target
    return target.handle(holder, parent)


EMPTY_PREFIX = "Attaching a spec with an empty prefix may prevent the model from being saved correctly."
"""MuJoCo's warning about an empty prefix."""


def _file_name(name: str, prefix: str | None, suffix: str | None) -> str:
    """Return the name of an asset file after attachment. Newer versions add the prefix and the suffix to it."""
    if not STANDS_FOR.moved or not (prefix or suffix):
        return name
    folder, slash, base = name.rpartition("/")
    stem, dot, ending = base.rpartition(".") if "." in base else (base, "", "")
    # as in MuJoCo, without a prefix there are two slashes, which is harmless because lookups ignore folders
    between = slash if prefix else 2 * slash
    return f"{folder}{between}{prefix or ''}{stem}{suffix or ''}{dot}{ending}"


def _renamed_files(element: Any, names: Mapping[str, str]) -> dict[str, str]:
    """Return the attributes of an element that refer to renamed files of `assets`, with their new values."""
    known = {base_name(name).lower(): base_name(new) for name, new in names.items() if new != name}
    files = {name: value for name, value in element.__dict__.items() if name.startswith("file") and value}
    return {n: known[base_name(v).lower()] for n, v in files.items() if base_name(v).lower() in known}


def frame_at(site: ElementHandle) -> Any:
    """Create a frame at the pose of a site, in the same body, and return the frame."""
    site.exposed_lists.store_of(site)
    values = site.values
    frame = new_element("frame", defaults("frame"), "main")
    frame.__dict__.update({name: values[name] for name in ("pos", "quat", "alt", "frame")})
    site.above.element.__dict__.setdefault("frames", []).append(frame)
    return frame


def body_to_frame(body: ElementHandle) -> Any:
    """Replace a body by a frame of its parent, and return the frame; see `MjsBody.to_frame`."""
    spec, parent, old = body.spec, body.above, body.element
    if parent is None:
        raise ValueError("to_frame: the world has no parent")
    spec.store_exposed()
    frame = new_element("frame", defaults("frame"), "main")
    frame.__dict__.update({name: old.__dict__[name] for name in ("name", "pos", "quat", "alt", "frame")})
    frame.name = ""
    inner = frames_of(old)
    parent.element.bodies.remove(old)
    parent.element.__dict__.setdefault("frames", []).extend([frame, *inner])
    for kind, name in LISTS.items():
        for element in inner if kind == "frame" else getattr(old, name):
            if element.__dict__.get("frame") is None:
                element.frame = frame
            if kind != "frame":
                getattr(parent.element, name).append(element)
            handle = spec.handles.get(id(element))
            if handle is not None:
                handle.__dict__["above"] = parent
    spec.forget(old)
    return spec.handle(frame, parent)


class Attachment:
    """Single attachment of a part. Copies are added to the target model and replace the originals in the source model.

    Attributes:
        tops: copied elements that are direct children of the target body.
        noted: whether an empty prefix causes a warning.
    """

    def __init__(self, target: EditableModel, source: EditableModel, prefix: str | None, suffix: str | None):
        prefix = "" if prefix is None else as_text(prefix, "attach: prefix")
        suffix = "" if suffix is None else as_text(suffix, "attach: suffix")
        source.store_exposed()
        if source is not target:
            check_conflicts(target.spec, source.spec)
        if whole_keys(target.spec):
            # store the user's changes in keyframes before attachment resizes them
            target.store_exposed()
        self.target = target
        self.source = source
        self.shared = source is not target and not target.copies
        self.copier = Copier(Namespace(prefix, suffix, source is not target), source.spec)
        self.tops: list[Any] = []
        self.noted = True

    def contents(self, body: Body, parent: ElementHandle, frame: Element | None) -> None:
        """Copy the contents of `body`, and then add the copies to `parent`, which may be a descendant of `body`."""
        holder = Body({"name": ""})
        self.copier.contents(body, holder, frame)
        self.tops += [element for name in (*ATTACHED.values(), "bodies") for element in getattr(holder, name)]
        self.tops += [self.copier.frames[id(inner)] for inner in frames_of(body) if id(inner) in self.copier.frames]
        parent.element.__dict__.setdefault("frames", []).extend(holder.__dict__.get("frames", ()))
        for name in (*ATTACHED.values(), "bodies"):
            getattr(parent.element, name).extend(getattr(holder, name))

    def around(self, frame: Element) -> Element | None:
        """Copy the frames that enclose `frame`, without their names.

        Return the innermost copy, or None if there are no such frames.
        """
        outer = frame.__dict__.get("frame")
        if outer is None:
            return None
        copy = unlisted(outer)
        if self.copier.namespace.foreign:
            copy.__dict__.setdefault("settings", self.copier.settings)
        copy.frame = self.around(outer)
        return copy

    def finish(self, parent: ElementHandle, childclass: str) -> None:
        """Copy elements that refer to the attached part, and share the copies with the source.

        Args:
            parent: body to which the part was attached.
            childclass: defaults class for the contents of attached bodies that have no childclass.
        """
        target, source = self.target, self.source
        bring(target.spec, source.spec, self.copier)
        if source is target:
            # `bring` does not copy keyframes if a model attaches a part of itself
            attach_keys(target.spec, target.spec, self.copier.namespace, self.copier.copies)
        fill_up(target.spec)
        copies = {**self.copier.copies, **self.copier.frames}
        for top in self.tops:
            if top.kind == "body" and not top.childclass and {childclass, parent.childclass} != {"main"}:
                top.childclass = self.copier.class_name(childclass)
        if source is not target:
            around = self.copier.namespace.prefix, self.copier.namespace.suffix
            names = {name: _file_name(name, *around) for name in source.assets}
            target.assets.update({names[name]: data for name, data in source.assets.items()})
            for kind in ("mesh", "hfield", "texture", "skin"):
                for original in source.elements_of(kind):
                    copy = copies.get(id(original))
                    if copy is not None:
                        copy.__dict__.setdefault("directory", source.spec.directory)
                        copy.__dict__.update(_renamed_files(copy, names))
            if STANDS_FOR.moved and not around[0] and self.noted:
                target.notes.add(EMPTY_PREFIX)
        if self.shared:
            self._share(copies)
        self._settle(parent, copies)

    def _share(self, copies: Mapping[int, Any]) -> None:
        """In the source model and its handles, replace the originals by the copies."""
        target, source = self.target, self.source
        self._replace(source, copies)
        for keyframe in source.spec.keys:
            rename_layout(keyframe, copies)
        if source.attached_to is not target:
            target.attached.append(source)
        source.__dict__["attached_to"] = target
        source.exposed_out.update(dict.fromkeys(map(id, copies.values()), target))
        values = {}
        for key, copy in copies.items():
            handle = source.handles.pop(key, None)
            if handle is None:
                continue
            values[id(handle.values)] = copy.__dict__
            handle.__dict__.update(element=copy, values=copy.__dict__, spec=target)
            if copy.kind == "body":
                handle.__dict__["inner_class"] = self.copier.class_name(handle.inner_class)
            source.handles[id(copy)] = target.handles[id(copy)] = handle
        source.exposed.move(target, values)
        source.__dict__["named_handles"] = None

    def _settle(self, parent: ElementHandle, copies: Mapping[int, Any]) -> None:
        """Update the parents of the attached elements' handles, and register the new names in the target model."""
        target = self.target
        named = target.named_handles is not None
        left = [(element, parent) for element in self.tops]
        while left:
            element, body = left.pop()
            # the topmost elements had a different parent body in the source model
            top = body is parent
            if named or top or element.kind == "body" or id(element) in target.handles:
                handle = target.handle(element, body)
                handle.__dict__["above"] = body
                target.add_name(handle)
                if element.kind == "body":
                    inside = [inner for kind in LISTS if kind != "frame" for inner in getattr(element, LISTS[kind])]
                    left += [(inner, handle) for inner in (*inside, *frames_of(element))]
        if named:
            for copy in copies.values():
                if copy.kind in TOP:
                    target.add_name(target.handle(copy))

    def _replace(self, source: EditableModel, copies: Mapping[int, Any]) -> None:
        """In the element lists of the source model, replace the original elements by the copies."""
        for name in TOP.values():
            elements = getattr(source.spec, name)
            elements[:] = [copies.get(id(element), element) for element in elements]
        for body in bodies(source.spec.worldbody):
            for name in (*ATTACHED.values(), "bodies", "frames"):
                elements = body.__dict__.get(name, [])
                elements[:] = [copies.get(id(element), element) for element in elements]


def _is_a(kind: str, handle: Any) -> bool:
    """Return True if `handle` is the handle of an element of the given type."""
    return isinstance(handle, ElementHandle) and handle.kind == kind


def _check_place(target: EditableModel, source: EditableModel, around: Any) -> None:
    """Raise ValueError if a shared part would be attached to itself or to one of its own parts.

    Args:
        target: the model that receives the part.
        source: the model that contains the part, which may be `target`.
        around: the part if it contains the body to which it is attached, else None.
    """
    if target.copies:
        return
    if around is not None:
        raise ValueError(f"attach: {around!r} cannot be attached to itself or to its own parts; {_COPY}")
    if source is not target and any(model is target for model in _below(source)):
        raise ValueError(f"attach: parts of this model are in {source!r}: each would contain the other; {_COPY}")


def _ancestors(body: Any) -> Iterator[Any]:
    """Yield a body and its ancestors."""
    while body is not None:
        yield body
        body = body.above


def _below(model: EditableModel) -> Iterator[EditableModel]:
    """Yield a model and all models that are directly or indirectly attached to it."""
    left, seen = [model], set()
    while left:
        here = left.pop()
        if id(here) not in seen:
            seen.add(id(here))
            yield here
            left += here.attached
