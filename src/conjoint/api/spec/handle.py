"""What users hold of an editable model: handles of its elements, and lists that they may change in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conjoint.api.spec.fields import ORIENTATIONS, Field, fields
from conjoint.schema.enums import mjtOrientation
from conjoint.spec import Spec, suggestion

FORMS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
"""Forms of orientation, numbered as mjtOrientation."""


class Named:
    """What has public attributes only where its class has them; others are errors, with the name that may be meant."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name[0] != "_" and not hasattr(type(self), name):
            raise AttributeError(self._no_attribute(name))
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fset is None:
            raise AttributeError(f"{name!r} of '{type(self).__name__}' can only be read")
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._no_attribute(name))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"{type(self).__name__} cannot be pickled, nor copied without its model: "
            "keep the text of `spec.to_xml()`, or copy the MjSpec with `spec.copy()`"
        )

    def _no_attribute(self, name: str) -> str:
        known = [known for known in dir(type(self)) if known[0] != "_"]
        return f"'{type(self).__name__}' object has no attribute '{name}'{suggestion(name, known)}"


class EditableModel(Named):
    """What handles know of the model that they belong to, an `MjSpec`.

    Attributes:
        _spec: the Spec.
        _lent, _lent_defaults: lists of its elements and of its defaults classes that users may have changed.
    """

    _spec: Spec
    _lent: Lent
    _lent_defaults: Lent


class Handle(Named):
    """Reads and writes the values of one element.

    Attributes:
        _spec: the model.
        _values: values by name, as a Spec stores them.
        _scope: what tells lists of this handle from those of others with the same values.
    """

    _kind: ClassVar[str] = ""
    _scope: ClassVar[str] = ""

    def __init__(self, spec: EditableModel, values: dict[str, Any]):
        object.__setattr__(self, "_spec", spec)
        object.__setattr__(self, "_values", values)

    def _get(self, field: Field) -> Any:
        """Stored value."""
        return self._values.get(field.name)

    def _put(self, field: Field, stored: Any) -> None:
        """Store a value."""
        self._values[field.name] = stored

    def _take(self, field: Field, stored: Any) -> None:
        """Store what a list holds that a user changed in place."""
        self._put(field, stored)

    @property
    def _lender(self) -> Lent:
        """What remembers the lists of this handle that users have."""
        return self._spec._lent


class _Loan:
    """One list that a user has.

    Attributes:
        handle, field: what it shows.
        shown: the list.
        before: its contents when it was stored last.
    """

    def __init__(self, handle: Handle, field: Field):
        self.handle = handle
        self.field = field
        self.shown = field.shown(handle._get(field))
        self.before = self.contents()

    def contents(self) -> Any:
        """What the list holds."""
        return tuple(self.shown) if isinstance(self.shown, list) else self.shown.tobytes()


class Lent:
    """Lists that users have read, and may have changed since.

    A Spec stores tuples; users get arrays and lists. They are remembered here, and what they hold is stored before the
    model is looked at.
    """

    def __init__(self) -> None:
        self.entries: dict[int, dict[str, _Loan]] = {}

    def lend(self, handle: Handle, field: Field) -> Any:
        """The list of a field, the same as long as its length stays."""
        loans = self.entries.setdefault(id(handle._values), {})
        loan = loans.get(handle._scope + field.name)
        if loan is None:
            loan = loans[handle._scope + field.name] = _Loan(handle, field)
        return loan.shown

    def renew(self, handle: Handle, field: Field) -> None:
        """Show the value that was just stored in the list that was lent."""
        loans = self.entries.get(id(handle._values), {})
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
        """Store what was changed."""
        for loans in self.entries.values():
            _store(loans)

    def store_of(self, handle: Handle) -> None:
        """Store what was changed of one element."""
        _store(self.entries.get(id(handle._values), {}))

    def move(self, owner: EditableModel, values: Mapping[int, dict[str, Any]]) -> None:
        """Give the lists of some elements to `owner`; `values` are the elements' new values, by the id of the old."""
        for old, new in values.items():
            loans = self.entries.pop(old, {})
            for loan in loans.values():
                object.__setattr__(loan.handle, "_values", new)
                object.__setattr__(loan.handle, "_spec", owner)
            if loans:
                owner._lent.entries[id(new)] = loans


def _store(loans: Mapping[str, _Loan]) -> None:
    for loan in loans.values():
        now = loan.contents()
        if now != loan.before:
            loan.before = now
            loan.handle._take(loan.field, loan.field.list_stored(loan.shown))


def member(field: Field) -> property:
    """Attribute for a field."""

    def read(handle: Handle) -> Any:
        return field.shown(handle._get(field))

    def read_list(handle: Handle) -> Any:
        return handle._lender.lend(handle, field)

    def write(handle: Handle, value: Any) -> None:
        handle._put(field, field.checked(handle, value))
        if field.is_list:
            handle._lender.renew(handle, field)

    return property(read_list if field.is_list else read, write)


def assign(target: Handle, source: Any) -> None:
    """Give `target` the values that `source` has. Raises TypeError if that is something else."""
    if target._kind != getattr(source, "_kind", None) or not isinstance(source, Handle):
        raise TypeError(f"expected an {type(target).__name__}, not {source!r}")
    for name in dir(type(target)):
        kept = getattr(type(target), name)
        if name[0] != "_" and name not in _OWN and isinstance(kept, property) and kept.fset is not None:
            setattr(target, name, getattr(source, name))


_OWN = ("name", "info", "classname", "plugin", "id")
"""What an element keeps when it is given the values of another one."""


def part(read: Any) -> property:
    """Attribute that is a handle; assigning to it takes the values of another one."""
    return property(read, lambda owner, value: assign(read(owner), value), doc=read.__doc__)


def with_members(kind: str, *skipped: str) -> Any:
    """Class decorator: attributes for the values of elements of `kind`, except those that the class has already."""

    def decorate(cls: type) -> type:
        for name, field in fields(kind).items():
            if not hasattr(cls, name) and name not in skipped:
                setattr(cls, name, member(field))
        cls._kind = kind  # type: ignore[attr-defined]
        return cls

    return decorate


class MjsOrientation(Handle):
    """An orientation in one of five forms; only the form that `type` names counts.

    The quaternion itself is an attribute of the element.
    """

    _scope = "alt."

    @property
    def type(self) -> mjtOrientation:
        """The form in use."""
        alt = self._values.get(self._scope[:-1])
        return mjtOrientation(FORMS.index(alt[0]) if alt else 0)

    @type.setter
    def type(self, value: mjtOrientation) -> None:
        if not isinstance(value, mjtOrientation):
            raise TypeError(f"MjsOrientation: type should be a mjtOrientation, not {value!r}.")
        form = FORMS[int(value)]
        self._values[self._scope[:-1]] = None if form == "quat" else (form, self._get(ORIENTATIONS[form]))
        self._changed()

    def _get(self, field: Field) -> Any:
        alt = self._values.get(self._scope[:-1])
        if alt and alt[0] == field.name:
            return alt[1]
        return self._values.get(self._scope + field.name) or (0.0,) * field.size

    def _put(self, field: Field, stored: Any) -> None:
        alt = self._values.get(self._scope[:-1])
        self._values[self._scope + field.name] = stored
        if alt and alt[0] == field.name:
            self._values[self._scope[:-1]] = (field.name, stored)
        self._changed()

    def _changed(self) -> None:
        """Called after every change."""


class InertialOrientation(MjsOrientation):
    """Orientation of the inertial frame of a body."""

    _scope = "ialt."

    def __init__(self, body: Any):
        super().__init__(body._spec, body._values)
        object.__setattr__(self, "_body", body)

    def _changed(self) -> None:
        self._body._heavy()


for _field in ORIENTATIONS.values():
    setattr(MjsOrientation, _field.name, member(_field))
