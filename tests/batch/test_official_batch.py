"""`mujoco.batch.Batch` of newer versions: states, fields, varied models, errors and both execution modes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.compat.batch import DATA_FIELDS, MODEL_FIELDS, Batch, SimulationError
from conjoint.lang.calls.compiled import jit_enabled
from waiting import PATIENCE

CART = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="cart" pos="0 0 .1"><joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size=".1 .1 .05"/>
      <body name="pole"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".02"/></body>
    </body>
  </worldbody>
  <actuator><motor name="pull" joint="slide" gear="5000"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="start" qpos=".3 .5" ctrl=".1"/></keyframe>
</mujoco>"""
NSIM = 5


@pytest.fixture(scope="module")
def model() -> Any:
    return conjoint.MjModel.from_xml_string(CART)


def stepped(model: Any, batch: Batch, count: int) -> None:
    """Set different controls in each simulation of a batch, and step it."""
    batch.ctrl = np.linspace(-1, 1, batch.nsim)[:, None]
    batch.step(nstep=count)


def test_simulations_are_what_single_worlds_are(model: Any) -> None:
    """Simulations are bit-identical to single worlds on any number of threads, persistent or not."""
    for nthread, persistent in ((1, False), (3, False), (3, True)):
        batch = Batch(model, NSIM, nthread, persistent)
        xpos = batch.bind("xpos")
        batch.reset([1, 3], keyframe=0)
        stepped(model, batch, 4)
        for sim in range(NSIM):
            d = conjoint.MjData(model)
            conjoint.mj_resetDataKeyframe(model, d, 0 if sim in (1, 3) else -1)
            conjoint.mj_forward(model, d) if sim in (1, 3) else None
            d.ctrl = np.linspace(-1, 1, NSIM)[sim]
            conjoint.mj_step(model, d, 4)
            assert np.array_equal(batch.qpos[sim], d.qpos)
            assert np.array_equal(xpos[sim], d.xpos)
        batch.close()


@pytest.mark.skipif(not jit_enabled(), reason="there are no lanes")
def test_lanes_agree_with_worlds(model: Any) -> None:
    """Worlds in vector lanes agree with separate worlds to rounding, even with varied masses and options."""
    found = []
    for lanes in (False, True):
        batch = Batch(model, NSIM, 1, lanes=lanes)
        angle = batch.sensor("angle").data
        batch.body("pole").mass = np.linspace(0.5, 2, NSIM)[:, None]
        batch.expand("opt.gravity")[:, 2] = np.linspace(-5, -10, NSIM)
        batch.set_const()
        stepped(model, batch, 10)
        batch.step([0, 2], stage=2)
        batch.reset([4], stage=0)
        found.append((batch.state.copy(), angle.copy(), batch.rollout(3, record=("qvel",))["qvel"]))
    for one, other in zip(*found, strict=True):
        assert np.ptp(one) > 0.1
        # rounding grows when a pole falls; the two modes add in different orders
        assert np.allclose(one, other, atol=1e-9)


def test_constants_follow_when_they_are_asked_for(model: Any) -> None:
    """Edited model fields change derived constants only when `set_const` is called; until then, worlds do not run in lanes."""
    pole = model.body("pole").id
    batch = Batch(model, NSIM, 1, lanes=True)
    batch.expand("body_mass")[:, pole] = np.arange(1, NSIM + 1)
    assert batch.expanded("body_subtreemass") is None
    stepped(model, batch, 2)
    alone = Batch(model, NSIM, 1, lanes=False)
    alone.expand("body_mass")[:, pole] = np.arange(1, NSIM + 1)
    stepped(model, alone, 2)
    assert np.array_equal(batch.state, alone.state)
    batch.set_const()
    derived = batch.expanded("body_subtreemass")
    assert derived is not None
    assert np.array_equal(derived[:, pole], np.arange(1, NSIM + 1))
    assert batch.get_model(2).body_mass[pole] == 3


def test_every_field_has_a_row_for_each_simulation(model: Any) -> None:
    batch = Batch(model, NSIM, 1)
    assert all(batch.bind(name).shape[0] == NSIM for name in DATA_FIELDS)
    assert all(batch.expand(name).shape[0] == NSIM for name in MODEL_FIELDS)
    assert "contact" not in DATA_FIELDS
    assert "mesh_vert" not in MODEL_FIELDS


def test_models_of_the_program(model: Any) -> None:
    """After `set_models`, elements show the values of the caller's models, and `expand` raises an error."""
    heavy = [conjoint.MjModel.from_xml_string(CART.replace("5000", str(1000 * (i + 1)))) for i in range(NSIM)]
    batch = Batch(model, NSIM, 2)
    batch.set_models(heavy)
    assert np.array_equal(batch.actuator("pull").gear[:, 0], 1000 * np.arange(1, NSIM + 1))
    batch.ctrl = 1.0
    batch.step()
    assert np.ptp(batch.joint("slide").qvel) > 0.01
    with pytest.raises(conjoint.FatalError, match="caller models"):
        batch.expand("body_mass")
    with pytest.raises(ValueError, match="per simulation"):
        batch.set_models(heavy[1:])


def test_failures_leave_the_others_alone() -> None:
    light = conjoint.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint type='slide'/><geom size='1' contype='0'/></body></worldbody></mujoco>"
    )
    batch = Batch(light, 4, 2)
    batch.expand("body_mass")[:, 1] = 1, 0, 1, 0
    with pytest.raises(SimulationError, match=r"2 of 4 simulations \(1, 3\)") as error:
        batch.set_const()
    assert error.value.ids.tolist() == [1, 3]
    assert batch.status.tolist() == [0, 1, 0, 1]
    assert "0 mass" in batch.error(3)


REFUSED = [
    (lambda b: b.bind("body_mass"), ValueError, r"use expand\('body_mass'\)"),
    (lambda b: b.expand("xpos"), ValueError, r"use bind\('xpos'\)"),
    (lambda b: b.expand("mesh_vert"), ValueError, "asset data"),
    (lambda b: b.bind("qpso"), ValueError, "did you mean 'qpos'"),
    (lambda b: b.bind("efc_force"), ValueError, "arena"),
    (lambda b: b.step([2, 1]), ValueError, "got 2 before 1"),
    (lambda b: b.step([2**32]), ValueError, "in "),
    (lambda b: b.reset(keyframe=1), ValueError, "keyframe"),
    (lambda b: b.get_data(NSIM), IndexError, f"got {NSIM}"),
    (lambda b: setattr(b, "xpos", 0), ValueError, "computed by every call"),
    (lambda b: setattr(b.joint("hinge"), "qposadr", 0), ValueError, "structural"),
    (lambda b: b.joint("hinge").qpso, AttributeError, "did you mean 'qpos'"),
    (lambda b: b.actuator("pull").moment, AttributeError, "not a slice of a field"),
    (lambda b: b.rollout(1, record=("nope",)), ValueError, "nope"),
    (lambda b: b.rollout(2, record=("qpos",), out={"qpos": np.zeros((NSIM, 1, 2))}), ValueError, "shape"),
]


@pytest.mark.parametrize(("use", "kind", "text"), REFUSED)
def test_refused(model: Any, use: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        use(Batch(model, NSIM, 1))


def test_callbacks_of_python_are_refused(model: Any) -> None:
    batch = Batch(model, NSIM, 1)
    conjoint.set_mjcb_control(lambda m, d: None)
    try:
        with pytest.raises(ValueError, match="mjcb_control"):
            batch.step()
    finally:
        conjoint.set_mjcb_control(None)


def test_jacobians_and_rays(model: Any) -> None:
    """Jacobians and rays use the positions of the current states and leave the states unchanged."""
    batch = Batch(model, NSIM, 2)
    batch.qpos[:, 1] = np.linspace(-1, 1, NSIM)
    before, pole = batch.state.copy(), model.body("pole").id
    jacp, _ = batch.jac(pole, np.zeros(3))
    distance, geom, normal = batch.ray([0, -1, 0.12], [0, 1, 0], normal=True)
    assert np.array_equal(batch.state, before)
    d = conjoint.MjData(model)
    for sim in range(NSIM):
        d.qpos = batch.qpos[sim]
        conjoint.mj_kinematics(model, d)
        conjoint.mj_comPos(model, d)
        wanted, hit = np.zeros((3, model.nv)), np.zeros(1, np.int32)
        conjoint.mj_jac(model, d, wanted, None, np.zeros(3), pole)
        assert np.array_equal(jacp[sim], wanted)
        assert distance[sim, 0] == conjoint.mj_ray(model, d, [0, -1, 0.12], [0, 1, 0], None, 1, -1, hit)
        assert geom[sim, 0] == hit[0]
    assert (geom >= 0).any()
    assert np.allclose(np.linalg.norm(normal[geom >= 0], axis=-1), 1)


NAMED = """
import conjoint
conjoint.install_as_mujoco(version="4.0")
import mujoco
from mujoco import batch
import mujoco.batch
assert batch is mujoco.batch and batch.Batch.__module__ == "conjoint.compat.batch.batch"
assert conjoint.Batch is not batch.Batch
"""


def test_it_is_mujoco_batch_in_versions_that_have_it() -> None:
    subprocess.run([sys.executable, "-c", NAMED], check=True, timeout=PATIENCE)
    older = NAMED.replace("4.0", "3.16").split("assert")[0] + 'assert batch.Batch.__module__ == "conjoint.batch.batch"'
    subprocess.run([sys.executable, "-c", older], check=True, timeout=PATIENCE)
