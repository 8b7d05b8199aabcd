"""Roles of fields: stages write only what their rows say, and what a model's derivation reads is watched."""

import contextlib
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from conjoint.cli.catalogue import all_stages
from conjoint.lang import FatalError
from conjoint.lang.layout import Role
from conjoint.lang.plain import PlainStruct
from conjoint.physics import status
from conjoint.runtime import functions
from conjoint.runtime.plan import Plan
from conjoint.runtime.structure import Structure
from conjoint.schema import ARENA_ROWS, DATA_ROWS, MODEL_FIELDS
from kernel_writes import written
from rich_model import XML

ROWS = {field.name: field for field in (*DATA_ROWS, *ARENA_ROWS)}
WRITTEN = {field.name: field for field in MODEL_FIELDS} | ROWS

TABLE = all_stages()


@pytest.mark.parametrize(
    "stage", sorted(TABLE, key=lambda s: (s.name, s.kernel.__name__)), ids=lambda s: s.kernel.__name__
)
def test_stages_write_only_what_is_theirs(stage: Any) -> None:
    """The row of a field names every function that writes it; any stage may warn."""
    wrong = {name for name in written(stage.kernel) if not {stage.name, "mj_warning"} & set(WRITTEN[name].stages)}
    assert not wrong


def test_functions_use_the_scratch_that_names_them() -> None:
    """Every function that a row of scratch names has a kernel that writes the field."""
    found = {(stage.name, name) for stage in TABLE for name in written(stage.kernel)}
    scratch = [field for field in ROWS.values() if field.role is Role.SCRATCH]
    idle = {(stage, field.name) for field in scratch for stage in field.stages} - found
    # the host gives the search for length ranges its parameters, and has active volumes found when somebody asks
    assert {pair for pair in idle if not pair[1].startswith(("drive_", "bodyflex_"))} == set()


MODEL = {field.name: field for field in MODEL_FIELDS}


def test_what_a_plan_is_made_from_is_watched() -> None:
    """All that is read is watched, but addresses, ids and sizes, which nobody may change."""
    buffer, read = adopt_model(mujoco.MjModel.from_xml_string(XML))._buffer, set()
    view = buffer.view
    buffer.view = lambda name: read.add(name) or view(name)
    plan = Plan(Structure(buffer))
    for name in ("mj_step", *functions.SINGLE):
        with contextlib.suppress(FatalError):
            functions.stages_of(name, plan)
    assert len(read) > 20
    assert {name for name in read if not MODEL[name].watched and MODEL[name].role is not Role.STRUCTURE} == set()


@pytest.mark.parametrize("name", [field.name for field in MODEL_FIELDS if field.watched])
def test_watched_fields_are_watched(name: str) -> None:
    """A change of one bit in the last element is noticed, by the plan and by the stage that looks."""
    flex = '<flexcomp name="f" type="grid" dim="1" count="3 1 1" spacing=".1 .1 .1"/></worldbody>'
    m = adopt_model(mujoco.MjModel.from_xml_string(XML.replace("</worldbody>", flex, 1)))
    d = conjoint.MjData(m)
    model, data = PlainStruct(m._plan.buffers()), PlainStruct([d._world.data])
    assert m._plan.holds() and status.plan_holds(model, data) == 0
    last = m._buffer.view(name).reshape(-1)[-1:].view(np.uint8)
    last[-1] ^= 1
    assert not m._plan.holds() and status.plan_holds(model, data) == status.PLAN_STALE
    last[-1] ^= 1
    assert m._plan.holds() and status.plan_holds(model, data) == 0


def test_structure_is_the_same_in_all_worlds() -> None:
    """Worlds of a block have one of what follows from the model and the memory; all else of a world is its own."""
    rows = [row for row in ROWS.values() if row.role is not Role.SCRATCH]
    assert {row.name for row in rows if row.uniform} == {row.name for row in rows if row.role is Role.STRUCTURE}
