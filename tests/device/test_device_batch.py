"""Batches on a device agree with lanes, and support the whole interface of `Batch`."""

from __future__ import annotations

import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch.batch import Batch
from conjoint.device import automatic_device
from conjoint.envs import BatchEnv
from conjoint.lang import FatalError, kernel
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from device.host_device import HostDevice
from places import ROOT

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="devices run machine code")

NWORLD = 70
"""Number of worlds in most tests, which fill one group of device threads and a part of the next."""

DEVICE = HostDevice()

FALLING = """
<mujoco>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <replicate count="9" offset="0.11 0 0">
      <body pos="0 0 0.06"><freejoint/><geom type="box" size="0.05 0.05 0.05"/></body>
    </replicate>
  </worldbody>
</mujoco>"""
"""Model of falling boxes, which get 36 contacts, more than the initial capacity."""


def load(name: str) -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_path(str(ROOT / "models" / f"{name}.xml"))


def started(model: conjoint.MjModel, nworld: int = NWORLD, **given: Any) -> Batch:
    """Return a batch with random velocities and controls; batches with equal numbers of worlds get equal values."""
    batch, generator = Batch(model, nworld, **given), np.random.default_rng(3)
    batch.qvel = 0.3 * generator.standard_normal(batch.qvel.shape)
    batch.ctrl = generator.uniform(-0.5, 0.5, batch.ctrl.shape)
    return batch


@pytest.mark.parametrize(("name", "precision"), [("humanoid", "float32"), ("quadruped", "float64")])
def test_threads_compute_the_bits_of_lanes(name: str, precision: str) -> None:
    model = load(name)
    here, there = (started(model, precision=precision, **given) for given in ({}, {"device": DEVICE}))
    for batch in (here, there):
        batch.step(12)
    assert here.ncon.max() > 0 or name == "humanoid"
    for field in ("qpos", "qvel", "xpos", "ncon", "sensordata", "time", "qfrc_constraint"):
        np.testing.assert_array_equal(getattr(there, field), getattr(here, field), err_msg=field)


def test_worlds_do_not_depend_on_their_number() -> None:
    model = load("quadruped")
    one, many = (started(model, nworld, device=DEVICE) for nworld in (1, NWORLD))
    one.qvel[:], one.ctrl[:] = many.qvel[0], many.ctrl[0]
    for batch in (one, many):
        batch.step(5)
    assert np.array_equal(one.qpos[0], many.qpos[0])


def test_memory_grows_and_the_step_is_taken_again() -> None:
    model = conjoint.MjModel.from_xml_string(FALLING)
    here, there = Batch(model, 3), Batch(model, 3, device=DEVICE)
    for batch in (here, there):
        batch.qpos[1, 2] += 0.5
        batch.step(40)
    assert here.ncon[0] == 36
    np.testing.assert_array_equal(there.ncon, here.ncon)
    np.testing.assert_array_equal(there.qpos, here.qpos)


def test_diverged_worlds_are_reset_and_named() -> None:
    batch = started(load("quadruped"), device=DEVICE)
    batch.step()
    batch.qvel[66, 0] = np.nan
    with pytest.warns(DivergenceWarning, match="world 66") as caught:
        batch.step(2)
    assert caught[0].message.worlds == (66,)
    assert np.isfinite(batch.qpos).all() and batch.time[66] < batch.time[0]


def test_fields_come_home_when_they_are_read() -> None:
    model = load("humanoid")
    batch = started(model, 3, device=DEVICE)
    held = batch.qpos
    batch.step(3)
    first = held.copy()
    data = batch.get_data(1)
    assert np.array_equal(data.qpos, first[1]) and data.time == batch.time[1]
    kept = batch.snapshot()
    batch.step(2)
    assert not np.array_equal(held, first)
    batch.restore(kept)
    assert np.array_equal(batch.qpos, first)
    batch.reset(worlds=[2])
    batch.forward(worlds=[2])
    assert batch.time.ravel()[2] == 0 and batch.time.ravel()[0] > 0


def test_worlds_may_differ_in_their_models() -> None:
    """Worlds with varied model fields and derived constants have the bits of CPU lanes, before and after a reset."""
    model, vary = load("quadruped"), ["body_mass", "geom_friction", "opt.gravity", "qpos0"]
    batches = [Batch(model, NWORLD, precision="float32", vary=vary, **given) for given in ({}, {"device": DEVICE})]
    for batch in batches:
        generator = np.random.default_rng(0)
        batch.body_mass *= generator.uniform(0.8, 1.2, (NWORLD, 1))
        batch.opt.gravity[:, 0] = generator.uniform(-1, 1, NWORLD)
        batch.qpos0[:, 2] += 0.1
        batch.step(5)
        batch.geom_friction[:, :, 0] *= generator.uniform(0.5, 1, (NWORLD, 1))
        batch.qvel[3, 0] = np.nan
        with pytest.warns(DivergenceWarning, match="world 3"):
            batch.step(2)
        batch.reset(worlds=[5])
        batch.step()
    for field in ("qpos", "qvel", "xpos", "sensordata"):
        np.testing.assert_array_equal(getattr(batches[1], field), getattr(batches[0], field), err_msg=field)


@kernel
def wind(m, d):
    """Push free bodies along x, more strongly at greater heights."""
    for b in range(1, m.nbody):
        if m.body_dofnum[b] == 6:
            i = m.body_dofadr[b]
            d.qfrc_passive[i] += 0.5 * d.xipos[b].z - 0.1 * d.qvel[i]


def test_users_kernels_run_on_devices() -> None:
    """Users' kernels run on the device; Python callbacks are refused with an error that names them."""
    model = load("quadruped")
    conjoint.set_mjcb_passive(wind)
    try:
        here, there = (started(model, 3, **given) for given in ({}, {"device": DEVICE}))
        for batch in (here, there):
            batch.step(5)
    finally:
        conjoint.mj_resetCallbacks()
    np.testing.assert_array_equal(there.qpos, here.qpos)
    assert abs(here.qvel[0, 0] - started(model, 3).qvel[0, 0]) > 1e-4
    other = started(model, 3, device=DEVICE)
    conjoint.set_mjcb_passive(lambda m, d: None)
    try:
        with pytest.raises(FatalError, match="mjcb_passive"):
            other.step()
    finally:
        conjoint.mj_resetCallbacks()


@pytest.mark.parametrize("vary", [(), ("geom_rgba", "body_mass")])
def test_rays_of_devices_see_what_the_cpu_sees(vary: tuple[str, ...]) -> None:
    """Camera images and lidar distances are equal to the bit on the device and the CPU, even if models vary between worlds."""
    model = load("rover")
    here, there = (started(model, 66, vary=vary, **given) for given in ({}, {"device": DEVICE}))
    rays = np.array([[1.0, 0, -0.3], [0, 1, -1], [0.2, 0.1, 1]])
    for batch in (here, there):
        if vary:
            batch.geom_rgba[:, :, 0] = np.random.default_rng(2).uniform(0, 1, (66, model.ngeom))
        batch.step(3)
    images = [batch.render(-1, 12, 8, ["color", "depth", "segmentation", "normal"]) for batch in (here, there)]
    for one, other in zip(*images, strict=True):
        np.testing.assert_array_equal(other, one)
    assert len({image.tobytes() for image in images[0][0]}) > 60 or not vary
    for one, other in zip(*(batch.lidar(0, rays, geomid=True) for batch in (here, there)), strict=True):
        np.testing.assert_array_equal(other, one)
    for batch in (here, there):
        if vary:
            batch.body_mass *= 1.5
        batch.step(2)
    np.testing.assert_array_equal(there.qpos, here.qpos)
    np.testing.assert_array_equal(there.render(0, 9, 5, "depth"), here.render(0, 9, 5, "depth"))


@pytest.mark.parametrize("name", ["quadruped", "cartpole", "hammock"])
def test_derivatives_on_devices_agree_with_the_cpu(name: str) -> None:
    """Derivatives with respect to states and controls agree with the CPU to rounding, including at contacts and bounds."""
    model = load(name)
    here, there = (started(model, 3, **given) for given in ({}, {"device": DEVICE}))
    for batch in (here, there):
        batch.step(30 if name == "quadruped" else 3)
        if model.nu:
            batch.ctrl[1, 0] = model.actuator_ctrlrange[0, 1]
    names = [n for n in ("qpos", "qvel", "ctrl") if getattr(here, n).size]
    outputs = ["qpos", "qvel", *["sensordata"] * bool(model.nsensordata), "xquat"]
    if name == "hammock":
        names, outputs = ["qvel"], ["qvel"]
    found = [batch.jacobian(outputs, names) for batch in (here, there)]
    for output in outputs:
        for given in names:
            one, other = found[0][output][given], found[1][output][given]
            np.testing.assert_allclose(other, one, rtol=0, atol=1e-9 * max(1, np.abs(one).max()), err_msg=output)
    if name == "hammock":
        return
    generator = np.random.default_rng(0)
    directions = {"qvel": generator.standard_normal((3, 2, model.nv))}
    cotangents = {"qpos": generator.standard_normal((3, model.nv))}
    for method, given, others in (("jvp", directions, ["qpos"]), ("vjp", cotangents, ["qvel"])):
        one, other = (getattr(batch, method)(given, others)[others[0]] for batch in (here, there))
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-9 * max(1, np.abs(one).max()), err_msg=method)
    for one, other in zip(*(conjoint.derivative.transition(batch) for batch in (here, there)), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-9 * max(1, np.abs(one).max(initial=0)))
    by_mass = [batch.jacobian(["qvel"], ["body_mass"])["qvel"]["body_mass"] for batch in (here, there)]
    np.testing.assert_array_equal(by_mass[1], by_mass[0])
    there.qvel[2, 0] = np.nan
    with pytest.raises(FatalError, match=r"world 2: qvel\[0\] is nan"):
        there.jacobian(["qvel"], ["qvel"])


def test_environments_step_on_devices() -> None:
    """A vector environment on a device returns the observations and rewards of the CPU, even with random model parameters."""
    given: dict[str, Any] = {"precision": "float32", "randomize": {"body_mass": (0.9, 1.1)}}
    here, there = (BatchEnv("cartpole", 3, device=device, **given) for device in ("cpu", DEVICE))
    found = []
    for env in (here, there):
        env.reset(seed=1)
        found.append([env.step(np.full(env.action_space.shape, 0.3)) for _ in range(4)])
        env.close()
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


def test_automatic_devices_are_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name "auto" selects a CUDA device before an OpenCL device, and the CPU if there is no GPU."""
    opencl, cuda = (types.ModuleType(f"conjoint.device.{name}") for name in ("opencl", "cuda"))
    opencl.gpu_count, cuda.device_count = (lambda: 1), (lambda: 0)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "conjoint.device.opencl", opencl)
    monkeypatch.setitem(sys.modules, "conjoint.device.cuda", cuda)
    assert automatic_device() == "opencl"
    cuda.device_count = lambda: 1  # type: ignore[attr-defined]
    assert automatic_device() == "cuda"
    cuda.device_count = opencl.gpu_count = lambda: 0  # type: ignore[attr-defined]
    assert automatic_device() == "cpu"
    assert Batch(load("cartpole"), 1, device="auto").device == "cpu"


CHAIN = """
<mujoco>
  <option><flag {flag}="enable"/></option>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <replicate count="{count}" offset="0 0.3 0">
      <body pos="0 0 0.051"><freejoint/><geom size="0.05"/></body>
    </replicate>
  </worldbody>
</mujoco>"""
"""Model of balls that fall onto a plane; the number of balls and the flag to enable are inserted."""


@pytest.mark.parametrize(("count", "flag"), [(3, "island"), (3, "sleep"), (34, "fwdinv")])
def test_worlds_that_step_one_by_one_on_the_cpu_step_on_a_device(count: int, flag: str) -> None:
    """Models with islands, sleeping trees or over 200 degrees of freedom compute the same results as on the CPU."""
    model = conjoint.MjModel.from_xml_string(CHAIN.format(count=count, flag=flag))
    here, there = (started(model, 2, **given) for given in ({}, {"device": DEVICE}))
    for batch in (here, there):
        batch.qvel *= 0.01
        batch.step(60)
    assert here.ncon.max() == count
    np.testing.assert_array_equal(there.ncon, here.ncon)
    np.testing.assert_allclose(there.qpos, here.qpos, rtol=0, atol=1e-9)
    with pytest.raises(FatalError, match="leave out vary"):
        Batch(model, 2, device=DEVICE, vary=["body_mass"])


def test_rollouts_and_contacts() -> None:
    model = load("quadruped")
    controls = np.random.default_rng(1).uniform(-1, 1, (3, 6, model.nu))
    here, there = Batch(model, 3), Batch(model, 3, device=DEVICE)
    found = [batch.rollout(controls, record=["qpos", "sensordata"]) for batch in (here, there)]
    for field in ("qpos", "sensordata"):
        np.testing.assert_array_equal(found[1][field], found[0][field])
    a, b = here.contact(1), there.contact(1)
    assert len(a) == len(b) and np.array_equal(a.pos, b.pos)


def test_other_libraries_read_and_write_memory_of_the_device() -> None:
    """Controls written on the device take effect, states can be read there, and host arrays remain consistent with both."""
    model = load("quadruped")
    here, there = (started(model, NWORLD, **given) for given in ({}, {"device": DEVICE}))
    controls = np.random.default_rng(5).uniform(-1, 1, (NWORLD, model.nu))
    shared = np.from_dlpack(there.on_device("ctrl"))
    assert shared.shape == (2, 64, model.nu)
    np.testing.assert_array_equal(shared.reshape(128, -1)[:NWORLD], here.ctrl)
    padded = np.zeros((128, model.nu))
    padded[:NWORLD] = here.ctrl[:] = controls
    shared[...] = padded.reshape(shared.shape)
    for batch in (here, there):
        batch.step(3)
    position, rotation = (np.from_dlpack(there.on_device(name)) for name in ("qpos", "xmat"))
    np.testing.assert_array_equal(position.reshape(128, -1)[:NWORLD], here.qpos)
    np.testing.assert_array_equal(rotation.reshape(128, *rotation.shape[2:])[:NWORLD], here.xmat)
    np.testing.assert_array_equal(there.ctrl, controls)
    # an array that was read before its memory is shared follows later steps, so a write to it changes one world only
    held = there.qvel
    there.on_device("qvel")
    for batch in (here, there):
        batch.step(2)
    np.testing.assert_array_equal(held, here.qvel)
    held[1, 0] += 0.1
    here.qvel[1, 0] += 0.1
    for batch in (here, there):
        batch.step(2, -controls)
    np.testing.assert_array_equal(there.qpos, here.qpos)
    with pytest.raises(FatalError, match=r"use the NumPy array batch\.qpos"):
        here.on_device("qpos")


def test_copies_stay_on_the_device() -> None:
    batch = started(load("cartpole"), 3, device=DEVICE)
    batch.step(2)
    copied = pickle.loads(pickle.dumps(batch))
    assert isinstance(copied.device, HostDevice)
    for one in (batch, copied):
        one.step(2)
    assert np.array_equal(batch.qpos, copied.qpos)


def test_devices_that_are_not_there_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match="the name of a device or a device, not 3"):
        Batch(load("cartpole"), 2, device=3)
    with pytest.raises(ValueError, match=r"device must be one of 'cpu', 'auto', 'cuda', 'opencl'.*not 'gpu'"):
        Batch(load("cartpole"), 2, device="gpu")
