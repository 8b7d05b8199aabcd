"""Contacts agree with MuJoCo's, and satisfy laws that hold for any engine."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from collision_scenes import adopted, compare_along, compare_here, scene, two_geoms
from conjoint.batch import Batch
from conjoint.physics.collision.contact_candidates import contact_frame
from conjoint.runtime import pair_kernels
from conjoint.runtime.pair_kernels import unsupported_pairs
from conjoint.runtime.pairs import candidate_pairs

PLANE = 'type="plane" size="1 1 1"'
CAPSULE = 'type="capsule" size=".1 .5"'
CYLINDER = 'type="cylinder" size=".1 .5"'
TURNED = (0.7, 0.7, 0.1, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("flag", ["", 'filterparent="disable"', 'contact="disable"', 'constraint="disable"'])
def test_scene_of_all_shapes(flag: str) -> None:
    contacts, _ = compare_along(scene(flag=flag), states=4, apart=30)
    assert (contacts == 0) == ("con" in flag)


def test_override_rules_every_parameter() -> None:
    option = 'o_margin=".1" o_solref=".05 2" o_friction=".3 .4 .5 .6 .7" o_solimp=".8 .9 .1 .2 3"'
    contacts, _ = compare_along(scene(option, 'override="enable"'), states=2, apart=20)
    assert contacts > 0


@pytest.mark.parametrize(
    ("first", "second", "pos", "quat"),
    [
        pytest.param('type="sphere" size="1"', 'type="sphere" size=".5"', (0, 0, 0), UPRIGHT, id="concentric spheres"),
        pytest.param('type="sphere" size="1" euler="30 40 50"', 'type="sphere" size=".5"', (0, 0, 0), UPRIGHT, id="turned"),
        pytest.param(CAPSULE, CAPSULE, (0, 0.1, 0.1), UPRIGHT, id="parallel capsules"),
        pytest.param(CAPSULE, CAPSULE, (0, 0, 0), UPRIGHT, id="coincident capsules"),
        pytest.param(CAPSULE, CAPSULE, (0, 0, 1.15), UPRIGHT, id="capsules end to end"),
        pytest.param(CAPSULE, CAPSULE, (0, 0.05, -1.1), UPRIGHT, id="capsules end to end, upside down"),
        pytest.param(CAPSULE, CAPSULE, (0, 0, 0.3), (1, 0, 0.5, 0), id="crossing capsules"),
        pytest.param(CAPSULE, 'type="sphere" size=".2"', (0, 0, 0.3), UPRIGHT, id="sphere on the axis"),
        pytest.param(PLANE, CAPSULE, (0, 0, 0.6), UPRIGHT, id="capsule that just touches"),
        pytest.param(PLANE, CAPSULE, (0, 0, 0.1), TURNED, id="lying capsule"),
        pytest.param(PLANE, CYLINDER, (0, 0, 0.5), UPRIGHT, id="standing cylinder"),
        pytest.param(PLANE, CYLINDER, (0, 0, 0.1), TURNED, id="lying cylinder"),
        pytest.param(PLANE, 'type="ellipsoid" size=".1 .5 .3"', (0, 0, 0.1), TURNED, id="ellipsoid"),
        pytest.param(PLANE, 'type="box" size=".1 .5 .3"', (0, 0, 0.3), UPRIGHT, id="box that just touches"),
        pytest.param(PLANE, 'type="box" size=".1 .5 .3"', (0, 0, -0.1), TURNED, id="box in the ground"),
    ],
)  # fmt: skip
def test_degenerate_pairs(first: str, second: str, pos: tuple[float, ...], quat: tuple[float, ...]) -> None:
    official_model, official, m = adopted(two_geoms(first, second))
    official.qpos[:3] = pos
    official.qpos[3:7] = np.asarray(quat) / np.linalg.norm(quat)
    assert compare_here(m, official_model, official) == {}
    assert official.ncon > 0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solid", [CYLINDER, 'type="box" size=".1 .5 .3"'])
@pytest.mark.parametrize("pos", [(0, 0, 0), (0, 0, 0.2), (0.05, 0, 0), (0.1, 0, 0.2), (0, 0, 0.5)])
@pytest.mark.parametrize("euler", ["20 0 0", "0 0 0"])
def test_sphere_at_special_points_of_a_solid(solid: str, pos: tuple[float, ...], euler: str) -> None:
    official_model, official, m = adopted(two_geoms(f'type="sphere" size=".2" euler="{euler}"', solid))
    official.qpos[:3] = pos
    assert compare_here(m, official_model, official) == {}
    assert official.ncon == 1


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solid", [CYLINDER, 'type="box" size=".1 .5 .3"'])
def test_sphere_anywhere_about_a_solid(solid: str) -> None:
    official_model, official, m = adopted(two_geoms('type="sphere" size=".2"', solid))
    generator = np.random.default_rng(0)
    contacts = 0
    for _ in range(40):
        official.qpos[:] = [*generator.uniform(-0.4, 0.4, 3), *generator.standard_normal(4)]
        assert compare_here(m, official_model, official) == {}
        contacts += official.ncon
    assert contacts > 10


@pytest.mark.usefixtures("edition")
def test_a_hundred_overlapping_spheres_lose_no_contact() -> None:
    """All 4950 contacts are found, although their number far exceeds the initial capacity."""
    body = '<body pos="{x} 0 1"><freejoint/><geom size=".5"/></body>'
    bodies = "".join(body.format(x=0.001 * i) for i in range(100))
    official_model, official, m = adopted(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    mujoco.mj_kinematics(official_model, official)
    d = adopt_state(m, official_model, official)
    conjoint.mj_kinematics(m, d)
    conjoint.mj_collision(m, d)
    assert d.ncon == 100 * 99 // 2
    mujoco.mj_fwdPosition(official_model, official)
    assert np.array_equal(np.sort(np.asarray(d.contact.geom), axis=0), np.sort(official.contact.geom, axis=0))


@pytest.mark.usefixtures("edition")
def test_nconmax_leaves_out_contacts_and_warns() -> None:
    xml = two_geoms(PLANE, 'type="box" size=".1 .1 .1"').replace("<worldbody>", '<size nconmax="2"/><worldbody>')
    official_model, official, m = adopted(xml)
    assert m.nconmax == official_model.nconmax == 2
    d = adopt_state(m, official_model, official)
    conjoint.mj_kinematics(m, d)
    conjoint.mj_collision(m, d)
    assert d.ncon == 2
    assert d.warning[conjoint.mjtWarning.mjWARN_CONTACTFULL].number > 0


@pytest.mark.usefixtures("edition")
@pytest.mark.filterwarnings("error")
def test_a_limit_of_no_contacts_is_no_reason_to_warn() -> None:
    """A contact limit of zero causes no warning, as in MuJoCo, because dm_control sets it and treats warnings as errors."""
    xml = two_geoms(PLANE, 'type="box" size=".1 .1 .1"').replace("<worldbody>", '<size nconmax="0"/><worldbody>')
    m = conjoint.MjModel.from_xml_string(xml)
    d, batch = conjoint.MjData(m), Batch(m, 8)
    conjoint.mj_step(m, d)
    batch.step(1)
    assert d.ncon == 0 and not batch.ncon.any()
    assert d.warning[conjoint.mjtWarning.mjWARN_CONTACTFULL].number == 0


def test_candidates_leave_out_what_can_never_touch() -> None:
    official_model = mujoco.MjModel.from_xml_string(scene())
    plan = candidate_pairs(official_model)
    bodies = official_model.geom_bodyid[np.stack([plan["candidate_geom1"], plan["candidate_geom2"]])]
    welds = official_model.body_weldid[bodies]
    assert np.all(welds[0] != welds[1])
    excluded = (np.minimum(*bodies) << 16) + np.maximum(*bodies)
    dynamic = plan["candidate_pair"] < 0
    assert not np.isin(excluded[dynamic], official_model.exclude_signature).any()
    assert len(set(plan["candidate_pair"][~dynamic])) == official_model.npair


def test_pairs_without_a_collision_function_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_kernels, "colliders", lambda *flags: {})
    monkeypatch.setattr(pair_kernels, "numbers_under", pair_kernels.numbers_under.__wrapped__)
    model = mujoco.MjModel.from_xml_string(two_geoms(CYLINDER, 'type="ellipsoid" size=".1 .2 .3"'))
    (line,) = unsupported_pairs(adopt_model(model).plans.current.arrays())
    assert "ellipsoid with cylinder" in line


def test_contact_frame_is_right_handed_unless_its_tangent_is_parallel() -> None:
    generator = np.random.default_rng(0)
    for normal in generator.standard_normal((100, 3)):
        normal /= np.linalg.norm(normal)
        R = np.reshape(contact_frame(list(normal), [0.0, 0.0, 0.0]).parts, (3, 3))
        assert np.allclose(R @ R.T, np.eye(3), atol=1e-14)
        assert np.isclose(np.linalg.det(R), 1.0)


def test_bounds_never_hide_a_contact() -> None:
    """The bounding-volume test never rejects a pair for which MuJoCo finds a contact."""
    official_model, official, m = adopted(scene(seed=3))
    for _ in range(5):
        mujoco.mj_step(official_model, official, 40)
        mujoco.mj_forward(official_model, official)
        d = adopt_state(m, official_model, official)
        conjoint.mj_fwdPosition(m, d)
        assert d.ncon == official.ncon


GEOMS = ('type="sphere" size=".05"', 'type="capsule" size=".03 .08"', 'type="box" size=".03 .05 .08"')


@pytest.mark.parametrize("change", ["", "override", "without mid phase"])
def test_bodies_of_several_geoms_meet_wherever_their_geoms_do(change: str) -> None:
    """Geom pairs of two bodies are only tested if the bodies are near each other, and no contact is lost."""
    generator = np.random.default_rng(5)

    def body(pos: str) -> str:
        placed = "".join(
            f'<geom {kind} pos="{x:.3f} {y:.3f} {z:.3f}" margin="{margin}"/>'
            for kind, margin, (x, y, z) in zip(
                GEOMS, (0, 0.1, 0), generator.uniform(-0.3, 0.3, (len(GEOMS), 3)), strict=True
            )
        )
        return f'<body pos="{pos}"><freejoint/>{placed}</body>'

    flags = '<flag override="enable"/>' if change == "override" else ""
    flags += '<flag midphase="disable"/>' if change == "without mid phase" else ""
    official_model, official, m = adopted(f"""<mujoco><option o_margin=".15">{flags}</option>
      <worldbody><geom type="plane" size="5 5 1" pos="0 0 -.4"/>{body("0 0 0")}{body("1 0 0")}</worldbody></mujoco>""")
    runs = m.plans.current.view("run_body1")
    assert list(runs[runs >= 0]) == [1]
    met = []
    for _ in range(150):
        official.qpos[7:10] = generator.uniform(-0.5, 0.5, 3)
        official.qpos[3:7], official.qpos[10:14] = generator.standard_normal((2, 4))
        mujoco.mj_forward(official_model, official)
        d = adopt_state(m, official_model, official)
        conjoint.mj_fwdPosition(m, d)
        np.testing.assert_array_equal(d.contact.geom, official.contact.geom)
        met.append(bool(np.any(np.min(d.contact.geom, axis=1, initial=9) > 0)))
    assert 15 < sum(met) < 140


@pytest.mark.plain
@pytest.mark.parametrize("change", ["", "override", "unbounded"])
def test_bodies_of_several_geoms_meet_end_to_end(change: str, edition: str) -> None:
    """Multi-geom bodies touch end to end despite tight bounds; a geom whose rbound is 0 counts as unbounded."""
    bar = "".join(f'<geom size=".05" pos="{x} 0 0" margin=".02"/>' for x in (-0.3, 0, 0.3))
    # in edition 4.0, the margins of two geoms are added
    margin = 0.07 if change == "override" else 0.02 if edition == "3.3.5" else 0.04
    m = conjoint.MjModel.from_xml_string(f"""<mujoco>
      <option o_margin=".07"><flag override="{"enable" if change == "override" else "disable"}"/></option><worldbody>
      <body>{bar}<freejoint/></body><body>{bar}<freejoint/></body></worldbody></mujoco>""")
    assert np.all(m.plans.current.view("run_body1") == 1)
    if change == "unbounded":
        # the geom is larger than its old bound
        m.geom_size[2, 0], m.geom_rbound[2] = 0.15, 0.0
        margin += 0.1
    d = conjoint.MjData(m)
    for gap, count in ((-1e-6, 1), (1e-6, 0)):
        d.qpos[7] = 0.7 + margin + gap
        conjoint.mj_forward(m, d)
        assert d.ncon == count
