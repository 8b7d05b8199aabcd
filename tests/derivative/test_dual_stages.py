"""Every stage compiles with dual numbers, or is listed here with the reason for its exclusion."""

from __future__ import annotations

import pytest

from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import unit_text
from conjoint.lang.memory.layout import INTEGERS
from conjoint.lang.memory.realisation import dual_world
from conjoint.lang.objects.unit import Unit
from conjoint.runtime.dual_stages import COMPARISON, FROZEN, LEFT_OUT, SOLVER, SUBSTITUTES, dual_stages
from conjoint.runtime.dual_world import DUAL_DATA, DUAL_MODEL
from conjoint.runtime.functions import every_stage
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_FIELDS

REASONS = {
    "only chooses which contacts there are": lambda stage: stage.work in FROZEN,
    "has islands, which are discrete": lambda stage: stage.name == "mj_island",
    "iterates to a solution, which is differentiated by one Newton step": lambda stage: stage.name == SOLVER,
    "factors a matrix, and derivatives are solved with its factor": lambda stage: SUBSTITUTES.get(stage.work) == (),
    "checks, warns, compares, or begins a pass": lambda stage: stage.name in {*LEFT_OUT, *COMPARISON},
}
"""Predicates that select stages, keyed by the reason why these stages run without dual numbers or not at all."""


def test_what_is_not_differentiated_has_a_reason() -> None:
    for stage in every_stage():
        if not any(holds(stage) for holds in REASONS.values()):
            assert any(not part.by_values for part in dual_stages([stage])), stage.name


@pytest.mark.slow
def test_every_stage_reads_in_dual_numbers() -> None:
    """Every stage compiles with dual numbers in all real fields: each of its operations has a derivative."""
    fields = (("m", MODEL_FIELDS), ("d", DATA_STRUCT))
    every = dual_world(
        [f"{role}.{field.name}" for role, rows in fields for field in rows if field.kind not in INTEGERS]
    )
    refused = []
    for kernel in dict.fromkeys(part.kernel for part in dual_stages(every_stage()) if not part.by_values):
        try:
            unit_text(Unit(kernel, every, DUAL_MODEL, DUAL_DATA))
        except FatalError as error:
            refused.append(f"{kernel.__name__}: {error}")
    assert not refused
