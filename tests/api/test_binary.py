"""Binary models are the same after they are saved and loaded, and damaged files are rejected."""

from __future__ import annotations

import copy
import json
import struct
from types import SimpleNamespace

import numpy as np
import pytest
from test_saving import RICH

import conjoint
from conjoint.api.objects.binary import PREFIX
from conjoint.api.objects.binary_check import _may_be_wrong, first_wrong_id
from conjoint.lang.memory.layout import Buffer, Role
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.references import ALWAYS, BY_DIMENSION, COVERED, ENUMS, OBJECT_IDS, OR_NONE, SPANS, TYPED
from equality import same_model


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
    """Return the file contents with changed sizes in the header."""
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
    counted = [(address, count.split("*")) for address, count, _ in SPANS]
    counted = [(address, [name for name in names if name not in BY_DIMENSION]) for address, names in counted]
    addresses = [name for address, names in counted if rich.memory.view(names[0]).any() for name in (address, *names)]
    objects = [row[0] for row in (*TYPED, *OBJECT_IDS)]
    tried = 0
    for name in dict.fromkeys([*ids, *addresses, *ENUMS, *objects]):
        if rich.memory.view(name).size:
            tried += 1
            for value in (10**6, -(10**6)):
                damaged = copy.copy(rich)
                view = damaged.memory.view(name)
                # all byte values are positive, so use a large one
                view[...] = 200 if view.dtype == np.uint8 else value
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
    with pytest.raises(conjoint.ModelError, match=r"body_parentid\[1\] is 1: parents must come first"):
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
    view = damaged.memory.view(field)
    place = np.flatnonzero(view != value)[-1]
    view[place] = value
    with pytest.raises(conjoint.ModelError, match="damaged"):
        conjoint.MjData(load(saved(damaged)))


def test_the_schema_says_of_every_integer_what_it_refers_to():
    integers = {
        field.name
        for field in MODEL_FIELDS
        if field.role is Role.STRUCTURE and field.kind in ("int", "byte", "bool") and field.shape
    }
    assert integers <= COVERED
    assert {field.name for field in MODEL_FIELDS} >= COVERED


ASSETS = """<mujoco><asset><mesh name="a" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3 .3 .3 .3"/>
<mesh name="b" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2" face="0 2 1 0 1 3 0 3 2 1 2 3" texcoord="0 0 1 0 0 1 1 1"/>
<hfield name="h" nrow="3" ncol="4" size="2 2 .3 .1"/><texture name="x" type="2d" builtin="flat" width="4" height="2"/>
<material name="m" texture="x"/>
<skin name="s" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2" material="m"><bone body="é" bindpos="0 0 0" bindquat="1 0 0 0"
vertid="0 1 2" vertweight="1 1 1"/></skin></asset><worldbody><geom type="hfield" hfield="h"/>
<geom name="post" type="cylinder" size=".1 1"/><site name="aside"/>
<body name="é" pos="0 0 2"><freejoint/><geom type="mesh" mesh="a"/><geom type="mesh" mesh="b" pos="0 0 .4"/><site name="t"/></body>
<body pos="0 0 3"><joint name="j"/><geom type="sdf" mesh="a"/><site name="u"/></body>
<flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1" radius=".01"/>
<flexcomp name="soft" type="grid" count="2 2 2" spacing=".1 .1 .1" dim="3" mass="1" radius=".01" pos="1 0 3"/>
<flexcomp name="whole" type="grid" count="2 2 2" spacing=".1 .1 .1" dim="3" mass="1" radius=".01" pos="2 0 3" dof="trilinear"><contact
selfcollide="none"/></flexcomp>
</worldbody><tendon><spatial name="s"><site site="t"/><geom geom="post" sidesite="aside"/><site site="u"/></spatial></tendon>
<actuator><motor joint="j"/><general tendon="s" dyntype="filter"/><general cranksite="t" slidersite="u" cranklength="3"/></actuator>
<sensor><framequat objtype="site" objname="t"/><touch site="t"/><clock/></sensor></mujoco>"""


@pytest.fixture(scope="module")
def assets():
    return conjoint.MjModel.from_xml_string(ASSETS)


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [
        ("flex_dim", 0, 3), ("flex_dim", 0, 4), ("flex_dim", 0, -1), ("flex_edge", 0, 9), ("flex_edge", 5, -1),
        ("flex_edgeflap", 0, -2), ("flex_elem", 0, 9), ("flex_elem", -1, 8), ("flex_elemdataadr", 1, 10**6),
        ("flex_elemedge", 0, 99), ("flex_elemedgeadr", 1, -5), ("flex_shell", 0, 9), ("flex_shelldataadr", 1, 10**6),
        ("flex_evpair", 0, 99), ("flex_interp", 2, 0), ("flex_interp", 0, 1), ("flex_nodenum", 2, 9),
        ("mesh_graph", 0, 10**6), ("mesh_graph", 0, -1), ("mesh_graph", 3, 10**6), ("mesh_graph", 8, -1),
        ("mesh_graphadr", 0, 3), ("mesh_face", 0, 5), ("mesh_face", -1, 4), ("mesh_facenormal", 0, -1),
        ("mesh_facetexcoord", -1, 4), ("mesh_polyvert", 0, 5), ("mesh_polymap", 0, 99), ("mesh_polyvertnum", 0, 99),
        ("mesh_polymapadr", 0, -4), ("hfield_nrow", 0, 100), ("hfield_ncol", 0, -4), ("hfield_adr", 0, 1),
        ("hfield_nrow", 0, 0), ("tex_height", 0, 100), ("tex_nchannel", 0, 9), ("tex_adr", 0, 1),
        ("skin_face", 0, 3), ("skin_bonevertid", 0, 3), ("bvh_child", 0, 0), ("bvh_child", 1, 10**6),
        ("bvh_nodeid", -1, -1), ("bvh_nodeid", -1, 10**6), ("oct_child", 0, 0), ("oct_child", 7, 10**6),
        ("actuator_actadr", 1, 1), ("actuator_actadr", 1, -1), ("actuator_actnum", 0, 1), ("actuator_trnid", 0, -1),
        ("actuator_trnid", 5, -1), ("wrap_objid", 0, -1), ("wrap_prm", 1, 7.0), ("wrap_prm", 1, np.nan),
        ("sensor_dim", 1, 4), ("sensor_objid", 0, -1), ("sensor_objtype", 1, 1), ("sensor_type", 2, 28),
        ("geom_dataid", 0, -1), ("names", 0, 0xFF), ("name_bodyadr", 1, 13), ("mesh_octnum", 0, 0),
    ],
)  # fmt: skip
def test_numbers_that_kernels_follow(assets, field, place, value):
    damaged = copy.copy(assets)
    view = damaged.memory.view(field).reshape(-1)
    if field == "name_bodyadr":
        # point into the middle of a letter that has two bytes
        value = damaged.names.index("é".encode()) + 1
    assert view[place] != value
    view[place] = value
    with pytest.raises(conjoint.ModelError, match=r"the file is damaged: [a-z]+_?"):
        load(saved(damaged))


def test_models_with_all_assets_are_not_refused(assets, model_path):
    for model in (assets, conjoint.MjModel.from_xml_path(model_path)):
        assert same_model(load(saved(model)), model)


def test_a_model_counts_as_known_only_if_all_that_is_checked_is_the_same(assets):
    read = set()

    class Watched(Buffer):
        def view(self, name):
            read.add(name)
            return super().view(name)

    for model in (assets, conjoint.MjModel.from_xml_string(RICH)):
        # change the digest, so that the model is not taken for one that was already checked
        watched = Watched(model.memory.layout, model.memory.bytes.copy())
        view = watched.view("edition")
        view[...] = 1 << 20
        assert first_wrong_id(watched) == ""
    unlike = {field.name for field in MODEL_FIELDS if not _may_be_wrong(field)}
    assert len(read) > 100
    assert not read & unlike


def test_files_that_change_while_they_are_read(model, tmp_path, monkeypatch):
    data, file = saved(model), tmp_path / "m.mjb"
    for contents in (data[:-1], data[: len(data) // 2], data + b"\0"):
        file.write_bytes(contents)
        monkeypatch.setattr(
            "conjoint.api.objects.binary.check_regular", lambda path: SimpleNamespace(st_size=len(data))
        )
        with pytest.raises(conjoint.ModelError, match="changed while it was read"):
            conjoint.MjModel.from_binary_path(str(file))
