"""The schema agrees with MuJoCo: names, shapes, types, defaults, enumerations and constants."""

import importlib.util
import re
import runpy
import subprocess
import sys
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from conjoint.api.objects.data import MjData
from conjoint.lang.memory.layout import COMPONENTS, Buffer, Layout, Role
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import DATA_STRUCT, allocate_model
from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS
from conjoint.schema.newer_names import IN_MEMORY_OF_MODELS, MEMBERS
from conjoint.schema.rows import OWNERS, Scratch, Structure, Workspace, table
from conjoint.schema.sizes import SIZES
from places import ROOT
from rich_model import XML

OFFICIAL_ENUMS = [name for name in dir(mujoco) if name.startswith("mjt")]
OFFICIAL_CONSTANTS = [
    name
    for name in dir(mujoco)
    if name.startswith("mj") and isinstance(getattr(mujoco, name), int | float | tuple | str)
]
SPEC_ONLY = {"bind", "bind_scalar", "from_binary_path"}
"""Attributes of MuJoCo's classes that belong to model editing and binary files."""


@pytest.fixture(scope="module")
def official() -> tuple[Any, Any]:
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_forward(m, d)
    return m, d


@pytest.fixture(scope="module")
def ours(official: tuple[Any, Any]) -> tuple[Any, Any]:
    m = adopt_model(official[0])
    return m, MjData(m)


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_") and name not in SPEC_ONLY]


def form(value: object) -> tuple:
    """Return the shape and type of a value as seen by users."""
    return (value.shape, value.dtype) if isinstance(value, np.ndarray) else ((), type(value))


@pytest.mark.parametrize("name", OFFICIAL_ENUMS)
def test_enumerations_have_the_official_members(name: str) -> None:
    official = {member: int(value) for member, value in getattr(mujoco, name).__members__.items()}
    newer = MEMBERS.get(name, "").split()
    mine = {member: int(value) for member, value in getattr(conjoint, name).__members__.items()}
    assert {member: value for member, value in mine.items() if member not in newer} == official
    assert set(newer) <= mine.keys()


@pytest.mark.parametrize("name", OFFICIAL_CONSTANTS)
def test_constants_have_the_official_values(name: str) -> None:
    assert getattr(conjoint, name) == getattr(mujoco, name)


def test_enumeration_members_behave_as_the_official_ones() -> None:
    box, official = conjoint.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_BOX
    assert str(box) == str(official) and repr(box) == repr(official)
    assert box == 6 and hash(box) == hash(6) and box.value == official.value and box.name == official.name
    assert conjoint.mjtGeom(6) is box


def test_model_attributes_match(ours: tuple, official: tuple) -> None:
    wrong = {}
    for name in public(official[0]):
        mine, theirs = getattr(ours[0], name, None), getattr(official[0], name)
        if isinstance(theirs, np.ndarray | int | float | bytes) and (
            form(mine) != form(theirs) or not np.array_equal(mine, theirs)
        ):
            # buffer sizes depend on the implementation
            if name != "nbuffer":
                wrong[name] = (form(mine), form(theirs))
        elif mine is None:
            wrong[name] = "missing"
    assert not wrong


def test_data_attributes_match(ours: tuple, official: tuple) -> None:
    reset = mujoco.MjData(official[0])
    wrong = {}
    for name in public(reset):
        mine, theirs = getattr(ours[1], name, None), getattr(reset, name)
        if mine is None:
            wrong[name] = "missing"
        elif isinstance(theirs, np.ndarray | int | float) and form(mine) != form(theirs):
            wrong[name] = (form(mine), form(theirs))
    assert not wrong


def test_arena_attributes_have_official_shapes(ours: tuple, official: tuple) -> None:
    theirs, mine = official[1], conjoint.MjData(ours[0])
    assert theirs.nefc > 3 and theirs.ncon > 0
    mine.world.grow(ncon=theirs.ncon, nefc=theirs.nefc)
    for name in ("ncon", "nefc", "nJ"):
        mine.world.data.view(name)[...] = getattr(theirs, name)
    # the Jacobian of this small model is dense in both packages
    names = [n for n in public(theirs) if n.startswith(("efc_", "iefc_", "map_", "dof_island", "island_"))]
    wrong = [name for name in names if form(getattr(mine, name)) != form(getattr(theirs, name))]
    assert not wrong
    for name in public(theirs.contact):
        assert form(getattr(mine.contact, name)) == form(getattr(theirs.contact, name)), name
        assert form(getattr(mine.contact[0], name)) == form(getattr(theirs.contact[0], name)), name


@pytest.mark.parametrize("group", ["opt", "stat", *(f"vis.{group}" for group in conjoint.MjVisual.groups)])
def test_groups_match(ours: tuple, official: tuple, group: str) -> None:
    mine, theirs = ours[0], official[0]
    for part in group.split("."):
        mine, theirs = getattr(mine, part), getattr(theirs, part)
    for name in public(theirs):
        value = getattr(theirs, name)
        if not callable(value):
            assert form(getattr(mine, name)) == form(value), name
            assert np.array_equal(getattr(mine, name), value), name


def test_defaults_are_those_of_an_empty_model() -> None:
    empty, mine = mujoco.MjModel.from_xml_string("<mujoco/>"), allocate_model({"nbody": 1})
    for field in MODEL_FIELDS:
        group, _, name = field.name.rpartition(".")
        if field.name in IN_MEMORY_OF_MODELS:
            continue
        if group == "opt" or group.startswith("vis"):
            owner = empty
            for part in group.replace("global", "global_").split("."):
                owner = getattr(owner, part)
            expected, value = getattr(owner, name), mine.view(field.name)
            if np.size(expected):
                assert np.array_equal(value, np.asarray(expected).astype(value.dtype)), field


def test_rows_are_complete_and_unique() -> None:
    for rows in (MODEL_ROWS, DATA_ROWS + ARENA_ROWS):
        names = [field.name for field in rows]
        assert len(set(names)) == len(names)
        for field in rows:
            assert field.kind in COMPONENTS
            assert field.meaning, f"{field.name} has no meaning"
            assert len(field.meaning) < 120


def test_two_rows_of_one_name_are_an_error() -> None:
    rows = (Structure("size", "int", (), "number of birds"), Structure("count", "int", (), "number of fish"))
    assert table(rows[:1], rows[1:]) == rows
    with pytest.raises(ValueError, match='\'size\', "number of birds" and "number of cats": rename one of them'):
        table(rows, (Structure("size", "int", (), "number of cats"),))


def test_sizes_come_first_in_official_order(official: tuple) -> None:
    assert official[0]._size_fields == tuple(name for name in SIZES if name not in IN_MEMORY_OF_MODELS)
    assert tuple(field.name for field in MODEL_FIELDS[: len(SIZES)]) == SIZES


def test_fields_are_aligned() -> None:
    model = allocate_model({"nbody": 3, "nv": 5})
    fields = model.layout.fields
    assert all(address % (8 if f.watched else 64) == 0 for f, address in zip(fields, model.table, strict=True))
    # watched fields are adjacent, because every step compares them
    watched = [i for i, f in enumerate(fields) if f.watched]
    assert model.table[watched].max() - model.table[watched].min() < 16 * len(watched)


def test_groups_of_an_area_share_memory() -> None:
    """Workspaces of one area share memory; the area is as large as the largest of them, and nothing else overlaps."""
    rows = (
        Scratch("other", "real", ("n",), "", "", ""),
        *Workspace("small", "solver", Scratch("x", "int", ("n",), "", "", ""), area="method"),
        *Workspace("large", "solver", *(Scratch(name, "real", ("n", 2), "", "", "") for name in "xy"), area="method"),
        *Workspace("alone", "solver", Scratch("x", "real", ("n",), "", "", "")),
        *Workspace("last", "solver", Scratch("x", "real", (), "", "", ""), area="second"),
    )
    buffer = Buffer(Layout(rows, {"n": 40}, lanes=2))
    begin = dict(zip(buffer.layout.index, buffer.layout.starts.tolist(), strict=False))
    assert begin["small.x"] == begin["large.x"] and begin["large.y"] == begin["large.x"] + 40 * 2 * 2 * 8
    spans = buffer.layout.spans(lambda field: field.name != "small.x")
    assert sum(end - start for start, end, _ in spans) == buffer.layout.nbytes
    assert all(a[1] <= b[0] for a, b in zip(sorted(spans), sorted(spans)[1:], strict=False))
    (span,) = buffer.layout.spans(lambda field: field.group == "small")
    assert span == (begin["small.x"], begin["small.x"] + 40 * 2 * 4, np.dtype(np.int32))


@pytest.mark.parametrize("name", ["make_reference.py", "make_api_table.py"])
def test_what_tools_write_is_up_to_date(name) -> None:
    tool = ROOT / "tools" / name
    result = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_models_in_the_reference_load() -> None:
    texts = runpy.run_path(str(ROOT / "tools" / "mjcf_examples.py"))["EXAMPLES"]
    models = re.findall(r"```xml\n(.*?)```", "\n".join(texts.values()), re.S)
    assert len(models) == len(texts)
    for model in models:
        conjoint.MjModel.from_xml_string(model)


def test_scratch_belongs_to_modules_that_there_are() -> None:
    rows = [field for field in DATA_STRUCT if field.role is Role.SCRATCH]
    owned = {field.name.split("_")[0] for field in rows if field.owners and not field.group}
    assert owned == OWNERS.keys()
    for owner in {owner for field in rows for owner in field.owners}:
        assert importlib.util.find_spec(owner) is not None
    # every workspace has owners
    assert all(field.owners for field in rows if field.group)
    # public fields have no owners
    assert not any(field.owners for field in (*MODEL_ROWS, *DATA_STRUCT) if field.public)


def test_the_reference_lists_parts_of_a_step_in_their_order() -> None:
    listed = re.findall(r"::: conjoint\.(mj_\w+)", (ROOT / "docs/reference/simulation-functions.md").read_text())
    stages = (ROOT / "docs/reference/pipeline.md").read_text().split("## Inverse dynamics")[0]
    order = dict.fromkeys(re.findall(r"^\| `(mj_\w+)`", stages, re.MULTILINE))
    common = [name for name in order if name in listed and name not in ("mj_resetData", "mj_inverse")]
    assert [name for name in listed if name in common] == common
