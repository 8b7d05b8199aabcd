"""Registry of the handles, names and ids of an editable model's elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conjoint.api.spec.base import ElementHandle
from conjoint.api.spec.body import HANDLES, MjsBody
from conjoint.api.spec.settings import SpecSettings
from conjoint.compiler.draft import NAMED
from conjoint.lang.errors import ModelError
from conjoint.lang.text import is_text, sought
from conjoint.schema.version import STANDS_FOR
from conjoint.spec.element import ATTACHED, LISTS, TOP, bodies, frames_of
from conjoint.spec.filename import default_name

_FILES = ("mesh", "hfield", "texture")
"""Element types whose default name is derived from a file name."""


class SpecRegister(SpecSettings):
    """Base class of `MjSpec` with the registry of handles, names and ids.

    Attributes:
        handles: handles by the Python id of the element.
        named_handles: handles by element type and name; None until a name is looked up.
        _repeated: whether several elements of a type may have the same name.
        _numbers: ids of the elements in the last compiled model.
        exposed_out: models to which elements were attached, by the Python id of the element.
        massive: handles of bodies with changed mass or inertia, by the Python id of the element.
    """

    handles: dict[int, Any]
    named_handles: dict[str, dict[str, ElementHandle]] | None
    _repeated: bool
    _numbers: dict[Any, int] | None
    massive: dict[int, MjsBody]
    exposed_out: dict[int, SpecRegister]

    @property
    def worldbody(self) -> MjsBody:
        """World body."""
        return self.handle(self.spec.worldbody)

    # --- handles ---

    def handle(self, element: Any, parent: Any = None) -> Any:
        """Return the handle of an element. All calls for the same element return the same object."""
        handle = self.handles.get(id(element))
        if handle is None:
            owner = self.exposed_out.get(id(element))
            if owner is not None:
                # the element now belongs to the model to which it was attached
                return owner.handle(element, parent)
            handle = HANDLES[element.kind](self, element.__dict__, element, parent)
            self.handles[id(element)] = handle
        return handle

    def insert(self, element: Any, elements: list[Any], options: Mapping[str, Any], parent: Any = None) -> Any:
        """Set the attributes of a new element, append the element to a list, and return its handle."""
        handle = self.handle(element, parent)
        try:
            if STANDS_FOR.moved and options.get("name"):
                self._check_new(handle.kind, options["name"])
            handle.set_options(options)
        except (TypeError, ValueError):
            self.forget(element)
            raise
        elements.append(element)
        self.add_name(handle)
        return handle

    def _check_new(self, kind: str, name: Any) -> None:
        """Raise ValueError for a duplicate name, as newer versions do. Older versions report it during compilation."""
        other = self._find(kind, name)
        if other is not None and other.name == name and kind != "plugin":
            raise ValueError(f"Error: repeated name '{name}' in {kind}")

    def forget(self, element: Any) -> None:
        """Remove the handle of an element that is no longer part of the model."""
        handle = self.handles.pop(id(element), None)
        self.massive.pop(id(element), None)
        if handle is not None:
            self._unname(handle, self._key(handle))

    # --- names ---

    @staticmethod
    def _key(handle: ElementHandle) -> str:
        """Return the name under which an element is registered: its name, or the name of its file if it has none."""
        if handle.kind in _FILES and not handle.name and not STANDS_FOR.has("unnamed assets"):
            return default_name(handle.values["file"])
        return handle.name

    def _known(self) -> dict[str, dict[str, ElementHandle]]:
        """Return the handles by type and name."""
        known = self.named_handles
        if known is None:
            known = self.__dict__["named_handles"] = {}
            self._repeated = False
            for kind in (*LISTS, *TOP):
                for handle in self._list(kind):
                    self.add_name(handle)
        return known

    def add_name(self, handle: ElementHandle) -> None:
        """Register the name of a new element. If another element has the name, lookups still return that element."""
        if self.named_handles is None:
            return
        names, key = self.named_handles.setdefault(handle.kind, {}), self._key(handle)
        if names.setdefault(key, handle) is not handle and key:
            self._repeated = True

    def _unname(self, handle: ElementHandle, name: str) -> None:
        """Remove the registration of an element under a name."""
        if self.named_handles is None:
            return
        names = self.named_handles.get(handle.kind, {})
        if names.get(name) is not handle:
            return
        if self._repeated or not name:
            # another element may have this name; rebuild the registry on the next lookup
            self.__dict__["named_handles"] = None
        else:
            del names[name]

    def rename(self, handle: ElementHandle, name: str) -> None:
        """Rename an element.

        Raises:
            ValueError: another element of the same type has that name.
        """
        if handle.kind == "plugin":
            # several plugin elements may have the same name
            handle.values["name"] = name
            self.__dict__["named_handles"] = None
            return
        other = self._find(handle.kind, name) if name else None
        if other is not None and other is not handle and other.name == name:
            raise ValueError(f"Error: repeated name '{name}' in {handle.kind}")
        before = self._key(handle)
        handle.values["name"] = name
        self._unname(handle, before)
        self.add_name(handle)

    def _find(self, kind: str, name: str) -> Any:
        """Return the handle of the element of type `kind` that is called `name`, or None."""
        if not is_text(name):
            raise TypeError(f"{kind}: a name is a string, not {name!r}")
        name = sought(name)
        found = self._known().get(kind, {}).get(name)
        if found is not None and self._key(found) == name:
            return found
        if found is None and kind not in _FILES and not self.exposed_out:
            return None
        # file names may have changed, and elements may have been renamed in the model that now owns them
        self.__dict__["named_handles"] = None
        return self._known().get(kind, {}).get(name)

    # --- lists and ids ---

    def elements_of(self, kind: str) -> Iterator[Any]:
        """Yield the elements of type `kind` in the order of their ids, without pending keyframes."""
        if kind in TOP:
            yield from (one for one in getattr(self.spec, TOP[kind]) if not one.__dict__.get("pending"))
            return
        for body in bodies(self.spec.worldbody):
            if kind == "body":
                yield body
            elif kind == "frame":
                yield from frames_of(body)
            else:
                yield from getattr(body, LISTS[kind])

    def _list(self, kind: str) -> list[Any]:
        """Return the handles of all elements of type `kind`."""
        if kind in TOP:
            return [self.handle(element) for element in self.elements_of(kind)]
        below = list(self.worldbody.below())
        return below if kind == "body" else [member for body in below for member in body.members(kind)]

    def count_of(self) -> dict[Any, int]:
        """Return the ids of all elements, as counted in the current lists."""
        return {element: i for elements in self._counted().values() for i, element in enumerate(elements)}

    def _counted(self) -> dict[str, list[Any]]:
        """Return all elements, by type, in the order of their ids."""
        lists: dict[str, list[Any]] = {kind: [] for kind in LISTS}
        for body in bodies(self.spec.worldbody):
            lists["body"].append(body)
            lists["frame"] += frames_of(body)
            values = body.__dict__
            for kind, name in ATTACHED.items():
                if values[name]:
                    lists[kind] += values[name]
        for kind, name in TOP.items():
            lists[kind] = self.spec.__dict__[name]
        return lists

    def _compiled_ids(self, draft: Any) -> dict[Any, int]:
        """Return the ids of all elements in the model that was compiled from `draft`, or -1 for omitted elements.

        Pairs and excludes of this model are sorted in the order of the compiled model, as in MuJoCo.
        """
        counted = self._counted()
        ids: dict[Any, int] = {element: -1 for elements in counted.values() for element in elements}
        frames: set[str] = set()
        for frame in (frame for frame in counted["frame"] if frame.name):
            if frame.name in frames:
                raise ModelError(f"{frame!r}: another frame has the same name")
            frames.add(frame.name)
        for kind, name in NAMED.items():
            for i, element in enumerate(draft.__dict__[name]):
                ids[element.__dict__.get("origin")] = i
            if kind in ("pair", "exclude"):
                self.spec.__dict__[name].sort(key=ids.__getitem__)
        # remove elements that the compiler created
        ids.pop(None, None)
        return ids

    def is_compiled(self, element: Any) -> bool:
        """Return True if an element existed in the last compilation."""
        return self._numbers is not None and element in self._numbers

    def id_of(self, handle: Any) -> int:
        """Return the id of an element in the last compiled model."""
        element = handle.element
        if self._numbers is not None and element in self._numbers:
            return self._numbers[element]
        if handle.kind in TOP:
            elements = getattr(self.spec, TOP[handle.kind])
            return elements.index(element) if element in elements else -1
        return 0 if element is self.spec.worldbody else -1


def _finder(kind: str) -> Any:
    def find(self: SpecRegister, name: str) -> Any:
        """Return the element called `name`, or None if it does not exist."""
        return self._find(kind, name)

    find.__name__ = kind
    return find


def _lister(kind: str, name: str) -> property:
    return property(lambda spec: spec._list(kind), doc=f"List of the handles of all {name}.")


for _kind, _name in {**LISTS, **TOP}.items():
    setattr(SpecRegister, _kind, _finder(_kind))
    setattr(SpecRegister, _name, _lister(_kind, _name))
