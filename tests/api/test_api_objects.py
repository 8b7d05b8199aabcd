"""MjModel and MjData as objects: array views, assignment, named access, copies, growth and state."""

import copy
import pickle
import sys
import weakref
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from calls import calls
from conjoint.api.objects.struct import fields_of
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.schema.newer_names import IN_MEMORY_OF_WORLDS
from equality import same_model, same_world
from rich_model import XML

ADDRESSES = ("body", "joint", "geom", "site", "camera", "light", "tendon", "actuator", "sensor", "numeric", "tuple", "key", "pair",
             "exclude", "equality", "material", "texture", "hfield", "mesh")  # fmt: skip


@pytest.fixture(scope="module")
def official() -> Any:
    return mujoco.MjModel.from_xml_string(XML)


@pytest.fixture
def m(official: Any) -> Any:
    return adopt_model(official)


@pytest.fixture
def d(m: Any) -> Any:
    return conjoint.MjData(m)


def test_views_share_memory_and_stay(d: Any) -> None:
    qpos = d.qpos
    assert d.qpos is qpos
    d.qpos = np.arange(d.model.nq)
    assert d.qpos is qpos and qpos[3] == 3
    assert np.shares_memory(qpos, d.world.data.bytes)


def test_assignment_broadcasts_and_checks_shapes(m: Any, d: Any) -> None:
    d.ctrl = 2
    assert np.all(d.ctrl == 2)
    with pytest.raises(ValueError, match="broadcast"):
        d.qpos = [1.0, 2.0]
    m.opt.gravity = [1, 2, 3]
    assert m.opt.gravity.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="broadcast"):
        m.opt.gravity = [1, 2]


def test_numbers_are_python_numbers_and_checked(m: Any, d: Any) -> None:
    d.time = 3
    assert d.time == 3.0 and type(d.time) is float
    m.opt.cone = conjoint.mjtCone.mjCONE_ELLIPTIC
    assert m.opt.cone == 1 and type(m.opt.cone) is int
    for bad in ("a", None):
        with pytest.raises(TypeError):
            d.time = bad
    with pytest.raises(TypeError):
        m.opt.iterations = 2.5


def test_nothing_can_be_added_or_replaced(m: Any, d: Any) -> None:
    for owner, name in ((m, "nv"), (m, "foo"), (d, "foo"), (d, "contact"), (m.opt, "foo"), (d, "model")):
        with pytest.raises(AttributeError, match=name):
            setattr(owner, name, 1)


def test_model_has_no_constructor_and_data_needs_a_model() -> None:
    with pytest.raises(TypeError, match="from_xml_path"):
        conjoint.MjModel()
    with pytest.raises(TypeError, match="MjModel"):
        conjoint.MjData(3)


@pytest.mark.parametrize("accessor", ADDRESSES)
def test_named_access_to_the_model_matches(m: Any, official: Any, accessor: str) -> None:
    theirs = getattr(official, accessor)(0)
    mine = getattr(m, accessor)(0)
    assert mine.id == 0 and mine.name == theirs.name
    for name in dir(theirs):
        if not name.startswith("_"):
            expected, value = getattr(theirs, name), getattr(mine, name)
            assert np.shape(value) == np.shape(expected), name
            assert np.array_equal(value, expected), name
    if theirs.name:
        assert getattr(m, accessor)(theirs.name).id == 0


@pytest.mark.parametrize(
    "accessor", ["body", "joint", "geom", "site", "camera", "light", "tendon", "actuator", "sensor"]
)
def test_named_access_to_the_data_has_official_shapes(d: Any, official: Any, accessor: str) -> None:
    theirs = getattr(mujoco.MjData(official), accessor)(0)
    mine = getattr(d, accessor)(0)
    for name in dir(theirs):
        # the bindings of MuJoCo show the first nv elements of the sparse moment matrix
        if not name.startswith("_") and (accessor, name) != ("actuator", "moment"):
            assert np.shape(getattr(mine, name)) == np.shape(getattr(theirs, name)), name


def test_named_access_writes_through(m: Any, d: Any) -> None:
    m.geom("ball").rgba = [1, 0, 0, 1]
    assert m.geom_rgba[m.geom("ball").id].tolist() == [1, 0, 0, 1]
    d.joint("elbow").qpos = 0.5
    assert d.qpos[m.joint("elbow").qposadr[0]] == 0.5
    with pytest.raises(AttributeError, match="colour"):
        m.geom("ball").colour = 1


def test_named_access_explains_mistakes(m: Any) -> None:
    with pytest.raises(
        KeyError, match=r"Invalid name 'leg'. Valid names: \['arm', 'pendulum', 'target', 'torso', 'world'\]"
    ):
        m.body("leg")
    with pytest.raises(IndexError, match=r"Invalid index 9\. Valid indices from 0 to 4"):
        m.body(9)


def test_names_and_ids(m: Any, official: Any) -> None:
    for kind in conjoint.mjtObj:
        for id in (-1, 0, 1, 99):
            assert conjoint.mj_id2name(m, kind, id) == mujoco.mj_id2name(official, int(kind), id)
        for name in ("torso", "ball", "elbow", "nobody"):
            assert conjoint.mj_name2id(m, kind, name) == mujoco.mj_name2id(official, int(kind), name)
    assert m.names == official.names


def test_copies_are_equal_and_independent(m: Any, d: Any) -> None:
    d.qpos[0] = 0.25
    for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert same_model(other, m) and other != m
        other.geom_size[0, 0] += 1
        assert not same_model(other, m)
    for world in (copy.copy(d), copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert same_world(world, d) and world != d
        world.qpos[0] = 1
        assert not same_world(world, d) and d.qpos[0] == 0.25
    assert copy.copy(d).model is m
    deep = copy.deepcopy(d)
    assert deep.model is not m and same_model(deep.model, m)
    # objects that are copied together still refer to each other
    both = copy.deepcopy([m, d])
    assert both[1].model is both[0]


def test_contacts_are_those_that_there_are_now() -> None:
    """A contact list obtained earlier shows the current contacts, but its slices keep their length."""
    xml = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .05'><freejoint/><geom size='.1'/></body>"
    m = conjoint.MjModel.from_xml_string(xml + "</worldbody></mujoco>")
    d = conjoint.MjData(m)
    contacts = d.contact
    assert len(contacts) == 0
    conjoint.mj_forward(m, d)
    assert len(contacts) == 1 and contacts is d.contact
    assert contacts[0].dist == pytest.approx(-0.05)
    part = contacts[:1]
    conjoint.mj_resetData(m, d)
    assert len(contacts) == 0 and len(part) == 1


def test_named_arrays_are_the_same_each_time(m: Any, d: Any) -> None:
    assert m.body(1).pos is m.body(m.body(1).name).pos
    assert d.joint(0).qpos is d.joint(m.joint(0).name).qpos
    assert m.names is m.names
    reference = weakref.ref(m.__copy__())
    assert reference() is None


def test_elements_of_lists_stand_alone() -> None:
    for record in (conjoint.MjWarningStat(), conjoint.MjTimerStat()):
        record.number = 3
        assert "number: 3" in repr(record)
        assert record == copy.copy(record) != type(record)()


def test_records_copy_compare_and_print(m: Any) -> None:
    option = copy.deepcopy(m.opt)
    assert option == m.opt == pickle.loads(pickle.dumps(m.opt))
    option.timestep = 1.0
    assert option != m.opt and m.opt.timestep != 1.0
    assert "timestep: 1.0" in repr(option)
    assert conjoint.MjOption() == adopt_model(mujoco.MjModel.from_xml_string("<mujoco/>")).opt
    assert "global_: <Global" in repr(m.vis)


def test_models_and_worlds_tell_what_they_are() -> None:
    """The repr of a model or its data is one line; in notebooks it is a table with escaped names."""
    model = conjoint.MjModel.from_xml_string(
        """<mujoco model="a &lt;b&gt;"><worldbody><body name="arm&amp;hand"><joint name="hinge"/><geom size=".1"/></body>
           </worldbody></mujoco>"""
    )
    data = conjoint.MjData(model)
    data.qpos[0] = 0.25
    assert repr(model) == "<conjoint.MjModel 'a <b>': nbody 2, nq 1, nv 1, nu 0>"
    assert repr(data) == "<conjoint.MjData of 'a <b>': time 0 s, 0 contacts, 0 constraint rows>"
    assert "<td>2: world, arm&amp;hand</td>" in model._repr_html_() and "a &lt;b&gt;" in model._repr_html_()
    assert "<th>hinge (hinge)</th><td>qpos 0.25; qvel 0</td>" in data._repr_html_()
    batch = conjoint.Batch(model, 3)
    assert repr(batch) == "<conjoint.Batch of 'a <b>': 3 worlds, float64>"
    assert "<th>worlds</th><td>3, float64</td>" in batch._repr_html_()


def add_contacts(d: Any, count: int) -> None:
    contact = conjoint.MjContact()
    contact.dim = 3
    for _ in range(count):
        conjoint.mj_addContact(d.model, d, contact)


def test_contacts_are_records_and_arrays(d: Any) -> None:
    assert len(d.contact) == 0 and list(d.contact) == []
    add_contacts(d, 2)
    d.contact[1].dist = -0.5
    d.contact[1].geom1 = 3
    assert d.contact.dist.tolist() == [0, -0.5]
    assert d.contact[1].geom.tolist() == [3, 0] and d.contact.geom1.tolist() == [0, 3]
    assert [c.dist for c in d.contact[1:]] == [-0.5]
    assert d.contact[-1].dist == -0.5
    with pytest.raises(IndexError):
        d.contact[2]
    assert copy.copy(d.contact[1]) == d.contact[1]


def test_statistics_are_lists_of_records(d: Any) -> None:
    d.warning[conjoint.mjtWarning.mjWARN_BADQPOS].number = 2
    assert d.warning.number.sum() == 2 and len(d.warning) == 8
    assert len(d.timer) == len(conjoint.mjTIMERSTRING) and d.timer[0].duration == 0.0
    assert len(d.solver) == 4000 and d.solver[3].improvement == 0.0


def test_growth_keeps_contents_and_address(d: Any) -> None:
    address, table = d.world.address, d.world.table
    add_contacts(d, 3)
    for name, size in (("nefc", 3), ("nJ", 3 * d.model.nv)):
        d.world.data.view(name)[...] = size
    d.contact[2].dist = 0.125
    d.efc_J[-1] = 7
    before = d.efc_J.copy()
    d.world.grow(ncon=10_000, nefc=20_000)
    assert d.world.address == address and d.world.table is table
    assert d.contact[2].dist == 0.125 and np.array_equal(d.efc_J, before)
    assert np.array_equal(table, np.concatenate([d.world.data.table, d.world.arena.table]))
    assert len(conjoint.MjData(d.model).world.table) == len(table)


def test_reset_matches_the_official_one(m: Any, d: Any, official: Any) -> None:
    theirs = mujoco.MjData(official)
    d.qvel[:] = 3
    d.xpos[:] = 4
    conjoint.mj_resetData(m, d)
    assert same_world(d, conjoint.MjData(m))
    for name in (
        "qpos",
        "qvel",
        "mocap_pos",
        "mocap_quat",
        "eq_active",
        "D_colind",
        "M_rowadr",
        "B_rownnz",
        "mapM2D",
        "mapD2M",
    ):
        assert np.array_equal(getattr(d, name), getattr(theirs, name)), name


def test_debug_reset_fills_what_a_reset_leaves_open(m: Any, d: Any, official: Any) -> None:
    theirs = mujoco.MjData(official)
    mujoco.mj_resetDataDebug(official, theirs, 255)
    conjoint.mj_resetDataDebug(m, d, 255)
    for name, field in fields_of(d).items():
        newer = name in IN_MEMORY_OF_WORLDS
        if field.kind not in ("int", "long", "byte") and field.shape and field in DATA_ROWS and not newer:
            mine, expected = np.isnan(getattr(d, name)), np.isnan(np.asarray(getattr(theirs, name), float))
            assert np.array_equal(mine, expected), name


def test_keyframes(m: Any, d: Any, official: Any) -> None:
    theirs = mujoco.MjData(official)
    mujoco.mj_resetDataKeyframe(official, theirs, 0)
    conjoint.mj_resetDataKeyframe(m, d, 0)
    assert d.time == theirs.time == 1.0
    for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat"):
        assert np.array_equal(getattr(d, name), getattr(theirs, name)), name
    d.qpos[2] = 0.75
    conjoint.mj_setKeyframe(m, d, 0)
    assert m.key_qpos[0, 2] == 0.75
    conjoint.mj_resetDataKeyframe(m, d, 9)
    assert same_world(d, conjoint.MjData(m))
    for key in (-1, 1):
        with pytest.raises(conjoint.FatalError, match="mj_setKeyframe"):
            conjoint.mj_setKeyframe(m, d, key)


def test_state_vectors_match(m: Any, official: Any) -> None:
    theirs = mujoco.MjData(official)
    rng = np.random.default_rng(1)
    for name in ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "userdata", "mocap_pos"):
        getattr(theirs, name)[:] = rng.standard_normal(getattr(theirs, name).shape)
    theirs.time, theirs.eq_active[0] = 0.5, 0
    d = adopt_state(m, official, theirs)
    for spec in (*(1 << i for i in range(13)), *(s for s in map(int, conjoint.mjtState) if s < 1 << 13)):
        size = mujoco.mj_stateSize(official, spec)
        assert conjoint.mj_stateSize(m, spec) == size
        mine, expected = np.zeros(size), np.zeros(size)
        conjoint.mj_getState(m, d, mine, spec)
        mujoco.mj_getState(official, theirs, expected, spec)
        assert np.array_equal(mine, expected), spec


def test_state_functions_refuse_nonsense(m: Any, d: Any) -> None:
    with pytest.raises(conjoint.FatalError, match="2\\^mjNSTATE"):
        conjoint.mj_stateSize(m, 1 << 20)
    for bad in (np.zeros(3), np.zeros(m.nq, np.float32), [0.0] * m.nq):
        with pytest.raises(TypeError, match=r"mj_getState|^state size should equal mj_stateSize\(m, spec\)$"):
            conjoint.mj_getState(m, d, bad, conjoint.mjtState.mjSTATE_QPOS)


def test_copying_data_into_another_world(m: Any, d: Any) -> None:
    d.qpos[0] = 0.5
    add_contacts(d, 1)
    d.world.grow(ncon=500, nefc=3000)
    other = conjoint.MjData(m)
    conjoint.mj_copyData(other, m, d)
    assert same_world(other, d)
    small = adopt_model(mujoco.MjModel.from_xml_string("<mujoco/>"))
    with pytest.raises(conjoint.FatalError, match="other sizes"):
        conjoint.mj_resetData(small, d)


def test_printing_to_files(m: Any, d: Any, tmp_path: Any) -> None:
    conjoint.mj_printModel(m, str(tmp_path / "model.txt"))
    conjoint.mj_printData(m, d, str(tmp_path / "data.txt"))
    text = (tmp_path / "model.txt").read_text()
    # the file contains every field, and elements by name
    missing = [field.name for field in ARRAY_FIELDS if field.name.lower() not in text.lower()]
    assert all(not np.size(getattr(m, name)) or name == "names" for name in missing)
    for part in (f"\nBODY 1: {m.body(1).name}\n", "\n  body_mass  ", "\nVISUAL\n  global.", "\nOPTION\n  timestep "):
        assert part in text
    assert "\nQPOS\n" in (tmp_path / "data.txt").read_text()
    conjoint.mj_printFormattedModel(m, str(tmp_path / "model.txt"), "%.17g")
    assert f"  timestep            {m.opt.timestep:.17g}\n" in (tmp_path / "model.txt").read_text()
    conjoint.mj_printFormattedData(m, d, str(tmp_path / "data.txt"), "%.3e")
    with pytest.raises(conjoint.FatalError, match="cannot write"):
        conjoint.mj_printModel(m, str(tmp_path / "no" / "model.txt"))
    with pytest.raises(conjoint.FatalError, match="not a printf format"):
        conjoint.mj_printFormattedData(m, d, str(tmp_path / "data.txt"), "%s %s")


def test_attribute_access_runs_little(m: Any, d: Any) -> None:
    # views are created only once
    assert d.qpos.size and m.nv and not d.time
    # Baseline: the calls of the counted function and of the counter's exit
    nothing = calls(lambda: None)
    assert calls(lambda: d.qpos) == nothing
    assert calls(lambda: m.nv) == nothing
    assert calls(lambda: d.time) <= nothing + 2


def test_a_world_is_small(d: Any) -> None:
    assert d.world.data.layout.nbytes + d.world.arena.layout.nbytes < 1_000_000


def test_public_names_are_listed() -> None:
    assert {"MjModel", "MjData", "mjtGeom", "mj_resetData", "FatalError", "mjNREF"} <= set(dir(conjoint))
    with pytest.raises(AttributeError, match="mj_unknown"):
        conjoint.mj_unknown  # noqa: B018
    assert "conjoint" in sys.modules


def test_one_element_is_bound_by_either_name() -> None:
    """`bind_scalar` is MuJoCo's second name for `bind` with a single element."""
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_body(name="ball", mass=2, inertia=[1, 1, 1])
    model = spec.compile()
    data = conjoint.MjData(model)
    assert model.bind_scalar(body).mass == 2
    assert data.bind_scalar(body).xpos is data.bind(body).xpos


@pytest.mark.plain
def test_objects_list_only_what_users_may_ask_for() -> None:
    """`dir` does not list internal attributes, because they are not part of the interface."""
    model = conjoint.MjModel.from_xml_string(XML)
    spec = conjoint.MjSpec.from_string(XML)
    inside = (
        (model, "memory name_table plans sizes spec"),
        (conjoint.MjData(model), "followed sizes world"),
        (model.opt, "memory"),
        (conjoint.MjvScene(model, 10), "memory view"),
        (spec, "attached handles lent named_handles spec"),
        (spec.worldbody, "element handles kind spec values"),
    )
    for one, names in inside:
        assert not set(names.split()) & {*dir(one), *dir(type(one))}, type(one)
    with pytest.raises(AttributeError, match="handles"):
        spec.handles = {}
