"""The groups of a model: `MjOption`, `MjStatistic`, `MjVisual`."""

from typing import Any

from conjoint.api.objects.struct import BufferRecord, format_group, record_class
from conjoint.lang.layout import Buffer
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS
from conjoint.schema.visual import VISUAL_FIELDS


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

    Global = _visual_group("global")
    Quality = _visual_group("quality")
    Headlight = _visual_group("headlight")
    Map = _visual_group("map")
    Scale = _visual_group("scale")
    Rgba = _visual_group("rgba")
    groups = ("global_", "quality", "headlight", "map", "scale", "rgba")

    def __init__(self, buffer: Buffer):
        """Show the settings of the model in `buffer`."""
        self.global_: BufferRecord = self.Global(buffer)
        self.quality: BufferRecord = self.Quality(buffer)
        self.headlight: BufferRecord = self.Headlight(buffer)
        self.map: BufferRecord = self.Map(buffer)
        self.scale: BufferRecord = self.Scale(buffer)
        self.rgba: BufferRecord = self.Rgba(buffer)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MjVisual):
            return NotImplemented
        return all(getattr(self, group) == getattr(other, group) for group in self.groups)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return format_group("MjVisual", {group: getattr(self, group) for group in self.groups})
