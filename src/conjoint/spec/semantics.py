"""Rules of newer versions that an editable model is computed by (docs/semantics.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conjoint.schema import semantics
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit
from conjoint.schema.mjcf.lookup import defaults

CCD_ITERATIONS = "ccd_iterations"
FEWER_ITERATIONS = 35
"""The option, and its default by the rule "ccd"."""


def choose(spec: Any, chosen: str | Iterable[str]) -> None:
    """Let a model be computed by these rules.

    Raises:
        TypeError, ValueError: as `schema.semantics.read`.
    """
    take_rules(spec, semantics.read(chosen))
    spec.chosen = True


def take_rules(spec: Any, rules: int) -> None:
    """Give a model these rules in place of those that it has; options that nobody has set get the defaults by them."""
    spec.rules = rules
    if CCD_ITERATIONS not in spec.option.written:
        spec.option.ccd_iterations = ccd_iterations(rules)


def ccd_iterations(rules: int) -> int:
    """Default of the option of this name."""
    usual: Any = defaults("option")[CCD_ITERATIONS]
    return FEWER_ITERATIONS if semantics.has(rules, "ccd") else int(usual)


def disabled(spec: Any) -> int:
    """Flags that are disabled: those of the option, and what newer versions enable by default and a file disables."""
    option = spec.option
    off = "multiccd" in option.written and not option.enableflags & mjtEnableBit.mjENBL_MULTICCD
    by_file = mjtDisableBit.mjDSBL_MULTICCD if off and semantics.has(spec.rules, "multiccd") else 0
    return int(option.disableflags | by_file)


def said(spec: Any) -> str:
    """What a saved file says of the rules of its model; "" where it need not say anything."""
    return semantics.written(spec.rules) if spec.chosen or spec.rules else ""
