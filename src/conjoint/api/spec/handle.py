"""Public handles of the elements of an editable model, and lists that users may change in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conjoint.api.objects.struct import no_attribute
from conjoint.api.spec.field_types import Field, Polynomial
from conjoint.api.spec.fields import ORIENTATIONS, fields
from conjoint.schema.enums import mjtOrientation
from conjoint.spec import Spec

FORMS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
"""Forms of orientation, numbered as mjtOrientation."""


INSIDE = frozenset({
    "above", "add_name", "attached", "attached_to", "below", "changed", "compiled_signature", "copies", "count_of",
    "defaults_class", "element", "elements_of", "files", "forget", "handle", "handles", "heavy", "id_of", "inner_class",
    "insert", "is_compiled", "kind", "lender", "lent", "lent_defaults", "lent_out", "make_inertial", "massive",
    "members", "named_handles", "notes", "parent_spec", "programmed", "rename", "set_options", "spec", "store_lent",
    "values", "values_of",
})  # fmt: skip
"""Internal attributes: `dir` does not list them, and they cannot be set by name."""


class Listed(type):
    """Metaclass that lists only public attributes."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in INSIDE]


class Named(metaclass=Listed):
    """Base of objects with only the public attributes of their class; errors for others suggest a similar name."""

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
            f"{type(self).__name__} cannot be pickled, nor copied without its model: "
            "keep the text of `spec.to_xml()`, or copy the MjSpec with `spec.copy()`"
        )


class EditableModel(Named):
    """Interface of `MjSpec` for the handles of its elements.

    Attributes:
        spec: the Spec.
        lent, lent_defaults: lists of its elements and defaults classes that users may have changed.
    """

    spec: Spec
    lent: Lent
    lent_defaults: Lent


class Handle(Named):
    """Reads and writes the values of one element.

    Attributes:
        spec: the model.
        values: values by name, as a Spec stores them.
        _scope: prefix that distinguishes this handle's lists from those of other handles of the same values.
    """

    kind: ClassVar[str] = ""
    _scope: ClassVar[str] = ""

    def __init__(self, spec: EditableModel, values: dict[str, Any]):
        self.__dict__.update(spec=spec, values=values)

    def _get(self, field: Field) -> Any:
        """Return the stored value."""
        return self.values.get(field.name)

    def _put(self, field: Field, stored: Any) -> None:
        """Store a value."""
        self.values[field.name] = stored

    def _take(self, field: Field, stored: Any) -> None:
        """Store the contents of a list that a user changed in place."""
        self._put(field, stored)

    @property
    def lender(self) -> Lent:
        """Register of the lists of this handle that users hold."""
        return self.spec.lent


class _Loan:
    """One list that a user holds.

    Attributes:
        handle, field: the source of the list.
        shown: the list.
        before: its contents when it was last stored.
    """

    def __init__(self, handle: Handle, field: Field):
        self.handle = handle
        self.field = field
        self.shown = field.shown(handle._get(field))
        self.before = self.contents()

    def contents(self) -> Any:
        """Return the contents of the list, for comparison."""
        return tuple(self.shown) if isinstance(self.shown, list) else self.shown.tobytes()


class Lent:
    """Lists that users have read, and may have changed since.

    A Spec stores tuples; users get arrays and lists. These are registered here, and their contents are stored before
    the model is read.
    """

    def __init__(self) -> None:
        self.entries: dict[int, dict[str, _Loan]] = {}

    def lend(self, handle: Handle, field: Field) -> Any:
        """Return the list of a field: the same object until its length changes."""
        loans = self.entries.setdefault(id(handle.values), {})
        loan = loans.get(handle._scope + field.name)
        if loan is None:
            loan = loans[handle._scope + field.name] = _Loan(handle, field)
        return loan.shown

    def renew(self, handle: Handle, field: Field) -> None:
        """Update the list that a user holds after its value was stored."""
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
        """Store all changes."""
        for loans in self.entries.values():
            _store(loans)

    def store_of(self, handle: Handle) -> None:
        """Write the pending changes of one element's arrays to its attributes."""
        _store(self.entries.get(id(handle.values), {}))

    def move(self, owner: EditableModel, values: Mapping[int, dict[str, Any]]) -> None:
        """Transfer the lists of some elements to `owner`; `values` maps the ids of the old values to the new values."""
        for old, new in values.items():
            loans = self.entries.pop(old, {})
            for loan in loans.values():
                loan.handle.__dict__.update(values=new, spec=owner)
            if loans:
                owner.lent.entries[id(new)] = loans


def _store(loans: Mapping[str, _Loan]) -> None:
    for loan in loans.values():
        now = loan.contents()
        if now != loan.before:
            loan.before = now
            loan.handle._take(loan.field, loan.field.list_stored(loan.shown))


def member(field: Field) -> property:
    """Return the attribute for a field."""

    def read(handle: Handle) -> Any:
        return field.shown(handle._get(field))

    def read_polynomial(handle: Handle) -> Any:
        return read_list(handle) if field.is_list else read(handle)

    def read_list(handle: Handle) -> Any:
        return handle.lender.lend(handle, field)

    def write(handle: Handle, value: Any) -> None:
        handle._put(field, field.checked(handle, value))
        if field.is_list:
            handle.lender.renew(handle, field)

    if isinstance(field, Polynomial):
        return property(read_polynomial, write)
    return property(read_list if field.is_list else read, write)


def assign(target: Handle, source: Any) -> None:
    """Copy the values of `source` to `target`. Raises TypeError if `source` has a different kind."""
    if target.kind != getattr(source, "kind", None) or not isinstance(source, Handle):
        raise TypeError(f"expected an {type(target).__name__}, not {source!r}")
    for name in dir(type(target)):
        kept = getattr(type(target), name)
        if name[0] != "_" and name not in _OWN and isinstance(kept, property) and kept.fset is not None:
            setattr(target, name, getattr(source, name))


_OWN = ("name", "info", "classname", "plugin", "id")
"""Values that are not copied from one element to another."""


def part(read: Any) -> property:
    """Return the attribute for a nested handle; assigning to it copies the values."""
    return property(read, lambda owner, value: assign(read(owner), value), doc=read.__doc__)


def with_members(kind: str, *skipped: str) -> Any:
    """Decorate a class: add missing attributes for the values of elements of `kind`."""

    def decorate(cls: type) -> type:
        for name, field in fields(kind).items():
            if not hasattr(cls, name) and name not in skipped:
                setattr(cls, name, member(field))
        cls.kind = kind  # type: ignore[attr-defined]
        return cls

    return decorate


class MjsOrientation(Handle):
    """An orientation in one of five forms; only the form named by `type` is used.

    The quaternion itself is an attribute of the element.
    """

    _scope = "alt."

    @property
    def type(self) -> mjtOrientation:
        """The form in use."""
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
        """Hook that runs after every change."""


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
