"""Panel: positions of hinges and slides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from conjoint.schema.enums import mjtJoint

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

FREELY = {mjtJoint.mjJNT_HINGE: math.pi, mjtJoint.mjJNT_SLIDE: 1.0}
"""Half the range of sliders of joints without limits (rad, m)."""


def draw(desk: Desk) -> None:
    exchange, d = desk.exchange, desk.d
    assert exchange is not None
    m = d.model
    for j in range(m.njnt):
        kind = int(m.jnt_type[j])
        if kind not in FREELY:
            continue
        low, high = m.jnt_range[j] if m.jnt_limited[j] else (-FREELY[mjtJoint(kind)], FREELY[mjtJoint(kind)])
        address = int(m.jnt_qposadr[j])
        name = m.joint(j).name or f"joint {j}"
        changed, value = imgui.slider_float(f"{name}##{j}", float(d.qpos[address]), float(low), float(high))
        if changed:
            exchange.set("qpos", address, value)
