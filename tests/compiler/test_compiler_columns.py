"""Lists of numbers are converted to the same arrays as by NumPy, and a set of such columns is written to its fields."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.compiler import arrays
from conjoint.compiler.arrays import Columns
from conjoint.lang.memory.layout import Buffer, Field, Layout, number_array

FIELDS = (
    Field("one", "real"), Field("points", "vec3", ("n",)), Field("ids", "int", ("n", 2)), Field("flags", "bool", ("n",)),
    Field("colours", "float", ("n", 4)), Field("letters", "byte", ("n",)), Field("rest", "real", ("n",)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([1, True, 2.5, -0.0, float("inf")], np.float64),
        ([1, 0.1, 1e39, float("nan")], np.float32),
        ([1, -1, 2**31 - 1], np.int32),
        ([1, 2**31, -(2**40)], np.int32),
        ([1.5, -2.5], np.int32),
        ([2**62, -1], np.int64),
        ([0, 255], np.uint8),
        ([256, -1], np.uint8),
        ([True, False, 2], np.bool_),
        ([], np.float64),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_numbers_are_those_of_numpy(numbers, dtype):
    """Converted numbers are bit-identical to NumPy's, even if they overflow."""
    found = number_array(numbers, np.dtype(dtype))
    assert found.dtype == dtype
    assert found.tobytes() == np.array(numbers).astype(dtype).tobytes()


@pytest.mark.parametrize("many", [0, 5, 1 << 14])
def test_columns_land_in_their_fields(monkeypatch, many):
    """Columns are written to their fields, all at once or in parts; fields without new numbers keep their values."""
    monkeypatch.setattr(arrays, "MANY", many)
    buffer = Buffer(Layout(FIELDS, {"n": 3}))
    buffer.view("rest")[:] = 7
    written = {
        "one": [0.5], "points": np.arange(9.0), "ids": [5, 4, 3, 2, 1, 0], "flags": [True, False, True],
        "colours": [0.1] * 12,
    }  # fmt: skip
    collected = Columns(buffer)
    for name, numbers in written.items():
        collected.add(name, numbers)
    collected.write()
    for name, numbers in written.items():
        view = buffer.view(name)
        assert np.array_equal(view.ravel(), np.asarray(numbers).astype(view.dtype))
    assert buffer.view("rest").tolist() == [7, 7, 7] and not buffer.view("letters").any()
