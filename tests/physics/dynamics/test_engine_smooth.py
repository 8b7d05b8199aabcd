"""Fields of the smooth stages agree with MuJoCo's on models that use every feature of these stages."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from adopt import adopt_model, adopt_state
from conjoint.physics.actuation.forces import fwd_acceleration, fwd_actuation, transmit_forces
from conjoint.physics.actuation.muscle import muscle_actuation
from conjoint.physics.constraint.reactions import contact_forces
from conjoint.physics.dynamics.bias import external_forces, rne, rne_post
from conjoint.physics.dynamics.energy import energy_pos_enabled, energy_vel_enabled
from conjoint.physics.dynamics.velocity import com_vel, subtree_vel, transmission_velocity
from conjoint.physics.forces.passive import spring_dampers, sum_passive
from conjoint.physics.inertia_matrix.composite import make_M
from conjoint.physics.inertia_matrix.factors import factor_M
from conjoint.physics.motion.com import com_pos
from conjoint.physics.motion.kinematics import camlight, kinematics
from conjoint.physics.sensor.acceleration import sensor_acc
from conjoint.physics.sensor.position import sensor_pos
from conjoint.physics.sensor.velocity import sensor_vel
from conjoint.physics.tendon.paths import spatial_tendons, tendon, tendon_bias, tendon_paths
from conjoint.physics.tendon.wrap import wrap_geoms_3
from conjoint.physics.transmission.joints import transmission
from conjoint.runtime.position_stages import SITE_TRANSMISSION
from smooth_models import MODELS
from stages import run_stages
from tendon_models import TENDON_MODELS

TOLERANCE = 1e-11  # the same sums in another order

ALL = {**MODELS, **TENDON_MODELS}

TENDONS = (tendon, wrap_geoms_3, spatial_tendons, tendon_paths)
TRANSMISSIONS = (transmission, SITE_TRANSMISSION[0])
POSITION = (
    *(kinematics, com_pos, camlight),
    *TENDONS,
    *(make_M, factor_M),
    *TRANSMISSIONS,
    *(sensor_pos, energy_pos_enabled),
)
VELOCITY = (
    transmission_velocity,
    com_vel,
    spring_dampers,
    sum_passive,
    sensor_vel,
    energy_vel_enabled,
    rne,
    tendon_bias,
)
ACCELERATION = (fwd_actuation, muscle_actuation, transmit_forces, fwd_acceleration, subtree_vel)
AFTER_CONSTRAINT = (external_forces, contact_forces, rne_post, sensor_acc)

FIELDS = [
    "xpos",
    "xquat",
    "xmat",
    "xipos",
    "ximat",
    "xanchor",
    "xaxis",
    "geom_xpos",
    "geom_xmat",
    "site_xpos",
    "site_xmat",
    "cam_xpos",
    "cam_xmat",
    "light_xpos",
    "light_xdir",
    "subtree_com",
    "cdof",
    "cinert",
    "ten_length",
    "ten_wrapadr",
    "ten_wrapnum",
    "wrap_obj",
    "wrap_xpos",
    "actuator_length",
    "qM",
    "M",
    "crb",
    "qLD",
    "qLDiagInv",
    "energy",
    "ten_velocity",
    "actuator_velocity",
    "cvel",
    "cdof_dot",
    "qfrc_spring",
    "qfrc_damper",
    "qfrc_gravcomp",
    "qfrc_passive",
    "qfrc_bias",
    "act_dot",
    "actuator_force",
    "qfrc_actuator",
    "qfrc_smooth",
    "qacc_smooth",
    "subtree_linvel",
    "subtree_angmom",
]


def random_state(model: Any, seed: int) -> Any:
    """Return MuJoCo data in a random state with random inputs; quaternions are not normalized."""
    generator = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    data.time = 0.25
    for name, scale in (
        ("qpos", 0.4),
        ("qvel", 1.0),
        ("act", 0.7),
        ("ctrl", 2.0),
        ("qfrc_applied", 1.0),
        ("mocap_pos", 1.0),
    ):
        values = getattr(data, name)
        values[...] += scale * generator.standard_normal(values.shape)
    data.mocap_quat[...] = generator.standard_normal(data.mocap_quat.shape)
    data.xfrc_applied[...] = generator.standard_normal(data.xfrc_applied.shape) * (seed % 2)
    return data


def compare(ours: Any, theirs: Any, names: list[str], tolerance: float = TOLERANCE) -> None:
    """Check that fields agree; the error lists all that differ."""
    different = {}
    for name in names:
        a, b = np.asarray(getattr(ours, name), float).ravel(), np.asarray(getattr(theirs, name), float).ravel()
        error = np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)) if a.shape == b.shape else np.inf
        if not error <= tolerance:
            different[name] = error
    assert not different


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ALL)
def test_fields_equal_the_oracle(name: str, seed: int) -> None:
    """Every field of the smooth dynamics agrees with MuJoCo's in random states."""
    official_model = mujoco.MjModel.from_xml_string(ALL[name])
    official = random_state(official_model, seed)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    mujoco.mj_subtreeVel(official_model, official)
    run_stages(d.world, *POSITION, *VELOCITY, *ACCELERATION)
    compare(d, official, FIELDS)
    if name not in ("sites", "muscles"):
        # for these models, MuJoCo omits accidental zeros and stores rounding errors of zeros
        compare(d, official, ["moment_rownnz", "moment_rowadr"])
    moments, dense = np.zeros((m.nu, m.nv)), np.zeros((m.nu, m.nv))
    for target, data in ((dense, official), (moments, d)):
        mujoco.mju_sparse2dense(
            target, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
        )
    np.testing.assert_allclose(moments, dense, atol=TOLERANCE)


def test_masses_may_change_between_steps() -> None:
    """Centers of mass follow `body_mass` at once; `body_subtreemass` changes only with mj_setConst."""
    official_model = mujoco.MjModel.from_xml_string(ALL["sensors"])
    official_model.body_mass[:] *= np.linspace(0.5, 2.0, official_model.nbody)
    official = random_state(official_model, 0)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    mujoco.mj_subtreeVel(official_model, official)
    run_stages(d.world, *POSITION, *VELOCITY, *ACCELERATION)
    compare(d, official, FIELDS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["sensors", "via points", "wrapped tendons"])
def test_sensors_equal_the_oracle(name: str, seed: int) -> None:
    """Sensors of joints, actuators, tendons, frames and energy agree with MuJoCo, given its constraint rows and accelerations."""
    official_model = mujoco.MjModel.from_xml_string(ALL[name])
    official = random_state(official_model, seed)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    adopt_constraints(d, official)
    run_stages(d.world, *POSITION, *VELOCITY, *ACCELERATION)
    d.qacc[:] = official.qacc
    run_stages(d.world, *AFTER_CONSTRAINT)
    compare(d, official, ["sensordata"])
    mujoco.mj_rnePostConstraint(official_model, official)
    compare(d, official, ["cacc", "cfrc_int", "cfrc_ext"])


def adopt_constraints(d: Any, official: Any) -> None:
    """Copy the constraint rows of MuJoCo data without contacts."""
    assert official.ncon == 0
    d.world.grow(nefc=official.nefc)
    for name in ("efc_type", "efc_id", "efc_pos", "efc_margin", "efc_vel", "efc_force"):
        d.world.arena.view(name)[: official.nefc] = getattr(official, name)
    d.world.data.view("nefc")[...] = official.nefc
