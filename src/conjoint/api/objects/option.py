"""The groups of a model: `MjOption`, `MjStatistic`, `MjVisual`."""

from __future__ import annotations

from typing import Any

from conjoint.api.objects.struct import OwnMember, Record, format_group, record_class
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS
from conjoint.schema.visual import VISUAL_FIELDS, VISUAL_GROUPS


def last_part(name: str) -> str:
    """`timestep` of `opt.timestep`."""
    return name.rpartition(".")[2]


MjOption: Any = record_class("MjOption", "Options of the simulation.", OPTION_FIELDS, last_part)
MjStatistic: Any = record_class("MjStatistic", "Statistics of the model.", STATISTIC_FIELDS, last_part)
for _cls in (MjOption, MjStatistic):
    _cls.__module__ = __name__


def _visual_group(group: str) -> Any:
    fields = [field for field in VISUAL_FIELDS if field.name.split(".")[1] == group]
    cls = record_class(group.capitalize(), f"Settings of the visualizer: {group}.", fields, last_part)
    cls.__module__ = __name__
    cls.__qualname__ = f"MjVisual.{cls.__name__}"
    return cls


class MjVisual:
    """Settings of the visualizer that belong to a model, in groups."""

    groups = tuple("global_" if group == "global" else group for group in VISUAL_GROUPS)

    def __init__(self, buffer: Buffer):
        """Show the settings of the model in `buffer`."""
        for name, group in zip(self.groups, VISUAL_GROUPS, strict=True):
            self.__dict__[name] = getattr(self, group.capitalize())(buffer)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: groups are part of the model, and nothing can be added."""
        if name in self.groups:
            raise AttributeError(f"MjVisual.{name} cannot be assigned; assign to its fields")
        raise AttributeError(f"'MjVisual' object has no attribute {name!r}; its groups are {', '.join(self.groups)}")

    __delattr__ = Record.__delattr__

    def __copy__(self) -> MjVisual:
        """The same settings in memory of their own."""
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
    """Settings made of these groups."""
    restored = object.__new__(MjVisual)
    restored.__dict__.update(groups)
    return restored


for _name, _group in zip(MjVisual.groups, VISUAL_GROUPS, strict=True):
    setattr(MjVisual, _group.capitalize(), _visual_group(_group))
    setattr(MjVisual, _name, OwnMember(_name, f"Settings: {_group}."))
