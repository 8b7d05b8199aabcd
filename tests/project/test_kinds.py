"""The model kinds of the benchmark (`benchmarks.kinds`) have the documented sizes, and the benchmark prints Markdown."""

from __future__ import annotations

import pytest

import conjoint
from benchmarks.kind_models import KINDS
from benchmarks.kinds import table

SIZES = {
    "burrs": (18, 325), "crab": (24, 20), "shrub": (60, 26), "warehouse": (76, 1575), "gripper": (12, 117),
    "fish": (14, 9), "hiker": (22, 26), "masonry": (330, 56),
}  # fmt: skip
"""Numbers of dofs and geoms of each model kind."""


@pytest.mark.plain
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_kinds_have_their_sizes(make):
    model = conjoint.MjModel.from_xml_string(make())
    assert (model.nv, model.ngeom) == SIZES[make.__name__]


@pytest.mark.plain
def test_the_table_has_geometric_means():
    row = {"nv": 3, "geoms": 2, "ncon": 1.0, "nefc": 4.0, "iterations": 2.5}
    one = {"us": 2.0, "official": 4.0, "ratio": 2.0}
    rows = [{"model": "a", **row, "one": one}, {"model": "b", **row, "one": {**one, "ratio": 8.0}, "float32": one}]
    *_, a, b, mean = table(rows, ["one", "float32"]).splitlines()
    assert a == "| a | 3 | 2 | 1.0 | 4.0 | 2.5 | 2.0, 4.0, **2.00** |  |"
    assert b.endswith("| 2.0, 4.0, **8.00** | 2.0, 4.0, **2.00** |")
    assert "| 4.00 (worst 2.00) | 2.00 (worst 2.00) |" in mean
