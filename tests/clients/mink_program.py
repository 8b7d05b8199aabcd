"""Inverse kinematics with mink: a robot's foot follows a target."""

from pathlib import Path

import mink
import mujoco
import numpy as np

SECONDS, STEPS = 0.02, 25


def main(model: str, written: str) -> None:
    """Solve inverse kinematics iteratively for the last body of a model, and write the configurations to a file."""
    m = mujoco.MjModel.from_xml_path(model)
    configuration = mink.Configuration(m)
    configuration.update(m.qpos0.copy())
    body = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_BODY, m.nbody - 1)
    foot = mink.FrameTask(body, "body", position_cost=1.0, orientation_cost=0.1)
    foot.set_target_from_configuration(configuration)
    start = foot.transform_target_to_world
    ahead = start.translation() + np.array([0.05, 0.02, 0.03])
    foot.set_target(mink.SE3.from_rotation_and_translation(start.rotation(), ahead))
    posture = mink.PostureTask(m, cost=1e-2)
    posture.set_target_from_configuration(configuration)
    limits = [mink.ConfigurationLimit(m)]
    found = []
    for _ in range(STEPS):
        velocity = mink.solve_ik(configuration, [foot, posture], SECONDS, "daqp", limits=limits)
        configuration.integrate_inplace(velocity, SECONDS)
        found.append([*configuration.q, *foot.compute_error(configuration)])
    np.save(Path(written), np.array(found))
