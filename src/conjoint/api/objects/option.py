"""The groups of a model: `MjOption`, `MjStatistic`, `MjVisual`."""

from typing import Any

from conjoint.api.objects.struct import OwnMember, format_group, record_class
from conjoint.lang.layout import Buffer
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
            setattr(self, name, getattr(self, group.capitalize())(buffer))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MjVisual):
            return NotImplemented
        return all(getattr(self, group) == getattr(other, group) for group in self.groups)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return format_group("MjVisual", {group: getattr(self, group) for group in self.groups})


for _name, _group in zip(MjVisual.groups, VISUAL_GROUPS, strict=True):
    setattr(MjVisual, _group.capitalize(), _visual_group(_group))
    setattr(MjVisual, _name, OwnMember(_name, f"Settings: {_group}."))
