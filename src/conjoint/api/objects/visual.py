"""Records of the abstract visualizer: cameras, options, perturbations, figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.struct import BufferRecord, record_class
from conjoint.lang.memory.layout import Buffer, Field
from conjoint.schema.constants import mjMAXLINE
from conjoint.schema.scene import (
    CAMERA_FIELDS,
    FIGURE_FIELDS,
    LINE_COLORS,
    PERTURB_FIELDS,
    RECT_FIELDS,
    VISUAL_OPTION_FIELDS,
)

MjvCamera: Any = record_class("MjvCamera", "A camera of the visualizer.", CAMERA_FIELDS, str)
MjvPerturb: Any = record_class("MjvPerturb", "What a user does to a body.", PERTURB_FIELDS, str)
MjvOption: Any = record_class("MjvOption", "What the visualizer shows.", VISUAL_OPTION_FIELDS, str)
_Rect: Any = record_class("_Rect", "Fields of MjrRect.", RECT_FIELDS, str)
for _cls in (MjvCamera, MjvOption, MjvPerturb):
    _cls.__module__ = __name__


class MjrRect(_Rect):
    """A rectangle of pixels.

    Args:
        left, bottom: its lower left corner, from the lower left corner of what it lies in.
        width, height: its size.
    """

    def __init__(self, left: int, bottom: int, width: int, height: int):
        super().__init__()
        self.left, self.bottom, self.width, self.height = left, bottom, width, height

    @classmethod
    def _fresh(cls) -> MjrRect:
        return cls(0, 0, 0, 0)


class VisualRecord(BufferRecord):
    """Base of records that have texts: arrays of them are arrays of `bytes`."""

    @staticmethod
    def _whole_view(buffer: Buffer, field: Field) -> np.ndarray:
        view = buffer.view(field.name)
        return view.view(f"S{view.shape[-1]}")[..., 0] if field.kind == "char" else view


_Figure: Any = record_class("_Figure", "Fields of MjvFigure.", FIGURE_FIELDS, str, base=VisualRecord)


class MjvFigure(_Figure):
    """A plot of lines."""

    def __init__(self) -> None:
        """An empty plot, whose lines have colours that differ."""
        from conjoint.api.mju.numbers import mju_Halton

        super().__init__()
        self.linergb[: len(LINE_COLORS)] = LINE_COLORS
        darkest, span = float(np.float32(0.1)), float(np.float32(0.8))
        for line in range(len(LINE_COLORS), mjMAXLINE):
            # light colours, far from each other (Halton 1960)
            self.linergb[line] = [darkest + span * mju_Halton(line, base) for base in (2, 3, 5)]
