"""Deletion of elements from an editable model."""

from typing import Any

from conjoint.api.spec.base import ElementHandle, MjsDefault
from conjoint.api.spec.body import MjsBody, MjsFrame
from conjoint.api.spec.handle import EditableModel
from conjoint.schema.version import STANDS_FOR
from conjoint.spec.attach import REFERRING
from conjoint.spec.copier import references
from conjoint.spec.element import ATTACHED, LISTS, TOP, bodies, frames_of, is_in, unlisted
from conjoint.spec.keyframes import fitting_keys, split_keys


def delete(spec: EditableModel, handle: Any) -> None:
    """Delete an element or a defaults class; see `MjSpec.delete`."""
    if STANDS_FOR.moved and spec.attached_to is not None:
        raise ValueError("Cannot delete element from an attached mjSpec.")
    if isinstance(handle, MjsDefault):
        _delete_class(spec, handle)
        return
    if not isinstance(handle, ElementHandle):
        raise TypeError(f"delete: expected an element or a defaults class, not {handle!r}")
    element = handle.element
    if element is None or spec.handles.get(id(element)) is not handle:
        why = _elsewhere(spec, handle)
        if STANDS_FOR.moved:
            # MuJoCo's message
            raise ValueError(f"{handle.kind} is not in this model: {why}")
        raise ValueError(f"delete: {handle!r} is not an element of this model: {why}")
    if handle.above is None and handle.kind in LISTS and element is not spec.spec.worldbody:
        raise ValueError(f"delete: {handle!r} is no longer an element of {spec!r}: it has been deleted already")
    if isinstance(handle, MjsBody):
        _delete_body(spec, handle)
    elif isinstance(handle, MjsFrame):
        if STANDS_FOR.has("frames as holders"):
            _delete_inside(spec, handle)
        _delete_frame(spec, handle)
    else:
        _take_out(spec, handle, _list_of(spec, handle))
    _forget(spec, element)


def _forget(spec: EditableModel, element: Any) -> None:
    """Detach the handle of a deleted element from the model and the body."""
    handle = spec.handles.get(id(element))
    spec.forget(element)
    if handle is not None:
        handle.__dict__["above"] = None


def _elsewhere(spec: EditableModel, handle: ElementHandle) -> str:
    """Return the reason why an element cannot be deleted from a model."""
    if handle.element is None:
        return "it contains the values of a defaults class"
    if handle.spec is not spec:
        return f"it belongs to another model, {handle.spec!r}, in which it was created or attached"
    return "it has been deleted already"


def _take_out(spec: EditableModel, handle: ElementHandle, elements: list[Any]) -> None:
    """Remove an element from a list.

    Raises:
        ValueError: the list does not contain the element, because it was moved or deleted.
    """
    place = next((i for i, element in enumerate(elements) if element is handle.element), None)
    if place is None:
        raise ValueError(f"delete: {handle!r} is no longer an element of {spec!r}: {_elsewhere(spec, handle)}")
    del elements[place]


def _list_of(spec: EditableModel, handle: Any) -> list[Any]:
    """Return the list of the model or body that contains an element."""
    if handle.kind in TOP:
        found: list[Any] = getattr(spec.spec, TOP[handle.kind])
    else:
        found = getattr(handle.above.element, LISTS[handle.kind])
    return found


def _delete_class(spec: EditableModel, handle: MjsDefault) -> None:
    """Delete a defaults class and the classes nested in it. Elements keep their values."""
    if handle.name == "main":
        raise ValueError("delete: the main defaults class cannot be deleted")
    classes = spec.spec.classes
    gone = {id(handle.defaults_class)}
    for name, found in list(classes.items()):
        if id(found) in gone or id(found.parent) in gone:
            gone.add(id(found))
            del classes[name]


def _delete_body(spec: EditableModel, handle: MjsBody) -> None:
    """Delete a body, its descendants, the elements that refer to them, and their part of the keyframes."""
    if handle.above is None:
        raise ValueError("delete: the world cannot be deleted")
    spec.store_exposed()
    keys = fitting_keys(spec.spec)
    split_keys(spec.spec, keys)
    for key in keys:
        # until the next compilation, these keyframes have no vectors and are not listed
        key.pending = True
        spec.__dict__["named_handles"] = None
    parent, names = handle.above.element, dict[str, set[str]]()
    for body in bodies(handle.element):
        names.setdefault("body", set()).add(body.name)
        for kind, name in ATTACHED.items():
            for element in getattr(body, name):
                names.setdefault(kind, set()).add(element.name)
                _forget(spec, element)
        if body is not handle.element:
            _forget(spec, body)
    _take_out(spec, handle, parent.bodies)
    _delete_users(spec, names)


def _delete_users(spec: EditableModel, names: dict[str, set[str]]) -> None:
    """Delete elements that refer to deleted elements, recursively. `names` contains the deleted names by type."""
    # types to which others refer come first, so that elements that refer to them are deleted, too
    for kind, name in REFERRING.items():
        kept = []
        for element in getattr(spec.spec, name):
            if any(ref.name in names.get(ref.kind, ()) for ref in references(element)):
                names.setdefault(kind, set()).add(element.__dict__.get("name", ""))
                _forget(spec, element)
            else:
                kept.append(element)
        getattr(spec.spec, name)[:] = kept


def _delete_inside(spec: EditableModel, handle: MjsFrame) -> None:
    """Delete the contents of a frame and its nested frames, and the elements that refer to these contents."""
    body, frame = handle.above.element, handle.element
    for child in [child for child in body.bodies if is_in(child, frame)]:
        delete(spec, spec.handle(child, handle.above))
    names: dict[str, set[str]] = {}
    for kind, name in ATTACHED.items():
        elements = getattr(body, name)
        for element in [element for element in elements if is_in(element, frame)]:
            names.setdefault(kind, set()).add(element.name)
            _forget(spec, element)
        elements[:] = [element for element in elements if not is_in(element, frame)]
    _delete_users(spec, names)
    inner = [other for other in body.__dict__.get("frames", ()) if is_in(other, frame)]
    for other in inner:
        _forget(spec, other)
    body.__dict__["frames"] = [other for other in body.__dict__.get("frames", ()) if other not in inner]


def _delete_frame(spec: EditableModel, handle: MjsFrame) -> None:
    """Delete a frame without its contents, which keep their poses."""
    body, frame = handle.above.element, handle.element
    handle.exposed_lists.store_of(handle)
    left = unlisted(frame)
    inside = [element for name in LISTS.values() if name != "frames" for element in getattr(body, name)]
    for element in (*frames_of(body), *inside):
        if element.__dict__.get("frame") is frame:
            element.frame = left
    body.__dict__["frames"] = [other for other in body.__dict__.get("frames", ()) if other is not frame]
