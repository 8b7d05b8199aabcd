"""Panel: controls of actuators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from conjoint.api.objects.names import names_of_controls

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


def draw(desk: Desk) -> None:
    exchange, d = desk.exchange, desk.d
    assert exchange is not None
    m = d.model
    if not m.nu:
        imgui.text_disabled("the model has no actuators")
        return
    if imgui.button("Clear all"):
        exchange.set("ctrl", slice(None), 0.0)
    for c, (u, name) in enumerate(names_of_controls(m)):
        low, high = m.actuator_ctrlrange[c] if m.actuator_ctrllimited[c] else (-1.0, 1.0)
        imgui.begin_disabled(disabled(m, u))
        changed, value = imgui.slider_float(f"{name}##{c}", float(d.ctrl[c]), float(low), float(high))
        imgui.end_disabled()
        if changed:
            exchange.set("ctrl", c, value)


def disabled(m: Any, u: int) -> bool:
    """Whether the group of an actuator is switched off."""
    return bool(int(m.opt.disableactuator) >> int(m.actuator_group[u]) & 1)
