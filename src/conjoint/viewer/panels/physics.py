"""Panel: options of the physics, from the rows of the schema."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from conjoint.lang.memory.layout import Field
from conjoint.schema import enums
from conjoint.schema.constants import mjDISABLESTRING, mjENABLESTRING
from conjoint.schema.option import OPTION_FIELDS
from conjoint.viewer.exchange import Exchange

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

BITS = ("disableflags", "enableflags", "disableactuator")
"""Options whose bits are switches."""

ENTERED = imgui.InputTextFlags_.enter_returns_true
"""Numbers count once the Enter key is pressed."""

ACTUATOR_GROUPS = 6
"""Groups of actuators that have a switch."""


def draw(desk: Desk) -> None:
    exchange = desk.exchange
    assert exchange is not None
    opt = exchange.m.opt
    for field in OPTION_FIELDS:
        name = field.name.removeprefix("opt.")
        if name not in BITS:
            option(exchange, field, name, getattr(opt, name))
    if imgui.tree_node("Disable"):
        bits(exchange, "disableflags", mjDISABLESTRING)
        imgui.tree_pop()
    if imgui.tree_node("Enable"):
        bits(exchange, "enableflags", mjENABLESTRING)
        imgui.tree_pop()
    if exchange.m.nu and imgui.tree_node("Disable groups of actuators"):
        bits(exchange, "disableactuator", tuple(f"group {k}" for k in range(ACTUATOR_GROUPS)))
        imgui.tree_pop()


def option(exchange: Exchange, field: Field, name: str, value: Any) -> None:
    """A field of the options, changed by the owner of the world."""
    choices = named_values(field.meaning)
    if choices:
        now = [value == int(choice) for choice in choices]
        changed, chosen = imgui.combo(name, now.index(True) if True in now else 0, [short(c) for c in choices])
        if changed:
            put(exchange, name, int(choices[chosen]))
    elif isinstance(value, np.ndarray):
        changed, numbers = edited(name, value)
        if changed:
            put(exchange, name, numbers)
    elif field.kind == "int":
        changed, number = imgui.input_int(name, int(value), 0, 0, ENTERED)
        if changed:
            put(exchange, name, max(number, 0))
    else:
        changed, real = imgui.input_double(name, float(value), 0, 0, "%.4g", ENTERED)
        if changed:
            put(exchange, name, real)
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"{field.meaning}{f' ({field.unit})' if field.unit else ''}")


def edited(name: str, values: np.ndarray) -> tuple[bool, np.ndarray]:
    """Numbers in a row that can be changed; tells whether one was."""
    made, changed = np.array(values, float), False
    imgui.push_id(name)
    imgui.push_item_width(0.55 * imgui.calc_item_width() * 2 / len(made))
    for k in range(len(made)):
        if k:
            imgui.same_line(0.0, 2.0)
        new, number = imgui.input_double(f"##{k}", float(made[k]), 0, 0, "%.3g", ENTERED)
        if new:
            made[k], changed = number, True
    imgui.pop_item_width()
    imgui.same_line()
    imgui.text_unformatted(name)
    imgui.pop_id()
    return changed, made


def put(exchange: Exchange, name: str, value: Any) -> None:
    """Let the owner of the world set an option."""

    def command(m: Any, d: Any) -> None:
        if isinstance(value, np.ndarray):
            getattr(m.opt, name)[:] = value
        else:
            setattr(m.opt, name, value)

    exchange.ask(command)


def bits(exchange: Exchange, name: str, labels: tuple[str, ...]) -> None:
    """Switches for the bits of an option."""
    value = int(getattr(exchange.m.opt, name))
    for k, label in enumerate(labels):
        changed, on = imgui.checkbox(label, bool(value >> k & 1))
        if changed:
            exchange.ask(switched(name, k, on))


def switched(name: str, k: int, on: bool) -> Callable[[Any, Any], None]:
    """A command that switches bit k of an option."""

    def command(m: Any, d: Any) -> None:
        value = int(getattr(m.opt, name))
        setattr(m.opt, name, value | 1 << k if on else value & ~(1 << k))

    return command


def named_values(meaning: str) -> list[IntEnum]:
    """Values that an option may have, if its row names their enumerations."""
    found = [getattr(enums, name) for name in re.findall(r"\b(mjt\w+)", meaning)]
    return [value for kind in found for value in kind if not value.name.startswith("mjN")]


def short(value: IntEnum) -> str:
    """A value of an enumeration as it is written in models."""
    return value.name.split("_", 1)[-1].lower()
