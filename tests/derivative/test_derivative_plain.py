"""Derivatives work in uncompiled kernels, with a Python class of dual numbers that debuggers can step through."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import conjoint as mj
from conjoint.derivative import jacobian, mjd_transition
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.plain

PENDULUM = """
<mujoco>
  <option integrator="{}"/>
  <worldbody>
    <body>
      <joint name="hinge" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".02" fromto="0 0 0 0 0 -1"/>
      <body pos="0 0 -1"><joint type="ball" damping=".02"/><geom type="box" size=".1 .2 .05"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="hinge" gear="2"/></actuator>
  <sensor><jointpos joint="hinge"/><jointvel joint="hinge"/></sensor>
</mujoco>"""
BALL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 .0985"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>"""
MODELS = {"Euler": PENDULUM.format("Euler"), "implicitfast": PENDULUM.format("implicitfast"), "contact": BALL}

COMPARED = ("Euler", "contact")
"""Models whose derivatives are compared with those of compiled kernels. More models would only add compilation time."""


def moved(xml: str) -> tuple[mj.MjModel, mj.MjData]:
    """Return a model and its data in motion."""
    m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    d.qvel[:] = 0.3 * np.random.default_rng(0).standard_normal(m.nv)
    d.ctrl[:] = 0.3
    mj.mj_step(m, d)
    return m, d


def matrices(m: mj.MjModel) -> list[np.ndarray]:
    """Return empty matrices A, B, C and D."""
    nx = 2 * m.nv + m.na
    return [np.zeros(shape) for shape in ((nx, nx), (nx, m.nu), (m.nsensordata, nx), (m.nsensordata, m.nu))]


def exact(xml: str) -> list[np.ndarray]:
    """Return the exact matrices A, B, C and D, and the derivatives of the next velocity with respect to the timestep."""
    m, d = moved(xml)
    found = matrices(m)
    mjd_transition(m, d, *found)
    return [*found, jacobian(m, d, ("qvel",), ("opt.timestep",))["qvel"]["opt.timestep"]]


@pytest.mark.skipif(jit_enabled(), reason="tests of derivatives compare those of compiled kernels")
@pytest.mark.parametrize("name", MODELS)
def test_uncompiled_derivatives_agree_with_differences(name: str) -> None:
    m, d = moved(MODELS[name])
    found, differences = matrices(m), matrices(m)
    kept = d.qpos.copy(), d.qvel.copy()
    mjd_transition(m, d, *found)
    assert (d.qpos == kept[0]).all() and (d.qvel == kept[1]).all()
    mj.mjd_transitionFD(m, d, 1e-5, 1, *differences)
    for one, other in zip(found, differences, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7)


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_compiled_and_uncompiled_derivatives_are_the_same() -> None:
    code = (
        "import json, test_derivative_plain as t;"
        "print(json.dumps([[x.tolist() for x in t.exact(t.MODELS[name])] for name in t.COMPARED]))"
    )
    folder = os.path.dirname(__file__)
    environment = {**os.environ, "CONJOINT_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, uncompiled in zip(COMPARED, json.loads(done.stdout), strict=True):
        for one, other in zip(exact(MODELS[name]), uncompiled, strict=True):
            np.testing.assert_allclose(np.reshape(other, one.shape), one, rtol=1e-11, atol=1e-11, err_msg=name)
