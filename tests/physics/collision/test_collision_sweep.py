"""In large scenes, a sweep finds the pairs that MuJoCo finds, in MuJoCo's order."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from collision_scenes import adopted, compare_along, compare_here, scene
from conjoint.batch import Batch
from conjoint.lang import FatalError
from conjoint.runtime import pair_kernels, pairs
from conjoint.runtime.pair_kernels import unsupported_pairs

SHAPES = ('type="sphere" size=".06"', 'type="capsule" size=".05 .08" euler="40 0 20" margin=".02" gap=".01"')


def crowd(count: int, flag: str = "", seed: int = 0) -> str:
    """Return a model of free bodies with a few geoms each, above a floor and among fixed geoms.

    Each body has a child with a joint, which in turn has a child without a joint.
    """
    generator = np.random.default_rng(seed)
    places = generator.uniform(-1, 1, (count, 3)) * [1.0, 0.6, 0.4]
    bodies = [
        f'<body name="b{i}" pos="{x} {y} {z}"><freejoint/><geom name="g{i}" {SHAPES[i % 2]}/><geom {SHAPES[1 - i % 2]} pos=".05 0 0"/>'
        f'<body name="c{i}" pos="0 .1 0"><joint axis="1 0 0"/><geom {SHAPES[0]}/><body pos="0 .05 0"><geom {SHAPES[1]}/></body></body></body>'
        for i, (x, y, z) in enumerate(places)
    ]  # fmt: skip
    fixed = [
        f'<geom {SHAPES[i % 2]} pos="{x} {y} {z}"/>'
        for i, (x, y, z) in enumerate(generator.uniform(-1, 1, (count, 3)) * [1.0, 0.6, 0.4])
    ]
    return f"""
    <mujoco><option><flag {flag}/></option><worldbody><geom type="plane" size="3 3 .1" pos="0 0 -.4"/>{"".join(fixed)}{"".join(bodies)}</worldbody>
    <contact><exclude body1="b0" body2="b1"/><exclude body1="c2" body2="b3"/><pair geom1="g0" geom2="g5" margin=".5"/>
    <pair geom1="g1" geom2="g2"/><pair geom1="g2" geom2="g1" condim="1"/></contact></mujoco>"""


@pytest.mark.parametrize("flag", ["", 'midphase="disable"', 'filterparent="disable"', 'override="enable"'])
def test_a_crowd_has_the_contacts_of_the_oracle(flag: str) -> None:
    official_model, official, m = adopted(crowd(40, flag))
    assert int(m.plans.current.view("npart_geom")) == 200
    contacts = 0
    for _ in range(3):
        mujoco.mj_forward(official_model, official)
        assert compare_here(m, official_model, official) == {}
        contacts += official.ncon
        mujoco.mj_step(official_model, official, 10)
    assert contacts > 200


@pytest.mark.parametrize("flag", ["", 'filterparent="disable"', 'contact="disable"'])
def test_swept_and_listed_pairs_are_the_same(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "LISTED_PER_GEOM", 0)
    contacts, _ = compare_along(scene(flag=flag), states=3, apart=30)
    assert (contacts == 0) == ("con" in flag)


def test_mid_phase_orders_the_contacts_of_two_bodies() -> None:
    geoms = f"<geom {SHAPES[0]}/><geom {SHAPES[1]}/><geom {SHAPES[0]} pos='.01 0 0'/>"
    body = "<body pos='0 0 {}'><freejoint/>{}</body>"
    for flag in ("enable", "disable"):
        xml = f'<mujoco><option><flag midphase="{flag}"/></option><worldbody>{body.format(0, geoms)}{body.format(0.02, geoms)}'
        official_model, official, m = adopted(xml + "</worldbody></mujoco>")
        assert compare_here(m, official_model, official) == {}
        assert official.ncon > 5


def test_bounds_are_not_lost_where_they_are_unbounded_or_bad() -> None:
    """A sphere without a bound is tested against all geoms; a world with NaN positions has no contacts and does not hang."""
    official_model = mujoco.MjModel.from_xml_string(crowd(40))
    m = adopt_model(official_model)
    m.geom_rbound[50] = 0
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    official = mujoco.MjData(official_model)
    mujoco.mj_forward(official_model, official)
    assert d.ncon == official.ncon
    d.qpos[:] = np.nan
    conjoint.mj_fwdPosition(m, d)
    assert d.ncon == 0


def test_a_sweep_does_not_depend_on_the_step_before() -> None:
    """The sweep is right after bodies are permuted at random, even if a different axis becomes the widest."""
    official_model, official, m = adopted(crowd(40))
    d = conjoint.MjData(m)
    generator = np.random.default_rng(0)
    for turn in range(4):
        places = official_model.qpos0.reshape(40, 8)[generator.permutation(40)].copy()
        places[:, :3] = np.roll(places[:, :3], turn, axis=1)
        official.qpos[:] = d.qpos[:] = places.ravel()
        mujoco.mj_forward(official_model, official)
        conjoint.mj_forward(m, d)
        assert d.ncon == official.ncon > 20
        assert np.array_equal(d.contact.geom, official.contact.geom)


@pytest.mark.usefixtures("edition")
def test_room_for_pairs_grows() -> None:
    bodies = "".join(f'<body pos="{0.001 * i} 0 1"><freejoint/><geom size=".5"/></body>' for i in range(100))
    official_model, official, m = adopted(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert int(m.plans.current.view("nsweep")) == 100
    d = adopt_state(m, official_model, official)
    conjoint.mj_kinematics(m, d)
    conjoint.mj_collision(m, d)
    assert d.ncon == 100 * 99 // 2


@pytest.mark.usefixtures("edition")
def test_worlds_of_a_batch_sweep_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "LISTED_PER_GEOM", 0)
    m = conjoint.MjModel.from_xml_string(crowd(12))
    batch = Batch(m, 3, nthread=1)
    generator = np.random.default_rng(0)
    batch.qpos[:] += generator.uniform(-0.02, 0.02, batch.qpos.shape)
    singles = []
    for qpos in np.array(batch.qpos):
        d = conjoint.MjData(m)
        d.qpos[:] = qpos
        conjoint.mj_forward(m, d)
        singles.append(d.ncon)
    batch.forward()
    assert batch.ncon[:, 0].tolist() == singles if batch.ncon.ndim > 1 else batch.ncon.tolist() == singles
    assert min(singles) > 10


def test_types_without_a_collision_function_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_kernels, "colliders", lambda *flags: {})
    monkeypatch.setattr(pair_kernels, "numbers_under", pair_kernels.numbers_under.__wrapped__)
    solid = '<body pos="{} 0 0"><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/><geom type="cylinder" size=".1 .2"/></body>'
    xml = f"<mujoco><worldbody>{''.join(solid.format(i) for i in range(60))}</worldbody></mujoco>"
    m = adopt_model(mujoco.MjModel.from_xml_string(xml))
    assert int(m.plans.current.view("npart_geom")) == 120
    assert [line.split(" are")[0] for line in unsupported_pairs(m.plans.current.arrays())] == [
        "ellipsoid with ellipsoid", "ellipsoid with cylinder", "cylinder with cylinder",
    ]  # fmt: skip
    with pytest.raises(FatalError, match="for example of geoms"):
        conjoint.mj_forward(m, conjoint.MjData(m))


@pytest.mark.usefixtures("edition")
def test_plans_of_large_scenes_are_small() -> None:
    """The precomputed plan of a large scene takes memory proportional to the number of bodies, not to its square."""
    bodies = "".join(f'<body pos="{i} 0 0"><freejoint/><geom size=".1"/></body>' for i in range(2000))
    m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert m.plans.current.rows.layout.nbytes < 200 * 2000 + m.plans.current.rows.view("planned").nbytes
