"""Bounding boxes of bodies with several geoms follow changes in the model and data, in one world and in lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from collision_scenes import compare_here
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.runtime import pairs

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="many geoms: compiled only")

SHAPES = (
    'type="box" size=".02 .01 .015"', 'type="capsule" size=".01 .02"', 'type="cylinder" size=".015 .02"', 'size=".02"'
)  # fmt: skip

PLANES = """<geom type="plane" size="3 3 .1"/><geom type="plane" size="3 3 .1" pos="0 0 .05" euler="20 10 0" margin=".01"/>
    <body mocap="true" pos="0 -.2 0" euler="-70 0 0"><geom type="plane" size="1 1 .1"/></body>"""


def brushes(flag: str = "", fixed: int = 0) -> str:
    """Return a model of three free bodies with 83 geoms each, above planes and among `fixed` geoms of the world.

    Thirteen of each body's geoms belong to a child, which is welded to two of the bodies and has a joint in the third.
    """
    rng = np.random.default_rng(3)

    def geoms(count: int) -> str:
        return "".join(
            f'<geom {SHAPES[k % 4]} pos="{x:.4f} {y:.4f} {z:.4f}" euler="{a:.0f} {b:.0f} 0"/>'
            for k, (x, y, z, a, b) in enumerate(rng.uniform(-1, 1, (count, 5)) * [0.2, 0.1, 0.1, 90, 90])
        )

    child = '<body pos=".1 .2 0" euler="0 0 40">{}{}</body>'
    bodies = "".join(
        f'<body pos="{0.3 * k} 0 {0.1 * k + 0.2}" euler="{30 * k} 0 20"><freejoint/>{geoms(70)}{child.format(joint, geoms(13))}</body>'
        for k, joint in enumerate(("", '<joint axis="1 0 0"/>', ""))
    )
    return f"""<mujoco><option><flag {flag}/></option><worldbody>{PLANES}{geoms(fixed)}{bodies}
    </worldbody></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("flag", "fixed"),
    [
        ("", 0),
        ("", 20),
        ("", 100),
        ('midphase="disable"', 20),
        ('filterparent="disable"', 0),
        ('override="enable"', 100),
    ],
)
def test_bodies_of_many_geoms_have_the_contacts_of_listed_pairs(
    flag: str, fixed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = conjoint.MjModel.from_xml_string(brushes(flag, fixed))
    m.opt.o_margin = 0.03
    assert int(m.plans.current.view("nsweep")) > 0
    with monkeypatch.context() as patch:
        patch.setattr(pairs, "LISTED_PER_GEOM", 10**6)
        listed = conjoint.MjModel.from_xml_string(brushes(flag, fixed))
        listed.opt.o_margin = 0.03
        assert int(listed.plans.current.view("nsweep")) == 0
    d, other = conjoint.MjData(m), conjoint.MjData(listed)
    batch, listed_batch = Batch(m, 5, nthread=1), Batch(listed, 5, nthread=1)
    rng, contacts = np.random.default_rng(0), 0
    for _ in range(3):
        states = np.tile(m.qpos0, (5, 1))
        for state in states:
            conjoint.mj_integratePos(m, state, 0.3 * rng.normal(size=m.nv), 1.0)
        for worlds in (batch, listed_batch):
            worlds.qpos[:] = states
            worlds.forward()
        for k, state in enumerate(states):
            d.qpos[:] = other.qpos[:] = state
            conjoint.mj_forward(m, d)
            conjoint.mj_forward(listed, other)
            contacts += d.ncon
            for found, expected in ((d.contact, other.contact), (batch.contact(k), listed_batch.contact(k))):
                assert np.array_equal(found.geom, expected.geom)
                np.testing.assert_allclose(found.dist, expected.dist, atol=1e-9)
    assert contacts > 100


def test_bodies_of_many_geoms_have_the_contacts_of_the_oracle() -> None:
    official_model = mujoco.MjModel.from_xml_string(brushes(fixed=20))
    official = mujoco.MjData(official_model)
    m = adopt_model(official_model)
    contacts = 0
    for _ in range(3):
        mujoco.mj_forward(official_model, official)
        assert compare_here(m, official_model, official) == {}
        contacts += official.ncon
        mujoco.mj_step(official_model, official, 20)
    assert contacts > 30


def grow(m: Any) -> None:
    """Enlarge all geoms along their first axes."""
    m.geom_size[3:, 0] *= 1.5
    m.geom_aabb[3:, 3] *= 1.5
    m.geom_rbound[3:] *= 1.5


def shift(m: Any) -> None:
    """Translate geoms in their bodies."""
    m.geom_pos[3:] += 0.05


def turn(m: Any) -> None:
    """Rotate a body that is welded to another body."""
    m.body_pos[3] = [0.28, -0.1, 0.1]
    m.body_quat[3] = [0, 1, 0, 0]


@pytest.mark.parametrize("change", [grow, shift, turn])
@pytest.mark.parametrize("fixed", [0, 100])
def test_boxes_follow_the_model(change: Callable[[Any], None], fixed: int) -> None:
    """Contacts after an edit of the model equal those of new data of the edited model."""
    m = conjoint.MjModel.from_xml_string(brushes(fixed=fixed))
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    before = d.contact.geom.copy()
    change(m)
    fresh = conjoint.MjData(m)
    for data in (d, fresh):
        conjoint.mj_forward(m, data)
    assert np.array_equal(d.contact.geom, fresh.contact.geom)
    assert not np.array_equal(d.contact.geom, before)


def test_boxes_follow_rows_that_vary_between_worlds() -> None:
    m = conjoint.MjModel.from_xml_string(brushes())
    batch = Batch(m, 3, nthread=1, vary=["geom_pos"])
    for turn in range(2):
        expected = []
        for k in range(3):
            batch.geom_pos[k] = m.geom_pos + 0.04 * (k + turn) * np.sin(np.arange(m.ngeom))[:, None]
            one = conjoint.MjModel.from_xml_string(brushes())
            one.geom_pos[:] = batch.geom_pos[k]
            d = conjoint.MjData(one)
            conjoint.mj_forward(one, d)
            expected.append(d.ncon)
        batch.forward()
        assert batch.ncon.tolist() == expected
        assert len(set(expected)) > 1


def test_bad_positions_leave_no_bad_boxes() -> None:
    """NaN positions do not corrupt the contacts of later steps."""
    m = conjoint.MjModel.from_xml_string(brushes())
    d, batch = conjoint.MjData(m), Batch(m, 3, nthread=1)
    conjoint.mj_forward(m, d)
    expected = d.ncon
    bad = conjoint.MjData(m)
    bad.qpos[:] = np.nan
    conjoint.mj_fwdPosition(m, bad)
    assert bad.ncon == 0
    bad.qpos[:] = m.qpos0
    conjoint.mj_fwdPosition(m, bad)
    batch.qpos[1] = np.nan
    batch.forward()
    batch.qpos[1] = m.qpos0
    batch.forward()
    assert bad.ncon == expected > 0
    assert batch.ncon.tolist() == [expected] * 3


def test_poses_that_a_program_writes_count() -> None:
    """Geom poses that a program writes between mj_kinematics and mj_collision take effect."""
    m = conjoint.MjModel.from_xml_string(brushes())
    d = conjoint.MjData(m)
    d.qpos[2::7][:3] += [0, 2, 4]
    conjoint.mj_forward(m, d)
    first = d.ncon
    body = np.array(m.geom_bodyid)
    d.geom_xpos[body == 2] += d.geom_xpos[body == 4].mean(axis=0) - d.geom_xpos[body == 2].mean(axis=0)
    conjoint.mj_collision(m, d)
    assert d.ncon > first + 5
