"""Stages write only fields whose schema rows name them, and edits of fields from which a plan is derived are detected."""

import contextlib
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from conjoint.cli.catalogue import all_stages
from conjoint.lang import FatalError
from conjoint.lang.language.plain_structs import PlainStruct
from conjoint.lang.memory.layout import Role
from conjoint.physics import status
from conjoint.physics.structure import find_structure, structure_sizes
from conjoint.runtime import functions
from conjoint.runtime.plan import Plan
from conjoint.runtime.structure import Structure
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.references import ALWAYS, ENUMS, OBJECT_IDS, OR_NONE, SPANS, TYPED
from conjoint.schema.rows import DERIVED, NOT_DERIVED
from conjoint.schema.sizes import SIZES
from kernel_writes import written
from rich_model import XML

ROWS = {field.name: field for field in (*DATA_ROWS, *ARENA_ROWS)}
WRITTEN = {field.name: field for field in MODEL_FIELDS} | ROWS

TABLE = all_stages()


@pytest.mark.parametrize(
    "stage", sorted(TABLE, key=lambda s: (s.name, s.kernel.__name__)), ids=lambda s: s.kernel.__name__
)
def test_stages_write_only_what_is_theirs(stage: Any) -> None:
    """Every function that writes a field is listed in the field's schema row; any stage may issue warnings."""
    wrong = {name for name in written(stage.kernel) if not {stage.name, "mj_warning"} & set(WRITTEN[name].stages)}
    assert not wrong


def test_functions_use_the_scratch_that_names_them() -> None:
    """Every function listed in the schema row of a scratch field has a kernel that writes the field."""
    found = {(stage.name, name) for stage in TABLE for name in written(stage.kernel)}
    scratch = [field for field in ROWS.values() if field.role is Role.SCRATCH]
    idle = {(stage, field.name) for field in scratch for stage in field.stages} - found
    # the host sets the parameters of the length-range search, and requests active volumes on demand
    assert {pair for pair in idle if not pair[1].startswith(("drive.", "bodyflex_"))} == set()


MODEL = {field.name: field for field in MODEL_FIELDS}


def _reads(make: Any, buffer: Any) -> set[str]:
    """Return the names of the model fields that `make` reads through views of a buffer."""
    read: set[str] = set()
    view = buffer.view
    buffer.view = lambda name: read.add(name) or view(name)
    make()
    buffer.view = view
    return read


def _wrong(read: set[str], word: str) -> set[str]:
    """Return the fields that are read although their rows do not declare `word`; sizes are excluded because they are constant."""
    return {name for name in read if name not in SIZES and word not in getattr(MODEL[name], "derives", "").split()}


def test_rows_say_what_is_derived_from_them() -> None:
    """Every field from which the structure, the plan or the choice of stages is derived declares this, so that edits are detected."""
    buffer = adopt_model(mujoco.MjModel.from_xml_string(XML)).memory
    words = find_structure.attributes | structure_sizes.attributes
    plans: list[Plan] = []

    def choose() -> None:
        for name in ("mj_step", *functions.PARTS):
            with contextlib.suppress(FatalError):
                functions.stages_of(name, plans[0])

    read = {
        "structure": _reads(lambda: Structure(buffer), buffer) | {name for name in MODEL if name in words},
        "plan": _reads(lambda: plans.append(Plan(Structure(buffer))), buffer)
        - _reads(lambda: Structure(buffer), buffer),
        "stages": _reads(choose, buffer),
    }
    assert min(map(len, read.values())) > 10
    assert {word: _wrong(names, word) for word, names in read.items()} == {word: set() for word in read}


def test_every_integer_says_what_is_derived_from_it() -> None:
    """Every integer field declares what is derived from it, or why nothing is, in words from `DERIVED` and `NOT_DERIVED`."""
    integers = [f for f in MODEL_FIELDS if f.kind in ("int", "byte", "long", "bool") and f.role is Role.STRUCTURE]
    unknown = set().union(*(getattr(f, "derives", "").split() for f in MODEL_FIELDS)) - {*DERIVED, *NOT_DERIVED}
    assert not unknown
    assert [f.name for f in integers if f.name not in SIZES and not f.derives] == []
    # a reason why nothing is derived is the only word
    assert [f.name for f in integers if NOT_DERIVED.keys() & {*f.derives.split()} and len(f.derives.split()) > 1] == []
    assert all(f.watched == bool(DERIVED.keys() & {*f.derives.split()}) for f in integers if f.name not in SIZES)


def test_what_stages_follow_is_watched() -> None:
    """Every id, address or type of the model that a stage uses as an index is watched for edits."""
    followed = {*" ".join([*ALWAYS.values(), *OR_NONE.values()]).split(), *ENUMS}
    followed |= {name for span in SPANS for name in span[:2]} | {row[0] for row in (*TYPED, *OBJECT_IDS)}
    used = set().union(*(stage.kernel.attributes for stage in TABLE)) & followed
    assets = {name for name in used if "asset" in MODEL[name].derives.split()}
    assert len(used) > 50
    # switches are compared, not used as indices
    switches = {"cam_mode", "light_mode", "body_sameframe", "geom_sameframe", "site_sameframe", "sensor_datatype"}
    assert {name for name in used - assets if not MODEL[name].watched} == switches


FLEXES = """<flexcomp name="f" type="grid" dim="1" count="3 1 1" spacing=".1 .1 .1"/>
<flexcomp name="g" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" dof="trilinear" radius=".01" mass="1">
<contact selfcollide="none"/></flexcomp></worldbody>"""
PLUGIN = """<mujoco><extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="3"/></instance>
</plugin></extension>"""
CONTROLLER = '<plugin joint="elbow" plugin="mujoco.pid" instance="i"/></actuator>'
ALL_KINDS = XML.replace("</worldbody>", FLEXES, 1).replace("</actuator>", CONTROLLER, 1).replace(' ctrl="0.5 0.25"', "")
ALL_KINDS = ALL_KINDS.replace('<mujoco model="rich">', PLUGIN, 1)


@pytest.mark.parametrize("name", [field.name for field in MODEL_FIELDS if field.watched])
def test_watched_fields_are_watched(name: str) -> None:
    """The plan and the checking stage detect a change in one bit of the last element of every watched field."""
    m = conjoint.MjModel.from_xml_string(ALL_KINDS)
    d = conjoint.MjData(m)
    # a program must have obtained the array, or its group, before it can write to it
    m.plans.exposed.expose(name)
    model, data = PlainStruct(m.plans.current.buffers), PlainStruct([d.world.data])
    assert m.plans.current.holds() and status.plan_holds(model, data) == 0
    last = m.memory.view(name).reshape(-1)[-1:].view(np.uint8)
    last[-1] ^= 1
    assert not m.plans.current.holds() and status.plan_holds(model, data) == status.PLAN_STALE
    assert m.plans.current.structure.changed() == [name]
    last[-1] ^= 1
    assert m.plans.current.holds() and status.plan_holds(model, data) == 0


def test_structure_is_the_same_in_all_worlds() -> None:
    """Only values that follow from the model and the memory are shared by worlds of a block; all others are per world."""
    rows = [row for row in ROWS.values() if row.role is not Role.SCRATCH]
    assert {row.name for row in rows if row.uniform} == {row.name for row in rows if row.role is Role.STRUCTURE}
