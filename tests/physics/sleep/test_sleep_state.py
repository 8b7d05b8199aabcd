"""State of sleeping trees in state vectors, snapshots and pickles; damaged states are refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import conjoint

BOX = """<body pos="{0} 0 .12"><joint name="x{0}" type="slide" axis="0 0 1"/><joint axis="1 0 0" stiffness="1"/>
  <geom type="box" size=".1 .1 .1"/><site name="s{0}"/></body>"""
XML = f"""
<mujoco>
  <option><flag sleep="enable"/></option>
  <worldbody><geom type="plane" size="9 9 1"/>{"".join(BOX.format(i) for i in range(3))}</worldbody>
  <actuator><general joint="x0" dyntype="filter" dynprm="1"/></actuator>
  <sensor><accelerometer site="s0"/><jointactuatorfrc joint="x1"/></sensor>
</mujoco>
"""
SPEC = conjoint.mjtState.mjSTATE_INTEGRATION
COMPARED = ("qpos", "qvel", "act", "qacc", "sensordata", "tree_asleep")


@pytest.fixture
def model(edition: str) -> conjoint.MjModel:
    """Return the model of a sleeping scene; a test that uses this fixture runs in both editions."""
    return conjoint.MjModel.from_xml_string(XML)


def state_of(m: conjoint.MjModel, d: conjoint.MjData) -> np.ndarray:
    state = np.zeros(conjoint.mj_stateSize(m, SPEC))
    conjoint.mj_getState(m, d, state, SPEC)
    return state


def follow(m: conjoint.MjModel, d: conjoint.MjData, other: conjoint.MjData) -> None:
    """Step two data and check that they stay bit-identical."""
    for _ in range(30):
        conjoint.mj_step(m, d)
        conjoint.mj_step(m, other)
        for name in COMPARED:
            np.testing.assert_array_equal(getattr(other, name), getattr(d, name), name)


@pytest.mark.parametrize("count", [0, 60, 200, 800])
def test_a_state_goes_on_in_the_same_bits(model: conjoint.MjModel, count: int) -> None:
    d = conjoint.MjData(model)
    conjoint.mj_step(model, d, count)
    put, copied = conjoint.MjData(model), conjoint.MjData(model)
    conjoint.mj_setState(model, put, state_of(model, d), SPEC)
    conjoint.mj_copyState(model, d, copied, SPEC)
    extracted = np.zeros(conjoint.mj_stateSize(model, SPEC))
    conjoint.mj_extractState(model, state_of(model, d), SPEC, extracted, SPEC)
    np.testing.assert_array_equal(extracted, state_of(model, d))
    for other in (put, copied, pickle.loads(pickle.dumps(d))):
        follow(model, conjoint.mj_copyData(conjoint.MjData(model), model, d), other)


def test_a_state_reaches_data_that_slept_elsewhere(model: conjoint.MjModel) -> None:
    d, used = conjoint.MjData(model), conjoint.MjData(model)
    conjoint.mj_step(model, d, 300)
    used.qpos[:] = 0.05
    conjoint.mj_step(model, used, 800)
    assert (used.tree_asleep >= 0).any()
    conjoint.mj_setState(model, used, state_of(model, d), SPEC)
    follow(model, d, used)


def test_without_sleep_a_state_is_as_long_as_ever(model: conjoint.MjModel) -> None:
    awake = conjoint.MjModel.from_xml_string(XML.replace('sleep="enable"', 'sleep="disable"'))
    longer = model.ntree + model.nq + model.na + model.nsensordata
    assert conjoint.mj_stateSize(model, SPEC) == conjoint.mj_stateSize(awake, SPEC) + longer
    physics = conjoint.mjtState.mjSTATE_FULLPHYSICS
    assert conjoint.mj_stateSize(model, physics) == conjoint.mj_stateSize(awake, physics)


def test_worlds_of_a_batch_go_on_in_the_same_bits(model: conjoint.MjModel) -> None:
    b, other = conjoint.Batch(model, 3), conjoint.Batch(model, 3)
    b.qpos[:] = np.linspace(0, 0.1, 3)[:, np.newaxis]
    b.step(400)
    other.restore(b.snapshot())
    for _ in range(30):
        b.step(1)
        other.step(1)
        for name in ("qpos", "qvel", "act", "sensordata"):
            np.testing.assert_array_equal(getattr(other, name), getattr(b, name), name)


@pytest.mark.parametrize("rest", [10**6, -1, 11, 13, 0.5, np.nan])
def test_a_damaged_state_is_refused(model: conjoint.MjModel, rest: float) -> None:
    """A sleep state is refused if a tree has two predecessors or if a tree id is invalid."""
    d = conjoint.MjData(model)
    state = state_of(model, d)
    first = len(state) - model.ntree - model.nq - model.na - model.nsensordata
    state[first : first + 3] = [11, rest, 13]
    with pytest.raises(conjoint.FatalError, match="mj_setState: the state of sleeping trees is damaged"):
        conjoint.mj_setState(model, d, state, SPEC)


@pytest.mark.parametrize("rest", [10**6, -5, 12])
def test_a_damaged_snapshot_is_refused(model: conjoint.MjModel, rest: int) -> None:
    b = conjoint.Batch(model, 2)
    snapshot = b.snapshot()
    snapshot["tree_rest"][1, 0] = rest
    with pytest.raises(conjoint.FatalError, match="the snapshot: the state of sleeping trees is damaged"):
        b.restore(snapshot)
    b.step(1)
