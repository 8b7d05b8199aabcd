"""Bad states and hard scenes cause documented warnings and errors, as in MuJoCo, but never a crash."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import conjoint
from places import ROOT
from refusals import refused_by_both

HUMANOID = str(ROOT / "models" / "humanoid.xml")

HEAP = "".join(
    f'<body pos="{0.05 * (i % 7):g} {0.05 * (i // 7 % 7):g} {0.1 + 0.05 * (i // 49):g}"><freejoint/>'
    f'<geom type="{("sphere", "capsule")[i % 2]}" size="0.06 0.03" condim="1"/></body>'
    for i in range(100)
)
"""Bodies of a model: a hundred bodies in the volume of ten."""


def spoil_position(data):
    data.qpos[8] = math.nan


def spoil_position_by_size(data):
    data.qpos[1] = 1e12


def spoil_velocity(data):
    data.qvel[:] = 1e12


def spoil_velocity_by_nan(data):
    data.qvel[3] = math.inf


def spoil_control(data):
    data.ctrl[2] = math.nan


def spoil_force(data):
    data.qfrc_applied[4] = math.nan


SPOILERS = [
    spoil_position, spoil_position_by_size, spoil_velocity, spoil_velocity_by_nan, spoil_control, spoil_force,
]  # fmt: skip


def run_spoiled(package, spoil, steps=3):
    """Return data after five good steps, an invalid state or input, and some more steps."""
    model = package.MjModel.from_xml_path(HUMANOID)
    data = package.MjData(model)
    for _ in range(5):
        package.mj_step(model, data)
    spoil(data)
    for _ in range(steps):
        package.mj_step(model, data)
    return data


@pytest.fixture(autouse=True)
def oracle_logs_elsewhere(tmp_path, monkeypatch):
    """Change the working directory, because MuJoCo writes a log file there."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("spoil", SPOILERS)
@pytest.mark.filterwarnings("ignore::conjoint.lang.errors.DivergenceWarning")
def test_a_bad_state_is_met_as_the_oracle_meets_it(spoil):
    data, official = run_spoiled(conjoint, spoil), run_spoiled(mujoco, spoil)
    assert [w.number for w in data.warning] == [w.number for w in official.warning]
    assert sum(w.number for w in data.warning) > 0
    assert data.time == pytest.approx(official.time)
    np.testing.assert_allclose(data.qpos, official.qpos, atol=1e-5)
    assert np.isfinite(data.qvel).all()


@pytest.mark.filterwarnings("ignore::conjoint.lang.errors.DivergenceWarning")
def test_without_automatic_reset_the_warning_comes_alone():
    model = conjoint.MjModel.from_xml_path(HUMANOID)
    model.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_AUTORESET)
    data = conjoint.MjData(model)
    for _ in range(5):
        conjoint.mj_step(model, data)
    data.qvel[0] = math.nan
    conjoint.mj_step(model, data)
    assert data.warning[conjoint.mjtWarning.mjWARN_BADQVEL].number > 0
    assert data.time > 0.02


@pytest.mark.parametrize("inertial", ["", '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>'])
def test_a_moving_body_without_mass_is_refused(inertial):
    xml = f"""
        <mujoco><worldbody>
          <body name="feather"><freejoint/>{inertial}<geom size="0.1" mass="0"/></body>
        </worldbody></mujoco>
    """
    refused_by_both(xml, words="feather")


def heap(package):
    """Return a model of many penetrating bodies, and its data after `mj_forward`."""
    model = package.MjModel.from_xml_string(
        f'<mujoco><option iterations="5"/><worldbody><geom type="plane" size="0 0 1"/>{HEAP}</worldbody></mujoco>'
    )
    data = package.MjData(model)
    package.mj_forward(model, data)
    return model, data


def test_no_contact_is_lost_where_bodies_overlap_by_the_hundred():
    model, data = heap(conjoint)
    _, official = heap(mujoco)
    assert official.ncon > 500
    assert data.ncon == official.ncon
    pairs, official_pairs = (sorted(tuple(map(int, c.geom)) for c in d.contact) for d in (data, official))
    assert pairs == official_pairs
    assert data.warning[conjoint.mjtWarning.mjWARN_CONTACTFULL].number == 0
    for _ in range(3):
        conjoint.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
