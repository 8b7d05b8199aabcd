"""Removing elements from an editable model."""

from typing import Any

from conjoint.api.spec.base import ElementHandle, MjsDefault
from conjoint.api.spec.body import MjsBody, MjsFrame
from conjoint.api.spec.frames import LISTS, frames_of, unlisted
from conjoint.api.spec.handle import EditableModel
from conjoint.schema.version import STANDS_FOR
from conjoint.spec.attach import REFERRING
from conjoint.spec.keyframes import fitting_keys, split_keys
from conjoint.spec.lists import ATTACHED, TOP, bodies
from conjoint.spec.namespace import references


def delete(spec: EditableModel, handle: Any) -> None:
    """Remove an element; see `MjSpec.delete`."""
    if STANDS_FOR.moved and spec.attached_to is not None:
        raise ValueError("Cannot delete element from an attached mjSpec.")
    if isinstance(handle, MjsDefault):
        _delete_class(spec, handle)
        return
    if not isinstance(handle, ElementHandle):
        raise TypeError(f"delete: expected an element or a defaults class, not {handle!r}")
    element = handle.element
    if element is None or spec.handles.get(id(element)) is not handle:
        raise ValueError(f"delete: {handle!r} is not an element of this model: {_elsewhere(spec, handle)}")
    if isinstance(handle, MjsBody):
        _delete_body(spec, handle)
    elif isinstance(handle, MjsFrame):
        _delete_frame(spec, handle)
    else:
        _take_out(spec, handle, _list_of(spec, handle))
    spec.forget(element)


def _elsewhere(spec: EditableModel, handle: ElementHandle) -> str:
    """Why an element cannot be deleted from a model."""
    if handle.element is None:
        return "it holds the values of a defaults class"
    if handle.spec is not spec:
        return f"it is one of another model, {handle.spec!r}, where it was made or attached"
    return "it was deleted before"


def _take_out(spec: EditableModel, handle: ElementHandle, elements: list[Any]) -> None:
    """Take an element out of the list that holds it.

    Raises:
        ValueError: it is not there: it went elsewhere.
    """
    place = next((i for i, element in enumerate(elements) if element is handle.element), None)
    if place is None:
        raise ValueError(f"delete: {handle!r} is no longer an element of {spec!r}: {_elsewhere(spec, handle)}")
    del elements[place]


def _list_of(spec: EditableModel, handle: Any) -> list[Any]:
    """The list that holds an element."""
    if handle.kind in TOP:
        found: list[Any] = getattr(spec.spec, TOP[handle.kind])
    else:
        found = getattr(handle.above.element, LISTS[handle.kind])
    return found


def _delete_class(spec: EditableModel, handle: MjsDefault) -> None:
    """Remove a defaults class and those inside it; elements keep their values."""
    if handle.name == "main":
        raise ValueError("delete: the main defaults class cannot be deleted")
    classes = spec.spec.classes
    gone = {id(handle.defaults_class)}
    for name, found in list(classes.items()):
        if id(found) in gone or id(found.parent) in gone:
            gone.add(id(found))
            del classes[name]


def _delete_body(spec: EditableModel, handle: MjsBody) -> None:
    """Remove a body, all below it, what refers to that, and its part of the keyframes."""
    if handle.above is None:
        raise ValueError("delete: the world cannot be deleted")
    spec.store_lent()
    keys = fitting_keys(spec.spec)
    split_keys(spec.spec, keys)
    for key in keys:
        # until the model is compiled they have no vectors, and are not listed
        key.pending = True
        spec.__dict__["named_handles"] = None
    names: dict[str, set[str]] = {}
    for body in bodies(handle.element):
        names.setdefault("body", set()).add(body.name)
        spec.forget(body)
        for kind, name in ATTACHED.items():
            for element in getattr(body, name):
                names.setdefault(kind, set()).add(element.name)
                spec.forget(element)
    _take_out(spec, handle, handle.above.element.bodies)
    # kinds that others refer to come first, so that what refers to them goes too
    for kind, name in REFERRING.items():
        kept = []
        for element in getattr(spec.spec, name):
            if any(ref.name in names.get(ref.kind, ()) for ref in references(element)):
                names.setdefault(kind, set()).add(element.__dict__.get("name", ""))
                spec.forget(element)
            else:
                kept.append(element)
        getattr(spec.spec, name)[:] = kept


def _delete_frame(spec: EditableModel, handle: MjsFrame) -> None:
    """Remove a frame; what is in it stays where it is."""
    body, frame = handle.above.element, handle.element
    handle.lender.store_of(handle)
    left = unlisted(frame)
    inside = [element for name in LISTS.values() if name != "frames" for element in getattr(body, name)]
    for element in (*frames_of(body), *inside):
        if element.__dict__.get("frame") is frame:
            element.frame = left
    body.__dict__["frames"] = [other for other in body.__dict__.get("frames", ()) if other is not frame]
