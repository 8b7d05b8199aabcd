"""Items of panels: buttons, values, texts, rows, folders. `layout` draws them in a window, `web.panel` in a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Button:
    """A button; a callable label is evaluated for each frame."""

    label: str | Callable[[], str]
    press: Callable[[], object]


@dataclass(frozen=True)
class Value:
    """A value that the user can see and change.

    Attributes:
        label: name of the value.
        kind: "switch" (bool), "choice" (index into `options`), "slider", "integer", "real", "drag" (a real number that
            the user drags with the mouse), "reals" (an array), "color" (3 or 4 numbers), "text", or "marks" (an array
            of switches).
        get: function that returns the current value, called for each frame.
        set: function that is called with the new value.
        options: names of the choices.
        ends: function that returns the least and the largest number of a slider; both are int for a slider of integers.
        form: format of a slider's number, as in C.
        unit: unit of the number, "" for none.
        scale: factor from the number to the displayed number, in that unit.
        logarithmic: whether a slider is logarithmic.
        hint: explanation of the value.
        disabled: function that returns True while the value cannot be changed.
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
    """A text, which may change with each frame."""

    get: Callable[[], str]


@dataclass(frozen=True)
class Row:
    """Items side by side or, if `columns` is positive, in a table with that number of columns."""

    items: tuple[Item, ...]
    columns: int = 0


@dataclass(frozen=True)
class Folder:
    """Items below a title that can be collapsed: a panel, or a part of one."""

    title: str
    items: tuple[Item, ...]
    opened: bool = False


Item = Button | Value | Note | Row | Folder
