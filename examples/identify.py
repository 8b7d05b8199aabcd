"""Identify parameters of a pendulum and of an arm from measurements, by least squares over simulated motions.

    python examples/identify.py

A motion is recorded with known parameters, and noise is added. The parameters are then estimated from this record.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import conjoint
from conjoint.minimize import Verbosity, least_squares

PENDULUM = """
<mujoco><option timestep="0.005" integrator="RK4"/><worldbody>
  <body name="bob"><joint name="pivot" axis="0 1 0" damping="{damping}"/>
    <geom size=".05" pos="0 0 -{length}" mass="1"/></body>
</worldbody></mujoco>
"""
ARM = """
<mujoco><option timestep="0.005" integrator="implicitfast"/><worldbody>
  <body name="upper"><joint name="shoulder" axis="0 1 0" damping="{shoulder}"/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="{upper}"/>
    <body name="lower" pos=".4 0 0"><joint name="elbow" axis="0 1 0" damping="{elbow}"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="{lower}"/></body></body>
</worldbody>
<actuator><motor joint="shoulder" gear="10"/><motor joint="elbow" gear="5"/></actuator></mujoco>
"""
CASES: dict[str, tuple[str, dict[str, float]]] = {
    "pendulum": (PENDULUM, {"damping": 0.05, "length": 0.8}),
    "arm": (ARM, {"shoulder": 0.4, "elbow": 0.2, "upper": 2.0, "lower": 1.2}),
}
"""Model texts with placeholders for parameters, and the true parameters, by case."""


def motion(text: str, parameters: dict[str, float], steps: int) -> np.ndarray:
    """Return the joint angles over time, shape (steps, nq), under controls that excite all joints."""
    m = conjoint.MjModel.from_xml_string(text.format(**parameters))
    d = conjoint.MjData(m)
    d.qpos[:] = 1.0
    angles = np.empty((steps, m.nq))
    for step in range(steps):
        d.ctrl[:] = np.sin(d.time * np.arange(2, 2 + m.nu))
        conjoint.mj_step(m, d)
        angles[step] = d.qpos
    return angles


def residual_of(text: str, names: list[str], measured: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the residual for `least_squares`: simulated minus measured angles, for each column of parameters."""

    def residual(points: np.ndarray) -> np.ndarray:
        motions = [motion(text, dict(zip(names, point, strict=True)), len(measured)) for point in points.T]
        return np.array([(found - measured).ravel() for found in motions]).T

    return residual


def main(case: str, steps: int, noise: float, seed: int) -> dict[str, float]:
    """Identify the parameters of a case; return the relative error of each parameter."""
    text, true = CASES[case]
    generator = np.random.default_rng(seed)
    measured = motion(text, true, steps)
    measured += noise * generator.standard_normal(measured.shape)
    names = list(true)
    guess = np.array([1.5 * value for value in true.values()])
    bounds = [0.1 * guess, 3.0 * guess]
    residual = residual_of(text, names, measured)
    found, _ = least_squares(guess, residual, bounds=bounds, verbose=Verbosity.SILENT)
    errors = {}
    for name, value in zip(names, found.ravel(), strict=True):
        errors[name] = abs(value - true[name]) / true[name]
        print(f"{name}: {value:.4f}, in truth {true[name]}")
    return errors


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="?", choices=CASES, default="arm")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--noise", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=0)
    main(**vars(parser.parse_args()))
