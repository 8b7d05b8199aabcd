"""Kernels for a whole world also run on parts of a world, whose fields replace those of the world."""

from __future__ import annotations

import numpy as np
import pytest

from conjoint.lang import FatalError, Field, Part, kernel, put, tile, within
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import lanes
from realisations import Bench

pytestmark = pytest.mark.plain

NAMES = ["plain", "world"] if jit_enabled() else ["plain"]

MODEL_FIELDS = (Field("n", "int"), Field("weight", "real", ("n",)))
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("A", "real", ("n", "n")), Field("point", "vec3", ("n",)), Field("y", "real", ("n",)),
    Field("found", "real"), Field("stat.sum", "real", ("n",)), Field("mark", "int", ("n",), uniform=True),
    Field("nblock", "int"), Field("of.block", "int"), Field("block_n", "int", (4,)), Field("of.adr", "int", (4,)),
    Field("block_Aadr", "int", (4,)), Field("block_found", "real", (4,)), Field("part_x", "real", ("n",)),
    Field("part_A", "real", (64,)), Field("part_point", "vec3", ("n",)), Field("part_weight", "real", ("n",)),
    Field("part_sum", "real", ("n",)),
)  # fmt: skip
BENCH = Bench(MODEL_FIELDS, DATA_FIELDS, {"n": 16})

BLOCK = Part("of.block", {
    "m.n": ("block_n", "number"), "m.weight": ("part_weight", "of.adr"), "d.x": ("part_x", "of.adr"),
    "d.A": ("part_A", "block_Aadr"), "d.point": ("part_point", "of.adr"), "d.found": ("block_found", "number"),
    "d.stat.sum": ("part_sum", "of.adr"),
})  # fmt: skip
"""Part that consists of a diagonal block of A and the elements of x and point that belong to it."""


@kernel
def multiply(m, d, scale):
    """Store scale A (x + point.y), times the weights, in stat.sum, and return the sum of its elements."""
    sum = 0.0
    for i in range(m.n):
        d.mark[i] = d.mark[i] + 1
        s = 0.0
        for j in range(m.n):
            s = s + element(d, i, j) * (d.x[j] + d.point[j].y)
        store(d.stat.sum, i, scale * s * m.weight[i])
        sum = sum + d.stat.sum[i]
    d.found = sum
    d.y[0] = sum
    return sum


@kernel
def element(d, i, j):
    return d.A[i, j]


@kernel
def store(array, i, x):
    array[i] = x


@kernel(single=True)
def multiply_blocks(m, d):
    for k in range(d.nblock):
        d.of.block = k
        d.y[8 + k] = within(BLOCK, multiply, m, d, 2.0)


@kernel
def first_tile(m, d):
    put(d.x, 0, tile(d.x, 0) * 2.0)


@kernel(single=True)
def double_last(m, d):
    d.of.block = 1
    within(BLOCK, first_tile, m, d)


@kernel
def not_single(m, d):
    within(BLOCK, first_tile, m, d)


@kernel
def calls_single(m, d):
    double_last(m, d)


def state() -> dict[str, np.ndarray]:
    """Return the state of a world of three blocks with 3, 1 and 4 elements."""
    generator = np.random.default_rng(0)
    found = {
        f.name: np.zeros((1, *((16 if s == "n" else s) for s in f.shape), *((3,) if f.kind == "vec3" else ())))
        for f in DATA_FIELDS
    }
    for name in ("part_x", "part_A", "part_point", "part_weight"):
        found[name][...] = generator.normal(size=found[name].shape)
    found["nblock"][...] = 3
    found["block_n"][0, :3], found["of.adr"][0, :3], found["block_Aadr"][0, :3] = [3, 1, 4], [0, 3, 4], [0, 9, 10]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_runs_for_each_part(name: str) -> None:
    before = state()
    after = BENCH.run(multiply_blocks, name, before, {"weight": np.ones(16)})
    for k, (n, adr, Aadr) in enumerate(zip([3, 1, 4], [0, 3, 4], [0, 9, 10], strict=True)):
        part = slice(adr, adr + n)
        A = before["part_A"][0, Aadr : Aadr + n * n].reshape(n, n)
        x = before["part_x"][0, part] + before["part_point"][0, part, 1]
        expected = 2.0 * (A @ x) * before["part_weight"][0, part]
        assert np.allclose(after["part_sum"][0, part], expected)
        assert after["block_found"][0, k] == pytest.approx(expected.sum())
        # fields that a part does not replace are those of the world
        assert after["y"][0, 8 + k] == pytest.approx(expected.sum())
    assert after["y"][0, 0] == after["y"][0, 10]
    assert after["mark"][0].tolist() == [3, 2, 2, 1] + 12 * [0]
    assert not after["x"].any() and not after["stat.sum"].any() and not after["found"].any()


@pytest.mark.parametrize("name", NAMES)
def test_tiles_of_parts(name: str) -> None:
    before = state()
    after = BENCH.run(double_last, name, before)
    expected = before["part_x"][0].copy()
    expected[3:11] *= 2.0
    assert np.array_equal(after["part_x"][0], expected)


@pytest.mark.skipif(not jit_enabled(), reason="rules are those of the compiler")
def test_parts_are_solved_in_blocks_of_one_world() -> None:
    with pytest.raises(FatalError, match=r"single=True"):
        stage_module("not_single", not_single, lanes("float64", 8), MODEL_FIELDS, DATA_FIELDS)


@pytest.mark.skipif(not jit_enabled(), reason="rules are those of the compiler")
def test_a_kernel_needs_no_mark_for_what_it_calls() -> None:
    BENCH.run(calls_single, "world", state())
    with pytest.raises(FatalError, match=r"calls double_last, which works on blocks of one world only"):
        stage_module("calls_single", calls_single, lanes("float64", 8), MODEL_FIELDS, DATA_FIELDS)
