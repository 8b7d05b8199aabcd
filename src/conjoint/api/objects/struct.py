"""Objects whose attributes are fields of the schema, presented as in MuJoCo.

Arrays are NumPy views of shared memory, and assigning to an attribute copies into its array. A field that is a single
number is returned as a Python int or float.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np

from conjoint.api.argument_kinds import INT32, INT64, REAL, Integer, hint_for
from conjoint.api.arguments import store
from conjoint.lang.memory.layout import COMPONENTS, Buffer, Field, Layout
from conjoint.lang.text import as_text
from conjoint.once import made_once
from conjoint.schema.version import STANDS_FOR
from conjoint.spec.problems import suggestion

TEXTS = frozenset({"names", "text_data", "paths"})
"""Byte fields that contain text and are presented as `bytes`."""

STORED_AS: dict[str, type] = {
    "signature": np.uint64, "maxuse_threadstack": np.uint64, "plugin_data": np.uint64, "plugin_attr": np.int8,
}  # fmt: skip
"""Public dtypes, by field name, of fields that are presented with a different dtype of the same width."""

TRUTHS = frozenset({
    "jnt_limited", "jnt_actfrclimited", "jnt_actgravcomp", "light_castshadow", "light_active", "flex_rigid",
    "flexedge_rigid", "flex_centered", "flex_flatskin", "mat_texuniform", "eq_active0", "tendon_limited",
    "tendon_actfrclimited", "actuator_actlimited", "actuator_actearly", "actuator_forcelimited",
    "actuator_ctrllimited", "eq_active", "bvh_active",
})  # fmt: skip
"""Boolean byte fields, which are presented as `bool` arrays if version 3.9 or newer is emulated."""

NOT_SHOWN = frozenset({"vis.rgba.bv", "vis.rgba.bvactive"})
"""Colors that are presented as empty arrays, as in MuJoCo, because programs that compare models need equal shapes."""


def is_scalar(field: Field) -> bool:
    """Return True if the field is a single number, not an array."""
    return not field.shape and COMPONENTS[field.kind] == 1


def official_view(buffer: Buffer, field: Field) -> np.ndarray:
    """Return the public NumPy view of a field, with MuJoCo's dtype and shape (at most two dimensions)."""
    view = buffer.view(field.name)
    if field.name in NOT_SHOWN:
        return view[:0]
    if field.name in STORED_AS:
        view = view.view(STORED_AS[field.name])
    if field.name in TRUTHS and STANDS_FOR.has("bool arrays"):
        view = view.view(np.bool_)
    # for example, three points per row become nine numbers per row
    return view.reshape(len(view), int(np.prod(view.shape[1:]))) if view.ndim > 2 else view


BITS = {"int": INT32, "long": INT64}
"""Converters for values of int and long fields, by field type."""

BYTE = Integer(bits=8, signed=False)
"""Converter for values of all other integer fields."""


def checked_number(field: Field, value: Any) -> int | float:
    """Return `value` as a Python number of the kind that `field` stores.

    Raises:
        TypeError: `value` is not such a number.
    """
    try:
        if field.kind in ("real", "float"):
            return REAL.convert(value)
        return BITS.get(field.kind, BYTE).convert(value)
    except TypeError as error:
        raise TypeError(f"{field.name} {error}{hint_for(field.name.rpartition('.')[2], value)}") from None


def format_group(title: str, values: Mapping[str, Any]) -> str:
    """Return `<Title name: value ...>`, one line per value."""
    lines = [f"  {name}: {textwrap.indent(repr(value), '  ').lstrip()}" for name, value in values.items()]
    return "\n".join([f"<{title}", *lines, ">"])


def invalid_index(index: Any, count: int) -> str:
    """Return the error message for an index that is out of range for `count` elements."""
    return f"Invalid index {index}. Valid indices from 0 to {count - 1}" if count else f"Invalid index {index}: empty"


def no_attribute(record: Any, name: str, known: Iterable[str] = ()) -> AttributeError:
    """Return the exception for a missing attribute. It suggests the most similar name in `known` or of the object."""
    near = [attribute for attribute in known or dir(record) if attribute[0] != "_"]
    hint = suggestion(name, near) if name[0] != "_" else ""
    # with only the name, Python does not add its own hint
    return AttributeError(f"{type(record).__name__!r} object has no attribute {name!r}{hint}", name=name)


FURTHER_FIELDS = "conjoint.compat.fields"
"""Name of the module that defines fields of newer versions. `completed` imports it on demand."""


@made_once
def completed(cls: type) -> bool:
    """Add the fields of newer versions to a class. Return False if there are none for this class."""
    added: bool = import_module(FURTHER_FIELDS).complete(cls)
    return added


def has_attribute(cls: type, name: str) -> bool:
    """Return True if objects of a class have an attribute, including attributes of newer versions (`completed`)."""
    return hasattr(cls, name) or (not name.startswith("_") and completed(cls) and hasattr(cls, name))


class Missing:
    """Base class that handles access to missing attributes.

    It adds the fields of newer versions, or else raises AttributeError, which suggests a similar name.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if has_attribute(type(self), name):
            # either a property raised AttributeError, or the attribute has just been added
            return object.__getattribute__(self, name)
        raise no_attribute(self, name)


class Member:
    """Attribute of a `Record`: a view of its field, which is cached in the object's dictionary on first use."""

    def __init__(self, field: Field, name: str):
        self.field, self.name = field, name
        self.__doc__ = describe(field)

    def __get__(self, record: Record | None, owner: type) -> Any:
        if record is None:
            return self
        view = record._member_view(self.field)
        record.__dict__[self.name] = view
        return view


class OwnMember:
    """Attribute that each object stores in its dictionary. This descriptor on the class provides the docstring."""

    def __init__(self, name: str, doc: str):
        self.name, self.__doc__ = name, doc

    def __get__(self, record: Any, owner: type) -> Any:
        if record is None:
            return self
        # if a subclass overrides the attribute by a property, the property reads the hidden value here
        try:
            return record.__dict__[self.name]
        except KeyError:
            raise AttributeError("the object is not complete") from None


class NumberMember(property):
    """Attribute of a `Record` that is a single number, read from memory on each access."""

    def __init__(self, field: Field):
        name = field.name

        def read(record: Record) -> Any:
            try:
                return record._readers[name]()
            except KeyError:
                reader = record._readers[name] = record._member_view(field).item
                return reader()

        def write(record: Record, value: Any) -> None:
            store(name, record._member_view(field), checked_number(field, value))

        super().__init__(read, write, doc=describe(field))


class StringMember(property):
    """Attribute of a `Record` that is a string, stored as zero-terminated bytes."""

    def __init__(self, field: Field, name: str):
        length = int(field.shape[-1])

        def read(record: Record) -> str:
            return record._member_view(field).item().partition(b"\0")[0].decode()

        def write(record: Record, value: str | bytes) -> None:
            if not isinstance(value, str | bytes):
                raise TypeError(f"{name} must be a string, not {value!r}")
            text = as_text(value, name).encode()
            if len(text) >= length:
                raise ValueError(f"len({name}) cannot exceed {length - 1}: got length {len(text)}")
            record._member_view(field)[...] = text

        super().__init__(read, write, doc=describe(field))


def describe(field: Field) -> str:
    """Return a one-line description of a field: meaning, shape, unit, and the stage that writes it."""
    shape = " x ".join(map(str, field.shape + ((COMPONENTS[field.kind],) if COMPONENTS[field.kind] > 1 else ())))
    notes = [shape, field.unit, f"written by {field.stage}" if field.stage else ""]
    return f"{field.meaning} ({'; '.join(note for note in notes if note)})" if any(notes) else field.meaning


class Record(Missing):
    """Base of objects whose attributes are the fields in `_fields`.

    Attributes:
        _fields: schema row of each attribute, by attribute name.
        _inside: names of internal attributes, which `dir` does not list.
        _single: names of the fields that are a single number or string, which is read from memory on each access.
        _newer: names of attributes of newer versions, which `dir` lists only if such a version is emulated.
        _settable: names of assignable properties that are not fields.
        _readers: cached functions that read single numbers, by field name.
    """

    _fields: ClassVar[dict[str, Field]] = {}
    _single: ClassVar[frozenset[str]] = frozenset()
    _settable: ClassVar[frozenset[str]] = frozenset()
    _inside: ClassVar[frozenset[str]] = frozenset()
    _newer: ClassVar[frozenset[str]] = frozenset()
    _readers: dict[str, Callable[[], int | float]]

    @classmethod
    def add_newer(cls, names: set[str], settable: Iterable[str] = ()) -> None:
        """Mark attributes as belonging to newer versions.

        Args:
            names: names of the attributes.
            settable: names of the attributes that are assignable properties.
        """
        cls._newer, cls._settable = cls._newer | names, cls._settable.union(settable)

    def _member_view(self, field: Field) -> np.ndarray:
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        """Copy `value` into the memory of the attribute. Attributes cannot be added to a record."""
        if name in self._single or name in self._settable:
            object.__setattr__(self, name, value)
        elif name in self._fields:
            store(name, getattr(self, name), value)
        elif name in self.__dict__ or has_attribute(type(self), name):
            if name not in self._settable:
                raise AttributeError(f"{type(self).__name__}.{name} cannot be assigned")
            object.__setattr__(self, name, value)
        else:
            raise no_attribute(self, name)

    def __dir__(self) -> list[str]:
        hidden = self._inside
        if STANDS_FOR.moved:
            completed(type(self))
        else:
            hidden |= self._newer
        return [name for name in super().__dir__() if name not in hidden]

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return format_group(type(self).__name__, {name: getattr(self, name) for name in sorted(self._fields)})


def fields_of(record: Record | type[Record]) -> dict[str, Field]:
    """Return the schema rows of the attributes of a record or a record class."""
    return record._fields


def whole_view(cls: type[BufferRecord], buffer: Buffer, field: Field) -> np.ndarray:
    """Return the public view of a field for all elements."""
    return cls._whole_view(buffer, field)


class BufferRecord(Record):
    """Record whose attributes are stored in a buffer.

    An attribute is element `index` of a field, or the whole field if `index` is None.

    Attributes:
        memory: the buffer.
        _element: whether records of this class are single elements of the fields.
    """

    _inside = frozenset({"memory"})
    memory: Buffer
    _element: ClassVar[bool] = False

    def __init__(self, buffer: Buffer | None = None, index: int | None = None):
        """Attach the record to `buffer`, or to new memory with default values if `buffer` is None."""
        if buffer is None:
            buffer = copy_of(_defaults(type(self)))
            index = 0 if self._element else None
        self.__dict__.update(memory=buffer, _index=index, _readers={})

    @classmethod
    def _own_sizes(cls) -> dict[str, int]:
        """Return sizes for a buffer with a single element: 1 for every named dimension."""
        return {size: 1 for field in cls._fields.values() for size in field.shape if isinstance(size, str)}

    _whole_view = staticmethod(official_view)
    """Function that returns the public view of a field for all elements."""

    def _member_view(self, field: Field) -> np.ndarray:
        view = self._whole_view(self.memory, field)
        return view if self._index is None else view[(self._index, ...)]

    @classmethod
    def _fresh(cls) -> Self:
        """Return a record in new memory, with default values."""
        return cls()

    def __copy__(self) -> BufferRecord:
        copied = self._fresh()
        for field in self._fields.values():
            copied._member_view(field)[...] = self._member_view(field)
        return copied

    def __deepcopy__(self, memo: dict) -> BufferRecord:
        return self.__copy__()

    def __reduce__(self) -> tuple:
        values = {name: np.array(self._member_view(field)) for name, field in self._fields.items()}
        return _restore_record, (type(self), values)


@made_once
def _defaults(cls: type[BufferRecord]) -> Buffer:
    """Return memory for one record of a class, with default values in every field. It must not be changed."""
    buffer = Buffer(Layout(cls._fields.values(), cls._own_sizes()))
    buffer.set_defaults()
    return buffer


def copy_of(buffer: Buffer) -> Buffer:
    """Return a copy of a buffer, with the same layout and contents."""
    copied = Buffer(buffer.layout)
    copied.bytes[...] = buffer.bytes
    return copied


def set_defaults(record: BufferRecord) -> None:
    """Set all fields of a record to their defaults."""
    fresh = type(record)()
    if fresh.memory.layout is record.memory.layout:
        record.memory.bytes[...] = fresh.memory.bytes
        return
    for field in record._fields.values():
        record._member_view(field)[...] = fresh._member_view(field)


def _restore_record(cls: type[BufferRecord], values: dict[str, np.ndarray]) -> BufferRecord:
    """Return the unpickled record."""
    record = cls._fresh()
    for name, value in values.items():
        record._member_view(cls._fields[name])[...] = value
    return record


def _member(field: Field, name: str, dimensions: int) -> Any:
    """Return the descriptor for a field with the given number of dimensions."""
    if field.kind == "char" and dimensions == 1:
        return StringMember(field, name)
    return NumberMember(field) if COMPONENTS[field.kind] == 1 and dimensions == 0 else Member(field, name)


def record_class(
    name: str,
    doc: str,
    fields: Iterable[Field],
    attribute: Callable[[str], str],
    element: bool = False,
    base: type = BufferRecord,
) -> type:
    """Return a new record class.

    Args:
        name: name of the class.
        doc: docstring of the class.
        fields: schema rows, one per attribute.
        attribute: function that maps a field name to the attribute name.
        element: whether a record is a single element along the first dimension of its fields.
        base: base class, which provides the memory.
    """
    members: dict[str, Any] = {}
    rows: dict[str, Field] = {}
    for field in fields:
        own = attribute(field.name)
        members[own] = _member(field, own, len(field.shape) - int(element))
        rows[own] = field
    single = frozenset(own for own, member in members.items() if isinstance(member, property))
    module = {"__doc__": doc, "__module__": base.__module__, "_fields": rows, "_single": single, "_element": element}
    return type(name, (base,), members | module)
