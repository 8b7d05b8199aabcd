"""Named elements of a batch, single worlds of a batch, and progress of rollouts."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

MODEL = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 1"><freejoint name="root"/><geom name="cube" size=".1 .1 .1" type="box"/></body>
    <body name="arm" pos="1 0 1">
      <joint name="hinge" axis="0 1 0"/><geom size=".1"/>
      <body name="hand" pos=".3 0 0"><joint name="ball" type="ball"/><geom size=".1"/><site name="tip"/></body>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
  <sensor><framepos name="place" objtype="site" objname="tip"/></sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def batch() -> Batch:
    batch = Batch(conjoint.MjModel.from_xml_string(MODEL), 5, vary=["body_mass", "opt.gravity"])
    batch.qvel[:] = np.random.default_rng(0).standard_normal(batch.qvel.shape)
    batch.step(3)
    return batch


@pytest.mark.parametrize(
    ("kind", "name", "attribute"),
    [
        ("body", "hand", "xpos"), ("body", "hand", "xquat"), ("geom", "cube", "xmat"), ("site", "tip", "xpos"),
        ("joint", "root", "qpos"), ("joint", "root", "qvel"), ("joint", "ball", "qpos"), ("jnt", "hinge", "qacc"),
        ("sensor", "place", "data"), ("body", "box", "subtree_com"), ("actuator", "motor", "force"),
    ],
)  # fmt: skip
def test_an_element_has_what_single_worlds_have(batch: Batch, kind: str, name: str, attribute: str) -> None:
    found = getattr(getattr(batch, kind)(name), attribute)
    for world in range(batch.nworld):
        data = batch.get_data(world)
        conjoint.mj_forward(data.model, data)
        # results of a batch after a step are those before integration
        shown = np.shape(getattr(getattr(data, kind)(name), attribute))
        assert np.atleast_1d(found[world]).shape == shown
    batch.forward()
    found = getattr(getattr(batch, kind)(name), attribute)
    for world in range(batch.nworld):
        data = batch.get_data(world)
        conjoint.mj_forward(data.model, data)
        assert np.allclose(found[world], getattr(getattr(data, kind)(name), attribute), rtol=0, atol=1e-9)


def test_state_inputs_and_what_varies_are_written_in_place(batch: Batch) -> None:
    batch.joint("hinge").qpos = np.arange(5.0)[:, None]
    assert (batch.qpos[:, 7] == np.arange(5.0)).all()
    batch.joint("root").qpos[:, 2] += 1.0
    assert (batch.qpos[:, 2] > 1.5).all()
    batch.actuator("motor").ctrl = 0.25
    assert (batch.ctrl == 0.25).all()
    batch.body("arm").mass = [1, 2, 3, 4, 5]
    assert batch.body_mass[:, 2].tolist() == [1, 2, 3, 4, 5]
    assert batch.get_model(3).body("arm").mass == 4
    assert batch.body(2).name == "arm" and batch.body("arm").id == 2


def test_what_is_no_element_is_told(batch: Batch) -> None:
    with pytest.raises(KeyError, match="Invalid name 'leg'"):
        batch.body("leg")
    with pytest.raises(IndexError, match="Invalid index 7"):
        batch.geom(7)
    with pytest.raises(AttributeError, match="'arm' has no attribute 'xpoz'; did you mean 'xpos'"):
        _ = batch.body("arm").xpoz
    with pytest.raises(conjoint.FatalError, match="'xpos' of a batch cannot be set"):
        batch.body("arm").xpos = 0
    with pytest.raises(AttributeError, match=r"worlds share that of the model, unless .* vary=\['geom_friction'\]"):
        _ = batch.geom("cube").friction


def test_progress_of_a_rollout_is_told(batch: Batch) -> None:
    steps: list[int] = []
    batch.rollout(np.zeros((5, 4, 1)), progress=steps.append)
    assert steps == [1, 2, 3, 4]


def test_what_a_batch_has_is_listed(batch: Batch) -> None:
    """`dir(batch)` lists world fields, varied fields and element accessors, so that editors can complete them."""
    assert {"qpos", "xpos", "ncon", "sensordata", "joint", "body_mass", "opt", "step"} <= {*dir(batch)}
    assert "geom_friction" not in dir(batch) and not any(re.match("_[^_]", name) for name in dir(batch))
    assert all(getattr(batch, name, None) is not None for name in dir(batch) if not name.startswith("__"))
    assert dir(batch.opt) == ["gravity"]


def test_notebooks_show_what_a_batch_is(batch: Batch) -> None:
    """The notebook view shows a batch's worlds, model, precision, time, varied fields and kept fields."""
    varied = Batch(batch.model, 5, vary=["body_mass", "opt.gravity"], keep=[])
    varied.time[:] = 0.25
    shown = varied._repr_html_()
    for text in (
        "5, float64",
        "body_mass, opt.gravity",
        "<td>the state</td>",
        f"{varied.nthread} threads",
        "<td>0.25 s",
    ):
        assert text in shown
    kept = Batch(batch.model, 2, precision="float32", keep=["xpos"])
    kept.time[1] = 0.5
    shown = kept._repr_html_()
    for text in ("2, float32", "nothing", "<td>xpos</td>", "0 to 0.5 s", f"{kept.lanes} worlds in a block"):
        assert text in shown


def test_parts_of_a_batch_are_copied_with_it(batch: Batch) -> None:
    batch.opt.gravity[1] = 0, 0, -1
    for copied in (copy.deepcopy, lambda part: pickle.loads(pickle.dumps(part))):
        assert np.array_equal(copied(batch.opt).gravity, batch.opt.gravity)
        assert np.array_equal(copied(batch.joint(0)).qpos, batch.joint(0).qpos)
    assert copy.copy(batch.joint(0)).qpos.base is batch.joint(0).qpos.base


def test_one_world_of_a_batch_is_as_a_single_world(batch: Batch) -> None:
    """A world of a batch has the attributes of `MjData`; its writable arrays share the batch's memory."""
    batch.step(ctrl=np.linspace(-1, 1, 5)[:, None])
    assert len(batch) == 5 and [world.number for world in batch] == [0, 1, 2, 3, 4]
    world, data = batch[-2], batch.get_data(3)
    conjoint.mj_forward(data.model, data)
    assert world.time == data.time and isinstance(world.time, float) and world.ncon == data.ncon
    assert np.shares_memory(world.qpos, batch.qpos) and np.array_equal(world.qpos, data.qpos)
    assert np.array_equal(world.xpos, batch.xpos[3]) and np.array_equal(world.warning.number, np.zeros(8))
    assert np.array_equal(world.model.body_mass, batch.body_mass[3])
    assert len(world.contact) == len(batch.contact(3))
    world.qpos = 0.25
    world.qvel[0] += 1.0
    world.time = 2.5
    world.body_mass[1] = 7.0
    world.opt.gravity = 0, 0, -1
    world.joint(0).qvel = 3.0
    assert (batch.qpos[3] == 0.25).all() and batch.time.tolist()[2:] == [batch.time[0], 2.5, batch.time[0]]
    assert (
        batch.body_mass[3, 1] == 7.0
        and batch.opt.gravity[3].tolist() == [0, 0, -1]
        and (batch.joint(0).qvel[3] == 3).all()
    )
    assert {"qpos", "xpos", "joint", "contact", "number"} <= {*dir(world)}
    assert np.array_equal(pickle.loads(pickle.dumps(world)).qpos, world.qpos)


@pytest.mark.parametrize(
    ("use", "kind", "text"),
    [
        (lambda b: b[5], IndexError, "no world 5: the batch has 5"),
        (lambda b: b[1:3], TypeError, r"rows of a field are batch.qpos\[2:5\]"),
        (lambda b: b["qpos"], TypeError, "selected by its number, not by 'qpos'"),
        (lambda b: b[0].qpso, AttributeError, "did you mean 'qpos'"),
        (lambda b: b[0].step, AttributeError, "a world of a batch has no attribute 'step'"),
        (lambda b: setattr(b[0], "xpos", 1.0), ValueError, "'xpos' of a batch cannot be set"),
        (lambda b: setattr(b[0], "qpso", 1.0), AttributeError, "did you mean 'qpos'"),
        (lambda b: b[0].xpos.fill(1.0), ValueError, "read-only"),
    ],
)
def test_what_is_no_world_is_refused(
    batch: Batch, use: Callable[[Batch], Any], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=text):
        use(batch)


def test_a_batch_ends_with_its_statement(batch: Batch) -> None:
    with Batch(batch.model, 2, nthread=2) as made:
        made.step(2)
    assert (made.time > 0).all()


def test_random_starts_follow_from_the_seed_and_the_world(batch: Batch) -> None:
    """Random initial states depend only on the seed and the world's index."""
    few, many = Batch(batch.model, 3), Batch(batch.model, 7, precision="float32")
    few.step(5)
    few.reset(seed=4)
    many.reset(seed=4)
    assert np.allclose(many.qpos[:3], few.qpos, atol=1e-6) and np.allclose(many.qvel[:3], few.qvel, atol=1e-6)
    assert np.ptp(few.qpos, axis=0).min() > 0 and np.abs(few.qvel).max() < 0.1 and not few.time.any()
    before = few.qpos.copy()
    few.reset(seed=5, worlds=[1])
    assert np.array_equal(few.qpos[[0, 2]], before[[0, 2]]) and not np.array_equal(few.qpos[1], before[1])
    few.reset(seed=4, noise=0.0)
    assert not few.qvel.any()
    with pytest.raises(ValueError, match=r"seed must be .* not -1"):
        few.reset(seed=-1)


@pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")
def test_derivatives_of_a_batch_are_its_methods(batch: Batch) -> None:
    few = Batch(batch.model, 2)
    whole = few.jacobian(["qvel"], ["ctrl"])["qvel"]["ctrl"]
    nv, nu = batch.model.nv, batch.model.nu
    assert whole.shape == (2, nv, nu) and np.abs(whole).max() > 0
    assert np.allclose(few.jvp({"ctrl": np.ones((2, nu))}, ["qvel"])["qvel"], whole.sum(axis=2))
    assert np.allclose(few.vjp({"qvel": np.ones((2, nv))}, ["ctrl"])["ctrl"], whole.sum(axis=1))
