"""Worlds can be copied out of a batch and into it, as snapshots or as the data of one world."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from places import ROOT

CAR = str(ROOT / "models" / "car.xml")


@pytest.fixture(scope="module")
def model() -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_path(CAR)


def started(model: conjoint.MjModel, nworld: int = 5, **options) -> Batch:
    """Return a batch after some steps with different controls in each world."""
    batch = Batch(model, nworld, **options)
    batch.ctrl = np.random.default_rng(0).uniform(-0.4, 0.4, (nworld, model.nu))
    batch.step(6)
    return batch


def test_worlds_go_on_from_a_snapshot_as_if_nothing_had_been(model) -> None:
    batch = started(model)
    kept = batch.snapshot()
    batch.step(4)
    expected = batch.qpos.copy()
    batch.qvel += 1
    batch.xfrc_applied[:, 1, 2] = 5
    batch.step(3)
    batch.restore(kept)
    batch.step(4)
    assert np.array_equal(batch.qpos, expected)


def test_a_snapshot_of_some_worlds_goes_into_other_ones(model) -> None:
    batch = started(model)
    other = Batch(model, 3)
    other.step(2)
    untouched = other.qpos[1].copy()
    other.restore(batch.snapshot([1, 4]), worlds=[0, 2])
    assert np.array_equal(other.qpos[[0, 2]], batch.qpos[[1, 4]]) and np.array_equal(other.qpos[1], untouched)
    other.restore(batch.snapshot(np.array([False, True, False, False, True])), worlds=np.array([True, False, True]))
    batch.step(3)
    other.step(3)
    assert np.array_equal(other.qpos[[0, 2]], batch.qpos[[1, 4]])


def test_rows_that_vary_are_part_of_a_snapshot(model) -> None:
    batch = started(model, vary=["body_mass"])
    batch.body_mass[2] *= 2
    kept = batch.snapshot()
    batch.step(3)
    expected = batch.qpos.copy()
    batch.body_mass[:] = model.body_mass
    batch.restore(kept)
    batch.step(3)
    assert np.array_equal(batch.qpos, expected)
    with pytest.raises(conjoint.FatalError, match="belongs to another batch"):
        Batch(model, 5).restore(kept)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_one_state_goes_into_many_worlds(model, precision: str) -> None:
    """The snapshot of one world, or an MjData, can be restored into many worlds; snapshots include varied fields."""
    batch = started(model, precision=precision, vary=["body_mass"])
    batch.body_mass[2] *= 1.5
    batch.restore(batch.snapshot(2))
    batch.step(4)
    assert np.array_equal(batch.qpos, np.tile(batch.qpos[2], (5, 1))) and batch.body_mass[4, 1] == batch.body_mass[2, 1]
    other = Batch(model, 7, precision=precision, vary=["body_mass"])
    other.restore(batch.snapshot([0]), worlds=slice(1, 4))
    batch.step(3)
    other.step(3)
    assert np.array_equal(other.qpos[1:4], np.tile(batch.qpos[0], (3, 1)))
    assert not np.array_equal(other.qpos[4], batch.qpos[0])
    data = batch.get_data(0)
    data.time, data.qpos[0] = 3.5, 0.25
    for worlds in ([5, 6], [-2, -1]):
        other.reset()
        other.set_data(data, worlds=worlds)
        assert other.qpos[:, 0].tolist() == [0] * 5 + [0.25] * 2 and other.time.ravel().tolist() == [0] * 5 + [3.5] * 2


def test_worlds_are_chosen_as_rows_of_an_array(model) -> None:
    batch = started(model)
    kept, ranked = batch.qpos.copy(), [4, 0, 2]
    assert np.array_equal(batch.snapshot(ranked)["qpos"], kept[ranked])
    assert np.array_equal(batch.snapshot([3, 3, -1])["qpos"], kept[[3, 3, -1]])
    assert np.array_equal(batch.snapshot(slice(None, None, -2))["qpos"], kept[::-2])
    batch.restore(batch.snapshot(ranked), worlds=[0, -1, 1])
    assert np.array_equal(batch.qpos, kept[[4, 2, 2, 3, 0]])
    assert np.array_equal(batch.get_data(-2).qpos, kept[3])
    batch.reset(worlds=slice(1, None))
    assert np.array_equal(batch.qpos[1:], np.tile(model.qpos0, (4, 1))) and np.array_equal(batch.qpos[0], kept[4])


@pytest.mark.plain
def test_one_world_as_data_and_back(model) -> None:
    batch = started(model)
    data = batch.get_data(3)
    assert np.array_equal(data.qpos, batch.qpos[3]) and np.array_equal(data.ctrl, batch.ctrl[3])
    assert data.time == batch.time[3]
    for _ in range(3):
        conjoint.mj_step(data.model, data)
    batch.step(3)
    # lanes add in a different order
    np.testing.assert_allclose(data.qpos, batch.qpos[3], rtol=0, atol=1e-9)
    data.qpos[0] = 7
    batch.set_data(data, worlds=0)
    assert batch.qpos[0, 0] == 7 and np.array_equal(batch.qvel[0], data.qvel)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda b: b.snapshot([5]), "there is no world 5: the batch has 5"),
        (lambda b: b.reset(worlds=np.ones(3, bool)), r"shape \(5,\), not \(3,\)"),
        (lambda b: b.get_data(-6), "there is no world -6"),
        (lambda b: b.snapshot([0, 1, 0, 1, 0]), "for a mask, use booleans"),
        (lambda b: b.reset(worlds=[1, -4]), "is repeated"),
        (lambda b: b.restore(b.snapshot([0, 1]), worlds=[2]), "has 2 worlds, but 1 are selected"),
        (lambda b: b.restore(b.snapshot([0, 1])), "has 2 worlds, but 5 are selected; only a single world"),
        (lambda b: b.restore({"qpos": np.zeros((5, 3))}), r"belongs to another model: qpos has \(3,\), not \(\d+,\)"),
        (lambda b: b.restore({"qposs": np.zeros((5, 1))}), "qposs"),
        (
            lambda b: b.set_data(conjoint.MjData(conjoint.MjModel.from_xml_string("<mujoco/>")), worlds=0),
            "another model",
        ),
    ],
)
def test_worlds_that_there_are_not_are_told(model, call, text) -> None:
    for kind in (conjoint.FatalError, ValueError):
        with pytest.raises(kind, match=text):
            call(Batch(model, 5))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda b: b.reset(worlds=[0.5]), "not by float64"),
        (lambda b: b.reset(worlds="all"), "by a mask of booleans, a slice or their numbers"),
        (lambda b: b.restore(b.get_data(0)), "set_data takes that"),
        (lambda b: b.set_data(b.snapshot()), "data must be of type MjData"),
    ],
)
def test_what_chooses_no_world_and_is_no_state_is_of_the_wrong_type(model, call, text) -> None:
    with pytest.raises(TypeError, match=text):
        call(Batch(model, 5))


def test_worlds_are_reset_by_their_numbers(model) -> None:
    batch = started(model)
    before = batch.qpos.copy()
    batch.reset(worlds=[1, 3], key=0)
    assert np.array_equal(batch.qpos[1], model.key_qpos[0]) and np.array_equal(batch.qpos[3], model.key_qpos[0])
    assert np.array_equal(batch.qpos[[0, 2, 4]], before[[0, 2, 4]])


BALLS = """<mujoco><option timestep="0.002">{flag}</option><worldbody><geom type="plane" size="9 9 .1"/>
{balls}</worldbody></mujoco>"""
BALL = '<body pos="{} 0 {}"><freejoint/><geom size=".1" condim="4" friction=".7 .1 .2"/></body>'


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("flag", ["", '<flag island="enable"/>'])
def test_contacts_of_a_world_are_those_of_its_last_step(precision: str, flag: str) -> None:
    """`contact(w)` returns the contacts of the last step, as in a single world, with or without lanes."""
    balls = "".join(BALL.format(0.15 * i, 0.099 + 0.05 * (i % 2)) for i in range(5))
    m = conjoint.MjModel.from_xml_string(BALLS.format(flag=flag, balls=balls))
    batch = Batch(m, 11, precision=precision, nthread=2)
    batch.qpos[:, 2] += np.linspace(-0.02, 0.02, 11)
    assert len(batch.contact(3)) == 0
    batch.step(2)
    single = batch.get_data(4)
    conjoint.mj_forward(m, single)
    batch.step()
    assert [len(batch.contact(w)) for w in range(11)] == batch.ncon.ravel().tolist()
    found = batch.contact(4)
    assert len(found) == single.ncon > 2
    atol = 1e-12 if precision == "float64" else 1e-5
    for name in ("dist", "pos", "frame", "friction", "solref", "includemargin"):
        np.testing.assert_allclose(getattr(found, name), getattr(single.contact, name), atol=atol, err_msg=name)
    for name in ("geom", "geom1", "geom2", "dim", "efc_address"):
        np.testing.assert_array_equal(getattr(found, name), getattr(single.contact, name), err_msg=name)
    assert found[0].dist == found.dist[0]


def test_to_ask_for_contacts_changes_nothing(model) -> None:
    batches = [Batch(model, 9, nthread=2) for _ in range(2)]
    for step in range(6):
        for batch in batches:
            batch.step()
        batches[0].contact(step)
    np.testing.assert_array_equal(batches[0].qpos, batches[1].qpos)
    batches[0].reset(worlds=[2])
    assert len(batches[0].contact(2)) == 0
    with pytest.raises(conjoint.FatalError, match="there is no world 9"):
        batches[0].contact(9)
