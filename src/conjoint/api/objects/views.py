"""Access to elements by name, as in `m.body("torso").mass` and `d.joint("knee").qpos`."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from conjoint.api.arguments import store
from conjoint.api.objects.attributes import ModelAttributes
from conjoint.api.objects.followed import follow
from conjoint.api.objects.struct import Missing, format_group, has_attribute, invalid_index, no_attribute
from conjoint.lang.memory.layout import Field, Role
from conjoint.lang.text import is_text, sought
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.enums import mjtJoint
from conjoint.schema.kinds import KINDS, Kind
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.schema.newer_names import IN_MEMORY_OF_MODELS
from conjoint.schema.version import STANDS_FOR

Owner = Any
"""Owner of an element: an MjModel or an MjData."""

ACCESS_DOC = """Return an object with views of the fields of one {0} of an {1}.

Args:
    name: name or id of the element.

Returns:
    The object. Its attributes are views, which read and write the arrays of the {1}.

Raises:
    KeyError: no element has this name.
    IndexError: no element has this id.
"""
"""Docstring of accessors, with placeholders for the element type and the owner's class."""


@dataclass(frozen=True)
class ElementType:
    """Access to the elements of one type.

    Attributes:
        title: name of the type, as it appears in the class name of its views.
        size: name of the model size that counts the elements.
        names: name of the field with the name addresses.
        prefix: prefix of the type's field names, which views omit.
        accessors: names of the methods of `MjModel` that return views.
        data_accessors: names of the methods of `MjData` that return views.
    """

    title: str
    size: str
    names: str
    prefix: str
    accessors: tuple[str, ...]
    data_accessors: tuple[str, ...] = ()


_OTHER_NAMES = {"tendon": "ten", "key": "keyframe"}
"""Second accessor names, for the types whose second name is not the field prefix."""

_IN_WORLDS = ("body", "joint", "geom", "site", "camera", "light", "tendon", "actuator", "sensor")


def _element_type(kind: Kind) -> ElementType:
    """Return the `ElementType` for a row of the schema."""
    accessors = tuple(dict.fromkeys((kind.name, _OTHER_NAMES.get(kind.name, kind.prefix))))
    title = "Keyframe" if kind.name == "key" else kind.name.capitalize()
    in_worlds = accessors if kind.name in _IN_WORLDS else ()
    return ElementType(title, kind.size, kind.names, kind.prefix + "_", accessors, in_worlds)


ELEMENT_TYPES = tuple(_element_type(kind) for kind in KINDS if kind.name != "plugin")

Slice = Callable[[Owner, int], np.ndarray]
"""Function of an owner and an id i that returns the part of the owner's array that belongs to element i."""


class ElementView(Missing):
    """View of one element of a model or world, whose attributes are views of the owner's arrays."""

    __slots__ = ("__weakref__", "_id", "_owner", "_parts")
    _attributes: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[str]
    _accessor: ClassVar[str]

    def __init__(self, owner: Owner, id: int, parts: dict[tuple[Slice, int], np.ndarray]):
        """Attach the view to element `id` of `owner`. `parts` caches the attributes that have been read."""
        self._owner, self._id, self._parts = owner, id, parts

    @property
    def id(self) -> int:
        """Id of the element."""
        return self._id

    @property
    def name(self) -> str:
        """Name of the element, "" if it has none."""
        return _model(self._owner).name_table.names(self._names)[self._id]

    def __setattr__(self, name: str, value: Any) -> None:
        if not has_attribute(type(self), name):
            raise no_attribute(self, name)
        object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple:
        return _view_of, (self._owner, self._accessor, self._id)

    def __repr__(self) -> str:
        shown = sorted([*self._attributes, "id", "name"])
        return format_group(type(self).__name__, {name: getattr(self, name) for name in shown})


def _view_of(owner: Owner, accessor: str, id: int) -> ElementView:
    """Return the unpickled view, which belongs to the unpickled owner."""
    return getattr(owner, accessor)(id)


def row_of(name: str) -> Slice:
    """Return the function that returns row i of field `name`, as an array even if the row is a single number."""

    def part(owner: Owner, i: int) -> np.ndarray:
        view = getattr(owner, name)
        return view[i] if view.ndim > 1 else view[i : i + 1]

    return part


def _of_actuator(name: str, adr: str, count: str) -> Slice:
    """Return the function that returns the rows of field `name` for the controls or outputs of actuator i."""

    def part(owner: Owner, i: int) -> np.ndarray:
        m, view = _model(owner), getattr(owner, name)
        start, number = int(getattr(m, adr)[i]), int(getattr(m, count)[i])
        return view[start] if number == 1 and view.ndim > 1 else view[start : start + number]

    return part


OF_ACTUATORS = {"nu": ("actuator_ctrladr", "actuator_ctrlnum"), "nout": ("actuator_outadr", "actuator_outnum")}
"""Address and count fields of an actuator's controls and outputs, by the size that counts their rows."""


def _slice_of(element: ElementType, row: Field) -> Slice | None:
    """Return the function with which views read a field, or None if it has no rows for elements of this type."""
    size = str(row.shape[0]) if row.shape else ""
    if element.title == "Actuator" and size in OF_ACTUATORS:
        return _of_actuator(row.name, *OF_ACTUATORS[size])
    return row_of(row.name) if size == element.size else None


def dofs_of(name: str) -> Slice:
    """Return the function that returns the rows of field `name` for the degrees of freedom of joint i."""

    def part(owner: Owner, i: int) -> np.ndarray:
        start, stop = _joint_range(_model(owner), i, "jnt_dofadr", "nv")
        return getattr(owner, name)[start:stop]

    return part


def _coordinates(name: str) -> Slice:
    """Return the function that returns the elements of field `name` for the position coordinates of joint i."""

    def part(owner: Owner, i: int) -> np.ndarray:
        start, stop = _joint_range(_model(owner), i, "jnt_qposadr", "nq")
        return getattr(owner, name)[start:stop]

    return part


def listed(name: str, adr: str, count: str) -> Slice:
    """Return the function that returns element i's part of field `name`.

    The fields `adr` and `count` contain the start and the length of each part.
    """

    def part(owner: Owner, i: int) -> np.ndarray:
        m = _model(owner)
        start = int(getattr(m, adr)[i])
        return getattr(owner, name)[start : start + int(getattr(m, count)[i])]

    return part


def _model(owner: Owner) -> Any:
    """Return the model of a world, or the model itself."""
    return owner.__dict__.get("model", owner)


def _joint_range(m: ModelAttributes, joint: int, adr: str, size: str) -> tuple[int, int]:
    """Return the start and stop indices of a joint's coordinates, which extend up to those of the next joint."""
    addresses = getattr(m, adr)
    stop = addresses[joint + 1] if joint + 1 < len(addresses) else getattr(m, size)
    return int(addresses[joint]), int(stop)


def _rest(adr: str) -> Slice:
    """Return the function that returns the plastic rest position of joint or tendon i, empty if it cannot yield."""

    def part(owner: Owner, i: int) -> np.ndarray:
        m = _model(owner)
        start = int(getattr(m, adr)[i])
        count = 2 if adr.startswith("tendon") else 4 if m.jnt_type[i] == mjtJoint.mjJNT_BALL else 1
        return owner.plastic[max(start, 0) : max(start, 0) + count * (start >= 0)]

    return part


def _hfield_data(m: ModelAttributes, i: int) -> np.ndarray:
    """Return the elevations of height field i, shape (nrow, ncol)."""
    nrow, ncol, adr = int(m.hfield_nrow[i]), int(m.hfield_ncol[i]), int(m.hfield_adr[i])
    return m.hfield_data[adr : adr + nrow * ncol].reshape(nrow, ncol)


def _tex_data(m: ModelAttributes, i: int) -> np.ndarray:
    """Return the pixels of texture i, shape (height, width, channels)."""
    shape = (int(m.tex_height[i]), int(m.tex_width[i]), int(m.tex_nchannel[i]))
    adr = int(m.tex_adr[i])
    return m.tex_data[adr : adr + shape[0] * shape[1] * shape[2]].reshape(shape)


def _text_data(m: ModelAttributes, i: int) -> np.ndarray:
    """Return the bytes of custom text i."""
    adr = int(m.text_adr[i])
    return np.frombuffer(m.text_data, np.uint8)[adr : adr + int(m.text_size[i])]


def _moment(d: Any, i: int) -> np.ndarray:
    """Return the moment arms of actuator i, one row per output and one column per dof; later calls update the array."""
    first, count = int(d.model.actuator_outadr[i]), int(d.model.actuator_outnum[i])
    dense = np.zeros((count, d.model.nv))

    def fill(d: Any) -> None:
        dense.fill(0.0)
        for k in range(count):
            start = int(d.moment_rowadr[first + k])
            stop = start + int(d.moment_rownnz[first + k])
            dense[k, d.moment_colind[start:stop]] = d.actuator_moment[start:stop]

    follow(d, ("moment", i), fill)
    shown = dense[0] if count == 1 else dense.view()
    # newer versions return a copy; a read-only view has the same values
    shown.flags.writeable = not STANDS_FOR.moved
    return shown


def model_attributes(element: ElementType) -> dict[str, Slice]:
    """Return the attributes of model views, by name: fields with one row per element, without their prefix."""
    older = [row for row in ARRAY_FIELDS if row.name not in IN_MEMORY_OF_MODELS]
    attributes = {
        row.name.removeprefix(element.prefix): part
        for row in older
        if row.name.startswith(element.prefix) and (part := _slice_of(element, row)) is not None
    }
    if element.title == "Joint":
        own = {row.name.removeprefix("dof_"): dofs_of(row.name) for row in older if row.name.startswith("dof_")}
        # joints and dofs both have constraint parameters; the view shows the joint's
        attributes |= {name: part for name, part in own.items() if name not in ("solref", "solimp")}
        attributes |= {"qpos0": _coordinates("qpos0"), "qpos_spring": _coordinates("qpos_spring")}
    special: dict[str, dict[str, Slice]] = {
        "Hfield": {"data": _hfield_data},
        "Texture": {"data": _tex_data},
        "Text": {"data": _text_data},
        "Numeric": {"data": listed("numeric_data", "numeric_adr", "numeric_size")},
        "Tuple": {name: listed(f"tuple_{name}", "tuple_adr", "tuple_size") for name in ("objtype", "objid", "objprm")},
    }
    return attributes | special.get(element.title, {})


def data_attributes(element: ElementType) -> dict[str, Slice]:
    """Return the attributes of world views, by name: pipeline results per element, without their prefix."""
    prefix = {"Tendon": "ten_"}.get(element.title, element.prefix)
    rows = [row for row in DATA_FIELDS if row.role is not Role.STRUCTURE]
    attributes = {row.name.removeprefix(prefix): part for row in rows if (part := _slice_of(element, row)) is not None}
    special: dict[str, dict[str, Slice]] = {
        "Joint": {"qpos": _coordinates("qpos")}
        | {row.name: dofs_of(row.name) for row in rows if row.shape[:1] == ("nv",)},
        "Actuator": {"moment": _moment},
        "Sensor": {"data": listed("sensordata", "sensor_adr", "sensor_dim")},
    }
    return attributes | special.get(element.title, {})


def _part(name: str, slice_of: Slice) -> property:
    """Return the property of a view that returns a part of an owner's array, and caches it."""

    def read(view: ElementView) -> np.ndarray:
        key = slice_of, view._id
        part = view._parts.get(key)
        if part is None:
            part = view._parts[key] = slice_of(view._owner, view._id)
        return part

    def write(view: ElementView, value: Any) -> None:
        store(name, read(view), value)

    return property(read, write)


def made_part(slice_of: Slice) -> property:
    """Return the property of a view for a field that is computed on each access."""
    return property(lambda view: slice_of(view._owner, view._id))


def _newer_attributes(element: ElementType, in_worlds: bool) -> dict[str, property]:
    """Return the properties for fields of newer versions, which the `repr` of a view does not list."""
    found: dict[str, Slice] = {}
    if not in_worlds:
        found = {
            name.removeprefix(element.prefix): row_of(name)
            for name in IN_MEMORY_OF_MODELS
            if name.startswith(element.prefix)
        }
        if element.title == "Joint":
            found |= {
                name.removeprefix("dof_"): dofs_of(name) for name in IN_MEMORY_OF_MODELS if name.startswith("dof_")
            }
    elif element.title in ("Joint", "Tendon"):
        found = {"plastic": _rest(f"{element.prefix}plasticadr")}
    return {name: _part(name, slice_of) for name, slice_of in found.items()}


VIEW_CLASSES: dict[type[ElementView], tuple[ElementType, bool]] = {}
"""Element type of each view class, and a flag that is True for views of worlds."""


def _view_class(element: ElementType, attributes: dict[str, Slice], in_worlds: bool) -> type[ElementView]:
    """Return the class of views of one element type."""
    owner = "MjData" if in_worlds else "MjModel"
    doc = f"Fields of one {element.title.lower()} of an {owner}. Attributes: {', '.join(sorted(attributes))}."
    own = {
        "__slots__": (), "_attributes": tuple(attributes), "_names": element.names, "__doc__": doc,
        "__module__": __name__, "_accessor": element.accessors[0],
    }  # fmt: skip
    parts = {name: _part(name, slice_of) for name, slice_of in attributes.items()}
    members = _newer_attributes(element, in_worlds) | own | parts
    cls = type(f"_{owner}{element.title}Views", (ElementView,), members)
    VIEW_CLASSES[cls] = element, in_worlds
    return cls


def _accessor(method: str, element: ElementType, cls: type[ElementView], of_data: bool) -> Callable:
    """Return the method of models or worlds that returns an element by id or name."""

    names, size = element.names, element.size

    def access(self: Owner, name: Any = "") -> ElementView:
        own = self.__dict__
        m = own["model"] if of_data else self
        if isinstance(name, str):
            ids = m.name_table.ids(names)
            try:
                key = ids[name]
            except KeyError:
                raise KeyError(f"Invalid name '{sought(name)}'. Valid names: {sorted(ids)}") from None
        else:
            if is_text(name):
                return access(self, sought(name))
            key, count = _id(method, name), m.__dict__[size]
            if not 0 <= key < count:
                raise IndexError(invalid_index(key, count))
        try:
            views, parts = own["_views"]
            found = views[cls, key]()
        except KeyError:
            views, parts = own.setdefault("_views", ({}, {}))
            found = None
        if found is None:
            # return the same view as long as it is referenced
            found = cls(self, key, parts)
            views[cls, key] = ref(found)
        return found

    access.__name__ = method
    access.__doc__ = ACCESS_DOC.format(element.title.lower(), "MjData" if of_data else "MjModel")
    return access


def _id(method: str, value: Any) -> int:
    """Return the argument of an accessor as an id. Raises TypeError if the argument is not an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{method}: an element is selected by its name or id, not by {value!r}") from None


def add_accessors(cls: type, in_worlds: bool) -> None:
    """Add accessors for all element types to a class: `MjData` if `in_worlds`, else `MjModel`."""
    for element in ELEMENT_TYPES:
        methods = element.data_accessors if in_worlds else element.accessors
        if methods:
            attributes = data_attributes(element) if in_worlds else model_attributes(element)
            view = _view_class(element, attributes, in_worlds)
            for method in methods:
                setattr(cls, method, _accessor(method, element, view, in_worlds))
