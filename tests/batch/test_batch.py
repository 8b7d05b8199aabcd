"""Each world of a batch equals a single world, for any number of other worlds, threads and contacts."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch.arrays import READABLE
from conjoint.batch.batch import Batch, worlds_of
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from conjoint.lang.memory.layout import Lifetime
from conjoint.runtime import blocks
from conjoint.schema.data import DATA_ROWS
from places import ROOT

FOLDER = ROOT / "models"
NWORLD = 11
"""Number of worlds in most tests, not a multiple of any lane width."""

WIDEST = 16
"""Number of worlds in the widest default block."""

compiled = pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")


def load(name: str) -> Any:
    return conjoint.MjModel.from_xml_path(str(FOLDER / f"{name}.xml"))


def start(batch: Batch, seed: int = 0) -> Batch:
    """Return a batch with random velocities and controls in every world."""
    generator = np.random.default_rng(seed)
    batch.qvel = 0.3 * generator.standard_normal(batch.qvel.shape)
    batch.ctrl = generator.uniform(-0.5, 0.5, batch.ctrl.shape)
    return batch


def alone(batch: Batch, nstep: int) -> dict[str, np.ndarray]:
    """Step single worlds from the states of the batch's worlds, and return their states after `nstep` steps by field."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in ("qpos", "qvel", "time")}
    for world in range(batch.nworld):
        d = conjoint.MjData(batch.model)
        for name in ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "mocap_pos", "mocap_quat"):
            getattr(d, name)[...] = getattr(batch, name)[world]
        conjoint.mj_step(batch.model, d, nstep)
        for name in found:
            found[name].append(np.array(getattr(d, name)))
    return {name: np.array(values) for name, values in found.items()}


def state(batch: Batch) -> np.ndarray:
    return np.concatenate([batch.qpos, batch.qvel, batch.act, batch.time[:, None]], axis=1)


FALLING = """<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 .3"><freejoint/><geom size=".1"/></body>
  <body pos="1 0 .2"><freejoint/><geom type="capsule" size=".05 .1" euler="90 20 0" condim="1"/></body></worldbody></mujoco>"""


ROLLING = """<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 .3" euler="80 0 0"><freejoint/>
  <geom type="cylinder" size=".1 .05" condim="1"/></body></worldbody></mujoco>"""


SWINGING = """<mujoco><worldbody><body><joint axis="0 0 1" range="-2 2" limited="true" stiffness="99"/><geom size=".1"/>
  <body pos="1 0 0"><joint type="slide" axis="0 1 0" range="-.01 .01" limited="true" stiffness="999"/><geom size=".1"/></body></body>
</worldbody></mujoco>"""


@compiled
@pytest.mark.parametrize("xml", [FALLING, ROLLING, SWINGING])
def test_rows_of_the_next_step_are_foreseen(xml: str) -> None:
    """The forecast of each world's number of constraint rows is wrong in fewer than a tenth of the steps that change the number.

    A ball, a capsule and a cylinder fall onto a plane, or bodies swing to joint limits. The forecast ignores rotation.
    """
    batch = start(Batch(conjoint.MjModel.from_xml_string(xml), NWORLD, keep=["nefc"]))
    foreseen, found = [], []
    for _ in range(200):
        batch.step()
        found.append(batch.nefc)
        foreseen.append(worlds_of(batch).effort["nefc_forecast"][:, 0].copy())
    missed = np.mean(np.array(foreseen[:-1]) != np.array(found[1:]))
    changed = np.mean(np.array(found[:-1]) != np.array(found[1:]))
    assert changed > 0.01
    assert missed < 0.1 * changed


# ---- worlds of a batch compared with MjData


@compiled
@pytest.mark.usefixtures("edition")
def test_worlds_equal_single_worlds(model_path: str) -> None:
    """Fifty steps in float64 agree with single worlds up to rounding errors, which contacts magnify."""
    m = conjoint.MjModel.from_xml_path(model_path)
    # in edition 4.0, a single world solves each island separately, but a batch solves all islands at once
    m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_ISLAND)
    batch = start(Batch(m, NWORLD, nthread=1))
    expected = alone(batch, 50)
    batch.step(50)
    assert not np.array_equal(batch.qvel[0], batch.qvel[1])
    for name, value in expected.items():
        np.testing.assert_allclose(getattr(batch, name), value, rtol=1e-9, atol=1e-9, err_msg=name)


@compiled
@pytest.mark.parametrize("name", ["humanoid", "car"])
def test_worlds_one_by_one_are_single_worlds_in_every_bit(name: str) -> None:
    batch = start(Batch(load(name), 3, nthread=2, lanes=1))
    expected = alone(batch, 20)
    batch.step(20)
    for field, value in expected.items():
        np.testing.assert_array_equal(getattr(batch, field), value, err_msg=field)
    assert pickle.loads(pickle.dumps(batch)).lanes == 1


@compiled
@pytest.mark.parametrize("name", ["humanoid", "pile", "car", "cartpole"])
def test_single_precision_follows_double(name: str) -> None:
    """Positions after twenty steps in float32 agree with float64 to 1e-3; contacts and stiff constraints amplify rounding."""
    batch = start(Batch(load(name), NWORLD, precision="float32", nthread=1))
    assert batch.qpos.dtype == np.float32
    expected = alone(batch, 20)
    batch.step(20)
    np.testing.assert_allclose(batch.qpos, expected["qpos"], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(batch.qvel, expected["qvel"], rtol=3e-2, atol=3e-2)


@compiled
def test_inverse_is_that_of_each_world() -> None:
    """`inverse` returns the forces of `mj_inverse` in every world and leaves the states unchanged."""
    m = load("humanoid")
    batch = start(Batch(m, 3, nthread=1))
    batch.step(20)
    qpos, qvel = batch.qpos.copy(), batch.qvel.copy()
    qacc = np.random.default_rng(2).normal(size=(3, m.nv))
    found = batch.inverse(qacc)
    for i in range(3):
        d = conjoint.MjData(m)
        d.qpos[:], d.qvel[:], d.qacc[:] = qpos[i], qvel[i], qacc[i]
        conjoint.mj_inverse(m, d)
        np.testing.assert_allclose(found[i], d.qfrc_inverse, rtol=1e-9, atol=1e-9)
    assert np.array_equal(batch.qpos, qpos) and np.array_equal(batch.qvel, qvel)
    with pytest.raises(FatalError, match=r"must have shape \(3, 27\), not \(4, 27\)"):
        batch.inverse(np.zeros((4, m.nv)))


@compiled
def test_blocks_of_64_worlds_step() -> None:
    """Blocks of 64 worlds, whose masks need 64-bit integers, step correctly."""
    batch = start(Batch(load("cartpole"), 64, precision="float32", nthread=1, lanes=64))
    few = start(Batch(load("cartpole"), 64, precision="float32", nthread=1, lanes=4))
    for one in (batch, few):
        one.step(3)
    np.testing.assert_array_equal(batch.qpos, few.qpos)


@compiled
@pytest.mark.parametrize("width", [4, 8])
def test_forward_computes_without_moving(width: int) -> None:
    """`forward` computes results without advancing the state, in blocks of 4 and of 8 worlds."""
    batch = start(Batch(load("humanoid"), NWORLD, nthread=1, lanes=width))
    before = state(batch).copy()
    batch.forward()
    np.testing.assert_array_equal(state(batch), before)
    d = conjoint.MjData(batch.model)
    d.qvel[:], d.ctrl[:] = batch.qvel[3], batch.ctrl[3]
    conjoint.mj_forward(batch.model, d)
    np.testing.assert_allclose(batch.qacc[3], d.qacc, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(batch.xpos[3], d.xpos, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(batch.sensordata[3], d.sensordata, rtol=1e-9, atol=1e-9)


@compiled
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_threads_do_not_show(precision: str) -> None:
    """Results are bit-identical for any number of threads, even if there are more threads than blocks."""
    model = load("humanoid")
    runs = []
    for nthread in (1, 2, 3, 16):
        batch = start(Batch(model, 40, precision=precision, nthread=nthread))
        batch.step(30)
        runs.append(state(batch).tobytes())
        batch.close()
    assert len(set(runs)) == 1


def wild_states(batch: Batch, worlds: list[int]) -> None:
    """Set a random state in each world of a batch, with `worlds` as seeds; seeds of 1000 or more give states that soon diverge."""
    for k, number in enumerate(worlds):
        generator = np.random.default_rng(number)
        batch.qvel[k] = (0.5 + number % 3) * generator.standard_normal(batch.qvel.shape[1])
        batch.ctrl[k] = generator.uniform(-1, 1, batch.ctrl.shape[1])
        if number == 1000:
            batch.qvel[k] *= 1e9
        elif number == 1001:
            batch.qpos[k] = np.nan
        elif number == 1002:
            batch.xfrc_applied[k] = 1e3 * generator.standard_normal(batch.xfrc_applied.shape[1:])
        elif number == 1003:
            # the force makes the acceleration invalid, so that forward dynamics runs again
            batch.qfrc_applied[k] = 1e25
        elif number == 1004:
            batch.ctrl[k] = np.inf


@compiled
@pytest.mark.filterwarnings("ignore::conjoint.lang.errors.DivergenceWarning")
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS", "elliptic", "Newton, branched", "elliptic, branched"])
@pytest.mark.parametrize("name", ["humanoid", "pile", "quadruped", "car"])
def test_worlds_are_alone(monkeypatch: pytest.MonkeyPatch, name: str, solver: str, precision: str) -> None:
    """A world's trajectory is bit-identical whatever its index and neighbors, and for any number of worlds or threads."""
    solver, *branched = solver.split(", ")
    if branched:
        # small models do not benefit from branches
        monkeypatch.setattr(blocks, "LEAST_SAVED", 0)
    model = load(name)
    if solver == "elliptic":
        model.opt.cone = conjoint.mjtCone.mjCONE_ELLIPTIC
    else:
        model.opt.solver = getattr(conjoint.mjtSolver, f"mjSOL_{solver.upper()}")
    fields = ("qpos", "qvel", "qacc", "qacc_warmstart", "qfrc_constraint", "sensordata", "time")

    def trajectories(worlds: list[int], nthread: int = 1) -> list[bytes]:
        batch = Batch(model, len(worlds), precision=precision, nthread=nthread)
        wild_states(batch, worlds)
        seen = []
        for _ in range(24):
            batch.step()
            seen.append([np.array(getattr(batch, field)) for field in fields])
        batch.close()
        return [b"".join(values[k].tobytes() for step in seen for values in step) for k in range(len(worlds))]

    known = dict(enumerate(trajectories(list(range(24)))))
    assert len(set(known.values())) == len(known)
    mixed = [3, 1001, 1000, 0, 1003, 1002, 2, 1004, *[5] * 40]
    for worlds, nthread in ((list(range(23, -1, -1)), 2), ([0] * 8, 1), (mixed, 3), ([1003, 1, 1002, 4], 1), ([6], 1)):
        for number, trajectory in zip(worlds, trajectories(worlds, nthread), strict=True):
            assert number >= 1000 or trajectory == known[number], number


@compiled
def test_steps_at_once_are_steps_one_by_one() -> None:
    model = load("quadruped")
    one, many = start(Batch(model, NWORLD, nthread=1)), start(Batch(model, NWORLD, nthread=1))
    for _ in range(10):
        one.step()
    many.step(10)
    np.testing.assert_array_equal(state(one), state(many))


# ---- state and inputs


@pytest.mark.plain
def test_state_is_written_and_read_in_place() -> None:
    batch = Batch(load("cartpole"), 3, nthread=1)
    qpos, ctrl = batch.qpos, batch.ctrl
    assert qpos.shape == (3, batch.model.nq) and batch.time.shape == (3,)
    qpos[1] = 0.5
    ctrl[2] = 1.0
    batch.step(2)
    assert batch.qpos is qpos
    assert (batch.ctrl[2] == 1.0).all()
    assert qpos[1, 0] != qpos[0, 0]
    expected = conjoint.MjData(batch.model)
    expected.qpos[:] = 0.5
    conjoint.mj_step(batch.model, expected, 2)
    np.testing.assert_allclose(qpos[1], expected.qpos, rtol=1e-12, atol=1e-12)


@pytest.mark.plain
def test_other_fields_are_copies() -> None:
    batch = Batch(load("cartpole"), 3, nthread=1)
    batch.forward()
    xpos = batch.xpos
    assert xpos.shape == (3, batch.model.nbody, 3)
    for written in (xpos, getattr(batch, "warning.number"), batch.solver_niter):
        with pytest.raises(ValueError, match="read-only"):
            written[...] = 7
    # in-place arithmetic would have no effect on the batch
    with pytest.raises(ValueError, match="read-only"):
        batch.xpos[:, 1] += 1.0
    assert batch.ncon.shape == (3,)


@compiled
@pytest.mark.parametrize(("name", "integrator"), [("humanoid", "Euler"), ("humanoid", "implicit"), ("flag", "Euler")])
def test_what_later_stages_read_is_shown_as_it_is(name: str, integrator: str) -> None:
    """Fields that only later stages of a step need can be read, with the values of `MjData`."""
    model = load(name)
    model.opt.integrator = conjoint.mjtIntegrator[f"mjINT_{integrator.upper()}"]
    batch = start(Batch(model, NWORLD))
    batch.step(20)
    d = batch.get_data(3)
    batch.step()
    conjoint.mj_step(model, d)
    passing = [field.name for field in DATA_ROWS if field.name in READABLE and field.lifetime is Lifetime.STAGE]
    assert {"cinert", "crb", "M", "qLD", "cdof", "flexedge_J"} <= set(passing)
    for field in passing:
        ours, one = getattr(batch, field)[3], getattr(d, field)
        np.testing.assert_allclose(ours, one, rtol=1e-9, atol=1e-9 * np.abs(one).max(initial=1e-30), err_msg=field)


@compiled
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_field_that_is_read_late_is_what_it_was(precision: str) -> None:
    """A field that is read for the first time shows the results of the last call, even if inputs have been changed since."""
    names = ("xpos", "sensordata", "qfrc_constraint", "cvel", "energy")
    late, kept = [start(Batch(load("humanoid"), NWORLD, precision, nthread=2, keep=k)) for k in ((), names)]
    for batch in (late, kept):
        batch.step(40)
        batch.step(3)
        batch.qpos = 0.1
        batch.ctrl = 0.0
        batch.reset(worlds=np.arange(NWORLD) == 2)
    before = state(late).copy()
    for name in names:
        np.testing.assert_array_equal(getattr(late, name), getattr(kept, name), err_msg=name)
    assert kept.qfrc_constraint[3].any() and not kept.xpos[2].any()
    np.testing.assert_array_equal(state(late), before)


PULLED = """<mujoco><worldbody><site name="a" pos="-.3 0 1"/><geom name="c" type="cylinder" size=".1 .2" euler="90 0 0" pos="0 0 1"
  contype="0"/><body pos=".3 0 1"><joint type="hinge" axis="0 1 0" pos="-.3 0 0"/><geom size=".05"/><site name="b"/></body>
  </worldbody><tendon><spatial><site site="a"/><geom geom="c"/><site site="b"/></spatial></tendon></mujoco>"""


@compiled
def test_paths_of_tendons_are_listed_for_who_asks() -> None:
    """Tendon paths can be read from a batch, whether or not the tendons wrap around a cylinder."""
    model = conjoint.MjModel.from_xml_string(PULLED)
    late, kept = [Batch(model, NWORLD, nthread=1, keep=keep) for keep in ((), ("wrap_xpos", "ten_wrapnum"))]
    positions = np.linspace(-1.0, 1.0, NWORLD)
    for batch in (late, kept):
        batch.qpos = positions[:, None]
        batch.forward()
    data = conjoint.MjData(model)
    numbers = set()
    for world in range(NWORLD):
        data.qpos[:] = positions[world]
        conjoint.mj_forward(model, data)
        n = int(data.ten_wrapnum[0])
        numbers.add(n)
        for batch in (late, kept):
            assert batch.ten_wrapnum[world, 0] == n
            found = batch.wrap_xpos[world].reshape(-1, 3)[:n]
            np.testing.assert_allclose(found, data.wrap_xpos.reshape(-1, 3)[:n], atol=1e-12)
    assert numbers == {2, 4}


@compiled
def test_a_call_warns_of_its_own_worlds_only() -> None:
    """Each call, even one after a reset, warns about the worlds that diverged in it, and does not repeat earlier warnings."""
    batch = Batch(load("cartpole"), 3 * WIDEST, nthread=1)
    for world in (0, 1, WIDEST):
        batch.qfrc_applied[world] = 1e20
        with pytest.warns(DivergenceWarning) as caught:
            batch.step()
        assert [f"in world {world} of" in str(each.message) for each in caught] == [True]
        assert [each.message.worlds for each in caught] == [(world,)]
    batch.reset()
    batch.qfrc_applied[3:15] = 1e20
    with pytest.warns(DivergenceWarning, match=r"first at time = 0 s, in 12 worlds \(3, 4, .*, 10, ...\)") as caught:
        batch.step()
    assert caught[0].message.worlds == tuple(range(3, 15))


@pytest.mark.plain
def test_what_is_kept_must_be_a_field() -> None:
    with pytest.raises(AttributeError, match="no field 'xpso'; did you mean 'xpos'"):
        Batch(load("cartpole"), 2, keep=("xpso",))
    with pytest.raises(AttributeError, match="only MjData keeps it"):
        Batch(load("cartpole"), 2, keep=("efc_J",))


@compiled
def test_rollout_records_every_step() -> None:
    model = load("cartpole")
    ctrl = np.random.default_rng(0).uniform(-1, 1, (NWORLD, 6, model.nu))
    batch, other = Batch(model, NWORLD, nthread=1), Batch(model, NWORLD, nthread=1)
    recorded = batch.rollout(ctrl)
    assert recorded.shape == (NWORLD, 6, model.nq)
    for k in range(6):
        other.step(ctrl=ctrl[:, k])
        np.testing.assert_array_equal(other.qpos, recorded[:, k])
    several = batch.rollout(ctrl, record=["xpos", "time"])
    np.testing.assert_array_equal(several["xpos"][:, -1], batch.xpos)
    assert several["time"].shape == (NWORLD, 6) and (np.diff(several["time"], axis=1) > 0).all()
    assert batch.rollout(ctrl[:, :1], record=None) is None
    assert batch.rollout(ctrl[:, :0], record="xpos").shape == (NWORLD, 0, model.nbody, 3)
    with pytest.raises(AttributeError, match="no field 'qpso'; did you mean 'qpos'"):
        batch.rollout(ctrl, record="qpso")


@compiled
def test_reset_by_mask() -> None:
    """A reset with a mask restarts the selected worlds; the other worlds continue unchanged."""
    model = load("humanoid")
    batch, other = start(Batch(model, NWORLD, nthread=1)), start(Batch(model, NWORLD, nthread=1))
    batch.step(20)
    other.step(20)
    mask = np.arange(NWORLD) % 3 == 1
    batch.reset(worlds=mask)
    assert (batch.time[mask] == 0).all() and (batch.time[~mask] > 0).all()
    np.testing.assert_array_equal(batch.qpos[mask], np.tile(model.qpos0, (mask.sum(), 1)))
    assert not batch.qvel[mask].any() and not batch.ctrl[mask].any()
    batch.step(20)
    other.step(20)
    np.testing.assert_allclose(state(batch)[~mask], state(other)[~mask], rtol=1e-9, atol=1e-9)
    fresh = Batch(model, NWORLD, nthread=1)
    fresh.step(20)
    np.testing.assert_allclose(state(batch)[mask], state(fresh)[mask], rtol=1e-9, atol=1e-9)


@pytest.mark.plain
def test_reset_to_a_keyframe() -> None:
    model = load("humanoid")
    assert model.nkey > 0
    batch = Batch(model, 3, nthread=1)
    batch.reset(key=0, worlds=np.array([False, True, False]))
    np.testing.assert_array_equal(batch.qpos[1], model.key_qpos[0])
    np.testing.assert_array_equal(batch.qpos[0], model.qpos0)
    d = conjoint.MjData(model)
    conjoint.mj_resetDataKeyframe(model, d, 0)
    for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos"):
        np.testing.assert_array_equal(getattr(batch, name)[1], getattr(d, name))


# ---- misuse


@pytest.mark.plain
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"nworld": 0}, "nworld must be .*at least 1, not 0"),
        ({"nworld": -3}, "nworld must be .*at least 1, not -3"),
        ({"nworld": 2, "precision": "double"}, "'float64' or 'float32', not 'double'"),
        ({"nworld": 2, "precision": "f32"}, "not 'f32'; did you mean 'float32'"),
        ({"nworld": 2, "nthread": 0}, "nthread must be .*at least 1, not 0"),
        ({"nworld": 2, "vary": ["body_mas"]}, "no field 'body_mas'; did you mean 'body_mass'"),
        ({"nworld": 2, "lanes": 3}, "a power of two from 1 to 64, not 3"),
        ({"nworld": 2, "lanes": 128}, "a power of two from 1 to 64, not 128"),
    ],
)
def test_arguments_out_of_range(arguments: dict[str, Any], text: str) -> None:
    for kind in (ValueError, FatalError):
        with pytest.raises(kind, match=text):
            Batch(load("cartpole"), **arguments)


@pytest.mark.plain
def test_arguments_of_the_wrong_type() -> None:
    model = load("cartpole")
    for call, text in (
        (lambda: Batch(model, 2.5), "Batch: nworld must be an integer, not 2.5"),
        (lambda: Batch(model, 2, nthread="all"), "Batch: nthread must be an integer, not 'all'"),
        (lambda: Batch("cartpole.xml", 2), "Batch: model must be of type MjModel, not str"),
        (lambda: Batch(model, 2, nthread=1).step(2.5), "step: nstep must be an integer, not 2.5"),
    ):
        with pytest.raises(TypeError, match=text):
            call()  # type: ignore[no-untyped-call]


@pytest.mark.plain
def test_calls_out_of_range() -> None:
    batch = Batch(load("cartpole"), 3, nthread=1)
    with pytest.raises(FatalError, match=r"shape \(3,\), not \(2,\)"):
        batch.reset(worlds=np.ones(2, bool))
    with pytest.raises(FatalError, match="booleans"):
        batch.reset(worlds=np.array([0, 1, 1]))
    with pytest.raises(FatalError, match="no keyframe 5"):
        batch.reset(key=5)
    with pytest.raises(ValueError, match="not -1"):
        batch.step(-1)
    with pytest.raises(ValueError, match=r"ctrl, of shape \(3, 1\)"):
        batch.step(ctrl=[1.0, 2.0])
    with pytest.raises(FatalError, match=r"\(3, nstep, 1\), not \(4, 2, 1\)"):
        batch.rollout(np.zeros((4, 2, 1)))
    with pytest.raises(AttributeError, match=r"no field 'qposs'; did you mean 'qpos'\?"):
        _ = batch.qposs
    with pytest.raises(AttributeError, match=r"no field 'ctlr'; did you mean 'ctrl'\?"):
        batch.ctlr = 1.0
    with pytest.raises(AttributeError, match=r"no field 'ctlr'; did you mean 'ctrl'\?"):
        _ = batch.ctlr
    with pytest.raises(AttributeError, match="'nthread' of a batch cannot be set"):
        batch.nthread = 2
    with pytest.raises(AttributeError, match=r"no field 'efc_J'; only MjData keeps it"):
        _ = batch.efc_J
    with pytest.raises(FatalError, match="'xpos' of a batch cannot be set"):
        batch.xpos = 0.0
    with pytest.raises(ValueError, match="broadcast"):
        batch.qpos = np.zeros((5, 1))


# ---- invalid states, and many contacts


@compiled
@pytest.mark.parametrize("name", ["qpos", "qvel", "ctrl"])
def test_a_bad_world_is_bad_alone(name: str) -> None:
    """A NaN in one world resets that world, or clears its controls, with one warning and no effect on other worlds."""
    model = load("humanoid")
    good, bad = start(Batch(model, NWORLD, nthread=2)), start(Batch(model, NWORLD, nthread=2))
    good.step(10)
    bad.step(10)
    getattr(bad, name)[4, 0] = np.nan
    with pytest.warns(DivergenceWarning, match=r"in world \d+ of the batch") as caught:
        bad.step(1)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bad.step(20)
    good.step(21)
    others = np.arange(NWORLD) != 4
    np.testing.assert_allclose(state(bad)[others], state(good)[others], rtol=1e-9, atol=1e-9)
    assert np.isfinite(state(bad)).all()
    assert (bad.time[4] < good.time[4]) == (name != "ctrl")
    # warning counters are a group of fields, as in `MjData`
    assert "warning" in dir(bad) and bad.warning.number[4].any() and not bad.warning.number[others].any()
    assert np.array_equal(bad.warning.number, getattr(bad, "warning.number"))


@compiled
def test_a_warning_turned_into_an_error_loses_no_step() -> None:
    batch = Batch(load("cartpole"), NWORLD, nthread=2)
    batch.step(5)
    batch.ctrl[4] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DivergenceWarning):
            batch.step(5)
    np.testing.assert_allclose(batch.time, 10 * batch.model.opt.timestep)


@pytest.mark.plain
@pytest.mark.parametrize("nworld", [1, 9])
def test_models_without_dofs_or_controls(nworld: int) -> None:
    """A batch of a model without dofs or controls has empty arrays of the right shapes, and a step advances only the time."""
    text = '<mujoco><worldbody><geom size=".1"/><body mocap="true" pos="1 2 3"><geom size=".1"/></body></worldbody></mujoco>'
    batch = Batch(conjoint.MjModel.from_xml_string(text), nworld, nthread=1)
    batch.step(2)
    batch.reset(worlds=np.ones(nworld, bool))
    assert batch.qpos.shape == (nworld, 0) and batch.ctrl.shape == (nworld, 0) and batch.act.shape == (nworld, 0)
    np.testing.assert_array_equal(batch.mocap_pos, np.tile([[1.0, 2.0, 3.0]], (nworld, 1, 1)))


@compiled
@pytest.mark.parametrize("nthread", [1, 16])
def test_a_crowded_world_makes_room(nthread: int) -> None:
    """A world with many contacts enlarges only its thread's workspace, and all results equal those of single worlds."""
    model = load("pile")
    batch = Batch(model, 40, nthread=nthread)
    crowded = 37
    # all bodies are in the same place: hundreds of pairs penetrate each other
    batch.qpos.reshape(40, -1, 7)[crowded, :, :3] = [0.0, 0.0, 0.5]
    expected = alone(batch, 5)
    before = [space.nbytes for space in worlds_of(batch).work.spaces]
    batch.step(5)
    grown = [space.nbytes > room for space, room in zip(worlds_of(batch).work.spaces, before, strict=True)]
    assert sum(grown) == 1
    np.testing.assert_allclose(
        np.delete(batch.qpos, crowded, 0), np.delete(expected["qpos"], crowded, 0), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(batch.qpos[crowded], expected["qpos"][crowded], rtol=1e-5, atol=1e-5)


@pytest.mark.plain
def test_memory_of_a_world() -> None:
    """A world of a humanoid with 27 dofs needs less than 100 kB, so that a hundred thousand worlds fit into a server's memory."""
    batch = Batch(load("humanoid"), 64, nthread=1)
    assert batch.nbytes_per_world < 100e3
    # with many worlds, workspaces are small in comparison; those for single precision are wider
    batch = Batch(load("humanoid"), 2048, nthread=1)
    single = Batch(load("humanoid"), 2048, precision="float32", nthread=1)
    assert single.nbytes_per_world < batch.nbytes_per_world


# ---- uncompiled


PROGRAM = """
import sys, conjoint
from conjoint.batch import Batch
batch = Batch(conjoint.MjModel.from_xml_path(sys.argv[1]), 3, nthread=2)
batch.qvel = [[0.1 * (i + 1)] * batch.model.nv for i in range(3)]
batch.ctrl = 0.2
batch.step(3)
print(*[float(x).hex() for x in batch.qpos.ravel()])
"""


@compiled
@pytest.mark.parametrize("name", ["cartpole", "car"])
def test_an_uncompiled_batch_equals_a_compiled_one(name: str) -> None:
    path = str(FOLDER / f"{name}.xml")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, path],
        env={**os.environ, "CONJOINT_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    plain = np.array([float.fromhex(x) for x in done.stdout.split()]).reshape(3, -1)
    batch = Batch(load(name), 3, nthread=1)
    batch.qvel = [[0.1 * (i + 1)] * batch.model.nv for i in range(3)]
    batch.ctrl = 0.2
    batch.step(3)
    np.testing.assert_allclose(batch.qpos, plain, rtol=1e-10, atol=1e-10)


BOUNCING = """
<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 .09"><freejoint/><geom name="ball" size=".1" mass="1"/><site name="top" pos="0 0 .1"/></body>
</worldbody></mujoco>
"""


@pytest.mark.skipif(not jit_enabled(), reason="batches in lanes: compiled only")
def test_forward_dynamics_of_some_worlds() -> None:
    """`forward(worlds=...)` updates all results of the selected worlds and leaves the others bit-identical."""
    model = conjoint.MjModel.from_xml_string(BOUNCING)
    batch = Batch(model, 11, nthread=2, keep=["site_xpos"])
    batch.qpos[:, 2] += np.linspace(0, 0.05, 11)
    batch.step(3)
    before, sites = batch.snapshot(), batch.site_xpos
    some = np.arange(11) % 4 == 1
    batch.reset(worlds=some)
    batch.qpos[some, 2] = 0.5
    batch.forward(worlds=some)
    after = batch.snapshot()
    assert all(np.array_equal(after[name][~some], array[~some]) for name, array in before.items())
    assert np.array_equal(batch.site_xpos[~some], sites[~some]) and np.allclose(batch.site_xpos[some, 0, 2], 0.6)
    # the field is read for the first time
    assert np.allclose(batch.geom_xpos[some, 1, 2], 0.5)
    assert np.allclose(batch.geom_xpos[~some, 1, 2], sites[~some, 0, 2] - 0.1)
    batch.forward(worlds=[])
    batch.step()
    with pytest.raises(conjoint.FatalError, match="there is no world 11"):
        batch.forward(worlds=[11])


@pytest.mark.skipif(not jit_enabled(), reason="batches in lanes: compiled only")
def test_forces_on_bodies_are_those_of_the_post_constraint_pass() -> None:
    """A batch computes body forces only on request; calls without the request leave them unchanged, as with `MjData`."""
    model = conjoint.MjModel.from_xml_string(BOUNCING)
    batch, data = Batch(model, 5), conjoint.MjData(model)
    assert not batch.cfrc_ext.any()
    batch.step(2)
    assert not batch.cfrc_ext.any()
    batch.step(2, forces=True)
    conjoint.mj_step(model, data, 4)
    conjoint.mj_rnePostConstraint(model, data)
    assert np.abs(data.cfrc_ext).max() > 1
    for name in ("cfrc_ext", "cfrc_int", "cacc"):
        assert np.allclose(getattr(batch, name), getattr(data, name), rtol=0, atol=1e-9), name
    kept = batch.cfrc_ext
    batch.step()
    assert np.array_equal(batch.cfrc_ext, kept)
    batch.forward(forces=True)
    conjoint.mj_step(model, data)
    conjoint.mj_forward(model, data)
    conjoint.mj_rnePostConstraint(model, data)
    assert np.allclose(batch.cfrc_ext, data.cfrc_ext, rtol=0, atol=1e-9)
