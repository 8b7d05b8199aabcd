"""Binary models: the same model again, and nothing but that."""

from __future__ import annotations

import copy
import json
import struct

import numpy as np
import pytest

import conjoint
from conjoint.api.objects.binary import PREFIX
from conjoint.schema.references import ALWAYS, ENUMS, OBJECT_IDS, OR_NONE, SPANS, TYPED
from equality import same_model
from test_saving import RICH


def saved(m) -> bytes:
    buffer = np.zeros(conjoint.mj_sizeModel(m), np.uint8)
    conjoint.mj_saveModel(m, None, buffer)
    return buffer.tobytes()


def load(data: bytes):
    return conjoint.MjModel.from_binary_path("folder/m.mjb", {"m.mjb": data})


@pytest.fixture(scope="module")
def model():
    return conjoint.MjModel.from_xml_string(
        '<mujoco><worldbody><body name="b"><geom size="1"/></body></worldbody></mujoco>'
    )


def test_round_trip(model_path, tmp_path):
    model = conjoint.MjModel.from_xml_path(model_path)
    file = tmp_path / "m.mjb"
    conjoint.mj_saveModel(model, str(file))
    loaded = conjoint.MjModel.from_binary_path(str(file))
    assert same_model(loaded, model)
    assert loaded.body(1).name == model.body(1).name
    assert file.stat().st_size == conjoint.mj_sizeModel(model)
    assert same_model(load(saved(model)), model)


def test_changed_values_are_kept(model):
    changed = conjoint.MjModel.from_xml_string("<mujoco/>")
    changed.opt.timestep = 0.125
    assert load(saved(changed)).opt.timestep == 0.125


def test_truncated_anywhere(model, tmp_path):
    data = saved(model)
    file = tmp_path / "m.mjb"
    for length in (*range(200), *range(200, len(data), 997), len(data) - 1):
        file.write_bytes(data[:length])
        with pytest.raises(conjoint.ModelError):
            conjoint.MjModel.from_binary_path(str(file))


def test_damaged(model):
    data = bytearray(saved(model))
    for place in (0, 9, 13, 20, 26, 40, len(data) // 2, len(data) - 1):
        damaged = data.copy()
        damaged[place] ^= 1
        with pytest.raises(conjoint.ModelError):
            load(bytes(damaged))


def with_sizes(data: bytes, **sizes) -> bytes:
    """The file with other sizes in its header."""
    mark, version, header_size, memory_size, checksum = PREFIX.unpack(data[: PREFIX.size])
    header = json.loads(data[PREFIX.size : PREFIX.size + header_size])
    header["sizes"].update(sizes)
    text = json.dumps(header).encode()
    return PREFIX.pack(mark, version, len(text), memory_size, checksum) + text + data[PREFIX.size + header_size :]


@pytest.mark.parametrize("size", [10**9, 2**31, 2**62, -1, 1.5, "7", None, True])
def test_sizes_that_do_not_fit(model, size):
    with pytest.raises(conjoint.ModelError, match="damaged"):
        load(with_sizes(saved(model), ngeom=size))


def test_ids_that_point_nowhere():
    rich = conjoint.MjModel.from_xml_string(RICH)
    ids = " ".join([*ALWAYS.values(), *OR_NONE.values()]).split()
    addresses = [name for span in SPANS for name in span[:2] if rich._buffer.view(span[1]).any()]
    objects = [row[0] for row in (*TYPED, *OBJECT_IDS)]
    tried = 0
    for name in dict.fromkeys([*ids, *addresses, *ENUMS, *objects]):
        if rich._buffer.view(name).size:
            tried += 1
            for value in (10**6, -(10**6)):
                damaged = copy.copy(rich)
                damaged._buffer.view(name)[...] = value
                with pytest.raises(conjoint.ModelError, match=r"the file is damaged: [a-z]+_"):
                    load(saved(damaged))
    assert tried > 60
    assert same_model(load(saved(rich)), rich)


def test_ids_of_objects_without_a_kind():
    damaged = conjoint.MjModel.from_xml_string(RICH)
    damaged.sensor_reftype[0], damaged.sensor_refid[0] = 0, 1 << 24
    with pytest.raises(conjoint.ModelError, match=r"sensor_refid\[0"):
        load(saved(damaged))


def test_trees_that_are_none(model):
    damaged = copy.copy(model)
    damaged.body_parentid[1] = 1
    with pytest.raises(conjoint.ModelError, match=r"body_parentid\[1\] is 1: parents come first"):
        load(saved(damaged))


def test_other_files(tmp_path):
    for data in (b"", b"\x00" * 100, b"<mujoco/>", struct.pack("<4i", 54321, 8, 80, 0) * 50):
        with pytest.raises(conjoint.ModelError, match="not a binary model"):
            load(data)
    with pytest.raises(conjoint.ModelError, match="cannot read"):
        conjoint.MjModel.from_binary_path(str(tmp_path / "none.mjb"))
    with pytest.raises(conjoint.ModelError):
        conjoint.MjModel.from_binary_path(str(tmp_path))


def test_other_versions(model):
    data = saved(model)
    newer = data[:8] + struct.pack("<I", 2) + data[12:]
    with pytest.raises(conjoint.ModelError, match="version 2"):
        load(newer)
    with pytest.raises(conjoint.ModelError, match="another version"):
        load(data.replace(b'"fields": "', b'"fields": "0', 1).replace(b'", "sizes"', b'","sizes"', 1))


def test_where_to_save(model, tmp_path):
    with pytest.raises(conjoint.FatalError, match="neither"):
        conjoint.mj_saveModel(model)
    with pytest.raises(conjoint.FatalError, match="buffer must have"):
        conjoint.mj_saveModel(model, None, np.zeros(10, np.uint8))
    with pytest.raises(conjoint.FatalError, match="cannot write"):
        conjoint.mj_saveModel(model, str(tmp_path / "no" / "m.mjb"))


@pytest.mark.parametrize(("field", "value"), [("dof_Madr", 0), ("dof_parentid", -1)])
def test_sizes_that_are_not_those_of_the_tree(field, value):
    damaged = conjoint.MjModel.from_xml_string(RICH)
    view = damaged._buffer.view(field)
    place = np.flatnonzero(view != value)[-1]
    view[place] = value
    with pytest.raises(conjoint.ModelError, match="damaged"):
        conjoint.MjData(load(saved(damaged)))
