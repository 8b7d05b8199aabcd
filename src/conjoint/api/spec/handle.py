"""Public handles of an editable model's elements, and a register of lists that users may change in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conjoint.api.objects.struct import no_attribute
from conjoint.api.spec.field_types import Field, Polynomial
from conjoint.api.spec.fields import ORIENTATIONS, fields
from conjoint.schema.enums import mjtOrientation
from conjoint.spec import Spec

FORMS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
"""Representations of orientation, in the order of mjtOrientation."""


INSIDE = frozenset({
    "above", "add_name", "attached", "attached_to", "below", "changed", "compiled_signature", "copies", "count_of",
    "defaults_class", "element", "elements_of", "exposed", "exposed_defaults", "exposed_lists", "exposed_out", "files",
    "forget", "handle", "handles", "heavy", "id_of", "inner_class", "insert", "is_compiled", "kind", "make_inertial",
    "massive", "members", "named_handles", "notes", "parent_spec", "programmed", "rename", "set_options", "spec",
    "store_exposed", "values", "values_of",
})  # fmt: skip
"""Internal attributes, which `dir` does not list and users cannot assign."""


class Listed(type):
    """Metaclass whose `dir` lists only public attributes."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in INSIDE]


class Named(metaclass=Listed):
    """Base of objects to which users cannot add attributes. Errors about unknown names suggest a similar name."""

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in INSIDE]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in INSIDE or (name[0] != "_" and not hasattr(type(self), name)):
            raise no_attribute(self, name, dir(type(self)))
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fset is None:
            raise AttributeError(f"{name!r} of '{type(self).__name__}' can only be read")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, dir(type(self)))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"{type(self).__name__} cannot be pickled, or copied without its model: "
            "store the text of `spec.to_xml()`, or copy the MjSpec with `spec.copy()`"
        )


class EditableModel(Named):
    """Interface of `MjSpec` that the handles of its elements use.

    Attributes:
        spec: the Spec that stores the model.
        exposed: register of the elements' list attributes that users may have changed in place.
        exposed_defaults: register of the defaults classes' list attributes that users may have changed in place.
    """

    spec: Spec
    exposed: ExposedLists
    exposed_defaults: ExposedLists


class Handle(Named):
    """Public access to the attributes of one element.

    Attributes:
        spec: the editable model.
        values: attributes by name, in stored form.
        _scope: prefix that distinguishes this handle's lists from the lists of other handles with the same values.
    """

    kind: ClassVar[str] = ""
    _scope: ClassVar[str] = ""

    def __init__(self, spec: EditableModel, values: dict[str, Any]):
        self.__dict__.update(spec=spec, values=values)

    def _get(self, field: Field) -> Any:
        """Return the stored value of an attribute."""
        return self.values.get(field.name)

    def _put(self, field: Field, stored: Any) -> None:
        """Set the stored value of an attribute."""
        self.values[field.name] = stored

    def _take(self, field: Field, stored: Any) -> None:
        """Store the contents of a list that a user changed in place."""
        self._put(field, stored)

    @property
    def exposed_lists(self) -> ExposedLists:
        """Register of the lists of this handle to which users have references."""
        return self.spec.exposed


class _Loan:
    """List or array to which a user has a reference.

    Attributes:
        handle, field: handle and attribute from which the list was read.
        shown: the list or array.
        before: contents of the list when it was last stored.
    """

    def __init__(self, handle: Handle, field: Field):
        self.handle = handle
        self.field = field
        self.shown = field.shown(handle._get(field))
        self.before = self.contents()

    def contents(self) -> Any:
        """Return the contents of the list in a form that can be compared."""
        return tuple(self.shown) if isinstance(self.shown, list) else self.shown.tobytes()


class ExposedLists:
    """Register of lists that users have read, and may have changed in place since then.

    A Spec stores tuples, but users get arrays and lists. These lists are registered here, and changes in them are
    written to the Spec before it is used.
    """

    def __init__(self) -> None:
        self.entries: dict[int, dict[str, _Loan]] = {}

    def expose(self, handle: Handle, field: Field) -> Any:
        """Return the list or array for an attribute. It is the same object until its length changes."""
        loans = self.entries.setdefault(id(handle.values), {})
        loan = loans.get(handle._scope + field.name)
        if loan is None:
            loan = loans[handle._scope + field.name] = _Loan(handle, field)
        return loan.shown

    def renew(self, handle: Handle, field: Field) -> None:
        """Update the list to which a user has a reference, after its attribute was assigned."""
        loans = self.entries.get(id(handle.values), {})
        loan = loans.get(handle._scope + field.name)
        if loan is None:
            return
        value = field.shown(handle._get(field))
        if len(loan.shown) == len(value):
            loan.shown[:] = value
            loan.before = loan.contents()
        else:
            del loans[handle._scope + field.name]

    def store(self) -> None:
        """Write all changes to the attributes."""
        for loans in self.entries.values():
            _store(loans)

    def store_of(self, handle: Handle) -> None:
        """Write the changes in one element's lists to its attributes."""
        _store(self.entries.get(id(handle.values), {}))

    def move(self, owner: EditableModel, values: Mapping[int, dict[str, Any]]) -> None:
        """Transfer the registered lists to the model `owner`.

        `values` maps the id of each old value dict to the element's new dict.
        """
        for old, new in values.items():
            loans = self.entries.pop(old, {})
            for loan in loans.values():
                loan.handle.__dict__.update(values=new, spec=owner)
            if loans:
                owner.exposed.entries[id(new)] = loans


def _store(loans: Mapping[str, _Loan]) -> None:
    for loan in loans.values():
        now = loan.contents()
        if now != loan.before:
            loan.before = now
            loan.handle._take(loan.field, loan.field.list_stored(loan.shown))


def member(field: Field) -> property:
    """Return the property for a field."""

    def read(handle: Handle) -> Any:
        return field.shown(handle._get(field))

    def read_polynomial(handle: Handle) -> Any:
        return read_list(handle) if field.is_list else read(handle)

    def read_list(handle: Handle) -> Any:
        return handle.exposed_lists.expose(handle, field)

    def write(handle: Handle, value: Any) -> None:
        handle._put(field, field.checked(handle, value))
        if field.is_list:
            handle.exposed_lists.renew(handle, field)

    if isinstance(field, Polynomial):
        return property(read_polynomial, write)
    return property(read_list if field.is_list else read, write)


def assign(target: Handle, source: Any) -> None:
    """Copy the attributes of `source` to `target`. Raises TypeError if `source` has a different type."""
    if target.kind != getattr(source, "kind", None) or not isinstance(source, Handle):
        raise TypeError(f"expected an {type(target).__name__}, not {source!r}")
    for name in dir(type(target)):
        kept = getattr(type(target), name)
        if name[0] != "_" and name not in _OWN and isinstance(kept, property) and kept.fset is not None:
            setattr(target, name, getattr(source, name))


_OWN = ("name", "info", "classname", "plugin", "id")
"""Names of attributes that `assign` does not copy."""


def part(read: Any) -> property:
    """Return the property for a nested handle. Assigning to the property copies the attributes of a handle."""
    return property(read, lambda owner, value: assign(read(owner), value), doc=read.__doc__)


def with_members(kind: str, *skipped: str) -> Any:
    """Decorate a handle class: add properties for the attributes of elements of type `kind` that it does not define."""

    def decorate(cls: type) -> type:
        for name, field in fields(kind).items():
            if not hasattr(cls, name) and name not in skipped:
                setattr(cls, name, member(field))
        cls.kind = kind  # type: ignore[attr-defined]
        return cls

    return decorate


class MjsOrientation(Handle):
    """Orientation in one of five representations. Only the representation that `type` selects is used.

    The quaternion itself is an attribute of the element.
    """

    _scope = "alt."

    @property
    def type(self) -> mjtOrientation:
        """Representation in use."""
        alt = self.values.get(self._scope[:-1])
        return mjtOrientation(FORMS.index(alt[0]) if alt else 0)

    @type.setter
    def type(self, value: mjtOrientation) -> None:
        if not isinstance(value, mjtOrientation):
            raise TypeError(f"MjsOrientation: type should be a mjtOrientation, not {value!r}.")
        form = FORMS[int(value)]
        self.values[self._scope[:-1]] = None if form == "quat" else (form, self._get(ORIENTATIONS[form]))
        self.changed()

    def _get(self, field: Field) -> Any:
        alt = self.values.get(self._scope[:-1])
        if alt and alt[0] == field.name:
            return alt[1]
        return self.values.get(self._scope + field.name) or (0.0,) * field.size

    def _put(self, field: Field, stored: Any) -> None:
        alt = self.values.get(self._scope[:-1])
        self.values[self._scope + field.name] = stored
        if alt and alt[0] == field.name:
            self.values[self._scope[:-1]] = (field.name, stored)
        self.changed()

    def changed(self) -> None:
        """Handle a change in the orientation. This method is called after every change, and subclasses override it."""


class InertialOrientation(MjsOrientation):
    """Orientation of the inertial frame of a body."""

    _scope = "ialt."

    def __init__(self, body: Any):
        super().__init__(body.spec, body.values)
        self._body = body

    def changed(self) -> None:
        self._body.heavy()


for _field in ORIENTATIONS.values():
    setattr(MjsOrientation, _field.name, member(_field))
