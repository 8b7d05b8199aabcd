"""Edits of the topology of a compiled model give MuJoCo's results or an error."""

import copy
import subprocess
import sys
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import FatalError
from conjoint.rollout import rollout
from waiting import PATIENCE

XML = """<mujoco><worldbody><site name="anchor" pos="0 .5 1"/>
<body name="a" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"/>
<site name="upper" pos=".2 .1 0"/><geom name="ball" size=".06" pos=".2 .3 0" contype="0" conaffinity="0"/>
<site name="side" pos=".2 .45 0"/><site name="side2" pos=".2 .3 .2"/>
<body name="b" pos=".4 0 0"><joint name="elbow" axis="0 0 1"/><joint name="twist" axis="1 0 0"/>
<geom name="reel" type="cylinder" size=".05 .2" pos=".1 .1 0" contype="0" conaffinity="0"/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="hand" pos=".3 0 .1"/></body></body>
<body name="s" pos="1 0 1"><joint name="slide" type="slide" axis="1 0 0"/><geom name="box" type="box" size=".1 .1 .1"/>
<site name="face" pos="0 0 .1"/></body>
<body name="m" mocap="true" pos="0 0 2"/><body name="n" mocap="true" pos="0 1 2"/></worldbody>
<contact><pair geom1="box" geom2="reel" margin="3"/></contact>
<equality><weld body1="s" body2="m"/></equality>
<tendon><spatial name="cord" stiffness="40" springlength=".1"><site site="anchor"/><geom geom="ball" sidesite="side"/>
<site site="upper"/></spatial>
<fixed name="sum" stiffness="3"><joint joint="elbow" coef="2"/><joint joint="slide" coef="1"/></fixed></tendon>
<actuator><motor joint="shoulder" gear="3"/><motor tendon="sum"/><motor site="hand" gear="1 2 3 .1 .2 .3"/>
<motor tendon="cord"/></actuator>
<sensor><framepos objtype="site" objname="hand"/><jointpos joint="elbow"/></sensor></mujoco>"""

EDITS = {
    "joint of an actuator": ("actuator_trnid", (0, 0), 3),
    "tendon of an actuator": ("actuator_trnid", (1, 0), 0),
    "site of an actuator": ("actuator_trnid", (2, 0), 1),
    "reference site of an actuator": ("actuator_trnid", (2, 1), 1),
    "an actuator of a joint in its parent": ("actuator_trntype", (0,), 1),
    "an actuator of a tendon acts on a joint": ("actuator_trntype", (1,), 0),
    "site of a path": ("wrap_objid", (2,), 4),
    "geom of a path": ("wrap_objid", (1,), 2),
    "joint of a sum": ("wrap_objid", (4,), 2),
    "side of a geom": ("wrap_prm", (1,), 3),
    "body of a site": ("site_bodyid", (1,), 2),
    "end of a path": ("tendon_num", (0,), 2),
    "target of a mocap weld": ("eq_obj2id", (0,), 5),
    "geom of an explicit pair": ("pair_geom2", (0,), 1),
    "site of a sensor": ("sensor_objid", (0,), 1),
    "type of a joint": ("jnt_type", (1,), 2),
}
"""Field, element index and new value of each edit."""


def _forces(package: Any, m: Any, d: Any) -> np.ndarray:
    d.qpos[:4], d.qvel[:], d.ctrl[:] = (0.1, 0.2, -0.3, 0.05), 0.1, 0.5
    package.mj_forward(m, d)
    parts = [d.qacc, d.qfrc_actuator, d.qfrc_passive, d.ten_length, d.actuator_length, d.sensordata, d.site_xpos]
    first = np.concatenate([np.array(part).ravel() for part in parts])
    package.mj_step(m, d)
    package.mj_inverse(m, d)
    return np.concatenate([first, d.qpos, d.qvel, d.qfrc_inverse])


def _edit(m: Any, edit: tuple[str, tuple[int, ...], int]) -> None:
    name, place, value = edit
    assert getattr(m, name)[place] != value
    getattr(m, name)[place] = value


@pytest.mark.parametrize("when", ["before data", "before a step", "after a step"])
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edits_are_followed(edit: tuple[str, tuple[int, ...], int], when: str) -> None:
    """Reconnected elements act on their new targets, as in MuJoCo, even after the model has been used."""
    found = []
    for package in (mujoco, conjoint):
        m = package.MjModel.from_xml_string(XML)
        if when == "before data":
            _edit(m, edit)
        d = package.MjData(m)
        if when == "after a step":
            _forces(package, m, d)
            package.mj_resetData(m, d)
        if when != "before data":
            _edit(m, edit)
        found.append(_forces(package, m, d))
    np.testing.assert_allclose(found[1], found[0], atol=1e-9, rtol=1e-9)


def test_edits_are_followed_by_copies_batches_and_rollouts() -> None:
    """Copies, batches and rollouts of an edited model use the edits."""
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    m.actuator_trnid[0, 0] = 3
    m.wrap_objid[2] = 4
    conjoint.mj_resetData(m, d)
    d.ctrl[:] = 0.5
    state = np.zeros(conjoint.mj_stateSize(m, conjoint.mjtState.mjSTATE_FULLPHYSICS))
    conjoint.mj_getState(m, d, state, conjoint.mjtState.mjSTATE_FULLPHYSICS)
    conjoint.mj_step(m, d, 5)
    for other in (copy.copy(m), copy.deepcopy(m)):
        own = conjoint.MjData(other)
        own.ctrl[:] = 0.5
        conjoint.mj_step(other, own, 5)
        np.testing.assert_array_equal(own.qpos, d.qpos)
    batch = Batch(m, 4, nthread=1, vary=["body_mass"])
    batch.ctrl = 0.5
    batch.step(5)
    np.testing.assert_allclose(batch.qpos, np.tile(d.qpos, (4, 1)), atol=1e-12)
    for count in (1, 40):
        states, _ = rollout(m, conjoint.MjData(m), np.tile(state, (count, 1)), np.full((1, 5, m.nu), 0.5))
        np.testing.assert_allclose(states[:, -1, 1 : 1 + m.nq], np.tile(d.qpos, (count, 1)), atol=1e-12)


def test_data_follows_edits_that_another_data_has_followed() -> None:
    """Each MjData picks up an edit of the model, even after a different MjData has done so."""
    m = conjoint.MjModel.from_xml_string(XML)
    first, second = conjoint.MjData(m), conjoint.MjData(m)
    for d in (first, second):
        conjoint.mj_step(m, d)
    m.actuator_trnid[0, 0] = 3
    assert np.array_equal(_forces(conjoint, m, first), _forces(conjoint, m, second))
    for d in (first, second):
        assert d.moment_colind[0] == 3


REFUSED = {
    "an actuator without joint": ("actuator_trnid", (0, 0), 99, r"actuator_trnid\[0, 0\] is 99"),
    "a path without site": ("wrap_objid", (2,), 99, r"wrap_objid\[2.* is 99"),
    "a body that is its own parent": ("body_parentid", (2,), 2, "body_parentid"),
    "another tree": ("dof_parentid", (2,), 0, "dof_parentid.*compile"),
    "a side that does not exist": ("wrap_prm", (1,), 77, r"wrap_prm\[1\] is 77"),
    "a constraint of nothing": ("eq_obj1id", (0,), 99, r"eq_obj1id\[0.* is 99"),
    "body of a geom": ("geom_bodyid", (1,), 2, r"geom_bodyid\[1\] is 2: body_geomadr and body_geomnum"),
    "body of a joint": ("jnt_bodyid", (0,), 3, r"jnt_bodyid\[0\] is 3: body_jntadr"),
    "body of a dof": ("dof_bodyid", (1,), 1, r"dof_bodyid\[1\] is 1"),
    "joint of a dof": ("dof_jntid", (1,), 0, r"dof_jntid\[1\] is 0: jnt_type"),
    "a ball in place of a hinge": ("jnt_type", (0,), 1, "jnt_type: .* nq = 7, the model has 4"),
    "position of a joint": ("jnt_qposadr", (0,), 2, r"jnt_qposadr\[0\] is 2"),
    "parent of a body": ("body_parentid", (2,), 0, r"dof_parentid\[1\] is 0: body_parentid"),
    "what a body is fixed to": ("body_weldid", (1,), 0, r"body_weldid\[1\] is 0: body_parentid"),
    "root of a body": ("body_rootid", (2,), 2, r"body_rootid\[2\] is 2: body_parentid"),
    "a mocap body with joints": ("body_mocapid", (1,), 0, r"body_mocapid\[1\] is 0: mocap bodies"),
    "tree of another body": ("body_bvhadr", (2,), 0, r"body_bvhadr\[2\] is 0"),
    "dofs that are simple": ("dof_simplenum", (0,), 2, r"dof_simplenum\[0\] is 2"),
    "a weld of joints": ("eq_objtype", (0,), 3, r"eq_objtype\[0\] is 3: such a constraint"),
    "a path with a joint": ("wrap_type", (4,), 3, r"wrap_type\[.* a tendon has either joints or"),
    "an unknown sensor": ("sensor_type", (0,), 999, r"sensor_type\[0\] is 999"),
}
"""Field, element index, new value and error message of each edit."""


@pytest.mark.parametrize("edit", REFUSED.values(), ids=REFUSED)
def test_edits_that_cannot_be_followed_are_refused(edit: tuple[str, tuple[int, ...], int, str]) -> None:
    """The step after an invalid edit raises an error that names the field; after a correction it continues."""
    *change, text = edit
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    name, place, _ = change
    before = getattr(m, name)[place].item()
    _edit(m, tuple(change))
    state = d.qpos.copy()
    for function in (conjoint.mj_step, conjoint.mj_forward, conjoint.mj_inverse, conjoint.mj_kinematics):
        with pytest.raises(FatalError, match=text):
            function(m, d)
    with pytest.raises(FatalError, match=text):
        conjoint.MjData(m)
    assert np.array_equal(d.qpos, state)
    getattr(m, name)[place] = before
    conjoint.mj_step(m, d)


def test_more_moment_arms_than_there_is_room_for_are_refused() -> None:
    """Retargeting a hinge motor to a free body fails: its six moment arms exceed the model's capacity."""
    motor = '<actuator><motor joint="j"/></actuator></mujoco>'
    bodies = '<body><joint name="j"/><geom size=".1"/></body><body pos="1 0 0"><freejoint/><geom size=".1"/></body>'
    m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody>{motor}")
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    m.actuator_trnid[0, 0] = 1
    with pytest.raises(FatalError, match=r"actuator_trnid.*space for 1 moment arms, but its actuators have 6.*compile"):
        conjoint.mj_step(m, d)


FUSED = """<mujoco><compiler fusestatic="true"/><worldbody><geom size=".1"/><body pos="0 0 3"><joint/><geom size=".1"/>
<geom size=".1" pos="1 0 0"/><body pos="0 0 1"><geom size=".1"/><geom size=".1" pos="1 0 0"/></body></body></worldbody></mujoco>"""


def test_models_of_fused_bodies_can_be_edited() -> None:
    """Models with fused bodies can be edited, although they have spare bounding-volume nodes, as in MuJoCo."""
    m, reference = conjoint.MjModel.from_xml_string(FUSED), mujoco.MjModel.from_xml_string(FUSED)
    assert m.nbvh == reference.nbvh > m.body_bvhnum.sum()
    found = []
    for module, model in ((conjoint, m), (mujoco, reference)):
        model.opt.integrator, model.jnt_type[0] = 1, 2
        d = module.MjData(model)
        module.mj_step(model, d, 2)
        found.append(d.qpos)
    assert np.allclose(*found, atol=1e-12) and found[0].any()


def test_the_error_names_the_field_that_was_edited() -> None:
    """The error names the edited field, not an empty field at the same address."""
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    m.opt.integrator = 77
    with pytest.raises(FatalError, match="integrator"):
        conjoint.mj_step(m, d)


THREADS = """
import sys, threading
import numpy as np
import conjoint
from conjoint.rollout import Rollout

bodies = "".join(
    f'<body pos="{i % 3 * .25} {i // 3 * .25} .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for i in range(6)
)
m = conjoint.MjModel.from_xml_string(
    f'<mujoco><worldbody><geom type="plane" size="5 5 .1"/>{bodies}</worldbody></mujoco>'
)
worlds = [conjoint.MjData(m) for _ in range(8)]
barrier, failed = threading.Barrier(len(worlds) + 1), []

def work(d):
    try:
        for _ in range(12):
            barrier.wait()
            conjoint.mj_step(m, d, 3)
            barrier.wait()
    except BaseException as error:
        failed.append(error)
        barrier.abort()

threads = [threading.Thread(target=work, args=(d,)) for d in worlds]
for thread in threads:
    thread.start()
for k in range(12):
    m.opt.cone, m.geom_contype[2], m.geom_condim[1] = k % 2, 1 + k % 3, (3, 1)[k % 2]
    barrier.wait()
    barrier.wait()
for thread in threads:
    thread.join()
assert not failed, failed
assert all(np.array_equal(d.qpos, worlds[0].qpos) for d in worlds)
state = np.zeros((6, 1 + m.nq + m.nv))
conjoint.mj_getState(m, worlds[0], state[0], conjoint.mjtState.mjSTATE_FULLPHYSICS)
state[:] = state[0]
with Rollout(nthread=4) as pool:
    for k in range(12):
        m.opt.cone = k % 2
        states, _ = pool.rollout(m, worlds[:4], state, nstep=3)
        assert all(np.array_equal(one, states[0]) for one in states)
print("survived")
"""


def test_threads_follow_a_change_of_the_model() -> None:
    """After an edit, one of many stepping threads creates a new plan of the steps, and no thread reads a freed plan."""
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "survived" in done.stdout, f"{done.returncode} {done.stderr[-800:]}"


def test_a_plan_lives_as_long_as_somebody_works_with_it() -> None:
    """An edit creates a new plan of the steps and leaves the old plan unchanged for functions that still use it."""
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    old = m.plans.current
    planned = old.rows.bytes.copy()
    m.opt.cone = 1
    conjoint.mj_step(m, d)
    assert m.plans.current is not old and np.array_equal(old.rows.bytes, planned)
    # worlds of equal models use the same plan
    other = conjoint.MjData(m)
    conjoint.mj_step(m, other)
    assert other.world.plan is d.world.plan is m.plans.current
