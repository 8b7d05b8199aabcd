"""Groups of model fields: `MjOption`, `MjStatistic`, `MjVisual`."""

from __future__ import annotations

from typing import Any

from conjoint.api.argument_kinds import INT32
from conjoint.api.objects.struct import Missing, OwnMember, Record, fields_of, format_group, record_class
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.newer_names import PASSIVE, SPRINGS_AND_DAMPERS, official_bits, own_bits
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS, VISUAL_GROUPS
from conjoint.schema.version import STANDS_FOR


def last_part(name: str) -> str:
    """Return the last part of a dotted name: `timestep` for `opt.timestep`."""
    return name.rpartition(".")[2]


MjOption: Any = record_class("MjOption", "Options of the simulation.", OPTION_FIELDS, last_part)
MjStatistic: Any = record_class("MjStatistic", "Statistics of the model.", STATISTIC_FIELDS, last_part)
for _cls in (MjOption, MjStatistic):
    _cls.__module__ = __name__


def _translated(name: str, own: property) -> property:
    """Return the property for a bit mask of flags, which is converted to the bits of the emulated version."""

    def read(option: Any) -> int:
        return official_bits(name, own.fget(option)) if STANDS_FOR.moved else own.fget(option)  # type: ignore[misc]

    def write(option: Any, value: Any) -> None:
        if STANDS_FOR.moved:
            value = own_bits(name, INT32.convert(value), own.fget(option))  # type: ignore[misc]
        own.fset(option, value)  # type: ignore[misc]

    return property(read, write, doc=own.__doc__)


for _name in ("disableflags", "enableflags"):
    setattr(MjOption, _name, _translated(_name, getattr(MjOption, _name)))


MjOption.add_newer({"sleep_tolerance"}, settable={"sleep_tolerance"})


def own_flags(m: Any, name: str) -> int:
    """Return the disable or enable flags as bits of `schema.enums`, independent of the emulated version."""
    flags = int(m.memory.view(f"opt.{name}"))
    # disabling both springs and dampers disables all passive forces
    both = name == "disableflags" and flags & SPRINGS_AND_DAMPERS == SPRINGS_AND_DAMPERS
    return flags | PASSIVE if both else flags


def _visual_group(group: str) -> Any:
    fields = [field for field in VISUAL_FIELDS if field.name.split(".")[1] == group]
    cls = record_class(group.capitalize(), f"Visualizer settings of the group `{group}`.", fields, last_part)
    cls.__module__ = __name__
    cls.__qualname__ = f"MjVisual.{cls.__name__}"
    return cls


def take_fields(place: str, target: Any, source: Any) -> None:
    """Copy all fields of a group, including nested groups, from `source` to `target`.

    Raises:
        TypeError: `source` has a different type from `target`. The message mentions `place`.
    """
    if type(source) is not type(target):
        raise TypeError(f"{place} takes another {type(target).__name__}, not {source!r:.60}")
    if isinstance(target, MjVisual):
        for group in target.groups:
            take_fields(f"{place}.{group}", getattr(target, group), getattr(source, group))
        return
    for field in fields_of(target).values():
        target.memory.view(field.name)[...] = source.memory.view(field.name)


class MjVisual(Missing):
    """Visualizer settings of a model, in groups."""

    groups = tuple("global_" if group == "global" else group for group in VISUAL_GROUPS)

    def __init__(self, buffer: Buffer):
        """Attach this object to the settings in `buffer`, the memory of a model."""
        for name, group in zip(self.groups, VISUAL_GROUPS, strict=True):
            self.__dict__[name] = getattr(self, group.capitalize())(buffer)

    def __setattr__(self, name: str, value: Any) -> None:
        """Copy the fields of another group of the same type into group `name`. Other attributes cannot be set."""
        if name in self.groups:
            take_fields(f"MjVisual.{name}", self.__dict__[name], value)
            return
        raise AttributeError(f"'MjVisual' object has no attribute {name!r}; its groups are {', '.join(self.groups)}")

    __delattr__ = Record.__delattr__

    def __copy__(self) -> MjVisual:
        """Return a copy of the settings, in new memory."""
        return _restore_visual({group: getattr(self, group).__copy__() for group in self.groups})

    def __deepcopy__(self, memo: dict) -> MjVisual:
        return self.__copy__()

    def __reduce__(self) -> tuple:
        return _restore_visual, ({group: getattr(self, group) for group in self.groups},)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MjVisual):
            return NotImplemented
        return all(getattr(self, group) == getattr(other, group) for group in self.groups)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return format_group("MjVisual", {group: getattr(self, group) for group in self.groups})


def _restore_visual(groups: dict[str, Any]) -> MjVisual:
    """Return the unpickled settings, which consist of `groups`."""
    restored = object.__new__(MjVisual)
    restored.__dict__.update(groups)
    return restored


for _name, _group in zip(MjVisual.groups, VISUAL_GROUPS, strict=True):
    setattr(MjVisual, _group.capitalize(), _visual_group(_group))
    setattr(MjVisual, _name, OwnMember(_name, f"Settings of the group `{_group}`."))
