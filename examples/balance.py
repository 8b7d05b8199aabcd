"""A humanoid balances on its left leg with a linear-quadratic regulator, computed by finite differences of a step.

    python examples/balance.py --seconds 10

Least squares find a pose with the center of mass above the foot, the sole flat and the other leg lifted. Inverse
dynamics gives the controls that hold the pose. The regulator is that of the linearized step (Anderson and Moore,
Optimal Control: Linear Quadratic Methods, 1990).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.linalg import solve_discrete_are
from scipy.optimize import root_scalar

import conjoint
from conjoint.minimize import Verbosity, least_squares

MODEL = Path(__file__).parent.parent / "models" / "humanoid.xml"
ROOT = 6
"""Number of dofs of the free joint; in qpos, this joint has one number more."""


def pose_on_one_leg(m: conjoint.MjModel, d: conjoint.MjData) -> np.ndarray:
    """Return qpos of a humanoid that is in balance on its left foot; `at_rest` adjusts its height."""
    conjoint.mj_resetDataKeyframe(m, d, m.key("stand").id)
    start = d.qpos.copy()
    wanted = start[ROOT + 1 :].copy()
    for joint, angle in (("hip_lift_right", 0.7), ("knee_right", 1.2), ("hip_spread_right", 0.1)):
        wanted[m.joint(joint).qposadr[0] - ROOT - 1] = angle

    def residual(points: np.ndarray) -> np.ndarray:
        columns = []
        for point in points.T:
            d.qpos[ROOT + 1 :] = point
            conjoint.mj_kinematics(m, d)
            conjoint.mj_comPos(m, d)
            above = d.subtree_com[0, :2] - d.geom_xpos[soles(m), :2].mean(axis=0)
            tilt = d.body("foot_left").xmat[[6, 7]]
            columns.append([*(20.0 * above), *(10.0 * tilt), *(0.2 * (point - wanted))])
        return np.array(columns).T

    low, high = m.jnt_range[1:].T
    found, _ = least_squares(wanted, residual, bounds=[low + 0.01, high - 0.01], verbose=Verbosity.SILENT)
    return np.concatenate([start[: ROOT + 1], found.ravel()])


def at_rest(m: conjoint.MjModel, d: conjoint.MjData, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose, raised to the height at which the floor carries the weight, and the controls that hold it."""

    def force(height: float) -> np.ndarray:
        conjoint.mj_resetData(m, d)
        d.qpos[:] = qpos
        d.qpos[2] = height
        conjoint.mj_forward(m, d)
        d.qacc[:] = 0.0
        conjoint.mj_inverse(m, d)
        return d.qfrc_inverse.copy()

    # at this height no vertical force is missing; a millimeter of height changes the contact force by kilonewtons
    d.qpos[:] = qpos
    conjoint.mj_kinematics(m, d)
    touching = qpos[2] - d.geom_xpos[soles(m), 2].min() + m.geom_size[soles(m)[0], 0]
    span = touching - 0.01, touching + 0.005
    height = root_scalar(lambda z: force(z)[2], bracket=span, xtol=1e-9, method="brentq").root
    needed = force(height)
    moment = np.zeros((m.nu, m.nv))
    conjoint.mju_sparse2dense(moment, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    return d.qpos.copy(), np.linalg.lstsq(moment[:, ROOT:].T, needed[ROOT:], rcond=None)[0]


def soles(m: conjoint.MjModel) -> np.ndarray:
    """Return the ids of the geoms of the left foot, on which the humanoid stands."""
    return np.flatnonzero(m.geom_bodyid == m.body("foot_left").id)


def regulator(m: conjoint.MjModel, d: conjoint.MjData, qpos: np.ndarray, ctrl: np.ndarray) -> np.ndarray:
    """Return the feedback gains from position and velocity to controls."""
    conjoint.mj_resetData(m, d)
    d.qpos[:], d.ctrl[:] = qpos, ctrl
    conjoint.mj_forward(m, d)
    A, B = np.zeros((2 * m.nv, 2 * m.nv)), np.zeros((2 * m.nv, m.nu))
    conjoint.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None)
    # penalize motion of the center of mass relative to the foot, and of the joints. The position of the foot needs a
    # small cost, too, because otherwise no optimal regulator exists
    com, foot = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    conjoint.mj_jacSubtreeCom(m, d, com, 0)
    conjoint.mj_jacBodyCom(m, d, foot, None, m.body("foot_left").id)
    cost = np.zeros((2 * m.nv, 2 * m.nv))
    cost[: m.nv, : m.nv] = 1000.0 * (com - foot).T @ (com - foot) + np.diag([0.01] * ROOT + [1.0] * (m.nv - ROOT))
    P = solve_discrete_are(A, B, cost, np.eye(m.nu))
    return np.linalg.solve(np.eye(m.nu) + B.T @ P @ B, B.T @ P @ A)


def main(seconds: float, noise: float, seed: int) -> float:
    """Balance on one leg; return how far the head sank (m)."""
    m = conjoint.MjModel.from_xml_path(str(MODEL))
    # a single hip carries the load that two hips share otherwise
    m.actuator_ctrlrange[:] *= 2.0
    d = conjoint.MjData(m)
    qpos, ctrl = at_rest(m, d, pose_on_one_leg(m, d))
    K = regulator(m, d, qpos, ctrl)
    conjoint.mj_resetData(m, d)
    d.qpos[:] = qpos
    conjoint.mj_forward(m, d)
    before = d.body("head").xpos[2]
    generator, away = np.random.default_rng(seed), np.zeros(m.nv)
    push = np.zeros(m.nu)
    for _ in range(round(seconds / m.opt.timestep)):
        conjoint.mj_differentiatePos(m, away, 1.0, qpos, d.qpos)
        # smooth noise on top of the regulator
        push = 0.95 * push + noise * generator.standard_normal(m.nu)
        d.ctrl[:] = ctrl - K @ np.concatenate([away, d.qvel]) + push
        conjoint.mj_step(m, d)
    sunk = float(before - d.body("head").xpos[2])
    print(f"after {d.time:.1f} s on one leg the head is {sunk * 1000:.1f} mm lower")
    return sunk


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    main(**vars(parser.parse_args()))
