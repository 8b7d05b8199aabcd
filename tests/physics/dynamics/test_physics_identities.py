"""Identities between results of stages hold for every model in the repository."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint


def random_state(model, seed=0):
    """Return data after steps from the last keyframe with random controls, with random velocities and forces added."""
    data = conjoint.MjData(model)
    generator = np.random.default_rng(seed)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, model.nkey - 1)
    for _ in range(100):
        data.ctrl[:] = generator.uniform(-0.2, 0.2, model.nu)
        conjoint.mj_step(model, data)
    data.qvel[:] += 0.1 * generator.standard_normal(model.nv)
    data.qfrc_applied[:] = generator.standard_normal(model.nv)
    conjoint.mj_forward(model, data)
    return data


@pytest.fixture
def model(model_path):
    loaded = conjoint.MjModel.from_xml_path(model_path)
    loaded.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_ENERGY)
    return loaded


def full_mass_matrix(model, data):
    """Return the joint-space inertia matrix (nv, nv), assembled from the rows of qM along ancestors."""
    matrix = np.zeros((model.nv, model.nv))
    for i in range(model.nv):
        entry, j = model.dof_Madr[i], i
        while j >= 0:
            matrix[i, j] = matrix[j, i] = data.qM[entry]
            entry, j = entry + 1, model.dof_parentid[j]
    return matrix


def test_the_mass_matrix_is_positive(model):
    assert np.linalg.eigvalsh(full_mass_matrix(model, random_state(model))).min() > 0


def test_kinetic_energy_is_half_the_square_of_velocity_in_the_mass_matrix(model):
    data = random_state(model)
    assert data.energy[1] == pytest.approx(0.5 * data.qvel @ full_mass_matrix(model, data) @ data.qvel, rel=1e-9)


def test_kinetic_energy_is_the_sum_over_bodies(model):
    data = random_state(model)
    velocity, omega = data.cvel[:, 3:], data.cvel[:, :3]
    velocity = velocity + np.cross(omega, data.xipos - data.subtree_com[model.body_rootid])
    local = np.einsum("bji,bj->bi", data.ximat.reshape(-1, 3, 3), omega)
    kinetic = 0.5 * (model.body_mass * (velocity**2).sum(axis=1) + (model.body_inertia * local**2).sum(axis=1)).sum()
    # armature belongs to joints, not to bodies
    kinetic += 0.5 * (model.dof_armature * data.qvel**2).sum()
    assert data.energy[1] == pytest.approx(kinetic, rel=1e-9)


def test_smooth_forces_are_inertia_times_smooth_acceleration(model):
    data = random_state(model)
    force = full_mass_matrix(model, data) @ data.qacc_smooth
    np.testing.assert_allclose(force, data.qfrc_smooth, atol=1e-9 * max(1, np.abs(data.qfrc_smooth).max()))


def test_forward_then_inverse_gives_back_the_applied_forces(model):
    # inverse dynamics reports the solver's residual as a force
    model.opt.tolerance = 0
    model.opt.iterations = 200
    data = random_state(model)
    conjoint.mj_inverse(model, data)
    applied = data.qfrc_applied + data.qfrc_actuator
    scale = max(1.0, np.abs(data.qfrc_constraint).max(initial=0))
    np.testing.assert_allclose(data.qfrc_inverse, applied, atol=1e-6 * scale)


def test_velocities_are_derivatives_of_positions(model):
    data = random_state(model)
    velocity = data.cvel[:, 3:] + np.cross(data.cvel[:, :3], data.xipos - data.subtree_com[model.body_rootid])
    lengths, rates = data.actuator_length.copy(), data.actuator_velocity.copy()
    tendon, tendon_rates = data.ten_length.copy(), data.ten_velocity.copy()
    before = data.xipos.copy()

    # one tiny Euler step moves positions along the velocity
    model.opt.timestep = 1e-7
    model.opt.integrator = conjoint.mjtIntegrator.mjINT_EULER
    conjoint.mj_step(model, data)
    conjoint.mj_forward(model, data)
    tolerance = 1e-5 * (1 + np.abs(data.qacc).max())
    np.testing.assert_allclose((data.xipos - before) / 1e-7, velocity, atol=tolerance)
    # a gear scales actuator lengths and their curvature
    gear = max(1.0, np.abs(model.actuator_gear).max(initial=0))
    np.testing.assert_allclose((data.actuator_length - lengths) / 1e-7, rates, atol=gear * tolerance)
    np.testing.assert_allclose((data.ten_length - tendon) / 1e-7, tendon_rates, atol=tolerance)
