"""Scenes with many static geoms have the contacts and ray hits of an all-pairs test."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from conjoint.batch import Batch
from conjoint.runtime import box_trees

pytestmark = pytest.mark.usefixtures("edition")

KINDS = (
    'type="box" size=".2 .12 .08"',
    'type="sphere" size=".15"',
    'type="capsule" size=".06 .2"',
    'type="cylinder" size=".1 .1"',
    'type="ellipsoid" size=".2 .1 .1"',
    'type="mesh" mesh="wedge"',
    'type="hfield" hfield="hill"',
)
ODD = ("", 'margin=".02" group="2"', 'contype="2"', 'contype="0" conaffinity="0"', 'rgba="1 1 1 0"')


def scene(static: int = 70, moving: int = 6, flag: str = "", seed: int = 0) -> str:
    """Return a model of free bodies, each with a jointed child, among static geoms.

    The static geoms belong to the world, to bodies that are fixed to it, and to mocap bodies.
    """
    generator = np.random.default_rng(seed)

    def places(count: int, high: float = 0.5) -> list[str]:
        numbers = np.column_stack(
            [generator.uniform((-1, -1, 0), (1, 1, high), (count, 3)), generator.uniform(-90, 90, (count, 3))]
        )
        return ['pos="{:.3f} {:.3f} {:.3f}" euler="{:.1f} {:.1f} {:.1f}"'.format(*row) for row in numbers]

    stones = "".join(f"<geom {KINDS[i % 7]} {ODD[i % 5]} {place}/>" for i, place in enumerate(places(static)))
    fixed = "".join(
        f'<body {place}><body pos=".1 0 0" euler="20 0 0"><geom {KINDS[i % 6]}/></body></body>'
        for i, place in enumerate(places(6))
    )
    led = "".join(
        f'<body mocap="true" {place}><geom {KINDS[i]}/><body pos="0 .2 0"><geom {KINDS[i + 1]}/></body></body>'
        for i, place in enumerate(places(2))
    )
    free = "".join(
        f'<body name="b{i}" {place}><freejoint/><geom name="g{i}" {KINDS[i % 6]} contype="3" conaffinity="3"/>'
        f'<body pos=".2 0 0"><joint axis="0 1 0"/><geom {KINDS[(i + 1) % 6]}/></body></body>'
        for i, place in enumerate(places(moving, 0.8))
    )
    return f"""<mujoco><option><flag {flag}/></option><asset><mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3 .2 .2 .2"/>
    <hfield name="hill" nrow="3" ncol="3" size=".2 .2 .1 .05" elevation="0 1 0 1 3 1 0 1 0"/></asset>
    <worldbody><geom type="plane" size="9 9 1" pos="0 0 -.2"/>{stones}{fixed}{led}{free}</worldbody>
    <contact><exclude body1="world" body2="b1"/><pair geom1="g0" geom2="g3" margin=".3"/></contact></mujoco>"""


def both(xml: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return a model compiled with a static tree, and the same model without."""
    with_tree = conjoint.MjModel.from_xml_string(xml)
    assert int(with_tree.plans.current.view("nmover")) > 0
    with monkeypatch.context() as patch:
        patch.setattr(box_trees, "LEAST_STATIC", 10**9)
        without = conjoint.MjModel.from_xml_string(xml)
        assert int(without.plans.current.view("nstatic")) == 0
    return with_tree, without


def assert_equal(d: Any, e: Any) -> None:
    """Check that the contacts and accelerations of two data are bit-identical, in the same order."""
    assert d.ncon == e.ncon
    np.testing.assert_array_equal(d.contact.geom, e.contact.geom)
    np.testing.assert_array_equal(d.contact.dist, e.contact.dist)
    np.testing.assert_array_equal(d.qacc, e.qacc)


@pytest.mark.parametrize("flag", ["", 'midphase="disable"', 'override="enable"'])
def test_contacts_are_those_of_all_pairs(flag: str, edition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree finds the contacts of an all-pairs test (for edition 3.3.5, those of MuJoCo), even if mocap bodies move."""
    xml = scene(flag=flag)
    m, n = both(xml, monkeypatch)
    official_model = mujoco.MjModel.from_xml_string(xml)
    d, e, official = conjoint.MjData(m), conjoint.MjData(n), mujoco.MjData(official_model)
    seen = 0
    for step in range(12):
        if step % 4 == 3:
            d.mocap_pos[:] = e.mocap_pos[:] = d.mocap_pos + 0.1
        conjoint.mj_step(m, d)
        conjoint.mj_step(n, e)
        official.qpos[:], official.qvel[:], official.mocap_pos[:] = d.qpos, d.qvel, d.mocap_pos
        conjoint.mj_forward(m, d)
        conjoint.mj_forward(n, e)
        mujoco.mj_forward(official_model, official)
        assert_equal(d, e)
        if edition == "3.3.5":
            np.testing.assert_array_equal(d.contact.geom, official.contact.geom)
        seen += d.ncon
    assert seen > 200


EDITS = {
    "geom_pos": lambda m: m.geom_pos.__setitem__(slice(1, 40), m.geom_pos[1:40] + 0.3),
    "geom_quat": lambda m: m.geom_quat.__setitem__(slice(1, 40), np.roll(m.geom_quat[1:40], 1, 0)),
    "geom_size": lambda m: m.geom_size.__setitem__(slice(1, 40), 1.5 * m.geom_size[1:40]),
    "geom_margin": lambda m: m.geom_margin.__setitem__(slice(1, 40), 0.1),
    "geom_rbound": lambda m: m.geom_rbound.__setitem__(slice(1, 40), 0.4 * m.geom_rbound[1:40]),
    "body_pos": lambda m: m.body_pos.__setitem__(slice(1, 9), m.body_pos[1:9] + 0.2),
    "geom_contype": lambda m: (
        m.geom_contype.__setitem__(slice(1, 40), 0),
        m.geom_conaffinity.__setitem__(slice(1, 40), 0),
    ),
    "opt.o_margin": lambda m: (
        setattr(m.opt, "o_margin", 0.1),
        setattr(m.opt, "enableflags", int(conjoint.mjtEnableBit.mjENBL_OVERRIDE)),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_edited_models_are_followed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edits of static geoms between steps take effect, even if the same array is edited again."""
    m, n = both(scene(), monkeypatch)
    d, e = conjoint.MjData(m), conjoint.MjData(n)
    conjoint.mj_forward(m, d)
    conjoint.mj_forward(n, e)
    before = d.contact.geom.tolist(), d.contact.dist.tolist()
    for _ in range(2):
        with monkeypatch.context() as patch:
            EDITS[name](m)
            patch.setattr(box_trees, "LEAST_STATIC", 10**9)
            EDITS[name](n)
            conjoint.mj_forward(n, e)
        conjoint.mj_forward(m, d)
        assert_equal(d, e)
        assert before != (d.contact.geom.tolist(), d.contact.dist.tolist())
        np.testing.assert_array_equal(d.geom_xpos, e.geom_xpos)


@pytest.mark.parametrize("number", range(4))
def test_turns_that_differ_in_one_number_are_followed(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A static geom's rotation is updated even if only the sign of one number changes."""
    m, n = both(scene(), monkeypatch)
    d, e = conjoint.MjData(m), conjoint.MjData(n)
    found = []
    for sign in (1.0, -1.0):
        for model, world in ((m, d), (n, e)):
            model.geom_quat[1:] = 0.5
            model.geom_quat[1:40, number] *= sign
            with monkeypatch.context() as patch:
                if model is n:
                    patch.setattr(box_trees, "LEAST_STATIC", 10**9)
                conjoint.mj_forward(model, world)
        assert_equal(d, e)
        found.append(d.contact.dist.tolist())
    assert found[0] != found[1]


def test_poses_that_a_program_overwrites_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    m, n = both(scene(), monkeypatch)
    d, e = conjoint.MjData(m), conjoint.MjData(n)
    for _ in range(2):
        conjoint.mj_step(m, d)
        conjoint.mj_step(n, e)
        # copied data keep the arrays that programs refer to
        conjoint.mj_copyData(d, m, copy.copy(d))
        d.geom_xpos[:] = 7
        d.geom_xmat[:] = np.eye(3).ravel()
        assert conjoint.mj_ray(m, d, [7, 7, 9], [0, 0, -1], None, 1, -1, None) >= 0
        conjoint.mj_forward(m, d)
        conjoint.mj_forward(n, e)
        np.testing.assert_array_equal(d.geom_xpos, e.geom_xpos)
        np.testing.assert_array_equal(d.geom_xmat, e.geom_xmat)
        assert_equal(d, e)


def test_resets_and_copies_keep_geoms_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a reset or a copy of the data, the poses of static geoms are computed again."""
    m, n = both(scene(), monkeypatch)
    d, e, other = conjoint.MjData(m), conjoint.MjData(n), conjoint.MjData(m)
    for reset in (conjoint.mj_resetData, lambda m, d: conjoint.mj_resetDataDebug(m, d, 7)):
        conjoint.mj_step(m, d)
        reset(m, d)
        reset(n, e)
        conjoint.mj_forward(m, d)
        conjoint.mj_forward(n, e)
        assert_equal(d, e)
        conjoint.mj_copyData(other, m, d)
        conjoint.mj_forward(m, other)
        assert_equal(other, e)


@pytest.mark.parametrize("static", [0, 1])
@pytest.mark.parametrize("body", [-1, 0, 3])
@pytest.mark.parametrize("cutoff", [0.5, 1e10])
def test_rays_meet_what_they_meet_one_by_one(
    static: int, body: int, cutoff: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    m, n = both(scene(), monkeypatch)
    d, e = conjoint.MjData(m), conjoint.MjData(n)
    conjoint.mj_forward(m, d)
    conjoint.mj_forward(n, e)
    generator = np.random.default_rng(0)
    group = np.array([1, 1, body >= 0, 1, 1, 1], np.uint8)
    ids, same = np.zeros(60, np.int32), np.zeros(60, np.int32)
    far, equal = np.zeros(60), np.zeros(60)
    met = set()
    for k in range(6):
        start = generator.uniform((-1.2, -1.2, -0.1), (1.2, 1.2, 0.8))
        ways = generator.standard_normal((60, 3))
        # some rays are parallel to the axes
        ways[::4] *= np.eye(3)[k % 3]
        conjoint.mj_multiRay(m, d, start, ways.ravel(), group, static, body, ids, far, 60, cutoff)
        conjoint.mj_multiRay(n, e, start, ways.ravel(), group, static, body, same, equal, 60, cutoff)
        np.testing.assert_array_equal(ids, same)
        np.testing.assert_array_equal(far, equal)
        met |= {*ids.tolist()}
        one = np.zeros(1, np.int32)
        if cutoff > 1:
            for way, g, x in zip(ways, ids, far, strict=True):
                assert conjoint.mj_ray(m, d, start, way, group, static, body, one) == x
                assert one[0] == g
    assert len(met) > (10 if static else 2)


@pytest.mark.plain
def test_of_geoms_at_the_same_place_rays_meet_the_first() -> None:
    stones = "".join(f'<geom size=".1" pos="{i % 6} 0 0"/>' for i in range(60))
    m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{stones}</worldbody></mujoco>")
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    found = np.zeros(1, np.int32)
    for i in range(6):
        assert conjoint.mj_ray(m, d, [i, 0, 1], [0, 0, -2], None, 1, -1, found) == pytest.approx(0.45)
        assert found[0] == i


@pytest.mark.parametrize("vary", [(), ("geom_pos",), ("geom_margin",)])
def test_worlds_of_a_batch_have_the_contacts_of_single_worlds(vary: tuple[str, ...]) -> None:
    """A batch finds the contacts of single worlds, even if its static geoms have different positions."""
    m = conjoint.MjModel.from_xml_string(scene(static=180))
    batch = Batch(m, 5, nthread=1, vary=vary)
    generator = np.random.default_rng(0)
    batch.qpos[:] += generator.uniform(-0.02, 0.02, batch.qpos.shape)
    for name in vary:
        getattr(batch, name)[:] += generator.uniform(0, 0.02, getattr(batch, name).shape)
    batch.forward()
    for k in range(5):
        own = copy.copy(m)
        for name in vary:
            getattr(own, name)[:] = getattr(batch, name)[k]
        d = conjoint.MjData(own)
        d.qpos[:] = batch.qpos[k]
        conjoint.mj_forward(own, d)
        assert batch.ncon.reshape(-1)[k] == d.ncon > 5
        np.testing.assert_allclose(batch.qacc[k], d.qacc, rtol=1e-5, atol=1e-5)


def test_what_is_fixed_to_motion_capture_is_not_in_the_tree() -> None:
    m = conjoint.MjModel.from_xml_string(scene())
    still = set(np.asarray(m.plans.current.view("static_geom")).tolist())
    moved = {g for g in range(m.ngeom) if m.body_mocapid[m.geom_bodyid[g]] >= 0}
    moved |= {g for g in range(m.ngeom) if m.body_mocapid[m.body_parentid[m.geom_bodyid[g]]] >= 0}
    assert len(moved) == 4
    assert not moved & still
    assert still == {g for g in range(m.ngeom) if m.body_weldid[m.geom_bodyid[g]] == 0} - moved


def test_adopted_models_have_a_tree() -> None:
    """Models built from MuJoCo's values also have a static tree."""
    m = adopt_model(mujoco.MjModel.from_xml_string(scene()))
    assert int(m.plans.current.view("nmover")) > 0
