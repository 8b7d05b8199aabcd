"""Errors for models that both packages refuse; Conjoint's error has its own class, and states the location and the element."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import pytest

import conjoint

PLACE = re.compile(r"^\S[^\n]*?:\d+:\d+: ")
"""Pattern of a location: file, line and column."""

ELEMENT = re.compile(r"<\w+>|\b\w+ '[^']+'|'[^']+'")
"""Pattern of an element: an XML tag, or the name of an element."""


def refused(read: Callable[[], Any], words: str | None = None, place: bool = True) -> str:
    """Return the text of the ModelError that `read` raises.

    Args:
        read: function that reads a model.
        words: pattern that the text must match.
        place: True if the text must start with file, line and column.
    """
    with pytest.raises(conjoint.ModelError, match=words) as found:
        read()
    text = str(found.value)
    assert type(found.value) is conjoint.ModelError
    assert ELEMENT.search(text), f"names no element: {text}"
    assert not place or PLACE.match(text), f"names no place: {text}"
    return text


def refused_by_both(xml: str, files: Mapping[str, bytes] | None = None, words: str | None = None) -> str:
    """Return Conjoint's error text for a model that MuJoCo refuses as well."""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(xml, dict(files or {}))
    return refused(lambda: conjoint.MjModel.from_xml_string(xml, files), words)
