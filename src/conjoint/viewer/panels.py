"""Panels beside the scene, independent of their drawing: `layout` draws them in a window, `web.panel` in a web page."""

from __future__ import annotations

import math
import re
from enum import IntEnum
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import names_of_controls
from conjoint.lang.memory.layout import Field
from conjoint.schema import enums
from conjoint.schema.constants import (
    mjDISABLESTRING,
    mjENABLESTRING,
    mjFRAMESTRING,
    mjLABELSTRING,
    mjVISSTRING,
)
from conjoint.schema.enums import mjtEq, mjtJoint
from conjoint.schema.option import OPTION_FIELDS, VISUAL_FIELDS, VISUAL_GROUPS
from conjoint.schema.scene import VISUAL_OPTION_FIELDS
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.items import Button, Folder, Item, Note, Row, Value
from conjoint.viewer.plots import Plot
from conjoint.viewer.simulation import Simulation
from conjoint.viewer.units import control_unit, joint_unit, span

FREE_RANGE = {mjtJoint.mjJNT_HINGE: math.pi, mjtJoint.mjJNT_SLIDE: 1.0}
"""Half the width of the slider range for joints without limits, by joint type (rad, m)."""

RATES = 0.1, 200.0
"""Limits of the speed slider: minimum and maximum (% of real time)."""

BITS = ("disableflags", "enableflags", "disableactuator")
"""Physics options whose bits are shown as switches."""

ACTUATOR_GROUPS = 6
"""Number of actuator groups that have a switch."""

GROUPS = tuple(field.name for field in VISUAL_OPTION_FIELDS if field.name.endswith("group"))
"""Visualization options that select groups of elements."""

COLORS = ("rgba", "headlight")
"""Groups of visualization settings whose vectors are colors."""

DEEPEST = 20
"""Maximum depth of bounding volumes that the user can select."""


# ---- values


def attribute(exchange: Exchange, owner: Any, name: str, kind: Any, label: str = "", **details: Any) -> Value:
    """Return the item for an attribute of `owner`, which is set while holding the lock of the exchange."""

    def put(value: Any) -> None:
        with exchange.lock:
            if kind in ("reals", "color", "marks"):
                getattr(owner, name)[:] = value
            else:
                setattr(owner, name, value)

    return Value(label or name, kind, lambda: getattr(owner, name), put, **details)


def flags(exchange: Exchange, values: np.ndarray, strings: tuple[tuple[str, str, str], ...], keys: bool) -> Row:
    """Return a row of switches for flags, with or without their keyboard shortcuts."""

    def switch(k: int, label: str) -> Value:
        def put(on: bool) -> None:
            with exchange.lock:
                values[k] = on

        return Value(label, "switch", lambda: bool(values[k]), put)

    return Row(
        tuple(switch(k, f"{name} {key}" if keys else name) for k, (name, _, key) in enumerate(strings)), columns=2
    )


def hint_of(field: Field) -> str:
    """Return the meaning and unit of a field, as a hint."""
    return f"{field.meaning}{f' ({field.unit})' if field.unit else ''}"


# ---- panels of a simulation


def simulation_items(exchange: Exchange, simulation: Simulation) -> tuple[Item, ...]:
    """Return the items for time, speed, history, keyframes, and control noise."""
    past = simulation.history
    return (
        Value("Run", "switch", lambda: simulation.running, lambda on: setattr(simulation, "running", bool(on))),
        Row((Button("Step back", simulation.back), Button("Step", simulation.step), Button("Reset", simulation.reset))),
        Value(
            "Speed", "slider", lambda: 100 * simulation.pace.rate,
            lambda percent: setattr(simulation.pace, "rate", percent / 100), ends=lambda: RATES, form="%.3g", unit="%",
            logarithmic=True, hint="100 % is real time",
        ),
        Value(
            "Rewind", "slider", lambda: past.position if past else 0, simulation.go,
            ends=lambda: (min(1 - len(past), -1) if past is not None else -1, 0),
            hint="drag to the left to go back in time",
        ),
        *keyframe_items(exchange.m, simulation),
        Value(
            "Control noise", "slider", lambda: simulation.noise, lambda size: setattr(simulation, "noise", size),
            form="%.2f", hint="standard deviation of random controls, relative to half the range of each control",
        ),
        Value(
            "Noise time", "slider", lambda: simulation.noise_time,
            lambda seconds: setattr(simulation, "noise_time", seconds), ends=lambda: (0.0, 2.0), form="%.2f", unit="s",
            hint="correlation time of random controls",
        ),
    )  # fmt: skip


def keyframe_items(m: MjModel, simulation: Simulation) -> tuple[Item, ...]:
    """Return the items for loading and storing keyframes."""
    if not m.nkey:
        return (Note(lambda: "This model has no keyframes."),)
    chosen = [0]
    return (
        Value(
            "Keyframe", "choice", lambda: chosen[0], lambda k: chosen.__setitem__(0, k),
            options=tuple(m.key(k).name or f"key {k}" for k in range(m.nkey)),
        ),
        Row((
            Button("Load keyframe", lambda: simulation.load_key(chosen[0])),
            Button("Save keyframe", lambda: simulation.save_key(chosen[0])),
        )),
    )  # fmt: skip


def plot_items(plots: tuple[Plot, ...]) -> tuple[Value, ...]:
    """Return the items with which the user selects the contents of plots."""

    def choice(k: int, plot: Plot) -> Value:
        return Value(
            f"Plot {k + 1}", "choice", lambda: plot.chosen + 1, lambda chosen: plot.choose(chosen - 1),
            options=plot.options,
        )  # fmt: skip

    return tuple(choice(k, plot) for k, plot in enumerate(plots))


# ---- panels of a model


def model_panels(exchange: Exchange) -> dict[str, Folder]:
    """Return the panels for the state, options and visualization settings of a model, by title."""
    found = (
        controls_panel(exchange), joints_panel(exchange), equalities_panel(exchange), groups_panel(exchange),
        physics_panel(exchange), visual_panel(exchange), watch_panel(exchange),
    )  # fmt: skip
    return {panel.title: panel for panel in found}


def watch_panel(exchange: Exchange) -> Folder:
    """Return the panel that shows an element of a field that the user names."""
    watched: dict[str, Any] = {"field": "qpos", "element": 0}

    def chosen(name: str, kind: Any, label: str, hint: str = "") -> Value:
        return Value(label, kind, lambda: watched[name], lambda value: watched.__setitem__(name, value), hint=hint)

    def found() -> str:
        return watch(exchange.latest, watched["field"].strip(), watched["element"])

    field = chosen("field", "text", "Field", "such as qpos, body_mass or opt.timestep")
    return Folder("Inspect fields", (field, chosen("element", "integer", "Element"), Note(found)))


def watch(d: MjData, name: str, element: int) -> str:
    """Return the value of an element of a field of the world or, if the world lacks it, of the model.

    Args:
        d: the world.
        name: name of the field; parts of records have dotted names (`opt.gravity`).
        element: index of the element in the flattened field.
    """
    for owner in (d, d.model):
        found: Any = owner
        for part in name.split("."):
            found = getattr(found, part, None) if part and not part.startswith("_") else None
        if isinstance(found, (np.ndarray, int, float)):
            values = np.ravel(found)
            if 0 <= element < len(values):
                return f"{values[element]:.6g}"
            return f"{name} has {len(values)} elements"
    return f"there is no numeric field {name!r}"


def physics_panel(exchange: Exchange) -> Folder:
    """Return the panel of physics options, created from the schema. The owner of the world applies changes."""
    named = [(field, field.name.removeprefix("opt.")) for field in OPTION_FIELDS]
    items: list[Item] = [option(exchange, field, name) for field, name in named if name not in BITS]
    groups = tuple(f"group {k}" for k in range(ACTUATOR_GROUPS)) if exchange.m.nu else ()
    switches = ("Turn off", mjDISABLESTRING), ("Turn on", mjENABLESTRING), ("Turn off actuators", groups)
    for bits, (title, labels) in zip(BITS, switches, strict=True):
        if labels:
            items.append(Folder(title, tuple(bit(exchange, bits, k, label) for k, label in enumerate(labels))))
    return Folder("Physics", tuple(items))


def option(exchange: Exchange, field: Field, name: str) -> Value:
    """Return the item for a physics option."""
    opt, hint = exchange.m.opt, hint_of(field)

    def change(value: Any) -> None:
        def command(m: MjModel, d: MjData) -> None:
            if isinstance(value, np.ndarray):
                getattr(m.opt, name)[:] = value
            else:
                setattr(m.opt, name, value)

        exchange.submit(command)

    choices = named_values(field.meaning)
    if choices:
        numbers = [int(choice) for choice in choices]
        return Value(
            name, "choice", lambda: numbers.index(getattr(opt, name)) if getattr(opt, name) in numbers else 0,
            lambda k: change(numbers[k]), options=tuple(short(choice) for choice in choices), hint=hint,
        )  # fmt: skip
    if isinstance(getattr(opt, name), np.ndarray):
        return Value(name, "reals", lambda: getattr(opt, name), change, hint=hint)
    if field.kind == "int":
        return Value(name, "integer", lambda: getattr(opt, name), lambda number: change(max(int(number), 0)), hint=hint)
    return Value(name, "real", lambda: getattr(opt, name), change, hint=hint)


def bit(exchange: Exchange, name: str, k: int, label: str) -> Value:
    """Return a switch for bit k of a physics option."""

    def change(on: bool) -> None:
        def command(m: MjModel, d: MjData) -> None:
            value = int(getattr(m.opt, name))
            setattr(m.opt, name, value | 1 << k if on else value & ~(1 << k))

        exchange.submit(command)

    return Value(label, "switch", lambda: bool(int(getattr(exchange.m.opt, name)) >> k & 1), change)


def named_values(meaning: str) -> list[IntEnum]:
    """Return the possible values of an option if its schema description names an enumeration, else an empty list."""
    found = [getattr(enums, name) for name in re.findall(r"\b(mjt\w+)", meaning)]
    return [value for kind in found for value in kind if not value.name.startswith("mjN")]


def short(value: IntEnum) -> str:
    """Return an enumeration value in MJCF spelling."""
    return value.name.split("_", 1)[-1].lower()


def view_items(exchange: Exchange, keys: bool) -> tuple[Item, ...]:
    """Return the items for labels, frames and visible elements, with or without their keyboard shortcuts."""
    opt = exchange.opt
    return (
        attribute(exchange, opt, "label", "choice", "Labels", options=tuple(mjLABELSTRING)),
        attribute(exchange, opt, "frame", "choice", "Frames", options=tuple(mjFRAMESTRING)),
        attribute(exchange, opt, "bvh_depth", "slider", "Tree depth", ends=lambda: (0, DEEPEST),
                  hint="depth of the bounding volumes that Body Tree and Mesh Tree draw"),
        attribute(exchange, opt, "flex_layer", "slider", "Soft layer", ends=lambda: (0, 10),
                  hint="layer of the tetrahedra of soft bodies that is drawn; 0 is the outermost"),
        Folder("Show", (flags(exchange, opt.flags, mjVISSTRING, keys),), opened=True),
    )  # fmt: skip


def groups_panel(exchange: Exchange) -> Folder:
    """Return the panel of visible element groups."""
    return Folder("Groups", tuple(
        attribute(exchange, exchange.opt, name, "marks", name.removesuffix("group")) for name in GROUPS
    ))  # fmt: skip


def visual_panel(exchange: Exchange) -> Folder:
    """Return the panel of the model's visualization settings (`m.vis`), created from the schema."""
    folders: list[Item] = []
    for group in VISUAL_GROUPS:
        owner = getattr(exchange.m.vis, "global_" if group == "global" else group)
        named = {field.name.split(".")[2]: field for field in VISUAL_FIELDS if field.name.split(".")[1] == group}
        # settings of other MuJoCo versions are empty, and are omitted
        present = {name: field for name, field in named.items() if np.size(getattr(owner, name))}
        folders.append(Folder(group, tuple(visual(exchange, owner, group, *pair) for pair in present.items())))
    return Folder("Colors and sizes", tuple(folders))


def visual(exchange: Exchange, owner: Any, group: str, name: str, field: Field) -> Value:
    """Return the item for a visualization setting."""
    kind = "integer" if field.kind == "int" else "drag"
    if isinstance(getattr(owner, name), np.ndarray):
        kind = "color" if group in COLORS else "reals"
    return attribute(exchange, owner, name, kind, hint=hint_of(field))


# ---- panels of the state


def joints_panel(exchange: Exchange) -> Folder:
    """Return the panel with the positions of hinge and slide joints."""
    m = exchange.m

    def slider(j: int) -> Value:
        address, free = int(m.jnt_qposadr[j]), FREE_RANGE[mjtJoint(int(m.jnt_type[j]))]
        low, high = map(float, m.jnt_range[j] if m.jnt_limited[j] else (-free, free))
        limits = f"range {span(low, high)} {joint_unit(m, j)}" if m.jnt_limited[j] else "no limits"
        return Value(
            m.joint(j).name or f"joint {j}", "slider", lambda: float(exchange.latest.qpos[address]),
            lambda value: exchange.set("qpos", address, value), ends=lambda: (low, high), unit=joint_unit(m, j),
            hint=limits,
        )  # fmt: skip

    # omit the joints of soft bodies' vertices, which have no names
    soft = np.union1d(m.flex_vertbodyid, m.flex_nodebodyid)
    named = [bool(m.joint(j).name) or int(m.jnt_bodyid[j]) not in soft for j in range(m.njnt)]
    chosen = [j for j in range(m.njnt) if int(m.jnt_type[j]) in FREE_RANGE and named[j]]
    nothing = (Note(lambda: "This model has no hinges or slides."),)
    return Folder("Joints", tuple(map(slider, chosen)) or nothing, opened=True)


def controls_panel(exchange: Exchange) -> Folder:
    """Return the panel with the controls of actuators."""
    m = exchange.m

    def slider(c: int, u: int, name: str) -> Value:
        low, high = map(float, m.actuator_ctrlrange[c] if m.actuator_ctrllimited[c] else (-1.0, 1.0))
        scale, unit = control_unit(m, u)
        limits = f"range {span(low, high)}" if m.actuator_ctrllimited[c] else "no limits"
        meaning = f"; 1 is {scale:.4g} {unit}" if unit else ""
        return Value(
            name, "slider", lambda: float(exchange.latest.ctrl[c]), lambda value: exchange.set("ctrl", c, value),
            ends=lambda: (low, high), unit=unit, scale=scale, hint=limits + meaning,
            disabled=lambda: bool(int(m.opt.disableactuator) >> int(m.actuator_group[u]) & 1),
        )  # fmt: skip

    if not m.nu:
        return Folder("Actuators", (Note(lambda: "This model has no actuators."),), opened=True)
    clear = Button("Set all to 0", lambda: exchange.set("ctrl", slice(None), 0.0))
    sliders = (slider(c, u, name) for c, (u, name) in enumerate(names_of_controls(m)))
    return Folder("Actuators", (clear, *sliders), opened=True)


def equalities_panel(exchange: Exchange) -> Folder:
    """Return the panel that activates and deactivates equality constraints."""
    m = exchange.m

    def switch(e: int) -> Value:
        kind = mjtEq(int(m.eq_type[e])).name.removeprefix("mjEQ_").lower()
        return Value(
            m.equality(e).name or f"{kind} {e}", "switch", lambda: bool(exchange.latest.eq_active[e]),
            lambda on: exchange.set("eq_active", e, on),
        )  # fmt: skip

    nothing = (Note(lambda: "This model has no equality constraints."),)
    return Folder("Equality constraints", tuple(map(switch, range(m.neq))) or nothing)
