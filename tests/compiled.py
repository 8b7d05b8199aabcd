"""Comparison of every public field of compiled models with MuJoCo."""

from __future__ import annotations

from typing import Any

import mujoco
import pytest

from conjoint.compiler import compile_string
from conjoint.lang.errors import ModelError
from conjoint.lang.memory.layout import Buffer
from oracle import MODEL_FLOOR, MODEL_TOLERANCE, difference, public_numbers

GROUPS = ("", "opt", "stat", "vis.global", "vis.quality", "vis.headlight", "vis.map", "vis.scale", "vis.rgba")
SIZES_WITHOUT_VIEW = {"vis.rgba.bv", "vis.rgba.bvactive"}  # these fields are empty in MuJoCo's Python bindings


def differences(buffer: Buffer, official: Any) -> dict[str, float]:
    """Return the fields of the compiled model that differ from MuJoCo's, with their errors."""
    different = {}
    for group in GROUPS:
        theirs = official
        for part in group.split("."):
            theirs = getattr(theirs, {"global": "global_"}.get(part, part)) if part else theirs
        for name in public_numbers(theirs):
            field = f"{group}.{name}" if group else name
            if field not in SIZES_WITHOUT_VIEW:
                error = difference(buffer.view(field), getattr(theirs, name), MODEL_FLOOR)
                if error > MODEL_TOLERANCE:
                    different[field] = error
    return different


def check(inside: str) -> None:
    """Check that both packages compile a mujoco element with these contents to the same numbers."""
    xml = f"<mujoco>{inside}</mujoco>"
    assert differences(compile_string(xml), mujoco.MjModel.from_xml_string(xml)) == {}


def refused(inside: str) -> None:
    """Check that both packages refuse a mujoco element with these contents."""
    xml = f"<mujoco>{inside}</mujoco>"
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(xml)
    with pytest.raises(ModelError):
        compile_string(xml)
