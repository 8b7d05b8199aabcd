"""Fields of every type are read, written and laid out in the same manner in every compiled variant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conjoint.lang import COMPONENTS, Buffer, FatalError, Field, Layout, any, kernel, where
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.layout import ALIGNMENT, INTEGERS
from conjoint.schema.enums import mjtJoint
from realisations import NAMES, Bench, precision

WORLDS = 16
COUNT = 3
OFFSET = 5
REALS = ("real", "vec3", "quat", "mat3", "spatial", "inertia", "float")
KINDS = (*REALS, "int", "byte", "bool", "long")
FIELDS = [Field(f"{kind}_{role}", kind, ("n",)) for kind in KINDS for role in ("a", "b")]
SCALARS = [Field(f"one_{kind}", kind) for kind in KINDS] + [Field(f"group.{kind}", kind) for kind in KINDS]
MODEL = [
    Field("n", "int"),
    *[Field(f"m_{kind}", kind, ("n",)) for kind in KINDS],
    *[Field(f"opt.{kind}", kind) for kind in KINDS],
]
BENCH = Bench(MODEL, [*FIELDS, *SCALARS], {"n": COUNT})


@kernel
def copy_all(m, d):
    """Copy every type of array between fields and to helpers."""
    for i in range(m.n):
        d.real_b[i] = d.real_a[i] + 1.0
        d.vec3_b[i] = -d.vec3_a[i]
        d.quat_b[i] = d.quat_a[i] * 2.0
        d.mat3_b[i] = d.mat3_a[i].T
        d.spatial_b[i] = d.spatial_a[i] + d.spatial_a[i]
        d.inertia_b[i] = d.inertia_a[i]
        d.float_b[i] = d.float_a[i] * 2.0
        d.int_b[i] = d.int_a[i] + OFFSET
        d.byte_b[i] = d.byte_a[i] + 1
        d.bool_b[i] = where(d.bool_a[i] == 0, 1, 0)
        d.long_b[i] = d.long_a[i] - 1


@kernel
def read_model(m, d):
    """Copy every type of array and scalar from the model, which all worlds share."""
    for i in range(m.n):
        d.real_b[i] = m.m_real[i]
        d.vec3_b[i] = m.m_vec3[i]
        d.quat_b[i] = m.m_quat[i]
        d.mat3_b[i] = m.m_mat3[i]
        d.spatial_b[i] = m.m_spatial[i]
        d.inertia_b[i] = m.m_inertia[i]
        d.float_b[i] = m.m_float[i]
        d.int_b[i] = m.m_int[i]
        d.byte_b[i] = m.m_byte[i]
        d.bool_b[i] = m.m_bool[i]
        d.long_b[i] = m.m_long[i]
    d.one_real = m.opt.real
    d.one_vec3 = m.opt.vec3
    d.one_int = m.opt.int
    d.one_byte = m.opt.byte


@kernel
def set_scalars(m, d):
    """Set scalar fields, including members of groups."""
    d.one_real = 2.5
    d.one_vec3 = d.vec3_a[0] + d.vec3_a[1]
    d.one_quat = d.quat_a[0]
    d.one_mat3 = d.mat3_a[0]
    d.one_spatial = d.spatial_a[0]
    d.one_inertia = d.inertia_a[0]
    d.one_float = d.float_a[0]
    d.one_int = 7
    d.one_byte = 200
    d.one_bool = 1
    d.one_long = d.int_a[0]
    d.group.real = d.one_real + d.real_a[0]
    d.group.vec3 = d.one_vec3
    d.group.int = d.one_int + m.n
    d.group.byte += d.one_byte


@kernel
def twice(m, field, i, by):
    """Multiply an element of any field by a number."""
    field[i] = field[i] * by


@kernel
def joint_kinds(m, d):
    """Use members of an enumeration as constants, and pass fields to a helper."""
    for i in range(m.n):
        if m.m_int[i] == mjtJoint.mjJNT_SLIDE:
            d.int_b[i] = mjtJoint.mjJNT_HINGE
        elif m.m_int[i] == mjtJoint.mjJNT_HINGE:
            d.int_b[i] = int(mjtJoint.mjJNT_SLIDE) + 10
        twice(m, d.real_a, i, 2.0)
        twice(m, d.vec3_a, i, m.m_real[i])


def random_state(name: str) -> dict[str, np.ndarray]:
    """Return random values of all input fields; every precision represents them exactly."""
    generator = np.random.default_rng(0)
    state = {}
    for kind in KINDS:
        shape = (WORLDS, COUNT, COMPONENTS[kind]) if COMPONENTS[kind] > 1 else (WORLDS, COUNT)
        top = 2 if kind == "bool" else 100
        values = generator.integers(0, top, shape)
        state[f"{kind}_a"] = values.astype(INTEGERS.get(kind, np.dtype(precision(name))))
    return state


def random_model() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(1)
    model = {}
    for kind in KINDS:
        components = (COMPONENTS[kind],) if COMPONENTS[kind] > 1 else ()
        model[f"m_{kind}"] = generator.integers(0, 2 if kind == "bool" else 4, (COUNT, *components))
        model[f"opt.{kind}"] = generator.integers(0, 2 if kind == "bool" else 100, components)
    return model


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_read_and_written(name: str) -> None:
    state = random_state(name)
    found = BENCH.run(copy_all, name, state)
    transposed = state["mat3_a"].reshape(WORLDS, COUNT, 3, 3).swapaxes(2, 3).reshape(WORLDS, COUNT, 9)
    expected = {
        "real": state["real_a"] + 1, "vec3": -state["vec3_a"], "quat": 2 * state["quat_a"], "mat3": transposed,
        "spatial": 2 * state["spatial_a"], "inertia": state["inertia_a"], "float": 2 * state["float_a"],
        "int": state["int_a"] + OFFSET, "byte": state["byte_a"] + 1, "bool": ~state["bool_a"], "long": state["long_a"] - 1,
    }  # fmt: skip
    for kind in KINDS:
        np.testing.assert_array_equal(found[f"{kind}_b"], expected[kind], kind)
        np.testing.assert_array_equal(found[f"{kind}_a"], state[f"{kind}_a"], f"{kind} was only read")


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_read_from_the_model(name: str) -> None:
    model = random_model()
    found = BENCH.run(read_model, name, random_state(name), model)
    for kind in KINDS:
        for world in range(WORLDS):
            np.testing.assert_array_equal(found[f"{kind}_b"][world], model[f"m_{kind}"], kind)
    for kind in ("real", "vec3", "int", "byte"):
        np.testing.assert_array_equal(
            found[f"one_{kind}"], np.broadcast_to(model[f"opt.{kind}"], found[f"one_{kind}"].shape)
        )


@pytest.mark.parametrize("name", NAMES)
def test_scalars_are_set(name: str) -> None:
    state = random_state(name)
    found = BENCH.run(set_scalars, name, state)
    assert (found["one_real"] == 2.5).all()
    np.testing.assert_array_equal(found["one_vec3"], state["vec3_a"][:, 0] + state["vec3_a"][:, 1])
    for kind in ("quat", "mat3", "spatial", "inertia", "float"):
        np.testing.assert_array_equal(found[f"one_{kind}"], state[f"{kind}_a"][:, 0], kind)
    assert (found["one_int"] == 7).all()
    assert (found["one_byte"] == 200).all()
    assert found["one_bool"].all()
    np.testing.assert_array_equal(found["one_long"], state["int_a"][:, 0])
    np.testing.assert_array_equal(found["group.real"], 2.5 + state["real_a"][:, 0])
    np.testing.assert_array_equal(found["group.vec3"], found["one_vec3"])
    assert (found["group.int"] == 7 + COUNT).all()
    assert (found["group.byte"] == 200).all()


@pytest.mark.parametrize("name", NAMES)
def test_enumerations_and_field_arguments(name: str) -> None:
    state = random_state(name)
    kinds = [mjtJoint.mjJNT_SLIDE, mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_FREE]
    found = BENCH.run(joint_kinds, name, state, {"m_int": kinds, "m_real": [1.0, 2.0, 3.0]})
    expected = [mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_SLIDE + 10, 0]
    np.testing.assert_array_equal(found["int_b"], np.tile(expected, (WORLDS, 1)))
    np.testing.assert_array_equal(found["real_a"], 2 * state["real_a"])
    np.testing.assert_array_equal(found["vec3_a"], state["vec3_a"] * np.array([1.0, 2.0, 3.0])[:, None])


# ---- layouts and buffers


SHAPES = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5)), min_size=1, max_size=8)


@pytest.mark.plain
@given(SHAPES, st.sampled_from([1, 4, 8]), st.sampled_from([np.float32, np.float64]))
def test_fields_of_a_buffer_are_aligned_and_apart(shapes, lanes, real):
    fields = [Field(f"f{i}", kind, (count,)) for i, (kind, count) in enumerate(shapes)]
    buffer = Buffer(Layout(fields, {}, real, lanes))
    for i, field in enumerate(fields):
        view = buffer.view(field.name)
        assert view.ctypes.data % ALIGNMENT == 0 or view.size == 0
        assert not view.any()
        # each field gets a different value, which writes to other fields must not change
        view[...] = 1 if field.kind == "bool" else i + 1
    for i, field in enumerate(fields):
        assert (buffer.view(field.name) == (1 if field.kind == "bool" else i + 1)).all()


@pytest.mark.plain
def test_defaults_are_written_in_every_element_and_lane():
    fields = [Field("q", "quat", (2,), (1.0, 0.0, 0.0, 0.0)), Field("x", "real", (3,), 7.0)]
    for lanes in (1, 4):
        buffer = Buffer(Layout(fields, {}, np.float64, lanes))
        buffer.set_defaults()
        assert (buffer.view("x") == 7).all()
        assert (buffer.view("q")[:, 0] == 1).all() and not buffer.view("q")[:, 1:].any()


@pytest.mark.plain
def test_plain_kernels_refuse_negative_indices_and_unlike_values():
    from conjoint.lang import PlainStruct, quat

    d = PlainStruct([Buffer(Layout([Field("v", "vec3", (2,))], {}))])
    with pytest.raises(IndexError, match="negative index -1"):
        d.v[-1]
    with pytest.raises(TypeError, match="in an array of vec3"):
        d.v[0] = quat(1.0, 0.0, 0.0, 0.0)
    with pytest.raises(AttributeError, match="no field 'w'"):
        _ = d.w


# ---- integers that all worlds of a block share


BLOCK_FIELDS = (Field("x", "real", ("n",)), Field("used", "int", ("n",), uniform=True), Field("y", "real", ("n",)))
SHARED = Bench((Field("n", "int"),), BLOCK_FIELDS, {"n": COUNT})


@kernel
def list_used(m, d):
    """List the elements that are positive in any world of a block, once for the block."""
    count = 0
    for i in range(m.n):
        if any(d.x[i] > 0.0):
            d.used[count] = i
            count += 1
    for a in range(count):
        i = d.used[a]
        d.y[i] = d.x[i] + 1.0


@kernel
def uses_one_world(m, d):
    """Store a value that differs between worlds in an integer that the block shares, which is an error."""
    d.used[0] = where(d.x[0] > 0.0, 1, 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_block_has_one_integer_where_the_row_says_so(name: str) -> None:
    if "view" in name:
        return
    x = np.zeros((WORLDS, COUNT))
    x[3, 2] = x[5, 0] = 1.0
    found = SHARED.run(list_used, name, {"x": x})
    width = {"8 x float64": 8, "16 x float32": 16}.get(name, 1)
    used = np.repeat((x > 0).reshape(-1, width, COUNT).any(1), width, axis=0)
    np.testing.assert_array_equal(found["y"], np.where(used, x + 1, 0))


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_an_integer_of_the_block_is_not_written_for_one_world() -> None:
    with pytest.raises(FatalError, match="shared by all worlds of a block, but the value differs"):
        SHARED.run(uses_one_world, "8 x float64", {"x": np.zeros((8, COUNT))})
    with pytest.raises(FatalError, match="shared by all worlds of a block"):
        SHARED.run(list_used, "view float64", {"x": np.zeros((8, COUNT))})


@pytest.mark.plain
def test_an_integer_of_the_block_has_memory_once() -> None:
    one, block = (Layout(BLOCK_FIELDS, {"n": 100}, np.float64, lanes) for lanes in (1, 8))
    assert block.place(BLOCK_FIELDS[1].name)[0] == one.place(BLOCK_FIELDS[1].name)[0] == (100,)
    assert block.place(BLOCK_FIELDS[0].name)[0] == (100, 8)
    ((first, end, _),) = block.spans(lambda field: field.uniform)
    ((alone, alone_end, _),) = one.spans(lambda field: field.uniform)
    assert end - first == alone_end - alone
