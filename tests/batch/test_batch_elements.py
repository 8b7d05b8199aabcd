"""Named access to all worlds of a batch, and progress of long runs."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch

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
        # the batch shows what the last step computed, before it integrated
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
    batch.rollout(np.zeros((4, 5, 1)), progress=steps.append)
    assert steps == [1, 2, 3, 4]


def test_what_a_batch_has_is_listed(batch: Batch) -> None:
    """`dir`, which editors ask for, names the fields of the worlds, what varies and what finds elements."""
    assert {"qpos", "xpos", "ncon", "sensordata", "joint", "body_mass", "opt", "step"} <= {*dir(batch)}
    assert "geom_friction" not in dir(batch) and not any(re.match("_[^_]", name) for name in dir(batch))
    assert all(getattr(batch, name, None) is not None for name in dir(batch) if not name.startswith("__"))
    assert dir(batch.opt) == ["gravity"]


def test_notebooks_show_what_a_batch_is(batch: Batch) -> None:
    """How many worlds of what model, of which precision, at what time, what varies and what is kept."""
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
    for text in ("2, float32", "nothing", "<td>xpos</td>", "0 to 0.5 s", f"{kept.width} worlds in a block"):
        assert text in shown


def test_parts_of_a_batch_are_copied_with_it(batch: Batch) -> None:
    batch.opt.gravity[1] = 0, 0, -1
    for copied in (copy.deepcopy, lambda part: pickle.loads(pickle.dumps(part))):
        assert np.array_equal(copied(batch.opt).gravity, batch.opt.gravity)
        assert np.array_equal(copied(batch.joint(0)).qpos, batch.joint(0).qpos)
    assert copy.copy(batch.joint(0)).qpos.base is batch.joint(0).qpos.base
