"""Panel: which equality constraints act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from conjoint.schema.enums import mjtEq

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


def draw(desk: Desk) -> None:
    exchange, d = desk.exchange, desk.d
    assert exchange is not None
    m = d.model
    if not m.neq:
        imgui.text_disabled("the model has no equality constraints")
    for e in range(m.neq):
        kind = mjtEq(int(m.eq_type[e])).name.removeprefix("mjEQ_").lower()
        name = m.equality(e).name or f"{kind} {e}"
        changed, on = imgui.checkbox(f"{name}##{e}", bool(d.eq_active[e]))
        if changed:
            exchange.set("eq_active", e, on)
