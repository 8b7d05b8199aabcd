"""Items of panels: buttons, values, texts, rows, folders. `layout` paints them in a window, `web.panel` in a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Button:
    """A button; its label may change."""

    label: str | Callable[[], str]
    press: Callable[[], object]


@dataclass(frozen=True)
class Value:
    """A value that the user sees and changes.

    Attributes:
        label: its name.
        kind: "switch" (bool), "choice" (index of `options`), "slider", "integer", "real", "drag" (a real number that
            the mouse changes), "reals" (an array), "color" (3 or 4 numbers), "text", or "marks" (an array of switches).
        get: returns the present value; called for each picture.
        set: called with the new value.
        options: names of the choices.
        ends: returns the least and the largest number of a slider; both are int for a slider of integers.
        form: format of the number of a slider, as in C.
        unit: of the number, "" for none.
        scale: what a number of 1 is, in that unit.
        logarithmic: whether a slider shows small numbers as finely as large ones.
        hint: explanation.
        disabled: returns True while the value cannot be changed.
    """

    label: str
    kind: Literal["switch", "choice", "slider", "integer", "real", "drag", "reals", "color", "text", "marks"]
    get: Callable[[], Any]
    set: Callable[[Any], object]
    options: tuple[str, ...] = ()
    ends: Callable[[], tuple[float, float]] = lambda: (0.0, 1.0)
    form: str = "%.3f"
    unit: str = ""
    scale: float = 1.0
    logarithmic: bool = False
    hint: str = ""
    disabled: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Note:
    """A text."""

    get: Callable[[], str]


@dataclass(frozen=True)
class Row:
    """Items side by side, or in a table with some columns."""

    items: tuple[Item, ...]
    columns: int = 0


@dataclass(frozen=True)
class Folder:
    """Items below a title that can be folded: a panel, or a part of one."""

    title: str
    items: tuple[Item, ...]
    opened: bool = False


Item = Button | Value | Note | Row | Folder
