"""Rules of newer versions that an editable model is computed by (docs/semantics.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conjoint.schema import semantics

if TYPE_CHECKING:
    from conjoint.spec.spec import Spec


def choose(spec: Spec, chosen: str | Iterable[str]) -> None:
    """Let a model be computed by these rules.

    Raises:
        TypeError, ValueError: as `schema.semantics.read`.
    """
    take_rules(spec, semantics.read(chosen))
    spec.chosen = True


def take_rules(spec: Spec, rules: int) -> None:
    """Give a model these rules in place of those that it has."""
    spec.rules = rules


def said(spec: Spec) -> str:
    """What a saved file says of the rules of its model; "" where it need not say anything."""
    return semantics.written(spec.rules) if spec.chosen or spec.rules else ""
