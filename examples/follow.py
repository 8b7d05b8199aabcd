"""An arm follows a path with computed torques: inverse dynamics of the acceleration that corrects the error.

    python examples/follow.py --seconds 4

The method is computed-torque control (Siciliano et al., Robotics: Modeling, Planning and Control, 2009, section 8.5.2).
"""

from __future__ import annotations

import argparse

import numpy as np

import conjoint

ARM = """
<mujoco model="arm">
  <option timestep="0.002" integrator="implicitfast"/>
  <default><joint damping="0.5" armature="0.05"/><geom type="capsule" size="0.04" density="600"/></default>
  <worldbody>
    <body name="base" pos="0 0 0.3">
      <joint name="turn" axis="0 0 1"/>
      <geom fromto="0 0 0 0 0 0.1"/>
      <body name="upper" pos="0 0 0.1">
        <joint name="shoulder" axis="0 1 0"/>
        <geom fromto="0 0 0 0.4 0 0"/>
        <body name="lower" pos="0.4 0 0">
          <joint name="elbow" axis="0 1 0"/>
          <geom fromto="0 0 0 0.35 0 0"/>
          <body name="hand" pos="0.35 0 0">
            <joint name="wrist" axis="1 0 0"/>
            <geom type="box" size=".05 .08 .02" pos=".05 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="turn"/><motor joint="shoulder"/><motor joint="elbow"/><motor joint="wrist"/>
  </actuator>
</mujoco>
"""
STIFFNESS, DAMPING = 400.0, 40.0
"""Gains of the position error (1/s^2) and of the velocity error (1/s); the error is critically damped."""


def wanted(time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the desired joint angles, velocities and accelerations at a time."""
    amplitude, rate = np.array([1.0, 0.6, -0.8, 1.5]), np.array([1.0, 2.0, 3.0, 4.0])
    phase = rate * time
    return amplitude * np.sin(phase), amplitude * rate * np.cos(phase), -amplitude * rate**2 * np.sin(phase)


def main(seconds: float) -> float:
    """Follow the path from a wrong initial position; return the largest error in the second half (rad)."""
    m = conjoint.MjModel.from_xml_string(ARM)
    d, ideal = conjoint.MjData(m), conjoint.MjData(m)
    d.qpos[:] = 0.3
    worst = 0.0
    while d.time < seconds:
        angle, speed, acceleration = wanted(d.time)
        ideal.qpos[:], ideal.qvel[:] = d.qpos, d.qvel
        ideal.qacc[:] = acceleration + STIFFNESS * (angle - d.qpos) + DAMPING * (speed - d.qvel)
        conjoint.mj_inverse(m, ideal)
        d.ctrl[:] = ideal.qfrc_inverse
        conjoint.mj_step(m, d)
        if d.time > seconds / 2:
            worst = max(worst, float(np.abs(d.qpos - wanted(d.time)[0]).max()))
    print(f"largest error in the second half: {worst * 1000:.2f} mrad")
    return worst


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0)
    main(**vars(parser.parse_args()))
