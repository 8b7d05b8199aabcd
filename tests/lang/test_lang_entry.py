"""Entries, which are kernels that Python calls with numbers, vectors and arrays, give the same results uncompiled."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from conjoint.lang import Buffer, Field, Layout, PlainStruct, dot, kernel, quat, rotate, vec3, where
from conjoint.lang.calls.entry import Entry

pytestmark = pytest.mark.plain

MODEL = (Field("n", "long"), Field("mass", "real", ("n",)))
DATA = (Field("x", "vec3", ("n",)), Field("time", "real"))


@dataclass
class Memory:
    """Stand-in for the argument `m` or `d` of an entry, with its fields in a buffer."""

    buffer: Buffer

    @property
    def address(self) -> int:
        return self.buffer.address

    @property
    def sizes(self) -> Mapping[str, int]:
        return self.buffer.layout.sizes

    def plain(self) -> PlainStruct:
        return PlainStruct([self.buffer])


@pytest.fixture
def memory() -> tuple[Memory, Memory]:
    m, d = Buffer(Layout(MODEL, {"n": 3})), Buffer(Layout(DATA, {"n": 3}))
    m.view("n")[...] = 3
    m.view("mass")[...] = [1.0, 2.0, 4.0]
    d.view("x")[...] = np.arange(9.0).reshape(3, 3)
    return Memory(m), Memory(d)


@kernel
def distances(m, d, point, target):
    total_mass = 0.0
    for i in range(m.n):
        offset = d.x[i] - point
        target[i] = m.mass[i] * dot(offset, offset)
        total_mass = total_mass + m.mass[i]
    return total_mass


@kernel
def turned(q, v, twice):
    r = rotate(q, v)
    return where(twice, rotate(q, r), r), r.x > 0.0, 7


@kernel
def transposed(a, b):
    for i in range(3):
        for j in range(3):
            b[3 * i + j] = a[3 * j + i]


@kernel
def counted(values, ids):
    ids[0] = 0
    for i in range(4):
        ids[0] = ids[0] + where(values[i].z > 0.5, 1, 0)


def test_fields_arrays_and_a_number(memory) -> None:
    m, d = memory
    entry = Entry(distances, ("vec3", "out real[n]"), MODEL, DATA)
    target = np.zeros(3)
    assert entry(m, d, np.array([1.0, 0.0, 0.0]), target) == 7.0
    offsets = d.buffer.view("x") - [1.0, 0.0, 0.0]
    np.testing.assert_allclose(target, m.buffer.view("mass") * (offsets**2).sum(axis=1))
    # a second call uses its own arguments: nothing is cached
    other = np.zeros(3)
    entry(m, d, (0.0, 0.0, 0.0), other)
    np.testing.assert_allclose(other, m.buffer.view("mass") * (d.buffer.view("x") ** 2).sum(axis=1))


def test_values_come_back_as_tuples() -> None:
    entry = Entry(turned, ("quat", "vec3", "bool"))
    half = np.sqrt(0.5)
    v, positive, number = entry((half, 0.0, 0.0, half), [1.0, 0.0, 0.0], True)
    np.testing.assert_allclose(v, [-1.0, 0.0, 0.0], atol=1e-15)
    assert isinstance(v, tuple)
    assert (bool(positive), number) == (False, 7)
    np.testing.assert_allclose(entry((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0), False)[0], [1.0, 2.0, 3.0])


def test_arrays_of_any_kind() -> None:
    a, b = np.arange(9.0).reshape(3, 3), np.zeros((3, 3))
    Entry(transposed, ("real[3, 3]", "out real[3, 3]"))(a, b)
    np.testing.assert_array_equal(b, a.T)
    ids = np.zeros(1, np.int32)
    Entry(counted, ("vec3[]", "out int[]"))(np.eye(4, 3), ids)
    assert ids[0] == 1


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([0.0] * 3, "target must be an array, not list"),
        (np.zeros(3, np.float32), "target must be an array of float64, not of float32"),
        (np.zeros(4), r"target must have shape \(3,\), not \(4,\)"),
        (np.zeros(6)[::2], "target must be contiguous"),
    ],
)
def test_unsuitable_arrays_are_refused(memory, target, sentence: str) -> None:
    entry = Entry(distances, ("vec3", "out real[n]"), MODEL, DATA)
    with pytest.raises(TypeError, match=f"distances: {sentence}"):
        entry(*memory, (0.0, 0.0, 0.0), target)


def test_an_array_that_is_written_must_be_writable(memory) -> None:
    target = np.zeros(3)
    target.flags.writeable = False
    with pytest.raises(TypeError, match="the array is read-only"):
        Entry(distances, ("vec3", "out real[n]"), MODEL, DATA)(*memory, (0.0, 0.0, 0.0), target)


def test_declarations_are_checked() -> None:
    with pytest.raises(TypeError, match="takes 3 arguments, not 2"):
        Entry(turned, ("quat", "vec3"))
    with pytest.raises(TypeError, match="'matrix' declares no parameter"):
        Entry(turned, ("quat", "matrix", "bool"))


def test_parameters_may_have_any_name() -> None:
    """Parameters of an entry may have the names that the generated code uses internally."""

    @kernel
    def moved(frame, call, r):
        r[0] = r[0] + frame * call

    x = np.ones(1)
    Entry(moved, ("real", "real", "out real[]"))(2.0, 3.0, x)
    assert x[0] == 7.0


def test_threads_have_frames_of_their_own(memory) -> None:
    """Threads that call an entry at the same time have separate memory for its results."""
    entry, wrong = Entry(turned, ("quat", "vec3", "bool")), []

    def call(x: float) -> None:
        for _ in range(2000):
            if entry((1.0, 0.0, 0.0, 0.0), (x, 0.0, 0.0), False)[0][0] != x:
                wrong.append(x)

    threads = [threading.Thread(target=call, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_values_are_made_of_their_kind() -> None:
    @kernel
    def axis(q):
        return vec3(q.x, q.y, q.z), quat(q.w, 0.0, 0.0, 0.0)

    assert Entry(axis, ("quat",))((1.0, 2.0, 3.0, 4.0)) == ((2.0, 3.0, 4.0), (1.0, 0.0, 0.0, 0.0))
