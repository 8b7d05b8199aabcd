"""The edition of the physics that an editable model is computed by (docs/semantics.md)."""

from __future__ import annotations

from typing import Any

from conjoint.schema import semantics
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.semantics import EDITION_4, EDITIONS

CCD_ITERATIONS = "ccd_iterations"
FEWER_ITERATIONS = 35
"""The option, and its default in edition 4.0."""


def choose(spec: Any, chosen: str) -> None:
    """Let a model be computed by this edition.

    Raises:
        TypeError, ValueError: as `schema.semantics.read`.
    """
    take_edition(spec, semantics.read(chosen))
    spec.chosen = True


def take_edition(spec: Any, edition: int) -> None:
    """Give a model this edition; options that nobody has set get its defaults."""
    spec.edition = edition
    if CCD_ITERATIONS not in spec.option.written:
        spec.option.ccd_iterations = ccd_iterations(edition)


def ccd_iterations(edition: int) -> int:
    """Default of the option of this name."""
    usual: Any = defaults("option")[CCD_ITERATIONS]
    return FEWER_ITERATIONS if edition == EDITION_4 else int(usual)


def disabled(spec: Any) -> int:
    """Flags that are disabled: those of the option, and what edition 4.0 enables by default and a file disables."""
    option = spec.option
    off = "multiccd" in option.written and not option.enableflags & mjtEnableBit.mjENBL_MULTICCD
    by_file = mjtDisableBit.mjDSBL_MULTICCD if off and spec.edition == EDITION_4 else 0
    return int(option.disableflags | by_file)


def said(spec: Any) -> str:
    """What a saved file says of the edition of its model; "" where it need not say anything."""
    return EDITIONS[spec.edition] if spec.chosen or spec.edition else ""
