"""Removing elements from an editable model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conjoint.api.spec_base import MjsDefault
from conjoint.api.spec_body import LISTS, MjsBody, MjsFrame, bodies
from conjoint.spec.attach import ATTACHED, REFERRING
from conjoint.spec.keyframes import split_keys
from conjoint.spec.namespace import references

if TYPE_CHECKING:
    from conjoint.api.spec import MjSpec


def delete(spec: MjSpec, handle: Any) -> None:
    """Remove an element; see `MjSpec.delete`."""
    spec._store()
    if isinstance(handle, MjsDefault):
        _delete_class(spec, handle)
        return
    element = getattr(handle, "_element", None)
    if element is None or spec._handles.get(id(element)) is not handle:
        raise ValueError(f"delete: {handle!r} is not an element of this model")
    if isinstance(handle, MjsBody):
        _delete_body(spec, handle)
    elif isinstance(handle, MjsFrame):
        _delete_frame(handle)
    else:
        _remove(_list_of(spec, handle), element)
    spec._forget(handle)


def _list_of(spec: MjSpec, handle: Any) -> list[Any]:
    """The list that holds an element."""
    from conjoint.api.spec import TOP

    if handle._kind in TOP:
        found: list[Any] = getattr(spec._spec, TOP[handle._kind])
    else:
        found = getattr(handle._parent._element, LISTS[handle._kind])
    return found


def _remove(elements: list[Any], element: Any) -> None:
    """Remove one element, which is compared by identity."""
    elements[:] = [other for other in elements if other is not element]


def _delete_class(spec: MjSpec, handle: MjsDefault) -> None:
    """Remove a defaults class and those inside it; elements keep their values."""
    if handle.name == "main":
        raise ValueError("delete: the main defaults class cannot be deleted")
    classes = spec._spec.classes
    gone = {id(handle._class)}
    for name, found in list(classes.items()):
        if id(found) in gone or id(found.parent) in gone:
            gone.add(id(found))
            del classes[name]


def _delete_body(spec: MjSpec, handle: MjsBody) -> None:
    """Remove a body, all below it, what refers to that, and its part of the keyframes."""
    if handle._parent is None:
        raise ValueError("delete: the world cannot be deleted")
    split_keys(spec._spec)
    names: dict[str, set[str]] = {}
    for body in bodies(handle._element):
        names.setdefault("body", set()).add(body.name)
        spec._handles.pop(id(body), None)
        for kind, name in ATTACHED.items():
            for element in getattr(body, name):
                names.setdefault(kind, set()).add(element.name)
                spec._handles.pop(id(element), None)
    _remove(handle._parent._element.bodies, handle._element)
    # kinds that others refer to come first, so that what refers to them goes too
    for kind, name in REFERRING.items():
        kept = []
        for element in getattr(spec._spec, name):
            if any(ref.name in names.get(ref.kind, ()) for ref in references(element)):
                names.setdefault(kind, set()).add(element.__dict__.get("name", ""))
                spec._handles.pop(id(element), None)
            else:
                kept.append(element)
        getattr(spec._spec, name)[:] = kept


def _delete_frame(handle: MjsFrame) -> None:
    """Remove a frame and what is in it."""
    from conjoint.api.spec_attach import _is_in

    body, frame = handle._parent._element, handle._element
    for name in (*ATTACHED.values(), "bodies", "frames"):
        elements = body.__dict__.get(name, [])
        elements[:] = [element for element in elements if element is not frame and not _is_in(element, frame)]
